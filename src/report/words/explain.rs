//! Why a node has its rank, in words: the policy's formulas with this node's numbers, and one sentence.

mod classic;
mod difference;
mod fair_tree;
mod flux;
pub(crate) mod job_usage;
mod level_based;
mod pbs;
mod tickets;
mod why;

pub(crate) use difference::difference;
pub(crate) use why::{level_place, number, rank_of_all, without_numbers};

use why::Why;

use crate::base::number::{NOT_REPRODUCED, Unit, Value, amount, cell, fraction, ordinal};
use crate::base::shown::{Shown, sentence, shown};
use crate::format::Severity;
use crate::model::{EXACT, Fact, Figure, Kind, NodeId, Scheduler};
use crate::report::render::line::{Emphasis, Line};
use crate::report::words::{part, verify as words};
use crate::report::{View, order};
use crate::rules::policy::{ColumnId, Decision, Explanation, Neighbour, Policy};
use crate::trust::verify::Caveat;

/// Returns a sentence, the source of each number level by level, and the neighbours with the deciding comparisons.
pub fn lines(view: &View<'_>, explanation: &Explanation) -> Vec<Line> {
    let node = explanation.node;
    if view.tree.is_others(node) {
        let text = part::stands_for(view.tree, node);
        return vec![text.into()];
    }
    if view.shows_only_printed() || is_unknown(view, explanation) {
        return as_printed(view, explanation);
    }
    let why = why(view, explanation);
    let mut lines = Vec::new();
    if view.policy == Policy::Formula {
        lines.extend(pbs::formula(view, node));
    }
    lines.push(why.sentence);
    if !why.derivations.is_empty() {
        lines.push(Line::default());
        lines.extend(why::print(why.derivations));
    }
    // They follow the sentence with the node's rank.
    let remarks = remarks(view, node);
    lines.splice(1..1, remarks);
    lines.extend(neighbours(view, explanation));
    lines.extend(facts(view, node));
    lines.extend(new_since(view, node));
    lines.extend(blanks(view, node));
    lines.extend(assumed(view, node));
    if node != NodeId::ROOT {
        let beyond = beyond(view.settings.scheduler);
        lines.push(Line::of(Emphasis::Dim, beyond));
    }
    lines
}

/// Returns the sentence of a node and its numbers under the current policy.
fn why(view: &View<'_>, explanation: &Explanation) -> Why {
    if let Some(detail) = &explanation.pbs {
        return pbs::why(view, explanation, detail);
    }
    match view.policy {
        Policy::LevelBased => level_based::why(view, explanation),
        Policy::Flux => flux::why(view, explanation),
        Policy::Tickets => tickets::why(view, explanation),
        Policy::Classic | Policy::DepthOblivious => classic::why(view, explanation),
        _ => fair_tree::why(view, explanation),
    }
}

/// Returns the usage of a user job by job, and what the source recorded of a node.
fn facts(view: &View<'_>, node: NodeId) -> Vec<Line> {
    let of_jobs = job_usage::derivations(view, node);
    let mut lines = why::print(of_jobs);
    lines.extend(recorded(view, node));
    lines
}

/// Returns why the rank may differ from the scheduler's, and what is to be said about the whole order.
fn remarks(view: &View<'_>, node: NodeId) -> Vec<Line> {
    let mut lines = Vec::new();
    lines.extend(caveat(view, node));
    for remark in order::quick(view) {
        // Assumptions about the whole source are in its title and among the findings.
        if remark.code == order::ASSUMED {
            continue;
        }
        let emphasis = match remark.severity {
            Severity::Note => Emphasis::Dim,
            Severity::Warning | Severity::Error => Emphasis::Over,
        };
        let message = &remark.message;
        lines.push(Line::of(emphasis, sentence!("  {message}.")));
    }
    lines
}

/// Returns the steps to a node's rank in at most three lines: shares, usage, and what comes of them. For a node without
/// steps, and for a user without a rank, it is one sentence.
pub(crate) fn in_brief(view: &View<'_>, explanation: &Explanation) -> Vec<Line> {
    let node = explanation.node;
    if view.tree.is_others(node) {
        let text = part::stands_for(view.tree, node);
        return vec![text.into()];
    }
    if view.shows_only_printed() || is_unknown(view, explanation) {
        let rank = printed_rank(view, explanation);
        return vec![rank];
    }
    let levels = &explanation.levels;
    if levels.is_empty() {
        return vec![without_levels(view, node)];
    }
    if let Some(detail) = &explanation.pbs {
        return pbs::in_brief(view, detail);
    }
    match view.policy {
        Policy::LevelBased => level_based::in_brief(view, levels),
        Policy::Flux => flux::in_brief(view, levels),
        Policy::Tickets => tickets::in_brief(view, explanation),
        Policy::Classic | Policy::DepthOblivious => classic::in_brief(view, explanation),
        _ => fair_tree::in_brief(view, levels),
    }
}

/// Returns the sentence of the root, or of a node without numbers.
fn without_levels(view: &View<'_>, node: NodeId) -> Line {
    let name = Line::strong(view.label(node));
    if node == NodeId::ROOT {
        return name.plain(" is the root, with which nothing competes.");
    }
    name.plain(without_numbers(view))
}

/// Returns why the policy's number or what follows from it is blank for a node that has other numbers.
fn blanks(view: &View<'_>, node: NodeId) -> Option<Line> {
    if view.evaluation.is_blank(node) {
        return None;
    }
    let mut reasons = Vec::new();
    if view.tree.kind(node) != Kind::User {
        let blank = blank_columns(view, node, &[ColumnId::Factor, ColumnId::Rank]);
        if !blank.is_empty() {
            reasons.push(sentence!("No {blank}: only users have one."));
        }
    }
    let mut of_target = Vec::new();
    if view.policy.columns().contains(&ColumnId::LevelFs) {
        of_target.push(ColumnId::LevelFs);
    }
    of_target.push(ColumnId::Served);
    let blank = blank_columns(view, node, &of_target);
    if !blank.is_empty() {
        let why = if node == NodeId::ROOT {
            "the root has no siblings"
        } else if view.tree.shares(node).is_parent() {
            "with shares `parent` it has no target of its own"
        } else {
            "it has used nothing of a target of 0%"
        };
        reasons.push(sentence!("No {blank}: {why}."));
    }
    if reasons.is_empty() {
        return None;
    }
    Some(Line::of(Emphasis::Dim, Shown::joined(reasons, " ")))
}

/// Returns the headings of those columns in which a node has no number.
fn blank_columns(view: &View<'_>, node: NodeId, columns: &[ColumnId]) -> Shown {
    let mut headings = Vec::new();
    for &column in columns {
        if view.value(column, node) == Value::Null {
            headings.push(Shown::from(column.heading()));
        }
    }
    Shown::joined(headings, ", ")
}

/// Returns that an association is newer than the numbers that the scheduler printed beside it.
fn new_since(view: &View<'_>, node: NodeId) -> Option<Line> {
    if !view.is_untouched || view.tree.kind(node) != Kind::User {
        return None;
    }
    let factor = view.recorded.figure(Fact::FairShare, node)?;
    let level_fs = view.recorded.figure(Fact::LevelFs, node)?;
    if factor.value != 0.0 || level_fs.value != f64::INFINITY {
        return None;
    }
    let text =
        "FairShare 0 beside LevelFS inf: it was added since the scheduler's last calculation.";
    Some(Line::of(Emphasis::Dim, text))
}

/// Returns what is assumed of the levels of a path that are not listed as a whole.
fn assumed(view: &View<'_>, node: NodeId) -> Option<Line> {
    let text = part::assumed_of_path(view.tree, node)?;
    Some(Line::of(Emphasis::Dim, text))
}

/// Returns what else decides which job runs next, of which no policy knows anything.
pub fn beyond(scheduler: Option<Scheduler>) -> &'static str {
    match scheduler {
        Some(Scheduler::Pbs) => {
            "Not known here: queues, reservations, preemption, limits, job size."
        }
        Some(Scheduler::Flux) => "Not known here: queue, bank priority, urgency, limits.",
        _ => "Not known here: age, QOS, partition, job size, limits, free nodes.",
    }
}

/// Explains a node in a source that lists only some of the associations, where no numbers can be computed.
fn as_printed(view: &View<'_>, explanation: &Explanation) -> Vec<Line> {
    let node = explanation.node;
    let rank = printed_rank(view, explanation);
    let mut lines = vec![rank];
    lines.extend(caveat(view, node));
    lines.extend(facts(view, node));
    lines.extend(assumed(view, node));
    let beyond = beyond(view.settings.scheduler);
    lines.push(Line::of(Emphasis::Dim, beyond));
    lines
}

/// Returns whether a number of a part of a tree needs what is not listed: under a rule that compares siblings, the rest of
/// the node's own level, under one that asks for jobs everybody, and else the rest of any level above it.
fn is_unknown(view: &View<'_>, explanation: &Explanation) -> bool {
    if view.policy == Policy::Tickets {
        return view.tree.part().is_some();
    }
    let levels = &explanation.levels;
    if !view.policy.compares_siblings() {
        return levels.iter().any(|level| level.listed.is_unknown());
    }
    match levels.last() {
        Some(own) => own.listed.is_unknown(),
        None => false,
    }
}

/// Returns the rank of a node by its printed factor.
fn printed_rank(view: &View<'_>, explanation: &Explanation) -> Line {
    let name = shown(view.tree.name(explanation.node));
    let standing = why::rank_in_words(view, explanation);
    let value = view.value(ColumnId::Factor, explanation.node);
    let factor = cell(value, ColumnId::Factor.unit());
    let with = if !factor.is_empty() {
        sentence!(" by the factor that was printed, {factor}.")
    } else if view.shows_only_printed() {
        "; no factor was printed for it.".into()
    } else {
        "; a part of its path is not listed, so this rule gives it no number.".into()
    };
    Line::strong(name).plain(standing + &with)
}

/// The decimals of numbers that were printed with all their digits.
const DIGITS: usize = 6;

/// Returns why the node's rank may differ from the scheduler's, in one sentence.
pub(crate) fn caveat(view: &View<'_>, node: NodeId) -> Option<Line> {
    let caveat = view.caveat?;
    let reason = words::doubt(&caveat.reason);
    let line = Line::of(Emphasis::Over, reason);
    let Some(fact) = view.better_recorded() else {
        return Some(line.and(Emphasis::Strong, ""));
    };
    let recorder = Caveat::recorder(fact);
    let name = fact.name();
    let own = match view.recorded.figure(fact, node) {
        Some(figure) => {
            let printed = printed(figure);
            sentence!("; {name} {printed} is {recorder}'s own")
        }
        None => sentence!("; {name} is {recorder}'s own"),
    };
    Some(line.and(Emphasis::Strong, own))
}

/// What was recorded for a node.
struct RecordedRow {
    /// What it is.
    name: &'static str,
    /// The number or the text.
    recorded: Shown,
    /// The computed number in words; `None` if there is nothing to compare.
    beside: Option<Shown>,
}

impl RecordedRow {
    /// Returns the row of a fact; `None` if nothing was recorded.
    fn of(view: &View<'_>, fact: Fact, node: NodeId) -> Option<Self> {
        let name = fact.name();
        let Some(figure) = view.recorded.figure(fact, node) else {
            let text = view.recorded.text(fact, node)?;
            return Some(Self {
                name,
                recorded: shown(text.as_bytes()),
                beside: None,
            });
        };
        let recorded = match ColumnId::Recorded(fact).unit() {
            Unit::Count | Unit::Usage => amount(figure.value),
            _ => printed(figure),
        };
        Some(Self {
            name,
            recorded,
            beside: beside(view, fact, node),
        })
    }

    /// Returns the line of the row, with columns of so many cells.
    fn line(self, name_cells: usize, cells: usize) -> Line {
        let name = self.name;
        let recorded = self.recorded;
        let line = Line::from(sentence!("  {name:name_cells$}  "));
        match self.beside {
            Some(beside) => {
                let aligned = line.plain(sentence!("{recorded:>cells$}"));
                aligned.and(Emphasis::Dim, sentence!("  {beside}"))
            }
            None => line.plain(recorded),
        }
    }
}

/// Returns the computed number to compare a recorded one with; `None` if there is none.
fn beside(view: &View<'_>, fact: Fact, node: NodeId) -> Option<Shown> {
    if view.shows_only_printed() {
        return None;
    }
    if let Some(column) = ColumnId::computing(fact)
        && view.evaluation.is_printed(column, node)
    {
        return Some(sentence!(
            "{NOT_REPRODUCED} cannot be reproduced from shares and usage"
        ));
    }
    let computed = computed(view, fact, node)?;
    Some(sentence!("computed {computed}"))
}

/// Returns what was recorded for a node, each number beside the computed one; empty if nothing was recorded.
fn recorded(view: &View<'_>, node: NodeId) -> Vec<Line> {
    let rows = recorded_rows(view, node);
    if rows.is_empty() {
        return Vec::new();
    }
    let mut name_cells = 0;
    let mut cells = 0;
    for row in &rows {
        name_cells = name_cells.max(row.name.len());
        if row.beside.is_some() {
            cells = cells.max(row.recorded.len());
        }
    }
    let what = if view.shows_only_printed() {
        "what the scheduler printed"
    } else {
        "what the scheduler printed, before any edit, and what fairscope computes now"
    };
    let heading = why::heading("Recorded", what);
    let mut lines = vec![heading];
    for row in rows {
        lines.push(row.line(name_cells, cells));
    }
    lines
}

/// Returns a row for each fact that was recorded for a node, and one for its bins.
fn recorded_rows(view: &View<'_>, node: NodeId) -> Vec<RecordedRow> {
    let mut rows = Vec::new();
    for fact in view.recorded.facts() {
        rows.extend(RecordedRow::of(view, fact, node));
    }
    let mut bins = Vec::new();
    for &usage in view.recorded.bins(node) {
        bins.push(amount(usage));
    }
    if !bins.is_empty() {
        rows.push(RecordedRow {
            name: "usage bins",
            recorded: Shown::joined(bins, ", "),
            beside: None,
        });
    }
    rows
}

/// Returns a number with the digits that were printed.
fn printed(figure: Figure) -> Shown {
    let Figure { value, decimals } = figure;
    if value.is_infinite() {
        return cell(Value::Double(value), ColumnId::LevelFs.unit());
    }
    let digits = if decimals == EXACT {
        DIGITS
    } else {
        usize::try_from(decimals).unwrap_or(0)
    };
    sentence!("{value:.digits$}")
}

/// Returns the computed number of a recorded one; `None` if there is none.
fn computed(view: &View<'_>, fact: Fact, node: NodeId) -> Option<Shown> {
    let column = ColumnId::computing(fact)?;
    let value = view.value(column, node);
    let number = value.as_f64()?;
    let text = match ColumnId::Recorded(fact).unit() {
        Unit::Usage => amount(number),
        _ => printed(Figure::exact(number)),
    };
    Some(text)
}

/// Returns the users just before and just after a user, each with what decides their order.
fn neighbours(view: &View<'_>, explanation: &Explanation) -> Vec<Line> {
    let mut lines = Vec::new();
    if let Some(ahead) = &explanation.ahead {
        lines.push(neighbour(view, "  just behind ", ahead));
    }
    if let Some(behind) = &explanation.behind {
        lines.push(neighbour(view, "  just ahead of ", behind));
    }
    if !lines.is_empty() {
        let heading = Line::strong("Neighbours in the ranking");
        lines.insert(0, heading.and(Emphasis::Dim, ":"));
    }
    lines
}

/// Returns the line of a neighbour.
fn neighbour(view: &View<'_>, standing: &'static str, neighbour: &Neighbour) -> Line {
    let path = view.path(neighbour.node);
    let rank = ordinal(neighbour.rank as usize);
    let decided = decided(view, &neighbour.decision);
    let line = Line::from(standing).and(Emphasis::Strong, path);
    line.plain(sentence!(" ({rank}): {decided}"))
}

/// The sides of a decision and what is compared, in words.
struct Deciding {
    /// The node spoken of, or the account above it.
    own: Shown,
    /// The node or account that it is compared with.
    other: Shown,
    /// The compared number of the first.
    own_number: Shown,
    /// The compared number of the second.
    other_number: Shown,
    /// The heading of the compared column.
    word: &'static str,
}

impl Deciding {
    /// Returns the words of a decision.
    fn of(view: &View<'_>, decision: &Decision) -> Self {
        let numbers = compared_numbers(view, decision.column, decision.own, decision.other);
        Self {
            own: view.label(decision.own),
            other: view.label(decision.other),
            own_number: numbers.own,
            other_number: numbers.other,
            word: decision.column.heading(),
        }
    }
}

/// Returns what decides between two nodes, in words.
pub(crate) fn decided(view: &View<'_>, decision: &Decision) -> Shown {
    let Deciding {
        own,
        other,
        own_number,
        other_number,
        word,
    } = Deciding::of(view, decision);
    let is_tie = decision.first.is_none();
    if matches!(decision.column, ColumnId::LevelFs | ColumnId::Weight) {
        if is_tie {
            let behind = behind_a_tie(view, decision);
            return sentence!("{own} and {other} tie ({word} {own_number}){behind}");
        }
        return sentence!(
            "decided at {own} ({word} {own_number}) against {other} ({other_number})"
        );
    }
    if !is_tie {
        return sentence!("{own} has {word} {own_number}, {other} has {other_number}");
    }
    let otherwise = match view.policy {
        Policy::Pbs | Policy::Formula => "; PBS's order without a formula decides",
        Policy::PbsWalk => {
            ", and where one path ends PBS compares no further; the shorter is listed first"
        }
        _ => ", a tie",
    };
    sentence!("both have {word} {own_number}{otherwise}")
}

/// Returns what decides between two nodes that tie, to follow their number; empty for users.
fn behind_a_tie(view: &View<'_>, decision: &Decision) -> Shown {
    let tree = view.tree;
    match (tree.kind(decision.own), tree.kind(decision.other)) {
        (Kind::User, Kind::User) => Shown::default(),
        (Kind::Account, Kind::Account) => {
            if view.policy == Policy::FairTree {
                ", and the one that Slurm lists first is first".into()
            } else {
                ", and their members are merged".into()
            }
        }
        _ => {
            let many = view.settings.noun().many;
            sentence!(", and users come before {many}")
        }
    }
}

/// The numbers of two nodes in a column, with enough digits to distinguish them.
struct ComparedNumbers {
    /// That of the node that is spoken of.
    own: Shown,
    /// That of the other node.
    other: Shown,
}

/// Returns the numbers of two nodes in a column.
fn compared_numbers(
    view: &View<'_>,
    column: ColumnId,
    own_node: NodeId,
    other_node: NodeId,
) -> ComparedNumbers {
    let own_value = view.value(column, own_node);
    let other_value = view.value(column, other_node);
    let own = number_in_column(own_value, column);
    let other = number_in_column(other_value, column);
    if let Value::Double(a) = own_value
        && let Value::Double(b) = other_value
        && own == other
        && a.to_bits() != b.to_bits()
    {
        return distinct(a, b);
    }
    ComparedNumbers { own, other }
}

/// Returns a number in a column.
fn number_in_column(value: Value, column: ColumnId) -> Shown {
    let text = cell(value, column.unit());
    match value {
        Value::Null => "none".into(),
        Value::Double(number) => match column {
            ColumnId::Factor => fraction(number),
            ColumnId::Weight => flux::figures(number),
            // As a number it would run first.
            ColumnId::UsageOverPerc if number < 0.0 => {
                sentence!("{text} (a target of 0% ranks last)")
            }
            _ => text,
        },
        _ => text,
    }
}

/// Returns two numbers with as few decimals as distinguish them, and with all digits if that takes many.
fn distinct(a: f64, b: f64) -> ComparedNumbers {
    /// A factor is printed with six.
    const FEWEST_DECIMALS: usize = 7;
    /// With more decimals a number is written with all digits.
    const MOST_DECIMALS: usize = 12;
    for decimals in FEWEST_DECIMALS..=MOST_DECIMALS {
        let own = sentence!("{a:.decimals$}");
        let other = sentence!("{b:.decimals$}");
        if own != other {
            return ComparedNumbers { own, other };
        }
    }
    ComparedNumbers {
        own: all_digits(a),
        other: all_digits(b),
    }
}

/// Returns a number with all its digits.
fn all_digits(number: f64) -> Shown {
    /// Below this a number begins with too many zeros to be read.
    const SMALL: f64 = 1e-6;
    if number.abs() < SMALL {
        return sentence!("{number:e}");
    }
    sentence!("{number}")
}
