//! Why a node stands where it stands.

use super::written;
use crate::support::trees::{SEED, scenario};
use fairscope::model::resolve;
use fairscope::report::{View, explain, split};

fn explained(lines: &str, edits: &[&str], path: &str) -> String {
    let (scenario, problems) = scenario(lines, edits);
    let node = resolve(scenario.tree(), path.as_bytes()).expect("a node of the tree");
    let view = View::of(&scenario, &problems);
    let lines = explain::lines(&view, &scenario.explain(node));
    written(|out| explain::write_text(out, &lines))
}

fn compared(lines: &str, first: &str, second: &str) -> String {
    let (scenario, problems) = scenario(lines, &[]);
    let view = View::of(&scenario, &problems);
    let nodes = [first, second].map(|path| resolve(scenario.tree(), path.as_bytes()).unwrap());
    let split = split::split(scenario.tree(), nodes[0], nodes[1]);
    written(|out| explain::write_text(out, &split::lines(&view, &split)))
}

#[test]
fn who_used_nothing_carries_what_the_group_used() {
    insta::assert_snapshot!(explained(SEED, &[], "suzy"), @"");
}

#[test]
fn who_used_all_is_told_so() {
    insta::assert_snapshot!(explained(SEED, &[], "group2/scott"), @"");
}

#[test]
fn a_user_without_share_never_runs() {
    insta::assert_snapshot!(explained(SEED, &["shares bob=0"], "bob"), @"");
}

#[test]
fn two_nodes_part_where_their_accounts_do() {
    insta::assert_snapshot!(compared(SEED, "suzy", "cathy"), @"");
    insta::assert_snapshot!(compared(SEED, "bob", "cathy"), @"");
    insta::assert_snapshot!(compared(SEED, "group2", "scott"), @"");
}
