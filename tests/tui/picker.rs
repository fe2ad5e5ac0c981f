//! The list above the prompt for a source: what it shows, how it follows the line, and what its keys do.

use crate::support::data;
use crate::support::expected::Expected as _;
use crate::support::files::make_pipe;
use crate::support::journey::{Journey, told};
use crate::support::trees::{self, SEED};
use fairscope::open::folder::MOST_ENTRIES;
use fairscope::tui::{Answer, Dialog, Effect, Memory, Message, Options, Work};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const CSV: &str = "parent,name,shares,usage\n,ann,20,500\n";

/// Copies a directory of test data into another.
fn copy(from: &str, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(data(from)).expect("test data") {
        let entry = entry.expect("test data");
        fs::copy(entry.path(), to.join(entry.file_name())).expect("it can be copied");
    }
}

/// Makes a directory with sources of all kinds.
fn sources() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    copy("seed", &at("sched_priv"));
    copy("dumps", &at("dumps"));
    copy("slurm/gold", &at("gold"));
    fs::create_dir(at("work")).expect("a directory");
    fs::write(at("work/deep.csv"), CSV).expect("a file");
    fs::write(at("tree.csv"), CSV).expect("a file");
    let scenario = "fairscope = 1\n[source]\npath = \"tree.csv\"\n";
    fs::write(at("more.toml"), scenario).expect("a file");
    let tree = "fairscope = 1\n[tree]\nrows = '''\nann 20\n'''\n";
    fs::write(at("own.toml"), tree).expect("a file");
    fs::write(at("README.md"), "# Notes\n").expect("a file");
    fs::write(at(".hidden.csv"), CSV).expect("a file");
    let database = data("flux/44_real_shares/input.db");
    fs::copy(database, at("flux.db")).expect("it can be copied");
    fs::copy(data("seed/resource_group"), at("resource_group.old")).expect("it can be copied");
    make_pipe(&at("pipe"));
    std::os::unix::fs::symlink(at("work"), at("link")).expect("a link");
    std::os::unix::fs::symlink("nowhere", at("lost")).expect("a link");
    folder
}

fn options(folder: &Path) -> Options {
    Options {
        folder: folder.to_owned(),
        ..Options::default()
    }
}

/// Opens the prompt in a directory, with its list read.
fn picker(folder: &Path) -> Journey {
    typed(options(folder), "")
}

/// Types a line into the prompt. The list is read after each key.
fn typed(options: Options, line: &str) -> Journey {
    let mut journey = Journey::with_options(trees::pbs(SEED), options).keys("o");
    journey.list();
    press(&mut journey, line);
    journey
}

fn press(journey: &mut Journey, keys: &str) {
    journey.press(keys);
    journey.list();
}

/// Returns the line of the prompt; empty if none is open.
fn line(journey: &Journey) -> String {
    match journey.app.dialog() {
        Some(Dialog::Prompt(prompt)) => prompt.input.value().to_owned(),
        _ => String::new(),
    }
}

/// Returns the rows of the list, with blanks for the cells between.
fn rows(journey: &mut Journey) -> Vec<String> {
    let screen = journey.screen();
    let inside = screen.lines().filter_map(|line| {
        let line = line.strip_prefix(['│', '|'])?;
        Some(line.split_once(['│', '|'])?.0.split_whitespace().collect())
    });
    let rows: Vec<Vec<&str>> = inside.collect();
    let rows = rows.into_iter().map(|row| row.join(" "));
    rows.filter(|row| !row.is_empty()).collect()
}

/// Returns the path that is being loaded.
fn loaded(journey: &Journey) -> Option<PathBuf> {
    journey
        .effects
        .iter()
        .rev()
        .find_map(|effect| match effect {
            Effect::Work(Work::Load(request)) => Some(request.path().to_owned()),
            _ => None,
        })
}

#[test]
fn the_list_tells_what_each_entry_is_directories_first() {
    let folder = sources();
    let mut journey = picker(folder.path()).size(80, 24);
    let expected = [
        "❯ ./ PBS sched_priv",
        "../ directory",
        "dumps/ series of dumps",
        "gold/ Slurm outputs",
        "link/ directory",
        "sched_priv/ PBS sched_priv",
        "work/ directory",
        "flux.db flux-accounting database",
        "lost missing",
        "more.toml scenario",
        "own.toml fairscope tree",
        "pipe not readable",
        "README.md other file",
        "resource_group.old PBS resource_group",
        "tree.csv CSV tree",
    ];
    assert_eq!(rows(&mut journey), expected);
    let screen = journey.screen();
    let words = screen.replace(folder.path().to_str().expect("a plain name"), "");
    let (_, list) = words.split_once('┌').expect("a list");
    assert!(!list.contains('…'), "{screen}");
}

#[test]
fn the_list_is_empty_until_the_thread_has_read() {
    let folder = sources();
    let mut journey = Journey::with_options(trees::pbs(SEED), options(folder.path())).keys("o");
    journey.must_show_all(&["reading…", "open:"]);
    journey.press("tree.csv<enter>");
    assert_eq!(
        loaded(&journey),
        Some("tree.csv".into()),
        "it need not be waited for"
    );
}

#[test]
fn typing_narrows_the_list_and_enter_opens_the_row_under_the_cursor() {
    let folder = sources();
    let mut journey = typed(options(folder.path()), "tr");
    assert_eq!(rows(&mut journey), ["❯ tree.csv CSV tree"]);
    press(&mut journey, "<enter>");
    assert_eq!(loaded(&journey), Some("tree.csv".into()));
    assert!(journey.app.dialog().is_none());
}

#[test]
fn names_that_only_hold_what_was_typed_are_not_opened_unless_chosen() {
    let folder = sources();
    let mut journey = typed(options(folder.path()), "csv");
    assert_eq!(rows(&mut journey), ["tree.csv CSV tree"], "no cursor");
    journey.press("<enter>");
    assert_eq!(loaded(&journey), Some("csv".into()), "as it was typed");

    let mut journey = typed(options(folder.path()), "csv<down><enter>");
    assert_eq!(loaded(&journey), Some("tree.csv".into()));
    journey.send(Message::LoadFailed("it is broken".into()));
    assert_eq!(line(&journey), "tree.csv", "what failed can be changed");
}

#[test]
fn a_source_that_was_typed_is_opened_before_it_was_looked_at() {
    let folder = sources();
    let mut journey = Journey::with_options(trees::pbs(SEED), options(folder.path())).keys("o");
    // The thread tells the names first, and then what they hold.
    for effect in std::mem::take(&mut journey.effects) {
        if let Effect::Work(Work::Run(job)) = effect {
            for names in told(*job, "12:00:00", None).into_iter().take(1) {
                journey.send(names);
            }
        }
    }
    let listed = rows(&mut journey);
    assert!(
        listed.iter().any(|row| row.contains("sched_priv")),
        "{listed:?}"
    );
    journey.press("sched_priv<enter>");
    assert_eq!(loaded(&journey), Some("sched_priv".into()));
}

#[test]
fn enter_goes_into_a_directory_and_opens_one_that_is_a_source() {
    let folder = sources();
    let mut journey = typed(options(folder.path()), "work<enter>");
    assert_eq!(line(&journey), "work/");
    assert_eq!(rows(&mut journey), ["../ directory", "❯ deep.csv CSV tree"]);
    press(&mut journey, "<enter>");
    assert_eq!(loaded(&journey), Some("work/deep.csv".into()));

    for (name, what) in [
        ("sched_priv", "PBS sched_priv"),
        ("dumps", "series of dumps"),
    ] {
        let mut journey = typed(options(folder.path()), name);
        rows(&mut journey)[0].must_end(what);
        press(&mut journey, "<enter>");
        assert_eq!(loaded(&journey), Some(name.into()));
    }
}

#[test]
fn tab_right_and_slash_go_into_a_directory_that_is_a_source() {
    let folder = sources();
    for keys in ["sche<tab>", "sche<right>", "sched_priv/", "sche<down>/"] {
        let mut journey = typed(options(folder.path()), keys);
        assert_eq!(line(&journey), "sched_priv/", "{keys}");
        let rows = rows(&mut journey);
        assert_eq!(rows[0], "❯ ./ PBS sched_priv", "{keys}");
        assert!(rows.contains(&"usage other file".to_owned()), "{rows:?}");
        journey.press("<enter>");
        assert_eq!(loaded(&journey), Some("sched_priv".into()), "{keys}");
    }
}

#[test]
fn the_directory_itself_can_be_asked_for_by_its_dot() {
    let folder = sources();
    let mut journey = typed(options(folder.path()), "work/.");
    assert_eq!(rows(&mut journey), ["❯ ./ directory", "../ directory"]);
    journey.press("<enter>");
    assert_eq!(loaded(&journey), Some("work".into()));
}

#[test]
fn tab_completes_up_to_where_names_differ_and_then_the_row() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["sshare-01.csv", "sshare-02.csv", "Other.csv", "é1", "é2"] {
        fs::write(folder.path().join(name), CSV).expect("a file");
    }
    let mut journey = typed(options(folder.path()), "ss<tab>");
    assert_eq!(line(&journey), "sshare-0");
    press(&mut journey, "<tab>");
    assert_eq!(line(&journey), "sshare-01.csv");
    let journey = typed(options(folder.path()), "sshare<down><tab>");
    assert_eq!(line(&journey), "sshare-02.csv", "the chosen row");
    let journey = typed(options(folder.path()), "o<tab>");
    assert_eq!(line(&journey), "Other.csv", "in any case");
    let journey = typed(options(folder.path()), "é<tab>");
    assert_eq!(line(&journey), "é1");
}

#[test]
fn the_way_up_leads_out_of_every_directory() {
    let folder = sources();
    let mut options = options(folder.path());
    options.home = Some(folder.path().join("work"));
    let above = |typed_line: &str| {
        let mut journey = typed(options.clone(), typed_line);
        press(&mut journey, "..<enter>");
        line(&journey)
    };
    assert_eq!(above(""), "../");
    assert_eq!(above("../"), "../../");
    assert_eq!(above("work/"), "");
    assert_eq!(above("./"), "../");
    let home = format!("{}/", folder.path().display());
    assert_eq!(above("~/"), home);
    assert_eq!(above(&format!("{home}work/")), home);
    let mut journey = Journey::with_options(trees::pbs(SEED), options.clone()).keys("o/");
    assert!(!rows(&mut journey).iter().any(|row| row.contains("../")));
}

#[test]
fn hidden_names_are_listed_once_their_dot_is_typed() {
    let folder = sources();
    let mut journey = typed(options(folder.path()), ".h");
    assert_eq!(rows(&mut journey), ["❯ .hidden.csv CSV tree"]);
    let only = folder.path().join("only");
    fs::create_dir(&only).expect("a directory");
    fs::write(only.join(".a"), CSV).expect("a file");
    let mut journey = typed(options(folder.path()), "only/");
    journey.must_show("only hidden entries; type a dot to see them");
}

#[test]
fn a_wrong_path_keeps_what_was_typed_and_says_why() {
    let folder = sources();
    let mut journey = typed(options(folder.path()), "nowhere/at.csv");
    journey.must_show("nowhere: no such file or directory");
    journey.press("<enter>");
    assert_eq!(loaded(&journey), Some("nowhere/at.csv".into()));
    journey.send(Message::LoadFailed(
        "nowhere/at.csv: no such file or directory".into(),
    ));
    journey.list();
    assert_eq!(line(&journey), "nowhere/at.csv");
    journey.must_show("nowhere/at.csv: no such file or directory");
    let mut journey = typed(options(folder.path()), "treee");
    journey.must_show("no match; enter opens the path as it was typed");
}

#[test]
fn hostile_names_are_shown_and_opened_as_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let names: [&[u8]; 8] = [
        b"a\x1b[31m.csv",
        b"a\nb.csv",
        b"caf\xe9.csv",
        "n\u{e9}.csv".as_bytes(),
        b"back\\slash.csv",
        b" blank .csv ",
        "mi\u{202e}xed.csv".as_bytes(),
        "p\u{430}ypal.csv".as_bytes(),
    ];
    for name in names {
        let path = folder.path().join(OsStr::from_bytes(name));
        fs::write(path, CSV).expect("a file");
    }
    for is_ascii in [false, true] {
        let mut opened = Vec::new();
        for place in 0..names.len() {
            let options = Options {
                is_ascii,
                ..options(folder.path())
            };
            let mut journey = typed(options, &"<down>".repeat(place));
            for char in journey.screen().chars() {
                assert!(char == '\n' || !char.is_control(), "{char:?}");
            }
            // The completed line is the same path as the row.
            journey.press("<tab>");
            let line = line(&journey);
            journey.list();
            assert!(rows(&mut journey).len() == 1, "{line}");
            journey.press("<enter>");
            opened.extend(loaded(&journey));
        }
        let mut expected = names
            .map(|name| PathBuf::from(OsStr::from_bytes(name)))
            .to_vec();
        expected.sort();
        opened.sort();
        assert_eq!(opened, expected);
    }
}

#[test]
fn names_with_another_meaning_are_opened_as_files() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["-", "example:site"] {
        fs::write(folder.path().join(name), CSV).expect("a file");
    }
    let mut journey = typed(options(folder.path()), "<enter>");
    assert_eq!(loaded(&journey), Some("./-".into()));
    journey = typed(options(folder.path()), "<down><enter>");
    assert_eq!(loaded(&journey), Some("./example:site".into()));
}

#[test]
fn built_in_trees_are_completed() {
    let folder = sources();
    let mut journey = typed(options(folder.path()), "example:");
    assert_eq!(rows(&mut journey).len(), 11);
    press(&mut journey, "b<tab>");
    assert_eq!(line(&journey), "example:buckets");
    journey.press("<enter>");
    assert_eq!(loaded(&journey), Some("example:buckets".into()));
    let mut journey = typed(options(folder.path()), "example:nothing");
    journey.must_show("no match");
}

#[test]
fn a_directory_that_may_not_be_read_says_why() {
    let folder = sources();
    let path = folder.path().join("work");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o0)).expect("it is ours");
    if fs::read_dir(&path).is_ok() {
        println!("skipped: root may read everything");
    } else {
        let mut journey = typed(options(folder.path()), "work/");
        journey.must_show("may not be read by you");
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).expect("it is ours");
    let mut journey = typed(options(folder.path()), "tree.csv/");
    journey.must_show("tree.csv: no such file or directory");
}

#[test]
fn a_large_directory_is_listed_in_part_and_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    for number in 0..=MOST_ENTRIES {
        fs::write(folder.path().join(format!("{number:04}")), "").expect("a file");
    }
    let mut journey = picker(folder.path());
    journey.must_show("(first 2,000 entries)");
}

#[test]
fn an_empty_directory_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut journey = picker(folder.path());
    assert_eq!(
        rows(&mut journey),
        ["❯ ../ directory", "the directory is empty"]
    );
}

#[test]
fn leaving_or_going_on_stops_the_threads_and_drops_their_answers() {
    let folder = sources();
    let mut journey = Journey::with_options(trees::pbs(SEED), options(folder.path())).keys("o");
    let Some(Effect::Work(Work::Run(first))) = journey.effects.pop() else {
        panic!("a list is asked for: {:?}", journey.effects);
    };
    journey.press("work/");
    journey.list();
    assert_eq!(rows(&mut journey), ["../ directory", "❯ deep.csv CSV tree"]);
    let number = first.ticket.number;
    assert!(told(*first, "", None).is_empty(), "it was cancelled");
    let late = Answer::List(Err("too late".into()));
    journey.send(Message::Answer(number, late));
    assert_eq!(rows(&mut journey), ["../ directory", "❯ deep.csv CSV tree"]);
    journey.press("<ctrl-u>/");
    let last = journey.effects.pop();
    journey.press("<esc>");
    let Some(Effect::Work(Work::Run(last))) = last else {
        panic!("a list is asked for: {last:?}");
    };
    assert!(told(*last, "", None).is_empty(), "it was cancelled");
}

#[test]
fn what_was_opened_before_comes_first_but_not_what_is_open() {
    let folder = sources();
    let file = folder.path().join("recent");
    let line = |name: &str| format!("{}\n", folder.path().join(name).display());
    let text = ["tree.csv", "sched_priv", "gone.csv"].map(line).concat();
    fs::write(&file, format!("{text}not absolute\n\n\\xff\n")).expect("a file");
    let options = Options {
        recent: Some(file),
        home: Some(folder.path().to_owned()),
        ..options(folder.path())
    };
    let mut journey = typed(options, "").size(80, 24);
    let listed = rows(&mut journey);
    let expected = [
        "opened before",
        "❯ ~/tree.csv CSV tree",
        "~/sched_priv/ PBS sched_priv",
        "~/gone.csv missing",
        "in this directory",
        "./ PBS sched_priv",
        "../ directory",
    ];
    assert_eq!(listed[..expected.len()], expected);
    journey.press("<down><enter>");
    let path = folder.path().join("sched_priv");
    assert_eq!(loaded(&journey), Some(path.clone()));

    // What was opened is noted, and what is open is not offered again.
    journey.answer();
    let noted = Effect::Memory(Memory::Remember(path));
    assert!(journey.effects.contains(&noted), "{:?}", journey.effects);
    journey.press("o");
    journey.list();
    let rows = rows(&mut journey);
    assert!(
        !rows.iter().any(|row| row.contains("~/sched_priv")),
        "{rows:?}"
    );
}

#[test]
fn a_broken_list_of_recent_sources_leaves_the_directory() {
    let folder = sources();
    let file = folder.path().join("broken");
    let long = vec![b'/'; 1 << 20];
    for contents in [&b"\0\xff\x1b[31m\n\n"[..], b"", &long] {
        fs::write(&file, contents).expect("a file");
        let options = Options {
            recent: Some(file.clone()),
            ..options(folder.path())
        };
        let mut journey = typed(options, "");
        assert_eq!(rows(&mut journey)[0], "❯ ./ PBS sched_priv");
    }
}

#[test]
fn it_works_without_an_open_tree_and_for_a_comparison() {
    let folder = sources();
    let mut journey = Journey::empty(options(folder.path())).keys("o");
    journey.list();
    press(&mut journey, "tr<tab><enter>");
    assert_eq!(loaded(&journey), Some("tree.csv".into()));

    let mut journey = Journey::with_options(trees::pbs(SEED), options(folder.path())).keys("O");
    journey.list();
    press(&mut journey, "tr<enter>");
    assert!(
        matches!(journey.effects.last(), Some(Effect::Work(Work::Run(_)))),
        "{:?}",
        journey.effects
    );
}

#[test]
fn rows_can_be_clicked() {
    let folder = sources();
    let mut journey = picker(folder.path()).size(80, 24);
    let row = |journey: &mut Journey, text: &str| {
        let screen = journey.screen();
        let place = screen.lines().position(|line| line.contains(text));
        u16::try_from(place.expect("a row")).expect("few rows")
    };
    let y = row(&mut journey, "work/");
    journey.click(10, y);
    journey.list();
    assert_eq!(line(&journey), "work/");
    let y = row(&mut journey, "deep.csv");
    journey.click(10, y);
    assert_eq!(loaded(&journey), Some("work/deep.csv".into()));
}

#[test]
fn the_list_stays_drawn_at_any_size() {
    let folder = sources();
    let mut journey = picker(folder.path());
    for width in 0..=40 {
        for height in 0..=12 {
            journey.resize(width, height);
        }
    }
    for size in [(80, 24), (120, 40), (200, 50)] {
        journey.resize(size.0, size.1);
        journey.must_show_all(&["sched_priv/", "flux-accounting database", "open:"]);
    }
}
