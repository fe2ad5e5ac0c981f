//! The smallest set of goals that do not hold together, and how near each of them comes.

use super::goal::Aim;
use super::outcome::{GoalValue, value};
use super::search::{Search, with_shares};
use crate::analysis::solve::SolveError;

/// The most sets of goals of one size that are tried.
const MOST_SETS: usize = 400;

/// The steps of the search for how near a goal comes.
const STEPS: usize = 16;

impl Search<'_> {
    /// Returns the places of the fewest goals that do not hold together, of goals for which nothing was found.
    pub(super) fn contradiction(&mut self, aims: &[Aim]) -> Result<Vec<usize>, SolveError> {
        let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
        for _ in 0..aims.len() {
            let larger = |set: &Vec<usize>| {
                let (set, first) = (set.clone(), set.last().map_or(0, |last| last + 1));
                (first..aims.len()).map(move |next| [&set[..], &[next]].concat())
            };
            sets = sets.iter().flat_map(larger).collect();
            if sets.len() > MOST_SETS {
                break;
            }
            for set in &sets {
                let aims: Vec<Aim> = set.iter().map(|&it| aims[it]).collect();
                if self.propose(&aims)?.changes.is_none() {
                    return Ok(set.clone());
                }
            }
        }
        // Too many sets: each goal is left out that is not needed for the contradiction.
        let mut set: Vec<usize> = (0..aims.len()).collect();
        for place in (0..aims.len()).rev() {
            if self.propose(&others(aims, &set, place))?.changes.is_none() {
                set.retain(|&it| it != place);
            }
        }
        Ok(set)
    }

    /// Returns how near one goal of a set comes to holding, while the others of it hold. `None` if nothing is known.
    pub(super) fn nearest(
        &mut self,
        aims: &[Aim],
        set: &[usize],
        place: usize,
    ) -> Result<Option<GoalValue>, SolveError> {
        let (aim, mut others) = (aims[place], others(aims, set, place));
        let mut possible = self.propose(&others)?.changes;
        let (mut least, mut most) = (0.0, 1.0);
        for _ in 0..STEPS {
            let part = f64::midpoint(least, most);
            let Some(eased) = aim.eased(part) else {
                break;
            };
            others.push(eased);
            match self.propose(&others)?.changes {
                Some(changes) => (most, possible) = (part, Some(changes)),
                None => least = part,
            }
            others.pop();
        }
        let value = |changes| Ok(value(aim, self.start, &with_shares(self.start, &changes)?));
        possible.map(value).transpose()
    }
}

/// Returns the goals of a set without one of them.
fn others(aims: &[Aim], set: &[usize], place: usize) -> Vec<Aim> {
    let others = set.iter().filter(|&&it| it != place);
    others.map(|&it| aims[it]).collect()
}
