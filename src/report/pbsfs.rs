//! The output of PBS's own `pbsfs`, byte for byte, without root and without PBS.
//!
//! Follows `pbsfs.cpp` and `print_fairshare` of OpenPBS 23.06. The directory, which PBS reads from its configuration,
//! is the last operand here. Options that write are refused.

mod options;
mod print;

use crate::format::{LoadError, Request, pbs};
use crate::model::{NodeId, Tree};
use crate::rules::policy::Policy;
use crate::rules::policy::pbs::compare_path;
use options::{Action, Options};
use print::Printer;
use std::cmp::Ordering;
use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// The version the real program reports.
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

/// Runs `pbsfs` with the arguments after its name. It is silent about a missing `resource_group` unless standard error
/// is a terminal.
pub fn run(args: &[OsString], stderr_is_terminal: bool) -> Output {
    let args: Vec<&[u8]> = args.iter().map(|arg| arg.as_bytes()).collect();
    let mut output = Output::default();
    if let [b"--version"] | [b"--version", _] = args[..] {
        output.stdout.extend_from_slice(VERSION);
        return output;
    }
    let Some(Options {
        action,
        scheduler,
        mut operands,
    }) = options::parse(&args, &mut output.stderr)
    else {
        return output.fail(1, b"Usage: pbsfs --version\n");
    };
    if action.writes() {
        return output.fail(
            REFUSED,
            b"pbsfs: -s, -d and -e change files, which fairscope never does; use PBS's own pbsfs, or try a change with \
              fairscope whatif\n",
        );
    }
    let Some(directory) = operands.pop() else {
        return output.fail(
            REFUSED,
            b"pbsfs: no directory given; write fairscope pbsfs [-p|-t|-g ENTITY|-c ENTITY ENTITY] DIRECTORY\n",
        );
    };
    if operands.len() != action.operand_count() {
        return output.fail(1, action.usage());
    }
    if scheduler.is_some_and(|name| name != b"default") {
        return output.fail(1, b"Can't connect to the server\n");
    }
    show(
        action,
        &operands,
        Path::new(OsStr::from_bytes(directory)),
        stderr_is_terminal,
        output,
    )
}

fn show(
    action: Action,
    operands: &[&[u8]],
    directory: &Path,
    stderr_is_terminal: bool,
    mut output: Output,
) -> Output {
    let files = match read(directory) {
        Ok(Some(files)) => files,
        Ok(None) => {
            let message: &[u8] = if stderr_is_terminal {
                b"pbsfs: No such file or directory (2) in parse_group, Error opening file resource_group\n"
            } else {
                b""
            };
            return output.fail(1, message);
        }
        Err(ReadFailure::Directory(error)) => {
            let text = error.to_string();
            // Rust appends the number of the error, C does not.
            let text = text.split(" (os error").next().unwrap_or_default();
            let message = format!("Unable to access fairshare data: {text}\n");
            return output.fail(1, message.as_bytes());
        }
        Err(ReadFailure::File(error)) => {
            return output.fail(REFUSED, format!("pbsfs: {error}\n").as_bytes());
        }
    };
    let parsed = match pbs::parse(&files, &mut |_| ControlFlow::Continue(())) {
        Ok(parsed) => parsed,
        Err(error) => return output.fail(REFUSED, format!("pbsfs: {error}\n").as_bytes()),
    };
    output.stderr.extend_from_slice(&parsed.stderr);
    let mut nodes: Vec<NodeId> = Vec::new();
    for name in operands {
        let Some(node) = find(&parsed.tree, name) else {
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
    match (action, &nodes[..]) {
        (Action::Tree, _) => printer.tree(),
        (Action::Entity, &[node]) => printer.entity(node),
        (Action::Compare, &[a, b]) => {
            let (a_name, b_name) = (operands[0], operands[1]);
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

/// Returns the node of a name; a PBS tree has at most one.
fn find(tree: &Tree, name: &[u8]) -> Option<NodeId> {
    tree.nodes()
        .iter()
        .copied()
        .find(|&node| tree.name(node) == name)
}

/// The reason why nothing was read.
enum ReadFailure {
    /// The directory cannot be entered; the real program has its own message for it.
    Directory(std::io::Error),
    /// A file that is refused.
    File(LoadError),
}

/// Reads the files; `None` if there is no `resource_group`.
fn read(directory: &Path) -> Result<Option<pbs::Files>, ReadFailure> {
    std::fs::read_dir(directory).map_err(ReadFailure::Directory)?;
    let found = pbs::sched_priv(directory).map_err(ReadFailure::File)?;
    let Some(directory) = found else {
        return Ok(None);
    };
    let request = Request::default();
    pbs::Files::of_directory(&directory, &request, &mut |_| ControlFlow::Continue(()))
        .map(Some)
        .map_err(ReadFailure::File)
}
