//! What a scheduler printed beside shares and usage: numbers to verify against, and columns that only the source has.

use super::{Bins, FinishedJob, NodeId, Usage};
use crate::base::table::table;
use hashbrown::HashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

table! {
    /// A column that a source recorded, under the scheduler's own name.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Fact {
        NormShares, "NormShares", "Slurm's Norm Shares: portion of the level's shares; under classic rules, of the \
                                   whole tree's";
        NormUsage, "NormUsage", "Slurm's Norm Usage: portion of all usage";
        EffectvUsage, "EffectvUsage", "Slurm's Effectv Usage: the usage that the policy compares with the shares";
        LevelFs, "LevelFS", "Slurm's ratio of shares to usage among fair-share siblings";
        FairShare, "FairShare", "Slurm's factor as it enters job priority";
        FairShareRaw, "FairShare Raw", "The 64-bit priority of LEVEL_BASED, in hexadecimal";
        RawUsage, "RawUsage", "Usage as Slurm printed it: cut to a whole number";
        FluxFairshare, "fairshare", "Flux's factor as it is stored, with six decimals";
        JobUsage, "job_usage", "The bank's usage as Flux stored it, inactive associations included";
        Id, "ID", "Slurm's id of the association";
        DefaultAccount, "DefaultAccount", "The user's default account";
        DefAssoc, "DefAssoc", "Whether this is the user's default association";
        GrpTresMins, "GrpTRESMins", "Limits of the group, in minutes of each resource";
        GrpTresRaw, "GrpTRESRaw", "Decayed usage of each resource, in minutes";
        TresRunMins, "TRESRunMins", "What running jobs may still use, in minutes of each resource";
        Userid, "userid", "The user's id";
        Active, "active", "Whether Flux counts the association or bank";
        DefaultBank, "default_bank", "The user's default bank";
        Queues, "queues", "The queues the association may use";
        Projects, "projects", "The projects the association may charge";
        MaxRunningJobs, "max_running_jobs", "The most jobs that may run at a time";
        MaxActiveJobs, "max_active_jobs", "The most jobs that may be active at a time";
        MaxNodes, "max_nodes", "The most nodes in use at a time";
        MaxCores, "max_cores", "The most cores in use at a time";
        Priority, "priority", "The bank's contribution to job priority";
    }
}

/// A number that is exact to the last bit of a double.
pub const EXACT: i8 = i8::MAX;

/// One column of recorded numbers by node, with the number of decimals that were printed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// By row: the number; NaN is none.
    values: Vec<f64>,
    /// By row: how many decimals were printed.
    decimals: Vec<i8>,
}

/// A number as it was printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// The number; infinity if the scheduler printed that.
    pub value: f64,
    /// How many decimals were printed: with 6 the number is good to half a millionth. Below 0, as in `2.0000e+15`,
    /// digits before the point are missing too. [`EXACT`] is good to the last bit.
    pub decimals: i8,
}

impl Figure {
    /// Returns a number of which every bit is known.
    pub const fn exact(value: f64) -> Self {
        Self {
            value,
            decimals: EXACT,
        }
    }

    /// Returns half a unit of the last printed digit: the most by which the scheduler's own number may differ. With two
    /// decimals it is more, because Slurm's controller rounds to six decimals before `scontrol` prints two of them.
    pub fn half_unit(self) -> f64 {
        if self.decimals == EXACT || self.value.is_infinite() {
            return 0.0;
        }
        match self.decimals {
            2 => 0.5 * (unit_of(2) + unit_of(6)),
            // Nearly all columns have six, and a power is a loop.
            6 => 0.5e-6,
            decimals => 0.5 * unit_of(decimals),
        }
    }

    /// Returns the least and the most that a number from 0 up, printed like this, can be. A number below 0 counts as 0.
    pub(crate) fn bounds(self) -> (f64, f64) {
        let half = self.half_unit();
        ((self.value - half).max(0.0), (self.value + half).max(0.0))
    }
}

/// Returns a unit of the last of so many decimals.
fn unit_of(decimals: i8) -> f64 {
    10_f64.powi(-i32::from(decimals))
}

impl Figures {
    /// Records the number of a node.
    pub(crate) fn set(&mut self, node: NodeId, figure: Figure) {
        self.set_at(node.index(), figure);
    }

    /// Records a number of a row whose node is not known yet.
    pub fn set_at(&mut self, row: usize, figure: Figure) {
        if self.values.len() <= row {
            self.values.resize(row + 1, f64::NAN);
            self.decimals.resize(row + 1, EXACT);
        }
        self.values[row] = figure.value;
        self.decimals[row] = figure.decimals;
    }

    /// Returns the number printed for a node, or `None` if the cell was empty or the node is not in the source.
    pub fn get(&self, node: NodeId) -> Option<Figure> {
        self.at(node.index())
    }

    /// Returns the number printed in a row, or `None` if the cell was empty.
    pub(crate) fn at(&self, row: usize) -> Option<Figure> {
        let value = *self.values.get(row)?;
        if value.is_nan() {
            return None;
        }
        let decimals = self.decimals[row];
        Some(Figure { value, decimals })
    }

    /// Returns whether no node has a number.
    pub(crate) fn is_empty(&self) -> bool {
        self.values.iter().all(|value| value.is_nan())
    }
}

/// One column of recorded texts, by node. A text that many nodes share is stored once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Texts {
    /// The place of each node's text among the distinct ones, from 1; 0 is none.
    places: Vec<u32>,
    /// Each text once, in the order of first appearance.
    distinct: Vec<Arc<str>>,
    /// The places of the texts.
    known: HashMap<Arc<str>, u32>,
}

impl Texts {
    /// Records the text of a row.
    pub(crate) fn set_at(&mut self, row: usize, text: &str) {
        // Consecutive rows often have the same text.
        let place = match self.places.last() {
            Some(&last) if self.text(last) == Some(text) => last,
            _ => self.place(text),
        };
        if self.places.len() <= row {
            self.places.resize(row + 1, 0);
        }
        self.places[row] = place;
    }

    /// Returns the text of a row, or `None` if it has none.
    pub fn at(&self, row: usize) -> Option<&str> {
        self.text(*self.places.get(row)?)
    }

    /// Drops the texts for which `is_kept` is false. It is called once for each distinct text.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(&str) -> bool) {
        let mut kept = Vec::with_capacity(self.distinct.len());
        for text in &self.distinct {
            kept.push(is_kept(text));
        }
        for place in &mut self.places {
            if *place > 0 && !kept[*place as usize - 1] {
                *place = 0;
            }
        }
    }

    /// Returns the text of a place, or `None` for 0.
    fn text(&self, place: u32) -> Option<&str> {
        let at = place.checked_sub(1)? as usize;
        Some(self.distinct.get(at)?)
    }

    /// Returns the place of a text, adding it if it is new.
    fn place(&mut self, text: &str) -> u32 {
        if let Some(&known) = self.known.get(text) {
            return known;
        }
        let text: Arc<str> = text.into();
        self.distinct.push(Arc::clone(&text));
        let place = u32::try_from(self.distinct.len()).expect("no more texts than nodes");
        self.known.insert(text, place);
        place
    }
}

/// The precision with which a source shows usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum UsagePrecision {
    /// Full precision: the numbers that the scheduler itself reads.
    #[default]
    Exact,
    /// Truncated to a whole number.
    Whole,
    /// Rounded to so many decimals.
    Decimals(u8),
    /// Rounded to a multiple of this number.
    Rounded(u32),
}

impl UsagePrecision {
    /// Returns the least and the most that usage shown as `shown` can be.
    pub(crate) fn bounds(self, shown: f64) -> (f64, f64) {
        match self {
            Self::Exact => (shown, shown),
            Self::Whole => (shown, shown + 1.0),
            Self::Decimals(decimals) => {
                let figure = Figure {
                    value: shown,
                    decimals: decimals.cast_signed(),
                };
                figure.bounds()
            }
            Self::Rounded(unit) => {
                let half = 0.5 * f64::from(unit);
                ((shown - half).max(0.0), (shown + half).max(0.0))
            }
        }
    }
}

/// Why the levels of a tree cannot be summed: parts of it, or the shares, are not in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Incomplete {
    /// Users are missing in the output of `sshare`.
    SshareUsers,
    /// Users are missing in the output of `scontrol show assoc_mgr`.
    AssocMgrUsers,
    /// `sshare` printed the own associations of a user only.
    SshareOwn,
    /// `sshare` printed some accounts or users only.
    SshareChosen,
    /// Only users with usage are listed.
    WithoutUsage,
    /// The accounts do not tell their parents.
    WithoutParents,
    /// The account root is missing.
    WithoutRoot,
    /// Accounts of some users are missing.
    WithoutAccounts,
    /// Somebody wrote into the table that rows were left out.
    RowsLeftOut,
    /// Levels have more shares than are listed.
    SharesMissing,
    /// `view-bank` printed one bank of several.
    OneBank,
    /// It has no column of shares.
    WithoutShares,
    /// It has no column that tells usage.
    WithoutUsageColumn,
}

impl Incomplete {
    /// Returns whether the source states the shares and the place of what it lists, but does not list everybody.
    pub(crate) const fn lacks_rows(self) -> bool {
        match self {
            Self::SshareUsers
            | Self::AssocMgrUsers
            | Self::SshareOwn
            | Self::SshareChosen
            | Self::WithoutRoot
            | Self::WithoutAccounts
            | Self::RowsLeftOut
            | Self::SharesMissing => true,
            Self::WithoutUsage
            | Self::WithoutParents
            | Self::WithoutShares
            | Self::WithoutUsageColumn
            | Self::OneBank => false,
        }
    }

    /// Returns whether the source does not state what every rule computes from: the shares, the usage or the place of what it
    /// lists.
    pub(crate) const fn lacks_column(self) -> bool {
        matches!(
            self,
            Self::WithoutUsage
                | Self::WithoutParents
                | Self::WithoutShares
                | Self::WithoutUsageColumn
        )
    }

    /// Returns the reason, with `it` for the source.
    pub const fn clause(self) -> &'static str {
        match self {
            Self::SshareUsers => "users are missing from it, as when sshare runs without -a",
            Self::AssocMgrUsers => {
                "users are missing from it, as when scontrol show assoc_mgr runs with users="
            }
            Self::SshareOwn => "sshare was run without -a, so other users are not in it",
            Self::SshareChosen => "sshare was asked for some accounts or users only",
            Self::WithoutUsage => "it lists only users with usage",
            Self::WithoutParents => "it does not show which account is below which",
            Self::WithoutRoot => "account root is missing, so the tree is incomplete",
            Self::WithoutAccounts => "accounts of some users are not in it",
            Self::RowsLeftOut => "rows were left out of it, as its dots say",
            Self::SharesMissing => "by its NormShares, levels have more shares than are listed",
            Self::OneBank => "by its fairshare it is one bank of a larger tree",
            Self::WithoutShares => "it has no column of shares",
            Self::WithoutUsageColumn => "it has no column that tells usage",
        }
    }
}

/// What a source recorded beside shares and usage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorded {
    /// The columns of numbers.
    figures: BTreeMap<Fact, Figures>,
    /// The columns of texts.
    texts: BTreeMap<Fact, Texts>,
    /// The usage bins of Flux.
    bins: Arc<Bins>,
    /// The finished jobs of Flux, by user.
    jobs: BTreeMap<NodeId, Vec<FinishedJob>>,
    /// The precision with which the source shows usage.
    pub usage_precision: UsagePrecision,
    /// Why levels cannot be summed if parts of the tree are missing in the source: a sentence.
    pub incomplete: Option<Incomplete>,
    /// Whether shares are rounded portions of their level, because the source states none.
    pub(crate) shares_are_portions: bool,
    /// The nodes that were put under the root, because the source lacks the account above them.
    pub(crate) orphans: Vec<NodeId>,
    /// The nodes whose shares the source does not state, or not so that they can be read. They have 1.
    pub(crate) without_shares: Vec<NodeId>,
}

impl Recorded {
    /// Returns whether nothing tells the shares of a node, which has 1 in their place.
    pub(crate) fn lacks_shares(&self, node: NodeId) -> bool {
        match self.incomplete {
            Some(Incomplete::WithoutShares) => true,
            Some(Incomplete::WithoutAccounts) => self.without_shares.contains(&node),
            _ => false,
        }
    }

    /// Records a number.
    pub fn set(&mut self, fact: Fact, node: NodeId, figure: Figure) {
        self.figures.entry(fact).or_default().set(node, figure);
    }

    /// Records a text, for everything that is no number. It is untrusted and not made safe for display.
    pub fn set_text(&mut self, fact: Fact, node: NodeId, text: &str) {
        let texts = self.texts.entry(fact).or_default();
        texts.set_at(node.index(), text);
    }

    /// Records all numbers of a column. A column without numbers is dropped.
    pub(crate) fn set_column(&mut self, fact: Fact, figures: Figures) {
        if !figures.is_empty() {
            self.figures.insert(fact, figures);
        }
    }

    /// Records the numbers of a column by row, each for the node of its row. Rows without a node are skipped.
    pub(crate) fn set_rows(&mut self, fact: Fact, rows: Figures, nodes: &[Option<NodeId>]) {
        if are_in_order(nodes) && !self.figures.contains_key(&fact) {
            self.set_column(fact, rows);
            return;
        }
        for (row, &node) in nodes.iter().enumerate() {
            if let (Some(node), Some(figure)) = (node, rows.at(row)) {
                self.set(fact, node, figure);
            }
        }
    }

    /// Records texts by row as [`Recorded::set_rows`] does.
    pub(crate) fn set_text_rows(&mut self, fact: Fact, rows: Texts, nodes: &[Option<NodeId>]) {
        if rows.places.iter().all(|&place| place == 0) {
            return;
        }
        if are_in_order(nodes) && !self.texts.contains_key(&fact) {
            self.texts.insert(fact, rows);
            return;
        }
        for (row, &node) in nodes.iter().enumerate() {
            if let (Some(node), Some(text)) = (node, rows.at(row)) {
                self.set_text(fact, node, text);
            }
        }
    }

    /// Replaces the usage bins.
    pub(crate) fn set_bins(&mut self, bins: Arc<Bins>) {
        self.bins = bins;
    }

    /// Returns the usage bins of an association, the current period first.
    pub fn bins(&self, node: NodeId) -> &[f64] {
        self.bins.get(node)
    }

    /// Returns the usage bins of all associations.
    pub fn all_bins(&self) -> &Bins {
        &self.bins
    }

    /// Drops all finished jobs.
    pub(crate) fn forget_jobs(&mut self) {
        self.jobs.clear();
    }

    /// Adds a finished job of a user.
    pub(crate) fn push_job(&mut self, node: NodeId, job: FinishedJob) {
        self.jobs.entry(node).or_default().push(job);
    }

    /// Returns the finished jobs of a user, in the order of their source.
    pub fn jobs(&self, node: NodeId) -> &[FinishedJob] {
        match self.jobs.get(&node) {
            Some(jobs) => jobs,
            None => &[],
        }
    }

    /// Drops what is true only with the usage that was recorded.
    pub(crate) fn forget_usage(&mut self) {
        self.figures
            .retain(|&fact, _| fact == Fact::NormShares || fact >= Fact::Id);
        self.texts.remove(&Fact::GrpTresRaw);
        self.texts.remove(&Fact::TresRunMins);
        self.usage_precision = UsagePrecision::Exact;
        self.bins = Arc::default();
    }

    /// Returns whether any user has finished jobs.
    pub(crate) fn has_jobs(&self) -> bool {
        !self.jobs.is_empty()
    }

    /// Returns the numbers of a column, or `None` if the source does not have it.
    pub fn figures(&self, fact: Fact) -> Option<&Figures> {
        self.figures.get(&fact)
    }

    /// Returns the number of a node, or `None` if it has none.
    pub fn figure(&self, fact: Fact, node: NodeId) -> Option<Figure> {
        self.figures(fact)?.get(node)
    }

    /// Returns the text of a node, or `None` if it has none.
    pub fn text(&self, fact: Fact, node: NodeId) -> Option<&str> {
        self.texts.get(&fact)?.at(node.index())
    }

    /// Returns the columns that the source has, numbers first, each in the order of the table.
    pub fn facts(&self) -> impl Iterator<Item = Fact> {
        self.figures.keys().chain(self.texts.keys()).copied()
    }

    /// Returns whether a column has texts.
    pub(crate) fn is_text(&self, fact: Fact) -> bool {
        self.texts.contains_key(&fact)
    }

    /// Returns whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.figures.is_empty() && self.texts.is_empty()
    }

    /// Returns the least and the most that recorded usage can have been, or `None` if none was recorded.
    pub fn usage_bounds(&self, usage: Usage) -> Option<(f64, f64)> {
        Some(self.usage_precision.bounds(usage.amount()?))
    }
}

/// Returns whether every row belongs to the node with its own number, so that a column by row is one by node.
fn are_in_order(nodes: &[Option<NodeId>]) -> bool {
    let mut rows = nodes.iter().enumerate();
    rows.all(|(row, node)| node.is_some_and(|node| node.index() == row))
}
