//! Readers that somebody waits for: each read first asks whether anyone still wants the rest.

use super::Meter;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, ErrorKind, Read};

/// How long a read of standard input waits before the user is asked again, in nanoseconds.
const GLANCE: i64 = 100_000_000;

/// A reader that stops once the user cancelled.
pub(super) struct Watched<'a, 'm> {
    pub(super) source: &'a mut dyn Read,
    pub(super) meter: &'a mut Meter<'m>,
    pub(super) is_cancelled: bool,
}

impl Read for Watched<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.meter.ask().is_err() {
            self.is_cancelled = true;
            return Err(io::Error::other("the user cancelled"));
        }
        self.source.read(buffer)
    }
}

/// Standard input. A read that has to wait is interrupted now and then, so that whoever waits can look around.
pub(super) struct StandardInput;

impl Read for StandardInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let stdin = rustix::stdio::stdin();
        let mut waiting = [PollFd::new(&stdin, PollFlags::IN)];
        let glance = Timespec {
            tv_sec: 0,
            tv_nsec: GLANCE,
        };
        if poll(&mut waiting, Some(&glance))? == 0 {
            return Err(ErrorKind::Interrupted.into());
        }
        Ok(rustix::io::read(stdin, buffer)?)
    }
}
