//! Assumptions about the future: who uses what, and how usage decays.

use super::decay::Decay;
use crate::model::{Campaign, NodeId, Pace, Premise, Settings, Tree};

/// The most users whose rates are listed one by one.
const NAMED: usize = 3;

/// Assumptions about the future.
#[derive(Clone, Debug, PartialEq)]
pub struct Assumptions {
    /// The assumed usage.
    pub usage: Vec<UsageAssumption>,
    /// The decay of usage.
    pub decay: Decay,
}

/// One assumption about future usage.
#[derive(Clone, Debug, PartialEq)]
pub enum UsageAssumption {
    /// The pace states this assumption itself.
    Premise(Premise),
    /// Nobody uses anything.
    Nobody,
    /// So many users have a rate that they are not listed one by one.
    Many {
        /// The number of users.
        users: usize,
        /// Their total rate, in units of usage per second.
        total: f64,
        /// The user with the highest rate.
        most: NodeId,
    },
    /// A user has a constant rate.
    Rate {
        /// The user.
        node: NodeId,
        /// The rate, in units of usage per second.
        rate: f64,
    },
    /// A user has a rate for a limited time.
    Campaign(Campaign),
    /// All other users use nothing.
    NobodyElse,
}

impl Assumptions {
    /// Returns the assumptions of a pace for a tree and its settings.
    pub fn of(tree: &Tree, settings: &Settings, pace: &Pace) -> Self {
        Self {
            usage: usage_assumptions(pace),
            decay: Decay::of(tree, settings),
        }
    }
}

/// Returns the assumptions about usage: those the pace states itself, otherwise those its rates imply.
fn usage_assumptions(pace: &Pace) -> Vec<UsageAssumption> {
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
