//! `fairscope simulate`: the forecast of some nodes, and when goals are reached.

use super::contention::{self, ContentionArgs};
use super::edits::{EditArgs, ended};
use super::source::{
    Opened, SourceArgs, mention_strangers, node, node_of_operand, open, open_beside_nodes,
    take_nodes,
};
use super::values::{TableArgs, setting};
use super::{FINE, FOUND, Outcome, output};
use crate::analysis::simulate::{
    Assumptions, PaceError, Preset, Recovery, RecoveryOutcome, Simulation, assume, resting,
};
use crate::analysis::solve::{Goal, ON_TARGET};
use crate::base::number::{DAY, counted, grouped};
use crate::base::shown::{sentence, shown};
use crate::format::input;
use crate::model::{DurationError, DurationForm, MomentError, NodeId, Pace, seconds_of};
use crate::report::simulate::{Forecast, Forecasts, HalfLives, Moments};
use crate::report::{Form, emit};
use crate::rules::clock::{USUAL_HALF_LIVES, span_ahead, usual_span};
use crate::scenario::{Edit, LanguageError, Scenario, check_wait, parse};
use clap::Args as Arguments;
use color_eyre::eyre::{self, WrapErr, bail, eyre};
use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;

/// The most users that are simulated if no node is named.
const FEW_USERS: usize = 12;

/// The number of moments without --step.
const ROWS: u64 = 15;

const MOST_MOMENTS: u64 = 100_000;
const MOST_SAMPLES: u64 = 2_000_000;

/// How far ahead the search for a goal looks, in seconds.
const YEAR: u64 = 365 * DAY as u64;

const MINUTE: u64 = 60;

/// The possible times between two rows, in seconds.
const STEPS: &[u64] = &[
    MINUTE,
    10 * MINUTE,
    60 * MINUTE,
    360 * MINUTE,
    DAY as u64,
    7 * DAY as u64,
    28 * DAY as u64,
    365 * DAY as u64,
    3650 * DAY as u64,
];

/// `fairscope simulate`
#[derive(Arguments, Debug)]
pub struct SimulateArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// The end, such as 14d or 2026-12-02 [default: 4 half-lives]
    ///
    /// A duration is written 14d, 36h or 2-12:00:00. A date needs a source whose time is known. Where usage does not halve, the
    /// default is 30d.
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
    pub until: Option<String>,
    /// The time between two rows [default: at most 15 rows]
    #[arg(
        long,
        hide_short_help = true,
        value_name = "TIME",
        allow_hyphen_values = true
    )]
    pub step: Option<String>,
    /// A user or account to follow, instead of behind the source; may be repeated
    ///
    /// By its path or a unique name [default: all users if there are at most 12, else the children of the root]
    #[arg(long = "node", hide_short_help = true, value_name = "PATH")]
    pub nodes: Vec<OsString>,
    /// The nodes behind the source.
    #[arg(skip)]
    pub operands: Vec<OsString>,
    /// The usage ahead: idle, steady or a dump; or --charge, --campaign
    ///
    /// idle is none, steady keeps the usage as it is, and an older dump of the same cluster gives the rates between
    /// the two [default: as edited, else idle]
    #[arg(long, value_name = "idle|steady|FILE")]
    pub pace: Option<OsString>,
    /// A user or account that uses nothing; may be repeated
    #[arg(long = "idle", value_name = "PATH")]
    pub idle: Vec<OsString>,
    /// The usage rate of a user, in units of usage per second; may be repeated
    #[arg(long = "charge", value_name = "PATH=RATE")]
    pub charges: Vec<OsString>,
    /// Further usage of a user for a time, counted from the time of the source; may be repeated
    #[arg(
        long = "campaign",
        hide_short_help = true,
        value_name = "PATH=RATE:FROM..UNTIL"
    )]
    pub campaigns: Vec<OsString>,
    /// The goal of each node, such as rank<=3; may be repeated
    ///
    /// on-target (usage within its own target), rank<=K, factor>=F or ahead-of PATH [default: on-target]
    #[arg(
        long = "goal",
        value_name = "GOAL",
        num_args = 0..=1,
        default_missing_value = ON_TARGET
    )]
    pub goals: Vec<OsString>,
    /// How far to look ahead for the goals [default: a year, or --until if later]
    #[arg(
        long,
        hide_short_help = true,
        value_name = "TIME",
        allow_hyphen_values = true
    )]
    pub horizon: Option<String>,
    /// Another setting to compare with, such as another half-life
    #[arg(long, hide_short_help = true, value_name = "KEY=VALUE", value_parser = setting)]
    pub compare: Option<(String, String)>,
    #[command(flatten)]
    pub contention: ContentionArgs,
    #[command(flatten)]
    pub edits: EditArgs,
    #[command(flatten)]
    pub form: TableArgs,
}

impl SimulateArgs {
    /// Returns whether nodes are named, behind the source or by the option.
    fn has_nodes(&self) -> bool {
        !self.operands.is_empty() || !self.nodes.is_empty()
    }
}

pub(super) fn run(mut args: SimulateArgs) -> Outcome {
    args.operands = take_nodes(&mut args.source.sources, &args.source.reading);
    if args.contention.cores.is_some() && !args.operands.is_empty() {
        bail!("--cores simulates all users; leave out the nodes, or --cores");
    }
    if !args.has_nodes() && (!args.goals.is_empty() || args.horizon.is_some()) {
        bail!(
            "--goal and --horizon are for nodes; name them after the source, as in: fairscope simulate sched_priv suzy \
             --until 14d --goal"
        );
    }
    let mut opened = open_beside_nodes(&args.source)?;
    let drift = opened.edit(&args.edits)?;
    ended(answer(&args, &opened), drift.as_ref(), false)
}

fn answer(args: &SimulateArgs, opened: &Opened) -> Outcome {
    opened.mention_problems(&args.source);
    opened.mention_order();
    let scenario = &opened.scenario;
    let until = match &args.until {
        Some(text) => until(scenario, text)?,
        None => span_ahead(scenario.settings()),
    };
    if args.contention.cores.is_some() {
        let window = match &args.step {
            Some(text) => Some(duration("--step", text)?),
            None => None,
        };
        return contention::run(opened, &args.contention, until, window, &args.form);
    }
    let nodes = nodes(scenario, args)?;
    let step = step(args.step.as_deref(), until, nodes.len())?;
    let course = Course {
        nodes,
        until,
        step,
        goals: goals(scenario, args)?,
        are_goals_asked: !args.goals.is_empty(),
        horizon: horizon(scenario, args.horizon.as_deref(), until)?,
        pace: Arc::new(pace(opened, args)?),
    };
    let own = course.forecast(scenario)?;
    let mut other = None;
    if let Some((key, value)) = &args.compare {
        let setting = sentence!("{key}={}", shown(value.as_bytes()));
        let mut changed = scenario.clone();
        let applied = changed.apply(Edit::SetSetting {
            key: key.clone(),
            value: value.clone(),
        });
        applied.wrap_err("--compare")?;
        other = Some((setting, course.forecast(&changed)?));
    }
    let simulated = Forecasts {
        view: opened.view(),
        moments: Moments {
            taken: scenario.settings().time.taken,
        },
        horizon: course.horizon,
        half_lives: half_lives(scenario, args),
        forecast: own,
        other,
    };
    if args.form.format_out == Form::Csv {
        // The table has no column for these sentences.
        for sentence in simulated.sentences() {
            output::say(&sentence);
        }
    }
    output::print_rows(&args.form, |out, form| emit(out, &simulated, form))?;
    // A missed default goal is no finding, because it was not requested.
    if course.are_goals_asked && misses_goal(&simulated.forecast.recoveries) {
        return Ok(FOUND);
    }
    Ok(FINE)
}

/// Returns how many half-lives a forecast spans without --until; `None` with it, and where usage does not halve.
fn half_lives(scenario: &Scenario, args: &SimulateArgs) -> Option<HalfLives> {
    if args.until.is_some() {
        return None;
    }
    let seconds = usual_span(scenario.settings())?;
    Some(HalfLives {
        count: USUAL_HALF_LIVES,
        seconds,
    })
}

/// Returns whether a goal is not reached in the time that was looked at.
fn misses_goal(recoveries: &[Recovery]) -> bool {
    for recovery in recoveries {
        if let RecoveryOutcome::NotYet | RecoveryOutcome::Never = recovery.outcome {
            return true;
        }
    }
    false
}

/// What is simulated.
struct Course {
    nodes: Vec<NodeId>,
    /// The end, in seconds from now.
    until: u64,
    /// The seconds between two rows.
    step: u64,
    goals: Vec<Goal>,
    are_goals_asked: bool,
    /// How far goals are looked for, in seconds.
    horizon: u64,
    pace: Arc<Pace>,
}

impl Course {
    fn forecast(&self, scenario: &Scenario) -> eyre::Result<Forecast> {
        let simulation = Simulation::of(scenario).at_pace(Arc::clone(&self.pace));
        let progress = &mut |_| ControlFlow::Continue(());
        let mut recoveries = Vec::new();
        for &goal in &self.goals {
            for recovery in simulation.recoveries(&self.nodes, goal, self.horizon, progress)? {
                match recovery {
                    // The default goal does not apply to the root or to nodes without a target.
                    Err(_) if !self.are_goals_asked => {}
                    recovery => recoveries.push(recovery?),
                }
            }
        }
        let mut simulated = simulation.clone();
        let series = simulated.series(&self.nodes, self.until, self.step, progress);
        Ok(Forecast {
            assumptions: Assumptions::of(scenario.tree(), scenario.settings(), &self.pace),
            granted: simulation.clock.assumptions(),
            series: series.ok_or_else(|| eyre!("the simulation was cancelled"))?,
            recoveries,
        })
    }
}

/// Reads a duration above 0.
fn duration(option: &str, text: &str) -> eyre::Result<u64> {
    let seconds = seconds_of(text, DurationForm::Common).wrap_err_with(|| option.to_owned())?;
    if seconds == 0 {
        bail!("{option} cannot be 0; expected a duration such as 1d");
    }
    Ok(seconds)
}

/// Returns the simulated time in seconds, from a duration or a date.
fn until(scenario: &Scenario, text: &str) -> eyre::Result<u64> {
    let word = shown(text.as_bytes());
    let read = |text| seconds_of(text, DurationForm::Common);
    let back = text.strip_prefix('-');
    if back.is_some_and(|back| read(back).is_ok()) {
        bail!(
            "--until {word} is in the past; expected a duration after the time of the source, such as 14d"
        );
    }
    let seconds = if matches!(read(text), Err(DurationError::Form { .. })) {
        let line = format!("wait until {text}");
        match parse(line.as_bytes(), scenario.tree(), scenario.settings()) {
            Ok(Edit::Wait { seconds: 0 }) => {
                bail!("--until {word} is the start of the simulation; give a later moment")
            }
            Ok(Edit::Wait { seconds }) => seconds,
            Err(LanguageError::Past(_)) => {
                let moments = Moments {
                    taken: scenario.settings().time.taken,
                };
                bail!(
                    "--until {word} is in the past: the simulation begins at {}; give a later moment, or a duration \
                     such as 14d",
                    moments.text(scenario.settings().time.passed)
                )
            }
            Err(LanguageError::NoDate) => bail!(
                "--until {word}: the source does not say when it was taken, so a date cannot be used; expected a \
                 duration such as 14d"
            ),
            Err(error @ LanguageError::Moment(MomentError::Beyond(_))) => {
                return Err(error).wrap_err("--until");
            }
            Ok(_) | Err(_) => bail!(
                "--until {word} is neither a duration nor a date; expected one such as 14d, 1.5h, 2-12:00:00, \
                 2026-12-02 or 2026-12-02T20:51:03Z"
            ),
        }
    } else {
        // What can only be a mistaken duration, such as 1:30, is refused as one.
        duration("--until", text)?
    };
    check_wait(scenario.settings(), seconds).wrap_err_with(|| format!("--until {word}"))?;
    Ok(seconds)
}

fn horizon(scenario: &Scenario, text: Option<&str>, until: u64) -> eyre::Result<u64> {
    let Some(text) = text else {
        let year = until.max(YEAR);
        let is_possible = check_wait(scenario.settings(), year).is_ok();
        return Ok(if is_possible { year } else { until });
    };
    let horizon = duration("--horizon", text)?;
    check_wait(scenario.settings(), horizon)
        .wrap_err_with(|| format!("--horizon {}", shown(text.as_bytes())))?;
    Ok(horizon)
}

fn step(text: Option<&str>, until: u64, nodes: usize) -> eyre::Result<u64> {
    let step = match text {
        Some(text) => duration("--step", text)?,
        None => usual_step(until),
    };
    let moments = until.div_ceil(step).saturating_add(1);
    let samples = moments.saturating_mul(nodes as u64);
    if moments > MOST_MOMENTS || samples > MOST_SAMPLES {
        bail!(
            "too many numbers: {} moments of {}; expected at most {} moments and {} numbers of each kind; choose a \
             longer --step, or fewer nodes",
            grouped(moments),
            counted(nodes, "node", "nodes"),
            grouped(MOST_MOMENTS),
            grouped(MOST_SAMPLES)
        );
    }
    Ok(step)
}

/// Returns the shortest time between two rows with which few enough of them are printed.
fn usual_step(until: u64) -> u64 {
    for &step in STEPS {
        if until / step < ROWS {
            return step;
        }
    }
    until
}

fn nodes(scenario: &Scenario, args: &SimulateArgs) -> eyre::Result<Vec<NodeId>> {
    let tree = scenario.tree();
    if !args.has_nodes() {
        return Ok(if tree.user_count() <= FEW_USERS {
            tree.users().collect()
        } else {
            tree.children(NodeId::ROOT).collect()
        });
    }
    let mut named = Vec::new();
    for name in &args.operands {
        named.push(node_of_operand(tree, name)?);
    }
    for name in &args.nodes {
        named.push(node(tree, name)?);
    }
    let mut nodes = Vec::with_capacity(named.len());
    for node in named {
        if !nodes.contains(&node) {
            nodes.push(node);
        }
    }
    Ok(nodes)
}

fn goals(scenario: &Scenario, args: &SimulateArgs) -> eyre::Result<Vec<Goal>> {
    let texts = &args.goals;
    if texts.is_empty() && args.has_nodes() {
        return Ok(vec![Goal::OnTarget]);
    }
    let mut goals = Vec::with_capacity(texts.len());
    for text in texts {
        let goal = Goal::parse(text.as_bytes(), scenario.tree())
            .wrap_err_with(|| format!("--goal '{}'", shown(text.as_bytes())))?;
        goals.push(goal);
    }
    Ok(goals)
}

/// Returns the future usage: the pace without idle users, then charges and campaigns.
fn pace(opened: &Opened, args: &SimulateArgs) -> eyre::Result<Pace> {
    let scenario = &opened.scenario;
    let tree = scenario.tree();
    let mut pace = match args.pace.as_deref() {
        None => Preset::AsPlanned.pace(scenario)?,
        Some(word) if word == "idle" => Preset::Idle.pace(scenario)?,
        Some(word) if word == "steady" => Preset::Steady.pace(scenario)?,
        Some(path) => measured(opened, args, path)?,
    };
    for name in &args.idle {
        pace = resting(pace, tree, node(tree, name)?);
    }
    for charge in &args.charges {
        let line = [b"rate ", charge.as_bytes()].concat();
        pace = changed(scenario, pace, &line)
            .wrap_err_with(|| format!("--charge '{}'", shown(charge.as_bytes())))?;
    }
    for campaign in &args.campaigns {
        let Some(line) = campaign_line(campaign) else {
            bail!(
                "--campaign '{}': it is not complete; expected PATH=RATE:FROM..UNTIL, as in group1/bob=64:3d..10d",
                shown(campaign.as_bytes())
            );
        };
        pace = changed(scenario, pace, &line)
            .wrap_err_with(|| format!("--campaign '{}'", shown(campaign.as_bytes())))?;
    }
    Ok(pace)
}

fn measured(opened: &Opened, args: &SimulateArgs, path: &OsStr) -> eyre::Result<Pace> {
    let path = PathBuf::from(path);
    if path.as_os_str() == "-" || input::find(&path)?.is_none() {
        bail!(
            "--pace {} is not idle, steady or an existing file; expected one of the three",
            shown(path.as_os_str().as_bytes())
        );
    }
    let mut reading = args.source.reading.clone();
    // Options of the newer source do not apply to the older one.
    reading.live = None;
    reading.more.clear();
    reading.usage = None;
    let old = open(&SourceArgs::of(vec![path], reading))?;
    mention_strangers(&old, opened);
    let pace = Preset::Measured(old.scenario.base()).pace(&opened.scenario);
    pace.map_err(|error: PaceError| eyre!(error).wrap_err("--pace"))
}

/// Returns a pace after a change in the edit language.
fn changed(scenario: &Scenario, pace: Pace, line: &[u8]) -> eyre::Result<Pace> {
    let tree = scenario.tree();
    let settings = scenario.settings();
    match parse(line, tree, settings)? {
        Edit::Pace(change) => Ok(assume(pace, &change, tree, settings)?),
        _ => bail!("it has more than one line; use one option for each user"),
    }
}

/// Returns `PATH=RATE:FROM..UNTIL` in the edit language; `None` if a part of it is missing.
fn campaign_line(text: &OsStr) -> Option<Vec<u8>> {
    let bytes = text.as_bytes();
    let equals = bytes.iter().rposition(|&byte| byte == b'=')?;
    let (path, plan) = bytes.split_at(equals);
    let (rate, window) = std::str::from_utf8(plan).ok()?.split_once(':')?;
    let (from, until) = window.split_once("..")?;
    let line = format!("{rate} from {} until {}", from.trim(), until.trim());
    Some([b"campaign ", path, line.as_bytes()].concat())
}
