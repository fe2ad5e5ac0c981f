//! `DEPTH_OBLIVIOUS` right after Slurm starts, when the usage of siblings is filled in one at a time.

use super::loaded;
use crate::support::random::Random;
use fairscope::format::Request;
use fairscope::open::opened::Opened;
use fairscope::report::{View, check, dump};
use fairscope::rules::policy::Policy;
use std::fmt::Write as _;

/// Slurm's `NO_VAL`.
const UNKNOWN: f64 = 4_294_967_294.0;

/// One association: the index of its account, whether it is a user, and its shares.
struct Association {
    above: usize,
    is_user: bool,
    shares: f64,
    /// Raw usage, a whole number.
    usage: f64,
    depth: usize,
}

/// A tree of two levels of accounts with users below, in depth-first order from the root.
fn tree(random: &mut Random) -> Vec<Association> {
    let mut tree = vec![Association {
        above: 0,
        is_user: false,
        shares: 1.0,
        usage: 0.0,
        depth: 0,
    }];
    let push = |tree: &mut Vec<Association>, above: usize, is_user: bool, random: &mut Random| {
        let depth = tree[above].depth + 1;
        tree.push(Association {
            above,
            is_user,
            shares: random.between(1, 20) as f64,
            usage: if is_user {
                random.between(1, 100_000) as f64
            } else {
                0.0
            },
            depth,
        });
        tree.len() - 1
    };
    for _ in 0..random.between(2, 4) {
        let top = push(&mut tree, 0, false, random);
        for _ in 0..random.between(1, 3) {
            let account = push(&mut tree, top, false, random);
            for _ in 0..random.between(1, 4) {
                push(&mut tree, account, true, random);
            }
        }
    }
    for place in (1..tree.len()).rev() {
        let (above, usage) = (tree[place].above, tree[place].usage);
        tree[above].usage += usage;
    }
    tree
}

/// Output of `sshare -a -l -P` after this number of Slurm's computations.
fn printed(tree: &[Association], cycles: usize) -> String {
    let count = tree.len();
    let total: f64 = tree[0].usage;
    let mut level = vec![0.0; count];
    for one in &tree[1..] {
        level[one.above] += one.shares;
    }
    let portion = |place: usize| tree[place].shares / level[tree[place].above];
    // Multiplies from the node up, as Slurm does; another order may differ in the last bit.
    let product = |place: usize| {
        let (mut product, mut at) = (1.0, place);
        while at != 0 {
            product *= portion(at);
            at = tree[at].above;
        }
        product
    };
    let shares: Vec<f64> = (0..count).map(product).collect();
    let mut usage = vec![UNKNOWN; count];
    usage[0] = 1.0;
    let mut effective = vec![1.0; count];
    for _ in 0..cycles {
        // Accounts are computed at the start of a period, users when sshare asks for them.
        let accounts = (1..count).filter(|&place| !tree[place].is_user);
        let users = (1..count).filter(|&place| tree[place].is_user);
        for place in accounts.chain(users) {
            let above = tree[place].above;
            usage[place] = tree[place].usage / total;
            effective[place] = usage[place];
            if above == 0 {
                continue;
            }
            let siblings = (1..count).filter(|&other| tree[other].above == above);
            let used: f64 = siblings.map(|sibling| usage[sibling]).sum();
            let account = effective[above] / shares[above];
            let ratio = usage[place] / shares[place] / (used / shares[above]);
            let power = if account.ln() * ratio.ln() < 0.0 {
                1.0 / (1.0 + (5.0 * account.ln()).powi(2))
            } else {
                1.0
            };
            effective[place] = account * ratio.powf(power) * shares[place];
        }
    }
    let mut text =
        "Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare\n".to_owned();
    for (place, one) in tree.iter().enumerate() {
        let name = |place: usize| {
            if place == 0 {
                "root".to_owned()
            } else {
                format!("a{place}")
            }
        };
        let indent = " ".repeat(one.depth);
        let (account, user) = if one.is_user {
            (name(one.above), format!("u{place}"))
        } else {
            (name(place), String::new())
        };
        let raw = if place == 0 {
            String::new()
        } else {
            one.shares.to_string()
        };
        let norm_usage = if place == 0 {
            String::new()
        } else {
            format!("{:.6}", usage[place])
        };
        let factor = 2.0_f64.powf(-effective[place] / shares[place]);
        writeln!(
            text,
            "{indent}{account}|{user}|{raw}|{:.6}|{}|{norm_usage}|{:.6}|{factor:.6}",
            shares[place], one.usage, effective[place]
        )
        .expect("room");
    }
    text
}

fn opened(text: &str) -> Opened {
    let loaded = loaded(text, &Request::default());
    Opened::new(loaded, None)
}

#[test]
fn the_first_period_is_unsettled_and_the_next_is_verified() {
    let mut random = Random::new(13);
    for _ in 0..50 {
        let tree = tree(&mut random);
        let first = opened(&printed(&tree, 1));
        let later = opened(&printed(&tree, 4));
        assert!(
            !later.source.verification.differs(),
            "{:?}",
            later.source.verification
        );
        assert_eq!(later.source.verification.stale, None);
        assert_eq!(later.scenario.policy(), Policy::DepthOblivious);
        if printed(&tree, 1) == printed(&tree, 4) {
            continue;
        }
        let verification = &first.source.verification;
        assert!(
            verification.is_unsettled(),
            "{verification:?}\n{}",
            printed(&tree, 1)
        );
        assert_eq!(first.scenario.policy(), Policy::DepthOblivious);
        assert_eq!(dump::stale(verification), Some("not settled yet"));
        let view = View::of(&first.scenario, &first.source.problems);
        let findings = check::findings(&view, verification);
        let codes: Vec<_> = findings.list().iter().map(|finding| finding.code).collect();
        assert!(codes.contains(&"slurm-not-settled"), "{codes:?}");
        assert!(!codes.contains(&"recorded-differs"), "{codes:?}");
    }
}

#[test]
fn an_altered_number_is_not_called_unsettled() {
    let mut random = Random::new(14);
    let tree = tree(&mut random);
    let text = printed(&tree, 4);
    let last = text.lines().last().expect("a user");
    let mut cells: Vec<&str> = last.split('|').collect();
    cells[6] = "0.123456";
    let altered = opened(&text.replace(last, &cells.join("|")));
    assert!(!altered.source.verification.is_unsettled());
    assert!(altered.source.verification.differs());
}
