//! The columns of every rule: four rules on one row, while an edit is typed too.

use crate::support::journey::{Journey, assert_shows, notice};
use crate::support::trees::SEED;

/// Returns the line of the table that shows a node.
fn line_of(journey: &mut Journey, name: &str) -> String {
    let screen = journey.screen();
    let line = screen
        .lines()
        .find(|line| line.contains(&format!("  {name} ")));
    line.expect("a row").to_owned()
}

#[test]
fn one_key_goes_from_the_columns_of_the_policy_to_those_of_every_rule_and_back() {
    for keys in ["$", "v v"] {
        let mut journey = Journey::on(SEED).size(80, 24);
        let own = journey.screen();
        journey.press(keys);
        let headings = "Effective Factor pbs    Weight           Buckets  Rank";
        assert_shows(&mut journey, &[headings]);
        assert!(notice(&journey).starts_with("columns of every rule"));
        journey.press(keys);
        assert!(notice(&journey).starts_with("columns of the policy"));
        journey.press("<esc>");
        assert_eq!(journey.screen(), own, "{keys}");
    }
}

#[test]
fn columns_chosen_one_by_one_come_after_those_of_every_rule() {
    let mut journey = Journey::on(SEED).size(100, 30);
    journey.press("v c");
    journey.press("TreeUsage<enter><esc>");
    journey.press("$");
    assert!(notice(&journey).starts_with("columns of the policy"));
    journey.press("$");
    assert!(notice(&journey).starts_with("columns of every rule"));
    journey.press("$");
    assert!(notice(&journey).starts_with("your own columns"));
}

#[test]
fn every_rule_moves_while_a_number_is_typed() {
    let mut journey = Journey::on(SEED).size(80, 24).keys("$");
    let before = line_of(&mut journey, "scott");
    let numbers = "0.832973   0.090201    0.4000 67D17ABB 38BB5A65";
    assert!(before.contains(numbers), "{before}");
    journey.press("/suzy<enter>e90");
    let typed = line_of(&mut journey, "scott");
    let numbers = "0.832896   0.043843    0.3077 67D17ABB 28B311B6";
    assert!(typed.contains(numbers), "{typed}");
    journey.press("<esc>");
    assert_eq!(line_of(&mut journey, "scott"), before);
}

#[test]
fn every_rule_stays_under_another_policy() {
    let mut journey = Journey::on(SEED).size(80, 24).keys("$ p");
    journey.answer();
    let headings = "Effective Factor pbs    Weight           Buckets  Rank";
    assert_shows(&mut journey, &["Slurm LEVEL_BASED", headings]);
}
