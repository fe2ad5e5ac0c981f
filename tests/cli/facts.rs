//! What the documents of the schedulers say and do not say, and what fairscope shows of it.

use super::seed;
use crate::support::command::Run;
use crate::support::dumps::dumps;
use crate::support::expected::Expected as _;
use crate::support::golden;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Returns a `sched_priv` with these files.
fn sched_priv(files: &[(&str, &[u8])]) -> (TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).expect("it can be written");
    }
    let path = folder.path().to_str().expect("UTF-8").to_owned();
    (folder, path)
}

fn groups() -> Vec<u8> {
    fs::read(Path::new(&seed()).join("resource_group")).expect("the tree of the tests")
}

fn run(args: &[&str]) -> String {
    Run::fairscope(args).run().text()
}

#[track_caller]
fn assert_tells(text: &str, parts: &[&str]) {
    // Lines may be broken anywhere.
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = words(text);
    for part in parts {
        assert!(text.contains(&words(part)), "{part}\nis not in\n{text}");
    }
}

/// Returns the records of the seed's usage in the other byte order, with names of so many bytes.
fn swapped(name_bytes: usize, at: usize) -> Vec<u8> {
    let usage = [("cathy", 100.0), ("bob", 100.0), ("scott", 1000.0_f64)];
    let mut bytes = Vec::new();
    for (name, amount) in usage {
        let start = bytes.len();
        bytes.extend_from_slice(name.as_bytes());
        assert!(name.len() < name_bytes);
        bytes.resize(start + at, 0);
        bytes.extend_from_slice(&amount.to_be_bytes());
    }
    bytes
}

#[test]
fn usage_of_the_other_byte_order_is_read_in_both_versions_and_said() {
    let mut version_2 = b"PBS_MAG!\0".to_vec();
    version_2.resize(16, 0);
    version_2.extend_from_slice(&2.0_f64.to_be_bytes());
    version_2.extend_from_slice(&1_700_000_000_i64.to_be_bytes());
    version_2.extend(swapped(50, 56));
    let config = &b"fair_share: true\n"[..];
    let ranks = |usage: &[u8]| {
        let files = [
            ("resource_group", &groups()[..]),
            ("usage", usage),
            ("sched_config", config),
        ];
        let (_folder, path) = sched_priv(&files);
        let checked = run(&["check", &path]);
        (run(&["rank", &path]), checked)
    };
    let own = fs::read(Path::new(&seed()).join("usage")).expect("the usage of the tests");
    let (expected, _) = ranks(&own);
    for (usage, elsewhere) in [(version_2, "no usage"), (swapped(9, 16), "other numbers")] {
        let (ranks, checked) = ranks(&usage);
        assert_eq!(ranks, expected);
        assert_tells(
            &checked,
            &[
                "warning: the file was written on a machine with the other byte order; it is read as PBS reads it there",
                &format!("PBS on this machine reads {elsewhere} from it"),
            ],
        );
    }
}

#[test]
fn a_word_for_the_time_that_pbs_does_not_read_is_said() {
    let config = b"fair_share: true prime\nfairshare_decay_factor: 0.9 prime\nunknown_shares: 3 all\nround_robin: true prime\n";
    let (_folder, path) = sched_priv(&[("resource_group", &groups()), ("sched_config", config)]);
    let checked = run(&["check", &path]);
    let unread = checked
        .lines()
        .filter(|line| line.contains("[pbs-config-prime-unread]"));
    let unread: Vec<&str> = unread.collect();
    assert_eq!(unread.len(), 1, "{checked}");
    assert_tells(
        unread[0],
        &[
            "sched_config:2: warning: fairshare_decay_factor has no prime option: PBS does not read prime after the value",
        ],
    );
    let json = run(&["whatif", &path, "--edit", "set fairshare_decay_factor=0.8"]);
    assert_tells(&json, &["0.9", "0.8"]);
}

#[test]
fn a_formula_is_computed_once_a_cycle_and_its_factor_is_that_of_slurm() {
    let text = run(&["explain", &seed(), "suzy", "--formula", "fairshare_factor"]);
    assert_tells(
        &text,
        &["no job that starts changes it before the next cycle"],
    );
    let card = run(&["help", "pbs-walk"]);
    assert_tells(&card, &["compared level by level from the top"]);
    let formulas = run(&["help", "formulas"]);
    assert_tells(
        &formulas,
        &[
            "The factor is that of Slurm's classic rule without dampening",
            "PBS evaluates a `job_sort_formula` for each job once, at the start of a cycle",
            "the higher, the less deserving",
        ],
    );
    let lesson = run(&["lesson", "suzy", "--format-out", "text"]);
    assert_tells(
        &lesson,
        &[
            "The higher it is, the less deserving the node.",
            "gives suzy 0.381859 instead of 0.381553, because Slurm does not start a usage at one.",
        ],
    );
}

#[test]
fn every_policy_has_a_reference_card() {
    for (policy, number) in [
        ("fair-tree", "level_fs"),
        ("fair-tree-documented", "level_fs"),
        ("tickets", "the most tickets of any user"),
        ("level-based", "`bucket_factor` F"),
        ("formula", "`fairshare_tree_usage`"),
    ] {
        let card = run(&["help", policy]);
        assert!(card.contains(number), "{policy}: {card}");
        assert!(
            card.len() < run(&["help", "formulas"]).len() / 2,
            "{policy}: only its section"
        );
    }
    let refused = Run::fairscope(["help", "fair-three"]).run().failure(2);
    refused.must_contain("unknown topic 'fair-three'");
}

#[test]
fn a_user_of_two_groups_is_explained() {
    let groups = b"physics 10 root 50\nchem 20 root 50\nphysics:alice 11 physics 10\nphysics:bob 12 physics 20\nchem:alice 21 chem 10\n";
    let config = b"fair_share: true\nfairshare_entity: egroup:euser\n";
    let (_folder, path) = sched_priv(&[("resource_group", groups), ("sched_config", config)]);
    let text = run(&["explain", &path, "physics:alice"]);
    assert_tells(
        &text,
        &[
            "alice has shares and usage of its own in each group, here and as chem/chem:alice: fairshare_entity is egroup:euser, so a job charges GROUP:USER.",
        ],
    );
    let bob = run(&["explain", &path, "physics:bob"]);
    bob.must_lack("in each group");
    let by_user = run(&[
        "explain",
        &path,
        "physics:alice",
        "--set",
        "fairshare_entity=euser",
    ]);
    by_user.must_lack("in each group");
}

#[test]
fn users_without_a_target_start_beside_others_where_it_is_not_enforced() {
    let (_folder, path) = sched_priv(&[
        ("resource_group", b"a 1 root 5\nb 2 root 0\n"),
        (
            "sched_config",
            b"fair_share: true\nfairshare_enforce_no_shares: false\n",
        ),
    ]);
    let text = run(&["explain", &path, "b"]);
    assert_tells(
        &text,
        &[
            "its jobs rank last among its siblings; what fits beside the jobs of others starts, although PBS's guide says that they run only when no others are available",
        ],
    );
}

#[test]
fn a_sum_of_shares_that_wraps_is_marked_in_pbs() {
    let groups = b"a 1 root 2147483000\nb 2 root 5000\nx 3 a 1\ny 4 b 1\n";
    let (_folder, path) = sched_priv(&[("resource_group", groups)]);
    let shown = Run::fairscope(["show", &path]).run();
    shown.stderr.must_contain(
        "the shares below TREEROOT add up to 2147488000, more than the 2,147,483,647 that PBS",
    );
    let text = run(&["explain", &path, "x"]);
    assert_tells(
        &text,
        &["2,147,483,000 / -2,147,479,296 shares (2,147,488,000 overflow PBS's 32 bits) = "],
    );
}

#[test]
fn a_sum_of_usage_that_is_infinite_is_marked() {
    let csv = "parent,name,shares,usage,type\n,b,1,5,user\n,a,1,,account\na,x,1,1e308,user\na,y,1,1.7e308,user\n";
    for (policy, code) in [("fair-tree", "usage-overflow"), ("flux", "usage-overflow")] {
        let shown = Run::fairscope(["rank", "-", "--policy", policy])
            .input(csv)
            .run();
        assert!(
            shown.stderr.contains("the usage of root and 1 more node adds up to more than the largest number of 64 bits"),
            "{policy}: {}",
            shown.stderr
        );
        let checked = Run::fairscope(["check", "-", "--policy", policy])
            .input(csv)
            .run();
        checked.text().must_contain(&format!("[{code}]"));
    }
}

#[test]
fn only_what_is_shown_as_inf_is_said_to_be() {
    let told = |csv: &str| {
        let ran = Run::fairscope(["show", "-", "--policy", "pbs"])
            .input(csv)
            .run();
        ran.stderr
    };
    let sum = "the usage of root adds up to more than the largest number of 64 bits";
    let two = told("parent,name,shares,usage\n,x,1,1.797e308\n,y,1,1.797e308\n");
    let quotients = "; usage/perc of x and 1 more node is more than the largest number of 64 bits, and is shown as inf";
    two.must_contain(&(sum.to_owned() + quotients));
    let one = told("parent,name,shares,usage\n,x,1,1.797e308\n,y,1,1\n");
    one.must_contain("fairscope: usage/perc of x is more than the largest number");
}

#[test]
fn flux_gives_a_new_user_a_half_until_it_computes() {
    let edit = ["--edit", "add account1/zoe shares=5"];
    let text = Run::fairscope(["whatif", "example:flux"])
        .args(edit)
        .run()
        .success();
    assert_tells(
        &text,
        &[
            "Flux gives a new association a fair-share of 0.5 until flux account-update-fshare runs.",
        ],
    );
    let plan = Run::fairscope(["plan", "example:flux"])
        .args(edit)
        .run()
        .success();
    assert_tells(
        &plan,
        &["a new association has a fair-share of 0.5 until account-update-fshare runs"],
    );
    let other = run(&["whatif", "example:flux", "--edit", "shares account1=5"]);
    other.must_lack("0.5 until");
}

#[test]
fn the_number_of_bins_follows_the_settings() {
    let bins = |source: &str, settings: &[&str]| {
        let ran = Run::fairscope(["simulate", source, "--until", "30d"])
            .args(settings)
            .run();
        let text = ran.success();
        let bins = text.split("oldest of ").nth(1).expect(&text);
        bins.split(' ').next().expect("a number").to_owned()
    };
    for source in ["example:flux", "example:notes"] {
        assert_eq!(bins(source, &[]), "4");
        assert_eq!(
            bins(source, &["--set", "priority_usage_reset_period=6048000"]),
            "10"
        );
        assert_eq!(
            bins(source, &["--set", "priority_decay_half_life=1209600"]),
            "2"
        );
    }
}

#[test]
fn bins_of_a_longer_memory_are_not_dropped_as_soon() {
    let used = |settings: &[&str]| {
        let args = [
            "simulate",
            "example:notes",
            "--node",
            "C/1002",
            "--until",
            "35d",
            "--format-out",
            "json",
        ];
        let json = Run::fairscope(args).args(settings).run().success();
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let usage = json["series"][0]["usage"].as_array().expect("usage");
        usage
            .last()
            .and_then(serde_json::Value::as_f64)
            .expect("a number")
    };
    assert!(used(&[]) <= 0.0, "four bins are forgotten after five weeks");
    assert!(used(&["--set", "priority_usage_reset_period=6048000"]) > 0.0);
}

#[test]
fn the_documents_errors_are_told() {
    let errata = run(&["lesson", "errata", "--format-out", "text"]);
    assert_tells(
        &errata,
        &[
            "from the wrong end",
            "the fourth of seven is the fourth from either end",
            "The notes print `2 + 4000.0000` there, a sum, with the result of the product.",
        ],
    );
    let strangers = run(&["lesson", "strangers", "--format-out", "text"]);
    assert_tells(
        &strangers,
        &["PBS's guide says only when no others are available"],
    );
    let dampening = run(&["lesson", "asymptote", "--format-out", "text"]);
    assert_tells(
        &dampening,
        &["low has a sixteenth of the usual shares and high sixteen times as many"],
    );
}

#[test]
fn a_level_of_level_based_is_skipped_by_shares_of_parent() {
    let edits = [
        "--edit",
        "shares LifeSciences=parent",
        "--edit",
        "shares Engineering=parent",
        "--edit",
        "set PriorityLevels=3",
        "--format-out",
        "json",
    ];
    let json = Run::fairscope(["whatif", "example:buckets"])
        .args(edits)
        .run()
        .success();
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let nodes = json["nodes"].as_array().expect("nodes");
    let level = |path: &str| {
        let node = nodes.iter().find(|node| node["path"] == path).expect(path);
        node["after"]["level"].clone()
    };
    assert_eq!(level("LifeSciences/Biology"), 0);
    assert_eq!(level("LifeSciences/Biology/DrBob"), 1);
}

#[test]
fn every_explanation_says_what_it_does_not_know() {
    let seed = seed();
    for (source, node, what) in [
        (&*seed, "suzy", "Not known here: queues, reservations"),
        (
            "example:flux",
            "leaf.1.1",
            "Not known here: queue, bank priority",
        ),
        ("example:site", "ana", "Not known here: age, QOS"),
    ] {
        let ran = Run::fairscope(["rank", source, "--format-out", "json"])
            .run()
            .success();
        let json: serde_json::Value = serde_json::from_str(&ran).expect("JSON");
        let first = json["ranking"][0]["path"]
            .as_str()
            .expect("a path")
            .to_owned();
        for name in [node, &first] {
            let ran = Run::fairscope(["explain", source, name]).run();
            if ran.code == Some(0) {
                let text = ran.text();
                assert!(
                    text.trim_end()
                        .lines()
                        .last()
                        .is_some_and(|line| line.starts_with(what)),
                    "{text}"
                );
            }
        }
    }
}

#[test]
fn the_second_of_two_roots_is_told_and_left_out() {
    let text = "Account|User|RawShares|RawUsage\nroot|||30\n a||1|30\n a|x|1|30\nroot|||7\n b||3|7\n b|y|1|7\n";
    let folder = dumps(&[
        ("two.txt", text),
        (
            "one.txt",
            &text[..text.find("root|||7").expect("the second")],
        ),
    ]);
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    assert_eq!(
        run(&["show", &path("two.txt")]),
        run(&["show", &path("one.txt")])
    );
    let checked = run(&["check", &path("two.txt")]);
    assert_tells(
        &checked,
        &[
            "two.txt:5: error: a second account root begins here",
            "3 rows were left out from here on",
            "run sshare -M, which names the clusters [slurm-second-root]",
        ],
    );
}

#[test]
fn two_clusters_of_one_file_are_compared() {
    let block = |name: &str, usage: u32| {
        format!(
            "CLUSTER: {name}\nAccount|User|RawShares|RawUsage\nroot|||{usage}\n a||1|{usage}\n a|x|1|{usage}\n"
        )
    };
    let folder = dumps(&[("both.txt", &(block("gold", 30) + &block("iron", 7)))]);
    let both = folder
        .path()
        .join("both.txt")
        .to_str()
        .expect("UTF-8")
        .to_owned();
    let text = run(&["diff", &both, "--cluster", "gold,iron"]);
    assert_tells(&text, &["a/x changed 1 30 → 7"]);
    let back = run(&["diff", &both, &both, "--cluster", "iron,gold"]);
    assert_tells(&back, &["a/x changed 1 7 → 30"]);
    let refused = Run::fairscope(["diff", &both, "--cluster", "gold,lead"])
        .run()
        .failure(2);
    refused.must_contain("unknown cluster 'lead'");
    let refused = Run::fairscope(["diff", &both, "--cluster", "gold"])
        .run()
        .failure(2);
    refused.must_contain("only one source given");
}

#[test]
fn outputs_without_shares_are_refused_with_what_can_be_opened() {
    for text in [
        "id=0\nname=Root\ntype=0\nshares=1\nchildnodes=1,2\n",
        "FairShare Information\n\nDepth: 6 intervals   Interval Length: 12:00:00   Decay Rate: 0.75\n",
        "Last Priority Update: 11/26 09:30\n                    Effective   Priority\n",
        "LastUpdate = 1764150000\nName1 = \"alice@site\"\n",
        "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\nmain*        up   infinite      1   idle n1\n",
        "JobId=1 JobName=wrap\n   UserId=root(0)\n",
        "Usage:  sshare [OPTION]...\n  Valid OPTIONs are:\n",
    ] {
        let refused = Run::fairscope(["show", "-"]).input(text).run().failure(2);
        assert_tells(
            &refused,
            &[
                "is text in an unknown format; expected a PBS sched_priv directory",
                "a CSV file with a header line such as parent,name,shares,usage,type",
            ],
        );
    }
}

#[test]
fn old_databases_of_flux_tell_the_reset_period_by_their_bins() {
    let Some(flux) = golden("flux") else {
        return;
    };
    for (case, period) in [
        ("08_dbversion_v0-25-0", "2419200"),
        ("08_dbversion_v0-60-0", "2419200"),
    ] {
        let path = flux.join(case).join("input.db");
        let toml = Run::fairscope(["convert", path.to_str().expect("UTF-8"), "--to", "toml"])
            .run()
            .text();
        let line = toml
            .lines()
            .find(|line| line.contains("priority_usage_reset_period"));
        assert!(
            line.is_none_or(|line| line.contains(period)),
            "{case}: {line:?}"
        );
    }
}

#[test]
fn an_account_without_users_that_is_ahead_is_not_left_out() {
    let csv = "parent,name,shares,usage,type\n,a1,50,,account\na1,x,1,100,user\n,a2,50,,account\na2,y,1,100,user\n";
    let explained = |rows: &str| {
        let args = ["explain", "-", "x", "--policy", "pbs-walk"];
        let ran = Run::fairscope(args).input(csv.to_owned() + rows).run();
        ran.success().lines().next().map(str::to_owned)
    };
    let first =
        "x is 1st of 2, tied with 1 other: first of its siblings on every level of its path";
    assert_eq!(explained("").as_deref(), Some(&*format!("{first}.")));
    assert_eq!(
        explained(",empty,10,,account\n").as_deref(),
        Some(&*format!("{first}, apart from accounts without users."))
    );
}
