//! `fairscope solve`: the least shares that reach a goal, or what a rank depends on.

use super::args::SolveArgs;
use super::source::{node, open};
use super::{FINE, FOUND, Outcome, output};
use crate::analysis::solve::{Goal, Question, levels, sensitivity, solve};
use crate::report::solve as report;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;

pub(super) fn run(args: &SolveArgs) -> Outcome {
    let mut opened = open(&args.source)?;
    opened.edit(&args.edits)?;
    opened.mention_remarks(&args.source);
    let (scenario, view) = (&opened.scenario, opened.view());
    let subject = node(scenario.tree(), &args.node)?;
    let form = args.form.format_out;
    let progress = &mut |_| ControlFlow::Continue(());
    let Some(goal) = &args.goal else {
        let found = sensitivity(scenario, subject, progress)?;
        output::print(form, |out| {
            report::write_sensitivity(out, &view, &found, form)
        })?;
        return Ok(FINE);
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
    let answers = report::Answers::of(&solutions, args.any);
    output::print(form, |out| {
        report::write(out, scenario, &view, &answers, form)
    })?;
    if solutions.iter().any(|solution| solution.shares.is_some()) {
        return Ok(FINE);
    }
    if !args.any {
        // More shares of an account above may reach a goal that the node's own shares do not.
        let others = levels(scenario, subject, goal, progress)?;
        if let Some(way) = others.iter().find_map(|other| report::way(&view, other)) {
            output::say(&format!("fairscope: {way}; --any tries every level"));
        } else if others.len() > 1 {
            output::say(
                "fairscope: no account above it reaches the goal either; --any explains every level",
            );
        }
    }
    Ok(FOUND)
}
