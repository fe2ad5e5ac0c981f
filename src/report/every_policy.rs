//! `explain --policy all`: a node under every policy, and where its rank differs from that under the current one.

use super::field::Row;
use super::render::document::{Document, Front};
use super::render::json::{self, Entries, Lines, List, object};
use super::render::line::{Emphasis, Line, text};
use super::render::table::{Cell, Column, Table};
use super::render::text::text_of;
use super::words::explain::{self as words, rank_of_all};
use super::{Report, View, dump, order, with_shares};
use crate::base::number::{Unit, Value, amount, cell, counted};
use crate::base::shown::{Shown, sentence, shown};
use crate::model::{Kind, NodeId, path_of};
use crate::rules::policy::{
    ColumnId, Comparison, ExplanationCache, Policy, RankDifference, RankedTree,
};
use serde::Serialize;
use std::io::{self, Write};
use std::slice;

/// Some nodes under every policy: one, or all users of a name.
pub(crate) struct EveryPolicyReport<'a> {
    view: &'a View<'a>,
    name: Shown,
    nodes: Vec<NodeStandings>,
    /// How many further users have the name.
    more: usize,
}

/// A node under each of the policies, the current one first.
struct NodeStandings {
    node: NodeId,
    policies: Vec<PolicyStanding>,
}

/// What one policy makes of a node.
struct PolicyStanding {
    policy: Policy,
    rank: Option<u32>,
    user_count: usize,
    tied: usize,
    /// The policy's numbers of the node.
    numbers: Vec<(ColumnId, Value)>,
    heading: Shown,
    /// What has to be known about the ranks of the policy, and was not said of another one before.
    remarks: Vec<Shown>,
    /// Why the rank may differ from the scheduler's.
    caveat: Option<Line>,
    steps: Vec<Line>,
    difference: Option<(RankDifference, Shown)>,
}

/// A node under one policy.
type StandingRow<'a> = (NodeId, &'a PolicyStanding);

impl<'a> EveryPolicyReport<'a> {
    /// Computes the tree under each policy, one after the other, since each takes as much memory as the tree.
    pub(crate) fn of(view: &'a View<'a>, nodes: &[NodeId], more: usize) -> Self {
        let mut policies = Comparison::usual(view.settings);
        policies.retain(|&policy| policy != view.policy);
        policies.insert(0, view.policy);
        let unknown = nodes.iter().map(|&node| NodeStandings {
            node,
            policies: Vec::new(),
        });
        let mut nodes: Vec<NodeStandings> = unknown.collect();
        for policy in policies {
            let known = (view.policy, view.evaluation);
            let computed =
                (policy != view.policy).then(|| policy.evaluate_beside(known, view.basis()));
            let evaluation = computed.as_ref().unwrap_or(view.evaluation);
            let other = view.under(policy, evaluation);
            let memory = &mut ExplanationCache::default();
            for NodeStandings { node, policies } in &mut nodes {
                let mut standing = PolicyStanding::of(view, &other, memory, *node);
                let is_new =
                    |remark: &Shown| policies.iter().all(|it| !it.remarks.contains(remark));
                standing.remarks.retain(is_new);
                policies.push(standing);
            }
        }
        let name = match nodes[..] {
            [NodeStandings { node, .. }] => view.path(node),
            [NodeStandings { node, .. }, ..] => shown(view.tree.name(node)),
            [] => Shown::default(),
        };
        Self {
            view,
            name,
            nodes,
            more,
        }
    }

    pub(crate) fn title(&self) -> Shown {
        sentence!("{} under every policy", self.name)
    }
}

impl PolicyStanding {
    fn of(
        current: &View<'_>,
        view: &View<'_>,
        memory: &mut ExplanationCache,
        node: NodeId,
    ) -> Self {
        let View {
            tree,
            settings,
            policy,
            evaluation,
            ..
        } = *view;
        let explanation = policy.explain(tree, settings, evaluation, memory, node);
        let factor = Some(ColumnId::Factor).filter(|factor| !policy.columns().contains(factor));
        let columns = factor.into_iter().chain(policy.columns().iter().copied());
        let trees = [current, view].map(|view| RankedTree {
            policy: view.policy,
            evaluation: view.evaluation,
        });
        // Printed ranks are of a tree of which only a few users are known.
        let is_comparable = !current.shows_only_printed() && current.tree.part().is_none();
        let user = compared_user(current, node);
        let found = is_comparable.then(|| RankDifference::between(tree, trees, user));
        let difference = found.flatten().map(|found| {
            let why = words::difference([current, view], &found);
            (found, why)
        });
        Self {
            policy,
            rank: explanation.rank,
            user_count: explanation.user_count,
            tied: explanation.tied,
            numbers: columns
                .map(|column| (column, view.value(column, node)))
                .collect(),
            heading: heading(
                view,
                rank_of_all(&explanation),
                node,
                policy == current.policy,
            ),
            remarks: remarks(view),
            caveat: words::caveat(view, node),
            steps: words::in_brief(view, &explanation),
            difference,
        }
    }

    fn rank_value(&self) -> Value {
        match self.rank {
            Some(rank) => Value::Count(rank.into()),
            None => Value::Null,
        }
    }

    /// Returns the factor of the node; [`Value::Null`] where the policy gives it none.
    fn factor(&self) -> Value {
        for &(column, value) in &self.numbers {
            if column == ColumnId::Factor {
                return value;
            }
        }
        Value::Null
    }

    fn lines(&self) -> Vec<Line> {
        let remarks = self.remarks.iter().cloned();
        let remarks = remarks.map(|remark| Line::of(Emphasis::Dim, remark));
        let mut lines: Vec<Line> = self.caveat.iter().cloned().chain(remarks).collect();
        lines.extend(self.steps.iter().cloned());
        if let Some((_, why)) = &self.difference {
            lines.push(Line::of(Emphasis::Strong, why.clone()));
        }
        lines
    }

    fn facts(&self, view: &View<'_>) -> impl Serialize {
        let path = |node| path_of(view.tree, node);
        let steps = self.steps.iter().map(|step| text(slice::from_ref(step)));
        let differs = self.difference.as_ref().map(|(found, why)| {
            let order = found.order.as_ref();
            object! {
                level: order.and_then(|order| path(order.level)),
                against: order.and_then(|order| path(order.sibling)),
                users: order.map(|order| order.user_count),
                unranked: found.unranked,
                reason: why.to_string(),
            }
        });
        let numbers = self.numbers.clone().into_iter();
        object! {
            rank: self.rank,
            users: self.user_count,
            tied: self.tied,
            numbers: Entries(numbers.map(|(column, value)| (column.name(), value))),
            steps: List(steps),
            differs: differs,
        }
    }
}

/// Returns the user whose rank is compared: the first one below an account. A user and the root are compared themselves.
fn compared_user(view: &View<'_>, node: NodeId) -> NodeId {
    match node {
        NodeId::ROOT => node,
        node => view.evaluation.best_user(node).unwrap_or(node),
    }
}

/// Returns remarks on the order of a policy. Assumptions about the whole source are among its findings.
fn remarks(view: &View<'_>) -> Vec<Shown> {
    let mut remarks = order::quick(view);
    remarks.retain(|remark| remark.code != order::ASSUMED);
    let messages = remarks
        .into_iter()
        .map(|remark| sentence!("{}.", remark.message));
    messages.collect()
}

fn heading(view: &View<'_>, rank: Option<Shown>, node: NodeId, is_current: bool) -> Shown {
    let title = view.policy.title();
    let current = if is_current {
        ", the current policy"
    } else {
        ""
    };
    let best = || {
        let best = view.evaluation.best_rank(node);
        let best =
            best.filter(|_| view.tree.kind(node) == Kind::Account && node != NodeId::ROOT)?;
        let users = amount(view.evaluation.user_count() as f64);
        let best = cell(Value::Count(best.into()), Unit::Rank);
        Some(sentence!("its first user has rank {best} of {users}"))
    };
    match rank.or_else(best) {
        Some(rank) => sentence!("{title}{current}, {rank}"),
        None => sentence!("{title}{current}"),
    }
}

impl NodeStandings {
    fn add_to(&self, document: &mut Document<'_>, view: &View<'_>) {
        let shares = match self.node {
            NodeId::ROOT => Shown::default(),
            node => sentence!("{}, ", with_shares(view.tree.shares(node))),
        };
        let usage = view.value(ColumnId::Usage, self.node);
        let usage = cell(usage, ColumnId::Usage.unit());
        let path = view.path(self.node);
        document.line(Line::strong(path).plain(sentence!(": {shares}usage {usage}")));
        if view.shows_only_printed() || view.tree.part().is_some() {
            let text = "The other policies rank only the users that the source lists.";
            document.line(Line::of(Emphasis::Over, text));
        }
        for standing in &self.policies {
            document.section(standing.heading.clone());
            document.lines(standing.lines());
        }
    }

    fn facts<'a>(&'a self, view: &'a View<'a>) -> impl Serialize {
        let mut document = Document::default();
        self.add_to(&mut document, view);
        let policies = self.policies.iter();
        object! {
            node: Row::alone(view, self.node),
            policies: Lines(Entries(policies.map(|standing| (standing.policy.name(), standing.facts(view))))),
            text: text_of(&document),
        }
    }
}

impl Report for EveryPolicyReport<'_> {
    fn front(&self) -> Front {
        Front::of(self.title(), self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::headed(dump::headline(self.view));
        if self.nodes.len() > 1 {
            let count = counted(self.nodes.len() + self.more, "user is", "users are");
            document.sentence(sentence!("{count} called {}:", self.name));
        }
        for standings in &self.nodes {
            standings.add_to(&mut document, self.view);
        }
        document.left_off(self.more);
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let view = self.view;
        match &self.nodes[..] {
            [only] => json::write(out, view, only.facts(view)),
            nodes => {
                let nodes = nodes.iter();
                let body = object! {
                    explanations: Lines(List(nodes.map(|node| node.facts(view)))),
                    more: self.more,
                };
                json::write(out, view, body)
            }
        }
    }

    /// Returns a row for each node under each policy.
    fn csv(&self) -> Option<Table<'_>> {
        let mut rows = Vec::new();
        for standings in &self.nodes {
            for standing in &standings.policies {
                rows.push((standings.node, standing));
            }
        }
        let columns = vec![
            Column::left("path", |(node, _): &StandingRow<'_>| {
                Cell::Node(self.view.tree, *node)
            }),
            Column::exact("policy", |(_, standing): &StandingRow<'_>| {
                standing.policy.name().into()
            }),
            Column::number("rank", Unit::Rank, |(_, standing): &StandingRow<'_>| {
                standing.rank_value()
            }),
            Column::number("users", Unit::Count, |(_, standing): &StandingRow<'_>| {
                Value::Count(standing.user_count as i64)
            }),
            Column::number("tied", Unit::Count, |(_, standing): &StandingRow<'_>| {
                Value::Count(standing.tied as i64)
            }),
            Column::number(
                "factor",
                Unit::Fraction,
                |(_, standing): &StandingRow<'_>| standing.factor(),
            ),
        ];
        Some(Table::new(columns, rows.into_iter()))
    }
}
