//! What is assumed of the usage to come, and how it is said.

use super::measured::{PaceError, measured};
use crate::base::number::{amount, counted, short};
use crate::base::shown::{shown, visible};
use crate::model::{
    Campaign, Flux, Held, NodeId, Pace, Scheduler, Settings, Snapshot, Tree, UsageResetPeriod,
    duration_for_people, path_of,
};
use crate::rules::clock::flux::{Shift, bin_count};
use crate::rules::clock::pbs::{Overdue, is_decaying};
use crate::rules::clock::{Clock, next_shift, overdue_decays};
use crate::scenario::{EditError, PaceChange, Scenario};
use std::sync::Arc;

/// How many users' rates are named one by one.
const NAMED: usize = 3;

/// What can be assumed of the usage to come.
#[derive(Clone, Copy, Debug)]
pub enum Preset<'a> {
    /// What the scenario itself says.
    AsPlanned,
    /// Nobody uses anything.
    Idle,
    /// Everybody keeps the usage they have now.
    Steady,
    /// Everybody keeps the usage they have now, but this node, or whoever is below it, uses nothing.
    OnlyIdle(NodeId),
    /// Everybody goes on as between this older snapshot of the same cluster and the scenario's own.
    Measured(&'a Snapshot),
}

impl Preset<'_> {
    /// Who uses how much then, counted from where the scenario's clock stands; the pace says itself what it assumes.
    /// Planned campaigns stay, but where everybody is idle.
    ///
    /// # Errors
    /// If it is to be measured and cannot.
    pub fn pace(self, scenario: &Scenario) -> Result<Pace, PaceError> {
        let (tree, settings) = (scenario.tree(), scenario.settings());
        match self {
            Self::AsPlanned => Ok(Pace::clone(&settings.time.pace)),
            Self::Idle => Ok(Pace::default()),
            Self::Steady => Ok(said_steady(steady(scenario))),
            Self::OnlyIdle(node) => Ok(resting(said_steady(steady(scenario)), tree, node)),
            Self::Measured(old) => measured(scenario, old),
        }
    }
}

/// What [`Preset::Steady`] assumes.
const STEADY: &str = "everybody goes on using as much as keeps their usage what it is now";

/// What it comes to where nothing is lost.
const STEADY_AT_REST: &str = "everybody goes on using as much as keeps their usage what it is now: nothing, for there \
    is no usage that decays";

/// A pace that keeps everybody's usage, with what it assumes.
fn said_steady(pace: Pace) -> Pace {
    let is_at_rest = pace.rates().next().is_none();
    let sentence = if is_at_rest { STEADY_AT_REST } else { STEADY };
    assuming(pace, sentence.to_owned())
}

/// A pace that says what it assumes.
pub(super) fn assuming(mut pace: Pace, sentence: String) -> Pace {
    pace.assumptions = vec![sentence];
    pace
}

/// A pace at which a user, or everybody below an account, uses nothing; what is planned for them stays.
#[must_use]
pub fn resting(mut pace: Pace, tree: &Tree, node: NodeId) -> Pace {
    for &user in &tree.nodes()[tree.order().span(node)] {
        if pace.rate(user) > 0.0 {
            pace.set_rate(user, 0.0);
        }
    }
    except(&mut pace, &format!("{} uses nothing", named(tree, node)));
    pace
}

/// Notes an exception from what a pace assumes; a pace that assumes nothing speaks through its numbers.
fn except(pace: &mut Pace, sentence: &str) {
    if !pace.assumptions.is_empty() {
        pace.assumptions.push(format!("but {sentence}"));
    }
}

/// The rates that keep everybody's usage, and the campaigns that are planned.
fn steady(scenario: &Scenario) -> Pace {
    Clock::of(scenario.tree(), scenario.settings()).steady()
}

/// Changes a pace, and says so among what it assumes.
///
/// # Errors
/// If the change does not fit the tree.
pub fn assume(
    pace: Pace,
    change: &PaceChange,
    tree: &Tree,
    settings: &Settings,
) -> Result<Pace, EditError> {
    let sentences = pace.assumptions.clone();
    let mut pace = change.of_pace(Arc::new(pace), tree, settings)?;
    pace.assumptions = sentences;
    match change {
        PaceChange::Idle => pace.assumptions.clear(),
        PaceChange::Steady => pace = said_steady(pace),
        PaceChange::Rate { node, rate } => except(&mut pace, &constant(tree, *node, *rate)),
        PaceChange::Campaign(campaign) => except(&mut pace, &planned(tree, campaign)),
    }
    Ok(pace)
}

/// What a user uses all the time.
fn constant(tree: &Tree, node: NodeId, rate: f64) -> String {
    format!("{} uses {} a second", named(tree, node), amount(rate))
}

/// What a user uses for a while.
fn planned(tree: &Tree, campaign: &Campaign) -> String {
    format!(
        "{} uses {} a second more from {} to {} after the snapshot",
        named(tree, campaign.node),
        amount(campaign.rate),
        duration_for_people(campaign.from),
        duration_for_people(campaign.until)
    )
}

/// Everything that is assumed of the time to come, in sentences without a full stop: who uses what, and how usage
/// decays.
#[must_use]
pub fn assumptions(tree: &Tree, settings: &Settings, pace: &Pace) -> Vec<String> {
    let mut sentences = assumed_use(tree, pace);
    sentences.push(decay(tree, settings));
    sentences
}

/// Who uses what, as the pace itself says it, else as its numbers do.
fn assumed_use(tree: &Tree, pace: &Pace) -> Vec<String> {
    if !pace.assumptions.is_empty() {
        return pace.assumptions.clone();
    }
    if pace.is_idle() {
        return vec!["nobody uses anything".to_owned()];
    }
    let mut rates: Vec<(NodeId, f64)> = pace.rates().collect();
    rates.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let mut sentences = Vec::new();
    let total: f64 = rates.iter().map(|(_, rate)| rate).sum();
    if rates.len() > NAMED {
        sentences.push(format!(
            "{} use {} a second in all, most of all {}",
            counted(rates.len(), "user", "users"),
            short(total),
            named(tree, rates[0].0)
        ));
    } else {
        let named = rates.iter();
        sentences.extend(named.map(|&(node, rate)| constant(tree, node, rate)));
    }
    let campaigns = pace.campaigns().iter();
    sentences.extend(campaigns.map(|campaign| planned(tree, campaign)));
    sentences.push("nobody else uses anything".to_owned());
    sentences
}

/// How usage decays.
fn decay(tree: &Tree, settings: &Settings) -> String {
    match settings.scheduler {
        Some(Scheduler::Pbs) => decay_of_pbs(settings),
        Some(Scheduler::Slurm) => decay_of_slurm(settings),
        Some(Scheduler::Flux) => decay_of_flux(tree, settings),
        None => match settings.slurm.decay_half_life {
            0 => "usage does not decay, for PriorityDecayHalfLife is 0".to_owned(),
            seconds => format!("usage halves in {}, smoothly", period(seconds)),
        },
    }
}

fn period(seconds: u32) -> String {
    duration_for_people(u64::from(seconds))
}

fn decay_of_pbs(settings: &Settings) -> String {
    if !is_decaying(settings) {
        return "PBS does not decay usage, for fair_share is false and no job_sort_formula is set"
            .to_owned();
    }
    let factor = settings.pbs.fairshare_decay_factor;
    let decays = match u64::try_from(settings.pbs.fairshare_decay_time) {
        Ok(interval @ 1..) if factor.is_nan() => format!(
            "PBS sets usage to 1 in {}, for fairshare_decay_factor is no number",
            duration_for_people(interval)
        ),
        Ok(interval @ 1..) => format!(
            "PBS multiplies usage by {factor} once in {}, and none falls below 1",
            duration_for_people(interval)
        ),
        Ok(_) => "PBS does not decay usage, for fairshare_decay_time is 0".to_owned(),
        Err(_) => "PBS does not decay usage, for fairshare_decay_time is below 0".to_owned(),
    };
    match overdue_decays(settings) {
        // One is due in each interval.
        Some(Overdue { times, since, .. }) if times > 1 => format!(
            "{decays}; it last did so {} ago, so its next cycle does it {}",
            duration_for_people(since),
            counted(
                usize::try_from(times).unwrap_or(usize::MAX),
                "time",
                "times"
            )
        ),
        _ => decays,
    }
}

fn decay_of_slurm(settings: &Settings) -> String {
    let slurm = &settings.slurm;
    let decays = match slurm.decay_half_life {
        0 => "Slurm does not decay usage, for PriorityDecayHalfLife is 0".to_owned(),
        seconds => format!(
            "Slurm halves usage in {}, looking every {}",
            period(seconds),
            period(slurm.calc_period)
        ),
    };
    match (slurm.usage_reset_period, settings.time.taken) {
        // NOW is when the controller starts.
        (UsageResetPeriod::None | UsageResetPeriod::Now, _) => decays,
        (reset, Some(_)) => format!("{decays}, and sets it to 0 {}", reset.name().to_lowercase()),
        (reset, None) => format!(
            "{decays}; that it sets it to 0 {} is left out, for the source does not tell what day it is",
            reset.name().to_lowercase()
        ),
    }
}

fn decay_of_flux(tree: &Tree, settings: &Settings) -> String {
    let Flux {
        decay_half_life: half_life,
        decay_factor: factor,
        ..
    } = settings.flux;
    let held = tree.held().and_then(Held::bins);
    let counts = held.and_then(|bins| {
        let counts = tree.nodes().iter().map(|&node| bins.get(node).len());
        counts.max()
    });
    let bins = counts.filter(|&count| count > 0);
    let bins = bins.unwrap_or_else(|| bin_count(&settings.flux));
    let oldest = format!("forgets the oldest of {}", counted(bins, "bin", "bins"));
    let does = match factor {
        0.0 => "forgets all usage, for decay_factor is 0,".to_owned(),
        1.0 => format!("{oldest}, for decay_factor is 1,"),
        factor => format!("multiplies usage by {factor} and {oldest}"),
    };
    let every = period(half_life);
    let shift = next_shift(settings);
    let wait = shift.map(|shift| shift.due.saturating_sub(settings.time.passed));
    match (shift, wait) {
        (Some(Shift { overdue: 1, .. }), _) => {
            format!("Flux {does} every {every}; that is overdue, so the next run does it")
        }
        (Some(Shift { overdue, .. }), _) if overdue > 1 => format!(
            "Flux {does} every {every}; that is overdue {overdue} times, and each run makes up for one of them"
        ),
        // Its end is noted one half-life early when a database is made, and only then.
        (_, Some(wait)) if wait > u64::from(half_life) + 1 => format!(
            "Flux {does} every {every}, for the first time in {}: the first period of a database lasts two half-lives",
            duration_for_people(wait)
        ),
        (_, Some(wait)) => format!(
            "Flux {does} every {every}, next in {}",
            duration_for_people(wait)
        ),
        (_, None) => format!("Flux {does} every {every}"),
    }
}

/// The path of a node, for people.
pub(super) fn named(tree: &Tree, node: NodeId) -> String {
    match path_of(tree, node) {
        Some(path) => visible(&path),
        None => format!("…/{}", shown(tree.name(node))),
    }
}
