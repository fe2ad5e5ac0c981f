//! `explain`: why a node has its rank; with two nodes where their paths diverge, and which is ahead by which number.

mod comparison;

pub use super::render::line::Line;
pub use super::words::explain::lines;
pub(crate) use comparison::Comparison;
pub use comparison::{Split, compared, split};

use super::field::Row;
use super::render::document::{Document, Front};
use super::render::json::{self, Entries, Lines, object};
use super::render::line::text;
use super::render::table::Table;
use super::show::rows_of;
use super::words::explain::job_usage;
use super::{Report, View, dump};
use crate::base::shown::{sentence, shown};
use crate::model::path_of;
use crate::rules::policy::pbs::PbsLevel;
use crate::rules::policy::{ColumnId, Explanation, Level, Neighbour};
use serde::Serialize;
use std::io::{self, Write};

/// Why one node has its rank.
pub(crate) struct ExplanationReport<'a> {
    /// The tree with its numbers.
    pub(crate) view: &'a View<'a>,
    /// The rank of the node, with what gives it.
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
    /// The tree with its numbers.
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
        let name = shown(&self.name);
        Front::of(sentence!("The ranks of {name}"), self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::headed(dump::headline(self.view));
        let count = self.explanations.len() + self.more;
        let name = shown(&self.name);
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
        let mut explanations = Vec::new();
        for explanation in &self.explanations {
            explanations.push(facts(view, explanation));
        }
        let body = object! {
            explanations: Lines(explanations),
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

/// Returns an explanation for JSON.
fn facts(view: &View<'_>, explanation: &Explanation) -> impl Serialize {
    let node = explanation.node;
    let mut of_jobs = None;
    if let Some(facts) = job_usage::facts(view, node) {
        of_jobs = Some(object! { job_usage: facts });
    }
    object! {
        node: Row::alone(view, node),
        #[serde(flatten)]
        of_pbs: pbs_levels(view, explanation),
        #[serde(flatten)]
        others: levels(view, explanation),
        ahead: neighbour(view, explanation.ahead.as_ref()),
        behind: neighbour(view, explanation.behind.as_ref()),
        tied: explanation.tied,
        #[serde(flatten)]
        job_usage: of_jobs,
        text: text(&lines(view, explanation)),
    }
}

/// Returns the levels of a path under PBS's rules, or a formula of its numbers; `None` under the others.
fn pbs_levels(view: &View<'_>, explanation: &Explanation) -> Option<impl Serialize> {
    let detail = explanation.pbs.as_ref()?;
    let mut levels = Vec::new();
    for level in detail.levels.iter() {
        levels.push(pbs_level(view, level));
    }
    Some(object! { levels: Lines(levels) })
}

/// Returns the levels of a path; `None` under PBS's rules. Without computed numbers there are no levels to explain.
fn levels(view: &View<'_>, explanation: &Explanation) -> Option<impl Serialize> {
    if explanation.pbs.is_some() {
        return None;
    }
    let mut levels = Vec::new();
    if !view.shows_only_printed() {
        for level in explanation.levels.iter() {
            levels.push(level_of(view, level));
        }
    }
    Some(object! { levels: Lines(levels) })
}

/// Returns a neighbour in the order, with what decides; `None` if there is none.
fn neighbour(view: &View<'_>, neighbour: Option<&Neighbour>) -> Option<impl Serialize> {
    let neighbour = neighbour?;
    let decision = &neighbour.decision;
    let own = path_of(view.tree, decision.own);
    let other = path_of(view.tree, decision.other);
    Some(object! {
        path: path_of(view.tree, neighbour.node),
        rank: neighbour.rank,
        decided_by: decision.column.name(),
        sides: vec![own, other],
    })
}

/// Returns what a node of a path competes with, with the numbers of the policy.
fn level_of(view: &View<'_>, level: &Level) -> impl Serialize {
    let tree = view.tree;
    let node = level.node;
    let mut columns = Vec::new();
    for &column in view.policy.columns() {
        let value = view.value(column, node);
        columns.push((column.name(), value));
    }
    let ahead = level.sibling_ahead;
    let heaviest = level.heaviest_sibling;
    object! {
        path: path_of(tree, node),
        under: path_of(tree, level.account),
        shares: view.value(ColumnId::Shares, node),
        family_shares: level.family_shares,
        usage: view.value(ColumnId::Usage, node),
        #[serde(flatten)]
        columns: Entries(columns),
        siblings_ahead: level.siblings_ahead,
        siblings_tied: level.siblings_tied,
        sibling_count: level.sibling_count,
        users_ahead: level.users_ahead,
        sibling_ahead: ahead.and_then(|sibling| path_of(tree, sibling)),
        heaviest_sibling: heaviest.and_then(|sibling| path_of(tree, sibling)),
    }
}

/// Returns what a node of a path competes with, with PBS's numbers.
fn pbs_level(view: &View<'_>, level: &PbsLevel) -> impl Serialize {
    let tree = view.tree;
    let common = &level.common;
    let ahead = common.sibling_ahead;
    let heaviest = common.heaviest_sibling;
    object! {
        path: path_of(tree, common.node),
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
        siblings_ahead: common.siblings_ahead,
        sibling_count: common.sibling_count,
        sibling_ahead: ahead.and_then(|sibling| path_of(tree, sibling)),
        heaviest_sibling: heaviest.and_then(|sibling| path_of(tree, sibling)),
    }
}
