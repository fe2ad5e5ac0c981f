//! Outputs that list only some of the associations: printed numbers are shown, others are not computed.

use crate::support::command::Run;
use crate::support::data;

/// Output of `sshare` without `-a`: the accounts, and only the user who ran it.
fn partial() -> String {
    let path = data("slurm/three_levels/sshare_plain.txt").into_os_string();
    path.into_string().expect("UTF-8")
}

#[test]
fn an_account_is_explained_by_its_printed_numbers() {
    let text = Run::fairscope(["explain", &partial(), "physics"]).run();
    let text = text.text();
    assert_eq!(
        text,
        "physics is an account; no factor was printed for it.
numbers are shown as printed, and blank where none was printed; after an edit they are computed from the listed users alone: users are missing from it, as when sshare runs without -a
Recorded: what the scheduler printed
  NormShares    0.400000
  EffectvUsage  0.594287
Not known here: age, QOS, partition, job size, limits, free nodes.
"
    );
}

#[test]
fn a_user_is_explained_by_its_printed_factor() {
    let text = Run::fairscope(["explain", &partial(), "root"]).run();
    let text = text.text();
    let sentence = "root is 1st of 1 by the factor that was printed, 1.000000.\n";
    assert!(text.starts_with(sentence), "{text}");
    let json = Run::fairscope(["explain", &partial(), "root", "--format-out", "json"]).run();
    let json: serde_json::Value = serde_json::from_str(&json.text()).expect("JSON");
    assert_eq!(json["levels"], serde_json::json!([]));
}

#[test]
fn edits_are_compared_with_computed_numbers() {
    let text = Run::fairscope(["whatif", &partial(), "--edit", "shares science=61"]).run();
    let text = text.text();
    let head = "Raising science from 60 to 61: no rank changes; the other 2 accounts and 1 user each lose 1.0% of \
                their share.";
    assert!(
        text.contains("science  60 → 61  0.594059 → 0.598039"),
        "{text}"
    );
    assert!(text.starts_with(head), "{text}");
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
