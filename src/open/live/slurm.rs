//! Slurm: `sshare` for the tree, `scontrol show config` for the settings, and `scontrol show assoc_mgr` for the
//! decimals of usage if there is no JSON.

use super::run::{CommandOutput, RunError, lines, run, spelled};
use super::{Answer, Output, timeout};
use crate::base::shown::{Shown, sentence};
use crate::format::input;
use crate::format::slurm::assemble::OF_TWO_MOMENTS;
use crate::format::slurm::json::BILLING_DIFFERS;
use crate::format::{
    LoadError, LoadResult, Loaded, OnProgress, Progress, Request, Severity, SourceKind,
};
use std::ffi::OsString;
use std::ops::ControlFlow;

/// The fields to request if there is no JSON: everything that any version can print.
const FIELDS: &str = "Account,User,Cluster,Partition,ID,RawShares,NormShares,RawUsage,NormUsage,\
                      EffectvUsage,FairShare,LevelFS,GrpTRESMins,TRESRunMins";

const JSON: &str = "sshare.json";

/// The commands for the tree, best first, with the name of their output.
const WAYS: &[(&str, &[&str])] = &[
    (JSON, &["-a", "--json"]),
    ("sshare.txt", &["-a", "-P", "-m", "-l", "-o", FIELDS]),
    ("sshare.txt", &["-a", "-P", "-m", "-l"]),
];

/// The jobs that wait, with all numbers of their priorities. `sprio -l` cuts the resources of TRES to 20 letters.
const SPRIO: Optional = (
    "sprio.txt",
    "sprio",
    &[
        "-o",
        "%i|%u|%Y|%y|%a|%A|%b|%B|%f|%F|%j|%J|%n|%N|%o|%p|%P|%q|%Q|%r|%S|%t|%T",
    ],
);

/// What a snapshot holds about jobs.
const ABOUT_JOBS: &[Optional] = &[
    SPRIO,
    (
        "squeue.txt",
        "squeue",
        &["-a", "-o", "%i|%u|%a|%P|%q|%Q|%t|%r|%V|%S"],
    ),
    ("scontrol_partition.txt", "scontrol", &["show", "partition"]),
    (
        "sacctmgr_qos.txt",
        SACCTMGR,
        &["-P", "show", "qos", "format=Name,Priority,UsageFactor"],
    ),
];

/// The command for the controller's associations.
const ASSOCIATIONS: Optional = (
    "assoc_mgr.txt",
    "scontrol",
    &["show", "assoc_mgr", "flags=assoc"],
);

/// The command for the settings.
const SETTINGS: Optional = ("scontrol_config.txt", "scontrol", &["show", "config"]);

/// The command that does not ask one cluster.
const SACCTMGR: &str = "sacctmgr";

/// The advice if Slurm's own commands do not help.
const ADVICE: &str =
    "run it where Slurm's commands work, as on a login node, or open a saved output";

pub(super) fn ask(request: &Request, report: OnProgress<'_>) -> LoadResult<Loaded> {
    with_tree(request, report, |tree, report| {
        // JSON has six decimals of the usage, other outputs of sshare have none.
        let is_cut = tree.name != JSON;
        let mut answer = with_settings(tree, request, &mut *report)?;
        if is_cut {
            add_decimals(&mut answer, request, &mut *report)?;
        }
        let mut files = Request {
            source: SourceKind::path("sshare".into()),
            ..request.clone()
        };
        files.beside.config = None;
        let mut quietly = |_: &Progress| ControlFlow::Continue(());
        let given = request.source.more().iter().chain(&request.beside.config);
        let given = given.map(|path| input::read(path, &mut quietly));
        let given = given.collect::<LoadResult<Vec<_>>>()?;
        let loaded = answer.clone().open(given.clone(), &files, &mut *report)?;
        if is_cut || !has_problem(&loaded, BILLING_DIFFERS) {
            return Ok(loaded);
        }
        // Where billing is weighted, usage in JSON has no decimals either.
        add_decimals(&mut answer, request, &mut *report)?;
        let finer = answer.open(given, &files, report)?;
        // Jobs that ended meanwhile changed it.
        let is_of_one_moment = !has_problem(&finer, OF_TWO_MOMENTS);
        Ok(if is_of_one_moment { finer } else { loaded })
    })
}

fn has_problem(loaded: &Loaded, code: &str) -> bool {
    let mut problems = loaded.problems.list().iter();
    problems.any(|problem| problem.code == code)
}

/// Collects Slurm's answers for a snapshot: the tree, its settings, the controller's own numbers, and what is about jobs
/// unless names are replaced.
pub(super) fn collect(request: &Request, jobs: bool, report: OnProgress<'_>) -> LoadResult<Answer> {
    with_tree(request, report, |tree, report| {
        let mut answer = with_settings(tree, request, &mut *report)?;
        add_decimals(&mut answer, request, &mut *report)?;
        for &optional in ABOUT_JOBS.iter().filter(|_| jobs) {
            let is_known = |bytes: &[u8]| input::companion(bytes).is_some();
            let lost = (Severity::Note, "the snapshot lacks it");
            let report = &mut *report;
            add(&mut answer, optional, lost, request, is_known, report)?;
        }
        Ok(answer)
    })
}

/// Asks about the jobs that wait. Fails without the answer of `sprio`; without the others less is known.
pub(super) fn jobs(request: &Request, report: OnProgress<'_>) -> LoadResult<Answer> {
    let mut answer = Answer::default();
    let of_controller = ABOUT_JOBS.iter().filter(|optional| optional.1 != SACCTMGR);
    for &optional in of_controller {
        let is_known = |bytes: &[u8]| input::companion(bytes).is_some();
        let lost = (Severity::Note, "the queue is shown without it");
        let report = &mut *report;
        add(&mut answer, optional, lost, request, is_known, report)?;
        let has_sprio = answer.outputs.iter().any(|output| output.name == SPRIO.0);
        if let (false, Some(problem)) = (has_sprio, answer.problems.list().first()) {
            let why = &problem.message;
            return Err(LoadError::Refused(sentence!("{why}; {ADVICE}")));
        }
    }
    Ok(answer)
}

/// Adds the controller's associations, whose usage has two decimals. Without them it is cut to whole numbers.
fn add_decimals(answer: &mut Answer, request: &Request, report: OnProgress<'_>) -> LoadResult<()> {
    let lost = (Severity::Warning, "usage has no decimals");
    let lists = |bytes: &[u8]| memchr::memmem::find(bytes, b"ClusterName=").is_some();
    add(answer, ASSOCIATIONS, lost, request, lists, report)
}

/// Asks for the tree with one command after the other until this version supports it and its output can be used. If none
/// works, the first failure is returned.
fn with_tree<T>(
    request: &Request,
    report: OnProgress<'_>,
    mut use_tree: impl FnMut(Output, OnProgress<'_>) -> LoadResult<T>,
) -> LoadResult<T> {
    let mut refusal = None;
    for &(name, args) in WAYS {
        let args = arguments(request, args);
        let command = spelled("sshare", &args);
        let outcome = match run("sshare", &args, timeout(request), &mut *report) {
            Ok(printed) if is_expected(name, &printed) => {
                use_tree(Output::ran(name, command, printed.bytes), &mut *report)
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
    Err(refusal.unwrap_or_else(|| LoadError::Refused("Slurm was not queried".into())))
}

fn is_expected(name: &str, printed: &CommandOutput) -> bool {
    let text = printed.bytes.trim_ascii_start();
    // With -M a line with the cluster comes before the object.
    let is_json = text.starts_with(b"{") || text.starts_with(b"CLUSTER:");
    !text.is_empty() && (is_json || name != JSON)
}

fn unexpected(command: &str, printed: &CommandOutput) -> LoadError {
    let message = lines(&printed.bytes);
    let complaint = lines(&printed.complaints);
    let what = match (message.is_empty(), complaint.is_empty()) {
        (true, true) => "printed nothing".to_owned(),
        (true, false) => format!("printed only: {complaint}"),
        _ => format!("printed no tree: {message}"),
    };
    LoadError::Refused(sentence!(
        "{command} {what}; check its output, and open it as a file if it is only mixed with other text"
    ))
}

/// Returns whether a version does not know an option or a column, so that another command may work.
fn is_not_understood(error: &RunError) -> bool {
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

fn is_out_of_reach(message: &str) -> bool {
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
        let lost = (Severity::Warning, "the tree is shown without it");
        let is_filled = |bytes: &[u8]| !bytes.trim_ascii().is_empty();
        add(&mut answer, SETTINGS, lost, request, is_filled, report)?;
    }
    Ok(answer)
}

/// A command whose output may be missing, which is only a problem: the name of that, the program and its arguments.
type Optional = (&'static str, &'static str, &'static [&'static str]);

/// Adds an optional output, unless it is unexpected. `lost` is the consequence if it is missing, and how bad that is.
fn add(
    answer: &mut Answer,
    (name, program, args): Optional,
    (severity, lost): (Severity, &str),
    request: &Request,
    is_wanted: impl Fn(&[u8]) -> bool,
    report: OnProgress<'_>,
) -> LoadResult<()> {
    // Accounting is of all clusters.
    let args = if program == SACCTMGR {
        args.iter().map(OsString::from).collect()
    } else {
        arguments(request, args)
    };
    let command = spelled(program, &args);
    let reason = match run(program, &args, timeout(request), report) {
        Ok(printed) if is_wanted(&printed.bytes) => {
            let output = Output::ran(name, command, printed.bytes);
            answer.outputs.push(output);
            return Ok(());
        }
        Ok(output) if output.bytes.trim_ascii().is_empty() => format!("{command} printed nothing"),
        Ok(output) => format!("{command} printed: {}", lines(&output.bytes)),
        Err(RunError::Cancelled) => return Err(LoadError::Cancelled),
        Err(error) => error.to_string(),
    };
    let file = Shown::from("live:slurm");
    let message = sentence!("{reason}; {lost}");
    let advice =
        "run the command to see why; settings can be given with --config FILE or --set KEY=VALUE";
    let problems = &mut answer.problems;
    problems.add(severity, file, "live-no-answer", message, advice);
    Ok(())
}

/// Returns the arguments with the cluster's name if one was requested.
fn arguments(request: &Request, args: &[&str]) -> Vec<OsString> {
    let cluster = request.cluster.iter();
    let cluster = cluster.flat_map(|name| [OsString::from("-M"), OsString::from(name)]);
    // Options of scontrol come before its words.
    cluster.chain(args.iter().map(OsString::from)).collect()
}
