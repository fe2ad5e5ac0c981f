//! A word of LEVEL_BASED as what it is: one bucket of bits per level of the tree.
//!
//! The order of the buckets and the blanks between them carry the meaning; colour only repeats which level is whose.
//! The geometry is that of `level_fs` in Slurm 14.11.0pre3: 64 / levels bits each, from the highest bit on, and what
//! is left over stays unused at the low end.

use super::columns;
use super::session::Session;
use super::theme::Theme;
use crate::model::NodeId;
use crate::policy::{ColumnId, Policy, Value, level_based};
use crate::scenario::Scenario;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// The bits of a word.
const BITS: u32 = 64;

/// The bits of a hexadecimal digit.
const DIGIT: u32 = 4;

/// From this width of the screen on, blanks between buckets are worth their cells in any case.
const WIDE: u16 = 100;

/// The most cells that blanks may make of a word on a narrower screen.
const NARROW_WORD: u32 = 24;

/// The cells of the column's heading, with the mark of a sort.
const HEADING: u16 = 14;

/// How words fall into buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Buckets {
    /// How many levels have a bucket.
    levels: u32,
    /// Whether blanks stand between buckets.
    has_gaps: bool,
}

impl Buckets {
    /// The buckets of a tree on a screen of this width. Found once a frame: the depth of the tree may decide.
    pub(super) fn of(session: &Session, width: u16) -> Self {
        let scenario = &session.scenario;
        let levels = if scenario.policy() == Policy::LevelBased {
            u32::from(level_based::levels(scenario.tree(), scenario.settings()))
        } else {
            1
        };
        let levels = levels.clamp(1, BITS / DIGIT);
        let wide = Self {
            levels,
            has_gaps: true,
        };
        Self {
            has_gaps: width >= WIDE || wide.word_cells() <= NARROW_WORD,
            ..wide
        }
    }

    /// The bits of a bucket.
    const fn width(self) -> u32 {
        BITS / self.levels
    }

    /// The digits of a bucket.
    const fn digits(self) -> u32 {
        self.width().div_ceil(DIGIT)
    }

    const fn word_cells(self) -> u32 {
        let gaps = if self.has_gaps { self.levels - 1 } else { 0 };
        self.levels * self.digits() + gaps
    }

    /// How many cells a column covers.
    pub(super) fn cells(self, column: ColumnId) -> u16 {
        let cells = columns::cells(column);
        if column == ColumnId::PriorityFsRaw {
            u16::try_from(self.word_cells()).map_or(cells, |own| own.max(HEADING))
        } else {
            cells
        }
    }

    /// The bucket of a level in a word.
    const fn bucket(self, word: u64, level: u32) -> u64 {
        let width = self.width();
        let shift = (self.levels - level - 1) * width + BITS % self.levels;
        let mask = u64::MAX >> (BITS - width);
        word >> shift & mask
    }

    /// Draws a node's word: the buckets of the accounts above, its own, and dots where those below it have theirs.
    pub(super) fn draw(
        self,
        scenario: &Scenario,
        node: NodeId,
        area: Rect,
        buffer: &mut Buffer,
        theme: &Theme,
    ) {
        let Value::Word(word) = scenario.value(ColumnId::PriorityFsRaw, node) else {
            return;
        };
        let own = match scenario.value(ColumnId::Level, node) {
            Value::Count(level) => u32::try_from(level).unwrap_or(u32::MAX),
            _ => 0,
        };
        let digits = self.digits() as usize;
        let cells = u16::try_from(self.word_cells()).unwrap_or(area.width);
        let mut x = area.x + area.width.saturating_sub(cells);
        for level in 0..self.levels {
            let bits = self.bucket(word, level);
            let colour = theme.buckets[level as usize % theme.buckets.len()];
            let (text, style) = if level > own && bits == 0 {
                ("·".repeat(digits), theme.guide)
            } else if level == own {
                (format!("{bits:0digits$X}"), colour.patch(theme.bucket_own))
            } else {
                (
                    format!("{bits:0digits$X}"),
                    colour.patch(theme.bucket_inherited),
                )
            };
            let room = usize::from(area.right().saturating_sub(x));
            (x, _) = buffer.set_stringn(x, area.y, text, room, style);
            x += u16::from(self.has_gaps);
        }
    }
}
