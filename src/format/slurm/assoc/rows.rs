//! The rows of a table of associations: their accounts, and what stands above each.

use super::header::{DividedLine, Header};
use super::problem::AssocProblem;
use super::shares_of;
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence, shown, shown_text};
use crate::format::Format;
use crate::format::input::Input;
use crate::format::problem::Place;
use crate::format::slurm::indentation::{AccountLine, AccountPlace, indent};
use crate::format::slurm::rows::{Row, Rows, some};
use crate::format::slurm::table::SlurmColumn;
use crate::model::{Fact, Incomplete, NameId, Shares};
use std::collections::{HashMap, HashSet};

/// How many cells of a line a message shows at most.
const LINE_CELLS: usize = 60;

/// An account or its number, by cluster.
type InCluster<T> = (Option<NameId>, T);

/// A row of an account whose parent's number has not occurred yet.
struct PendingParent {
    /// The place of the row.
    row: usize,
    /// The number of the parent's association.
    id: u32,
}

/// An account and the blanks in front of it.
struct IndentedAccount {
    /// The account.
    name: NameId,
    /// How many blanks are in front of it.
    indent: usize,
}

/// Reads the rows of a table.
pub(super) struct TableReader<'a> {
    /// What is above the rows.
    header: &'a Header<'a>,
    /// The rows so far.
    pub(super) rows: Rows,
    /// Whether the accounts are indented by their depth.
    is_tree: bool,
    /// The accounts so far.
    accounts: HashSet<NameId>,
    /// The indentation of each account that belongs to its depth.
    depths: HashMap<InCluster<NameId>, usize>,
    /// The account of each association of an account, by its number.
    ids: HashMap<InCluster<u32>, NameId>,
    /// The parents that later rows may have.
    pending: Vec<PendingParent>,
    /// The accounts above the next row.
    line: AccountLine,
    /// The names in rows whose bars were told from those between cells.
    guessed: Vec<String>,
    /// The names that are cut.
    cut: Vec<String>,
    /// Whether a name has a `/` where only the indentation shows the parent.
    has_slash: bool,
    /// The account of the last row of one.
    last_account: Option<IndentedAccount>,
    /// That the row of a user is not deeper than that of its account, of the first such user.
    few_blanks: Option<AssocProblem>,
    /// How many accounts have no association.
    without_association: usize,
}

impl<'a> TableReader<'a> {
    /// Creates a reader of rows below a header.
    pub(super) fn new(input: &Input, header: &'a Header<'a>) -> Self {
        Self {
            header,
            rows: Rows::new(Format::SacctmgrAssoc, input),
            is_tree: header.is_tree(),
            accounts: HashSet::new(),
            depths: HashMap::new(),
            ids: HashMap::new(),
            pending: Vec::new(),
            line: AccountLine::default(),
            guessed: Vec::new(),
            cut: Vec::new(),
            has_slash: false,
            last_account: None,
            few_blanks: None,
            without_association: 0,
        }
    }

    /// Notes a line in whose place there were rows.
    pub(super) fn note_rows_left_out(&mut self, line: &[u8], number: u32) {
        self.line.skip();
        self.rows.incomplete = Some(Incomplete::RowsLeftOut);
        let line = shown_text(line);
        self.report(number, AssocProblem::RowsLeftOut { line });
    }

    /// Reports what is wrong with a line.
    fn report(&mut self, line: u32, problem: AssocProblem) {
        self.rows.problems.report(line, problem);
    }

    /// Returns whether an account of that name was read.
    fn is_account(&self, name: &[u8]) -> bool {
        match self.rows.names.find(name) {
            Some(name) => self.accounts.contains(&name),
            None => false,
        }
    }

    /// Returns whether a line is of an account that has no association.
    fn is_without_association(&self, line: &DividedLine<'_>, account: &[u8]) -> bool {
        if self.header.has(SlurmColumn::Cluster) {
            return line.lacks(SlurmColumn::Cluster);
        }
        // An account outside every cluster has neither shares nor a parent.
        let lacks_shares = line.lacks(SlurmColumn::RawShares);
        let lacks_parent = line.lacks(SlurmColumn::ParentName);
        lacks_shares && lacks_parent && account != b"root"
    }

    /// Reads a line: a row, unless something is wrong with it.
    pub(super) fn read(&mut self, text: &[u8], number: u32) {
        let header = self.header;
        let line = match header.divide(text, |name| self.is_account(name)) {
            Ok(line) => line,
            Err(count) => {
                let problem = AssocProblem::OtherCells {
                    count,
                    columns: header.layout.columns.len(),
                    line: cut_line(text),
                };
                return self.report(number, problem);
            }
        };
        let account = line.account().trim_ascii();
        if account.is_empty() {
            return self.report(number, AssocProblem::NoAccount);
        }
        let has_shares = header.has(SlurmColumn::RawShares);
        if has_shares && header.is_fixed() && line.has_one_text() {
            let line = cut_line(text);
            return self.report(number, AssocProblem::NoRow { line });
        }
        if self.is_without_association(&line, account) {
            self.without_association += 1;
            return;
        }
        for column in [SlurmColumn::Account, SlurmColumn::User] {
            let cell = line.cell(column);
            if header.layout.is_cut(cell, column) {
                let name = shown(cell.trim_ascii());
                self.cut.push(name.into());
            }
        }
        self.add(&line, number);
        if line.is_guessed {
            let user = line.text(SlurmColumn::User);
            let mut name = shown(account);
            if !user.is_empty() {
                let user = shown(user);
                name = sentence!("{name}/{user}");
            }
            self.guessed.push(name.into());
        }
    }

    /// Adds the row of a line.
    fn add(&mut self, line: &DividedLine<'_>, number: u32) {
        let cluster = line.text(SlurmColumn::Cluster);
        let cluster = self.rows.name(cluster);
        let user = line.text(SlurmColumn::User);
        let mut row = if user.is_empty() {
            self.account(line, cluster)
        } else {
            self.user(line, user)
        };
        row.cluster = cluster;
        row.id = line.number(SlurmColumn::Id);
        row.left = line.number(SlurmColumn::Left);
        let shares = line.text(SlurmColumn::RawShares);
        row.shares = self.shares(shares.trim_ascii(), number);
        row.line = number;
        self.rows.rows.push(row);
        let minutes = line.text(SlurmColumn::Recorded(Fact::GrpTresMins));
        let text = String::from_utf8_lossy(minutes);
        self.rows.text(Fact::GrpTresMins, &text);
    }

    /// Returns the row of an account, whose parent may be known by its name or its number. The account has as many blanks
    /// before its name as its depth; more belong to the name.
    fn account(&mut self, line: &DividedLine<'_>, cluster: Option<NameId>) -> Row {
        let parent_id = line.number(SlurmColumn::ParentId);
        let mut parent = self.rows.name(line.text(SlurmColumn::ParentName));
        if parent.is_none() && parent_id > 0 {
            parent = self.ids.get(&(cluster, parent_id)).copied();
            if parent.is_none() {
                let row = self.rows.rows.len();
                self.pending.push(PendingParent { row, id: parent_id });
            }
        }
        let has_parent = parent.is_some() || parent_id > 0;
        let cell = line.account();
        let mut indentation = 0;
        let mut place = AccountPlace::default();
        if self.is_tree {
            indentation = indent(cell);
            place = self.place(indentation, cluster, parent);
        }
        let text = &cell[indentation - place.blanks..];
        let name = self.rows.names.intern(text);
        if self.is_tree {
            self.line.push(place.indent, name);
            self.last_account = Some(IndentedAccount {
                name,
                indent: indentation,
            });
            self.has_slash |= !has_parent && text.contains(&b'/');
        }
        self.accounts.insert(name);
        let depth = self.depths.entry((cluster, name));
        depth.or_insert(place.indent);
        let id = line.number(SlurmColumn::Id);
        if id > 0 {
            self.ids.insert((cluster, id), name);
        }
        let mut row = Row::new(name, None);
        row.parent = if has_parent { parent } else { place.parent };
        row
    }

    /// Returns the place of an account in a tree by its indentation, below its parent if that is known.
    fn place(
        &mut self,
        indent: usize,
        cluster: Option<NameId>,
        parent: Option<NameId>,
    ) -> AccountPlace {
        if let Some(parent) = parent
            && let Some(&depth) = self.depths.get(&(cluster, parent))
        {
            self.line.push(depth, parent);
        }
        let mut place = self.line.place(indent);
        if place.parent.is_none() {
            // The first account of a tree is not indented.
            place.indent = 0;
            place.blanks = indent;
        }
        place
    }

    /// Returns the row of a user.
    fn user(&mut self, line: &DividedLine<'_>, user: &[u8]) -> Row {
        let cell = line.account();
        let account = self.account_of_user(cell);
        let name = self.rows.name(user);
        self.note_few_blanks(cell, account, user);
        let partition = line.text(SlurmColumn::Partition);
        let mut row = Row::new(account, name);
        row.partition = self.rows.name(partition);
        row
    }

    /// Notes a row of a user that is not deeper than that of its account, in a tree.
    fn note_few_blanks(&mut self, cell: &[u8], account: NameId, user: &[u8]) {
        let Some(last) = &self.last_account else {
            return;
        };
        if self.few_blanks.is_some() || last.name != account {
            return;
        }
        if indent(cell) <= last.indent {
            let names = self.rows.names.names();
            let account = shown(names.bytes(account));
            let user = shown(user);
            self.few_blanks = Some(AssocProblem::FewBlanks { user, account });
        }
    }

    /// Returns the account that the row of a user names.
    fn account_of_user(&mut self, cell: &[u8]) -> NameId {
        if !self.is_tree {
            return self.rows.names.intern(cell);
        }
        match self.line.account_of(cell, false, &self.rows.names) {
            Some(account) => account,
            None => self.rows.names.intern(&cell[indent(cell)..]),
        }
    }

    /// Reads shares, and reports those that Slurm refuses.
    fn shares(&mut self, text: &[u8], number: u32) -> Option<Shares> {
        let shares = shares_of(text);
        if shares.is_none() && !text.is_empty() {
            let text = shown_text(text).cut(30);
            self.report(number, AssocProblem::BadShares { text });
        }
        shares
    }

    /// Resolves parents from later rows, and reports what was odd about the whole table.
    pub(super) fn finish(mut self) -> Rows {
        let rows = &mut self.rows;
        for pending in &self.pending {
            let row = &mut rows.rows[pending.row];
            let parent = self.ids.get(&(row.cluster, pending.id));
            row.parent = parent.copied();
        }
        let names_parents = self.header.names_parents();
        if !self.is_tree && !names_parents {
            rows.incomplete = Some(Incomplete::WithoutParents);
            note(rows, AssocProblem::NoParents);
        }
        if let Some(problem) = self.few_blanks.take()
            && !names_parents
        {
            rows.incomplete = Some(Incomplete::WithoutParents);
            note(rows, problem);
        }
        if !self.guessed.is_empty() {
            let names = some(&self.guessed);
            note(rows, AssocProblem::BarInName { names });
        }
        if !self.cut.is_empty() {
            let names = some(&self.cut);
            note(rows, AssocProblem::CutName { names });
        }
        if self.has_slash && !names_parents {
            note(rows, AssocProblem::SlashInName);
        }
        if self.without_association > 0 {
            let count = counted(self.without_association, "account is", "accounts are");
            note(rows, AssocProblem::NoAssociation { count });
        }
        if let Some(start) = repeated_from(rows) {
            let repeated = rows.rows.len() - start;
            let left_out = counted(repeated, "row was", "rows were");
            let line = rows.rows[start].line;
            rows.rows.truncate(start);
            self.report(line, AssocProblem::SameTable { left_out });
        }
        self.rows
    }
}

/// Returns a line as a message shows it.
fn cut_line(line: &[u8]) -> Shown {
    shown_text(line).cut(LINE_CELLS)
}

/// Reports a problem of a whole table.
fn note(rows: &mut Rows, problem: AssocProblem) {
    rows.problems.report(Place::WHOLE, problem);
}

/// Returns the row from which on the rows above are listed once more, as where a table was pasted twice.
fn repeated_from(rows: &Rows) -> Option<usize> {
    let (first, others) = rows.rows.split_first()?;
    let same = others.iter().position(|row| row.says_same(first))?;
    let start = same + 1;
    if !rows.is_repeated_from(start) {
        return None;
    }
    Some(start)
}
