//! The commands that compare trees: `diff` two of them, `timeline` a series.

use super::open::{ExplorerArgs, explore_series};
use super::source::{self, ReadArgs, SourceArgs, SpanArgs};
use super::values::{CsvArgs, PolicyChoice, TREE_FORMS, TableArgs, forms, setting};
use super::{FINE, FOUND, Outcome, output};
use crate::analysis::diff::{Diff, Pair};
use crate::analysis::timeline::{NodeSelection, Rules, Timeline, TimelineError, read};
use crate::base::number::{DAY, counted};
use crate::base::shell;
use crate::base::shown::shown;
use crate::format::input;
use crate::model::{PathError, duration_for_people, resolve};
use crate::open::{live, series};
use crate::report::diff::{Trees, write};
use crate::report::timeline::{TimelineReport, USUAL_LIMIT};
use crate::report::{Form, check, emit};
use clap::Args as Arguments;
use color_eyre::eyre::{self, bail};
use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// `fairscope diff`
#[derive(Arguments, Debug)]
pub struct DiffArgs {
    /// The old tree, then the new one unless --live is given; one file if --cluster OLD,NEW names two in it
    #[arg(value_names = ["OLD", "NEW"], num_args = 1..=2, required = true)]
    pub sources: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: ReadArgs,
    #[command(flatten)]
    pub form: TableArgs,
    /// Only nodes below this one, by its path or a unique name
    #[arg(long, value_name = "PATH")]
    pub node: Option<OsString>,
    /// The number of changed ranks and of nodes [default: 40 in text]
    ///
    /// The largest changes come first. With more than 2,000 users it is also the number of attributed changes [default: 40]
    #[arg(long, short = 'n', value_name = "N")]
    pub limit: Option<usize>,
    /// Exit with 1 if anything differs
    #[arg(long)]
    pub exit_code: bool,
}

/// `fairscope timeline`
#[derive(Arguments, Debug)]
pub struct TimelineArgs {
    /// A directory of dumps, or the dumps themselves, all of one cluster; with --jobs one tree
    #[arg(value_name = "DUMPS", required = true)]
    pub sources: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: ReadArgs,
    #[command(flatten)]
    pub span: SpanArgs,
    /// An edit to compare the same jobs under; may be repeated
    #[arg(long = "edit", value_name = "EDIT", requires = "jobs")]
    pub edits: Vec<String>,
    /// A setting to compare the same jobs under; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting, requires = "jobs")]
    pub instead: Vec<(String, String)>,
    /// A node to follow, by its path or a unique name, instead of behind the dumps; may be repeated
    #[arg(long = "node", hide_short_help = true, value_name = "PATH")]
    pub nodes: Vec<OsString>,
    /// The form of the output [default: the explorer in a terminal, else table]
    #[arg(long, short = 'o', value_name = "FORM", value_parser = forms(&TREE_FORMS[1..]))]
    pub format_out: Option<Form>,
    #[command(flatten)]
    pub csv: CsvArgs,
    /// The number of changed shares and of nodes [default: 20 in text]
    #[arg(long, short = 'n', value_name = "N")]
    pub limit: Option<usize>,
}

pub(super) fn diff(args: &DiffArgs) -> Outcome {
    let (mut old, new) = sides(args)?;
    let after = source::open(&new)?;
    // Ranks can only be compared under one policy.
    old.reading.policy = Some(PolicyChoice::One(after.scenario.policy()));
    let mut before = source::open(&old)?;
    // PBS's own order follows the formula of each.
    let own = after.scenario.policy_under(before.scenario.settings());
    before.scenario.set_policy(own);
    let mut diff = Diff::between(&before.scenario, &after.scenario);
    if let Some(name) = &args.node {
        diff = below(diff, name)?;
    }
    for (opened, source) in [(&before, &old), (&after, &new)] {
        opened.mention_remarks(source);
    }
    source::mention_strangers(&before, &after);
    let compared = Trees {
        diff: &diff,
        before: before.view(),
        after: after.view(),
        limit: args.limit,
    };
    output::print_rows(&args.form, |out, form| write(out, &compared, form))?;
    let differs = args.exit_code && !diff.is_empty();
    Ok(if differs { FOUND } else { FINE })
}

/// Returns the old and the new source; a live scheduler is always the new one.
fn sides(args: &DiffArgs) -> eyre::Result<(SourceArgs, SourceArgs)> {
    let mut before = None;
    let mut after = None;
    if let Some(names) = &args.reading.cluster {
        // A cluster's name has no comma.
        let (old, new) = names.split_once(',').unwrap_or((names, names));
        before = Some(old);
        after = Some(new);
    }
    let are_two = before != after;
    let is_live = args.reading.live.is_some();
    match &args.sources[..] {
        [old] if is_live => Ok((side(args, Some(old), before), side(args, None, after))),
        [both] if are_two => {
            let old = side(args, Some(both), before);
            Ok((old, side(args, Some(both), after)))
        }
        [old, new] if !is_live => {
            if old.as_os_str() == "-" && new.as_os_str() == "-" {
                bail!("standard input can be read only once; give the other source as a file");
            }
            let old = side(args, Some(old), before);
            Ok((old, side(args, Some(new), after)))
        }
        [_] => bail!(
            "only one source given; give the old and the new source, as in: fairscope diff old.toml new.toml"
        ),
        _ => bail!(
            "--live replaces the new source; leave out one of the two, as in: fairscope diff old.toml --live slurm"
        ),
    }
}

/// Returns one of the two sources: a path, or without one the live scheduler.
fn side(args: &DiffArgs, path: Option<&PathBuf>, cluster: Option<&str>) -> SourceArgs {
    let mut reading = args.reading.clone();
    reading.cluster = cluster.map(str::to_owned);
    let mut sources = Vec::new();
    if let Some(path) = path {
        reading.live = None;
        sources.push(path.clone());
    }
    SourceArgs { sources, reading }
}

/// Restricts a comparison to the subtree of a node, in the new tree or, if only the old one has it, in the old tree.
fn below(diff: Diff, name: &OsStr) -> eyre::Result<Diff> {
    let matching = &diff.matching;
    let (before, after) = match resolve(&diff.after.tree, name.as_bytes()) {
        Ok(after) => (matching.before(after), Some(after)),
        Err(error) => {
            let Ok(before) = resolve(&diff.before.tree, name.as_bytes()) else {
                return Err(error.into());
            };
            (Some(before), matching.after(before))
        }
    };
    Ok(diff.below(Pair { before, after }))
}

pub(super) fn timeline(mut args: TimelineArgs) -> Outcome {
    args.reading.span.clone_from(&args.span);
    let operands = source::take_nodes(&mut args.sources, &args.reading);
    args.nodes.splice(0..0, operands.iter().cloned());
    let reading = &args.reading;
    let is_compared = !args.edits.is_empty() || !args.instead.is_empty();
    if is_compared && args.nodes.is_empty() {
        bail!("--edit and --instead compare nodes; name them after the source");
    }
    let is_alone = reading.live.is_none() && reading.more.is_empty();
    let is_of_dumps = is_alone || reading.jobs.is_some();
    let is_plain =
        is_of_dumps && args.nodes.is_empty() && args.format_out.is_none() && args.limit.is_none();
    if is_plain && std::io::stdout().is_terminal() {
        return explore_series(ExplorerArgs {
            sources: args.sources,
            reading: args.reading,
            ..ExplorerArgs::default()
        });
    }
    let form = TableArgs {
        format_out: args.format_out.unwrap_or(Form::Table),
        csv: args.csv,
    };
    let names: Vec<Vec<u8>> = args.nodes.into_iter().map(OsStringExt::into_vec).collect();
    let selection = match &names[..] {
        [] if form.format_out.is_for_people() => {
            NodeSelection::Movers(args.limit.unwrap_or(USUAL_LIMIT))
        }
        [] => NodeSelection::All,
        names => NodeSelection::Nodes(names),
    };
    let read = read_series(&args.sources, reading, selection, &[]);
    let timeline = read.map_err(|error| with_operand(error, &operands))?;
    mention_problems(&timeline, None);
    let other = if is_compared {
        let mut under = reading.clone();
        under.settings.extend(args.instead.iter().cloned());
        let other = read_series(&args.sources, &under, selection, &args.edits)?;
        mention_problems(&other, Some(&timeline));
        Some(other)
    } else {
        None
    };
    let report = TimelineReport {
        timeline: &timeline,
        other: other.as_ref(),
        are_named: !names.is_empty(),
        lists_problems: false,
        limit: args.limit,
    };
    output::print_rows(&form, |out, form| emit(out, &report, form))
}

/// Returns an error with the operand in front that is no file, where it is about a node that was named behind the dumps.
fn with_operand(error: eyre::Report, operands: &[OsString]) -> eyre::Report {
    let Some(TimelineError::Path(PathError::Unknown { name, .. })) = error.downcast_ref() else {
        return error;
    };
    for operand in operands {
        if shown(operand.as_bytes()) == *name {
            return error.wrap_err(source::no_file(operand));
        }
    }
    error
}

/// Reads a series: dumps, or what jobs or a built-in tree make of one tree.
pub(super) fn read_series(
    sources: &[PathBuf],
    reading: &ReadArgs,
    selection: NodeSelection<'_>,
    edits: &[String],
) -> eyre::Result<Timeline> {
    let policy = reading.policy();
    let (request, found) = if source::makes_series(sources, reading)? {
        let request = source::series_request(sources, reading)?;
        let loaded = live::load_or_end(&request, &mut source::go_on)?;
        let Some(series) = loaded.series else {
            let every = request.history.every.unwrap_or_else(|| DAY.into());
            bail!(
                "the jobs are all within {}, the interval of the series; give a shorter one with --every, such as 1m",
                duration_for_people(every)
            );
        };
        (request, (series, loaded.problems))
    } else if reading.live.is_some() || !reading.more.is_empty() {
        bail!(
            "a timeline needs saved dumps, one tree each; leave out --live and --with, and save dumps with fairscope \
             snapshot"
        );
    } else {
        (source::request(&[], reading)?, series::find(sources)?)
    };
    let rules = Rules { policy, edits };
    let report = &mut |_: &_| ControlFlow::Continue(());
    Ok(read(found, &request, selection, rules, report)?)
}

/// Says on standard error what is wrong with a series, without what was told of the same one under other rules.
pub(super) fn mention_problems(timeline: &Timeline, told: Option<&Timeline>) {
    let mut problems = Vec::new();
    for problem in timeline.problems.list() {
        if told.is_none_or(|told| !told.problems.list().contains(problem)) {
            problems.push(problem);
        }
    }
    for problem in check::merged(problems.into_iter()) {
        output::complain(&problem.to_string());
    }
    if told.is_some() {
        return;
    }
    let mut odd = Vec::new();
    for moment in &timeline.moments {
        if moment.problems > 0 {
            odd.push(moment);
        }
    }
    let Some(first) = odd.first() else {
        return;
    };
    let name = input::name(&first.dump.path);
    let more = match odd.len() - 1 {
        0 => String::new(),
        more => format!(" and some in {}", counted(more, "more dump", "more dumps")),
    };
    let word = shell::word(&first.dump.path, "FILE");
    output::complain(&format!(
        "{} in {name}{more}; see `fairscope check {word}`",
        counted(first.problems, "problem", "problems")
    ));
}
