//! `fairscope queue`.

mod alone;
mod job;
mod recorded;

use crate::support::command::{Ran, Run};
use crate::support::expected::Expected as _;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::{TempDir, tempdir};

const FOLDER: &str = "tests/data/slurm_jobs";

fn queue(folder: &Path, sprio: &str, more: &[&str]) -> Ran {
    Run::fairscope(["queue", "--sprio"])
        .arg(folder.join(sprio))
        .arg(folder.join("sshare.psv"))
        .arg("--config")
        .arg(folder.join("config.txt"))
        .args(more)
        .run()
}

fn jobs(ran: &Ran) -> Vec<Value> {
    let json: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    json["jobs"].as_array().expect("a list of jobs").clone()
}

/// Returns the jobs of which a fact is true, and those of which it is told.
fn told(jobs: &[Value], fact: &str) -> (usize, usize) {
    let right = jobs.iter().filter(|job| job[fact] == true).count();
    let all = jobs.iter().filter(|job| !job[fact].is_null()).count();
    (right, all)
}

#[test]
fn the_report_begins_with_what_was_verified() {
    let text = queue(Path::new(FOLDER), "sprio_l.txt", &["--limit", "3"]).text();
    let beginning = "79 jobs wait. 78 of 78 priorities are the sum of their rounded parts.\n\
                     1 priority was set by hand, without parts.\n\
                     The fairshare of 78 of 78 jobs is the factor of the tree × 100,000.\n";
    text.must_begin(beginning);
    text.must_contain("… and 76 more");
    text.must_contain("When a job starts is not told");
}

#[test]
fn a_contradiction_and_lines_that_cannot_be_read_are_told() {
    let folder = tempdir().expect("a temporary directory");
    for file in ["sshare.psv", "config.txt"] {
        fs::copy(Path::new(FOLDER).join(file), folder.path().join(file)).expect("a copy");
    }
    let text = fs::read_to_string(Path::new(FOLDER).join("sprio_l.txt")).expect("sprio");
    let wrong = text.replacen(" 5578 ", " 5600 ", 1);
    let wrong = wrong
        .replacen(" 2326 ", " 9999 ", 2)
        .replacen(" 343 ", " 3x3 ", 1);
    fs::write(folder.path().join("wrong.txt"), wrong + "  99 batch\n").expect("a file");
    let ran = queue(folder.path(), "wrong.txt", &["--format-out", "json"]);
    let jobs = jobs(&ran);
    assert_eq!(jobs.len(), 78);
    assert_eq!(told(&jobs, "is_sum"), (75, 77));
    assert_eq!(told(&jobs, "is_fairshare_of_tree"), (75, 77));
    for line in ["wrong.txt:4: ", "wrong.txt:81: "] {
        ran.stderr.must_contain(line);
    }
}

#[test]
fn edits_move_the_jobs_of_those_whose_factor_they_change() {
    let edit = ["--edit", "shares physics=1", "--format-out", "json"];
    let jobs = jobs(&queue(Path::new(FOLDER), "sprio_l.txt", &edit));
    let mut moved = 0;
    for job in &jobs {
        let (place, next) = (&job["place"], &job["next_place"]);
        moved += usize::from(place != next);
        let of_physics = job["account"] == "physics" && job["priority"] != 4242;
        if of_physics {
            assert!(next.as_u64() > place.as_u64(), "{job}");
            assert!(
                job["next_priority"].as_i64() < job["priority"].as_i64(),
                "{job}"
            );
        }
    }
    assert!(moved > 10, "only {moved} jobs moved");
    let by_hand = jobs
        .iter()
        .find(|job| job["priority"] == 4242)
        .expect("one");
    assert!(by_hand["next_priority"].is_null() && by_hand["is_sum"].is_null());
}

#[test]
fn other_outputs_are_refused_with_what_to_run() {
    let folder = tempdir().expect("a temporary directory");
    let cases = [
        ("JOBID|USER|PRIORITY\n1|a|5\n", "has no header of sprio"),
        (
            "JOBID PARTITION PRIORITY AGE\nWeights  1000\n",
            "no output of sprio with jobs is known",
        ),
        (
            "JOBID PARTITION PRIORITY AGE\n1 batch 0.0000123 0.5000000\n",
            "the weights are not known; give --config FILE",
        ),
    ];
    for (text, reason) in cases {
        let path = folder.path().join("sprio.txt");
        fs::write(&path, text).expect("a file");
        let error = Run::fairscope(["queue", FOLDER_TREE, "--sprio"]).arg(&path);
        let error = error.run().failure(2);
        error.must_contain(reason);
        error.must_contain("sprio -");
    }
}

const FOLDER_TREE: &str = "tests/data/slurm_jobs/sshare.psv";

#[test]
fn weights_that_are_edited_count_at_the_next_calculation() {
    let queue = |edit| {
        let args = ["queue", FOLDER, "--format-out", "json", "--edit", edit];
        jobs(&Run::fairscope(args).run())
    };
    let usual = queue("set PriorityCalcPeriod=1");
    for (of_edit, of_usual) in queue("set PriorityWeightAge=0").iter().zip(&usual) {
        let Some(next) = of_edit["next_priority"].as_i64() else {
            continue;
        };
        let age = of_usual["parts"]["age"].as_f64().expect("a part") + 1000.0 * 60.0 / 1800.0;
        let expected = of_usual["next_priority"].as_i64().expect("a priority") as f64 - age;
        assert!((next as f64 - expected).abs() < 1.0, "{of_edit}");
    }
}

/// Copies files of the folder, and returns the copy.
fn copies(files: &[&str]) -> TempDir {
    let folder = tempdir().expect("a temporary directory");
    for file in files {
        fs::copy(Path::new(FOLDER).join(file), folder.path().join(file)).expect("a copy");
    }
    folder
}

#[test]
fn outputs_beside_the_source_are_used_and_joined() {
    let ran = Run::fairscope(["queue", FOLDER, "--limit", "2"]).run();
    let text = ran.text();
    let beginning = "79 jobs wait. 79 of 79 priorities are verified: 78 are exactly the sum of factor × weight; 1 was set by \
                     hand.\nThe fairshare of 78 of 78 jobs is the factor of the tree × 100,000.\n";
    text.must_begin(beginning);
    for row in [
        "231         o12   ops      batch  waits for another job",
        "192         nat   mechsub  batch  held by its user",
    ] {
        let all = Run::fairscope(["queue", FOLDER]).run().text();
        all.must_contain(row);
    }
    let error = Run::fairscope(["queue", FOLDER_TREE]).run().failure(2);
    error.must_contain("run sprio -l > sprio.txt");
}

#[test]
fn factors_alone_need_weights() {
    let files = [
        "queue",
        FOLDER_TREE,
        "--sprio",
        "tests/data/slurm_jobs/sprio_n_l.txt",
    ];
    let error = Run::fairscope(files).run().failure(2);
    error.must_contain("--sprio FILE with sprio -w");
    let folder = tempdir().expect("a temporary directory");
    let weights = folder.path().join("weights.txt");
    let text = "  JOBID PARTITION PRIORITY   AGE        FAIRSHARE  JOBSIZE    PARTITION  QOS       \n\
                Weights                      1000       100000     1000       1000       2000      \n";
    fs::write(&weights, text).expect("a file");
    let ran = Run::fairscope(files).arg("--sprio").arg(&weights).run();
    let text = ran.text();
    // Nice is not printed, so the four jobs that have it are not told.
    let told = "74 of 74 priorities are the sum of factor × weight to the decimals of sprio -n";
    text.must_contain(told);
}

#[test]
fn outputs_of_another_time_or_cluster_are_told() {
    let folder = tempdir().expect("a temporary directory");
    let header = "JOBID|USER|ACCOUNT|PARTITION|PRIORITY|SITE|AGE|ASSOC|FAIRSHARE|JOBSIZE|PARTITION|QOS|TRES|NICE";
    let cases = [
        (
            "ivan",
            "the fairshare of 0 of 1 job is the factor of the tree × 100,000, so that sprio and the tree are of different",
        ),
        ("stranger", "none of the jobs belongs to one of its users"),
    ];
    for (user, told) in cases {
        let row = format!("7|{user}|cs|batch|1101|0|100|0|1|1000|0|0||0");
        fs::write(
            folder.path().join("sprio.txt"),
            format!("{header}\n{row}\n{row}\n"),
        )
        .expect("a file");
        let ran = Run::fairscope([
            "queue",
            FOLDER_TREE,
            "--config",
            "tests/data/slurm_jobs/config.txt",
            "--sprio",
        ]);
        let ran = ran.arg(folder.path().join("sprio.txt")).run();
        let problem = "sprio.txt:3: error: the job is listed before";
        ran.stderr.must_contain(problem);
        let text = ran.text();
        text.must_contain("Priorities are not verified with the tree");
        text.must_contain(told);
    }
}

#[test]
fn squeue_tells_what_no_priority_tells() {
    let folder = copies(&["sprio_l.txt", "sshare.psv", "config.txt"]);
    let default =
        "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)
               213     batch   a b  c    alice PD       0:00      1 (Priority)
         900_[0-4]     batch      arr    alice PD       0:00      1 (JobHeldUser)
               901     batch      run    alice  R       0:09      1 n1
               902     batch      lim    alice PD       0:00      1 (AssocGrpCpuLimit)
               903     batch      odd    alice PD       0:00      1 (Never Seen)
";
    fs::write(folder.path().join("queue.txt"), default).expect("a file");
    let text = Run::fairscope(["queue", "--limit", "9"])
        .arg(folder.path())
        .run()
        .text();
    for row in [
        "900_[0-4]         alice           batch  held by its user",
        "902               alice           batch  a limit of its association or account: AssocGrpCpuLimit",
        "903               alice           batch  Slurm's reason is Never Seen",
    ] {
        text.must_contain(row);
    }
    text.must_lack("901");
    fs::write(
        folder.path().join("queue.txt"),
        "JOBID|ST|REASON\n12|PD\n13_[1-2]|PD|BeginTime\n",
    )
    .expect("a file");
    let ran = Run::fairscope(["queue"]).arg(folder.path()).run();
    let problem = "queue.txt:2: error: the line does not have a cell below each heading";
    ran.stderr.must_contain(problem);
    let text = ran.text();
    text.must_contain("13_[1-2]");
}

fn why(more: &[&str]) -> Run {
    Run::fairscope(["queue", FOLDER]).args(more)
}

#[test]
fn why_a_job_is_behind_another_is_told_by_parts() {
    let text = why(&["--why", "66", "--behind", "41"]).run().text();
    let beginning = "The gap from job 41 to the first waiting job, 213, is 92,784 points; fairshare alone would make it \
                     93,023.\n\
                     Job 41 of zoe is 70th with 7,922 points; job 66 of mia is 64th with 10,236 points, 2,314 more.\n\
                     Of the difference: Fairshare 100.5%, Age -2.3%, Job size 1.8%.\n";
    text.must_begin(beginning);
    let json = why(&["--why", "41", "--format-out", "json"]).run();
    let json: Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(json["behind"]["place"], 69);
    assert_eq!(json["job"]["parts"]["fairshare"], 4651.16);
    let then = why(&["--why", "160", "--edit", "shares physics=1"])
        .run()
        .text();
    then.must_begin("After the edits the gap from job 160 to the first waiting job, ");
    then.must_contain("At the next calculation, after the edits, job 160 of alice is ");
    let by_hand = why(&["--why", "228"]).run().text();
    by_hand.must_contain("A priority that was set by hand has no parts to compare.");
}

#[test]
fn jobs_that_cannot_be_compared_are_refused() {
    for (job, reason) in [
        (
            "209",
            "job 209 does not wait: squeue lists it in another state than PENDING",
        ),
        (
            "183",
            "job 183 is in several partitions; name one as in 183/fast",
        ),
        (
            "231",
            "has no place, because sprio does not list it; Slurm's reason is Dependency",
        ),
        ("7777", "unknown job '7777'"),
    ] {
        let error = why(&["--why", job]).run().failure(2);
        error.must_contain(reason);
    }
    let error = why(&["--why", "41", "--behind", "41"]).run().failure(2);
    error.must_contain("job 41 is named twice");
}

#[test]
fn golden_priorities_and_fairshare_are_those_of_slurm() {
    let Some(golden) = golden() else { return };
    let (mut rows, mut exact) = (0, 0);
    for capture in CAPTURES {
        let folder = golden.join(capture);
        for files in [
            &["sprio_l.txt"][..],
            &["sprio_o_all.txt"],
            &["sprio_n_l.txt", "sprio_l.txt"],
            &[],
        ] {
            let jobs = jobs_of(&folder, &folder, files, &[]);
            let (right, all) = told(&jobs, "is_sum");
            assert!(
                right == all && all + 1 == jobs.len(),
                "{capture}/{files:?}: {right} of {all}"
            );
            let (right, all) = told(&jobs, "is_fairshare_of_tree");
            assert!(
                right == all && all + 1 == jobs.len(),
                "{capture}/{files:?}: {right} of {all}"
            );
            rows += jobs.len();
            if *files == ["sprio_l.txt"] {
                continue;
            }
            let (right, all) = told(&jobs, "is_exact");
            let is_computed = |job: &&Value| job["priority"] == job["priority_computed"];
            let computed = jobs.iter().filter(is_computed).count();
            assert_eq!(all + 1, jobs.len());
            assert_eq!(right + 1, computed);
            exact += computed;
            if capture.starts_with("22.05") {
                // Two decimals of the factors of TRES: the others are within their rounding.
                assert!(computed >= 52, "{capture}/{files:?}: {computed}");
            } else {
                assert_eq!(computed, jobs.len(), "{capture}/{files:?}");
            }
        }
    }
    println!("{rows} rows of sprio, {exact} computed exactly");
}

#[test]
fn golden_priorities_of_the_next_calculation_are_those_of_slurm() {
    let Some(golden) = golden() else { return };
    let [before, _, after, second, _] = CAPTURES.map(|capture| golden.join(capture));
    let edits = [
        ["--edit", "shares physics=90", "--edit", "shares zero=15"],
        [
            "--edit",
            "shares ops=5",
            "--edit",
            "shares science/bio/frank=1",
        ],
    ];
    for (from, to, edits) in [(&before, &after, edits[0]), (&after, &second, edits[1])] {
        let actual = jobs_of(to, to, &["sprio_l.txt"], &[]);
        let key = |job: &Value| (job["id"].clone(), job["partition"].clone());
        for (tree, files, edits) in [
            (to, &["sprio_o_all.txt"][..], &[][..]),
            (to, &["sprio_l.txt", "sprio_n_l.txt"], &[]),
            (to, &["sprio_l.txt"], &[]),
            // The usage of the tick is not known before it.
            (from, &["sprio_o_all.txt"], &edits),
        ] {
            let mut pairs = Vec::new();
            for job in jobs_of(tree, from, files, edits) {
                let same = actual.iter().find(|other| key(other) == key(&job));
                if let Some((same, next)) = same.zip(job["next_priority"].as_i64()) {
                    pairs.push((next, same["priority"].as_i64().expect("a priority")));
                }
            }
            let within = |most| {
                pairs
                    .iter()
                    .filter(|(next, is)| next.abs_diff(*is) <= most)
                    .count()
            };
            let is_inverse = |(one, two): &((i64, i64), (i64, i64))| one.1 > two.1 && one.0 < two.0;
            let all = pairs
                .iter()
                .flat_map(|&one| pairs.iter().map(move |&two| (one, two)));
            assert_eq!(
                all.filter(is_inverse).count(),
                0,
                "{files:?}: the order differs"
            );
            println!(
                "{} rows predicted from {files:?} and {} edits: {} exactly, {} within a point",
                pairs.len(),
                edits.len() / 2,
                within(0),
                within(1)
            );
            assert!(pairs.len() > 60);
            assert!(
                within(1)
                    >= if edits.is_empty() {
                        pairs.len()
                    } else {
                        pairs.len() - 5
                    }
            );
            assert!(within(0) + 5 >= pairs.len() || files == ["sprio_l.txt"]);
        }
    }
}

const CAPTURES: [&str; 5] = [
    "24.11/sprio/0-before",
    "24.11/sprio/1-just-after-change",
    "24.11/sprio/2-after-period",
    "24.11/sprio/3-after-second-change",
    "22.05/sprio/0-before",
];

fn golden() -> Option<PathBuf> {
    let golden = std::env::var_os("FAIRSCOPE_GOLDEN");
    if golden.is_none() {
        println!("skipped: FAIRSCOPE_GOLDEN is not set");
    }
    golden.map(|golden| Path::new(&golden).join("slurm_jobs"))
}

/// Returns the jobs of some files of a capture, or of all, with the tree of another.
fn jobs_of(tree: &Path, capture: &Path, files: &[&str], more: &[&str]) -> Vec<Value> {
    let sprio = files
        .iter()
        .flat_map(|file| ["--sprio".into(), capture.join(file).into_os_string()]);
    let ran = Run::fairscope(["queue", "--format-out", "json"])
        .arg(tree)
        .args(sprio)
        .args(more);
    jobs(&ran.run())
}

/// The header of `sprio -l` with GPUs, and its width of TRES.
const CUT: &str = "          JOBID PARTITION     USER  ACCOUNT   PRIORITY       SITE        AGE      ASSOC  FAIRSHARE    JOBSIZE  \
                   PARTITION    QOSNAME        QOS        NICE                 TRES
";

fn cut_job(id: u32, priority: u32, tres: &str) -> String {
    format!(
        "{id:>15} batch        alice  physics {priority:>10}          0          0          0      90909        344        \
         203      normal       2500           0 {tres:>20}\n"
    )
}

#[test]
fn resources_that_sprio_cuts_are_what_the_other_parts_leave() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let sprio = folder.path().join("sprio.txt");
    let rows = [
        cut_job(1, 94_532, "cpu=50,mem=21,gres/g"),
        cut_job(2, 94_627, "cpu=500,mem=171"),
        // A cell of as many letters may be cut, too.
        cut_job(3, 94_500, "cpu=50,mem=210,a/b=1"),
    ];
    fs::write(&sprio, format!("{CUT}{}", rows.concat())).expect("a file");
    let run = Run::fairscope(["queue", FOLDER_TREE, "--sprio"]).arg(&sprio);
    let json = run.args(["--format-out", "json"]).run();
    let json: Value = serde_json::from_slice(&json.stdout).expect("JSON");
    let jobs = json["jobs"].as_array().expect("jobs");
    let told: Vec<[String; 3]> = jobs
        .iter()
        .map(|job| {
            let tres = job["parts"]["tres"].as_f64().expect("points").round();
            [
                job["id"].to_string(),
                job["place"].to_string(),
                tres.to_string(),
            ]
        })
        .collect();
    let expected = [
        ["\"2\"", "1", "671"],
        ["\"1\"", "2", "577"],
        ["\"3\"", "3", "545"],
    ];
    assert_eq!(told, expected.map(|job| job.map(str::to_owned)));
    let text = Run::fairscope(["queue", FOLDER_TREE, "--sprio"]).arg(&sprio);
    let text = text.run().text();
    text.must_contain("2 priorities have TRES cut by sprio -l");
}

#[test]
fn a_queue_without_some_of_its_jobs_says_so_first() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let sprio = folder.path().join("sprio.txt");
    let broken = cut_job(2, 94_627, "cpu=x");
    let rows = [cut_job(1, 94_532, "cpu=50"), broken];
    fs::write(&sprio, format!("{CUT}{}", rows.concat())).expect("a file");
    let ran = Run::fairscope(["queue", FOLDER_TREE, "--sprio"]).arg(&sprio);
    let text = ran.run().text();
    let (_, told) = text.split_once("\n\n").unwrap_or(("", &text));
    assert!(
        told.starts_with("1 job is left out") || text.starts_with("1 job is left out"),
        "{text}"
    );
}
