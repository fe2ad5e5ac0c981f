//! The output of PBS's own `pbsfs`, byte for byte, without root and without PBS.
//!
//! Follows `pbsfs.cpp` and `print_fairshare` of OpenPBS 23.06. The directory, which PBS reads from its configuration,
//! is the last operand here. Options that write are refused.

use crate::base::disk;
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
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

/// What `--version` prints.
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
    /// Returns the output with a message on standard error, and the code of a failure.
    fn fail(mut self, code: u8, message: &[u8]) -> Self {
        self.stderr.extend_from_slice(message);
        self.code = code;
        self
    }

    /// Returns the output with our own refusal.
    fn refuse(self, reason: &dyn fmt::Display) -> Self {
        let message = format!("pbsfs: {reason}\n");
        self.fail(REFUSED, message.as_bytes())
    }
}

/// Opens a source that is no directory of PBS; `None` for what may be one.
pub type OpenOther<'a> = &'a dyn Fn(&Path) -> Option<Result<Scenario, Shown>>;

/// Runs `pbsfs`, which is silent about a missing `resource_group` unless standard error is a terminal. The tree of another
/// source is written for PBS first, so that the output is that of pbsfs after the conversion.
pub fn run(args: &[OsString], stderr_is_terminal: bool, open_other: OpenOther<'_>) -> Output {
    let mut words = Vec::new();
    for arg in args {
        words.push(arg.as_encoded_bytes());
    }
    let mut output = Output::default();
    if words.len() <= 2 && words.first() == Some(&&b"--version"[..]) {
        output.stdout.extend_from_slice(VERSION);
        return output;
    }
    let Some(mut options) = parse(&words, &mut output.stderr) else {
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
    if options.operands.len() != options.action.operand_count() {
        return output.fail(1, options.action.usage());
    }
    if let Some(name) = options.scheduler
        && name != b"default"
    {
        return output.fail(1, b"Can't connect to the server\n");
    }
    let name = disk::name_of(directory.to_vec());
    let directory = Path::new(&name);
    let parsed = match open_other(directory) {
        Some(Ok(scenario)) => converted(&scenario, &mut output.stderr),
        Some(Err(reason)) => return output.refuse(&reason),
        None => {
            if let Err(error) = disk::read_dir(directory) {
                return output.fail(1, &not_accessible(&error));
            }
            match read(directory) {
                Ok(Some(parsed)) => Ok(parsed),
                Ok(None) if stderr_is_terminal => return output.fail(1, NO_RESOURCE_GROUP),
                Ok(None) => return output.fail(1, b""),
                Err(error) => Err(error),
            }
        }
    };
    match parsed {
        Ok(parsed) => show(&options, &parsed, output),
        Err(error) => output.refuse(&error),
    }
}

/// What pbsfs says on a terminal where there is no `resource_group`.
const NO_RESOURCE_GROUP: &[u8] =
    b"pbsfs: No such file or directory (2) in parse_group, Error opening file resource_group\n";

/// Returns what pbsfs says of a directory that cannot be read.
fn not_accessible(error: &io::Error) -> Vec<u8> {
    let text = error.to_string();
    // Rust appends the number of the error, C does not.
    let reason = match text.split_once(" (os error") {
        Some((reason, _)) => reason,
        None => &text,
    };
    format!("Unable to access fairshare data: {reason}\n").into_bytes()
}

/// Writes the tree for PBS, and returns what PBS reads of that. What its files cannot hold is told on standard error.
fn converted(scenario: &Scenario, stderr: &mut Vec<u8>) -> Result<pbs::Parsed, LoadError> {
    let conversion = to_pbs(scenario.tree(), scenario.settings());
    for loss in &conversion.losses {
        let clause = loss.clause();
        let told = format!("pbsfs: {clause}\n");
        stderr.extend_from_slice(told.as_bytes());
    }
    let mut files = pbs::Files::default();
    for (name, bytes) in conversion.files {
        let path = Path::new(&name);
        let file = Input::of(path, bytes, None);
        match &name[..] {
            "resource_group" => files.resource_group = file,
            "usage" => files.usage = Some(file),
            "sched_config" => files.sched_config = Some(file),
            _ => files.sched_formula = Some(file),
        }
    }
    pbs::parse(&files, &mut |_| ControlFlow::Continue(()))
}

/// Writes what the options ask for of a tree.
fn show(options: &PbsfsOptions<'_>, parsed: &pbs::Parsed, mut output: Output) -> Output {
    let tree = &parsed.tree;
    output.stderr.extend_from_slice(&parsed.stderr);
    let mut nodes: Vec<NodeId> = Vec::new();
    for &name in &options.operands {
        let Some(node) = named(tree, name) else {
            let mut message = b"Fairshare Entity ".to_vec();
            message.extend_from_slice(name);
            message.extend_from_slice(b" does not exist.\n");
            return output.fail(1, &message);
        };
        nodes.push(node);
    }
    let evaluation = Policy::Pbs.evaluate(tree, &parsed.settings);
    let unit = &parsed.settings.pbs.fairshare_usage_res;
    let mut printer = Printer {
        tree,
        evaluation: &evaluation,
        unit: unit.as_bytes(),
        out: &mut output.stdout,
    };
    match (options.action, &nodes[..]) {
        (Action::Tree, _) => printer.tree(),
        (Action::Entity, &[node]) => printer.entity(node),
        (Action::Compare, &[one, other]) => printer.compare(one, other),
        _ => printer.all(),
    }
    output
}

/// Returns the node with a name: a PBS tree has at most one. `None` if there is none.
fn named(tree: &Tree, name: &[u8]) -> Option<NodeId> {
    let mut nodes = tree.nodes().iter().copied();
    nodes.find(|&node| tree.name(node) == name)
}

/// Reads the files; `None` if there is no `resource_group`.
fn read(directory: &Path) -> Result<Option<pbs::Parsed>, LoadError> {
    let Some(folder) = pbs::sched_priv(directory)? else {
        return Ok(None);
    };
    let request = Request::default();
    let on = &mut |_: &_| ControlFlow::Continue(());
    let files = pbs::Files::of_directory(&folder, &request, on)?;
    let parsed = pbs::parse(&files, on)?;
    Ok(Some(parsed))
}

/// What is asked for.
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
    /// Returns the action of an option; `None` if there is no such option.
    const fn of(option: u8) -> Option<Self> {
        match option {
            b'p' => Some(Self::All),
            b't' => Some(Self::Tree),
            b'g' => Some(Self::Entity),
            b'c' => Some(Self::Compare),
            b's' | b'd' | b'e' => Some(Self::Write),
            _ => None,
        }
    }

    /// Returns how many operands it takes before the directory.
    const fn operand_count(self) -> usize {
        match self {
            Self::Entity => 1,
            Self::Compare => 2,
            _ => 0,
        }
    }

    /// Returns what is said to any other number of operands.
    const fn usage(self) -> &'static [u8] {
        match self {
            Self::Entity => b"Usage: pbsfs [-I sched_name] -g <fairshare_entity>\n",
            Self::Compare => b"Usage: pbsfs [-I sched_name] -c <entity1> <entity2>\n",
            _ => b"Usage: pbsfs -[ptdgcs] [-I sched_name]\n",
        }
    }
}

/// The arguments of pbsfs.
#[derive(Debug, PartialEq, Eq)]
struct PbsfsOptions<'a> {
    /// The last action.
    action: Action,
    /// The name after `-I`.
    scheduler: Option<&'a [u8]>,
    /// The entities, and the directory as the last one.
    operands: Vec<&'a [u8]>,
}

/// Reads the arguments as C's `getopt` reads them: options at any place and bundled, the last action wins, `--` ends them.
/// The messages of getopt are added to `stderr`. Returns `None` for a long option, because pbsfs has none.
fn parse<'a>(args: &[&'a [u8]], stderr: &mut Vec<u8>) -> Option<PbsfsOptions<'a>> {
    let mut options = PbsfsOptions {
        action: Action::All,
        scheduler: None,
        operands: Vec::new(),
    };
    let mut rest = args.iter().copied();
    while let Some(arg) = rest.next() {
        if arg == b"--" {
            options.operands.extend(rest);
            break;
        }
        match arg.strip_prefix(b"-") {
            None | Some(b"") => options.operands.push(arg),
            Some(bundle) => options.read_bundle(bundle, &mut rest, stderr)?,
        }
    }
    Some(options)
}

impl<'a> PbsfsOptions<'a> {
    /// Reads options of one argument; the name of `-I` is the rest of it, or the next argument. Returns `None` for a
    /// long option.
    fn read_bundle(
        &mut self,
        mut bundle: &'a [u8],
        args: &mut dyn Iterator<Item = &'a [u8]>,
        stderr: &mut Vec<u8>,
    ) -> Option<()> {
        while let Some((&option, rest)) = bundle.split_first() {
            bundle = rest;
            if option == b'-' {
                return None;
            }
            if option == b'I' {
                let name = if bundle.is_empty() {
                    args.next()
                } else {
                    Some(bundle)
                };
                if name.is_some() {
                    self.scheduler = name;
                } else {
                    stderr.extend_from_slice(b"pbsfs: option requires an argument -- 'I'\n");
                }
                break;
            }
            if let Some(action) = Action::of(option) {
                self.action = action;
            } else {
                stderr.extend_from_slice(b"pbsfs: invalid option -- '");
                stderr.push(option);
                stderr.extend_from_slice(b"'\n");
            }
        }
        Some(())
    }
}

/// Writes a tree as pbsfs does.
struct Printer<'a> {
    /// The tree.
    tree: &'a Tree,
    /// Its numbers.
    evaluation: &'a Evaluation,
    /// The unit of usage.
    unit: &'a [u8],
    /// What was written so far.
    out: &'a mut Vec<u8>,
}

/// The indentation of `-t` for each level.
const INDENT: usize = 5;

impl Printer<'_> {
    /// Writes every node with its numbers.
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

    /// Writes the names of the nodes, indented by their depths.
    fn tree(&mut self) {
        for &node in self.tree.nodes() {
            let indent = (self.tree.depth(node) as usize * INDENT).max(1);
            self.out.resize(self.out.len() + indent, b' ');
            self.put(self.tree.name(node));
            let group = self.tree.group(node);
            self.put(format!("({group})\n"));
        }
    }

    /// Writes which of two nodes is the more deserving.
    fn compare(&mut self, one: NodeId, other: NodeId) {
        let order = compare_path(self.tree, self.evaluation, one, other);
        if order != Ordering::Greater {
            self.put(self.tree.name(one));
        }
        if order == Ordering::Equal {
            self.put(b" == ");
        }
        if order != Ordering::Less {
            self.put(self.tree.name(other));
        }
        self.put(b"\n");
    }

    /// Writes the numbers of a node, and those of its path.
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
            for step in self.tree.line(node) {
                self.step(step);
            }
        }
    }

    /// Writes a node of a path.
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

    /// Writes a name with blanks behind it.
    fn name(&mut self, node: NodeId) {
        /// The cells of a name.
        const WIDTH: usize = 10;
        let name = self.tree.name(node);
        self.put(name);
        let padding = WIDTH.saturating_sub(name.len());
        self.out.resize(self.out.len() + padding, b' ');
    }

    /// Writes a text or bytes.
    fn put(&mut self, text: impl AsRef<[u8]>) {
        self.out.extend_from_slice(text.as_ref());
    }

    /// Returns PBS's resgroup: the group number of the parent.
    fn group_above(&self, node: NodeId) -> i32 {
        match self.tree.parent(node) {
            Some(parent) => self.tree.group(parent),
            None => -1,
        }
    }

    /// Returns the shares of a node.
    fn shares(&self, node: NodeId) -> i64 {
        self.tree.shares(node).count().unwrap_or(0)
    }

    /// Returns a number of a node; NaN if it has none.
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
