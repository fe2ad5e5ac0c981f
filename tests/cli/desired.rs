//! `--desired`: every form of a file of shares, what is wrong with it, and what comes of it.

use super::seed;
use crate::support::command::{Ran, Run};
use crate::support::expected::Expected as _;
use serde_json::Value;

const TREE: &str = "tests/data/slurm/gold.cfg";

fn desired(command: &str, file: &str, more: &[&str]) -> Ran {
    let file = format!("tests/data/desired/{file}");
    Run::fairscope([command, TREE, "--desired", &file])
        .args(more)
        .run()
}

/// Runs `check --format-out json` on a tree with a file of this content.
fn check(tree: &str, text: &str, more: &[&str]) -> (Ran, Value) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wanted");
    std::fs::write(&file, text).unwrap();
    let ran = Run::fairscope(["check", tree, "--format-out", "json", "--desired"]);
    let ran = ran.arg(&file).args(more).run();
    let json = serde_json::from_slice(&ran.stdout).unwrap_or_default();
    (ran, json)
}

/// Returns the lines and codes of the problems of the file, as `3 desired-unknown`.
fn problems(json: &Value) -> Vec<String> {
    let problems = json["problems"].as_array().unwrap().iter();
    let own = problems.filter(|it| it["code"].as_str().unwrap().starts_with("desired"));
    own.map(|it| format!("{} {}", it["line"], it["code"].as_str().unwrap()))
        .collect()
}

/// Returns the differences, as `science 60 50`.
fn differences(json: &Value) -> Vec<String> {
    let differences = json["desired"]["differences"].as_array().unwrap().iter();
    let told = differences.map(|it| {
        let text = format!("{} {} {}", it["path"], it["shares"], it["desired"]);
        text.replace('"', "")
    });
    told.collect()
}

#[test]
fn every_form_says_the_same() {
    for file in ["accounts.conf", "accounts.json"] {
        let ran = desired("whatif", file, &["--format-out", "json"]);
        let json: Value = serde_json::from_str(&ran.text()).unwrap();
        let edits = [
            "shares science/physics=45",
            "add science/geology shares=5 kind=account",
        ];
        let edits = edits
            .iter()
            .all(|edit| json["edits"].as_array().unwrap().contains(&(*edit).into()));
        assert!(edits, "{file}: {json}");
        assert_eq!(json["desired"]["left_out"], 0, "{file}");
    }
    let forms = [
        "physics,45\nscience/geology,5\n",
        "Account;RawShares\nphysics;45\nscience/geology;5\n",
        "path|shares\nscience/physics|45\nscience/geology|5\n",
        "\u{feff}name,parent,shares\r\nphysics,science,45\r\n\r\ngeology,science,5\r\n",
        "parent,name,shares,usage,type\n,science,60,,account\nscience,physics,45,,account\nscience,geology,5,,account\n",
        "# a comment\nphysics:science:45:Physics, and more: everything\ngeology:Science:5\n",
        "account:parent:fairshare:description\nphysics:science:45:\ngeology:science:5:\n",
        "[{\"fairshare\":\"45\",\"name\":\"physics\",\"parent\":\"science\"},\n{\"name\":\"geology\",\"parent\":\"science\",\"fairshare\":5}]",
        "{\"version\":1,\"account\":[{\"name\":\"geology\",\"parent\":\"science\",\"fairshare\":5},{\"name\":\"physics\",\"fairshare\":45}]}",
    ];
    for form in forms {
        let (ran, json) = check(TREE, form, &[]);
        assert_eq!(ran.code, Some(1), "{form}\n{}", ran.stderr);
        let mut told = differences(&json);
        told.sort();
        assert_eq!(
            told,
            ["science/geology null 5", "science/physics 40 45"],
            "{form}"
        );
        assert_eq!(json["desired"]["left_out"], 0, "{form}");
    }
}

#[test]
fn headings_and_forms_say_whose_shares_a_line_tells() {
    let bob = "science/physics/bob 5 8";
    let physics = "science/physics 40 41";
    for (text, expected) in [
        ("account,user,shares\nphysics,bob,8\n", &[bob][..]),
        (
            "account,name,shares\nphysics,bob,8\nphysics,alice,10\n",
            &[bob],
        ),
        (
            "User;Account;RawShares\nbob;physics;8\n;physics;41\n",
            &[physics, bob],
        ),
        (
            "parent,account,username,shares\nscience,physics,bob,8\nscience,physics,,41\n",
            &[physics, bob],
        ),
        (
            "path,user,shares\nscience/physics,bob,8\nscience/physics,,41\n",
            &[physics, bob],
        ),
        ("group\tentity\tshares\nphysics\tbob\t8\n", &[bob]),
        ("name,group,parent,shares\nbob,60,physics,8\n", &[bob]),
        (
            "parent,name,shares,usage,type\nphysics,bob,8,3,user\n",
            &[bob],
        ),
        ("bank,shares\nphysics,41\n", &[physics]),
        // The shares of the account are not in the file.
        ("Account|User|RawShares\nphysics|bob|8\n", &[bob]),
        // A user in a form for accounts.
        (
            "[{\"name\":\"bob\",\"parent\":\"physics\",\"fairshare\":8}]",
            &[bob],
        ),
        ("bob:physics:8:Bob\n", &[bob]),
    ] {
        let (ran, json) = check(TREE, text, &[]);
        assert_eq!(ran.code, Some(1), "{text}\n{}", ran.stderr);
        let mut told = differences(&json);
        told.sort();
        assert_eq!(told, expected, "{text}");
        assert_eq!(json["desired"]["left_out"], 0, "{text}: {json}");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("wanted");
        std::fs::write(&file, text).unwrap();
        let ran = Run::fairscope(["whatif", TREE, "--format-out", "json", "--edits"]);
        let json: Value = serde_json::from_str(&ran.arg(&file).run().text()).unwrap();
        let edits = json["edits"].as_array().unwrap();
        assert_eq!(edits.len(), expected.len(), "{text}: {edits:?}");
    }
    let (ran, _) = check(TREE, "path,name,shares\nphysics,bob,8\n", &[]);
    let error = ran.failure(2);
    let why = "the columns path and name both say whose shares they are; remove one of them";
    error.must_contain(why);
}

#[test]
fn columns_that_are_not_read_are_told() {
    for (heading, told) in [
        (
            "path,shares,comment",
            &["unknown column 'comment'; it is not read"][..],
        ),
        (
            "path,shares,cost,parrent",
            &[
                "unknown column 'cost'; it is not read",
                "unknown column 'parrent'; it is not read",
            ],
        ),
        ("lab,shares,pi", &["unknown column 'pi'; it is not read"]),
        (
            "account,rawshares,fairshare",
            &["the column fairshare is not read beside account, rawshares"],
        ),
    ] {
        let text = format!("{heading}\nphysics,41,x,y\n");
        let (_, json) = check(TREE, &text, &[]);
        let problems = json["problems"].as_array().unwrap().iter();
        let notes = problems.filter(|it| it["code"].as_str().unwrap().ends_with("-column"));
        let notes: Vec<&Value> = notes.collect();
        let messages = notes.iter().map(|it| it["message"].as_str().unwrap());
        assert_eq!(messages.collect::<Vec<_>>(), told, "{heading}");
        for note in notes {
            assert_eq!(
                (&note["severity"], &note["line"]),
                (&"note".into(), &1.into())
            );
        }
        assert_eq!(differences(&json), ["science/physics 40 41"], "{heading}");
        // No line is left out, so gates hold.
        let ran = with(&["whatif"], &text, &["--fail-if", "movers > 100"]);
        assert_eq!(ran.code, Some(0), "{heading}: {}", ran.stderr);
        assert!(ran.stderr.contains(told[0]), "{heading}: {}", ran.stderr);
    }
    let ran = with(&["whatif"], "path,shares\nphysics,41\n", &[]);
    ran.stderr.must_lack("note:");
}

#[test]
fn shares_that_were_assumed_are_never_desired() {
    let dump = "Cluster - 'gold':Fairshare=1\nParent - 'root'\nAccount - 'science':Fairshare=12x\n\
                Account - 'humanities':Fairshare=11\n";
    let flux = "{\"root\":{\"bank\":\"root\",\"shares\":1,\"children\":[{\"bank\":\"science\",\"shares\":null,\
                \"children\":[]},{\"bank\":\"humanities\",\"shares\":11,\"children\":[]}]}}";
    let toml = "fairscope = 1\n[tree]\nrows = '''\nscience\nhumanities 11\n'''\n";
    for (text, left_out) in [(dump, 1), (flux, 0), (toml, 0)] {
        let (_, json) = check(TREE, text, &[]);
        assert_eq!(differences(&json), ["humanities 10 11"], "{text}");
        assert_eq!(json["desired"]["left_out"], left_out, "{json}");
    }
    // Where nothing tells shares, nothing is compared.
    let rows = "Account|User|RawUsage\nroot||3\n science||3\n";
    let error = check(TREE, rows, &[]).0.failure(2);
    error.must_contain("tells no shares");
}

#[test]
fn any_tree_says_what_shares_should_be() {
    let dump = std::fs::read_to_string(TREE).expect("it is ours");
    let bob = "User - 'bob':DefaultAccount='physics':Fairshare=";
    let zoe = "Parent - 'mech'\nUser - 'zoe':Fairshare=3\n";
    let dump = dump
        .replace(&format!("{bob}5"), &format!("{bob}8"))
        .replace("Parent - 'mech'\n", zoe);
    let (ran, json) = check(TREE, &dump, &[]);
    assert_eq!(
        differences(&json),
        ["engineering/mech/zoe null 3", "science/physics/bob 5 8"]
    );
    assert_eq!(ran.code, Some(1));
    let toml = Run::fairscope(["convert", TREE, "--to", "toml"])
        .run()
        .text();
    let (_, json) = check(TREE, &toml, &[]);
    assert_eq!(
        (differences(&json).len(), &json["desired"]["unnamed"]),
        (0, &0.into())
    );
    let ran = Run::fairscope(["check", &seed(), "--desired", &seed()]).run();
    let text = ran.success();
    text.must_contain("names 6 nodes: 6 have the desired shares.\n");
    // A directory, a database.
    let database = "tests/data/flux/44_real_shares/input.db";
    let ran = Run::fairscope(["whatif", database, "--desired", database]).run();
    ran.text().must_begin("No edits: no rank changes.\n");
}

#[test]
fn every_wrong_line_is_a_numbered_problem_and_the_others_count() {
    for (text, expected) in [
        (
            "path,shares\nphysics,-2\nchem\nnobody,3\nscience/bio,2.5\nphysics,41\nphysics,42\n,7\nbio,\nee,many\n",
            &[
                "2 desired-bad-line",
                "3 desired-bad-line",
                "4 desired-unknown",
                "5 desired-bad-line",
                "7 desired-twice",
                "8 desired-bad-line",
                "9 desired-bad-line",
                "10 desired-bad-line",
            ][..],
        ),
        (
            "physics:science:41:P\nbio,35\nchem:science\nnew:nowhere:4:N\nee:engineering:-1:E\nmech:engineering::M\n",
            &[
                "2 desired-bad-line",
                "3 desired-bad-line",
                "4 desired-unknown",
                "5 desired-bad-line",
                "6 desired-bad-line",
            ],
        ),
        (
            "[{\"name\":\"physics\",\"fairshare\":41},\n{\"parent\":\"science\",\"fairshare\":1},\n{\"name\":\"bio\"},\n7,\n{\"name\":\"new\",\"fairshare\":3},\n{\"name\":\"ch",
            &[
                "2 desired-bad-line",
                "3 desired-bad-line",
                "4 desired-bad-line",
                "5 desired-unknown",
                "6 desired-bad-line",
            ],
        ),
    ] {
        let (ran, json) = check(TREE, text, &[]);
        assert_eq!(ran.code, Some(1), "{text}");
        assert_eq!(problems(&json), expected, "{text}");
        assert_eq!(differences(&json), ["science/physics 40 41"], "{text}");
        assert_eq!(json["desired"]["left_out"], expected.len(), "{text}");
    }
    // What the scheduler of the tree does not accept.
    let (_, json) = check(&seed(), "bob,parent\ncathy,3000000000\nsuzy,7\n", &[]);
    assert_eq!(problems(&json), ["1 desired-refused", "2 desired-refused"]);
}

#[test]
fn a_file_that_tells_no_shares_is_refused() {
    for (text, reason) in [
        ("", "empty"),
        ("\n# nothing\n", "tells no shares"),
        (
            "path,nodes\nphysics,many\n",
            "tells no shares (nodes is not a number of shares",
        ),
        ("{\"accounts\": [", "tells no shares (the JSON breaks off"),
        ("[]", "tells no shares"),
        (
            "hello",
            "tells no shares (the name or the shares are missing",
        ),
    ] {
        let error = check(TREE, text, &[]).0.failure(2);
        assert!(error.contains(reason), "{text}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    let error = Run::fairscope(["whatif", TREE, "--desired", "gone.csv"])
        .run()
        .failure(2);
    error.must_end("gone.csv: no such file or directory\n");
}

#[test]
fn names_in_two_places_and_unknown_names_say_what_to_write() {
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().join("tree.csv");
    let rows = "parent,name,shares,type\n,a,1,account\na,ann,2,user\n,b,1,account\nb,ann,3,user\nb,bob,1,user\n";
    std::fs::write(&tree, rows).unwrap();
    let (_, json) = check(
        tree.to_str().unwrap(),
        "ann,5\nbobb,3\nb/ann,4\nb/zoe,2\n",
        &[],
    );
    let messages: Vec<&str> = json["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["message"].as_str().unwrap())
        .collect();
    assert_eq!(
        messages,
        [
            "2 nodes are called ann, such as a/ann and b/ann; write the path of the one you mean",
            "unknown node 'bobb'; did you mean 'b/bob'?",
        ]
    );
    assert_eq!(differences(&json), ["b/ann 3 4", "b/zoe null 2"]);
}

#[test]
fn new_names_are_added_below_the_account_that_is_given() {
    let edits = |below: &[&str]| {
        let json = desired(
            "whatif",
            "labs.tsv",
            &[&["--format-out", "json"], below].concat(),
        );
        let json: Value = serde_json::from_str(&json.text()).unwrap();
        json["edits"]
            .as_array()
            .unwrap()
            .last()
            .unwrap()
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(edits(&[]), "shares science/chem=20");
    assert_eq!(
        edits(&["--add-below", "/"]),
        "add geology shares=5 kind=account"
    );
    assert_eq!(
        edits(&["--add-below", "science"]),
        "add science/geology shares=5 kind=account"
    );
    let error = desired("whatif", "labs.tsv", &["--add-below", "sciense"]).failure(2);
    error.must_begin("fairscope: --add-below: unknown node 'sciense'; did you mean 'science'?");
}

#[test]
fn an_account_that_is_elsewhere_in_the_file_stays_and_is_told() {
    let text = "engineering::30:\nchem:engineering:20:Chemistry\nnew:engineering:3:\nsub:new:2:\n";
    let (ran, json) = check(TREE, text, &[]);
    assert_eq!(ran.code, Some(1));
    assert_eq!(
        differences(&json),
        [
            "science/chem 25 20",
            "engineering/new null 3",
            "engineering/new/sub null 2"
        ]
    );
    assert_eq!(json["desired"]["moved"][0]["path"], "science/chem");
    assert_eq!(json["desired"]["moved"][0]["desired"], "engineering/chem");
}

#[test]
fn check_is_a_report_of_drift() {
    let ran = desired("check", "shares.csv", &[]);
    assert_eq!(ran.code, Some(1));
    let text = ran.text();
    for line in [
        "warning: shares of science are 60, desired 50; ",
        "shares.csv names 3 nodes: 1 has the desired shares, 2 differ, 20 others stay unchanged.\n",
        "science/physics  shares      40     55\n",
    ] {
        text.must_contain(line);
    }
    let folder = tempfile::tempdir().unwrap();
    let same = folder.path().join("same.csv");
    std::fs::write(&same, "suzy,60\n").unwrap();
    let ran = Run::fairscope(["check", &seed(), "--desired"])
        .arg(&same)
        .run();
    ran.success()
        .must_contain("names 1 node: 1 has the desired shares, 5 others stay unchanged.");
}

#[test]
fn a_plan_has_the_commands_and_the_rollback() {
    let ran = desired("plan", "accounts.conf", &[]);
    ran.stderr.must_contain(
        "accounts.conf names 4 nodes: 1 has the desired shares, 2 differ, 1 is missing, ",
    );
    let text = ran.text();
    for command in [
        "sacctmgr -i add account name=geology cluster=gold parent=science fairshare=5",
        "sacctmgr -i modify account where name=physics cluster=gold set fairshare=45",
        "sacctmgr -i modify account where name=ee cluster=gold set fairshare=parent",
        "sacctmgr -i modify account where name=physics cluster=gold set fairshare=40",
        "sacctmgr -i delete account where name=geology cluster=gold",
    ] {
        text.must_contain(command);
    }
}

#[test]
fn edits_take_every_form_and_all_of_its_lines_or_none() {
    let edits = |file: &str| Run::fairscope(["whatif", TREE, "--edits", file]).run();
    let error = edits("tests/data/desired/accounts.conf").failure(2);
    error.must_contain("accounts.conf:4: unknown node 'science/geology'; ");
    let text = edits("tests/data/desired/shares.csv").text();
    text.must_begin("Lowering science from 60 to 50 and raising science/physics from 40 to 55: ");
}

#[test]
fn the_explorer_opens_with_unsaved_edits() {
    let screen = |more: &[&str]| {
        let args = [
            "screenshot",
            TREE,
            "--format-out",
            "text",
            "--size",
            "100x24",
            "--desired",
        ];
        Run::fairscope(args).args(more).run().success()
    };
    let text = screen(&["tests/data/desired/shares.csv"]);
    text.must_contain("1 edit ●");
    text.must_contain("names 3 nodes: 1 has the desired shares, 2 differ");
    let undone = screen(&["tests/data/desired/shares.csv", "--keys", "u"]);
    undone.must_lack("edit ●");
    let error = screen(&["tests/data/desired/labs.tsv", "--add-below", "sciense"]);
    error.must_contain("unknown node 'sciense'");
    let error = Run::fairscope([TREE, "--desired", "tests/data/desired/labs.tsv"])
        .run()
        .failure(2);
    error.must_contain("--desired needs the explorer");
}

#[test]
fn the_comment_has_the_verdict_first_and_keeps_its_promises() {
    let text = desired("whatif", "shares.csv", &["--format-out", "markdown"]).text();
    text.must_begin("Lowering science from 60 to 50 and raising science/physics from 40 to 55: ");
    let order = [
        "**Who gains, who loses**",
        "**Who pays. Diluted",
        "trade science=50",
        "<details><summary>Commands for Slurm, and the rollback</summary>",
        "sacctmgr -i modify account where name=physics cluster=gold set fairshare=55",
        "## Rollback",
        "</details>",
        "<details><summary>Nodes that are edited or change rank</summary>",
    ];
    let places: Vec<_> = order
        .iter()
        .map(|part| text.find(part).unwrap_or_else(|| panic!("{part}:\n{text}")))
        .collect();
    assert!(places.is_sorted(), "{places:?}\n{text}");
    for (edit, heading) in [
        ("shares science=50", "**Who loses**"),
        ("shares science=70", "**Who gains**"),
    ] {
        let one = Run::fairscope(["whatif", TREE, "--edit", edit, "--format-out", "markdown"]);
        let one = one.run().text();
        one.must_contain(heading);
    }
    // The edits in the comment keep the sum of each level.
    for line in text.lines().filter(|line| line.starts_with("trade ")) {
        let json = Run::fairscope(["whatif", TREE, "--format-out", "json", "--edit", line])
            .run()
            .text();
        let json: Value = serde_json::from_str(&json).unwrap();
        let sum = |side: &str| -> i64 {
            let is_here = |it: &&Value| {
                let path = it["path"].as_str().unwrap();
                if line.contains('/') {
                    path.starts_with("science/") && path.matches('/').count() == 1
                } else {
                    !path.is_empty() && !path.contains('/')
                }
            };
            let nodes = json["nodes"].as_array().unwrap().iter().filter(is_here);
            nodes.map(|it| it[side]["shares"].as_i64().unwrap()).sum()
        };
        assert_eq!(sum("before"), sum("after"), "{line}");
    }
}

/// Returns how a command ends with a file of this content.
fn with(command: &[&str], text: &str, more: &[&str]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wanted.csv");
    std::fs::write(&file, text).unwrap();
    let run = Run::fairscope([command[0], TREE]).args(&command[1..]);
    run.arg("--desired").arg(&file).args(more).run()
}

/// Desired shares of which one line names nobody.
const NOBODY: &str = "path,shares\nscience,50\nnobody,3\n";

#[test]
fn what_is_left_out_ends_the_report_and_the_exit_tells_it() {
    let line = "wanted.csv:3: error: unknown node 'nobody'; write the path from the root, as in group/user, or a name that \
                occurs once; the line is left out\n";
    for command in ["whatif", "plan"] {
        let ran = with(&[command], NOBODY, &[]);
        assert_eq!(ran.code, Some(1), "{command}: {}", ran.stderr);
        let end = ran.stderr.lines().last().unwrap_or_default().to_owned();
        end.must_contain("1 line is left out of ");
        let text = ran.text();
        text.must_contain("science");
        assert!(text.ends_with(line), "{command}: {text}");
        let ran = with(&[command], NOBODY, &["--format-out", "json"]);
        assert_eq!(ran.code, Some(1));
        assert!(ran.stderr.ends_with(line), "{command}: {}", ran.stderr);
    }
    for command in [
        &["solve", "--node", "physics"][..],
        &["simulate", "--until", "1d"],
        &["convert", "--to", "csv"],
        &["advise", "--goal", "total = 385"],
    ] {
        let ran = with(command, NOBODY, &[]);
        assert_eq!(ran.code, Some(1), "{command:?}: {}", ran.stderr);
        assert!(ran.stderr.ends_with(line), "{command:?}: {}", ran.stderr);
        let ran = with(command, "path,shares\nscience,50\n", &[]);
        assert_eq!(ran.code, Some(0), "{command:?}: {}", ran.stderr);
    }
    // Where its place is known it is an addition.
    for (text, more) in [
        (NOBODY, &["--add-below", "science"][..]),
        ("name,parent,shares\nnobody,science,3\n", &[]),
    ] {
        let ran = with(&["plan"], text, more);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let text = ran.text();
        text.must_contain("add account name=nobody");
    }
}

#[test]
fn a_gate_with_lines_left_out_is_never_held() {
    let gate = ["--fail-if", "diluted > 90%"];
    let held = with(&["whatif"], "path,shares\nscience,50\n", &gate);
    assert_eq!(held.code, Some(0), "{}", held.stderr);
    let ran = with(&["whatif"], NOBODY, &gate);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let text = ran.text();
    let told = "without 1 line of the desired shares, so its gate counts as broken (--fail-if 'diluted > 90%')";
    text.must_contain(told);
    let ran = with(
        &["whatif"],
        NOBODY,
        &[&gate[..], &["--format-out", "json"]].concat(),
    );
    let json: Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(json["gates"][0]["broken"], true);
    let ran = with(
        &["check"],
        NOBODY,
        &["--fail-if", "gini > 100%", "--format-out", "json"],
    );
    assert_eq!(ran.code, Some(1));
    let json: Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(json["gates"][0]["broken"], true);
}
