//! Where a tree came from in words, what a directory of saved outputs holds, and what can be opened.

use crate::base::number::{counted, grouped};
use crate::base::shown::{Shown, sentence};
use crate::model::{Format, Origin, OutputFile, Scheduler, Tree, UsagePrecision};
use crate::open::directory::Contents;
use crate::open::folder::Content;
use std::fmt::Write as _;

/// Returns where a part of a snapshot came from: `usage is from sshare.txt (sshare), cut to whole numbers`.
pub fn origin(origin: &Origin) -> String {
    match origin {
        Origin::Read(files) => {
            let all_files = files.join(", ");
            format!("read {all_files}")
        }
        Origin::Ran(command) => format!("ran {command}"),
        Origin::Anonymised => "names are pseudonyms".to_owned(),
        Origin::Copied(file) => format!("a copy of {file}"),
        Origin::Associations(output) => {
            let output = named(output);
            format!("associations and shares are from {output}")
        }
        Origin::Usage(output, precision) => {
            let output = named(output);
            let digits = digits(*precision);
            format!("usage is from {output}, {digits}")
        }
        Origin::Jobs(file, count) => {
            let jobs = counted(*count, "job", "jobs");
            format!("the usage is what {jobs} of {file} gave")
        }
        Origin::Factors(output) => {
            let output = named(output);
            format!("recorded factors are from {output}")
        }
        Origin::SchedFormula(formula) => format!(
            "job_sort_formula is {formula}, from the file sched_formula, which PBS keeps when the formula is unset: \
             check with qmgr -c 'print sched'"
        ),
        Origin::UnknownShares { row, set } => format!(
            "unknown has {set} shares by --set unknown_shares, instead of the {row} of its row: PBS has one number for \
             both"
        ),
        Origin::InForce { policy, settings } => {
            let mut with = String::new();
            if !settings.is_empty() {
                let all_settings = settings.join(" and ");
                with = format!(" with {all_settings}");
            }
            format!("policy {policy}{with}, because the recorded numbers match it")
        }
    }
}

/// Returns the name of an output, and what prints it. The folder is in the title.
fn named(output: &OutputFile) -> Shown {
    let mut steps = output.file.rsplit('/');
    let name = steps.next().unwrap_or_default();
    let format = output.format.name();
    sentence!("{name} ({format})")
}

/// Returns how exact usage is.
fn digits(precision: UsagePrecision) -> Shown {
    match precision {
        UsagePrecision::Exact => "in full".into(),
        UsagePrecision::Whole => "cut to whole numbers".into(),
        UsagePrecision::Decimals(decimals) => sentence!("with {decimals} decimals"),
        UsagePrecision::Rounded(unit) => sentence!("rounded to {unit} seconds"),
    }
}

/// Returns for a reader in a year what files of a scheduler a directory holds, and what the scheduler would not say.
pub(crate) fn about(contents: &Contents) -> String {
    let mut text = format!(
        "A snapshot of a fairshare tree of {}, taken by fairscope {} at {:.0}.\n\
         fairscope opens it by the path of this directory.\n\n",
        contents.scheduler.help(),
        env!("CARGO_PKG_VERSION"),
        contents.taken,
    );
    let mut are_anonymised = false;
    for (name, from) in &contents.files {
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(text, "{name}: {}", origin(from));
        are_anonymised |= *from == Origin::Anonymised;
    }
    if are_anonymised {
        text.push_str("Where the scheduler orders ties by name, pseudonyms have another order.\n");
    }
    for problem in contents.problems.list() {
        let _ = writeln!(text, "not saved: {}", problem.message);
    }
    text
}

/// Returns what is at a path in a word or two, at most 24 cells wide.
pub(crate) const fn content(content: Content) -> &'static str {
    match content {
        Content::Tree(format) => tree(format),
        Content::Scenario => "scenario",
        Content::Settings => "Slurm configuration",
        Content::Database => "SQLite database",
        Content::Unknown => "other file",
        Content::Source(Scheduler::Pbs) => "PBS sched_priv",
        Content::Source(Scheduler::Slurm) => "Slurm outputs",
        Content::Source(Scheduler::Flux) => "flux-accounting outputs",
        Content::Dumps => "series of dumps",
        Content::Directory => "directory",
        Content::Unreadable => "not readable",
        Content::Missing => "missing",
    }
}

/// Returns what a file with a tree is called.
const fn tree(format: Format) -> &'static str {
    match format {
        Format::Pbs => "PBS resource_group",
        Format::Sshare => "Slurm sshare",
        Format::SlurmJson => "Slurm sshare JSON",
        Format::AssocMgr => "Slurm assoc_mgr",
        Format::SacctmgrDump => "Slurm sacctmgr dump",
        Format::SacctmgrAssoc => "Slurm associations",
        Format::Sreport => "Slurm sreport",
        Format::FluxDb => "flux-accounting database",
        Format::FluxJson => "flux-accounting JSON",
        Format::ViewBank => "Flux view-bank",
        Format::Csv => "CSV tree",
        Format::Toml => "fairscope tree",
    }
}

/// Returns how large a tree is: `40 users in 60 nodes, 8 without a rank`. `ranked` users have a rank.
pub(crate) fn size(tree: &Tree, ranked: usize) -> Shown {
    let users = counted(tree.user_count(), "user", "users");
    let nodes = counted(tree.node_count(), "node", "nodes");
    if tree.part().is_some() {
        let users = grouped(tree.user_count());
        return sentence!("{users} of ? users in {nodes}");
    }
    let unranked = tree.user_count().saturating_sub(ranked);
    // Where nobody has a rank the source lists only some of the users.
    if unranked == 0 || ranked == 0 {
        return sentence!("{users} in {nodes}");
    }
    let without = grouped(unranked);
    sentence!("{users} in {nodes}, {without} without a rank")
}
