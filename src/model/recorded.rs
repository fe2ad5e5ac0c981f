//! What a scheduler printed beside shares and usage: numbers to hold ours against, and columns that only the
//! source has.

use super::{NodeId, Usage};
use crate::table::table;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

table! {
    /// A column that a source recorded, under the scheduler's own name.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Fact {
        NormShares, "NormShares", "Slurm's part of the level's shares, or of the whole tree's under classic rules";
        NormUsage, "NormUsage", "Slurm's part of all usage";
        EffectvUsage, "EffectvUsage", "What Slurm's rule holds against the shares";
        LevelFs, "LevelFS", "Slurm's ratio of shares to usage among fair-share siblings";
        FairShare, "FairShare", "Slurm's factor as it enters job priority";
        FairShareRaw, "FairShare Raw", "The 64-bit word of LEVEL_BASED, in hexadecimal";
        RawUsage, "RawUsage", "Usage as Slurm printed it: cut to a whole number";
        Fairshare, "fairshare", "Flux's factor as it is stored, with six decimals";
        JobUsage, "job_usage", "The bank's usage as Flux stored it, inactive associations included";
        Id, "ID", "Slurm's number of the association";
        GrpTresMins, "GrpTRESMins", "Limits of the group, in minutes of each resource";
        GrpTresRaw, "GrpTRESRaw", "Decayed usage of each resource, in minutes";
        TresRunMins, "TRESRunMins", "What running jobs may still use, in minutes of each resource";
        Userid, "userid", "The user's number";
        Active, "active", "Whether Flux counts the association or bank";
        DefaultBank, "default_bank", "The bank of jobs that name none";
        Queues, "queues", "The queues the association may use";
        Projects, "projects", "The projects the association may charge";
        MaxRunningJobs, "max_running_jobs", "The most jobs that may run at a time";
        MaxActiveJobs, "max_active_jobs", "The most jobs that may be active at a time";
        MaxNodes, "max_nodes", "The most nodes in use at a time";
        MaxCores, "max_cores", "The most cores in use at a time";
        Priority, "priority", "The bank's part of job priority";
    }
}

/// A number that is exact to the last bit of a double.
pub const EXACT: i8 = i8::MAX;

/// One column of recorded numbers, by node: what was printed, and how many decimals of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    values: Vec<f64>,
    decimals: Vec<i8>,
}

/// A number as it was printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// The number; infinity where the scheduler printed one.
    pub value: f64,
    /// How many digits behind the point were printed: 6 is good to half a millionth; below 0, as in `2.0000e+15`,
    /// digits before the point are missing too. [`EXACT`] is good to the last bit.
    pub decimals: i8,
}

impl Figure {
    /// A number of which every bit is known.
    #[must_use]
    pub const fn exact(value: f64) -> Self {
        Self {
            value,
            decimals: EXACT,
        }
    }

    /// Half of the last digit printed: how far the scheduler's own number may be from it.
    #[must_use]
    pub fn half_unit(self) -> f64 {
        if self.decimals == EXACT || self.value.is_infinite() {
            0.0
        } else {
            0.5 * 10_f64.powi(-i32::from(self.decimals))
        }
    }
}

impl Figures {
    /// Records a number of a node.
    pub fn set(&mut self, node: NodeId, figure: Figure) {
        if self.values.len() <= node.index() {
            self.values.resize(node.index() + 1, f64::NAN);
            self.decimals.resize(node.index() + 1, EXACT);
        }
        self.values[node.index()] = figure.value;
        self.decimals[node.index()] = figure.decimals;
    }

    /// What was printed for a node; nothing where the cell was empty or the node is not of the source.
    #[must_use]
    pub fn get(&self, node: NodeId) -> Option<Figure> {
        let value = *self.values.get(node.index())?;
        (!value.is_nan()).then(|| Figure {
            value,
            decimals: self.decimals[node.index()],
        })
    }

    /// Whether no node has a number.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.iter().all(|value| value.is_nan())
    }
}

/// One column of recorded texts, by node. Many nodes have the same text, which is kept once.
#[derive(Clone, Debug, Default, PartialEq)]
struct Texts {
    /// The place of each node's text among the distinct ones, from 1; 0 is none.
    places: Vec<u32>,
    distinct: Vec<Arc<str>>,
    known: HashMap<Arc<str>, u32>,
}

impl Texts {
    fn set(&mut self, node: NodeId, text: &str) {
        if self.places.len() <= node.index() {
            self.places.resize(node.index() + 1, 0);
        }
        let place = self.known.get(text).copied().unwrap_or_else(|| {
            let text: Arc<str> = text.into();
            self.distinct.push(Arc::clone(&text));
            let place = u32::try_from(self.distinct.len()).expect("no more texts than nodes");
            self.known.insert(text, place);
            place
        });
        self.places[node.index()] = place;
    }

    fn get(&self, node: NodeId) -> Option<&str> {
        let place = *self.places.get(node.index())? as usize;
        self.distinct.get(place.checked_sub(1)?).map(|text| &**text)
    }
}

/// How much of the usage a source shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum UsagePrecision {
    /// All of it: the numbers the scheduler itself reads.
    #[default]
    Exact,
    /// Cut to a whole number: up to one less than it is.
    Whole,
    /// Rounded to so many decimals.
    Decimals(u8),
}

impl UsagePrecision {
    /// The least and the most that usage shown as `shown` can be.
    #[must_use]
    pub fn bounds(self, shown: f64) -> (f64, f64) {
        match self {
            Self::Exact => (shown, shown),
            Self::Whole => (shown, shown + 1.0),
            Self::Decimals(decimals) => {
                let half = 0.5 * 10_f64.powi(-i32::from(decimals));
                ((shown - half).max(0.0), shown + half)
            }
        }
    }
}

/// What a source recorded beside shares and usage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorded {
    figures: BTreeMap<Fact, Figures>,
    texts: BTreeMap<Fact, Texts>,
    bins: BTreeMap<NodeId, Vec<f64>>,
    /// How much of the usage the source shows.
    pub usage_precision: UsagePrecision,
    /// Why levels cannot be summed, where parts of the tree are not in the source: a sentence.
    pub incomplete: Option<String>,
}

impl Recorded {
    /// Records a number.
    pub fn set(&mut self, fact: Fact, node: NodeId, figure: Figure) {
        self.figures.entry(fact).or_default().set(node, figure);
    }

    /// Records a text: whatever is no number. It is from outside and not made fit to be shown.
    pub fn set_text(&mut self, fact: Fact, node: NodeId, text: &str) {
        self.texts.entry(fact).or_default().set(node, text);
    }

    /// Records usage of one half-life period of Flux; 0 is the one that runs.
    pub fn set_bin(&mut self, node: NodeId, period: usize, usage: f64) {
        let bins = self.bins.entry(node).or_default();
        if bins.len() <= period {
            bins.resize(period + 1, 0.0);
        }
        bins[period] = usage;
    }

    /// The usage bins of an association, the period that runs first; those at the end that are empty are left out.
    #[must_use]
    pub fn bins(&self, node: NodeId) -> &[f64] {
        self.bins.get(&node).map_or(&[], Vec::as_slice)
    }

    /// The numbers of a column.
    #[must_use]
    pub fn figures(&self, fact: Fact) -> Option<&Figures> {
        self.figures.get(&fact)
    }

    /// The number of a node.
    #[must_use]
    pub fn figure(&self, fact: Fact, node: NodeId) -> Option<Figure> {
        self.figures(fact)?.get(node)
    }

    /// The text of a node.
    #[must_use]
    pub fn text(&self, fact: Fact, node: NodeId) -> Option<&str> {
        self.texts.get(&fact)?.get(node)
    }

    /// The columns that the source has, numbers first, each in the order of the table.
    pub fn facts(&self) -> impl Iterator<Item = Fact> {
        self.figures.keys().chain(self.texts.keys()).copied()
    }

    /// Whether the column holds texts.
    #[must_use]
    pub fn is_text(&self, fact: Fact) -> bool {
        self.texts.contains_key(&fact)
    }

    /// Whether nothing was recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.figures.is_empty() && self.texts.is_empty()
    }

    /// The least and the most that recorded usage can have been.
    #[must_use]
    pub fn usage_bounds(&self, usage: Usage) -> Option<(f64, f64)> {
        Some(self.usage_precision.bounds(usage.amount()?))
    }
}
