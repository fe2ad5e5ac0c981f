//! The before/after report.

use super::{scenario, written};
use crate::support::trees::SEED;
use fairscope::report::{Form, View, whatif};

fn changed(edits: &[&str], form: Form) -> String {
    let (scenario, problems) = scenario(SEED, edits);
    let view = View::of(&scenario, &problems);
    written(|out| whatif::write(out, &scenario, &view, form, &whatif::Options::default()))
}

#[test]
fn whatif_reports_changed_ranks() {
    insta::assert_snapshot!(changed(&["shares suzy=600", "usage bob+=3600"], Form::Table), @"
    Raising group2/suzy from 60 to 600 and changing the usage of group1/bob from 100 to 3,700: 3 of 4 users change rank (1 rise, 2 fall); largest gain group2/suzy, 3 → 1, largest drop group1/bob, 1 → 3; the other 1 user of group2 loses 84.4% of its share; 2 users no longer tied.

    Edits
    Path         What    Before  After
    group2/suzy  shares      60    600
    group1/bob   usage      100  3,700

    Users
    Users who       Count  Most of all
    rise                1  group2/suzy 3 → 1
    fall                2  group1/bob 1 → 3
    no longer tied      2  rank 1: group1/cathy, group1/bob

    Diluted (not edited): lower Of tree
    Level   Accounts  Users  Users below  Each loses
    group2         0      1            0       84.4%

    By group
    Group   Users  Rise  Fall  Largest rise  Largest fall
    group1      2     0     2                     bob ▼ 2
    group2      2     1     0      suzy ▲ 2

    Path            Shares        Of tree        Usage               Factor   Rank  Change
    group2/suzy   60 → 600  36.0% → 56.2%            1  0.381553 → 0.785934  3 → 1     ▲ 2
    group1/cathy        50          20.0%          100  0.647718 → 0.244626  1 → 2     ▼ 1
    group1/bob          50          20.0%  100 → 3,700  0.647718 → 0.066710  1 → 3     ▼ 2
    ");
}

#[test]
fn new_and_removed_nodes_have_only_one_value() {
    insta::assert_snapshot!(changed(&["add group1/zoe shares=5", "remove scott"], Form::Csv), @r#"
    path,kind,shares_before,shares_after,fairshare_perc_before,fairshare_perc_after,usage_before,usage_after,factor_before,factor_after,rank_before,rank_after,rank_change
    ,account,-1,-1,1.0,1.0,1201.0,201.0,1.0,1.0,,,
    group2,account,60,60,0.6,0.6,1001.0,1.0,0.3817975576140751,0.9942689967188331,,,
    group2/suzy,user,60,60,0.36,0.6,1.0,1.0,0.38155282536615737,0.9942689967188331,3,1,2
    group1,account,40,40,0.4,0.4,201.0,201.0,0.7482533143998252,0.1767766952966369,,,
    group1/zoe,user,,5,,0.01904762,,1.0,,0.14877910505343642,,2,
    group1/cathy,user,50,50,0.2,0.1904762,100.0,100.0,0.6477184907549601,0.06848068505857997,1,3,-2
    group1/bob,user,50,50,0.2,0.1904762,100.0,100.0,0.6477184907549601,0.06848068505857997,1,3,-2
    unknown,account,0,0,0.0,0.0,1.0,1.0,0.0,0.0,,,
    group2/scott,user,40,,0.24000001,,1000.0,,0.09020063360431713,,4,,
    "#);
}
