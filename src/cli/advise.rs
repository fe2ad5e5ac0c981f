//! `fairscope advise`: the shares and the half-life with which goals hold, with the fewest changes.

use super::ask::print_answer;
use super::edits::{EditArgs, Refusals, ended};
use super::source::{Opened, SourceArgs, go_on, node, open, read_own_file};
use super::values::{PAGE_FORMS, TableArgs, forms, time};
use super::{Outcome, output};
use crate::analysis::advise::{Contributions, SiteGoal};
use crate::analysis::contention::Machine;
use crate::base::places::Places;
use crate::base::shown::shown;
use crate::format::{Severity, contributions, input};
use crate::model::{DurationForm, NodeId, seconds_of};
use crate::report::Form;
use crate::report::question::{AdviceQuestion, AskedTree, Question};
use crate::scenario::Scenario;
use clap::Args as Arguments;
use color_eyre::eyre::{self, WrapErr, bail};
use serde::Deserialize;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::ops::RangeInclusive;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Instant;
use toml::Spanned;

/// The size of the largest file of goals in bytes.
const LARGEST: u64 = 1 << 20;

/// `fairscope advise`
#[derive(Arguments, Debug)]
pub struct AdviseArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// A goal, such as 'share(physics) >= 25%'; may be repeated
    ///
    /// share(PATH) >= 25%, <= or =, also 64 of 512 nodes: the portion of the machine. on-target(PATH), rank(USER) <= 3,
    /// ahead(A, B). keep(PATH), keep(others): nobody who is not edited loses more than 1%. lines <= 5. total = 1000: the
    /// sum of the top level. back(PATH) <= 3d: the time until its usage is its share.
    #[arg(long = "goal", value_name = "GOAL")]
    pub goals: Vec<OsString>,
    /// A TOML file of goals: goals = ["lines <= 5", …]
    #[arg(long = "goals", hide_short_help = true, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// A file of account,amount or account,amount,price: shares in proportion
    #[arg(long, value_name = "FILE")]
    pub contributions: Option<PathBuf>,
    /// Show what other half-lives would do, such as 1d..30d
    #[arg(long, value_name = "FROM..UNTIL")]
    pub half_life: Option<String>,
    /// The cores of the machine on which times are measured
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = Machine::default().cores, value_parser = clap::value_parser!(u64).range(1..))]
    pub cores: u64,
    /// Search for this long, not by a number of tries
    #[arg(long, hide_short_help = true, value_name = "TIME", value_parser = time)]
    pub within: Option<u64>,
    #[command(flatten)]
    pub edits: EditArgs,
    /// The form of the output
    #[arg(long, short = 'o', value_name = "FORM", default_value = "text", value_parser = forms(PAGE_FORMS))]
    pub format_out: Form,
}

/// A file of goals.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GoalsFile {
    /// The goals, with their places in the file.
    goals: Vec<Spanned<String>>,
}

/// Prints the shares and the half-life with which the goals hold.
pub(super) fn run(args: &AdviseArgs) -> Outcome {
    let mut opened = open(&args.source)?;
    let drift = opened.edit(&args.edits)?;
    ended(answer(args, &opened), drift.as_ref(), false)
}

/// Answers what is asked about the tree with its edits; fails if nothing is asked.
fn answer(args: &AdviseArgs, opened: &Opened) -> Outcome {
    opened.mention_remarks(&args.source);
    let scenario = &opened.scenario;
    let goals = goals(scenario, args)?;
    let contributions = match &args.contributions {
        Some(path) => contributed(scenario, path)?,
        None => Contributions::new(),
    };
    let half_lives = match &args.half_life {
        Some(range) => Some(half_lives(range)?),
        None if goals.is_empty() && contributions.is_empty() => bail!(
            "no goals given; add one, as in --goal 'share(physics) >= 25%', or --contributions or --half-life"
        ),
        None => None,
    };
    let question = Question::Advice(AdviceQuestion {
        goals,
        contributions,
        half_lives,
        cores: args.cores,
    });
    let view = opened.view();
    let mut asked = AskedTree {
        scenario,
        view: &view,
        queue: None,
        spent: None,
    };
    let form = TableArgs::plain(args.format_out);
    let Some(within) = args.within else {
        return print_answer(asked, &question, &form);
    };
    let begin = Instant::now();
    let spent = || begin.elapsed().as_secs_f64() / within as f64;
    asked.spent = Some(&spent);
    print_answer(asked, &question, &form)
}

/// Returns the goals of the command line and of the file.
fn goals(scenario: &Scenario, args: &AdviseArgs) -> eyre::Result<Vec<SiteGoal>> {
    let mut goals = Vec::new();
    for text in &args.goals {
        let goal = SiteGoal::parse(text.as_bytes(), scenario);
        let typed = shown(text.as_bytes());
        goals.push(goal.wrap_err_with(|| format!("--goal '{typed}'"))?);
    }
    if let Some(path) = &args.file {
        goals.extend(goals_of_file(scenario, path)?);
    }
    Ok(goals)
}

/// Returns the goals of a file; an error names the line.
fn goals_of_file(scenario: &Scenario, path: &Path) -> eyre::Result<Vec<SiteGoal>> {
    let name = input::name(path);
    let Some(bytes) = read_own_file(path, LARGEST)? else {
        bail!("{name} is larger than 1 MiB, too large for a file of goals");
    };
    let text = String::from_utf8_lossy(&bytes);
    let places = Places::new(text.as_bytes());
    let file: GoalsFile = match toml::from_str(&text) {
        Ok(file) => file,
        Err(error) => {
            let mut line = 1;
            if let Some(span) = error.span() {
                (line, _) = places.of(span.start);
            }
            let message = shown(error.message().as_bytes());
            bail!("{name}:{line}: {message}; expected goals = [\"share(physics) >= 25%\", …]");
        }
    };
    let mut goals = Vec::new();
    for text in file.goals {
        let goal = SiteGoal::parse(text.get_ref().as_bytes(), scenario);
        let (line, _) = places.of(text.span().start);
        goals.push(goal.wrap_err_with(|| format!("{name}:{line}"))?);
    }
    Ok(goals)
}

/// Returns what accounts contributed. If lines do not fit, all of them are reported.
fn contributed(scenario: &Scenario, path: &Path) -> eyre::Result<Contributions> {
    let file = input::read(path, &mut go_on)?;
    let (list, problems) = contributions::read(&file)?;
    let name = input::name(path);
    let mut refused = Refusals::new(&name, "lines");
    for problem in problems.list() {
        if problem.severity == Severity::Error {
            refused.push(problem.line, || problem.message.clone().into());
        } else {
            output::complain(&problem.to_string());
        }
    }
    let tree = scenario.tree();
    let count = list.len() + problems.count();
    let mut worth = Contributions::new();
    let mut lines = HashMap::new();
    for line in list {
        let account = shown(&line.account);
        let node = match node(tree, OsStr::from_bytes(&line.account)) {
            Ok(node) => node,
            Err(error) => {
                refused.push(Some(line.line), || error.to_string());
                continue;
            }
        };
        let has_shares = tree.shares(node).count().is_some();
        if node == NodeId::ROOT || !has_shares {
            refused.push(Some(line.line), || {
                format!("{account} has no shares of its own")
            });
            continue;
        }
        *worth.entry(node).or_default() += line.worth;
        let same = (node, line.worth.to_bits());
        if let Some(first) = lines.insert(same, line.line) {
            let second = line.line;
            output::complain(&format!(
                "{name}: lines {first} and {second} give {account} the same; both are counted"
            ));
        }
    }
    refused.end(count, None)?;
    let mut sum = 0.0;
    for own in worth.values() {
        sum += own;
    }
    if sum <= 0.0 {
        bail!(
            "{name} has no contributions above 0; expected account,amount or account,amount,price"
        );
    }
    Ok(worth)
}

/// Reads a range of half-lives, in seconds.
fn half_lives(range: &str) -> eyre::Result<RangeInclusive<u64>> {
    let (first, last) = range.split_once("..").unwrap_or((range, range));
    let typed = shown(range.as_bytes());
    let form = DurationForm::Common;
    let option = format!("--half-life {typed}");
    let from = seconds_of(first, form).wrap_err(option.clone())?;
    let until = seconds_of(last, form).wrap_err(option)?;
    if from == 0 {
        bail!("--half-life {typed}: expected two durations above 0, as in 1d..30d");
    }
    if from > until || u32::try_from(until).is_err() {
        bail!("--half-life {typed}: expected the shorter one first, and at most 49000d");
    }
    Ok(from..=until)
}
