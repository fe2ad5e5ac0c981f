//! Recordings played without a terminal: the last screen as text, and asciicasts.

use super::seed;
use crate::support::casts::{events, last_screen};
use crate::support::command::Run;
use std::path::{Path, PathBuf};

/// A recording below a folder, on the tree of PBS's design document.
fn recording(folder: &Path, keys: &str) -> PathBuf {
    let path = folder.join("keys.txt");
    let text = format!("recording 1\nsize 90x24\nopen \"{}\"\n{keys}", seed());
    std::fs::write(&path, text).unwrap();
    path
}

const KEYS: &str = "+0.50 j j j\n+0.50 e\n+0.25 \"80\"\n+0.75 caption=\"applied\" enter\n+1.00 4\n+0.50 enter\n+2.00 resize=80x24\n+1.00\n";

fn replay(path: &Path) -> Run {
    Run::fairscope(["--replay"]).arg(path)
}

#[test]
fn a_recording_gives_its_last_screen_as_text_twice_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let path = recording(folder.path(), KEYS);
    let first = replay(&path).run().success();
    assert!(
        first.contains("1 edit ●  day 13") && first.contains("Factor of group1"),
        "{first}"
    );
    assert_eq!(first, replay(&path).run().success());
    // How fast it plays makes no difference, and neither does where.
    let other = replay(&path)
        .args(["--speed", "0"])
        .variable("TERM", "dumb")
        .variable("NO_COLOR", "1");
    assert_eq!(first, other.run().success());
}

#[test]
fn a_recording_and_a_screenshot_press_keys_alike() {
    let folder = tempfile::tempdir().unwrap();
    let path = recording(folder.path(), "+1 j j\n+1 5\n");
    let shot = [
        "screenshot",
        &seed(),
        "--keys",
        "+1 j j +1 5",
        "--size",
        "90x24",
        "--format-out",
        "text",
    ];
    assert_eq!(
        replay(&path).run().success(),
        Run::fairscope(shot).run().success()
    );
}

fn cast(path: &Path, folder: &Path, more: &[&str]) -> String {
    let out = folder.join(format!("{}.cast", more.len()));
    let _ = std::fs::remove_file(&out);
    assert_eq!(
        replay(path)
            .args(["--cast"])
            .arg(&out)
            .args(more)
            .run()
            .success(),
        ""
    );
    std::fs::read_to_string(out).unwrap()
}

#[test]
fn a_cast_follows_the_description_of_asciicast_v2_and_shows_the_same_screen() {
    let folder = tempfile::tempdir().unwrap();
    let path = recording(folder.path(), KEYS);
    let made = cast(&path, folder.path(), &[]);
    let (header, events) = events(&made);
    assert_eq!(
        (header["width"].as_u64(), header["height"].as_u64()),
        (Some(90), Some(24))
    );
    // It ends with the pause at the end, and holds the caption and the new size.
    assert_eq!(events.last().map(|(time, ..)| *time), Some(6.5));
    assert!(
        events.contains(&(2.0, "m".into(), "applied".into())),
        "{made}"
    );
    assert!(
        events.contains(&(5.5, "r".into(), "80x24".into())),
        "{made}"
    );
    // The clock of the Time screen runs by itself between the keys.
    let running = events
        .iter()
        .filter(|(time, code, _)| code == "o" && *time > 3.5 && *time < 5.5);
    assert!(running.count() > 3, "{made}");
    let text = replay(&path).run().success();
    assert_eq!(last_screen(&made).trim_end(), text.trim_end());
}

#[test]
fn a_cast_of_a_recording_is_the_same_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = recording(folder.path(), KEYS);
    let first = cast(&path, folder.path(), &[]);
    assert_eq!(first, cast(&path, folder.path(), &[]));
    let twice = cast(&path, folder.path(), &["--speed", "2"]);
    assert_eq!(events(&twice).1.last().map(|(time, ..)| *time), Some(3.25));
    assert_eq!(last_screen(&first), last_screen(&twice));
    let at_once = cast(&path, folder.path(), &["--speed=0"]);
    let last = events(&at_once).1.last().map(|(time, ..)| *time);
    assert_eq!(last, Some(0.0));
}

#[test]
fn a_recording_is_never_written_over_nor_its_source() {
    let folder = tempfile::tempdir().unwrap();
    let path = recording(folder.path(), KEYS);
    let before = std::fs::read(&path).unwrap();
    let error = replay(&path).arg("--cast").arg(&path).run().failure(2);
    assert!(
        error.contains("is the source, which fairscope never writes to"),
        "{error}"
    );
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn what_cannot_be_played_is_refused_and_nothing_is_half_played() {
    let folder = tempfile::tempdir().unwrap();
    for (keys, said) in [
        (
            "+0.5 j\n+0.5 entr\n",
            "keys.txt:5: unknown key 'entr'; did you mean 'enter'?",
        ),
        (
            "+0.5 j\n+0.5 j",
            "keys.txt:5: the last line has no end, so the file may be cut",
        ),
        (
            "tree 0000000000000001 9 users\n+0.5 j\n",
            "keys.txt:4: this was recorded on another tree, of 9 users, and this one has 4 users; open that one, or",
        ),
        (
            "bind unod u\n",
            "keys.txt:4: unknown action 'unod'; did you mean 'undo'?",
        ),
        (
            "bind undo entr\n",
            "keys.txt:4: unknown key 'entr'; did you mean 'enter'?",
        ),
        (
            "screen rankin\n",
            "keys.txt:4: unknown screen 'rankin'; did you mean 'ranking'?",
        ),
        (
            "columns shars\n",
            "keys.txt:4: unknown column 'shars'; did you mean 'shares'?",
        ),
    ] {
        let path = recording(folder.path(), keys);
        let out = folder.path().join("out.cast");
        let error = replay(&path).arg("--cast").arg(&out).run().failure(2);
        assert!(error.contains(said), "{error}");
        assert!(!out.exists(), "{keys}");
        let error = replay(&path).run().failure(2);
        assert!(error.contains(said), "{error}");
    }
    let path = folder.path().join("keys.txt");
    std::fs::write(&path, "recording 1\nsize 80x24\nopen --polcy x\n").unwrap();
    let error = replay(&path).run().failure(2);
    assert!(
        error.contains("its line 'open' is not understood"),
        "{error}"
    );
    std::fs::write(&path, "recording 1\nsize 80x24\nopen no-such-tree\n").unwrap();
    let error = replay(&path).run().failure(2);
    assert!(
        error.contains("no-such-tree: no such file or directory"),
        "{error}"
    );
    let error = Run::fairscope(["--replay", "no-such-file"])
        .run()
        .failure(2);
    assert!(
        error.contains("no-such-file: no such file or directory"),
        "{error}"
    );
    let error = Run::fairscope(["--replay", "/dev/zero"]).run().failure(2);
    assert!(error.contains("/dev/zero"), "{error}");
}

#[test]
fn another_source_is_played_on_unless_the_recording_names_its_tree() {
    let folder = tempfile::tempdir().unwrap();
    let path = recording(folder.path(), "+0.5 j\n");
    let other = replay(&path).arg("example:flux").run().success();
    assert!(other.contains("Flux"), "{other}");
}

#[test]
fn options_of_recordings_that_make_no_sense_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.txt");
    let record = || Run::fairscope(["--record"]).arg(&path);
    let error = record().run().failure(2);
    assert!(
        error.contains("--record needs the explorer, but standard output is not a terminal"),
        "{error}"
    );
    let error = Run::fairscope(["--speed", "2"]).run().failure(2);
    assert!(error.contains("--replay"), "{error}");
    for speed in ["-1", "nan", "1e9", "fast"] {
        let error = replay(&path)
            .arg(format!("--speed={speed}"))
            .run()
            .failure(2);
        assert!(
            error.contains("expected a number from 0 to 1000, such as 2"),
            "{error}"
        );
    }
    let error = record().arg("--replay").arg(&path).run().failure(2);
    assert!(error.contains("cannot be used with"), "{error}");
    assert!(!path.exists());
}
