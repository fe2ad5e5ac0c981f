//! Cells that are drawn: how much of its target a node was served, target against usage, and the 64-bit priority of
//! LEVEL_BASED as one bucket of bits per level of the tree.

use super::painter::{Painter, narrow, skip, whole};
use crate::base::number::{self, OPEN_WORD, Value};
use crate::model::NodeId;
use crate::rules::policy::{ColumnId, Policy, RuleColumn, Target};
use crate::scenario::Scenario;
use crate::tui::state::buckets::BucketLayout;
use crate::tui::state::columns::{DOUBLINGS, TIMES};
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use std::cmp::Ordering;

/// The blocks that fill a cell from the left by eighths, from none to all.
const EIGHTHS: &[&str] = &[" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"];

/// Draws used portion / target portion: a bar on a scale of doublings, to the left of its axis where less was used than
/// the target and to the right where more was, and the multiple. Nothing for a node without a target.
pub(crate) fn draw_served(p: &mut Painter, area: Rect, target: Option<Target>) {
    let Some(target) = target else { return };
    let Some(served) = target.served() else {
        return;
    };
    let theme = p.theme;
    let has_multiple = area.width > 2 * DOUBLINGS + 1;
    let bar = if has_multiple {
        area.width - 1 - TIMES
    } else {
        area.width
    };
    let cells = bar / 2;
    let axis = area.x + cells;
    p.buffer.set_string(axis, area.y, "│", theme.guide);
    // A node that used exactly its target has no bar.
    let is_exact = target.is_met && served >= 1.0;
    let style = if is_exact {
        theme.text
    } else if target.is_met {
        theme.under
    } else {
        theme.over
    };
    if !is_exact {
        // A cell is a factor of 2, and a multiple close to 1 must differ from 1.
        let eighths = served.log2().abs() * 8.0;
        let room = cells * 8;
        let doublings = Doublings {
            axis,
            y: area.y,
            eighths: whole(eighths, room).max(1),
            is_beyond: eighths > room.into(),
            is_met: target.is_met,
            style,
        };
        doublings.draw(p);
    }
    if has_multiple {
        p.put_right(skip(area, bar), &number::times(served), style);
    }
}

/// A bar beside an axis; one that would go beyond the cells ends in a mark.
struct Doublings {
    /// The column of the axis.
    axis: u16,
    /// The line of the bar.
    y: u16,
    /// Its length in eighths of a cell.
    eighths: u16,
    /// Whether there is not enough room for all of it.
    is_beyond: bool,
    /// Whether the target is met, so that the bar is on the left.
    is_met: bool,
    style: Style,
}

impl Doublings {
    fn draw(&self, p: &mut Painter) {
        let is_ascii = p.ui.options.is_ascii;
        // In ASCII there are whole cells alone, at least one.
        let cells = if is_ascii {
            ((self.eighths + 4) / 8).max(1)
        } else {
            self.eighths.div_ceil(8)
        };
        for cell in 0..cells {
            let x = if self.is_met {
                self.axis - 1 - cell
            } else {
                self.axis + 1 + cell
            };
            let filled = usize::from(self.eighths.saturating_sub(8 * cell).min(8));
            let mut is_reversed = false;
            let symbol = if self.is_beyond && cell + 1 == cells {
                if self.is_met { "«" } else { "»" }
            } else if is_ascii {
                "="
            } else if self.is_met && filled < 8 {
                // No block fills a cell from the right, so the rest is drawn in reverse.
                is_reversed = true;
                EIGHTHS[8 - filled]
            } else {
                EIGHTHS[filled]
            };
            p.buffer.set_string(x, self.y, symbol, self.style);
            if is_reversed {
                p.buffer[(x, self.y)].modifier.toggle(Modifier::REVERSED);
            }
        }
    }
}

/// The cells on each side of the axis of [`draw_balance`].
const HALF: u16 = 8;

/// The half cells on each side of that axis.
const FULL: u16 = HALF * 2;

/// Returns the half cells that a portion fills on one side of the axis, of the largest portion of the level.
fn halves(portion: f64, largest: f64) -> u16 {
    let halves = whole(portion / largest * f64::from(FULL), FULL + 1);
    // A small portion must differ from none.
    halves.max(u16::from(portion > 0.0))
}

/// Draws `share│usage` to the scale of the largest sibling, with a sign for the longer side on screens without colour.
pub(crate) fn draw_balance(p: &mut Painter, area: Rect, (share, used): (f64, f64), most: f64) {
    let theme = p.theme;
    let y = area.y;
    let order = used.partial_cmp(&share);
    let sign = match order {
        Some(Ordering::Greater) => ">",
        Some(Ordering::Less) => "<",
        _ => "=",
    };
    let style = match order {
        Some(Ordering::Greater) => theme.over,
        _ => theme.under,
    };
    let axis = area.x + HALF;
    p.buffer.set_string(axis, y, "│", theme.guide);
    let left = halves(share, most).min(FULL);
    for cell in 1..=left.div_ceil(2) {
        let is_full = 2 * cell <= left;
        let symbol = if is_full { "█" } else { "▐" };
        p.buffer.set_string(axis - cell, y, symbol, theme.share);
    }
    let wanted = halves(used, most);
    let right = wanted.min(FULL);
    for cell in 1..=right.div_ceil(2) {
        let is_full = 2 * cell <= right;
        let symbol = if is_full { "█" } else { "▌" };
        p.buffer.set_string(axis + cell, y, symbol, style);
    }
    let end = axis + HALF;
    if wanted > FULL {
        p.buffer.set_string(end, y, "»", style);
    }
    p.buffer.set_string(end + 1, y, sign, style);
}

/// Returns a 64-bit number of a node under LEVEL_BASED; `None` if it has none.
fn word(scenario: &Scenario, column: ColumnId, node: NodeId) -> Option<u64> {
    let column = RuleColumn::under(Policy::LevelBased, column);
    match scenario.column_value(column, node) {
        Value::Word(word) => Some(word),
        _ => None,
    }
}

/// Draws the buckets of the node's ancestors and its own bucket, and dots for those of its descendants.
pub(crate) fn draw_buckets(
    p: &mut Painter,
    layout: BucketLayout,
    scenario: &Scenario,
    node: NodeId,
    area: Rect,
) {
    // The root belongs to no level.
    if node == NodeId::ROOT {
        return;
    }
    let Some(whole_word) = word(scenario, ColumnId::PriorityFsRaw, node) else {
        return;
    };
    let own_word = word(scenario, ColumnId::LevelFsWord, node).unwrap_or(0);
    let theme = p.theme;
    let digits = layout.digits() as usize;
    let cells = narrow(layout.word_cells() as usize);
    let blanks = area.width.saturating_sub(cells);
    let gap = u16::from(layout.has_gaps);
    let mut rest = skip(area, blanks);
    for level in 0..layout.buckets.levels() {
        let bits = layout.buckets.value(whole_word, level).unwrap_or(0);
        let own_bits = layout.buckets.value(own_word, level).unwrap_or(0);
        // A bucket of 0 is one that no node writes.
        let mut text = "·".repeat(digits);
        let mut style = theme.guide;
        if bits != 0 {
            let set_off = if own_bits == 0 {
                theme.bucket_inherited
            } else {
                theme.bucket_own
            };
            text = format!("{bits:0digits$X}");
            style = theme.bucket(level as usize).patch(set_off);
        }
        let behind = p.put(rest, text, style);
        rest = skip(behind, gap);
    }
    let evaluation = scenario.evaluation_under(Policy::LevelBased);
    if evaluation.is_open_word(node) {
        p.put(rest, OPEN_WORD, theme.dim);
    }
}
