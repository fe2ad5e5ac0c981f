//! The edits of a command line, applied to what was opened, and `whatif`, which prints what they change.

use super::gates::{GateArgs, code};
use super::output::{self, MOST_LISTED, listed};
use super::source::{self, Opened, SourceArgs, apply, go_on};
use super::values::TableArgs;
use super::{FOUND, Outcome};
use crate::analysis::impact::ChangeKind;
use crate::analysis::plan::{Plan, PlanInputs, plan};
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence, shown, shown_text};
use crate::format::{Problem, Problems, Request, Severity};
use crate::model::{Origin, Scheduler};
use crate::open::desired::{DesiredFile, Drift};
use crate::open::live::load_or_end;
use crate::open::opened::{RejectedLine, apply_fitting};
use crate::report::{Form, check, whatif};
use crate::scenario::{Amount, Edit, EditError, LanguageError, Scenario, parse};
use clap::Args as Arguments;
use color_eyre::eyre::{self, WrapErr, bail};
use std::collections::HashMap;
use std::ffi::OsString;
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
    /// Reads the file, if one is given.
    pub(super) fn read(&self) -> eyre::Result<Option<DesiredFile>> {
        let Some(path) = &self.desired else {
            return Ok(None);
        };
        let below = self.add_below.clone().map(OsString::into_vec);
        let file = DesiredFile::read(path, below, &mut go_on)?;
        Ok(Some(file))
    }

    /// Compares the tree with the file, if one is given.
    pub(super) fn drift(&self, scenario: &Scenario) -> eyre::Result<Option<Drift>> {
        let Some(file) = self.read()? else {
            return Ok(None);
        };
        let drift = Drift::between(scenario, &file).wrap_err("--add-below")?;
        Ok(Some(drift))
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
    #[arg(long, short = 'n', value_name = "N")]
    pub limit: Option<usize>,
    /// All nodes that are edited or change rank
    #[arg(long, conflicts_with = "limit")]
    pub all: bool,
}

/// The settings by which usage is computed from jobs.
const OF_THE_PAST: &[&str] = &[
    "PriorityDecayHalfLife",
    "PriorityUsageResetPeriod",
    "fairshare_decay_time",
    "fairshare_decay_factor",
    "fairshare_usage_res",
    "priority_decay_half_life",
    "decay_factor",
];

/// Prints what the edits change.
pub(super) fn run(args: &WhatifArgs) -> Outcome {
    let mut opened = source::open(&args.source)?;
    let drift = opened.edit_something(&args.edits)?;
    let drift = drift.as_ref();
    opened.mention_problems(&args.source);
    opened.mention_order();
    let form = args.form.format_out;
    let mut plan = None;
    if form == Form::Markdown
        && let Some(scheduler) = opened.scenario.settings().scheduler
    {
        plan = Some(opened.plan(scheduler)?);
    }
    let gates = args.gates.judge(&opened, true, drift)?;
    let mut limit = None;
    if !args.all {
        limit = Some(args.limit.unwrap_or(ROWS));
    }
    let options = whatif::Options {
        limit,
        drift,
        plan: plan.as_ref(),
        gates: &gates,
    };
    output::print_rows(&args.form, |out, form| {
        whatif::write(out, &opened.scenario, &opened.view(), form, &options)
    })?;
    let is_told = form.is_for_people();
    let code = code(&gates, is_told);
    ended(Ok(code), drift, is_told)
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
    let Some(drift) = drift else {
        return Ok(code);
    };
    let problems = &drift.problems;
    if problems.is_empty() {
        return Ok(code);
    }
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
        if edits.scenario.is_none()
            && let Some(name) = &edits.name
        {
            self.choose(name)?;
        }
        if let Some(path) = &self.scenario_path {
            self.refuse_lost_edits(path)?;
        }
        let drift = edits.apply(&mut self.scenario)?;
        self.mention_past();
        Ok(drift)
    }

    /// Fails if the scenario that was opened has edits that do not fit its tree.
    fn refuse_lost_edits(&self, path: &Path) -> eyre::Result<()> {
        let file = shown(path.as_os_str().as_bytes());
        let mut lost = Refusals::new(&file, "edits");
        for problem in self.source.problems.list() {
            match problem.code {
                "scenario-edit-refused" | "toml-bad-edit" => {
                    lost.push(problem.line, || problem.message.to_string());
                }
                _ => {}
            }
        }
        let kept = self.scenario.history().edits().len();
        let count = kept + lost.count;
        lost.end(count, None)
    }

    /// Says which edited settings the usage that jobs gave was not computed with.
    fn mention_past(&self) {
        let base = self.scenario.base();
        if !has_jobs(&base.source.origins) {
            return;
        }
        let settings = self.scenario.settings();
        let mut edited = Vec::new();
        for &key in OF_THE_PAST {
            if settings.get(key) != base.settings.get(key) {
                edited.push(key);
            }
        }
        let Some(first) = edited.first() else {
            return;
        };
        let keys = edited.join(" and ");
        let value = settings.get(first).unwrap_or_default();
        let value = shown(value.as_bytes());
        output::complain(&sentence!(
            "the usage of --jobs was computed with the settings of the source, so the edit of {keys} changes only what \
             follows; to compute that usage with it too, give --set {first}={value}"
        ));
    }

    /// Applies the edits of the command line, for a command that is about them.
    pub(super) fn edit_something(&mut self, edits: &EditArgs) -> eyre::Result<Option<Drift>> {
        let drift = self.edit(edits)?;
        let is_asked = drift.is_some() || edits.table.is_some() || !edits.edits.is_empty();
        let history = self.scenario.history();
        if history.is_untouched() && !is_asked {
            bail!("no edits given; add one, as in --edit 'shares group/user=20'");
        }
        Ok(drift)
    }

    /// Returns the plan to apply the edits, with the files of a PBS scheduler as they are.
    pub(super) fn plan(&self, scheduler: Scheduler) -> eyre::Result<Plan> {
        let request = &self.source.reference.request;
        let found = &self.source.companions;
        let inputs = PlanInputs::read(scheduler, self.scenario.base(), request, found)?;
        Ok(plan(&self.scenario, scheduler, &inputs))
    }

    /// Brings the scenario with this name to the front of those of the opened file.
    fn choose(&mut self, name: &str) -> eyre::Result<()> {
        let Some(path) = &self.scenario_path else {
            bail!("--name chooses a scenario of a file; give the file with --scenario FILE");
        };
        let others = &mut self.other_scenarios;
        let mut names = Vec::new();
        for scenario in others.all(&self.scenario) {
            names.push(scenario.name());
        }
        let Some(place) = names.iter().position(|known| *known == name) else {
            let file = shown(path.as_os_str().as_bytes());
            bail!(no_scenario(&file, name, &names));
        };
        others.bring(&mut self.scenario, place);
        Ok(())
    }
}

/// Returns the message for a name that no scenario of a file has.
fn no_scenario(file: &str, name: &str, names: &[&str]) -> String {
    let mut known = Vec::new();
    for name in names {
        if !name.is_empty() {
            known.push(shown(name.as_bytes()));
        }
    }
    if known.is_empty() {
        return format!("{file} has a single scenario without a name; leave out --name");
    }
    if known.len() > MOST_LISTED {
        let more = known.len() - MOST_LISTED;
        known.truncate(MOST_LISTED);
        known.push(sentence!("… and {more} more"));
    }
    let name = shown(name.as_bytes());
    let listed = known.join(", ");
    format!("unknown scenario '{name}' in {file} ({listed})")
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
        self.apply_each(scenario)?;
        Ok(drift)
    }

    /// Applies the edits of the command line one by one, and says which of them undo an earlier one.
    fn apply_each(&self, scenario: &mut Scenario) -> eyre::Result<()> {
        // The last edit that set each thing.
        let mut set: HashMap<ChangeKind, Shown> = HashMap::new();
        for edit in &self.edits {
            let text = edit.as_bytes();
            let shown = shown_text(text);
            if let Err(error) = apply(scenario, text) {
                let option = format!("--edit '{shown}'");
                return Err(pointed(error).wrap_err(option));
            }
            let Some(assigned) = Assignment::of(scenario, text) else {
                continue;
            };
            if let Some(earlier) = set.insert(assigned.what, shown.clone())
                && assigned.is_outright
            {
                output::complain(&format!(
                    "--edit '{shown}' overrides --edit '{earlier}'; both are applied in this order"
                ));
            }
        }
        Ok(())
    }
}

/// What an edit sets.
struct Assignment {
    /// The thing.
    what: ChangeKind,
    /// Whether the value is absolute: `=20` rather than `+=10`.
    is_outright: bool,
}

impl Assignment {
    /// Returns what the edit set that was just applied; `None` if it set nothing.
    fn of(scenario: &Scenario, text: &[u8]) -> Option<Self> {
        let is_outright = is_outright(text)?;
        let edit = parse(text, scenario.tree(), scenario.settings()).ok()?;
        match edit {
            Edit::SetShares { node, .. } => Some(Self {
                what: ChangeKind::Shares(node),
                is_outright,
            }),
            Edit::SetUsage { node, .. } => Some(Self {
                what: ChangeKind::Usage(node),
                is_outright,
            }),
            Edit::SetSetting { key, .. } => Some(Self {
                what: ChangeKind::Setting(key),
                is_outright: true,
            }),
            _ => None,
        }
    }
}

/// Returns whether the value of an edit does not depend on what was there; `None` for an edit without a value.
fn is_outright(text: &[u8]) -> Option<bool> {
    let equals = text.iter().rposition(|&byte| byte == b'=')?;
    let (before, value) = text.split_at(equals);
    if let Some(b'+' | b'-' | b'*') = before.last() {
        return Some(false);
    }
    let Ok(value) = std::str::from_utf8(&value[1..]) else {
        return Some(false);
    };
    match Amount::parse(value) {
        Ok(Amount::Exactly(_) | Amount::Whole(_) | Amount::Parent) => Some(true),
        _ => Some(false),
    }
}

/// Returns the error; for a formula with a mark under the place of the error.
fn pointed(error: LanguageError) -> eyre::Report {
    match error {
        LanguageError::Edit(EditError::Formula(error)) => error.into(),
        error => error.into(),
    }
}

/// Returns whether jobs gave the usage of a source.
fn has_jobs(origins: &[Origin]) -> bool {
    for origin in origins {
        if matches!(origin, Origin::Jobs(..)) {
            return true;
        }
    }
    false
}

/// Applies the edits of a saved scenario, by name or the current one, regardless of its own source.
fn apply_saved(scenario: &mut Scenario, path: &Path, name: Option<&str>) -> eyre::Result<()> {
    let request = Request::to_open(path);
    let loaded = load_or_end(&request, &mut go_on)?;
    let file = shown(path.as_os_str().as_bytes());
    let Some(scenarios) = loaded.scenarios else {
        bail!("{file} is a tree, not a scenario; give it as the source instead");
    };
    let saved = &scenarios.list;
    let chosen = match name {
        None => saved.get(scenarios.front),
        Some(name) => saved.iter().find(|saved| saved.name == name),
    };
    let Some(chosen) = chosen else {
        let mut names = Vec::new();
        for scenario in saved {
            names.push(scenario.name.as_str());
        }
        bail!(no_scenario(&file, name.unwrap_or_default(), &names));
    };
    let mut refused = Refusals::new(&file, "edits");
    refuse_errors(&mut refused, &loaded.problems);
    for edit in &chosen.edits {
        for rejected in apply_fitting(scenario, edit) {
            let RejectedLine { line, text, error } = rejected;
            refused.push(Some(line), || {
                let text = shown_text(text.as_bytes());
                format!("`{text}`: {error}")
            });
        }
    }
    let made_on = &loaded.snapshot.source.path;
    let mut note = None;
    if *made_on != scenario.base().source.path {
        note = Some(format!(
            "the scenario was made on {made_on}, which may be a different tree"
        ));
    }
    refused.end(chosen.edits.len(), note.as_deref())
}

/// Refuses the errors of a file, and says what else is wrong with it. Problems of the scenario's own source do not concern
/// this tree.
fn refuse_errors(refused: &mut Refusals<'_>, problems: &Problems) {
    let mut told = Vec::new();
    for problem in problems.list() {
        if *problem.file != *refused.file {
            continue;
        }
        if problem.severity == Severity::Error {
            refused.push(problem.line, || with_advice(problem));
        } else {
            told.push(problem);
        }
    }
    for problem in check::merged(told.into_iter()) {
        let place = place(refused.file, problem.line);
        let text = with_advice(&problem);
        output::complain(&format!("{place}{text}"));
    }
}

/// Returns a problem in words, without its place.
fn with_advice(problem: &Problem) -> String {
    format!("{}; {}", problem.message, problem.advice)
}

/// Sets the shares of a table. If rows do not fit, all of them are reported and none is applied.
fn apply_table(scenario: &mut Scenario, path: &Path) -> eyre::Result<()> {
    let mut file = DesiredFile::read(path, None, &mut go_on)?;
    file.adds = false;
    let drift = Drift::between(scenario, &file)?;
    tell_unread(&drift);
    let problems = &drift.problems;
    let mut refused = Refusals::new(&problems.file, "rows");
    for problem in problems.list() {
        refused.push(problem.line, || problem.message.to_string());
    }
    let rows = drift.named + problems.count();
    refused.end(rows, None)?;
    *scenario = drift.edited;
    Ok(())
}

/// The lines of a file of edits that could not be applied, reported together.
pub(super) struct Refusals<'a> {
    /// The file, as messages name it.
    file: &'a str,
    /// The plural noun for the lines of the file.
    many: &'static str,
    /// How many lines were refused so far.
    count: usize,
    /// Why, for the first of them, each with its line.
    sentences: Vec<String>,
}

impl<'a> Refusals<'a> {
    /// Returns that nothing of the file is refused yet.
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
        let file = self.file;
        let many = self.many;
        let count = self.count;
        let note = match note {
            Some(note) => format!("{note}; "),
            None => String::new(),
        };
        match &self.sentences[..] {
            [] => Ok(()),
            [sentence] => {
                bail!("{sentence}; nothing was applied; {note}correct or remove the line")
            }
            sentences => {
                let of = of.max(count);
                let lines = listed(sentences, count);
                bail!(
                    "{count} of {of} {many} of {file} cannot be applied, so none was; {note}correct or remove the \
                     lines:\n  {lines}"
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
