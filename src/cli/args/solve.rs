//! What can be written after `fairscope solve`.

use super::{EditArgs, ProseArgs, SourceArgs};
use clap::Args as Arguments;
use std::ffi::OsString;

/// `fairscope solve`
#[derive(Arguments, Debug)]
pub struct SolveArgs {
    /// What to look at.
    #[command(flatten)]
    pub source: SourceArgs,
    /// The user or account, by its path or a unique name
    ///
    /// The rank of an account is that of its best user.
    #[arg(long, value_name = "PATH")]
    pub node: OsString,
    /// The goal, such as rank<=3; else what the rank depends on
    ///
    /// on-target (usage within its own target), rank<=K, factor>=F, share>=P or ahead-of PATH; without a goal, prints what
    /// the rank depends on.
    #[arg(long, value_name = "GOAL")]
    pub goal: Option<OsString>,
    /// Change the shares of this node instead
    #[arg(long, value_name = "PATH", requires = "goal", conflicts_with = "any")]
    pub change: Option<OsString>,
    /// Try the node and each account above it, and name the cheapest
    #[arg(long, requires = "goal")]
    pub any: bool,
    /// Edits to be made before.
    #[command(flatten)]
    pub edits: EditArgs,
    /// How to write it.
    #[command(flatten)]
    pub form: ProseArgs,
}
