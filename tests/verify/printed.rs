//! Slurm's output for trees whose numbers need more digits than are printed.

use super::loaded;
use crate::support::expected::Expected as _;
use fairscope::format::Request;
use fairscope::report::words::verify as words;
use fairscope::rules::policy::Policy;
use fairscope::trust::verify::KnownSetting;
use fairscope::trust::verify::{ColumnCheck, Detected, Verification, verify_dump};

fn verified(text: &str, policy: Policy) -> Verification {
    let loaded = loaded(text, &Request::default());
    verify_dump(&loaded.snapshot, policy, policy)
}

/// Counts of numbers that differ and of numbers that depend on hidden digits.
fn doubts(verification: &Verification) -> (usize, usize) {
    let columns = || verification.columns.iter();
    (
        columns().map(ColumnCheck::differing).sum(),
        columns().map(|column| column.undecided).sum(),
    )
}

fn rule(verification: Verification) -> (Policy, Vec<KnownSetting>) {
    let Detected {
        policy, settings, ..
    } = verification.detected.expect("a rule is told");
    (policy, settings)
}

#[test]
fn users_with_equal_printed_level_fs_are_ordered_by_shares_and_usage() {
    let verification = verified(
        "\
Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|LevelFS
root|||0.000000|21||1.000000||
 a||1|1.000000|21|1.000000|1.000000||1.000000
  a|big|536870911|1.000000|18|0.860520|0.860520|1.000000|1.162088
  a|d|7|0.000000|1|0.089835|0.089835|0.333333|0.000000
  a|u|6|0.000000|1|0.049645|0.049645|0.666667|0.000000
",
        Policy::FairTree,
    );
    assert_eq!(doubts(&verification), (0, 0));
    assert_eq!(rule(verification).0, Policy::FairTree);
}

#[test]
fn ranks_below_tied_accounts_are_undecided_if_their_order_is_not_printed() {
    // The accounts were made in the order b, c, a; the newest is visited first.
    let verification = verified(
        "\
Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|LevelFS
root|||0.000000|873||1.000000||
 a||0|0.000000|333|0.381443|0.381443||0.000000
  a|ax|10|0.476190|163|0.186712|0.489489|0.833333|0.972831
  a|ay|11|0.523810|170|0.194731|0.510511|1.000000|1.026050
 b||0|0.000000|249|0.285223|0.285223||0.000000
  b|bx|10|0.476190|121|0.138603|0.485944|0.166667|0.979929
  b|by|11|0.523810|128|0.146621|0.514056|0.500000|1.018973
 c||0|0.000000|291|0.333333|0.333333||0.000000
  c|cx|10|0.476190|142|0.162658|0.487973|0.500000|0.975855
  c|cy|11|0.523810|149|0.170676|0.512027|0.833333|1.023011
",
        Policy::FairTree,
    );
    assert_eq!(doubts(&verification), (0, 4));
    assert_eq!(verification.stale, None);
}

#[test]
fn a_user_with_parent_shares_reveals_the_dampening_factor() {
    let verification = verified(
        "\
Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare
root|||1.000000|0||1.000000|
 root|u|1|1.000000|0|0.000000|0.000000|1.000000
 root|w|parent|1.000000|0|0.000000|0.000000|0.870551
",
        Policy::Classic,
    );
    let dampening = KnownSetting::Dampening(5);
    assert_eq!(rule(verification), (Policy::Classic, vec![dampening]));
}

#[test]
fn a_new_user_is_not_reported_as_an_altered_number() {
    let verification = verified(
        "\
Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|LevelFS
root|||0.000000|6001||1.000000||
 a||1|0.333333|3000|0.500000|0.500000||0.666667
  a|new|5|0.416667|0||0.000000|0.000000|0.000000
  a|x|7|0.583333|1000|0.166667|0.333333|0.666667|3.000000
  a|y|0|0.000000|2000|0.333333|0.666667|0.333333|0.000000
 b||2|0.666667|3000|0.500000|0.500000||1.333333
  b|z|3|1.000000|3000|0.500000|1.000000|1.000000|1.000000
",
        Policy::FairTree,
    );
    let stale = verification.stale.expect("it is of two moments");
    let stale = words::stale(&stale);
    stale.must_contain("it was computed for 3, and now there are 4");
}

#[test]
fn older_classic_columns_are_recognised_without_portions_of_total_usage() {
    let text = "\
Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare
root|||1.000000|15704|1.000000|0.500000
 a||1|0.333333|3700|0.200000|0.659754
  a|x|7|0.259259|1700|0.170370|0.634133
  a|y|2|0.074074|2000|0.148148|0.250000
 b||2|0.666667|12003|0.800000|0.435275
  b|z|3|0.500000|3000|0.650000|0.406126
  c||1|0.166667|9002|0.650000|0.066986
   c|v|3|0.125000|4001|0.554167|0.046284
   c|w|1|0.041667|5001|0.412500|0.001047
";
    let verification = verified(text, Policy::Classic);
    assert!(verification.stale.is_some());
    assert_eq!(rule(verification).0, Policy::Classic);
    let altered = text.replace("|0.554167|", "|0.754167|");
    assert_eq!(verified(&altered, Policy::Classic).stale, None);
}
