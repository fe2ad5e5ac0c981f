//! What is the same in every command: nodes as operands, the short options, and other words for them.

use crate::support::command::Run;
use crate::support::data;
use crate::support::expected::Expected as _;

/// Runs a command on the seed, whose folder stands for `SEED`.
fn ran(line: &str) -> crate::support::command::Ran {
    let seed = data("seed").display().to_string();
    let words = line.split(' ').map(|word| word.replace("SEED", &seed));
    Run::fairscope(words).run()
}

#[test]
fn a_node_is_an_operand_or_an_option() {
    for (operand, option) in [
        (
            "solve SEED scott --goal rank<=3",
            "solve SEED --node scott --goal rank<=3",
        ),
        ("solve SEED group2/scott", "solve SEED --node group2/scott"),
        (
            "simulate SEED scott bob --until 7d",
            "simulate SEED --node scott --node bob --until 7d",
        ),
    ] {
        let one = ran(operand);
        assert!(!one.stdout.is_empty(), "{operand}: {}", one.stderr);
        assert_eq!(one.stdout, ran(option).stdout, "{operand}");
    }
    let dumps = data("dumps").display().to_string();
    let named = Run::fairscope(["timeline", &dumps, "--node", "physics"]).run();
    let operand = Run::fairscope(["timeline", &dumps, "physics"]).run();
    assert_eq!(named.stdout, operand.stdout);
}

#[test]
fn a_form_in_the_wrong_place_is_told_where_it_belongs() {
    ran("show SEED --format json")
        .stderr
        .must_contain("--format is the format of the source; did you mean -o json?");
    ran("convert SEED --to toml --json")
        .stderr
        .must_contain("this command prints no report; leave out --json");
    let prometheus = ran("metrics SEED -o prometheus").success();
    assert_eq!(prometheus, ran("metrics SEED -o openmetrics").success());
}

#[test]
fn a_node_that_is_also_a_file_is_named_with_the_option() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("scott"), "hello").expect("it can be written");
    let seed = std::path::absolute(data("seed")).expect("there is a working directory");
    for (command, option, value) in [
        ("solve", "--goal", "rank<=2"),
        ("simulate", "--until", "7d"),
    ] {
        let named = Run::fairscope([command])
            .arg(&seed)
            .args(["scott", option, value]);
        let error = named.folder(folder.path()).run().failure(2);
        error.must_contain("scott is a file: to name a node, write --node scott");
    }
}

#[test]
fn what_was_read_is_converted_whole() {
    // Of dumps the newest is read, and of a resource_group the directory around it.
    let dumps = data("dumps");
    let newest = std::fs::read_to_string(dumps.join("gold-2025-04-06.csv")).expect("a dump");
    let converted = Run::fairscope(["convert"])
        .arg(&dumps)
        .args(["--to", "csv"]);
    assert_eq!(converted.run().success(), newest);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("written");
    let group = data("seed").join("resource_group");
    let converted = Run::fairscope(["convert"])
        .arg(&group)
        .args(["--to", "pbs", "--out"]);
    converted.arg(&out).run().success();
    for name in ["resource_group", "usage", "sched_config"] {
        let written = std::fs::read(out.join(name)).expect("it is written");
        assert_eq!(
            written,
            std::fs::read(data("seed").join(name)).expect("a file of the seed")
        );
    }
}

#[test]
fn rows_are_limited_in_every_form() {
    let ranking = ran("rank SEED -n 2").success();
    ranking.must_contain("2 more users");
    ranking.must_lack("scott");
    let tree = ran("show SEED -n 3").success();
    tree.must_contain("5 more nodes");
    assert_eq!(ran("rank SEED -n 2 -o csv").success().lines().count(), 3);
    ran("rank SEED -n 4").success().must_lack("more");
}

#[test]
fn an_operand_that_is_neither_a_file_nor_a_node_is_refused() {
    for line in ["solve SEED o13", "simulate SEED o13 --until 7d"] {
        let refused = ran(line);
        assert_eq!(refused.code, Some(2), "{line}");
        refused
            .stderr
            .must_contain("o13 is no file: unknown node 'o13'");
    }
    let dumps = data("dumps").display().to_string();
    let missing = Run::fairscope(["timeline", &dumps, "missing.csv"]).run();
    missing
        .stderr
        .must_contain("missing.csv is no file: unknown node 'missing.csv'");
    ran("solve SEED")
        .stderr
        .must_contain("no node given; give one after the source");
    ran("solve SEED scott bob")
        .stderr
        .must_contain("solve answers for one node");
    let goals = ran("simulate SEED --until 7d --goal");
    goals
        .stderr
        .must_contain("--goal and --horizon are for nodes");
}

#[test]
fn forms_and_limits_have_short_options() {
    for command in ["show SEED", "rank SEED", "check SEED", "explain SEED scott"] {
        let long = ran(&format!("{command} --format-out json"));
        assert_eq!(
            long.stdout,
            ran(&format!("{command} -o json")).stdout,
            "{command}"
        );
        assert_eq!(
            long.stdout,
            ran(&format!("{command} --json")).stdout,
            "{command}"
        );
    }
    assert_eq!(
        ran("policies SEED -n 2").stdout,
        ran("policies SEED --limit 2").stdout
    );
    let unknown = ran("rank SEED -o pdf");
    assert_eq!(unknown.code, Some(2));
    unknown.stderr.must_contain("invalid value 'pdf'");
}

#[test]
fn accepted_problems_leave_a_check_green() {
    let folder = data("pbs").join("03-no-usage-file");
    let folder = folder.display().to_string();
    let code = |options: &[&str]| {
        let words = ["check", &folder]
            .into_iter()
            .chain(options.iter().copied());
        Run::fairscope(words).run().code
    };
    assert_eq!(code(&[]), Some(1));
    assert_eq!(code(&["--level", "warning"]), Some(0));
    assert_eq!(
        code(&[
            "--ignore",
            "pbs-no-usage",
            "--ignore",
            "pbs-fair-share-assumed"
        ]),
        Some(0)
    );
    let unknown = Run::fairscope(["check", &folder, "--ignore", "pbs-no-usge"]).run();
    assert_eq!(unknown.code, Some(2));
    unknown.stderr.must_contain("did you mean 'pbs-no-usage'?");
}

#[test]
fn pbsfs_has_help_too() {
    let help = Run::fairscope(["pbsfs", "-h"]).run();
    assert_eq!(help.code, Some(0));
    help.text().must_contain("fairscope pbsfs");
}
