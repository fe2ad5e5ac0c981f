//! Usage charged within a period: rates all the time, campaigns for a part of it.

use crate::model::{NodeId, Pace, Tree};

/// The rates and campaigns of all users with usage, to be asked for one period after another.
#[derive(Clone, Debug)]
pub(super) struct Charges {
    parts: Vec<RatePart>,
}

#[derive(Clone, Copy, Debug)]
struct RatePart {
    node: NodeId,
    rate: f64,
    from: u64,
    until: u64,
}

/// The usage of one user within a period.
#[derive(Clone, Copy, Debug)]
pub(super) struct Charge {
    /// The user.
    pub(super) node: NodeId,
    /// Units of usage per second.
    pub(super) rate: f64,
    /// For how many seconds of the period.
    pub(super) seconds: u64,
    /// When it ends, in seconds since the snapshot: at the end of the period or earlier.
    pub(super) until: u64,
}

impl Charges {
    pub(super) fn of(pace: &Pace) -> Self {
        let rates = pace.rates().map(|(node, rate)| RatePart {
            node,
            rate,
            from: 0,
            until: u64::MAX,
        });
        let campaigns = pace.campaigns().iter().map(|campaign| RatePart {
            node: campaign.node,
            rate: campaign.rate,
            from: campaign.from,
            until: campaign.until,
        });
        Self {
            parts: rates.chain(campaigns).collect(),
        }
    }

    /// Returns what is charged between two moments.
    pub(super) fn between(&self, from: u64, until: u64) -> impl Iterator<Item = Charge> {
        self.parts.iter().filter_map(move |part| {
            let end = until.min(part.until);
            let seconds = end.saturating_sub(from.max(part.from));
            (seconds > 0).then_some(Charge {
                node: part.node,
                rate: part.rate,
                seconds,
                until: end,
            })
        })
    }

    /// Returns the next moment after this one at which somebody starts or stops using something.
    pub(super) fn next_change(&self, after: u64) -> u64 {
        let ends = self.parts.iter().flat_map(|part| [part.from, part.until]);
        ends.filter(|&moment| moment > after)
            .min()
            .unwrap_or(u64::MAX)
    }
}

/// Returns, by node id, what is charged to each node and to all nodes below it. Users that were removed are charged
/// nothing.
pub(super) fn summed_up<T: Copy + PartialEq>(
    tree: &Tree,
    charged: impl Iterator<Item = (NodeId, T)>,
    nothing: T,
    plus: impl Fn(T, T) -> T,
) -> Vec<T> {
    let mut charged = charged.peekable();
    if charged.peek().is_none() {
        return vec![nothing; tree.id_count()];
    }
    let order = tree.order();
    let mut by_position = vec![nothing; order.nodes().len()];
    for (node, amount) in charged {
        if let Some(position) = order.position(node) {
            by_position[position] = plus(by_position[position], amount);
        }
    }
    for position in (1..by_position.len()).rev() {
        let (above, amount) = (order.above()[position] as usize, by_position[position]);
        if amount != nothing {
            by_position[above] = plus(by_position[above], amount);
        }
    }
    let mut by_id = vec![nothing; tree.id_count()];
    for (&node, amount) in order.nodes().iter().zip(by_position) {
        by_id[node.index()] = amount;
    }
    by_id
}
