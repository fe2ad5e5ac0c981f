//! Random arguments: subcommands with options of theirs and others', and values that fit or do not.

use super::campaign::{Checked, Part};
use super::case::Case;
use super::names::NAMES;
use super::promises;
use super::questions::{edit, pick};
use super::server::Server;
use super::sources::copy;
use crate::support::command::Run;
use crate::support::random::Random;
use clap::{Arg, Command, CommandFactory as _};
use fairscope::cli::args::Args;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use tempfile::TempDir;

/// Sources, good and bad. Those that begin with `data/` are files of the tests.
const SOURCES: [&str; 18] = [
    "data/seed",
    "data/slurm/gold",
    "data/slurm/gold.cfg",
    "data/slurm/live",
    "data/flux/21_inactive/input.db",
    "data/seed/resource_group",
    "data/dumps",
    "data/dumps/gold-2025-04-01.csv",
    "data/slurm_plans/22-moveuser/scenario.toml",
    "data/seed/usage",
    "example:small",
    "example:nothing",
    "no such file",
    "/dev/null",
    "/dev/zero",
    "/proc/self/mem",
    "-",
    ".",
];

/// Values that fit some option.
const VALUES: [&str; 44] = [
    "bob",
    "root",
    "group1/bob",
    "science/physics",
    "rank<=3",
    "factor>=0.5",
    "share>=10%",
    "on-target",
    "ahead-of suzy",
    "14d",
    "1h",
    "2026-12-02",
    "0",
    "1",
    "7",
    "100",
    "-1",
    "4294967296",
    "18446744073709551616",
    "1e9",
    "nan",
    "steady",
    "idle",
    "unknown_shares=10",
    "PriorityLevels=99",
    "TieOrder=newest",
    "fairshare_decay_time=00:00:01",
    "no=such",
    "bob=5",
    "bob=5:1d..2d",
    "path,rank,factor",
    "-factor",
    "FairShare",
    "gold",
    "fairshare_factor",
    "00",
    "1/0",
    "((",
    "new",
    "new.toml",
    "/no/such/folder/new",
    "data/seed/sched_config",
    "",
    "\u{202e}x",
];

#[test]
fn random_arguments_keep_every_promise() {
    let part = Part {
        name: "arguments",
        inputs: 300,
        pieces: "words",
    };
    let program = Args::command();
    let mut server = Server::new();
    let mut data = DataCopy::new();
    let make = move |random: &mut Random| {
        let subject = ["compare", "", "", "", "", "", "", ""];
        Case::new([pick(random, &subject)], words(random, &program))
    };
    part.run(make, move |case| check(&mut server, &mut data, case));
}

/// A copy of the sources, since an option may name one of them as the place of a report.
struct DataCopy(TempDir);

impl DataCopy {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for source in SOURCES
            .iter()
            .filter_map(|source| source.strip_prefix("data/"))
        {
            let (from, to) = (crate::support::data(source), folder.path().join(source));
            fs::create_dir_all(to.parent().expect("it is in the folder"))
                .expect("the folder is ours");
            if from.is_file() {
                fs::copy(from, to).expect("the folder is ours");
            } else {
                copy(&from, &to);
            }
        }
        Self(folder)
    }
}

fn check(server: &mut Server, data: &mut DataCopy, case: &Case) -> Checked {
    server.clear();
    let words: Vec<Vec<u8>> = case
        .pieces
        .iter()
        .map(|word| in_data(word, data.0.path().join("").as_os_str()))
        .collect();
    let writes = words.iter().any(|word| word.starts_with(b"--out"));
    let served = server.run(&words);
    let result = served.and_then(|served| {
        promises::check(&words, &served)?;
        let asks = words.iter().any(|word| word.starts_with(b"--live"));
        // What the system keeps of a process is another one each time.
        let changes = words.iter().any(|word| word.starts_with(b"/proc"));
        if case.word(0) != "compare" || writes || asks || changes {
            return Ok(());
        }
        let words = words.iter().map(|word| OsStr::from_bytes(word));
        let mut run = Run::fairscope(words).folder(server.work());
        for (name, value) in server.variables() {
            run = run.variable(name, value);
        }
        let ran = run.run();
        if ran.code != Some(served.code) || ran.stdout != served.stdout {
            return Err(format!("the program alone gives {:?}", ran.code));
        }
        Ok(())
    });
    if writes {
        *data = DataCopy::new();
    }
    (result, server.memory())
}

/// Returns a word with the path of the tests' data instead of `data/`.
fn in_data(word: &[u8], data: &OsStr) -> Vec<u8> {
    match word.strip_prefix(b"data/") {
        Some(rest) => [data.as_bytes(), rest].concat(),
        None => word.to_vec(),
    }
}

/// Returns random words for the program.
fn words(random: &mut Random, program: &Command) -> Vec<Vec<u8>> {
    let commands: Vec<&Command> = program.get_subcommands().collect();
    let mut words = Vec::new();
    let command = commands[random.below(commands.len())];
    if random.below(30) > 0 {
        words.push(command.get_name().as_bytes().to_vec());
    }
    for _ in 0..random.below(3) {
        words.push(SOURCES[random.below(SOURCES.len())].into());
    }
    let own: Vec<&Arg> = command.get_arguments().collect();
    let required = own
        .iter()
        .filter(|arg| arg.is_required_set() && !arg.is_positional());
    let mut chosen: Vec<&Arg> = required.filter(|_| random.below(8) > 0).copied().collect();
    let many = random.below(4);
    for _ in 0..many {
        let command = if random.below(10) == 0 {
            commands[random.below(commands.len())]
        } else {
            command
        };
        let args: Vec<&Arg> = command.get_arguments().collect();
        if !args.is_empty() {
            chosen.push(args[random.below(args.len())]);
        }
    }
    for arg in chosen {
        let value = value(random, arg);
        let Some(option) = arg.get_long() else {
            words.push(value);
            continue;
        };
        let option = format!("--{option}");
        if !arg.get_action().takes_values() {
            words.push(option.into());
        } else if random.below(3) == 0 {
            words.push([option.as_bytes(), b"=", &value].concat());
        } else {
            words.push(option.into());
            words.push(value);
        }
    }
    words
}

/// Returns a value for an option, which fits more often than not.
fn value(random: &mut Random, arg: &Arg) -> Vec<u8> {
    let possible = arg.get_possible_values();
    if !possible.is_empty() && random.below(12) > 0 {
        return possible[random.below(possible.len())].get_name().into();
    }
    // What takes as long as the number is large is asked for small.
    match arg.get_id().as_str() {
        "users" => return pick(random, &["0", "1", "50", "-1", "x"]).into(),
        "until" | "step" | "horizon" | "cycle" | "job_time" => {
            return pick(random, &["1d", "14d", "0", "-1d", "36h", "x", "2026-12-02"]).into();
        }
        "edits" => {
            let nodes = ["bob", "group1", "alice", "no/such"].map(str::to_owned);
            return edit(random, &nodes).into();
        }
        _ => {}
    }
    match random.below(20) {
        0..=2 => SOURCES[random.below(SOURCES.len())].into(),
        3..=5 => NAMES[random.below(NAMES.len())].replace('\0', "").into(),
        6 => b"\xff\xfe".to_vec(),
        _ => VALUES[random.below(VALUES.len())].into(),
    }
}
