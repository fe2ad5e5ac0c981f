//! How the work of the program grows with what can repeat: rows, edits, jobs, goals, steps of a lesson.
//!
//! Each case is a run of the program. It is run three times, with more and more of what repeats, and what is counted is
//! every allocation, and the bytes of all of them: the same in each run, however busy the machine is. Twice as many may take
//! twice as much. A case that takes four times as much looks at everything again for each.
//!
//! `FAIRSCOPE_WORK=1 cargo test work -- --nocapture` counts 10,000, 20,000 and 40,000 of each, and also the instructions of
//! 1,000, 2,000 and 4,000, where valgrind is installed: not every loop allocates.

mod desired;
mod edits;
mod explorer;
mod formats;
mod jobs;
mod names;
mod reports;

use fairscope::cli;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// How many of what repeats there are in the three runs of a case.
const COUNTS: [usize; 3] = [1_000, 2_000, 4_000];

/// The same if `FAIRSCOPE_WORK` is set.
const MANY: [usize; 3] = [10_000, 20_000, 40_000];

/// How many times as much work twice as many may take. Sorting takes a little more than twice as much.
const MOST: f64 = 2.3;

/// The same for instructions.
const MOST_INSTRUCTIONS: f64 = 2.6;

/// The arguments of a run of the program.
type Arguments = Vec<String>;

/// What repeats, and what writes so many of it into a folder and returns the arguments of a run that reads them.
type Case = (&'static str, fn(&Path, usize) -> Arguments);

/// The work of a run.
#[derive(Clone, Copy, Debug)]
struct Work {
    allocations: f64,
    bytes: f64,
}

/// Names the variable with the file of the arguments of the run that is counted.
const RUN: &str = "FAIRSCOPE_WORK_RUN";

#[test]
#[ignore = "it is the run of the program that the other tests begin, in a process of its own"]
fn counted_run() {
    let Some(file) = std::env::var_os(RUN) else {
        return;
    };
    let args = fs::read_to_string(&file).unwrap();
    let args: Vec<OsString> = args.split('\0').map(OsString::from).collect();
    let region = Region::new(ALLOCATOR);
    let code = cli::run(&args);
    let used = region.change();
    let allocations = used.allocations + used.reallocations;
    let counted = format!("{code} {allocations} {}", used.bytes_allocated);
    fs::write(file, counted).unwrap();
}

/// Counts the work of a run.
fn count(folder: &Path, args: Arguments) -> Work {
    let mut all = vec!["fairscope".to_owned()];
    all.extend(args);
    let file = folder.join("arguments");
    fs::write(&file, all.join("\0")).unwrap();
    let mut run = Command::new(std::env::current_exe().unwrap());
    let ran = run
        .args(["work::counted_run", "--exact", "--ignored", "--nocapture"])
        .arg("--test-threads=1")
        .env(RUN, &file)
        .env("LC_ALL", "C.UTF-8")
        .env("HOME", folder)
        .env_remove("XDG_CONFIG_HOME")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .output()
        .unwrap();
    let counted = fs::read_to_string(&file).unwrap();
    let mut numbers = counted.split(' ').map(str::parse::<f64>);
    let mut number = || numbers.next().and_then(Result::ok);
    let code = number();
    assert!(
        ran.status.success() && matches!(code, Some(0.0 | 1.0)),
        "{all:?}: {}",
        String::from_utf8_lossy(&ran.stderr)
    );
    Work {
        allocations: number().unwrap(),
        bytes: number().unwrap(),
    }
}

/// Counts the instructions of a run, in millions; `None` without valgrind.
fn instructions(args: &[String]) -> Option<f64> {
    let ran = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no"])
        .arg("--cachegrind-out-file=/dev/null")
        .arg(env!("CARGO_BIN_EXE_fairscope"))
        .args(args)
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .output()
        .ok()?;
    let told = String::from_utf8_lossy(&ran.stderr);
    let line = told
        .lines()
        .find(|line| line.contains("I   refs:") || line.contains("I refs:"))?;
    let count = line.split_whitespace().last()?.replace(',', "");
    Some(count.parse::<f64>().ok()? / 1e6)
}

/// Returns how many times as much the last run takes as the one before it, with half as many.
fn growth([_, half, all]: [f64; 3]) -> f64 {
    all / half
}

/// Runs cases, prints a table of their work, and fails if it grows faster than what repeats.
fn assert_linear(cases: &[Case]) {
    let is_thorough = std::env::var_os("FAIRSCOPE_WORK").is_some();
    let counts = if is_thorough { MANY } else { COUNTS };
    let mut failed = Vec::new();
    println!("{:34} {:^32} {:^26} growth", "", "allocations", "megabytes");
    for &(name, write) in cases {
        let work = counts.map(|many| {
            let folder = tempfile::tempdir().unwrap();
            count(folder.path(), write(folder.path(), many))
        });
        let allocations = work.map(|work| work.allocations);
        let bytes = work.map(|work| work.bytes);
        let growths = [growth(allocations), growth(bytes)];
        print!("{name:34}");
        for number in allocations {
            print!(" {number:10.0}");
        }
        for megabytes in bytes.map(|bytes| bytes / 1e6) {
            print!(" {megabytes:8.1}");
        }
        println!("  {:4.2} {:4.2}", growths[0], growths[1]);
        if growths.iter().any(|&growth| growth > MOST) {
            failed.push(format!("{name}: {growths:?}"));
        }
        if is_thorough {
            let counted = COUNTS.map(|many| {
                let folder = tempfile::tempdir().unwrap();
                instructions(&write(folder.path(), many))
            });
            if let [Some(first), Some(second), Some(third)] = counted {
                let growth = growth([first, second, third]);
                println!(
                    "{:34} {first:10.0} {second:10.0} {third:10.0} million instructions  {growth:4.2}",
                    ""
                );
                if growth > MOST_INSTRUCTIONS {
                    failed.push(format!("{name}: {growth} times the instructions"));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Writes a file, and returns its path.
fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path.into_os_string().into_string().unwrap()
}

/// Returns the lines of so many entries.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

fn arguments<const N: usize>(words: [&str; N]) -> Arguments {
    words.map(str::to_owned).to_vec()
}

/// Writes a tree of our own.
fn rows(folder: &Path, rows: &str) -> String {
    let text = format!("fairscope = 1\n[tree]\nrows = '''\n{rows}'''\n");
    write(folder, "tree.toml", &text)
}

/// Writes a tree of one account with so many users.
fn users(folder: &Path, count: usize) -> String {
    let users = lines(count, |place| {
        format!("  u{place} {} {}\n", 1 + place % 7, place % 100)
    });
    rows(folder, &format!("lab 1\n{users}"))
}

/// Writes a tree of so many accounts, each with the user kim.
fn namesakes(folder: &Path, count: usize) -> String {
    let accounts = lines(count, |place| {
        format!("a{place} {}\n  kim 1 {}\n", 1 + place % 5, place % 50)
    });
    rows(folder, &accounts)
}

/// Writes what sshare prints of one account with so many users.
fn sshare(folder: &Path, count: usize) -> String {
    let users = lines(count, |place| {
        let (shares, level) = (place % 9 + 1, place % 13 + 1);
        format!("  a|u{place}|{shares}|0.5|0|0.0|0.0|1.0|{level}.0\n")
    });
    let head = "Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|LevelFS\n\
                root|||0.0|0||1.0||\n a||1|1.0|0|1.0|1.0||1.0\n";
    write(folder, "sshare.txt", &format!("{head}{users}"))
}

/// Writes a PBS directory with so many entities.
fn pbs(folder: &Path, count: usize) -> String {
    let group = lines(count, |place| {
        format!("u{place} {} root {}\n", place + 10, place % 9 + 1)
    });
    write(folder, "sched_priv/resource_group", &group);
    let config = "fair_share: true ALL\nfairshare_usage_res: cput\n";
    write(folder, "sched_priv/sched_config", config);
    folder
        .join("sched_priv")
        .into_os_string()
        .into_string()
        .unwrap()
}
