//! `fairscope timeline`: the history of a tree through a series of dumps.

use super::args::{ExplorerArgs, TimelineArgs};
use super::{FINE, Outcome, open, output};
use crate::analysis::timeline::{NodeSelection, Timeline, read};
use crate::base::number::counted;
use crate::format::input;
use crate::open::series;
use crate::report::{Form, check, timeline as report};
use color_eyre::eyre::bail;
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStringExt;

pub(super) fn run(args: TimelineArgs) -> Outcome {
    let reading = &args.reading;
    if reading.live.is_some() || !reading.more.is_empty() {
        bail!(
            "a timeline needs saved dumps, one tree each; leave out --live and --with, and save dumps with fairscope \
             snapshot"
        );
    }
    let is_plain = args.nodes.is_empty() && args.format_out.is_none() && args.limit.is_none();
    if is_plain && std::io::stdout().is_terminal() {
        return open::explore_series(ExplorerArgs {
            sources: args.sources,
            reading: args.reading,
            ..ExplorerArgs::default()
        });
    }
    let request = super::source::request(&[], reading)?;
    let form = args.format_out.unwrap_or(Form::Table);
    let names: Vec<Vec<u8>> = args.nodes.into_iter().map(OsStringExt::into_vec).collect();
    let selection = match &names[..] {
        [] if form.is_for_people() => {
            NodeSelection::Movers(args.limit.unwrap_or(report::USUAL_LIMIT))
        }
        [] => NodeSelection::All,
        names => NodeSelection::Nodes(names),
    };
    let found = series::find(&args.sources)?;
    let policy = reading.policy();
    let timeline = read(found, &request, selection, policy, &mut |_| {
        ControlFlow::Continue(())
    })?;
    for problem in check::merged(timeline.problems.list().iter()) {
        output::complain(&problem.to_string());
    }
    mention_problems(&timeline);
    let are_named = !names.is_empty();
    output::print_rows(form, args.csv, |out| {
        report::write(out, &timeline, are_named, args.limit, form)
    })?;
    Ok(FINE)
}

/// Writes to standard error that dumps have problems, which are not listed here.
fn mention_problems(timeline: &Timeline) {
    let mut odd = timeline.moments.iter().filter(|moment| moment.problems > 0);
    let Some(first) = odd.next() else {
        return;
    };
    let name = input::name(&first.dump.path);
    let more = match odd.count() {
        0 => String::new(),
        more => format!(" and some in {}", counted(more, "more dump", "more dumps")),
    };
    output::complain(&format!(
        "{} in {name}{more}; see `fairscope check {name}`",
        counted(first.problems, "problem", "problems")
    ));
}
