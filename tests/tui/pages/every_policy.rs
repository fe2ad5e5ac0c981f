//! The page of a node under every policy.

use super::copied;
use crate::support::command::Run;
use crate::support::data;
use crate::support::journey::Journey;
use crate::support::trees::SEED;

#[test]
fn a_key_opens_it_from_any_row_of_the_tree() {
    for (row, text) in [
        ("gj", "group2: 60 shares"),
        ("/ suzy <enter>", "group2/suzy: 60 shares"),
        ("g", "TREEROOT: usage 1,201"),
    ] {
        let mut journey = Journey::on(SEED).keys(row).keys("*");
        journey.answer();
        journey.must_show_all(&[
            "under every policy",
            text,
            "PBS fairshare, the current policy",
        ]);
        journey.press("<esc>");
        journey.must_hide(text);
    }
}

#[test]
fn it_has_the_lines_that_explain_prints() {
    let mut journey = Journey::on(SEED).keys("/ suzy <enter> * y");
    journey.answer();
    journey.press("y");
    let page = copied(&journey).to_owned();
    let seed = data("seed").display().to_string();
    let printed = Run::fairscope(["explain", &seed, "suzy", "--policy", "all"]).run();
    for line in printed.success().lines().filter(|line| !line.is_empty()) {
        assert!(page.contains(line.trim_end_matches(':')), "{line}\n{page}");
    }
}

#[test]
fn it_follows_an_edit_that_is_undone() {
    let mut journey = Journey::on(SEED).keys("/ suzy <enter> e5<enter> *");
    journey.answer();
    journey.must_show("group2/suzy: 5 shares");
    journey.press("u");
    journey.answer();
    journey.must_show("group2/suzy: 60 shares");
}

#[test]
fn it_is_listed_among_the_actions_and_the_keys() {
    let mut journey = Journey::on(SEED).keys(": under<space>every");
    journey.must_show_all(&["This node under every policy", "*"]);
    journey.press("<enter>");
    journey.answer();
    journey.must_show_all(&["under every policy", "the current policy"]);
    let mut journey = Journey::on(SEED).keys("? under<space>every");
    journey.must_show("*            This node under every");
}

#[test]
fn three_lines_of_a_policy_fit_a_small_terminal() {
    let mut journey = Journey::on(SEED).size(80, 24).keys("/ suzy <enter> *");
    journey.answer();
    journey.must_show_all(&[
        "Shares: group2 60.0%, suzy 60.0% × 60.0% = 36.0%",
        "Effective usage: 0.000833 + (0.833472 - 0.000833) × 0.600000 = 0.500416",
        "Factor: 2^-(0.500416 / 0.360000) = 0.381553",
        "Buckets: group2 67D17ABB, suzy FFFFFFFF; 64-bit priority 67D17ABBFFFFFFFF",
    ]);
}
