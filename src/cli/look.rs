//! The commands that print a tree as it is: `show`, `rank`, `explain`, `policies`, `check`, and `pbsfs` as PBS's own
//! program does.

use super::ask::ask;
use super::edits::DesiredArgs;
use super::gates::{GateArgs, code};
use super::source::{self, Opened, ReadArgs, SourceArgs};
use super::values::{
    CsvArgs, PolicyChoice, ProseArgs, TREE_FORMS, TableArgs, forms, policy_or_all, problem_code,
    severities,
};
use super::{FOUND, Outcome, output};
use crate::base::shown::{Backslash, Shown, shown, shown_format, shown_text};
use crate::format::input::{self, PathKind};
use crate::format::{Severity, is_example};
use crate::model::{Kind, NodeId, nodes_meant};
use crate::report::check::{self, Accepted, Check};
use crate::report::me::users_called;
use crate::report::question::{Namesakes, NodePair, Question};
use crate::report::{self, Field, Form, Options, RowOrder, desired, emit, policies, show};
use crate::rules::policy::RuleColumn;
use crate::scenario::Scenario;
use clap::Args as Arguments;
use color_eyre::eyre::{self, bail};
use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{IsTerminal as _, Write as _};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// `fairscope show`
#[derive(Arguments, Debug)]
pub struct ShowArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// The form of the output
    #[arg(long, short = 'o', value_name = "FORM", default_value = "tree", value_parser = forms(TREE_FORMS))]
    pub format_out: Form,
    #[command(flatten)]
    pub csv: CsvArgs,
    #[command(flatten)]
    pub rows: RowArgs,
    /// The number of levels below the topmost node
    #[arg(long, value_name = "N")]
    pub depth: Option<u32>,
}

/// Which rows and columns to print.
#[derive(Arguments, Debug)]
pub struct RowArgs {
    /// The columns, in order, by their names in JSON, or every-rule
    ///
    /// POLICY:COLUMN is a column of another policy, every-rule those of four policies.
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub columns: Vec<String>,
    /// The column to sort by; -COLUMN sorts the largest first
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    pub sort: Option<String>,
    /// The topmost node, by its path or a unique name
    #[arg(long, value_name = "PATH")]
    pub node: Option<OsString>,
    /// The number of rows, from the first on [default: all]
    #[arg(long, short = 'n', value_name = "N")]
    pub limit: Option<usize>,
}

/// `fairscope rank`
#[derive(Arguments, Debug)]
pub struct RankArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub form: TableArgs,
    #[command(flatten)]
    pub rows: RowArgs,
}

/// `fairscope explain`
#[derive(Arguments, Debug)]
#[command(mut_arg("policy", |policy| policy.value_parser(policy_or_all())))]
pub struct ExplainArgs {
    /// The source unless --live is given, then one or two nodes
    ///
    /// A node is given by its path or a unique name; the name of several users explains each of them. With two nodes,
    /// the report tells where their paths diverge.
    #[arg(value_names = ["SOURCE", "NODE"], num_args = 1.., required = true)]
    pub words: Vec<OsString>,
    #[command(flatten)]
    pub reading: ReadArgs,
    #[command(flatten)]
    pub form: ProseArgs,
}

/// `fairscope policies`
#[derive(Arguments, Debug)]
pub struct PoliciesArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub form: TableArgs,
    /// Only users below this node, by its path or a unique name
    #[arg(long, value_name = "PATH")]
    pub node: Option<OsString>,
    /// The number of users, by spread [default: 40 in text]
    #[arg(long, short = 'n', value_name = "N")]
    pub limit: Option<usize>,
}

/// `fairscope check`
#[derive(Arguments, Debug)]
pub struct CheckArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub desired: DesiredArgs,
    /// A code of problems that are accepted, such as pbs-no-usage; may be repeated
    #[arg(long = "ignore", value_name = "CODE", value_parser = problem_code)]
    pub ignored: Vec<&'static str>,
    /// The least severity with which the exit code is 1
    #[arg(long, value_name = "SEVERITY", default_value = "note", value_parser = severities())]
    pub level: Severity,
    #[command(flatten)]
    pub form: ProseArgs,
    #[command(flatten)]
    pub gates: GateArgs,
}

/// `fairscope pbsfs`
#[derive(Arguments, Debug)]
pub struct PbsfsArgs {
    /// Options and operands as pbsfs takes them, the sched_priv directory or another source last
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENT"
    )]
    pub args: Vec<OsString>,
}

/// Prints the tree.
pub(super) fn show(args: &ShowArgs) -> Outcome {
    let opened = source::open(&args.source)?;
    let has_branches = matches!(args.format_out, Form::Tree | Form::Html);
    let mut options = options(&opened, &args.rows, has_branches)?;
    options.depth = args.depth;
    opened.mention_remarks(&args.source);
    mention_unranked(&opened, &options);
    let form = TableArgs {
        format_out: args.format_out,
        csv: args.csv,
    };
    output::print_rows(&form, |out, form| {
        show::write(out, &opened.view(), &options, form)
    })
}

/// Prints the tree as `fairscope SOURCE` does without a terminal; the built-in example if nothing is given.
pub(super) fn show_plainly(source: &SourceArgs) -> Outcome {
    let opened = source::open(source)?;
    if source::is_given(&source.sources, &source.reading) {
        opened.mention_remarks(source);
    }
    output::print(Form::Tree, |out| {
        show::write(out, &opened.view(), &Options::default(), Form::Tree)
    })
}

/// Prints the users by rank.
pub(super) fn rank(args: &RankArgs) -> Outcome {
    let opened = source::open(&args.source)?;
    let options = options(&opened, &args.rows, false)?;
    opened.mention_remarks(&args.source);
    mention_unranked(&opened, &options);
    output::print_rows(&args.form, |out, form| {
        show::write_ranking(out, &opened.view(), &options, form)
    })
}

/// Says of which users other rules have no numbers, whose cells are blank.
fn mention_unranked(opened: &Opened, options: &Options) {
    let Some(fields) = &options.columns else {
        return;
    };
    let mut columns = Vec::new();
    for field in fields {
        if let Field::Column(column) = field {
            columns.push(*column);
        }
    }
    for sentence in opened.view().unranked_elsewhere(&columns) {
        output::complain(&sentence);
    }
}

/// The word for the columns that the scheduler's own rule is read by.
const SCHEDULER: &str = "scheduler";

/// Returns the rows and columns that were asked for. A form that `has_branches` names the nodes by itself.
fn options(opened: &Opened, rows: &RowArgs, has_branches: bool) -> eyre::Result<Options> {
    let scenario = &opened.scenario;
    let mut options = Options::default();
    if !rows.columns.is_empty() {
        options.columns = Some(fields(scenario, &rows.columns, has_branches)?);
    }
    if let Some(name) = &rows.sort {
        let descending = name.strip_prefix('-');
        let name = descending.unwrap_or(name);
        options.sort = Some(RowOrder {
            field: field(scenario, name)?,
            is_descending: descending.is_some(),
        });
    }
    if let Some(name) = &rows.node {
        options.node = Some(source::node(scenario.tree(), name)?);
    }
    options.limit = rows.limit;
    Ok(options)
}

/// Returns the columns with these names, each once. A word for several stands for the path and those.
fn fields(scenario: &Scenario, names: &[String], has_branches: bool) -> eyre::Result<Vec<Field>> {
    let mut fields = Vec::new();
    for name in names {
        if let Some(preset) = preset(scenario, name) {
            if !has_branches {
                fields.push(Field::Path);
            }
            fields.extend(preset.into_iter().map(Field::Column));
        } else {
            fields.push(field(scenario, name)?);
        }
    }
    Ok(each_once(fields))
}

/// Returns the columns that a word means together; `None` if it is no such word.
fn preset(scenario: &Scenario, word: &str) -> Option<Vec<RuleColumn>> {
    match word {
        RuleColumn::EVERY_RULE_WORD => Some(RuleColumn::EVERY_RULE.to_vec()),
        SCHEDULER => {
            let mut columns = Vec::new();
            for &column in scenario.policy().usual_columns() {
                columns.push(column.into());
            }
            Some(columns)
        }
        _ => None,
    }
}

/// Returns the column with this name; fails with the names that the policy has.
fn field(scenario: &Scenario, name: &str) -> eyre::Result<Field> {
    let policy = scenario.policy();
    let recorded = &scenario.base().recorded;
    match Field::named(name, policy, scenario.settings(), recorded) {
        Ok(field) => Ok(field),
        Err(error) => bail!("{error}"),
    }
}

/// Returns columns without those that are named a second time.
fn each_once(named: Vec<Field>) -> Vec<Field> {
    let mut columns = Vec::with_capacity(named.len());
    for field in named {
        if !columns.contains(&field) {
            columns.push(field);
        }
    }
    columns
}

/// Prints why a node has its rank, or which of two is ahead.
pub(super) fn explain(args: &ExplainArgs) -> Outcome {
    let parts = parts(args)?;
    let shows_every = args.reading.policy == Some(PolicyChoice::Every);
    if let Some(other) = parts.other
        && shows_every
    {
        bail!(
            "--policy all explains one node; leave out {}, or name one policy to compare two nodes",
            shown(other.as_bytes())
        );
    }
    let source = SourceArgs::of(parts.sources.clone(), args.reading.clone());
    let opened = source::open(&source)?;
    let question = explained(args, &parts, &opened.scenario)?;
    // The explanation lacks the jobs that were left out.
    if args.reading.jobs.is_some() {
        opened.mention_problems(&source);
    }
    ask(&opened, &question, None, &args.form.table())
}

/// Returns what is asked about the named nodes.
fn explained(
    args: &ExplainArgs,
    parts: &ExplainedParts<'_>,
    scenario: &Scenario,
) -> eyre::Result<Question> {
    let tree = scenario.tree();
    if let Some(other) = parts.other {
        let first = named_node(args, scenario, parts.node)?;
        let second = source::node(tree, other)?;
        return Ok(Question::Pair(NodePair { first, second }));
    }
    let name = parts.node.as_bytes();
    let mut nodes = namesakes(scenario, name);
    if nodes.is_empty() {
        nodes.push(named_node(args, scenario, parts.node)?);
    }
    if args.reading.policy == Some(PolicyChoice::Every) {
        return Ok(Question::EveryPolicy(nodes));
    }
    Ok(match nodes[..] {
        [only] => Question::Explain(only),
        _ => Question::Namesakes(Namesakes {
            name: name.to_vec(),
            users: nodes,
        }),
    })
}

/// Returns the node that a word names. A file in its place is another output of the source.
fn named_node(args: &ExplainArgs, scenario: &Scenario, word: &OsString) -> eyre::Result<NodeId> {
    let found = source::node(scenario.tree(), word);
    if found.is_ok() || args.reading.live.is_some() {
        return found;
    }
    match input::look(Path::new(word)) {
        Ok(PathKind::File) => bail!(beside(word)),
        _ => found,
    }
}

/// Returns the users that a word means by their name alone, the best rank first; none if it is a path, or the name of an
/// account or of one node.
fn namesakes(scenario: &Scenario, word: &[u8]) -> Vec<NodeId> {
    let tree = scenario.tree();
    let mut nodes = nodes_meant(tree, word).into_owned();
    if nodes.is_empty() {
        nodes = users_called(tree, scenario.settings(), word);
    } else if nodes.len() == 1 {
        return Vec::new();
    } else {
        for &node in &nodes {
            if tree.kind(node) != Kind::User {
                return Vec::new();
            }
        }
    }
    let evaluation = scenario.evaluation();
    nodes.sort_by_key(|&node| evaluation.rank(node).unwrap_or(u32::MAX));
    nodes
}

/// What the words of `explain` are.
struct ExplainedParts<'a> {
    /// The source; none with a live scheduler.
    sources: Vec<PathBuf>,
    /// The node that is explained, by its path or a name.
    node: &'a OsString,
    /// The node to compare it with.
    other: Option<&'a OsString>,
}

/// Splits the words into the sources, the node and the second node; a live scheduler needs no source.
fn parts(args: &ExplainArgs) -> eyre::Result<ExplainedParts<'_>> {
    let is_live = args.reading.live.is_some();
    let mut sources = Vec::new();
    let mut nodes = &args.words[..];
    if !is_live && let [source, rest @ ..] = nodes {
        sources.push(PathBuf::from(source));
        nodes = rest;
    }
    match nodes {
        [node] => Ok(ExplainedParts {
            sources,
            node,
            other: None,
        }),
        [node, other] => Ok(ExplainedParts {
            sources,
            node,
            other: Some(other),
        }),
        [] => bail!(
            "no node given; give one after the source, as in: fairscope explain sched_priv group2/suzy"
        ),
        [second, ..] if !is_live => bail!(beside(second)),
        _ => bail!(
            "--live replaces the source, so these are {} nodes, but at most two can be compared; leave out the source",
            nodes.len()
        ),
    }
}

/// Returns the message for a file in the place of a node, or for a surplus word.
fn beside(word: &OsString) -> String {
    format!(
        "too many arguments: {0} is in the place of a node; expected one source and one or two nodes; if it is another \
         output of the same cluster, give it with --with {0}",
        shown(word.as_bytes())
    )
}

/// Prints the ranks of users under every policy.
pub(super) fn policies(args: &PoliciesArgs) -> Outcome {
    let opened = source::open(&args.source)?;
    let mut options = policies::Options {
        node: None,
        limit: args.limit,
    };
    if let Some(name) = &args.node {
        options.node = Some(source::node(opened.scenario.tree(), name)?);
    }
    opened.mention_remarks(&args.source);
    let view = opened.view();
    let comparison = policies::compare(&view);
    output::print_rows(&args.form, |out, form| {
        policies::write(out, &view, &comparison, &options, form)
    })
}

/// Prints whether the source is right. Exits with 1 if it has unusual problems, or a gate fails.
pub(super) fn check(args: &CheckArgs) -> Outcome {
    let mut opened = source::open(&args.source)?;
    let drift = args.desired.drift(&opened.scenario)?;
    let problems = &mut opened.source.problems;
    if let Some(drift) = &drift {
        problems.append(drift.notes.clone());
        problems.append(drift.problems.clone());
    }
    let view = opened.view();
    let verification = &opened.source.verification;
    let mut findings = check::findings(&view, verification);
    if let Some(drift) = &drift {
        desired::add_findings(&mut findings, drift, &view.source.path);
    }
    let gates = args.gates.judge(&opened, false, drift.as_ref())?;
    let report = Check {
        view: &view,
        findings: &findings,
        verification,
        drift: drift.as_ref(),
        gates: &gates,
    };
    let form = args.form.table();
    output::print_rows(&form, |out, form| emit(out, &report, form))?;
    let code = code(&gates, form.format_out.is_for_people());
    let accepted = Accepted {
        codes: args.ignored.clone(),
        least: args.level,
    };
    if accepted.holds_all(&opened.source.problems) && accepted.holds_all(&findings) {
        Ok(code)
    } else {
        Ok(FOUND)
    }
}

/// Returns the arguments after `pbsfs` if that is the command. No other parser may read them, except for help.
pub(super) fn pbsfs_arguments(args: &[OsString]) -> Option<&[OsString]> {
    let [_, command, rest @ ..] = args else {
        return None;
    };
    if command != "pbsfs" {
        return None;
    }
    match rest {
        [only] if only == "--help" || only == "-h" => None,
        rest => Some(rest),
    }
}

/// Opens a file, a built-in tree, or a directory of another scheduler; that of PBS is for pbsfs itself, which is silent about
/// a directory that has no tree.
fn open_other(path: &Path) -> Option<Result<Scenario, Shown>> {
    let kind = input::look(path).ok();
    let is_directory = kind == Some(PathKind::Directory);
    if is_directory {
        let groups = input::is_there(&path.join("resource_group"));
        if matches!(groups, Ok(true)) {
            return None;
        }
    } else if kind != Some(PathKind::File) && !is_example(path) {
        return None;
    }
    let source = SourceArgs::of(vec![path.to_owned()], ReadArgs::default());
    match source::open(&source) {
        Ok(opened) => Some(Ok(opened.scenario)),
        Err(_) if is_directory => None,
        Err(error) => {
            let reason = error.to_string();
            Some(Err(shown_text(reason.as_bytes())))
        }
    }
}

/// Does what PBS's own pbsfs does. Returns its exit code.
pub(super) fn pbsfs(args: &[OsString]) -> Outcome {
    let mut stderr = std::io::stderr();
    let is_terminal = stderr.is_terminal();
    let ran = report::pbsfs::run(args, is_terminal, &open_other);
    let mut told = Cow::Borrowed(&ran.stderr[..]);
    if is_terminal {
        let text = shown_format(&ran.stderr, Backslash::Doubled);
        told = Cow::Owned(text.as_bytes().to_vec());
    }
    // A failure of standard error is ignored: there is no place left to report it.
    let _ = stderr.write_all(&told);
    output::print_whole(output::Content::Raw, ran.stdout)?;
    Ok(ran.code)
}
