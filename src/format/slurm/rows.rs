//! The associations of one output, and what its numbers reveal: its policy, which of its columns have no meaning, and
//! whether users are missing.

mod missing;
mod policy;

pub(super) use missing::note_missing_users;
pub(super) use policy::{
    fills_levels, has_numbers, policy_of_factors, ranks_only_users, settle_policy,
};

use crate::base::shown::{Shown, shown};
use crate::format::input::Input;
use crate::format::problem::{Place, problems};
use crate::format::text::first_of;
use crate::format::{Format, Problems};
use crate::model::{
    Fact, Figure, Figures, Incomplete, NameId, NameInterner, Shares, Texts, TieOrder, Usage,
    UsagePrecision,
};
use crate::rules::policy::Policy;
use std::ops::Range;
use std::sync::Arc;

/// How many names of a list are told.
const NAMED: usize = 3;

/// The code of the problem that an output does not list all users.
pub(super) const USERS_MISSING: &str = "slurm-users-missing";

problems! {
    /// What is wrong with the numbers of any output.
    enum RowsProblem {
        BadUsage { whose: Shown, amount: f64 }, Error "slurm-number",
            "the usage of {whose} is {amount}; expected a number from 0 up; it is read as missing",
            "print it again; if Slurm prints it again, see the log of slurmctld";
        MissingUsers { advice: &'static str }, Warning USERS_MISSING,
            "the accounts have more users than are listed, so no rank is known",
            "{advice}";
    }
}

/// The contents of one output.
#[derive(Debug, Default)]
pub struct Rows {
    /// The format of the output.
    pub format: Format,
    /// The file, as people know it.
    pub file: Shown,
    /// The names of accounts, users, partitions and clusters.
    pub names: NameInterner,
    /// The associations, in the order printed.
    pub rows: Vec<Row>,
    /// Numbers that were recorded beside shares and usage, row by row.
    pub figures: Vec<(Fact, Figures)>,
    /// Texts that were recorded, row by row.
    pub texts: Vec<(Fact, Texts)>,
    /// How exactly usage was printed.
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
    /// What was wrong with the output, and what was assumed.
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
        match self.user {
            Some(_) => Some(self.account),
            None => self.parent,
        }
    }

    /// Returns whether it is an account with none above it.
    pub(super) fn is_top(&self) -> bool {
        self.user.is_none() && self.parent.is_none()
    }

    /// Returns its part of the sum of shares on its level; 0 for `parent`.
    pub(super) fn counted_shares(&self) -> f64 {
        match self.shares.and_then(Shares::count) {
            Some(count) => count as f64,
            None => 0.0,
        }
    }

    /// Returns whether another row says the same, in whatever line.
    pub(super) fn says_same(&self, other: &Self) -> bool {
        let line = other.line;
        Self { line, ..*self } == *other
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
        if name.is_empty() {
            return None;
        }
        Some(self.names.intern(name))
    }

    /// Returns the places of the rows of one cluster after the other; of one again where its rows begin again.
    fn blocks(&self) -> Vec<Range<usize>> {
        let mut blocks = Vec::new();
        let mut start = 0;
        for (place, row) in self.rows.iter().enumerate() {
            if row.cluster != self.rows[start].cluster {
                blocks.push(start..place);
                start = place;
            }
        }
        if start < self.rows.len() {
            blocks.push(start..self.rows.len());
        }
        blocks
    }

    /// Returns the clusters of the associations; one again where its rows begin again.
    pub(crate) fn clusters(&self) -> Vec<NameId> {
        let mut clusters = Vec::new();
        for block in self.blocks() {
            clusters.extend(self.rows[block.start].cluster);
        }
        clusters
    }

    /// Returns whether the rows from a place on say what those before it say, once or several times.
    pub(super) fn is_repeated_from(&self, start: usize) -> bool {
        if !self.rows.len().is_multiple_of(start) {
            return false;
        }
        for (place, row) in self.rows.iter().enumerate() {
            if !row.says_same(&self.rows[place % start]) {
                return false;
            }
        }
        true
    }

    /// Returns the recorded numbers of a column by row, or `None` if the output does not have it.
    pub fn figures(&self, fact: Fact) -> Option<&Figures> {
        for (known, figures) in &self.figures {
            if *known == fact {
                return Some(figures);
            }
        }
        None
    }

    /// Reports usage that Slurm never stores, so that the association is read as one without.
    pub(super) fn refuse_usage(&mut self, place: impl Into<Place>, whose: &[u8], amount: f64) {
        let whose = shown(whose);
        let problem = RowsProblem::BadUsage { whose, amount };
        self.problems.report(place, problem);
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

/// Returns usage as Slurm stores it, from 0 up. `None` for a number that it never stores.
pub(super) fn stored_usage(amount: f64) -> Option<Usage> {
    if amount.is_finite() && amount >= 0.0 {
        Some(Usage::new(amount))
    } else {
        None
    }
}

/// Returns the column of a fact, adding it if it is new.
fn column<T: Default>(columns: &mut Vec<(Fact, T)>, fact: Fact) -> &mut T {
    let known = columns.iter().position(|(known, _)| *known == fact);
    let place = known.unwrap_or(columns.len());
    if place == columns.len() {
        columns.push((fact, T::default()));
    }
    &mut columns[place].1
}
