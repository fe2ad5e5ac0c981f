//! One row of the table: its cells, in columns or separated by bars.

use crate::base::shown::shown;
use crate::format::sheet::kind::{CellKind, ColumnRule};
use crate::format::slurm::table::plain;
use memchr::{memchr, memrchr};

/// The least width of a column. Longer content pushes the rest to the right.
const WIDTH: usize = 20;

/// The cell of an active row.
const TRUE: &[u8] = b"                true";
/// The cell of an inactive row.
const FALSE: &[u8] = b"               false";

/// How the lines of a table are divided.
#[derive(Clone, Copy, Debug)]
pub(in crate::format) struct BankTableLayout {
    /// Whether bars end the cells, instead of a fixed width.
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
    /// The user; `None` for a bank.
    pub(super) user: Option<&'a [u8]>,
    /// Whether Flux counts it.
    pub(super) is_active: bool,
    /// The shares.
    pub(super) shares: &'a [u8],
    /// The usage.
    pub(super) usage: &'a [u8],
    /// The fair-share of a user; empty for a bank.
    pub(super) fairshare: &'a [u8],
}

/// A row of columns, split at its active cell.
struct SplitRow<'a> {
    /// The text before.
    before: &'a [u8],
    /// What the cell says.
    is_active: bool,
    /// The numbers after it.
    numbers: &'a [u8],
}

impl BankRow<'_> {
    /// Returns the name in messages.
    pub(super) fn label(&self) -> String {
        match self.user {
            Some(user) => format!("{} of {}", shown(user), shown(self.name)),
            None => format!("the bank {}", shown(self.name)),
        }
    }
}

impl BankTableLayout {
    /// Returns the layout below a line of headings, or `None` if it is none of this table.
    pub(in crate::format) fn of_header(line: &[u8]) -> Option<Self> {
        let line = line.trim_ascii();
        let has_bars = line.contains(&b'|');
        let end = end_of_cell(has_bars);
        let mut headings = Vec::new();
        for heading in line.split(|&byte| byte == end) {
            if !heading.is_empty() {
                headings.push(heading);
            }
        }
        let layout = Self::of_headings(&headings)?;
        Some(Self { has_bars, ..layout })
    }

    /// Returns the layout with these headings, or `None` if they are others.
    fn of_headings<T: AsRef<[u8]>>(headings: &[T]) -> Option<Self> {
        let mut names = Vec::with_capacity(headings.len());
        for heading in headings {
            names.push(plain(heading.as_ref()));
        }
        let (first, rest) = names.split_first()?;
        let is_old = match first.as_str() {
            "account" => true,
            "bank" => false,
            _ => return None,
        };
        let mut expected = vec!["username", "rawshares", "rawusage", "fairshare"];
        let has_active = rest.len() > expected.len();
        if has_active {
            expected.insert(1, "active");
        }
        if rest != expected {
            return None;
        }
        Some(Self {
            has_bars: true,
            has_active,
            is_old,
        })
    }

    /// Returns a row, whatever is above it. `None` if it is not one that the command prints.
    pub(super) fn row_alone(self, line: &[u8]) -> Option<BankRow<'_>> {
        let depth = indent(line);
        let text = &line[depth..];
        let mark = end_of_cell(self.has_bars);
        let end = memchr(mark, text).unwrap_or(text.len());
        self.row(line, depth, Some(&text[..end]))
    }

    /// Returns the cells of a row, whatever is above it. `None` if it is not one that the command prints.
    pub(in crate::format) fn cells_alone(self, line: &[u8]) -> Option<Vec<&[u8]>> {
        let row = self.row_alone(line)?;
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
        let text = &line[depth..];
        if let Some(bank) = bank
            && let Some(row) = self.user_row(text, depth, bank)
        {
            return Some(row);
        }
        if !self.has_bars {
            return self.bank_columns(line, depth);
        }
        // Some versions end a bank's row with an empty cell.
        let cells = text.strip_suffix(b"|").unwrap_or(text);
        let row = self.behind_bars(cells)?;
        Some(BankRow {
            name: row.name.strip_suffix(b"|")?,
            ..row
        })
    }

    /// Returns the row of a user of a bank, `physics|alice|true|1|10.0|0.5`, or `None` if it is none.
    fn user_row<'a>(self, text: &'a [u8], depth: usize, bank: &[u8]) -> Option<BankRow<'a>> {
        let (name, rest) = text.split_at_checked(bank.len())?;
        if name != bank {
            return None;
        }
        if !self.has_bars {
            return self.user_columns(name, rest, depth);
        }
        let cells = rest.strip_prefix(b"|")?;
        let (others, fairshare) = split_at_last_bar(cells)?;
        let row = self.behind_bars(others)?;
        // Without a user it is a bank of the same name as its parent.
        if row.name.is_empty() {
            return None;
        }
        Some(BankRow {
            name,
            user: Some(row.name),
            fairshare,
            ..row
        })
    }

    /// Reads `alice|true|1|10.0`, the name and numbers of a row. It is read from the right, because a name may hold bars.
    fn behind_bars(self, text: &[u8]) -> Option<BankRow<'_>> {
        let (rest, usage) = split_at_last_bar(text)?;
        let (mut name, shares) = split_at_last_bar(rest)?;
        let mut is_active = true;
        if self.has_active {
            let (rest, active) = split_at_last_bar(name)?;
            name = rest;
            is_active = match active {
                b"true" => true,
                b"false" => false,
                _ => return None,
            };
        }
        Some(BankRow {
            name,
            user: None,
            is_active,
            shares,
            usage,
            fairshare: b"",
        })
    }

    /// Returns the row of a user from the text after the bank's name: blanks to the column's end, user, numbers.
    fn user_columns<'a>(self, name: &'a [u8], rest: &'a [u8], depth: usize) -> Option<BankRow<'a>> {
        let padding = WIDTH.saturating_sub(depth + width(name));
        let (blanks, rest) = rest.split_at_checked(padding)?;
        if indent(blanks) < padding {
            return None;
        }
        // A name is aligned right in its cell.
        let (user, _) = split_at_width(rest, WIDTH)?;
        if user.ends_with(b" ") {
            return None;
        }
        let split = self.split(rest, user.len(), 3)?;
        let (shares, numbers) = self.shares(split.numbers)?;
        // A stored fair-share is never wider than its column, while usage may be.
        let usage_width = width(numbers).checked_sub(WIDTH)?;
        let (usage, fairshare) = split_at_width(numbers, usage_width)?;
        let user = split.before.trim_ascii();
        let usage = usage.trim_ascii();
        if user.is_empty() || usage.is_empty() {
            return None;
        }
        Some(BankRow {
            name,
            user: Some(user),
            is_active: split.is_active,
            shares: shares.trim_ascii(),
            usage,
            fairshare: fairshare.trim_ascii(),
        })
    }

    /// Reads the row of a bank, which has no user and nothing after its usage.
    fn bank_columns(self, line: &[u8], depth: usize) -> Option<BankRow<'_>> {
        let line = line.trim_ascii_end();
        let mut last = line.len();
        for at in 0..line.len() {
            if active_at(line, at).is_some() {
                last = at;
            }
        }
        let split = self.split(line, last, 2)?;
        let name = split.before.get(depth..)?.trim_ascii_end();
        let (shares, usage) = self.shares(split.numbers)?;
        let row = BankRow {
            name,
            user: None,
            is_active: split.is_active,
            shares: shares.trim_ascii(),
            usage: usage.trim_ascii(),
            fairshare: b"",
        };
        for cell in [row.name, row.shares, row.usage] {
            if cell.is_empty() {
                return None;
            }
        }
        Some(row)
    }

    /// Splits a text at the first active cell from a position on, or without such a column before so many words.
    fn split(self, text: &[u8], from: usize, words: usize) -> Option<SplitRow<'_>> {
        if !self.has_active {
            let (before, numbers) = split_before_words(text, words)?;
            return Some(SplitRow {
                before,
                is_active: true,
                numbers,
            });
        }
        for at in from..text.len() {
            if let Some(is_active) = active_at(text, at) {
                return Some(SplitRow {
                    before: &text[..at],
                    is_active,
                    numbers: &text[at + WIDTH..],
                });
            }
        }
        None
    }

    /// Returns the cell of shares, which are never wider than their column, and the text after it.
    fn shares(self, numbers: &[u8]) -> Option<(&[u8], &[u8])> {
        if self.has_active {
            return split_at_width(numbers, WIDTH);
        }
        // The text before these numbers was cut at a blank, so their cells begin where the words do.
        let start = indent(numbers);
        let words = &numbers[start..];
        let length = memchr(b' ', words)?;
        Some(numbers.split_at(start + length))
    }
}

/// Returns the byte between cells.
fn end_of_cell(has_bars: bool) -> u8 {
    if has_bars { b'|' } else { b' ' }
}

/// Splits a text around its last bar, or returns `None` if it has none.
fn split_at_last_bar(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let bar = memrchr(b'|', text)?;
    let (before, after) = text.split_at(bar);
    Some((before, &after[1..]))
}

/// Returns what stands below a heading in small letters; `None` if no column has it.
fn rule(heading: &str) -> Option<ColumnRule> {
    let kind = match heading {
        "bank" | "account" | "username" => CellKind::Name,
        "active" => CellKind::Flag,
        "rawshares" => CellKind::Count,
        "rawusage" => CellKind::Number,
        "fairshare" => CellKind::Portion,
        _ => return None,
    };
    let blank = match heading {
        "username" => 2,
        "fairshare" => 1,
        _ => 20,
    };
    Some(ColumnRule::of(kind, blank))
}

/// Returns whether a text is the heading of a column.
pub(in crate::format) fn is_heading(heading: &[u8]) -> bool {
    rule(&plain(heading)).is_some()
}

/// Returns what stands below headings, or `None` if they are not those of this table.
pub(in crate::format) fn rules(headings: &[Vec<u8>]) -> Option<Vec<ColumnRule>> {
    BankTableLayout::of_headings(headings)?;
    let mut rules = Vec::with_capacity(headings.len());
    for (place, heading) in headings.iter().enumerate() {
        rules.push(ColumnRule {
            is_account: place == 0,
            ..rule(&plain(heading))?
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
    let mut width = 0;
    for &byte in text {
        width += usize::from(begins_character(byte));
    }
    width
}

/// Returns whether a byte is the first of a character.
fn begins_character(byte: u8) -> bool {
    byte & 0xc0 != 0x80
}

/// Splits after so many characters, or returns `None` if there are fewer.
fn split_at_width(text: &[u8], characters: usize) -> Option<(&[u8], &[u8])> {
    let mut passed = 0;
    for (at, &byte) in text.iter().enumerate() {
        if !begins_character(byte) {
            continue;
        }
        if passed == characters {
            return Some(text.split_at(at));
        }
        passed += 1;
    }
    if passed < characters {
        return None;
    }
    Some((text, &[]))
}

/// Returns the value of the active cell that begins here, or `None` if none does.
fn active_at(text: &[u8], at: usize) -> Option<bool> {
    match text.get(at..at + WIDTH)? {
        TRUE => Some(true),
        FALSE => Some(false),
        _ => None,
    }
}

/// Splits a text before its last words.
fn split_before_words(text: &[u8], words: usize) -> Option<(&[u8], &[u8])> {
    let mut rest = text.trim_ascii_end();
    for _ in 0..words {
        let blank = memrchr(b' ', rest)?;
        rest = rest[..blank].trim_ascii_end();
    }
    Some(text.split_at(rest.len()))
}
