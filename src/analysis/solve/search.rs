//! The search for the first number of shares that reaches an objective.

use super::SolveError;
use super::trial::{Attempt, Trial};
use std::collections::BTreeSet;

/// The effort of a search. More tries find answers between two others that attempt alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// The number of steps that are tried one by one, from the first.
    pub scanned: u64,
    /// The number of steps that are tried between a power of two and the next.
    pub per_octave: u64,
    /// The number of steps that are tried one by one just before an answer.
    pub tried_back: u64,
    /// The number of tries after which a range is skipped if its end does not reach the objective.
    pub patience: usize,
}

impl Effort {
    /// Returns the effort for so many nodes: about a second of work, and about ten seconds for a million nodes.
    pub fn for_nodes(count: usize) -> Self {
        let count = u64::try_from(count).unwrap_or(u64::MAX).max(1);
        Self {
            scanned: (1_000_000 / count).clamp(8, 1024),
            per_octave: (100_000 / count).clamp(1, 16),
            tried_back: (1_000_000 / count).clamp(2, 64),
            patience: usize::try_from((10_000_000 / count).clamp(60, 20_000)).unwrap_or(60),
        }
    }

    /// Returns the steps that are always tried: small ones, powers of two, their neighbours, some between, the present.
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
            // On a large tree tries are expensive; neighbours are tried later where they matter.
            let is_kept = |step: &u64| *step < self.scanned || step.is_power_of_two();
            steps.retain(is_kept);
        }
        if let Some(now) = now {
            steps.extend([now.saturating_sub(1), now, now.saturating_add(1)]);
        }
        // The step before the last is tried too, because the last may be a special case: no shares at all.
        steps.extend([last.saturating_sub(1), last]);
        steps.retain(|&step| step <= last);
        steps
    }

    /// Returns steps before an answer at which the objective may be reached too: rounding makes results flicker, and
    /// with 32-bit floats the flicker reaches further for larger numbers.
    fn steps_back(self, found: u64) -> BTreeSet<u64> {
        let stride = (found >> 20).max(1);
        let near = (1..=self.tried_back).filter_map(|back| found.checked_sub(back));
        let far = (1..=self.tried_back).filter_map(|back| found.checked_sub(back * stride));
        near.chain(far).collect()
    }
}

pub(super) struct SearchResult {
    pub(super) at: Attempt,
    /// The step before, which does not reach it. `None` if the very first step reaches it.
    pub(super) before: Option<Attempt>,
}

impl SearchResult {
    fn first(at: Attempt) -> Self {
        Self { at, before: None }
    }
}

/// Finds the first step that reaches the objective. `now` is the present step, if there is one.
pub(super) fn first(
    trial: &mut Trial<'_>,
    effort: Effort,
    now: Option<u64>,
) -> Result<Option<SearchResult>, SolveError> {
    let steps = effort.steps(trial.scale.last, now);
    let Some(mut found) = first_of(trial, effort, &steps)? else {
        return Ok(None);
    };
    // Repeated until no earlier step is found.
    while let Some(earlier) = first_of(trial, effort, &effort.steps_back(found.at.step))? {
        found = earlier;
    }
    // The step before the answer must not reach the objective.
    while let Some(before) = found.at.step.checked_sub(1) {
        let tried = found.before.as_ref();
        if tried.is_some_and(|attempt| attempt.step == before) {
            break;
        }
        let attempt = trial.attempt(before)?;
        if attempt.is_reached {
            found = SearchResult::first(attempt);
        } else {
            found.before = Some(attempt);
        }
    }
    Ok(Some(found))
}

fn first_of(
    trial: &mut Trial<'_>,
    effort: Effort,
    steps: &BTreeSet<u64>,
) -> Result<Option<SearchResult>, SolveError> {
    let mut last: Option<Attempt> = None;
    for &step in steps {
        let attempt = trial.attempt(step)?;
        last = Some(match last {
            None if attempt.is_reached => return Ok(Some(SearchResult::first(attempt))),
            None => attempt,
            Some(before) => match between(trial, effort, before, attempt)? {
                Ok(found) => return Ok(Some(found)),
                Err(end) => end,
            },
        });
    }
    Ok(None)
}

/// Finds the first step after `start`, up to `end`, that reaches the objective. The inner error is `end`, if none.
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
            ends.push(trial.attempt(middle)?);
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
