//! The tables of `sshare`, `sacctmgr` and `sreport`: their columns, and how their lines are divided into cells.
//!
//! A sheet has cells without the blanks around them. Here the blanks before an account show what is above it, wide numbers
//! shift the rest of their line, and one heading is another column in another command.

mod bars;
mod column;

pub(crate) use column::Command;
pub(super) use column::SlurmColumn;
pub(crate) use column::plain;

use super::indentation::indent;
use crate::format::sheet::kind::ColumnRule;
use crate::format::text::split;
use crate::model::Fact;
use column::{ONLY_OF_SACCTMGR, ONLY_OF_SSHARE};
use memchr::{memchr, memchr_iter};
use std::cmp::Ordering;
use std::ops::Range;

/// The most cells of a line that are separated: more than Slurm has, and few enough for a line of nothing but bars.
const MOST_CELLS: usize = 1024;

/// The fewest columns with which a line of words without a ruler counts as a header.
const FEWEST: usize = 3;

/// Where the cells of a line are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LineForm {
    /// Between bars, as with `-P`.
    Bars {
        /// Whether a bar ends the line as well, as with `-p`.
        ends_in_bar: bool,
    },
    /// In columns of so many bytes each, with a blank between.
    Fixed(Vec<usize>),
}

/// The columns of a table, and where their cells are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableLayout {
    /// The command that printed it.
    command: Command,
    /// Its columns, from the first to the last.
    pub(super) columns: Vec<SlurmColumn>,
    /// Where the cells of a line are.
    pub(super) form: LineForm,
    /// Whether the heading of the accounts is aligned right in its column.
    pub(super) right: bool,
    /// The headings, with the blanks around them; empty if there is no header.
    names: Vec<Vec<u8>>,
}

/// How the cells of a line fit the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineSplit {
    /// There is a cell for each column.
    Whole,
    /// Cells are missing at the end; this is their number in the line.
    Few(usize),
    /// There are more cells than columns, this many: a name contains bars.
    Many(usize),
    /// Bars in names were told from those between cells, so that there is a cell for each column.
    Joined,
    /// A cell spans two columns.
    Across,
}

impl TableLayout {
    /// Returns the columns that a header of that command names, or `None` if it is none. `below` is the next line.
    pub(crate) fn of_header(command: Command, line: &[u8], below: Option<&[u8]>) -> Option<Self> {
        let header = line.trim_ascii_end();
        let is_comment = command == Command::Sshare && header.starts_with(b"#");
        if header.is_empty() || is_comment {
            return None;
        }
        let layout = if memchr(b'|', header).is_some() {
            Self::of_bars(command, header)
        } else if let Some(ruler) = below
            && is_ruler(ruler)
        {
            Self::of_ruler(command, header, ruler)
        } else if command == Command::Sshare {
            Self::of_words(header)?
        } else {
            return None;
        };
        Some(layout).filter(Self::is_of_command)
    }

    /// Returns what stands below headings, or `None` if they are not those of a table of that command.
    pub(crate) fn rules(command: Command, headings: &[Vec<u8>]) -> Option<Vec<ColumnRule>> {
        let form = LineForm::Bars { ends_in_bar: false };
        let layout = Self::named(command, headings, form);
        if !layout.is_of_command() {
            return None;
        }
        let mut rules = Vec::new();
        for column in layout.columns {
            rules.push(column.rule());
        }
        Some(rules)
    }

    /// Returns whether the names of the columns are those of a table of the command.
    fn is_of_command(&self) -> bool {
        let has_account = self.has(SlurmColumn::Account);
        match self.command {
            Command::Sshare => {
                let has_names = has_account || self.has(SlurmColumn::User);
                has_names && self.has_numbers()
            }
            Command::Sacctmgr => {
                self.has_name_of(&["account"])
                    && self.has_name_of(ONLY_OF_SACCTMGR)
                    && !self.has_name_of(ONLY_OF_SSHARE)
            }
            Command::Sreport => has_account && self.has(SlurmColumn::Login),
        }
    }

    /// Returns whether a column has shares, usage or what is computed of them.
    fn has_numbers(&self) -> bool {
        for column in &self.columns {
            let is_number = match column {
                SlurmColumn::RawShares
                | SlurmColumn::RawUsage
                | SlurmColumn::Recorded(Fact::FairShareRaw) => true,
                _ => column.has_decimals(),
            };
            if is_number {
                return true;
            }
        }
        false
    }

    /// Returns whether one of some plain names is that of a column.
    fn has_name_of(&self, known: &[&str]) -> bool {
        for name in &self.names {
            if known.contains(&plain(name).as_str()) {
                return true;
            }
        }
        false
    }

    /// Creates the layout of a table without a header.
    pub(super) fn new(command: Command, columns: Vec<SlurmColumn>, form: LineForm) -> Self {
        Self {
            command,
            columns,
            form,
            right: false,
            names: Vec::new(),
        }
    }

    /// Creates the layout of a table with these headings.
    pub(crate) fn named(command: Command, names: &[impl AsRef<[u8]>], form: LineForm) -> Self {
        let mut layout = Self::new(command, Vec::new(), form);
        for name in names {
            let text = name.as_ref();
            let column = command.column(text).unwrap_or(SlurmColumn::Unknown);
            layout.columns.push(column);
            layout.names.push(text.to_vec());
        }
        layout
    }

    /// Returns whether these are the names of the columns, without the blanks around them.
    pub(crate) fn has_headings(&self, names: &[Vec<u8>]) -> bool {
        if self.names.len() != names.len() {
            return false;
        }
        for (own, name) in self.names.iter().zip(names) {
            if own.trim_ascii() != name {
                return false;
            }
        }
        true
    }

    /// Returns the names of the columns that a tree does not use, in their order.
    pub(super) fn unknown(&self) -> Vec<&[u8]> {
        let mut unknown = Vec::new();
        for (column, name) in self.columns.iter().zip(&self.names) {
            if *column == SlurmColumn::Unknown {
                unknown.push(name.trim_ascii());
            }
        }
        unknown
    }

    /// Returns the columns of a header with bars.
    fn of_bars(command: Command, line: &[u8]) -> Self {
        let ends_in_bar = line.ends_with(b"|");
        let headings = line.strip_suffix(b"|").unwrap_or(line);
        let mut names = Vec::new();
        for name in split(headings, b'|').take(MOST_CELLS - 1) {
            names.push(name);
        }
        Self::named(command, &names, LineForm::Bars { ends_in_bar })
    }

    /// Returns the columns by the names above the groups of a ruler. They may contain blanks: `Raw Shares`. Up to 20.11
    /// a ruler has at most 53 dashes, at the right of a wider column, so the ends of the groups count.
    fn of_ruler(command: Command, line: &[u8], ruler: &[u8]) -> Self {
        let widths = widths(ruler);
        let mut names = Vec::new();
        let mut rest = line;
        for &width in &widths {
            let length = byte_length(rest, width);
            names.push(&rest[..length]);
            rest = rest.get(width + 1..).unwrap_or_default();
        }
        let form = LineForm::Fixed(widths.clone());
        let mut layout = Self::named(command, &names, form);
        if let Some(place) = layout.place(SlurmColumn::Account) {
            // A last column may have lost the blanks after its name.
            let name = names[place];
            let is_full = name.len() == widths[place];
            layout.right = is_full && !name.ends_with(b" ");
        }
        layout
    }

    /// Returns the columns of a header of `sshare` without a ruler, or `None`. All names but the accounts' end with their
    /// columns.
    fn of_words(line: &[u8]) -> Option<Self> {
        let command = Command::Sshare;
        let mut names = Vec::new();
        let mut ends = Vec::new();
        for place in heading_places(line, &|name| command.column(name).is_some()) {
            ends.push(place.end);
            let name = &line[place];
            command.column(name)?;
            names.push(name);
        }
        if names.len() < FEWEST {
            return None;
        }
        let is_indented = line[0] == b' ';
        if command.column(names[0]) == Some(SlurmColumn::Account)
            && let Some(next) = command.column(names[1])
            && !is_indented
        {
            // Its column ends where the next one begins, which is as wide as usual.
            let end = ends[1].saturating_sub(next.usual_width() + 1);
            ends[0] = ends[0].max(end);
        }
        let form = LineForm::Fixed(widths_between(&ends));
        let mut layout = Self::named(command, &names, form);
        layout.right = is_indented;
        Some(layout)
    }

    /// Returns whether the table has a column.
    pub(super) fn has(&self, column: SlurmColumn) -> bool {
        self.columns.contains(&column)
    }

    /// Returns the place of a column, from 0; `None` if the table does not have it.
    pub(super) fn place(&self, wanted: SlurmColumn) -> Option<usize> {
        let mut columns = self.columns.iter();
        columns.position(|&column| column == wanted)
    }

    /// Returns the cell of a column; empty if it is missing.
    pub(super) fn cell<'a>(&self, cells: &[&'a [u8]], column: SlurmColumn) -> &'a [u8] {
        let Some(place) = self.place(column) else {
            return b"";
        };
        match cells.get(place) {
            Some(cell) => cell,
            None => b"",
        }
    }

    /// Returns whether a cell without the blanks at its end fills its column and ends in the `+` for the rest.
    pub(super) fn is_cut(&self, cell: &[u8], column: SlurmColumn) -> bool {
        if let LineForm::Fixed(widths) = &self.form
            && let Some(place) = self.place(column)
        {
            return cell.ends_with(b"+") && cell.len() >= widths[place];
        }
        false
    }

    /// Divides a line. The cells keep their blanks.
    pub(crate) fn divide<'a>(&self, line: &'a [u8], cells: &mut Vec<&'a [u8]>) -> LineSplit {
        cells.clear();
        match &self.form {
            LineForm::Bars { ends_in_bar } => {
                let mut row = line;
                if *ends_in_bar {
                    row = line.strip_suffix(b"|").unwrap_or(line);
                }
                cells.extend(row.splitn(MOST_CELLS, |&byte| byte == b'|'));
                let mut count = cells.len();
                if count == MOST_CELLS {
                    count = memchr_iter(b'|', row).count() + 1;
                }
                match count.cmp(&self.columns.len()) {
                    Ordering::Less => LineSplit::Few(count),
                    Ordering::Equal => LineSplit::Whole,
                    Ordering::Greater => LineSplit::Many(count),
                }
            }
            LineForm::Fixed(widths) => {
                if self.walk(line, widths, byte_length, cells) {
                    return LineSplit::Whole;
                }
                // The line may have passed through a program that counts characters and not bytes.
                if !line.is_ascii() && self.walk(line, widths, character_length, cells) {
                    return LineSplit::Whole;
                }
                LineSplit::Across
            }
        }
    }

    /// Walks from column to column. Numbers are not cut, so one that is too wide shifts the rest of its line to the
    /// right, and the walk follows it. In a table of another command any cell may be such a number. `length` returns how
    /// many bytes a column has in the rest of a line. Returns false if the cells do not fit.
    fn walk<'a>(
        &self,
        line: &'a [u8],
        widths: &[usize],
        length: fn(&[u8], usize) -> usize,
        cells: &mut Vec<&'a [u8]>,
    ) -> bool {
        let may_all_shift = self.command != Command::Sshare;
        let mut rest = line;
        cells.clear();
        for (column, &width) in self.columns.iter().zip(widths) {
            let mut end = length(rest, width);
            if may_all_shift {
                end = word_end(rest, end);
            } else if column.kind().is_number() {
                let start = indent(&rest[..end]);
                if start < end {
                    end = end.max(word_end(rest, start));
                }
            }
            cells.push(&rest[..end]);
            match &rest[end..] {
                [] => rest = b"",
                [b' ', behind @ ..] => rest = behind,
                _ => return false,
            }
        }
        may_all_shift || rest.trim_ascii().is_empty()
    }
}

/// Returns how many of so many bytes a text has.
fn byte_length(text: &[u8], bytes: usize) -> usize {
    bytes.min(text.len())
}

/// Returns how many bytes the first characters of a text have: all if there are fewer.
fn character_length(text: &[u8], characters: usize) -> usize {
    let mut count = 0;
    for (place, byte) in text.iter().enumerate() {
        if byte & 0xc0 != 0x80 {
            if count == characters {
                return place;
            }
            count += 1;
        }
    }
    text.len()
}

/// Returns where the word at a place ends: at a blank, or where the line ends.
fn word_end(line: &[u8], start: usize) -> usize {
    match memchr(b' ', &line[start..]) {
        Some(length) => start + length,
        None => line.len(),
    }
}

/// Returns where the words of a line are, of which two may be one heading: `Raw Shares`. `is_heading` knows the headings.
pub(crate) fn heading_places(line: &[u8], is_heading: &dyn Fn(&[u8]) -> bool) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    let mut start = 0;
    while start < line.len() {
        if line[start] == b' ' {
            start += 1;
            continue;
        }
        let mut end = word_end(line, start);
        if end + 1 < line.len() && line[end + 1] != b' ' {
            let longer = word_end(line, end + 1);
            if is_heading(&line[start..longer]) {
                end = longer;
            }
        }
        places.push(start..end);
        start = end;
    }
    places
}

/// Returns whether a line consists of groups of dashes.
pub(crate) fn is_ruler(line: &[u8]) -> bool {
    let groups = line.trim_ascii();
    for byte in groups {
        if !b"- ".contains(byte) {
            return false;
        }
    }
    !groups.is_empty()
}

/// Returns the widths of the columns above a ruler's groups of dashes.
pub(crate) fn widths(ruler: &[u8]) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut is_dash = false;
    for (place, byte) in ruler.iter().enumerate() {
        if is_dash && *byte != b'-' {
            ends.push(place);
        }
        is_dash = *byte == b'-';
    }
    if is_dash {
        ends.push(ruler.len());
    }
    widths_between(&ends)
}

/// Returns the widths of columns that end at these places, with a blank between each two.
fn widths_between(ends: &[usize]) -> Vec<usize> {
    let mut widths = Vec::with_capacity(ends.len());
    let mut start = 0;
    for end in ends {
        widths.push(end - start);
        start = end + 1;
    }
    widths
}
