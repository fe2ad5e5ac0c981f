//! Limits of the system on a real terminal: memory, stack and sizes of files.

use super::drafts::drafts;
use super::{READY, assert_restored};
use crate::support::expected::Expected as _;
use crate::support::terminal::Terminal;
use rustix::process::Signal;

#[test]
fn a_lack_of_memory_restores_the_terminal_and_is_one_sentence() {
    for rehearsal in ["no memory", "no memory in a worker", "no stack"] {
        let state = tempfile::tempdir().unwrap();
        let path = state.path().to_str().unwrap();
        let variables = [("XDG_STATE_HOME", path), ("FAIRSCOPE_REHEARSE", rehearsal)];
        let mut terminal = Terminal::fairscope(&["example:small"], &variables);
        terminal.wait_for(READY);
        terminal.send("+");
        let (status, _) = terminal.wait_exit();
        assert_eq!(status.exit_code(), 2, "{rehearsal}: {status}");
        assert_restored(&terminal);
        let farewell = terminal.output_after_screen();
        assert!(
            farewell.starts_with("fairscope: out of memory: "),
            "{rehearsal}: {farewell}"
        );
        assert_eq!(farewell.trim().lines().count(), 1, "{farewell}");
        assert_eq!(drafts(state.path()).len(), 1, "{rehearsal}");
    }
}

#[test]
fn a_command_out_of_memory_ends_with_a_sentence() {
    // The estimate lets it try, because other shapes and formats need half of that.
    let command = "ulimit -v 400000; \"$FAIRSCOPE\" generate --users 2000000 --shape flat --to sacctmgr-dump \
                   >/dev/null; echo rc=$?";
    let mut terminal = Terminal::shell(&["-c", command]);
    terminal.wait_exit();
    let screen = terminal.screen();
    screen.must_contain("fairscope: out of memory");
    screen.must_contain("rc=2");
}

#[test]
fn a_limit_of_file_sizes_is_an_error_of_a_save_and_of_a_draft() {
    let state = tempfile::tempdir().unwrap();
    let folder = state.path().display();
    let command = format!(
        "ulimit -f 0; export XDG_STATE_HOME='{folder}'; exec \"$FAIRSCOPE\" tests/data/seed"
    );
    let mut terminal = Terminal::shell(&["-c", &command]);
    terminal.wait_for(READY);
    terminal.send("+");
    terminal.wait_for("unsaved edits cannot be backed up");
    terminal.wait_for("raise the limit on file size");
    terminal.send("w");
    terminal.wait_for("save scenario as:");
    terminal.send(&format!("\x15{folder}/plan.toml\r"));
    terminal.wait_for("plan.toml could not be saved");
    let screen = terminal.screen().replace('\n', " ");
    screen.must_contain("raise the limit on file size");
    assert_eq!(drafts(state.path()).len(), 0);
    terminal.signal(Signal::TERM);
    terminal.wait_exit();
    assert_restored(&terminal);
    let farewell = terminal.output_after_screen();
    farewell.must_contain("unsaved edits cannot be backed up");
}
