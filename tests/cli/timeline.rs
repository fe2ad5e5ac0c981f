//! `fairscope timeline`: tables, lines of one row, CSV, JSON, refusals.

use crate::support::command::Run;
use crate::support::dumps::{dumps, four_days, tree};
use serde_json::Value;

#[test]
fn a_timeline_tells_what_changed_when_and_who_moved_furthest() {
    let folder = four_days();
    let ran = Run::fairscope(["timeline"]).arg(folder.path()).run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("README has not, so that was left out"),
        "{}",
        ran.stderr
    );
    insta::assert_snapshot!(ran.text(), @"");
}

#[test]
fn a_node_is_followed_through_gaps() {
    let folder = four_days();
    let ran = Run::fairscope(["timeline", "--node", "bob", "--node", "b"])
        .arg(folder.path())
        .run();
    insta::assert_snapshot!(ran.text(), @"");
}

#[test]
fn csv_has_a_row_for_every_node_at_every_moment() {
    let folder = four_days();
    let text = Run::fairscope(["timeline", "--format-out", "csv", "--node", "bob"])
        .arg(folder.path())
        .run()
        .text();
    let name = folder.path().display().to_string();
    insta::assert_snapshot!(text.replace(&name, "DIR"), @"");
    let all = Run::fairscope(["timeline", "--format-out", "csv"])
        .arg(folder.path())
        .run()
        .text();
    // Five dumps of seven nodes that were ever there, and the heading.
    assert_eq!(all.lines().count(), 1 + 5 * 7);
}

#[test]
fn json_has_one_list_a_number() {
    let folder = four_days();
    let text = Run::fairscope(["timeline", "--format-out", "json"])
        .arg(folder.path())
        .run()
        .text();
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["schema"], "fairscope/1");
    assert_eq!(json["pace_seconds"], 86_400);
    let moments = json["moments"].as_array().unwrap();
    assert_eq!(moments.len(), 5);
    assert_eq!(moments[0]["changes"], Value::Null);
    assert_eq!(moments[2]["missing_before"], 1);
    assert_eq!(moments[2]["changes"]["shares"][0]["path"], "b");
    assert_eq!(moments[2]["changes"]["shares"][0]["after"], 3);
    for node in json["nodes"].as_array().unwrap() {
        for list in ["shares", "target", "usage", "factor", "rank"] {
            assert_eq!(node[list].as_array().map(Vec::len), Some(5), "{node}");
        }
    }
    let bob = |node: &&Value| node["path"] == "a/bob";
    let bob = json["nodes"].as_array().unwrap().iter().find(bob).unwrap();
    assert_eq!(
        bob["usage"],
        serde_json::json!([100.0, 900.0, 900.0, null, null])
    );
}

#[test]
fn one_policy_holds_for_all_dumps() {
    let folder = four_days();
    let text = Run::fairscope(["timeline", "--policy", "pbs", "--limit", "1"])
        .arg(folder.path())
        .run()
        .text();
    assert!(text.starts_with("5 dumps under PBS"), "{text}");
}

#[test]
fn what_cannot_be_a_series_is_refused_with_what_to_do() {
    let empty = dumps(&[]);
    let said = Run::fairscope(["timeline"])
        .arg(empty.path())
        .run()
        .failure(2);
    assert!(
        said.contains("expected files with dates in their names"),
        "{said}"
    );
    let said = Run::fairscope(["timeline", "-"]).run().failure(2);
    assert!(said.contains("give the dumps as files"), "{said}");
    let said = Run::fairscope(["timeline", "/nowhere/at/all"])
        .run()
        .failure(2);
    assert!(said.contains("/nowhere/at/all"), "{said}");
    let folder = four_days();
    let said = Run::fairscope(["timeline", "--live", "slurm"])
        .arg(folder.path())
        .run()
        .failure(2);
    assert!(said.contains("leave --live and --with out"), "{said}");
    let said = Run::fairscope(["timeline", "--node", "nobody"])
        .arg(folder.path())
        .run()
        .failure(2);
    assert!(said.contains("there is no node nobody"), "{said}");
}

#[test]
fn names_that_would_move_the_cursor_are_shown_harmlessly() {
    let bad = tree(&["a\u{1b}[2J/ 1 ", "a\u{1b}[2J/bob 1 1"]);
    let good = tree(&["a\u{1b}[2J/ 2 ", "a\u{1b}[2J/bob 2 1"]);
    let folder = dumps(&[("2025-01-01", &bad), ("2025-01-02", &good)]);
    for form in ["table", "markdown", "csv", "json"] {
        let ran = Run::fairscope(["timeline", "--format-out", form])
            .arg(folder.path())
            .run();
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert!(!ran.stderr.contains('\u{1b}'));
        assert!(ran.text().contains("2025-01-02"));
    }
}

#[test]
fn other_commands_take_the_newest_of_a_directory_of_dumps() {
    let folder = four_days();
    let ran = Run::fairscope(["show"]).arg(folder.path()).run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let text = ran.text();
    assert!(text.contains("zoe") && !text.contains("bob"), "{text}");
}
