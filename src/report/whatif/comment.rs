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

/// The most levels for which the comment says how to keep the sum of the shares.
const MOST_LEVELS: usize = 5;

/// The most nodes that an edit which keeps a sum may name.
const MOST_KEPT: usize = 20;

/// The most commands of a list.
const MOST_COMMANDS: usize = 100;

/// A level on which the edits change the sum of the shares.
struct ChangedSum {
    /// The account whose children these are.
    level: NodeId,
    /// The sum before the edits.
    before: i64,
    /// The sum with the edits.
    after: i64,
}

/// An edit that keeps the sum of a level.
struct KeepingEdit {
    /// When it is to be made.
    when: &'static str,
    /// The edit.
    line: Shown,
}

impl WhatIf<'_> {
    /// Adds who gains and who pays, how to keep the sums, and the commands.
    pub(super) fn add_comment(&self, document: &mut Document<'_>, impact: &Impact) {
        let diff = Diff::between(&self.scenario.beside(None), self.scenario);
        document.paragraphs(diluted(&diff));
        edits(self.scenario, &impact.changes, true).add_to(document);
        document.gap();
        for mut table in effects(self.scenario, impact) {
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
        for changed in self.changed_sums(impact) {
            let name = place(self.scenario.tree(), changed.level);
            let now = grouped(changed.after);
            let was = grouped(changed.before);
            let sums = sentence!("The shares of {name} add up to {now} instead of {was}.");
            let Some(edit) = self.keeping_edit(&changed) else {
                document.paragraph(sums);
                continue;
            };
            document.paragraph(sentence!(
                "{sums} {} keeps the sum, and the others share the difference in proportion:",
                edit.when
            ));
            document.push(Block::Verbatim {
                language: "text",
                lines: vec![vec![edit.line]],
            });
            document.gap();
        }
    }

    /// Returns the first levels whose sum the edits change, of those that are in both trees.
    fn changed_sums(&self, impact: &Impact) -> Vec<ChangedSum> {
        let old = &self.scenario.base().tree;
        let new = self.scenario.tree();
        let mut levels = BTreeSet::new();
        for change in &impact.changes.list {
            if let Some(node) = change.what.node() {
                for tree in [old, new] {
                    if tree.contains(node) {
                        levels.extend(tree.parent(node));
                    }
                }
            }
        }
        let mut changed = Vec::new();
        for level in levels {
            if changed.len() < MOST_LEVELS && old.contains(level) && new.contains(level) {
                let before = level_sum(old, level);
                let after = level_sum(new, level);
                if before != after {
                    changed.push(ChangedSum {
                        level,
                        before,
                        after,
                    });
                }
            }
        }
        changed
    }

    /// Returns the edit that keeps the sum of a level: a trade instead of its only edit, or else a scaling of all that
    /// was not edited. `None` if it does not fit.
    fn keeping_edit(&self, changed: &ChangedSum) -> Option<KeepingEdit> {
        let edited = self.edited_children(changed.level);
        if let [node] = edited[..]
            && self.has_kept_children(changed.level)
            && !self.scenario.is_new(node)
            && let Some(count) = self.scenario.tree().shares(node).count()
        {
            return self.trade(node, count);
        }
        self.scaling(changed, &edited)
    }

    /// Returns the children of an account that were edited, or are from elsewhere.
    fn edited_children(&self, account: NodeId) -> Vec<NodeId> {
        let old = &self.scenario.base().tree;
        let mut edited: Vec<NodeId> = self.scenario.tree().children(account).collect();
        edited.retain(|&node| {
            self.scenario.has_new_shares(node) || old.parent(node) != Some(account)
        });
        edited
    }

    /// Returns whether all former children of an account are still in it.
    fn has_kept_children(&self, account: NodeId) -> bool {
        let tree = self.scenario.tree();
        let mut children = self.scenario.base().tree.children(account);
        children.all(|node| tree.contains(node) && tree.parent(node) == Some(account))
    }

    /// Returns the trade that gives a node its new shares.
    fn trade(&self, node: NodeId, count: i64) -> Option<KeepingEdit> {
        let path = spelled_path(self.scenario.tree(), node);
        let line = format!("trade {path}={count}");
        let base = self.scenario.base();
        parse(line.as_bytes(), &base.tree, &base.settings).ok()?;
        Some(KeepingEdit {
            when: "In place of the edit, this one",
            line: shown_text(line.as_bytes()),
        })
    }

    /// Returns the edit that scales a level to its former sum, but for the edited nodes.
    fn scaling(&self, changed: &ChangedSum, edited: &[NodeId]) -> Option<KeepingEdit> {
        if edited.len() > MOST_KEPT {
            return None;
        }
        let tree = self.scenario.tree();
        let level = match changed.level {
            NodeId::ROOT => "/".to_owned(),
            level => spelled_path(tree, level),
        };
        let mut line = format!("scale {level} to {}", changed.before);
        for &node in edited {
            line += " keeping ";
            line += &spelled_path(tree, node);
        }
        parse(line.as_bytes(), tree, self.scenario.settings()).ok()?;
        Some(KeepingEdit {
            when: "After the edits, this one",
            line: shown_text(line.as_bytes()),
        })
    }
}

/// Adds what cannot be done, and the commands behind a line that unfolds them.
fn add_plan(document: &mut Document<'_>, plan: &Plan) {
    let mut shortened = plan.clone();
    for commands in [&mut shortened.commands, &mut shortened.rollback] {
        let left = commands.len().saturating_sub(MOST_COMMANDS);
        if left > 0 {
            commands.truncate(MOST_COMMANDS);
            commands.push(format!("# and {left} more, which fairscope plan prints"));
        }
    }
    add_part(document, &shortened, Part::Refusals);
    let title = plan.scheduler.title();
    fold(
        document,
        &sentence!("Commands for {title}, and the rollback"),
    );
    add_rest(document, &shortened);
    unfold(document);
}

/// Hides what follows, up to the end, behind a line.
pub(super) fn fold(document: &mut Document<'_>, line: &Shown) {
    document.sentence(sentence!("<details><summary>{line}</summary>"));
    document.gap();
}

/// Ends what [`fold`] hides.
pub(super) fn unfold(document: &mut Document<'_>) {
    document.gap();
    document.sentence("</details>");
    document.gap();
}
