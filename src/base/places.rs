//! Lines and columns of a text, found without reading it again for each.

use std::cell::OnceCell;

/// How many bytes are counted together.
const BLOCK: usize = 4096;

/// The lines of a text before each of its blocks, counted when first asked for.
pub(crate) struct Places<'a> {
    text: &'a [u8],
    blocks: OnceCell<Vec<Block>>,
}

/// What stands before a block of the text.
#[derive(Clone, Copy)]
struct Block {
    /// The number of line ends.
    lines: u64,
    /// Where the last line begins.
    line_start: usize,
}

impl<'a> Places<'a> {
    /// Creates the places of a text.
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self {
            blocks: OnceCell::new(),
            text,
        }
    }

    /// Returns the blocks of the text.
    fn blocks(&self) -> &[Block] {
        self.blocks.get_or_init(|| {
            let mut before = Block::FIRST;
            let blocks = self.text.chunks(BLOCK).zip((0..).step_by(BLOCK));
            let blocks = blocks.map(|(chunk, start)| {
                let block = before;
                before = block.advanced(chunk, start);
                block
            });
            blocks.collect()
        })
    }

    /// Returns the line and column of a byte, from 1.
    pub(crate) fn of(&self, byte: usize) -> (u64, u64) {
        let byte = byte.min(self.text.len());
        let place = byte / BLOCK;
        // The beginning needs no other block.
        let (block, start) = if place == 0 {
            (Block::FIRST, 0)
        } else {
            let blocks = self.blocks();
            let place = place.min(blocks.len() - 1);
            (blocks[place], place * BLOCK)
        };
        let Block { lines, line_start } = block.advanced(&self.text[start..byte], start);
        (lines + 1, (byte - line_start) as u64 + 1)
    }
}

impl Block {
    const FIRST: Self = Self {
        lines: 0,
        line_start: 0,
    };

    /// Returns what stands after a chunk that begins at the given byte.
    fn advanced(self, chunk: &[u8], start: usize) -> Self {
        Self {
            lines: self.lines + memchr::memchr_iter(b'\n', chunk).count() as u64,
            line_start: memchr::memrchr(b'\n', chunk)
                .map_or(self.line_start, |end| start + end + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, Places};

    /// Returns the line and column of a byte by counting.
    fn place(text: &[u8], byte: usize) -> (u64, u64) {
        let before = &text[..byte.min(text.len())];
        let lines: Vec<&[u8]> = before.split(|&byte| byte == b'\n').collect();
        let last = lines[lines.len() - 1];
        (lines.len() as u64, last.len() as u64 + 1)
    }

    #[test]
    fn every_byte_has_the_line_and_column_that_counting_gives() {
        let long = "x".repeat(2 * BLOCK);
        let lines = "ab\n\nc\n".repeat(BLOCK / 3);
        for text in [
            "",
            "\n",
            "a",
            &long,
            &lines,
            &format!("{lines}{long}\n{long}"),
        ] {
            let places = Places::new(text.as_bytes());
            for byte in (0..=text.len() + 1).step_by(7).chain([text.len()]) {
                assert_eq!(places.of(byte), place(text.as_bytes(), byte), "byte {byte}");
            }
        }
    }
}
