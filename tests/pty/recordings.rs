//! Recording and replaying on a real terminal.

use super::{READY, assert_ends, quit};
use crate::support::casts::{events, last_screen};
use crate::support::command::Run;
use crate::support::terminal::Terminal;
use std::path::{Path, PathBuf};

fn text(path: &Path) -> &str {
    path.to_str().expect("temporary folders have plain names")
}

/// Returns what a recording shows at its end, without a terminal.
fn replayed(path: &Path) -> String {
    let screen = Run::fairscope(["--replay", text(path)]).run().success();
    screen.trim_end().to_owned()
}

/// Returns the screen without trailing blanks.
fn trimmed(terminal: &Terminal) -> String {
    let screen = terminal.screen();
    let lines: Vec<&str> = screen.lines().map(str::trim_end).collect();
    lines.join("\n").trim_end().to_owned()
}

fn lines_of_keys(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| line.starts_with('+'));
    lines
        .map(|line| line.split_once(' ').map_or("", |(_, keys)| keys).to_owned())
        .collect()
}

#[test]
fn what_is_recorded_is_shown_again_by_its_replay() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.txt");
    let mut terminal = Terminal::fairscope(
        &[
            "--record",
            text(&path),
            "tests/data/seed",
            "--theme",
            "light",
        ],
        &[],
    );
    terminal.wait_for(READY);
    terminal.send("jjje80\r");
    terminal.wait_for("1 edit");
    terminal.send("5");
    terminal.wait_for("Commands");
    terminal.send("\x1b[6~");
    terminal.wait_for("What changes");
    // Everything is in the file before the explorer ends.
    assert_eq!(
        lines_of_keys(&path),
        ["j", "j", "j", "e", "8", "0", "enter", "5", "page-down"]
    );
    // The same keys give the same screen.
    assert_eq!(trimmed(&terminal), replayed(&path));
    terminal.send("1");
    terminal.wait_for("why group1");
    terminal.send("u");
    terminal.wait_for("undid");
    quit(&mut terminal);
    let recorded = std::fs::read_to_string(&path).unwrap();
    for line in [
        "recording 1\n",
        "size 80x24\n",
        "theme light\n",
        "open tests/data/seed\n",
        " 4 users\n",
    ] {
        assert!(recorded.contains(line), "{recorded}");
    }
    // The key that left the explorer is not part of it.
    assert_eq!(lines_of_keys(&path).last().map(String::as_str), Some("u"));
}

#[test]
fn a_recording_replaces_no_file_and_leaves_none_where_nothing_was_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.txt");
    std::fs::write(&path, "mine").unwrap();
    for option in ["--record", "--cast"] {
        let mut terminal = Terminal::fairscope(&[option, text(&path), "tests/data/seed"], &[]);
        let (status, _) = terminal.wait_exit();
        assert_eq!(status.exit_code(), 2);
        let log = String::from_utf8_lossy(terminal.log()).into_owned();
        assert!(
            log.contains("already exists and is not replaced; name another file with"),
            "{log}"
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    }
    let new = folder.path().join("new.txt");
    for option in ["--record", "--cast"] {
        let mut terminal = Terminal::fairscope(&[option, text(&new), "no-such-tree"], &[]);
        assert_eq!(terminal.wait_exit().0.exit_code(), 2);
        assert!(!new.exists(), "{option}");
    }
}

#[test]
fn the_users_own_keys_and_theme_are_part_of_a_recording() {
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("fairscope");
    std::fs::create_dir(&settings).unwrap();
    let config = "theme = \"high-contrast\"\nscreen = \"ranking\"\ncolumns = [\"rank\", \"shares\"]\n[keys]\ndown = [\"n\", \"v j\"]\n";
    std::fs::write(settings.join("config.toml"), config).unwrap();
    let path = folder.path().join("keys.txt");
    let home: PathBuf = folder.path().to_owned();
    let arguments = ["--record", text(&path), "example:small"];
    let mut terminal = Terminal::fairscope(&arguments, &[("XDG_CONFIG_HOME", text(&home))]);
    terminal.wait_for("by rank");
    terminal.send("gn");
    terminal.wait_for("why group1/bob");
    terminal.send("vj");
    terminal.wait_for("why group2/suzy");
    assert_eq!(lines_of_keys(&path), ["g", "n", "v", "j"]);
    assert_eq!(trimmed(&terminal), replayed(&path));
    quit(&mut terminal);
}

/// Writes a recording on the built-in example.
fn recording(folder: &Path, size: &str, keys: &str) -> PathBuf {
    let path = folder.join("keys.txt");
    std::fs::write(
        &path,
        format!("recording 1\nsize {size}\nopen example:small\n{keys}"),
    )
    .unwrap();
    path
}

#[test]
fn a_replay_hands_over_at_its_end_and_the_explorer_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = recording(
        folder.path(),
        "70x20",
        "+0.10 e\n+0.10 \"77\" enter\n+0.10 j\n",
    );
    for more in [&[][..], &["--speed", "0"]] {
        let arguments = [&["--replay", text(&path)], more].concat();
        let mut terminal = Terminal::fairscope(&arguments, &[]);
        terminal.wait_for("the recording has ended; the keys are yours");
        terminal.wait_for("why group2/scott");
        assert!(
            terminal.screen().contains("1 edit"),
            "{}",
            terminal.screen()
        );
        terminal.send("u");
        terminal.wait_for("undid");
        quit(&mut terminal);
    }
}

#[test]
fn any_key_ends_a_replay_and_q_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let path = recording(folder.path(), "80x24", "+0.10 j\n+86400 j\n");
    let mut terminal = Terminal::fairscope(&["--replay", text(&path)], &[]);
    terminal.wait_for("why group2/scott");
    terminal.send("4");
    terminal.wait_for("the recording has ended; the keys are yours");
    let screen = terminal.screen();
    assert!(screen.contains("why group2/scott"), "{screen}");
    terminal.send("j");
    terminal.wait_for("why group2/suzy");
    quit(&mut terminal);
    let mut terminal = Terminal::fairscope(&["--replay", text(&path)], &[]);
    terminal.wait_for("why group2/scott");
    quit(&mut terminal);
}

#[test]
fn a_replay_waits_for_the_user_in_an_open_prompt() {
    let folder = tempfile::tempdir().unwrap();
    let path = recording(folder.path(), "80x24", "+0.10 e \"7\"\n");
    let mut terminal = Terminal::fairscope(&["--replay", text(&path)], &[]);
    // Pastes are marked for the prompt once the user has the keys.
    terminal.wait_until("the keys are the user's", |terminal| {
        terminal.left_over_modes().contains("2004")
    });
    terminal.send("8\r");
    terminal.wait_for("1 edit");
    let screen = terminal.screen();
    assert!(screen.contains("group2 60 → 78 shares"), "{screen}");
    terminal.send("u");
    terminal.wait_for("undid");
    quit(&mut terminal);
}

#[test]
fn a_terminal_that_is_too_small_is_told_the_size_and_nothing_plays() {
    let folder = tempfile::tempdir().unwrap();
    let path = recording(folder.path(), "60x20", "+0.10 j\n+0.10 resize=100x30\n");
    let mut terminal = Terminal::fairscope(&["--replay", text(&path)], &[]);
    assert_eq!(terminal.wait_exit().0.exit_code(), 2);
    let log = String::from_utf8_lossy(terminal.log()).into_owned();
    assert!(
        log.contains(
            "the recording needs a screen of 100x30, and this terminal has 80x24; enlarge it"
        ),
        "{log}"
    );
    assert!(!log.contains("\x1b[?1049h"), "{log}");
}

#[test]
fn a_cast_of_a_session_shows_what_the_terminal_showed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.cast");
    let mut terminal = Terminal::fairscope(&["--cast", text(&path), "example:small"], &[]);
    terminal.wait_for(READY);
    terminal.send("4");
    terminal.wait_for("c this one idle");
    terminal.resize(30, 100);
    terminal.send("1");
    terminal.wait_for("Buckets");
    // The terminal may be ahead of the file, whose last line may be half written.
    terminal.wait_until("the screen of the cast", |terminal| {
        let cast = std::fs::read_to_string(&path).unwrap();
        let whole_lines = cast.rfind('\n').map_or("", |end| &cast[..end]);
        last_screen(whole_lines).trim_end() == trimmed(terminal)
    });
    terminal.send("q");
    assert_ends(&mut terminal);
    let cast = std::fs::read_to_string(&path).unwrap();
    let sizes = events(&cast)
        .1
        .into_iter()
        .filter(|(_, code, _)| code == "r");
    let sizes: Vec<String> = sizes.map(|(.., size)| size).collect();
    assert_eq!(sizes, ["100x30"]);
    assert!(last_screen(&cast).contains("Buckets"), "{cast}");
}

#[test]
fn a_screen_is_saved_in_the_form_of_its_file_without_the_prompt() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::fairscope(&["example:small", "--theme", "light"], &[]);
    terminal.wait_for(READY);
    let mut save = |name: &str, said: &str| {
        let path = folder.path().join(name);
        terminal.send("vi");
        terminal.wait_for("save the screen as: small.svg");
        terminal.send(&format!("\x15{}\r", text(&path)));
        terminal.wait_for(said);
        path
    };
    let saved = std::fs::read_to_string(save("a.txt", "saved /")).unwrap();
    let keys = [
        "--keys",
        "v i esc",
        "--size",
        "80x24",
        "--format-out",
        "text",
    ];
    let expected = Run::fairscope(["screenshot", "example:small"])
        .args(keys)
        .run();
    assert_eq!(saved, expected.success());
    let svg = std::fs::read_to_string(save("a.svg", "saved /")).unwrap();
    assert!(
        svg.starts_with("<svg ") && svg.contains("#ffffff"),
        "{svg:.300}"
    );
    save("a.svg", "already exists and was not replaced");
    assert_eq!(
        std::fs::read_to_string(folder.path().join("a.svg")).unwrap(),
        svg
    );
    save("a.pgn", "unknown ending 'pgn' (svg, txt, html)");
    terminal.send("\x1b");
    terminal.wait_without("save the screen as");
    quit(&mut terminal);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn a_killed_explorer_leaves_what_was_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.txt");
    let mut terminal = Terminal::fairscope(&["--record", text(&path), "example:small"], &[]);
    terminal.wait_for(READY);
    terminal.send("j");
    terminal.wait_for("why group2/scott");
    terminal.signal(rustix::process::Signal::KILL);
    terminal.wait_exit();
    assert_eq!(lines_of_keys(&path), ["j"]);
    assert!(replayed(&path).contains("why group2/scott"));
}
