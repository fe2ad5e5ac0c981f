//! Whether it came to the shares, when, how much it swings, and what was to be expected.

use super::machine::whole;
use super::{Runs, off_by};
use crate::analysis::contention::{Contention, Promise, half_life, is_promised, promise};
use crate::base::number::percent;
use crate::model::{NodeId, duration_for_people};

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
        sentences.extend(self.lumps(run));
        sentences.extend(limited(run));
        sentences.extend(endless(run));
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
            (Some(top), Some(after)) => {
                let mut sentence = format!(
                    "{policy} converges: the top level after {}, all users after {} (within {within} of their targets",
                    day(top),
                    day(after)
                );
                if users.distance > self.tolerance {
                    let furthest = self.furthest(run, users.furthest);
                    sentence.push_str(", give or take what two cycles hand out: ");
                    sentence.push_str(&furthest);
                }
                sentence + ")."
            }
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
            duration_for_people(run.rhythm.window),
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

    /// What to say where somebody did not come to a target that is less than can be measured out.
    fn lumps(&self, run: &Contention) -> Option<String> {
        let users = run.course(&self.users(), self.tolerance);
        if users.distance <= self.tolerance || !is_promised(run.policy, self.view.tree) {
            return None;
        }
        let at_once = run.at_once();
        let least = at_once / self.tolerance;
        let targets = self
            .users()
            .into_iter()
            .filter_map(|user| Some((user, run.target(user)?)));
        let (user, target) = targets
            .filter(|&(_, target)| target > 0.0 && target < least)
            .min_by(|(_, one), (_, other)| one.total_cmp(other))?;
        let missed = if least < 1.0 {
            format!(
                "a target of less than {} may be missed by more than {}",
                percent(least),
                percent(self.tolerance)
            )
        } else {
            format!(
                "any target may be missed by more than {}",
                percent(self.tolerance)
            )
        };
        Some(format!(
            "  Cores are handed out in lumps: usage is counted every {} and jobs run for {}, so whoever is first may \
             get {} of all remembered usage before it shows in the ranks; {missed}, as that of {} ({}).",
            duration_for_people(run.rhythm.counted),
            duration_for_people(run.machine.job_time),
            percent(at_once),
            self.view.path(user),
            percent(target)
        ))
    }

    /// What to say where usage is forgotten before it counts.
    fn forgetful(&self, run: &Contention) -> Option<String> {
        let half_life = half_life(self.view.settings)?;
        let job = run.machine.job_time;
        if half_life >= SHORT * job as f64 {
            return None;
        }
        let swing = self
            .widest(run)
            .map_or_else(String::new, |(node, least, most)| {
                format!(
                    " {} swings between {} and {} of the machine (target {}).",
                    self.view.path(node),
                    percent(least),
                    percent(most),
                    run.target(node).map_or_else(String::new, percent)
                )
            });
        Some(format!(
            "  The half-life of {} is short against jobs of {}: most of what a job used is forgotten soon after it \
             ends, so that ranks follow what runs now, and who used too much before is not held back for it.{swing}",
            duration_for_people(whole(half_life)),
            duration_for_people(job)
        ))
    }

    /// Who of the top level swings most over the second half, and what it got in the window in which it got least and
    /// in that in which it got most.
    fn widest(&self, run: &Contention) -> Option<(NodeId, f64, f64)> {
        let swings = self.top().into_iter().filter_map(|node| {
            run.target(node)?;
            let portions = run
                .second_half()
                .filter_map(|window| run.portion(window, node));
            let (least, most) = portions
                .fold((f64::INFINITY, 0.0_f64), |(least, most), portion| {
                    (least.min(portion), most.max(portion))
                });
            (least <= most).then_some((node, least, most))
        });
        swings.max_by(|one, other| (one.2 - one.1).total_cmp(&(other.2 - other.1)))
    }
}

/// What to say where somebody wants less than all cores: the promises are of those who want more than there is.
fn limited(run: &Contention) -> Option<String> {
    let machine = &run.machine;
    let wants_less = |demand: Option<u64>| demand.is_some_and(|cores| cores < machine.cores);
    let is_limited = wants_less(machine.demand)
        || machine
            .demands
            .iter()
            .any(|&(_, demand)| wants_less(demand));
    let (promise, _) = promise(run.policy);
    (is_limited && promise != Promise::Nothing).then(|| {
        "  Demand is limited, and the promise is made to those who want more than they are given: what the first in \
         rank does not want goes to the next in rank at once, whatever their shares."
            .to_owned()
    })
}

/// What to say where jobs hardly end.
fn endless(run: &Contention) -> Option<String> {
    let (job, watched) = (run.machine.job_time, run.watched);
    (job > watched / 4).then(|| {
        format!(
            "  Jobs of {} are long against the {} that are watched: whoever was first keeps the cores for much of it; \
             watch for longer.",
            duration_for_people(job),
            duration_for_people(watched)
        )
    })
}
