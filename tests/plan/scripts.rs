//! The scripts of `plan --out`, run by shells with stand-ins for the schedulers' commands.

use crate::support::command::Run;
use crate::support::expected::Expected as _;
use crate::support::files::folders_with;
use crate::support::loading::open;
use crate::support::stand_in::StandIn;
use crate::support::{data, golden};
use fairscope::analysis::plan::{Plan, PlanInputs, plan, planned_tree};
use fairscope::model::{Kind, NodeId, Scheduler, Tree};
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

/// A folder of a plan, and stand-ins that log what they are called with.
struct Site {
    commands: StandIn,
}

/// How a script ended.
struct Ended {
    code: Option<i32>,
    stderr: String,
    /// The commands that were called, without those that only ask.
    log: Vec<String>,
}

/// Logs its arguments as one line, each as a shell reads it. It fails at the line whose number is in the file `fail`.
const LOG: &str = r#"
here=${0%/*}/..
for word; do printf '<%s>' "$word"; done >>"$here/log"
echo >>"$here/log"
[ "$(/usr/bin/wc -l <"$here/log")" -ne "$(/bin/cat "$here/fail")" ] || { echo refused >&2; exit 3; }
"#;

/// Prints the listing; with partitions if they are asked for.
const LIST: &str = r#"
case "$*" in
*show*assoc*Partition*) exec /bin/cat "${0%/*}/../listing.partitions" ;;
*show*assoc*) exec /bin/cat "${0%/*}/../listing" ;;
*view-bank*) exec /bin/cat "${0%/*}/../listing" ;;
*print*) echo 'set server scheduling = True'; exit ;;
esac
"#;

impl Site {
    fn of(programs: &[&str]) -> Self {
        let mut commands = StandIn::empty();
        for program in programs {
            commands = commands.command(program, &[LIST, LOG].concat());
        }
        let site = Self { commands };
        site.fail_at(0);
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.commands.folder().join(name)
    }

    fn fail_at(&self, line: usize) {
        fs::write(self.path("fail"), line.to_string()).expect("it is ours");
    }

    /// Makes the plan of some arguments in the folder `plan`.
    fn plan(&self, args: &[&str]) -> (Option<i32>, String) {
        let run = Run::fairscope(["plan"]).args(args).arg("--out");
        let ran = run.arg(self.path("plan")).run();
        (ran.code, ran.stderr)
    }

    /// Runs a script of the plan with a shell.
    fn run(&self, shell: &str, script: &str) -> Ended {
        let _ = fs::remove_file(self.path("log"));
        let bin = self.commands.bin();
        let bin = bin.to_str().expect("UTF-8");
        let ran = Command::new(shell)
            .arg(self.path("plan").join(script))
            .env("PATH", format!("{bin}:/usr/bin:/bin"))
            .env("PBS_CONF_FILE", self.path("pbs.conf"))
            .output()
            .expect("a shell");
        let log = fs::read_to_string(self.path("log")).unwrap_or_default();
        Ended {
            code: ran.status.code(),
            stderr: String::from_utf8_lossy(&ran.stderr).into_owned(),
            log: log.lines().map(str::to_owned).collect(),
        }
    }

    fn list(&self, tree: &Tree) {
        let name = |node: NodeId| String::from_utf8_lossy(tree.name(node)).into_owned();
        for (file, has_partitions) in [("listing", false), ("listing.partitions", true)] {
            let lines = tree.nodes().iter().map(|&node| {
                let parent = tree.parent(node).map(name).unwrap_or_default();
                let partition = tree.partition(node).unwrap_or_default();
                let partition = String::from_utf8_lossy(partition);
                let partition = if has_partitions {
                    format!("{partition}|")
                } else {
                    String::new()
                };
                let (name, shares) = (name(node), tree.shares(node));
                match tree.kind(node) {
                    Kind::Account => format!("{name}||{partition}{parent}|{shares}\n"),
                    Kind::User | Kind::Others => format!("{parent}|{name}|{partition}|{shares}\n"),
                }
            });
            fs::write(self.path(file), lines.collect::<String>()).expect("it is ours");
        }
    }
}

/// Returns commands as the stand-ins log them.
fn logged(commands: &[String]) -> Vec<String> {
    let logged = commands.iter().map(|command| {
        let words = super::sacctmgr::words(command);
        let words = words.iter().skip(1).map(|word| format!("<{word}>"));
        words.collect::<String>()
    });
    logged.collect()
}

const SHELLS: [&str; 2] = ["sh", "bash"];

#[test]
fn scripts_for_slurm_run_the_commands_where_the_shares_are_as_read() {
    let root = golden("slurm_plans").unwrap_or_else(|| data("slurm_plans"));
    for case in folders_with(&root, &["scenario.toml"]) {
        let name = case.display();
        let opened = open(&case.join("scenario.toml"), None);
        let plan: Plan = plan(&opened.scenario, Scheduler::Slurm, &PlanInputs::default());
        let site = Site::of(&["sacctmgr", "scontrol"]);
        let (code, stderr) = site.plan(&[case.join("scenario.toml").to_str().unwrap()]);
        assert_eq!(code, Some(0), "{name}: {stderr}");
        // What the real cluster had before and after, where it was captured.
        let captured = |dump: &str, tree: &Tree| {
            let dump = case.join(dump);
            let has_dump = dump.is_file() && plan.omissions.is_empty();
            if has_dump {
                open(&dump, None).scenario.tree().clone()
            } else {
                tree.clone()
            }
        };
        let before = captured("before.dump.cfg", &opened.scenario.base().tree);
        let after = planned_tree(&opened.scenario, &plan.omissions);
        let after = captured("after.dump.cfg", &after);
        for shell in SHELLS {
            site.list(&before);
            let ran = site.run(shell, "apply.sh");
            assert_eq!(ran.code, Some(0), "{name}: {}", ran.stderr);
            assert_eq!(ran.log, logged(&plan.commands), "{name}");
            site.list(&after);
            let ran = site.run(shell, "rollback.sh");
            assert_eq!(ran.code, Some(0), "{name}: {}", ran.stderr);
            assert_eq!(ran.log, logged(&plan.rollback), "{name}");
            // The rollback of a plan that stopped before its first command.
            site.list(&before);
            let ran = site.run(shell, "rollback.sh");
            assert_eq!(ran.code, Some(0), "{name}: {}", ran.stderr);
        }
    }
}

#[test]
fn a_script_stops_before_the_first_change_where_something_is_not_as_read() {
    let site = Site::of(&["sacctmgr"]);
    let edits = ["shares science=50", "add science/geo shares=5 kind=account"];
    let gold = "tests/data/slurm/gold";
    let (code, stderr) = site.plan(&[gold, "--edit", edits[0], "--edit", edits[1]]);
    assert_eq!(code, Some(0), "{stderr}");
    let opened = open(Path::new(gold), None);
    site.list(opened.scenario.tree());
    let listing = fs::read_to_string(site.path("listing.partitions")).unwrap();
    let old = fs::read_to_string(site.path("listing")).unwrap();
    let says = |from: &str, to: &str, expected: &str| {
        let change = |text: &str| text.replace(from, to);
        fs::write(site.path("listing"), change(&old)).unwrap();
        fs::write(site.path("listing.partitions"), change(&listing)).unwrap();
        for shell in SHELLS {
            let ran = site.run(shell, "apply.sh");
            assert_eq!(ran.code, Some(1), "{}", ran.stderr);
            assert_eq!(ran.log, [""; 0]);
            ran.stderr.must_contain(expected);
            ran.stderr.must_end("nothing was changed\n");
        }
    };
    says("|root|60\n", "|root|61\n", "root|60, found ");
    says("|root|60\n", "|else|60\n", "found ");
    let geo = old.lines().next().unwrap();
    let added = format!("{geo}\ngeo||science|5\n");
    fs::write(
        site.path("listing"),
        old.replace(&format!("{geo}\n"), &added),
    )
    .unwrap();
    if fs::read_to_string(site.path("plan").join("apply.sh"))
        .unwrap()
        .contains("Partition")
    {
        let added = format!("{geo}\ngeo|||science|5\n");
        let first = listing.lines().next().unwrap();
        fs::write(
            site.path("listing.partitions"),
            listing.replacen(first, &added, 1),
        )
        .unwrap();
    }
    let ran = site.run("sh", "apply.sh");
    assert_eq!((ran.code, ran.log.len()), (Some(1), 0), "{}", ran.stderr);
    ran.stderr.must_contain(" nowhere, found ");
    // Without its programs it does nothing either.
    fs::remove_file(site.commands.bin().join("sacctmgr")).unwrap();
    let ran = site.run("sh", "apply.sh");
    assert_eq!((ran.code, ran.log.len()), (Some(1), 0));
    ran.stderr.must_contain("there is no command sacctmgr here");
}

#[test]
fn a_script_stops_at_the_first_command_that_fails() {
    let site = Site::of(&["sacctmgr"]);
    let gold = "tests/data/slurm/gold";
    let args = [
        gold,
        "--edit",
        "shares science=50",
        "--edit",
        "shares physics=41",
        "--edit",
        "shares chem=26",
    ];
    let (code, stderr) = site.plan(&args);
    assert_eq!(code, Some(0), "{stderr}");
    site.list(open(Path::new(gold), None).scenario.tree());
    site.fail_at(2);
    for shell in SHELLS {
        for script in ["apply.sh", "rollback.sh"] {
            let ran = site.run(shell, script);
            assert_eq!(ran.code, Some(3), "{}", ran.stderr);
            assert_eq!(ran.log.len(), 2, "{}", ran.stderr);
            let end = "the last command above failed; those before it were applied\n";
            ran.stderr.must_end(end);
        }
    }
}

/// Returns the output of `flux account view-bank root -t -P` for a tree.
fn view_bank(tree: &Tree) -> String {
    let mut text = "Bank|Username|Active|RawShares|RawUsage|Fairshare\n".to_owned();
    for &node in tree.nodes() {
        let name = |node| String::from_utf8_lossy(tree.name(node)).into_owned();
        let blanks = " ".repeat(tree.depth(node) as usize);
        let (shares, bank) = (tree.shares(node), tree.parent(node).map(name));
        let line = match (tree.kind(node), bank) {
            (Kind::User, Some(bank)) => {
                format!("{blanks}{bank}|{}|true|{shares}|0.0|0.5\n", name(node))
            }
            _ => format!("{blanks}{}||true|{shares}|0.0\n", name(node)),
        };
        text.push_str(&line);
    }
    text
}

#[test]
fn scripts_for_flux_run_the_commands_where_the_shares_are_as_read() {
    let opened = open(Path::new("example:flux"), None);
    let edits = [
        "shares account1=700",
        "shares leaf.1.1=9",
        "remove account3",
        "remove leaf.2.1",
        "add account1/zoe shares=4",
    ];
    let mut scenario = opened.scenario;
    let mut args = vec!["example:flux"];
    for edit in edits {
        fairscope::open::opened::apply_text(&mut scenario, edit.as_bytes()).unwrap();
        args.extend(["--edit", edit]);
    }
    let plan = plan(&scenario, Scheduler::Flux, &PlanInputs::default());
    let site = Site::of(&["flux"]);
    let (code, stderr) = site.plan(&args);
    assert_eq!(code, Some(0), "{stderr}");
    let before = view_bank(&scenario.base().tree);
    let after = view_bank(&planned_tree(&scenario, &plan.omissions));
    let listing = site.path("listing");
    for shell in SHELLS {
        fs::write(&listing, &before).unwrap();
        let ran = site.run(shell, "apply.sh");
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert_eq!(ran.log, logged(&plan.commands));
        fs::write(&listing, &after).unwrap();
        let ran = site.run(shell, "rollback.sh");
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert_eq!(ran.log, logged(&plan.rollback));
        let ran = site.run(shell, "apply.sh");
        assert_eq!((ran.code, ran.log.len()), (Some(1), 0), "{}", ran.stderr);
        fs::write(
            &listing,
            before.replace("leaf.1.1|true|", "leaf.1.1|false|"),
        )
        .unwrap();
        let ran = site.run(shell, "apply.sh");
        assert_eq!((ran.code, ran.log.len()), (Some(1), 0), "{}", ran.stderr);
    }
}

/// A process that ends at a hang-up.
fn scheduler(site: &Site) -> Child {
    // The tests may run where hang-ups are ignored.
    let mut command = Command::new("env");
    let command = command.args(["--default-signal=HUP", "sleep", "600"]);
    let child = command.spawn().expect("it runs");
    fs::write(site.path("pid"), child.id().to_string()).expect("it is ours");
    child
}

#[test]
fn scripts_for_pbs_replace_the_files_and_put_them_back() {
    let site = Site::of(&["qmgr", "pbsfs"]);
    site.commands
        .replace("pgrep", "exec /bin/cat \"${0%/*}/../pid\"");
    let home = site.path("sched_priv");
    fs::create_dir(&home).unwrap();
    for file in ["resource_group", "usage", "sched_config"] {
        fs::copy(format!("tests/data/seed/{file}"), home.join(file)).unwrap();
    }
    fs::write(
        site.path("pbs.conf"),
        format!("PBS_HOME={}\n", site.commands.folder().display()),
    )
    .unwrap();
    let args = [
        home.to_str().unwrap(),
        "--edit",
        "shares group2/suzy=80",
        "--edit",
        "usage scott=7",
    ];
    let (code, stderr) = site.plan(&args);
    assert_eq!(code, Some(0), "{stderr}");
    let read = || fs::read_to_string(home.join("resource_group")).unwrap();
    let old = read();
    for shell in SHELLS {
        let hung_up = |script: &str| {
            let mut child = scheduler(&site);
            let ran = site.run(shell, script);
            assert_eq!(ran.code, Some(0), "{}", ran.stderr);
            assert_eq!(child.wait().unwrap().signal(), Some(1));
            ran.log
        };
        let log = hung_up("apply.sh");
        assert_eq!(
            log,
            [
                "<-c><set server scheduling = False>",
                "<-s><scott><7>",
                "<-c><set server scheduling = True>"
            ]
        );
        assert!(read().contains("suzy") && read() != old);
        let mut child = scheduler(&site);
        let ran = site.run(shell, "apply.sh");
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        let expected = "resource_group is not the file that the plan was made for";
        ran.stderr.must_contain(expected);
        child.kill().unwrap();
        child.wait().unwrap();
        hung_up("rollback.sh");
        assert_eq!(read(), old);
    }
    // Scheduling is not left off in silence.
    site.fail_at(2);
    let mut child = scheduler(&site);
    let ran = site.run("sh", "apply.sh");
    child.wait().unwrap();
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    let end = "if scheduling is off now: qmgr -c 'set server scheduling = True'\n";
    ran.stderr.must_end(end);
}

#[test]
fn the_folder_of_a_plan_holds_the_scripts_and_the_plan_for_people() {
    let names = |site: &Site| {
        let entries = fs::read_dir(site.path("plan")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    };
    let site = Site::of(&[]);
    let (code, stderr) = site.plan(&["tests/data/slurm/gold", "--edit", "shares science=50"]);
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(names(&site), ["apply.sh", "plan.md", "rollback.sh"]);
    let page = fs::read_to_string(site.path("plan/plan.md")).unwrap();
    page.must_contain("# Plan for Slurm");
    let site = Site::of(&[]);
    let (code, stderr) = site.plan(&["tests/data/seed", "--edit", "shares group2/suzy=80"]);
    assert_eq!(code, Some(0), "{stderr}");
    let expected = ["apply.sh", "plan.md", "resource_group.new", "rollback.sh"];
    assert_eq!(names(&site), expected);
    // Of what cannot be applied there is nothing to run.
    let site = Site::of(&[]);
    let (code, _) = site.plan(&["tests/data/slurm/gold", "--edit", "rename science to arts"]);
    assert_eq!((code, names(&site)), (Some(1), vec!["plan.md".to_owned()]));
    // No script has a placeholder.
    let site = Site::of(&[]);
    let (code, stderr) = site.plan(&["example:small", "--for", "slurm", "--edit", "shares suzy=1"]);
    assert_eq!(code, Some(2));
    stderr.must_contain("--cluster NAME");
    assert!(!site.path("plan").exists());
}

#[test]
fn hostile_names_stay_words_of_one_command() {
    let site = Site::of(&["sacctmgr"]);
    let tree = "parent,name,shares,type\n,a$(touch x),1,account\n,\"b;'`\",1,account\na$(touch x),\"u\\e\",1,user\n";
    let file = site.path("tree.csv");
    fs::write(&file, tree).unwrap();
    let file = file.to_str().unwrap();
    let for_gold = [file, "--for", "slurm", "--cluster", "gold"];
    let edits = ["--edit", "scale / to 40"];
    let (code, stderr) = site.plan(&[&for_gold[..], &edits].concat());
    assert_eq!(code, Some(0), "{stderr}");
    let opened = open(Path::new(file), None);
    site.list(opened.scenario.tree());
    for shell in SHELLS {
        let ran = site.run(shell, "apply.sh");
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let log = ran.log.join("\n");
        log.must_contain("<name=a$(touch x)>");
        let ran = Command::new(shell)
            .arg("-n")
            .arg(site.path("plan/rollback.sh"))
            .status();
        assert!(ran.unwrap().success());
    }
}
