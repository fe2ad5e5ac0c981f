//! The priority of a job: the sum of its parts, each a factor × its weight.
//!
//! Follows `_get_priority_internal` of `priority_multifactor.c`: the parts are added in doubles, and the sum is cut to a
//! whole number, 1 at least.

use crate::format::slurm::sprio::{MOST, NICE, PARTS, SITE, TRES, WaitingJob, whole};
use crate::model::{Figure, PriorityWeights};

/// The points of each of [`PARTS`]; `None` for those that do not follow from what is printed.
pub type Parts = [Option<Part>; PARTS.len()];

/// A part of a priority.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Part {
    /// Its points, nice as it is subtracted.
    pub points: f64,
    /// The most by which Slurm's own may differ.
    pub slack: f64,
    /// Whether it is a factor × a weight, and no rounded number of points.
    pub is_exact: bool,
}

/// A part without points.
const NOTHING: Part = Part::exact(0.0, 0.0);

impl Part {
    /// Returns a part that is a factor × a weight.
    pub(super) const fn exact(points: f64, slack: f64) -> Self {
        let is_exact = true;
        Self {
            points,
            slack,
            is_exact,
        }
    }
}

/// Returns the part of a factor. The factor was rounded where it was printed.
fn product(factor: Figure, weight: f64) -> Part {
    Part::exact(factor.value * weight, factor.half_unit() * weight.abs())
}

/// Returns points of which so many numbers were rounded. `None` without points.
fn rounded(points: Option<i64>, numbers: u32) -> Option<Part> {
    Some(Part {
        points: points? as f64,
        slack: 0.5 * f64::from(numbers),
        is_exact: numbers == 0,
    })
}

/// Returns weights, with those of another source where they are not known.
pub(super) fn joined(weights: &PriorityWeights, other: &PriorityWeights) -> PriorityWeights {
    let mut joined = weights.clone();
    if joined.tres.is_empty() {
        joined.tres.clone_from(&other.tres);
    }
    for (part, weight) in joined.factors.iter_mut().enumerate() {
        if weight.is_none() {
            *weight = other.factors[part];
        }
    }
    joined
}

/// Returns the weight of a resource. `None` if `PriorityWeightTRES` has none that is a number.
fn tres_weight(weights: &PriorityWeights, resource: &str) -> Option<f64> {
    for pair in weights.tres.split(',') {
        if let Some((name, weight)) = pair.split_once('=')
            && name.trim().eq_ignore_ascii_case(resource)
        {
            return weight.trim().parse().ok();
        }
    }
    None
}

/// Returns the points of the factors of TRES. `None` if a factor or a weight is not known.
fn tres_of_factors(job: &WaitingJob, weights: &PriorityWeights) -> Option<Part> {
    let mut sum = NOTHING;
    for (resource, factor) in job.tres.as_ref()? {
        let part = product(*factor, tres_weight(weights, resource)?);
        sum.points += part.points;
        sum.slack += part.slack;
    }
    Some(sum)
}

/// Returns the points of TRES: of the factors, or rounded where these tell less, for they have two decimals. `None` if
/// they do not follow from what is printed.
fn tres(job: &WaitingJob, weights: &PriorityWeights) -> Option<Part> {
    let rounded = rounded(job.points[TRES], job.resources);
    match (tres_of_factors(job, weights), rounded) {
        (Some(own), Some(rounded)) if own.slack <= rounded.slack => Some(own),
        (_, Some(rounded)) => Some(rounded),
        (Some(own), None) => Some(own),
        (None, None) if weights.tres.is_empty() && !job.cuts_tres => Some(NOTHING),
        (None, None) => None,
    }
}

/// Returns what the other parts leave of a priority, for TRES that was cut; `None` if it was not, or if they are not known.
pub(super) fn rest(job: &WaitingJob, parts: &Parts) -> Option<Part> {
    if !job.is_tres_cut() {
        return None;
    }
    // What was cut off the sum is half a point, give or take as much.
    let mut rest = Part {
        points: job.priority? as f64 + 0.5,
        slack: 0.5,
        is_exact: false,
    };
    for part in 0..parts.len() {
        if part != TRES {
            let own = known(parts, part)?;
            rest.points -= own.points;
            rest.slack += own.slack;
        }
    }
    Some(rest)
}

/// Returns a part of a sum. Site and nice are 0 where they are not printed; `None` for other parts that are not known.
fn known(parts: &Parts, part: usize) -> Option<Part> {
    match parts[part] {
        None if part == SITE || part == NICE => Some(NOTHING),
        own => own,
    }
}

/// Returns the parts of a job's priority under weights.
pub(super) fn parts(job: &WaitingJob, weights: &PriorityWeights) -> Parts {
    let mut parts = Parts::default();
    for (part, own) in parts.iter_mut().enumerate() {
        *own = match part {
            SITE | NICE => rounded(job.points[part], 0),
            TRES => tres(job, weights),
            _ => weighted(job, weights, part),
        };
    }
    parts
}

/// Returns a part that has one factor: of the factor, or rounded where that or the weight is not known.
fn weighted(job: &WaitingJob, weights: &PriorityWeights, part: usize) -> Option<Part> {
    let weight = weights.factors[part - 1];
    let factor = job.factors[part];
    if let Some(factor) = factor
        && let Some(weight) = weight
    {
        return Some(product(factor, f64::from(weight)));
    }
    if weight == Some(0) || factor.is_some_and(|factor| factor.value == 0.0) {
        return Some(NOTHING);
    }
    rounded(job.points[part], 1)
}

/// Returns the points of all parts that are known.
pub(super) fn total(parts: &Parts) -> f64 {
    let known = parts.iter().flatten();
    known.map(|part| part.points).sum()
}

/// A sum of parts, and what it says of the priority that was printed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sum {
    pub(super) points: f64,
    /// Whether the priority is this sum, as far as rounding lets it be told.
    pub(super) is_priority: Option<bool>,
    /// Whether it is the sum itself; `None` where only rounded points are printed.
    pub(super) is_exact: Option<bool>,
}

/// Returns the sum of the parts, or `None` if one of them is not known or the rest of the others, or if the priority was set
/// by hand. Site and nice are 0 where they are not printed.
pub(super) fn sum(job: &WaitingJob, parts: &Parts) -> Option<Sum> {
    if job.is_by_hand() || job.is_tres_cut() {
        return None;
    }
    let mut points = 0.0;
    let mut slack = 0.0;
    let mut is_of_factors = true;
    for part in 0..parts.len() {
        let own = known(parts, part)?;
        points += own.points;
        slack += own.slack;
        is_of_factors &= own.is_exact || part == TRES;
    }
    let mut sum = Sum {
        points,
        is_priority: None,
        is_exact: None,
    };
    if let Some(priority) = job.priority {
        let possible = cut(points - slack)..=cut(points + slack);
        sum.is_priority = Some(possible.contains(&priority.max(1)));
        if is_of_factors {
            sum.is_exact = Some(priority.max(1) == cut(points));
        }
    } else if let Some(fraction) = job.fraction {
        let unit = 10_f64.powi(-i32::from(fraction.decimals));
        let difference = points.max(1.0) / MOST - fraction.value;
        sum.is_priority = Some(difference.abs() <= unit + slack / MOST);
    }
    if parts[SITE].is_none() || parts[NICE].is_none() {
        // A priority that is not reached may have parts that are not printed.
        sum.is_priority = sum.is_priority.filter(|is_reached| *is_reached);
        sum.is_exact = sum.is_exact.filter(|is_reached| *is_reached);
    }
    Some(sum)
}

/// Returns the priority of a sum.
pub(super) fn cut(points: f64) -> i64 {
    whole(points.floor().max(1.0))
}

/// Returns the points before they were cut, as well as they are known: the sum, the fraction of `sprio -n`, else the
/// priority. `None` where only factors are printed, and weights are not known.
pub(super) fn uncut(job: &WaitingJob, sum: Option<Sum>) -> Option<f64> {
    if let Some(sum) = sum
        && (sum.is_exact == Some(true) || job.priority.is_none())
    {
        return Some(sum.points);
    }
    if let Some(fraction) = job.fraction
        && fraction.half_unit() * MOST < 0.5
        && !job.is_by_hand()
    {
        return Some(fraction.value * MOST);
    }
    // What was cut off is half a point, give or take as much.
    Some(job.priority? as f64 + 0.5)
}
