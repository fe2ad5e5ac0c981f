//! `--formula`: ranking by a job_sort_formula.

use super::seed;
use crate::support::command::Run;
use crate::support::expected::Expected as _;

#[test]
fn a_formula_ranks_by_its_value() {
    let csv = Run::fairscope(["rank", &seed(), "--formula", "-fairshare_factor"])
        .args([
            "--format-out",
            "csv",
            "--columns",
            "rank,path,formula_value",
        ])
        .run()
        .success();
    assert_eq!(
        csv,
        "rank,path,formula_value\n\
         1,group2/scott,-0.090201\n\
         2,group2/suzy,-0.381553\n\
         3,group1/cathy,-0.647718\n\
         3,group1/bob,-0.647718\n"
    );
}

#[test]
fn another_policy_can_be_chosen_together_with_a_formula() {
    let plain = Run::fairscope(["rank", &seed()]).run().success();
    let named = Run::fairscope(["rank", &seed(), "--formula", "1", "--policy", "pbs"])
        .run()
        .success();
    assert_eq!(named, plain);
}

#[test]
fn explaining_a_formula_shows_its_numbers_and_its_value() {
    let text = Run::fairscope([
        "explain",
        &seed(),
        "suzy",
        "--formula",
        "100*fairshare_factor + ncpus",
    ])
    .args(["--set", "ncpus=4"])
    .run()
    .success();
    text.must_begin("job_sort_formula: 100*fairshare_factor + ncpus\n\
             For a job of suzy: numbers with the six decimals that PBS writes; the larger value runs first, and no job that \
             starts changes it before the next cycle\n  \
             100*0.381553 + 4\n  \
             = 42.1553\n\n\
             suzy is 3rd of 4: ");
    let text = Run::fairscope(["explain", &seed(), "suzy", "--formula", "1/ncpus"])
        .run()
        .success();
    text.must_contain("  1/0\n  has no value: it divides by zero, and PBS then uses 0\n");
    let text = Run::fairscope(["explain", &seed(), "suzy", "--formula", "(-1)**0.5"])
        .run()
        .success();
    text.must_contain("  cannot be computed for suzy: a negative number");
}

#[test]
fn an_invalid_formula_is_refused_with_a_mark_under_the_error() {
    for args in [
        vec!["show", &seed(), "--formula", "2*fairshre_perc"],
        vec!["show", &seed(), "--set", "job_sort_formula=2*fairshre_perc"],
        vec!["--formula", "2*fairshre_perc"],
        vec![
            "whatif",
            &seed(),
            "--edit",
            "set job_sort_formula=2*fairshre_perc",
        ],
    ] {
        let ran = Run::fairscope(&args).run();
        assert_eq!(ran.code, Some(2), "{args:?}");
        ran.stderr.must_end(
            "job_sort_formula: unknown name 'fairshre_perc'; did you mean 'fairshare_perc'?\n  \
                 2*fairshre_perc\n    ^^^^^^^^^^^^^\n",
        );
    }
}

#[test]
fn a_custom_resource_can_be_given_after_the_formula() {
    let text = Run::fairscope(["rank", &seed(), "--formula", "foo*2"])
        .args([
            "--set",
            "resources.foo=1.5",
            "--format-out",
            "csv",
            "--columns",
            "formula_value",
        ])
        .run()
        .success();
    assert_eq!(text, "formula_value\n3.0\n3.0\n3.0\n3.0\n");
}

#[test]
fn the_deprecated_name_is_reported() {
    let ran = Run::fairscope(["check", &seed(), "--formula", "fair_share_perc"]).run();
    let text = String::from_utf8(ran.stdout).expect("text");
    text.must_contain("[formula-deprecated-keyword]");
    text.must_contain("write fairshare_perc");
}

#[test]
fn a_tree_file_with_an_invalid_formula_uses_the_default_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tree.toml");
    let unset = ["--set", "job_sort_formula="];
    let text = Run::fairscope(["convert", &seed(), "--to", "toml"])
        .args(unset)
        .run()
        .success();
    let broken = if text.contains("[settings]\n") {
        text.replacen("[settings]\n", "[settings]\njob_sort_formula = \"1+\"\n", 1)
    } else {
        format!("{text}\n[settings]\njob_sort_formula = \"1+\"\n")
    };
    std::fs::write(&path, broken).expect("room");
    let ran = Run::fairscope(["check", path.to_str().expect("UTF-8")]).run();
    let text = String::from_utf8(ran.stdout).expect("text");
    text.must_contain("job_sort_formula, column 3 of it: the formula ends here");
    text.must_contain("the formula is ignored");
}

#[test]
fn an_account_has_no_value_of_the_formula_and_none_is_called_factor() {
    let seed = super::seed();
    let formula = "pow(2,-(fairshare_tree_usage/fairshare_perc))";
    let under = ["--policy", "formula", "--formula", formula];
    let text = |args: &[&str]| Run::fairscope(args.iter().chain(&under)).run().text();
    let compared = text(&["explain", &seed, "suzy", "bob"]);
    compared.must_lack("nan");
    compared.must_contain("By the formula: group1/bob is ahead with 0.647719");
    let changed = text(&["whatif", &seed, "--edit", "shares suzy=10"]);
    let head = changed
        .lines()
        .find(|line| line.starts_with("Path"))
        .expect("a table");
    assert!(
        head.contains("Formula") && !head.contains("Factor"),
        "{changed}"
    );
    let set = "set job_sort_formula=100*fairshare_factor";
    let changed = text(&["whatif", &seed, "--edit", set]);
    changed.must_contain("of 4 users have another formula value");
    // Under the usual order users have factors, and no formula value.
    let set = "set job_sort_formula=fairshare_tree_usage";
    let changed = Run::fairscope(["whatif", "example:small", "--edit", set])
        .run()
        .text();
    changed.must_contain("4 of 4 users have a new formula value");
    let later = [
        "simulate", &seed, "--until", "30d", "--node", "suzy", "--goal", "rank<=1",
    ];
    let later = text(&later);
    later.must_contain("Formula");
    later.must_lack("Factor");
    later.must_lack(", factor ");
}

#[test]
fn the_comparison_of_two_nodes_has_the_same_keys_under_pbs_as_elsewhere() {
    for policy in ["pbs", "pbs-walk"] {
        let args = ["explain", &super::seed(), "suzy", "bob", "--policy", policy];
        let run = Run::fairscope(args.into_iter().chain(["--format-out", "json"]));
        let json: serde_json::Value = serde_json::from_str(&run.run().text()).expect("JSON");
        let split = &json["split"];
        assert_eq!(split["ahead"], "group1/bob", "{split}");
        assert!(split["decided_by"].is_string(), "{split}");
        assert_eq!(
            split["deciding"].as_array().map(Vec::len),
            Some(2),
            "{split}"
        );
        assert!(split["ahead_by_walk"].is_string(), "{split}");
    }
}
