//! `fairscope solve`: the least shares that reach a goal, or what a rank depends on.

use super::edits::{EditArgs, ended};
use super::source::{Opened, SourceArgs, node, open};
use super::values::ProseArgs;
use super::{FINE, FOUND, Outcome, output};
use crate::analysis::solve::{Goal, Question, levels, sensitivity, solve};
use crate::report::emit;
use crate::report::solve::{Answers, RankSensitivity, SolveReport, way};
use clap::Args as Arguments;
use std::ffi::OsString;
use std::ops::ControlFlow;
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

pub(super) fn run(args: &SolveArgs) -> Outcome {
    let mut opened = open(&args.source)?;
    let drift = opened.edit(&args.edits)?;
    ended(answer(args, &opened), drift.as_ref(), false)
}

fn answer(args: &SolveArgs, opened: &Opened) -> Outcome {
    opened.mention_remarks(&args.source);
    let (scenario, view) = (&opened.scenario, opened.view());
    let subject = node(scenario.tree(), &args.node)?;
    let form = args.form.format_out;
    let progress = &mut |_| ControlFlow::Continue(());
    let Some(goal) = &args.goal else {
        let report = RankSensitivity {
            view: &view,
            sensitivity: &sensitivity(scenario, subject, progress)?,
        };
        return output::print(form, |out| emit(out, &report, form));
    };
    let goal = Goal::parse(goal.as_bytes(), scenario.tree())?;
    let solutions = if args.any {
        levels(scenario, subject, goal, progress)?
    } else {
        let change = match &args.change {
            Some(change) => node(scenario.tree(), change)?,
            None => subject,
        };
        let question = Question {
            node: subject,
            goal,
            change,
        };
        vec![solve(scenario, question, progress)?]
    };
    let report = SolveReport {
        scenario,
        view: &view,
        answers: &Answers::of(&solutions, args.any),
    };
    output::print(form, |out| emit(out, &report, form))?;
    if solutions.iter().any(|solution| solution.shares.is_some()) {
        return Ok(FINE);
    }
    if !args.any {
        // More shares of an account above may reach a goal that the node's own shares do not.
        let others = levels(scenario, subject, goal, progress)?;
        if let Some(way) = others.iter().find_map(|other| way(&view, other)) {
            output::say(&format!("fairscope: {way}; --any tries every level"));
        } else if others.len() > 1 {
            output::say(
                "fairscope: no account above it reaches the goal either; --any explains every level",
            );
        }
    }
    Ok(FOUND)
}
