//! The associations of one output.

use crate::base::shown::Shown;
use crate::format::input::Input;
use crate::format::text::first_of;
use crate::format::{Format, Problems};
use crate::model::{
    Fact, Figure, Figures, Incomplete, NameId, NameInterner, Shares, Texts, TieOrder, Usage,
    UsagePrecision,
};
use crate::rules::policy::Policy;
use std::sync::Arc;

const NAMED: usize = 3;

/// The contents of one output.
#[derive(Debug, Default)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub struct Rows {
    pub format: Format,
    pub file: Shown,
    /// The names of accounts, users, partitions and clusters.
    pub names: NameInterner,
    /// The associations, in the order printed.
    pub rows: Vec<Row>,
    /// Numbers that were recorded beside shares and usage, row by row.
    pub figures: Vec<(Fact, Figures)>,
    /// Texts that were recorded, row by row.
    pub texts: Vec<(Fact, Texts)>,
    pub usage_precision: UsagePrecision,
    /// The unit of the usage, if it is not Slurm's: of a period, and not decayed.
    pub usage_unit: Option<String>,
    /// Slurm's version, if the output states it.
    pub version: Option<String>,
    /// When it was printed, in Unix seconds, from the output or the file's time.
    pub taken: Option<i64>,
    /// The policy that the columns reveal: only Fair Tree has a `LevelFS` column.
    pub policy: Option<Policy>,
    /// The order in which Slurm visits associations that tie, if the fields reveal it and no version is stated.
    pub tie_order: Option<TieOrder>,
    /// Why levels cannot be summed, if rows are missing.
    pub incomplete: Option<Incomplete>,
    pub problems: Problems,
    /// The output itself, if it is a dump.
    pub dump: Option<Arc<Vec<u8>>>,
}

/// One association: an account, or a user of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// The cluster, if the output states it.
    pub cluster: Option<NameId>,
    /// The account; for a user its account.
    pub account: NameId,
    /// The user; `None` for the account itself.
    pub user: Option<NameId>,
    /// The partition of a user's association, if it is for one.
    pub partition: Option<NameId>,
    /// The parent of an account, if the output states it; `None` for a user.
    pub parent: Option<NameId>,
    /// Slurm's number of the association, unique in its cluster; 0 if unknown.
    pub id: u32,
    /// Its place in the lists of Slurm up to 23.02, which grows from the newest to the oldest; 0 if unknown.
    pub left: u32,
    /// The raw shares, if the output states them.
    pub shares: Option<Shares>,
    /// The usage, if the output states it.
    pub usage: Usage,
    /// The line, from 1; 0 in formats without lines.
    pub line: u32,
}

impl Row {
    /// Creates an association of which only the names are known.
    pub const fn new(account: NameId, user: Option<NameId>) -> Self {
        Self {
            cluster: None,
            account,
            user,
            partition: None,
            parent: None,
            id: 0,
            left: 0,
            shares: None,
            usage: Usage::NONE,
            line: 0,
        }
    }

    /// Returns the account of a user, or the parent of an account.
    pub(super) fn above(&self) -> Option<NameId> {
        self.user.map_or(self.parent, |_| Some(self.account))
    }

    /// Returns its part of the sum of shares on its level; 0 for `parent`.
    pub(super) fn counted_shares(&self) -> f64 {
        let shares = self.shares.and_then(Shares::count);
        shares.map_or(0.0, |shares| shares as f64)
    }
}

impl Rows {
    /// Creates an output of which nothing is read yet.
    pub fn new(format: Format, input: &Input) -> Self {
        Self {
            format,
            problems: Problems::of(input.name()),
            file: input.name(),
            taken: input.modified,
            ..Self::default()
        }
    }

    /// Returns a name that a row gives; `None` for an empty one.
    pub(super) fn name(&mut self, name: &[u8]) -> Option<NameId> {
        (!name.is_empty()).then(|| self.names.intern(name))
    }

    /// Returns the clusters of the associations; one again where its rows begin again.
    pub(crate) fn clusters(&self) -> impl Iterator<Item = NameId> {
        let blocks = self
            .rows
            .chunk_by(|one, other| one.cluster == other.cluster);
        blocks.filter_map(|block| block[0].cluster)
    }

    /// Returns the recorded numbers of a column by row, or `None` if the output does not have it.
    pub fn figures(&self, fact: Fact) -> Option<&Figures> {
        let mut columns = self.figures.iter();
        columns.find(|(own, _)| *own == fact).map(|(_, own)| own)
    }

    /// Records a number of the row that was added last.
    pub fn figure(&mut self, fact: Fact, figure: Figure) {
        if let Some(last) = self.rows.len().checked_sub(1) {
            column(&mut self.figures, fact).set_at(last, figure);
        }
    }

    /// Records a text of the row that was added last, unless it is empty.
    pub fn text(&mut self, fact: Fact, text: &str) {
        if let Some(last) = self.rows.len().checked_sub(1)
            && !text.is_empty()
        {
            column(&mut self.texts, fact).set_at(last, text);
        }
    }
}

/// Returns a few names of a list, and how many more there are.
pub(super) fn some(names: &[String]) -> String {
    first_of(names, NAMED)
}

/// Returns shares as Slurm stores them, which has a number for `parent`.
pub(super) const fn stored_shares(count: i64) -> Shares {
    match count {
        Shares::STORED_PARENT => Shares::PARENT,
        count => Shares::new(count),
    }
}

/// Returns the column of a fact, adding it if it is new.
fn column<T: Default>(columns: &mut Vec<(Fact, T)>, fact: Fact) -> &mut T {
    let known = columns.iter().position(|(known, _)| *known == fact);
    let place = known.unwrap_or_else(|| {
        columns.push((fact, T::default()));
        columns.len() - 1
    });
    &mut columns[place].1
}
