//! What stands before a line of a pasted text: marks, and the numbers of lines.

use super::Addition;

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
        let rest = line.strip_prefix(self.text);
        rest.or_else(|| (line == self.text.trim_ascii_end()).then_some(&[]))
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
    let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
    text.iter().take_while(is_blank).count()
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
        let digits = line[start..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit());
        let end = start + digits.count();
        let number = std::str::from_utf8(&line[start..end]).ok()?.parse().ok()?;
        if line.get(end) == Some(&b'\t') {
            return Some(Self {
                number,
                length: end + 1,
                blanks: 0,
            });
        }
        let blanks = count_blanks(&line[end..]);
        let is_apart = blanks > 0 || end == line.len();
        is_apart.then_some(Self {
            number,
            length: end,
            blanks,
        })
    }
}
