//! The built-in trees: they open without problems and show what they are meant to show.

use crate::support::loading::load_quietly;
use fairscope::base::number::Value;
use fairscope::format::{Example, Request};
use fairscope::model::resolve;
use fairscope::open::opened::Opened;
use fairscope::rules::policy::{ColumnId, Policy};

fn opened(example: Example) -> Opened {
    let request = Request::to_open(example.source());
    let loaded = load_quietly(&request).expect("it is built in");
    Opened::new(loaded, None)
}

fn value(opened: &Opened, column: ColumnId, path: &str) -> Value {
    let node = resolve(opened.scenario.tree(), path.as_bytes()).expect("a node");
    opened.scenario.value(column, node)
}

fn rank(opened: &Opened, path: &str) -> u32 {
    let node = resolve(opened.scenario.tree(), path.as_bytes()).expect("a node");
    opened.scenario.evaluation().rank(node).expect("a rank")
}

#[test]
fn every_built_in_tree_opens_without_problems_under_its_own_policy() {
    let policies = Example::ALL.iter().map(|&example| {
        let opened = opened(example);
        assert!(opened.source.problems.is_empty(), "{}", example.name());
        opened.scenario.policy()
    });
    let expected = [
        Policy::FairTree,
        Policy::FairTree,
        Policy::Pbs,
        Policy::Flux,
        Policy::LevelBased,
        Policy::Classic,
        Policy::FairTree,
        Policy::PbsWalk,
        Policy::Flux,
        Policy::FairTree,
        Policy::LevelBased,
    ];
    assert_eq!(policies.collect::<Vec<_>>(), expected);
}

#[test]
fn student_in_the_bucket_example_has_the_documented_word() {
    let opened = opened(Example::Buckets);
    let path = "LifeSciences/Biology/DrBob/GradStudent";
    let word = value(&opened, ColumnId::PriorityFsRaw, path);
    assert_eq!(word, Value::Word(0xAAAA_1234_7777_CCCC));
}

#[test]
fn weighted_walk_example_gives_the_table_of_the_flux_document() {
    let opened = opened(Example::Flux);
    let expected = [
        ("account1/leaf.1.1", "0.285714"),
        ("account1/leaf.1.2", "0.142857"),
        ("account1/leaf.1.3", "0.428571"),
        ("account2/leaf.2.1", "0.714286"),
        ("account2/leaf.2.2", "0.571429"),
        ("account3/leaf.3.1", "1.000000"),
        ("account3/leaf.3.2", "0.857143"),
    ];
    for (path, factor) in expected {
        let number = value(&opened, ColumnId::Factor, path).as_f64();
        assert_eq!(
            format!("{:.6}", number.expect("a factor")),
            factor,
            "{path}"
        );
    }
}

#[test]
fn each_of_150_equal_accounts_has_a_share_of_0_0067_and_a_small_factor() {
    let opened = opened(Example::Equal150);
    let share = value(&opened, ColumnId::NormShares, "acct000").as_f64();
    assert_eq!(format!("{:.4}", share.expect("a share")), "0.0067");
    // The factors of half of the users differ by less than a thousandth.
    let factor = value(&opened, ColumnId::Factor, "acct149/user149").as_f64();
    assert!(factor.expect("a factor") < 0.25);
}

#[test]
fn an_under_served_account_is_ranked_below_an_over_served_one() {
    let mut opened = opened(Example::Objective);
    let ranks = |opened: &Opened| (rank(opened, "big/bigu"), rank(opened, "small/smallu"));
    let (big, small) = ranks(&opened);
    assert!(small < big, "LEVEL_BASED puts {small} before {big}");
    opened.scenario.set_policy(Policy::FairTree);
    let (big, small) = ranks(&opened);
    assert!(big < small, "Fair Tree orders them right");
}

#[test]
fn an_unknown_example_is_refused_with_the_known_ones() {
    let request = Request::to_open("example:smal");
    let refused = load_quietly(&request).expect_err("there is none");
    assert_eq!(
        refused.to_string(),
        "unknown built-in tree 'smal' (site, two, small, flux, buckets, equal150, ties, strangers, notes, month, objective); to open \
         a file of that name write ./example:smal"
    );
}
