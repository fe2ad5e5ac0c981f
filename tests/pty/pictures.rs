//! Pictures of the screen, saved on a real terminal.

use super::{READY, quit};
use crate::support::command::Run;
use crate::support::terminal::Terminal;
use std::path::Path;

fn text(path: &Path) -> &str {
    path.to_str().expect("temporary folders have plain names")
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
