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
        match self {
            Self::Count | Self::Portion | Self::Number => true,
            Self::Text | Self::Name | Self::Flag | Self::Amounts => false,
        }
    }

    /// Returns whether a cell can be of such a column. An empty one always can.
    pub(in crate::format) fn fits(self, cell: &[u8]) -> bool {
        if cell.is_empty() {
            return true;
        }
        match self {
            Self::Text | Self::Name => true,
            Self::Count => is_count(cell),
            Self::Portion => is_portion(cell),
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

/// Returns whether a cell can be of a column of whole numbers.
fn is_count(cell: &[u8]) -> bool {
    if is_parent(cell) || cell == b"1.000000" {
        return true;
    }
    is_whole(&plain_count(cell))
}

/// Returns whether a cell can be of a column of parts of a whole.
fn is_portion(cell: &[u8]) -> bool {
    match decimal(cell) {
        Some(number) => number.is_nan() || (0.0..=1.0).contains(&number),
        None => false,
    }
}

/// Returns whether a cell is of digits only.
fn is_whole(cell: &[u8]) -> bool {
    cell.iter().all(u8::is_ascii_digit)
}

/// Returns a number that is written with decimals, or `None` if the cell is none.
fn decimal(cell: &[u8]) -> Option<f64> {
    let plain = plain_decimal(cell);
    let is_decimal = match &*plain {
        b"inf" | b"nan" | b"-nan" => true,
        number => number.contains(&b'.'),
    };
    if !is_decimal {
        return None;
    }
    let number = str::from_utf8(&plain).ok()?;
    number.parse().ok()
}

/// The marks that people and programs put between thousands.
const THOUSANDS: &[u8] = b",.'_";

/// Returns a whole number without marks between its thousands: `28148974` for `28,148,974`. Other texts stay as they are.
pub(in crate::format) fn plain_count(cell: &[u8]) -> Cow<'_, [u8]> {
    let Some(mark) = cell.iter().find(|byte| THOUSANDS.contains(byte)) else {
        return Cow::Borrowed(cell);
    };
    let groups: Vec<&[u8]> = cell.split(|byte| byte == mark).collect();
    // A single point may begin decimals.
    let is_certain = *mark != b'.' || groups.len() > 2;
    if is_certain && are_thousands(&groups) {
        Cow::Owned(groups.concat())
    } else {
        Cow::Borrowed(cell)
    }
}

/// Returns whether groups of digits are those of one number: three in each, and in the first at most three.
fn are_thousands(groups: &[&[u8]]) -> bool {
    for (place, group) in groups.iter().enumerate() {
        let length = group.len();
        let has_room = length == 3 || (place == 0 && (1..=3).contains(&length));
        if !has_room || !is_whole(group) {
            return false;
        }
    }
    true
}

/// Returns a number with a point before its decimals, where it has a comma: `0.25` for `0,25`.
pub(in crate::format) fn plain_decimal(cell: &[u8]) -> Cow<'_, [u8]> {
    let Some(comma) = memchr::memchr(b',', cell) else {
        return Cow::Borrowed(cell);
    };
    let whole = &cell[..comma];
    let after = cell.get(comma + 1).unwrap_or(&b' ');
    if whole.is_empty() || !is_whole(whole) || !after.is_ascii_digit() {
        return Cow::Borrowed(cell);
    }
    let mut plain = cell.to_vec();
    plain[comma] = b'.';
    Cow::Owned(plain)
}
