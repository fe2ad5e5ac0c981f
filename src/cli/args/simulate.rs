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
    /// How far to go: 14d, 36h, 2-12:00:00, or a date such as 2026-12-02 where the source tells when it was taken
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
    pub until: String,
    /// How often to look [default: such that there are 15 rows or fewer]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub step: Option<String>,
    /// A user or account to follow, by its path or by a name that occurs once; may be repeated [default: all users
    /// where there are 12 or fewer, else what is right below the root]
    #[arg(long = "node", value_name = "PATH")]
    pub nodes: Vec<OsString>,
    /// Who uses how much meanwhile: idle (nobody anything), steady (everybody keeps the usage they have), or an older
    /// snapshot of the same cluster (everybody as between the two) [default: as the edits say, else idle]
    #[arg(long, value_name = "idle|steady|FILE")]
    pub pace: Option<OsString>,
    /// A user or account that uses nothing, whatever the pace; may be repeated
    #[arg(long = "idle", value_name = "PATH")]
    pub idle: Vec<OsString>,
    /// What a user uses, in units of usage per second; may be repeated
    #[arg(long = "charge", value_name = "PATH=RATE")]
    pub charges: Vec<OsString>,
    /// What a user uses on top for a while, counted from the snapshot; may be repeated
    #[arg(long = "campaign", value_name = "PATH=RATE:FROM..UNTIL")]
    pub campaigns: Vec<OsString>,
    /// When each --node reaches this: on-target (it used no more than its own target), rank<=K, factor>=F or
    /// ahead-of PATH; may be repeated [default: on-target]
    #[arg(
        long = "goal",
        value_name = "GOAL",
        requires = "nodes",
        num_args = 0..=1,
        default_missing_value = ON_TARGET
    )]
    pub goals: Vec<OsString>,
    /// How far to look for the goals [default: a year, or --until if that is later]
    #[arg(
        long,
        value_name = "TIME",
        requires = "nodes",
        allow_hyphen_values = true
    )]
    pub horizon: Option<String>,
    /// The same once more with another setting: same history, same usage to come, other half-life
    #[arg(long, value_name = "KEY=VALUE", value_parser = super::values::setting)]
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
