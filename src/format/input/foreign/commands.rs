//! Outputs of Slurm's other commands, which have no trees. They are detected by their first lines, with advice what to
//! run instead.

use super::{Refusal, SAMPLE};
use crate::base::shown::{cut, shown, shown_text};

/// The advice for a tree with usage.
const SSHARE: &str = "run sshare -a -P -m -l";

/// The advice for the shares in the database.
const SACCTMGR: &str =
    "run sacctmgr -P show assoc tree format=Cluster,Account,User,Partition,Share,ID,ParentName";

/// The advice for usage of a period beside shares.
const SREPORT: &str = "for usage of a period run sreport -P cluster AccountUtilizationByUser";

/// Tables: what they are, what to run, and the words that are in one line of them, in any case.
const TABLES: &[(&str, &str, &[&str])] = &[
    (
        "the output of sprio, priorities of waiting jobs",
        SSHARE,
        &["jobid priority fairshare", "jobid priority age"],
    ),
    (
        "the output of sacct, jobs that ran",
        SREPORT,
        &["jobid jobname", "jobid alloccpus", "jobid elapsed"],
    ),
    (
        "the output of sstat, steps of running jobs",
        SSHARE,
        &["jobid avecpu"],
    ),
    (
        "the output of sacct, jobs that ran",
        SREPORT,
        &[
            "account cputimeraw",
            "account cputime",
            "account elapsedraw",
        ],
    ),
    (
        "the output of squeue, jobs that wait and run",
        SSHARE,
        &[
            "jobid nodelist(reason)",
            "jobid st time",
            "jobid state time",
        ],
    ),
    (
        "a list of jobs, of sprio or squeue",
        SSHARE,
        &["jobid priority"],
    ),
    ("a list of jobs, of squeue or sacct", SSHARE, &["jobid"]),
    (
        "the output of sinfo, partitions and nodes",
        SSHARE,
        &[
            "partition avail timelimit",
            "partition avail nodelist",
            "nodelist state",
        ],
    ),
    (
        "the output of sacctmgr show account, names without shares",
        SACCTMGR,
        &["account descr org"],
    ),
    (
        "the output of sacctmgr show user, names without shares",
        SACCTMGR,
        &["user admin"],
    ),
    (
        "the output of sacctmgr show qos",
        SACCTMGR,
        &["name gracetime", "name priority preempt"],
    ),
    (
        "the output of sacctmgr show cluster",
        SACCTMGR,
        &["controlhost controlport"],
    ),
    (
        "the output of sacctmgr show wckey",
        SACCTMGR,
        &["wckey cluster user"],
    ),
    (
        "the output of sacctmgr show tres",
        SACCTMGR,
        &["type name id"],
    ),
    (
        "the output of sacctmgr show transactions",
        SACCTMGR,
        &["time action actor"],
    ),
];

/// Texts by the beginning of their first line that is not blank.
const BEGINNINGS: &[(&str, &str, &str)] = &[
    ("JobId=", "the output of scontrol show job", SSHARE),
    ("NodeName=", "the output of scontrol show node", SSHARE),
    (
        "PartitionName=",
        "the output of scontrol show partition",
        SSHARE,
    ),
    (
        "ReservationName=",
        "the output of scontrol show reservation",
        SSHARE,
    ),
    (
        "LicenseName=",
        "the output of scontrol show license",
        SSHARE,
    ),
    ("Slurmctld(", "the output of scontrol ping", SSHARE),
    (
        "slurmdbd configuration",
        "the output of sacctmgr show config",
        SACCTMGR,
    ),
    ("Usage:", "the help of a command, not its output", SSHARE),
];

/// Errors of Slurm's commands by parts of their lines.
const ERRORS: &[&str] = &[
    ": error: ",
    ": fatal: ",
    "slurm_load_",
    "Unable to contact slurm controller",
    "command not found",
];

/// How many lines are searched for a header, because remarks may come before it.
const LINES: usize = 12;

/// Says which output of Slurm's commands a file is, and what to run instead, or returns `None` if it is not a known
/// one.
pub(super) fn refusal(name: &str, bytes: &[u8]) -> Option<Refusal> {
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    let text = String::from_utf8_lossy(sample);
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .take(LINES)
        .collect();
    let first = lines.first()?;
    if let Some(file) = first
        .split_once("No filename given, using ")
        .map(|(_, file)| file)
    {
        let file = shown(file.trim_end_matches('.').as_bytes());
        let what = "the messages of sacctmgr dump";
        let advice = format!("the dump itself is in another file: open {file}");
        return Some(Refusal::is(name, what, &advice));
    }
    if first.contains("sdiag output at")
        || lines
            .get(1)
            .is_some_and(|line| line.contains("sdiag output at"))
    {
        let what = "the output of sdiag, statistics of slurmctld";
        return Some(Refusal::is(name, what, SSHARE));
    }
    let begins = BEGINNINGS
        .iter()
        .find(|(start, _, _)| first.starts_with(start));
    if let Some((_, what, remedy)) = begins {
        return Some(Refusal::is(name, what, remedy));
    }
    if let Some(title) = lines
        .iter()
        .find(|line| line.contains(" Utilization ") || line.starts_with("Top "))
    {
        let title = shown(title.as_bytes());
        let title = cut(&title, 60);
        return Some(Refusal::is(
            name,
            &format!("a report of sreport that does not list accounts with their users: {title}"),
            "run sreport -P cluster AccountUtilizationByUser",
        ));
    }
    let table = lines.iter().find_map(|line| {
        let words = words(line);
        let has = |wanted: &str| words.iter().any(|word| word == wanted);
        let has_all = |header: &&str| header.split(' ').all(has);
        TABLES
            .iter()
            .find(|(.., headers)| headers.iter().any(has_all))
    });
    if let Some((what, remedy, _)) = table {
        return Some(Refusal::is(name, what, remedy));
    }
    let error = lines
        .iter()
        .find(|line| ERRORS.iter().any(|words| line.contains(words)))?;
    let error = shown_text(error.as_bytes());
    let what = format!("contains an error instead of output: {}", cut(&error, 80));
    Some(Refusal::does(
        name,
        &what,
        "fix the cause and run the command again",
    ))
}

/// Says what a file is that looks like one of the formats and is none, or returns `None`. The list of fields of `sshare -e`
/// looks like a header of its table, and the weights of `sprio -w` look like a node of PBS.
pub(super) fn lookalike(name: &str, bytes: &[u8]) -> Option<Refusal> {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(SAMPLE)]);
    let filled = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<&str> = filled.take(LINES).collect();
    if lines.len() > 1 && lines.iter().all(|line| is_field_list(line)) {
        let what = "the list of fields that sshare -e prints";
        return Some(Refusal::is(name, what, SSHARE));
    }
    let is_header = |line: &&str| line.starts_with("JOBID");
    let is_weights = |line: &&str| line.starts_with("Weights");
    (lines.iter().any(is_header) && lines.iter().any(is_weights)).then(|| {
        let what = "the output of sprio -w, weights of priority and no shares";
        Refusal::is(name, what, SSHARE)
    })
}

/// Returns the words of a header in lower case, without widths and separators.
fn words(line: &str) -> Vec<String> {
    let words = line.split(|char: char| char.is_whitespace() || char == '|');
    words
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect()
}

/// Returns whether a line contains only names of fields of `sshare`.
fn is_field_list(line: &str) -> bool {
    const FIELDS: &[&str] = &[
        "account",
        "cluster",
        "effectvusage",
        "fairshare",
        "grptresmins",
        "grptresraw",
        "id",
        "levelfs",
        "normshares",
        "normusage",
        "partition",
        "rawshares",
        "rawusage",
        "tresrunmins",
        "user",
    ];
    let words = words(line);
    words.len() > 2 && words.iter().all(|word| FIELDS.contains(&word.as_str()))
}
