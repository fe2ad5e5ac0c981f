//! Every command on the same small tree.

use super::seed;
use crate::support::command::Run;
use crate::support::expected::Expected as _;

#[test]
fn without_a_terminal_the_explorer_prints_what_show_prints() {
    let shown = Run::fairscope(["show", &seed()]).run().success();
    assert_eq!(Run::fairscope([seed()]).run().success(), shown);
    shown.must_contain("scott       40     40.0%    24.0%  1,000   0.832973  0.090201     4");
    let example = Run::fairscope([] as [&str; 0]).run().success();
    example.must_contain("alice");
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
    csv.must_begin("path,rank,cresgroup\ngroup2/scott,4,15\n");
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
fn settings_on_the_command_line_override_those_of_the_source() {
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
fn rank_lists_the_highest_rank_first() {
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
fn explain_gives_reasons_as_text_and_as_json() {
    let text = Run::fairscope(["explain", &seed(), "suzy"]).run().success();
    let sentence = "suzy is 3rd of 4: it has used nothing itself, but 60.0% of group2's effective usage (0.833472) \
                    counts against it. scott, in the same group, has used 1,000 of group2's 1,001.";
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
fn whatif_applies_edits_of_all_options_in_order() {
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
fn an_edit_that_does_not_apply_is_refused_with_its_text() {
    let error = Run::fairscope(["whatif", &seed(), "--edit", "shares suzie=5"])
        .run()
        .failure(2);
    error.must_begin("fairscope: --edit 'shares suzie=5': unknown node 'suzie';");
    let error = Run::fairscope(["whatif", &seed()]).run().failure(2);
    error.must_contain("no edits given");
    let folder = tempfile::tempdir().expect("a directory for the test");
    let table = folder.path().join("shares.csv");
    for (text, complaint) in [
        (
            "path,share\nbob,1\n",
            "shares.csv:1: share is not a number of shares",
        ),
        (
            "path,shares\nbob,1\ncathy,many\n",
            "shares.csv:3: many is not a number of shares",
        ),
        (
            "path,shares\nnobody,1\n",
            "shares.csv:2: unknown node 'nobody'",
        ),
    ] {
        std::fs::write(&table, text).expect("it can be written");
        let ran = Run::fairscope(["whatif", &seed(), "--edits"])
            .arg(&table)
            .run();
        let error = ran.failure(2);
        error.must_contain(complaint);
    }
}

#[test]
fn check_reports_likely_mistakes_of_an_admin() {
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
    assert_eq!(
        codes,
        [
            "pbs-fair-share-assumed",
            "share-outlier",
            "account-share-unused"
        ]
    );
    assert_eq!(json["detected"]["policy"], "pbs-walk");
    let ran = Run::fairscope(["check", &seed()]).run();
    assert_eq!(
        ran.success(),
        "job_sort_formula is fairshare_factor, from the file sched_formula, which PBS keeps when the formula is unset: check with qmgr -c 'print sched'\nnothing to report about 8 nodes\n"
    );
}

#[test]
fn convert_to_the_same_format_gives_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a directory for the test");
    let out = folder.path().join("copy");
    let ran = Run::fairscope(["convert", &seed(), "--to", "pbs", "--out"])
        .arg(&out)
        .run();
    assert_eq!(ran.success(), "");
    for name in ["resource_group", "usage"] {
        let original = std::fs::read(std::path::Path::new(&seed()).join(name));
        let copy = std::fs::read(out.join(name));
        assert_eq!(
            copy.expect("it was written"),
            original.expect("it is there"),
            "{name}"
        );
    }
    let ran = Run::fairscope(["convert", &seed(), "--to", "pbs", "--out"])
        .arg(&out)
        .run();
    let error = ran.failure(2);
    error.must_contain("resource_group already exists and is not replaced");
}

#[test]
fn convert_never_replaces_a_file() {
    let folder = tempfile::tempdir().expect("a directory for the test");
    let out = folder.path().join("tree.toml");
    std::fs::write(&out, "mine").expect("the directory takes a file");
    let ran = Run::fairscope(["convert", &seed(), "--to", "toml", "--out"])
        .arg(&out)
        .run();
    let error = ran.failure(2);
    let expected = "tree.toml already exists and is not replaced; name another file with --out";
    error.must_contain(expected);
    let kept = std::fs::read_to_string(&out).expect("it is still there");
    assert_eq!(kept, "mine");
}

#[test]
fn every_format_keeps_the_numbers_of_the_tree() {
    let folder = tempfile::tempdir().expect("a directory for the test");
    let columns = [
        "--format-out",
        "csv",
        "--columns",
        "path,shares,factor,rank",
    ];
    let shown = Run::fairscope(["show", &seed()].into_iter().chain(columns))
        .run()
        .success();
    let toml = folder.path().join("tree.toml");
    let ran = Run::fairscope(["convert", &seed(), "--to", "toml", "--out"])
        .arg(&toml)
        .run();
    assert_eq!(ran.success(), "");
    let pbs = folder.path().join("sched_priv");
    let ran = Run::fairscope(["convert".as_ref(), toml.as_os_str()]);
    let ran = ran.arg("--to").arg("pbs").arg("--out").arg(&pbs).run();
    assert_eq!(ran.success(), "");
    for source in [toml, pbs] {
        let again = Run::fairscope(["show".as_ref(), source.as_os_str()]);
        let again = columns.into_iter().fold(again, Run::arg).run().success();
        assert_eq!(again, shown);
    }
    let error = Run::fairscope(["convert", &seed(), "--to", "pbs"])
        .run()
        .failure(2);
    error.must_contain("say where to write it with --out DIRECTORY");
}

#[test]
fn the_same_seed_generates_the_same_tree() {
    let generate = |seed: &str, shape: &str| {
        let args = [
            "generate", "--users", "40", "--to", "toml", "--seed", seed, "--shape", shape,
        ];
        Run::fairscope(args).run().success()
    };
    for shape in ["balanced", "skewed", "flat", "chain"] {
        assert_eq!(generate("7", shape), generate("7", shape));
        assert_ne!(generate("7", shape), generate("8", shape));
    }
}

#[test]
fn edits_of_a_scenario_are_applied_and_stale_edits_reported() {
    let folder = tempfile::tempdir().expect("a directory for the test");
    let scenario = folder.path().join("plan.toml");
    let text = format!(
        "fairscope = 1\n\n[source]\npath = {:?}\n\n[[edit]]\ndo = \"shares group1/bob=20\"\n\n\
         [[edit]]\ndo = \"shares group1/nobody=20\"\n",
        seed()
    );
    std::fs::write(&scenario, text).expect("it can be written");
    let ran = Run::fairscope(["show".as_ref(), scenario.as_os_str()]).run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    ran.stderr.must_begin("fairscope: 1 problem in ");
    let ran = Run::fairscope(["check".as_ref(), scenario.as_os_str()]).run();
    assert_eq!(ran.code, Some(1));
    let text = ran.text();
    text.must_contain("unknown node 'group1/nobody'");
    let ran = Run::fairscope(["whatif", &seed(), "--scenario"])
        .arg(&scenario)
        .run();
    let error = ran.failure(2);
    error.must_contain("`shares group1/nobody=20`: unknown node");
}

#[test]
fn the_built_in_example_accepts_settings() {
    let text = Run::fairscope(["example:small", "--set", "unknown_shares=100"])
        .run()
        .success();
    let unknown = text.lines().last().expect("the row of unknown");
    assert!(
        unknown.contains("└─ unknown") && unknown.contains("50.0%"),
        "{text}"
    );
}

#[test]
fn a_tree_is_read_from_standard_input() {
    let toml = Run::fairscope(["convert", &seed(), "--to", "toml"])
        .run()
        .success();
    let shown = Run::fairscope(["show", "-"]).input(toml).run().success();
    assert_eq!(shown, Run::fairscope(["show", &seed()]).run().success());
}

#[test]
fn pbsfs_prints_the_same_as_the_real_pbsfs() {
    let text = Run::fairscope(["pbsfs", "-c", "suzy", "bob", &seed()])
        .run()
        .success();
    assert_eq!(text, "bob\n");
    let text = Run::fairscope(["pbsfs", &seed()]).run().success();
    text.must_begin("Fairshare usage units are in: cput\nTREEROOT  : Grp: -1 ");
    let error = Run::fairscope(["pbsfs", "-g", "nobody", &seed()])
        .run()
        .failure(1);
    assert_eq!(error, "Fairshare Entity nobody does not exist.\n");
    Run::fairscope(["pbsfs", "-d", &seed()]).run().failure(2);
}

#[test]
fn one_of_several_saved_scenarios_is_chosen_by_name() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let plan = folder.path().join("plan.toml");
    let text = "fairscope = 1\n[source]\nexample = true\n\
        [[scenario]]\nname = \"one\"\n[[scenario.edit]]\ndo = \"shares bob=5\"\n\
        [[scenario]]\nname = \"two\"\nshown = true\n[[scenario.edit]]\ndo = \"shares bob=7\"\n";
    std::fs::write(&plan, text).expect("the folder is ours");
    let plan = plan.to_str().expect("temporary folders have plain names");
    let whatif = ["whatif", "tests/data/seed", "--scenario", plan];
    let front = Run::fairscope(whatif).run().success();
    front.must_contain("50 → 7");
    let named = |name| Run::fairscope(whatif.into_iter().chain(["--name", name])).run();
    let one = named("one").success();
    one.must_contain("50 → 5");
    let refused = named("three").stderr;
    refused.must_contain("unknown scenario 'three' in ");
    let shown = Run::fairscope(["show", plan]).run().success();
    shown.must_contain(" 7 ");
}

#[test]
fn slurms_settings_may_be_spelled_in_any_case() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("gold.cfg");
    let dump =
        "Cluster - 'gold'\nParent - 'root'\nUser - 'ann':Fairshare=1\nUser - 'bob':Fairshare=2\n";
    std::fs::write(&path, dump).expect("it can be written");
    let policy = |settings: &[&str]| {
        let settings = settings.iter().flat_map(|setting| ["--set", setting]);
        let run = Run::fairscope(["show", "--format-out", "json"]).arg(&path);
        let json = run.args(settings).run().text();
        let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
        json["policy"].clone()
    };
    assert_eq!(
        policy(&["tieorder=LINEAGE"])["settings"]["TieOrder"],
        "lineage"
    );
    for (flags, name) in [
        ("priorityflags=no_fair_tree", "classic"),
        (
            "PriorityFlags=DEPTH_OBLIVIOUS,NO_FAIR_TREE",
            "depth-oblivious",
        ),
        ("PRIORITYFLAGS=Accrue_Always", "fair-tree"),
    ] {
        assert_eq!(policy(&[flags])["name"], name, "{flags}");
    }
    let classic = policy(&["fairsharedampeningfactor=5", "priorityflags=NO_FAIR_TREE"]);
    assert_eq!(classic["settings"]["FairShareDampeningFactor"], 5);
    let checked = |settings: &[&str]| {
        let settings = settings.iter().flat_map(|setting| ["--set", setting]);
        Run::fairscope(["check"])
            .arg(&path)
            .args(settings)
            .run()
            .text()
    };
    let never = ["PRIORITYDECAYHALFLIFE=0", "priorityweightfairshare=1"];
    let found = checked(&never);
    found.must_contain("[half-life-zero]");
    found.must_contain("[weight-too-small]");
    for reset in [
        "PriorityUsageResetPeriod=weekly",
        "priorityusageresetperiod=Weekly",
    ] {
        let found = checked(&[never[0], reset]);
        found.must_lack("half-life");
    }
    let refused = Run::fairscope(["show"])
        .arg(&path)
        .args(["--set", "PriorityFlags=FAIRTREE"]);
    let error = refused.run().failure(2);
    error.must_contain("unknown flag 'FAIRTREE'");
}

#[test]
fn explain_accepts_and_prints_partitions_of_associations() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("gold.cfg");
    let dump = "Cluster - 'gold'\nParent - 'root'\nAccount - 'a'\nParent - 'a'\nUser - 'alice':Fairshare=1\n\
                User - 'alice':Partition='gpu':Fairshare=2\n";
    std::fs::write(&path, dump).expect("it can be written");
    for policy in ["fair-tree", "classic", "level-based", "tickets"] {
        let explained = |nodes: &[&str]| {
            let run = Run::fairscope(["explain"]).arg(&path).args(nodes);
            run.args(["--policy", policy]).run().text()
        };
        for node in ["alice@gpu", "a/alice@gpu"] {
            let text = explained(&[node]);
            assert!(text.starts_with("alice@gpu "), "{policy}: {text}");
        }
        let text = explained(&["a/alice"]);
        assert!(text.starts_with("alice "), "{policy}: {text}");
        let text = explained(&["a/alice@gpu", "a/alice"]);
        assert!(
            text.contains("alice@gpu: ") && text.contains("alice: "),
            "{policy}: {text}"
        );
    }
}

#[test]
fn unknown_shares_on_the_command_line_replace_those_of_a_row() {
    let folder = tempfile::tempdir().expect("a directory for the test");
    let csv = "parent,name,shares,usage\n,unknown,0,\n,a,10,5\n,b,10,5\n";
    let rows = "fairscope = 1\n[tree]\nrows = \'\'\'\nunknown 0\na 10 5\nb 10 5\n\'\'\'\n";
    let of_pbs = rows.replacen('\n', "\nscheduler = \"pbs\"\n", 1);
    for (file, text) in [
        ("tree.csv", csv),
        ("plain.toml", rows),
        ("pbs.toml", &of_pbs),
    ] {
        let path = folder.path().join(file);
        std::fs::write(&path, text).expect("the file is written");
        let path = path.to_str().expect("a path in UTF-8");
        let shares = |option: &[&str]| {
            let args = ["show", path, "--policy", "pbs", "--format-out", "csv"];
            let args = args
                .iter()
                .chain(&["--node", "unknown", "--columns", "shares"]);
            Run::fairscope(args.chain(option)).run().success()
        };
        let set = ["--set", "unknown_shares=10"];
        assert_eq!(shares(&set), "shares\n10\n", "{file}");
        let edit = ["--edit", "set unknown_shares=10"];
        let args = ["convert", path, "--to", "csv"];
        let edited = Run::fairscope(args.iter().chain(&edit)).run().text();
        assert!(edited.contains("\n,unknown,10,"), "{file}: {edited}");
        let args = ["check", path, "--policy", "pbs"];
        let check = Run::fairscope(args.iter().chain(&set)).run();
        let note = "unknown has 10 shares by --set unknown_shares, instead of the 0 of its row: PBS has one number for both";
        let text = check.text();
        assert!(text.contains(note), "{file}: {text}");
        Run::fairscope(args).run().text().must_lack("instead of");
    }
}

#[test]
fn a_formula_on_the_command_line_is_not_said_to_be_of_a_file() {
    let args = ["check", &seed(), "--formula", "100*fairshare_factor"];
    let text = Run::fairscope(args).run().text();
    text.must_lack("sched_formula");
}
