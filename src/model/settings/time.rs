//! Simulated time, and the usage in it.

use super::super::NodeId;
use crate::base::shown::Shown;
use jiff::tz::TimeZone;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Simulated time and the assumptions about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Time {
    /// The seconds of simulated time since the snapshot.
    pub passed: u64,
    /// When the snapshot was taken, in Unix seconds; `None` if the source does not tell.
    pub taken: Option<i64>,
    /// The snapshot's moment on the scheduler's clock for an unknown `taken`; `None` until time passes.
    pub(crate) epoch: Option<i64>,
    /// The seconds from PBS's last decay to the date of its usage file, if that is several intervals. Then the file is a
    /// copy, and `taken` is the last decay.
    pub(crate) copied: Option<u64>,
    /// The time zone of the cluster, which Slurm resets usage in; `None` is UTC.
    pub zone: Option<TimeZone>,
    /// The usage rates and campaigns of that time.
    pub pace: Arc<Pace>,
}

impl Time {
    /// Returns the time zone of times without an offset.
    pub(crate) fn local_zone(&self) -> TimeZone {
        self.zone.clone().unwrap_or(TimeZone::UTC)
    }
}

/// Usage rates and campaigns of simulated time. Without any, nobody uses anything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pace {
    /// The rates other than 0. A busy cluster has few of them in each cycle, and many cycles.
    rates: BTreeMap<NodeId, f64>,
    /// The campaigns in the order in which they were added.
    campaigns: Vec<Campaign>,
    /// The assumptions it was made from, exceptions last. Empty if rates and campaigns are all that is known.
    pub premises: Vec<Premise>,
}

/// An assumption from which a pace was made.
#[derive(Clone, Debug, PartialEq)]
pub enum Premise {
    /// Every user continues at the rate that keeps its usage as it is.
    Steady,
    /// The same for a tree without decaying usage, so that nobody uses anything.
    SteadyAtRest,
    /// Every user continues as between two snapshots.
    Measured(Measured),
    /// Exception: a user, or all users below an account, use nothing.
    Resting(NodeId),
    /// Exception: a user has a constant rate.
    Rate {
        /// The user.
        node: NodeId,
        /// Units of usage per second.
        rate: f64,
    },
    /// Exception: a user has a campaign.
    Campaign(Campaign),
}

/// The usage between two snapshots, which their paths name.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The path of the older one.
    pub(crate) old: Shown,
    /// The path of the newer one.
    pub(crate) new: Shown,
    /// The seconds between them.
    pub(crate) elapsed: u64,
    /// The sum of all rates, in units of usage per second.
    pub(crate) total: f64,
    /// How many users have a rate above 0.
    pub(crate) users: usize,
}

/// Usage planned for a limited time, in addition to the rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Campaign {
    /// The user it is charged to.
    pub node: NodeId,
    /// Units of usage per second.
    pub rate: f64,
    /// When it begins, in seconds since the snapshot.
    pub from: u64,
    /// When it ends, in seconds since the snapshot.
    pub until: u64,
}

impl Pace {
    /// Returns the rate of a user in units of usage per second, without campaigns.
    pub fn rate(&self, node: NodeId) -> f64 {
        match self.rates.get(&node) {
            Some(&rate) => rate,
            None => 0.0,
        }
    }

    /// Sets the rate of a user, in units of usage per second.
    pub fn set_rate(&mut self, node: NodeId, rate: f64) {
        // A rate of 0 is not held, so that equal paces compare as equal.
        if rate == 0.0 {
            self.rates.remove(&node);
        } else {
            self.rates.insert(node, rate);
        }
    }

    /// Returns the users with a rate other than 0, by id.
    pub fn rates(&self) -> impl Iterator<Item = (NodeId, f64)> {
        self.rates.iter().map(|(&node, &rate)| (node, rate))
    }

    /// Returns the campaigns in the order in which they were added.
    pub fn campaigns(&self) -> &[Campaign] {
        &self.campaigns
    }

    /// Returns a pace with the same campaigns and no rates.
    pub(crate) fn plans(&self) -> Self {
        Self {
            campaigns: self.campaigns.clone(),
            ..Self::default()
        }
    }

    /// Adds a campaign.
    pub fn plan(&mut self, campaign: Campaign) {
        self.campaigns.push(campaign);
    }

    /// Returns whether nobody uses anything.
    pub(crate) fn is_idle(&self) -> bool {
        self.campaigns.is_empty() && self.rates.is_empty()
    }
}
