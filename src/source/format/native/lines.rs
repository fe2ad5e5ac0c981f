//! The lines of a tree's rows, each read by itself.

use super::rows::{Row, RowError};

/// About how much of the rows is looked at at once, in bytes.
pub(super) const PART: usize = 1 << 18;

/// Returns the length of the next lines of a text, with their ends: at least so many bytes, if there are more.
pub(super) fn part_of(text: &str, part: usize) -> usize {
    let bytes = text.as_bytes();
    let start = part.min(bytes.len());
    let end = memchr::memchr(b'\n', &bytes[start..]);
    end.map_or(bytes.len(), |end| start + end + 1)
}

/// A line of the rows, before it is known which account it belongs to.
pub(super) struct RowLine<'a> {
    /// How far it is indented.
    pub(super) indent: usize,
    /// The level that it states.
    pub(super) level: Option<&'a str>,
    /// Where the row begins, after the indentation.
    pub(super) row_at: usize,
    /// The row, or why it is none; `None` for an empty line or a comment.
    pub(super) row: Option<Result<Row<'a>, RowError>>,
}

impl<'a> RowLine<'a> {
    /// Returns the lines of a text.
    pub(super) fn all(text: &'a str) -> Vec<Self> {
        text.lines().map(Self::of).collect()
    }

    fn of(line: &'a str) -> Self {
        let text = line.trim_start_matches([' ', '\t']);
        let indent = line.len() - text.len();
        let (level, row) = match text.strip_prefix('@') {
            Some(rest) => {
                let (level, row) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
                (Some(level), row.trim_start_matches([' ', '\t']))
            }
            None => (None, text),
        };
        let is_row = !text.is_empty() && !text.starts_with('#');
        Self {
            indent,
            level,
            row_at: text.len() - row.len(),
            row: is_row.then(|| Row::parse(row)),
        }
    }
}
