//! Before and after.

use super::written;
use crate::support::trees::{SEED, scenario};
use fairscope::report::{Form, whatif};

fn changed(edits: &[&str], form: Form) -> String {
    let (scenario, problems) = scenario(SEED, edits);
    written(|out| whatif::write(out, &scenario, &problems, form))
}

#[test]
fn edits_show_who_moves() {
    insta::assert_snapshot!(changed(&["shares suzy=600", "usage bob+=3600"], Form::Table), @"");
}

#[test]
fn new_and_removed_nodes_have_one_side() {
    insta::assert_snapshot!(changed(&["add group1/zoe shares=5", "remove scott"], Form::Csv), @"");
}
