//! `whatif` as a comment on a change of shares: after the verdict who gains and who pays, how to keep the sums, and the
//! commands, folded.

use super::WhatIf;
use crate::analysis::diff::Diff;
use crate::analysis::impact::Impact;
use crate::analysis::plan::Plan;
use crate::base::number::grouped;
use crate::base::shown::{Shown, sentence, shown_text};
use crate::model::NodeId;
use crate::report::impact::{edits, effects};
use crate::report::plan::{Part, add_part, add_rest};
use crate::report::render::document::{Block, Document};
use crate::report::words::changes::place;
use crate::report::words::diff::diluted;
use crate::scenario::{level_sum, parse, spelled_path};
use std::collections::BTreeSet;

/// The most levels whose sum is said how to be kept, nodes that one line keeps, and commands of a list.
const LEVELS: usize = 5;
const KEPT: usize = 20;
const COMMANDS: usize = 100;

impl WhatIf<'_> {
    pub(super) fn add_comment(&self, document: &mut Document<'_>, impact: &Impact) {
        let diff = Diff::between(&self.scenario.beside(None), self.scenario);
        document.paragraphs(diluted(&diff));
        let edits = edits(self.scenario, &impact.changes, true);
        for mut table in std::iter::once(edits).chain(effects(self.scenario, impact)) {
            if table.is_of_dilution {
                table.heading = sentence!("Who pays. {}", table.heading);
            }
            table.add_to(document);
            document.gap();
        }
        self.add_sums(document, impact);
        if let Some(plan) = self.options.plan {
            add_plan(document, plan);
        }
    }

    /// Adds how to keep the sum of each level whose sum the edits change.
    fn add_sums(&self, document: &mut Document<'_>, impact: &Impact) {
        let trees = [&self.scenario.base().tree, self.scenario.tree()];
        let nodes = impact.changes.list.iter().filter_map(|it| it.what.node());
        let accounts = nodes.flat_map(|node| {
            let has = trees.map(|tree| tree.contains(node));
            [0, 1].map(|side| has[side].then(|| trees[side].parent(node)).flatten())
        });
        let levels: BTreeSet<NodeId> = accounts.flatten().collect();
        let levels = levels.into_iter();
        let levels = levels.filter(|&level| trees.iter().all(|tree| tree.contains(level)));
        let sums = levels.map(|level| (level, trees.map(|tree| level_sum(tree, level))));
        let changed = sums.filter(|(_, [before, after])| before != after);
        for (level, [before, after]) in changed.take(LEVELS) {
            let name = place(trees[1], level);
            let [now, was] = [after, before].map(grouped);
            let sums = sentence!("The shares of {name} add up to {now} instead of {was}.");
            let Some((when, line)) = self.kept_sum(level, before) else {
                document.paragraph(sums);
                continue;
            };
            document.paragraph(sentence!(
                "{sums} {when} keeps the sum, and the others share the difference in proportion:"
            ));
            document.push(Block::Verbatim {
                language: "text",
                lines: vec![vec![line]],
            });
            document.gap();
        }
    }

    /// Returns the edit that keeps the sum of a level: a trade in place of its only edit, or else a scaling of all that
    /// was not edited. `None` if it does not fit.
    fn kept_sum(&self, level: NodeId, sum: i64) -> Option<(&'static str, Shown)> {
        let (scenario, base) = (self.scenario, self.scenario.base());
        let (tree, was) = (scenario.tree(), &base.tree);
        let is_here = |&node: &NodeId| tree.contains(node) && tree.parent(node) == Some(level);
        let is_edited =
            |node: &NodeId| scenario.has_new_shares(*node) || was.parent(*node) != Some(level);
        let edited: Vec<NodeId> = tree.children(level).filter(is_edited).collect();
        if let [node] = edited[..]
            && !scenario.is_new(node)
            && was.children(level).all(|node| is_here(&node))
            && let Some(count) = tree.shares(node).count()
        {
            let line = format!("trade {}={count}", spelled_path(tree, node));
            let fits = parse(line.as_bytes(), was, &base.settings).is_ok();
            let line = shown_text(line.as_bytes());
            return fits.then_some(("In place of the edit, this one", line));
        }
        let name = match level {
            NodeId::ROOT => "/".to_owned(),
            level => spelled_path(tree, level),
        };
        let mut line = format!("scale {name} to {sum}");
        for &node in &edited {
            line += " keeping ";
            line += &spelled_path(tree, node);
        }
        let is_parsed = parse(line.as_bytes(), tree, scenario.settings()).is_ok();
        let fits = is_parsed && edited.len() <= KEPT;
        let line = shown_text(line.as_bytes());
        fits.then_some(("After the edits, this one", line))
    }
}

fn add_plan(document: &mut Document<'_>, plan: &Plan) {
    let mut plan = plan.clone();
    for commands in [&mut plan.commands, &mut plan.rollback] {
        if let left @ 1.. = commands.len().saturating_sub(COMMANDS) {
            commands.truncate(COMMANDS);
            commands.push(format!("# and {left} more, which fairscope plan prints"));
        }
    }
    add_part(document, &plan, Part::Refusals);
    let title = plan.scheduler.title();
    let line = sentence!("Commands for {title}, and the rollback");
    fold(document, &line);
    add_rest(document, &plan);
    unfold(document);
}

/// Hides what follows, up to the end, behind a line.
pub(super) fn fold(document: &mut Document<'_>, line: &Shown) {
    document.sentence(sentence!("<details><summary>{line}</summary>"));
    document.gap();
}

pub(super) fn unfold(document: &mut Document<'_>) {
    document.gap();
    document.sentence("</details>");
    document.gap();
}
