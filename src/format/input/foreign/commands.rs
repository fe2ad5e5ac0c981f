//! Outputs of schedulers' commands that have no tree. They are recognized by their first lines, with advice what to run
//! instead.

use super::{Refusal, sample};
use crate::base::shell::word;
use crate::base::shown::{cut, shown, shown_text};
use crate::format::slurm::companion::Companion;

/// The advice for a tree with usage.
const SSHARE: &str = "run sshare -a -l -P";

/// The advice for the shares in the database.
const SACCTMGR: &str =
    "run sacctmgr -P show assoc tree format=Cluster,Account,User,Partition,Share,ID,ParentName";

/// A table that a command of Slurm prints of something else than shares.
struct OtherTable {
    what: &'static str,
    /// What to run instead, or the command that reads it beside a tree; `FILE` stands for its path.
    advice: &'static str,
    /// What it is beside a tree; `None` if it is of no use there.
    companion: Option<Companion>,
    /// Words of its header in lower case, all of which are there.
    all_of: &'static [&'static str],
    /// Further words of its header, at least one of which is there.
    one_of: &'static [&'static str],
}

impl OtherTable {
    fn has_header(&self, words: &[String]) -> bool {
        let is_there = |wanted: &&str| words.iter().any(|word| word == wanted);
        self.all_of.iter().all(is_there) && self.one_of.iter().any(is_there)
    }
}

const SACCT: OtherTable = OtherTable {
    what: "the output of sacct, jobs that ran",
    advice: "give it beside a tree: fairscope timeline sshare.txt --jobs FILE",
    companion: Some(Companion::Sacct),
    all_of: &["jobid"],
    one_of: &["jobname", "alloccpus", "elapsed", "alloctres"],
};

const QOS: OtherTable = OtherTable {
    what: "the output of sacctmgr show qos",
    advice: SACCTMGR,
    companion: Some(Companion::Qos),
    all_of: &["name"],
    one_of: &["gracetime", "usagefactor"],
};

const TABLES: &[OtherTable] = &[
    SACCT,
    OtherTable {
        all_of: &["jobidraw"],
        one_of: &["alloctres"],
        ..SACCT
    },
    OtherTable {
        all_of: &["account"],
        one_of: &["cputimeraw", "cputime", "elapsedraw"],
        ..SACCT
    },
    OtherTable {
        what: "the output of squeue, jobs that wait and run",
        advice: "give it beside a tree: fairscope queue sshare.txt --sprio sprio.txt --squeue FILE",
        companion: Some(Companion::Squeue),
        all_of: &["jobid"],
        one_of: &["nodelist(reason)", "st", "time"],
    },
    OtherTable {
        what: "the output of sprio, priorities of waiting jobs",
        advice: "give it beside a tree: fairscope queue sshare.txt --sprio FILE; without one: fairscope queue --sprio FILE",
        companion: Some(Companion::Sprio),
        all_of: &["jobid", "priority"],
        one_of: &["fairshare", "age", "jobsize", "partition"],
    },
    OtherTable {
        what: "the output of sacctmgr show account, names without shares",
        advice: SACCTMGR,
        companion: None,
        all_of: &["account", "descr"],
        one_of: &["org"],
    },
    OtherTable {
        what: "the output of sacctmgr show user, names without shares",
        advice: SACCTMGR,
        companion: None,
        all_of: &["user"],
        one_of: &["admin"],
    },
    QOS,
    OtherTable {
        all_of: &["name", "priority"],
        one_of: &["preempt"],
        ..QOS
    },
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
    let is_title = |line: &&&str| line.contains(" Utilization ") || line.starts_with("Top ");
    if let Some(title) = lines.iter().find(is_title) {
        let title = shown(title.as_bytes());
        let what = "a report of sreport that does not list accounts with their users";
        let what = format!("{what}: {}", cut(&title, 60));
        let advice = "run sreport -P cluster AccountUtilizationByUser";
        return Some(Refusal::is(name, &what, advice));
    }
    if let Some(table) = table(&lines) {
        let file = match name {
            "standard input" => "FILE".into(),
            name => word(name, "FILE"),
        };
        let advice = table.advice.replace("FILE", &file);
        return Some(Refusal::is(name, table.what, &advice));
    }
    let is_error = |line: &&&str| ERRORS.iter().any(|words| line.contains(words));
    let error = shown_text(lines.iter().find(is_error)?.as_bytes());
    let what = format!("contains an error instead of output: {}", cut(&error, 80));
    let advice = "fix the cause and run the command again";
    Some(Refusal::does(name, &what, advice))
}

/// Returns the table whose header is the first in these lines.
fn table(lines: &[&str]) -> Option<&'static OtherTable> {
    for line in lines {
        let words = words(line);
        if let Some(table) = TABLES.iter().find(|table| table.has_header(&words)) {
            return Some(table);
        }
    }
    None
}

/// Returns what another output than that of a tree is, if a line is its heading.
pub(super) fn other_table(line: &[u8]) -> Option<&'static str> {
    let line = String::from_utf8_lossy(line);
    table(&[&line]).map(|table| table.what)
}

/// Returns which output beside a tree a text is, or `None` if it is none.
pub(super) fn companion(bytes: &[u8]) -> Option<Companion> {
    let text = String::from_utf8_lossy(sample(bytes));
    let lines = first_lines(&text);
    if lines.first()?.starts_with("PartitionName=") {
        return Some(Companion::Partitions);
    }
    table(&lines)?.companion
}

/// Says what a file is that looks like one of the formats and is none, or returns `None`. The list of fields of `sshare -e`
/// looks like a header of its table, with further names below it.
pub(super) fn lookalike(name: &str, bytes: &[u8]) -> Option<Refusal> {
    let text = String::from_utf8_lossy(sample(bytes));
    let lines = first_lines(&text);
    let is_list = words(lines.first()?) == ["account", "cluster", "effectvusage", "fairshare"]
        && lines.get(1)?.starts_with("GrpTRES");
    let what = "the list of fields that sshare -e prints";
    is_list.then(|| Refusal::is(name, what, SSHARE))
}

/// Returns the words of a header in lower case, without widths and separators.
fn words(line: &str) -> Vec<String> {
    let words = line.split(|char: char| char.is_whitespace() || char == '|');
    let filled = words.filter(|word| !word.is_empty());
    filled.map(str::to_ascii_lowercase).collect()
}
