//! The file of the user's own settings, as a start of the program finds it.

use super::{READY, quit};
use crate::support::expected::Expected as _;
use crate::support::terminal::Terminal;
use crate::tui::config::uncommented;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Makes the folder of the settings, and returns their path.
fn settings(home: &Path) -> PathBuf {
    let folder = home.join("fairscope");
    std::fs::create_dir(&folder).unwrap();
    folder.join("config.toml")
}

/// Starts the explorer with the settings below a folder.
fn explorer(home: &Path) -> Terminal {
    let home = home.to_str().unwrap();
    let mut terminal = Terminal::fairscope(&["example:small"], &[("XDG_CONFIG_HOME", home)]);
    terminal.wait_for(READY);
    terminal
}

#[test]
fn the_documented_defaults_change_nothing() {
    let home = tempfile::tempdir().unwrap();
    let mut without = explorer(home.path());
    let expected = without.screen();
    quit(&mut without);
    let path = settings(home.path());
    std::fs::write(&path, uncommented()).unwrap();
    let mut terminal = explorer(home.path());
    assert_eq!(terminal.screen(), expected);
    quit(&mut terminal);
    let kept = std::fs::read_to_string(&path).unwrap();
    assert_eq!(kept, uncommented(), "the file is never written");
}

#[test]
fn settings_are_read_at_the_start_and_refusals_are_told_on_screen_and_shell() {
    let home = tempfile::tempdir().unwrap();
    let text = "mouse = false\nthme = \"dark\"\nscreen = 2\n[keys]\ndown = [\"n\"]\n";
    std::fs::write(settings(home.path()), text).unwrap();
    let mut terminal = explorer(home.path());
    terminal.wait_for("config.toml:2: unknown key 'thme'");
    terminal.wait_for("more line was refused");
    terminal.send("n");
    terminal.wait_for(super::ONE_DOWN);
    quit(&mut terminal);
    let log = String::from_utf8_lossy(terminal.log()).into_owned();
    assert!(!log.contains("\x1b[?1000h"), "the mouse is not taken");
    let (before, _) = log.split_once("\x1b[?1049h").unwrap();
    for refusal in [
        "config.toml:2: unknown key",
        "config.toml:3: screen is not text",
    ] {
        before.must_contain(refusal);
    }
}

#[test]
fn the_shell_is_told_the_first_refusals_and_how_many_there_are() {
    let home = tempfile::tempdir().unwrap();
    let lines = (0..1_000).map(|line| format!("k{line} = 1\n"));
    std::fs::write(settings(home.path()), lines.collect::<String>()).unwrap();
    let mut terminal = explorer(home.path());
    terminal.wait_for("999 more lines");
    quit(&mut terminal);
    let log = String::from_utf8_lossy(terminal.log()).into_owned();
    let (before, _) = log.split_once("\x1b[?1049h").unwrap();
    before.must_contain("config.toml:20: unknown key");
    before.must_contain("… and 980 more");
    before.must_lack("config.toml:21:");
}

/// Makes something at a path.
type Maker = fn(&Path);

#[test]
fn no_settings_keep_the_explorer_from_starting() {
    let makers: [(&str, Maker); 4] = [
        ("a directory", |path| std::fs::create_dir(path).unwrap()),
        ("a named pipe", |path| {
            assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
        }),
        ("a device", |path| {
            std::os::unix::fs::symlink("/dev/zero", path).unwrap();
        }),
        ("larger than 1 MiB", |path| {
            std::fs::write(path, "#".repeat(2 << 20)).unwrap();
        }),
    ];
    for (what, make) in makers {
        let home = tempfile::tempdir().unwrap();
        make(&settings(home.path()));
        let mut terminal = explorer(home.path());
        terminal.wait_for(what);
        quit(&mut terminal);
    }
}
