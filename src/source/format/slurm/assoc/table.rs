//! Reading the rows of a table of associations: their accounts, and what stands above each.

use super::cells::{LineSplit, split};
use super::header::{Column, Header, Layout};
use super::{COMMAND, shares_of};
use crate::base::shown::{Shown, cut, sentence, shown, shown_text};
use crate::model::{Fact, Incomplete, NameId, Shares};
use crate::source::format::input::Input;
use crate::source::format::slurm::assemble::some;
use crate::source::format::slurm::rows::{Row, Rows};
use crate::source::format::{Format, Problem, Severity};
use std::collections::{HashMap, HashSet};

/// An account by its cluster and its name.
type AccountKey = (Option<NameId>, NameId);

/// The state of reading a table.
pub(super) struct TableReader {
    pub(super) rows: Rows,
    is_tree: bool,
    accounts: HashSet<NameId>,
    /// The indentation of every account so far.
    depths: HashMap<AccountKey, usize>,
    /// The account of each association of an account, by cluster and number.
    ids: HashMap<(Option<NameId>, u32), NameId>,
    /// Rows of accounts whose parent's number has not occurred yet.
    pending: Vec<(usize, u32)>,
    /// The accounts above the next row, from the top.
    above: Vec<NameId>,
    guessed: Vec<String>,
    cut: Vec<String>,
    with_slash: bool,
    without_association: usize,
}

/// One row's cells, as text.
struct Cells<'a> {
    account: &'a [u8],
    user: &'a [u8],
    partition: &'a [u8],
    parent: &'a [u8],
    minutes: &'a [u8],
    shares: &'a [u8],
    id: u32,
    parent_id: u32,
    left: u32,
}

impl TableReader {
    pub(super) fn new(input: &Input, is_tree: bool) -> Self {
        let mut rows = Rows::new(Format::SacctmgrAssoc, input.name());
        rows.taken = input.modified;
        Self {
            rows,
            is_tree,
            accounts: HashSet::new(),
            depths: HashMap::new(),
            ids: HashMap::new(),
            pending: Vec::new(),
            above: Vec::new(),
            guessed: Vec::new(),
            cut: Vec::new(),
            with_slash: false,
            without_association: 0,
        }
    }

    pub(super) fn read<'a>(
        &mut self,
        line: &'a [u8],
        number: u32,
        header: &Header<'_>,
        cells: &mut Vec<&'a [u8]>,
    ) {
        let (names, accounts) = (&self.rows.names, &self.accounts);
        let is_account = |name: &[u8]| {
            let name = names.find(name);
            name.is_some_and(|name| accounts.contains(&name))
        };
        let outcome = split(line, header, cells, is_account);
        if outcome == LineSplit::Broken {
            self.rows.note(
                Severity::Error,
                "slurm-cells",
                number.into(),
                sentence!(
                    "the line has {} cells and the header {}: {}; it is left out",
                    cells.len(),
                    header.columns.len(),
                    cut(&shown_text(line), 60)
                ),
                "a name contains the separator |, or the line is not of this table; sshare --json shows every name",
            );
            return;
        }
        let is_fixed = matches!(header.layout, Layout::Fixed(_));
        let raw = |column| {
            header
                .place(column)
                .map_or(b"" as &[u8], |place| cells[place])
        };
        let text = |column| {
            if is_fixed {
                raw(column).trim_ascii()
            } else {
                raw(column)
            }
        };
        let count = |column| {
            let text = std::str::from_utf8(text(column)).unwrap_or_default();
            text.parse().unwrap_or(0)
        };
        let account = raw(Column::Account);
        let cells = Cells {
            account: if header.right {
                account.trim_ascii()
            } else if is_fixed {
                account.trim_ascii_end()
            } else {
                account
            },
            user: text(Column::User),
            partition: text(Column::Partition),
            parent: text(Column::ParentName),
            minutes: text(Column::Minutes),
            shares: text(Column::Share).trim_ascii(),
            id: count(Column::Id),
            parent_id: count(Column::ParentId),
            left: count(Column::Left),
        };
        let cluster = text(Column::Cluster);
        if cells.account.trim_ascii().is_empty() {
            self.rows.note(
                Severity::Error,
                "slurm-row-without-account",
                number.into(),
                "the line names no account, so it is left out",
                COMMAND,
            );
            return;
        }
        let is_empty = |column| header.place(column).is_some() && text(column).is_empty();
        let is_root = cells.account.trim_ascii() == b"root";
        // An account outside every cluster has no association, and so neither shares nor a parent.
        let is_nowhere = header.place(Column::Cluster).is_none()
            && !is_root
            && is_empty(Column::Share)
            && is_empty(Column::ParentName);
        if is_empty(Column::Cluster) || is_nowhere {
            self.without_association += 1;
            return;
        }
        let cluster = (!cluster.is_empty()).then(|| self.rows.names.intern(cluster));
        if is_fixed {
            self.note_cut(raw(Column::Account), header, Column::Account);
            self.note_cut(raw(Column::User), header, Column::User);
        }
        self.push(cluster, &cells, number);
        if outcome == LineSplit::Guessed {
            let account = shown(cells.account.trim_ascii());
            self.guessed.push(if cells.user.is_empty() {
                account.into()
            } else {
                format!("{account}/{}", shown(cells.user))
            });
        }
    }

    /// Notes a cell that was cut: it fills its column and ends in a plus.
    fn note_cut(&mut self, cell: &[u8], header: &Header<'_>, column: Column) {
        let Layout::Fixed(places) = &header.layout else {
            return;
        };
        let width = header.place(column).map(|place| places[place].len());
        if Some(cell.len()) == width && cell.ends_with(b"+") {
            self.cut.push(shown(cell.trim_ascii()).into());
        }
    }

    fn push(&mut self, cluster: Option<NameId>, cells: &Cells<'_>, number: u32) {
        let row = if cells.user.is_empty() {
            self.account(cluster, cells)
        } else {
            let account = self.account_of_user(cells.account);
            let user = self.rows.names.intern(cells.user);
            Row::new(account, Some(user))
        };
        let has_partition = row.user.is_some() && !cells.partition.is_empty();
        let row = Row {
            cluster,
            partition: has_partition.then(|| self.rows.names.intern(cells.partition)),
            id: cells.id,
            left: cells.left,
            shares: self.shares(cells.shares, number),
            line: number,
            ..row
        };
        self.rows.rows.push(row);
        if !cells.minutes.is_empty() {
            self.rows
                .text(Fact::GrpTresMins, &String::from_utf8_lossy(cells.minutes));
        }
    }

    /// Returns the row of an account. It has as many blanks before its name as its depth; more belong to the name.
    fn account(&mut self, cluster: Option<NameId>, cells: &Cells<'_>) -> Row {
        let indent = blanks(cells.account);
        let mut parent = None;
        if !cells.parent.is_empty() {
            parent = Some(self.rows.names.intern(cells.parent));
        } else if cells.parent_id > 0 {
            parent = self.ids.get(&(cluster, cells.parent_id)).copied();
            if parent.is_none() {
                self.pending.push((self.rows.rows.len(), cells.parent_id));
            }
        }
        let mut name = cells.account;
        let mut depth = 0;
        if self.is_tree {
            let known = parent.and_then(|parent| self.depths.get(&(cluster, parent)).copied());
            match (known, parent) {
                (Some(above), Some(parent)) => self.above.resize(indent.min(above + 1), parent),
                _ => self.above.truncate(indent),
            }
            depth = self.above.len();
            name = &cells.account[depth..];
            if parent.is_none() && cells.parent_id == 0 {
                parent = self.above.last().copied();
                self.with_slash |= name.contains(&b'/');
            }
        }
        let name = self.rows.names.intern(name);
        if self.is_tree {
            self.above.push(name);
        }
        self.accounts.insert(name);
        self.depths.entry((cluster, name)).or_insert(depth);
        if cells.id > 0 {
            self.ids.insert((cluster, cells.id), name);
        }
        Row {
            parent,
            ..Row::new(name, None)
        }
    }

    /// Returns the account that the row of a user repeats.
    fn account_of_user(&mut self, cell: &[u8]) -> NameId {
        if !self.is_tree {
            return self.rows.names.intern(cell);
        }
        // Usually it is the last one, whose name may begin with blanks itself.
        if let Some(&last) = self.above.last()
            && cell.get(self.above.len()..) == Some(self.rows.names.names().bytes(last))
        {
            return last;
        }
        self.rows.names.intern(&cell[blanks(cell)..])
    }

    fn shares(&mut self, text: &[u8], number: u32) -> Option<Shares> {
        if text.is_empty() {
            return None;
        }
        let shares = shares_of(text);
        if shares.is_none() {
            self.rows.note(
                Severity::Error,
                "slurm-shares",
                number.into(),
                sentence!(
                    "the shares are {}, which is not a number of shares; 1 is assumed",
                    cut(&shown_text(text), 30)
                ),
                "expected a whole number from 0 to 2147483646, or parent",
            );
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
        if !names_parents && !self.is_tree {
            self.rows.incomplete = Some(Incomplete::WithoutParents);
            self.tell(
                Severity::Warning,
                "slurm-no-parents",
                "it does not show which account is below which, so all are put under root and no user is ranked".into(),
                COMMAND,
            );
        }
        if !self.guessed.is_empty() {
            let names = some(&self.guessed);
            self.tell(
                Severity::Warning,
                "slurm-bar-in-name",
                sentence!("names contain the separator |; their ends were found by the numbers after them: {names}"),
                "compare with sshare --json, which shows every name",
            );
        }
        if !self.cut.is_empty() {
            let names = some(&self.cut);
            self.tell(
                Severity::Warning,
                "slurm-cut-name",
                sentence!("names were longer than their column and are cut: {names}"),
                COMMAND,
            );
        }
        if self.with_slash && !names_parents {
            self.tell(
                Severity::Note,
                "slurm-slash-in-name",
                "a name contains a /, by which Slurm sorts since 23.11, so indentation may show an account under the \
                 wrong one".into(),
                COMMAND,
            );
        }
        if self.without_association > 0 {
            let count = crate::base::number::counted(
                self.without_association,
                "account is shown without a cluster and",
                "accounts are shown without a cluster and",
            );
            self.tell(
                Severity::Note,
                "slurm-no-association",
                sentence!("{count} left out"),
                "compare with sacctmgr show assoc, which lists all associations of a cluster",
            );
        }
        self.rows
    }

    pub(super) fn tell(
        &mut self,
        severity: Severity,
        code: &'static str,
        message: Shown,
        advice: &'static str,
    ) {
        let problem = Problem::about(severity, code, &self.rows.file, message, advice);
        self.rows.problems.push(problem);
    }
}

/// Returns how many blanks a text begins with.
fn blanks(text: &[u8]) -> usize {
    text.iter().take_while(|byte| **byte == b' ').count()
}
