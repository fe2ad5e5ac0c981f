//! Usage charged for jobs.

use crate::support::expected::Expected as _;
use crate::support::trees::{SEED, pbs};
use fairscope::model::{Scheduler, Settings};
use fairscope::scenario::{job_usage, parse};

fn settings(scheduler: Scheduler, changes: &[(&str, &str)]) -> Settings {
    let mut settings = Settings {
        scheduler: Some(scheduler),
        ..Settings::default()
    };
    for (key, value) in changes {
        settings.set(key, value).unwrap();
    }
    settings
}

fn refusal(job: &str, settings: &Settings) -> String {
    job_usage(job, settings).unwrap_err().to_string()
}

#[test]
fn times_are_parsed_in_the_schedulers_forms() {
    let plain = Settings::default();
    let usage = |time: &str| job_usage(&format!("nodes=1 time={time}"), &plain);
    for (time, seconds) in [
        ("90", 90.0),
        ("90s", 90.0),
        ("1.5m", 90.0),
        ("2h", 7200.0),
        ("7d", 604_800.0),
        ("2:00:00", 7200.0),
        ("1-0", 86_400.0),
        ("1-2:30", 95_400.0),
        ("1-02:30:05", 95_405.0),
        ("1.5h", 5400.0),
        ("1h30m", 5400.0),
        ("2w", 1_209_600.0),
        ("0.5", 0.5),
    ] {
        assert_eq!(usage(time), Ok(seconds), "{time}");
    }
    for time in [
        "",
        "h",
        "-5",
        "1:2:3:4",
        "nan",
        "inf",
        "1e999",
        "1-",
        "1-2:3:4:5",
        "-1-2",
    ] {
        assert!(usage(time).is_err(), "{time}");
    }
}

#[test]
fn two_parts_are_minutes_and_seconds_where_the_scheduler_says_so() {
    let slurm = settings(Scheduler::Slurm, &[]);
    assert_eq!(job_usage("cpus=1 time=1:30", &slurm), Ok(90.0));
    assert_eq!(job_usage("cpus=1 time=90", &slurm), Ok(90.0));
    let pbs = settings(Scheduler::Pbs, &[]);
    assert_eq!(job_usage("cput=1:30", &pbs), Ok(90.0));
    let refused = "time: 1:30 has two meanings; write 1h30m or 1m30s";
    let flux = settings(Scheduler::Flux, &[]);
    for settings in [flux, Settings::default()] {
        assert_eq!(refusal("nodes=1 time=1:30", &settings), refused);
    }
}

#[test]
fn pbs_charges_by_its_own_formula() {
    let cput = settings(Scheduler::Pbs, &[]);
    assert_eq!(job_usage("cput=10:00:00", &cput), Ok(36_000.0));
    assert_eq!(
        refusal("ncpus=4 time=2h", &cput),
        "the job has no cput; add it, as in cput=64"
    );
    let product = settings(Scheduler::Pbs, &[("fairshare_usage_res", "ncpus*walltime")]);
    assert_eq!(job_usage("ncpus=4 time=2h jobs=3", &product), Ok(86_400.0));
    // The scheduler stores the value of a formula in a 32-bit float.
    let large = job_usage("ncpus=3 walltime=11184811", &product);
    assert_eq!(large, Ok(f64::from(33_554_433_f32)));
    let bad = settings(Scheduler::Pbs, &[("fairshare_usage_res", "ncpus*walltme")]);
    refusal("ncpus=4 time=2h", &bad).must_begin("fairshare_usage_res: ");
    let own = settings(
        Scheduler::Pbs,
        &[("fairshare_usage_res", "ncpus*fairshare_factor")],
    );
    refusal("ncpus=4", &own).must_contain("depends on the current fairshare");
}

#[test]
fn slurm_charges_billing_seconds() {
    let plain = settings(Scheduler::Slurm, &[]);
    assert_eq!(job_usage("cpus=128 time=1-0", &plain), Ok(11_059_200.0));
    assert_eq!(
        job_usage("billing=10 time=60 factor=0.5", &plain),
        Ok(300.0)
    );
    let weights = "CPU=1.0,Mem=0.25G,GRES/gpu=2.0";
    let weighted = settings(Scheduler::Slurm, &[("TRESBillingWeights", weights)]);
    assert_eq!(
        job_usage("cpus=8 mem=65536 gpus=2 time=10", &weighted),
        Ok((8.0 + 16.0 + 4.0) * 10.0)
    );
    assert_eq!(
        refusal("nodes=4 time=10", &plain),
        "the job has no cpus; add it, as in cpus=64"
    );
    let bad = settings(Scheduler::Slurm, &[("TRESBillingWeights", "CPU")]);
    refusal("cpus=4 time=10", &bad).must_begin("TRESBillingWeights contains CPU");
}

#[test]
fn flux_weighs_nodes_cores_and_gpus() {
    let usual = settings(Scheduler::Flux, &[]);
    assert_eq!(job_usage("nodes=4 cores=192 time=2h", &usual), Ok(28_800.0));
    let cores = settings(
        Scheduler::Flux,
        &[("core_weight", "0.1"), ("node_weight", "0")],
    );
    assert_eq!(job_usage("nodes=4 cores=3 time=0.33333", &cores), Ok(0.1));
}

#[test]
fn impossible_jobs_are_refused() {
    let settings = Settings::default();
    for (job, sentence) in [
        ("nodes=4", "the job has no time; add it, as in time=2:00:00"),
        ("time=4", "the job has no nodes; add it, as in nodes=4"),
        (
            "nodes time=4",
            "nodes is not an amount of a resource; expected words such as nodes=4 time=2h",
        ),
        (
            "nodes=-1 time=4",
            "-1 is not an amount of nodes; expected a number from 0 up",
        ),
        (
            "nodes=1 time=soon",
            "time: soon is not a duration; expected a number of seconds, 45m, 1.5h, 1h30m, 14d, 2w, 14-0, 14-00:00:00 or \
             HH:MM:SS",
        ),
        (
            "nodes=1 cows=3 time=4",
            "cows is not charged here; a job can have time, nodes or cores, and jobs",
        ),
    ] {
        assert_eq!(refusal(job, &settings), sentence, "{job}");
    }
}

#[test]
fn a_refusal_proposes_a_job_that_the_scheduler_charges() {
    let weights = ("TRESBillingWeights", "GRES/gpu=1.0");
    for settings in [
        Settings::default(),
        settings(Scheduler::Slurm, &[]),
        settings(Scheduler::Slurm, &[weights]),
        settings(Scheduler::Pbs, &[]),
        settings(Scheduler::Pbs, &[("fairshare_usage_res", "ncpus*walltime")]),
        settings(Scheduler::Pbs, &[("fairshare_usage_res", "1")]),
        settings(Scheduler::Flux, &[]),
    ] {
        let tree = pbs(SEED).tree;
        let refused = refusal("foo", &settings);
        let (_, words) = refused.split_once("words such as ").expect("an example");
        let edit = parse(b"charge bob", &tree, &settings)
            .unwrap_err()
            .to_string();
        let (_, of_edit) = edit.split_once("JOB, such as ").expect("an example");
        assert_eq!(words, of_edit);
        assert!(job_usage(words, &settings).is_ok(), "{words}");
    }
    let none = settings(Scheduler::Pbs, &[("fairshare_usage_res", "1/0")]);
    assert_eq!(
        refusal("foo", &none),
        "foo is not an amount of a resource; expected words such as RESOURCE=AMOUNT"
    );
}
