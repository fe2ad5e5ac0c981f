//! Lines and columns of a text, found without reading it again for each.

use std::cell::OnceCell;

/// A text, and where its lines begin, which is found when first asked for.
pub(crate) struct Places<'a> {
    text: &'a [u8],
    line_starts: OnceCell<Vec<usize>>,
}

impl<'a> Places<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            line_starts: OnceCell::new(),
        }
    }

    /// Returns the line and column of a byte, from 1.
    pub(crate) fn of(&self, byte: usize) -> (u64, u64) {
        let byte = byte.min(self.text.len());
        let starts = self.line_starts.get_or_init(|| {
            let ends = memchr::memchr_iter(b'\n', self.text);
            std::iter::once(0).chain(ends.map(|end| end + 1)).collect()
        });
        let line = starts.partition_point(|&start| start <= byte);
        (line as u64, (byte - starts[line - 1]) as u64 + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Places;

    #[test]
    fn every_byte_has_its_line_and_column() {
        let places = Places::new(b"ab\n\nc");
        let found: Vec<_> = (0..7).map(|byte| places.of(byte)).collect();
        let expected = [(1, 1), (1, 2), (1, 3), (2, 1), (3, 1), (3, 2), (3, 2)];
        assert_eq!(found, expected);
        assert_eq!(Places::new(b"").of(5), (1, 1));
    }
}
