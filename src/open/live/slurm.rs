//! Slurm: `sshare` for the tree, `scontrol show config` for the settings, and `scontrol show assoc_mgr` for the
//! decimals of usage if there is no JSON.

use super::run::{CommandOutput, RunError, lines, run, spelled};
use super::{Answer, Output, timeout};
use crate::base::shown::{Shown, sentence};
use crate::format::input::{self, Input};
use crate::format::slurm::assemble::OF_TWO_MOMENTS;
use crate::format::slurm::json::BILLING_DIFFERS;
use crate::format::{
    LoadError, LoadResult, Loaded, OnProgress, Progress, Request, Severity, SourceKind,
};
use crate::open::refused;
use memchr::memmem;
use std::ffi::OsString;
use std::ops::ControlFlow;

/// The fields to request if there is no JSON: everything that any version can print.
const FIELDS: &str = "Account,User,Cluster,Partition,ID,RawShares,NormShares,RawUsage,NormUsage,\
                      EffectvUsage,FairShare,LevelFS,GrpTRESMins,TRESRunMins";

/// The name of the output of `sshare` with all decimals.
const JSON: &str = "sshare.json";

/// A command for the tree.
struct TreeCommand {
    /// The name of its output.
    name: &'static str,
    /// The arguments of `sshare`.
    args: &'static [&'static str],
}

/// The commands for the tree, best first.
const TREE_COMMANDS: &[TreeCommand] = &[
    TreeCommand {
        name: JSON,
        args: &["-a", "--json"],
    },
    TreeCommand {
        name: "sshare.txt",
        args: &["-a", "-P", "-m", "-l", "-o", FIELDS],
    },
    TreeCommand {
        name: "sshare.txt",
        args: &["-a", "-P", "-m", "-l"],
    },
];

/// A command without whose output less is known.
struct OptionalCommand {
    /// The name of its output.
    name: &'static str,
    /// The program, which is on the PATH.
    program: &'static str,
    /// Its arguments, without the cluster.
    args: &'static [&'static str],
    /// Whether its output is what was asked for.
    is_expected: fn(&[u8]) -> bool,
}

/// The jobs that wait, with all numbers of their priorities. `sprio -l` cuts the resources of TRES to 20 letters.
const SPRIO: OptionalCommand = OptionalCommand {
    name: "sprio.txt",
    program: "sprio",
    args: &[
        "-o",
        "%i|%u|%Y|%y|%a|%A|%b|%B|%f|%F|%j|%J|%n|%N|%o|%p|%P|%q|%Q|%r|%S|%t|%T",
    ],
    is_expected: is_companion,
};

/// The jobs that run or wait.
const SQUEUE: OptionalCommand = OptionalCommand {
    name: "squeue.txt",
    program: "squeue",
    args: &["-a", "-o", "%i|%u|%a|%P|%q|%Q|%t|%r|%V|%S"],
    is_expected: is_companion,
};

/// The partitions, with the weights of their resources.
const PARTITIONS: OptionalCommand = OptionalCommand {
    name: "scontrol_partition.txt",
    program: "scontrol",
    args: &["show", "partition"],
    is_expected: is_companion,
};

/// The qualities of service, with their factors of usage.
const QOS: OptionalCommand = OptionalCommand {
    name: "sacctmgr_qos.txt",
    program: SACCTMGR,
    args: &["-P", "show", "qos", "format=Name,Priority,UsageFactor"],
    is_expected: is_companion,
};

/// The controller's associations, whose usage has two decimals.
const ASSOCIATIONS: OptionalCommand = OptionalCommand {
    name: "assoc_mgr.txt",
    program: "scontrol",
    args: &["show", "assoc_mgr", "flags=assoc"],
    is_expected: |bytes| memmem::find(bytes, b"ClusterName=").is_some(),
};

/// The settings.
const SETTINGS: OptionalCommand = OptionalCommand {
    name: "scontrol_config.txt",
    program: "scontrol",
    args: &["show", "config"],
    is_expected: |bytes| !bytes.trim_ascii().is_empty(),
};

/// Returns whether an output is one about jobs, partitions or QOS.
fn is_companion(bytes: &[u8]) -> bool {
    input::companion(bytes).is_some()
}

/// The command that does not ask one cluster.
const SACCTMGR: &str = "sacctmgr";

/// The advice if Slurm's own commands do not help.
const ADVICE: &str =
    "run it where Slurm's commands work, as on a login node, or open a saved output";

/// Asks for the tree and its settings, and opens them with the files that the user gave.
pub(super) fn ask(request: &Request, report: OnProgress<'_>) -> LoadResult<Loaded> {
    with_tree(request, report, |tree, report| {
        // JSON has six decimals of the usage, other outputs of sshare have none.
        let is_cut = tree.name != JSON;
        let mut answer = with_settings(tree, request, report)?;
        if is_cut {
            add_decimals(&mut answer, request, report)?;
        }
        let mut files = Request {
            source: SourceKind::path("sshare".into()),
            ..request.clone()
        };
        files.beside.config = None;
        let given = given_files(request)?;
        let loaded = answer.clone().open(given.clone(), &files, report)?;
        if is_cut || !has_problem(&loaded, BILLING_DIFFERS) {
            return Ok(loaded);
        }
        // Where billing is weighted, usage in JSON has no decimals either.
        add_decimals(&mut answer, request, report)?;
        let finer = answer.open(given, &files, report)?;
        // Jobs that ended meanwhile changed it.
        if has_problem(&finer, OF_TWO_MOMENTS) {
            return Ok(loaded);
        }
        Ok(finer)
    })
}

/// Reads the files that are combined with the answers.
fn given_files(request: &Request) -> LoadResult<Vec<Input>> {
    let mut quietly = |_: &Progress| ControlFlow::Continue(());
    let mut inputs = Vec::new();
    for path in request.source.more().iter().chain(&request.beside.config) {
        inputs.push(input::read(path, &mut quietly)?);
    }
    Ok(inputs)
}

/// Returns whether a source has a problem of a code.
fn has_problem(loaded: &Loaded, code: &str) -> bool {
    let mut problems = loaded.problems.list().iter();
    problems.any(|problem| problem.code == code)
}

/// Collects Slurm's answers for a snapshot: the tree, its settings, the controller's own numbers, and what is about jobs
/// unless names are replaced.
pub(super) fn collect(request: &Request, jobs: bool, report: OnProgress<'_>) -> LoadResult<Answer> {
    with_tree(request, report, |tree, report| {
        let mut answer = with_settings(tree, request, report)?;
        add_decimals(&mut answer, request, report)?;
        if jobs {
            let lost = Loss::note("the snapshot lacks it");
            for command in [SPRIO, SQUEUE, PARTITIONS, QOS] {
                add(&mut answer, &command, lost, request, report)?;
            }
        }
        Ok(answer)
    })
}

/// Asks about the jobs that wait. Fails without the answer of `sprio`; without the others less is known.
pub(super) fn jobs(request: &Request, report: OnProgress<'_>) -> LoadResult<Answer> {
    let mut answer = Answer::default();
    let lost = Loss::note("the queue is shown without it");
    add(&mut answer, &SPRIO, lost, request, report)?;
    if let Some(problem) = answer.problems.list().first() {
        let why = &problem.message;
        return refused(sentence!("{why}; {ADVICE}"));
    }
    add(&mut answer, &SQUEUE, lost, request, report)?;
    add(&mut answer, &PARTITIONS, lost, request, report)?;
    Ok(answer)
}

/// Adds the controller's associations, whose usage has two decimals. Without them it is cut to whole numbers.
fn add_decimals(answer: &mut Answer, request: &Request, report: OnProgress<'_>) -> LoadResult<()> {
    let lost = Loss::warning("usage has no decimals");
    add(answer, &ASSOCIATIONS, lost, request, report)
}

/// Asks for the tree with one command after the other until this version supports it and its output can be used. If none
/// works, the first failure is returned.
fn with_tree<T>(
    request: &Request,
    report: OnProgress<'_>,
    mut use_tree: impl FnMut(Output, OnProgress<'_>) -> LoadResult<T>,
) -> LoadResult<T> {
    let mut refusal = None;
    for &TreeCommand { name, args } in TREE_COMMANDS {
        let args = arguments(request, args);
        let command = spelled("sshare", &args);
        let outcome = match run("sshare", &args, timeout(request), report) {
            Ok(printed) if is_expected(name, &printed) => {
                use_tree(Output::ran(name, command, printed.bytes), report)
            }
            Ok(printed) => Err(unexpected(&command, &printed)),
            Err(error) if is_not_understood(&error) => Err(error.refused(ADVICE)),
            Err(error) => return Err(explained(error)),
        };
        match outcome {
            Err(error @ (LoadError::Refused(_) | LoadError::Unfit(_))) => {
                refusal.get_or_insert(error);
            }
            outcome => return outcome,
        }
    }
    match refusal {
        Some(first) => Err(first),
        None => refused("Slurm was not queried"),
    }
}

/// Returns whether a command for the tree printed one.
fn is_expected(name: &str, printed: &CommandOutput) -> bool {
    let text = printed.bytes.trim_ascii_start();
    // With -M a line with the cluster comes before the object.
    let is_json = text.starts_with(b"{") || text.starts_with(b"CLUSTER:");
    !text.is_empty() && (is_json || name != JSON)
}

/// Returns the error for a command that printed no tree.
fn unexpected(command: &str, printed: &CommandOutput) -> LoadError {
    let message = lines(&printed.bytes);
    let complaint = lines(&printed.complaints);
    let what = if !message.is_empty() {
        format!("printed no tree: {message}")
    } else if !complaint.is_empty() {
        format!("printed only: {complaint}")
    } else {
        "printed nothing".to_owned()
    };
    LoadError::Refused(sentence!(
        "{command} {what}; check its output, and open it as a file if it is only mixed with other text"
    ))
}

/// Returns whether a version does not know an option or a column, so that another command may work.
fn is_not_understood(error: &RunError) -> bool {
    /// Words of such errors, in lower case.
    const UNKNOWN: &[&str] = &[
        "unrecognized option",
        "unknown option",
        "invalid option",
        "invalid field",
        "option requires",
        "serializer",
        "data_parser",
        "json",
    ];
    let RunError::Failed { message, .. } = error else {
        return false;
    };
    let message = message.to_ascii_lowercase();
    UNKNOWN.iter().any(|words| message.contains(words))
}

/// Returns the error of a command of Slurm, with advice.
fn explained(error: RunError) -> LoadError {
    let advice = match &error {
        RunError::Failed { message, .. } if is_out_of_reach(message) => {
            "slurmdbd or slurmctld does not answer: check it with scontrol ping and sacctmgr ping"
        }
        RunError::Missing { .. } => {
            "fairscope runs Slurm's own commands: use it where they are installed, load Slurm's module, or open a \
             saved output"
        }
        RunError::TimedOut { .. } => {
            "check with scontrol ping whether Slurm answers, or give it more time with --timeout SECONDS"
        }
        _ => ADVICE,
    };
    error.refused(advice)
}

/// Returns whether a message says that Slurm's daemons do not answer.
fn is_out_of_reach(message: &str) -> bool {
    /// Words of such errors.
    const WORDS: &[&str] = &[
        "slurm_persist_conn_open",
        "Unable to contact",
        "Connection refused",
        "Problem talking to",
    ];
    WORDS.iter().any(|words| message.contains(words))
}

/// Returns the tree with its settings, unless the user gave them in a file.
fn with_settings(tree: Output, request: &Request, report: OnProgress<'_>) -> LoadResult<Answer> {
    let mut answer = Answer {
        outputs: vec![tree],
        ..Answer::default()
    };
    if request.beside.config.is_none() {
        let lost = Loss::warning("the tree is shown without it");
        add(&mut answer, &SETTINGS, lost, request, report)?;
    }
    Ok(answer)
}

/// What is lost without an optional output.
#[derive(Clone, Copy)]
struct Loss {
    /// How bad it is.
    severity: Severity,
    /// The consequence, as a clause.
    clause: &'static str,
}

impl Loss {
    /// Returns a loss that is only noted.
    const fn note(clause: &'static str) -> Self {
        Self {
            severity: Severity::Note,
            clause,
        }
    }

    /// Returns a loss that makes numbers worse.
    const fn warning(clause: &'static str) -> Self {
        Self {
            severity: Severity::Warning,
            clause,
        }
    }
}

/// Adds an optional output, unless it is unexpected. That it is missing is only a problem.
fn add(
    answer: &mut Answer,
    optional: &OptionalCommand,
    lost: Loss,
    request: &Request,
    report: OnProgress<'_>,
) -> LoadResult<()> {
    // Accounting is of all clusters.
    let args = if optional.program == SACCTMGR {
        optional.args.iter().map(OsString::from).collect()
    } else {
        arguments(request, optional.args)
    };
    let command = spelled(optional.program, &args);
    let reason = match run(optional.program, &args, timeout(request), report) {
        Ok(printed) if (optional.is_expected)(&printed.bytes) => {
            let output = Output::ran(optional.name, command, printed.bytes);
            answer.outputs.push(output);
            return Ok(());
        }
        Ok(printed) if printed.bytes.trim_ascii().is_empty() => {
            format!("{command} printed nothing")
        }
        Ok(printed) => format!("{command} printed: {}", lines(&printed.bytes)),
        Err(RunError::Cancelled) => return Err(LoadError::Cancelled),
        Err(error) => error.to_string(),
    };
    answer.problems.add(
        lost.severity,
        Shown::from("live:slurm"),
        "live-no-answer",
        sentence!("{reason}; {}", lost.clause),
        "run the command to see why; settings can be given with --config FILE or --set KEY=VALUE",
    );
    Ok(())
}

/// Returns the arguments with the cluster's name if one was requested.
fn arguments(request: &Request, args: &[&str]) -> Vec<OsString> {
    let mut all = Vec::new();
    // Options of scontrol come before its words.
    if let Some(cluster) = &request.cluster {
        all.push(OsString::from("-M"));
        all.push(OsString::from(cluster));
    }
    all.extend(args.iter().map(OsString::from));
    all
}
