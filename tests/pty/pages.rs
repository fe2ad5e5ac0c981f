//! Commands that take long on a real terminal.

use crate::support::data;
use crate::support::expected::Expected as _;
use crate::support::terminal::Terminal;

#[test]
fn the_pages_of_all_users_tell_how_far_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let (seed, pages) = (data("seed"), folder.path().join("pages"));
    let command = "exec \"$FAIRSCOPE\" me \"$0\" --all --out \"$1\"";
    let words = [
        "-c",
        command,
        seed.to_str().unwrap(),
        pages.to_str().unwrap(),
    ];
    let mut terminal = Terminal::shell(&words);
    terminal.wait_for("4 pages in");
    let (status, _) = terminal.wait_exit();
    assert_eq!(status.exit_code(), 0, "{status}");
    let log = String::from_utf8_lossy(terminal.log());
    for told in ["0 of 4 pages", "3 of 4 pages"] {
        assert!(log.contains(told), "{told} is missing: {log}");
    }
    // Nothing of it is left.
    terminal.screen().must_lack("of 4 pages");
}
