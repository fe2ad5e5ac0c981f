//! The terminal: set up at the start, and restored exactly once at any kind of end.
//!
//! The terminal is never queried, so starting never waits for an answer. Its original state is in a static, so that the
//! panic hook and the threads that force the end can also restore it.

pub(crate) mod wire;

use super::encode::encode;
use crate::base::shown::{Backslash, shown_format};
use crate::tui::state::LONGEST_COPY;
use color_eyre::eyre::{Context, Result};
use crossterm::Command as _;
use crossterm::clipboard::CopyToClipboard;
use ratatui::Frame;
use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Size};
use rustix::fd::{AsFd, OwnedFd};
use rustix::termios::{OptionalActions, Termios};
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use wire::Wire;

/// Selects the alternate screen, clears it and hides the cursor.
const TAKE: &[u8] = b"\x1b[?1049h\x1b[2J\x1b[?25l";

/// Reports presses and drags of the mouse with coordinates of any size.
const TAKE_MOUSE: &[u8] = b"\x1b[?1000h\x1b[?1002h\x1b[?1006h";

/// Reverts both in reverse order, and also the modes that a broken frame or an open prompt may have left on.
const GIVE_BACK: &[u8] =
    b"\x1b[?2026l\x1b[?2004l\x1b[?1006l\x1b[?1002l\x1b[?1000l\x1b[0m\x1b[?25h\x1b[?1049l";

/// The time that a terminal gets to take the last sequences, within the second that an end may take.
const PATIENCE: Duration = Duration::from_millis(150);

/// The original state of the terminal, while the explorer uses it. Locked until it is restored.
static ORIGINAL: Mutex<Option<OriginalTerminal>> = Mutex::new(None);

/// The terminal as it was before the explorer took it.
struct OriginalTerminal {
    keys: OwnedFd,
    wire: Wire,
    termios: Termios,
}

impl OriginalTerminal {
    /// Restores the terminal. If the terminal is gone, all calls fail and the errors cannot be shown.
    ///
    /// A terminal that reads again later must find the last sequences. They replace output that it has not read yet if
    /// there is no room for both, or anyway to leave room for a sentence too.
    fn give_back(&self, needs_room: bool) {
        let is_kept = !needs_room && !wire::is_stalled();
        let is_out = is_kept && self.wire.write_last(GIVE_BACK, Duration::ZERO);
        // Setting modes from the background would stop the process, and the shell in the foreground has set its own
        // modes.
        let is_foreground = is_foreground(&self.keys);
        if is_foreground {
            let _ = rustix::termios::tcsetattr(&self.keys, OptionalActions::Now, &self.termios);
        }
        if is_out {
            return;
        }
        if is_foreground {
            self.wire.write_instead(GIVE_BACK, PATIENCE);
        } else {
            self.wire.write_last(GIVE_BACK, PATIENCE);
        }
    }
}

/// Returns the terminal as it was; `None` while the explorer does not have it.
fn original() -> MutexGuard<'static, Option<OriginalTerminal>> {
    ORIGINAL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Restores the terminal if it is not restored yet.
pub(crate) fn give_back() {
    if let Some(found) = original().take() {
        found.give_back(false);
    }
}

/// Ends all frames and restores the terminal, just before the process ends. Waits only a short time for a thread that
/// is restoring it already, because that thread may be blocked. Allocates nothing. Returns whether this restored it.
pub(crate) fn give_back_at_last() -> bool {
    wire::halt();
    let Some(mut original) = wire::lock_within(&ORIGINAL, PATIENCE) else {
        return false;
    };
    let found = original.take();
    if let Some(found) = &found {
        found.give_back(true);
    }
    found.is_some()
}

/// Returns whether the process may set the terminal's modes. Any may if the terminal is not the controlling one.
fn is_foreground(keys: &OwnedFd) -> bool {
    rustix::termios::tcgetpgrp(keys).is_ok_and(|group| group == rustix::process::getpgrp())
        || rustix::termios::tcgetpgrp(keys) == Err(rustix::io::Errno::NOTTY)
}

/// Returns the source of keys: standard input, or the controlling terminal if standard input is a file or a pipe.
#[expect(clippy::disallowed_methods, reason = "the terminal itself")]
pub(crate) fn keys() -> Result<OwnedFd> {
    let stdin = rustix::stdio::stdin();
    if rustix::termios::isatty(stdin) {
        let keys = stdin.as_fd().try_clone_to_owned();
        return keys.wrap_err("standard input cannot be used");
    }
    std::fs::File::options()
        .read(true)
        .write(true)
        .open("/dev/tty")
        .map(OwnedFd::from)
        .wrap_err(
            "no keys to read: standard input is not a terminal and /dev/tty cannot be opened; start fairscope in a \
             terminal, or use `fairscope show`",
        )
}

/// The terminal while the explorer uses it. Every method fails when the terminal is gone. Dropping this restores it.
pub(crate) struct Terminal {
    screen: ratatui::Terminal<FrameBackend>,
    keys: OwnedFd,
    wire: Wire,
    has_mouse: bool,
}

impl Terminal {
    pub(crate) fn take(keys: OwnedFd, has_mouse: bool) -> Result<Self> {
        let stdout = rustix::stdio::stdout();
        if !rustix::termios::isatty(stdout) {
            color_eyre::eyre::bail!(
                "standard output is not a terminal; use `fairscope show` to print the tree"
            );
        }
        let wire = Wire::open(stdout).wrap_err("standard output cannot be used")?;
        set_up(&keys, &wire, has_mouse).wrap_err("the terminal cannot be switched to raw keys")?;
        let screen = open_screen(&wire)?;
        Ok(Self {
            screen,
            keys,
            wire,
            has_mouse,
        })
    }

    /// Returns whether the explorer has the terminal.
    pub(crate) fn is_taken() -> bool {
        original().is_some()
    }

    /// Sets up the terminal again after the process was stopped, if it is in the foreground. Returns whether it is.
    pub(crate) fn take_again(&mut self) -> Result<bool> {
        if !is_foreground(&self.keys) {
            // The shell is in the foreground and manages its own modes.
            original().take();
            return Ok(false);
        }
        // SIGSTOP cannot be caught, so the state saved at the start may still have to be restored.
        let kept = original().take();
        set_up(&self.keys, &self.wire, self.has_mouse)?;
        if let (Some(kept), Some(found)) = (kept, original().as_mut()) {
            found.termios = kept.termios;
        }
        // A new backend has no previous frame, so the next frame is drawn completely.
        self.screen = open_screen(&self.wire)?;
        Ok(true)
    }

    /// Makes the next frame a complete one: a terminal that shrinks and grows again between two frames loses cells.
    pub(crate) fn forget(&mut self) -> io::Result<()> {
        self.screen.clear()
    }

    /// Draws a frame with a single write. Returns its cells.
    pub(crate) fn draw(&mut self, draw: impl FnOnce(&mut Frame)) -> io::Result<&Buffer> {
        self.screen.draw(draw).map(|drawn| drawn.buffer)
    }

    pub(crate) fn size(&self) -> io::Result<Size> {
        self.screen.size()
    }

    /// Asks the terminal to mark pasted text, or not to.
    pub(crate) fn mark_pastes(&self, on: bool) -> io::Result<()> {
        let request = if on { b"\x1b[?2004h" } else { b"\x1b[?2004l" };
        self.wire.write(request)
    }

    /// Puts text on the clipboard, also over ssh. What would act as keys or hide in a shell is written out.
    pub(crate) fn copy(&self, text: &str) -> Result<()> {
        let mut end = text.len().min(LONGEST_COPY);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let bytes = &text.as_bytes()[..end];
        let clean = shown_format(bytes, Backslash::Kept);
        let mut sequence = String::new();
        CopyToClipboard::to_clipboard_from(clean).write_ansi(&mut sequence)?;
        self.wire.write(sequence.as_bytes())?;
        Ok(())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        give_back();
    }
}

/// Saves the state of the terminal and then changes it, in this order, so that every change can be reverted.
fn set_up(keys: &OwnedFd, wire: &Wire, has_mouse: bool) -> io::Result<()> {
    let termios = rustix::termios::tcgetattr(keys)?;
    let mut raw = termios.clone();
    raw.make_raw();
    *original() = Some(OriginalTerminal {
        keys: keys.try_clone()?,
        wire: wire.try_clone()?,
        termios,
    });
    let taken = rustix::termios::tcsetattr(keys, OptionalActions::Now, &raw)
        .map_err(io::Error::from)
        .and_then(|()| wire.write(TAKE))
        .and_then(|()| wire.write(if has_mouse { TAKE_MOUSE } else { b"" }));
    if taken.is_err() {
        give_back();
    }
    taken
}

/// Opens the screen that is drawn on.
fn open_screen(wire: &Wire) -> Result<ratatui::Terminal<FrameBackend>> {
    // The theme handles NO_COLOR itself. If crossterm handled it too, bold text would be lost.
    crossterm::style::force_color_output(true);
    let backend = FrameBackend::new(wire.try_clone().wrap_err("the terminal cannot be used")?);
    ratatui::Terminal::new(backend).wrap_err("the terminal does not report its size")
}

/// The start and the end of a synchronized frame. Terminals without synchronized output ignore both.
const BEGIN: &[u8] = b"\x1b[?2026h";
const END: &[u8] = b"\x1b[?2026l";

/// The size assumed for a terminal that reports none.
const USUAL: Size = Size::new(80, 24);

/// The backend for ratatui: collects a frame in memory and sends it with one write.
#[derive(Debug)]
struct FrameBackend {
    wire: Wire,
    frame: Vec<u8>,
    is_cursor_shown: bool,
}

impl FrameBackend {
    fn new(wire: Wire) -> Self {
        Self {
            wire,
            frame: BEGIN.to_vec(),
            is_cursor_shown: false,
        }
    }

    /// Returns what turns cells and cursor positions into bytes of the frame.
    fn encoder(&mut self) -> CrosstermBackend<&mut Vec<u8>> {
        CrosstermBackend::new(&mut self.frame)
    }
}

impl Backend for FrameBackend {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut content = content.peekable();
        if content.peek().is_none() {
            return Ok(());
        }
        encode(content, &mut self.frame)
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.is_cursor_shown, false) {
            self.encoder().hide_cursor()?;
        }
        Ok(())
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        if !std::mem::replace(&mut self.is_cursor_shown, true) {
            self.encoder().show_cursor()?;
        }
        Ok(())
    }

    /// Only inline viewports need the cursor position, and asking for it would cost a round trip.
    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Ok(Position::ORIGIN)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.encoder().set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.encoder().clear()
    }

    fn clear_region(&mut self, region: ClearType) -> io::Result<()> {
        self.encoder().clear_region(region)
    }

    fn size(&self) -> io::Result<Size> {
        size_of(&self.wire)
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize {
            columns_rows: self.size()?,
            pixels: Size::ZERO,
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.frame.len() > BEGIN.len() {
            self.frame.extend_from_slice(END);
            let written = self.wire.write(&self.frame);
            self.frame.truncate(BEGIN.len());
            written?;
        }
        Ok(())
    }
}

/// Returns the cells of a terminal. Fails if the system does not tell.
fn size_of(terminal: impl AsFd) -> io::Result<Size> {
    let size = rustix::termios::tcgetwinsize(terminal)?;
    let size = Size::new(size.ws_col, size.ws_row);
    let is_told = size.width > 0 && size.height > 0;
    Ok(if is_told { size } else { USUAL })
}
