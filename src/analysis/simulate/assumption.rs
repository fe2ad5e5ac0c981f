//! What is assumed of the time to come: who uses what, and how usage decays.

use super::decay::Decay;
use crate::model::{Campaign, NodeId, Pace, Premise, Settings, Tree};

/// How many users' rates are named one by one.
const NAMED: usize = 3;

/// What is assumed of the time to come.
#[derive(Clone, Debug, PartialEq)]
pub struct Assumptions {
    /// Who uses what.
    pub usage: Vec<UsageAssumption>,
    /// How usage decays.
    pub decay: Decay,
}

/// Who uses what in the time to come.
#[derive(Clone, Debug, PartialEq)]
pub enum UsageAssumption {
    /// What the pace says of itself.
    Premise(Premise),
    /// Nobody uses anything.
    Nobody,
    /// Too many users have a rate for each to be named.
    Many {
        /// How many.
        users: usize,
        /// What they use in all, in units of usage per second.
        total: f64,
        /// Who uses most.
        most: NodeId,
    },
    /// A user uses something all the time.
    Rate {
        /// The user.
        node: NodeId,
        /// Units of usage per second.
        rate: f64,
    },
    /// A user uses something for a while.
    Campaign(Campaign),
    /// All others use nothing.
    NobodyElse,
}

impl Assumptions {
    /// What is assumed where things go on at a pace.
    #[must_use]
    pub fn of(tree: &Tree, settings: &Settings, pace: &Pace) -> Self {
        Self {
            usage: uses(pace),
            decay: Decay::of(tree, settings),
        }
    }
}

/// Who uses what, as the pace itself says it, else as its numbers do.
fn uses(pace: &Pace) -> Vec<UsageAssumption> {
    if !pace.premises.is_empty() {
        return pace
            .premises
            .iter()
            .cloned()
            .map(UsageAssumption::Premise)
            .collect();
    }
    if pace.is_idle() {
        return vec![UsageAssumption::Nobody];
    }
    let mut rates: Vec<(NodeId, f64)> = pace.rates().collect();
    rates.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let mut uses = Vec::new();
    if rates.len() > NAMED {
        uses.push(UsageAssumption::Many {
            users: rates.len(),
            total: rates.iter().map(|(_, rate)| rate).sum(),
            most: rates[0].0,
        });
    } else {
        let rates = rates.into_iter();
        uses.extend(rates.map(|(node, rate)| UsageAssumption::Rate { node, rate }));
    }
    uses.extend(
        pace.campaigns()
            .iter()
            .cloned()
            .map(UsageAssumption::Campaign),
    );
    uses.push(UsageAssumption::NobodyElse);
    uses
}
