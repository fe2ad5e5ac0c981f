//! Why a node has its rank, as a report.

pub use super::render::line::Line;
pub use super::words::explain::lines;

use super::field::Row;
use super::render::document::{Document, Front};
use super::render::json::{self, Entries, Lines, List, object};
use super::render::line::text;
use super::words::explain::job_usage;
use super::{Report, View, dump};
use crate::base::shown::sentence;
use crate::model::path_of;
use crate::rules::policy::{ColumnId, Detail, Explanation, Level, Neighbour, pbs as rule};
use serde::Serialize;
use std::io::{self, Write};

pub(crate) struct ExplanationReport<'a> {
    pub(crate) view: &'a View<'a>,
    pub(crate) explanation: &'a Explanation,
}

impl Report for ExplanationReport<'_> {
    fn front(&self) -> Front {
        let path = self.view.path(self.explanation.node);
        Front::of(sentence!("The rank of {path}"), self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::default();
        document.headline(dump::headline(self.view));
        document.lines(lines(self.view, self.explanation));
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { view, explanation } = *self;
        // Without computed numbers there are no levels to explain.
        let is_worked_out = !view.shows_only_printed();
        let (of_pbs, others) = match &explanation.detail {
            Detail::Pbs(detail) => (Some(detail.levels.iter()), None),
            Detail::Levels(levels) => (None, Some(levels.iter().filter(|_| is_worked_out))),
        };
        let of_pbs = of_pbs.map(|levels| {
            object! { levels: Lines(List(levels.map(|level| pbs_level(view, level)))) }
        });
        let others = others.map(|levels| {
            object! { levels: Lines(List(levels.map(|level| level_of(view, level)))) }
        });
        let path = |node| path_of(view.tree, node);
        let neighbour = |it: &Neighbour| {
            object! {
                path: path(it.node),
                rank: it.rank,
                decided_by: it.decision.column.name(),
                sides: it.decision.sides.map(path),
            }
        };
        let body = object! {
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
        };
        json::write(out, view, body)
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

fn pbs_level(view: &View<'_>, level: &rule::PbsLevel) -> impl Serialize {
    let path = |node| path_of(view.tree, node);
    object! {
        path: path(level.node),
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
        siblings_ahead: level.siblings_ahead,
        sibling_count: level.sibling_count,
        sibling_ahead: level.sibling_ahead.and_then(path),
        heaviest_sibling: level.heaviest_sibling.and_then(path),
    }
}
