//! The usage that jobs gave a tree: how its clock passes time in which nothing begins or ends, and dates that are wrong.

use crate::support::expected::Expected as _;
use crate::support::loading::{load_quietly, sentences};
use fairscope::format::{FilesBeside, Loaded, ProgressUnit, Request, SourceKind};
use fairscope::open::load;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

const DAY: i64 = 86_400;

/// The moment of the tree of Slurm, and about that of the jobs below.
const TAKEN: i64 = 1_795_467_844;

/// Returns the request for Slurm's tree, or for one of PBS, with jobs.
fn slurm(folder: &Path, rows: &[&str]) -> Request {
    let data = |name: &str| PathBuf::from("tests/data/slurm_jobs").join(name);
    let jobs = folder.join("jobs.psv");
    let header =
        "JobIDRaw|User|Account|Cluster|Partition|QOS|Start|End|AllocTRES|State|AssocID|Restarts";
    std::fs::write(&jobs, format!("{header}\n{}\n", rows.join("\n"))).expect("jobs");
    Request {
        source: SourceKind::Path {
            path: data("sshare.psv"),
            more: vec![data("partition.txt"), data("qos.psv")],
        },
        beside: FilesBeside {
            config: Some(data("config.txt")),
            jobs: Some(jobs),
            ..FilesBeside::default()
        },
        ..Request::default()
    }
}

fn pbs(folder: &Path, records: &[&str]) -> Request {
    let place = folder.join("sched_priv");
    let write = |path: &Path, text: &str| std::fs::write(path, text).expect("a file");
    std::fs::create_dir_all(&place).expect("a folder");
    let group = "physics 10 root 60\nbob 11 physics 1\nalice 12 physics 1\n";
    write(&place.join("resource_group"), group);
    let config = "fair_share: true ALL\nfairshare_usage_res: ncpus*walltime\n\
                  fairshare_decay_time: 24:00:00\nfairshare_decay_factor: 0.5\n";
    write(&place.join("sched_config"), config);
    let jobs = folder.join("20261123");
    write(&jobs, &records.join("\n"));
    Request {
        beside: FilesBeside {
            jobs: Some(jobs),
            ..FilesBeside::default()
        },
        ..Request::to_open(place)
    }
}

const ROWS: [&str; 3] = [
    "1|alice|physics|gold|batch|normal|1795467000|1795467100|billing=4,cpu=4,mem=3G|COMPLETED||0",
    "2|heidi|bio|gold|batch|normal|1795553400|1795555000|billing=96,cpu=96,mem=2000M|COMPLETED||0",
    "3|alice|physics|gold|batch|normal|1795726200|Unknown|billing=4,cpu=4,mem=3G|RUNNING||0",
];

const RECORDS: [&str; 2] = [
    "11/23/2026 21:50:28;E;12.server;user=bob start=1795467028 end=1795470628 resources_used.ncpus=4 \
     resources_used.walltime=01:00:00",
    "11/25/2026 22:20:28;E;13.server;user=alice start=1795643428 end=1795645228 resources_used.ncpus=8 \
     resources_used.walltime=00:30:00",
];

/// Returns the bits of the usage of all nodes.
fn usage(loaded: &Loaded) -> Vec<Option<u64>> {
    let tree = &loaded.snapshot.tree;
    let amounts = tree.nodes().iter().map(|&node| tree.usage(node).amount());
    amounts.map(|amount| amount.map(f64::to_bits)).collect()
}

#[test]
fn time_that_is_skipped_gives_the_usage_of_time_that_passes_hour_by_hour() {
    let folder = tempfile::tempdir().expect("a folder");
    for mut request in [slurm(folder.path(), &ROWS), pbs(folder.path(), &RECORDS)] {
        // Later PBS's usage has decayed to nothing.
        request.history.until = Some(TAKEN + 10 * DAY);
        let at_once = load_quietly(&request).expect("jobs");
        request.history.from = Some(TAKEN);
        request.history.every = Some(3600);
        let by_hours = load_quietly(&request).expect("jobs");
        assert!(by_hours.series.is_some());
        assert_eq!(usage(&at_once), usage(&by_hours));
        assert!(usage(&at_once).iter().flatten().any(|&bits| bits > 0));
    }
}

#[test]
fn time_in_which_no_job_begins_or_ends_takes_few_steps() {
    let folder = tempfile::tempdir().expect("a folder");
    for (years, most) in [(10, 100), (1000, 1000)] {
        let mut request = slurm(folder.path(), &ROWS);
        request.history.until = Some(TAKEN + years * 365 * DAY);
        let mut steps = 0;
        let mut last = None;
        let loaded = load(&request, &mut |progress| {
            if progress.unit == ProgressUnit::Seconds {
                steps += 1;
                last = Some(progress.done);
                assert_eq!(
                    progress.total.map(|total| total / 86_400),
                    Some(365 * years.unsigned_abs())
                );
            }
            if steps > most {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        let loaded = loaded.unwrap_or_else(|error| panic!("{years} years, {steps} steps: {error}"));
        assert_eq!(
            last.map(|last| last / 86_400),
            Some(365 * years.unsigned_abs())
        );
        let said = sentences(&loaded.problems).join("\n");
        said.must_contain("is more than a year after the last job, of 2026-11-26");
    }
}

#[test]
fn a_job_with_one_wrong_date_is_a_problem_of_its_line_and_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let right = usage(&load_quietly(&slurm(folder.path(), &ROWS)).expect("jobs"));
    for (start, end) in [
        ("1795467000", "9000-01-01T00:00:00"),
        ("1795467000", "2126-11-23T20:51:03"),
        ("1795467000", "253402300800"),
        ("1795467000000", "1795467100000"),
        ("1795467000", "1000000000000000000"),
        ("9000-01-01T00:00:00", "Unknown"),
    ] {
        let wrong = format!(
            "9|alice|physics|gold|batch|normal|{start}|{end}|billing=4,cpu=4,mem=3G|COMPLETED||0"
        );
        let [one, two, three] = ROWS;
        let loaded = load_quietly(&slurm(folder.path(), &[one, &wrong, two, three])).expect("jobs");
        assert_eq!(usage(&loaded), right, "{start} to {end}");
        let problem = loaded
            .problems
            .list()
            .iter()
            .find(|problem| problem.code == "slurm-jobs-time");
        let problem = problem.unwrap_or_else(|| panic!("{start} to {end}"));
        assert_eq!(problem.line, Some(3), "{problem}");
        problem
            .message
            .must_contain("the job was left out: it is dated");
    }
    let right = usage(&load_quietly(&pbs(folder.path(), &RECORDS)).expect("jobs"));
    for end in [
        "9000-01-01T00:00:00",
        "4951140663",
        "1795470628000",
        "1000000000000000000",
    ] {
        let wrong = RECORDS[0]
            .replace("12.server", "14.server")
            .replace("1795470628", end);
        let [one, two] = RECORDS;
        let loaded = load_quietly(&pbs(folder.path(), &[one, &wrong, two])).expect("jobs");
        assert_eq!(usage(&loaded), right, "{end}");
        let said = sentences(&loaded.problems).join("\n");
        said.must_contain("20261123:2: error: job 14.server was left out: it is dated");
    }
}

#[test]
fn a_tree_older_than_its_jobs_by_years_is_charged_for_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("sched_priv");
    let request = pbs(folder.path(), &RECORDS);
    let right = usage(&load_quietly(&request).expect("jobs"));
    for name in ["resource_group", "sched_config"] {
        let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_500_000_000);
        let file = std::fs::File::options().append(true).open(place.join(name));
        file.and_then(|file| file.set_modified(old))
            .expect("a date");
    }
    let loaded = load_quietly(&request).expect("jobs");
    assert_eq!(usage(&loaded), right);
}

#[test]
fn an_offset_of_a_job_is_read_in_every_time_zone() {
    let folder = tempfile::tempdir().expect("a folder");
    let row = |start: &str, end: &str| {
        format!(
            "1|alice|physics|gold|batch|normal|{start}|{end}|billing=4,cpu=4,mem=3G|COMPLETED||0"
        )
    };
    let charged = |row: &str, zone: &str| {
        let mut request = slurm(folder.path(), &[row]);
        request.history.zone = Some(jiff::tz::TimeZone::get(zone).expect("a zone"));
        request.history.until = Some(TAKEN);
        usage(&load_quietly(&request).expect("jobs"))
    };
    let right = charged(&row("1795467000", "1795467100"), "UTC");
    for zone in ["UTC", "Europe/Berlin", "Asia/Kolkata"] {
        for (start, end) in [
            ("2026-11-23T20:50:00Z", "2026-11-23T20:51:40Z"),
            ("2026-11-24T01:50:00+05:00", "2026-11-24T01:51:40+0500"),
            ("2026-11-23T15:20:00-05:30", "1795467100"),
        ] {
            assert_eq!(charged(&row(start, end), zone), right, "{start} in {zone}");
        }
    }
    assert_eq!(
        charged(&row("2026-11-23T20:50:00", "2026-11-23T20:51:40"), "UTC"),
        right
    );
    // PBS writes seconds; other forms are read alike.
    let right = usage(&load_quietly(&pbs(folder.path(), &RECORDS[..1])).expect("jobs"));
    let other = RECORDS[0].replace("1795467028", "2026-11-24T01:50:28+05:00");
    let other = usage(&load_quietly(&pbs(folder.path(), &[&other])).expect("jobs"));
    assert_eq!(other, right);
}

#[test]
fn a_time_that_the_clock_skipped_is_not_said_to_be_shown_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let said = |start: &str, end: &str| {
        let row = format!(
            "1|alice|physics|gold|batch|normal|{start}|{end}|billing=4,cpu=4,mem=3G|COMPLETED||0"
        );
        let mut request = slurm(folder.path(), &[&row]);
        request.history.zone = Some(jiff::tz::TimeZone::get("Europe/Berlin").expect("a zone"));
        let loaded = load_quietly(&request).expect("jobs");
        sentences(&loaded.problems).join("\n")
    };
    let skipped = said("2026-03-29T02:30:00", "2026-03-29T03:10:00");
    skipped.must_contain("1 job with a time in an hour that the clock of the time zone skipped");
    skipped.must_lack("twice");
    let twice = said("2026-10-25T02:30:00", "2026-10-25T04:10:00");
    twice.must_contain("1 job with a time in the hour that the clock showed twice");
    twice.must_lack("skipped");
}
