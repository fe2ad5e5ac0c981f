//! `advise`: proposals, contradictions, bad input and JSON; and a real history of labs and their shares.

use super::seed;
use crate::support::command::{Ran, Run};
use crate::support::expected::Expected as _;
use crate::support::{data, golden};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn gold() -> String {
    data("slurm/gold").to_str().unwrap().to_owned()
}

fn advise(goals: &[&str]) -> Ran {
    let goals = goals.iter().flat_map(|goal| ["--goal", goal]);
    Run::fairscope(["advise", &gold()]).args(goals).run()
}

fn json(source: &str, args: &[&str], code: i32) -> Value {
    let ran = Run::fairscope(["advise", source, "--format-out", "json"])
        .args(args)
        .run();
    assert_eq!(ran.code, Some(code), "{}", ran.stderr);
    serde_json::from_str(&ran.text()).expect("it is JSON")
}

#[test]
fn a_proposal_has_its_edits_its_goals_and_who_pays() {
    let text = advise(&["share(humanities) >= 25%", "keep(others)"]).success();
    let expected = "\
2 lines change, and all goals hold; no fewer would do.
  shares humanities=26  (was 10)
  shares science=45  (was 60)

Goal                      Before  After
share(humanities) >= 25%    9.9%  25.5%  held
keep(others)                0.0%  -1.0%  held

Who pays     Before  After  Change
science       59.4%  44.1%  -25.7%  edited
engineering   29.7%  29.4%   -1.0%  diluted
root           1.0%   1.0%   -1.0%  diluted

Shares matter only while the machine is full.

To try it:
all 2 edits above, together
";
    assert_eq!(text, expected);
}

#[test]
fn a_contradiction_is_the_smallest_set_with_how_near_each_goal_comes() {
    let ran = advise(&[
        "lines <= 3",
        "share(humanities) >= 60%",
        "share(science) >= 60%",
    ]);
    assert_eq!(ran.code, Some(1));
    let expected = "\
No shares keep all goals: these 2 contradict each other.

Goal                      Before  Nearest
share(humanities) >= 60%    9.9%    40.0%
share(science) >= 60%      59.4%    40.0%

Shares matter only while the machine is full.
";
    assert_eq!(ran.text(), expected);
}

#[test]
fn a_time_goal_is_met_by_the_half_life_and_measured_on_a_machine() {
    let json = json(&gold(), &["--goal", "back(science/physics) <= 1d"], 0);
    assert_eq!(
        json["edits"],
        serde_json::json!(["set PriorityDecayHalfLife=1-08:47:00"])
    );
    assert_eq!(json["goals"][0]["met"], true);
    let [formula, measured] = ["formula", "simulated"].map(|key| json["times"][0][key].as_f64());
    let off = measured.unwrap() / formula.unwrap() - 1.0;
    assert!(off.abs() < 0.1, "off by {off}");
}

#[test]
fn a_rank_is_paid_by_few_where_nobody_else_may_be_diluted() {
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().join("tree.csv");
    let labs = (0..20).map(|lab| {
        let usage = if lab == 0 { 500 } else { 100 + lab };
        format!(",lab{lab},100,,account\nlab{lab},u{lab},1,{usage},user\n")
    });
    let rows = format!(
        "parent,name,shares,usage,type\n{}",
        labs.collect::<String>()
    );
    fs::write(&tree, rows).unwrap();
    let goals = ["--goal", "rank(u0) <= 3", "--goal", "keep(others)"];
    let proposal = json(tree.to_str().unwrap(), &goals, 0);
    let edits = proposal["edits"].as_array().unwrap();
    assert!((2..=6).contains(&edits.len()), "{proposal}");
    let goals = proposal["goals"].as_array().unwrap();
    assert!(goals.iter().all(|goal| goal["met"] == true), "{proposal}");
}

/// Writes rows of a tree, and runs `advise` on it with some goals, for so long at most.
fn advise_within(within: &str, rows: &str, goals: &[&str]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().join("tree.csv");
    fs::write(&tree, format!("parent,name,shares,usage,type\n{rows}")).unwrap();
    let goals = goals.iter().flat_map(|goal| ["--goal", goal]);
    let tree = tree.to_str().unwrap();
    Run::fairscope(["advise", tree, "--within", within])
        .args(goals)
        .run()
}

/// Writes rows of a tree, and runs `advise` on it with some goals to which it finds an answer.
fn advise_on(rows: &str, goals: &[&str]) -> Ran {
    advise_within("5m", rows, goals)
}

#[test]
fn who_has_to_get_nothing_is_named() {
    let rows = ",a0,10,1,user\n,a1,10,1,user\n,a2,14,50,user\n,x,10,1,user\n,y,10,1,user\n";
    let ran = advise_on(rows, &["share(x) >= 50%", "share(y) >= 50%"]);
    let text = ran.success();
    let first =
        "Only if some get nothing, here a0, a1 and a2: 3 lines change, and all goals hold.\n";
    text.must_begin(first);
    text.must_contain("  shares a2=0  (was 14)\n");
    // Where everybody can keep a share, everybody does.
    let text = advise_on(rows, &["share(x) >= 50%"]).success();
    text.must_contain("  shares x=44  (was 10)\n");
}

#[test]
fn nobody_is_diluted_where_everybody_is_edited() {
    let rows = ",a,20,1,user\n,b,20,2,user\n,c,20,3,user\n";
    let text = advise_on(rows, &["total = 120", "keep(others)"]).success();
    let edits = "  shares a=40  (was 20)\n  shares b=40  (was 20)\n  shares c=40  (was 20)\n";
    text.must_begin("3 lines change, and all goals hold");
    text.must_contain(edits);
    let ran = advise_on(rows, &["total = 120", "keep(others)", "lines <= 2"]);
    assert_eq!(ran.code, Some(1));
    let first = "No shares keep all goals: these 3 contradict each other.\n";
    let text = ran.text();
    text.must_begin(first);
}

#[test]
fn accounts_and_their_users_change_together() {
    let rows = ",physics,50,,account\n,chemistry,50,,account\nphysics,ann,10,5,user\nphysics,bob,10,5,user\n\
                chemistry,cy,10,5,user\nchemistry,di,10,5,user\n";
    let text = advise_on(rows, &["share(ann) >= 51%"]).success();
    // Of all with two lines, Cy and Di lose least by these: 35.1 %.
    let expected = "\
2 lines change, and the goal holds; no fewer would do.
  shares physics=104  (was 50)
  shares physics/ann=31  (was 10)
";
    text.must_begin(expected);
}

#[test]
fn those_whom_goals_name_change_first() {
    let goals = ["--goal", "share(physics) >= 50%"];
    let edits = json("example:site", &goals, 0);
    assert_eq!(edits["edits"], serde_json::json!(["shares physics=60"]));
}

#[test]
fn a_goal_that_is_given_twice_is_one() {
    let rows = ",physics,50,,account\n,chemistry,50,,account\nphysics,ann,10,5,user\nchemistry,cy,10,5,user\n";
    let goals = ["share(physics) >= 60%", "share( physics ) >= 0.6"];
    let ran = advise_on(rows, &[goals[0], goals[1], "share(chemistry) >= 60%"]);
    assert_eq!(ran.code, Some(1));
    let text = ran.text();
    text.must_contain("these 2 contradict each other");
    let counted = "share(physics) >= 60 of 100 nodes";
    let text = advise_on(rows, &[goals[0], goals[0], counted]).success();
    text.must_begin("1 line changes, and the goal holds");
}

#[test]
fn siblings_with_parent_shares_are_no_obstacle() {
    let rows = ",physics,parent,,account\n,chemistry,4,,account\n,biology,6,,account\nphysics,ann,10,5,user\n\
                physics,bob,parent,5,user\nchemistry,cy,10,5,user\nbiology,di,10,5,user\n";
    // Ann is on the level of the accounts: 10 of 20.
    let text = advise_on(rows, &["share(chemistry) >= 50%"]).success();
    text.must_contain("  shares chemistry=16  (was 4)\n");
    let text = advise_on(rows, &["share(ann) >= 60%", "keep(others)"]).success();
    // Biology is edited, so it pays alone.
    text.must_contain("  shares biology=2  (was 6)\n");
    let only = ",physics,parent,,account\n,chemistry,parent,,account\nphysics,ann,parent,5,user\n";
    for goal in ["keep(others)", "lines <= 2"] {
        let text = advise_on(only, &[goal]).success();
        text.must_begin("Nothing needs to change");
    }
    let ran = advise_on(only, &["total = 10"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let ran = advise_on(only, &["share(ann) >= 10%"]);
    ran.stderr.must_contain("has no share of its own");
}

#[test]
fn golden_a_level_of_slurm_with_a_parent_sibling_is_as_solve_says() {
    let Some(folder) = golden("slurm_jobs2/advise-parent-level") else {
        return;
    };
    let goals = ["--goal", "share(climate/atmos) >= 18%"];
    let proposal = json(folder.to_str().unwrap(), &goals, 0);
    assert_eq!(
        proposal["edits"],
        serde_json::json!(["shares climate/atmos=6"])
    );
}

#[test]
fn whoever_has_no_shares_has_none_to_lose() {
    let rows = ",a,20,1,user\n,b,20,2,user\n,guest,0,3,user\n";
    let text = advise_on(rows, &["total = 80", "keep(others)"]).success();
    text.must_begin("2 lines change, and all goals hold");
}

#[test]
fn what_was_not_found_is_no_contradiction() {
    let rows = ",a,10,100,user\n,b,10,0,user\n,c,10,0,user\n";
    let goals = ["rank(a) <= 1", "keep(b)", "keep(c)", "lines <= 1"];
    let ran = advise_within("1s", rows, &goals);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let text = ran.text();
    text.must_begin("No shares were found that ");
    text.must_contain("a longer search may find some");
}

#[test]
fn a_tree_without_a_scheduler_is_not_blamed_for_its_clock() {
    let rows = ",physics,50,,account\n,chemistry,50,,account\nphysics,ann,10,100000,user\nchemistry,cy,10,5,user\n";
    let text = advise_on(rows, &["back(physics) <= 3d"]).success();
    text.must_contain(" by the formula, ");
    text.must_lack("breaks the promise");
}

#[test]
fn json_has_the_keys_of_the_contract() {
    let goals = [
        "--goal",
        "share(humanities) = 10 of 100 nodes",
        "--goal",
        "rank(mia) <= 2",
    ];
    let proposal = json(&gold(), &goals, 0);
    assert_eq!(proposal["schema"], "fairscope/1");
    assert_eq!(proposal["edits"], serde_json::json!(["shares science=59"]));
    assert_eq!(proposal["contradiction"], serde_json::json!([]));
    assert_eq!(
        proposal["goals"][0]["goal"],
        "share(humanities) = 10 of 100 nodes"
    );
    assert_eq!(proposal["goals"][1]["after"], 2);
    assert_eq!(proposal["who_pays"][0]["path"], "science", "{proposal}");
    let both = [
        "--goal",
        "share(science) >= 25%",
        "--goal",
        "share(science) <= 20%",
    ];
    let contradiction = json(&gold(), &both, 1);
    assert_eq!(contradiction["edits"], serde_json::json!([]));
    let set = serde_json::json!(["share(science) >= 25%", "share(science) <= 20%"]);
    assert_eq!(contradiction["contradiction"], set);
}

#[test]
fn other_half_lives_are_a_table_with_the_present_one_marked() {
    let text = Run::fairscope(["advise", &gold(), "--half-life", "1d..14d"])
        .run()
        .success();
    let now: Vec<&str> = text.lines().filter(|line| line.contains("now")).collect();
    assert_eq!(now.len(), 1, "{text}");
    assert!(
        now[0].contains("7 d") && now[0].contains("23 d 6 h"),
        "{text}"
    );
    text.must_contain("With a half-life of 7 d, somebody served 10.0x their share");
}

#[test]
fn bad_goals_say_what_is_accepted() {
    let expected = [
        ("share(nobody) >= 25%", "'nobody'"),
        (
            "share(science) >= 110%",
            "110% is not a share; expected more than 0% and at most 100%",
        ),
        ("share(science) >= 0%", "0% is not a share"),
        ("share(science) > 10%", "expected share(PATH) >= 25%"),
        ("shares(science) >= 10%", "did you mean 'share'?"),
        ("rank(mia) <= 0", "is not a valid rank"),
        ("ahead(mia)", "expected ahead(A, B)"),
        ("ahead(mia, mia)", "cannot be ahead of itself"),
        (
            "back(science) <= soon",
            "soon is not a duration; expected a number of seconds",
        ),
        (
            "lines <= none",
            "none does not fit lines; expected a whole number from 1 up",
        ),
        ("total = 0", "0 does not fit total"),
        ("keep()", ""),
        ("keep", "expected keep(PATH) or keep(others)"),
        ("", "unknown goal ''"),
        ("on-target(/)", "choose a node below it"),
    ];
    for (goal, message) in expected {
        let ran = advise(&[goal]);
        assert_eq!(ran.code, Some(2), "{goal}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{goal}: {}", ran.stderr);
    }
    let seed = seed();
    let without = Run::fairscope(["advise", &seed]).run();
    without.stderr.must_contain("no goals given; add one");
    let set = [
        "--set",
        "PriorityDecayHalfLife=0",
        "--goal",
        "back(science) <= 3d",
    ];
    let ran = Run::fairscope(["advise", &gold()]).args(set).run();
    assert_eq!(ran.code, Some(2));
    ran.stderr.must_contain("usage does not decay here");
}

#[test]
fn any_time_may_be_given_to_the_search_but_no_machine_is_without_cores() {
    let goal = ["--goal", "share(humanities) >= 25%"];
    let long = ["--within", "99999999999999999d"];
    let edits = json(&gold(), &[&goal[..], &long].concat(), 0);
    assert_eq!(edits["edits"], serde_json::json!(["shares humanities=31"]));
    let ran = Run::fairscope(["advise", &gold(), "--cores", "0"])
        .args(goal)
        .run();
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
}

#[test]
fn goals_of_a_file_are_refused_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("goals.toml");
    let run = |text: &str| {
        fs::write(&file, text).unwrap();
        Run::fairscope(["advise", &gold(), "--goals"])
            .arg(&file)
            .run()
    };
    let text = run("goals = [\n  'share(humanities) >= 25%',\n  'lines <= 1',\n]\n").success();
    text.must_begin("1 line changes, and all goals hold");
    let ran = run("goals = [\n  'lines <= 1',\n  'line <= 1',\n]\n");
    ran.stderr.must_contain("goals.toml:3: unknown goal 'line'");
    let ran = run("goal = []\n");
    ran.stderr
        .must_contain("goals.toml:1: unknown field `goal`");
}

/// Writes contributions, and runs `advise` with them.
fn contribute(folder: &Path, lines: &str, args: &[&str]) -> Ran {
    let file = folder.join("bought.csv");
    fs::write(&file, lines).unwrap();
    Run::fairscope(["advise", &gold(), "--contributions"])
        .arg(&file)
        .args(args)
        .run()
}

#[test]
fn contributions_give_shares_in_proportion_and_bad_lines_are_all_reported() {
    let folder = tempfile::tempdir().unwrap();
    let lines =
        "account,amount,price\nscience,64,1\nscience,8,20\nhumanities,32,1\nengineering,64,2\n";
    let text = contribute(folder.path(), lines, &["--goal", "total = 385"]).success();
    for edit in ["engineering=128", "humanities=32", "science=224"] {
        text.must_contain(&format!("shares {edit} "));
    }
    text.must_contain("Largest rounding error: ");
    let lines = "account,amount,price\nscience,64,\nnobody,1,1\nhumanities,many,1\n,3,1\n";
    let ran = contribute(folder.path(), lines, &[]);
    assert_eq!(ran.code, Some(2));
    let expected = [
        "bought.csv:2: the price is missing, and other lines have one",
        "bought.csv:3: ",
        "bought.csv:4: many is not an amount",
        "bought.csv:5: the account is missing",
        "4 of 4 lines",
    ];
    for message in expected {
        assert!(ran.stderr.contains(message), "{message}: {}", ran.stderr);
    }
    let twice = contribute(folder.path(), "science,64\nscience,64\nhumanities,1\n", &[]);
    twice
        .stderr
        .must_contain("lines 1 and 2 give science the same; both are counted");
}

#[test]
fn an_unknown_heading_of_contributions_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let lines = "account,amount,cost\nscience,64,20\nhumanities,32,1\n";
    let ran = contribute(folder.path(), lines, &["--goal", "total = 385"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let told = "bought.csv:1: note: unknown column 'cost'; it is not read; the columns are account, amount and price\n";
    ran.stderr.must_contain(told);
}

/// Writes a version of the census as a tree, and returns its labs with their shares.
fn census(folder: &Path, version: &Path) -> (String, Vec<(String, i64)>) {
    let text = fs::read_to_string(version).unwrap();
    let labs = text.lines().filter_map(|line| line.split_once(','));
    let labs: Vec<(String, i64)> = labs
        .map(|(lab, shares)| (lab.to_owned(), shares.parse().unwrap()))
        .collect();
    let rows = labs
        .iter()
        .map(|(lab, shares)| format!(",{lab},{shares},account\n"));
    let tree = folder.join("tree.csv");
    fs::write(
        &tree,
        format!("parent,name,shares,type\n{}", rows.collect::<String>()),
    )
    .unwrap();
    (tree.to_str().unwrap().to_owned(), labs)
}

#[test]
fn golden_a_census_gives_its_own_shares_and_three_tasks_take_the_fewest_lines() {
    let Some(folder) = golden("public/fasrc_census") else {
        return;
    };
    let version = folder.join("census_20260818_6f7310e.csv");
    let temporary = tempfile::tempdir().unwrap();
    let (tree, labs) = census(temporary.path(), &version);
    let contributions = json(&tree, &["--contributions", version.to_str().unwrap()], 0);
    assert_eq!(contributions["edits"], serde_json::json!([]));

    let all: i64 = labs.iter().map(|(_, shares)| shares).sum();
    let shares = |lab: &str| labs.iter().find(|(name, _)| name == lab).unwrap().1;
    // A new lab with 4 %: one line, and everybody else is diluted; with nobody diluted, one more lab pays.
    let add = [
        "--edit",
        "add new_lab shares=1 kind=account",
        "--goal",
        "share(new_lab) >= 4%",
    ];
    let new = json(&tree, &add, 0);
    let needed = (all as f64 * 0.04 / 0.96).ceil();
    assert_eq!(
        new["edits"],
        serde_json::json!([format!("shares new_lab={needed}")])
    );
    let kept = json(&tree, &[&add[..], &["--goal", "keep(others)"]].concat(), 0);
    assert_eq!(kept["edits"].as_array().unwrap().len(), 2);
    assert_eq!(kept["who_pays"][0]["path"], "cluster_users");

    // A lab doubled.
    let part = 2.0 * shares("eddy_lab") as f64 / all as f64;
    let goal = format!("share(eddy_lab) >= {part}");
    let doubled = json(&tree, &["--goal", &goal, "--goal", "keep(others)"], 0);
    assert_eq!(doubled["edits"].as_array().unwrap().len(), 2, "{doubled}");

    // Two labs merged: one line besides the removal, and nobody gains or loses.
    let part = (shares("eddy_lab") + shares("zhuang_lab")) as f64 / all as f64;
    let goal = format!("share(eddy_lab) >= {part}");
    let remove = [
        "--edit",
        "remove zhuang_lab",
        "--goal",
        &goal,
        "--goal",
        "keep(others)",
    ];
    let merged = json(&tree, &remove, 0);
    let sum = shares("eddy_lab") + shares("zhuang_lab");
    assert_eq!(
        merged["edits"],
        serde_json::json!([format!("shares eddy_lab={sum}")])
    );
}
