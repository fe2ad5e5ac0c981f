//! `explain` with two nodes: where their paths diverge, and which is ahead by which number.

use crate::base::number::{Value, amount, cell, fraction, grouped};
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, Tree, path_of};
use crate::report::field::Row;
use crate::report::render::column_widths;
use crate::report::render::document::{Document, Front};
use crate::report::render::json::{self, Lines, object};
use crate::report::render::line::{Emphasis, Line, text};
use crate::report::render::table::{Cell, Column, Table};
use crate::report::show::rows_of;
use crate::report::solve::Answers;
use crate::report::words::explain::{self as words, number};
use crate::report::{Report, View, dump};
use crate::rules::policy::{ColumnId, Decision, DecisionSide, ExplanationCache, Policy};
use serde::Serialize;
use std::cmp::Ordering;
use std::io::{self, Write};

/// Where the paths of two nodes diverge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// The node that was named first.
    first: SplitSide,
    /// The node that it is compared with.
    second: SplitSide,
    /// The last node that both paths have in common.
    common: NodeId,
}

/// One of two nodes whose paths diverge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SplitSide {
    /// The node.
    node: NodeId,
    /// The child of the common node on the path to this one; `None` where the node is the common one itself.
    branch: Option<NodeId>,
}

/// An account, and a node in its subtree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Containment {
    /// The account.
    outer: NodeId,
    /// The node that it contains.
    inner: NodeId,
}

/// Two nodes in the order in which they run.
struct OrderedPair {
    /// The one that runs first.
    ahead: NodeId,
    /// The other one.
    behind: NodeId,
}

impl OrderedPair {
    /// Returns two nodes in their order; `first` tells which of them runs first.
    const fn of(own: NodeId, other: NodeId, first: DecisionSide) -> Self {
        match first {
            DecisionSide::Own => Self {
                ahead: own,
                behind: other,
            },
            DecisionSide::Other => Self {
                ahead: other,
                behind: own,
            },
        }
    }
}

impl Split {
    /// Returns the account that contains the other node, and that node; `None` if neither contains the other.
    pub(crate) fn containment(&self) -> Option<Containment> {
        let first = self.first.node;
        let second = self.second.node;
        match (self.first.branch, self.second.branch) {
            (None, Some(_)) => Some(Containment {
                outer: first,
                inner: second,
            }),
            (Some(_), None) => Some(Containment {
                outer: second,
                inner: first,
            }),
            _ => None,
        }
    }

    /// Returns both nodes, the one that was named first in front.
    fn nodes(&self) -> Vec<NodeId> {
        vec![self.first.node, self.second.node]
    }

    /// Returns both nodes in the order of a decision about them.
    const fn ordered(&self, first: DecisionSide) -> OrderedPair {
        OrderedPair::of(self.first.node, self.second.node, first)
    }

    /// Returns which node comes first under a policy, and by which number.
    fn decision(&self, view: &View<'_>, policy: Policy) -> Decision {
        let first = self.first.node;
        let second = self.second.node;
        policy.decision(view.tree, view.evaluation, first, second)
    }
}

/// Finds where the paths of two nodes diverge.
pub fn split(tree: &Tree, first: NodeId, second: NodeId) -> Split {
    let first_line = tree.line(first);
    let second_line = tree.line(second);
    let mut common = NodeId::ROOT;
    let mut shared = 0;
    for (one, other) in first_line.iter().zip(&second_line) {
        if one != other {
            break;
        }
        common = *one;
        shared += 1;
    }
    Split {
        first: SplitSide {
            node: first,
            branch: first_line.get(shared).copied(),
        },
        second: SplitSide {
            node: second,
            branch: second_line.get(shared).copied(),
        },
        common,
    }
}

/// Returns the comparison as prose.
pub fn compared(view: &View<'_>, split: &Split) -> Vec<Line> {
    let first = view.path(split.first.node);
    let second = view.path(split.second.node);
    if split.first == split.second {
        let text = sentence!("{first} and {second} are the same node; name two nodes to compare.");
        return vec![text.into()];
    }
    if let Some(containment) = split.containment() {
        return contained(view, containment);
    }
    let common = view.path(split.common);
    let opening = Line::strong(first)
        .plain(" and ")
        .and(Emphasis::Strong, second)
        .plain(sentence!(" diverge at {common}."));
    let mut lines = vec![opening];
    for side in [split.first, split.second] {
        if let Some(branch) = side.branch
            && !view.evaluation.is_blank(branch)
        {
            lines.push(numbers(view, branch));
        }
    }
    lines.push(Line::default());
    let blank = blanks(view, split);
    if blank.is_empty() {
        lines.extend(orders(view, split));
    } else {
        lines.extend(blank);
    }
    lines
}

/// Returns why the current policy gives a node no numbers, for each of both nodes that has none.
fn blanks(view: &View<'_>, split: &Split) -> Vec<Line> {
    let mut lines = Vec::new();
    for node in split.nodes() {
        if view.evaluation.is_blank(node) {
            let name = Line::strong(view.path(node));
            lines.push(name.plain(words::without_numbers(view)));
        }
    }
    lines
}

/// Returns which node is ahead, under PBS in each of two orders, of which the current one comes first.
fn orders(view: &View<'_>, split: &Split) -> Vec<Line> {
    if !view.policy.is_of_pbs() {
        return vec![decided(view, split)];
    }
    let walk = by_walk(view, split);
    match view.policy {
        Policy::PbsWalk => vec![walk, by_factor(view, split)],
        Policy::Formula => vec![by_formula(view, split), walk],
        _ => vec![by_factor(view, split), walk],
    }
}

/// Returns the ranks of both nodes, and what decides between them.
fn decided(view: &View<'_>, split: &Split) -> Line {
    let decision = split.decision(view, view.policy);
    let reason = words::decided(view, &decision);
    let verdict = verdict(view, split).unwrap_or_default();
    Line::strong(verdict).plain(sentence!("{reason}."))
}

/// Returns which node has the better rank; `None` if one of them has none.
fn verdict(view: &View<'_>, split: &Split) -> Option<Shown> {
    let first = view.evaluation.rank(split.first.node)?;
    let second = view.evaluation.rank(split.second.node)?;
    if first == second {
        return Some(sentence!("They share rank {first}: "));
    }
    let ahead = better_ranked(view, split)?;
    let name = view.path(ahead);
    let better = first.min(second);
    let worse = first.max(second);
    Some(sentence!(
        "{name} is ahead, rank {better} against {worse}: "
    ))
}

/// Compares an account with a node below it: the numbers of the levels between them, each among its siblings.
fn contained(view: &View<'_>, containment: Containment) -> Vec<Line> {
    let Containment { outer, inner } = containment;
    let name = view.path(inner);
    let opening = Line::strong(view.path(outer))
        .plain(" contains ")
        .and(Emphasis::Strong, name.clone())
        .plain(", so neither is ahead of the other.");
    let mut lines = vec![opening];
    let tree = view.tree;
    let memory = &mut ExplanationCache::default();
    let policy = view.policy;
    let explanation = policy.explain(tree, view.settings, view.evaluation, memory, inner);
    for level in explanation.levels.iter() {
        let node = level.node;
        if node != outer && tree.order().is_within(node, outer) {
            let place = words::level_place(level);
            let line = numbers(view, node);
            lines.push(line.and(Emphasis::Dim, sentence!("; {place}")));
        }
    }
    if view.evaluation.is_blank(inner) {
        let reason = words::without_numbers(view);
        lines.push(Line::strong(name).plain(reason));
    }
    lines
}

/// Returns a line with the numbers of a node.
fn numbers(view: &View<'_>, node: NodeId) -> Line {
    let name = view.label(node);
    let line = Line::from("  ").and(Emphasis::Strong, name);
    if view.policy.is_of_pbs() {
        return line.plain(numbers_of_pbs(view, node));
    }
    let mut numbers = Vec::new();
    for &column in view.policy.usual_columns() {
        let value = view.value(column, node);
        if value != Value::Null {
            let heading = column.heading();
            let text = cell(value, column.unit());
            numbers.push(sentence!("{heading} {text}"));
        }
    }
    let joined = Shown::joined(numbers, ", ");
    line.plain(sentence!(": {joined}"))
}

/// Returns PBS's numbers of a node, to follow its name. Only users have a value of the formula.
fn numbers_of_pbs(view: &View<'_>, node: NodeId) -> Shown {
    let evaluation = view.evaluation;
    let target = fraction(number(view, ColumnId::FairsharePerc, node));
    let usage = amount(number(view, ColumnId::Usage, node));
    let effective = fraction(number(view, ColumnId::FairshareTreeUsage, node));
    let factor = fraction(number(view, ColumnId::FairshareFactor, node));
    let mut text =
        sentence!(": target {target}, usage {usage}, effective usage {effective}, factor {factor}");
    if let Some(ratio) = evaluation.number(ColumnId::UsageOverPerc, node) {
        let ratio_text = amount(ratio);
        text += &sentence!(", usage/perc {ratio_text}");
    }
    if let Some(value) = evaluation.number(ColumnId::FormulaValue, node) {
        let value_text = amount(value);
        text += &sentence!(", formula {value_text}");
    }
    text
}

/// Returns which node has the higher fairshare_factor, to the six decimals that reach PBS's sort key.
fn order_by_factor(view: &View<'_>, split: &Split) -> Decision {
    let column = ColumnId::FairshareFactor;
    let own = split.first.node;
    let other = split.second.node;
    let own_factor = number(view, column, own);
    let other_factor = number(view, column, other);
    let mut first = None;
    if sentence!("{own_factor:.6}") != sentence!("{other_factor:.6}") {
        first = Some(DecisionSide::Own);
        if other_factor > own_factor || own_factor.is_nan() {
            first = Some(DecisionSide::Other);
        }
    }
    Decision {
        own,
        other,
        column,
        first,
    }
}

/// Returns which node is ahead by its factor.
fn by_factor(view: &View<'_>, split: &Split) -> Line {
    let column = ColumnId::FairshareFactor;
    let line = Line::strong("By factor: ");
    let Some(side) = order_by_factor(view, split).first else {
        let factor = fraction(number(view, column, split.first.node));
        return line.plain(sentence!(
            "a tie: both have {factor} at the six decimals that PBS compares. The order without a formula decides."
        ));
    };
    let OrderedPair { ahead, behind } = split.ordered(side);
    let name = view.path(ahead);
    let factor = fraction(number(view, column, ahead));
    let other = fraction(number(view, column, behind));
    line.plain(sentence!(
        "{name} is ahead with {factor} against {other}; the higher factor runs first."
    ))
}

/// Returns which node is ahead by its value of the formula.
fn by_formula(view: &View<'_>, split: &Split) -> Line {
    let text = match formula_order(view, split) {
        Some(text) => text,
        None => "only users have a value.".into(),
    };
    Line::strong("By the formula: ").plain(text)
}

/// Returns how the values of both nodes compare; `None` if one of them has none.
fn formula_order(view: &View<'_>, split: &Split) -> Option<Shown> {
    let column = ColumnId::FormulaValue;
    let evaluation = view.evaluation;
    let first = evaluation.number(column, split.first.node)?;
    let second = evaluation.number(column, split.second.node)?;
    let Some(side) = split.decision(view, Policy::Formula).first else {
        let text = "a tie: both have the same value. The order without a formula decides.";
        return Some(text.into());
    };
    let ahead = split.ordered(side).ahead;
    let name = view.path(ahead);
    let first = amount(first);
    let second = amount(second);
    let (value, other) = match side {
        DecisionSide::Own => (first, second),
        DecisionSide::Other => (second, first),
    };
    Some(sentence!(
        "{name} is ahead with {value} against {other}; the larger value runs first."
    ))
}

/// Returns which node is ahead where PBS walks down the tree.
fn by_walk(view: &View<'_>, split: &Split) -> Line {
    let decision = split.decision(view, Policy::PbsWalk);
    let text = match decision.first {
        Some(side) => {
            let name = view.path(split.ordered(side).ahead);
            let OrderedPair { ahead, behind } = OrderedPair::of(decision.own, decision.other, side);
            let ratio = amount(number(view, ColumnId::UsageOverPerc, ahead));
            let other_ratio = amount(number(view, ColumnId::UsageOverPerc, behind));
            let winner = view.label(ahead);
            let loser = view.label(behind);
            sentence!(
                "{name} is ahead; {winner}'s usage/perc {ratio} comes before {loser}'s {other_ratio}."
            )
        }
        None => "a tie: the job that was submitted first runs first.".into(),
    };
    Line::strong("Without a job_sort_formula: ").plain(text)
}

/// Two nodes side by side, and which of them is ahead.
pub(crate) struct Comparison<'a> {
    /// The tree with its numbers.
    pub(crate) view: &'a View<'a>,
    /// The two nodes.
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
        for node in self.split.nodes() {
            let path = view.path(node);
            columns.push(Column::right(path, move |&column| {
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
            let number =
                Column::right(column.heading(), move |&node| number_of(view, column, node));
            columns.push(number.giving_way(column_widths::order(view, column)));
        }
        let shared = view.tree.depth(self.split.common) as usize;
        let mut rows = Vec::new();
        for node in self.split.nodes() {
            let line = view.tree.line(node);
            rows.extend(line.into_iter().skip(shared));
        }
        Table::new(columns, rows.into_iter())
    }

    /// Returns whether the order of the nodes can be decided: neither contains the other, and both have numbers.
    fn is_decided(&self) -> bool {
        let evaluation = self.view.evaluation;
        let split = &self.split;
        split.containment().is_none()
            && !evaluation.is_blank(split.first.node)
            && !evaluation.is_blank(split.second.node)
    }

    /// Returns the node that a decision puts ahead; `None` if it puts neither.
    fn ahead(&self, decision: Decision) -> Option<NodeId> {
        if !self.is_decided() {
            return None;
        }
        let side = decision.first?;
        let ordered = self.split.ordered(side);
        Some(ordered.ahead)
    }

    /// Returns which node is ahead under each of PBS's two orders; `None` under the policies of others.
    fn pbs_orders(&self) -> Option<impl Serialize> {
        let view = self.view;
        if !view.policy.is_of_pbs() {
            return None;
        }
        let tree = view.tree;
        let by_factor = self.ahead(order_by_factor(view, &self.split));
        let by_walk = self.ahead(self.split.decision(view, Policy::PbsWalk));
        Some(object! {
            ahead_by_factor: by_factor.and_then(|node| path_of(tree, node)),
            ahead_by_walk: by_walk.and_then(|node| path_of(tree, node)),
        })
    }

    /// Returns a row of JSON for the branch of a side; `None` where the node is the common one.
    fn branch(&self, side: SplitSide) -> Option<Row<'_>> {
        let branch = side.branch?;
        Some(Row::alone(self.view, branch))
    }
}

/// Returns a number of a node for people, a count with all its digits.
fn number_of(view: &View<'_>, column: ColumnId, node: NodeId) -> Shown {
    match view.value(column, node) {
        Value::Count(count) => grouped(count),
        value => cell(value, column.unit()),
    }
}

impl Report for Comparison<'_> {
    fn front(&self) -> Front {
        let first = self.view.path(self.split.first.node);
        let second = self.view.path(self.split.second.node);
        Front::of(sentence!("{first} and {second}"), self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::headed(dump::headline(self.view));
        let lines = compared(self.view, &self.split);
        document.lines(lines);
        if self.split.first == self.split.second {
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
        let mut nodes = Vec::new();
        for node in split.nodes() {
            nodes.push(Row::alone(view, node));
        }
        let sides = vec![self.branch(split.first), self.branch(split.second)];
        let body = object! {
            nodes: Lines(nodes),
            split: Lines(object! {
                path: path_of(view.tree, split.common),
                sides: Lines(sides),
                #[serde(flatten)]
                decision: decision(view, split),
                #[serde(flatten)]
                like_pbs: self.pbs_orders(),
            }),
            text: text(&compared(view, split)),
        };
        json::write(out, view, body)
    }

    /// Returns a row for each node below the root down to the first one, and then those of the second.
    fn csv(&self) -> Option<Table<'_>> {
        let tree = self.view.tree;
        let mut nodes = tree.line(self.split.first.node);
        for node in tree.line(self.split.second.node) {
            if !nodes.contains(&node) {
                nodes.push(node);
            }
        }
        Some(rows_of(self.view, &nodes))
    }
}

/// Returns which node has the better rank, and what decides between them, for JSON.
fn decision(view: &View<'_>, split: &Split) -> impl Serialize {
    let mut decided_by = None;
    let mut deciding = None;
    if split.containment().is_none() {
        let decision = split.decision(view, view.policy);
        let own = path_of(view.tree, decision.own);
        let other = path_of(view.tree, decision.other);
        decided_by = Some(decision.column.name());
        deciding = Some(vec![own, other]);
    }
    let ahead = better_ranked(view, split);
    object! {
        ahead: ahead.and_then(|node| path_of(view.tree, node)),
        decided_by: decided_by,
        deciding: deciding,
    }
}

/// Returns the node with the better rank; `None` if they share a rank, or one of them has none.
fn better_ranked(view: &View<'_>, split: &Split) -> Option<NodeId> {
    let first = view.evaluation.rank(split.first.node)?;
    let second = view.evaluation.rank(split.second.node)?;
    match first.cmp(&second) {
        Ordering::Less => Some(split.first.node),
        Ordering::Greater => Some(split.second.node),
        Ordering::Equal => None,
    }
}
