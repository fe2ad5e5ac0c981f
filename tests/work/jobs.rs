//! Jobs that ran and jobs that wait.

use super::{Arguments, Case, arguments, assert_linear, lines, pbs, sshare, users, write};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::path::Path;

/// The first moment of the jobs: 2026-01-01, in Unix seconds.
const BEGIN: i64 = 1_767_225_600;

/// A job: its place, its user, and when it began and ended, in seconds after [`BEGIN`].
struct Job {
    place: usize,
    user: usize,
    from: usize,
    until: usize,
}

fn seconds(moment: usize) -> i64 {
    BEGIN + i64::try_from(moment).unwrap()
}

/// Returns a tree of fifty users with the usage of jobs from sacct.
fn sacct(folder: &Path, count: usize, job: impl Fn(usize) -> Job) -> Arguments {
    let tree = sshare(folder, 50);
    let jobs = lines(count, |place| {
        let job = job(place);
        let (number, user) = (job.place + 1, job.user);
        let (from, until) = (seconds(job.from), seconds(job.until));
        format!("{number}|u{user}|a|{from}|{until}|cpu=1,billing=1|COMPLETED\n")
    });
    let head = "JobIDRaw|User|Account|Start|End|AllocTRES|State\n";
    let jobs = write(folder, "sacct.psv", &format!("{head}{jobs}"));
    arguments(["show", &tree, "--jobs", &jobs, "--format-out", "csv"])
}

/// Returns the usage of jobs from accounting logs of PBS.
fn logs(folder: &Path, count: usize, job: impl Fn(usize) -> Job) -> Arguments {
    let tree = pbs(folder, 50);
    let jobs = lines(count, |place| {
        let job = job(place);
        let (number, user) = (job.place, job.user);
        let (from, until) = (seconds(job.from), seconds(job.until));
        let written = Timestamp::from_second(until).unwrap();
        let written = written
            .to_zoned(TimeZone::UTC)
            .strftime("%m/%d/%Y %H:%M:%S");
        format!(
            "{written};E;{number}.srv;user=u{user} group=g project=p jobname=j queue=q ctime={from} qtime={from} \
             etime={from} start={from} exec_host=n/0 Resource_List.ncpus=1 session=1 end={until} Exit_status=0 \
             resources_used.cput=00:10:00 resources_used.walltime=01:00:00 run_count=1\n"
        )
    });
    let log = write(folder, "log", &jobs);
    arguments(["show", &tree, "--jobs", &log, "--format-out", "csv"])
}

/// Returns the usage of jobs from the table of a Flux database with fifty users, whose period begins with them.
fn flux(folder: &Path, count: usize, job: impl Fn(usize) -> Job) -> Arguments {
    let path = folder.join("flux.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch(TABLES).unwrap();
    let users = lines(50, |user| {
        format!(
            "INSERT INTO association_table (username, userid, bank) VALUES ('u{user}', {user}, 'a');\n\
             INSERT INTO job_usage_factor_table VALUES ('u{user}', {user}, 'a', 0.0);\n\
             INSERT INTO job_usage_per_association_table VALUES ('u{user}', {user}, 'a', 0, 0.0);\n"
        )
    });
    let jobs = lines(count, |place| {
        let job = job(place);
        let (number, user) = (job.place, job.user);
        let (from, until) = (seconds(job.from), seconds(job.until));
        format!(
            "INSERT INTO jobs VALUES ('{number}', {user}, {from}, {from}, {until}, '', '{ONE_NODE}', '', NULL, 'a');\n"
        )
    });
    let period = format!("INSERT INTO t_half_life_period_table VALUES ('cluster', {BEGIN}.0);");
    let rows = format!("BEGIN;\n{users}{jobs}{period}\nCOMMIT;");
    connection.execute_batch(&rows).unwrap();
    let path = path.into_os_string().into_string().unwrap();
    arguments(["show", &path, "--jobs", &path, "--format-out", "csv"])
}

/// The resources of a job on one node.
const ONE_NODE: &str = r#"{"version":1,"execution":{"R_lite":[{"rank":"3"}]}}"#;

/// The tables of a database with a bank.
const TABLES: &str = "
CREATE TABLE bank_table (bank_id integer PRIMARY KEY, bank text, active int DEFAULT 1, parent_bank text DEFAULT '', shares int, job_usage real DEFAULT 0.0, ignore_older_than bigint DEFAULT 0);
CREATE TABLE association_table (active int DEFAULT 1, username text, userid int, bank text, shares int DEFAULT 1, job_usage real DEFAULT 0.0, fairshare real DEFAULT 0.5, PRIMARY KEY (username, bank));
CREATE TABLE job_usage_factor_table (username text, userid int, bank text, last_job_timestamp real);
CREATE TABLE job_usage_per_association_table (username text, userid int, bank text, period int, value real);
CREATE TABLE t_half_life_period_table (cluster text, end_half_life_period real);
CREATE TABLE config_table (key text PRIMARY KEY, value text);
CREATE TABLE jobs (id text PRIMARY KEY, userid integer, t_submit real, t_run real, t_inactive real, ranks text, R text, jobspec text, project text, bank text);
INSERT INTO bank_table (bank, parent_bank, shares) VALUES ('root', '', 1), ('a', 'root', 1);
INSERT INTO config_table VALUES ('priority_usage_reset_period', '7200'), ('priority_decay_half_life', '3600'), ('decay_factor', '0.5');
";

/// A job that begins while all before it still run. With `count` jobs the last one begins when the first one ends.
fn overlapping(place: usize, count: usize) -> Job {
    Job {
        place,
        user: place % 50,
        from: place * 10,
        until: (place + count) * 10,
    }
}

/// A job that runs with a few others.
fn in_turn(place: usize) -> Job {
    Job {
        place,
        user: place % 50,
        from: place * 60,
        until: place * 60 + 3600,
    }
}

/// Writes what sprio prints of so many jobs beside a tree of as many users.
fn sprio(folder: &Path, count: usize, user: impl Fn(usize) -> usize) -> [String; 2] {
    let tree = sshare(folder, count);
    let jobs = lines(count, |place| {
        let (user, points) = (user(place), place % 77);
        format!("{place}|p|u{user}|a|{}|0|5|{points}|0|0|0\n", 1000 + points)
    });
    let head = "JOBID|PARTITION|USER|ACCOUNT|PRIORITY|SITE|AGE|FAIRSHARE|JOBSIZE|PARTITION|QOS\n";
    let jobs = write(folder, "sprio.txt", &format!("{head}{jobs}"));
    [tree, jobs]
}

const CASES: [Case; 13] = [
    ("jobs of Flux, in turn", |folder, count| {
        flux(folder, count, in_turn)
    }),
    ("jobs of Flux, overlapping", |folder, count| {
        flux(folder, count, |place| overlapping(place, count))
    }),
    ("jobs of sacct, in turn", |folder, count| {
        sacct(folder, count, in_turn)
    }),
    ("jobs of sacct, overlapping", |folder, count| {
        sacct(folder, count, |place| overlapping(place, count))
    }),
    ("jobs of sacct at one time", |folder, count| {
        sacct(folder, count, |place| Job {
            until: 864_000,
            from: 0,
            ..overlapping(place, count)
        })
    }),
    ("jobs of sacct of unknown users", |folder, count| {
        sacct(folder, count, |place| Job {
            user: if place == 0 { 0 } else { 50 + place },
            ..in_turn(place)
        })
    }),
    ("jobs of sacct, printed twice", |folder, count| {
        sacct(folder, count, |place| Job {
            place: 1,
            ..in_turn(place % 2)
        })
    }),
    ("jobs of PBS logs, in turn", |folder, count| {
        logs(folder, count, in_turn)
    }),
    ("jobs of PBS logs, overlapping", |folder, count| {
        logs(folder, count, |place| overlapping(place, count))
    }),
    ("jobs that wait", |folder, count| {
        let [tree, jobs] = sprio(folder, count, |place| place);
        arguments(["queue", &tree, &jobs])
    }),
    ("jobs that wait, under an edit", |folder, count| {
        let [tree, jobs] = sprio(folder, count, |place| place);
        arguments(["queue", &tree, &jobs, "--edit", "shares a/u5=50"])
    }),
    ("jobs that wait, of one user", |folder, count| {
        let [tree, jobs] = sprio(folder, count, |_| 1);
        arguments(["queue", &tree, &jobs])
    }),
    ("campaigns of a simulation", |folder, count| {
        let tree = users(folder, 50);
        let mut args = arguments(["simulate", &tree, "--until", "30d", "--node", "u1"]);
        for place in 0..count {
            let (user, from) = (place % 50, place % 700);
            let campaign = format!("u{user}=2:{from}h..{}h", from + 5);
            args.extend(["--campaign".to_owned(), campaign]);
        }
        args
    }),
];

#[test]
fn jobs_take_work_by_their_number() {
    assert_linear(&CASES);
}
