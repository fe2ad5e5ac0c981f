//! `fairscope me`: the page of one user, and the pages of all.

use super::seed;
use crate::support::command::{Ran, Run};
use crate::support::data;
use crate::support::expected::Expected as _;
use crate::support::files::files_below;
use serde_json::{Value, json};
use std::fs;

fn path(source: &str) -> String {
    let path = data(source).into_os_string();
    path.into_string().expect("UTF-8")
}

fn me<'a>(args: impl IntoIterator<Item = &'a str>) -> Ran {
    let args = ["me"].into_iter().chain(args);
    let run = Run::fairscope(args)
        .variable("USER", "")
        .variable("LOGNAME", "");
    run.run()
}

fn of_user<'a>(args: impl IntoIterator<Item = &'a str>) -> Value {
    let json = me(args.into_iter().chain(["--format-out", "json"]));
    serde_json::from_str(&json.text()).expect("JSON")
}

#[test]
fn the_verdict_comes_first_and_the_page_fits_a_screen() {
    let sources = [
        (
            path("slurm/gold"),
            "alice",
            "You rank 10th of 14. You have used 142% of your share. Your account physics has used 149% of its share, chem \
             only 95%, so the users of chem run first (5 users ahead).",
        ),
        (
            seed(),
            "suzy",
            "You rank 3rd of 4. You have used nothing. Your group group2 has used 139% of its share, and that counts \
             against each of its members.",
        ),
        (
            path("flux/44_real_shares/input.db"),
            "a1",
            "You rank 3rd of 3. You have used 250% of your share. Your bank A has used 167% of its share, B only 56%, so \
             the users of B run first (1 user ahead).",
        ),
        (
            path("slurm/own.txt"),
            "alice",
            "83.3% of all users rank like arts/alice or below: Fair Tree's factor is this part.",
        ),
    ];
    for (source, user, verdict) in sources {
        let text = me([source.as_str(), user]).text();
        assert_eq!(text.lines().next(), Some(verdict), "{text}");
        let lines = text.lines().map(|line| line.len().div_ceil(80).max(1));
        assert!(lines.sum::<usize>() < 24, "{text}");
        let last = text.lines().last().unwrap_or_default();
        last.must_begin("Fairshare does not know a job's age");
    }
}

#[test]
fn json_tells_place_segment_and_recovery() {
    let json = of_user([path("slurm/gold").as_str(), "alice"]);
    assert_eq!(json["user"], "alice");
    assert_eq!(json["users"], 14);
    let own = &json["associations"][0];
    for (key, expected) in [
        ("path", json!("science/physics/alice")),
        ("rank", json!(10)),
        ("segment", json!([8, 10])),
        ("best", json!(true)),
        ("percentile", json!(5.0 / 14.0)),
    ] {
        assert_eq!(own[key], expected, "{key}");
    }
    assert_eq!(own["held_back_by"]["path"], "science/physics");
    assert_eq!(own["recovery"]["if_it_stops"]["after_seconds"], 1_370_100);
    let never =
        json!({"after_seconds": null, "reason": "All usage shrinks alike, so nobody moves"});
    assert_eq!(own["recovery"]["if_all_stop"], never);
    let served = own["served"].as_f64().expect("a number");
    assert!((served - 0.888_987_689_871_606_1 / 0.625).abs() < 1e-12);
}

#[test]
fn own_output_tells_what_follows_from_the_printed_numbers_and_no_rank() {
    let json = of_user([path("slurm/own.txt").as_str(), "alice"]);
    assert_eq!(json["users"], Value::Null);
    let associations = json["associations"].as_array().expect("a list");
    let parts = associations.iter().map(|own| own["percentile"].as_f64());
    assert_eq!(
        parts.collect::<Vec<_>>(),
        [Some(0.833_333), Some(0.333_333)]
    );
    for own in associations {
        for key in ["rank", "segment", "held_back_by"] {
            assert_eq!(own[key], Value::Null, "{key}");
        }
    }
    // Of three shares of physics it has two, and the others have used 15% of it.
    let recovery = &associations[1]["recovery"]["if_it_stops"];
    assert_eq!(recovery["after_seconds"], 891_900);
    assert_eq!(associations[1]["recorded"]["EffectvUsage"], 0.847_463);
    let best = associations.iter().filter(|own| own["best"] == true);
    assert_eq!(best.count(), 1);
}

#[test]
fn a_factor_is_a_part_of_users_only_under_fair_tree() {
    let head = "Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare\n";
    let part = |rows: &str, more: &[&str]| {
        let args = ["me", "-", "alice", "--format-out", "json"]
            .iter()
            .chain(more);
        let ran = Run::fairscope(args).input(format!("{head}{rows}")).run();
        let json: Value = serde_json::from_str(&ran.text()).expect("JSON");
        (
            json["policy"]["name"].clone(),
            json["associations"][0]["percentile"].clone(),
        )
    };
    // 2^-(0.4 / 0.2) and 2^-(0.4 / 0.2 / 2)
    let classic = "physics|alice|1|0.200000|9|0.400000|0.250000\n";
    assert_eq!(part(classic, &[]), (json!("classic"), Value::Null));
    let dampened = "physics|alice|1|0.200000|9|0.400000|0.500000\n";
    assert_eq!(part(dampened, &[]).1, Value::Null);
    let tree = "physics|alice|1|0.200000|9|0.400000|0.333333\n";
    assert_eq!(part(tree, &[]), (json!("fair-tree"), json!(0.333_333)));
    // Both rules give this to a user without usage.
    let unused = "physics|alice|1|0.200000|0|0.000000|1.000000\n";
    assert_eq!(part(unused, &[]), (json!("fair-tree"), Value::Null));
}

#[test]
fn a_partial_source_is_shown_and_checked_with_its_problems() {
    let own = path("slurm/own.txt");
    let shown = Run::fairscope(["show", &own]).run().text();
    shown.must_contain("0.833333");
    let check = Run::fairscope(["check", &own]).run();
    let (code, text) = (
        check.code,
        String::from_utf8_lossy(&check.stdout).into_owned(),
    );
    assert_eq!(code, Some(1));
    text.must_contain("slurm-users-missing");
}

#[test]
fn the_login_name_is_the_default() {
    let ran = Run::fairscope(["me", &path("slurm/gold")])
        .variable("USER", "bob")
        .run();
    let text = ran.text();
    text.must_begin("You rank ");
    text.must_contain("science/physics/bob");
    let stranger = Run::fairscope(["me", &path("slurm/gold")])
        .variable("USER", "alicf")
        .run();
    assert_eq!(stranger.code, Some(2));
    let expected = "fairscope: the login name is no user here; name a user after the source: unknown \
                    user 'alicf'; did you mean 'alice'? (one of the 14 users in this source; fairscope rank lists them)\n";
    assert_eq!(stranger.stderr, expected);
    let nobody = Run::fairscope(["me", &path("slurm/gold")]);
    let nobody = nobody.variable("PATH", "/nowhere").run();
    assert_eq!(nobody.code, Some(2));
    nobody
        .stderr
        .must_contain("neither USER, LOGNAME nor id -un tells");
}

#[test]
fn what_is_no_user_is_refused() {
    let gold = path("slurm/gold");
    for (args, error) in [
        (
            &["physics"][..],
            "unknown user 'physics' (one of the 14 users",
        ),
        (&["alcie"], "unknown user 'alcie'; did you mean 'alice'?"),
        (
            &["alice", "--all", "--out", "x"],
            "one user too many: alice; expected one, or none with --all",
        ),
        (&["--all"], "--out <DIR>"),
        (
            &["alice", "--out", "x"],
            "--out takes the pages of --all; one page: fairscope me SOURCE NAME -o html > NAME.html",
        ),
        (&["science/physics/alicia"], "unknown user"),
    ] {
        let ran = me(std::iter::once(gold.as_str()).chain(args.iter().copied()));
        assert_eq!(ran.code, Some(2), "{args:?}");
        assert!(ran.stderr.contains(error), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn every_user_has_a_page_that_names_no_other_user() {
    let gold = path("slurm/gold");
    let users = Run::fairscope(["rank", &gold, "--columns", "name", "--format-out", "csv"]).run();
    // The account and the user `root` have one name, and so do a scheduler's words.
    let users: Vec<String> = users.text().lines().skip(1).map(str::to_owned).collect();
    let others = |user: &str| {
        let others = users
            .iter()
            .filter(move |&other| other != user && other != "root");
        others.cloned().collect::<Vec<_>>()
    };
    for form in ["text", "markdown", "json", "html"] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("pages").join("today");
        let out = out.to_str().unwrap();
        let all = || me([&*gold, "--all", "--out", out, "--format-out", form]);
        assert!(all().text().starts_with("14 pages in "), "{form}");
        // A second run replaces the pages.
        assert!(all().text().starts_with("14 pages in "), "{form}");
        let files = files_below(out.as_ref());
        assert_eq!(files.len(), 14);
        for file in files {
            let user = file.file_stem().unwrap().to_str().unwrap();
            let text = fs::read_to_string(&file).unwrap();
            assert!(text.contains(user), "{form} of {user}");
            let words = text.split(|char: char| !char.is_alphanumeric());
            let words: Vec<&str> = words.collect();
            for other in others(user) {
                assert!(!words.contains(&&*other), "{form} of {user} names {other}");
            }
        }
    }
    let among = me([&*gold, "--all", "--out", &*gold]).failure(2);
    assert_eq!(
        among,
        format!(
            "fairscope: {gold} holds files of the source; choose the name of another directory\n"
        )
    );
    let shown = me([&*gold, "bob", "--show-others", "--format-out", "json"]).text();
    shown.must_contain("problems");
}

#[test]
fn hostile_names_give_safe_files_of_their_own() {
    let long = "n".repeat(300);
    let longer = format!("{long}x");
    let names = [
        "../../etc/x",
        "..",
        ".hidden",
        "a/b",
        "a%2Fb",
        "A",
        "ä",
        "-rf",
        "\u{1b}[31m",
        &long,
        &longer,
    ];
    let rows = names
        .iter()
        .map(|name| format!("physics,\"{name}\",1,5,user\n"));
    let csv = format!(
        "parent,name,shares,usage,type\n,physics,1,,account\n{}",
        rows.collect::<String>()
    );
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("tree.csv");
    fs::write(&source, csv).unwrap();
    let out = folder.path().join("out");
    let ran = me([
        source.to_str().unwrap(),
        "--all",
        "--out",
        out.to_str().unwrap(),
    ]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let files: Vec<String> = fs::read_dir(&out)
        .unwrap()
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(files.len(), names.len(), "{files:?}");
    for file in &files {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-%~".contains(&byte);
        assert!(
            file.bytes().all(is_plain) && !file.starts_with('.') && file.len() < 250,
            "{file}"
        );
    }
    let beside = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(beside, 2, "nothing is written elsewhere");
}

#[test]
fn pages_never_replace_a_source() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("alice.txt");
    fs::copy(data("slurm/own.txt"), &source).unwrap();
    let before = fs::read(&source).unwrap();
    let ran = me([
        source.to_str().unwrap(),
        "--all",
        "--out",
        folder.path().to_str().unwrap(),
    ]);
    assert_eq!(ran.code, Some(2));
    let among = "holds files of the source";
    ran.stderr.must_contain(among);
    // A link may lead to it from elsewhere.
    let pages = folder.path().join("pages");
    fs::create_dir(&pages).unwrap();
    std::os::unix::fs::symlink(&source, pages.join("alice.txt")).unwrap();
    let pages = pages.to_str().unwrap();
    let ran = me([source.to_str().unwrap(), "--all", "--out", pages]);
    assert_eq!(ran.code, Some(2));
    ran.stderr.must_contain("is the source");
    assert_eq!(fs::read(&source).unwrap(), before);
}

#[test]
fn the_page_has_the_waiting_jobs_of_the_user_alone() {
    let folder = path("slurm_jobs");
    let text = me([&*folder, "alice"]).text();
    for line in [
        "7 jobs wait, among 79.",
        "213      1   100,706     97,674  97.0%",
    ] {
        text.must_contain(line);
    }
    text.must_lack("bob");
    let held = me([&*folder, "nat"]).text();
    held.must_contain("Job 192 has no place: held by its user.");
    let json = of_user([&*folder, "alice"]);
    assert_eq!(json["waiting"][0]["fairshare"], 97674.42);
    assert!(of_user([&*path("slurm_jobs/sshare.psv"), "alice"])["waiting"].is_null());
}

/// Two accounts that tie, and one with more usage.
const TIED: &str = "parent,name,shares,usage,type\n,a1,50,,account\n,a2,50,,account\n,a3,50,,account\n\
                    a1,x,1,10,user\na1,y,2,10,user\na2,p,1,12,user\na2,q,1,8,user\na3,r,1,100,user\n";

fn of_tied(user: &str, policy: &str, more: &[&str]) -> String {
    let args = ["me", "-", user, "--policy", policy];
    let args = args.iter().chain(more);
    Run::fairscope(args).input(TIED.to_owned()).run().text()
}

#[test]
fn the_level_that_decides_holds_a_user_back() {
    // The members of a1 and a2 compete with each other, so q is behind y and p, although it is first in its account.
    for policy in ["pbs-walk", "fair-tree-documented", "flux"] {
        let text = of_tied("q", policy, &["--show-others"]);
        text.must_contain("% of your share. a1/y has used only ");
        text.must_contain("% and runs first (1 user ahead).");
        let text = of_tied("r", policy, &[]);
        text.must_contain(" Your account a3 has used 21");
        text.must_contain("so the users of a1 run first (4 users ahead).");
        of_tied("y", policy, &[]).must_contain("Nobody is ahead of you at any level.");
    }
    // Slurm visits a1 first.
    let text = of_tied("q", "fair-tree", &[]);
    text.must_contain("Your account a2 ties with a1, which comes first (1 user ahead).");
}

#[test]
fn a_user_below_its_target_is_told_that_others_used_less() {
    let text = me(["example:site", "goran"]).text();
    text.must_contain(
        "You have used 65% of your share. Your account physics has used 142% of its share",
    );
    // Being on target is reached, so the page tells when the rank is better.
    text.must_contain("If you stop and all others go on: 31st after 10 d 22 h.");
    text.must_contain("If all stop: all usage shrinks alike, so nobody moves.");
    text.must_lack("on target after");
    let text = of_tied("x", "pbs-walk", &[]);
    let own = "You have used 64% of your share. Another user has used only 51% and runs first (3 users ahead).";
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(own), "{text}");
}

#[test]
fn nobody_has_used_anything_of_a_pbs_tree_without_records() {
    let folder = tempfile::tempdir().unwrap();
    let group = "a 10 root 40\nb 11 root 60\nx 12 a 1\ny 13 b 1\n";
    fs::write(folder.path().join("resource_group"), group).unwrap();
    let text = me([folder.path().to_str().unwrap(), "x"]).text();
    text.must_lack("100.0% of all usage");
    text.must_contain("a/x      2          2-2      0x  a             now");
    text.must_contain("You have used nothing.");
    // There is no usage to lower. Fair Tree ranks whoever used nothing first, whatever the shares.
    let helps = |policy: &str| {
        let text = me([folder.path().to_str().unwrap(), "x", "--policy", policy]).text();
        let helps = text
            .lines()
            .find(|line| line.starts_with("What would help"));
        helps.map(str::to_owned)
    };
    assert_eq!(
        helps("pbs-walk").as_deref(),
        Some("What would help: more shares for a.")
    );
    assert_eq!(helps("fair-tree"), None);
}

#[test]
fn a_level_that_ties_is_not_said_to_have_used_more_than_others() {
    // PBS compares no further where one of two paths ends.
    let tree = "parent,name,shares,usage,type\n,a1,50,,account\na1,x,1,20,user\n,solo,50,21,user\n";
    let run = |args: &[&str]| {
        let run = Run::fairscope(args.iter().chain(&["--policy", "pbs-walk"]));
        run.input(tree.to_owned()).run().text()
    };
    let explained = run(&["explain", "-", "x"]);
    let cause = "held back by a1, which has used 50.0% of all usage, target 50.0%, and others that tie with it come first.";
    explained.must_contain(cause);
    let page = run(&["me", "-", "x"]);
    page.must_contain("Your account a1 ties with another user, which comes first (1 user ahead).");
}

#[test]
fn a_user_in_two_departments_sees_both() {
    let tree = "fairscope = 1\npolicy = \"fair-tree\"\n[tree]\nrows = '''\na 1\n  bob 1 5\n  carl 2 7\nb 2\n  bob 3 1\n'''\n";
    let both = |command: &str, tree: &str, associations: [&str; 2]| {
        let run = Run::fairscope([command, "-", "bob"]).input(tree);
        let text = run.run().success();
        for association in associations {
            assert!(text.contains(association), "{command}: {text}");
        }
    };
    for command in ["me", "explain"] {
        both(command, tree, ["a/bob", "b/bob"]);
    }
    // PBS calls the entities of a user in several groups GROUP:USER.
    let pbs = "fairscope = 1\nscheduler = \"pbs\"\n[settings]\nfairshare_entity = \"egroup:euser\"\n[tree]\nrows = '''\ng1 40\n  g1:bob 1 5\ng2 60\n  g2:bob 1 7\n'''\n";
    for command in ["me", "explain"] {
        both(command, pbs, ["g1/g1:bob", "g2/g2:bob"]);
    }
    let json = Run::fairscope(["explain", "-", "bob", "--format-out", "json"]).input(tree);
    let json: Value = serde_json::from_str(&json.run().success()).expect("JSON");
    let paths: Vec<_> = [0, 1]
        .map(|place| &json["explanations"][place]["node"]["path"])
        .to_vec();
    assert_eq!(paths, ["b/bob", "a/bob"]);
}

/// The page as it is printed for a pipe, with an order of siblings below two accounts.
fn page(tree: &str, user: &str, more: &[&str]) -> String {
    let args = ["me", "-", user];
    let args = args.iter().chain(more);
    Run::fairscope(args).input(tree.to_owned()).run().text()
}

/// Two accounts, and users of every kind: without shares, without usage, and over the target.
const MIXED: &str = "parent,name,shares,usage,type\n,a,60,,account\n,b,40,,account\na,ann,1,90,user\na,bo,1,0,user\n\
                     a,cy,0,5,user\nb,di,1,5,user\n";

#[test]
fn the_legend_says_what_the_columns_mean() {
    let text = page(MIXED, "ann", &["--policy", "fair-tree"]);
    let legend = "Served: usage / target. 1.00x is on target, more is over it.\n\
                  Account ranks: the best and the worst rank inside your account.\n\
                  On target: when your usage is within your target, if only you stop until then.\n";
    text.must_contain(legend);
    // PBS's factor ranks users across accounts.
    let text = page(MIXED, "ann", &["--policy", "pbs"]);
    text.must_contain("Served: usage / target.");
    text.must_contain("On target: when");
    text.must_lack("ranks: the best");
}

#[test]
fn the_path_has_the_place_of_each_account_and_the_median_user() {
    let text = page(MIXED, "ann", &["--policy", "fair-tree"]);
    text.must_contain(
        "From the top       Place     Usage  Served\n\
         a                  2nd of 2     95   1.58x\n\
         ann                2nd of 3     90   1.89x\n\
         Median of 4 users                5   1.45x\n",
    );
    // Under PBS the factor is a number of its own, and not only a place.
    page(MIXED, "ann", &["--policy", "pbs"]).must_contain("FsFactor");
    // One user has no order, and a part of a tree no median.
    let alone = "parent,name,shares,usage,type\n,a,60,,account\na,ann,1,90,user\n";
    let text = page(alone, "ann", &["--policy", "fair-tree"]);
    text.must_begin("You are the only user, so you run first.\n");
    text.must_lack("Median");
    me([path("slurm/own.txt").as_str(), "alice"])
        .text()
        .must_lack("Median");
    let json = of_user([path("slurm/gold").as_str(), "alice"]);
    assert_eq!(json["median"]["users"], 14);
    let json = of_user([path("slurm/own.txt").as_str(), "alice"]);
    assert_eq!(json["median"], Value::Null);
}

#[test]
fn a_long_path_shows_both_ends() {
    let mut tree = "parent,name,shares,usage,type\n,n1,1,,account\n".to_owned();
    for depth in 2..=30 {
        let above = depth - 1;
        let line = format!("n{above},n{depth},1,,account\n");
        tree.push_str(&line);
    }
    tree += "n30,ann,1,5,user\nn30,bo,1,7,user\n";
    let text = page(&tree, "ann", &["--policy", "fair-tree"]);
    // The first account is the root, with which nothing competes.
    text.must_contain("\nn9 ");
    text.must_lack("\nn10 ");
    text.must_contain("\nn24 ");
    text.must_contain("14 levels between them are left out.");
}

#[test]
fn the_verdict_holds_without_shares_without_usage_and_with_parent_shares() {
    let policy = ["--policy", "fair-tree"];
    page(MIXED, "cy", &policy).must_begin("You rank 4th of 4. You have no shares.");
    page(MIXED, "bo", &policy).must_contain(" You have used nothing. Your account a has used 158%");
    let text = me([&*path("slurm_jobs"), "judy"]).text();
    text.must_contain("Your shares are those of your account.");
    text.must_contain("\njudy                shares parent ");
    // Nobody is over a target, and the factors decide.
    let even = "parent,name,shares,usage,type\n,a,50,,account\n,b,50,,account\na,ann,1,10,user\nb,bo,1,10,user\n";
    let text = page(even, "ann", &["--policy", "classic"]);
    text.must_contain("You have used 100% of your share. No account above you is over its target.");
}

#[test]
fn waiting_that_changes_nothing_is_said_so() {
    let text = me([&*path("slurm_jobs"), "o8"]).text();
    text.must_contain("Waiting changes nothing: you stay 21st, because ops keeps using 33.3% of all usage; its target is 16.5%.");
    // What is ahead is another user, whom the page does not name.
    let text = me([&*path("slurm_jobs"), "alice"]).text();
    text.must_contain("Waiting changes nothing: you stay 2nd.\n");
    let text = me([&*path("slurm_jobs"), "lee"]).text();
    text.must_contain("If you stop and all others go on: still 18th, and on target after 4 min.");
    text.must_contain("If all stop: never on target; all usage shrinks alike, so nobody moves.");
    let json = of_user([&*path("slurm_jobs"), "o13"]);
    let rises = &json["associations"][0]["rises"];
    assert_eq!(rises["if_all_stop"]["after_seconds"], Value::Null);
    assert!(
        rises["if_it_stops"]["after_seconds"]
            .as_u64()
            .expect("a time")
            < 600
    );
}

#[test]
fn a_page_has_no_options_of_the_command_line() {
    let sources = [
        path("slurm/gold"),
        path("slurm_jobs"),
        path("slurm/own.txt"),
        seed(),
        path("flux/44_real_shares/input.db"),
    ];
    for source in sources {
        for form in ["text", "markdown", "html"] {
            let folder = tempfile::tempdir().unwrap();
            let out = folder.path().to_str().unwrap();
            me([&*source, "--all", "--out", out, "-o", form]).text();
            for file in files_below(out.as_ref()) {
                let text = fs::read_to_string(&file).unwrap();
                // A style sheet has names of its own that begin so.
                let body = text.split("</style>").last().unwrap_or_default();
                let words = body.split_whitespace();
                let mut options = words.filter(|word| {
                    let option = word.trim_start_matches(['(', '`', '\'']);
                    option.starts_with("--") && option[2..].starts_with(char::is_alphabetic)
                });
                assert_eq!(options.next(), None, "{}", file.display());
            }
        }
    }
}
