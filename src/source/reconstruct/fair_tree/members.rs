//! The members of one account, as the search takes them: in the order of visits, with the bounds of their usage.

use super::GivenTree;
use crate::base::extended::Extended;
use crate::model::Fact;
use crate::source::reconstruct::family::{FENCE, Family, Member};
use crate::source::reconstruct::range::Range;
use std::ops::Index;

/// For how many ties of a family an account without users is sought. One of them has it, if any.
const MOST_SOUGHT: usize = 8;

impl GivenTree<'_> {
    /// Collects an account's members.
    pub(super) fn gather<R: Index<usize, Output = Range> + ?Sized>(
        &self,
        family: &mut Family,
        account: usize,
        ranges: &R,
        inward: f64,
    ) {
        let members = self.starts[account] as usize..self.starts[account + 1] as usize;
        let members = &self.members[members];
        family.members.clear();
        let mut last: Option<(u32, u32)> = None;
        if let Some(visits) = &self.visits {
            // Users with shares `parent` have the Level FS of nodes without usage.
            let parent_accounts = members.iter().copied();
            let parent_accounts =
                parent_accounts.filter(|&at| self.associations.is_parent(at as usize));
            let ranks = parent_accounts
                .filter_map(|at| visits.below(at))
                .map(|block| block.last);
            if let Some(rank) = ranks.min() {
                family.members.push(Member {
                    position: FENCE,
                    share: Extended::ONE,
                    usage: Range::exactly(Extended::ZERO),
                    part: Range::ANY,
                    ties: false,
                    counts: false,
                    may_be_idle: true,
                });
                last = Some((rank, 0));
            }
        }
        let (mut empty, mut sought) = (None, 0);
        for &position in members {
            if empty == Some(position) {
                continue;
            }
            let is_ordered = self.is_ordered(position);
            let mut ties = false;
            if let Some(visits) = &self.visits
                && is_ordered
                && let Some(block) = visits.below(position)
            {
                ties = last.is_some_and(|(last, before)| {
                    last == block.first
                        && (visits.are_ranks
                            || self.pressure(before).to_bits() == self.pressure(position).to_bits())
                });
                if ties
                    && empty.is_none()
                    && sought < MOST_SOUGHT
                    && let Some((_, before)) = last
                    && before != 0
                    && !self.can_tie(before, position, ranges, inward)
                {
                    // An account without users passed the rank on: it ties with this one, and has no rank of its own.
                    sought += 1;
                    // Those without a place in the order of visits come last.
                    let unordered = members.partition_point(|&at| self.is_ordered(at));
                    let others = members[unordered..].iter().copied();
                    empty = others
                        .filter(|&other| self.is_empty_account(other))
                        .find(|&other| self.can_tie(other, position, ranges, inward));
                    if let Some(empty) = empty {
                        family
                            .members
                            .push(self.member(empty, true, false, ranges, inward));
                    }
                }
                last = Some((block.last, position));
            }
            family
                .members
                .push(self.member(position, is_ordered, ties, ranges, inward));
        }
    }

    fn member<R: Index<usize, Output = Range> + ?Sized>(
        &self,
        position: u32,
        is_ordered: bool,
        ties: bool,
        ranges: &R,
        inward: f64,
    ) -> Member {
        let place = position as usize;
        let share = if is_ordered {
            self.associations.portion(place)
        } else {
            0.0
        };
        let part = self.part(place, inward);
        Member {
            position,
            share: Extended::from_f64(share).unwrap_or(Extended::ZERO),
            usage: ranges[place],
            part,
            ties,
            counts: self.associations.is_user[place] || !self.associations.is_parent(place),
            may_be_idle: part.low.is_zero(),
        }
    }

    /// Returns whether two siblings can have the same Level FS.
    fn can_tie<R: Index<usize, Output = Range> + ?Sized>(
        &self,
        one: u32,
        other: u32,
        ranges: &R,
        inward: f64,
    ) -> bool {
        let members =
            [one, other].map(|position| self.member(position, true, false, ranges, inward));
        let meet = |of: fn(&Member) -> Range| {
            let [one, other] = members
                .each_ref()
                .map(|member| of(member).over(member.share));
            one.and(other).is_some()
        };
        meet(|member| member.usage) && meet(|member| member.part)
    }

    /// Returns whether a node is an account with shares of its own and without users.
    fn is_empty_account(&self, position: u32) -> bool {
        let place = position as usize;
        let has_users = self
            .visits
            .as_ref()
            .is_some_and(|visits| visits.below(position).is_some());
        !self.associations.is_user[place]
            && !self.associations.is_parent(place)
            && self.associations.portion(place) > 0.0
            && !has_users
    }

    /// Returns whether a node has shares of its own and users with ranks.
    pub(super) fn is_ordered(&self, position: u32) -> bool {
        let place = position as usize;
        !self.associations.is_parent(place)
            && self.associations.portion(place) > 0.0
            && self
                .visits
                .as_ref()
                .is_some_and(|visits| visits.below(position).is_some())
    }

    /// Returns the printed usage divided by the share.
    pub(super) fn pressure(&self, position: u32) -> f64 {
        let place = position as usize;
        let node = self.columns.snapshot.tree.nodes()[place];
        let usage = self
            .columns
            .snapshot
            .tree
            .usage(node)
            .amount()
            .unwrap_or(0.0);
        usage / self.associations.portion(place)
    }

    /// Returns the possible part of the fair-share parent's usage.
    pub(super) fn part(&self, position: usize, inward: f64) -> Range {
        let mut part = self.columns.ratio(Fact::EffectvUsage, position, inward);
        let share = Extended::from_f64(self.associations.portion(position));
        let share = share.filter(|share| !share.is_zero());
        if let Some(share) = share
            && !self.associations.is_parent(position)
            && let Some(level_fs) = self.columns.figure(Fact::LevelFs, position)
        {
            let by_level_fs = if level_fs.value.is_infinite() {
                Some(Range::exactly(Extended::ZERO))
            } else {
                Range::printed(level_fs, inward).map(|level_fs| level_fs.divides(share))
            };
            if let Some(by_level_fs) = by_level_fs {
                part = by_level_fs.narrowed(part);
            }
        }
        part
    }
}
