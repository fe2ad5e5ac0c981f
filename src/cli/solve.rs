//! `fairscope solve`: the least shares that reach a goal, or what a rank depends on.

use super::Outcome;
use super::ask::ask;
use super::edits::{EditArgs, ended};
use super::source::{Opened, SourceArgs, node, open};
use super::values::ProseArgs;
use crate::analysis::solve::Goal;
use crate::model::Tree;
use crate::report::question::{ChangedShares, GoalQuestion, Question};
use clap::Args as Arguments;
use color_eyre::eyre;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

/// `fairscope solve`
#[derive(Arguments, Debug)]
pub struct SolveArgs {
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
    #[command(flatten)]
    pub edits: EditArgs,
    #[command(flatten)]
    pub form: ProseArgs,
}

/// Prints what would bring a node to a goal, or what its rank depends on.
pub(super) fn run(args: &SolveArgs) -> Outcome {
    let mut opened = open(&args.source)?;
    let drift = opened.edit(&args.edits)?;
    let outcome = answer(args, &opened);
    ended(outcome, drift.as_ref(), false)
}

/// Prints the answer for the opened tree with its edits.
fn answer(args: &SolveArgs, opened: &Opened) -> Outcome {
    opened.mention_remarks(&args.source);
    let question = question(args, opened.scenario.tree())?;
    let form = args.form.table();
    ask(opened, &question, None, &form)
}

/// Returns what is asked: a goal of the node, or what its rank depends on.
fn question(args: &SolveArgs, tree: &Tree) -> eyre::Result<Question> {
    let subject = node(tree, &args.node)?;
    let Some(goal) = &args.goal else {
        return Ok(Question::Rank(subject));
    };
    let goal = Goal::parse(goal.as_bytes(), tree)?;
    let change = if args.any {
        ChangedShares::OfAnyLevel
    } else if let Some(change) = &args.change {
        ChangedShares::Of(node(tree, change)?)
    } else {
        ChangedShares::Of(subject)
    };
    Ok(Question::Goal(GoalQuestion {
        node: subject,
        goal,
        change,
    }))
}
