//! Outputs that list only some of the associations: each level is completed by what it lacks, and ranks are not known.

use crate::support::command::Run;
use crate::support::data;
use crate::support::expected::Expected as _;

/// Output of `sshare` without `-a`: the accounts, and only the user who ran it.
fn partial() -> String {
    let path = data("slurm/three_levels/sshare_plain.txt").into_os_string();
    path.into_string().expect("UTF-8")
}

#[test]
fn an_account_is_explained_with_what_its_level_lacks() {
    let text = Run::fairscope(["explain", &partial(), "physics"]).run();
    let text = text.text();
    let sentences =
        "physics is an account, held back by physics, which has used 1.49 times its share";
    assert!(!text.starts_with(sentences), "{text}");
    text.must_begin("physics is an account: inside science, it is last of 3; it has used");
    text.must_contain("ranks are not known, and FairShare only as printed: users are missing");
    text.must_contain("physics  40 / 100 = 0.400000");
    // Its LevelFS was not printed, but follows.
    text.must_contain("0.400000 / 0.594287 = 0.6731");
}

#[test]
fn a_user_is_explained_by_its_level_and_has_no_rank() {
    let text = Run::fairscope(["explain", &partial(), "root"]).run();
    let text = text.text();
    let sentence = "root is a user: ranks first at every level.\n";
    text.must_begin(sentence);
    let json = Run::fairscope(["explain", &partial(), "root", "--format-out", "json"]).run();
    let json: serde_json::Value = serde_json::from_str(&json.text()).expect("JSON");
    assert_eq!(json["node"]["rank"], serde_json::Value::Null);
    assert_eq!(json["source"]["complete"], false);
}

#[test]
fn edits_are_compared_with_computed_numbers() {
    let text = Run::fairscope(["whatif", &partial(), "--edit", "shares science=61"]).run();
    let text = text.text();
    let head = "Raising science from 60 to 61: not all users are listed, so no rank is known; the other 2 accounts and \
                1 user each lose 1.0% of their share.";
    text.must_contain("science  60 → 61  0.594059 → 0.598039");
    text.must_begin(head);
}

#[test]
fn a_gate_on_a_rank_is_broken_by_what_is_not_listed() {
    let ran = Run::fairscope(["check", &partial(), "--fail-if", "rank(root) > 100"]).run();
    assert_eq!(ran.code, Some(1));
    let told = "rank(root) has no value, so its gate counts as broken";
    let text = ran.text();
    text.must_contain(told);
}

#[test]
fn time_starts_from_computed_numbers() {
    let args = ["--until", "1d", "--step", "1d", "--node", "root"];
    let json = Run::fairscope(["simulate", &partial()])
        .args(args)
        .args(["--format-out", "json"])
        .run();
    let json: serde_json::Value = serde_json::from_str(&json.text()).expect("JSON");
    // Under Fair Tree, time without new usage changes no rank.
    let factors = json["series"][0]["factor"].as_array().expect("numbers");
    assert!(factors.iter().all(|factor| *factor == factors[0]), "{json}");
}

#[test]
fn advice_needs_all_members_and_is_refused() {
    let ran = Run::fairscope(["advise", &partial(), "--goal", "share(physics) >= 25%"]).run();
    let text = ran.failure(2);
    let told = "advice is of all members of a level, and not all are listed";
    text.must_contain(told);
}

#[test]
fn an_edit_of_usage_dilutes_nobody() {
    let path = data("slurm/part/own.txt").into_os_string();
    let path = path.into_string().expect("UTF-8");
    let text = Run::fairscope(["whatif", &path, "--edit", "usage alice+=1000"]).run();
    let text = text.text();
    text.must_lack("Diluted");
}
