//! Invalid edits, goals and files are refused with an error that names accepted values.

use super::seed;
use crate::support::command::{Run, answered, with_usual_signals};
use crate::support::data;
use crate::support::dumps::scenario_of_missing_source;
use crate::support::expected::Expected as _;
use std::path::Path;

fn text(path: &Path) -> String {
    path.to_str()
        .expect("the paths of the tests are UTF-8")
        .to_owned()
}

fn slurm() -> String {
    text(&data("slurm/gold"))
}

fn flux() -> String {
    text(&data("flux/45_wal_after_update_fshare/input.db"))
}

#[track_caller]
fn assert_refused(tree: &str, edit: &str, sentence: &str) {
    let stderr = Run::fairscope(["whatif", tree, "--edit", edit])
        .run()
        .failure(2);
    assert_eq!(stderr, format!("fairscope: --edit '{edit}': {sentence}\n"));
}

#[test]
fn shares_must_be_whole_numbers_in_the_range_of_the_scheduler() {
    let trees = [(seed(), "bob"), (slurm(), "alice"), (flux(), "leaf.1.1")];
    for (tree, user) in &trees {
        let refused = |amount: &str, sentence: &str| {
            assert_refused(tree, &format!("shares {user}={amount}"), sentence);
        };
        refused(
            "-5",
            "-5 is negative; expected a number from 0 up, or -=5 to subtract",
        );
        refused(
            "5.5",
            "5.5 is not a whole number of shares; expected one such as 20",
        );
        let held = match *user {
            "bob" => "2147483647",
            "alice" => "2147483646",
            _ => "9223372036854775807",
        };
        match *user {
            "bob" => refused(
                "2147483648",
                "2147483648 shares do not fit; PBS accepts whole numbers from 0 to 2147483647",
            ),
            "alice" => {
                refused(
                    "2147483648",
                    "2147483648 shares do not fit; Slurm accepts whole numbers from 0 to 2147483646",
                );
                refused(
                    "2147483647",
                    "Slurm reads 2147483647 shares as the word parent; expected a whole number from 0 to 2147483646, \
                     or parent itself",
                );
            }
            _ => {}
        }
        refused(
            "99999999999999999999",
            "too many shares; PBS and Slurm accept whole numbers from 0 to 2147483647, and Flux up to \
             9223372036854775807",
        );
        for amount in ["0", held] {
            let edit = format!("shares {user}={amount}");
            let ran = Run::fairscope(["whatif", tree, "--edit", &edit]).run();
            assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        }
    }
}

#[test]
fn parent_shares_are_refused_except_under_slurm() {
    let sentence = |scheduler: &str| {
        format!("only Slurm has parent shares, not {scheduler}; expected a number such as 20")
    };
    assert_refused(&seed(), "shares bob=parent", &sentence("PBS"));
    assert_refused(&seed(), "add group1/zoe shares=parent", &sentence("PBS"));
    assert_refused(&flux(), "shares leaf.1.1=parent", &sentence("Flux"));
    Run::fairscope(["whatif", &slurm(), "--edit", "shares alice=parent"])
        .run()
        .success();
}

#[test]
fn negative_usage_is_refused() {
    assert_refused(
        &seed(),
        "usage bob=-1",
        "-1 is negative; expected a number from 0 up, or -=1 to subtract",
    );
}

#[test]
fn an_account_cannot_move_under_itself() {
    assert_refused(
        &slurm(),
        "move science to science/bio",
        "science cannot move under itself; choose a node outside it",
    );
    assert_refused(
        &seed(),
        "move group1 to group1",
        "group1 cannot move under itself; choose a node outside it",
    );
}

#[test]
fn splitting_more_shares_than_the_level_has_is_refused() {
    let tree = seed();
    assert_refused(
        &tree,
        "scale bob to 10",
        "group1/bob is a user and has no members; choose a node that has some",
    );
    assert_refused(
        &tree,
        "scale group1 to 1",
        "1 share cannot be split among the members of group1; expected a number from 2 to 2147483647: a member with \
         shares keeps at least one",
    );
    assert_refused(
        &tree,
        "trade bob=100",
        "100 shares for group1/bob are more than its siblings can give; expected a number up to 99",
    );
    Run::fairscope(["whatif", &tree, "--edit", "trade bob=99"])
        .run()
        .success();
}

#[test]
fn a_table_of_shares_reports_its_invalid_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("new.csv");
    let rows = "path,shares\nbob,-2\ncathy,parent\nsuzy,1.5\nscott,3000000000\ngroup2,7\n";
    std::fs::write(&file, rows).expect("it can be written");
    let tree = seed();
    let stderr = Run::fairscope(["whatif", &tree, "--edits", &text(&file)])
        .run()
        .failure(2);
    for (line, sentence) in [
        (2, "-2 is not a number of shares; expected one from 0 up"),
        (3, "only Slurm has parent shares, not PBS"),
        (4, "1.5 is not a number of shares"),
        (5, "3000000000 shares do not fit"),
    ] {
        let expected = format!("new.csv:{line}: {sentence}");
        stderr.must_contain(&expected);
    }
    stderr.must_contain("4 of 5 rows");
    let missing = text(&folder.path().join("none.csv"));
    let stderr = Run::fairscope(["whatif", &tree, "--edits", &missing])
        .run()
        .failure(2);
    stderr.must_end("none.csv: no such file or directory\n");
}

/// Writes a scenario file for the seed tree.
fn scenario(folder: &Path, edits: &str) -> String {
    let file = folder.join("scenario.toml");
    let text_of = format!("fairscope = 1\n[source]\npath = {:?}\n{edits}", seed());
    std::fs::write(&file, text_of).expect("it can be written");
    text(&file)
}

#[test]
fn a_scenario_with_invalid_edits_is_not_evaluated_planned_or_solved() {
    let folder = tempfile::tempdir().expect("a folder");
    let edits = "[[edit]]\ndo = \"shares bob=5\"\n[[edit]]\ndo = \"shares physics/alice=20\"\n";
    let file = scenario(folder.path(), edits);
    for args in [
        &["whatif", &file][..],
        &["plan", &file],
        &["solve", &file, "--node", "bob", "--goal", "rank<=1"],
    ] {
        let stderr = Run::fairscope(args).run().failure(2);
        stderr.must_contain(
            "scenario.toml:7: the edit `shares physics/alice=20` no longer fits: unknown node",
        );
        stderr.must_contain("nothing was applied");
    }
}

#[test]
fn one_of_several_scenarios_is_chosen_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let edits = "[[scenario]]\nname = \"more\"\n[[scenario.edit]]\ndo = \"shares bob=90\"\n\
                 [[scenario]]\nname = \"less\"\nshown = true\n[[scenario.edit]]\ndo = \"shares bob=5\"\n";
    let file = scenario(folder.path(), edits);
    let tree = seed();
    for (args, shares) in [
        (&["whatif", &file][..], "from 50 to 5:"),
        (&["whatif", &file, "--name", "more"], "from 50 to 90:"),
        (&["whatif", &tree, "--scenario", &file], "from 50 to 5:"),
        (
            &["whatif", &tree, "--scenario", &file, "--name", "more"],
            "from 50 to 90:",
        ),
    ] {
        let said = Run::fairscope(args).run().success();
        said.lines()
            .next()
            .expect("a sentence")
            .must_contain(shares);
    }
    for args in [
        &["plan", &file, "--name", "most"][..],
        &["plan", &tree, "--scenario", &file, "--name", "most"],
    ] {
        let stderr = Run::fairscope(args).run().failure(2);
        stderr.must_end("scenario.toml (more, less)\n");
    }
    let args = ["plan", &tree, "--name", "more", "--edit", "shares bob=3"];
    let stderr = Run::fairscope(args).run().failure(2);
    stderr.must_contain("give the file with --scenario FILE");
}

#[test]
fn an_impossible_goal_is_refused() {
    let tree = seed();
    for (goal, sentence) in [
        (
            "rank<=0",
            "rank<=0 is not a valid rank; expected a whole number from 1 up, as in rank<=3",
        ),
        (
            "rank!3",
            "unknown goal 'rank!3' (on-target, rank<=3, factor>=0.5, share>=5% or ahead-of PATH)",
        ),
        (
            "factor>=nan",
            "factor>=nan is not a valid factor; expected a number from 0 up, as in factor>=0.5",
        ),
        (
            "",
            "the goal is empty; expected on-target, rank<=3, factor>=0.5, share>=5% or ahead-of PATH",
        ),
        (
            "ahead-of bob",
            "group1/bob cannot be ahead of itself; name another user or account",
        ),
        (
            "ahead-of group1",
            "group1/bob cannot be ahead of group1: one contains the other; choose two separate nodes",
        ),
        (
            "ahead-of nobody",
            "unknown node 'nobody'; write the path from the root, as in group/user, or a name that occurs once",
        ),
    ] {
        let args = ["solve", &tree, "--node", "bob", "--goal", goal];
        let stderr = Run::fairscope(args).run().failure(2);
        assert_eq!(stderr, format!("fairscope: {sentence}\n"), "{goal}");
    }
    let args = ["solve", &tree, "--node", "bob", "--goal", "factor>=2"];
    let ran = Run::fairscope(args).run();
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    ran.text().must_contain("impossible: even with ");
}

#[test]
fn a_plan_needs_edits_and_a_dump_that_can_be_read() {
    let tree = seed();
    let nothing = "fairscope: no edits given; add one, as in --edit 'shares group/user=20'\n";
    assert_eq!(Run::fairscope(["plan", &tree]).run().failure(2), nothing);
    let args = [
        "plan",
        &tree,
        "--edit",
        "shares bob=5",
        "--verify",
        "nowhere",
    ];
    assert_eq!(
        Run::fairscope(args).run().failure(2),
        "fairscope: nowhere: no such file or directory\n"
    );
}

#[test]
fn comparing_trees_of_two_schedulers_is_refused() {
    let (pbs, slurm) = (seed(), slurm());
    let said = format!(
        "fairscope: {pbs} is from PBS and {slurm} from Slurm; nodes with the same path are treated as the same\n"
    );
    let ran = Run::fairscope(["diff", &pbs, &slurm]).run();
    assert_eq!((ran.code, &ran.stderr), (Some(0), &said));
    let args = ["plan", &pbs, "--edit", "shares bob=5", "--verify", &slurm];
    let ran = Run::fairscope(args).run();
    assert_eq!((ran.code, &ran.stderr), (Some(1), &said));
}

#[test]
fn a_scenario_can_be_a_side_of_diff() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = scenario(folder.path(), "[[edit]]\ndo = \"shares bob=5\"\n");
    let tree = seed();
    let said = Run::fairscope(["diff", &tree, &file]).run().success();
    said.must_begin("Shares of 1 node changed.\n2 of 4 users change rank");
    assert_eq!(
        Run::fairscope(["diff", &file, &file]).run().success(),
        "Nothing differs.\n"
    );
}

#[test]
fn proposed_commands_quote_any_name() {
    let csv = "parent,name,shares,usage,type\n,it's $(rm),1,3,user\n,ann,1,2,user\n";
    let ran = Run::fairscope(["solve", "-", "--node", "it's $(rm)", "--goal", "rank<=1"])
        .input(csv)
        .run();
    let said = ran.success();
    said.must_end("to try it: --edit 'shares it'\\''s $(rm)=2'\n");
}

#[test]
fn output_files_never_replace_the_source() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let tree = folder.path().join("tree.csv");
    let contents = "parent,name,shares,usage\n,physics,60,\nphysics,alice,20,500\n";
    std::fs::write(&tree, contents).expect("the folder is ours");
    std::os::unix::fs::symlink("tree.csv", folder.path().join("link")).expect("it is ours too");
    for name in ["tree.csv", "./tree.csv", "link"] {
        let out = text(&folder.path().join(name));
        let stderr = Run::fairscope(["convert", &text(&tree), "--to", "toml", "--out", &out])
            .run()
            .failure(2);
        stderr.must_contain("is the source, which fairscope never writes to");
    }
    assert_eq!(
        std::fs::read_to_string(&tree).ok().as_deref(),
        Some(contents)
    );
}

#[test]
fn an_absurd_time_is_refused_with_a_reason() {
    let duration = "is not a duration; expected a number of seconds, 45m, 1.5h, 1h30m, 14d, 2w, 14-0, 14-00:00:00 or \
                    HH:MM:SS";
    let nobody = "unknown node 'zoe'; write the path from the root, as in group/user, or a name that occurs once";
    let late = "that is past the year 9999; expected a time before it, such as 7d";
    let cases = [
        ("wait soon", format!("soon {duration}")),
        (
            "wait 1:30",
            "1:30 has two meanings; write 1h30m or 1m30s".to_owned(),
        ),
        (
            "wait -7d",
            "-7d is in the past; the clock only moves forward, and undo moves it back".to_owned(),
        ),
        ("wait nan", format!("nan {duration}")),
        ("wait 9999999d", late.to_owned()),
        ("wait 99999999999999999999999d", late.to_owned()),
        ("wait 18446744073709551615", late.to_owned()),
        (
            "wait until 10000-01-01",
            "10000-01-01 is past the year 9999; expected a time such as 2026-11-23T20:51:03, or seconds since 1970".to_owned(),
        ),
        (
            "wait until 2026-13-01",
            "2026-13-01 is not a time; expected 2026-11-23, 2026-11-23T20:51:03, the same with Z or an offset such as +01:00, or seconds since 1970".to_owned(),
        ),
        (
            "wait until 2020-01-01",
            "2020-01-01 is in the past; the clock only moves forward, and undo moves it back"
                .to_owned(),
        ),
        ("rate zoe=3", nobody.to_owned()),
        ("campaign zoe=3 from 1d until 2d", nobody.to_owned()),
        (
            "campaign leo=3 from 2d until 1d",
            "the campaign ends before it begins; expected times such as from 3d until 10d"
                .to_owned(),
        ),
        (
            "campaign engineering=3 from 1d until 2d",
            "engineering is no user and runs no jobs itself; set the rate of a user below it"
                .to_owned(),
        ),
    ];
    for (edit, sentence) in &cases {
        assert_refused(&slurm(), edit, sentence);
    }
    for (rate, told) in [
        ("nan", "NaN"),
        ("inf", "inf"),
        ("-inf", "-inf"),
        ("-2.5", "-2.5"),
        ("1e400", "inf"),
        ("2e15", "2e15"),
    ] {
        let sentence =
            format!("a rate cannot be {told} units a second; expected a number from 0 to 1e15");
        assert_refused(&slurm(), &format!("rate leo={rate}"), &sentence);
        let campaign = format!("campaign leo={rate} from 1d until 2d");
        assert_refused(&slurm(), &campaign, &sentence);
    }
    // Time can advance up to the last supported day.
    let tree = "fairscope = 1\ntaken = \"2026-11-21T00:00:00Z\"\n[tree]\nrows = '''\nphysics 60\n  alice 1 900\n'''\n";
    let ran = Run::fairscope(["simulate", "-", "--until", "9999-12-31", "--step", "50000w"])
        .input(tree)
        .run();
    let told = ran.success();
    told.must_contain("9999-12-31 00:00");
}

#[test]
fn answers_after_simulated_time_name_that_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = folder.path().join("plan.toml");
    let saved = format!(
        "fairscope = 1\n[source]\npath = '{}'\n[[edit]]\ndo = 'rate leo=4000'\n[[edit]]\ndo = 'wait 7d'\n",
        slurm()
    );
    std::fs::write(&plan, saved).expect("it can be written");
    let plan = text(&plan);
    let later = "moves the clock forward by 7 d from ";
    let asked = ["--node", "leo", "--goal", "ahead-of kate"];
    let solved = Run::fairscope(["solve", &plan]).args(asked).run();
    solved.stderr.must_contain(later);
    // The answer is for the tree after that time.
    let shown = Run::fairscope(["convert", &plan, "--to", "toml"]).run();
    let then = folder.path().join("then.toml");
    std::fs::write(&then, &shown.stdout).expect("it can be written");
    let direct = Run::fairscope(["solve", &text(&then)]).args(asked).run();
    assert_eq!(solved.stdout, direct.stdout);
    direct.stderr.must_lack(later);
    let compared = Run::fairscope(["diff", &slurm(), &plan]).run();
    compared.stderr.must_contain(later);
    let told = compared.text();
    told.must_begin("Usage of ");
    for command in ["show", "rank", "policies"] {
        let ran = Run::fairscope([command, &plan]).run();
        assert!(ran.stderr.contains(later), "{command}: {}", ran.stderr);
    }
    let whatif = Run::fairscope(["whatif", &plan]).run();
    whatif.text().must_contain("After 7 d");
    let planned = Run::fairscope(["plan", &plan]).run().text();
    planned.must_contain("the 7 d clock change is not part of the plan");
}

#[test]
fn an_interrupt_stops_a_long_wait_at_once() {
    use rustix::process::{Pid, Signal, kill_process};
    use std::io::Write as _;
    use std::os::unix::process::ExitStatusExt as _;
    let mut command = with_usual_signals();
    // About 1e9 calculations.
    let wait = [
        "--set",
        "PriorityCalcPeriod=00:00:01",
        "--edit",
        "wait 20000d",
    ];
    let mut fairscope = command
        .args(["whatif", "-", "--policy", "fair-tree"])
        .args(wait)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("the program was built with the tests");
    let printed = std::fs::read(data("slurm/gold/sshare.txt")).expect("it is there");
    let mut input = fairscope.stdin.take().expect("it is ours");
    input.write_all(&printed).expect("it is read");
    drop(input);
    let process = i32::try_from(fairscope.id()).ok().and_then(Pid::from_raw);
    let process = process.expect("a process has a number");
    kill_process(process, Signal::INT).expect("it is ours");
    let status = fairscope.wait().expect("it ends");
    assert_eq!(status.signal(), Some(Signal::INT.as_raw()), "{status}");
}

#[test]
fn an_unknown_name_is_answered_with_the_nearest_one() {
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().join("tree.csv");
    let text = "parent,name,shares,usage,type\n,physics,1,,account\n,chem,1,,account\nphysics,alice,1,1,user\n\
                chem,alice,1,1,user\nphysics,bobby,1,1,user\n";
    std::fs::write(&tree, text).unwrap();
    let tree = tree.to_str().expect("temporary folders have plain names");
    for (arguments, said) in answered(
        "
        explain TREE alise
            unknown node 'alise'; did you mean 'physics/alice' or 'chem/alice'?
        explain TREE chm/alice
            unknown node 'chm/alice'; did you mean 'chem/alice' or 'physics/alice'?
        show TREE --node Physics
            unknown node 'Physics'; did you mean 'physics'?
        whatif TREE --edit 'share bobby=2'
            unknown edit 'share'; did you mean 'shares'? (shares, usage
        solve TREE --node bobby --goal rnk<=2
            unknown goal 'rnk<=2'; did you mean 'rank<=3'? (on-target, 
        solve TREE --node bobby --goal 'ahead alice'
            unknown goal 'ahead alice'; did you mean 'ahead-of PATH'? (on-target, 
        whatif TREE --edit 'shares boby=2'
            unknown node 'boby'; did you mean 'physics/bobby'?
        solve TREE --node bobbi --goal rank<=1
            unknown node 'bobbi'; did you mean 'physics/bobby'?
        solve TREE --node bobby --goal 'ahead-of physics/alic'
            did you mean 'physics/alice' or 'chem/alice'?
        diff TREE TREE --node chim
            unknown node 'chim'; did you mean 'chem'?
        simulate TREE --until 1d --charge bobb=4
            unknown node 'bobb'; did you mean 'physics/bobby'?
        explain TREE zoe
            unknown node 'zoe'; write the path from the root
    ",
        &[("TREE", tree)],
    ) {
        let error = Run::fairscope(&arguments).run().failure(2);
        assert!(error.contains(said), "{arguments:?}: {error}");
    }
}

#[test]
fn a_missing_path_gives_the_same_error_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = &scenario_of_missing_source(folder.path());
    let here = crate::support::data("seed");
    let here = here.to_str().expect("the path of the tests is UTF-8");
    for arguments in [
        &["show", "gone.csv"][..],
        &["gone.csv", here],
        &["show", here, "gone.csv"],
        &["diff", here, "gone.csv"],
        &["diff", "gone.csv", here],
        &["show", scenario],
        &["whatif", here, "--scenario", "gone.csv"],
        &["whatif", here, "--edits", "gone.csv"],
        &["timeline", "gone.csv"],
        &[
            "plan",
            here,
            "--edit",
            "shares suzy=1",
            "--verify",
            "gone.csv",
        ],
    ] {
        let error = Run::fairscope(arguments).run().failure(2);
        assert!(
            error.ends_with("gone.csv: no such file or directory\n"),
            "{arguments:?}: {error}"
        );
        assert_eq!(error.lines().count(), 1, "{arguments:?}: {error}");
    }
}
