//! Edits from files and from the command line, and the errors of those that are refused.

use super::seed;
use crate::support::command::{Ran, Run};
use crate::support::expected::Expected as _;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Runs `whatif` on the seed tree with an option that names a file with this content.
fn with_file(option: &str, name: &str, text: &str) -> (Ran, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, text).unwrap();
    let ran = Run::fairscope(["whatif", &seed(), option]).arg(&file).run();
    (ran, file)
}

#[test]
fn invalid_rows_of_a_table_are_reported_with_their_lines() {
    let text = "path,shares\ngroup1/bob,1\nnobody,2\ncathy,many\nbob,3\nscott\n,5\nsuzy,70\n";
    let (ran, file) = with_file("--edits", "new.csv", text);
    let file = file.display();
    let expected = format!(
        "fairscope: 5 of 7 rows of {file} cannot be applied, so none was; correct or remove the lines:\n  \
         {file}:3: unknown node 'nobody'; write the path from the root, as in group/user, or a name that occurs once\n  \
         {file}:4: many is not a number of shares; expected one from 0 up, or parent\n  \
         {file}:5: group1/bob is already on line 2; keep one of the two lines\n  \
         {file}:6: the name or the shares are missing; expected both, in the form of the first line\n  \
         {file}:7: the name or the shares are missing; expected both, in the form of the first line\n"
    );
    assert_eq!(ran.failure(2), expected);
}

#[test]
fn a_table_of_another_tree_does_not_fill_the_screen() {
    let mut text = "path,shares\n".to_owned();
    for lab in 0..500 {
        writeln!(text, "lab{lab},1").unwrap();
    }
    let error = with_file("--edits", "labs.csv", &text).0.failure(2);
    assert_eq!(error.lines().count(), 22, "{error}");
    error.must_contain("500 of 500 rows of ");
    error.must_end("\n  … and 480 more\n");
}

#[test]
fn a_table_accepts_paths_and_names_in_any_spelling() {
    let text = "path,shares\ngroup1/bob,5\ncathy,6\nsco\\x74t,7\n";
    let (ran, _) = with_file("--edits", "new.csv", text);
    let text = ran.success();
    for change in ["50 → 5", "50 → 6", "40 → 7"] {
        text.must_contain(change);
    }
}

#[test]
fn a_later_edit_that_replaces_an_earlier_one_is_reported() {
    let note = |edits: &[&str]| {
        let edits = edits.iter().map(|edit| format!("--edit={edit}"));
        let ran = Run::fairscope(["whatif", &seed()]).args(edits).run();
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert!(!ran.stdout.is_empty());
        ran.stderr
    };
    assert_eq!(
        note(&["shares bob=20", "shares group1/bob=30"]),
        "fairscope: --edit 'shares group1/bob=30' overrides --edit 'shares bob=20'; both are applied in this order\n"
    );
    note(&["set unknown_shares=1", "set unknown_shares=2"]).must_contain("overrides");
    assert_eq!(note(&["shares bob=20", "shares bob+=30"]), "");
    assert_eq!(note(&["shares bob=20", "shares bob=+30"]), "");
    assert_eq!(note(&["shares bob=20", "usage bob=30"]), "");
    assert_eq!(note(&["shares bob=20", "shares cathy=20"]), "");
}

#[test]
fn the_error_for_a_scenario_of_a_newer_version_names_both_versions() {
    let text = "fairscope = 2\n[source]\npath = \"tree\"\n";
    let (ran, file) = with_file("--scenario", "plan.toml", text);
    let error = ran.failure(2);
    error.must_contain(&format!(
            "{}: this is version 2 of the format, and this program reads version 1; use a newer fairscope",
            file.display()
        ));
}

#[test]
fn an_unknown_key_of_a_scenario_is_reported_and_the_rest_is_applied() {
    let text = format!(
        "fairscope = 1\n[source]\npath = {:?}\n[[edit]]\ndo = \"shares bob=5\"\nwhen = \"soon\"\n",
        seed()
    );
    let (ran, file) = with_file("--scenario", "plan.toml", &text);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let place = format!("fairscope: {}:6: ", file.display());
    ran.stderr.must_begin(&place);
    ran.stderr.must_contain("when");
    ran.text().must_begin("Lowering group1/bob from 50 to 5: ");
}

#[test]
fn an_edit_without_an_action_is_an_error() {
    let text = format!(
        "fairscope = 1\n[source]\npath = {:?}\n[[edit]]\nreason = \"no edit\"\n",
        seed()
    );
    let (ran, _) = with_file("--scenario", "plan.toml", &text);
    let error = ran.failure(2);
    error.must_contain(":4: the edit does not say what to do");
}

#[test]
fn a_scenario_for_another_tree_reports_every_edit_that_does_not_apply() {
    let text = "fairscope = 1\n[source]\nexample = true\n[[edit]]\ndo = \"shares lab/ann=5\"\n\
                [[edit]]\ndo = \"shares bob=5\"\n[[edit]]\ndo = \"remove lab\"\n";
    let (ran, file) = with_file("--scenario", "plan.toml", text);
    let file = file.display();
    let error = ran.failure(2);
    let lines: Vec<&str> = error.lines().collect();
    assert!(
        lines[0].starts_with(&format!(
            "fairscope: 2 of 3 edits of {file} cannot be applied, so none was; the scenario was made on "
        )),
        "{error}"
    );
    assert!(
        lines[0].ends_with(", which may be a different tree; correct or remove the lines:"),
        "{error}"
    );
    assert!(
        lines[1].starts_with(&format!(
            "  {file}:5: `shares lab/ann=5`: unknown node 'lab/ann';"
        )),
        "{error}"
    );
    assert!(
        lines[2].starts_with(&format!("  {file}:9: `remove lab`: unknown node 'lab';")),
        "{error}"
    );
}

#[test]
fn long_tables_are_shortened_unless_the_option_all_is_given() {
    let tree = Run::fairscope(["generate", "--users", "200", "--to", "toml"]).run();
    let tree = tree.success();
    let whatif = |more: &[&str]| {
        let args = ["whatif", "-", "--edit", "shares account1=100000"];
        let run = Run::fairscope(args).args(more);
        run.input(tree.clone()).run().success()
    };
    let rows = |text: &str| {
        let table = text.rsplit("\n\n").next().unwrap();
        table.lines().filter(|line| !line.starts_with('…')).count() - 1
    };
    let (usual, few, all) = (whatif(&[]), whatif(&["--limit", "3"]), whatif(&["--all"]));
    assert_eq!((rows(&usual), rows(&few)), (40, 3));
    assert!(rows(&all) > 40, "{all}");
    few.must_end(&format!(
        "… and {} more nodes; --all shows all\n",
        rows(&all) - 3
    ));
}

#[test]
fn users_without_a_rank_are_not_among_those_whose_rank_could_change() {
    // Eight of the forty users have `parent` instead of shares, which PBS does not know.
    let whatif = ["whatif", "example:site", "--edit", "shares physics=60"];
    for (policy, users) in [("pbs", "of 32 users"), ("fair-tree", "of 40 users")] {
        let text = Run::fairscope(whatif.iter().chain(&["--policy", policy]));
        let text = text.run().text();
        let first = text.lines().next().expect("a sentence");
        first.must_contain(users);
    }
}

#[test]
fn the_settings_that_affect_every_user_are_those_that_the_policy_reads() {
    let edits = [
        "--edit",
        "set PriorityDecayHalfLife=3-0",
        "--edit",
        "shares suzy=2000",
    ];
    let seed = super::seed();
    let args = ["whatif", &seed].into_iter().chain(edits);
    let text = Run::fairscope(args).run().text();
    text.must_contain("have another factor");
    text.must_lack("affect every user");
}
