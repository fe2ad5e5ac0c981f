//! Explanations under LEVEL_BASED.

use super::text_of;
use crate::support::associations::drawn;
use fairscope::format::Problems;
use fairscope::model::{NodeId, resolve};
use fairscope::report::{View, explain};
use fairscope::rules::policy::Policy;
use fairscope::scenario::Scenario;
use std::sync::Arc;

/// A tree that gives the words of the documentation's example.
const EXAMPLE: &str = "
LifeSciences/ 50
  Biology/ 10
    DrBob/ 50
      GradStudent 25 | 147511
      others 75 | 1262405
    otherFaculty 50 | 921504
  otherDepartments 90 | 885843
otherColleges 50 | 6782737
";

fn explained(drawing: &str, levels: u8, path: &str) -> String {
    let mut snapshot = drawn(drawing);
    snapshot.settings.slurm.priority_levels = Some(levels);
    let scenario = Scenario::new(Arc::new(snapshot), Policy::LevelBased);
    let problems = Problems::default();
    let node = match path {
        "" => NodeId::ROOT,
        path => resolve(scenario.tree(), path.as_bytes()).expect("a node of the tree"),
    };
    let view = View::of(&scenario, &problems);
    let lines = explain::lines(&view, &scenario.explain(node));
    text_of(&lines)
}

#[test]
fn the_last_bucket_of_a_word_belongs_to_the_user() {
    insta::assert_snapshot!(explained(EXAMPLE, 4, "GradStudent"), @"
    GradStudent is 3rd of 5 with the 64-bit priority AAAA12347777CCCC: it has used 10.5% of DrBob's usage, target 25.0%. It is held back by Biology, which has used 72.5% of LifeSciences's usage, target 10.0%.

    Priority: PriorityLevels=4: 4 buckets of 16 bits, the largest value FFFF; no bit unused
      |1010101010101010|0001001000110100|0111011101110111|1100110011001100|
      |LifeSciences    |Biology         |DrBob           |GradStudent     |
      buckets AAAA 1234 7777 CCCC; the 64-bit priority AAAA12347777CCCC
      LifeSciences  level 0: AAAA, shifted left by 48 bits
      Biology       level 1: 1234, shifted left by 32 bits
      DrBob         level 2: 7777, shifted left by 16 bits
      GradStudent   level 3: CCCC, not shifted
    Shares: S = shares / shares of the level
      LifeSciences  50 / 100 shares = 0.500000
      Biology       10 / 100 shares = 0.100000
      DrBob         50 / 100 shares = 0.500000
      GradStudent   25 / 100 shares = 0.250000
    Usage: U = usage / usage of the account
      LifeSciences  3,217,263 / 10,000,000 = 0.321726
      Biology       2,331,420 / 3,217,263 = 0.724659
      DrBob         1,409,916 / 2,331,420 = 0.604746
      GradStudent   147,511 / 1,409,916 = 0.104624
    Bucket: S' = 0.1 + 0.9 S, F = 2^-(U / S'), value = 1 + F × (FFFF - 1) without fraction
      LifeSciences  S' = 0.550000, F = 2^-(0.321726 / 0.550000) = 0.666669, value AAAA; ahead of its only sibling
      Biology       S' = 0.190000, F = 2^-(0.724659 / 0.190000) = 0.071100, value 1234; behind its only sibling
      DrBob         S' = 0.550000, F = 2^-(0.604746 / 0.550000) = 0.466666, value 7777; behind its only sibling
      GradStudent   S' = 0.325000, F = 2^-(0.104624 / 0.325000) = 0.800005, value CCCC; ahead of its only sibling
    Factor: (users - rank) / users, always below 1, and 0 for the last unless it ties
      GradStudent  (5 - 3) / 5 = 0.400000
    Neighbours in the ranking:
      just behind LifeSciences/Biology/otherFaculty (2nd): DrBob has level_fs 0000000077770000, otherFaculty has 000000009B8F0000
      just ahead of LifeSciences/Biology/DrBob/others (4th): GradStudent has level_fs 000000000000CCCC, others has 00000000000072EF
    Not known here: age, QOS, partition, job size, limits, free nodes.
    ");
}

#[test]
fn buckets_that_do_not_fit_hexadecimal_digits_are_drawn_to_scale() {
    insta::assert_snapshot!(explained(EXAMPLE, 3, "GradStudent"), @"
    GradStudent is 3rd of 5, tied with 1 other, with the 64-bit priority AAAAD0919D5DDDDA: it is below the deepest level, so all users of DrBob tie. It is held back by Biology, which has used 72.5% of LifeSciences's usage, target 10.0%.

    Priority: PriorityLevels=3: 3 buckets of 21 bits, the largest value 1FFFFF; the last bit unused
      |101010101010101011010|000100100011001110101|011101110111011101101|·
      |LifeSciences         |Biology              |DrBob                |
      buckets 15555A 024675 0EEEED; the 64-bit priority AAAAD0919D5DDDDA
      LifeSciences  level 0: 15555A, shifted left by 43 bits
      Biology       level 1: 024675, shifted left by 22 bits
      DrBob         level 2: 0EEEED, shifted left by 1 bit
      GradStudent   adds nothing to the priority of its account
    Shares: S = shares / shares of the level
      LifeSciences  50 / 100 shares = 0.500000
      Biology       10 / 100 shares = 0.100000
      DrBob         50 / 100 shares = 0.500000
      GradStudent   25 / 100 shares = 0.250000
    Usage: U = usage / usage of the account
      LifeSciences  3,217,263 / 10,000,000 = 0.321726
      Biology       2,331,420 / 3,217,263 = 0.724659
      DrBob         1,409,916 / 2,331,420 = 0.604746
      GradStudent   147,511 / 1,409,916 = 0.104624
    Bucket: S' = 0.1 + 0.9 S, F = 2^-(U / S'), value = 1 + F × (1FFFFF - 1) without fraction
      LifeSciences  S' = 0.550000, F = 2^-(0.321726 / 0.550000) = 0.666669, value 15555A; ahead of its only sibling
      Biology       S' = 0.190000, F = 2^-(0.724659 / 0.190000) = 0.071100, value 024675; behind its only sibling
      DrBob         S' = 0.550000, F = 2^-(0.604746 / 0.550000) = 0.466666, value 0EEEED; behind its only sibling
      GradStudent   below the last level that has a bucket
    Factor: (users - rank) / users, always below 1, and 0 for the last unless it ties
      GradStudent  (5 - 3) / 5 = 0.400000
    Below the deepest level all users of an account tie. A larger PriorityLevels separates them.
    Neighbours in the ranking:
      just behind LifeSciences/Biology/otherFaculty (2nd): DrBob has level_fs 00000000001DDDDA, otherFaculty has 000000000026E408
      just ahead of otherColleges (5th): LifeSciences has level_fs AAAAD00000000000, otherColleges has 6CE4C00000000000
    Not known here: age, QOS, partition, job size, limits, free nodes.
    ");
}

#[test]
fn many_buckets_take_two_rows() {
    insta::assert_snapshot!(explained(EXAMPLE, 11, "DrBob"), @r#"
    DrBob is an account with the 64-bit priority A8DC000000000000: it has used 60.5% of Biology's usage, target 50.0%. It is held back by Biology, which has used 72.5% of LifeSciences's usage, target 10.0%.

    Priority: PriorityLevels=11: 11 buckets of 5 bits, the largest value 1F; the last 9 bits unused
      |10101|00011|01110|00000|00000|00000|
      |Li…es|Bi…gy|DrBob|     |     |     |
      |00000|00000|00000|00000|00000|·········
      buckets 15 03 0E 00 00 00 00 00 00 00 00; the 64-bit priority A8DC000000000000
      LifeSciences  level 0: 15, shifted left by 59 bits
      Biology       level 1: 03, shifted left by 54 bits
      DrBob         level 2: 0E, shifted left by 49 bits
    Shares: S = shares / shares of the level
      LifeSciences  50 / 100 shares = 0.500000
      Biology       10 / 100 shares = 0.100000
      DrBob         50 / 100 shares = 0.500000
    Usage: U = usage / usage of the account
      LifeSciences  3,217,263 / 10,000,000 = 0.321726
      Biology       2,331,420 / 3,217,263 = 0.724659
      DrBob         1,409,916 / 2,331,420 = 0.604746
    Bucket: S' = 0.1 + 0.9 S, F = 2^-(U / S'), value = 1 + F × (1F - 1) without fraction
      LifeSciences  S' = 0.550000, F = 2^-(0.321726 / 0.550000) = 0.666669, value 15; ahead of its only sibling
      Biology       S' = 0.190000, F = 2^-(0.724659 / 0.190000) = 0.071100, value 03; behind its only sibling
      DrBob         S' = 0.550000, F = 2^-(0.604746 / 0.550000) = 0.466666, value 0E; behind its only sibling
    No Factor, Rank: only users have one.
    Not known here: age, QOS, partition, job size, limits, free nodes.
    "#);
}

#[test]
fn users_without_shares_are_explained_as_first() {
    let tree = "
a/ 0
  ada 1 | 1000
b/ 1
  ben 1
";
    insta::assert_snapshot!(explained(tree, 4, "ada"), @"
    ada is 2nd of 2 with the 64-bit priority FFFF800000000000: it has used 100.0% of a's usage, target 100.0%.

    Priority: PriorityLevels=4: 4 buckets of 16 bits, the largest value FFFF; no bit unused
      |1111111111111111|1000000000000000|0000000000000000|0000000000000000|
      |a               |ada             |                |                |
      buckets FFFF 8000 0000 0000; the 64-bit priority FFFF800000000000
      a    level 0: FFFF, shifted left by 48 bits
      ada  level 1: 8000, shifted left by 32 bits
    Shares: S = shares / shares of the level
      a    0 / 1 share = 0.000000
      ada  1 / 1 share = 1.000000
    Usage: U = usage / usage of the account
      a    1,000 / 1,000 = 1.000000
      ada  1,000 / 1,000 = 1.000000
    Bucket: S' = 0.1 + 0.9 S, F = 2^-(U / S'), value = 1 + F × (FFFF - 1) without fraction
      a    no shares fill the bucket: FFFF; tied with its only sibling
      ada  S' = 1.000000, F = 2^-(1.000000 / 1.000000) = 0.500000, value 8000; alone on its level
    Factor: (users - rank) / users, always below 1, and 0 for the last unless it ties
      ada  (2 - 2) / 2 = 0.000000
    Slurm leaves F at 1 for nodes without shares, so they rank first on their level.
    Neighbours in the ranking:
      just behind b/ben (1st): ada has level_fs 0000800000000000, ben has 0000FFFF00000000
    Not known here: age, QOS, partition, job size, limits, free nodes.
    ");
}

#[test]
fn shares_parent_are_explained_for_accounts_and_users() {
    let tree = "
a/ 1
  pass/ parent
    ada parent | 10
    ann 1 | 90
  abe 1
";
    insta::assert_snapshot!(explained(tree, 4, "ada"), @"
    ada is 1st of 3, tied with 1 other, with the 64-bit priority 8000FFFF00000000: its shares are parent, so it ranks first in a.

    Priority: PriorityLevels=4: 4 buckets of 16 bits, the largest value FFFF; no bit unused
      |1000000000000000|1111111111111111|0000000000000000|0000000000000000|
      |a               |ada             |                |                |
      buckets 8000 FFFF 0000 0000; the 64-bit priority 8000FFFF00000000
      a     level 0: 8000, shifted left by 48 bits
      pass  adds nothing to the priority of its account
      ada   level 1: FFFF, shifted left by 32 bits
    Shares: S = shares / shares of the level
      a     1 / 1 share = 1.000000
      pass  parent: gets none of a's 2 shares
      ada   parent: gets none of a's 2 shares
    Usage: U = usage / usage of the account
      a     100 / 100 = 1.000000
      pass  100 / 100 = 1.000000
      ada   10 / 100 = 0.100000
    Bucket: S' = 0.1 + 0.9 S, F = 2^-(U / S'), value = 1 + F × (FFFF - 1) without fraction
      a     S' = 1.000000, F = 2^-(1.000000 / 1.000000) = 0.500000, value 8000; alone on its level
      pass  shares parent: the account has no bucket of its own
      ada   a user with shares parent has a full bucket: FFFF; first of 4 siblings, tied with 1
    Factor: (users - rank) / users, always below 1, and 0 for the last unless it ties
      ada  (3 - 1) / 3 = 0.666667
    Members of an account with shares parent compete on the level of that account.
    Neighbours in the ranking:
      just ahead of a/pass/ann (3rd): ada has level_fs 0000FFFF00000000, ann has 0000525900000000
    No Served: with shares `parent` it has no target of its own.
    Not known here: age, QOS, partition, job size, limits, free nodes.
    ");
    insta::assert_snapshot!(explained(tree, 4, "pass"), @r#"
    pass is an account with the 64-bit priority 8000000000000000: its shares are parent, so its members compete in a.

    Priority: PriorityLevels=4: 4 buckets of 16 bits, the largest value FFFF; no bit unused
      |1000000000000000|0000000000000000|0000000000000000|0000000000000000|
      |a               |                |                |                |
      buckets 8000 0000 0000 0000; the 64-bit priority 8000000000000000
      a     level 0: 8000, shifted left by 48 bits
      pass  adds nothing to the priority of its account
    Shares: S = shares / shares of the level
      a     1 / 1 share = 1.000000
      pass  parent: gets none of a's 2 shares
    Usage: U = usage / usage of the account
      a     100 / 100 = 1.000000
      pass  100 / 100 = 1.000000
    Bucket: S' = 0.1 + 0.9 S, F = 2^-(U / S'), value = 1 + F × (FFFF - 1) without fraction
      a     S' = 1.000000, F = 2^-(1.000000 / 1.000000) = 0.500000, value 8000; alone on its level
      pass  shares parent: the account has no bucket of its own
    Members of an account with shares parent compete on the level of that account.
    No Factor, Rank: only users have one. No Served: with shares `parent` it has no target of its own.
    Not known here: age, QOS, partition, job size, limits, free nodes.
    "#);
}

#[test]
fn an_overflowing_sum_of_shares_is_explained() {
    insta::assert_snapshot!(explained("\nada 4294967295 | 1\nann 3 | 1\n", 4, "ada"), @"
    ada is 1st of 2 with the 64-bit priority FFFE000000000000: the shares of its level overflow 32 bits, so its own portion is wrong.

    Priority: PriorityLevels=4: 4 buckets of 16 bits, the largest value FFFF; no bit unused
      |1111111111111110|0000000000000000|0000000000000000|0000000000000000|
      |ada             |                |                |                |
      buckets FFFE 0000 0000 0000; the 64-bit priority FFFE000000000000
      ada  level 0: FFFE, shifted left by 48 bits
    Shares: S = shares / shares of the level
      ada  4,294,967,295 / 2 shares = 2.15 G; the sum overflows 32 bits, and Slurm divides by the remainder
    Usage: U = usage / usage of the account
      ada  1 / 2 = 0.500000
    Bucket: S' = 0.1 + 0.9 S, F = 2^-(U / S'), value = 1 + F × (FFFF - 1) without fraction
      ada  S' = 1.93 G, F = 2^-(0.500000 / 1.93 G) = 1.000000, value FFFE; ahead of its only sibling
    Factor: (users - rank) / users, always below 1, and 0 for the last unless it ties
      ada  (2 - 1) / 2 = 0.500000
    Neighbours in the ranking:
      just ahead of ann (2nd): ada has level_fs FFFE000000000000, ann has C992000000000000
    Not known here: age, QOS, partition, job size, limits, free nodes.
    ");
}

#[test]
fn a_tree_without_usage_is_explained() {
    insta::assert_snapshot!(explained("\nada 1\nann 3\n", 1, "ada"), @r#"
    ada is 1st of 2, tied with 1 other, with the 64-bit priority FFFFFFFFFFFFFFFF: nothing was used in root, so none of its members is ahead.

    Priority: PriorityLevels=1: one bucket of 64 bits, the largest value FFFFFFFFFFFFFFFF; no bit unused
      |1111111111111111111111111111111111111111111111111111111111111111|
      |ada                                                             |
      buckets FFFFFFFFFFFFFFFF; the 64-bit priority FFFFFFFFFFFFFFFF
      ada  level 0: FFFFFFFFFFFFFFFF, not shifted
    Shares: S = shares / shares of the level
      ada  1 / 4 shares = 0.250000
    Usage: U = usage / usage of the account
      ada  nothing was used in root: 0.000000
    Bucket: S' = 0.1 + 0.9 S, F = 2^-(U / S'), value = 1 + F × (FFFFFFFFFFFFFFFF - 1) without fraction
      ada  no usage fills the bucket: FFFFFFFFFFFFFFFF; tied with its only sibling
    Factor: (users - rank) / users, always below 1, and 0 for the last unless it ties
      ada  (2 - 1) / 2 = 0.500000
    Not known here: age, QOS, partition, job size, limits, free nodes.
    "#);
    insta::assert_snapshot!(explained("\nada 1\nann 3\n", 1, ""), @"
    root is the root: all of the shares, usage 0 in all, 2 users below it.
    No Factor, Rank: only users have one. No Served: the root has no siblings.
    ");
}
