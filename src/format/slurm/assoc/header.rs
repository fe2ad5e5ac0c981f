//! The columns of a table of associations: which there are, in what order, how they are told apart.

use std::ops::Range;

/// What a column holds.
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
    /// What the account is described by: free text, which is the account's name if nobody said otherwise.
    Description,
    /// What the account belongs to: free text.
    Organization,
    /// What a tree does not know.
    Other,
}

/// How many kinds of columns there are.
const KINDS: usize = Column::Other as usize + 1;

/// The columns by their names in the versions of Slurm, without blanks and upper case.
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

/// Columns that only sacctmgr prints, beside those that say who is who.
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
    "descr",
    "org",
];

/// Columns that only sshare prints.
const FOREIGN: &[&str] = &[
    "rawusage",
    "normshares",
    "normusage",
    "effectvusage",
    "levelfs",
];

/// How many lines are looked at for the header: errors of the command may stand before it.
const LINES: usize = 10;

/// How the cells of a line are told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// By bars; with `-p` there is one behind the last cell too.
    Bars { closing: bool },
    /// By the places of the dashes under the header.
    Fixed(Vec<Range<usize>>),
}

/// The head of a table.
#[derive(Clone, Debug)]
pub(super) struct Header<'a> {
    /// The line of the column names, as it stands there.
    pub(super) line: &'a [u8],
    pub(super) columns: Vec<Column>,
    pub(super) layout: Layout,
    /// By kind: the first column of it.
    places: [Option<usize>; KINDS],
    /// Where the rows begin: the place in the text, and the number of the last line before it.
    pub(super) end: usize,
    pub(super) number: u32,
}

impl<'a> Header<'a> {
    /// Finds the header of a table of associations.
    pub(super) fn find(text: &'a [u8]) -> Option<Self> {
        let mut at = 0;
        for number in (1..).take(LINES) {
            let (line, next) = line_at(text, at)?;
            let (ruler, behind) = line_at(text, next).unwrap_or((b"", next));
            let header = if line.contains(&b'|') {
                Self::of_bars(line, next, number)
            } else if is_ruler(ruler) {
                Self::of_ruler(line, ruler, behind, number + 1)
            } else {
                None
            };
            if header.is_some() {
                return header;
            }
            at = next;
        }
        None
    }

    fn of_bars(line: &'a [u8], end: usize, number: u32) -> Option<Self> {
        let closed = line.strip_suffix(b"|");
        let names = closed.unwrap_or(line).split(|&byte| byte == b'|');
        let layout = Layout::Bars {
            closing: closed.is_some(),
        };
        Some(Self::new(line, columns(names)?, layout, end, number))
    }

    fn of_ruler(line: &'a [u8], ruler: &[u8], end: usize, number: u32) -> Option<Self> {
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
        Some(Self::new(line, columns, Layout::Fixed(places), end, number))
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
            end,
            number,
        }
    }

    /// The place of a column.
    pub(super) fn place(&self, column: Column) -> Option<usize> {
        self.places[column as usize]
    }
}

/// The line that begins at a place, without its end, and where the next one begins.
pub(super) fn line_at(text: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
    let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    let line = &rest[..length];
    Some((line.strip_suffix(b"\r").unwrap_or(line), at + length + 1))
}

/// Whether the line is the dashes between header and rows.
fn is_ruler(line: &[u8]) -> bool {
    line.contains(&b'-') && line.iter().all(|byte| matches!(byte, b'-' | b' '))
}

/// What columns of such names hold; nothing where they are not those of sacctmgr's associations.
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
