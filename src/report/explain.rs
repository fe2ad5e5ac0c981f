//! `explain`: why a node has its rank; with two nodes where their paths diverge, and which is ahead by which number.

pub use super::render::line::Line;
pub use super::words::explain::lines;

use super::field::Row;
use super::render::document::{Document, Front};
use super::render::json::{self, Entries, Lines, List, object};
use super::render::line::{Emphasis, text};
use super::render::table::{Cell, Column, Table};
use super::show::rows_of;
use super::solve::Answers;
use super::words::explain::{self as words, job_usage, number};
use super::{Report, View, dump};
use crate::base::number::{Value, amount, cell, fraction, grouped};
use crate::base::shown::{Shown, sentence, shown};
use crate::model::{NodeId, Tree, path_of};
use crate::rules::policy::pbs::PbsLevel;
use crate::rules::policy::{
    ColumnId, Decision, DecisionSide, Explanation, ExplanationCache, Level, Neighbour, Policy,
};
use serde::Serialize;
use std::io::{self, Write};

pub(crate) struct ExplanationReport<'a> {
    pub(crate) view: &'a View<'a>,
    pub(crate) explanation: Explanation,
}

impl Report for ExplanationReport<'_> {
    fn front(&self) -> Front {
        let path = self.view.path(self.explanation.node);
        Front::of(sentence!("The rank of {path}"), self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::headed(dump::headline(self.view));
        document.lines(lines(self.view, &self.explanation));
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        json::write(out, self.view, facts(self.view, &self.explanation))
    }

    /// Returns a row for each node below the root down to the one that is explained.
    fn csv(&self) -> Option<Table<'_>> {
        let node = self.explanation.node;
        let mut line = self.view.tree.line(node);
        if line.is_empty() {
            line.push(node);
        }
        Some(rows_of(self.view, &line))
    }
}

/// The explanations of all users of one name.
pub(crate) struct NamesakesReport<'a> {
    pub(crate) view: &'a View<'a>,
    /// The name, as the source has it.
    pub(crate) name: Vec<u8>,
    /// The best rank first.
    pub(crate) explanations: Vec<Explanation>,
    /// How many further users have the name.
    pub(crate) more: usize,
}

impl Report for NamesakesReport<'_> {
    fn front(&self) -> Front {
        Front::of(sentence!("The ranks of {}", shown(&self.name)), self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::headed(dump::headline(self.view));
        let (count, name) = (self.explanations.len() + self.more, shown(&self.name));
        document.sentence(sentence!("{count} users are called {name}:"));
        for explanation in &self.explanations {
            document.section(self.view.path(explanation.node));
            document.lines(lines(self.view, explanation));
        }
        document.left_off(self.more);
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let view = self.view;
        let explained = self.explanations.iter();
        let body = object! {
            explanations: Lines(List(explained.map(|explanation| facts(view, explanation)))),
            more: self.more,
        };
        json::write(out, view, body)
    }

    /// Returns a row for each user.
    fn csv(&self) -> Option<Table<'_>> {
        let mut users = Vec::new();
        for explanation in &self.explanations {
            users.push(explanation.node);
        }
        Some(rows_of(self.view, &users))
    }
}

fn facts(view: &View<'_>, explanation: &Explanation) -> impl Serialize {
    // Without computed numbers there are no levels to explain.
    let is_worked_out = !view.shows_only_printed();
    let of_pbs = explanation.pbs.as_ref().map(|detail| {
        let levels = detail.levels.iter();
        object! { levels: Lines(List(levels.map(|level| pbs_level(view, level)))) }
    });
    let others = of_pbs.is_none().then(|| {
        let levels = explanation.levels.iter().filter(move |_| is_worked_out);
        object! { levels: Lines(List(levels.map(|level| level_of(view, level)))) }
    });
    let path = |node| path_of(view.tree, node);
    let neighbour = |it: &Neighbour| {
        object! {
            path: path(it.node),
            rank: it.rank,
            decided_by: it.decision.column.name(),
            sides: [path(it.decision.own), path(it.decision.other)],
        }
    };
    object! {
        node: Row::alone(view, explanation.node),
        #[serde(flatten)]
        of_pbs: of_pbs,
        #[serde(flatten)]
        others: others,
        ahead: explanation.ahead.as_ref().map(neighbour),
        behind: explanation.behind.as_ref().map(neighbour),
        tied: explanation.tied,
        #[serde(flatten)]
        job_usage: job_usage::facts(view, explanation.node).map(|facts| object! { job_usage: facts }),
        text: text(&lines(view, explanation)),
    }
}

fn level_of(view: &View<'_>, level: &Level) -> impl Serialize {
    let path = |node| path_of(view.tree, node);
    let columns = view.policy.columns().iter();
    object! {
        path: path(level.node),
        under: path(level.account),
        shares: view.value(ColumnId::Shares, level.node),
        family_shares: level.family_shares,
        usage: view.value(ColumnId::Usage, level.node),
        #[serde(flatten)]
        columns: Entries(columns.map(|&column| (column.name(), view.value(column, level.node)))),
        siblings_ahead: level.siblings_ahead,
        siblings_tied: level.siblings_tied,
        sibling_count: level.sibling_count,
        users_ahead: level.users_ahead,
        sibling_ahead: level.sibling_ahead.and_then(path),
        heaviest_sibling: level.heaviest_sibling.and_then(path),
    }
}

fn pbs_level(view: &View<'_>, level: &PbsLevel) -> impl Serialize {
    let path = |node| path_of(view.tree, node);
    object! {
        path: path(level.common.node),
        shares: level.shares,
        family_shares: level.family_shares,
        usage: level.usage,
        group_percentage: level.group_percentage,
        fairshare_perc: level.fairshare_perc,
        own_usage: level.own_usage,
        parent_tree_usage: level.parent_tree_usage,
        fairshare_tree_usage: level.fairshare_tree_usage,
        fairshare_factor: level.fairshare_factor,
        usage_over_perc: level.usage_over_perc,
        is_over_share: level.is_over_share,
        siblings_ahead: level.common.siblings_ahead,
        sibling_count: level.common.sibling_count,
        sibling_ahead: level.common.sibling_ahead.and_then(path),
        heaviest_sibling: level.common.heaviest_sibling.and_then(path),
    }
}

/// Where the paths of two nodes diverge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    pub(crate) nodes: [NodeId; 2],
    /// The last node that both paths have in common.
    pub(crate) common: NodeId,
    /// The child of `common` on each path; `None` where the node is `common` itself.
    pub(crate) sides: [Option<NodeId>; 2],
}

impl Split {
    /// Returns the account that contains the other node, and that node; `None` if neither contains the other.
    pub(crate) fn containment(&self) -> Option<[NodeId; 2]> {
        let [first, second] = self.nodes;
        match self.sides {
            [None, Some(_)] => Some([first, second]),
            [Some(_), None] => Some([second, first]),
            _ => None,
        }
    }

    fn decision(&self, view: &View<'_>, policy: Policy) -> Decision {
        let [first, second] = self.nodes;
        policy.decision(view.tree, view.evaluation, first, second)
    }
}

/// Finds where the paths of two nodes diverge.
pub fn split(tree: &Tree, first: NodeId, second: NodeId) -> Split {
    let nodes = [first, second];
    let ways = nodes.map(|node| tree.line(node));
    let pairs = ways[0].iter().zip(&ways[1]);
    let shared = pairs.take_while(|(a, b)| a == b).count();
    let common = ways[0][..shared].last().copied();
    let sides = ways.map(|way| way.get(shared).copied());
    Split {
        nodes,
        common: common.unwrap_or(NodeId::ROOT),
        sides,
    }
}

/// Returns which node has the higher fairshare_factor, to the six decimals that reach PBS's sort key.
fn order_by_factor(view: &View<'_>, split: &Split) -> Decision {
    let factors = split
        .nodes
        .map(|node| number(view, ColumnId::FairshareFactor, node));
    let [first, second] = factors.map(|factor| sentence!("{factor:.6}"));
    let [own, other] = split.nodes;
    let side = if factors[1] > factors[0] || factors[0].is_nan() {
        DecisionSide::Other
    } else {
        DecisionSide::Own
    };
    Decision {
        own,
        other,
        column: ColumnId::FairshareFactor,
        first: (first != second).then_some(side),
    }
}

/// Returns the comparison as prose.
pub fn compared(view: &View<'_>, split: &Split) -> Vec<Line> {
    let [first, second] = split.nodes;
    let names = split.nodes.map(|node| view.path(node));
    if first == second {
        let [first, second] = names;
        let text = sentence!("{first} and {second} are the same node; name two nodes to compare.");
        return vec![text.into()];
    }
    if let Some(pair) = split.containment() {
        return contained(view, pair);
    }
    let both = Line::strong(names[0].clone()).plain(" and ");
    let both = both.and(Emphasis::Strong, names[1].clone());
    let mut lines = vec![both.plain(sentence!(" diverge at {}.", view.path(split.common)))];
    let is_blank = |node: &NodeId| view.evaluation.is_blank(*node);
    for side in split.sides.into_iter().flatten() {
        if !is_blank(&side) {
            lines.push(numbers(view, side));
        }
    }
    lines.push(Line::default());
    if split.nodes.iter().any(is_blank) {
        for node in split.nodes.into_iter().filter(is_blank) {
            lines.push(Line::strong(view.path(node)).plain(words::without_numbers(view)));
        }
        return lines;
    }
    if view.policy.is_of_pbs() {
        let by_walk = by_walk(view, split, &names);
        // The current order comes first.
        lines.extend(match view.policy {
            Policy::PbsWalk => [by_walk, by_factor(view, split, &names)],
            Policy::Formula => [by_formula(view, split, &names), by_walk],
            _ => [by_factor(view, split, &names), by_walk],
        });
    } else {
        lines.push(decided(view, split, &names));
    }
    lines
}

fn decided(view: &View<'_>, split: &Split, names: &[Shown; 2]) -> Line {
    let decision = split.decision(view, view.policy);
    let reason = words::decided(view, &decision);
    let ranks = split.nodes.map(|node| view.evaluation.rank(node));
    let verdict = match ranks {
        [Some(a), Some(b)] if a == b => sentence!("They share rank {a}: "),
        [Some(a), Some(b)] => {
            let ahead = &names[usize::from(b < a)];
            sentence!("{ahead} is ahead, rank {} against {}: ", a.min(b), a.max(b))
        }
        _ => Shown::default(),
    };
    Line::strong(verdict).plain(sentence!("{reason}."))
}

/// Compares an account with a node below it: the numbers of the levels between them, each among its siblings.
fn contained(view: &View<'_>, [outer, inner]: [NodeId; 2]) -> Vec<Line> {
    let names = [outer, inner].map(|node| view.path(node));
    let opening = Line::strong(names[0].clone()).plain(" contains ");
    let opening = opening.and(Emphasis::Strong, names[1].clone());
    let mut lines = vec![opening.plain(", so neither is ahead of the other.")];
    let memory = &mut ExplanationCache::default();
    let policy = view.policy;
    let explanation = policy.explain(view.tree, view.settings, view.evaluation, memory, inner);
    for level in explanation.levels.iter() {
        if level.node != outer && view.tree.order().is_within(level.node, outer) {
            let place = sentence!("; {}", words::level_place(level));
            lines.push(numbers(view, level.node).and(Emphasis::Dim, place));
        }
    }
    if view.evaluation.is_blank(inner) {
        let name = Line::strong(names[1].clone());
        lines.push(name.plain(words::without_numbers(view)));
    }
    lines
}

fn numbers(view: &View<'_>, side: NodeId) -> Line {
    let line = Line::from("  ").and(Emphasis::Strong, view.label(side));
    let number = |column| number(view, column, side);
    if view.policy.is_of_pbs() {
        let mut line = line.plain(sentence!(
            ": target {}, usage {}, effective usage {}, factor {}",
            fraction(number(ColumnId::FairsharePerc)),
            amount(number(ColumnId::Usage)),
            fraction(number(ColumnId::FairshareTreeUsage)),
            fraction(number(ColumnId::FairshareFactor)),
        ));
        // Only users have a value of the formula.
        for (column, name) in [
            (ColumnId::UsageOverPerc, "usage/perc"),
            (ColumnId::FormulaValue, "formula"),
        ] {
            if let Some(value) = view.evaluation.number(column, side) {
                line = line.plain(sentence!(", {name} {}", amount(value)));
            }
        }
        return line;
    }
    let own = view.policy.usual_columns().iter();
    let numbers = own.filter_map(|&column| {
        let value = Some(view.value(column, side)).filter(|&value| value != Value::Null)?;
        let text = cell(value, column.unit());
        Some(sentence!("{} {text}", column.heading()))
    });
    line.plain(sentence!(": {}", numbers.collect::<Vec<_>>().join(", ")))
}

fn by_factor(view: &View<'_>, split: &Split, names: &[Shown; 2]) -> Line {
    let column = ColumnId::FairshareFactor;
    let printed = split.nodes.map(|node| fraction(number(view, column, node)));
    let text = match order_by_factor(view, split).first {
        Some(side) => {
            let side = side.place();
            let (ahead, factor, other) = (&names[side], &printed[side], &printed[1 - side]);
            sentence!(
                "{ahead} is ahead with {factor} against {other}; the higher factor runs first."
            )
        }
        None => sentence!(
            "a tie: both have {} at the six decimals that PBS compares. The order without a formula decides.",
            printed[0]
        ),
    };
    Line::strong("By factor: ").plain(text)
}

fn by_formula(view: &View<'_>, split: &Split, names: &[Shown; 2]) -> Line {
    let values = split
        .nodes
        .map(|node| view.evaluation.number(ColumnId::FormulaValue, node));
    let text = match (values, split.decision(view, Policy::Formula).first) {
        ([Some(_), Some(_)], None) => {
            "a tie: both have the same value. The order without a formula decides.".into()
        }
        ([Some(first), Some(second)], Some(side)) => {
            let side = side.place();
            let values = [first, second].map(amount);
            sentence!(
                "{} is ahead with {} against {}; the larger value runs first.",
                names[side],
                values[side],
                values[1 - side]
            )
        }
        _ => "only users have a value.".into(),
    };
    Line::strong("By the formula: ").plain(text)
}

fn by_walk(view: &View<'_>, split: &Split, names: &[Shown; 2]) -> Line {
    let decision = split.decision(view, Policy::PbsWalk);
    let text = match decision.first {
        Some(side) => {
            let side = side.place();
            let compared = [decision.own, decision.other];
            let sides = [compared[side], compared[1 - side]];
            let [ahead, behind] = sides.map(|node| view.label(node));
            let ratios = sides.map(|node| amount(number(view, ColumnId::UsageOverPerc, node)));
            sentence!(
                "{} is ahead; {ahead}'s usage/perc {} comes before {behind}'s {}.",
                names[side],
                ratios[0],
                ratios[1]
            )
        }
        None => "a tie: the job that was submitted first runs first.".into(),
    };
    Line::strong("Without a job_sort_formula: ").plain(text)
}

/// Two nodes side by side, and which of them is ahead.
pub(crate) struct Comparison<'a> {
    pub(crate) view: &'a View<'a>,
    pub(crate) split: Split,
    /// What would bring the one that is behind ahead; `None` if neither is, or one contains the other.
    pub(crate) way_ahead: Option<Answers>,
}

impl Comparison<'_> {
    /// Returns the numbers of both nodes, a row for each column of the policy.
    fn side_by_side(&self) -> Table<'_> {
        let view = self.view;
        let mut shown = vec![ColumnId::Shares, ColumnId::Usage];
        for &column in view.policy.usual_columns() {
            if !shown.contains(&column) {
                shown.push(column);
            }
        }
        let mut columns = vec![Column::left("", |column: &ColumnId| column.heading())];
        for node in self.split.nodes {
            columns.push(Column::right(view.path(node), move |&column| {
                number_of(view, column, node)
            }));
        }
        Table::new(columns, shown.into_iter())
    }

    /// Returns the nodes of both paths, level by level, below the last account that they have in common.
    fn level_by_level(&self) -> Table<'_> {
        let view = self.view;
        let mut columns = vec![Column::left("From there down", |&node| {
            Cell::Node(view.tree, node)
        })];
        for &column in view.policy.usual_columns() {
            columns.push(Column::right(column.heading(), move |&node| {
                number_of(view, column, node)
            }));
        }
        let shared = view.tree.depth(self.split.common) as usize;
        let mut rows = Vec::new();
        for node in self.split.nodes {
            rows.extend(view.tree.line(node).into_iter().skip(shared));
        }
        Table::new(columns, rows.into_iter())
    }
}

fn number_of(view: &View<'_>, column: ColumnId, node: NodeId) -> Shown {
    match view.value(column, node) {
        Value::Count(count) => grouped(count),
        value => cell(value, column.unit()),
    }
}

impl Report for Comparison<'_> {
    fn front(&self) -> Front {
        let [first, second] = self.split.nodes.map(|node| self.view.path(node));
        Front::of(sentence!("{first} and {second}"), self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::headed(dump::headline(self.view));
        document.lines(compared(self.view, &self.split));
        let [first, second] = self.split.nodes;
        if first == second {
            return document;
        }
        document.section("Side by side");
        document.table(self.side_by_side());
        document.section("Level by level");
        document.table(self.level_by_level());
        if let Some(answers) = &self.way_ahead
            && let Some(behind) = answers.node()
        {
            let behind = self.view.path(behind);
            document.section(sentence!("How {behind} could get ahead"));
            answers.add_levels(&mut document, self.view);
        }
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let view = self.view;
        let split = &self.split;
        let is_blank = |&node: &NodeId| view.evaluation.is_blank(node);
        let is_decided = split.containment().is_none() && !split.nodes.iter().any(is_blank);
        let ahead = |decision: Decision| {
            let first = decision.first.filter(|_| is_decided)?;
            path_of(view.tree, split.nodes[first.place()])
        };
        let like_pbs = view.policy.is_of_pbs().then(|| {
            object! {
                ahead_by_factor: ahead(order_by_factor(view, split)),
                ahead_by_walk: ahead(split.decision(view, Policy::PbsWalk)),
            }
        });
        let body = object! {
            nodes: Lines(split.nodes.map(|node| Row::alone(view, node))),
            split: Lines(object! {
                path: path_of(view.tree, split.common),
                sides: Lines(split.sides.map(|side| side.map(|side| Row::alone(view, side)))),
                #[serde(flatten)]
                decision: decision(view, split),
                #[serde(flatten)]
                like_pbs: like_pbs,
            }),
            text: text(&compared(view, split)),
        };
        json::write(out, view, body)
    }

    /// Returns a row for each node below the root down to the first one, and then those of the second.
    fn csv(&self) -> Option<Table<'_>> {
        let tree = self.view.tree;
        let mut nodes = tree.line(self.split.nodes[0]);
        for node in tree.line(self.split.nodes[1]) {
            if !nodes.contains(&node) {
                nodes.push(node);
            }
        }
        Some(rows_of(self.view, &nodes))
    }
}

fn decision(view: &View<'_>, split: &Split) -> impl Serialize {
    let [first, second] = split.nodes;
    let decision = split.decision(view, view.policy);
    let ahead = match split.nodes.map(|node| view.evaluation.rank(node)) {
        [Some(a), Some(b)] if a < b => Some(first),
        [Some(a), Some(b)] if b < a => Some(second),
        _ => None,
    };
    let is_decided = split.containment().is_none();
    object! {
        ahead: ahead.and_then(|node| path_of(view.tree, node)),
        decided_by: is_decided.then(|| decision.column.name()),
        deciding: is_decided.then(|| {
            [decision.own, decision.other].map(|side| path_of(view.tree, side))
        }),
    }
}
