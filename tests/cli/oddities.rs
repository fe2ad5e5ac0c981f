//! Messages about nodes that a rule leaves out, about ties, and about sums that overflow.

use crate::support::command::Run;
use crate::support::expected::Expected as _;

/// A user without numbers under PBS and Flux, and two tied users.
const LEFT_OUT: &str = "parent,name,shares,usage,type\n\
                        ,taken,parent,5,user\n\
                        ,ann,1,3,user\n\
                        ,ben,1,3,user\n";

/// Shares whose sum overflows the 32 bits of Slurm and PBS to 0.
const WRAPPED: &str = "parent,name,shares,usage,type\n\
                       ,ann,4294967295,3,user\n\
                       ,ben,1,3,user\n";

fn output(command: &str, csv: &str, arguments: &[&str]) -> String {
    Run::fairscope([command, "-", "--format", "csv"])
        .args(arguments)
        .input(csv.as_bytes())
        .run()
        .text()
}

#[test]
fn two_nodes_are_not_compared_where_one_has_no_numbers() {
    for (policy, program) in [("pbs", "PBS"), ("flux", "Flux")] {
        let text = output("explain", LEFT_OUT, &["taken", "ann", "--policy", policy]);
        let reason = format!("shares `parent`, which {program} does not know.");
        text.must_contain("taken has no numbers: ");
        text.must_contain(&reason);
        text.must_lack("ahead");
        text.must_lack("nan");
    }
    let arguments = ["taken", "ann", "--policy", "pbs", "--format-out", "json"];
    let json = output("explain", LEFT_OUT, &arguments);
    json.must_contain("\"ahead_by_factor\": null");
}

#[test]
fn only_pbs_breaks_ties_by_another_order() {
    for policy in ["level-based", "classic", "depth-oblivious", "tickets"] {
        let text = output("explain", LEFT_OUT, &["ann", "ben", "--policy", policy]);
        assert!(text.contains(", a tie."), "{policy}: {text}");
        assert!(!text.contains("PBS"), "{policy}: {text}");
    }
}

#[test]
fn a_rank_counts_only_users_with_a_rank() {
    for policy in ["pbs", "flux"] {
        let text = output("explain", LEFT_OUT, &["ann", "--policy", policy]);
        assert!(
            text.starts_with("ann is 1st of 2, tied with 1 other: "),
            "{policy}: {text}"
        );
    }
    let text = output("explain", LEFT_OUT, &["ann", "--policy", "fair-tree"]);
    text.must_begin("ann is 2nd of 3, tied with 1 other: ");
}

#[test]
fn a_share_sum_that_overflows_to_zero_is_not_reported_as_no_shares() {
    for policy in [
        "level-based",
        "classic",
        "depth-oblivious",
        "tickets",
        "pbs",
    ] {
        let text = output("explain", WRAPPED, &["ann", "--policy", policy]);
        let sentence = text.lines().next().expect("a sentence");
        assert!(sentence.contains("32 bits"), "{policy}: {text}");
        assert!(!text.contains("has no share"), "{policy}: {text}");
        assert!(!text.contains("has shares"), "{policy}: {text}");
    }
}

#[test]
fn a_node_that_an_edit_excludes_has_no_numbers() {
    let edit = ["--edit", "shares ann=parent", "--policy", "pbs"];
    let text = output("whatif", LEFT_OUT, &edit);
    text.must_contain("50.0% → none");
    text.must_contain("1 → none");
}

#[test]
fn a_what_if_shows_the_target_of_its_policy() {
    for (policy, heading) in [
        ("pbs", "Of tree"),
        ("fair-tree", "NormShares"),
        ("flux", "Shares/level"),
    ] {
        let edit = ["--edit", "shares ann=3", "--policy", policy];
        let text = output("whatif", LEFT_OUT, &edit);
        assert!(text.contains(heading), "{policy}: {text}");
    }
}

#[test]
fn explain_with_a_second_source_suggests_the_option_with() {
    for words in [
        vec![
            "tests/data/seed/resource_group",
            "tests/data/seed/usage",
            "bob",
        ],
        vec!["tests/data/seed", "bob", "scott", "suzy"],
    ] {
        let mut args = vec!["explain"];
        args.extend(&words);
        let stderr = Run::fairscope(args).run().failure(2);
        assert!(
            stderr.contains("give it with --with"),
            "{words:?}: {stderr}"
        );
    }
}

#[test]
fn text_keeps_to_ascii_in_the_locale_c_and_data_does_not_change() {
    let source = "name,parent,shares,usage\njos\u{e9},,1,2\nann,,3,4\n";
    let run = |locale: &str, args: &[&str]| {
        let run = Run::fairscope(args).variable("LC_ALL", locale);
        run.input(source).run()
    };
    for args in [
        ["show", "-"].as_slice(),
        &["explain", "-", "ann"],
        &["check", "-"],
        &["whatif", "-", "--edit", "shares ann=5"],
    ] {
        let ran = run("C", args);
        assert!(ran.stdout.is_ascii() && ran.stderr.is_ascii(), "{ran:?}");
        assert_ne!(ran.stdout, b"", "{ran:?}");
    }
    let text = run("C", &["show", "-"]).text();
    text.must_contain("jos\\u{e9}");
    let text = run("C.UTF-8", &["show", "-"]).text();
    text.must_contain("jos\u{e9}");
    let small = |locale: &str| {
        let run = Run::fairscope(["show", "example:small"]).variable("LC_ALL", locale);
        run.run().text()
    };
    small("en_US.utf8").must_contain("├");
    small("POSIX").must_contain("|- ");
    let data = |locale: &str| run(locale, &["show", "-", "--format-out", "json"]).text();
    assert_eq!(data("C"), data("C.UTF-8"));
}

#[test]
fn only_the_first_edits_that_do_not_fit_are_searched_for() {
    let folder = tempfile::tempdir().unwrap();
    let tree = "parent,name,shares,usage,type\n,bob,1,0,user\n";
    std::fs::write(folder.path().join("tree.csv"), tree).unwrap();
    let source = "fairscope = 1\n[source]\npath = 'tree.csv'\n".to_owned();
    let edits = (0..150).map(|count| format!("[[edit]]\ndo = 'shares bop={count}'\n"));
    let text = source + &edits.collect::<String>();
    std::fs::write(folder.path().join("whatif.toml"), text).unwrap();
    let args = ["check", "whatif.toml", "--format-out", "json"];
    let said = Run::fairscope(args).folder(folder.path()).run().text();
    let refused = said.matches("no longer fits: unknown node 'bop'").count();
    assert_eq!(refused, 150, "{said}");
    assert_eq!(said.matches("did you mean 'bob'?").count(), 100, "{said}");
}
