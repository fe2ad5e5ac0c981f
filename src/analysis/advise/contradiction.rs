//! The smallest set of goals that do not hold together, and how near each of them comes.

use super::goal::SiteGoal;
use super::outcome::{GoalValue, value};
use super::search::{Search, with};
use crate::analysis::solve::SolveError;

/// The most sets of goals of one size that are tried.
const MOST_SETS: usize = 400;

/// The steps of the search for how near a goal comes.
const STEPS: usize = 16;

impl Search<'_> {
    /// Returns the places of the fewest goals that do not hold together, of goals for which nothing was found.
    pub(super) fn contradiction(&mut self, goals: &[SiteGoal]) -> Result<Vec<usize>, SolveError> {
        let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
        for _ in 0..goals.len() {
            let larger = |set: &Vec<usize>| {
                let (set, first) = (set.clone(), set.last().map_or(0, |last| last + 1));
                (first..goals.len()).map(move |next| [&set[..], &[next]].concat())
            };
            sets = sets.iter().flat_map(larger).collect();
            if sets.len() > MOST_SETS {
                break;
            }
            for set in &sets {
                if !self.is_possible(goals, set)? {
                    return Ok(set.clone());
                }
            }
        }
        // Too many sets: each goal is left out that is not needed for the contradiction.
        let mut set: Vec<usize> = (0..goals.len()).collect();
        for place in (0..goals.len()).rev() {
            let without: Vec<usize> = set.iter().copied().filter(|&it| it != place).collect();
            if !self.is_possible(goals, &without)? {
                set = without;
            }
        }
        Ok(set)
    }

    fn is_possible(&mut self, goals: &[SiteGoal], set: &[usize]) -> Result<bool, SolveError> {
        let goals: Vec<SiteGoal> = set.iter().map(|&place| goals[place].clone()).collect();
        Ok(self.propose(&goals)?.changes.is_some())
    }

    /// Returns how near a goal comes to holding, while others hold that do so without it. `None` if nothing is known.
    pub(super) fn nearest(
        &mut self,
        goal: &SiteGoal,
        others: &[SiteGoal],
    ) -> Result<Option<GoalValue>, SolveError> {
        let mut possible = self.propose(others)?.changes;
        let (mut least, mut most) = (0.0, 1.0);
        for _ in 0..STEPS {
            let part = (least + most) / 2.0;
            let Some(aim) = goal.aim.eased(part) else {
                break;
            };
            let eased = SiteGoal {
                aim,
                ..goal.clone()
            };
            match self.propose(&[others, &[eased]].concat())?.changes {
                Some(changes) => (most, possible) = (part, Some(changes)),
                None => least = part,
            }
        }
        let now = possible
            .map(|changes| with(self.start, &changes))
            .transpose()?;
        Ok(now.map(|now| value(&goal.aim, self.start, &now)))
    }
}
