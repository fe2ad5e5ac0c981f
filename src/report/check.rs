//! `check`: the problems of a source, the findings about its tree, and its recorded numbers against the computed ones.

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
use crate::trust::verify::{ColumnCheck, Difference, Older, Stale, Verification};
use serde::Serialize;
use std::collections::HashMap;
use std::io::{self, Write};

/// The most problems of one kind that are listed one by one.
const MOST_LISTED: usize = 10;

/// The most further lines of one kind of problem that are named.
const MOST_LINES: usize = 4;

fn kind_of(problem: &Problem) -> (Severity, &'static str) {
    (problem.severity, problem.code)
}

/// Returns problems by kind, of one severity and code each, in the order of their first ones.
pub(crate) fn kinds<'a>(problems: impl Iterator<Item = &'a Problem>) -> Vec<Vec<Problem>> {
    let mut places = HashMap::new();
    let mut kinds: Vec<Vec<Problem>> = Vec::new();
    for problem in problems {
        let place = *places.entry(kind_of(problem)).or_insert(kinds.len());
        match kinds.get_mut(place) {
            Some(kind) => kind.push(problem.clone()),
            None => kinds.push(vec![problem.clone()]),
        }
    }
    kinds
}

/// Returns problems to be listed for people: the first one in place of many of one kind, with how many there are.
pub(crate) fn merged<'a>(problems: impl Iterator<Item = &'a Problem> + Clone) -> Vec<Problem> {
    let kinds = kinds(problems.clone()).into_iter();
    let many = kinds.filter(|kind| kind.len() > MOST_LISTED);
    let mut many: HashMap<_, _> = many.map(|kind| (kind_of(&kind[0]), kind)).collect();
    let listed = problems.filter_map(|problem| match many.get_mut(&kind_of(problem)) {
        Some(kind) if kind.first() == Some(problem) => Some(first_of(&std::mem::take(kind))),
        Some(_) => None,
        None => Some(problem.clone()),
    });
    listed.collect()
}

/// Adds the lines of a file that are left out, each with its problem.
pub(super) fn add_left_out(document: &mut Document<'_>, problems: &Problems) {
    if problems.is_empty() {
        return;
    }
    document.section("Left out");
    for problem in merged(problems.list().iter()) {
        document.item("  ", visible(&problem.to_string()));
    }
}

/// Returns the first problem of a kind, with how many there are.
fn first_of(kind: &[Problem]) -> Problem {
    let first = kind[0].clone();
    let beside = kind.iter().filter(|problem| problem.file == first.file);
    let mut lines: Vec<u64> = beside.skip(1).filter_map(|problem| problem.line).collect();
    lines.sort_unstable();
    let lines = lines.into_iter().take(MOST_LINES);
    let lines = match Shown::joined(lines.map(|line| sentence!("{line}")), ", ") {
        none if none.is_empty() => Shown::default(),
        lines => sentence!(", on lines {lines}, …"),
    };
    let more = grouped(kind.len() - 1);
    let message = sentence!("{} (and {more} more of this kind{lines})", first.message);
    Problem { message, ..first }
}

/// Returns how many problems were read in the source and found in its tree; `None` if there are none.
fn counted_problems(in_source: usize, in_tree: usize) -> Option<Shown> {
    let [source, tree] = [in_source, in_tree].map(|count| counted(count, "problem", "problems"));
    Some(match (in_source, in_tree) {
        (0, 0) => return None,
        (_, 0) => sentence!("{source} in the source"),
        (0, _) => sentence!("{tree} in the tree"),
        _ => sentence!("{source} in the source, {in_tree} in the tree"),
    })
}

/// Returns the findings about a tree, and about the numbers recorded beside it.
pub fn findings(view: &View<'_>, verification: &Verification) -> Problems {
    let mut findings = lint::findings(view);
    if let Some(stale) = &verification.stale {
        let (severity, code, advice) = match stale {
            Stale::Unsettled => (
                Severity::Note,
                "slurm-not-settled",
                "nothing is wrong; print again after the next PriorityCalcPeriod",
            ),
            Stale::Flux { .. } => (
                Severity::Warning,
                "flux-stale-fairshare",
                "run flux account-update-usage and flux account-update-fshare; until then Flux ranks jobs by the \
                 stored numbers, and fairscope by the computed ones",
            ),
            Stale::Slurm(reasons) if **reasons == [Older::Usage] => (
                Severity::Note,
                STALE_COLUMNS,
                "nothing is wrong: on a busy cluster RawUsage changes with every job that ends, and the other numbers \
                 follow at each calculation",
            ),
            Stale::Slurm(_) => (
                Severity::Note,
                STALE_COLUMNS,
                "nothing is wrong: the next calculation takes the change up",
            ),
        };
        let path = &view.source.path;
        let stale = words::stale(stale);
        findings.push(Problem::about(severity, code, path, stale, advice));
        return findings;
    }
    let recorded_in = Some(&view.source.recorded_in).filter(|file| !file.is_empty());
    let file = recorded_in.unwrap_or(&view.source.path);
    for column in &verification.columns {
        let Some(difference) = column.first_difference else {
            continue;
        };
        let policy = verification.policy.unwrap_or(view.policy);
        let largest = match beyond_the_first(column) {
            None => Shown::default(),
            Some(largest) => sentence!(
                "; the largest difference is {}, recorded {}, computed {}",
                view.path(largest.node),
                number(largest.recorded),
                number(largest.computed)
            ),
        };
        findings.push(Problem::about(
            Severity::Error,
            "recorded-differs",
            file,
            sentence!(
                "{} of {} recorded {} do not match these shares and this usage under {}: the first is {}, recorded {}, \
                 computed {}{}",
                grouped(column.differing()),
                grouped(column.rows),
                column.fact.name(),
                dump::name(policy, view.settings),
                view.path(difference.node),
                number(difference.recorded),
                number(difference.computed),
                largest,
            ),
            "give the scheduler's settings with --config or --set if they differ from the defaults; otherwise print \
             the file again: it was edited, or mixes numbers from several moments",
        ));
    }
    findings
}

/// The code of a note that numbers are of two moments, which is the usual state of a busy cluster.
const STALE_COLUMNS: &str = "slurm-stale-columns";

/// The code of a note that outputs of `sacctmgr` have no usage, which they never have.
const NO_USAGE: &str = "slurm-no-usage";

/// Which problems do not count, beside those that every healthy cluster has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Accepted {
    /// The codes of those that a site knows and accepts.
    pub(crate) codes: Vec<String>,
    /// The least severity that counts.
    pub(crate) least: Severity,
}

impl Accepted {
    /// Returns whether none of the problems counts. One that was not kept, because there are too many, does.
    pub(crate) fn holds_all(&self, problems: &Problems) -> bool {
        let kept = problems.list();
        kept.len() == problems.count() && kept.iter().all(|problem| self.holds(problem))
    }

    /// Returns whether a problem does not count.
    fn holds(&self, problem: &Problem) -> bool {
        let is_usual =
            problem.severity == Severity::Note && matches!(problem.code, STALE_COLUMNS | NO_USAGE);
        is_usual
            || problem.severity < self.least
            || self.codes.iter().any(|code| code == problem.code)
    }
}

/// Returns the codes of all problems, as the manual lists them.
pub(crate) fn codes() -> Vec<&'static str> {
    let mut codes = Vec::new();
    let Some(topic) = Topic::named("problems") else {
        return codes;
    };
    for line in topic.text.lines() {
        if let Some(row) = line.strip_prefix("| `")
            && let Some((code, _)) = row.split_once('`')
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

pub(crate) struct Check<'a> {
    pub(crate) view: &'a View<'a>,
    pub(crate) findings: &'a Problems,
    pub(crate) verification: &'a Verification,
    /// The differences from a file of desired shares, if one is given; each is a finding, too.
    pub(crate) drift: Option<&'a Drift>,
    pub(crate) gates: &'a [Judgement],
}

impl Report for Check<'_> {
    fn front(&self) -> Front {
        let counted = counted_problems(self.view.problems.count(), self.findings.count());
        let title = match counted {
            Some(counted) => sentence!("Source: {counted}"),
            None => "Source: no problems".into(),
        };
        Front::of(title, self.view)
    }

    fn document(&self) -> Document<'_> {
        let Self { view, findings, .. } = *self;
        let mut document = Document::default();
        for problems in [view.problems, findings] {
            for problem in merged(problems.list().iter()) {
                let text = visible(&problem.to_string());
                let emphasis = match problem.severity {
                    Severity::Error | Severity::Warning => Emphasis::Warning,
                    Severity::Note => Emphasis::Plain,
                };
                let code = sentence!(" [{}]", problem.code);
                document.line(Line::of(emphasis, text).and(Emphasis::Dim, code));
            }
            let left_off = problems.count() - problems.list().len();
            if left_off > 0 {
                document.sentence(sentence!("… and {left_off} more"));
            }
        }
        if let Some(drift) = self.drift {
            desired::add_to(&mut document, drift);
        }
        document.sentences(summary(view, self.verification));
        document.sentences(part::levels(view.tree));
        let nodes = grouped(view.tree.node_count());
        document.sentence(
            match counted_problems(view.problems.count(), findings.count()) {
                Some(problems) => sentence!("{problems}; {nodes} nodes"),
                None => sentence!("nothing to report about {nodes} nodes"),
            },
        );
        document.sentences(broken_gates(self.gates));
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let (view, verification) = (self.view, self.verification);
        let columns = verification.columns.iter();
        let detected = verification.detected.as_ref().map(|detected| {
            let settings = detected.settings.iter();
            object! {
                policy: detected.policy.name(),
                settings: Entries(settings.map(|known| (known.key(), SettingValue::of(&known.value())))),
                evidence: words::evidence(detected),
                certain: detected.certain,
            }
        });
        let body = object! {
            problems: json::problems(view.problems.list()),
            findings: json::problems(self.findings.list()),
            verified: object! {
                columns: Entries(columns.map(|column| (column.fact.name(), verified(view, column)))),
                stale: verification.stale.is_some(),
            },
            detected: detected,
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
            Column::left("severity", |problem: &&Problem| problem.severity.name()),
            Column::left("code", |problem: &&Problem| problem.code),
            Column::left("file", |problem: &&Problem| problem.file.clone()),
            Column::number("line", Unit::Count, |problem: &&Problem| {
                problem.line.into()
            }),
            Column::number("column", Unit::Count, |problem: &&Problem| {
                problem.column.into()
            }),
            Column::left("message", |problem: &&Problem| problem.message.clone()),
            Column::left("advice", |problem: &&Problem| problem.advice.clone()),
        ];
        let mut rows = Vec::new();
        rows.extend(self.view.problems.list());
        rows.extend(self.findings.list());
        Some(Table::new(columns, rows.into_iter()))
    }
}

/// Returns the origin of the numbers, their verification and the policy that made them, as sentences.
pub fn summary(view: &View<'_>, verification: &Verification) -> Vec<Shown> {
    let origins = view.source.origins.iter();
    let mut lines: Vec<Shown> = origins.map(|it| visible(&source::origin(it))).collect();
    let headline = dump::headline_of(verification, view.policy, view.settings);
    lines.extend(headline.clone());
    if let Some(reason) = verification.unverified {
        let reason = reason.clause();
        lines.push(sentence!("nothing verified: {reason}"));
    }
    let verified = |column: &ColumnCheck| {
        let (equal, rows) = (grouped(column.equal), grouped(column.rows));
        sentence!("{equal}/{rows} {}", column.fact.name())
    };
    let columns: Vec<_> = verification.columns.iter().map(verified).collect();
    if columns.is_empty() {
        // Without recorded numbers there is nothing to verify.
        return lines;
    }
    let against = match (headline, verification.policy) {
        (Some(_), Some(policy)) => sentence!(" against {}", dump::name(policy, view.settings)),
        _ => Shown::default(),
    };
    lines.push(sentence!("verified{against} {}", columns.join(", ")));
    for column in &verification.columns {
        let fact = column.fact.name();
        if let Some(difference) = column.first_difference {
            let path = view.path(difference.node);
            let [recorded, computed] = [difference.recorded, difference.computed].map(number);
            lines.push(sentence!(
                "first difference in {fact}: {path}: recorded {recorded}, computed {computed}"
            ));
        }
        if let Some(largest) = beyond_the_first(column) {
            let path = view.path(largest.node);
            let [recorded, computed] = [largest.recorded, largest.computed].map(number);
            lines.push(sentence!(
                "largest difference in {fact}: {path}: recorded {recorded}, computed {computed}"
            ));
        }
        if column.undecided > 0 {
            let rows = counted(column.undecided, "row", "rows");
            lines.push(sentence!(
                "{rows} undecided in {fact}: too close to call, because the source shows too few digits"
            ));
        }
    }
    lines.push(match &verification.detected {
        Some(detected) => visible(&words::evidence(detected)),
        None => "cannot verify: these numbers do not show which rule computed them".into(),
    });
    lines
}

/// Returns the largest difference of a column, unless it is the first one.
fn beyond_the_first(column: &ColumnCheck) -> Option<Difference> {
    let largest = column.largest_difference?;
    Some(largest).filter(|_| column.first_difference != Some(largest))
}

fn verified(view: &View<'_>, column: &ColumnCheck) -> impl Serialize {
    let told = |difference: Difference| {
        object! {
            path: path_of(view.tree, difference.node),
            recorded: difference.recorded,
            computed: difference.computed,
        }
    };
    object! {
        rows: column.rows,
        equal: column.equal,
        undecided: column.undecided,
        first_difference: column.first_difference.map(told),
        largest_difference: column.largest_difference.map(told),
    }
}
