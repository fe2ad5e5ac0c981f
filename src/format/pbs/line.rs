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

pub(super) fn next_piece(rest: &[u8]) -> Piece<'_> {
    let window = &rest[..rest.len().min(LONGEST_PIECE)];
    let stop = memchr2(b'\n', 0, window);
    let end = match stop {
        Some(at) if window[at] == 0 => memchr(b'\n', &window[at..]).map(|behind| at + behind),
        other => other,
    };
    Piece {
        text: &window[..stop.unwrap_or(window.len())],
        length: end.map_or(window.len(), |end| end + 1),
        goes_on: end.is_none() && rest.len() > LONGEST_PIECE,
        is_cut_by_nul: stop.is_some_and(|at| window[at] == 0),
    }
}

/// Returns the first four fields of a line and where each begins; fewer if there are fewer.
pub(super) fn fields(text: &[u8]) -> ([(&[u8], usize); 4], usize) {
    let mut fields = [(&text[..0], 0); 4];
    let mut count = 0;
    let mut at = 0;
    let is_blank = |byte: u8| byte == b' ' || byte == b'\t';
    while count < fields.len() {
        while at < text.len() && is_blank(text[at]) {
            at += 1;
        }
        let start = at;
        // A field is too short for a search by words to pay.
        while at < text.len() && !is_blank(text[at]) {
            at += 1;
        }
        if start == at {
            break;
        }
        fields[count] = (&text[start..at], start);
        count += 1;
    }
    (fields, count)
}

/// Returns whether PBS ignores the line silently.
pub(super) fn is_skipped(text: &[u8]) -> bool {
    let first = text.iter().find(|&&byte| !is_space(byte));
    matches!(first, None | Some(b'#' | b'*'))
}

/// The names in a line that has the form of a node.
pub(crate) struct NodeNames<'a> {
    pub(crate) name: &'a [u8],
    /// The group above it, which PBS may not know.
    pub(crate) parent: &'a [u8],
}

/// Returns the names in a line that has the form of a node: name, number, parent, shares. `None` for other lines.
pub(crate) fn node(line: &[u8]) -> Option<NodeNames<'_>> {
    let (fields, count) = fields(line.trim_ascii_end());
    if count < fields.len() {
        return None;
    }
    let [(name, _), (group, _), (parent, _), (shares, _)] = fields;
    whole(group)?;
    whole(shares)?;
    Some(NodeNames { name, parent })
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
    pub(crate) name: Range<usize>,
    pub(crate) parent: Range<usize>,
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

fn entry(text: &[u8], at: usize) -> Option<Entry> {
    let (fields, count) = fields(text);
    if is_skipped(text) || count < fields.len() {
        return None;
    }
    let [name, (group, _), parent, shares] = fields;
    whole(group)?;
    let held = int(whole(shares.0)?);
    let place = |(field, offset): (&[u8], usize)| at + offset..at + offset + field.len();
    Some(Entry {
        name: place(name),
        parent: place(parent),
        shares: place(shares),
        held,
    })
}
