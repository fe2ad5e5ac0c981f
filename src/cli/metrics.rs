//! `metrics`: the served ratios of a tree, or of a series of dumps.

use super::compare::{mention_problems, read_series};
use super::gates::{GateArgs, code};
use super::source::{self, SourceArgs};
use super::values::{CsvArgs, TableArgs, forms};
use super::{Outcome, output};
use crate::analysis::gate::Judgement;
use crate::analysis::timeline::{NodeSelection, Timeline};
use crate::base::save::{save, spare};
use crate::report::metrics::MetricsReport;
use crate::report::question::MetricsQuestion;
use crate::report::{Form, View, emit};
use clap::Args as Arguments;
use std::path::PathBuf;

/// The forms of served ratios; `openmetrics` is for the collector of a node exporter.
const FORMS: &[Form] = &[
    Form::Text,
    Form::Csv,
    Form::Json,
    Form::Markdown,
    Form::Html,
    Form::OpenMetrics,
];

/// `fairscope metrics`
#[derive(Arguments, Debug)]
pub struct MetricsArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// List users too, not only accounts
    #[arg(long)]
    pub users: bool,
    /// The number of over- and of under-served nodes in text [default: 10]
    #[arg(long, short = 'n', value_name = "N")]
    pub limit: Option<usize>,
    /// The newest of several dumps, with a row for each of them
    #[arg(long, conflicts_with = "conditions")]
    pub timeline: bool,
    /// The form of the output
    #[arg(long, short = 'o', value_name = "FORM", default_value = "text", value_parser = forms(FORMS))]
    pub format_out: Form,
    #[command(flatten)]
    pub csv: CsvArgs,
    /// The file to write; an earlier one is replaced as a whole
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub gates: GateArgs,
}

/// Prints or saves the served ratios of a tree, or of the newest of several dumps.
pub(super) fn run(args: &MetricsArgs) -> Outcome {
    if args.timeline {
        return run_on_series(args);
    }
    let opened = source::open(&args.source)?;
    let gates = args.gates.judge(&opened, false, None)?;
    opened.mention_remarks(&args.source);
    let files = opened.source.reference.request.files();
    deliver(args, opened.view(), None, &gates, &files)
}

/// Does the same for several dumps, of which each has a row.
fn run_on_series(args: &MetricsArgs) -> Outcome {
    let SourceArgs { sources, reading } = &args.source;
    let timeline = read_series(sources, reading, NodeSelection::Fairness, &[])?;
    mention_problems(&timeline, None);
    let view = View::of(&timeline.newest, &timeline.problems);
    let mut dumps = Vec::new();
    for moment in &timeline.moments {
        dumps.push(moment.dump.path.clone());
    }
    deliver(args, view, Some(&timeline), &[], &dumps)
}

/// Prints the report, or saves it over an earlier one, but over no file of a source.
fn deliver(
    args: &MetricsArgs,
    view: View<'_>,
    timeline: Option<&Timeline>,
    gates: &[Judgement],
    sources: &[PathBuf],
) -> Outcome {
    let question = MetricsQuestion {
        with_users: args.users,
        limit: args.limit,
    };
    let report = MetricsReport {
        timeline,
        gates,
        ..MetricsReport::of(view, question)
    };
    let table = TableArgs {
        format_out: args.format_out,
        csv: args.csv,
    };
    let is_for_people = args.format_out.is_for_people();
    let Some(path) = &args.out else {
        output::print_rows(&table, |out, form| emit(out, &report, form))?;
        return Ok(code(gates, is_for_people));
    };
    let bytes = output::rows(&table, |out, form| emit(out, &report, form))?;
    spare(path, sources)?;
    save(path, &bytes, true)?;
    Ok(code(gates, false))
}
