//! Why a node stands where it stands: the policy's formulas with this node's numbers, and one sentence.
//!
//! [`lines`] is what the explorer draws and `fairscope explain` prints: text with emphasis as data.

mod classic;
mod fair_tree;
mod flux;
mod formula;
mod job_usage;
mod level_based;
mod neighbours;
mod pbs;
mod recorded;
mod standing;
mod steps;
mod tickets;

use super::json::{Json, Layout};
use super::{Field, View, json, order};
use crate::model::{NodeId, path_of};
use crate::rules::policy::{ColumnId, Detail, Explanation, Level, Neighbour, Policy, pbs as rule};
use crate::source::format::Severity;
use std::io::{self, Write};

pub(super) use neighbours::decided;

/// How a piece of text stands out; the screen gives it a style, plain text none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emphasis {
    /// Not at all.
    Plain,
    /// It is what the line is about.
    Strong,
    /// More was used than the target.
    Over,
    /// Less was used than the target.
    Under,
    /// It can be passed over.
    Dim,
    /// It belongs to this level of a tree, from 0.
    Bucket(u8),
}

/// A piece of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The text, fit to be shown.
    pub text: String,
    /// How it stands out.
    pub emphasis: Emphasis,
}

/// A line of prose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The pieces, from left to right.
    pub spans: Vec<Span>,
}

impl Line {
    /// A line without emphasis.
    #[must_use]
    pub fn plain(text: impl Into<String>) -> Self {
        Self::default().and(Emphasis::Plain, text)
    }

    /// A line of one emphasis.
    #[must_use]
    pub fn of(emphasis: Emphasis, text: impl Into<String>) -> Self {
        Self::default().and(emphasis, text)
    }

    /// The line with a further piece.
    #[must_use]
    pub fn and(mut self, emphasis: Emphasis, text: impl Into<String>) -> Self {
        let text = text.into();
        self.spans.push(Span { text, emphasis });
        self
    }

    /// The text without emphasis.
    #[must_use]
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }
}

/// The explanation as prose: one sentence, then where each number comes from, level by level, then who stands
/// beside it in the order and where that is decided.
#[must_use]
pub fn lines(view: &View<'_>, explanation: &Explanation) -> Vec<Line> {
    let mut lines = match (&explanation.detail, view.policy) {
        (Detail::Pbs(detail), Policy::Formula) => formula::lines(view, explanation, detail),
        (Detail::Pbs(detail), _) => pbs::lines(view, explanation, detail),
        (Detail::Levels(levels), Policy::LevelBased) => {
            level_based::lines(view, explanation, levels)
        }
        (Detail::Levels(levels), Policy::Flux) => flux::lines(view, explanation, levels),
        (Detail::Levels(levels), Policy::Tickets) => tickets::lines(view, explanation, levels),
        (Detail::Levels(levels), Policy::Classic | Policy::DepthOblivious) => {
            classic::lines(view, explanation, levels)
        }
        (Detail::Levels(levels), _) => fair_tree::lines(view, explanation, levels),
    };
    // Behind the sentence that says where the node stands.
    let after = lines.len().min(1);
    // What is assumed of the whole source stands in its title, and among the findings.
    let remarks = order::quick(view).into_iter();
    let remarks = remarks.filter(|remark| remark.code != order::ASSUMED);
    lines.splice(
        after..after,
        remarks.map(|remark| {
            let emphasis = match remark.severity {
                Severity::Note => Emphasis::Dim,
                Severity::Warning | Severity::Error => Emphasis::Over,
            };
            Line::of(emphasis, format!("  {}.", remark.message))
        }),
    );
    lines.splice(after..after, recorded::caveat(view, explanation.node));
    lines.extend(neighbours::lines(view, explanation));
    lines.extend(job_usage::lines(view, explanation.node));
    lines.extend(recorded::lines(view, explanation.node));
    lines
}

/// The heading of a part: what it is about, and its formula.
fn heading(what: &str, how: &str) -> Line {
    Line::of(Emphasis::Strong, what.to_owned()).and(Emphasis::Dim, format!(": {how}"))
}

/// Lines as plain text, one a line.
///
/// # Errors
/// If writing fails.
pub fn write_text(out: &mut dyn Write, lines: &[Line]) -> io::Result<()> {
    for line in lines {
        writeln!(out, "{}", line.text().trim_end())?;
    }
    Ok(())
}

/// Why a node has no numbers, behind its name: the policy leaves it out.
pub(super) fn without_numbers(policy: Policy) -> String {
    match policy {
        Policy::Flux => {
            " has no numbers: it or an account above it is inactive, or has shares `parent`, which Flux does not know."
        }
        _ => " has no numbers: it or an account above it has shares `parent`, which PBS does not know.",
    }
    .to_owned()
}

/// Writes an explanation as JSON.
///
/// # Errors
/// If writing fails.
pub fn write_json(
    out: &mut dyn Write,
    view: &View<'_>,
    explanation: &Explanation,
) -> io::Result<()> {
    let mut json = Json::new(out);
    json::open(&mut json, view)?;
    json.key("node")?;
    write_node(&mut json, view, explanation.node)?;
    json.key("levels")?;
    json.array(Layout::Lines)?;
    match &explanation.detail {
        Detail::Pbs(detail) => {
            for level in &detail.levels {
                write_pbs_level(&mut json, view, level)?;
            }
        }
        Detail::Levels(levels) => {
            for level in levels {
                write_level(&mut json, view, level)?;
            }
        }
    }
    json.close()?;
    for (key, neighbour) in [
        ("ahead", &explanation.ahead),
        ("behind", &explanation.behind),
    ] {
        json.key(key)?;
        write_neighbour(&mut json, view, neighbour.as_ref())?;
    }
    json.key("tied")?;
    json.raw(explanation.tied)?;
    job_usage::write(&mut json, view, explanation.node)?;
    json.key("text")?;
    json.string(&text(&lines(view, explanation)))?;
    json::problems(&mut json, "problems", view.problems.list())?;
    json.close()
}

/// Lines as one text.
pub(super) fn text(lines: &[Line]) -> String {
    let lines: Vec<String> = lines.iter().map(Line::text).collect();
    lines.join("\n")
}

/// Writes a node as `show` does, with its parent's place in the whole tree.
pub(super) fn write_node(json: &mut Json<'_>, view: &View<'_>, node: NodeId) -> io::Result<()> {
    let parent = view
        .tree
        .parent(node)
        .and_then(|parent| view.tree.order().position(parent))
        .and_then(|place| u32::try_from(place).ok());
    let path = path_of(view.tree, node);
    let fields = Field::all(view.policy);
    json::node(json, view, &fields, node, path.as_deref(), parent)
}

/// Writes the path of a node, or null.
fn write_path(json: &mut Json<'_>, view: &View<'_>, node: Option<NodeId>) -> io::Result<()> {
    let path = node.and_then(|node| path_of(view.tree, node));
    json.text(path.as_deref())
}

/// Writes one level on the way from the root: what it competes with, and the policy's numbers.
fn write_level(json: &mut Json<'_>, view: &View<'_>, level: &Level) -> io::Result<()> {
    json.object(Layout::Inline)?;
    json.key("path")?;
    write_path(json, view, Some(level.node))?;
    json.key("under")?;
    write_path(json, view, Some(level.account))?;
    json.key("shares")?;
    json.value(view.value(ColumnId::Shares, level.node))?;
    json.key("family_shares")?;
    json.raw(level.family_shares)?;
    json.key("usage")?;
    json.value(view.value(ColumnId::Usage, level.node))?;
    for &column in view.policy.columns() {
        json.key(column.name())?;
        json.value(view.value(column, level.node))?;
    }
    json.key("siblings_ahead")?;
    json.raw(level.siblings_ahead)?;
    json.key("siblings_tied")?;
    json.raw(level.siblings_tied)?;
    json.key("sibling_count")?;
    json.raw(level.sibling_count)?;
    json.key("users_ahead")?;
    json.raw(level.users_ahead)?;
    json.key("sibling_ahead")?;
    write_path(json, view, level.sibling_ahead)?;
    json.key("heaviest_sibling")?;
    write_path(json, view, level.heaviest_sibling)?;
    json.close()
}

/// Writes a neighbour in the order, and where that order is decided.
fn write_neighbour(
    json: &mut Json<'_>,
    view: &View<'_>,
    neighbour: Option<&Neighbour>,
) -> io::Result<()> {
    let Some(neighbour) = neighbour else {
        return json.raw("null");
    };
    json.object(Layout::Inline)?;
    json.key("path")?;
    write_path(json, view, Some(neighbour.node))?;
    json.key("rank")?;
    json.raw(neighbour.rank)?;
    json.key("decided_by")?;
    json.string(neighbour.decision.column.name())?;
    json.key("sides")?;
    json.array(Layout::Inline)?;
    for side in neighbour.decision.sides {
        write_path(json, view, Some(side))?;
    }
    json.close()?;
    json.close()
}

/// Writes one level of PBS's on the way from the root.
fn write_pbs_level(json: &mut Json<'_>, view: &View<'_>, level: &rule::Level) -> io::Result<()> {
    json.object(Layout::Inline)?;
    json.key("path")?;
    json.text(path_of(view.tree, level.node).as_deref())?;
    json.key("shares")?;
    json.raw(level.shares)?;
    json.key("family_shares")?;
    json.raw(level.family_shares)?;
    json.key("usage")?;
    json.double(level.usage)?;
    for (key, number) in [
        ("group_percentage", level.group_percentage),
        ("fairshare_perc", level.fairshare_perc),
        ("own_usage", level.own_usage),
        ("parent_tree_usage", level.parent_tree_usage),
        ("fairshare_tree_usage", level.fairshare_tree_usage),
    ] {
        json.key(key)?;
        json.single(number)?;
    }
    json.key("fairshare_factor")?;
    json.double(level.fairshare_factor)?;
    json.key("usage_over_perc")?;
    json.double(level.usage_over_perc)?;
    json.key("is_over_share")?;
    json.raw(level.is_over_share)?;
    json.key("siblings_ahead")?;
    json.raw(level.siblings_ahead)?;
    json.key("sibling_count")?;
    json.raw(level.sibling_count)?;
    json.key("heaviest_sibling")?;
    let heaviest = level
        .heaviest_sibling
        .and_then(|sibling| path_of(view.tree, sibling));
    json.text(heaviest.as_deref())?;
    json.close()
}
