//! The output of PBS's own `pbsfs`, byte for byte, without root and without PBS.
//!
//! Follows `pbsfs.cpp` and `print_fairshare` of OpenPBS 23.06. The directory, which PBS reads from its configuration,
//! is the last operand here. Options that write are refused.

use crate::base::number::Value;
use crate::base::shown::Shown;
use crate::format::convert::to_pbs;
use crate::format::input::Input;
use crate::format::{LoadError, Request, pbs};
use crate::model::{NodeId, Tree};
use crate::rules::policy::pbs::compare_path;
use crate::rules::policy::{ColumnId, Evaluation, Policy};
use crate::scenario::Scenario;
use std::cmp::Ordering;
use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

const VERSION: &[u8] = b"pbs_version = 23.06.06\n";

/// The exit code of our own refusals, which PBS does not have.
const REFUSED: u8 = 2;

/// The output and exit code of pbsfs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Standard output: names as raw bytes.
    pub stdout: Vec<u8>,
    /// Standard error: names as raw bytes.
    pub stderr: Vec<u8>,
    /// The exit code.
    pub code: u8,
}

impl Output {
    fn fail(mut self, code: u8, message: &[u8]) -> Self {
        self.stderr.extend_from_slice(message);
        self.code = code;
        self
    }
}

/// Opens a source that is no directory of PBS; `None` for what may be one.
pub type OpenOther<'a> = &'a dyn Fn(&Path) -> Option<Result<Scenario, Shown>>;

/// Runs `pbsfs`, which is silent about a missing `resource_group` unless standard error is a terminal. The tree of another
/// source is written for PBS first, so that the output is that of pbsfs after the conversion.
pub fn run(args: &[OsString], stderr_is_terminal: bool, open_other: OpenOther<'_>) -> Output {
    let args: Vec<&[u8]> = args.iter().map(|arg| arg.as_bytes()).collect();
    let mut output = Output::default();
    if let [b"--version"] | [b"--version", _] = args[..] {
        output.stdout.extend_from_slice(VERSION);
        return output;
    }
    let Some(mut options) = parse(&args, &mut output.stderr) else {
        return output.fail(1, b"Usage: pbsfs --version\n");
    };
    if options.action == Action::Write {
        return output.fail(
            REFUSED,
            b"pbsfs: -s, -d and -e change files, which fairscope never does; use PBS's own pbsfs, or try a change with \
              fairscope whatif\n",
        );
    }
    let Some(directory) = options.operands.pop() else {
        return output.fail(
            REFUSED,
            b"pbsfs: no directory given; write fairscope pbsfs [-p|-t|-g ENTITY|-c ENTITY ENTITY] DIRECTORY\n",
        );
    };
    let (operand_count, usage) = options.action.operands();
    if options.operands.len() != operand_count {
        return output.fail(1, usage);
    }
    if options.scheduler.is_some_and(|name| name != b"default") {
        return output.fail(1, b"Can't connect to the server\n");
    }
    let directory = Path::new(OsStr::from_bytes(directory));
    let read = match open_other(directory) {
        Some(Ok(scenario)) => converted(&scenario, &mut output.stderr).map(Some),
        Some(Err(reason)) => return output.fail(REFUSED, format!("pbsfs: {reason}\n").as_bytes()),
        None => {
            if let Err(error) = std::fs::read_dir(directory) {
                let text = error.to_string();
                // Rust appends the number of the error, C does not.
                let text = text.split(" (os error").next().unwrap_or_default();
                let message = format!("Unable to access fairshare data: {text}\n");
                return output.fail(1, message.as_bytes());
            }
            read(directory)
        }
    };
    show(&options, read, stderr_is_terminal, output)
}

/// Writes the tree for PBS, and returns what PBS reads of that. What its files cannot hold is told on standard error.
fn converted(scenario: &Scenario, stderr: &mut Vec<u8>) -> Result<pbs::Parsed, LoadError> {
    let conversion = to_pbs(scenario.tree(), scenario.settings());
    for loss in &conversion.losses {
        stderr.extend(format!("pbsfs: {}\n", loss.clause()).bytes());
    }
    let mut files = pbs::Files::default();
    for (name, bytes) in conversion.files {
        let file = Input::of(Path::new(&name), bytes, None);
        match &name[..] {
            "resource_group" => files.resource_group = file,
            "usage" => files.usage = Some(file),
            "sched_config" => files.sched_config = Some(file),
            _ => files.sched_formula = Some(file),
        }
    }
    pbs::parse(&files, &mut |_| ControlFlow::Continue(()))
}

fn show(
    options: &PbsfsOptions<'_>,
    read: Result<Option<pbs::Parsed>, LoadError>,
    stderr_is_terminal: bool,
    mut output: Output,
) -> Output {
    let parsed = match read {
        Ok(Some(parsed)) => parsed,
        Ok(None) => {
            let message: &[u8] = if stderr_is_terminal {
                b"pbsfs: No such file or directory (2) in parse_group, Error opening file resource_group\n"
            } else {
                b""
            };
            return output.fail(1, message);
        }
        Err(error) => return output.fail(REFUSED, format!("pbsfs: {error}\n").as_bytes()),
    };
    output.stderr.extend_from_slice(&parsed.stderr);
    let mut nodes: Vec<NodeId> = Vec::new();
    for name in &options.operands {
        // A PBS tree has at most one node of a name.
        let mut all = parsed.tree.nodes().iter().copied();
        let Some(node) = all.find(|&node| parsed.tree.name(node) == *name) else {
            let message = [b"Fairshare Entity ", *name, b" does not exist.\n"].concat();
            return output.fail(1, &message);
        };
        nodes.push(node);
    }
    let evaluation = Policy::Pbs.evaluate(&parsed.tree, &parsed.settings);
    let mut printer = Printer {
        tree: &parsed.tree,
        evaluation: &evaluation,
        unit: parsed.settings.pbs.fairshare_usage_res.as_bytes(),
        out: &mut output.stdout,
    };
    match (options.action, &nodes[..]) {
        (Action::Tree, _) => printer.tree(),
        (Action::Entity, &[node]) => printer.entity(node),
        (Action::Compare, &[a, b]) => {
            let (a_name, b_name) = (options.operands[0], options.operands[1]);
            let line = match compare_path(&parsed.tree, &evaluation, a, b) {
                Ordering::Less => [a_name, b"\n"].concat(),
                Ordering::Greater => [b_name, b"\n"].concat(),
                Ordering::Equal => [a_name, b" == ", b_name, b"\n"].concat(),
            };
            printer.out.extend_from_slice(&line);
        }
        _ => printer.all(),
    }
    output
}

/// Reads the files; `None` if there is no `resource_group`.
fn read(directory: &Path) -> Result<Option<pbs::Parsed>, LoadError> {
    let Some(directory) = pbs::sched_priv(directory)? else {
        return Ok(None);
    };
    let on = &mut |_: &_| ControlFlow::Continue(());
    let files = pbs::Files::of_directory(&directory, &Request::default(), on)?;
    pbs::parse(&files, on).map(Some)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// `-p`, or no option: every node with its numbers.
    All,
    /// `-t`: the tree.
    Tree,
    /// `-g`: one entity.
    Entity,
    /// `-c`: the more deserving of two.
    Compare,
    /// `-s`, `-d`, `-e`: sets usage, decays it, or drops what `resource_group` does not name.
    Write,
}

impl Action {
    fn of(option: u8) -> Option<Self> {
        Some(match option {
            b'p' => Self::All,
            b't' => Self::Tree,
            b'g' => Self::Entity,
            b'c' => Self::Compare,
            b's' | b'd' | b'e' => Self::Write,
            _ => return None,
        })
    }

    /// Returns how many operands it takes, and what is said to any other number.
    fn operands(self) -> (usize, &'static [u8]) {
        match self {
            Self::Entity => (1, b"Usage: pbsfs [-I sched_name] -g <fairshare_entity>\n"),
            Self::Compare => (2, b"Usage: pbsfs [-I sched_name] -c <entity1> <entity2>\n"),
            _ => (0, b"Usage: pbsfs -[ptdgcs] [-I sched_name]\n"),
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
struct PbsfsOptions<'a> {
    action: Action,
    /// The name after `-I`.
    scheduler: Option<&'a [u8]>,
    operands: Vec<&'a [u8]>,
}

/// Reads the arguments as C's `getopt` reads them: options at any place and bundled, the last action wins, `--` ends them. The messages of getopt
/// are added to `stderr`. Returns `None` for a long option, because pbsfs has none.
fn parse<'a>(args: &[&'a [u8]], stderr: &mut Vec<u8>) -> Option<PbsfsOptions<'a>> {
    let mut options = PbsfsOptions {
        action: Action::All,
        scheduler: None,
        operands: Vec::new(),
    };
    let mut args = args.iter().copied();
    while let Some(arg) = args.next() {
        if arg == b"--" {
            options.operands.extend(args);
            break;
        }
        let mut bundle = match arg.strip_prefix(b"-") {
            Some(bundle) if !bundle.is_empty() => bundle,
            _ => {
                options.operands.push(arg);
                continue;
            }
        };
        while let Some((&option, rest)) = bundle.split_first() {
            bundle = rest;
            match option {
                b'-' => return None,
                b'I' => {
                    let attached =
                        Some(std::mem::take(&mut bundle)).filter(|name| !name.is_empty());
                    if let Some(name) = attached.or_else(|| args.next()) {
                        options.scheduler = Some(name);
                    } else {
                        stderr.extend_from_slice(b"pbsfs: option requires an argument -- 'I'\n");
                    }
                }
                option => {
                    if let Some(action) = Action::of(option) {
                        options.action = action;
                    } else {
                        let message = [b"pbsfs: invalid option -- '", &[option][..], b"'\n"];
                        stderr.extend(message.concat());
                    }
                }
            }
        }
    }
    Some(options)
}

struct Printer<'a> {
    tree: &'a Tree,
    evaluation: &'a Evaluation,
    unit: &'a [u8],
    out: &'a mut Vec<u8>,
}

/// The indentation of `-t` for each level.
const INDENT: usize = 5;

impl Printer<'_> {
    fn all(&mut self) {
        self.put(b"Fairshare usage units are in: ");
        self.put(self.unit);
        self.put(b"\n");
        for &node in self.tree.nodes() {
            self.name(node);
            self.put(format!(
                ": Grp: {:<5}  cgrp: {:<5}Shares: {:<6} Usage: {:<6} Perc: {:>6}%\n",
                self.group_above(node),
                self.tree.group(node),
                self.shares(node),
                fixed(self.double(ColumnId::Usage, node), 0),
                fixed(self.percent(node), 3),
            ));
        }
    }

    fn tree(&mut self) {
        for &node in self.tree.nodes() {
            let indent = (self.tree.depth(node) as usize * INDENT).max(1);
            self.out.resize(self.out.len() + indent, b' ');
            self.put(self.tree.name(node));
            self.put(format!("({})\n", self.tree.group(node)));
        }
    }

    fn entity(&mut self, node: NodeId) {
        self.put(b"fairshare entity: ");
        self.put(self.tree.name(node));
        self.put(format!(
            "\nResgroup\t\t: {}\ncresgroup\t\t: {}\nShares\t\t\t: {}\nPercentage\t\t: {}%\nfairshare_tree_usage\t: {}\nusage\t\t\t: {} (",
            self.group_above(node),
            self.tree.group(node),
            self.shares(node),
            fixed(self.percent(node), 6),
            fixed(self.double(ColumnId::FairshareTreeUsage, node), 6),
            fixed(self.double(ColumnId::Usage, node), 0),
        ));
        self.put(self.unit);
        let ratio = fixed(self.double(ColumnId::UsageOverPerc, node), 0);
        self.put(format!(")\nusage/perc\t\t: {ratio}\nPath from root: \n"));
        // The path of the root is empty: it does not contain the root itself.
        if node != NodeId::ROOT {
            self.step(NodeId::ROOT);
            let line = self.tree.line(node).into_iter();
            line.for_each(|node| self.step(node));
        }
    }

    fn step(&mut self, node: NodeId) {
        self.name(node);
        self.put(format!(
            ": {:>5} {:>10} / {:>5} = {}\n",
            self.tree.group(node),
            fixed(self.double(ColumnId::Usage, node), 0),
            fixed(self.double(ColumnId::FairsharePerc, node), 3),
            fixed(self.double(ColumnId::UsageOverPerc, node), 0),
        ));
    }

    fn name(&mut self, node: NodeId) {
        const WIDTH: usize = 10;
        let name = self.tree.name(node);
        self.put(name);
        let padding = WIDTH.saturating_sub(name.len());
        self.out.resize(self.out.len() + padding, b' ');
    }

    fn put(&mut self, text: impl AsRef<[u8]>) {
        self.out.extend_from_slice(text.as_ref());
    }

    /// Returns PBS's resgroup: the group number of the parent.
    fn group_above(&self, node: NodeId) -> i32 {
        let parent = self.tree.parent(node);
        parent.map_or(-1, |parent| self.tree.group(parent))
    }

    fn shares(&self, node: NodeId) -> i64 {
        self.tree.shares(node).count().unwrap_or(0)
    }

    fn double(&self, column: ColumnId, node: NodeId) -> f64 {
        self.evaluation.number(column, node).unwrap_or(f64::NAN)
    }

    /// Returns the portion of the tree in percent, multiplied as a 32-bit float.
    fn percent(&self, node: NodeId) -> f64 {
        match self.evaluation.value(ColumnId::FairsharePerc, node) {
            Value::Single(portion) => f64::from(portion * 100.0),
            _ => f64::NAN,
        }
    }
}

/// Formats as C's `%.Nf`: exact digits, halves to even, the sign of a zero and of a NaN kept.
fn fixed(number: f64, decimals: usize) -> String {
    if number.is_nan() {
        let sign = if number.is_sign_negative() { "-" } else { "" };
        return format!("{sign}nan");
    }
    format!("{number:.decimals$}")
}
