//! What can be written after `fairscope simulate`.

use super::{ContentionArgs, EditArgs, SourceArgs, TableArgs};
use crate::analysis::solve::ON_TARGET;
use clap::Args as Arguments;
use std::ffi::OsString;

/// `fairscope simulate`
#[derive(Arguments, Debug)]
pub struct SimulateArgs {
    /// What to look at.
    #[command(flatten)]
    pub source: SourceArgs,
    /// The end, such as 14d or 2026-12-02
    ///
    /// A duration is written 14d, 36h or 2-12:00:00. A date needs a source whose time is known.
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
    pub until: String,
    /// The time between two rows [default: at most 15 rows]
    #[arg(
        long,
        hide_short_help = true,
        value_name = "TIME",
        allow_hyphen_values = true
    )]
    pub step: Option<String>,
    /// A user or account to follow; may be repeated
    ///
    /// By its path or a unique name [default: all users if there are at most 12, else the children of the root]
    #[arg(long = "node", value_name = "PATH")]
    pub nodes: Vec<OsString>,
    /// The future usage: idle, steady, or an older snapshot
    ///
    /// idle is none, steady keeps the usage as it is, and an older snapshot of the same cluster gives the rates between
    /// the two [default: as edited, else idle]
    #[arg(long, value_name = "idle|steady|FILE")]
    pub pace: Option<OsString>,
    /// A user or account that uses nothing; may be repeated
    #[arg(long = "idle", value_name = "PATH")]
    pub idle: Vec<OsString>,
    /// The usage rate of a user, in units of usage per second; may be repeated
    #[arg(long = "charge", value_name = "PATH=RATE")]
    pub charges: Vec<OsString>,
    /// Further usage of a user for a time, counted from the snapshot; may be repeated
    #[arg(
        long = "campaign",
        hide_short_help = true,
        value_name = "PATH=RATE:FROM..UNTIL"
    )]
    pub campaigns: Vec<OsString>,
    /// The goal of each --node, such as rank<=3; may be repeated
    ///
    /// on-target (usage within its own target), rank<=K, factor>=F or ahead-of PATH [default: on-target]
    #[arg(
        long = "goal",
        value_name = "GOAL",
        requires = "nodes",
        num_args = 0..=1,
        default_missing_value = ON_TARGET
    )]
    pub goals: Vec<OsString>,
    /// How far to look ahead for the goals [default: a year, or --until if later]
    #[arg(
        long,
        hide_short_help = true,
        value_name = "TIME",
        requires = "nodes",
        allow_hyphen_values = true
    )]
    pub horizon: Option<String>,
    /// Another setting to compare with, such as another half-life
    #[arg(long, hide_short_help = true, value_name = "KEY=VALUE", value_parser = super::values::setting)]
    pub compare: Option<(String, String)>,
    /// A machine that hands out cores, in place of a pace.
    #[command(flatten)]
    pub contention: ContentionArgs,
    /// Edits to be made before.
    #[command(flatten)]
    pub edits: EditArgs,
    /// How to write it.
    #[command(flatten)]
    pub form: TableArgs,
}
