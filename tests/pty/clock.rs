//! Long moves of the clock on a real terminal: they show their progress, keys are answered, and they can be stopped.

use super::{assert_restored, quit};
use crate::support::expected::Expected as _;
use crate::support::terminal::Terminal;
use std::fmt::Write as _;

/// Opens a Slurm tree of 100 accounts with 300 users each on its Time screen, and moves the clock ten years ahead.
fn during_a_long_move(folder: &tempfile::TempDir) -> Terminal {
    let mut tree =
        "fairscope = 1\npolicy = \"fair-tree\"\nscheduler = \"slurm\"\n[tree]\nrows = '''\n"
            .to_owned();
    for account in 0..100 {
        writeln!(tree, "account{account} 1").expect("text grows");
        for user in 0..300 {
            let usage = 1000 * (user + 1);
            writeln!(tree, "  user{account}-{user} 1 {usage}").expect("text grows");
        }
    }
    tree.push_str("'''\n");
    let file = folder.path().join("slurm.toml");
    std::fs::write(&file, tree).expect("there is room");
    let file = file.to_str().expect("temporary folders have plain names");
    let mut terminal = Terminal::fairscope(&[file], &[]);
    terminal.wait_for("why account0");
    terminal.send("4");
    terminal.wait_for("now day 0");
    terminal.send("td3650d\r");
    terminal.wait_for("of 3650");
    terminal
}

#[test]
fn a_long_move_shows_its_progress_answers_keys_and_is_stopped_by_esc() {
    let folder = tempfile::tempdir().expect("there is room");
    let mut terminal = during_a_long_move(&folder);
    let day = |terminal: &Terminal| {
        let screen = terminal.screen();
        let (_, after) = screen.split_once("moving the clock: day ")?;
        after.split(' ').next()?.parse::<u32>().ok()
    };
    let first = day(&terminal).expect("it says how far it is");
    terminal.wait_until("a later day", |terminal| {
        day(terminal).is_some_and(|day| day > first)
    });
    terminal.send("?");
    terminal.wait_for("type to search");
    terminal.send("\x1b");
    terminal.wait_without("type to search");
    assert!(
        day(&terminal).is_some(),
        "it goes on: {}",
        terminal.screen()
    );
    terminal.send("\x1b");
    terminal.wait_for("stopped; the clock did not move");
    terminal.screen().must_contain("now day 0");
    terminal.send("q");
    let (status, _) = terminal.wait_exit();
    assert!(status.success(), "{status}: nothing was left to save");
    assert_restored(&terminal);
}

#[test]
fn quitting_stops_a_running_clock() {
    let folder = tempfile::tempdir().expect("there is room");
    let mut terminal = during_a_long_move(&folder);
    quit(&mut terminal);
}
