//! `fairscope solve`: the least shares that reach a goal, or what a rank depends on.

use super::Outcome;
use super::ask::ask;
use super::edits::{EditArgs, ended};
use super::source::{Opened, SourceArgs, node, node_of_operand, open_beside_nodes, take_nodes};
use super::values::ProseArgs;
use crate::analysis::solve::Goal;
use crate::model::{NodeId, Tree};
use crate::report::question::{ChangedShares, GoalQuestion, Question};
use clap::Args as Arguments;
use color_eyre::eyre::{self, bail};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

/// `fairscope solve`
#[derive(Arguments, Debug)]
pub struct SolveArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// The user or account, by its path or a unique name, instead of behind the source
    ///
    /// The rank of an account is that of its best user.
    #[arg(long, hide_short_help = true, value_name = "PATH")]
    pub node: Option<OsString>,
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
pub(super) fn run(mut args: SolveArgs) -> Outcome {
    let named = take_nodes(&mut args.source.sources, &args.source.reading);
    let mut opened = open_beside_nodes(&args.source)?;
    let subject = subject(&args, &named, opened.scenario.tree())?;
    let drift = opened.edit(&args.edits)?;
    let outcome = answer(&args, subject, &opened);
    ended(outcome, drift.as_ref(), false)
}

/// Prints the answer for the opened tree with its edits.
fn answer(args: &SolveArgs, subject: NodeId, opened: &Opened) -> Outcome {
    opened.mention_remarks(&args.source);
    let question = question(args, subject, opened.scenario.tree())?;
    let form = args.form.table();
    ask(opened, &question, None, &form)
}

/// Returns the node that is asked about: the operand behind the source, or that of the option.
fn subject(args: &SolveArgs, named: &[OsString], tree: &Tree) -> eyre::Result<NodeId> {
    match (named, &args.node) {
        ([name], None) => node_of_operand(tree, name),
        ([], Some(name)) => node(tree, name),
        ([], None) => bail!(
            "no node given; give one after the source, as in: fairscope solve sched_priv group2/scott"
        ),
        _ => bail!("solve answers for one node; leave out the others, or --node"),
    }
}

/// Returns what is asked: a goal of the node, or what its rank depends on.
fn question(args: &SolveArgs, subject: NodeId, tree: &Tree) -> eyre::Result<Question> {
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
