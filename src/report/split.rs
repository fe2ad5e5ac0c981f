//! `explain` with two nodes: where their paths diverge, and which is ahead by which number.

use super::field::Row;
use super::render::document::{Document, Front};
use super::render::json::{self, Lines, object};
use super::render::line::{Emphasis, Line, text};
use super::words::explain;
use super::{Report, View, dump};
use crate::base::number::{Value, amount, cell, fraction};
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, Tree, path_of};
use crate::rules::policy::{ColumnId, Decision, ExplanationCache, Policy};
use serde::Serialize;
use std::io::{self, Write};

/// Where the paths of two nodes diverge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// The two nodes.
    pub nodes: [NodeId; 2],
    /// The last node that both paths have in common.
    pub common: NodeId,
    /// The child of `common` on each path; `None` where the node is `common` itself.
    pub sides: [Option<NodeId>; 2],
}

impl Split {
    /// Returns the account that contains the other node, and that node; `None` if neither contains the other.
    pub fn containment(&self) -> Option<[NodeId; 2]> {
        let [first, second] = self.nodes;
        match self.sides {
            [None, Some(_)] => Some([first, second]),
            [Some(_), None] => Some([second, first]),
            _ => None,
        }
    }
}

/// Finds where the paths of two nodes diverge.
pub fn split(tree: &Tree, first: NodeId, second: NodeId) -> Split {
    let ways = [tree.line(first), tree.line(second)];
    let shared = ways[0]
        .iter()
        .zip(&ways[1])
        .take_while(|(a, b)| a == b)
        .count();
    let common = match shared {
        0 => NodeId::ROOT,
        shared => ways[0][shared - 1],
    };
    Split {
        nodes: [first, second],
        common,
        sides: [ways[0].get(shared).copied(), ways[1].get(shared).copied()],
    }
}

/// Returns which node has the higher factor, to the six decimals that reach PBS's sort key.
fn order_by_factor(view: &View<'_>, split: &Split) -> Decision {
    let factors = split.nodes.map(|node| factor(view, node));
    let [first, second] = factors.map(|factor| sentence!("{factor:.6}"));
    let is_second = factors[1] > factors[0] || factors[0].is_nan();
    Decision {
        sides: split.nodes,
        column: ColumnId::Factor,
        first: (first != second).then(|| usize::from(is_second)),
    }
}

fn factor(view: &View<'_>, node: NodeId) -> f64 {
    let factor = view.value(ColumnId::Factor, node).as_f64();
    factor.unwrap_or(f64::NAN)
}

/// Returns which node comes first where PBS compares usage / percentage level by level (`compare_path`).
fn order_by_walk(view: &View<'_>, split: &Split) -> Decision {
    let [first, second] = split.nodes;
    Policy::PbsWalk.decision(view.tree, view.evaluation, first, second)
}

/// Returns the comparison as prose.
pub fn lines(view: &View<'_>, split: &Split) -> Vec<Line> {
    let [first, second] = split.nodes;
    let names = split.nodes.map(|node| view.path(node));
    if first == second {
        return vec![Line::from(sentence!(
            "{} and {} are the same node; name two nodes to compare.",
            names[0],
            names[1]
        ))];
    }
    if let Some(pair) = split.containment() {
        return contained(view, pair);
    }
    let mut lines = vec![parting(&view.path(split.common), &names)];
    let is_blank = |node: &NodeId| view.evaluation.is_blank(*node);
    for side in split.sides.into_iter().flatten() {
        if !is_blank(&side) {
            lines.push(numbers(view, side));
        }
    }
    lines.push(Line::default());
    if split.nodes.iter().any(is_blank) {
        let blank = split.nodes.iter().filter(|node| is_blank(node));
        lines.extend(
            blank.map(|&node| Line::strong(view.path(node)).plain(explain::without_numbers(view))),
        );
        return lines;
    }
    if compares_like_pbs(view.policy) {
        let mut orders = [by_factor(view, split, &names), by_walk(view, split, &names)];
        if view.policy == Policy::PbsWalk {
            // The current order comes first.
            orders.reverse();
        }
        lines.extend(orders);
    } else {
        lines.extend(decided(view, split, &names));
    }
    lines
}

fn number(view: &View<'_>, column: ColumnId, node: NodeId) -> f64 {
    view.evaluation.number(column, node).unwrap_or(f64::NAN)
}

fn compares_like_pbs(policy: Policy) -> bool {
    matches!(policy, Policy::Pbs | Policy::PbsWalk | Policy::Formula)
}

fn decided(view: &View<'_>, split: &Split, names: &[Shown; 2]) -> Vec<Line> {
    let [first, second] = split.nodes;
    let decision = view
        .policy
        .decision(view.tree, view.evaluation, first, second);
    let reason = explain::decided(view, &decision);
    let ranks = split.nodes.map(|node| view.evaluation.rank(node));
    let verdict = match ranks {
        [Some(a), Some(b)] if a == b => sentence!("They share rank {a}: "),
        [Some(a), Some(b)] => {
            let ahead = usize::from(b < a);
            sentence!(
                "{} is ahead, rank {} against {}: ",
                names[ahead],
                a.min(b),
                a.max(b)
            )
        }
        _ => Shown::default(),
    };
    vec![Line::strong(verdict).plain(sentence!("{reason}."))]
}

fn parting(common: &Shown, names: &[Shown; 2]) -> Line {
    Line::strong(names[0].clone())
        .plain(" and ")
        .and(Emphasis::Strong, names[1].clone())
        .plain(sentence!(" diverge at {common}."))
}

/// Returns the comparison of an account with a node below it: the numbers of the levels between them, each among its
/// siblings.
fn contained(view: &View<'_>, [outer, inner]: [NodeId; 2]) -> Vec<Line> {
    let names = [outer, inner].map(|node| view.path(node));
    let opening = Line::strong(names[0].clone())
        .plain(" contains ")
        .and(Emphasis::Strong, names[1].clone());
    let mut lines = vec![opening.plain(", so neither is ahead of the other.")];
    let memory = &mut ExplanationCache::default();
    let policy = view.policy;
    let explanation = policy.explain(view.tree, view.settings, view.evaluation, memory, inner);
    let places = explain::places(&explanation).into_iter();
    let between =
        places.filter(|&(node, _)| node != outer && view.tree.order().is_within(node, outer));
    lines.extend(
        between.map(|(node, place)| numbers(view, node).and(Emphasis::Dim, sentence!("; {place}"))),
    );
    if view.evaluation.is_blank(inner) {
        let name = Line::strong(names[1].clone());
        lines.push(name.plain(explain::without_numbers(view)));
    }
    lines
}

fn numbers(view: &View<'_>, side: NodeId) -> Line {
    let number = |column| number(view, column, side);
    if !compares_like_pbs(view.policy) {
        let own = view.policy.usual_columns().iter();
        let numbers: Vec<Shown> = own
            .map(|&column| (column, view.value(column, side)))
            .filter(|(_, value)| *value != Value::Null)
            .map(|(column, value)| sentence!("{} {}", column.heading(), cell(value, column.unit())))
            .collect();
        return Line::from("  ")
            .and(Emphasis::Strong, view.label(side))
            .plain(sentence!(": {}", numbers.join(", ")));
    }
    Line::from("  ")
        .and(Emphasis::Strong, view.label(side))
        .plain(sentence!(
            ": target {}, usage {}, effective usage {}, factor {}, usage/perc {}",
            fraction(number(ColumnId::FairsharePerc)),
            amount(number(ColumnId::Usage)),
            fraction(number(ColumnId::FairshareTreeUsage)),
            fraction(factor(view, side)),
            amount(number(ColumnId::UsageOverPerc)),
        ))
}

fn by_factor(view: &View<'_>, split: &Split, names: &[Shown; 2]) -> Line {
    let printed = split.nodes.map(|node| fraction(factor(view, node)));
    let text = match order_by_factor(view, split).first {
        Some(side) => sentence!(
            "{} is ahead with {} against {}; the higher factor runs first.",
            names[side],
            printed[side],
            printed[1 - side]
        ),
        None => sentence!(
            "a tie: both have {} at the six decimals that PBS compares. The order without a formula decides.",
            printed[0]
        ),
    };
    Line::strong("By factor: ").plain(text)
}

fn by_walk(view: &View<'_>, split: &Split, names: &[Shown; 2]) -> Line {
    let decision = order_by_walk(view, split);
    let text = match decision.first {
        Some(side) => {
            let [ahead, behind] = [side, 1 - side].map(|side| decision.sides[side]);
            let ratio = |node| amount(number(view, ColumnId::UsageOverPerc, node));
            sentence!(
                "{} is ahead; {}'s usage/perc {} comes before {}'s {}.",
                names[side],
                view.label(ahead),
                ratio(ahead),
                view.label(behind),
                ratio(behind)
            )
        }
        None => "a tie: the job that was submitted first runs first.".into(),
    };
    Line::strong("Without a job_sort_formula: ").plain(text)
}

pub(crate) struct Comparison<'a> {
    pub(crate) view: &'a View<'a>,
    pub(crate) split: &'a Split,
}

impl Report for Comparison<'_> {
    fn front(&self) -> Front {
        let [first, second] = self.split.nodes.map(|node| self.view.path(node));
        Front::of(sentence!("{first} and {second}"), self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::default();
        document.headline(dump::headline(self.view));
        document.lines(lines(self.view, self.split));
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { view, split } = *self;
        let is_blank = |&node: &NodeId| view.evaluation.is_blank(node);
        let is_decided = split.containment().is_none() && !split.nodes.iter().any(is_blank);
        let ahead = |decision: Decision| {
            let first = decision.first.filter(|_| is_decided)?;
            path_of(view.tree, split.nodes[first])
        };
        let like_pbs = compares_like_pbs(view.policy).then(|| {
            object! {
                ahead_by_factor: ahead(order_by_factor(view, split)),
                ahead_by_walk: ahead(order_by_walk(view, split)),
            }
        });
        let body = object! {
            nodes: Lines(split.nodes.map(|node| Row::alone(view, node))),
            split: Lines(object! {
                path: path_of(view.tree, split.common),
                sides: Lines(split.sides.map(|side| side.map(|side| Row::alone(view, side)))),
                #[serde(flatten)]
                decision: like_pbs.is_none().then(|| decision(view, split)),
                #[serde(flatten)]
                like_pbs: like_pbs,
            }),
            text: text(&lines(view, split)),
        };
        json::write(out, view, body)
    }
}

fn decision(view: &View<'_>, split: &Split) -> impl Serialize {
    let [first, second] = split.nodes;
    let decision = view
        .policy
        .decision(view.tree, view.evaluation, first, second);
    let ahead = match split.nodes.map(|node| view.evaluation.rank(node)) {
        [Some(a), Some(b)] if a < b => Some(first),
        [Some(a), Some(b)] if b < a => Some(second),
        _ => None,
    };
    let is_decided = split.containment().is_none();
    object! {
        ahead: ahead.and_then(|node| path_of(view.tree, node)),
        decided_by: is_decided.then(|| decision.column.name()),
        deciding: is_decided.then(|| decision.sides.map(|side| path_of(view.tree, side))),
    }
}
