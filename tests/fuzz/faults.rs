//! Faults of system calls while something is saved: afterwards the old files are there or the new ones, whole, and
//! nothing else; the exit code and a sentence say which.
//!
//! `strace` fails a call of a run, or two, or kills the process at one. Which calls a run makes in the folder of its
//! files is seen from a run without faults.

use super::campaign::{Checked, Part};
use super::case::Case;
use crate::support::data;
use crate::support::files::files_below;
use crate::support::random::Random;
use crate::support::terminal::Terminal;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The calls that may fail. To close a file says nothing new once it is flushed, and to close a directory never fails on
/// Linux.
const CALLS: &str = "openat,write,fsync,fchmod,fchown,linkat,rename,renameat,renameat2,mkdir,rmdir,unlink,unlinkat,\
                     flock,statx,getdents64,copy_file_range";

/// The errors that they get.
const ERRORS: [&str; 10] = [
    "EIO",
    "ENOSPC",
    "EDQUOT",
    "EFBIG",
    "EACCES",
    "EROFS",
    "EINTR",
    "EMFILE",
    "EINVAL",
    "EOPNOTSUPP",
];

/// The calls of the thread that saves in the explorer, which no other of its threads makes.
const SAVING: [&str; 5] = ["fsync", "fchmod", "renameat2", "renameat", "unlink"];

/// What is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scene {
    File,
    NewFolder,
    Folder,
    Converted,
    Plan,
    Snapshot,
    SnapshotInside,
    ScenarioNew,
    ScenarioReplaced,
}

impl Scene {
    const ALL: [Self; 9] = [
        Self::File,
        Self::NewFolder,
        Self::Folder,
        Self::Converted,
        Self::Plan,
        Self::Snapshot,
        Self::SnapshotInside,
        Self::ScenarioNew,
        Self::ScenarioReplaced,
    ];

    fn named(name: &str) -> Self {
        let mut scenes = Self::ALL.into_iter();
        scenes
            .find(|scene| format!("{scene:?}") == name)
            .expect("a case names a scene")
    }

    fn is_explorer(self) -> bool {
        matches!(self, Self::ScenarioNew | Self::ScenarioReplaced)
    }

    /// Whether several files are placed one after the other, so that a killed process may have placed the first of
    /// them.
    fn is_placed_one_by_one(self) -> bool {
        matches!(self, Self::Folder | Self::SnapshotInside)
    }

    /// Makes what is there before.
    fn prepare(self, folder: &Path) {
        if self.is_placed_one_by_one() {
            fs::create_dir(folder.join("out")).expect("it is ours");
        }
        if self == Self::ScenarioReplaced {
            fs::write(folder.join("out"), "old").expect("it is ours");
        }
    }

    fn arguments(self, out: &str) -> Vec<String> {
        let seed = data("seed").display().to_string();
        let words = match self {
            Self::File => "generate --users 40 --to csv --out",
            Self::NewFolder | Self::Folder => "generate --users 40 --to pbs --out",
            Self::Converted => "convert SEED --to pbs --edit group2/suzy=80 --out",
            Self::Plan => "plan SEED --edit group2/suzy=80 --out",
            Self::Snapshot | Self::SnapshotInside => "snapshot --live pbs --out",
            Self::ScenarioNew | Self::ScenarioReplaced => "",
        };
        let words = words.split_whitespace().map(|word| match word {
            "SEED" => seed.clone(),
            "group2/suzy=80" => format!("shares {word}"),
            _ => word.to_owned(),
        });
        let deeper = matches!(self, Self::Plan | Self::Snapshot);
        let out = format!("{out}{}", if deeper { "/deeper/new" } else { "" });
        words.chain([out]).collect()
    }
}

/// How a run ended.
struct Ending {
    /// `None` if it was killed.
    code: Option<i32>,
    said: String,
}

/// Runs a scene in a folder, with faults.
fn run(scene: Scene, folder: &Path, home: &Path, log: &Path, faults: &[String]) -> Ending {
    let mut strace = vec!["-f", "-qq", "-yy", "-o"]
        .into_iter()
        .map(str::to_owned);
    let mut words: Vec<String> = strace.by_ref().collect();
    words.extend([
        log.display().to_string(),
        "-e".into(),
        format!("trace={CALLS}"),
    ]);
    for fault in faults {
        words.extend(["-e".to_owned(), format!("inject={fault}")]);
    }
    let out = folder.join("out").display().to_string();
    if scene.is_explorer() {
        return explore(scene, &out, &words);
    }
    let ran = Command::new("strace")
        .args(words)
        .arg(env!("CARGO_BIN_EXE_fairscope"))
        .args(scene.arguments(&out))
        .env("PBS_HOME", home)
        .stdin(Stdio::null())
        .output()
        .expect("strace was found");
    Ending {
        code: ran.status.code(),
        said: String::from_utf8_lossy(&ran.stderr).into_owned(),
    }
}

/// Saves in the explorer, and reads the notice.
fn explore(scene: Scene, out: &str, strace: &[String]) -> Ending {
    const FAILED: [&str; 3] = ["could not be", "did not confirm", "check the disk"];
    let log = strace[4].clone();
    let is_killed = move || fs::read_to_string(&log).is_ok_and(|text| text.contains("SIGKILL"));
    let words = strace.iter().map(|word| format!("'{word}'"));
    let words: Vec<String> = words.collect();
    let seed = data("seed").display().to_string();
    let command = format!("exec strace {} \"$FAIRSCOPE\" '{seed}'", words.join(" "));
    // Drafts are another save, and their notices would hide this one.
    let state = [("XDG_STATE_HOME", "/dev/null/none")];
    let mut terminal = Terminal::shell_with(&["-c", &command], &state);
    terminal.resize(24, 200);
    terminal.wait_for("why group2");
    terminal.send("+");
    terminal.wait_for("cannot be backed up");
    terminal.send("w");
    terminal.wait_for("save scenario as:");
    let typed = format!("\x15{out}\r");
    let last_keys = if scene == Scene::ScenarioReplaced {
        terminal.send(&typed);
        terminal.wait_for("already there");
        "y"
    } else {
        &typed
    };
    let is_over = |screen: &str| {
        screen.contains("saved /") || FAILED.iter().any(|part| screen.contains(part))
    };
    terminal.send_until(last_keys, "the notice", |terminal| {
        is_over(&terminal.screen()) || is_killed()
    });
    let said = terminal.screen();
    let code = if is_over(&said) {
        Some(if said.contains("saved /") { 0 } else { 2 })
    } else {
        None
    };
    terminal.send("qy");
    terminal.wait_exit();
    Ending { code, said }
}

/// Returns the files of a folder with their contents. A snapshot says when it was taken, which is no matter here.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let read = |path: &Path| {
        if path.ends_with("fairscope-snapshot.txt") {
            return Vec::new();
        }
        fs::read(path).expect("it was listed")
    };
    let files = files_below(folder).into_iter();
    files
        .map(|path| {
            let name = path.strip_prefix(folder).expect("it is below");
            (name.display().to_string(), read(&path))
        })
        .collect()
}

/// Returns the hidden names in a folder and those below it.
fn hidden(folder: &Path) -> Vec<String> {
    let mut hidden = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.expect("it is ours").path();
            let name = path
                .file_name()
                .expect("an entry has a name")
                .to_string_lossy();
            if name.starts_with(".fairscope-") {
                hidden.push(name.into_owned());
            } else if path.is_dir() {
                folders.push(path);
            }
        }
    }
    hidden
}

/// A scene, what it makes, and the calls that it makes in its folder, each with its number.
struct Known {
    scene: Scene,
    new: BTreeMap<String, Vec<u8>>,
    calls: Vec<(String, usize)>,
}

/// Returns whether a call in the folder of a save is one of the save. Reports name the folder too.
fn is_of_save(line: &str) -> bool {
    let reports = ["write(1<", "write(2<"];
    !reports.iter().any(|call| line.contains(call))
}

/// The folders of one run.
struct Place {
    folder: tempfile::TempDir,
    aside: tempfile::TempDir,
}

impl Place {
    fn of(scene: Scene) -> Self {
        let place = Self {
            folder: tempfile::tempdir().expect("a temporary folder can be made"),
            aside: tempfile::tempdir().expect("a temporary folder can be made"),
        };
        std::os::unix::fs::symlink(data("seed"), place.aside.path().join("sched_priv"))
            .expect("it is ours");
        scene.prepare(place.folder.path());
        place
    }

    fn run(&self, scene: Scene, faults: &[String]) -> Ending {
        let log = self.aside.path().join("log");
        run(scene, self.folder.path(), self.aside.path(), &log, faults)
    }
}

impl Known {
    fn of(scene: Scene) -> Self {
        let place = Place::of(scene);
        let ending = place.run(scene, &[]);
        assert_eq!(ending.code, Some(0), "{scene:?}: {}", ending.said);
        let mut calls = Vec::new();
        if scene.is_explorer() {
            calls.extend(SAVING.map(|call| (call.to_owned(), 1)));
        } else {
            let log = fs::read_to_string(place.aside.path().join("log")).expect("strace wrote it");
            let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
            for line in log.lines() {
                let mut words = line.split([' ', '(']).filter(|word| !word.is_empty());
                let (Some(thread), Some(call)) = (words.next(), words.next()) else {
                    continue;
                };
                let count = counts.entry((thread, call)).or_default();
                *count += 1;
                if line.contains(&*place.folder.path().to_string_lossy()) && is_of_save(line) {
                    calls.push((call.to_owned(), *count));
                }
            }
        }
        assert!(calls.len() >= 5, "{scene:?}: {calls:?}");
        Self {
            scene,
            new: contents(place.folder.path()),
            calls,
        }
    }

    /// Checks what faults leave of a save.
    fn check(&self, faults: &[String]) -> Result<(), String> {
        let scene = self.scene;
        let place = Place::of(scene);
        let folder = place.folder.path();
        let old = contents(folder);
        let Ending { code, said } = place.run(scene, faults);
        if said.contains("panicked") {
            return Err(format!("panic: {said}"));
        }
        // A fault may also meet the sentence on its way to standard error.
        let log = fs::read_to_string(place.aside.path().join("log")).expect("strace wrote it");
        let is_muted = |line: &str| line.contains("write(2<") && line.contains("INJECTED");
        let is_muted = log.lines().any(is_muted);
        let left = hidden(folder);
        let mut now = contents(folder);
        now.retain(|name, _| !name.contains(".fairscope-"));
        let (is_old, is_new) = (now == old, now == self.new);
        let whole = now
            .iter()
            .all(|(name, bytes)| old.get(name) == Some(bytes) || self.new.get(name) == Some(bytes));
        let is_fine = match code {
            Some(0) => is_new,
            Some(2) if said.contains("did not confirm") => is_new,
            Some(2) if is_muted => is_old || is_new,
            Some(2) => is_old && (scene.is_explorer() || said.starts_with("fairscope: ")),
            // A file that was placed and cannot be taken back is named.
            None if scene.is_placed_one_by_one() => whole,
            None => is_old || is_new,
            Some(_) => false,
        };
        let is_named = (said.contains("could not be removed") || is_muted) && whole;
        if !is_fine && !is_named {
            let names: Vec<_> = now.keys().collect();
            return Err(format!("ended with {code:?} and left {names:?}: {said}"));
        }
        if !left.is_empty() && code.is_some() && !is_named {
            return Err(format!(
                "ended with {code:?} and left hidden {left:?}: {said}"
            ));
        }
        Self::check_next(&place)
    }

    /// Checks that the next save in the same folders leaves nothing hidden.
    fn check_next(place: &Place) -> Result<(), String> {
        let folder = place.folder.path();
        let mut folders = vec![folder.to_owned()];
        folders.push(folder.join("out"));
        for folder in folders.iter().filter(|folder| folder.is_dir()) {
            let file = folder.join("next.csv").display().to_string();
            let ran = Command::new(env!("CARGO_BIN_EXE_fairscope"))
                .args(["generate", "--users", "4", "--to", "csv", "--out", &file])
                .output()
                .expect("the program was built with the tests");
            if ran.status.code() != Some(0) {
                return Err(String::from_utf8_lossy(&ran.stderr).into_owned());
            }
        }
        match &hidden(folder)[..] {
            [] => Ok(()),
            left => Err(format!("the next save left hidden {left:?}")),
        }
    }
}

/// Makes a case: a scene, and one or two faults of its calls.
fn faults(random: &mut Random, known: &[Known]) -> Case {
    // The explorer takes longer than all others.
    let count = known.len() - 2 * usize::from(random.below(8) > 0);
    let known = &known[random.below(count)];
    let few = 1 + usize::from(random.below(3) == 0);
    let faults = (0..few).map(|_| {
        let (call, number) = &known.calls[random.below(known.calls.len())];
        if random.below(8) == 0 {
            format!("{call}:signal=KILL:when={number}")
        } else {
            let error = ERRORS[random.below(ERRORS.len())];
            format!("{call}:error={error}:when={number}")
        }
    });
    Case::new([format!("{:?}", known.scene)], faults.collect::<Vec<_>>())
}

#[test]
fn faults_of_system_calls_leave_the_old_files_or_the_new_ones() {
    if Command::new("strace").arg("-V").output().is_err() {
        println!("skipped: strace is not installed, so no system call can be made to fail");
        return;
    }
    let part = Part {
        name: "faults",
        inputs: 120,
        pieces: "faults",
    };
    let known = || Scene::ALL.map(Known::of);
    let (for_making, for_checking) = (known(), known());
    let make = move |random: &mut Random| faults(random, &for_making);
    let check = move |case: &Case| -> Checked {
        let scene = Scene::named(&case.word(0));
        let known = for_checking.iter().find(|known| known.scene == scene);
        // One that was cut to make the case smaller would meet every call.
        let is_whole = |fault: &&Vec<u8>| fault.last().is_some_and(u8::is_ascii_digit);
        let faults = case.pieces.iter().filter(is_whole);
        let faults = faults.map(|fault| String::from_utf8_lossy(fault).into_owned());
        let result = known
            .expect("all are known")
            .check(&faults.collect::<Vec<_>>());
        (result, 0)
    };
    part.run(make, check);
}
