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
    /// The user or account, by its path or by a name that occurs once; an account stands where its best user does
    #[arg(long, value_name = "PATH")]
    pub node: OsString,
    /// What it should reach: on-target (it used no more than its own target), rank<=K, factor>=F, share>=P or
    /// ahead-of PATH; without it, what its rank depends on is printed
    #[arg(long, value_name = "GOAL")]
    pub goal: Option<OsString>,
    /// Change the shares of this node in place of its own: an account above it, or one that is in its way
    #[arg(long, value_name = "PATH", requires = "goal", conflicts_with = "any")]
    pub change: Option<OsString>,
    /// Try each level of its way, the node and the accounts above it, and say where least must change
    #[arg(long, requires = "goal")]
    pub any: bool,
    /// Edits to be made before.
    #[command(flatten)]
    pub edits: EditArgs,
    /// How to write it.
    #[command(flatten)]
    pub form: ProseArgs,
}
