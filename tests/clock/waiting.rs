//! Passing time as edits of a scenario.

use crate::support::expected::Expected as _;
use fairscope::analysis::impact::Impact;
use fairscope::analysis::plan::verify::verify;
use fairscope::analysis::plan::{PlanInputs, plan};
use fairscope::analysis::simulate::Simulation;
use fairscope::format::Example;
use fairscope::model::generate::{Shape, generate};
use fairscope::model::{NodeId, Scheduler, Settings, resolve};
use fairscope::open::example;
use fairscope::report::impact::tables;
use fairscope::report::words::impact::summary;
use fairscope::report::words::plan as words;
use fairscope::rules::policy::Policy;
use fairscope::scenario::{Edit, Entry, PaceChange, Scenario, parse};
use std::ops::ControlFlow;
use std::sync::Arc;

fn edited(edits: &[&str]) -> Scenario {
    let mut scenario = Scenario::new(Arc::new(example(Example::Small).snapshot), Policy::Pbs);
    for edit in edits {
        let edit = parse(edit.as_bytes(), scenario.tree(), scenario.settings());
        scenario.apply(edit.expect("an edit")).expect("it fits");
    }
    scenario
}

fn rate(settings: &Settings, text: &str) -> Result<f64, String> {
    let tree = example(Example::Small).snapshot.tree;
    match parse(text.as_bytes(), &tree, settings) {
        Ok(Edit::Pace(PaceChange::Rate { rate, .. })) => Ok(rate),
        Ok(Edit::Pace(PaceChange::Campaign(campaign))) => Ok(campaign.rate),
        Ok(other) => panic!("{other:?}"),
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn a_rate_in_cores_converts_to_the_schedulers_charge() {
    let of = |scheduler| Settings {
        scheduler,
        ..Settings::default()
    };
    let (mut slurm, mut flux) = (of(Some(Scheduler::Slurm)), of(Some(Scheduler::Flux)));
    assert_eq!(rate(&slurm, "rate bob=64 cores"), Ok(64.0));
    slurm.slurm.billing_weights = "CPU=0.5,GRES/gpu=8".to_owned();
    assert_eq!(rate(&slurm, "rate bob=64 cores"), Ok(32.0));
    assert_eq!(rate(&slurm, "rate bob=2 gpus"), Ok(16.0));
    assert_eq!(rate(&flux, "rate bob=4 nodes"), Ok(4.0));
    flux.flux.node_weight = 0.25;
    assert_eq!(
        rate(&flux, "campaign bob=4 nodes from 1d until 2d"),
        Ok(1.0)
    );
    assert_eq!(rate(&of(None), "rate bob=3 cores"), Ok(3.0));
    let mut pbs = of(Some(Scheduler::Pbs));
    assert_eq!(rate(&pbs, "rate bob=64 cores"), Ok(64.0));
    pbs.pbs.fairshare_usage_res = "ncpus*walltime".to_owned();
    assert_eq!(rate(&pbs, "rate bob=64 cores"), Ok(64.0));
    let refused = rate(&pbs, "rate bob=4 nodes").expect_err("nodes do not count");
    refused.must_contain("ncpus");
}

#[test]
fn waiting_until_a_date_requires_a_dated_snapshot() {
    let mut settings = Settings::default();
    settings.time.taken = Some(1_700_000_000);
    let tree = example(Example::Small).snapshot.tree;
    let said = |text: &str| match parse(text.as_bytes(), &tree, &settings) {
        Ok(Edit::Wait { seconds }) => seconds.to_string(),
        Ok(other) => panic!("{other:?}"),
        Err(error) => error.to_string(),
    };
    assert_eq!(said("wait until 2023-11-15T00:00:00Z"), "6400");
    assert_eq!(said("wait until 2023-11-15"), "6400");
    assert_eq!(
        said("wait until 2020-01-01"),
        "2020-01-01 is in the past; the clock only moves forward, and undo moves it back"
    );
    assert_eq!(said("wait until 2023-11-15T05:00:00+05:00"), "6400");
    said("wait until then").must_begin("then is not a time; expected 2026-11-23");
}

/// Returns the text of an edit of the history.
fn text(entry: Option<&Entry>) -> Option<&str> {
    Some(&entry?.edit()?.text)
}

#[test]
fn consecutive_waits_merge_into_one_edit_with_one_undo() {
    let mut scenario = edited(&["rate bob=2", "wait 1d"]);
    let mut once = scenario.clone();
    for _ in 0..3 {
        let went = scenario.wait_on(86_400, &mut |_| ControlFlow::Continue(()));
        assert!(went.expect("time passes").is_continue());
    }
    once.apply(Edit::Wait {
        seconds: 3 * 86_400,
    })
    .expect("time passes");
    assert_eq!(scenario.tree().state_hash(), once.tree().state_hash());
    let done = scenario.history().edits();
    assert_eq!(done.len(), 2);
    assert_eq!(done[1].text, "wait 4d");
    assert_eq!(text(scenario.undo()), Some("wait 4d"));
    assert_eq!(scenario.time_passed(), 0);
    assert_eq!(
        scenario.tree().state_hash(),
        example(Example::Small).snapshot.tree.state_hash()
    );
    assert_eq!(text(scenario.redo()), Some("wait 4d"));
    assert_eq!(scenario.tree().state_hash(), once.tree().state_hash());
    scenario
        .wait_on(u64::MAX, &mut |_| ControlFlow::Continue(()))
        .expect_err("that is past the year 9999");
    assert_eq!(scenario.history().edits()[1].text, "wait 4d");
}

#[test]
fn an_impact_names_the_time_that_passed() {
    let scenario = edited(&["rate bob=50", "wait 7d", "shares bob=35"]);
    let impact = Impact::of(&scenario);
    let said = summary(&scenario, &impact);
    said.must_begin("After 7 d and ");
    let tables = tables(&scenario, &impact);
    let row = &tables[0].rows[0].cells;
    assert_eq!(row[..2], ["the clock", "time"]);
    assert_eq!(row[3], "7 d");
}

#[test]
fn plans_omit_only_waits() {
    let given = PlanInputs::default();
    let waited = edited(&["rate bob=50", "wait 7d", "shares bob=35", "pace idle"]);
    let plain = edited(&["shares bob=35"]);
    for scheduler in [Scheduler::Pbs, Scheduler::Slurm, Scheduler::Flux] {
        let mut with = plan(&waited, scheduler, &given);
        let note = words::note(&with.notes.pop().expect("a note"), scheduler);
        note.must_begin("the 7 d clock change is not part of the plan");
        assert_eq!(with, plan(&plain, scheduler, &given));
    }
    let later = |scenario: &Scenario| {
        let mut later = scenario.base().clone();
        later.tree = scenario.tree().clone();
        later
    };
    for dump in [later(&plain), later(&waited)] {
        let omissions = plan(&waited, Scheduler::Pbs, &given).omissions;
        let verdicts = verify(&waited, &dump, &omissions);
        assert_eq!(verdicts.len(), 1, "{verdicts:?}");
        assert_eq!(words::standing(&verdicts[0]), "applied");
    }
    assert!(plain.without_time().is_none());
}

#[test]
fn extreme_rates_and_half_lives_never_give_nan() {
    for scheduler in [Some(Scheduler::Pbs), Some(Scheduler::Slurm), None] {
        let mut snapshot = example(Example::Small).snapshot;
        snapshot.settings.scheduler = scheduler;
        snapshot.settings.slurm.decay_half_life = 1;
        let mut scenario = Scenario::new(Arc::new(snapshot), Policy::FairTree);
        for edit in [
            "rate bob=1e15",
            "wait 400d",
            "set PriorityDecayHalfLife=0",
            "wait 400d",
        ] {
            let edit = parse(edit.as_bytes(), scenario.tree(), scenario.settings());
            scenario.apply(edit.expect("an edit")).expect("it fits");
        }
        for policy in Policy::ALL {
            scenario.set_policy(*policy);
            let bob = resolve(scenario.tree(), b"bob").expect("bob");
            for node in [NodeId::ROOT, bob] {
                for &column in policy.columns() {
                    let number = scenario.evaluation().number(column, node);
                    assert!(!number.is_some_and(f64::is_nan), "{policy:?} {column:?}");
                }
            }
        }
    }
}

#[test]
fn waiting_reports_progress_and_can_be_stopped() {
    let mut snapshot = generate(20_000, Shape::Skewed, 1);
    snapshot.settings.scheduler = Some(Scheduler::Slurm);
    let scenario = Scenario::new(Arc::new(snapshot), Policy::FairTree);
    let mut simulation = Simulation::of(&scenario);
    let mut heard = Vec::new();
    let flow = simulation.advance(60 * 86_400, &mut |passed| {
        heard.push(passed);
        if heard.len() == 3 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert!(flow.is_break());
    assert_eq!(heard.len(), 3);
    assert_eq!(simulation.clock.passed(), heard[2]);
    assert!(heard[2] < 60 * 86_400, "{heard:?}");
    let _ = simulation.look();
}
