//! Choosing what to open on a real terminal.

use super::{READY, explorer, quit};
use crate::support::expected::Expected as _;
use crate::support::terminal::Terminal;
use std::fs;

#[test]
fn a_source_is_found_and_opened_with_few_keys_and_offered_again() {
    let state = tempfile::tempdir().unwrap();
    let variables = [("XDG_STATE_HOME", state.path().to_str().unwrap())];
    let mut terminal = Terminal::fairscope(&["example:flux"], &variables);
    terminal.wait_for("why ");
    terminal.send("otests/da");
    terminal.wait_for("data/");
    terminal.send("\t");
    terminal.wait_for("open: tests/data/");
    // Until it is known what the directory is, enter goes into it.
    terminal.send_until("se", "the directory is known", |terminal| {
        let screen = terminal.screen();
        let mut lines = screen.lines();
        lines.any(|line| line.contains("❯ seed/") && line.contains("PBS sched_priv"))
    });
    terminal.send("\r");
    terminal.wait_for(READY);
    quit(&mut terminal);
    let recent = state.path().join("fairscope/recent");
    let text = fs::read_to_string(recent).unwrap();
    text.must_end("/tests/data/seed\n");

    let mut terminal = Terminal::fairscope(&["example:flux"], &variables);
    terminal.wait_for("why ");
    terminal.send("o");
    terminal.wait_for("opened before");
    terminal.wait_for("PBS sched_priv");
    terminal.send("\r");
    terminal.wait_for(READY);
    quit(&mut terminal);
}

#[test]
fn a_hostile_name_is_opened_by_its_row() {
    let folder = tempfile::tempdir().unwrap();
    let name = "a\x1b[31m\nb.csv";
    fs::write(
        folder.path().join(name),
        "parent,name,shares,usage\n,ann,1,5\n",
    )
    .unwrap();
    let mut terminal = explorer();
    terminal.send(&format!("o{}/", folder.path().to_str().unwrap()));
    terminal.wait_for("a\\e[31m\\nb.csv");
    terminal.wait_for("CSV tree");
    terminal.send("\r");
    terminal.wait_for("why ann");
    quit(&mut terminal);
}
