//! The JSON of the commands: keys that scripts may rely on. Other keys may be present too.

use super::seed;
use crate::support::command::Run;
use crate::support::data;
use fairscope::rules::policy::Policy;
use serde_json::Value;

/// Keys of every answer about a tree.
const ENVELOPE: [&str; 4] = ["schema", "source", "policy", "problems"];

/// Keys of every node under every policy.
const NODE: [&str; 9] = [
    "path", "name", "kind", "depth", "shares", "usage", "rank", "parent", "factor",
];

const CAUSES: [&str; 5] = [
    "own_usage",
    "account_usage",
    "others",
    "shares",
    "structure",
];

fn json(args: &[&str]) -> Value {
    let ran = Run::fairscope(args).args(["--format-out", "json"]).run();
    assert!(matches!(ran.code, Some(0 | 1)), "{args:?}: {}", ran.stderr);
    let json: Value = serde_json::from_str(&ran.text()).expect("it is JSON");
    assert_eq!(json["schema"], "fairscope/1", "{args:?}");
    assert_keys(&json, &ENVELOPE);
    assert_keys(&json["source"], &["format", "path", "taken", "usage_unit"]);
    assert_keys(&json["policy"], &["name", "settings"]);
    assert!(json["problems"].is_array(), "{args:?}");
    json
}

#[track_caller]
fn assert_keys(json: &Value, keys: &[&str]) {
    let object = json.as_object().expect("an object");
    for &key in keys {
        assert!(object.contains_key(key), "{key} is missing in {json}");
    }
}

#[track_caller]
fn assert_node(json: &Value) {
    assert_keys(json, &NODE);
}

fn trees() -> [String; 3] {
    let text = |path: std::path::PathBuf| path.into_os_string().into_string().expect("UTF-8");
    [
        seed(),
        text(data("slurm/gold")),
        text(data("flux/45_wal_after_update_fshare/input.db")),
    ]
}

/// A user of each of the trees, in the same order.
const USERS: [&str; 3] = ["bob", "alice", "leaf.1.1"];

#[test]
fn a_ranking_lists_users_from_the_highest_rank_down() {
    for tree in trees() {
        for policy in Policy::ALL {
            if *policy == Policy::Formula {
                continue;
            }
            let json = json(&["rank", &tree, "--policy", policy.name()]);
            assert_eq!(json["policy"]["name"], policy.name());
            let ranking = json["ranking"].as_array().expect("a list");
            assert!(!ranking.is_empty());
            ranking.iter().for_each(assert_node);
            assert!(ranking.iter().all(|node| node["kind"] == "user"));
            let ranks: Vec<u64> = ranking
                .iter()
                .filter_map(|node| node["rank"].as_u64())
                .collect();
            assert!(ranks.is_sorted(), "{ranks:?}");
        }
    }
}

#[test]
fn an_explanation_holds_the_path_and_two_explanations_where_the_paths_diverge() {
    for (tree, user) in trees().iter().zip(USERS) {
        let json = json(&["explain", tree, user]);
        assert_node(&json["node"]);
        let levels = json["levels"].as_array().expect("a list");
        assert_eq!(json["node"]["depth"], levels.len());
        for level in levels {
            assert_keys(level, &["path"]);
        }
        assert!(json["text"].is_string());
    }
    let json = json(&["explain", &seed(), "suzy", "bob"]);
    assert_eq!(json["split"]["path"], "");
    assert_eq!(json["split"]["sides"].as_array().map(Vec::len), Some(2));
    assert!(json["text"].is_string());
}

#[test]
fn policies_hold_a_rank_by_each_and_tau_by_pair() {
    let json = json(&["policies", &seed()]);
    let nodes = json["nodes"].as_array().expect("a list");
    assert_eq!(nodes.len(), 4);
    for node in nodes {
        assert_keys(node, &["path", "ranks"]);
        assert_keys(&node["ranks"], &["pbs", "fair-tree", "flux"]);
    }
    let tau = json["tau"].as_object().expect("an object");
    assert!(tau.keys().all(|pair| pair.split(' ').count() == 2));
    assert!(tau.values().all(Value::is_number));
}

#[test]
fn a_what_if_holds_nodes_before_and_after_and_its_impact() {
    let edits = ["--edit=add group1/zoe shares=5", "--edit=remove cathy"];
    let json = json(&["whatif", &seed(), edits[0], edits[1]]);
    assert_eq!(json["edits"].as_array().map(Vec::len), Some(2));
    let nodes = json["nodes"].as_array().expect("a list");
    for node in nodes {
        assert_keys(node, &["path", "before", "after", "rank_change"]);
        for side in ["before", "after"] {
            if !node[side].is_null() {
                assert_node(&node[side]);
            }
        }
    }
    let by_path = |path: &str| nodes.iter().find(|node| node["path"] == path);
    assert!(by_path("group1/zoe").expect("it is new")["before"].is_null());
    assert!(by_path("group1/cathy").expect("it is gone")["after"].is_null());
    let counts = [
        "moved",
        "winners",
        "losers",
        "diluted",
        "ties_made",
        "ties_broken",
    ];
    for count in counts {
        assert!(json["impact"][count].is_u64(), "{count}");
    }
}

#[test]
fn a_plan_holds_commands_as_lists_of_texts() {
    for (tree, user) in trees().iter().zip(USERS) {
        let edit = format!("--edit=shares {user}=7");
        let json = json(&["plan", tree, &edit]);
        assert!(json["for"].is_string());
        for list in ["commands", "rollback", "effective", "cannot"] {
            let list = json[list].as_array().expect(list);
            assert!(list.iter().all(Value::is_string));
        }
        let files = json["files"].as_object().expect("an object");
        assert!(files.values().all(Value::is_string));
    }
}

#[test]
fn an_answer_holds_shares_or_null_and_the_reason() {
    for (tree, user) in trees().iter().zip(USERS) {
        for goal in ["rank<=1", "factor>=0.0001", "factor>=2"] {
            let json = json(&["solve", tree, "--node", user, "--goal", goal]);
            assert_eq!(json["goal"], goal);
            assert!(json["node"].is_string() && json["reason"].is_string());
            assert_node(&json["before"]);
            assert_keys(&json, &["answer", "after"]);
            if json["answer"].is_null() {
                assert!(json["after"].is_null());
            } else {
                assert!(json["answer"]["shares"].is_u64());
                assert_node(&json["after"]);
            }
        }
    }
}

#[test]
fn a_simulation_holds_moments_series_and_when_goals_are_reached() {
    for (tree, user) in trees().iter().zip(USERS) {
        let mut args = vec![
            "simulate", tree, "--until", "3d", "--step", "1d", "--node", user,
        ];
        args.extend(["--pace", "steady", "--idle", user]);
        args.extend(["--goal", "rank<=1", "--goal", "factor>=2"]);
        let json = json(&args);
        let times = json["times"].as_array().expect("a list");
        assert_eq!(times.len(), 4);
        for list in ["seconds", "assumptions"] {
            assert!(json[list].is_array(), "{list}");
        }
        let series = json["series"].as_array().expect("a list");
        assert_eq!(series.len(), 1);
        assert_keys(&series[0], &["path"]);
        for numbers in ["usage", "usage_share", "factor", "rank"] {
            let numbers = series[0][numbers].as_array().expect(numbers);
            assert_eq!(numbers.len(), times.len());
        }
        let recovery = json["recovery"].as_array().expect("a list");
        assert_eq!(recovery.len(), 2);
        for recovery in recovery {
            let keys = [
                "path", "goal", "reached", "reason", "never", "now", "then", "text",
            ];
            assert_keys(recovery, &keys);
            assert_eq!(
                recovery["reached"].is_null(),
                recovery["reason"].is_string()
            );
        }
        assert!(json["compared"].is_null());
    }
}

#[test]
fn a_difference_holds_moves_with_their_causes() {
    let folder = tempfile::tempdir().expect("a folder");
    let scenario = folder.path().join("less.toml");
    let text = format!(
        "fairscope = 1\n[source]\npath = {:?}\n[[edit]]\ndo = \"shares bob=5\"\n",
        seed()
    );
    std::fs::write(&scenario, text).expect("it can be written");
    let json = json(&["diff", &seed(), scenario.to_str().expect("UTF-8")]);
    for list in ["added", "removed", "changed", "moves"] {
        assert!(json[list].is_array(), "{list}");
    }
    let moves = json["moves"].as_array().expect("a list");
    assert_eq!(moves.len(), 2);
    for user in moves {
        assert_keys(user, &["path", "rank_before", "rank_after", "because"]);
        assert_keys(&user["because"], &CAUSES);
        let places = |key: &str| user[key].as_i64().expect("a rank");
        let causes = user["because"].as_object().expect("an object");
        let sum: i64 = causes.values().filter_map(Value::as_i64).sum();
        assert_eq!(sum, places("rank_before") - places("rank_after"));
    }
}

#[test]
fn a_check_holds_findings_what_was_verified_and_what_was_detected() {
    for tree in trees() {
        let json = json(&["check", &tree]);
        assert!(json["findings"].is_array());
        assert_keys(&json, &["verified", "detected"]);
        if json["verified"].is_null() {
            continue;
        }
        assert!(json["verified"]["stale"].is_boolean());
        let columns = json["verified"]["columns"].as_object().expect("an object");
        for column in columns.values() {
            assert_keys(
                column,
                &["rows", "equal", "first_difference", "largest_difference"],
            );
        }
        if !json["detected"].is_null() {
            let keys = ["policy", "settings", "evidence", "certain"];
            assert_keys(&json["detected"], &keys);
        }
    }
    let path = data("careless")
        .into_os_string()
        .into_string()
        .expect("UTF-8");
    let json = json(&["check", &path]);
    for list in ["problems", "findings"] {
        let list = json[list].as_array().expect(list);
        assert!(!list.is_empty());
        for problem in list {
            let keys = [
                "severity", "code", "file", "line", "column", "message", "advice",
            ];
            assert_keys(problem, &keys);
        }
    }
}
