//! Jobs from accounting logs and from `qstat -xf`: who is charged, how much, and what is told about bad records.

use super::input;
use crate::support::loading::{codes, go_on, load_quietly, sentences};
use fairscope::format::jobs::RanJobs;
use fairscope::format::pbs::accounting::read;
use fairscope::format::{LoadError, LoadResult, Problems, Request};
use fairscope::model::Snapshot;
use jiff::tz::TimeZone;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// A tree whose entities are users, groups, both, accounts and queues.
const GROUP: &str = "\
physics 10 root 60
bob 11 physics 1
alice 12 physics 1
phys 20 root 1
phys:bob 21 root 1
chem:alice 22 root 1
lasers_2026 23 root 1
work 24 root 1
";

/// Five jobs of two users. The first two used 4 x 3600 and 8 x 1800 s, the third ended in the second it began, the fourth
/// tells no CPUs that it used, and the fifth ran twice.
const LOG: &str = "\
11/23/2026 20:00:00;Q;12.server;queue=work
11/23/2026 20:50:28;S;12.server;user=bob group=phys
11/23/2026 21:50:28;E;12.server;user=bob group=phys account=\"lasers_2026\" queue=work ctime=1795467000 start=1795467028 end=1795470628 Exit_status=0 Resource_List.ncpus=8 resources_used.cput=03:00:00 resources_used.ncpus=4 resources_used.walltime=01:00:00 run_count=1
11/23/2026 22:20:28;E;13.server;user=alice group=chem queue=work start=1795470628 end=1795472428 resources_used.cput=00:10:00 resources_used.ncpus=8 resources_used.walltime=00:30:00
11/23/2026 22:20:28;E;14.server;user=alice group=chem queue=work start=1795472428 end=1795472428 resources_used.cput=00:00:00 resources_used.ncpus=1 resources_used.walltime=00:00:01
11/23/2026 22:20:28;E;15[3].server;user=alice group=chem queue=work start=1795472000 end=1795472100 Resource_List.ncpus=2 resources_used.cput=100 resources_used.walltime=00:01:40
11/23/2026 22:20:28;E;15[].server;user=alice group=chem queue=work start=1795472000 end=1795472100 Resource_List.ncpus=2 Resource_List.walltime=00:05:00
11/23/2026 22:30:28;R;16.server;user=bob group=phys account=\"lasers_2026\" queue=work start=1795472000 end=1795472010 resources_used.cput=10 resources_used.ncpus=1 resources_used.walltime=10
11/23/2026 22:30:38;E;16.server;user=bob group=phys account=\"lasers_2026\" queue=work start=1795472020 end=1795472030 resources_used.cput=10 resources_used.ncpus=1 resources_used.walltime=10
11/23/2026 23:59:59;L;license;floating license hour:0 day:0 month:0
";

/// Opens a `sched_priv` of [`GROUP`] with settings.
fn tree(settings: &[(&str, &str)]) -> Snapshot {
    let folder = tempfile::tempdir().unwrap();
    let config = "fair_share: true ALL\nfairshare_usage_res: ncpus*walltime\n";
    std::fs::write(folder.path().join("resource_group"), GROUP).unwrap();
    std::fs::write(folder.path().join("sched_config"), config).unwrap();
    let mut request = Request::to_open(folder.path());
    for (key, value) in settings {
        request
            .settings
            .push(((*key).to_owned(), (*value).to_owned()));
    }
    load_quietly(&request).unwrap().snapshot
}

fn jobs_in(text: &str, snapshot: &Snapshot, zone: &TimeZone) -> LoadResult<RanJobs> {
    let log = input("20261123", text);
    read(&log, &snapshot.tree, &snapshot.settings, zone, &mut go_on)
}

/// The usage of each node by its own jobs that ended: rate times seconds.
fn usage(ran: &RanJobs, snapshot: &Snapshot) -> BTreeMap<String, f64> {
    let mut usage = BTreeMap::new();
    for job in &ran.jobs {
        let name = String::from_utf8_lossy(snapshot.tree.name(job.node)).into_owned();
        *usage.entry(name).or_insert(0.0) += job.rate * (job.until - job.from) as f64;
    }
    usage
}

fn charged(text: &str, settings: &[(&str, &str)]) -> (BTreeMap<String, f64>, Problems) {
    let snapshot = tree(settings);
    let ran = jobs_in(text, &snapshot, &TimeZone::UTC).expect("a log");
    (usage(&ran, &snapshot), ran.problems)
}

#[test]
fn each_entity_is_charged_the_usage_worked_out_by_hand() {
    let cases: [(&str, &[(&str, f64)]); 5] = [
        // 4 * 3600 + 10 + 10; 8 * 1800 + 1 + 2 * 100
        ("euser", &[("alice", 14_601.0), ("bob", 14_420.0)]),
        ("egroup", &[("phys", 14_420.0), ("unknown", 14_601.0)]),
        (
            "egroup:euser",
            &[("chem:alice", 14_601.0), ("phys:bob", 14_420.0)],
        ),
        // Without an account string the entity is the group and the user.
        (
            "Account_Name",
            &[("chem:alice", 14_601.0), ("lasers_2026", 14_420.0)],
        ),
        ("queue", &[("work", 29_021.0)]),
    ];
    for (entity, expected) in cases {
        let (usage, problems) = charged(LOG, &[("fairshare_entity", entity)]);
        let expected = expected
            .iter()
            .map(|(name, usage)| ((*name).to_owned(), *usage));
        assert_eq!(usage, expected.collect(), "{entity}");
        let unknown = if entity == "egroup" { 3 } else { 0 };
        assert_eq!(
            codes(&problems),
            vec!["pbs-job-unknown"; unknown],
            "{entity}"
        );
    }
}

#[test]
fn formula_takes_what_was_used_and_then_what_was_requested() {
    for (formula, bob) in [
        ("cput", 3.0 * 3600.0 + 20.0),
        ("2*ncpus", 8.0 + 2.0 + 2.0),
        ("max(ncpus, 2) * walltime", 4.0 * 3600.0 + 40.0),
        ("-cput", 0.0),
        ("walltime / ncpus", 900.0 + 20.0),
        ("ncpus / ngpus", 0.0),
    ] {
        let (usage, _) = charged(LOG, &[("fairshare_usage_res", formula)]);
        assert_eq!(usage.get("bob"), Some(&bob), "{formula}");
    }
    let (usage, problems) = charged(
        LOG,
        &[("fairshare_usage_res", "ncpus*walltime*site_weight")],
    );
    assert_eq!(usage.get("bob"), Some(&0.0));
    insta::assert_snapshot!(sentences(&problems).join("\n"), @"20261123: warning: no job has site_weight, so it counts as 0 in fairshare_usage_res; set fairshare_usage_res as in sched_config");
}

#[test]
fn qstat_lists_jobs_that_ended_and_jobs_that_run() {
    let text = "\
Job Id: 12.server
    Job_Name = a
    Job_Owner = bob@login1
    resources_used.cput = 03:00:00
    resources_used.ncpus = 4
    resources_used.walltime = 01:00:00
    job_state = F
    queue = work
    Account_Name = lasers_
\t2026
    mtime = Mon Nov 23 21:50:28 2026
    Resource_List.ncpus = 8
    stime = Mon Nov 23 20:50:28 2026
    obittime = Mon Nov 23 21:50:28 2026

Job Id: 13.server
    Job_Owner = bob@login1
    euser = alice
    egroup = chem
    resources_used.ncpus = 2
    resources_used.walltime = 00:30:00
    job_state = R
    stime = Mon Nov 23 21:20:28 2026
    mtime = Mon Nov 23 21:50:28 2026

Job Id: 14.server
    Job_Owner = alice@login1
    job_state = R
    stime = Mon Nov 23 21:50:20 2026
    resources_used.ncpus = 0
    resources_used.walltime = 00:00:00
    Resource_List.ncpus = 3
    Resource_List.walltime = 10:00:00

Job Id: 15.server
    Job_Owner = alice@login1
    job_state = Q
    Resource_List.ncpus = 3

Job Id: 16.server
    Job_Owner = alice@login1
    job_state = F
    mtime = Mon Nov 23 21:50:20 2026";
    let snapshot = tree(&[]);
    let zone = TimeZone::fixed(jiff::tz::offset(1));
    let ran = jobs_in(text, &snapshot, &zone).expect("an output of qstat");
    assert_eq!(ran.problems.list(), []);
    let name = |node| String::from_utf8_lossy(snapshot.tree.name(node)).into_owned();
    let jobs = ran.jobs.iter();
    let jobs = jobs.map(|job| (name(job.node), job.from, job.until, job.rate));
    let (bob, alice) = ("bob".to_owned(), "alice".to_owned());
    // 20:50:28 an hour east of Greenwich is 19:50:28 there.
    let first = 1_795_463_428;
    let expected = [
        (bob, first, first + 3600, 4.0),
        (alice.clone(), first + 1800, i64::MAX, 2.0),
        (alice, first + 3592, i64::MAX, 3.0),
    ];
    assert_eq!(jobs.collect::<Vec<_>>(), expected);
    assert_eq!(ran.last(), Some(first + 3600));
    let account = tree(&[("fairshare_entity", "Account_Name")]);
    let ran = jobs_in(text, &account, &zone).expect("an output of qstat");
    assert_eq!(account.tree.name(ran.jobs[0].node), b"lasers_2026");
}

#[test]
fn records_without_times_take_those_of_their_stamp_and_walltime() {
    let text = "11/23/2026 21:50:28;E;12.server;user=bob resources_used.ncpus=4 resources_used.walltime=01:00:00\n";
    let snapshot = tree(&[]);
    let zone = TimeZone::fixed(jiff::tz::offset(1));
    let ran = jobs_in(text, &snapshot, &zone).expect("a log");
    let job = ran.jobs[0];
    assert_eq!(
        (job.from, job.until, job.rate),
        (1_795_463_428, 1_795_467_028, 4.0)
    );
}

#[test]
fn bad_records_are_left_out_and_told_with_their_lines() {
    let lines = [
        "11/23/2026 21:50:28;E;1.server;user=bob start=20 end=10 resources_used.walltime=10",
        "11/23/2026 21:50:28;E;2.server;user=bob start=-20 end=10 resources_used.walltime=10",
        "11/23/2026 21:50:28;E;3.server;user=bob start=Unknown end=10 resources_used.walltime=10",
        "11/23/2026 21:50:28;E;4.server;user=bob end=99",
        "11/23/2026 21:50",
        "11/23/2026 21:50:28;E",
        "",
        "11/23/2026 21:50:28;E;5.server;group=phys start=10 end=20",
        "11/23/2026 21:50:28;E;6.server;user=zoe start=10 end=20 resources_used.walltime=10",
        "11/23/2026 21:50:28;E;7.server;user=bob start=10 end=20 resources_used.ncpus=2 resources_used.walltime=10",
        "11/23/2026 21:50:28;E;7.server;user=bob start=10 end=20 resources_used.ncpus=2 resources_used.walltime=10",
        "11/23/2026 21:50:28;E;8.server;user=bob start=10 end=20 resources_used.ncpus=many",
        "11/23/2026 21:50:28;E;9.server;user=bob start=10 end=20 resources_used.ncpus=-2",
        "11/23/2026 21:50:28;E;\u{1b}[31m;user=\"bob start",
        "\u{fffd};;;",
    ];
    let (usage, problems) = charged(&lines.join("\n"), &[]);
    let expected = [("bob".to_owned(), 20.0), ("unknown".to_owned(), 0.0)];
    assert_eq!(usage, expected.into_iter().collect());
    let told = problems.list().iter().map(|problem| {
        let line = problem.line.unwrap_or(0);
        format!("{line} {} {}", problem.code, problem.message)
    });
    insta::assert_snapshot!(told.collect::<Vec<_>>().join("\n"), @r"
    1 pbs-job-line job 1.server was left out: its start and end are not two moments, the earlier first
    2 pbs-job-line job 2.server was left out: its start and end are not two moments, the earlier first
    3 pbs-job-line job 3.server was left out: its start and end are not two moments, the earlier first
    4 pbs-job-line job 4.server was left out: its start and end are not two moments, the earlier first
    5 pbs-job-line the line was left out: expected a record such as 11/23/2026 20:50:28;E;12.server;user=bob
    6 pbs-job-line the line was left out: expected a record such as 11/23/2026 20:50:28;E;12.server;user=bob
    8 pbs-job-line job 5.server was left out: its euser '' is not in the tree
    9 pbs-job-unknown zoe of job 6.server is not in the tree; it was charged below unknown, with 1 share
    11 pbs-job-repeated job 7.server was left out: an earlier record has this end
    12 pbs-job-line job 8.server was left out: ncpus is not an amount from 0 up
    13 pbs-job-line job 9.server was left out: ncpus is not an amount from 0 up
    14 pbs-job-line job \e[31m was left out: its start and end are not two moments, the earlier first
    15 pbs-job-line the line was left out: expected a record such as 11/23/2026 20:50:28;E;12.server;user=bob
    ");
}

#[test]
fn file_without_jobs_is_told_or_refused() {
    let snapshot = tree(&[]);
    let refused = |text: &str| match jobs_in(text, &snapshot, &TimeZone::UTC) {
        Err(LoadError::Unfit(refusal)) => refusal.to_string(),
        other => panic!("{other:?}"),
    };
    for text in ["", "JobID|User\n12|bob\n", "\0\0\0", "a;bb;c;d\n"] {
        insta::allow_duplicates! {
            insta::assert_snapshot!(refused(text), @"20261123 has no record of a job of PBS; give files of /var/spool/pbs/server_priv/accounting, or the output of qstat -xf");
        }
    }
    let (_, problems) = charged("11/23/2026 20:00:00;Q;12.server;queue=work\n", &[]);
    insta::assert_snapshot!(sentences(&problems).join("\n"), @"20261123: warning: no job can be charged, among 1 record; give files of /var/spool/pbs/server_priv/accounting, or the output of qstat -xf");
    let by_fairshare = tree(&[("fairshare_usage_res", "ncpus*fairshare_factor")]);
    let error = jobs_in(LOG, &by_fairshare, &TimeZone::UTC).unwrap_err();
    insta::assert_snapshot!(error.to_string(), @"fairshare_usage_res: it depends on fairshare; set a formula of resources, as in --set fairshare_usage_res=cput");
}

#[test]
fn entity_is_not_charged_without_a_group_of_unknown_entities() {
    let mut builder = fairscope::model::TreeBuilder::new(b"root");
    let name = builder.intern(b"bob");
    let position = fairscope::model::Position::Last;
    let root = fairscope::model::NodeId::ROOT;
    builder.push(root, name, fairscope::model::Kind::User, position);
    let mut snapshot = tree(&[]);
    snapshot.tree = builder.build();
    let ran = jobs_in(LOG, &snapshot, &TimeZone::UTC).expect("a log");
    assert_eq!(usage(&ran, &snapshot).get("bob"), Some(&14_420.0));
    assert_eq!(codes(&ran.problems), ["pbs-job-line"; 3]);
}

#[test]
fn reading_a_log_can_be_stopped() {
    let snapshot = tree(&[]);
    let log = input("log", LOG.repeat(1000));
    let report = &mut |_: &_| ControlFlow::Break(());
    let ran = read(
        &log,
        &snapshot.tree,
        &snapshot.settings,
        &TimeZone::UTC,
        report,
    );
    assert!(matches!(ran, Err(LoadError::Cancelled)));
}
