//! The rows of a table of associations: their accounts, and what stands above each.

use super::problem::AssocProblem;
use super::{Header, divide, shares_of};
use crate::base::number::counted;
use crate::base::shown::{cut, shown, shown_text};
use crate::format::Format;
use crate::format::input::Input;
use crate::format::problem::Place;
use crate::format::slurm::indentation::{AccountLine, AccountPlace, indent};
use crate::format::slurm::rows::{Row, Rows, some};
use crate::format::slurm::table::{LineForm, SlurmColumn};
use crate::format::text::parsed;
use crate::model::{Fact, Incomplete, NameId, Shares};
use std::collections::{HashMap, HashSet};

type AccountKey = (Option<NameId>, NameId);

#[derive(Default)]
pub(super) struct TableReader {
    pub(super) rows: Rows,
    is_tree: bool,
    accounts: HashSet<NameId>,
    depths: HashMap<AccountKey, usize>,
    /// The account of each association of an account, by cluster and number.
    ids: HashMap<(Option<NameId>, u32), NameId>,
    /// Rows of accounts whose parent's number has not occurred yet.
    pending: Vec<(usize, u32)>,
    line: AccountLine,
    guessed: Vec<String>,
    cut: Vec<String>,
    with_slash: bool,
    /// The account of the last row of one, and its indentation.
    last_account: Option<(NameId, usize)>,
    /// That the row of a user is not deeper than that of its account, of the first such user.
    few_blanks: Option<AssocProblem>,
    without_association: usize,
}

impl TableReader {
    pub(super) fn new(input: &Input, is_tree: bool) -> Self {
        Self {
            rows: Rows::new(Format::SacctmgrAssoc, input),
            is_tree,
            ..Self::default()
        }
    }

    /// Notes a line in whose place there were rows.
    pub(super) fn note_rows_left_out(&mut self, line: &[u8], number: u32) {
        self.line.skip();
        self.rows.incomplete = Some(Incomplete::RowsLeftOut);
        let line = shown_text(line);
        let problem = AssocProblem::RowsLeftOut { line };
        self.rows.problems.report(number, problem);
    }

    pub(super) fn read(&mut self, header: &Header<'_>, line: &[u8], number: u32) {
        let layout = &header.layout;
        let mut cells = Vec::with_capacity(layout.columns.len());
        let is_account = |name: &[u8]| {
            let name = self.rows.names.find(name);
            name.is_some_and(|name| self.accounts.contains(&name))
        };
        let is_guessed = match divide(line, layout, &mut cells, is_account) {
            Ok(is_guessed) => is_guessed,
            Err(count) => {
                let problem = AssocProblem::OtherCells {
                    count,
                    columns: layout.columns.len(),
                    line: cut(&shown_text(line), 60).into_owned(),
                };
                return self.rows.problems.report(number, problem);
            }
        };
        let is_fixed = matches!(layout.form, LineForm::Fixed(_));
        let text = |column| {
            let cell = layout.cell(&cells, column);
            if is_fixed { cell.trim_ascii() } else { cell }
        };
        let is_empty = |column| header.has(column) && text(column).is_empty();
        let account = match layout.cell(&cells, SlurmColumn::Account) {
            account if layout.right => account.trim_ascii(),
            account if is_fixed => account.trim_ascii_end(),
            account => account,
        };
        if account.trim_ascii().is_empty() {
            let problem = AssocProblem::NoAccount;
            return self.rows.problems.report(number, problem);
        }
        let is_alone = cells
            .iter()
            .filter(|cell| !cell.trim_ascii().is_empty())
            .count()
            == 1;
        if is_fixed && is_alone && header.has(SlurmColumn::RawShares) {
            let line = cut(&shown_text(line), 60).into_owned();
            let problem = AssocProblem::NoRow { line };
            return self.rows.problems.report(number, problem);
        }
        // An account outside every cluster has no association, and so neither shares nor a parent.
        let is_nowhere = !header.has(SlurmColumn::Cluster)
            && account.trim_ascii() != b"root"
            && is_empty(SlurmColumn::RawShares)
            && is_empty(SlurmColumn::ParentName);
        if is_empty(SlurmColumn::Cluster) || is_nowhere {
            self.without_association += 1;
            return;
        }
        for column in [SlurmColumn::Account, SlurmColumn::User] {
            let cell = layout.cell(&cells, column);
            if layout.is_cut(cell, column) {
                self.cut.push(shown(cell.trim_ascii()).into());
            }
        }
        let user = text(SlurmColumn::User);
        let count = |column| parsed(text(column)).unwrap_or(0);
        let (id, left) = (count(SlurmColumn::Id), count(SlurmColumn::Left));
        let cluster = self.rows.name(text(SlurmColumn::Cluster));
        let row = if user.is_empty() {
            let parent = self.rows.name(text(SlurmColumn::ParentName));
            self.account(cluster, account, parent, count(SlurmColumn::ParentId), id)
        } else {
            let row = Row::new(self.account_of_user(account), self.rows.name(user));
            self.note_few_blanks(account, &row);
            Row {
                partition: self.rows.name(text(SlurmColumn::Partition)),
                ..row
            }
        };
        let shares = self.shares(text(SlurmColumn::RawShares).trim_ascii(), number);
        self.rows.rows.push(Row {
            cluster,
            id,
            left,
            shares,
            line: number,
            ..row
        });
        let minutes = String::from_utf8_lossy(text(SlurmColumn::Recorded(Fact::GrpTresMins)));
        self.rows.text(Fact::GrpTresMins, &minutes);
        if is_guessed {
            let account = shown(account.trim_ascii());
            self.guessed.push(match user {
                [] => account.into(),
                user => format!("{account}/{}", shown(user)),
            });
        }
    }

    /// Returns the row of an account, whose parent may be known by its name or its number. The account has as many blanks
    /// before its name as its depth; more belong to the name.
    fn account(
        &mut self,
        cluster: Option<NameId>,
        cell: &[u8],
        parent: Option<NameId>,
        parent_id: u32,
        id: u32,
    ) -> Row {
        let parent = parent.or_else(|| {
            let parent = self.ids.get(&(cluster, parent_id)).copied();
            if parent.is_none() && parent_id > 0 {
                self.pending.push((self.rows.rows.len(), parent_id));
            }
            parent
        });
        let (name, place) = if self.is_tree {
            if let Some(parent) = parent
                && let Some(&depth) = self.depths.get(&(cluster, parent))
            {
                self.line.push(depth, parent);
            }
            let indent = indent(cell);
            let mut place = self.line.place(indent);
            if place.parent.is_none() {
                // The first account of a tree is not indented.
                (place.indent, place.blanks) = (0, indent);
            }
            let text = &cell[indent - place.blanks..];
            let name = self.rows.names.intern(text);
            self.line.push(place.indent, name);
            self.last_account = Some((name, indent));
            self.with_slash |= parent.is_none() && parent_id == 0 && text.contains(&b'/');
            (name, place)
        } else {
            (self.rows.names.intern(cell), AccountPlace::default())
        };
        self.accounts.insert(name);
        self.depths.entry((cluster, name)).or_insert(place.indent);
        if id > 0 {
            self.ids.insert((cluster, id), name);
        }
        let by_indentation = place.parent.filter(|_| parent_id == 0);
        Row {
            parent: parent.or(by_indentation),
            ..Row::new(name, None)
        }
    }

    /// Notes a row of a user that is not deeper than that of its account, in a tree.
    fn note_few_blanks(&mut self, cell: &[u8], row: &Row) {
        let Some((account, depth)) = self.last_account.filter(|_| self.is_tree) else {
            return;
        };
        if account != row.account || indent(cell) > depth || self.few_blanks.is_some() {
            return;
        }
        let names = self.rows.names.names();
        self.few_blanks = Some(AssocProblem::FewBlanks {
            user: shown(names.bytes(row.user.unwrap_or(account))),
            account: shown(names.bytes(account)),
        });
    }

    fn account_of_user(&mut self, cell: &[u8]) -> NameId {
        if !self.is_tree {
            return self.rows.names.intern(cell);
        }
        let known = self.line.account_of(cell, false, &self.rows.names);
        known.unwrap_or_else(|| self.rows.names.intern(&cell[indent(cell)..]))
    }

    fn shares(&mut self, text: &[u8], number: u32) -> Option<Shares> {
        let shares = shares_of(text);
        if shares.is_none() && !text.is_empty() {
            let text = cut(&shown_text(text), 30).into_owned();
            let problem = AssocProblem::BadShares { text };
            self.rows.problems.report(number, problem);
        }
        shares
    }

    /// Resolves parents from later rows, and reports what was odd about the whole table.
    pub(super) fn finish(mut self, header: &Header<'_>) -> Rows {
        for (place, id) in std::mem::take(&mut self.pending) {
            let row = &mut self.rows.rows[place];
            row.parent = self.ids.get(&(row.cluster, id)).copied();
        }
        let names_parents = header.names_parents();
        let problems = &mut self.rows.problems;
        if !names_parents && !self.is_tree {
            self.rows.incomplete = Some(Incomplete::WithoutParents);
            problems.report(Place::WHOLE, AssocProblem::NoParents);
        } else if let Some(problem) = self.few_blanks.take().filter(|_| !names_parents) {
            problems.report(Place::WHOLE, problem);
        }
        if !self.guessed.is_empty() {
            let names = some(&self.guessed);
            problems.report(Place::WHOLE, AssocProblem::BarInName { names });
        }
        if !self.cut.is_empty() {
            let names = some(&self.cut);
            problems.report(Place::WHOLE, AssocProblem::CutName { names });
        }
        if self.with_slash && !names_parents {
            problems.report(Place::WHOLE, AssocProblem::SlashInName);
        }
        if self.without_association > 0 {
            let count = counted(self.without_association, "account is", "accounts are");
            problems.report(Place::WHOLE, AssocProblem::NoAssociation { count });
        }
        if let Some(start) = self.repeated_from() {
            let left_out = counted(self.rows.rows.len() - start, "row was", "rows were");
            let line = self.rows.rows[start].line;
            let problem = AssocProblem::SameTable { left_out };
            self.rows.problems.report(line, problem);
            self.rows.rows.truncate(start);
        }
        self.rows
    }

    /// Returns the row from which on the rows above are listed once more, as where a table was pasted twice.
    fn repeated_from(&self) -> Option<usize> {
        let rows = &self.rows.rows;
        let first = rows.first()?;
        let is_first = |row: &Row| {
            Row {
                line: first.line,
                ..*row
            } == *first
        };
        let start = 1 + rows[1..].iter().position(is_first)?;
        for (place, row) in rows.iter().enumerate() {
            let above = &rows[place % start];
            if (Row {
                line: row.line,
                ..*above
            }) != *row
            {
                return None;
            }
        }
        rows.len().is_multiple_of(start).then_some(start)
    }
}
