//! Lines and columns of a text, found without reading it again for each.

use std::cell::OnceCell;

/// A text, and where its lines begin, which is found when first asked for.
#[derive(Debug)]
pub struct Places<'a> {
    text: &'a [u8],
    line_starts: OnceCell<Vec<usize>>,
}

impl<'a> Places<'a> {
    /// Returns the places of a text.
    pub fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            line_starts: OnceCell::new(),
        }
    }

    /// Returns the line and column of a byte, from 1.
    pub fn of(&self, byte: usize) -> (u64, u64) {
        let place = byte.min(self.text.len());
        let starts = self.line_starts.get_or_init(|| line_starts(self.text));
        let line = starts.partition_point(|&start| start <= place);
        let start = starts[line - 1];
        let column = place - start + 1;
        (line as u64, column as u64)
    }
}

/// Returns where the lines of a text begin, the first of which begins at 0.
fn line_starts(text: &[u8]) -> Vec<usize> {
    let mut starts = vec![0];
    for end in memchr::memchr_iter(b'\n', text) {
        starts.push(end + 1);
    }
    starts
}
