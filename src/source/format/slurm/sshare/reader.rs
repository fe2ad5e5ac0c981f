//! Reads the rows of `sshare`, line by line.

use super::cells::{self, LineForm, LineSplit};
use super::column::{CellKind, Column, LONG, LONG_WITH_PARTITION};
use super::evidence::{AccountKind, Evidence};
use super::figure::{figure, shares, usage, word};
use super::indent::{AccountLine, DeepAccount, indent};
use super::layout::{BANNER, Layout, is_ruler};
use super::oddities::Oddities;
use crate::base::shown::{Shown, sentence, shown, shown_text};
use crate::model::{Fact, NameId, Usage, UsagePrecision};
use crate::rules::policy::Policy;
use crate::source::format::slurm::rows::{Row, Rows};
use crate::source::format::{Format, Severity};
use std::collections::HashMap;

/// The most bytes of a cell that a message shows.
const SHOWN: usize = 60;

/// The state of reading the rows.
#[derive(Debug)]
pub(super) struct RowReader {
    pub(super) rows: Rows,
    layout: Layout,
    /// The accounts above the next line.
    line: AccountLine,
    /// Each account's indentation; 0 for users.
    pub(super) levels: Vec<u32>,
    /// The cluster of the last banner.
    cluster: Option<NameId>,
    /// Accounts whose names were cut, each with the number of accounts cut to it.
    cut_accounts: HashMap<(Option<NameId>, NameId), u32>,
    /// Accounts with more blanks before them than levels.
    pub(super) deep: Vec<DeepAccount>,
    pub(super) odd: Oddities,
    evidence: Evidence,
    /// Whether a header came and the next line may be its ruler.
    after_header: bool,
}

/// The names of a row.
struct RowNames<'a> {
    account: &'a [u8],
    user: &'a [u8],
    /// The account of a user, if its name was found among those above.
    known: Option<NameId>,
}

impl RowReader {
    pub(super) fn new(file: Shown, layout: Layout) -> Self {
        let mut rows = Rows::new(Format::Sshare, file);
        rows.usage_precision = UsagePrecision::Whole;
        Self {
            rows,
            layout,
            line: AccountLine::default(),
            levels: Vec::new(),
            cluster: None,
            cut_accounts: HashMap::new(),
            deep: Vec::new(),
            odd: Oddities::default(),
            evidence: Evidence::default(),
            after_header: false,
        }
    }

    /// Starts another block with the columns of its header.
    pub(super) fn begin(&mut self, layout: Layout) {
        self.layout = layout;
        self.line.clear();
        self.after_header = true;
    }

    /// Reads a line that is neither header nor empty. `found` is a buffer for cells.
    pub(super) fn read<'a>(&mut self, number: u64, text: &'a [u8], found: &mut Vec<&'a [u8]>) {
        if std::mem::take(&mut self.after_header) && is_ruler(text) {
            return;
        }
        if let Some(name) = text.strip_prefix(BANNER) {
            self.cluster = Some(self.rows.names.intern(name.trim_ascii()));
            self.line.clear();
            return;
        }
        let joined = match cells::divide(text, &self.layout.form, &self.layout.columns, found) {
            LineSplit::Whole => None,
            LineSplit::Many(count) => match self.join(text, count, found) {
                Some(names) => Some(names),
                None => return self.leave_out(number, text, &format!("it has {count} cells")),
            },
            LineSplit::Few(count) => {
                let wanted = [Column::Account, Column::User, Column::RawShares];
                let last = wanted
                    .iter()
                    .filter_map(|&column| self.layout.place(column));
                if last.max().is_some_and(|last| last >= count) {
                    return self.leave_out(number, text, &format!("it has {count} cells"));
                }
                self.rows.note(
                    Severity::Warning,
                    "slurm-row",
                    number,
                    sentence!(
                        "the row has {count} cells; expected {}; missing cells are read as empty",
                        self.layout.columns.len()
                    ),
                    "check whether the line was cut, and print the output again",
                );
                None
            }
            LineSplit::Across => {
                let what = "a cell spans two columns";
                return self.leave_out(number, text, what);
            }
        };
        let names = match joined {
            Some(names) => names,
            None => self.names(found),
        };
        if names.account.trim_ascii().is_empty() && names.known.is_none() {
            return self.leave_out(number, text, "it names no account");
        }
        self.add(number, &names, found);
    }

    fn leave_out(&mut self, number: u64, text: &[u8], what: &str) {
        let start = &text[..text.len().min(SHOWN)];
        self.rows.note(
            Severity::Error,
            "slurm-row",
            number,
            sentence!(
                "the row is not one of {} columns: {what}; it was left out: {}",
                self.layout.columns.len(),
                shown_text(start)
            ),
            "check whether the line was cut or edited; names with odd characters are safe in sshare -a --json",
        );
    }

    fn cell<'a>(&self, found: &[&'a [u8]], column: Column) -> &'a [u8] {
        let place = self.layout.place(column);
        place
            .and_then(|place| found.get(place).copied())
            .unwrap_or_default()
    }

    fn names<'a>(&mut self, found: &[&'a [u8]]) -> RowNames<'a> {
        let account = self.cell(found, Column::Account);
        let user = self.cell(found, Column::User);
        let LineForm::Fixed(_) = self.layout.form else {
            let known = (!user.is_empty())
                .then(|| self.line.account_of(account, false, &self.rows.names))
                .flatten()
                .filter(|(_, rest)| rest.is_empty())
                .map(|(name, _)| name);
            return RowNames {
                account,
                user,
                known,
            };
        };
        self.odd.note_alignment(account);
        let account = account.trim_ascii_end();
        let user = user.trim_ascii();
        let is_cut = self.is_cut(account, Column::Account);
        let known = (!user.is_empty())
            .then(|| self.line.account_of(account, is_cut, &self.rows.names))
            .flatten()
            .filter(|(_, rest)| rest.is_empty())
            .map(|(name, _)| name);
        RowNames {
            account,
            user,
            known,
        }
    }

    /// Returns whether a text fills its column and ends in the `+` for the rest.
    fn is_cut(&self, text: &[u8], column: Column) -> bool {
        let LineForm::Fixed(widths) = &self.layout.form else {
            return false;
        };
        let width = self.layout.place(column).map(|place| widths[place]);
        text.ends_with(b"+") && width.is_some_and(|width| text.len() >= width)
    }

    /// Reads a row with too many cells: there are bars in the names of the account and the user, which are adjacent.
    /// The cells to the right show where both end, and the accounts above show where the account ends.
    fn join<'a>(
        &mut self,
        text: &'a [u8],
        count: usize,
        found: &mut Vec<&'a [u8]>,
    ) -> Option<RowNames<'a>> {
        let account = self.layout.place(Column::Account)?;
        let user = self.layout.place(Column::User)?;
        if user != account + 1 || count != found.len() {
            return None;
        }
        let extra = count - self.layout.columns.len();
        let start = found[..account].iter().map(|cell| cell.len() + 1).sum();
        let length: usize = found[account..=user + extra]
            .iter()
            .map(|cell| cell.len() + 1)
            .sum();
        let both = &text[start..start + length - 1];
        found.drain(account + 1..=account + extra);
        let is_row = self
            .layout
            .columns
            .iter()
            .zip(found.iter())
            .all(|(column, cell)| column.look().fits(cell.trim_ascii()));
        if !is_row {
            return None;
        }
        if let Some(account) = both.strip_suffix(b"|") {
            return Some(RowNames {
                account,
                user: &[],
                known: None,
            });
        }
        if let Some((name, rest)) = self.line.account_of(both, false, &self.rows.names)
            && let Some(user) = rest.strip_prefix(b"|")
        {
            return Some(RowNames {
                account: &both[..both.len() - rest.len()],
                user,
                known: Some(name),
            });
        }
        let bar = both.iter().rposition(|&byte| byte == b'|')?;
        Some(RowNames {
            account: &both[..bar],
            user: &both[bar + 1..],
            known: None,
        })
    }

    /// Adds the row of an account or a user.
    fn add(&mut self, number: u64, names: &RowNames<'_>, found: &[&[u8]]) {
        let line = u32::try_from(number).unwrap_or(0);
        let (mut row, level) = if names.user.is_empty() {
            self.account(number, names.account)
        } else {
            (self.user(number, names), 0)
        };
        row.line = line;
        row.cluster = self.cluster;
        for (&column, cell) in self.layout.columns.iter().zip(found) {
            let cell = cell.trim_ascii();
            if cell.is_empty() {
                continue;
            }
            let is_read = match column {
                Column::Cluster => {
                    row.cluster = Some(self.rows.names.intern(cell));
                    true
                }
                Column::Partition => {
                    row.partition = Some(self.rows.names.intern(cell));
                    true
                }
                Column::Id => {
                    let id = std::str::from_utf8(cell).ok();
                    let id = id.and_then(|id| id.parse().ok());
                    row.id = id.unwrap_or(0);
                    id.is_some()
                }
                Column::RawShares => {
                    row.shares = shares(cell);
                    row.shares.is_some()
                }
                Column::RawUsage => {
                    row.usage = usage(cell).map_or(Usage::NONE, Usage::new);
                    row.usage.amount().is_some()
                }
                _ => true,
            };
            if !is_read {
                note_number(&mut self.rows, number, column, cell);
            }
        }
        self.rows.rows.push(row);
        self.levels.push(level);
        self.record(number, found);
    }

    /// Records the numbers printed beside shares and usage.
    fn record(&mut self, number: u64, found: &[&[u8]]) {
        let row = self.rows.rows.last();
        let account = row.filter(|row| row.user.is_none());
        let account =
            account.map(|row| AccountKind::named(self.rows.names.names().bytes(row.account)));
        for (&column, cell) in self.layout.columns.iter().zip(found) {
            let cell = cell.trim_ascii();
            let Some(fact) = fact(column).filter(|_| !cell.is_empty()) else {
                continue;
            };
            if column == Column::FairShareRaw {
                match word(cell) {
                    Some(word) => {
                        self.evidence.note_word();
                        self.rows.text(fact, &word);
                    }
                    None => note_number(&mut self.rows, number, column, cell),
                }
            } else if column.look() == CellKind::Text {
                self.evidence.note_text(column, cell);
                self.rows.text(fact, &String::from_utf8_lossy(cell));
            } else if let Some(figure) = figure(cell) {
                self.evidence.weigh(column, figure.value, account);
                self.rows.figure(fact, figure);
            } else {
                note_number(&mut self.rows, number, column, cell);
            }
        }
    }

    fn account(&mut self, number: u64, cell: &[u8]) -> (Row, u32) {
        let depth = indent(cell);
        let place = self.line.place(depth);
        let text = &cell[depth - place.blanks..];
        let mut name = self.rows.names.intern(text);
        if place.blanks > 0 {
            self.deep.push(DeepAccount {
                row: self.rows.rows.len(),
                line: number,
                indent: depth,
            });
        }
        if self.is_cut(cell, Column::Account) {
            self.odd.cut.add(number, text);
            let count = self.cut_accounts.entry((self.cluster, name)).or_insert(0);
            *count += 1;
            if *count > 1 {
                let text = [text, count.to_string().as_bytes()].concat();
                name = self.rows.names.intern(&text);
                self.odd.cut_alike.add(number, &text);
            }
        }
        self.line.push(place.indent, name);
        let row = Row {
            parent: place.parent,
            ..Row::new(name, None)
        };
        (row, u32::try_from(place.indent).unwrap_or(u32::MAX))
    }

    fn user(&mut self, number: u64, names: &RowNames<'_>) -> Row {
        let account = match names.known {
            Some(account) => account,
            None => self.rows.names.intern(names.account.trim_ascii_start()),
        };
        if self.is_cut(names.user, Column::User) {
            self.odd.cut.add(number, names.user);
        }
        let user = self.rows.names.intern(names.user);
        Row::new(account, Some(user))
    }

    /// Returns the policy that the columns reveal, or `None`.
    pub(super) fn policy(&self) -> Option<Policy> {
        let columns = &self.layout.columns[..];
        let is_long = columns == LONG || columns == LONG_WITH_PARTITION;
        self.evidence.policy(is_long)
    }

    /// Returns whether the accounts' indentation is lost, because all of them are aligned right.
    pub(super) fn is_flush_right(&self) -> bool {
        self.layout.right && self.odd.is_flush_right()
    }
}

/// Reports a cell that is no number of its column.
fn note_number(rows: &mut Rows, number: u64, column: Column, cell: &[u8]) {
    let cell = shown(&cell[..cell.len().min(SHOWN)]);
    rows.note(
        Severity::Error,
        "slurm-number",
        number,
        sentence!(
            "{cell} in the column {} is not a number that Slurm prints there; the cell is read as empty",
            column.name()
        ),
        "check whether the line was cut or edited",
    );
}

/// Returns the fact recorded of a column, or `None`: a number, or a text whose cells look like one.
const fn fact(column: Column) -> Option<Fact> {
    Some(match column {
        Column::NormShares => Fact::NormShares,
        Column::NormUsage => Fact::NormUsage,
        Column::EffectvUsage => Fact::EffectvUsage,
        Column::LevelFs => Fact::LevelFs,
        Column::FairShare => Fact::FairShare,
        Column::FairShareRaw => Fact::FairShareRaw,
        Column::GrpTresMins => Fact::GrpTresMins,
        Column::GrpTresRaw => Fact::GrpTresRaw,
        Column::TresRunMins => Fact::TresRunMins,
        _ => return None,
    })
}
