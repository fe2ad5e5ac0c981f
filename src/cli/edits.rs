//! The edits of a command line, applied to what was opened, and `whatif`, which prints what they change.

use super::gates::{GateArgs, code};
use super::output::{self, MOST_LISTED, listed};
use super::source::{self, Opened, ReadArgs, SourceArgs, apply};
use super::values::TableArgs;
use super::{FOUND, Outcome};
use crate::analysis::impact::ChangeKind;
use crate::analysis::plan::{Plan, PlanInputs, originals, plan, with_jobs};
use crate::base::number::counted;
use crate::base::shown::{sentence, shown, shown_text};
use crate::format::{Problem, Request, Severity};
use crate::model::{Origin, Scheduler};
use crate::open::desired::{DesiredFile, Drift};
use crate::open::live::load_or_end;
use crate::open::opened::{RejectedLine, apply_fitting};
use crate::report::{Form, check, whatif};
use crate::scenario::{Amount, Edit, EditError, LanguageError, Scenario, parse};
use clap::Args as Arguments;
use color_eyre::eyre::{self, WrapErr, bail};
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow;
use std::os::unix::ffi::{OsStrExt, OsStringExt as _};
use std::path::{Path, PathBuf};

/// The default number of nodes in a table for people.
const ROWS: usize = 40;

/// Edits of the source's tree.
#[derive(Arguments, Debug)]
pub struct EditArgs {
    /// An edit; may be repeated
    #[arg(long = "edit", value_name = "EDIT")]
    pub edits: Vec<OsString>,
    /// The edits of a saved scenario
    #[arg(long, value_name = "FILE")]
    pub scenario: Option<PathBuf>,
    /// The scenario of the file, by its name [default: the one that was open]
    #[arg(long, hide_short_help = true, value_name = "NAME")]
    pub name: Option<String>,
    /// A file of new shares, such as path,shares: all of its lines, or none
    #[arg(long = "edits", hide_short_help = true, value_name = "FILE")]
    pub table: Option<PathBuf>,
    #[command(flatten)]
    pub desired: DesiredArgs,
}

/// A file of desired shares.
#[derive(Arguments, Clone, Debug, Default)]
pub struct DesiredArgs {
    /// A file of shares as they should be; what differs from it is edited
    #[arg(long, value_name = "FILE")]
    pub desired: Option<PathBuf>,
    /// The account for what --desired names without its account and the tree lacks; / is the top
    #[arg(
        long,
        hide_short_help = true,
        value_name = "PATH",
        requires = "desired"
    )]
    pub add_below: Option<OsString>,
}

impl DesiredArgs {
    pub(super) fn read(&self) -> eyre::Result<Option<DesiredFile>> {
        let read = |path: &PathBuf| {
            let below = self.add_below.clone().map(OsString::into_vec);
            DesiredFile::read(path, below, &mut |_| ControlFlow::Continue(()))
        };
        Ok(self.desired.as_ref().map(read).transpose()?)
    }

    /// Compares the tree with the file, if one is given.
    pub(super) fn drift(&self, scenario: &Scenario) -> eyre::Result<Option<Drift>> {
        let file = self.read()?;
        let drift = file.map(|file| Drift::between(scenario, &file).wrap_err("--add-below"));
        drift.transpose()
    }
}

/// `fairscope whatif`
#[derive(Arguments, Debug)]
pub struct WhatifArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub edits: EditArgs,
    #[command(flatten)]
    pub form: TableArgs,
    #[command(flatten)]
    pub gates: GateArgs,
    /// The number of nodes in text and Markdown [default: 40]
    ///
    /// The edited ones come first, then those whose rank changes most.
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// All nodes that are edited or change rank
    #[arg(long, conflicts_with = "limit")]
    pub all: bool,
}

/// The settings by which usage is computed from jobs.
const OF_THE_PAST: [&str; 7] = [
    "PriorityDecayHalfLife",
    "PriorityUsageResetPeriod",
    "fairshare_decay_time",
    "fairshare_decay_factor",
    "fairshare_usage_res",
    "priority_decay_half_life",
    "decay_factor",
];

pub(super) fn run(args: &WhatifArgs) -> Outcome {
    let mut opened = source::open(&args.source)?;
    let drift = opened.edit_something(&args.edits)?;
    opened.mention_problems(&args.source);
    opened.mention_order();
    let scheduler = opened.scenario.settings().scheduler;
    let scheduler = scheduler.filter(|_| args.form.format_out == Form::Markdown);
    let plan = scheduler.map(|scheduler| opened.plan(scheduler, &args.source.reading));
    let plan = plan.transpose()?;
    let gates = args.gates.judge(&opened, true, drift.as_ref())?;
    let options = whatif::Options {
        limit: (!args.all).then(|| args.limit.unwrap_or(ROWS)),
        drift: drift.as_ref(),
        plan: plan.as_ref(),
        gates: &gates,
    };
    output::print_rows(&args.form, |out, form| {
        whatif::write(out, &opened.scenario, &opened.view(), form, &options)
    })?;
    let is_told = args.form.format_out.is_for_people();
    let code = code(&gates, is_told);
    ended(Ok(code), drift.as_ref(), is_told)
}

/// Says which columns of a file of desired shares are not read.
fn tell_unread(drift: &Drift) {
    for note in check::merged(drift.notes.list().iter()) {
        output::complain(&note.to_string());
    }
}

/// Ends a command whose edits came from a file of desired shares: says on standard error what of the file was left out,
/// unless its output has told it, and exits with 1.
pub(super) fn ended(outcome: Outcome, drift: Option<&Drift>, is_told: bool) -> Outcome {
    let code = outcome?;
    let problems = drift.map(|drift| &drift.problems);
    let Some(problems) = problems.filter(|problems| !problems.is_empty()) else {
        return Ok(code);
    };
    if is_told {
        let left_out = counted(problems.count(), "line is", "lines are");
        output::complain(&format!("{left_out} left out of {}", problems.file));
        return Ok(FOUND);
    }
    for problem in check::merged(problems.list().iter()) {
        output::complain(&problem.to_string());
    }
    Ok(FOUND)
}

impl Opened {
    /// Applies the edits of the command line. An opened scenario must apply completely. Returns what came of a file of
    /// desired shares.
    pub(super) fn edit(&mut self, edits: &EditArgs) -> eyre::Result<Option<Drift>> {
        if let (None, Some(name)) = (&edits.scenario, &edits.name) {
            self.choose(name)?;
        }
        if let Some(path) = &self.scenario_path {
            let file = shown(path.as_os_str().as_bytes());
            let count = self.scenario.history().edits().len();
            let mut lost = Refusals::new(&file, "edits");
            let is_lost = |problem: &&Problem| {
                matches!(problem.code, "scenario-edit-refused" | "toml-bad-edit")
            };
            for problem in self.source.problems.list().iter().filter(is_lost) {
                lost.push(problem.line, || problem.message.clone().into());
            }
            let of = count + lost.count;
            lost.end(of, None)?;
        }
        let drift = edits.apply(&mut self.scenario)?;
        self.mention_past();
        Ok(drift)
    }

    /// Says which edited settings the usage that jobs gave was not computed with.
    fn mention_past(&self) {
        let base = self.scenario.base();
        let mut origins = base.source.origins.iter();
        if !origins.any(|origin| matches!(origin, Origin::Jobs(..))) {
            return;
        }
        let settings = self.scenario.settings();
        let keys = OF_THE_PAST.iter().copied();
        let edited = keys.filter(|key| settings.get(key) != base.settings.get(key));
        let edited: Vec<&str> = edited.collect();
        if let Some(first) = edited.first() {
            let (keys, value) = (
                edited.join(" and "),
                settings.get(first).unwrap_or_default(),
            );
            let value = shown(value.as_bytes());
            output::complain(&sentence!(
                "the usage of --jobs was computed with the settings of the source, so the edit of {keys} changes only what \
                 follows; to compute that usage with it too, give --set {first}={value}"
            ));
        }
    }

    /// Applies the edits of the command line, for a command that is about them.
    pub(super) fn edit_something(&mut self, edits: &EditArgs) -> eyre::Result<Option<Drift>> {
        let drift = self.edit(edits)?;
        let is_asked = drift.is_some() || edits.table.is_some() || !edits.edits.is_empty();
        if self.scenario.history().is_untouched() && !is_asked {
            bail!("no edits given; add one, as in --edit 'shares group/user=20'");
        }
        Ok(drift)
    }

    /// Returns the plan to apply the edits, with the files of a PBS scheduler as they are.
    pub(super) fn plan(&self, scheduler: Scheduler, reading: &ReadArgs) -> eyre::Result<Plan> {
        let inputs = match scheduler {
            Scheduler::Pbs => originals(self.scenario.base(), &self.source.reference.request)?,
            Scheduler::Slurm => with_jobs(&self.source.companions),
            Scheduler::Flux => PlanInputs::default(),
        };
        let cluster = reading.cluster.clone().unwrap_or_default();
        let inputs = PlanInputs { cluster, ..inputs };
        Ok(plan(&self.scenario, scheduler, &inputs))
    }

    fn choose(&mut self, name: &str) -> eyre::Result<()> {
        let Some(path) = &self.scenario_path else {
            bail!("--name chooses a scenario of a file; give the file with --scenario FILE");
        };
        let names = self.other_scenarios.all(&self.scenario);
        let names: Vec<&str> = names.map(Scenario::name).collect();
        let Some(place) = names.iter().position(|&known| known == name) else {
            let file = shown(path.as_os_str().as_bytes());
            bail!(no_scenario(&file, name, &names));
        };
        self.other_scenarios.bring(&mut self.scenario, place);
        Ok(())
    }
}

fn no_scenario(file: &str, name: &str, names: &[&str]) -> String {
    let names = names.iter().map(|name| shown(name.as_bytes()));
    let mut names: Vec<_> = names.filter(|name| !name.is_empty()).collect();
    if names.is_empty() {
        return format!("{file} has a single scenario without a name; leave out --name");
    }
    if let Some(more @ 1..) = names.len().checked_sub(output::MOST_LISTED) {
        names.truncate(output::MOST_LISTED);
        names.push(sentence!("… and {more} more"));
    }
    format!(
        "unknown scenario '{}' in {file} ({})",
        shown(name.as_bytes()),
        names.join(", ")
    )
}

impl EditArgs {
    /// Applies the edits of the saved scenario, of the table, of the desired shares and of the command line, in this
    /// order.
    fn apply(&self, scenario: &mut Scenario) -> eyre::Result<Option<Drift>> {
        if let Some(path) = &self.scenario {
            apply_saved(scenario, path, self.name.as_deref())?;
        }
        if let Some(path) = &self.table {
            apply_table(scenario, path)?;
        }
        let drift = self.desired.drift(scenario)?;
        if let Some(drift) = &drift {
            tell_unread(drift);
            scenario.clone_from(&drift.edited);
        }
        // The last edit that set each thing.
        let mut set: HashMap<ChangeKind, &OsStr> = HashMap::new();
        for edit in &self.edits {
            let text = edit.as_bytes();
            apply(scenario, text)
                .map_err(pointed)
                .wrap_err_with(|| format!("--edit '{}'", shown_text(text)))?;
            let Some((what, is_outright)) = assigned(scenario, text) else {
                continue;
            };
            if let Some(earlier) = set.insert(what, edit).filter(|_| is_outright) {
                output::say(&format!(
                    "fairscope: --edit '{}' overrides --edit '{}'; both are applied in this order",
                    shown_text(text),
                    shown_text(earlier.as_bytes())
                ));
            }
        }
        Ok(drift)
    }
}

/// Returns the target of the edit that was just applied, and whether its value is absolute: `=20` rather than `+=10`.
fn assigned(scenario: &Scenario, text: &[u8]) -> Option<(ChangeKind, bool)> {
    let equals = text.iter().rposition(|&byte| byte == b'=')?;
    let value = std::str::from_utf8(&text[equals + 1..]).ok();
    let is_by_what_is_there = matches!(text[..equals].last(), Some(b'+' | b'-' | b'*'));
    let is_outright = !is_by_what_is_there
        && matches!(
            value.and_then(Amount::parse),
            Some(Amount::Exactly(_) | Amount::Whole(_) | Amount::Parent)
        );
    match parse(text, scenario.tree(), scenario.settings()).ok()? {
        Edit::SetShares { node, .. } => Some((ChangeKind::Shares(node), is_outright)),
        Edit::SetUsage { node, .. } => Some((ChangeKind::Usage(node), is_outright)),
        Edit::SetSetting { key, .. } => Some((ChangeKind::Setting(key), true)),
        _ => None,
    }
}

/// Returns the error; for a formula with a mark under the place of the error.
fn pointed(error: LanguageError) -> eyre::Report {
    match error {
        LanguageError::Edit(EditError::Formula(error)) => error.into(),
        error => error.into(),
    }
}

/// Applies the edits of a saved scenario, by name or the current one, regardless of its own source.
fn apply_saved(scenario: &mut Scenario, path: &Path, name: Option<&str>) -> eyre::Result<()> {
    let loaded = load_or_end(&Request::to_open(path), &mut |_| ControlFlow::Continue(()))?;
    let file = shown(path.as_os_str().as_bytes());
    let Some(scenarios) = loaded.scenarios else {
        bail!("{file} is a tree, not a scenario; give it as the source instead");
    };
    let mut saved = scenarios.list;
    let chosen = match name {
        None => Some(scenarios.front),
        Some(name) => saved.iter().position(|saved| saved.name == name),
    };
    let Some(chosen) = chosen.filter(|&chosen| chosen < saved.len()) else {
        let names: Vec<&str> = saved.iter().map(|saved| saved.name.as_str()).collect();
        bail!(no_scenario(&file, name.unwrap_or_default(), &names));
    };
    let edits = saved.swap_remove(chosen).edits;
    let mut refused = Refusals::new(&file, "edits");
    // Problems of the scenario's own source do not concern this tree.
    let own = loaded.problems.list().iter();
    let own = own.filter(|problem| file == *problem.file);
    let (errors, others): (Vec<_>, Vec<_>) =
        own.partition(|problem| problem.severity == Severity::Error);
    let sentence = |problem: &Problem| format!("{}; {}", problem.message, problem.advice);
    for problem in errors {
        refused.push(problem.line, || sentence(problem));
    }
    for problem in check::merged(others.into_iter()) {
        let place = place(&file, problem.line);
        output::complain(&format!("{place}{}", sentence(&problem)));
    }
    let count = edits.len();
    for edit in &edits {
        for RejectedLine { line, text, error } in apply_fitting(scenario, edit) {
            refused.push(Some(line), || {
                format!("`{}`: {error}", shown_text(text.as_bytes()))
            });
        }
    }
    let made_on = &loaded.snapshot.source.path;
    let note = (*made_on != scenario.base().source.path)
        .then(|| format!("the scenario was made on {made_on}, which may be a different tree"));
    refused.end(count, note.as_deref())
}

/// Sets the shares of a table. If rows do not fit, all of them are reported and none is applied.
fn apply_table(scenario: &mut Scenario, path: &Path) -> eyre::Result<()> {
    let mut file = DesiredFile::read(path, None, &mut |_| ControlFlow::Continue(()))?;
    file.adds = false;
    let drift = Drift::between(scenario, &file)?;
    tell_unread(&drift);
    let mut refused = Refusals::new(&drift.problems.file, "rows");
    for problem in drift.problems.list() {
        refused.push(problem.line, || problem.message.clone().into());
    }
    refused.end(drift.named + drift.problems.count(), None)?;
    *scenario = drift.edited;
    Ok(())
}

/// The lines of a file of edits that could not be applied, reported together.
pub(super) struct Refusals<'a> {
    file: &'a str,
    /// The plural noun for the lines of the file.
    many: &'static str,
    count: usize,
    sentences: Vec<String>,
}

impl<'a> Refusals<'a> {
    pub(super) fn new(file: &'a str, many: &'static str) -> Self {
        Self {
            file,
            many,
            count: 0,
            sentences: Vec::new(),
        }
    }

    /// Adds a refusal; `sentence` is only called if it will be shown.
    pub(super) fn push(&mut self, line: Option<u64>, sentence: impl FnOnce() -> String) {
        self.count += 1;
        if self.sentences.len() < MOST_LISTED {
            let place = place(self.file, line);
            self.sentences.push(format!("{place}{}", sentence()));
        }
    }

    /// Fails if anything was refused, with one sentence or a list of all. `note` adds a remark about the whole file.
    pub(super) fn end(self, of: usize, note: Option<&str>) -> eyre::Result<()> {
        let Self {
            file, many, count, ..
        } = self;
        let note = note.map_or_else(String::new, |note| format!("{note}; "));
        match &self.sentences[..] {
            [] => Ok(()),
            [sentence] => {
                bail!("{sentence}; nothing was applied; {note}correct or remove the line")
            }
            sentences => {
                let of = of.max(count);
                bail!(
                    "{count} of {of} {many} of {file} cannot be applied, so none was; {note}correct or remove the \
                     lines:\n  {}",
                    listed(sentences, count)
                )
            }
        }
    }
}

/// Returns the place of an error as far as it is known, as in `plan.csv:3: `.
fn place(file: &str, line: Option<u64>) -> String {
    match line {
        Some(line) => format!("{file}:{line}: "),
        None => format!("{file}: "),
    }
}
