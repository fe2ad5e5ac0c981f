//! Cells that are drawn: how much of its target a node was served, target against usage, and the 64-bit priority of
//! LEVEL_BASED as one bucket of bits per level of the tree.

use crate::base::number::{self, OPEN_WORD, Value};
use crate::model::NodeId;
use crate::rules::policy::level_based::{self, Buckets};
use crate::rules::policy::{ColumnId, Policy, RuleColumn, Target};
use crate::scenario::Scenario;
use crate::tui::screen::painter::{Painter, narrow, skip, whole};
use crate::tui::state::Session;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use std::cmp::Ordering;

/// The cells of a multiple of the target: `13.9x`, `>999x`.
const TIMES: u16 = 5;

/// The cells of the bar of [`draw_served`] on each side of its axis. Each is a factor of 2.
const DOUBLINGS: u16 = 3;

/// The cells of that bar on each side on a wide screen.
const DOUBLINGS_WIDE: u16 = 5;

/// Returns the cells of the column of [`draw_served`] on a screen of this width. A narrow one has no multiple.
pub(crate) const fn served_cells(width: u16) -> u16 {
    match width {
        0..100 => 2 * DOUBLINGS + 1,
        100..140 => 2 * DOUBLINGS + 1 + 1 + TIMES,
        _ => 2 * DOUBLINGS_WIDE + 1 + 1 + TIMES,
    }
}

/// The blocks that fill a cell from the left by eighths, from none to all.
const EIGHTHS: [&str; 9] = [" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"];

/// Draws used portion / target portion: a bar on a scale of doublings, to the left of its axis where less was used than
/// the target and to the right where more was, and the multiple.
pub(crate) fn draw_served(p: &mut Painter<'_>, area: Rect, target: Option<Target>) {
    let Some((target, served)) = target.and_then(|it| Some((it, it.served()?))) else {
        return;
    };
    let theme = &p.ui.theme;
    let has_multiple = area.width > 2 * DOUBLINGS + 1;
    let bar = area.width - if has_multiple { 1 + TIMES } else { 0 };
    let cells = bar / 2;
    let axis = area.x + cells;
    p.buffer.set_string(axis, area.y, "│", theme.guide);
    // A node that used exactly its target has no bar.
    let is_exact = target.is_met && served >= 1.0;
    let style = match (is_exact, target.is_met) {
        (true, _) => theme.text,
        (false, true) => theme.under,
        (false, false) => theme.over,
    };
    if !is_exact {
        // A cell is a factor of 2, and a multiple close to 1 must differ from 1.
        let eighths = served.log2().abs() * 8.0;
        let room = cells * 8;
        let length = (whole(eighths, room).max(1), eighths > room.into());
        draw_doublings(p, (axis, area.y), length, target.is_met, style);
    }
    if has_multiple {
        p.put_right(skip(area, bar), &number::times(served), style);
    }
}

/// Draws a bar beside an axis; one that would go beyond the cells ends in a mark.
fn draw_doublings(
    p: &mut Painter<'_>,
    (axis, y): (u16, u16),
    (eighths, is_beyond): (u16, bool),
    is_met: bool,
    style: Style,
) {
    let is_ascii = p.ui.options.is_ascii;
    // In ASCII there are whole cells alone, at least one.
    let cells = if is_ascii {
        ((eighths + 4) / 8).max(1)
    } else {
        eighths.div_ceil(8)
    };
    for cell in 0..cells {
        let (x, beyond) = if is_met {
            (axis - 1 - cell, "«")
        } else {
            (axis + 1 + cell, "»")
        };
        let filled = eighths.saturating_sub(8 * cell).min(8);
        if is_beyond && cell + 1 == cells {
            p.buffer.set_string(x, y, beyond, style);
        } else if is_ascii {
            p.buffer.set_string(x, y, "=", style);
        } else if is_met && filled < 8 {
            // No block fills a cell from the right, so the rest is drawn in reverse.
            let rest = EIGHTHS[usize::from(8 - filled)];
            p.buffer.set_string(x, y, rest, style);
            p.buffer[(x, y)].modifier.toggle(Modifier::REVERSED);
        } else {
            p.buffer
                .set_string(x, y, EIGHTHS[usize::from(filled)], style);
        }
    }
}

/// The cells on each side of the axis of [`draw_balance`].
const HALF: u16 = 8;

/// Returns the half cells that a portion fills on one side of the axis, of the largest portion of the level.
fn halves(portion: f64, largest: f64) -> u16 {
    let full = HALF * 2;
    let halves = whole(portion / largest * f64::from(full), full + 1);
    // A small portion must differ from none.
    halves.max(u16::from(portion > 0.0))
}

/// Draws `share│usage` to the scale of the largest sibling, with a sign for the longer side on screens without colour.
pub(crate) fn draw_balance(p: &mut Painter<'_>, area: Rect, (share, used): (f64, f64), most: f64) {
    let theme = &p.ui.theme;
    let (sign, used_style) = match used.partial_cmp(&share) {
        Some(Ordering::Greater) => (">", theme.over),
        Some(Ordering::Less) => ("<", theme.under),
        _ => ("=", theme.under),
    };
    let axis = area.x + HALF;
    p.buffer.set_string(axis, area.y, "│", theme.guide);
    let used = halves(used, most);
    let share = (halves(share, most), "▐", theme.share);
    let usage = (used, "▌", used_style);
    for (is_usage, (halves, half, style)) in [(false, share), (true, usage)] {
        let halves = halves.min(HALF * 2);
        for cell in 1..=halves.div_ceil(2) {
            let x = if is_usage { axis + cell } else { axis - cell };
            let symbol = if 2 * cell <= halves { "█" } else { half };
            p.buffer.set_string(x, area.y, symbol, style);
        }
    }
    if used > HALF * 2 {
        p.buffer.set_string(axis + HALF, area.y, "»", used_style);
    }
    p.buffer
        .set_string(axis + HALF + 1, area.y, sign, used_style);
}

const DIGIT: u32 = 4;

/// The width of the screen from which on blanks always separate the buckets.
const WIDE: u16 = 100;

/// The most cells of a word with blanks on a narrower screen.
const NARROW_WORD: u32 = 24;

/// The cells of the column's heading, with the mark of a sort.
const HEADING: u16 = 14;

/// The layout of the 64-bit priorities in buckets on this screen.
///
/// The order of the buckets and the blanks between them carry the meaning; colour only repeats which level is whose.
/// Bits that belong to no level are always 0 and are not drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BucketLayout {
    buckets: Buckets,
    has_gaps: bool,
}

impl BucketLayout {
    /// Returns the layout on a screen of this width. The depth of the tree may matter, so it is computed once a frame.
    pub(crate) fn of(session: &Session, width: u16) -> Self {
        let scenario = &session.scenario;
        let mut rules = RuleColumn::rules(session.columns.chosen.iter().flatten().copied());
        rules.push(scenario.policy());
        let is_shown = rules.contains(&Policy::LevelBased);
        let levels = if is_shown {
            level_based::levels(scenario.tree(), scenario.settings())
        } else {
            1
        };
        let mut layout = Self {
            buckets: Buckets::for_levels(levels),
            has_gaps: true,
        };
        layout.has_gaps = width >= WIDE || layout.word_cells() <= NARROW_WORD;
        layout
    }

    const fn digits(self) -> u32 {
        self.buckets.width().div_ceil(DIGIT)
    }

    fn word_cells(self) -> u32 {
        let levels = self.buckets.levels();
        let gaps = if self.has_gaps { levels - 1 } else { 0 };
        // The last digit of a single bucket may be unknown, which a mark shows.
        let mark = OPEN_WORD.chars().filter(|_| levels == 1).count();
        levels * self.digits() + gaps + u32::try_from(mark).unwrap_or(0)
    }

    pub(crate) fn cells(self) -> u16 {
        narrow(self.word_cells() as usize).max(HEADING)
    }

    /// Draws the buckets of the node's ancestors and its own bucket, and dots for those of its descendants.
    pub(crate) fn draw(self, p: &mut Painter<'_>, scenario: &Scenario, node: NodeId, area: Rect) {
        let rule = Policy::LevelBased;
        let theme = &p.ui.theme;
        let word = |column| match scenario.column_value(RuleColumn::under(rule, column), node) {
            Value::Word(word) => Some(word),
            _ => None,
        };
        // The root belongs to no level.
        let Some(word_of_node) = word(ColumnId::PriorityFsRaw).filter(|_| node != NodeId::ROOT)
        else {
            return;
        };
        let own = word(ColumnId::LevelFsWord).unwrap_or(0);
        let digits = self.digits() as usize;
        let cells = narrow(self.word_cells() as usize);
        let mut rest = skip(area, area.width.saturating_sub(cells));
        for level in 0..self.buckets.levels() {
            let value = |word| self.buckets.value(word, level).unwrap_or(0);
            let bits = value(word_of_node);
            let colour = theme.buckets[level as usize % theme.buckets.len()];
            let (text, style) = if bits == 0 {
                // This bucket is 0, which no node writes.
                ("·".repeat(digits), theme.guide)
            } else {
                let set_off = if value(own) == 0 {
                    theme.bucket_inherited
                } else {
                    theme.bucket_own
                };
                (format!("{bits:0digits$X}"), colour.patch(set_off))
            };
            rest = skip(p.put(rest, text, style), u16::from(self.has_gaps));
        }
        if scenario.evaluation_under(rule).is_open_word(node) {
            p.put(rest, OPEN_WORD, theme.dim);
        }
    }
}
