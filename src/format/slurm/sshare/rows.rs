//! Reads the rows of `sshare`, line by line.

use super::cells::{figure, shares, usage, word};
use super::header::{Header, are_long};
use super::oddity::{Oddities, Oddity};
use super::problem::SshareProblem;
use super::{BANNER, REMEDY};
use crate::base::shown::{shown, shown_text};
use crate::format::input::{Input, is_rows_left_out};
use crate::format::problem::Place;
use crate::format::slurm::indentation::{AccountLine, indent};
use crate::format::slurm::rows::{Row, Rows};
use crate::format::slurm::table::{
    Command, LineForm, LineSplit, SlurmColumn, TableLayout, is_ruler,
};
use crate::format::text::{parsed, split};
use crate::format::{Format, LoadResult, Refusal};
use crate::model::{Fact, Incomplete, NameId, UsagePrecision};
use crate::rules::policy::Policy;
use std::collections::HashMap;

/// How many bytes of a line or a cell are quoted.
const SHOWN: usize = 60;

/// How many bars the names of a row may have.
const MOST_BARS: usize = 64;

/// An account with more blanks before it than levels: its parent is not above it, or its name begins with blanks.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeepAccount {
    /// Its row, from 0.
    pub(super) row: usize,
    /// How many blanks are before it.
    pub(super) indent: usize,
}

/// A header below the first one, without a banner.
#[derive(Clone, Copy, Debug)]
pub(super) struct SecondTable {
    /// Its line, from 1.
    pub(super) line: u64,
    /// How many rows are above it.
    pub(super) row: usize,
}

/// The last account with a row of its own.
#[derive(Clone, Copy, Debug)]
struct LastAccount {
    /// Its name.
    name: NameId,
    /// How many blanks are before it.
    indent: usize,
}

/// How the cells of accounts are aligned in a column of fixed width.
#[derive(Clone, Copy, Debug, Default)]
struct AccountAlignment {
    /// Whether a cell ends where the column ends.
    has_flush: bool,
    /// Whether one does not.
    has_padded: bool,
}

/// The rows of an output as they are read.
#[derive(Debug)]
pub(super) struct RowReader {
    /// What was read.
    pub(super) rows: Rows,
    /// The columns of the rows.
    layout: TableLayout,
    /// The number of the current line, from 1.
    number: u64,
    /// The number of lines before the first header; `None` if there is none.
    header: Option<usize>,
    /// The text of the first header, once it was read.
    first_header: Option<Vec<u8>>,
    /// Whether the next line may be a header: the first one, or one behind an empty line or a banner.
    may_be_header: bool,
    /// Whether the line before is a header.
    may_be_ruler: bool,
    /// The accounts above the next row.
    line: AccountLine,
    /// Each account's indentation; 0 for users.
    pub(super) levels: Vec<u32>,
    /// The cluster of the last banner.
    cluster: Option<NameId>,
    /// How many accounts of a cluster were cut to a name.
    cut_accounts: HashMap<(Option<NameId>, NameId), u32>,
    /// The accounts with more blanks before them than levels.
    pub(super) deep: Vec<DeepAccount>,
    /// The names that may not be what they seem.
    pub(super) odd: Oddities,
    /// How accounts are aligned.
    alignment: AccountAlignment,
    /// The first row of a user that is not deeper than that of its account.
    pub(super) first_level_user: Option<usize>,
    /// The account of the last row of one.
    last_account: Option<LastAccount>,
    /// The first header that begins a second table.
    pub(super) second_table: Option<SecondTable>,
    /// How many rows did not fit the columns.
    pub(super) left_out: usize,
    /// The most certain policy that cells reveal.
    revealed: Option<Policy>,
    /// Whether `TRESRunMins` are in the form of Slurm since 15.08.
    has_tres: bool,
}

impl RowReader {
    /// Creates a reader that has read nothing yet.
    pub(super) fn new(input: &Input, header: Header) -> Self {
        let mut rows = Rows::new(Format::Sshare, input);
        rows.usage_precision = UsagePrecision::Whole;
        Self {
            rows,
            layout: header.layout,
            number: 0,
            header: header.line,
            first_header: None,
            may_be_header: header.line.is_some(),
            may_be_ruler: false,
            line: AccountLine::default(),
            levels: Vec::new(),
            cluster: None,
            cut_accounts: HashMap::new(),
            deep: Vec::new(),
            odd: Oddities::default(),
            alignment: AccountAlignment::default(),
            first_level_user: None,
            last_account: None,
            second_table: None,
            left_out: 0,
            revealed: None,
            has_tres: false,
        }
    }

    /// Reports which columns were found, if there is no header.
    pub(super) fn note_guess(&mut self) {
        if self.header.is_none() {
            let mut names = Vec::new();
            for column in &self.layout.columns {
                names.push(column.name());
            }
            let columns = names.join(", ");
            let problem = SshareProblem::NoHeader { columns };
            self.rows.problems.report(Place::WHOLE, problem);
        }
    }

    /// Returns whether accounts are aligned right, so that no indentation is visible.
    pub(super) fn hides_indentation(&self) -> bool {
        if self.alignment.has_padded {
            return false;
        }
        self.layout.right && self.alignment.has_flush
    }

    /// Reads the next line. The text below begins with all of the line behind it. Fails at a header without accounts or users.
    pub(super) fn read(&mut self, line: &[u8], below: &[u8]) -> LoadResult<()> {
        self.number += 1;
        let text = line.trim_ascii_end();
        if text.is_empty() {
            self.may_be_header = self.header.is_some();
            return Ok(());
        }
        if self.rows.rows.is_empty() && text[0] == b'#' {
            return Ok(());
        }
        let banner = text.strip_prefix(BANNER);
        if let Some(header) = self.header
            && self.number <= header as u64
            && banner.is_none()
        {
            let line = shown_text(text);
            self.report(SshareProblem::AboveHeader { line });
            return Ok(());
        }
        if self.may_be_header || self.first_header.as_deref() == Some(text) {
            let next = split(below, b'\n').next();
            let layout = TableLayout::of_header(Command::Sshare, text, next);
            if let Some(layout) = layout {
                return self.begin_table(text, layout);
            }
        }
        self.may_be_header = banner.is_some() && self.header.is_some();
        let may_be_ruler = self.may_be_ruler;
        self.may_be_ruler = false;
        if may_be_ruler && is_ruler(text) {
            return Ok(());
        }
        if let Some(name) = banner {
            let cluster = self.rows.names.intern(name.trim_ascii());
            self.cluster = Some(cluster);
            self.line.clear();
        } else if is_rows_left_out(text) {
            self.line.skip();
            self.rows.incomplete = Some(Incomplete::RowsLeftOut);
            let line = shown_text(text);
            self.report(SshareProblem::RowsLeftOut { line });
        } else {
            self.row(text);
        }
        Ok(())
    }

    /// Takes over the columns of a header. Fails if it has no accounts or no users.
    fn begin_table(&mut self, text: &[u8], layout: TableLayout) -> LoadResult<()> {
        for column in [SlurmColumn::Account, SlurmColumn::User] {
            if !layout.has(column) {
                let name = column.name();
                let what =
                    format!("has no column {name}, so accounts and users cannot be told apart");
                let advice = format!("add {name} to -o, or {REMEDY}");
                return Err(Refusal::does(&self.rows.file, &what, &advice).into());
            }
        }
        if !layout.has(SlurmColumn::RawShares) {
            self.report(SshareProblem::NoShares);
            self.rows.incomplete = Some(Incomplete::WithoutShares);
        }
        for name in layout.unknown() {
            let name = shown(name);
            self.report(SshareProblem::UnknownColumn { name });
        }
        self.layout = layout;
        self.line.clear();
        let row = self.rows.rows.len();
        if self.cluster.is_none() && row > 0 && self.second_table.is_none() {
            let line = self.number;
            self.second_table = Some(SecondTable { line, row });
        }
        if self.first_header.is_none() {
            self.first_header = Some(text.to_vec());
        }
        self.may_be_header = false;
        self.may_be_ruler = true;
        Ok(())
    }

    /// Reads the row of an association, or leaves it out.
    fn row(&mut self, text: &[u8]) {
        let layout = &self.layout;
        let columns = layout.columns.len();
        let mut cells = Vec::with_capacity(columns);
        let is_account = |name: &[u8]| self.line.holds(name, &self.rows.names);
        let division = layout.divide_with_bars(text, MOST_BARS, &mut cells, &is_account);
        match division {
            LineSplit::Whole | LineSplit::Joined => {}
            LineSplit::Few(count) if self.has_needed(count) => {
                self.report(SshareProblem::FewCells { count, columns });
            }
            LineSplit::Few(count) | LineSplit::Many(count) => {
                let what = format!("it has {count} cells");
                return self.leave_out(text, what);
            }
            LineSplit::Across => {
                let what = "a cell spans two columns".to_owned();
                return self.leave_out(text, what);
            }
        }
        if !self.association(&cells) {
            let what = "it names no account".to_owned();
            self.leave_out(text, what);
        }
    }

    /// Returns whether the columns that each row needs are among the first ones.
    fn has_needed(&self, count: usize) -> bool {
        let needed = [
            SlurmColumn::Account,
            SlurmColumn::User,
            SlurmColumn::RawShares,
        ];
        for column in needed {
            if let Some(place) = self.layout.place(column)
                && place >= count
            {
                return false;
            }
        }
        true
    }

    /// Reports a problem of the current line.
    fn report(&mut self, problem: SshareProblem) {
        self.rows.problems.report(self.number, problem);
    }

    /// Reports a line that is no row.
    fn leave_out(&mut self, text: &[u8], what: String) {
        self.left_out += 1;
        let columns = self.layout.columns.len();
        let length = text.len().min(SHOWN);
        let line = shown_text(&text[..length]);
        self.report(SshareProblem::NoRow {
            columns,
            what,
            line,
        });
    }

    /// Adds the row of a line's account or user. Returns false if the line names no account.
    fn association(&mut self, cells: &[&[u8]]) -> bool {
        let mut account = self.layout.cell(cells, SlurmColumn::Account);
        let mut user = self.layout.cell(cells, SlurmColumn::User);
        if matches!(self.layout.form, LineForm::Fixed(_)) {
            match account.last() {
                None | Some(b' ') => self.alignment.has_padded = true,
                Some(_) => self.alignment.has_flush = true,
            }
            account = account.trim_ascii_end();
            user = user.trim_ascii();
        }
        if !user.is_empty() {
            let Some(row) = self.user(account, user) else {
                return false;
            };
            self.add(row, 0, cells);
        } else if !account.trim_ascii().is_empty() {
            self.account(account, cells);
        } else {
            return false;
        }
        true
    }

    /// Returns the row of a user, of which the names are known; `None` if its account has no name.
    fn user(&mut self, cell: &[u8], user: &[u8]) -> Option<Row> {
        let is_cut = self.layout.is_cut(cell, SlurmColumn::Account);
        let names = &self.rows.names;
        let account = match self.line.account_of(cell, is_cut, names) {
            Some(account) => account,
            None => self.rows.name(cell.trim_ascii_start())?,
        };
        if let Some(last) = self.last_account
            && last.name == account
            && indent(cell) <= last.indent
            && self.first_level_user.is_none()
        {
            let row = self.rows.rows.len();
            self.first_level_user = Some(row);
        }
        if self.layout.is_cut(user, SlurmColumn::User) {
            self.odd.add(Oddity::Cut, self.number, user);
        }
        let name = self.rows.name(user);
        Some(Row::new(account, name))
    }

    /// Adds the row of an account.
    fn account(&mut self, cell: &[u8], cells: &[&[u8]]) {
        let indent = indent(cell);
        let place = self.line.place(indent);
        let text = &cell[indent - place.blanks..];
        let mut name = self.rows.names.intern(text);
        if place.blanks > 0 {
            let row = self.rows.rows.len();
            self.deep.push(DeepAccount { row, indent });
        }
        if self.layout.is_cut(cell, SlurmColumn::Account) {
            self.odd.add(Oddity::Cut, self.number, text);
            name = self.number_cut(text, name);
        }
        self.line.push(place.indent, name);
        self.last_account = Some(LastAccount { name, indent });
        let mut row = Row::new(name, None);
        row.parent = place.parent;
        let level = u32::try_from(place.indent).unwrap_or(u32::MAX);
        self.add(row, level, cells);
    }

    /// Returns the name of an account that was cut, with a number if another one was cut to the same text.
    fn number_cut(&mut self, text: &[u8], name: NameId) -> NameId {
        let key = (self.cluster, name);
        let count = self.cut_accounts.entry(key).or_insert(0);
        *count += 1;
        if *count == 1 {
            return name;
        }
        let number = count.to_string();
        let numbered = [text, number.as_bytes()].concat();
        self.odd.add(Oddity::CutAlike, self.number, &numbered);
        self.rows.names.intern(&numbered)
    }

    /// Adds a row of which the names are known, with its cells.
    fn add(&mut self, mut row: Row, level: u32, cells: &[&[u8]]) {
        row.line = u32::try_from(self.number).unwrap_or(0);
        row.cluster = self.cluster;
        for (place, cell) in cells.iter().enumerate() {
            let column = self.layout.columns[place];
            let text = cell.trim_ascii();
            if !self.take(&mut row, column, text) {
                self.note_number(column, text);
            }
        }
        self.rows.rows.push(row);
        self.levels.push(level);
        for (place, cell) in cells.iter().enumerate() {
            let column = self.layout.columns[place];
            let text = cell.trim_ascii();
            if let SlurmColumn::Recorded(fact) = column
                && !self.record(&row, fact, text)
            {
                self.note_number(column, text);
            }
        }
    }

    /// Takes over a cell of a row, unless it is recorded beside it. Returns false if it should be a number.
    fn take(&mut self, row: &mut Row, column: SlurmColumn, cell: &[u8]) -> bool {
        if cell.is_empty() {
            return true;
        }
        match column {
            SlurmColumn::Cluster => row.cluster = self.rows.name(cell),
            SlurmColumn::Partition => row.partition = self.rows.name(cell),
            SlurmColumn::Id => {
                let id = parsed(cell);
                row.id = id.unwrap_or(0);
                return id.is_some();
            }
            SlurmColumn::RawShares => {
                row.shares = shares(cell);
                return row.shares.is_some();
            }
            SlurmColumn::RawUsage => {
                row.usage = usage(cell);
                return row.usage.amount().is_some();
            }
            _ => {}
        }
        true
    }

    /// Records a cell of the last row, and what it reveals of the policy. Returns false if it should be a number.
    fn record(&mut self, row: &Row, fact: Fact, cell: &[u8]) -> bool {
        if cell.is_empty() {
            return true;
        }
        if fact == Fact::FairShareRaw {
            let Some(word) = word(cell) else {
                return false;
            };
            self.rows.text(fact, &word);
            self.reveal(Policy::LevelBased);
            return true;
        }
        if !SlurmColumn::Recorded(fact).kind().is_number() {
            if fact == Fact::TresRunMins && cell.contains(&b'=') {
                self.has_tres = true;
            }
            let text = String::from_utf8_lossy(cell);
            self.rows.text(fact, &text);
            return true;
        }
        let Some(figure) = figure(cell) else {
            return false;
        };
        self.rows.figure(fact, figure);
        // Other policies leave these cells empty or 0.
        let is_account = row.user.is_none();
        let is_classic = match fact {
            Fact::LevelFs if figure.value > 0.0 => {
                self.reveal(Policy::FairTree);
                false
            }
            Fact::FairShare => is_account && figure.value > 0.0,
            Fact::NormShares => is_account && figure.value >= 1.0 && self.is_root(row),
            _ => false,
        };
        if is_classic {
            self.reveal(Policy::Classic);
        }
        true
    }

    /// Returns whether a row is of the account root.
    fn is_root(&self, row: &Row) -> bool {
        let names = self.rows.names.names();
        names.bytes(row.account) == b"root"
    }

    /// Notes a policy that a cell reveals, unless a more certain one is known.
    fn reveal(&mut self, policy: Policy) {
        let is_more_certain = match self.revealed {
            None | Some(Policy::Classic) => true,
            Some(Policy::LevelBased) => policy == Policy::FairTree,
            Some(_) => false,
        };
        if is_more_certain {
            self.revealed = Some(policy);
        }
    }

    /// Reports a cell that should be a number.
    fn note_number(&mut self, column: SlurmColumn, text: &[u8]) {
        let length = text.len().min(SHOWN);
        let cell = shown(&text[..length]);
        let column = column.name();
        self.report(SshareProblem::NoNumber { cell, column });
    }

    /// Returns the policy that cells and columns reveal; `None` if they do not.
    pub(super) fn policy(&self) -> Option<Policy> {
        let is_unknown = self.revealed.is_none() && self.has_tres;
        // Since 15.08 the output of -l has LevelFS under Fair Tree.
        if is_unknown && are_long(&self.layout.columns) {
            return Some(Policy::Classic);
        }
        self.revealed
    }
}
