//! Simulated time, and who uses how much in it.

use super::super::NodeId;
use std::sync::Arc;

/// Simulated time and what is assumed of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Time {
    /// The seconds that were let pass since the snapshot.
    pub passed: u64,
    /// When the snapshot was taken, in Unix seconds, where the source tells.
    pub taken: Option<i64>,
    /// The moment of the snapshot as a scheduler's clock counts, in Unix seconds: what stands for `taken` where nobody
    /// tells. `None` before time was let pass.
    pub epoch: Option<i64>,
    /// Who uses how much meanwhile.
    pub pace: Arc<Pace>,
}

/// Who uses how much in the time that is let pass; without a rate or campaign nobody uses anything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pace {
    rates: Vec<f64>,
    campaigns: Vec<Campaign>,
    /// What it was made from, the exceptions last. Empty where the rates and campaigns are all there is to know.
    pub premises: Vec<Premise>,
}

/// What a pace was made from.
#[derive(Clone, Debug, PartialEq)]
pub enum Premise {
    /// Everybody goes on using as much as keeps their usage what it is.
    Steady,
    /// The same where there is no usage that decays, so that nobody uses anything.
    SteadyAtRest,
    /// Everybody goes on as between two snapshots.
    Measured(Measured),
    /// But a user, or everybody below an account, uses nothing.
    Resting(NodeId),
    /// But a user uses something all the time.
    Rate {
        /// The user.
        node: NodeId,
        /// Units of usage per second.
        rate: f64,
    },
    /// But a user uses something for a while.
    Campaign(Campaign),
}

/// What was used between two snapshots.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The path of the older one.
    pub old: String,
    /// The path of the newer one.
    pub new: String,
    /// The seconds between them.
    pub elapsed: u64,
    /// What all use, in units of usage per second.
    pub total: f64,
    /// How many users use something.
    pub users: usize,
}

/// Usage that is planned for a while, on top of the rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Campaign {
    /// The user it is charged to.
    pub node: NodeId,
    /// Units of usage per second.
    pub rate: f64,
    /// When it begins, in seconds since the snapshot.
    pub from: u64,
    /// When it is over, in seconds since the snapshot.
    pub until: u64,
}

impl Pace {
    /// Returns what a user uses, in units of usage per second, campaigns left out.
    #[must_use]
    pub fn rate(&self, node: NodeId) -> f64 {
        self.rates.get(node.index()).copied().unwrap_or(0.0)
    }

    /// Gives a user a rate, in units of usage per second.
    pub fn set_rate(&mut self, node: NodeId, rate: f64) {
        if self.rates.len() <= node.index() {
            self.rates.resize(node.index() + 1, 0.0);
        }
        self.rates[node.index()] = rate;
    }

    /// Returns the users with a rate other than 0, by id.
    pub fn rates(&self) -> impl Iterator<Item = (NodeId, f64)> {
        let rates = self.rates.iter().enumerate();
        rates
            .filter(|&(_, &rate)| rate != 0.0)
            .map(|(index, &rate)| (NodeId::from_index(index), rate))
    }

    /// Returns what is planned, in the order in which it was added.
    #[must_use]
    pub fn campaigns(&self) -> &[Campaign] {
        &self.campaigns
    }

    /// Returns a pace with the same campaigns and nothing else.
    #[must_use]
    pub fn plans(&self) -> Self {
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
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.campaigns.is_empty() && self.rates.iter().all(|&rate| rate == 0.0)
    }
}
