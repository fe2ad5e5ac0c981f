//! How the 64-bit priorities of LEVEL_BASED are laid out as one bucket of bits per level of the tree.

use super::Session;
use crate::base::number::OPEN_WORD;
use crate::rules::policy::Policy;
use crate::rules::policy::level_based::{self, Buckets};
use crate::tui::widget::narrow;

/// The bits of a hexadecimal digit.
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
    /// How the bits are divided among the levels.
    pub(crate) buckets: Buckets,
    /// Whether blanks separate the buckets.
    pub(crate) has_gaps: bool,
}

impl BucketLayout {
    /// Returns the layout on a screen of this width. The depth of the tree may matter, so it is computed once a frame.
    pub(crate) fn of(session: &Session, width: u16) -> Self {
        let levels = if shows_words(session) {
            level_based::levels(session.tree(), session.settings())
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

    /// Returns the hexadecimal digits of a bucket.
    pub(crate) const fn digits(self) -> u32 {
        self.buckets.width().div_ceil(DIGIT)
    }

    /// Returns the cells of a priority, with the mark of one whose last digit is unknown.
    pub(crate) fn word_cells(self) -> u32 {
        let levels = self.buckets.levels();
        let digits = levels * self.digits();
        if levels == 1 {
            // The last digit of a single bucket may be unknown, which a mark shows.
            let mark = OPEN_WORD.chars().count();
            return digits + u32::try_from(mark).unwrap_or(0);
        }
        let gaps = if self.has_gaps { levels - 1 } else { 0 };
        digits + gaps
    }

    /// Returns the cells of the column.
    pub(crate) fn cells(self) -> u16 {
        narrow(self.word_cells() as usize).max(HEADING)
    }
}

/// Returns whether LEVEL_BASED ranks the tree, or one of the chosen columns is its.
fn shows_words(session: &Session) -> bool {
    if session.policy() == Policy::LevelBased {
        return true;
    }
    let mut chosen = session.columns.chosen.iter().flatten();
    chosen.any(|column| column.rule == Some(Policy::LevelBased))
}
