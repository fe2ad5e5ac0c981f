//! The fair-share children of one account: usages that keep the order in which they were visited.
//!
//! Siblings are visited by descending Level FS, S / (u / P). P is the same for all of them, so this is by ascending u /
//! S, here called the pressure. Each usage u is known within a range. The least pressures that keep the order are
//! therefore prefix maxima of the low ends, and the most are suffix minima of the high ends. Every mixture of the two
//! that is nearer to the high ends for later siblings keeps the order too, and one such mixture adds up to P.

use super::range::{Range, at_least_zero};
use super::tie::{TiedMember, make_equal};
use crate::base::extended::Extended;

/// The position of a member that is no node: every later sibling has usage.
pub(super) const FENCE: u32 = u32::MAX;

/// A sibling, in the order of visits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// The position in the tree's order.
    pub(super) position: u32,
    /// The part of the level's shares; 0 for a sibling without a place in the order.
    pub(super) share: Extended,
    /// The possible usage, without regard to the account's.
    pub(super) usage: Range,
    /// The possible usage as a part of the account's.
    pub(super) part: Range,
    /// Whether Level FS equals that of the previous sibling.
    pub(super) ties: bool,
    /// Whether the usage counts in the account's sum. The members of a `parent` account count themselves.
    pub(super) counts: bool,
    /// Whether no usage is the most likely.
    pub(super) may_be_idle: bool,
}

impl Member {
    /// Returns whether the sibling has a place in the order of visits.
    fn is_ordered(&self) -> bool {
        !self.share.is_zero()
    }

    fn pressure(&self, usage: Extended) -> Extended {
        usage.over(self.share).unwrap_or(Extended::ZERO)
    }
}

/// The pressures at the bounds of a member's usage.
#[derive(Clone, Copy, Debug)]
struct Pressures {
    /// At the least and the most usage.
    usage: (Extended, Option<Extended>),
    /// At the least and the most part of the account's usage.
    part: (Extended, Option<Extended>),
}

impl Pressures {
    fn of(member: &Member) -> Self {
        let both = |range: Range| {
            let most = range.high.map(|most| member.pressure(most));
            (member.pressure(range.low), most)
        };
        Self {
            usage: both(member.usage),
            part: both(member.part),
        }
    }
}

/// How many steps are made towards the usage at which a sum fits.
const MOST_STEPS: usize = 64;

/// The possible usage of an account, given its members.
#[derive(Clone, Copy, Debug)]
pub(super) struct AccountUsage {
    /// The usage.
    pub(super) usage: Range,
    /// Whether the members' order needs more than the least usage.
    pub(super) needs_room: bool,
    /// Whether no usage fits, so that the range is the nearest one.
    pub(super) is_forced: bool,
}

/// A family, with buffers for computed values.
#[derive(Default)]
pub(super) struct Family {
    pub(super) members: Vec<Member>,
    /// Where the groups of equal Level FS begin, and the end.
    groups: Vec<usize>,
    /// By ordered member: its pressures, which every step towards a sum needs.
    pressures: Vec<Pressures>,
    /// By member: the least and the most usage that keeps the order.
    low: Vec<Extended>,
    high: Vec<Option<Extended>>,
    /// By member of one group: the pressure at the least usage.
    at_low: Vec<Extended>,
}

impl Family {
    /// Finds the groups among the members, of which the ordered ones come first.
    fn group(&mut self) {
        self.groups.clear();
        for (place, member) in self.members.iter().enumerate() {
            if !member.is_ordered() {
                self.groups.push(place);
                return;
            }
            if place == 0 || !member.ties {
                self.groups.push(place);
            }
        }
        self.groups.push(self.members.len());
    }

    /// Returns the usages of the account, among those possible by itself, that leave room for all its members.
    pub(super) fn fit(&mut self, own: Range) -> AccountUsage {
        self.group();
        let ordered = self.groups.last().copied().unwrap_or(0);
        self.pressures.clear();
        let members = self.members[..ordered].iter();
        self.pressures.extend(members.map(Pressures::of));
        let has_parts = self.members.iter().any(|member| !member.part.low.is_zero());
        let own = if has_parts { own.above_zero() } else { own };
        let (mut low, mut high) = (own.low, own.high);
        let mut is_forced = false;
        let mut at_most = |limit: Option<Extended>| {
            if let Some(limit) = limit {
                high = Some(high.map_or(limit, |high| high.min(limit)));
            }
        };
        let (mut pressure, mut part) = (Extended::ZERO, Extended::ZERO);
        for pair in self.groups.windows(2) {
            let group = &self.pressures[pair[0]..pair[1]];
            for member in group {
                pressure = pressure.max(member.usage.0);
                part = part.max(member.part.0);
            }
            for member in group {
                if let Some(most) = member.part.1 {
                    low = low.max(pressure.over(most).unwrap_or(low));
                    is_forced |= part > most;
                }
                if let Some(most) = member.usage.1 {
                    at_most(most.over(part));
                    is_forced |= pressure > most;
                }
            }
        }
        for member in self.members.iter().filter(|member| !member.is_ordered()) {
            if let Some(most) = member.part.high {
                low = low.max(member.usage.low.over(most).unwrap_or(low));
            }
            if let Some(most) = member.usage.high {
                at_most(most.over(member.part.low));
            }
        }
        let fits = |low: Extended, high: Option<Extended>| high.is_none_or(|high| low <= high);
        if !fits(low, high) {
            return AccountUsage {
                usage: own,
                needs_room: false,
                is_forced: true,
            };
        }
        match self.least_sum(low) {
            Some(least) if fits(least, high) => low = least,
            _ => is_forced = true,
        }
        if let Some(most) = high.map_or_else(|| self.most_sum_alone(), |most| self.most_sum(most))
            && low <= most
        {
            high = Some(most);
        }
        AccountUsage {
            usage: Range { low, high },
            needs_room: self.has_crowd(low),
            is_forced,
        }
    }

    /// Computes the least and the most usage of each member that keeps the order.
    fn spread(&mut self, usage: Extended) {
        let members = &self.members;
        self.low.clear();
        self.high.clear();
        for member in members {
            let range = member.usage.narrowed(member.part.times(usage));
            self.low.push(range.low);
            self.high.push(range.high);
        }
        let mut pressure = Extended::ZERO;
        for pair in self.groups.windows(2) {
            let group = pair[0]..pair[1];
            self.at_low.clear();
            for place in group.clone() {
                let own = members[place].pressure(self.low[place]);
                pressure = pressure.max(own);
                self.at_low.push(own);
            }
            for (place, &own) in group.zip(&self.at_low) {
                // The usage itself if it is the least, because a product would round.
                if own < pressure {
                    self.low[place] = pressure.times(members[place].share);
                }
            }
        }
        let mut pressure: Option<Extended> = None;
        for pair in self.groups.windows(2).rev() {
            let group = pair[0]..pair[1];
            for place in group.clone() {
                if let Some(high) = self.high[place] {
                    let own = members[place].pressure(high);
                    pressure = Some(pressure.map_or(own, |pressure| pressure.min(own)));
                }
            }
            for place in group {
                if let Some(pressure) = pressure {
                    let most = pressure.times(members[place].share);
                    let is_less = self.high[place].is_none_or(|high| most < high);
                    if is_less {
                        self.high[place] = Some(most);
                    }
                }
            }
        }
        for (low, high) in self.low.iter().zip(&mut self.high) {
            if high.is_some_and(|high| high < *low) {
                *high = Some(*low);
            }
        }
    }

    /// Returns the least usage of the account, from this one up, that is not below the sum of its members; `None` if
    /// their sum is always larger.
    fn least_sum(&self, from: Extended) -> Option<Extended> {
        let mut usage = from;
        for _ in 0..MOST_STEPS {
            // The part that does not depend on the account's usage, and the part that does.
            let (mut fixed, mut of_usage) = (Extended::ZERO, Extended::ZERO);
            let (mut pressure, mut part) = (Extended::ZERO, Extended::ZERO);
            let mut add = |member: &Member, least: Extended, part: Extended| {
                if !member.counts {
                    return;
                }
                if part.times(usage) > least {
                    of_usage = of_usage.plus(part);
                } else {
                    fixed = fixed.plus(least);
                }
            };
            for pair in self.groups.windows(2) {
                let group = pair[0]..pair[1];
                for own in &self.pressures[group.clone()] {
                    pressure = pressure.max(own.usage.0);
                    part = part.max(own.part.0);
                }
                for place in group {
                    let member = &self.members[place];
                    let least = if self.pressures[place].usage.0 < pressure {
                        pressure.times(member.share)
                    } else {
                        member.usage.low
                    };
                    add(member, least, part.times(member.share));
                }
            }
            for member in self.members.iter().filter(|member| !member.is_ordered()) {
                add(member, member.usage.low, member.part.low);
            }
            let sum = fixed.plus(of_usage.times(usage));
            if sum <= usage.plus(usage.scaled(SLACK)) {
                return Some(usage);
            }
            let rest = Extended::ONE.minus(of_usage);
            if rest <= Extended::ZERO {
                return None;
            }
            usage = fixed.over(rest)?.max(usage);
        }
        Some(usage)
    }

    /// Returns the most usage of the account, from this one down, that its members can sum up to, or `None`.
    fn most_sum(&self, from: Extended) -> Option<Extended> {
        let mut usage = from;
        for _ in 0..MOST_STEPS {
            let (mut fixed, mut of_usage) = (Extended::ZERO, Extended::ZERO);
            let (mut pressure, mut part): (Option<Extended>, Option<Extended>) = (None, None);
            let mut add = |member: &Member, most: Option<Extended>, part: Option<Extended>| {
                if !member.counts {
                    return Some(());
                }
                match (most, part) {
                    (Some(most), Some(part)) if part.times(usage) < most => {
                        of_usage = of_usage.plus(part);
                    }
                    (Some(most), _) => fixed = fixed.plus(most),
                    (None, Some(part)) => of_usage = of_usage.plus(part),
                    (None, None) => return None,
                }
                Some(())
            };
            let least = |one: Option<Extended>, other: Option<Extended>| match (one, other) {
                (Some(one), Some(other)) => Some(one.min(other)),
                (one, other) => one.or(other),
            };
            for pair in self.groups.windows(2).rev() {
                let group = pair[0]..pair[1];
                for own in &self.pressures[group.clone()] {
                    pressure = least(pressure, own.usage.1);
                    part = least(part, own.part.1);
                }
                for member in &self.members[group] {
                    let of = |pressure: Option<Extended>| {
                        pressure.map(|pressure| pressure.times(member.share))
                    };
                    add(member, of(pressure), of(part))?;
                }
            }
            for member in self.members.iter().filter(|member| !member.is_ordered()) {
                add(member, member.usage.high, member.part.high)?;
            }
            let sum = fixed.plus(of_usage.times(usage));
            if sum.plus(sum.scaled(SLACK)) >= usage {
                return Some(usage);
            }
            let rest = Extended::ONE.minus(of_usage);
            if rest <= Extended::ZERO {
                return Some(usage);
            }
            usage = fixed.over(rest)?.min(usage);
        }
        Some(usage)
    }

    /// Returns the same as [`Family::most_sum`] for an account of which nothing else is known.
    fn most_sum_alone(&self) -> Option<Extended> {
        let counting = self.members.iter().filter(|member| member.counts);
        let mut highs = counting.map(|member| member.usage.high);
        let sum = highs.try_fold(Extended::ZERO, |sum, high| Some(sum.plus(high?)))?;
        self.most_sum(sum)
    }

    /// Returns whether members that do not tie would all have their least usage at the least usage of the account.
    fn has_crowd(&mut self, usage: Extended) -> bool {
        self.spread(usage);
        let mut last: Option<Extended> = None;
        self.groups.windows(2).any(|pair| {
            let member = &self.members[pair[0]];
            let pressure = member.pressure(self.low[pair[0]]);
            let is_crowded = last.is_some_and(|last| pressure <= last);
            last = Some(pressure);
            is_crowded
        })
    }

    /// Gives every member a usage, which add up to the account's if possible.
    pub(super) fn share_out(&mut self, usage: Extended, mut give: impl FnMut(u32, Extended)) {
        self.group();
        self.spread(usage);
        self.leave_idle();
        // The sums of the least usages, of the differences between least and most, and of these weighted by place.
        let (mut least, mut between, mut weighed) = (Extended::ZERO, 0.0, 0.0);
        let count = self.members.len() as f64;
        let ordered = self.groups.windows(2);
        let ordered = ordered.flat_map(|pair| (pair[0]..pair[1]).map(|place| (place, pair[0])));
        let unordered = self.groups.last().copied().unwrap_or(0)..self.members.len();
        let leans = ordered
            .map(|(place, first)| (place, lean(first, count)))
            .chain(unordered.map(|place| (place, 0.0)));
        for (place, lean) in leans.filter(|&(place, _)| self.members[place].counts) {
            let width = width(self.low[place], self.high[place]);
            least = least.plus(self.low[place]);
            between += width;
            weighed += width * lean;
        }
        let rest = at_least_zero(usage.minus(least)).to_f64();
        let part = mixture(rest, between, weighed);
        let mut last = Extended::ZERO;
        let mut tied: Vec<TiedMember> = Vec::new();
        for group in 0..self.groups.len() - 1 {
            let (first, end) = (self.groups[group], self.groups[group + 1]);
            let own = part + part * (1.0 - part) * lean(first, count);
            let mut pressure = None;
            for place in first..end {
                let member = self.members[place];
                let range = Range {
                    low: self.low[place],
                    high: Some(
                        self.high[place].unwrap_or_else(|| self.low[place].plus(Extended::ONE)),
                    ),
                };
                let mut used = match pressure {
                    // A sibling that ties has the same pressure, to the bit if the shares are the same.
                    Some((share, used)) if share == member.share => used,
                    Some((share, used)) => range.clamp(
                        Extended::over(used, share)
                            .unwrap_or(Extended::ZERO)
                            .times(member.share),
                    ),
                    None => range.at(own),
                };
                if pressure.is_none() {
                    let is_after = group == 0 || member.pressure(used) > raised(last);
                    if !is_after {
                        let more = raised(last).times(member.share);
                        let more = if more.is_zero() {
                            range.at(FAINT)
                        } else {
                            more.plus(more.scaled(STEP))
                        };
                        used = range.clamp(more);
                    }
                    last = member.pressure(used);
                    pressure = Some((member.share, used));
                }
                tied.push(TiedMember {
                    position: member.position,
                    share: member.share,
                    usage: used,
                    range,
                });
            }
            make_equal(&mut tied, usage);
            for member in tied.drain(..).filter(|member| member.position != FENCE) {
                give(member.position, member.usage);
            }
        }
        for (place, member) in self.members.iter().enumerate() {
            if !member.is_ordered() {
                let range = Range {
                    low: self.low[place],
                    high: self.high[place],
                };
                give(member.position, range.at(part));
            }
        }
    }

    /// Leaves members idle that may be: the first visited ones, and those without a place in the order.
    fn leave_idle(&mut self) {
        let first = match self.groups[..] {
            [first, end, ..] => first..end,
            _ => 0..0,
        };
        let unordered = self.groups.last().copied().unwrap_or(0)..self.members.len();
        let may_be = |place: usize| self.members[place].may_be_idle && self.low[place].is_zero();
        let is_first_idle = first.clone().all(may_be);
        let idle: Vec<usize> = first
            .filter(|_| is_first_idle)
            .chain(unordered.filter(|&place| may_be(place)))
            .collect();
        for place in idle {
            self.high[place] = Some(Extended::ZERO);
        }
    }
}

/// How far an account may be from the sum of its members, as a power of 2. Slurm decays each by itself, and rounds the
/// last bit every time.
const SLACK: i32 = -48;

/// More than a few roundings of a number, as a power of 2.
const STEP: i32 = -58;

/// The part of its range for a member that must have used something, however little.
const FAINT: f64 = 1.0 / 1024.0;

/// Returns the deviation of a member's part from the mean part, by its place.
fn lean(place: usize, count: f64) -> f64 {
    (place as f64 + 0.5) / count - 0.5
}

fn width(low: Extended, high: Option<Extended>) -> f64 {
    high.map_or(1.0, |high| at_least_zero(high.minus(low)).to_f64())
}

/// Returns a pressure that is larger by more than the roundings of Level FS.
fn raised(pressure: Extended) -> Extended {
    pressure.plus(pressure.scaled(-60))
}

/// Solves `part * between + part * (1 - part) * weighed = rest` for a part from 0 to 1.
fn mixture(rest: f64, between: f64, weighed: f64) -> f64 {
    if rest <= 0.0 || between <= 0.0 {
        return 0.0;
    }
    if rest >= between {
        return 1.0;
    }
    let sum = between + weighed;
    // The root of weighed * part^2 - sum * part + rest between 0 and 1, without cancellation.
    let root = (sum * sum - 4.0 * weighed * rest).max(0.0).sqrt();
    (2.0 * rest / (sum + root)).clamp(0.0, 1.0)
}
