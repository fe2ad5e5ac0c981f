//! Explanations of Flux's weighted walk.

use crate::support::command::Run;
use crate::support::data;
use crate::support::expected::Expected as _;

fn explained(case: &str, node: &str) -> String {
    let path = data("flux").join(case).join("input.csv");
    let path = path.to_str().expect("the path of the tests is UTF-8");
    Run::fairscope(["explain", path, node, "--policy", "flux"])
        .run()
        .success()
}

#[test]
fn a_weight_is_shown_with_its_terms() {
    insta::assert_snapshot!(explained("01_seed002_small_no_tie", "leaf.3.2"), @"
    leaf.3.2 is 2nd of 7: it has used 100.0% of its level, target 9.1%, so its weight is 0.090909.

    Weight: (shares / shares of the level) / (usage / usage of the level); the higher weight ranks first
      account3  10 / 1,110 shares = 0.009009; 1 / 133 usage = 0.007519; 0.009009 / 0.007519 = 1.198198
      leaf.3.2  10 / 110 shares = 0.090909; 1 / 1 usage = 1.000000; 0.090909 / 1.000000 = 0.090909
    Visited: level by level from the top; tied banks are visited together
      account3  1st of 3 on its level
      leaf.3.2  2nd of 2 on its level; just behind leaf.3.1
    Fair-share: the counter over all users; it starts at their number and falls by 1 with every user visited
      leaf.3.2  6 / 7 = 0.857143
    Users that tie share the higher counter. Flux stores the fair-share rounded to 6 decimals, as here.
    Neighbours in the ranking:
      just behind account3/leaf.3.1 (1st): decided at leaf.3.2 (Weight 0.090909) against leaf.3.1 (2^64)
      just ahead of account2/leaf.2.1 (3rd): decided at account3 (Weight 1.198198) against account2 (1.089271)
    Not known here: age, QOS, partition, job size, limits, free nodes.
    ");
}

#[test]
fn a_user_without_usage_is_explained_as_first() {
    let text = explained("01_seed002_small_no_tie", "leaf.3.1");
    text.must_begin("leaf.3.1 is 1st of 7: it has used nothing, so its weight is 2^64 and no sibling is ahead.\n");
    text.must_contain("  leaf.3.1  shares without usage give 2^64\n");
}

#[test]
fn tied_banks_are_explained_as_visited_together() {
    let text = explained("31_nested_ties_two_levels", "a3");
    text.must_contain(
        "  A   2nd of 3 on its level; a tie with 1 sibling: their members are ranked as one list\n",
    );
}

#[test]
fn a_sum_that_drops_its_fraction_is_reported() {
    let text = explained("28_fraction_usage_trunc", "B");
    text.must_contain("3.8 / 9 usage = 0.422222");
    text.must_contain("each addition drops the fraction");
}

#[test]
fn jobs_left_out_are_mentioned_in_the_explanation() {
    let folder = tempfile::tempdir().expect("a folder");
    let jobs = folder.path().join("jobs.csv");
    let text = "user,bank,nnodes,t_run,t_inactive\nleaf.1.2,account1,2,0,3600\nleaf.1.2,account1,x,0,3600\n";
    std::fs::write(&jobs, text).expect("it can be written");
    let jobs = jobs.to_str().expect("UTF-8");
    let ran = Run::fairscope(["explain", "example:flux", "leaf.1.2", "--jobs", jobs]).run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let mentioned = ran.stderr.clone();
    let text = ran.text();
    text.must_contain("2 × 3,600 = 7,200");
    assert_eq!(
        mentioned,
        format!(
            "fairscope: 1 problem in {jobs}; see `fairscope check example:flux --jobs {jobs}`\n"
        )
    );
}

#[test]
fn an_unknown_column_of_jobs_is_a_problem() {
    let folder = tempfile::tempdir().expect("a folder");
    let jobs = folder.path().join("jobs.csv");
    let text = "user,bank,nnodes,t_run,t_inactive,cores\nleaf.1.2,account1,2,0,3600,64\n";
    std::fs::write(&jobs, text).expect("it can be written");
    let jobs = jobs.to_str().expect("UTF-8");
    let ran = Run::fairscope(["check", "example:flux", "--jobs", jobs]).run();
    let expected = format!(
        "{jobs}:1: note: unknown column 'cores'; it is not read; the columns are user, bank, nnodes, t_run, \
         t_inactive, ncores and ngpus [csv-unknown-column]"
    );
    let text = ran.text();
    text.must_contain(&expected);
}
