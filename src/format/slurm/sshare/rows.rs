//! Reads the rows of `sshare`, line by line.

use super::header::are_long;
use super::problem::SshareProblem;
use super::{BANNER, Oddities, Oddity, check_columns, figure, note_columns, shares, usage, word};
use crate::base::shown::{shown, shown_text};
use crate::format::input::Input;
use crate::format::input::is_rows_left_out;
use crate::format::slurm::indentation::{AccountLine, indent};
use crate::format::slurm::rows::{Row, Rows};
use crate::format::slurm::table::{
    Command, LineForm, LineSplit, SlurmColumn, TableLayout, is_ruler, joined,
};
use crate::format::text::parsed;
use crate::format::{Format, LoadResult};
use crate::model::{Fact, Incomplete, NameId, Usage, UsagePrecision};
use crate::rules::policy::Policy;
use std::collections::HashMap;

const SHOWN: usize = 60;

/// How many bars the names of a row may have.
const MOST_BARS: usize = 64;

/// The policies that cells reveal, the most certain last.
const REVEALED: [Policy; 3] = [Policy::Classic, Policy::LevelBased, Policy::FairTree];

/// An account with more blanks before it than levels: its parent is not above it, or its name begins with blanks.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeepAccount {
    pub(super) row: usize,
    pub(super) indent: usize,
}

#[derive(Debug)]
pub(super) struct RowReader {
    pub(super) rows: Rows,
    pub(super) layout: TableLayout,
    /// The number of lines before the first header; `None` if there is none.
    header: Option<usize>,
    first_header: Option<Vec<u8>>,
    may_be_header: bool,
    may_be_ruler: bool,
    line: AccountLine,
    /// Each account's indentation; 0 for users.
    pub(super) levels: Vec<u32>,
    /// The cluster of the last banner.
    cluster: Option<NameId>,
    /// Accounts whose names were cut, each with the number of accounts cut to it.
    cut_accounts: HashMap<(Option<NameId>, NameId), u32>,
    pub(super) deep: Vec<DeepAccount>,
    pub(super) odd: Oddities,
    /// Whether a cell of an account in a column of fixed width ends where the column ends, and whether one does not.
    pub(super) alignment: [bool; 2],
    /// The first row of a user that is not deeper than that of its account.
    pub(super) first_level_user: Option<usize>,
    /// The account of the last row of one, and its indentation.
    last_account: Option<(NameId, usize)>,
    /// The line of a second header without a banner, and the number of rows before it.
    pub(super) second_table: Option<(u64, usize)>,
    /// How many rows did not fit the columns.
    pub(super) left_out: usize,
    /// The most certain policy that cells reveal.
    revealed: Option<Policy>,
    /// Whether TRESRunMins are in the form of Slurm since 15.08.
    has_tres: bool,
}

impl RowReader {
    pub(super) fn new(input: &Input, layout: TableLayout, header: Option<usize>) -> Self {
        let mut rows = Rows::new(Format::Sshare, input);
        rows.usage_precision = UsagePrecision::Whole;
        Self {
            rows,
            layout,
            header,
            first_header: None,
            may_be_header: header.is_some(),
            may_be_ruler: false,
            line: AccountLine::default(),
            levels: Vec::new(),
            cluster: None,
            cut_accounts: HashMap::new(),
            deep: Vec::new(),
            odd: Oddities::default(),
            alignment: [false; 2],
            first_level_user: None,
            last_account: None,
            second_table: None,
            left_out: 0,
            revealed: None,
            has_tres: false,
        }
    }

    /// Reads a line. The text below begins with all of the next line.
    pub(super) fn read(&mut self, number: u64, line: &[u8], below: &[u8]) -> LoadResult<()> {
        let line = line.trim_ascii_end();
        if line.is_empty() {
            self.may_be_header = self.header.is_some();
            return Ok(());
        }
        let banner = line.strip_prefix(BANNER);
        if self.rows.rows.is_empty() && line[0] == b'#' {
            return Ok(());
        }
        let is_above = self.header.is_some_and(|header| number <= header as u64);
        if is_above && banner.is_none() {
            let line = shown_text(line);
            let problem = SshareProblem::AboveHeader { line };
            self.rows.problems.report(number, problem);
            return Ok(());
        }
        if self.may_be_header || self.first_header.as_deref() == Some(line) {
            let below = below.split(|&byte| byte == b'\n').next();
            if let Some(layout) = TableLayout::of_header(Command::Sshare, line, below) {
                check_columns(&self.rows.file, &layout)?;
                note_columns(&mut self.rows.problems, &layout, number);
                self.layout = layout;
                self.line.clear();
                if self.cluster.is_none() && !self.rows.rows.is_empty() {
                    self.second_table
                        .get_or_insert((number, self.rows.rows.len()));
                }
                self.first_header.get_or_insert_with(|| line.to_vec());
                (self.may_be_header, self.may_be_ruler) = (false, true);
                return Ok(());
            }
        }
        self.may_be_header = banner.is_some() && self.header.is_some();
        if std::mem::take(&mut self.may_be_ruler) && is_ruler(line) {
            return Ok(());
        }
        if let Some(name) = banner {
            self.cluster = Some(self.rows.names.intern(name.trim_ascii()));
            self.line.clear();
        } else if is_rows_left_out(line) {
            self.line.skip();
            self.rows.incomplete = Some(Incomplete::RowsLeftOut);
            let line = shown_text(line);
            let problem = SshareProblem::RowsLeftOut { line };
            self.rows.problems.report(number, problem);
        } else {
            self.row(number, line);
        }
        Ok(())
    }

    fn row(&mut self, number: u64, text: &[u8]) {
        let mut cells = Vec::with_capacity(self.layout.columns.len());
        match self.layout.divide(text, &mut cells) {
            LineSplit::Whole => {}
            LineSplit::Many(count) => {
                let is_account = |name: &[u8]| self.line.holds(name, &self.rows.names);
                let may_be_names = count <= self.layout.columns.len() + MOST_BARS;
                let joined = (may_be_names && count == cells.len())
                    .then(|| joined(text, &cells, &self.layout, is_account))
                    .flatten();
                match joined {
                    Some(joined) => cells = joined,
                    None => return self.leave_out(number, text, &format!("it has {count} cells")),
                }
            }
            LineSplit::Few(count) => {
                let is_missing = |column| self.layout.place(column) >= Some(count);
                if is_missing(SlurmColumn::Account)
                    || is_missing(SlurmColumn::User)
                    || is_missing(SlurmColumn::RawShares)
                {
                    return self.leave_out(number, text, &format!("it has {count} cells"));
                }
                let columns = self.layout.columns.len();
                let problem = SshareProblem::FewCells { count, columns };
                self.rows.problems.report(number, problem);
            }
            LineSplit::Across => return self.leave_out(number, text, "a cell spans two columns"),
        }
        match self.association(number, &cells) {
            Some((row, level)) => self.add(number, row, level, &cells),
            None => self.leave_out(number, text, "it names no account"),
        }
    }

    fn leave_out(&mut self, number: u64, text: &[u8], what: &str) {
        self.left_out += 1;
        let problem = SshareProblem::NoRow {
            columns: self.layout.columns.len(),
            what: what.to_owned(),
            line: shown_text(&text[..text.len().min(SHOWN)]),
        };
        self.rows.problems.report(number, problem);
    }

    /// Returns the row of a line's account or user, of which the names are known, and the level of an account; `None`
    /// if the line names no account.
    fn association(&mut self, number: u64, cells: &[&[u8]]) -> Option<(Row, u32)> {
        let mut account = self.layout.cell(cells, SlurmColumn::Account);
        let mut user = self.layout.cell(cells, SlurmColumn::User);
        if matches!(self.layout.form, LineForm::Fixed(_)) {
            let is_flush = account.last().is_some_and(|&byte| byte != b' ');
            self.alignment[usize::from(!is_flush)] = true;
            (account, user) = (account.trim_ascii_end(), user.trim_ascii());
        }
        if user.is_empty() {
            let has_name = !account.trim_ascii().is_empty();
            return has_name.then(|| self.account(number, account));
        }
        let is_cut = self.layout.is_cut(account, SlurmColumn::Account);
        let known = self.line.account_of(account, is_cut, &self.rows.names);
        let depth = indent(account);
        let account = known.or_else(|| self.rows.name(account.trim_ascii_start()))?;
        if let Some((last, indent)) = self.last_account
            && last == account
            && depth <= indent
        {
            self.first_level_user.get_or_insert(self.rows.rows.len());
        }
        if self.layout.is_cut(user, SlurmColumn::User) {
            self.odd.add(Oddity::Cut, number, user);
        }
        let user = self.rows.name(user);
        Some((Row::new(account, user), 0))
    }

    fn add(&mut self, number: u64, mut row: Row, level: u32, cells: &[&[u8]]) {
        row.line = u32::try_from(number).unwrap_or(0);
        row.cluster = self.cluster;
        let all = self.layout.columns.iter().zip(cells);
        let all = all.map(|(&column, cell)| (column, cell.trim_ascii()));
        // It grows once: this is done for every row.
        let mut columns = Vec::with_capacity(cells.len());
        columns.extend(all.filter(|(_, cell)| !cell.is_empty()));
        for &(column, cell) in &columns {
            match column {
                SlurmColumn::Cluster => row.cluster = self.rows.name(cell),
                SlurmColumn::Partition => row.partition = self.rows.name(cell),
                SlurmColumn::Id => row.id = parsed(cell).unwrap_or(0),
                SlurmColumn::RawShares => row.shares = shares(cell),
                SlurmColumn::RawUsage => row.usage = usage(cell).map_or(Usage::NONE, Usage::new),
                _ => continue,
            }
            let is_read = match column {
                SlurmColumn::Id => parsed::<u32>(cell).is_some(),
                SlurmColumn::RawShares => row.shares.is_some(),
                SlurmColumn::RawUsage => row.usage.amount().is_some(),
                _ => true,
            };
            if !is_read {
                self.note_number(number, column, cell);
            }
        }
        self.rows.rows.push(row);
        self.levels.push(level);
        let is_account = row.user.is_none();
        let is_root = is_account && self.rows.names.names().bytes(row.account) == b"root";
        for (column, cell) in columns {
            if let SlurmColumn::Recorded(fact) = column
                && !self.record(fact, cell, is_account, is_root)
            {
                self.note_number(number, column, cell);
            }
        }
    }

    /// Records a cell of the last row, and what it reveals of the policy. Returns false if it should be a number.
    fn record(&mut self, fact: Fact, cell: &[u8], is_account: bool, is_root: bool) -> bool {
        let revealed = if fact == Fact::FairShareRaw {
            let Some(word) = word(cell) else {
                return false;
            };
            self.rows.text(fact, &word);
            Some(Policy::LevelBased)
        } else if !SlurmColumn::Recorded(fact).kind().is_number() {
            self.has_tres |= fact == Fact::TresRunMins && cell.contains(&b'=');
            self.rows.text(fact, &String::from_utf8_lossy(cell));
            None
        } else {
            let Some(figure) = figure(cell) else {
                return false;
            };
            self.rows.figure(fact, figure);
            // Other policies leave these cells empty or 0.
            match fact {
                Fact::LevelFs if figure.value > 0.0 => Some(Policy::FairTree),
                Fact::FairShare if figure.value > 0.0 && is_account => Some(Policy::Classic),
                Fact::NormShares if figure.value >= 1.0 && is_root => Some(Policy::Classic),
                _ => None,
            }
        };
        let certainty = |policy| REVEALED.iter().position(|known| Some(*known) == policy);
        if revealed.is_some() && certainty(revealed) > certainty(self.revealed) {
            self.revealed = revealed;
        }
        true
    }

    fn account(&mut self, number: u64, cell: &[u8]) -> (Row, u32) {
        let depth = indent(cell);
        let place = self.line.place(depth);
        let text = &cell[depth - place.blanks..];
        let mut name = self.rows.names.intern(text);
        if place.blanks > 0 {
            self.deep.push(DeepAccount {
                row: self.rows.rows.len(),
                indent: depth,
            });
        }
        if self.layout.is_cut(cell, SlurmColumn::Account) {
            self.odd.add(Oddity::Cut, number, text);
            let count = self.cut_accounts.entry((self.cluster, name)).or_insert(0);
            *count += 1;
            if *count > 1 {
                let text = [text, count.to_string().as_bytes()].concat();
                name = self.rows.names.intern(&text);
                self.odd.add(Oddity::CutAlike, number, &text);
            }
        }
        self.line.push(place.indent, name);
        self.last_account = Some((name, depth));
        let row = Row {
            parent: place.parent,
            ..Row::new(name, None)
        };
        (row, u32::try_from(place.indent).unwrap_or(u32::MAX))
    }

    fn note_number(&mut self, number: u64, column: SlurmColumn, cell: &[u8]) {
        let problem = SshareProblem::NoNumber {
            cell: shown(&cell[..cell.len().min(SHOWN)]),
            column: column.name(),
        };
        self.rows.problems.report(number, problem);
    }

    pub(super) fn policy(&self) -> Option<Policy> {
        self.revealed.or_else(|| {
            // Since 15.08 the output of -l has LevelFS under Fair Tree.
            let is_classic = self.has_tres && are_long(&self.layout.columns);
            is_classic.then_some(Policy::Classic)
        })
    }
}
