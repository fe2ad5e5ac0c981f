//! The priority of a job: the sum of its parts, each a factor × its weight.
//!
//! Follows `_get_priority_internal` of `priority_multifactor.c`: the parts are added in doubles, and the sum is cut to a
//! whole number, 1 at least.

use crate::format::slurm::sprio::{MOST, NICE, PARTS, SITE, TRES, WaitingJob, whole};
use crate::model::{Figure, PriorityWeights};
use std::array;

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

const NOTHING: Part = Part::exact(0.0, 0.0);

impl Part {
    pub(super) const fn exact(points: f64, slack: f64) -> Self {
        let is_exact = true;
        Self {
            points,
            slack,
            is_exact,
        }
    }
}

fn product(factor: Figure, weight: f64) -> Part {
    Part::exact(factor.value * weight, factor.half_unit() * weight.abs())
}

/// Returns points of which so many numbers were rounded.
fn rounded(points: Option<i64>, numbers: u32) -> Option<Part> {
    points.map(|points| Part {
        points: points as f64,
        slack: 0.5 * f64::from(numbers),
        is_exact: numbers == 0,
    })
}

/// Returns weights, with those of another source where they are not known.
pub(super) fn or_else(weights: &PriorityWeights, other: &PriorityWeights) -> PriorityWeights {
    let is_unknown = weights.tres.is_empty();
    let tres = if is_unknown { other } else { weights }.tres.clone();
    let factors = array::from_fn(|part| weights.factors[part].or(other.factors[part]));
    PriorityWeights { factors, tres }
}

/// Returns the points of TRES: of the factors, or rounded where these tell less, for they have two decimals.
fn tres(job: &WaitingJob, weights: &PriorityWeights) -> Option<Part> {
    let weight = |name: &str| {
        let mut weights = weights.tres.split(',').filter_map(|it| it.split_once('='));
        let found = weights.find(|(of, _)| of.trim().eq_ignore_ascii_case(name))?;
        found.1.trim().parse().ok()
    };
    let of_factors = job.tres.as_ref().and_then(|factors| {
        factors.iter().try_fold(NOTHING, |sum, (name, factor)| {
            let it = product(*factor, weight(name)?);
            Some(Part::exact(sum.points + it.points, sum.slack + it.slack))
        })
    });
    let rounded = rounded(job.points[TRES], job.resources);
    let is_finer = |it: &Part| rounded.is_none_or(|rounded| it.slack <= rounded.slack);
    let of_factors = of_factors.filter(is_finer).or(rounded);
    let has_none = weights.tres.is_empty() && !job.cuts_tres;
    of_factors.or_else(|| has_none.then_some(NOTHING))
}

/// Returns what the other parts leave of a priority, for TRES that was cut; `None` if it was not, or if they are not known.
pub(super) fn rest(job: &WaitingJob, parts: &Parts) -> Option<Part> {
    let priority = job.priority.filter(|_| job.is_tres_cut())?;
    // What was cut off the sum is half a point, give or take as much.
    let mut rest = Part {
        points: priority as f64 + 0.5,
        slack: 0.5,
        is_exact: false,
    };
    for (part, it) in parts.iter().enumerate().filter(|(part, _)| *part != TRES) {
        let is_beside = part == SITE || part == NICE;
        let it = it.or(is_beside.then_some(NOTHING))?;
        rest.points -= it.points;
        rest.slack += it.slack;
    }
    Some(rest)
}

/// Returns the parts of a job's priority under weights.
pub(super) fn parts(job: &WaitingJob, weights: &PriorityWeights) -> Parts {
    array::from_fn(|part| match part {
        SITE | NICE => rounded(job.points[part], 0),
        TRES => tres(job, weights),
        part => {
            let weight = weights.factors[part - 1];
            let factor = job.factors[part];
            let is_0 = weight == Some(0) || factor.is_some_and(|it| it.value == 0.0);
            let both = factor.zip(weight);
            let of_factor = both.map(|(it, weight)| product(it, f64::from(weight)));
            let of_factor = of_factor.or_else(|| is_0.then_some(NOTHING));
            of_factor.or_else(|| rounded(job.points[part], 1))
        }
    })
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
    let (mut points, mut slack, mut is_of_factors) = (0.0, 0.0, true);
    for (part, it) in parts.iter().enumerate() {
        let is_beside = part == SITE || part == NICE;
        let it = it.or(is_beside.then_some(NOTHING))?;
        points += it.points;
        slack += it.slack;
        is_of_factors &= it.is_exact || part == TRES;
    }
    // A priority that is not reached may have parts that are not printed.
    let are_printed = parts[SITE].is_some() && parts[NICE].is_some();
    let told = |is: bool| (is || are_printed).then_some(is);
    let is_priority = match (job.priority, job.fraction) {
        (Some(priority), _) => {
            Some((cut(points - slack)..=cut(points + slack)).contains(&priority.max(1)))
        }
        (None, it) => it.map(|it| {
            let unit = 10_f64.powi(-i32::from(it.decimals));
            (points.max(1.0) / MOST - it.value).abs() <= unit + slack / MOST
        }),
    };
    let is_exact = job.priority.filter(|_| is_of_factors);
    Some(Sum {
        points,
        is_priority: is_priority.and_then(told),
        is_exact: is_exact.and_then(|priority| told(priority.max(1) == cut(points))),
    })
}

/// Returns the priority of a sum.
pub(super) fn cut(points: f64) -> i64 {
    whole(points.floor().max(1.0))
}

/// Returns the points before they were cut, as well as they are known: the sum, the fraction of `sprio -n`, else the
/// priority. `None` where only factors are printed, and weights are not known.
pub(super) fn uncut(job: &WaitingJob, sum: Option<&Sum>) -> Option<f64> {
    let is_exact = |it: &&Sum| it.is_exact == Some(true) || job.priority.is_none();
    let sum = sum.filter(is_exact).map(|it| it.points);
    let fraction = job.fraction.filter(|it| it.half_unit() * MOST < 0.5);
    let fraction = fraction.filter(|_| !job.is_by_hand());
    let fraction = fraction.map(|it| it.value * MOST);
    // What was cut off is half a point, give or take as much.
    let printed = job.priority.map(|it| it as f64 + 0.5);
    sum.or(fraction).or(printed)
}
