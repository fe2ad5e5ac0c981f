//! `check`: the problems of a source, the findings about its tree, and its recorded numbers against the computed ones.
//!
//! People get problems and findings a line each, many of one kind as one line; then what was verified, in sentences. JSON
//! and CSV have each problem by itself. Numbers older than the shares and usage beside them are one finding, and then no
//! difference is reported: it would follow from the age alone.

use super::manual::Topic;
use super::metrics::{broken_gates, gates_json};
use super::render::document::{Document, Front};
use super::render::json::{self, Entries, SettingValue, object};
use super::render::line::{Emphasis, Line};
use super::render::table::{Column, Table};
use super::words::{part, source, verify as words};
use super::{Report, View, desired, dump, lint, visible};
use crate::analysis::gate::Judgement;
use crate::base::number::{Exact, Unit, Value, counted, grouped};
use crate::base::shown::{Shown, sentence};
use crate::format::{Problem, Problems, Severity};
use crate::model::path_of;
use crate::open::desired::Drift;
use crate::rules::policy::Policy;
use crate::trust::verify::{ColumnCheck, Detected, Difference, Older, Stale, Verification};
use serde::Serialize;
use std::collections::HashMap;
use std::io::{self, Write};

/// The most problems of one kind that are listed one by one.
const MOST_LISTED: usize = 10;

/// The most further lines of one kind of problem that are named.
const MOST_LINES: usize = 4;

/// Returns what problems of one kind share: their severity and their code.
fn kind_of(problem: &Problem) -> (Severity, &'static str) {
    (problem.severity, problem.code)
}

/// Returns problems by kind, in the order of their first ones.
fn kinds<'a>(problems: impl Iterator<Item = &'a Problem>) -> Vec<Vec<&'a Problem>> {
    let mut places = HashMap::new();
    let mut kinds: Vec<Vec<&Problem>> = Vec::new();
    for problem in problems {
        let next = kinds.len();
        let place = *places.entry(kind_of(problem)).or_insert(next);
        match kinds.get_mut(place) {
            Some(kind) => kind.push(problem),
            None => kinds.push(vec![problem]),
        }
    }
    kinds
}

/// Returns problems to be listed for people: the first one instead of many of one kind, with how many there are. All others
/// keep their order.
pub(crate) fn merged<'a>(problems: impl Iterator<Item = &'a Problem> + Clone) -> Vec<Problem> {
    let mut many = HashMap::new();
    for kind in kinds(problems.clone()) {
        if kind.len() > MOST_LISTED {
            many.insert(kind_of(kind[0]), kind);
        }
    }
    let mut listed = Vec::new();
    for problem in problems {
        let Some(kind) = many.get_mut(&kind_of(problem)) else {
            listed.push(problem.clone());
            continue;
        };
        if kind.first() == Some(&problem) {
            listed.push(first_of(kind));
            kind.clear();
        }
    }
    listed
}

/// Adds the lines of a file that are left out, each with its problem.
pub(super) fn add_left_out(document: &mut Document<'_>, problems: &Problems) {
    if problems.is_empty() {
        return;
    }
    document.section("Left out");
    for problem in merged(problems.list().iter()) {
        let text = visible(&problem.to_string());
        document.item("  ", text);
    }
}

/// Returns the first problem of a kind, with how many there are, and the next lines of its file that have it.
fn first_of(kind: &[&Problem]) -> Problem {
    let first = kind[0].clone();
    let mut lines = Vec::new();
    for problem in &kind[1..] {
        if problem.file == first.file {
            lines.extend(problem.line);
        }
    }
    lines.sort_unstable();
    lines.truncate(MOST_LINES);
    let mut places = Shown::default();
    if !lines.is_empty() {
        let numbers = lines.iter().map(|line| sentence!("{line}"));
        let list = Shown::joined(numbers, ", ");
        places = sentence!(", on lines {list}, …");
    }
    let more = grouped(kind.len() - 1);
    let message = sentence!("{} (and {more} more of this kind{places})", first.message);
    Problem { message, ..first }
}

/// Returns how many problems were read in the source and found in its tree; `None` if there are none.
fn counted_problems(in_source: usize, in_tree: usize) -> Option<Shown> {
    if in_source == 0 && in_tree == 0 {
        return None;
    }
    if in_source == 0 {
        let problems = counted(in_tree, "problem", "problems");
        return Some(sentence!("{problems} in the tree"));
    }
    let problems = counted(in_source, "problem", "problems");
    if in_tree == 0 {
        return Some(sentence!("{problems} in the source"));
    }
    Some(sentence!("{problems} in the source, {in_tree} in the tree"))
}

/// Returns the findings about a tree, and about the numbers recorded beside it.
pub fn findings(view: &View<'_>, verification: &Verification) -> Problems {
    let mut findings = lint::findings(view);
    if let Some(stale) = &verification.stale {
        findings.push(stale_finding(view, stale));
        return findings;
    }
    for column in &verification.columns {
        if let Some(first) = column.first_difference {
            let policy = verification.policy.unwrap_or(view.policy);
            findings.push(difference_finding(view, policy, column, first));
        }
    }
    findings
}

/// Returns the finding that recorded numbers are of another moment than the shares and usage beside them.
fn stale_finding(view: &View<'_>, stale: &Stale) -> Problem {
    let severity = match stale {
        Stale::Flux { .. } => Severity::Warning,
        Stale::Unsettled | Stale::Slurm(_) => Severity::Note,
    };
    let code = match stale {
        Stale::Unsettled => "slurm-not-settled",
        Stale::Flux { .. } => "flux-stale-fairshare",
        Stale::Slurm(_) => STALE_COLUMNS,
    };
    let advice = match stale {
        Stale::Unsettled => "nothing is wrong; print again after the next PriorityCalcPeriod",
        Stale::Flux { .. } => {
            "run flux account-update-usage and flux account-update-fshare; until then Flux ranks jobs by the stored \
             numbers, and fairscope by the computed ones"
        }
        Stale::Slurm(reasons) if **reasons == [Older::Usage] => {
            "nothing is wrong: on a busy cluster RawUsage changes with every job that ends, and the other numbers \
             follow at each calculation"
        }
        Stale::Slurm(_) => "nothing is wrong: the next calculation takes the change up",
    };
    let file = &view.source.path;
    let message = words::stale(stale);
    Problem::about(severity, code, file, message, advice)
}

/// Returns the finding that numbers of a column differ from those of a policy.
fn difference_finding(
    view: &View<'_>,
    policy: Policy,
    column: &ColumnCheck,
    first: Difference,
) -> Problem {
    let source = view.source;
    let file = if source.recorded_in.is_empty() {
        &source.path
    } else {
        &source.recorded_in
    };
    let differing = grouped(column.differing());
    let rows = grouped(column.rows);
    let fact = column.fact.name();
    let policy = dump::name(policy, view.settings);
    let path = view.path(first.node);
    let numbers = both_numbers(first);
    let mut message = sentence!(
        "{differing} of {rows} recorded {fact} do not match these shares and this usage under {policy}: the first is \
         {path}, {numbers}"
    );
    if let Some(largest) = beyond_the_first(column) {
        let path = view.path(largest.node);
        let numbers = both_numbers(largest);
        message += &sentence!("; the largest difference is {path}, {numbers}");
    }
    let advice = "give the scheduler's settings with --config or --set if they differ from the defaults; otherwise \
                  print the file again: it was edited, or mixes numbers from several moments";
    Problem::about(Severity::Error, "recorded-differs", file, message, advice)
}

/// The code of a note that numbers are of two moments, which is the usual state of a busy cluster.
const STALE_COLUMNS: &str = "slurm-stale-columns";

/// The code of a note that outputs of `sacctmgr` have no usage, which they never have.
const NO_USAGE: &str = "slurm-no-usage";

/// Which problems do not count, beside those that every healthy cluster has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Accepted {
    /// The codes of those that a site knows and accepts.
    pub(crate) codes: Vec<&'static str>,
    /// The least severity that counts.
    pub(crate) least: Severity,
}

impl Accepted {
    /// Returns whether none of the problems counts. One that was not kept, because there are too many, does.
    pub(crate) fn holds_all(&self, problems: &Problems) -> bool {
        for problem in problems.list() {
            if !self.holds(problem) {
                return false;
            }
        }
        problems.list().len() == problems.count()
    }

    /// Returns whether a problem does not count.
    fn holds(&self, problem: &Problem) -> bool {
        if problem.severity < self.least {
            return true;
        }
        if let (Severity::Note, STALE_COLUMNS | NO_USAGE) = kind_of(problem) {
            return true;
        }
        self.codes.contains(&problem.code)
    }
}

/// Returns the codes of all problems, as the manual lists them.
pub(crate) fn codes() -> Vec<&'static str> {
    let mut codes = Vec::new();
    let Some(topic) = Topic::named("problems") else {
        return codes;
    };
    for line in topic.text.lines() {
        let mut parts = line.split('`');
        // A row begins with its code; other lines of code are no rows.
        if parts.next() == Some("| ")
            && let Some(code) = parts.next()
        {
            codes.push(code);
        }
    }
    codes
}

/// Returns a number in full, and a 64-bit priority with its 16 hexadecimal digits.
fn number(value: Value) -> Shown {
    match value {
        Value::Double(number) => sentence!("{number}"),
        Value::Null => "nothing".into(),
        other => sentence!("{}", Exact(other)),
    }
}

/// Returns the recorded and the computed number where they differ.
fn both_numbers(difference: Difference) -> Shown {
    let recorded = number(difference.recorded);
    let computed = number(difference.computed);
    sentence!("recorded {recorded}, computed {computed}")
}

/// The report of everything that was found about a source.
pub(crate) struct Check<'a> {
    /// The tree, with the problems of its source.
    pub(crate) view: &'a View<'a>,
    /// What was found about the tree.
    pub(crate) findings: &'a Problems,
    /// How the recorded numbers compare with the computed ones.
    pub(crate) verification: &'a Verification,
    /// The differences from a file of desired shares, if one is given; each is a finding, too.
    pub(crate) drift: Option<&'a Drift>,
    /// What became of the limits that were asked for; empty without any.
    pub(crate) gates: &'a [Judgement],
}

impl Report for Check<'_> {
    fn front(&self) -> Front {
        let title = match self.counted() {
            Some(counted) => sentence!("Source: {counted}"),
            None => "Source: no problems".into(),
        };
        Front::of(title, self.view)
    }

    fn document(&self) -> Document<'_> {
        let view = self.view;
        let mut document = Document::default();
        add_problems(&mut document, view.problems);
        add_problems(&mut document, self.findings);
        if let Some(drift) = self.drift {
            desired::add_to(&mut document, drift);
        }
        document.sentences(summary(view, self.verification));
        document.sentences(part::levels(view.tree));
        let nodes = grouped(view.tree.node_count());
        document.sentence(match self.counted() {
            Some(problems) => sentence!("{problems}; {nodes} nodes"),
            None => sentence!("nothing to report about {nodes} nodes"),
        });
        document.sentences(broken_gates(self.gates));
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let view = self.view;
        let verification = self.verification;
        let columns = verification.columns.iter();
        let checks = columns.map(|column| {
            let name = column.fact.name();
            (name, verified(view, column))
        });
        let body = object! {
            problems: json::problems(view.problems.list()),
            findings: json::problems(self.findings.list()),
            verified: object! {
                columns: Entries(checks),
                stale: verification.stale.is_some(),
            },
            detected: verification.detected.as_ref().map(detected_json),
            #[serde(flatten)]
            desired: self.drift.map(desired::facts),
            #[serde(flatten)]
            gates: gates_json(self.gates),
        };
        json::write_bare(out, view, body)
    }

    /// Returns a row for each problem of the source, then for each finding.
    fn csv(&self) -> Option<Table<'_>> {
        let columns = vec![
            ProblemColumn::left("severity", |problem| problem.severity.name()),
            ProblemColumn::left("code", |problem| problem.code),
            ProblemColumn::left("file", |problem| problem.file.clone()),
            ProblemColumn::number("line", Unit::Count, |problem| problem.line.into()),
            ProblemColumn::number("column", Unit::Count, |problem| problem.column.into()),
            ProblemColumn::left("message", |problem| problem.message.clone()),
            ProblemColumn::left("advice", |problem| problem.advice.clone()),
        ];
        let mut rows = Vec::new();
        rows.extend(self.view.problems.list());
        rows.extend(self.findings.list());
        Some(Table::new(columns, rows.into_iter()))
    }
}

/// A column of problems.
type ProblemColumn<'a> = Column<'a, &'a Problem>;

impl Check<'_> {
    /// Returns how many problems the source and its tree have; `None` if there are none.
    fn counted(&self) -> Option<Shown> {
        let in_source = self.view.problems.count();
        let in_tree = self.findings.count();
        counted_problems(in_source, in_tree)
    }
}

/// Adds problems, and how many more there are than a list holds.
fn add_problems(document: &mut Document<'_>, problems: &Problems) {
    let list = problems.list();
    for problem in merged(list.iter()) {
        let emphasis = match problem.severity {
            Severity::Error | Severity::Warning => Emphasis::Warning,
            Severity::Note => Emphasis::Plain,
        };
        let text = visible(&problem.to_string());
        let code = sentence!(" [{}]", problem.code);
        let line = Line::of(emphasis, text);
        document.line(line.and(Emphasis::Dim, code));
    }
    let left_off = problems.count() - list.len();
    if left_off > 0 {
        document.sentence(sentence!("… and {left_off} more"));
    }
}

/// Returns the origin of the numbers, their verification and the policy that made them, as sentences.
pub fn summary(view: &View<'_>, verification: &Verification) -> Vec<Shown> {
    let mut lines = Vec::new();
    for origin in &view.source.origins {
        let origin = source::origin(origin);
        lines.push(visible(&origin));
    }
    let headline = dump::headline_of(verification, view.policy, view.settings);
    let names_policy = headline.is_some();
    lines.extend(headline);
    if let Some(reason) = verification.unverified {
        let reason = reason.clause();
        lines.push(sentence!("nothing verified: {reason}"));
    }
    if verification.columns.is_empty() {
        // Without recorded numbers there is nothing to verify.
        return lines;
    }
    let mut against = Shown::default();
    if names_policy && let Some(policy) = verification.policy {
        let name = dump::name(policy, view.settings);
        against = sentence!(" against {name}");
    }
    let columns = verification.columns.iter();
    let counts = Shown::joined(columns.map(equal_rows), ", ");
    lines.push(sentence!("verified{against} {counts}"));
    for column in &verification.columns {
        add_differences(&mut lines, view, column);
    }
    lines.push(match &verification.detected {
        Some(detected) => {
            let evidence = words::evidence(detected);
            visible(&evidence)
        }
        None => "cannot verify: these numbers do not show which rule computed them".into(),
    });
    lines
}

/// Returns how many rows of a column equal ours: `12/13 FairShare`.
fn equal_rows(column: &ColumnCheck) -> Shown {
    let equal = grouped(column.equal);
    let rows = grouped(column.rows);
    let fact = column.fact.name();
    sentence!("{equal}/{rows} {fact}")
}

/// Adds the differences of a column, and how many of its rows nobody can decide.
fn add_differences(lines: &mut Vec<Shown>, view: &View<'_>, column: &ColumnCheck) {
    let fact = column.fact.name();
    if let Some(first) = column.first_difference {
        let path = view.path(first.node);
        let numbers = both_numbers(first);
        lines.push(sentence!("first difference in {fact}: {path}: {numbers}"));
    }
    if let Some(largest) = beyond_the_first(column) {
        let path = view.path(largest.node);
        let numbers = both_numbers(largest);
        lines.push(sentence!("largest difference in {fact}: {path}: {numbers}"));
    }
    if column.undecided > 0 {
        let rows = counted(column.undecided, "row", "rows");
        lines.push(sentence!(
            "{rows} undecided in {fact}: too close to call, because the source shows too few digits"
        ));
    }
}

/// Returns the largest difference of a column; `None` if it is the first one, or there is none.
fn beyond_the_first(column: &ColumnCheck) -> Option<Difference> {
    if column.largest_difference == column.first_difference {
        return None;
    }
    column.largest_difference
}

/// Returns how many numbers of a column equal ours, and which differ, for JSON.
fn verified(view: &View<'_>, column: &ColumnCheck) -> impl Serialize {
    let first = column.first_difference;
    let largest = column.largest_difference;
    object! {
        rows: column.rows,
        equal: column.equal,
        undecided: column.undecided,
        first_difference: first.map(|first| difference_json(view, first)),
        largest_difference: largest.map(|largest| difference_json(view, largest)),
    }
}

/// Returns a number that differs from ours, for JSON.
fn difference_json(view: &View<'_>, difference: Difference) -> impl Serialize {
    object! {
        path: path_of(view.tree, difference.node),
        recorded: difference.recorded,
        computed: difference.computed,
    }
}

/// Returns the policy that made the recorded numbers, and what shows it, for JSON.
fn detected_json(detected: &Detected) -> impl Serialize {
    let mut settings = Vec::new();
    for known in &detected.settings {
        let value = SettingValue::of(&known.value());
        settings.push((known.key(), value));
    }
    object! {
        policy: detected.policy.name(),
        settings: Entries(settings),
        evidence: words::evidence(detected),
        certain: detected.certain,
    }
}
