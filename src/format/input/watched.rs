//! Readers that somebody waits for: each read first asks whether anyone still wants the rest.

use super::Meter;
use crate::base::disk;
use std::io::{self, Read};

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
        disk::read_standard_input(buffer)
    }
}
