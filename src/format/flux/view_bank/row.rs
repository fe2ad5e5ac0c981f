//! One row of the table: its cells, in columns or separated by bars.

use crate::base::shown::shown;
use crate::format::sheet::kind::{CellKind, ColumnRule};
use crate::format::slurm::table::plain;

/// The least width of a column. Longer content pushes the rest to the right.
const WIDTH: usize = 20;

const TRUE: &[u8] = b"                true";
const FALSE: &[u8] = b"               false";

#[derive(Clone, Copy, Debug)]
pub(in crate::format) struct BankTableLayout {
    has_bars: bool,
    /// Whether it has a column of active users, as since 0.58.
    has_active: bool,
    /// Whether it is of `account-shares`, which prints six digits of a number.
    pub(super) is_old: bool,
}

/// The cells of a row, without surrounding blanks.
pub(super) struct BankRow<'a> {
    /// The bank; for a user its bank.
    pub(super) name: &'a [u8],
    pub(super) user: Option<&'a [u8]>,
    pub(super) is_active: bool,
    pub(super) shares: &'a [u8],
    pub(super) usage: &'a [u8],
    pub(super) fairshare: &'a [u8],
}

impl BankRow<'_> {
    pub(super) fn label(&self) -> String {
        match self.user {
            Some(user) => format!("{} of {}", shown(user), shown(self.name)),
            None => format!("the bank {}", shown(self.name)),
        }
    }
}

impl BankTableLayout {
    pub(in crate::format) fn of_header(line: &[u8]) -> Option<Self> {
        let line = line.trim_ascii();
        let has_bars = line.contains(&b'|');
        let is_end = |byte: &u8| *byte == if has_bars { b'|' } else { b' ' };
        let headings: Vec<&[u8]> = line.split(is_end).filter(|cell| !cell.is_empty()).collect();
        let layout = Self::of_headings(&headings)?;
        Some(Self { has_bars, ..layout })
    }

    /// Returns the layout with these headings, or `None` if they are others.
    fn of_headings(headings: &[&[u8]]) -> Option<Self> {
        let names: Vec<String> = headings.iter().map(|heading| plain(heading)).collect();
        let (first, rest) = names.split_first()?;
        let has_active = rest.get(1).is_some_and(|name| name == "active");
        let mut expected = vec!["username", "rawshares", "rawusage", "fairshare"];
        if has_active {
            expected.insert(1, "active");
        }
        let is_old = first == "account";
        ((is_old || first == "bank") && rest == expected).then_some(Self {
            has_bars: true,
            has_active,
            is_old,
        })
    }

    /// Returns the cells of a row, whatever is above it. `None` if it is not one that the command prints.
    pub(in crate::format) fn cells_alone(self, line: &[u8]) -> Option<Vec<&[u8]>> {
        let depth = indent(line);
        let name = &line[depth..];
        let end = if self.has_bars { b'|' } else { b' ' };
        let length = name.iter().position(|&byte| byte == end);
        let row = self.row(line, depth, Some(&name[..length.unwrap_or(name.len())]))?;
        let mut cells = vec![row.name, row.user.unwrap_or_default()];
        if self.has_active {
            cells.push(if row.is_active { b"true" } else { b"false" });
        }
        cells.extend([row.shares, row.usage, row.fairshare]);
        Some(cells)
    }

    /// Returns whether each line is a row, and below the first bank.
    pub(in crate::format) fn reads_all(self, lines: &[&[u8]]) -> bool {
        let mut open: Vec<&[u8]> = Vec::new();
        for line in lines {
            let depth = indent(line).min(open.len());
            if depth == 0 && !open.is_empty() {
                return false;
            }
            let bank = open[..depth].last().copied();
            let Some(row) = self.row(line, depth, bank) else {
                return false;
            };
            open.truncate(depth);
            if row.user.is_none() {
                open.push(row.name);
            }
        }
        true
    }

    /// Returns the cells of a row that is indented by `depth`. `bank` is its parent, whose name a user's row repeats.
    pub(super) fn row<'a>(
        self,
        line: &'a [u8],
        depth: usize,
        bank: Option<&[u8]>,
    ) -> Option<BankRow<'a>> {
        let user = bank.and_then(|bank| {
            let (name, rest) = line[depth..].split_at_checked(bank.len())?;
            if name != bank {
                None
            } else if self.has_bars {
                // Without a user it is a bank of the same name as its parent.
                let row = self.behind_bars(Some(name), rest.strip_prefix(b"|")?)?;
                row.user.is_some_and(|user| !user.is_empty()).then_some(row)
            } else {
                self.user_columns(name, rest, depth)
            }
        });
        user.or_else(|| {
            if self.has_bars {
                // Some versions end a bank's row with an empty cell.
                let rest = &line[depth..];
                self.behind_bars(None, rest.strip_suffix(b"|").unwrap_or(rest))
            } else {
                self.bank_columns(line, depth)
            }
        })
    }

    /// Returns the row of a user of a bank, `alice|true|1|10.0|0.5`, or that of a bank, `physics||true|40|10.0`. It is read
    /// from the right, because a name may hold bars.
    fn behind_bars<'a>(self, bank: Option<&'a [u8]>, rest: &'a [u8]) -> Option<BankRow<'a>> {
        let count = 3 + usize::from(self.has_active) + usize::from(bank.is_some());
        let mut cells = rest.rsplitn(count, |&byte| byte == b'|');
        let fairshare = match bank {
            Some(_) => cells.next()?,
            None => b"",
        };
        let (usage, shares) = (cells.next()?, cells.next()?);
        let is_active = match self.has_active.then(|| cells.next()) {
            None | Some(Some(b"true")) => true,
            Some(Some(b"false")) => false,
            Some(_) => return None,
        };
        let left = cells.next()?;
        let (name, user) = match bank {
            Some(bank) => (bank, Some(left)),
            None => (left.strip_suffix(b"|")?, None),
        };
        Some(BankRow {
            name,
            user,
            is_active,
            shares,
            usage,
            fairshare,
        })
    }

    /// Returns the row of a user from the text after the bank's name: blanks to the column's end, user, numbers.
    fn user_columns<'a>(self, name: &'a [u8], rest: &'a [u8], depth: usize) -> Option<BankRow<'a>> {
        let padding = WIDTH.saturating_sub(depth + width(name));
        if !rest.get(..padding)?.iter().all(|&byte| byte == b' ') {
            return None;
        }
        let rest = &rest[padding..];
        // A name is aligned right in its cell.
        let (user, _) = split_at_width(rest, WIDTH).filter(|(user, _)| !user.ends_with(b" "))?;
        let (user, is_active, numbers) = self.split(rest, user.len(), 3)?;
        let (shares, numbers) = self.shares(numbers)?;
        // A stored fair-share is never wider than its column, while usage may be.
        let (usage, fairshare) = split_at_width(numbers, width(numbers).checked_sub(WIDTH)?)?;
        let user = user.trim_ascii();
        (!user.is_empty() && !usage.trim_ascii().is_empty()).then_some(BankRow {
            name,
            user: Some(user),
            is_active,
            shares: shares.trim_ascii(),
            usage: usage.trim_ascii(),
            fairshare: fairshare.trim_ascii(),
        })
    }

    /// Reads the row of a bank, which has no user and nothing after its usage.
    fn bank_columns(self, line: &[u8], depth: usize) -> Option<BankRow<'_>> {
        let line = line.trim_ascii_end();
        let mut places = (0..line.len()).rev();
        let last = places.find(|&at| active_at(line, at).is_some());
        let (name, is_active, numbers) = self.split(line, last.unwrap_or(line.len()), 2)?;
        let (shares, usage) = self.shares(numbers)?;
        let name = name.get(depth..)?.trim_ascii_end();
        let (shares, usage) = (shares.trim_ascii(), usage.trim_ascii());
        let is_whole = !name.is_empty() && !shares.is_empty() && !usage.is_empty();
        is_whole.then_some(BankRow {
            name,
            user: None,
            is_active,
            shares,
            usage,
            fairshare: b"",
        })
    }

    /// Splits a text at the first active cell from a position on, or without such a column before so many words.
    fn split(self, text: &[u8], from: usize, words: usize) -> Option<(&[u8], bool, &[u8])> {
        if self.has_active {
            return (from..text.len()).find_map(|at| {
                let is_active = active_at(text, at)?;
                Some((&text[..at], is_active, &text[at + WIDTH..]))
            });
        }
        let (name, numbers) = split_before_words(text, words)?;
        Some((name, true, numbers))
    }

    /// Returns the cell of shares, which are never wider than their column, and the text after it.
    fn shares(self, numbers: &[u8]) -> Option<(&[u8], &[u8])> {
        if self.has_active {
            return split_at_width(numbers, WIDTH);
        }
        // The text before these numbers was cut at a blank, so their cells begin where the words do.
        let start = numbers.iter().position(|&byte| byte != b' ')?;
        let length = numbers[start..].iter().position(|&byte| byte == b' ')?;
        Some(numbers.split_at(start + length))
    }
}

/// The columns, by their headings in small letters.
const COLUMNS: [(&str, ColumnRule); 7] = [
    ("bank", ColumnRule::of(CellKind::Name, 20)),
    ("account", ColumnRule::of(CellKind::Name, 20)),
    ("username", ColumnRule::of(CellKind::Name, 2)),
    ("active", ColumnRule::of(CellKind::Flag, 20)),
    ("rawshares", ColumnRule::of(CellKind::Count, 20)),
    ("rawusage", ColumnRule::of(CellKind::Number, 20)),
    ("fairshare", ColumnRule::of(CellKind::Portion, 1)),
];

/// Returns whether a text is the heading of a column.
pub(in crate::format) fn is_heading(heading: &[u8]) -> bool {
    let name = plain(heading);
    COLUMNS.iter().any(|(known, _)| *known == name)
}

/// Returns what stands below headings, or `None` if they are not those of this table.
pub(in crate::format) fn rules(headings: &[&[u8]]) -> Option<Vec<ColumnRule>> {
    BankTableLayout::of_headings(headings)?;
    let mut rules = Vec::with_capacity(headings.len());
    for (place, heading) in headings.iter().enumerate() {
        let name = plain(heading);
        let (_, rule) = COLUMNS.iter().find(|(known, _)| *known == name)?;
        rules.push(ColumnRule {
            is_account: place == 0,
            ..*rule
        });
    }
    Some(rules)
}

/// Returns with how many blanks a line begins.
pub(super) fn indent(line: &[u8]) -> usize {
    line.iter().take_while(|&&byte| byte == b' ').count()
}

/// Returns the width of a text in characters, as the program computed it for the layout.
fn width(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| begins_character(byte)).count()
}

fn begins_character(byte: u8) -> bool {
    byte & 0xc0 != 0x80
}

/// Splits after so many characters, or returns `None` if there are fewer.
fn split_at_width(text: &[u8], characters: usize) -> Option<(&[u8], &[u8])> {
    let mut starts = (0..text.len()).filter(|&at| begins_character(text[at]));
    match starts.nth(characters) {
        Some(at) => Some(text.split_at(at)),
        None => (width(text) == characters).then_some((text, &[])),
    }
}

/// Returns the value of the active cell that begins here, or `None` if none does.
fn active_at(text: &[u8], at: usize) -> Option<bool> {
    match text.get(at..at + WIDTH)? {
        TRUE => Some(true),
        FALSE => Some(false),
        _ => None,
    }
}

fn split_before_words(text: &[u8], words: usize) -> Option<(&[u8], &[u8])> {
    let mut rest = text.trim_ascii_end();
    for _ in 0..words {
        let blank = memchr::memrchr(b' ', rest)?;
        rest = rest[..blank].trim_ascii_end();
    }
    Some(text.split_at(rest.len()))
}
