//! The runs of a row of cells: neighbours of one style.

use super::{Paper, colour, safe};
use ratatui::buffer::Cell;
use ratatui::style::Modifier;
use unicode_width::UnicodeWidthStr;

/// The style of a run.
#[derive(Clone, PartialEq)]
pub(super) struct Look {
    /// The colour of the characters.
    pub(super) ink: String,
    /// The colour behind them, or `None` if it is that of the paper.
    pub(super) ground: Option<String>,
    /// Bold, underlined and dim.
    pub(super) modifier: Modifier,
}

impl Look {
    /// Returns the style of a cell.
    fn of(cell: &Cell, paper: &Paper) -> Self {
        let (mut ink, mut ground) = (colour(cell.fg), colour(cell.bg));
        if cell.modifier.contains(Modifier::REVERSED) {
            let ink_was = ink.unwrap_or_else(|| paper.ink.clone());
            ink = Some(ground.unwrap_or_else(|| paper.ground.clone()));
            ground = Some(ink_was);
        }
        Self {
            ink: ink.unwrap_or_else(|| paper.ink.clone()),
            ground: ground.filter(|ground| *ground != paper.ground),
            modifier: cell.modifier,
        }
    }
}

/// Neighbouring cells of one style. A wide character is alone, because the next one would be misplaced.
pub(super) struct Run {
    /// The column of the first cell.
    pub(super) start: usize,
    /// The number of cells.
    pub(super) length: usize,
    /// The characters.
    pub(super) text: String,
    /// The style.
    pub(super) look: Look,
}

/// Returns the runs of a row.
pub(super) fn runs(cells: &[Cell], paper: &Paper) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut start = 0;
    while start < cells.len() {
        let look = Look::of(&cells[start], paper);
        let symbols = |cells: &[Cell]| cells.iter().map(|cell| safe(cell).symbol()).collect();
        let is_wide = safe(&cells[start]).symbol().width() > 1;
        let same = |cell: &&Cell| Look::of(cell, paper) == look && safe(cell).symbol().width() == 1;
        let (length, text) = if is_wide {
            // The cell behind a wide character belongs to it.
            (2, symbols(&cells[start..=start]))
        } else {
            let length = cells[start..].iter().take_while(same).count().max(1);
            (length, symbols(&cells[start..start + length]))
        };
        let length = length.min(cells.len() - start);
        runs.push(Run {
            start,
            length,
            text,
            look,
        });
        start += length;
    }
    runs
}
