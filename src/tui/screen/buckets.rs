//! The 64-bit priority of LEVEL_BASED, drawn as one bucket of bits per level of the tree.
//!
//! The order of the buckets and the blanks between them carry the meaning; colour only repeats which level is whose.
//! Bits that belong to no level are always 0 and are not drawn.

use crate::base::number::{OPEN_WORD, Value};
use crate::model::NodeId;
use crate::rules::policy::level_based::{self, Buckets};
use crate::rules::policy::{ColumnId, Policy};
use crate::scenario::Scenario;
use crate::tui::state::session::Session;
use crate::tui::widget::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// The bits of a hexadecimal digit.
const DIGIT: u32 = 4;

/// The width of the screen from which on blanks always separate the buckets.
const WIDE: u16 = 100;

/// The most cells of a word with blanks on a narrower screen.
const NARROW_WORD: u32 = 24;

/// The cells of the column's heading, with the mark of a sort.
const HEADING: u16 = 14;

/// The layout of the 64-bit priorities in buckets on this screen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BucketLayout {
    buckets: Buckets,
    /// Whether blanks separate the buckets.
    has_gaps: bool,
}

impl BucketLayout {
    /// Returns the layout for a tree on a screen of this width. It may depend on the depth of the tree, so it is
    /// computed once a frame.
    pub(crate) fn of(session: &Session, width: u16) -> Self {
        let scenario = &session.scenario;
        let levels = if scenario.policy() == Policy::LevelBased {
            level_based::levels(scenario.tree(), scenario.settings())
        } else {
            1
        };
        let wide = Self {
            buckets: Buckets::of(levels),
            has_gaps: true,
        };
        Self {
            has_gaps: width >= WIDE || wide.word_cells() <= NARROW_WORD,
            ..wide
        }
    }

    /// Returns the hexadecimal digits of a bucket.
    const fn digits(self) -> u32 {
        self.buckets.width().div_ceil(DIGIT)
    }

    fn word_cells(self) -> u32 {
        let levels = self.buckets.levels();
        let gaps = if self.has_gaps { levels - 1 } else { 0 };
        // The last digit of a single bucket may be unknown, which a mark shows.
        let mark = if levels == 1 {
            OPEN_WORD.chars().count()
        } else {
            0
        };
        levels * self.digits() + gaps + u32::try_from(mark).unwrap_or(0)
    }

    /// Returns the width of the column, in cells.
    pub(crate) fn cells(self) -> u16 {
        u16::try_from(self.word_cells()).map_or(u16::MAX, |cells| cells.max(HEADING))
    }

    /// Draws the priority of a node: the buckets of its ancestors, its own bucket, and dots for the buckets of its
    /// descendants.
    pub(crate) fn draw(
        self,
        scenario: &Scenario,
        node: NodeId,
        area: Rect,
        buffer: &mut Buffer,
        theme: &Theme,
    ) {
        let word = |column| match scenario.value(column, node) {
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
        let cells = u16::try_from(self.word_cells()).unwrap_or(area.width);
        let mut x = area.x + area.width.saturating_sub(cells);
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
            let room = usize::from(area.right().saturating_sub(x));
            (x, _) = buffer.set_stringn(x, area.y, text, room, style);
            x += u16::from(self.has_gaps);
        }
        if scenario.evaluation().is_open_word(node) {
            let room = usize::from(area.right().saturating_sub(x));
            buffer.set_stringn(x, area.y, OPEN_WORD, room, theme.dim);
        }
    }
}
