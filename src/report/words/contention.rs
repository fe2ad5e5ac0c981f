//! A simulated busy cluster in words: its assumptions, its results, and the expectation.

use crate::analysis::contention::{Caveat, Contention, Deviation, Machine, Promise, Verdict, Work};
use crate::base::number::{counted, grouped, percent};
use crate::base::shown::{Shown, sentence};
use crate::model::{Settings, Tree, duration_for_people};
use crate::report::path;
use crate::rules::clock::half_life;
use crate::rules::policy::Policy;
use crate::scenario::Scenario;

/// How many exceptions from the common demand people are shown.
const EXCEPTIONS: usize = 3;

/// Why policies that compare siblings deliver shares.
const BY_LEVEL: &str =
    "siblings are served by shares / usage, level by level, until usage matches the shares";

/// Returns that `runs` such simulations take long, and what takes less. `None` if they take no more than a minute.
pub(crate) fn long_work(scenario: &Scenario, machine: &Machine, runs: u64) -> Option<Shown> {
    let work = Work::of(scenario, machine, runs)?;
    let time = duration_for_people(work.seconds / 60 * 60);
    let nodes = grouped(work.nodes);
    let cycles = grouped(work.cycles);
    Some(sentence!(
        "this takes about {time}: {nodes} nodes in each of {cycles} cycles; choose a shorter time or a longer cycle"
    ))
}

/// Returns why a policy promises what it does: usage settles where all who want cores are equally far in the order.
pub const fn promise(policy: Policy) -> &'static str {
    match policy {
        Policy::Pbs => {
            "fairshare_factor counts a portion of the group's usage as the user's own, so within a group larger \
             shares get more than their target (fair_share without a formula compares level by level)"
        }
        Policy::LevelBased => {
            "each level compares usage with 0.1 + 0.9 S, so small shares get more than their target and large shares \
             less"
        }
        Policy::FairTree | Policy::FairTreeDocumented | Policy::Flux => BY_LEVEL,
        Policy::Classic => {
            "effective usage counts a portion of the account's usage as the user's own, so within an account larger \
             shares get more than their target"
        }
        Policy::DepthOblivious => {
            "effective usage is the account's, scaled by the user's ratio among its siblings, so all factors are equal \
             when usage matches the shares"
        }
        Policy::Tickets => {
            "tickets follow shares × shares / usage, so they are equal when usage matches the squares of the shares, \
             and users of large accounts get few"
        }
        Policy::PbsWalk => {
            "siblings are served by usage / share, level by level, until usage matches the shares"
        }
        Policy::Formula => "what a formula promises depends on its author",
    }
}

/// Returns what is assumed of the machine, its jobs and who wants how much, in sentences.
pub(crate) fn machine(tree: &Tree, settings: &Settings, run: &Contention) -> Vec<Shown> {
    let machine = &run.machine;
    let cycle = run.timing.cycle;
    let spread = match machine.spread {
        0 => Shown::default(),
        spread => sentence!(" plus or minus {spread} % (seed {})", machine.seed),
    };
    let half_life = match half_life(settings) {
        Some(seconds) => {
            let half_life = duration_for_people(whole(seconds));
            sentence!("half-life {half_life}")
        }
        None => "usage never decays".into(),
    };
    let counted = if run.timing.counted == cycle {
        Shown::default()
    } else {
        let every = duration_for_people(run.timing.counted);
        sentence!("usage counted every {every}, ")
    };
    vec![
        sentence!(
            "{} for {}, jobs of {} and {}{spread}; a cycle every {}, {counted}{half_life}.",
            cores(machine.cores),
            duration_for_people(run.watched),
            cores(machine.job_cores),
            duration_for_people(machine.job_time),
            duration_for_people(cycle),
        ),
        sentence!(
            "{}; a core used for a second is one unit of usage. Delivered shares are measured over the second half of \
             the run.",
            demands(tree, machine)
        ),
    ]
}

/// Returns who wants how many cores, the first of many exceptions.
fn demands(tree: &Tree, machine: &Machine) -> Shown {
    let usual = demand(machine.demand);
    let mut demands = vec![sentence!("Every user wants {usual}")];
    for &(node, cores) in machine.demands.iter().take(EXCEPTIONS) {
        demands.push(sentence!("{} {}", path(tree, node), demand(cores)));
    }
    let others = machine.demands.len().saturating_sub(EXCEPTIONS);
    if others > 0 {
        let count = grouped(others);
        demands.push(sentence!("{count} more have their own demand"));
    }
    Shown::joined(demands, ", ")
}

/// Returns a number of cores with its word.
fn cores(count: u64) -> Shown {
    counted(count, "core", "cores")
}

/// Returns how many cores a user wants.
fn demand(demand: Option<u64>) -> Shown {
    match demand {
        Some(most) => {
            let cores = cores(most);
            sentence!("at most {cores}")
        }
        None => "all cores".into(),
    }
}

/// Returns the verdict on a run, in sentences: first whether delivery matches the shares.
pub fn verdict(tree: &Tree, run: &Contention, verdict: &Verdict) -> Vec<Shown> {
    let mut sentences = vec![
        convergence(tree, run.policy, verdict),
        swing(run, verdict),
        expectation(run.policy, verdict),
    ];
    for caveat in &verdict.caveats {
        sentences.push(note(tree, run, verdict, caveat));
    }
    sentences
}

/// Returns whether usage comes to the targets, and when.
fn convergence(tree: &Tree, policy: Policy, verdict: &Verdict) -> Shown {
    let title = policy.title();
    let within = percent(verdict.tolerance);
    let furthest = miss(tree, verdict.furthest);
    let Some(time) = verdict.top_level else {
        return sentence!("{title} does not converge: {furthest}.");
    };
    let top_level = duration_for_people(time);
    let Some(time) = verdict.users else {
        return sentence!(
            "{title} does not converge: the top level comes within {within} of its targets after {top_level}, but \
             {furthest}."
        );
    };
    let users = duration_for_people(time);
    let exception = if verdict.is_exact {
        Shown::default()
    } else {
        sentence!(", apart from what two cycles hand out: {furthest}")
    };
    sentence!(
        "{title} converges: the top level after {top_level}, all users after {users} (within {within} of \
         their targets{exception})."
    )
}

/// Returns who misses its target most, and by how much.
fn miss(tree: &Tree, miss: Option<Deviation>) -> Shown {
    let Some(miss) = miss else {
        return "some users swing around their target".into();
    };
    let name = path(tree, miss.node);
    let off = off_by(miss.portion / miss.target - 1.0);
    let portion = percent(miss.portion);
    let target = percent(miss.target);
    sentence!("{name} gets {portion}, target {target} ({off})")
}

/// Returns a distance with its sign: `+3.2%`, `-48.8%`, `0.0%`.
pub(crate) fn off_by(part: f64) -> Shown {
    let text = sentence!("{:+.1}%", part * 100.0);
    match text.as_str() {
        "+0.0%" | "-0.0%" => "0.0%".into(),
        _ => text,
    }
}

/// Returns how evenly cores were handed out over time.
fn swing(run: &Contention, verdict: &Verdict) -> Shown {
    let [first, last] = verdict.jain.map(jain);
    let window = duration_for_people(run.timing.window);
    let amplitude = percent(verdict.amplitude);
    sentence!(
        "Over windows of {window} the top level swings by {amplitude} of the machine; Jain's index goes from {first} \
         to {last} (1 is exactly by shares)."
    )
}

/// Returns Jain's index of a window.
fn jain(index: Option<f64>) -> Shown {
    match index {
        Some(index) => sentence!("{index:.2}"),
        None => "none".into(),
    }
}

/// Returns what the policy promises.
fn expectation(policy: Policy, verdict: &Verdict) -> Shown {
    let promised = match verdict.promise {
        Promise::Shares => "delivers shares",
        Promise::FlatTrees if verdict.is_promised => {
            "delivers shares when all users are directly below the root, as here"
        }
        Promise::FlatTrees => "delivers shares only when all users are directly below the root",
        Promise::Nothing => "does not deliver shares",
    };
    let title = policy.title();
    let promise = promise(policy);
    sentence!("{title} {promised}: {promise}.")
}

/// Returns what limits the meaning of a run.
fn note(tree: &Tree, run: &Contention, verdict: &Verdict, note: &Caveat) -> Shown {
    let job = duration_for_people(run.machine.job_time);
    match *note {
        Caveat::Granularity {
            least,
            user,
            target,
        } => {
            let missed = if least < 1.0 {
                let target = percent(least);
                sentence!("a target of less than {target}")
            } else {
                "any target".into()
            };
            let every = duration_for_people(run.timing.counted);
            let at_once = percent(run.at_once());
            let tolerance = percent(verdict.tolerance);
            let name = path(tree, user);
            let target_part = percent(target);
            sentence!(
                "Cores are handed out in lumps: usage is counted every {every} and jobs run for {job}, so the first user \
                 may get {at_once} of all remembered usage before the ranks change; {missed} may be missed by more than \
                 {tolerance}, such as that of {name} ({target_part})."
            )
        }
        Caveat::LimitedDemand => {
            "Demand is limited, and the promise covers only users that want more than they get: cores that one user \
             does not want go to the next in rank, whatever the shares."
                .into()
        }
        Caveat::LongJobs => {
            let watched = duration_for_people(run.watched);
            sentence!(
                "Jobs of {job} are long compared with the simulated {watched}: the first users keep their cores for much of it; \
                 simulate a longer time."
            )
        }
        Caveat::ShortHalfLife { half_life, widest } => {
            let time = duration_for_people(whole(half_life));
            let text = sentence!(
                "The half-life of {time} is short compared with jobs of {job}: most usage decays soon after its job ends, \
                 so ranks follow the running jobs, and earlier overuse does not hold a user back."
            );
            let Some(swing) = widest else {
                return text;
            };
            let name = path(tree, swing.node);
            let least = percent(swing.least);
            let most = percent(swing.most);
            let target = percent(swing.target);
            sentence!(
                "{text} {name} swings between {least} and {most} of the machine (target {target})."
            )
        }
    }
}

/// Returns seconds without their fraction.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a half-life is above 0, and what is too long is cut to the largest number"
)]
pub(crate) fn whole(seconds: f64) -> u64 {
    seconds as u64
}
