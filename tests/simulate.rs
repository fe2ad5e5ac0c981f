//! Simulated time in a scenario: series, paces and the time to reach a goal.

mod pace;
mod recovery;
mod series;

use crate::support::growth::{self, Accounts, random_tree};
use crate::support::random::Random;
use fairscope::model::{Campaign, Kind, NodeId, Pace, Scheduler, Settings, Shares, Snapshot};
use fairscope::rules::policy::Policy;
use fairscope::scenario::Scenario;

/// The date of the trees in these tests.
const TAKEN: i64 = 1_795_219_200;

/// The scheduler whose clock is used with a policy.
fn scheduler(policy: Policy) -> Option<Scheduler> {
    match policy {
        Policy::Pbs | Policy::PbsWalk | Policy::Formula => Some(Scheduler::Pbs),
        Policy::Flux => None,
        _ => Some(Scheduler::Slurm),
    }
}

/// A tree of 5 to 13 nodes with usage, under the clock of a scheduler that decays within days.
fn snapshot(random: &mut Random, scheduler: Option<Scheduler>) -> Snapshot {
    let count = random.between(5, 12);
    let tree = random_tree(
        random,
        count,
        Accounts {
            first: 2,
            one_in: None,
        },
        |random| Shares::new(random.between(1, 20).cast_signed()),
        |random| (random.below(5) > 0).then(|| random.between(1, 9_000_000) as f64 / 7.0),
    );
    let mut settings = Settings {
        scheduler,
        ..Settings::default()
    };
    settings.time.taken = Some(TAKEN);
    settings.pbs.last_decay = TAKEN - 1000;
    settings.slurm.decay_half_life = 86_400;
    settings.slurm.calc_period = 1800;
    settings.flux.decay_half_life = 86_400;
    settings.flux.usage_reset_period = 2 * 86_400;
    let mut snapshot = growth::snapshot(tree, settings);
    snapshot.source.taken = Some(TAKEN);
    snapshot
}

fn users(scenario: &Scenario) -> Vec<NodeId> {
    let tree = scenario.tree();
    let users = tree.nodes().iter().copied();
    users
        .filter(|&node| tree.kind(node) == Kind::User)
        .collect()
}

/// Random rates for some users, and sometimes a campaign.
fn some_pace(random: &mut Random, users: &[NodeId]) -> Pace {
    let mut pace = Pace::default();
    for &user in users {
        if random.below(2) == 0 {
            pace.set_rate(user, random.between(1, 1000) as f64 / 100.0);
        }
    }
    if random.below(3) == 0 {
        let from = random.between(0, 200_000);
        pace.plan(Campaign {
            node: users[random.below(users.len())],
            rate: random.between(1, 20) as f64,
            from,
            until: from + random.between(1000, 200_000),
        });
    }
    pace
}
