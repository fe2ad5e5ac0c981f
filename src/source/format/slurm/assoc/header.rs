//! The columns of a table of associations: which there are, in what order, and how cells are separated.

use std::ops::Range;

/// The kind of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Cluster,
    Account,
    User,
    Partition,
    Share,
    Id,
    ParentId,
    ParentName,
    Left,
    Minutes,
    /// The description of an account: free text, by default the account's name.
    Description,
    /// The organization of an account: free text.
    Organization,
    /// A column that a tree does not use.
    Other,
}

/// How many kinds of columns there are.
const KINDS: usize = Column::Other as usize + 1;

/// The columns by their names in the versions of Slurm, without blanks and in lower case.
const COLUMNS: &[(&str, Column)] = &[
    ("cluster", Column::Cluster),
    ("account", Column::Account),
    ("user", Column::User),
    ("partition", Column::Partition),
    ("share", Column::Share),
    ("fairshare", Column::Share),
    ("rawshares", Column::Share),
    ("id", Column::Id),
    ("parentid", Column::ParentId),
    ("parid", Column::ParentId),
    ("parentname", Column::ParentName),
    ("parname", Column::ParentName),
    ("lft", Column::Left),
    ("grptresmins", Column::Minutes),
    ("descr", Column::Description),
    ("org", Column::Organization),
];

/// Columns that only sacctmgr prints, beside those with names.
const ITS_OWN: &[&str] = &[
    "share",
    "parentid",
    "parid",
    "parentname",
    "parname",
    "lft",
    "rgt",
    "qos",
    "defqos",
    "grpjobs",
    "maxjobs",
    "maxwall",
];

/// Columns that only sshare prints.
const FOREIGN: &[&str] = &[
    "rawusage",
    "normshares",
    "normusage",
    "effectvusage",
    "levelfs",
];

/// How many lines are searched for the header, because errors of the command may come before it.
const LINES: usize = 10;

/// How many extra bars a line may have. More than a few names with bars in one line do not occur.
pub(super) const MOST_BARS: usize = 6;

/// How many rows are examined if there is no header.
const SAMPLE: usize = 400;

/// How the cells of a line are separated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// By bars; with `-p` there is one after the last cell, too.
    Bars { closing: bool },
    /// By the positions of the dashes under the header.
    Fixed(Vec<Range<usize>>),
}

/// The header of a table.
#[derive(Clone, Debug)]
pub(super) struct Header<'a> {
    /// The line of the column names.
    pub(super) line: &'a [u8],
    pub(super) columns: Vec<Column>,
    pub(super) layout: Layout,
    /// By kind: the first column of it.
    places: [Option<usize>; KINDS],
    /// Whether the accounts are aligned right in their column, so that no indentation is visible.
    pub(super) right: bool,
    /// Whether the columns were detected by their content, because there is no line of names.
    pub(super) guessed: bool,
    /// Where the rows begin: the position in the text, and the number of the line before.
    pub(super) end: usize,
    pub(super) number: u32,
}

impl<'a> Header<'a> {
    /// Finds the header of a table of associations, or returns `None` if there is none.
    pub(super) fn find(text: &'a [u8]) -> Option<Self> {
        let mut at = 0;
        for number in (1..).take(LINES) {
            let Some((line, next)) = line_at(text, at) else {
                break;
            };
            let (ruler, behind) = line_at(text, next).unwrap_or((b"", next));
            let header = if line.contains(&b'|') {
                Self::of_bars(line, next, number)
            } else if is_ruler(ruler) {
                Self::of_ruler(line, ruler, text, behind, number + 1)
            } else {
                None
            };
            if header.is_some() {
                return header;
            }
            at = next;
        }
        Self::guess(text)
    }

    /// Returns the columns of rows without a line of names, as of `-n`, or `None`. root is in the first row, without a
    /// user. The shares are the first cells after it that are a number or `parent` in all rows.
    fn guess(text: &'a [u8]) -> Option<Self> {
        let mut rows = Vec::new();
        let (mut at, mut start, mut above) = (0, None, 0);
        while let Some((line, next)) = line_at(text, at).filter(|_| rows.len() < SAMPLE) {
            if line.trim_ascii().is_empty() || (start.is_none() && line[0] == b'#') {
                above += u32::from(start.is_none());
            } else {
                start.get_or_insert(at);
                rows.push(line.split(|&byte| byte == b'|').collect::<Vec<_>>());
            }
            at = next;
        }
        // The last line of the beginning of a file may be cut.
        if !text.ends_with(b"\n") && rows.len() > 2 {
            rows.pop();
        }
        let count = rows.first()?.len();
        // A name with a bar makes one cell more.
        let most = count + MOST_BARS;
        let all = rows.len();
        let is_alike = rows.iter().all(|row| (count..=most).contains(&row.len()));
        rows.retain(|row| row.len() == count);
        let first = rows.first()?;
        let account = first.iter().position(|cell| *cell == b"root")?;
        let is_table = is_alike && rows.len() > 1 && count > 2 && rows.len() * 2 > all;
        let has_no_user = first.get(account + 1).is_some_and(|cell| cell.is_empty());
        // Only sshare prints parts with decimals.
        let has_parts = rows.iter().flatten().any(|cell| is_part(cell));
        let is_of_one_cluster = rows
            .iter()
            .all(|row| row.get(..account) == first.get(..account));
        if !is_table || account > 1 || !has_no_user || has_parts || !is_of_one_cluster {
            return None;
        }
        let is_share = |&place: &usize| {
            let is_number = |cell: &[u8]| cell == b"parent" || is_count(cell);
            rows.iter().all(|row| is_number(row[place]))
        };
        let mut numbers = (account + 2..count).filter(is_share);
        let share = numbers.next()?;
        // In the default output of sacctmgr the shares are the third column after the account. In others two columns
        // could be confused.
        if share != account + 3 && numbers.next().is_some() {
            return None;
        }
        let mut columns = vec![Column::Other; count];
        if account == 1 {
            columns[0] = Column::Cluster;
        }
        columns[account] = Column::Account;
        columns[account + 1] = Column::User;
        if share == account + 3 {
            columns[account + 2] = Column::Partition;
        }
        columns[share] = Column::Share;
        let closing = rows
            .iter()
            .all(|row| row.last().is_some_and(|cell| cell.is_empty()));
        // A last column that is always empty is the same as none.
        let layout = Layout::Bars {
            closing: closing && share + 2 == count,
        };
        if layout == (Layout::Bars { closing: true }) {
            columns.pop();
        }
        let mut header = Self::new(b"", columns, layout, start?, above);
        header.guessed = true;
        Some(header)
    }

    fn of_bars(line: &'a [u8], end: usize, number: u32) -> Option<Self> {
        let closed = line.strip_suffix(b"|");
        let names = closed.unwrap_or(line).split(|&byte| byte == b'|');
        let layout = Layout::Bars {
            closing: closed.is_some(),
        };
        Some(Self::new(line, columns(names)?, layout, end, number))
    }

    fn of_ruler(
        line: &'a [u8],
        ruler: &[u8],
        text: &[u8],
        end: usize,
        number: u32,
    ) -> Option<Self> {
        let mut places = Vec::new();
        let mut start = 0;
        for dashes in ruler.split(|&byte| byte == b' ') {
            if !dashes.is_empty() {
                places.push(start..start + dashes.len());
            }
            start += dashes.len() + 1;
        }
        let name = |place: &Range<usize>| {
            let end = place.end.min(line.len());
            line.get(place.start..end).unwrap_or_default()
        };
        let columns = columns(places.iter().map(name))?;
        let account = columns.iter().position(|column| *column == Column::Account);
        let right = account.is_some_and(|account| {
            let place = &places[account];
            let name = name(place);
            // A last column may have lost the blanks after its name.
            let names_stand_right =
                name.starts_with(b" ") && name.len() == place.len() && !name.ends_with(b" ");
            // Slurm up to 20.11 aligns the name right and the accounts left.
            names_stand_right && !has_padded_cell(text, end, place)
        });
        let mut header = Self::new(line, columns, Layout::Fixed(places), end, number);
        header.right = right;
        Some(header)
    }

    fn new(line: &'a [u8], columns: Vec<Column>, layout: Layout, end: usize, number: u32) -> Self {
        let mut places = [None; KINDS];
        for (place, &column) in columns.iter().enumerate() {
            places[column as usize].get_or_insert(place);
        }
        Self {
            line,
            columns,
            layout,
            places,
            right: false,
            guessed: false,
            end,
            number,
        }
    }

    /// Returns whether the table has a column with the name or number of parents.
    pub(super) fn names_parents(&self) -> bool {
        let has = |column| self.place(column).is_some();
        has(Column::ParentName) || (has(Column::ParentId) && has(Column::Id))
    }

    /// Returns the place of a column, or `None` if it is missing.
    pub(super) fn place(&self, column: Column) -> Option<usize> {
        self.places[column as usize]
    }
}

/// Returns the line that begins at a position, without its end, and where the next one begins. `None` at the end of the
/// text.
pub(super) fn line_at(text: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
    let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    let line = &rest[..length];
    Some((line.strip_suffix(b"\r").unwrap_or(line), at + length + 1))
}

fn is_count(cell: &[u8]) -> bool {
    !cell.is_empty() && cell.iter().all(u8::is_ascii_digit)
}

/// Returns whether the cell is a fraction as sshare prints it, such as `0.009901`.
fn is_part(cell: &[u8]) -> bool {
    const DECIMALS: usize = 6;
    let Some(point) = cell.iter().position(|&byte| byte == b'.') else {
        return false;
    };
    let (whole, decimals) = (&cell[..point], &cell[point + 1..]);
    is_count(whole) && is_count(decimals) && decimals.len() == DECIMALS
}

/// Returns whether a row has blanks after the text in this column, as text aligned right never has.
fn has_padded_cell(text: &[u8], mut at: usize, place: &Range<usize>) -> bool {
    for _ in 0..SAMPLE {
        let Some((line, next)) = line_at(text, at) else {
            return false;
        };
        let cell = line.get(place.clone()).unwrap_or_default();
        if !cell.trim_ascii().is_empty() && cell.ends_with(b" ") {
            return true;
        }
        at = next;
    }
    false
}

/// Returns whether the line consists of the dashes between header and rows.
fn is_ruler(line: &[u8]) -> bool {
    line.contains(&b'-') && line.iter().all(|byte| matches!(byte, b'-' | b' '))
}

/// Returns the columns of these names, or `None` if they are not those of sacctmgr's associations.
fn columns<'a>(names: impl Iterator<Item = &'a [u8]>) -> Option<Vec<Column>> {
    let plain = |name: &[u8]| {
        let letters = name.iter().filter(|byte| !byte.is_ascii_whitespace());
        let letters = letters.map(|byte| char::from(byte.to_ascii_lowercase()));
        letters.collect::<String>()
    };
    let names: Vec<String> = names.map(plain).collect();
    let has = |wanted: &[&str]| names.iter().any(|name| wanted.contains(&name.as_str()));
    if !has(&["account"]) || !has(ITS_OWN) || has(FOREIGN) {
        return None;
    }
    let column = |name: &String| {
        let known = COLUMNS.iter().find(|(known, _)| known == name);
        known.map_or(Column::Other, |(_, column)| *column)
    };
    Some(names.iter().map(column).collect())
}
