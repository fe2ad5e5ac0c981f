//! The backend for ratatui: collects a frame in memory and sends it with one write.

use super::wire::Wire;
use crate::tui::picture::safe;
use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};
use rustix::fd::AsFd;
use std::io;

/// The start and the end of a synchronized frame. Terminals without synchronized output ignore both.
const BEGIN: &[u8] = b"\x1b[?2026h";
const END: &[u8] = b"\x1b[?2026l";

/// The size assumed for a terminal that reports none.
const USUAL: Size = Size::new(80, 24);

#[derive(Debug)]
pub(crate) struct FrameBackend {
    wire: Wire,
    frame: Vec<u8>,
    is_cursor_shown: bool,
}

impl FrameBackend {
    pub(crate) fn new(wire: Wire) -> Self {
        Self {
            wire,
            frame: BEGIN.to_vec(),
            is_cursor_shown: false,
        }
    }

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
        let content = content.map(|(x, y, cell)| (x, y, safe(cell)));
        self.encoder().draw(content)
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

pub(super) fn size_of(terminal: impl AsFd) -> io::Result<Size> {
    let size = rustix::termios::tcgetwinsize(terminal)?;
    let size = Size::new(size.ws_col, size.ws_row);
    Ok(if size.width == 0 || size.height == 0 {
        USUAL
    } else {
        size
    })
}

#[cfg(test)]
mod tests {
    use super::{FrameBackend, Wire};
    use ratatui::backend::Backend as _;
    use ratatui::buffer::Cell;

    #[test]
    fn no_cell_carries_what_a_terminal_acts_on() {
        let symbols = [
            "\x1b",
            "\x07",
            "\n",
            "\t",
            "\u{9b}",
            "\u{202e}",
            "\u{200b}",
            "\x1b[2J",
            "a\x1b]0;t\x07",
        ];
        let frame = |cell: &Cell| {
            // Nothing is written there: the frame stays in memory.
            let output = std::io::stderr();
            let wire = Wire::open(output).expect("it can be opened again");
            let mut backend = FrameBackend::new(wire);
            let drawn = backend.draw([(0, 0, cell)].into_iter());
            drawn.expect("a frame is memory");
            backend.frame
        };
        for symbol in symbols {
            let mut cell = Cell::default();
            cell.set_symbol(symbol);
            assert_eq!(frame(&cell), frame(&Cell::new("\u{fffd}")), "{symbol:?}");
        }
        let plain = frame(&Cell::new("é"));
        assert_ne!(plain, frame(&Cell::new("\u{fffd}")));
    }
}
