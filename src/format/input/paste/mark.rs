//! What stands before a line of a pasted text: marks, and the numbers of lines.

use super::Addition;
use crate::format::text::parsed;

/// A text at the beginning of each line.
pub(super) struct Mark {
    pub(super) text: &'static [u8],
    pub(super) addition: Addition,
}

/// The marks, of which those without a blank may be followed by one.
pub(super) const MARKS: [Mark; 7] = [
    Mark::new(b">", Addition::Quotes),
    Mark::new(b"#", Addition::Hashes),
    Mark::new(b"//", Addition::Slashes),
    Mark::new(b"| ", Addition::Bars),
    Mark::new(b"- ", Addition::Bullets),
    Mark::new(b"* ", Addition::Bullets),
    Mark::new("\u{2022} ".as_bytes(), Addition::Bullets),
];

impl Mark {
    const fn new(text: &'static [u8], addition: Addition) -> Self {
        Self { text, addition }
    }

    /// Returns what is behind the mark in a line, or `None` if it does not begin with it. An editor may have removed the
    /// blank of a mark that is alone in its line.
    pub(super) fn strip<'a>(&self, line: &'a [u8]) -> Option<&'a [u8]> {
        if line == self.text.trim_ascii_end() {
            return Some(&[]);
        }
        line.strip_prefix(self.text)
    }
}

/// Returns the length of the first mark of a text, or of the blanks before it. `None` if it begins with something else.
pub(super) fn mark_length(text: &[u8]) -> Option<usize> {
    let blanks = count_blanks(text);
    if blanks > 0 {
        return Some(blanks);
    }
    if text.starts_with(b"|") {
        return Some(1);
    }
    if let Some(number) = LineNumber::of(text) {
        return Some(number.length);
    }
    let mark = MARKS.iter().find(|mark| text.starts_with(mark.text))?;
    Some(mark.text.len())
}

/// Returns how many blanks and TABs a text begins with.
pub(super) fn count_blanks(text: &[u8]) -> usize {
    let mut count = 0;
    while let Some(b' ' | b'\t') = text.get(count) {
        count += 1;
    }
    count
}

/// The number before a line, as `cat -n` and editors show it.
pub(super) struct LineNumber {
    pub(super) number: usize,
    /// The bytes up to its end, and the TAB behind it.
    pub(super) length: usize,
    /// The blanks behind it; 0 if a TAB separates it from the line.
    pub(super) blanks: usize,
}

impl LineNumber {
    pub(super) fn of(line: &[u8]) -> Option<Self> {
        let start = count_blanks(line);
        let mut end = start;
        while let Some(b'0'..=b'9') = line.get(end) {
            end += 1;
        }
        let number = parsed(&line[start..end])?;
        if line.get(end) == Some(&b'\t') {
            return Some(Self {
                number,
                length: end + 1,
                blanks: 0,
            });
        }
        let blanks = count_blanks(&line[end..]);
        if blanks == 0 && end < line.len() {
            return None;
        }
        Some(Self {
            number,
            length: end,
            blanks,
        })
    }
}
