//! The search for the first step of a scale at which something is there.

use super::SolveError;
use super::trial::{Attempt, Trial};
use std::collections::BTreeSet;

/// How hard is searched. More tries find what lies between two others that look alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// So many counts are tried one by one, from the first.
    pub scanned: u64,
    /// So many are tried between a power of two and the next.
    pub per_octave: u64,
    /// So many are tried one by one just before what was found.
    pub looked_back: u64,
    /// After so many tries a part is passed over if its end does not have what is wanted.
    pub patience: usize,
}

impl Effort {
    /// What a tree of so many nodes allows: a second or so, and for a million nodes some ten.
    #[must_use]
    pub fn for_nodes(count: usize) -> Self {
        let count = u64::try_from(count).unwrap_or(u64::MAX).max(1);
        Self {
            scanned: (1_000_000 / count).clamp(8, 1024),
            per_octave: (100_000 / count).clamp(1, 16),
            looked_back: (1_000_000 / count).clamp(2, 64),
            patience: usize::try_from((10_000_000 / count).clamp(60, 20_000)).unwrap_or(60),
        }
    }

    /// The steps to be tried whatever comes of them, in order: all small ones, powers of two and their neighbours,
    /// what lies between, and where it stands now.
    fn steps(self, last: u64, now: Option<u64>) -> BTreeSet<u64> {
        let mut steps: BTreeSet<u64> = (0..self.scanned).collect();
        for bit in 0..=last.checked_ilog2().unwrap_or(0) {
            let power = 1_u64 << bit;
            steps.extend([power - 1, power, power.saturating_add(1)]);
            let parts = u128::from(self.per_octave);
            let power = u128::from(power);
            let between = (1..parts).map(|part| power + power * part / parts);
            steps.extend(between.filter_map(|step| u64::try_from(step).ok()));
        }
        if self.per_octave == 1 {
            // On a large tree every try counts, and neighbours are looked at where it matters.
            let is_kept = |step: &u64| *step < self.scanned || step.is_power_of_two();
            steps.retain(is_kept);
        }
        if let Some(now) = now {
            steps.extend([now.saturating_sub(1), now, now.saturating_add(1)]);
        }
        // Just before the end, for having no shares at all is a thing of its own.
        steps.extend([last.saturating_sub(1), last]);
        steps.retain(|&step| step <= last);
        steps
    }

    /// The steps before the one that was found, at which it may be already: rounding makes numbers flicker, and 32
    /// bits of a float do so further away the larger they are.
    fn steps_back(self, found: u64) -> BTreeSet<u64> {
        let stride = (found >> 20).max(1);
        let near = (1..=self.looked_back).filter_map(|back| found.checked_sub(back));
        let far = (1..=self.looked_back).filter_map(|back| found.checked_sub(back * stride));
        near.chain(far).collect()
    }
}

/// The first step that has what is wanted.
pub(super) struct SearchResult {
    pub(super) at: Attempt,
    /// The step before, which does not have it; nothing if it was found at once.
    pub(super) before: Option<Attempt>,
}

/// Finds the first step that has what is wanted.
pub(super) fn first(
    trial: &mut Trial<'_>,
    effort: Effort,
    now: Option<u64>,
) -> Result<Option<SearchResult>, SolveError> {
    let steps = effort.steps(trial.scale.last, now);
    let Some(mut found) = first_of(trial, effort, &steps)? else {
        return Ok(None);
    };
    // Until nothing is found before it any more.
    while let Some(earlier) = first_of(trial, effort, &effort.steps_back(found.at.step))? {
        found = earlier;
    }
    // The proof: one step less does not have it.
    while let Some(before) = found.at.step.checked_sub(1) {
        if found
            .before
            .as_ref()
            .is_some_and(|look| look.step == before)
        {
            break;
        }
        let look = trial.look(before)?;
        found = if look.is_reached {
            SearchResult {
                at: look,
                before: None,
            }
        } else {
            SearchResult {
                before: Some(look),
                ..found
            }
        };
    }
    Ok(Some(found))
}

/// Finds the first step from the first of these to the last that has what is wanted, between them too.
fn first_of(
    trial: &mut Trial<'_>,
    effort: Effort,
    steps: &BTreeSet<u64>,
) -> Result<Option<SearchResult>, SolveError> {
    let mut last: Option<Attempt> = None;
    for &step in steps {
        let look = trial.look(step)?;
        last = Some(match last {
            None if look.is_reached => {
                return Ok(Some(SearchResult {
                    at: look,
                    before: None,
                }));
            }
            None => look,
            Some(before) => match between(trial, effort, before, look)? {
                Ok(found) => return Ok(Some(found)),
                Err(end) => end,
            },
        });
    }
    Ok(None)
}

/// Finds the first step after `start`, which does not have what is wanted, up to `end`; else gives `end` back.
fn between(
    trial: &mut Trial<'_>,
    effort: Effort,
    start: Attempt,
    end: Attempt,
) -> Result<Result<SearchResult, Attempt>, SolveError> {
    let mut start = start;
    let mut ends = vec![end];
    while let Some(end) = ends.pop() {
        let is_narrow = end.step - start.step <= 1;
        let is_open = end.is_reached || trial.tries < effort.patience;
        if !is_narrow && is_open && trial.may_be_between(&start, &end) {
            let middle = start.step + (end.step - start.step) / 2;
            ends.push(end);
            ends.push(trial.look(middle)?);
            continue;
        }
        if end.is_reached {
            return Ok(Ok(SearchResult {
                at: end,
                before: Some(start),
            }));
        }
        start = end;
    }
    Ok(Err(start))
}
