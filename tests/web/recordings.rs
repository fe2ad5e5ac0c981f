//! The same keys give the same screens in a page as in the terminal, cell by cell, after each key.

use super::built;
use crate::support::data;
use crate::support::expected::Expected as _;
use crate::support::malformed::cases;
use fairscope::format::{Example, Request, SourceKind};
use fairscope::tui::picture::PictureForm;
use fairscope::tui::script::Script;
use fairscope::tui::{Headless, Now, Options};
use ratatui::layout::Size;
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The built-in trees that are played.
const EXAMPLES: &[Example] = &[
    Example::Site,
    Example::Small,
    Example::Flux,
    Example::Buckets,
    Example::Strangers,
    Example::Ties,
];

/// The files and folders that are played: PBS, Slurm whole and in part, Flux, a table, and usage from before a crash.
const SOURCES: &[&str] = &[
    "seed",
    "pbs/17-odd-names",
    "slurm/captures/14-partitions/24.11",
    "slurm/captures/05-fairshare-parent/22.05/sshare_al.txt",
    "slurm/undecided",
    "slurm/part",
    "slurm/three_levels",
    "flux/01_seed002_small_no_tie/input.csv",
    "dumps/gold-2025-04-06.csv",
];

/// What is played on each: screens, edits, searches, menus, prompts, pages, lessons, time, the mouse and other sizes. The
/// words are those of `fairscope screenshot --keys`.
const SCRIPTS: &[&[&str]] = &[
    &["j", "j", "j", "enter", "k", "space"],
    &["2", "j", "j", "e", "\"+20%\"", "enter", "U", "u"],
    &["3", "j", "l", "l", "h"],
    &["4", "enter", "+1", "+2", "j", "esc"],
    &["j", "j", "e", "\"+20%\"", "enter", "5", "j", "j", "esc"],
    &["j", "E", "\"1000\"", "enter", "u", "ctrl-r"],
    &["/", "\"a\"", "enter", "n", "n", "esc"],
    &["p", "j", "enter", "p", "p"],
    &["$", "j", "j", "enter", ">", "<"],
    &["i", "\"rank(nobody) <= 2\"", "enter", "esc"],
    &["L", "j", "j", "enter", "enter", "enter", "enter", "esc"],
    &["?", "page-down", "esc", "f1", "page-down", "esc"],
    &[":", "\"undo\"", "esc", ":", "\"metrics\"", "enter", "esc"],
    &["t", "d", "\"7d\"", "enter", "t", "+0.5", "esc"],
    &["c", "o", "page-down", "esc", "c", "m", "esc"],
    &["click=12,6", "click=40,2", "click=5,9", "+0.5", "enter"],
    &[
        "resize=80x24",
        "j",
        "resize=40x12",
        "j",
        "resize=160x50",
        "2",
    ],
    &["A", "enter", "m", "j", "m", "y"],
    &["x", "esc", "s", "j", "enter", "f2", "j", "f2"],
];

/// One recording: a source, the size of its screen and what is played.
struct Recording<'a> {
    source: Source<'a>,
    size: Size,
    words: &'a [&'a str],
}

#[derive(Clone, Copy)]
enum Source<'a> {
    BuiltIn(Example),
    Path(&'a Path),
}

impl Recording<'_> {
    /// Returns the screens in a terminal, the first one and that after each word; or why the source is refused.
    fn in_terminal(&self) -> Result<Vec<String>, String> {
        let mut explorer = Headless::new(Options::default(), self.size);
        explorer.set_time_of_day(Now {
            time_of_day: "12:00:00".to_owned(),
            unix_seconds: Some(1_767_268_800),
        });
        let request = match self.source {
            Source::BuiltIn(example) => Request::to_open(example.source()),
            Source::Path(path) => Request {
                source: SourceKind::Path {
                    path: path.to_owned(),
                    more: Vec::new(),
                },
                ..Request::default()
            },
        };
        if let Err(reason) = explorer.open(Some(request)) {
            return Err(reason.into());
        }
        let mut screens = vec![explorer.picture(PictureForm::Text)];
        for word in self.words {
            let mut script = Script::parse(word).unwrap();
            let begin = explorer.now();
            for step in &mut script.steps {
                step.at += begin;
            }
            script.length += begin;
            explorer.play(&script);
            screens.push(explorer.picture(PictureForm::Text));
        }
        Ok(screens)
    }

    /// Returns the recording as the page plays it.
    fn for_page(&self) -> Value {
        let mut files = Vec::new();
        let mut open = Vec::new();
        let mut example = None;
        match self.source {
            Source::BuiltIn(built_in) => example = Some(built_in.name()),
            Source::Path(path) => {
                open.push(path);
                // A file is read together with those beside it.
                let beside = if path.is_file() {
                    path.parent().unwrap()
                } else {
                    path
                };
                add_files(beside, &mut files);
            }
        }
        json!({
            "example": example,
            "files": files,
            "open": open,
            "width": self.size.width,
            "height": self.size.height,
            "words": self.words,
        })
    }
}

/// Adds a file, or all files of a folder and below.
fn add_files(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_file() {
        files.push(path.to_owned());
        return;
    }
    for entry in fs::read_dir(path).unwrap() {
        add_files(&entry.unwrap().path(), files);
    }
}

/// Plays recordings in the page. Returns the screens of each, or why its source is refused.
fn in_page(folder: &Path, recordings: &[Recording]) -> Vec<Result<Vec<String>, String>> {
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/web/driver.js");
    let mut node = Command::new("node")
        .arg(driver)
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let given: Vec<Value> = recordings.iter().map(Recording::for_page).collect();
    let mut input = node.stdin.take().unwrap();
    input
        .write_all(json!(given).to_string().as_bytes())
        .unwrap();
    drop(input);
    let played = node.wait_with_output().unwrap();
    assert!(played.status.success(), "{:?}", played.status);
    let answers: Vec<Value> = serde_json::from_slice(&played.stdout).unwrap();
    let mut all = Vec::new();
    for answer in answers {
        all.push(match answer["refused"].as_str() {
            Some(reason) => Err(reason.to_owned()),
            None => Ok(serde_json::from_value(answer["frames"].clone()).unwrap()),
        });
    }
    all
}

/// Plays recordings here and there and compares them. Returns how many characters are alike.
fn compare(folder: &Path, recordings: &[Recording]) -> usize {
    let mut alike = 0;
    for (recording, in_page) in recordings.iter().zip(in_page(folder, recordings)) {
        let in_terminal = recording.in_terminal();
        let words = recording.words;
        match (in_terminal, in_page) {
            (Ok(here), Ok(there)) => {
                assert_eq!(here.len(), there.len());
                for (played, (here, there)) in here.iter().zip(&there).enumerate() {
                    let words = &words[..played];
                    assert!(
                        here == there,
                        "{words:?}\nterminal:\n{here}\npage:\n{there}"
                    );
                    alike += here.chars().count();
                }
            }
            (here, there) => assert_eq!(here, there),
        }
    }
    alike
}

#[test]
fn a_page_shows_what_the_terminal_shows_after_each_key() {
    let Some(folder) = built() else { return };
    let paths: Vec<PathBuf> = SOURCES.iter().map(|source| data(source)).collect();
    let mut sources: Vec<Source> = EXAMPLES.iter().copied().map(Source::BuiltIn).collect();
    sources.extend(paths.iter().map(|path| Source::Path(path)));
    let sizes = [Size::new(120, 40), Size::new(80, 24)];
    let mut recordings = Vec::new();
    for source in sources {
        for (place, words) in SCRIPTS.iter().enumerate() {
            recordings.push(Recording {
                source,
                size: sizes[place % sizes.len()],
                words,
            });
        }
    }
    let alike = compare(&folder, &recordings);
    println!("{} recordings, {alike} characters alike", recordings.len());
    assert!(recordings.len() >= 200);
}

#[test]
fn a_page_refuses_what_the_terminal_refuses_in_the_same_words() {
    let Some(folder) = built() else { return };
    let files = tempfile::tempdir().unwrap();
    let mut paths = Vec::new();
    for table in [
        "csv",
        "foreign",
        "resource_group",
        "sched_config",
        "toml",
        "usage",
        "scenario",
    ] {
        for (place, case) in cases(&format!("{table}.txt")).iter().enumerate() {
            if case
                .files
                .iter()
                .any(|(_, bytes)| bytes.starts_with(b"SQLite"))
            {
                // What a page says of a database is its own.
                continue;
            }
            let folder = files.path().join(format!("{table}-{place}"));
            fs::create_dir(&folder).unwrap();
            case.write(&folder);
            paths.push(folder.join(&case.files[0].0));
            paths.push(folder);
        }
    }
    let mut recordings = Vec::new();
    for path in &paths {
        recordings.push(Recording {
            source: Source::Path(path),
            size: Size::new(100, 30),
            words: &["!", "page-down"],
        });
    }
    compare(&folder, &recordings);
    println!("{} sources alike", recordings.len());
    assert!(recordings.len() >= 300);
}

#[test]
fn a_page_refuses_a_database_with_the_command_that_exports_it() {
    let Some(folder) = built() else { return };
    let database = data("flux/44_real_shares/input.db");
    let played = in_page(
        &folder,
        &[Recording {
            source: Source::Path(&database),
            size: Size::new(100, 30),
            words: &[],
        }],
    );
    let reason = played[0].as_ref().unwrap_err();
    reason.must_contain("fairscope convert");
    reason.must_contain("--to flux-json");
}
