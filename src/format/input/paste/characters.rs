//! Characters of a pasted text: colours of a terminal, line ends and blanks of other systems, tags and entities of a web page.

use super::Addition;
use crate::format::input::without_mark;
use memchr::{memchr, memchr2, memmem};
use std::borrow::Cow;

/// How many lines tell whether a text is of a web page.
const SAMPLE: usize = 50;

/// The longest tag.
const LONGEST_TAG: usize = 200;

/// The byte with which an escape sequence begins.
const ESCAPE: u8 = 0x1b;

/// A blank at which no line is broken, in UTF-8.
const WIDE_BLANK: &[u8] = b"\xc2\xa0";

/// The tags that are known. Others stay.
const TAGS: [&str; 16] = [
    "b", "body", "br", "code", "div", "i", "p", "pre", "samp", "span", "table", "tbody", "td",
    "th", "thead", "tr",
];

/// The longest entity.
const LONGEST_ENTITY: usize = 6;

/// Returns a text of plain lines, without a byte order mark; the text itself if it is one.
pub(super) fn plain<'a>(text: &'a [u8], additions: &mut Vec<Addition>) -> Cow<'a, [u8]> {
    let mut plain = Cow::Borrowed(without_mark(text));
    let has_blanks = holds(&plain, WIDE_BLANK);
    if has_blanks || memchr2(ESCAPE, b'\r', &plain).is_some() {
        if memchr(ESCAPE, &plain).is_some() {
            let uncoloured = without_escapes(&plain);
            if uncoloured.len() < plain.len() {
                additions.push(Addition::Colours);
            }
            plain = Cow::Owned(uncoloured);
        }
        if has_blanks || memchr(b'\r', &plain).is_some() {
            plain = Cow::Owned(with_usual_lines(&plain));
        }
    }
    if is_of_web_page(&plain) {
        plain = Cow::Owned(without_tags(&plain));
        additions.push(Addition::Html);
    }
    plain
}

/// Returns the text without the escape sequences of a terminal for colours and titles.
fn without_escapes(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = memchr(ESCAPE, rest) {
        plain.extend_from_slice(&rest[..start]);
        rest = &rest[start + 1..];
        match escape_length(rest) {
            Some(length) => rest = &rest[length..],
            None => plain.push(ESCAPE),
        }
    }
    plain.extend_from_slice(rest);
    plain
}

/// Returns the length of an escape sequence behind its first byte, or `None` if it is not one of those known. A line end
/// is not part of it.
fn escape_length(sequence: &[u8]) -> Option<usize> {
    let (kind, rest) = sequence.split_first()?;
    for (at, &byte) in rest.iter().enumerate() {
        let is_end = match kind {
            // The letter that ends the sequence.
            b'[' => byte.is_ascii_alphabetic() || matches!(byte, b'@'..=b'~'),
            // The bell after a title, or the end of a string.
            b']' => matches!(byte, 0x07 | 0x1b),
            b'(' | b')' => true,
            _ => return None,
        };
        if byte == b'\n' {
            return Some(at + 1);
        }
        if is_end {
            return Some(at + 2);
        }
    }
    match kind {
        b'[' | b']' | b'(' | b')' => Some(sequence.len()),
        _ => None,
    }
}

/// Returns the text with unusual line ends and blanks replaced.
fn with_usual_lines(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        match text[at..] {
            // A single one ends a line, as on old machines; one of several does not.
            [b'\r', b'\n' | b'\r', ..] | [] => {}
            [b'\r', ..] => plain.push(b'\n'),
            [0xc2, 0xa0, ..] => {
                plain.push(b' ');
                at += 1;
            }
            [byte, ..] => plain.push(byte),
        }
        at += 1;
    }
    plain
}

/// Returns whether the lines of a text are those of a web page: some begin with tags of one, most end in `<br>`, or blanks
/// and marks are entities.
fn is_of_web_page(text: &[u8]) -> bool {
    let has_entities = holds(text, b"&nbsp;") || holds(text, b"&gt;");
    if memchr(b'<', text).is_none() && !has_entities {
        return false;
    }
    let mut count = 0;
    let mut breaks = 0;
    let mut quotes = 0;
    let mut blanks = 0;
    for line in text.split(|&byte| byte == b'\n') {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let line = String::from_utf8_lossy(line).trim().to_ascii_lowercase();
        for tag in ["<pre", "<code", "<table", "<tr", "<td"] {
            if line.starts_with(tag) {
                return true;
            }
        }
        count += 1;
        for tag in ["<br>", "<br/>", "<br />"] {
            breaks += usize::from(line.ends_with(tag));
        }
        quotes += usize::from(line.starts_with("&gt;"));
        blanks += usize::from(line.contains("&nbsp;"));
        if count == SAMPLE {
            break;
        }
    }
    breaks * 2 > count || quotes * 2 > count || blanks * 4 > count
}

/// Returns whether a text has another one in it.
fn holds(text: &[u8], part: &[u8]) -> bool {
    memmem::find(text, part).is_some()
}

/// Removes the tags of a web page. Cells of its tables get bars between them.
fn without_tags(text: &[u8]) -> Vec<u8> {
    let mut writer = PageWriter {
        made: Vec::with_capacity(text.len()),
        row: None,
    };
    let mut rest = text;
    while let Some(&byte) = rest.first() {
        if let Some(tag) = Tag::begun(rest) {
            rest = &rest[tag.length..];
            writer.tag(&tag, rest);
        } else if let Some(entity) = Entity::begun(rest) {
            writer.text(entity.meaning);
            rest = &rest[entity.length..];
        } else {
            writer.text(byte);
            rest = &rest[1..];
        }
    }
    writer.made
}

/// A character that a web page has by its name.
struct Entity {
    /// The character.
    meaning: u8,
    /// The bytes of the name.
    length: usize,
}

impl Entity {
    /// Returns the entity with which a text begins, or `None` if it begins with none that is known.
    fn begun(text: &[u8]) -> Option<Self> {
        if text.first() != Some(&b'&') {
            return None;
        }
        let window = &text[..text.len().min(LONGEST_ENTITY)];
        let length = memchr(b';', window)? + 1;
        let meaning = match &text[..length] {
            b"&nbsp;" | b"&#160;" => b' ',
            b"&gt;" => b'>',
            b"&lt;" => b'<',
            b"&amp;" => b'&',
            b"&quot;" => b'"',
            b"&#39;" | b"&#x27;" => b'\'',
            _ => return None,
        };
        Some(Self { meaning, length })
    }
}

/// A tag of a web page.
struct Tag {
    /// Its name in lower case, with a slash before it if it ends something.
    name: String,
    /// Its bytes.
    length: usize,
}

impl Tag {
    /// Returns the tag with which a text begins, or `None` if it begins with none that is known.
    fn begun(text: &[u8]) -> Option<Self> {
        if text.first() != Some(&b'<') {
            return None;
        }
        let window = &text[..text.len().min(LONGEST_TAG)];
        let end = memchr(b'>', window)?;
        let inside = std::str::from_utf8(&window[1..end]).ok()?;
        let word = inside.split_whitespace().next()?.to_ascii_lowercase();
        let name = word.strip_suffix('/').unwrap_or(&word);
        let bare = name.strip_prefix('/').unwrap_or(name);
        if !TAGS.contains(&bare) {
            return None;
        }
        Some(Self {
            name: name.to_owned(),
            length: end + 1,
        })
    }
}

/// A row of a table of a web page.
#[derive(Default)]
struct PageRow {
    /// How many cells have begun.
    cells: usize,
    is_in_cell: bool,
    /// How many lines end in it. They end behind it instead.
    lines: usize,
}

struct PageWriter {
    made: Vec<u8>,
    /// The row that has begun, if any.
    row: Option<PageRow>,
}

impl PageWriter {
    fn text(&mut self, byte: u8) {
        match &mut self.row {
            Some(row) if byte == b'\n' => row.lines += 1,
            Some(row) if !row.is_in_cell => {}
            _ => self.made.push(byte),
        }
    }

    fn tag(&mut self, tag: &Tag, behind: &[u8]) {
        match &tag.name[..] {
            "br" if !begins_with_line_end(behind) => self.text(b'\n'),
            "tr" => self.row = Some(PageRow::default()),
            "td" | "th" => {
                let row = self.row.get_or_insert_default();
                row.is_in_cell = true;
                row.cells += 1;
                if row.cells > 1 {
                    self.made.push(b'|');
                }
            }
            "/td" | "/th" => {
                if let Some(row) = &mut self.row {
                    row.is_in_cell = false;
                }
            }
            "/tr" => {
                let row = self.row.take().unwrap_or_default();
                for _ in 0..row.lines {
                    self.made.push(b'\n');
                }
                if row.lines == 0 && !begins_with_line_end(behind) {
                    self.made.push(b'\n');
                }
            }
            _ => {}
        }
    }
}

/// Returns whether a line ends here, but for blanks and tags.
fn begins_with_line_end(text: &[u8]) -> bool {
    let end = memchr(b'\n', text).unwrap_or(text.len());
    let line = text[..end].trim_ascii();
    line.is_empty() || (line.starts_with(b"</t") && text.len() > line.len())
}
