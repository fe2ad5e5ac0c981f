//! Why a node stands where it stands: the policy's formulas with this node's numbers, and one sentence.
//!
//! [`lines`] is what the explorer draws and `fairscope explain` prints: text with emphasis as data.

mod pbs;

use super::json::{Json, Layout};
use super::{Field, View, json};
use crate::model::{NodeId, path_of};
use crate::policy::Explanation;
use crate::policy::pbs::Level;
use std::io::{self, Write};

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

/// The explanation as prose: one sentence, then where each number comes from, level by level.
#[must_use]
pub fn lines(view: &View<'_>, explanation: &Explanation) -> Vec<Line> {
    match explanation {
        Explanation::Pbs(explanation) => pbs::lines(view, explanation),
    }
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

/// Writes an explanation as JSON.
///
/// # Errors
/// If writing fails.
pub fn write_json(
    out: &mut dyn Write,
    view: &View<'_>,
    explanation: &Explanation,
) -> io::Result<()> {
    let Explanation::Pbs(pbs) = explanation;
    let mut json = Json::new(out);
    json::open(&mut json, view)?;
    json.key("node")?;
    write_node(&mut json, view, pbs.node)?;
    json.key("levels")?;
    json.array(Layout::Lines)?;
    for level in &pbs.levels {
        write_level(&mut json, view, level)?;
    }
    json.close()?;
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

/// Writes one level on the way from the root.
fn write_level(json: &mut Json<'_>, view: &View<'_>, level: &Level) -> io::Result<()> {
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
