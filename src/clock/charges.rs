//! What is used within a while: rates all the time, campaigns for a part of it.

use crate::model::{NodeId, Pace};

/// The usage of those who use anything, ready to be asked for one stretch after another.
#[derive(Clone, Debug)]
pub(super) struct Charges {
    parts: Vec<Part>,
}

#[derive(Clone, Copy, Debug)]
struct Part {
    node: NodeId,
    rate: f64,
    from: u64,
    until: u64,
}

impl Charges {
    pub(super) fn of(pace: &Pace) -> Self {
        let rates = pace.rates().map(|(node, rate)| Part {
            node,
            rate,
            from: 0,
            until: u64::MAX,
        });
        let campaigns = pace.campaigns().iter().map(|campaign| Part {
            node: campaign.node,
            rate: campaign.rate,
            from: campaign.from,
            until: campaign.until,
        });
        Self {
            parts: rates.chain(campaigns).collect(),
        }
    }

    /// Who uses anything between two moments, at which rate, and for how many of the seconds.
    pub(super) fn between(
        &self,
        from: u64,
        until: u64,
    ) -> impl Iterator<Item = (NodeId, f64, u64)> {
        self.parts.iter().filter_map(move |part| {
            let seconds = until.min(part.until).saturating_sub(from.max(part.from));
            (seconds > 0).then_some((part.node, part.rate, seconds))
        })
    }

    /// The next moment after this one at which somebody begins or ends.
    pub(super) fn next_change(&self, after: u64) -> u64 {
        let ends = self.parts.iter().flat_map(|part| [part.from, part.until]);
        ends.filter(|&moment| moment > after)
            .min()
            .unwrap_or(u64::MAX)
    }
}
