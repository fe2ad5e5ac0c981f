//! Whether it came to the shares, when, how much it swings, and what was to be expected.

use super::machine::whole;
use super::{Runs, off_by};
use crate::contention::{Contention, Promise, half_life, is_promised, promise};
use crate::model::{NodeId, duration_for_people};
use crate::number::percent;

/// A half-life of fewer jobs than this is short: ranks follow what runs now, and hardly what ran before.
const SHORT: f64 = 4.0;

impl Runs<'_> {
    /// What is to be said of a run, in sentences.
    #[must_use]
    pub fn verdict(&self, run: &Contention) -> Vec<String> {
        let mut sentences = vec![
            self.convergence(run),
            self.swing(run),
            self.expectation(run),
        ];
        sentences.extend(self.forgetful(run));
        sentences
    }

    fn convergence(&self, run: &Contention) -> String {
        let policy = run.policy.name();
        let within = percent(self.tolerance);
        let top = run.course(&self.top(), self.tolerance);
        let users = run.course(&self.users(), self.tolerance);
        let day = duration_for_people;
        match (top.converged, users.converged) {
            (Some(top), Some(users)) => format!(
                "{policy} converges: the top level after {}, all users after {} (within {within} of their targets).",
                day(top),
                day(users)
            ),
            (Some(top), None) => format!(
                "{policy} does not converge: the top level comes within {within} of its targets after {}, but {}.",
                day(top),
                self.furthest(run, users.furthest)
            ),
            (None, _) => format!(
                "{policy} does not converge: {}.",
                self.furthest(run, top.furthest.or(users.furthest))
            ),
        }
    }

    /// Whose portion lies how far from its target.
    fn furthest(&self, run: &Contention, node: Option<NodeId>) -> String {
        let portions = node.and_then(|node| {
            let portion = run.portion_of(run.second_half(), node)?;
            Some((node, portion, run.target(node)?))
        });
        portions.map_or_else(
            || "somebody swings about their target".to_owned(),
            |(node, portion, target)| {
                format!(
                    "{} gets {} where its target is {} ({})",
                    self.view.path(node),
                    percent(portion),
                    percent(target),
                    off_by(portion / target - 1.0)
                )
            },
        )
    }

    fn swing(&self, run: &Contention) -> String {
        let top = run.course(&self.top(), self.tolerance);
        let jain = |window| {
            let jain = run.jain(self.view.tree, window);
            jain.map_or_else(|| "none".to_owned(), |jain| format!("{jain:.4}"))
        };
        let last = run.windows().saturating_sub(1);
        format!(
            "  Over windows of {} the top level swings by {} of the machine; Jain's index goes from {} to {}.",
            duration_for_people(run.window),
            percent(top.amplitude),
            jain(0),
            jain(last)
        )
    }

    fn expectation(&self, run: &Contention) -> String {
        let (promise, reason) = promise(run.policy);
        let promise = match promise {
            Promise::Shares => "promises shares",
            Promise::FlatTrees if is_promised(run.policy, self.view.tree) => {
                "promises shares where all users stand right below the root, as here"
            }
            Promise::FlatTrees => "promises shares only where all users stand right below the root",
            Promise::Nothing => "does not promise shares",
        };
        format!("  {} {promise}: {reason}.", run.policy.name())
    }

    /// What to say where usage is forgotten before it counts.
    fn forgetful(&self, run: &Contention) -> Option<String> {
        let half_life = half_life(self.view.settings)?;
        let job = run.machine.job_time;
        (half_life < SHORT * job as f64).then(|| {
            format!(
                "  The half-life of {} is short against jobs of {}: most of what a job used is forgotten soon after it \
                 ends, so that ranks follow what runs now, and who used too much before is not held back for it.",
                duration_for_people(whole(half_life)),
                duration_for_people(job)
            )
        })
    }
}
