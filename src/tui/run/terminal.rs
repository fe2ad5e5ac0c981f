//! The terminal: set up at the start, and restored exactly once at any kind of end.
//!
//! The terminal is never queried, so starting never waits for an answer. Its original state is in a static, so that the
//! panic hook and the thread that forces the end can also restore it.

mod backend;

use backend::{FrameBackend, write_whole};
use color_eyre::eyre::{Context, Result};
use ratatui::Frame;
use rustix::fd::{AsFd, OwnedFd};
use rustix::termios::{OptionalActions, Termios};
use std::io;
use std::sync::{Mutex, PoisonError, TryLockError};

/// Selects the alternate screen, clears it, reports presses and drags of the mouse with coordinates of any size, and
/// hides the cursor.
const TAKE: &[u8] = b"\x1b[?1049h\x1b[2J\x1b[?1000h\x1b[?1002h\x1b[?1006h\x1b[?25l";

/// Reverts all of that in reverse order, and also the modes that a broken frame or an open prompt may have left on.
const GIVE_BACK: &[u8] =
    b"\x1b[?2026l\x1b[?2004l\x1b[?1006l\x1b[?1002l\x1b[?1000l\x1b[0m\x1b[?25h\x1b[?1049l";

/// The original state of the terminal, while the explorer uses it.
static ORIGINAL: Mutex<Option<OriginalTerminal>> = Mutex::new(None);

/// The original state of the terminal, and what is needed to restore it.
struct OriginalTerminal {
    keys: OwnedFd,
    output: OwnedFd,
    termios: Termios,
}

impl OriginalTerminal {
    fn give_back(&self) {
        // If the terminal is gone, both calls fail and the errors cannot be shown.
        let _ = write_whole(&self.output, GIVE_BACK);
        // Setting modes from the background would stop the process, and the shell in the foreground has set its own
        // modes.
        if is_foreground(&self.keys) {
            let _ = rustix::termios::tcsetattr(&self.keys, OptionalActions::Now, &self.termios);
        }
    }
}

/// Restores the terminal if it is not restored yet.
pub(crate) fn give_back() {
    let found = ORIGINAL
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    if let Some(found) = found {
        found.give_back();
    }
}

/// Restores the terminal unless another thread is restoring it and may be blocked. Used just before the process ends.
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
/// foreground, so any process may.
fn is_foreground(keys: &OwnedFd) -> bool {
    rustix::termios::tcgetpgrp(keys).is_ok_and(|group| group == rustix::process::getpgrp())
        || rustix::termios::tcgetpgrp(keys) == Err(rustix::io::Errno::NOTTY)
}

/// Returns the source of keys: standard input, or the controlling terminal if standard input is a file or a pipe.
///
/// # Errors
/// If there is neither.
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

/// The terminal while the explorer uses it. Dropping this restores it.
pub(crate) struct Terminal {
    screen: ratatui::Terminal<FrameBackend>,
    keys: OwnedFd,
    output: OwnedFd,
}

impl Terminal {
    /// Sets up the terminal.
    ///
    /// # Errors
    /// If standard output or the source of keys is not a terminal.
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

    /// Returns whether the explorer uses the terminal at the moment.
    pub(crate) fn is_taken() -> bool {
        ORIGINAL
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_some()
    }

    /// Sets up the terminal again after the process was stopped, if it is in the foreground. Returns whether it is.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub(crate) fn take_again(&mut self) -> Result<bool> {
        if !is_foreground(&self.keys) {
            // The shell is in the foreground and manages its own modes.
            ORIGINAL
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take();
            return Ok(false);
        }
        // SIGSTOP cannot be caught, so the state saved at the start may still have to be restored.
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
        // A new backend has no previous frame, so the next frame is drawn completely.
        self.screen = open_screen(&self.output)?;
        Ok(true)
    }

    /// Clears the previous frame, so that the next one is drawn completely. A terminal that shrinks and grows again
    /// between two frames loses cells, although its size is the same.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub(crate) fn forget(&mut self) -> io::Result<()> {
        self.screen.clear()
    }

    /// Draws a frame with a single write.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub(crate) fn draw(&mut self, draw: impl FnOnce(&mut Frame)) -> io::Result<()> {
        self.screen.draw(draw).map(drop)
    }

    /// Asks the terminal to mark pasted text, or to stop marking it.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub(crate) fn mark_pastes(&self, on: bool) -> io::Result<()> {
        self.send(if on { b"\x1b[?2004h" } else { b"\x1b[?2004l" })
    }

    /// Writes control sequences directly to the terminal.
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

/// Saves the state of the terminal and then changes it, in this order, so that every change can be reverted.
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
    // The theme handles NO_COLOR itself. If crossterm handled it too, bold text would be lost.
    crossterm::style::force_color_output(true);
    let backend = FrameBackend::new(output.try_clone().wrap_err("the terminal cannot be used")?);
    ratatui::Terminal::new(backend).wrap_err("the terminal does not say how large it is")
}
