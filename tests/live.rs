//! Commands of schedulers: each runs once and to its end, whatever it does.

use crate::support::data;
use crate::support::expected::Expected as _;
use crate::support::held::HeldPipe;
use fairscope::model::Format;
use fairscope::open::live::run::{CommandOutput, RunError, run};
use fairscope::open::live::{copy_database, load};
use rusqlite::Connection;
use std::ops::ControlFlow;
use std::time::Duration;

/// Runs a shell script like a scheduler's command.
fn sh(script: &str, timeout: Duration) -> Result<CommandOutput, RunError> {
    run("sh", &["-c", script], timeout, &mut |_| {
        ControlFlow::Continue(())
    })
}

const LONG: Duration = Duration::from_secs(60);

#[test]
fn standard_output_and_error_are_read_to_their_ends() {
    let script = "i=0; while [ $i -lt 3000 ]; do echo 'a line of the tree that is long enough to fill a pipe'; \
                  echo 'and a complaint that is long enough to fill another' >&2; i=$((i+1)); done";
    let printed = sh(script, LONG).unwrap();
    assert_eq!(
        String::from_utf8_lossy(&printed.bytes).lines().count(),
        3000
    );
    assert!(
        printed.complaints.starts_with(b"and a complaint"),
        "{:?}",
        printed.complaints
    );
    assert!(printed.complaints.len() <= 1 << 16, "complaints are cut");
}

#[test]
fn a_command_gets_its_arguments_empty_input_and_the_c_locale() {
    let args = ["-c", "cat; echo \"$LC_ALL $0\"", "$(id); 'x'"];
    let printed = run("sh", &args, LONG, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(printed.bytes, b"C $(id); 'x'\n");
}

#[test]
fn a_failure_is_reported_with_its_exit_code_and_first_lines_of_error() {
    let script =
        "echo 'error: slurm_persist_conn_open: failed' >&2; printf 'a\\033[31mb\\n' >&2; exit 3";
    let error = sh(script, LONG).unwrap_err().to_string();
    error.must_contain("exit code 3");
    error.must_contain("slurm_persist_conn_open");
    error.must_lack("\x1b");
    let error = sh("echo 'only here'; exit 1", LONG)
        .unwrap_err()
        .to_string();
    error.must_contain("only here");
    let error = sh("exit 1", LONG).unwrap_err().to_string();
    error.must_contain("no message");
    let error = sh("kill -9 $$", LONG).unwrap_err().to_string();
    error.must_contain("signal 9");
}

#[test]
fn a_command_that_is_not_done_in_time_is_reported_with_what_it_printed() {
    // The shell itself may take a while to start.
    let waits = [300, 3_000, 30_000].map(Duration::from_millis);
    let mut errors = waits
        .iter()
        .map(|&timeout| sh("echo begun; exec sleep 1000", timeout).unwrap_err());
    let is_begun = |error: &RunError| matches!(error, RunError::TimedOut { bytes: 6, .. });
    assert!(errors.any(|error| is_begun(&error)));
    for (bytes, expected) in [
        (0, "sshare printed nothing for 30 s and was ended"),
        (
            6,
            "sshare printed 6 bytes, was not done after 30 s, and was ended",
        ),
        (
            882 << 20,
            "sshare printed 882 MiB, was not done after 30 s, and was ended",
        ),
    ] {
        let error = RunError::TimedOut {
            command: "sshare".into(),
            bytes,
            timeout: Duration::from_secs(30),
        };
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn a_hanging_command_is_killed_with_its_children() {
    // The shell and its child may take a while to start.
    let is_ended = [300, 3_000, 30_000].into_iter().any(|timeout| {
        let folder = tempfile::tempdir().unwrap();
        let mut pipe = HeldPipe::new(folder.path());
        let hold = format!("exec 3>'{}'; echo held >&3; exec sleep 1000", pipe.path());
        let script = format!("{{ {hold}; }} & {hold}");
        let error = sh(&script, Duration::from_millis(timeout)).unwrap_err();
        assert!(matches!(error, RunError::TimedOut { .. }), "{error}");
        pipe.wait_released() == "held\nheld\n"
    });
    assert!(is_ended, "the two never ran");
}

#[test]
fn what_a_command_leaves_in_the_background_ends_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut pipe = HeldPipe::new(folder.path());
    let path = pipe.path();
    // Both outputs stay open.
    let script = format!(
        "{{ exec 3>'{path}'; echo held >&3; : >'{path}.held'; exec sleep 1000; }} & \
         while ! [ -e '{path}.held' ]; do :; done; echo tree; echo complaint >&2"
    );
    let printed = sh(&script, LONG).unwrap();
    assert_eq!(printed.bytes, b"tree\n");
    assert_eq!(printed.complaints, b"complaint\n");
    assert_eq!(pipe.wait_released(), "held\n");
}

#[test]
fn a_command_is_not_waited_for_by_its_outputs() {
    let folder = tempfile::tempdir().unwrap();
    let left = folder.path().join("left");
    // This process leaves the group, and ends when the file is gone.
    let script = format!(
        "setsid sh -c \": >'{left}'; while [ -e '{left}' ]; do sleep 0.01; done\" & \
         while ! [ -e '{left}' ]; do :; done; \
         i=0; while [ $i -lt 1000 ]; do echo 'a line of the tree'; i=$((i+1)); done",
        left = left.display()
    );
    let printed = sh(&script, LONG).unwrap();
    let lines = String::from_utf8_lossy(&printed.bytes);
    assert_eq!(lines.lines().count(), 1000, "nothing it printed is lost");
    assert!(left.exists(), "the other process still runs");
}

#[test]
fn cancelling_returns_at_once() {
    let mut glances = 0;
    let mut report = |_: &fairscope::format::Progress| {
        glances += 1;
        if glances > 2 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let error = run("sh", &["-c", "exec sleep 1000"], LONG, &mut report).unwrap_err();
    assert!(matches!(error, RunError::Cancelled), "{error}");
}

#[test]
fn a_missing_command_is_reported_by_its_name() {
    let mut report = |_: &fairscope::format::Progress| ControlFlow::Continue(());
    let error = run(
        "no-such-command-of-any-scheduler",
        &["-a"],
        LONG,
        &mut report,
    )
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "no-such-command-of-any-scheduler is not on the PATH"
    );
}

#[test]
fn files_open_the_same_without_a_live_source() {
    let request = fairscope::format::Request::to_open(data("seed"));
    let loaded = load(&request, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(loaded.snapshot.source.format, Format::Pbs);
}

#[test]
fn a_database_is_copied_while_another_process_writes_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("from.db"), folder.path().join("to.db"));
    let writer = Connection::open(&from).unwrap();
    writer.pragma_update(None, "journal_mode", "wal").unwrap();
    writer
        .execute_batch("create table t (x text); insert into t values ('a'), ('b'); delete from t where x = 'a'; insert into t values ('c')")
        .unwrap();
    copy_database(&from, &to).unwrap();
    let copy = Connection::open(&to).unwrap();
    let rows = |connection: &Connection| {
        let mut query = connection
            .prepare("select rowid, x from t order by rowid")
            .unwrap();
        let rows = query.query_map([], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
        });
        rows.unwrap().map(Result::unwrap).collect::<Vec<_>>()
    };
    assert_eq!(rows(&copy), rows(&writer), "row for row, number for number");
}
