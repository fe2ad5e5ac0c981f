//! `explain --policy all`: a node under every policy, and where its rank differs from that under the current one.

use super::field::Row;
use super::render::document::{Document, Front};
use super::render::json::{self, Entries, Lines, object};
use super::render::line::{Emphasis, Line, text};
use super::render::table::{Cell, Column, Table};
use super::render::text::text_of;
use super::words::explain::{self as words, rank_of_all};
use super::{Report, View, dump, order, with_shares};
use crate::base::number::{Unit, Value, amount, cell, counted};
use crate::base::shown::{Shown, sentence, shown};
use crate::model::{Kind, NodeId, Tree, path_of};
use crate::rules::policy::{
    ColumnId, Comparison, ExplanationCache, Policy, RankDifference, RankedTree,
};
use serde::Serialize;
use std::io::{self, Write};
use std::slice;

/// Some nodes under every policy: one, or all users of a name.
pub(crate) struct EveryPolicyReport<'a> {
    /// The tree under the current policy.
    view: &'a View<'a>,
    /// The path of the node, or the name of several users.
    name: Shown,
    /// The nodes, each under every policy.
    nodes: Vec<NodeStandings>,
    /// How many further users have the name.
    more: usize,
}

/// A node under each of the policies, the current one first.
struct NodeStandings {
    /// The node.
    node: NodeId,
    /// What each policy makes of it.
    policies: Vec<PolicyStanding>,
}

/// What one policy makes of a node.
struct PolicyStanding {
    /// The policy.
    policy: Policy,
    /// The rank; `None` for an account, and for a user without one.
    rank: Option<u32>,
    /// How many users have a rank.
    user_count: usize,
    /// How many others have the same rank.
    tied: usize,
    /// The policy's numbers of the node.
    numbers: Vec<(ColumnId, Value)>,
    /// The policy and the rank in words.
    heading: Shown,
    /// What has to be known about the ranks of the policy, and was not said of another one before.
    remarks: Vec<Shown>,
    /// Why the rank may differ from the scheduler's.
    caveat: Option<Line>,
    /// How the numbers came about, in brief.
    steps: Vec<Line>,
    /// Where and why it differs from that under the current policy; `None` if it is the same, or not compared.
    difference: Option<PolicyDifference>,
}

/// Where a rank under one policy differs from that under another.
struct PolicyDifference {
    /// The difference.
    found: RankDifference,
    /// Why, in a sentence.
    why: Shown,
}

/// A node under one policy.
type StandingRow<'a> = (NodeId, &'a PolicyStanding);

impl<'a> EveryPolicyReport<'a> {
    /// Computes the tree under each policy, one after the other, since each takes as much memory as the tree.
    pub(crate) fn of(view: &'a View<'a>, nodes: &[NodeId], more: usize) -> Self {
        let name = match nodes {
            [node] => view.path(*node),
            [node, ..] => shown(view.tree.name(*node)),
            [] => Shown::default(),
        };
        let mut report = Self {
            view,
            name,
            nodes: Vec::new(),
            more,
        };
        for &node in nodes {
            report.nodes.push(NodeStandings {
                node,
                policies: Vec::new(),
            });
        }
        report.add(view);
        for policy in Comparison::usual(view.settings) {
            if policy == view.policy {
                continue;
            }
            let known = (view.policy, view.evaluation);
            let evaluation = policy.evaluate_beside(known, view.basis());
            let beside = view.under(policy, &evaluation);
            report.add(&beside);
        }
        report
    }

    /// Adds what the policy of a view makes of each node.
    fn add(&mut self, view: &View<'_>) {
        let memory = &mut ExplanationCache::default();
        for standings in &mut self.nodes {
            let mut standing = PolicyStanding::of(self.view, view, memory, standings.node);
            let remarks = &mut standing.remarks;
            for other in &standings.policies {
                remarks.retain(|remark| !other.remarks.contains(remark));
            }
            standings.policies.push(standing);
        }
    }

    /// Returns the title of the page.
    pub(crate) fn title(&self) -> Shown {
        let name = &self.name;
        sentence!("{name} under every policy")
    }
}

impl PolicyStanding {
    /// Returns what the policy of `view` makes of a node, beside that of `current`.
    fn of(
        current: &View<'_>,
        view: &View<'_>,
        memory: &mut ExplanationCache,
        node: NodeId,
    ) -> Self {
        let policy = view.policy;
        let explanation = policy.explain(view.tree, view.settings, view.evaluation, memory, node);
        let rank = rank_of_all(&explanation);
        Self {
            policy,
            rank: explanation.rank,
            user_count: explanation.user_count,
            tied: explanation.tied,
            numbers: numbers(view, node),
            heading: heading(view, rank, node, policy == current.policy),
            remarks: remarks(view),
            caveat: words::caveat(view, node),
            steps: words::in_brief(view, &explanation),
            difference: PolicyDifference::of(current, view, node),
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

    /// Returns what is said below the heading.
    fn lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        lines.extend(self.caveat.clone());
        for remark in &self.remarks {
            lines.push(Line::of(Emphasis::Dim, remark.clone()));
        }
        lines.extend_from_slice(&self.steps);
        if let Some(difference) = &self.difference {
            lines.push(Line::of(Emphasis::Strong, difference.why.clone()));
        }
        lines
    }

    /// Returns the standing for JSON.
    fn facts(&self, view: &View<'_>) -> impl Serialize + Clone {
        let mut steps = Vec::new();
        for step in &self.steps {
            steps.push(text(slice::from_ref(step)));
        }
        let mut numbers = Vec::new();
        for (column, value) in &self.numbers {
            numbers.push((column.name(), value));
        }
        let mut differs = None;
        if let Some(difference) = &self.difference {
            differs = Some(difference.facts(view.tree));
        }
        object! {
            rank: self.rank,
            users: self.user_count,
            tied: self.tied,
            numbers: Entries(numbers),
            steps: steps,
            differs: differs,
        }
    }
}

impl PolicyDifference {
    /// Returns where the rank of a node under the policy of `view` differs from that of `current`, and why.
    fn of(current: &View<'_>, view: &View<'_>, node: NodeId) -> Option<Self> {
        let tree = view.tree;
        // Printed ranks are of a tree of which only a few users are known.
        if current.shows_only_printed() || tree.part().is_some() {
            return None;
        }
        let user = compared_user(current, node);
        let trees = [ranked_tree(current), ranked_tree(view)];
        let found = RankDifference::between(tree, trees, user)?;
        let why = words::difference(current, view, &found);
        Some(Self { found, why })
    }

    /// Returns the difference for JSON.
    fn facts(&self, tree: &Tree) -> impl Serialize + Clone {
        let mut level = None;
        let mut against = None;
        let mut users = None;
        if let Some(order) = &self.found.order {
            level = path_of(tree, order.level);
            against = path_of(tree, order.sibling);
            users = Some(order.user_count);
        }
        object! {
            level: level,
            against: against,
            users: users,
            unranked: self.found.unranked,
            reason: self.why.to_string(),
        }
    }
}

/// Returns the ranks of a view.
const fn ranked_tree<'a>(view: &View<'a>) -> RankedTree<'a> {
    RankedTree {
        policy: view.policy,
        evaluation: view.evaluation,
    }
}

/// Returns a policy's numbers of a node, with the factor, which not every policy has among its columns.
fn numbers(view: &View<'_>, node: NodeId) -> Vec<(ColumnId, Value)> {
    let columns = view.policy.columns();
    let mut numbers = Vec::new();
    if !columns.contains(&ColumnId::Factor) {
        numbers.push((ColumnId::Factor, view.value(ColumnId::Factor, node)));
    }
    for &column in columns {
        numbers.push((column, view.value(column, node)));
    }
    numbers
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
    let mut messages = Vec::new();
    for remark in order::quick(view) {
        if remark.code != order::ASSUMED {
            messages.push(sentence!("{}.", remark.message));
        }
    }
    messages
}

/// Returns the heading of a policy, with the rank of a node, or the best rank below an account.
fn heading(view: &View<'_>, rank: Option<Shown>, node: NodeId, is_current: bool) -> Shown {
    let title = view.policy.title();
    let current = if is_current {
        ", the current policy"
    } else {
        ""
    };
    if let Some(rank) = rank {
        return sentence!("{title}{current}, {rank}");
    }
    if node != NodeId::ROOT
        && view.tree.kind(node) == Kind::Account
        && let Some(rank) = view.evaluation.best_rank(node)
    {
        let best = cell(Value::Count(rank.into()), Unit::Rank);
        let users = amount(view.evaluation.user_count() as f64);
        return sentence!("{title}{current}, its first user has rank {best} of {users}");
    }
    sentence!("{title}{current}")
}

impl NodeStandings {
    /// Adds the node, and what each policy makes of it.
    fn add_to(&self, document: &mut Document<'_>, view: &View<'_>) {
        let tree = view.tree;
        let node = self.node;
        let mut shares = Shown::default();
        if node != NodeId::ROOT {
            let own = with_shares(tree.shares(node));
            shares = sentence!("{own}, ");
        }
        let column = ColumnId::Usage;
        let usage = cell(view.value(column, node), column.unit());
        let path = Line::strong(view.path(node));
        document.line(path.plain(sentence!(": {shares}usage {usage}")));
        if view.shows_only_printed() || tree.part().is_some() {
            let text = "The other policies rank only the users that the source lists.";
            document.line(Line::of(Emphasis::Over, text));
        }
        for standing in &self.policies {
            document.section(standing.heading.clone());
            document.lines(standing.lines());
        }
    }

    /// Returns the node under each policy, for JSON.
    fn facts<'a>(&'a self, view: &'a View<'a>) -> impl Serialize {
        let mut document = Document::default();
        self.add_to(&mut document, view);
        let mut policies = Vec::new();
        for standing in &self.policies {
            policies.push((standing.policy.name(), standing.facts(view)));
        }
        object! {
            node: Row::alone(view, self.node),
            policies: Lines(Entries(policies)),
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
        if let [only] = &self.nodes[..] {
            return json::write(out, view, only.facts(view));
        }
        let mut explanations = Vec::new();
        for node in &self.nodes {
            explanations.push(node.facts(view));
        }
        let body = object! {
            explanations: Lines(explanations),
            more: self.more,
        };
        json::write(out, view, body)
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
                standing.rank.into()
            }),
            Column::number("users", Unit::Count, |(_, standing): &StandingRow<'_>| {
                standing.user_count.into()
            }),
            Column::number("tied", Unit::Count, |(_, standing): &StandingRow<'_>| {
                standing.tied.into()
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
