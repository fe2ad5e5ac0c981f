//! `queue` without a tree: outputs of sprio and squeue alone.

use crate::support::command::Run;
use crate::support::expected::Expected as _;
use serde_json::Value;

const SPRIO: &str = "tests/data/slurm_jobs/sprio_l.txt";
const SQUEUE: &str = "tests/data/slurm_jobs/squeue.txt";
const CONFIG: &str = "tests/data/slurm_jobs/config.txt";

fn alone(more: &[&str]) -> Run {
    Run::fairscope(["queue", "--sprio", SPRIO]).args(more)
}

#[test]
fn the_output_of_sprio_alone_tells_why_a_job_is_behind() {
    let text = alone(&["--why", "41", "--behind", "66"]).run().text();
    text.must_begin(
        "The gap from job 41 to the first waiting job, 213, is 92,784 points; fairshare alone would make it 93,023.\n\
         Job 41 of zoe is 70th with 7,922 points; job 66 of mia is 64th with 10,236 points, 2,314 more.\n\
         Of the difference: Fairshare 100.5%, Age -2.3%, Job size 1.8%.\n\
         The rank of the user needs a tree: give an output of sshare as SOURCE.\n",
    );
    let with_settings = alone(&["--config", CONFIG, "--why", "175"]).run().text();
    with_settings.must_contain("Job 175 passes 2 of the 71 jobs before it.");
}

#[test]
fn the_list_says_what_needs_a_tree() {
    let text = alone(&["-n", "5", "--squeue", SQUEUE]).run().text();
    text.must_begin(
        "79 jobs wait. 78 of 78 priorities are the sum of their rounded parts.\n\
         1 priority was set by hand, without parts.\n\
         Fairshare is not compared: that needs a tree. Give an output of sshare as SOURCE.\n",
    );
    text.must_contain("held by its user");
    let ran = alone(&["--format-out", "json"]).run();
    let json: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    assert_eq!(json["source"]["path"], SPRIO);
    assert!(json["source"]["format"].is_null() && json["policy"]["name"].is_null());
    assert_eq!(json["jobs"][0]["id"], "213");
    assert!(json["jobs"][0]["path"].is_null());
    let page = alone(&["--format-out", "html"]).run().text();
    page.must_contain(SPRIO);
    page.must_lack("Fair Tree");
}

#[test]
fn without_a_tree_only_settings_can_be_edited() {
    let text = alone(&[
        "--config",
        CONFIG,
        "--edit",
        "set PriorityWeightAge=0",
        "-n",
        "1",
    ]);
    text.run().text().must_contain("After the edits");
    let error = alone(&["--edit", "shares physics=1"]).run().failure(2);
    error.must_contain(
        "without a tree only settings can be edited; give an output of sshare as SOURCE",
    );
    let error = alone(&["--jobs", "tests/data/slurm_jobs/sacct.psv"])
        .run()
        .failure(2);
    error.must_contain("--jobs, --with and --desired need a tree");
    let error = Run::fairscope(["queue", "--why", "41"]).run().failure(2);
    error.must_contain("SOURCE");
}

#[test]
fn factors_without_weights_and_files_that_are_not_there_are_refused() {
    let factors = [
        "queue",
        "--sprio",
        "tests/data/slurm_jobs/sprio_n_l.txt",
        "--why",
        "41",
    ];
    let error = Run::fairscope(factors).run().failure(2);
    error.must_contain("the weights are not known; give --config FILE");
    let error = Run::fairscope(["queue", "--sprio", "none.txt"])
        .run()
        .failure(2);
    error.must_contain("none.txt");
}
