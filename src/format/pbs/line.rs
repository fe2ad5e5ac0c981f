//! The lines of a `resource_group` as PBS cuts them: with `fgets` and a buffer of 256 bytes, up to the first NUL.

use super::number::{int, is_space, whole};
use memchr::{memchr, memchr2};
use std::ops::Range;

/// How many bytes PBS reads as one line (`fgets` with a buffer of 256). A longer line becomes several.
pub(super) const LONGEST_PIECE: usize = 255;

/// The bytes of a typical line, to estimate the number of nodes.
pub(super) const USUAL_LINE: usize = 24;

/// What PBS reads as one line.
#[derive(Clone, Copy)]
pub(super) struct Piece<'a> {
    /// The part that PBS reads: up to the line end or the first NUL.
    pub(super) text: &'a [u8],
    /// The number of bytes in the file.
    pub(super) length: usize,
    /// Whether the line of the file continues in the next piece.
    pub(super) goes_on: bool,
    /// Whether a NUL hides the rest of the line.
    pub(super) is_cut_by_nul: bool,
}

/// Returns what PBS reads next as one line.
pub(super) fn next_piece(rest: &[u8]) -> Piece<'_> {
    let window = &rest[..rest.len().min(LONGEST_PIECE)];
    let stop = memchr2(b'\n', 0, window).unwrap_or(window.len());
    let (text, behind) = window.split_at(stop);
    let mut piece = Piece {
        text,
        length: window.len(),
        goes_on: rest.len() > LONGEST_PIECE,
        is_cut_by_nul: behind.starts_with(b"\0"),
    };
    if let Some(end) = memchr(b'\n', behind) {
        piece.length = stop + end + 1;
        piece.goes_on = false;
    }
    piece
}

/// A field of a line.
#[derive(Clone, Copy)]
pub(crate) struct Field<'a> {
    /// The bytes of the field.
    pub(crate) text: &'a [u8],
    /// Where it begins in the line, in bytes.
    pub(crate) at: usize,
}

/// The fields of a line in the form of a node. What is behind them is a comment.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a> {
    /// The entity or the group.
    pub(crate) name: Field<'a>,
    /// The group number.
    pub(crate) group: Field<'a>,
    /// The group above.
    pub(crate) parent: Field<'a>,
    /// The shares.
    pub(crate) shares: Field<'a>,
}

/// Returns the fields of a line, or how many there are if there are fewer than four.
pub(super) fn fields(text: &[u8]) -> Result<Fields<'_>, usize> {
    let mut at = 0;
    Ok(Fields {
        name: next_field(text, &mut at).ok_or(0_usize)?,
        group: next_field(text, &mut at).ok_or(1_usize)?,
        parent: next_field(text, &mut at).ok_or(2_usize)?,
        shares: next_field(text, &mut at).ok_or(3_usize)?,
    })
}

/// Returns the next field from a byte on, and moves behind it; `None` at the end of the line.
fn next_field<'a>(text: &'a [u8], at: &mut usize) -> Option<Field<'a>> {
    // A field is too short for a search by words to pay.
    let mut start = *at;
    while start < text.len() && is_blank(text[start]) {
        start += 1;
    }
    let mut end = start;
    while end < text.len() && !is_blank(text[end]) {
        end += 1;
    }
    *at = end;
    if start == end {
        return None;
    }
    Some(Field {
        text: &text[start..end],
        at: start,
    })
}

/// Returns whether a byte separates fields.
fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Returns the bytes before the first NUL, or all of them.
pub(super) fn c_string(bytes: &[u8]) -> &[u8] {
    let end = memchr(0, bytes).unwrap_or(bytes.len());
    &bytes[..end]
}

/// Returns whether PBS ignores the line silently.
pub(super) fn is_skipped(text: &[u8]) -> bool {
    for &byte in text {
        if !is_space(byte) {
            return matches!(byte, b'#' | b'*');
        }
    }
    true
}

/// Returns the fields of a line that has the form of a node: name, number, parent, shares. `None` for other lines.
pub(crate) fn node(line: &[u8]) -> Option<Fields<'_>> {
    let fields = fields(line).ok()?;
    whole(fields.group.text)?;
    whole(fields.shares.text)?;
    Some(fields)
}

/// A line of the file as PBS reads it, for rewriting the file and keeping what need not change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Its bytes in the file, including a line end.
    pub(crate) bytes: Range<usize>,
    /// Whether it is a line of the file, and not a piece of one that is too long for PBS or cut by a NUL.
    pub(crate) is_whole: bool,
    /// Its fields, if it has the form of a node. PBS may still leave it out.
    pub(crate) entry: Option<Entry>,
}

/// The positions of the fields of a line that has the form of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The position of the name in the file, in bytes.
    pub(crate) name: Range<usize>,
    /// That of the group above.
    pub(crate) parent: Range<usize>,
    /// That of the shares.
    pub(crate) shares: Range<usize>,
    /// The shares as PBS holds them.
    pub(crate) held: i32,
}

/// Returns the lines of a `resource_group`, with the fields of those that have the form of a node.
pub(crate) fn lines(bytes: &[u8]) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut at = 0;
    let mut is_tail = false;
    while at < bytes.len() {
        let piece = next_piece(&bytes[at..]);
        let end = at + piece.length;
        lines.push(Line {
            bytes: at..end,
            is_whole: !is_tail && !piece.goes_on && !piece.is_cut_by_nul,
            entry: entry(piece.text, at),
        });
        is_tail = piece.goes_on;
        at = end;
    }
    lines
}

/// Returns the positions of the fields of a line that begins at a byte of the file.
fn entry(text: &[u8], start: usize) -> Option<Entry> {
    if is_skipped(text) {
        return None;
    }
    let fields = node(text)?;
    let held = int(whole(fields.shares.text)?);
    Some(Entry {
        name: range(fields.name, start),
        parent: range(fields.parent, start),
        shares: range(fields.shares, start),
        held,
    })
}

/// Returns the position in the file of a field in a line that begins at a byte of it.
fn range(field: Field, start: usize) -> Range<usize> {
    let at = start + field.at;
    at..at + field.text.len()
}
