//! Bars: how much of its target a node was served, and target against usage.

use crate::base::number;
use crate::rules::policy::Target;
use crate::tui::widget::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

/// The cells of a multiple of the target: `13.9x`, `>999x`.
const TIMES: u16 = 5;

/// The cells of the bar of [`draw_served`] on each side of its axis. Each is a factor of 2.
const DOUBLINGS: u16 = 3;

/// The cells of that bar on each side on a wide screen.
const DOUBLINGS_WIDE: u16 = 5;

/// Returns the cells of the column of [`draw_served`] on a screen of this width. On a narrow one the multiple is
/// omitted.
pub(crate) const fn served_cells(width: u16) -> u16 {
    match width {
        0..100 => 2 * DOUBLINGS + 1,
        100..140 => 2 * DOUBLINGS + 1 + 1 + TIMES,
        _ => 2 * DOUBLINGS_WIDE + 1 + 1 + TIMES,
    }
}

/// The blocks that fill a cell from the left by eighths, from none to all.
const EIGHTHS: [&str; 9] = [" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"];

/// How far a bar of doublings goes from its axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Length {
    /// Eighths of a cell, at least one.
    eighths: u16,
    /// Whether it would go beyond the cells.
    is_beyond: bool,
}

/// Returns the length of a bar for a multiple of the target, with `cells` on each side: a cell is a factor of 2.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number of eighths is clamped first"
)]
fn length(served: f64, cells: u16) -> Length {
    let room = f64::from(cells) * 8.0;
    let eighths = served.log2().abs() * 8.0;
    Length {
        // A multiple close to 1 must differ from 1.
        eighths: eighths.round().clamp(1.0, room) as u16,
        is_beyond: eighths > room,
    }
}

/// Draws used portion / target portion: a bar on a scale of doublings, to the left of its axis where less was used than
/// the target and to the right where more was, and the multiple.
pub(crate) fn draw_served(
    buffer: &mut Buffer,
    area: Rect,
    target: Target,
    is_ascii: bool,
    theme: &Theme,
) {
    let Some(served) = target.served() else {
        return;
    };
    let has_multiple = area.width > 2 * DOUBLINGS + 1;
    let bar = area.width - if has_multiple { 1 + TIMES } else { 0 };
    let cells = bar / 2;
    let axis = area.x + cells;
    buffer.set_string(axis, area.y, "│", theme.guide);
    // A node that used exactly its target has no bar.
    let is_exact = target.is_met && served >= 1.0;
    let style = match (is_exact, target.is_met) {
        (true, _) => theme.text,
        (false, true) => theme.under,
        (false, false) => theme.over,
    };
    if !is_exact {
        let mut length = length(served, cells);
        if is_ascii {
            // Whole cells alone, at least one.
            length.eighths = ((length.eighths + 4) / 8).max(1) * 8;
        }
        let cell_at = |cell| {
            if target.is_met {
                axis - 1 - cell
            } else {
                axis + 1 + cell
            }
        };
        for cell in 0..length.eighths.div_ceil(8) {
            let (x, y) = (cell_at(cell), area.y);
            let eighths = (length.eighths - 8 * cell).min(8);
            if length.is_beyond && cell + 1 == cells {
                let mark = if target.is_met { "«" } else { "»" };
                buffer.set_string(x, y, mark, style);
            } else if is_ascii {
                buffer.set_string(x, y, "=", style);
            } else if target.is_met {
                fill_from_right(buffer, x, y, eighths, style);
            } else {
                buffer.set_string(x, y, EIGHTHS[usize::from(eighths)], style);
            }
        }
    }
    if !has_multiple {
        return;
    }
    let text = number::times(served);
    let room = area.right().saturating_sub(axis + cells + 1);
    let indent = usize::from(room).saturating_sub(text.len());
    let x = axis + cells + 1 + u16::try_from(indent).unwrap_or(0);
    buffer.set_stringn(x, area.y, text, usize::from(room), style);
}

/// Fills eighths of a cell from the right. Such blocks do not exist, so the rest is drawn in reverse.
fn fill_from_right(buffer: &mut Buffer, x: u16, y: u16, eighths: u16, style: Style) {
    if eighths == 8 {
        buffer.set_string(x, y, "█", style);
        return;
    }
    buffer.set_string(x, y, EIGHTHS[usize::from(8 - eighths)], style);
    buffer[(x, y)].modifier.toggle(Modifier::REVERSED);
}

/// The cells on each side of the axis of [`draw_balance`].
const HALF: u16 = 8;

/// Returns the half cells that a portion fills on one side of the axis, of the largest portion of the level.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the portion is clamped first"
)]
fn halves(portion: f64, largest: f64) -> u16 {
    let full = f64::from(HALF) * 2.0;
    let halves = (portion / largest * full).round().clamp(0.0, full + 1.0) as u16;
    // A small portion must differ from none.
    if halves == 0 && portion > 0.0 {
        1
    } else {
        halves
    }
}

/// Draws `share│usage` to the scale of the largest sibling, with a sign for the longer side on screens without colour.
pub(crate) fn draw_balance(
    buffer: &mut Buffer,
    area: Rect,
    (share, used): (f64, f64),
    largest: f64,
    theme: &Theme,
) {
    let (left, right) = (halves(share, largest), halves(used, largest));
    let is_over = used > share;
    let used_style = if is_over { theme.over } else { theme.under };
    let axis = area.x + HALF;
    buffer.set_string(axis, area.y, "│", theme.guide);
    let mut draw_half = |halves: u16, half, style, cell_at: fn(u16, u16) -> u16| {
        let halves = halves.min(HALF * 2);
        for cell in 1..=halves / 2 {
            buffer.set_string(cell_at(axis, cell), area.y, "█", style);
        }
        if halves % 2 == 1 {
            buffer.set_string(cell_at(axis, halves / 2 + 1), area.y, half, style);
        }
    };
    draw_half(left, "▐", theme.share, |axis, cell| axis - cell);
    draw_half(right, "▌", used_style, |axis, cell| axis + cell);
    if right > HALF * 2 {
        buffer.set_string(axis + HALF, area.y, "»", used_style);
    }
    let sign = if is_over {
        ">"
    } else if used < share {
        "<"
    } else {
        "="
    };
    buffer.set_string(axis + HALF + 1, area.y, sign, used_style);
}
