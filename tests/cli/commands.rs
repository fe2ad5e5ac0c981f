//! Each command on the same small tree.

use super::seed;
use crate::support::command::Run;

#[test]
fn without_a_terminal_the_explorer_prints_what_show_prints() {
    let shown = Run::fairscope(["show", &seed()]).run().success();
    assert_eq!(Run::fairscope([seed()]).run().success(), shown);
    assert!(
        shown.contains("scott         40     40.0%    24.0%  1,000   0.832973  0.090201     4"),
        "{shown}"
    );
    let example = Run::fairscope([] as [&str; 0]).run().success();
    assert!(example.contains("suzy"), "{example}");
}

#[test]
fn show_takes_columns_order_depth_and_node() {
    let args = [
        "show",
        &seed(),
        "--format-out",
        "csv",
        "--columns",
        "path,rank,cresgroup",
    ];
    let csv = Run::fairscope(args.into_iter().chain(["--sort", "-rank"]))
        .run()
        .success();
    assert!(
        csv.starts_with("path,rank,cresgroup\ngroup2/scott,4,15\n"),
        "{csv}"
    );
    let csv = Run::fairscope(args.into_iter().chain(["--node", "suzy"]))
        .run()
        .success();
    assert_eq!(csv, "path,rank,cresgroup\ngroup2/suzy,3,14\n");
    let csv = Run::fairscope(args.into_iter().chain(["--depth", "0"]))
        .run()
        .success();
    assert_eq!(csv, "path,rank,cresgroup\n,,0\n");
}

#[test]
fn settings_on_the_command_line_win() {
    let args = [
        "show",
        &seed(),
        "--set",
        "unknown_shares=100",
        "--format-out",
        "json",
    ];
    let json = Run::fairscope(args).run().success();
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(json["policy"]["settings"]["unknown_shares"], 100);
    let unknown = json["nodes"]
        .as_array()
        .expect("nodes")
        .last()
        .expect("a node");
    assert_eq!(
        (&unknown["path"], &unknown["shares"]),
        (&"unknown".into(), &100.into())
    );
    assert_eq!(unknown["fairshare_perc"], 0.5);
}

#[test]
fn rank_puts_first_to_run_on_top() {
    let json = Run::fairscope(["rank", &seed(), "--format-out", "json"])
        .run()
        .success();
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    let paths: Vec<&str> = json["ranking"]
        .as_array()
        .expect("a ranking")
        .iter()
        .filter_map(|node| node["path"].as_str())
        .collect();
    assert_eq!(
        paths,
        ["group1/cathy", "group1/bob", "group2/suzy", "group2/scott"]
    );
}

#[test]
fn explain_says_why_in_words_and_in_json() {
    let text = Run::fairscope(["explain", &seed(), "suzy"]).run().success();
    let sentence = "suzy is 3rd of 4: it used nothing itself, but 60.0% of group2's effective usage \
                    0.833472 counts against it; scott, in the same group, used 1,000 of group2's 1,001.";
    assert_eq!(text.lines().next(), Some(sentence));
    let args = ["explain", &seed(), "suzy", "--format-out", "json"];
    let json = Run::fairscope(args).run().success();
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(json["levels"][1]["heaviest_sibling"], "group2/scott");
    assert_eq!(json["text"], text.trim_end());
    let args = ["explain", &seed(), "suzy", "cathy", "--format-out", "json"];
    let json = Run::fairscope(args).run().success();
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(json["split"]["path"], "");
    assert_eq!(json["split"]["sides"][0]["path"], "group2");
    assert_eq!(json["split"]["ahead_by_factor"], "group1/cathy");
}

#[test]
fn whatif_takes_edits_from_everywhere_in_order() {
    let folder = tempfile::tempdir().expect("a directory for the test");
    let table = folder.path().join("shares.csv");
    std::fs::write(&table, "shares,path\n10,group1/bob\n20,cathy\n").expect("it can be written");
    let json = Run::fairscope([
        "whatif".as_ref(),
        seed().as_ref(),
        "--edits".as_ref(),
        table.as_os_str(),
    ])
    .arg("--edit")
    .arg("shares bob=20")
    .arg("--format-out")
    .arg("json")
    .run()
    .success();
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    let edits = [
        "shares group1/bob=10",
        "shares group1/cathy=20",
        "shares group1/bob=20",
    ];
    assert_eq!(json["edits"], serde_json::json!(edits));
    assert_eq!(json["impact"]["moved"], 0);
    let bob = json["nodes"]
        .as_array()
        .expect("nodes")
        .iter()
        .find(|node| node["path"] == "group1/bob");
    let bob = bob.expect("bob is in the tree");
    assert_eq!(
        (&bob["before"]["shares"], &bob["after"]["shares"]),
        (&50.into(), &20.into())
    );
    assert_eq!(bob["rank_change"], 0);
}

#[test]
fn an_edit_that_does_not_fit_is_refused_by_name() {
    let error = Run::fairscope(["whatif", &seed(), "--edit", "shares suzie=5"])
        .run()
        .failure(2);
    assert!(
        error.starts_with("fairscope: --edit 'shares suzie=5': there is no node suzie;"),
        "{error}"
    );
    let error = Run::fairscope(["whatif", &seed()]).run().failure(2);
    assert!(error.contains("there is nothing to try"), "{error}");
    let folder = tempfile::tempdir().expect("a directory for the test");
    let table = folder.path().join("shares.csv");
    for (text, complaint) in [
        (
            "path,share\nbob,1\n",
            "shares.csv:1: there is no column shares",
        ),
        (
            "path,shares\nbob,1\ncathy,many\n",
            "shares.csv:3: many is not an amount of shares",
        ),
        (
            "path,shares\nnobody,1\n",
            "shares.csv:2: there is no node nobody",
        ),
    ] {
        std::fs::write(&table, text).expect("it can be written");
        let ran = Run::fairscope(["whatif", &seed(), "--edits"])
            .arg(&table)
            .run();
        let error = ran.failure(2);
        assert!(error.contains(complaint), "{error}");
    }
}

#[test]
fn check_finds_what_an_admin_did_not_mean() {
    let folder = tempfile::tempdir().expect("a directory for the test");
    let group = "a 1 root 10\nb 2 root 10\nc 3 root 10\nd 4 root 500\ne 5 root 7\nf 6 e 0\n";
    std::fs::write(folder.path().join("resource_group"), group).expect("it can be written");
    let ran = Run::fairscope(["check", "--format-out", "json"])
        .arg(folder.path())
        .run();
    assert_eq!(ran.code, Some(1));
    let json: serde_json::Value = serde_json::from_str(&ran.text()).expect("it is JSON");
    let codes: Vec<&str> = json["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .filter_map(|finding| finding["code"].as_str())
        .collect();
    assert_eq!(codes, ["share-outlier", "account-share-unused"]);
    assert_eq!(json["detected"]["policy"], "pbs");
    let ran = Run::fairscope(["check", &seed()]).run();
    assert_eq!(ran.success(), "nothing to report about 8 nodes\n");
}
