//! Outputs of schedulers' commands that have no tree. They are recognized by their first lines, with advice what to run
//! instead.

use super::{Refusal, sample};
use crate::base::shown::{cut, shown, shown_text};
use crate::format::slurm::companion::Companion;

/// The advice for a tree with usage.
const SSHARE: &str = "run sshare -a -P -m -l";

/// The advice for the shares in the database.
const SACCTMGR: &str =
    "run sacctmgr -P show assoc tree format=Cluster,Account,User,Partition,Share,ID,ParentName";

/// The advice for usage of a period beside shares.
const SREPORT: &str = "for usage of a period run sreport -P cluster AccountUtilizationByUser";

const OTHER: &str = "the output of a command of Slurm that lists no shares";

/// The advice for trees of schedulers that are not read.
const AS_CSV: &str = "trees of PBS, Slurm and Flux can be opened, and any other tree as CSV with the header \
                      parent,name,shares,usage,type";

/// How lines begin that Grid Engine, Moab, Maui and HTCondor print of their shares and priorities.
const OF_OTHERS: &str = "childnodes=,curr_time\tusage_time,FairShare Information,FSPOLICY,Last Priority Update,\
                         LastUpdate = ";

/// Tables: what they are, what to run, and the words in one of their lines, in any case; or others behind a comma;
/// and what they are beside a tree.
const TABLES: &[(&str, &str, &str, Option<Companion>)] = &[
    (
        "the output of sacct, jobs that ran",
        SREPORT,
        "jobid jobname,jobid alloccpus,jobid elapsed,jobid alloctres,jobidraw alloctres,account cputimeraw,\
         account cputime,account elapsedraw",
        Some(Companion::Sacct),
    ),
    (
        "the output of squeue, jobs that wait and run",
        SSHARE,
        "jobid nodelist(reason),jobid st time,jobid state time,jobid st reason",
        Some(Companion::Squeue),
    ),
    (
        "the output of sprio, priorities of waiting jobs",
        SSHARE,
        "jobid priority fairshare,jobid priority age,jobid priority jobsize,jobid priority partition",
        Some(Companion::Sprio),
    ),
    (
        "the output of sinfo, partitions and nodes",
        SSHARE,
        "partition avail timelimit,partition avail nodelist,nodelist state",
        None,
    ),
    (
        "the output of sacctmgr show account, names without shares",
        SACCTMGR,
        "account descr org",
        None,
    ),
    (
        "the output of sacctmgr show user, names without shares",
        SACCTMGR,
        "user admin",
        None,
    ),
    (
        "the output of sacctmgr show qos",
        SACCTMGR,
        "name gracetime,name priority preempt,name usagefactor",
        Some(Companion::Qos),
    ),
    (
        OTHER,
        SSHARE,
        "jobid,controlhost controlport,wckey cluster user,type name id,time action actor,sdiag output at",
        None,
    ),
];

/// Texts by the beginning of their first line that is not blank.
const BEGINNINGS: &[(&str, &str)] = &[
    ("JobId=", "the output of scontrol show job"),
    ("NodeName=", OTHER),
    ("PartitionName=", OTHER),
    ("ReservationName=", OTHER),
    ("LicenseName=", OTHER),
    ("Slurmctld(", OTHER),
    ("slurmdbd configuration", OTHER),
    ("Usage:", "the help of a command, not its output"),
];

/// Errors of Slurm's commands by parts of their lines.
const ERRORS: &[&str] = &[
    ": error: ",
    ": fatal: ",
    "slurm_load_",
    "Unable to contact slurm controller",
    "command not found",
];

const FIELDS: &str = "account cluster effectvusage fairshare grptresmins grptresraw id levelfs normshares normusage \
                      partition rawshares rawusage tresrunmins user";

/// How many lines are searched for a header, because remarks may come before it.
const LINES: usize = 12;

fn first_lines(text: &str) -> Vec<&str> {
    let filled = text.lines().map(str::trim).filter(|line| !line.is_empty());
    filled.take(LINES).collect()
}

/// Says which output of a command a file is, and what to run instead, or returns `None` if it is not a known one.
pub(super) fn refusal(name: &str, bytes: &[u8]) -> Option<Refusal> {
    let text = String::from_utf8_lossy(sample(bytes));
    let lines = first_lines(&text);
    let first = lines.first()?;
    if let Some((_, file)) = first.split_once("No filename given, using ") {
        let file = shown(file.trim_end_matches('.').as_bytes());
        let advice = format!("the dump itself is in another file: open {file}");
        return Some(Refusal::is(name, "the messages of sacctmgr dump", &advice));
    }
    let mut beginnings = BEGINNINGS.iter();
    if let Some((_, what)) = beginnings.find(|(start, _)| first.starts_with(start)) {
        return Some(Refusal::is(name, what, SSHARE));
    }
    let is_of_other = |line: &&str| OF_OTHERS.split(',').any(|start| line.starts_with(start));
    if lines.iter().any(is_of_other) {
        let what = "an output of Grid Engine, Moab, Maui or HTCondor";
        return Some(Refusal::is(name, what, AS_CSV));
    }
    let is_title = |line: &&&str| line.contains(" Utilization ") || line.starts_with("Top ");
    if let Some(title) = lines.iter().find(is_title) {
        let title = shown(title.as_bytes());
        let what = "a report of sreport that does not list accounts with their users";
        let what = format!("{what}: {}", cut(&title, 60));
        let advice = "run sreport -P cluster AccountUtilizationByUser";
        return Some(Refusal::is(name, &what, advice));
    }
    if let Some((what, advice, ..)) = table(&lines) {
        return Some(Refusal::is(name, what, advice));
    }
    let is_error = |line: &&&str| ERRORS.iter().any(|words| line.contains(words));
    let error = shown_text(lines.iter().find(is_error)?.as_bytes());
    let what = format!("contains an error instead of output: {}", cut(&error, 80));
    let advice = "fix the cause and run the command again";
    Some(Refusal::does(name, &what, advice))
}

/// Returns the row of [`TABLES`] whose words are in one of the lines.
fn table(
    lines: &[&str],
) -> Option<&'static (&'static str, &'static str, &'static str, Option<Companion>)> {
    lines.iter().find_map(|line| {
        let words = words(line);
        let has = |wanted: &str| words.iter().any(|word| word == wanted);
        let has_all = |header: &str| header.split(' ').all(has);
        let mut tables = TABLES.iter();
        tables.find(|(_, _, headers, _)| headers.split(',').any(has_all))
    })
}

/// Returns which output beside a tree a text is, or `None` if it is none.
pub(super) fn companion(bytes: &[u8]) -> Option<Companion> {
    let text = String::from_utf8_lossy(sample(bytes));
    let lines = first_lines(&text);
    if lines.first()?.starts_with("PartitionName=") {
        return Some(Companion::Partitions);
    }
    table(&lines)?.3
}

/// Says what a file is that looks like one of the formats and is none, or returns `None`. The list of fields of `sshare -e`
/// looks like a header of its table.
pub(super) fn lookalike(name: &str, bytes: &[u8]) -> Option<Refusal> {
    let text = String::from_utf8_lossy(sample(bytes));
    let lines = first_lines(&text);
    let is_field_list = |line: &&str| {
        let words = words(line);
        let is_field = |word: &String| FIELDS.split(' ').any(|field| field == word);
        words.len() > 2 && words.iter().all(is_field)
    };
    let what = "the list of fields that sshare -e prints";
    let is_list = lines.len() > 1 && lines.iter().all(is_field_list);
    is_list.then(|| Refusal::is(name, what, SSHARE))
}

/// Returns the words of a header in lower case, without widths and separators.
fn words(line: &str) -> Vec<String> {
    let words = line.split(|char: char| char.is_whitespace() || char == '|');
    let filled = words.filter(|word| !word.is_empty());
    filled.map(str::to_ascii_lowercase).collect()
}
