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
fn the_cursor_is_on_a_job_and_enter_says_why_it_is_behind() {
    let mut journey = ranking().size(80, 24).keys("2Q");
    journey.answer();
    assert!(
        journey.row(" 213 ").starts_with('❯'),
        "{}",
        journey.screen()
    );
    journey.press("j<enter>");
    journey.answer();
    journey.must_show_all(&[
        "Why job 160 is behind job 213",
        "The gap from job 160 to the first waiting job, 213, is 83 points; none of it",
        "Overtakes",
    ]);
    journey.press("q");
    assert!(
        journey.row(" 160 ").starts_with('❯'),
        "{}",
        journey.screen()
    );
    journey.press("k<enter>");
    journey.answer();
    journey.must_show("Job 213 of alice is first of 79 waiting jobs, with 100,706 points.");
    journey.press("<esc>G");
    assert!(
        journey.row(" 155 ").starts_with('❯'),
        "{}",
        journey.screen()
    );
    journey.press("<esc>");
    journey.must_hide("jobs wait");
}

#[test]
fn two_marked_jobs_are_compared() {
    let mut journey = ranking().size(80, 24).keys("2Q");
    journey.answer();
    journey.press("jjjjjm");
    assert!(journey.row(" 227 ").contains('●'), "{}", journey.screen());
    notice(&journey).must_contain("job 227 is marked; m on another job compares both");
    // Again takes the mark away.
    journey.press("m");
    assert!(!journey.row(" 227 ").contains('●'), "{}", journey.screen());
    journey.press("mkkkkkm");
    journey.answer();
    journey.must_show_all(&[
        "Why job 227 is behind job 213",
        "Job 227 of bob is 6th with 98,266 points; job 213 of alice is 1st",
    ]);
}

#[test]
fn headings_stay_while_the_jobs_scroll() {
    let mut journey = ranking().size(80, 24).keys("2Q");
    journey.answer();
    let mut rows = Vec::new();
    for _ in 0..90 {
        let screen = journey.screen();
        let first = screen.lines().nth(3).unwrap_or_default().to_owned();
        let is_row = screen
            .lines()
            .nth(4)
            .is_some_and(|row| row.contains(" batch ") || row.contains(" fast "));
        if is_row && !screen.contains("Other reasons for waiting") {
            assert!(
                first.contains("Place") && first.contains("Fairshare"),
                "{screen}"
            );
        }
        let selected = screen.lines().find(|row| row.starts_with('❯'));
        rows.extend(selected.map(str::to_owned));
        journey.press("j");
    }
    rows.dedup();
    // The cursor met every job once, and is on the screen all the time.
    assert_eq!(rows.len(), 79);
}

#[test]
fn an_undone_edit_changes_the_page_of_a_job_and_the_list() {
    let edit = ";<ctrl-u>shares<space>physics=1<enter>";
    let mut journey = ranking().size(120, 40).keys(edit).keys("2Q");
    journey.answer();
    journey.press("jj<enter>");
    journey.answer();
    journey.must_show("After the edits the gap");
    journey.press("u");
    journey.answer();
    journey.must_hide("After the edits the gap");
    journey.press("q");
    journey.answer();
    journey.must_show("79 jobs wait");
    journey.must_hide("change their places at the next calculation");
}

#[test]
fn columns_that_tell_nothing_give_way_first() {
    for width in 60..130 {
        let mut journey = ranking().size(width, 24).keys("2Q");
        journey.answer();
        let headings = journey.row("Place");
        // The partition gives at most 667 points more, the QOS 1,500, the size 245, and the age 368.
        if headings.contains("Partition") {
            assert!(headings.contains("QOS"), "{width}: {headings}");
        }
        if headings.contains("Job size") {
            assert!(headings.contains("Age"), "{width}: {headings}");
        }
    }
}

#[test]
fn edits_give_jobs_other_places() {
    let edit = ";<ctrl-u>shares<space>physics=1<enter>";
    let mut journey = ranking().size(120, 40).keys(edit).keys("2Q");
    journey.answer();
    journey.must_show_all(&["change their places at the next calculation", "After"]);
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
