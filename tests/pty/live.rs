//! Live sources on a real terminal: polled on opening, on a key and at intervals.

use super::quit_at_once;
use crate::support::expected::Expected as _;
use crate::support::held::HeldPipe;
use crate::support::stand_in::{StandIn, captured};
use crate::support::terminal::Terminal;

/// Starts the explorer on a stand-in of Slurm.
fn explorer(slurm: &StandIn, arguments: &[&str]) -> Terminal {
    let bin = slurm.bin();
    let path = bin.to_str().expect("temporary folders have plain names");
    Terminal::fairscope(arguments, &[("PATH", path)])
}

#[test]
fn a_key_polls_slurm_again_and_a_failure_keeps_the_tree() {
    let slurm = StandIn::slurm();
    let mut terminal = explorer(&slurm, &["--live", "slurm", "--watch", "3600"]);
    terminal.wait_for("anna");
    terminal.wait_for("live slurm");
    let tree = captured("sshare.json");
    slurm.replace(
        "sshare",
        &format!("exec /bin/sed 's/\"anna\"/\"zora\"/' '{tree}'"),
    );
    terminal.send("R");
    terminal.wait_for("zora");
    slurm.replace("sshare", "echo 'slurmdbd is away' >&2; exit 1");
    terminal.send("R");
    terminal.wait_for("not reloaded");
    terminal.screen().must_contain("zora");
    quit_at_once(&mut terminal);
}

#[test]
fn a_watched_file_is_reloaded_automatically() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tree.csv");
    std::fs::write(&file, "parent,name,shares,usage\n,red,10,5\n").unwrap();
    let arguments = [file.to_str().unwrap(), "--watch", "1"];
    let mut terminal = Terminal::fairscope(&arguments, &[]);
    terminal.wait_for("red");
    let new = folder.path().join("new.csv");
    std::fs::write(&new, "parent,name,shares,usage\n,red,10,5\n,blue,1,1\n").unwrap();
    std::fs::rename(&new, &file).unwrap();
    terminal.wait_for("blue");
    quit_at_once(&mut terminal);
}

#[test]
fn a_scheduler_command_ends_with_the_explorer() {
    let slurm = StandIn::empty();
    let mut pipe = HeldPipe::new(slurm.folder());
    let script = format!(
        "exec 3>'{}'; echo asked >&3; exec /bin/sleep 1000",
        pipe.path()
    );
    slurm.replace("sshare", &script);
    let mut terminal = explorer(&slurm, &["--live", "slurm"]);
    terminal.wait_for("opening live slurm");
    assert_eq!(pipe.wait_held(), "asked\n");
    quit_at_once(&mut terminal);
    assert_eq!(pipe.wait_released(), "");
}

#[test]
fn esc_and_quitting_stop_a_hanging_scheduler_command() {
    let slurm = StandIn::slurm().command("sshare", "exec /bin/sleep 1000");
    let mut terminal = explorer(&slurm, &["--live", "slurm"]);
    terminal.wait_for("opening live slurm");
    terminal.send("\x1b");
    terminal.wait_for("loading was cancelled");
    quit_at_once(&mut terminal);
}
