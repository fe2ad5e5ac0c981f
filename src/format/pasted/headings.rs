//! The line of headings of a pasted table.

use super::is_between_rows;
use super::printer::Printer;
use crate::format::sheet::kind::ColumnRule;
use memchr::memchr;

/// The most columns of a table: more than any command prints.
const MOST_COLUMNS: usize = 256;

/// What stands between the cells of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// Bars, with some around the row or blanks around each, as people draw tables.
    FramedBars {
        /// Whether a blank stands before each cell of each row, which is no indentation.
        is_padded: bool,
    },
    /// A TAB, a comma or a semicolon.
    Byte(u8),
    /// Blanks.
    Blanks,
}

/// A heading in its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// Where it begins.
    pub(super) start: usize,
    /// The place behind it.
    pub(super) end: usize,
}

/// The headings of a table.
#[derive(Clone, Debug)]
pub(super) struct Header {
    /// Its line, from 0.
    pub(super) place: usize,
    /// The line itself.
    text: Vec<u8>,
    /// The command whose headings they are.
    pub(super) printer: Printer,
    /// What stands between the headings.
    pub(super) mark: Mark,
    /// Each heading, without the blanks around it.
    pub(super) names: Vec<Vec<u8>>,
    /// Where the headings stand. Empty unless blanks stand between them.
    pub(super) spans: Vec<Span>,
    /// What stands below each.
    pub(super) columns: Vec<ColumnRule>,
}

impl Header {
    /// Returns the first line of headings.
    pub(super) fn find(lines: &[&[u8]]) -> Option<Self> {
        for (place, line) in lines.iter().enumerate() {
            if !may_be_headings(line) {
                continue;
            }
            let line = line.trim_ascii_end();
            let mut mark = mark_of(line);
            if let Mark::FramedBars { is_padded } = &mut mark {
                *is_padded = lines[place..].iter().all(|line| is_padded_row(line));
            }
            for printer in Printer::ALL {
                let header = Self::of_line(place, line, mark, printer);
                if header.is_some() {
                    return header;
                }
            }
        }
        None
    }

    /// Returns the headings of a line, or `None` if they are not those of that command.
    pub(super) fn of_line(place: usize, line: &[u8], mark: Mark, printer: Printer) -> Option<Self> {
        let mut spans = Vec::new();
        let mut names: Vec<Vec<u8>> = Vec::new();
        if mark == Mark::Blanks {
            spans = words(line, printer);
            names.extend(spans.iter().map(|span| line[span.start..span.end].to_vec()));
            if !names.iter().all(|name| printer.has(name)) {
                return None;
            }
        } else {
            for cell in split(line, mark) {
                names.push(cell.trim_ascii().to_vec());
            }
            // A mark may end the line, too.
            if names.last().is_some_and(Vec::is_empty) {
                names.pop();
            }
        }
        if names.len() > MOST_COLUMNS || names.iter().any(Vec::is_empty) {
            return None;
        }
        // People write lists of shares in this form, without a column of users.
        let is_list = matches!(mark, Mark::Byte(mark) if mark != b'|');
        if is_list && !names.iter().any(|name| names_users(name)) {
            return None;
        }
        let texts: Vec<&[u8]> = names.iter().map(Vec::as_slice).collect();
        Some(Self {
            place,
            text: line.to_vec(),
            printer,
            mark,
            columns: printer.columns(&texts)?,
            names,
            spans,
        })
    }

    /// Returns whether a line has the same headings once more.
    pub(super) fn is_repeated_in(&self, line: &[u8]) -> bool {
        line.trim_ascii_end() == self.text
    }

    /// Returns the place of the column of accounts or banks.
    pub(super) fn account(&self) -> Option<usize> {
        self.columns.iter().position(|column| column.is_account)
    }
}

/// Returns whether a heading is that of a column of users.
fn names_users(heading: &[u8]) -> bool {
    let headings: [&[u8]; 3] = [b"user", b"username", b"login"];
    headings
        .iter()
        .any(|known| heading.eq_ignore_ascii_case(known))
}

/// Returns whether a line may have headings of a table: few other lines have these words.
pub(super) fn may_be_headings(line: &[u8]) -> bool {
    const LONGEST: usize = 16 << 10;
    if line.len() > LONGEST {
        return false;
    }
    let has = |word: &[u8]| {
        let mut places = line.windows(word.len());
        places.any(|place| place.eq_ignore_ascii_case(word))
    };
    let names_rows = has(b"account") || has(b"user") || has(b"bank");
    names_rows && (has(b"share") || has(b"usage") || has(b"used") || has(b"levelfs"))
}

/// Returns what stands between the cells of a line of headings.
pub(super) fn mark_of(line: &[u8]) -> Mark {
    let text = line.trim_ascii();
    if memchr(b'|', text).is_some() {
        let is_framed = text.starts_with(b"|");
        let is_padded = memchr::memmem::find(text, b" | ").is_some();
        return if is_framed || is_padded {
            Mark::FramedBars { is_padded: false }
        } else {
            Mark::Byte(b'|')
        };
    }
    for mark in *b"\t;," {
        if memchr(mark, text).is_some() {
            return Mark::Byte(mark);
        }
    }
    Mark::Blanks
}

/// Returns the cells of a line between marks, with the blanks that show what is above an account.
pub(super) fn split(line: &[u8], mark: Mark) -> Vec<Vec<u8>> {
    let mut cells = Vec::new();
    match mark {
        Mark::FramedBars { is_padded } => {
            for cell in framed(line).split(|&byte| byte == b'|') {
                let bare = cell.strip_prefix(b" ").unwrap_or(cell);
                cells.push(if is_padded { bare } else { cell }.to_vec());
            }
        }
        Mark::Byte(mark) if memchr(b'"', line).is_some() => {
            let mut record = csv::ByteRecord::new();
            crate::format::sheet::Records::of(line, mark).read(&mut record);
            cells.extend(record.iter().map(<[u8]>::to_vec));
        }
        Mark::Byte(mark) => cells.extend(line.split(|&byte| byte == mark).map(<[u8]>::to_vec)),
        Mark::Blanks => {}
    }
    cells
}

/// Returns a row without the bars around it.
fn framed(line: &[u8]) -> &[u8] {
    let row = line.trim_ascii_end();
    match row.trim_ascii_start().strip_prefix(b"|") {
        Some(row) => row.strip_suffix(b"|").unwrap_or(row),
        None => row,
    }
}

/// Returns whether a blank stands before each cell of a row. A line without bars is none.
fn is_padded_row(line: &[u8]) -> bool {
    if memchr(b'|', line).is_none() || is_between_rows(line) {
        return true;
    }
    framed(line)
        .split(|&byte| byte == b'|')
        .all(|cell| cell.is_empty() || cell.starts_with(b" "))
}

/// Returns the words of a line, of which two may be one heading: `Raw Shares`.
fn words(line: &[u8], printer: Printer) -> Vec<Span> {
    let end_of = |start: usize| start + memchr(b' ', &line[start..]).unwrap_or(line.len() - start);
    let mut spans = Vec::new();
    let mut start = 0;
    while start < line.len() {
        if line[start] == b' ' {
            start += 1;
            continue;
        }
        let mut end = end_of(start);
        if end + 1 < line.len() && line[end + 1] != b' ' {
            let longer = end_of(end + 1);
            if printer.has(&line[start..longer]) {
                end = longer;
            }
        }
        spans.push(Span { start, end });
        start = end;
    }
    spans
}
