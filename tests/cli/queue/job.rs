//! `queue --why`: the gap to the first job, the rank of the user, and the jobs that are passed with time.

use crate::support::command::Run;
use crate::support::expected::Expected as _;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use tempfile::tempdir;

const FOLDER: &str = "tests/data/slurm_jobs";

fn why(job: &str, more: &[&str]) -> Run {
    Run::fairscope(["queue", FOLDER, "--why", job]).args(more)
}

fn json(run: Run) -> Value {
    let ran = run.args(["--format-out", "json"]).run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    serde_json::from_slice(&ran.stdout).expect("JSON")
}

#[test]
fn the_first_job_is_said_to_be_first() {
    let text = why("213", &[]).run().text();
    text.must_begin("Job 213 of alice is first of 79 waiting jobs, with 100,706 points.\n");
    text.must_lack("gap");
    text.must_lack("Overtakes");
    let first = json(why("213", &[]));
    assert!(first["behind"].is_null() && first["first"].is_null() && first["difference"].is_null());
    assert_eq!(first["overtakes"]["ahead"], 0);
    // The one that is behind is told of, whichever is named first.
    let pair = why("213", &["--behind", "160"]).run().text();
    pair.must_begin("The gap from job 160 to the first waiting job, 213, is 83 points; none of it is fairshare.\n");
}

#[test]
fn the_gap_to_the_first_job_comes_first() {
    let text = why("162", &[]).run().text();
    text.must_begin(
        "The gap from job 162 to the first waiting job, 213, is 21,013 points; 99.6% of it is fairshare.\n",
    );
    let by_hand = why("228", &[]).run().text();
    by_hand.must_begin("The gap from job 228 to the first waiting job, 213, is 96,464 points.\n");
    let gap = json(why("162", &[]));
    assert_eq!(gap["first"]["id"], "213");
    assert_eq!(gap["first"]["gap"], 21_013);
    let portion = gap["first"]["fairshare_portion"]
        .as_f64()
        .expect("a portion");
    assert!((portion - 0.996).abs() < 0.001, "{portion}");
}

#[test]
fn a_user_has_a_rank_among_all_and_among_those_who_wait() {
    let text = why("162", &[]).run().text();
    text.must_contain(
        "dora in chem ranks 11th of 43 users by fairshare, and 10th of the 38 with jobs in this queue.",
    );
    let rank = json(why("162", &[]))["user_rank"].clone();
    assert_eq!(rank["rank"], 11);
    assert_eq!(rank["users"], 43);
    assert_eq!(rank["rank_of_waiting"], 10);
    assert_eq!(rank["waiting_users"], 38);
}

#[test]
fn jobs_in_several_partitions_are_named_with_theirs() {
    let text = why("183/batch", &[]).run().text();
    text.must_contain("Job 183/batch of o9 is 35th with 47,888 points; job 183/fast of o9 is 34th");
}

#[test]
fn jobs_are_passed_once_they_have_their_full_age() {
    let text = why("175", &[]).run().text();
    for line in [
        "With all else equal, job 175 passes job 103 in 27 min 28 s to 28 min 28 s.",
        "Job 175 passes 2 of the 71 jobs before it. Age stops raising them first, and then \
         only this job gains. It never passes 69 others: age raises all jobs alike, and each of these is ahead at the full age, too.",
        "103     71  zoe           177  in 27 min 28 s to 28 min 28 s",
    ] {
        text.must_contain(line);
    }
    let never = why("41", &["--behind", "66"]).run().text();
    never.must_contain(
        "With all else equal, job 41 never passes job 66, which has 2,367 points more once both have their full age.",
    );
    // A priority that was set by hand does not rise.
    let by_hand = why("228", &[]).run().text();
    by_hand.must_contain(
        "Job 228 passes no job before it: its priority was set by hand, so age does not raise it.",
    );
    let of_by_hand = why("155", &["--behind", "228"]).run().text();
    of_by_hand.must_contain("job 155 passes job 228 in 13 min 7 s to 14 min 7 s.");
}

#[test]
fn without_the_settings_of_age_it_is_not_told_when_jobs_are_passed() {
    let files = ["queue", "tests/data/slurm_jobs/sshare.psv", "--sprio"];
    let run = Run::fairscope(files).arg("tests/data/slurm_jobs/sprio_l.txt");
    let text = run.args(["--why", "175"]).run().text();
    text.must_contain("job 175 passes job 103 some time.");
    text.must_contain(
        "When is not known without PriorityWeightAge and PriorityMaxAge: give --config FILE",
    );
    let edited = why("175", &["--edit", "set PriorityMaxAge=1-0"]);
    let text = edited.run().text();
    text.must_contain("When is not known, because the edits change how age counts.");
}

/// A job of a made-up queue: what it has besides age, and how long it waited.
#[derive(Clone, Copy)]
struct MadeUp {
    rest: u64,
    waited: u64,
}

const WEIGHT: u64 = 1000;
/// 33:20 in seconds.
const MAX_AGE: u64 = 2000;
const PERIOD: u64 = 10;

impl MadeUp {
    /// Returns the priority after some seconds, as Slurm computes it.
    fn priority(self, after: u64) -> u64 {
        self.rest + (self.waited + after).min(MAX_AGE) * WEIGHT / MAX_AGE
    }
}

#[test]
fn what_is_told_of_passing_is_what_slurm_computes_at_each_calculation() {
    let mut queue = Vec::new();
    let mut random: u64 = 7;
    for _ in 0..40 {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let rest = 500 + (random >> 33) % 900;
        let waited = (random >> 45) % 200 * 13;
        queue.push(MadeUp { rest, waited });
    }
    let mut points = "JOBID|PARTITION|USER|PRIORITY|AGE|PARTITION\n".to_owned();
    let mut factors = points.clone();
    for (number, job) in (1..).zip(&queue) {
        let age = job.waited.min(MAX_AGE) as f64 / MAX_AGE as f64;
        let priority = job.priority(0);
        let part = job.rest as f64 / 10_000.0;
        let rounded = (age * WEIGHT as f64).round();
        let _ = writeln!(points, "{number}|a|u|{priority}|{rounded}|{}", job.rest);
        let fraction = priority as f64 / f64::from(u32::MAX);
        let _ = writeln!(factors, "{number}|a|u|{fraction:.8}|{age:.7}|{part:.7}");
    }
    let folder = tempdir().expect("a temporary directory");
    let paths = ["points.txt", "factors.txt", "config.txt"].map(|name| folder.path().join(name));
    let config = format!(
        "PriorityWeightAge = {WEIGHT}\nPriorityWeightPartition = 10000\nPriorityMaxAge = 00:33:20\n\
         PriorityCalcPeriod = 00:00:10\nPriorityWeightFairShare = 0\n"
    );
    for (path, text) in paths.iter().zip([points, factors, config]) {
        fs::write(path, text).expect("a file");
    }
    let [points, factors, config] = &paths;
    let mut passed = 0;
    for (number, own) in (1..).zip(&queue) {
        let run = Run::fairscope(["queue", "--why", &format!("{number}"), "--sprio"]).arg(points);
        let run = run.arg("--sprio").arg(factors).arg("--config").arg(config);
        let overtakes = json(run)["overtakes"].clone();
        let passes = overtakes["passes"].as_array().expect("a list");
        let mut never = 0;
        let mut told = 0;
        for (place, other) in queue.iter().enumerate() {
            if other.priority(0) <= own.priority(0) {
                continue;
            }
            let ticks = (0..=MAX_AGE / PERIOD).map(|tick| tick * PERIOD);
            let mut ahead = ticks.filter(|&after| own.priority(after) > other.priority(after));
            let first = ahead.next();
            let id = (place + 1).to_string();
            let pass = passes.iter().find(|pass| pass["id"] == id);
            never += usize::from(first.is_none());
            // Jobs that end within a point of each other are too close to call.
            let Some(pass) = pass else { continue };
            told += 1;
            let first = first.expect("the job is passed");
            let [earliest, latest] = ["earliest", "latest"].map(|key| pass[key].as_u64());
            assert!(
                earliest <= Some(first) && Some(first) <= latest,
                "{number} passes {id} after {first} s, not in {earliest:?} to {latest:?}"
            );
        }
        assert_eq!(passes.len(), told);
        assert!(
            overtakes["never"].as_u64() <= Some(never as u64),
            "{number}: {overtakes}"
        );
        passed += told;
    }
    assert!(passed > 50, "only {passed}");
}
