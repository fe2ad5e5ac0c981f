//! The page of the jobs that wait.

use super::open;
use crate::support::data;
use crate::support::expected::Expected as _;
use crate::support::journey::{Journey, notice};
use crate::support::trees::SEED;

fn ranking() -> Journey {
    open(&[data("slurm_jobs")])
}

#[test]
fn the_queue_opens_from_the_ranking() {
    for (width, height) in [(80, 24), (120, 40)] {
        let mut journey = ranking().size(width, height).keys("2Q");
        journey.answer();
        journey.must_show_all(&[
            "79 jobs wait. 79 of 79 priorities are verified: 78 are exactly the sum of",
            "The fairshare of 78 of 78 jobs is the factor of the tree × 100,000.",
            "213      1  alice  physics",
        ]);
        journey.press("G");
        journey.must_show_all(&[
            "Other reasons for waiting",
            "held by its user",
            "When a job starts is not told",
        ]);
    }
}

#[test]
fn all_lines_of_the_table_have_the_same_columns() {
    // The reason of job 226 is longer than those of the others.
    let mut journey = ranking().size(120, 40).keys("2Q");
    journey.answer();
    let columns = |row: String| row.split_whitespace().count();
    let usual = columns(journey.row(" 178 "));
    assert!(
        columns(journey.row(" 226 ")) >= usual,
        "{}",
        journey.screen()
    );
}

#[test]
fn edits_give_jobs_other_places() {
    let edit = ";<ctrl-u>shares<space>physics=1<enter>";
    let mut journey = ranking().size(120, 40).keys(edit).keys("2Q");
    journey.answer();
    journey.must_show_all(&["change their places at the next calculation", "Then"]);
}

#[test]
fn without_sprio_the_page_says_what_to_save() {
    let mut journey = open(&[data("slurm_jobs/sshare.psv")]).keys("2Q");
    journey.answer();
    let told = notice(&journey).to_owned();
    assert!(
        told.contains("run sprio -l > sprio.txt"),
        "{told}\n{}",
        journey.screen()
    );
    let mut journey = Journey::on(SEED).keys("Q");
    journey.answer();
    notice(&journey).must_contain("sprio is a command of Slurm");
}
