//! A named pipe that processes hold open, which tells when the last of them is gone.

use super::PATIENCE;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::process::Command;

/// A named pipe. A process holds it as long as it has it open for writing.
pub(crate) struct HeldPipe {
    path: String,
    /// Never blocks, so that every wait has a deadline.
    reader: File,
}

impl HeldPipe {
    /// Makes a pipe in a folder.
    pub(crate) fn new(folder: &Path) -> Self {
        let path = folder.join("held");
        let made = Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo is there").success());
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let reader = rustix::fs::open(&path, flags, Mode::empty()).expect("it is ours");
        Self {
            path: path.into_os_string().into_string().expect("a plain name"),
            reader: reader.into(),
        }
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Waits until a process that holds the pipe says so, and returns its words.
    #[track_caller]
    pub(crate) fn wait_held(&mut self) -> String {
        self.wait();
        let mut bytes = [0; 4096];
        let read = self.reader.read(&mut bytes).expect("something is there");
        String::from_utf8_lossy(&bytes[..read]).into_owned()
    }

    /// Waits until no process holds the pipe any more, and returns what was written to it and not read.
    #[track_caller]
    pub(crate) fn wait_released(&mut self) -> String {
        // A pipe that nobody has opened has no end. Now it has been opened.
        let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        drop(rustix::fs::open(&self.path, flags, Mode::empty()).expect("it is read"));
        let mut words = Vec::new();
        loop {
            self.wait();
            match self.reader.read_to_end(&mut words) {
                Ok(_) => return String::from_utf8_lossy(&words).into_owned(),
                Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock),
            }
        }
    }

    /// Waits until something was written, or until the last process that held the pipe is gone.
    #[track_caller]
    fn wait(&self) {
        let patience = Timespec::try_from(PATIENCE).expect("it is short");
        let mut waiting = [PollFd::new(&self.reader, PollFlags::IN)];
        let ready = rustix::event::poll(&mut waiting, Some(&patience)).expect("a pipe can wait");
        assert_eq!(ready, 1, "the pipe is held, and nothing is written to it");
    }
}
