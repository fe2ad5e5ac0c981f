//! Cells as the bytes that draw them on a terminal.

use crate::tui::picture::safe;
use ratatui::backend::{Backend as _, CrosstermBackend};
use ratatui::buffer::Cell;
use std::io;

/// Writes what draws some cells on a terminal, each at its place. A cell that a terminal would act on is a mark.
pub fn encode<'a>(
    cells: impl Iterator<Item = (u16, u16, &'a Cell)>,
    bytes: &mut Vec<u8>,
) -> io::Result<()> {
    let safe_cells = cells.map(|(x, y, cell)| (x, y, safe(cell)));
    CrosstermBackend::new(bytes).draw(safe_cells)
}
