//! What the cells of a column hold: by this, columns without a heading and cells that lost their places are told apart.

use std::borrow::Cow;

/// What the cells of a column hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format) enum CellKind {
    /// Any text.
    Text,
    /// The name of an account, a user, a partition or a cluster.
    Name,
    /// A whole number from 0 up, or `parent`.
    Count,
    /// A part of a whole: a number with decimals from 0 to 1.
    Portion,
    /// A number with decimals, or `inf`.
    Number,
    /// `true` or `false`.
    Flag,
    /// Amounts of resources, such as `cpu=4,mem=8192`.
    Amounts,
}

impl CellKind {
    /// Returns whether the cells are numbers, which commands never cut.
    pub(in crate::format) const fn is_number(self) -> bool {
        matches!(self, Self::Count | Self::Portion | Self::Number)
    }

    /// Returns whether a cell can be of such a column. An empty one always can.
    pub(in crate::format) fn fits(self, cell: &[u8]) -> bool {
        if cell.is_empty() {
            return true;
        }
        match self {
            Self::Text | Self::Name => true,
            Self::Count => is_parent(cell) || cell == b"1.000000" || is_whole(&plain_count(cell)),
            Self::Portion => match decimal(cell) {
                Some(number) => number.is_nan() || (0.0..=1.0).contains(&number),
                None => false,
            },
            Self::Number => decimal(cell).is_some(),
            Self::Flag => matches!(cell, b"true" | b"false"),
            Self::Amounts => cell.contains(&b'=') || is_whole(cell),
        }
    }
}

/// What a command prints in a column.
#[derive(Clone, Copy, Debug)]
pub(in crate::format) struct ColumnRule {
    /// What its cells hold.
    pub(in crate::format) kind: CellKind,
    /// How unlikely an empty cell is, from 0.
    pub(in crate::format) blank: u32,
    /// Whether its cells name the account or bank of their row, and have the blanks that show what is above it.
    pub(in crate::format) is_account: bool,
}

impl ColumnRule {
    /// Returns the rule of a column that does not name accounts.
    pub(in crate::format) const fn of(kind: CellKind, blank: u32) -> Self {
        Self {
            kind,
            blank,
            is_account: false,
        }
    }
}

/// Returns whether a cell of shares is that of an association with the shares of its parent.
pub(in crate::format) fn is_parent(cell: &[u8]) -> bool {
    cell.eq_ignore_ascii_case(b"parent")
}

fn is_whole(cell: &[u8]) -> bool {
    cell.iter().all(u8::is_ascii_digit)
}

/// Returns a number that is written with decimals, or `None` if the cell is none.
fn decimal(cell: &[u8]) -> Option<f64> {
    let cell = plain_decimal(cell);
    if matches!(&*cell, b"inf" | b"nan" | b"-nan") || cell.contains(&b'.') {
        return std::str::from_utf8(&cell).ok()?.parse().ok();
    }
    None
}

/// The marks that people and programs put between thousands.
const THOUSANDS: [u8; 4] = *b",.'_";

/// Returns a whole number without marks between its thousands: `28148974` for `28,148,974`. Other texts stay as they are.
pub(in crate::format) fn plain_count(cell: &[u8]) -> Cow<'_, [u8]> {
    let Some(mark) = cell.iter().find(|byte| THOUSANDS.contains(byte)) else {
        return Cow::Borrowed(cell);
    };
    let groups: Vec<&[u8]> = cell.split(|byte| byte == mark).collect();
    let has_room = (1..=3).contains(&groups[0].len());
    let is_grouped = has_room && groups[1..].iter().all(|group| group.len() == 3);
    // A single point may begin decimals.
    let is_certain = *mark != b'.' || groups.len() > 2;
    if is_grouped && is_certain && groups.iter().all(|group| is_whole(group)) {
        Cow::Owned(groups.concat())
    } else {
        Cow::Borrowed(cell)
    }
}

/// Returns a number with a point before its decimals, where it has a comma: `0.25` for `0,25`.
pub(in crate::format) fn plain_decimal(cell: &[u8]) -> Cow<'_, [u8]> {
    let Some(comma) = memchr::memchr(b',', cell) else {
        return Cow::Borrowed(cell);
    };
    let whole = &cell[..comma];
    let has_decimals = cell.get(comma + 1).is_some_and(u8::is_ascii_digit);
    if whole.is_empty() || !is_whole(whole) || !has_decimals {
        return Cow::Borrowed(cell);
    }
    let mut plain = cell.to_vec();
    plain[comma] = b'.';
    Cow::Owned(plain)
}
