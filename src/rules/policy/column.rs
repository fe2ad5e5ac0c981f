//! The table of columns: every number that a screen, a report or a file can show about a node.

use crate::base::number::{Alignment, Unit};
use crate::base::table::table;
use crate::model::Fact;

/// Returns what a recorded number counts.
const fn recorded_unit(fact: Fact) -> Unit {
    match fact {
        Fact::NormShares
        | Fact::NormUsage
        | Fact::EffectvUsage
        | Fact::FairShare
        | Fact::FluxFairshare => Unit::Fraction,
        Fact::LevelFs => Unit::Ratio,
        Fact::RawUsage | Fact::JobUsage => Unit::Usage,
        Fact::Id
        | Fact::Userid
        | Fact::MaxRunningJobs
        | Fact::MaxActiveJobs
        | Fact::MaxNodes
        | Fact::MaxCores
        | Fact::Priority => Unit::Count,
        _ => Unit::Text,
    }
}

/// Defines the enum of columns and everything derived from their table.
macro_rules! columns {
    ($($variant:ident, $name:literal, $heading:literal, $unit:ident, $help:literal;)*) => {
        table! {
            /// A column, named by what it means.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            pub enum ColumnId {
                $($variant, $name, $help;)*
                ..Recorded(Fact), "What the source recorded, under the scheduler's own name.";
            }
        }

        impl ColumnId {
            /// Returns the heading on the screen: the scheduler's own word if it has one.
            pub const fn heading(self) -> &'static str {
                match self {
                    $(Self::$variant => $heading,)*
                    Self::Recorded(fact) => fact.name(),
                }
            }

            /// Returns what the column counts.
            pub const fn unit(self) -> Unit {
                match self {
                    $(Self::$variant => Unit::$unit,)*
                    Self::Recorded(fact) => recorded_unit(fact),
                }
            }
        }
    };
}

/// Lists columns, as in `column_ids![Shares Usage Rank]`.
macro_rules! column_ids {
    ($($variant:ident)*) => { &[$($crate::rules::policy::ColumnId::$variant),*] };
}

pub(super) use column_ids;

/// What [`ColumnId::Balance`] means under policies that count by level.
pub(super) const LEVEL_BALANCE_HELP: &str =
    "Target share (left), usage (right) of the level: longer on the right is over-served";

columns! {
    Shares, "shares", "Shares", Count, "Raw shares, as the admin gave them";
    Usage, "usage", "Usage", Usage, "Decayed usage as the scheduler counts it, in the source's unit";
    GroupPercentage, "group_percentage", "Of level", Portion, "Shares among the siblings: shares / sum of the siblings' shares";
    FairsharePerc, "fairshare_perc", "Of tree", Portion, "Target: the portion of the whole tree, PBS's fairshare_perc";
    Balance, "balance", "share│usage", Bar, "Target share (left), usage (right): longer on the right is over-served";
    Served, "served", "Served", Times, "Used portion / target portion: above 1x is over-served";
    FairshareTreeUsage, "fairshare_tree_usage", "TreeUsage", Fraction, "Effective usage: own usage and, by share, the parent's; PBS's fairshare_tree_usage";
    FairshareFactor, "fairshare_factor", "FsFactor", Fraction, "2^-(fairshare_tree_usage / fairshare_perc), PBS's fairshare_factor";
    UsageOverPerc, "usage_over_perc", "Usage/perc", Usage, "usage / fairshare_perc: what PBS compares level by level without a formula; -1 at 0 %";
    NormShares, "norm_shares", "NormShares", Fraction, "Slurm's Norm Shares: portion of the level's shares; under classic rules, of the whole tree's";
    NormUsage, "norm_usage", "NormUsage", Fraction, "Slurm's Norm Usage: portion of all usage";
    EffectvUsage, "effectv_usage", "EffectvUsage", Fraction, "Slurm's Effectv Usage: the usage that the policy compares with the shares";
    WeightedShares, "weighted_shares", "Shares/level", Fraction, "Flux's portion of the level's shares";
    WeightedUsage, "weighted_usage", "Usage/level", Fraction, "Flux's portion of the level's usage, whose sum is truncated to whole numbers";
    Level, "level", "Level", Count, "Level below the root, from 0, and so the number of the node's own bucket";
    BucketFactor, "bucket_factor", "F", Fraction, "2^-(U / S') with S' = 0.1 + 0.9 S: how full the node's own bucket is";
    LevelFsWord, "level_fs", "level_fs", Word, "The node's own bucket, in its place in the 64-bit priority";
    PriorityFsRaw, "priority_fs_raw", "FairShare Raw", Word, "The 64-bit priority: the buckets of the accounts above the node and its own; the larger runs first";
    PriorityFsRawLeast, "priority_fs_raw_least", "Least", Word, "The smallest 64-bit priority, if its last unit depends on the controller's processor; otherwise empty";
    PriorityFsRawMost, "priority_fs_raw_most", "Most", Word, "The largest 64-bit priority, if its last unit depends on the controller's processor; otherwise empty";
    LevelFs, "level_fs", "LevelFS", Ratio, "Portion of shares / portion of usage; the higher ranks first";
    Weight, "weight", "Weight", Weight, "Portion of shares / portion of usage, as in Flux; the higher ranks first";
    Tickets, "tickets", "Tickets", Count, "Tickets, handed down from the root among active siblings";
    FormulaValue, "formula_value", "Formula", Fraction, "What the formula gives, as PBS stores it: a 32-bit float; the larger runs first";
    SchedulerRank, "scheduler_rank", "Counter", Count, "The scheduler's own counter, which falls from the first user to the last";
    Factor, "factor", "Factor", Fraction, "The policy's number that enters job priority; the higher runs first";
    WalkRank, "walk_rank", "Walk", Rank, "Place in PBS's order without a job_sort_formula";
    Rank, "rank", "Rank", Rank, "1 runs first; equal ranks are ties";
    Before, "rank_before", "Before", Rank, "Rank before the edits";
    PriorityPoints, "priority_points", "Points", Count, "What the factor adds to job priority: the factor times the weight of fair-share";
    Change, "change", "Δ", Change, "Places gained (▲) or lost (▼) by the edits";
    GroupId, "cresgroup", "cgrp", Count, "The group number in PBS's resource_group; informational";
}

impl ColumnId {
    /// Returns the column that computes the same number as a recorded one, or `None` if there is none.
    pub const fn computing(fact: Fact) -> Option<Self> {
        match fact {
            Fact::NormShares => Some(Self::NormShares),
            Fact::NormUsage => Some(Self::NormUsage),
            Fact::EffectvUsage => Some(Self::EffectvUsage),
            Fact::LevelFs => Some(Self::LevelFs),
            Fact::FairShare | Fact::FluxFairshare => Some(Self::Factor),
            Fact::JobUsage | Fact::RawUsage => Some(Self::Usage),
            _ => None,
        }
    }

    /// Returns the side on which its values are aligned.
    pub const fn alignment(self) -> Alignment {
        match self.unit() {
            Unit::Text | Unit::Bar => Alignment::Left,
            _ => Alignment::Right,
        }
    }
}
