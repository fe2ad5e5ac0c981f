//! Random trees with a few users.

use crate::support::growth;
use crate::support::random::Random;
use fairscope::model::{Kind, NodeId, Position, Settings, Shares, TreeBuilder};
use fairscope::rules::policy::Policy;
use fairscope::scenario::Scenario;
use std::sync::Arc;

/// Users in nested accounts or directly below the root, all without usage.
pub(super) fn scenario(policy: Policy, seed: u64, is_flat: bool) -> Scenario {
    // Smooth decay is the fastest to simulate. All cores go to one user at a time, so the half-life must be long
    // compared with a full round of users.
    let mut settings = Settings::default();
    settings.slurm.decay_half_life = 60 * 24 * 60 * 60;
    with_settings(policy, seed, is_flat, settings)
}

/// The same trees with other settings.
pub(super) fn with_settings(
    policy: Policy,
    seed: u64,
    is_flat: bool,
    settings: Settings,
) -> Scenario {
    let mut random = Random::new(seed);
    let mut builder = TreeBuilder::new(b"root");
    builder.set_shares(NodeId::ROOT, Shares::new(1));
    let mut push = |random: &mut Random, parent, kind, name: String| {
        let name = builder.intern(name.as_bytes());
        let node = builder.push(parent, name, kind, Position::Last);
        let shares = i64::try_from(random.between(2, 4)).expect("it is small");
        builder.set_shares(node, Shares::new(shares));
        node
    };
    let mut homes = vec![NodeId::ROOT];
    if !is_flat {
        homes.clear();
        for number in 0..random.between(2, 3) {
            let parent = match homes[..] {
                [.., above] if random.below(2) == 0 => above,
                _ => NodeId::ROOT,
            };
            let account = push(
                &mut random,
                parent,
                Kind::Account,
                format!("account{number}"),
            );
            homes.push(account);
        }
    }
    let mut count = 0;
    for home in homes {
        for _ in 0..random.between(2, if is_flat { 12 } else { 3 }) {
            count += 1;
            push(&mut random, home, Kind::User, format!("user{count}"));
        }
    }
    let snapshot = growth::snapshot(builder.build(), settings);
    Scenario::new(Arc::new(snapshot), policy)
}
