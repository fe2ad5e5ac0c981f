//! The terminal: taken at the start, given back exactly once as it was found, whatever happens.
//!
//! Nothing is asked of the terminal, so starting never waits for an answer. What was found is kept where the
//! panic hook and the last-resort thread can reach it too; whoever comes first gives it back.

mod backend;

use backend::{FrameBackend, write_whole};
use color_eyre::eyre::{Context, Result};
use ratatui::Frame;
use rustix::fd::{AsFd, OwnedFd};
use rustix::termios::{OptionalActions, Termios};
use std::io;
use std::sync::{Mutex, PoisonError, TryLockError};

/// Alternate screen, clear, presses and drags of the mouse with coordinates of any size, no cursor.
const TAKE: &[u8] = b"\x1b[?1049h\x1b[2J\x1b[?1000h\x1b[?1002h\x1b[?1006h\x1b[?25l";

/// All of that undone in reverse, and whatever a broken frame or an open prompt may have left on.
const GIVE_BACK: &[u8] =
    b"\x1b[?2026l\x1b[?2004l\x1b[?1006l\x1b[?1002l\x1b[?1000l\x1b[0m\x1b[?25h\x1b[?1049l";

/// What was found, while the terminal is ours.
static ORIGINAL: Mutex<Option<OriginalTerminal>> = Mutex::new(None);

/// The terminal as it was, and the way back.
struct OriginalTerminal {
    keys: OwnedFd,
    output: OwnedFd,
    termios: Termios,
}

impl OriginalTerminal {
    fn give_back(&self) {
        // A terminal that is gone refuses both, and there is nobody left to tell.
        let _ = write_whole(&self.output, GIVE_BACK);
        // Setting modes from the background would stop the process instead of ending it, and the shell that
        // is in front has set its own.
        if is_foreground(&self.keys) {
            let _ = rustix::termios::tcsetattr(&self.keys, OptionalActions::Now, &self.termios);
        }
    }
}

/// Gives the terminal back if it is still ours.
pub(crate) fn give_back() {
    let found = ORIGINAL
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    if let Some(found) = found {
        found.give_back();
    }
}

/// Gives the terminal back unless another thread is at it and perhaps stuck: the process is about to end.
pub(crate) fn give_back_at_last() {
    let found = match ORIGINAL.try_lock() {
        Ok(mut found) => found.take(),
        Err(TryLockError::Poisoned(found)) => found.into_inner().take(),
        Err(TryLockError::WouldBlock) => None,
    };
    if let Some(found) = found {
        found.give_back();
    }
}

/// Returns whether the process may set the terminal's modes. A terminal that is not the controlling one has no
/// foreground, and anybody may.
fn is_foreground(keys: &OwnedFd) -> bool {
    rustix::termios::tcgetpgrp(keys).is_ok_and(|group| group == rustix::process::getpgrp())
        || rustix::termios::tcgetpgrp(keys) == Err(rustix::io::Errno::NOTTY)
}

/// Returns where keys come from: standard input, or the controlling terminal where standard input is a file or a pipe.
///
/// # Errors
/// When there is neither.
pub(crate) fn keys() -> Result<OwnedFd> {
    let stdin = rustix::stdio::stdin();
    if rustix::termios::isatty(stdin) {
        return stdin
            .as_fd()
            .try_clone_to_owned()
            .wrap_err("standard input cannot be used");
    }
    std::fs::File::options()
        .read(true)
        .write(true)
        .open("/dev/tty")
        .map(OwnedFd::from)
        .wrap_err(
            "no keys to read: standard input is not a terminal and /dev/tty cannot be opened; \
             start fairscope in a terminal, or use `fairscope show`, which needs none",
        )
}

/// The terminal while it is ours. Dropping it gives it back.
pub(crate) struct Terminal {
    screen: ratatui::Terminal<FrameBackend>,
    keys: OwnedFd,
    output: OwnedFd,
}

impl Terminal {
    /// Takes the terminal.
    ///
    /// # Errors
    /// When standard output or the keys are no terminal.
    pub(crate) fn take(keys: OwnedFd) -> Result<Self> {
        let stdout = rustix::stdio::stdout();
        if !rustix::termios::isatty(stdout) {
            color_eyre::eyre::bail!(
                "standard output is not a terminal, so there is nothing to draw on; \
                 use `fairscope show` to print the tree"
            );
        }
        let output = stdout
            .as_fd()
            .try_clone_to_owned()
            .wrap_err("standard output cannot be used")?;
        set_up(&keys, &output).wrap_err("the terminal cannot be switched to raw keys")?;
        let screen = open_screen(&output)?;
        Ok(Self {
            screen,
            keys,
            output,
        })
    }

    /// Returns whether the terminal is ours at the moment.
    pub(crate) fn is_taken() -> bool {
        ORIGINAL
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_some()
    }

    /// Takes the terminal again after the process was stopped, if it is in the foreground. Returns whether it is.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub(crate) fn take_again(&mut self) -> Result<bool> {
        if !is_foreground(&self.keys) {
            // The shell is in front and its modes are its own affair.
            ORIGINAL
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take();
            return Ok(false);
        }
        // After SIGSTOP, which nobody can catch, what we found at the start is still what is to be given back.
        let kept = ORIGINAL
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        set_up(&self.keys, &self.output)?;
        if let (Some(kept), Some(found)) = (
            kept,
            ORIGINAL
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .as_mut(),
        ) {
            found.termios = kept.termios;
        }
        // A fresh screen knows nothing of what was drawn, so the next frame is drawn whole.
        self.screen = open_screen(&self.output)?;
        Ok(true)
    }

    /// Forgets what was drawn, so that the next frame is drawn whole: a terminal that shrinks and grows again
    /// between two frames has lost cells, although its size is the same.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub(crate) fn forget(&mut self) -> io::Result<()> {
        self.screen.clear()
    }

    /// Draws a frame: one write, shown at once by terminals that can.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub(crate) fn draw(&mut self, draw: impl FnOnce(&mut Frame)) -> io::Result<()> {
        self.screen.draw(draw).map(drop)
    }

    /// Asks the terminal to mark pasted text, or to stop that.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub(crate) fn mark_pastes(&self, on: bool) -> io::Result<()> {
        self.send(if on { b"\x1b[?2004h" } else { b"\x1b[?2004l" })
    }

    /// Sends control sequences past the screen.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub(crate) fn send(&self, bytes: &[u8]) -> io::Result<()> {
        write_whole(&self.output, bytes)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        give_back();
    }
}

/// Notes what is found, then takes it: in this order, so that nothing is ever changed that cannot be undone.
fn set_up(keys: &OwnedFd, output: &OwnedFd) -> io::Result<()> {
    let termios = rustix::termios::tcgetattr(keys)?;
    let mut raw = termios.clone();
    raw.make_raw();
    *ORIGINAL.lock().unwrap_or_else(PoisonError::into_inner) = Some(OriginalTerminal {
        keys: keys.try_clone()?,
        output: output.try_clone()?,
        termios,
    });
    let taken = rustix::termios::tcsetattr(keys, OptionalActions::Now, &raw)
        .map_err(io::Error::from)
        .and_then(|()| write_whole(output, TAKE));
    if taken.is_err() {
        give_back();
    }
    taken
}

fn open_screen(output: &OwnedFd) -> Result<ratatui::Terminal<FrameBackend>> {
    // The theme decides about colours, which has heard of NO_COLOR; left half alone, styles would lose their weight.
    crossterm::style::force_color_output(true);
    let backend = FrameBackend::new(output.try_clone().wrap_err("the terminal cannot be used")?);
    ratatui::Terminal::new(backend).wrap_err("the terminal does not say how large it is")
}
