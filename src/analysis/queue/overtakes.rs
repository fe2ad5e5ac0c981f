//! Which jobs another one passes with time, if all else stays as it is.
//!
//! The factor of age is the time that a job waits ÷ `PriorityMaxAge`, 1 at most, so age raises all jobs alike until the
//! first of them has its full age. Then it stays, and those behind it still gain: a job passes another one if it has more points
//! without age. One calculation may also change places, where the tree has another fairshare than the priorities.

use super::priority::total;
use super::{ComparedJob, Queue, QueuedJob, Standing};
use crate::format::slurm::sprio::AGE;

/// How age raises priorities.
#[derive(Clone, Copy, Debug)]
pub struct Aging {
    /// `PriorityWeightAge`; `None` if neither the source nor `sprio -w` tells it.
    pub weight: Option<u32>,
    /// `PriorityMaxAge` in seconds; `None` if the source does not tell it.
    pub max_age: Option<u32>,
    /// `PriorityCalcPeriod` in seconds.
    pub period: u32,
    /// Whether edits change the weight or the age, so that the printed points of age are of other settings.
    pub is_edited: bool,
}

/// Why it cannot be told when a job passes another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingAge {
    /// `PriorityWeightAge`.
    Weight,
    /// `PriorityMaxAge`.
    MaxAge,
    /// The points of age under edited settings.
    Edited,
}

/// When a job passes another one, in seconds from the calculation that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PassTime {
    /// The latest time: rounded points and the period of the calculations leave a span.
    pub latest: u64,
    /// The earliest time.
    pub earliest: u64,
}

/// Whether a job passes another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Overtake {
    /// At the next calculation, because the tree has another fairshare.
    AtNext,
    /// Some time after the other one has its full age.
    After(PassTime),
    /// It does, but the settings of age do not tell when.
    Sometime(MissingAge),
    /// Never: the other one has so many points more once both have their full age.
    Never(f64),
    /// The priorities that both end with are too close for the digits that are printed.
    TooClose,
    /// `INCR_ONLY` keeps one of the priorities, or no points of age are printed, or those of the full age are not known
    /// for a priority that was set by hand.
    Unknown,
}

/// A job that another one passes.
#[derive(Debug)]
pub struct Pass<'a> {
    /// The job that is passed.
    pub job: ComparedJob<'a>,
    /// How many points more it has now.
    pub points: i64,
    /// When.
    pub when: PassMoment,
}

/// When a job passes another one, as far as it is known. The first is first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PassMoment {
    /// At the next calculation.
    Next,
    /// In some time.
    In(PassTime),
    /// Nothing tells when.
    Unknown,
}

/// What becomes of the jobs before a job.
#[derive(Debug, Default)]
pub struct Overtakes<'a> {
    /// How many jobs are before it.
    pub ahead: usize,
    /// Those that it passes, the first to be passed first.
    pub passes: Vec<Pass<'a>>,
    /// How many it never passes.
    pub never: usize,
    /// How many are too close to call.
    pub too_close: usize,
    /// How many have no points of age to compare.
    pub unknown: usize,
    /// Why it is not told when some of them are passed; `None` if it is.
    pub missing: Option<MissingAge>,
}

/// Points that are known within a slack.
#[derive(Clone, Copy)]
struct Points {
    points: f64,
    /// The most by which Slurm's own may differ.
    slack: f64,
}

impl Points {
    /// Points that are known exactly.
    const fn exact(points: f64) -> Self {
        Self { points, slack: 0.0 }
    }

    /// Returns the difference from others.
    fn less(self, other: Self) -> Self {
        Self {
            points: self.points - other.points,
            slack: self.slack + other.slack,
        }
    }
}

impl Aging {
    /// Returns in how much time age gives a job so many points more, at the first calculation then.
    fn time(&self, points: Points) -> Result<PassTime, MissingAge> {
        if self.is_edited {
            return Err(MissingAge::Edited);
        }
        let weight = self.weight.ok_or(MissingAge::Weight)?;
        let max_age = self.max_age.ok_or(MissingAge::MaxAge)?;
        let seconds_of_point = f64::from(max_age) / f64::from(weight);
        let earliest = (points.points - points.slack) * seconds_of_point;
        let latest = (points.points + points.slack) * seconds_of_point;
        Ok(PassTime {
            latest: seconds(latest).saturating_add(self.period.into()),
            earliest: seconds(earliest),
        })
    }
}

/// Returns the points of age of a job; `None` where its priority does not follow from them.
fn age(job: &QueuedJob, standing: &Standing) -> Option<Points> {
    if job.is_kept {
        return None;
    }
    let age = standing.parts[AGE]?;
    Some(Points {
        points: age.points,
        slack: age.slack,
    })
}

/// Returns the priority before it is cut, as well as it is known.
fn uncut(job: &QueuedJob, standing: &Standing, is_next: bool) -> Points {
    if job.job.is_by_hand() {
        return Points::exact(standing.priority as f64);
    }
    let mut slack = 0.0;
    for part in standing.parts.iter().flatten() {
        slack += part.slack;
    }
    if job.is_sum_of_parts() && slack < 0.5 {
        return Points {
            points: total(&standing.parts),
            slack,
        };
    }
    // Something below one point was cut off, of a sum whose parts are known to about one.
    Points {
        points: standing.priority as f64 + 0.5,
        slack: if is_next { 1.5 } else { 0.5 },
    }
}

impl Queue {
    /// Returns which of the jobs before a job it passes with time.
    pub(super) fn overtakes(&self, own: &QueuedJob) -> Overtakes<'_> {
        let place = self.standing(own).place;
        let own_priority = self.standing(own).priority;
        let is_ahead = self.is_ahead();
        let mut overtakes = Overtakes::default();
        for other in &self.jobs {
            if self.standing(other).place >= place {
                continue;
            }
            overtakes.ahead += 1;
            let when = match self.overtake_within(own, other, is_ahead) {
                Overtake::AtNext => PassMoment::Next,
                Overtake::After(time) => PassMoment::In(time),
                Overtake::Sometime(missing) => {
                    overtakes.missing = Some(missing);
                    PassMoment::Unknown
                }
                Overtake::Never(_) => {
                    overtakes.never += 1;
                    continue;
                }
                Overtake::TooClose => {
                    overtakes.too_close += 1;
                    continue;
                }
                Overtake::Unknown => {
                    overtakes.unknown += 1;
                    continue;
                }
            };
            let job = self.compared(other);
            overtakes.passes.push(Pass {
                job,
                points: job.standing.priority - own_priority,
                when,
            });
        }
        // Of jobs that are passed at one time the last in the queue goes first.
        overtakes.passes.reverse();
        overtakes.passes.sort_by_key(|pass| pass.when);
        overtakes
    }

    /// Returns whether a job passes one before it, and when.
    pub(super) fn overtake(&self, own: &QueuedJob, other: &QueuedJob) -> Overtake {
        self.overtake_within(own, other, self.is_ahead())
    }

    /// Returns whether a job passes one before it. If the next calculation gives other places for a reason that is known,
    /// times count from it.
    fn overtake_within(&self, own: &QueuedJob, other: &QueuedJob, is_ahead: bool) -> Overtake {
        let mut standing = own.now;
        let mut before = other.now;
        if is_ahead {
            standing = own.next;
            before = other.next;
        }
        if standing.place < before.place {
            return Overtake::AtNext;
        }
        let sum = uncut(own, &standing, is_ahead);
        let sum_before = uncut(other, &before, is_ahead);
        let gap = sum_before.less(sum);
        if own.job.is_by_hand() {
            return Overtake::Never(gap.points);
        }
        let Some(own_age) = age(own, &standing) else {
            return Overtake::Unknown;
        };
        // What the other one still gains.
        let mut left = Points::exact(0.0);
        let lead;
        if other.job.is_by_hand() {
            let Some(weight) = self.aging.weight else {
                return Overtake::Unknown;
            };
            let full = Points::exact(weight.into());
            lead = full.less(own_age).less(gap);
        } else {
            let Some(other_age) = age(other, &before) else {
                return Overtake::Unknown;
            };
            // Without age the job has so many points more.
            lead = other_age.less(own_age).less(gap);
            if let Some(weight) = self.aging.weight {
                left = Points::exact(weight.into()).less(other_age);
                left.points = left.points.max(0.0);
            }
        }
        if lead.points < -lead.slack {
            return Overtake::Never(-lead.points);
        }
        if lead.points <= lead.slack || self.aging.weight == Some(0) {
            return Overtake::TooClose;
        }
        let missing = Points {
            points: left.points + gap.points,
            slack: left.slack + gap.slack,
        };
        match self.aging.time(missing) {
            Ok(time) => Overtake::After(time),
            Err(missing) => Overtake::Sometime(missing),
        }
    }
}

/// Returns whole seconds, 0 at least.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a time below 0 is 0, and one beyond the largest number is that"
)]
fn seconds(time: f64) -> u64 {
    time.ceil() as u64
}
