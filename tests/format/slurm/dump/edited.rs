//! Edited dumps: writing changes only the edited lines.

use super::super::assoc::input;
use super::CLEAN_LOAD;
use crate::format::losses;
use crate::support::files::files_below;
use crate::support::{data, golden};
use fairscope::format::convert::convert;
use fairscope::format::slurm::dump;
use fairscope::format::{Format, Request};
use fairscope::model::{Kind, NodeId, Shares};
use fairscope::open::load_inputs;
use fairscope::open::opened::apply_text;
use fairscope::rules::policy::Policy;
use fairscope::scenario::{Edit, Scenario};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A dump with options of every kind, hostile quotes, comments and unusual line ends.
const HOSTILE: &str = concat!(
    "# kept as it is\r\n",
    "\r\n",
    "QOS - 'normal':Description='Normal QOS default'\r\n",
    "Cluster - 'gold':Fairshare=1:QOS='normal,high'\r\n",
    "Parent - 'root'\r\n",
    "User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1\r\n",
    "  Account - \"o'neil:lab\":Description='a # no comment':Organization=phys:FairShare='40':MaxJobs=4 # ours\r\n",
    "Account - 'chem':GrpTRES=cpu=5,mem=100:DefaultQOS='high':QOS='+high,-low'\r\n",
    "Parent - \"o'neil:lab\"\r\n",
    "User - 'eve':DefaultAccount=\"o'neil:lab\":WCKeys='a,b':Coordinator='chem,physics':share=3:Future='x:y'\r\n",
    "user   -   'zed':partition=gpu:\\\r\n   DefaultAccount='chem':Fair\\\r\nshare=7 # behind\r\n",
    "Parent - 'chem'\r\n",
    "nonsense that is kept\r\n",
    "User - 'dan'\\\r\n:DefaultAccount='chem'\r\n",
    "User - \"bob\":DefaultAccount='chem':Fairshare=2",
);

fn scenario(text: &[u8], cluster: Option<&str>) -> Scenario {
    let request = Request {
        cluster: cluster.map(str::to_owned),
        ..Request::default()
    };
    let loaded = load_inputs(vec![input(text)], &request, &mut |_| {
        ControlFlow::Continue(())
    });
    let snapshot = loaded.expect("the text is a dump").snapshot;
    Scenario::new(Arc::new(snapshot), Policy::FairTree)
}

/// The written dump, and the losses reported but for the dangers of loading it.
fn written(scenario: &Scenario) -> (Vec<u8>, Vec<String>) {
    let (bytes, mut losses) = written_with_dangers(scenario);
    let told = losses.extract_if(.., |loss| loss == CLEAN_LOAD);
    assert_eq!(told.count(), 1);
    losses.retain(|loss| !loss.starts_with("WCKeys="));
    (bytes, losses)
}

fn written_with_dangers(scenario: &Scenario) -> (Vec<u8>, Vec<String>) {
    let (base, tree) = (scenario.base(), scenario.tree());
    let mut conversion = convert(base, tree, scenario.settings(), Format::SacctmgrDump);
    (conversion.files.remove(0).1, losses(&conversion))
}

#[test]
fn the_dangers_of_loading_a_dump_are_told() {
    let wckeys = "WCKeys= on the line of a user aborts sacctmgr load without a message since Slurm 25.11: remove it from that of eve";
    let dangers = |text: &str, version: &str, edits: &[&str]| {
        let mut base = scenario(text.as_bytes(), None).base().clone();
        version.clone_into(&mut base.source.version);
        let mut scenario = Scenario::new(Arc::new(base), Policy::FairTree);
        for edit in edits {
            apply_text(&mut scenario, edit.as_bytes()).expect("the edit fits");
        }
        written_with_dangers(&scenario).1
    };
    for version in ["", "25.11.0", "26.05.1"] {
        assert_eq!(
            dangers(HOSTILE, version, &[]),
            [wckeys, CLEAN_LOAD],
            "{version}"
        );
    }
    assert_eq!(dangers(HOSTILE, "24.11.5", &[]), [CLEAN_LOAD]);
    assert_eq!(dangers(HOSTILE, "23.02.7", &[]), [] as [&str; 0]);
    // Not of an account, nor of a user that is no longer in the file.
    let edits = ["remove o'neil:lab/eve"];
    assert!(!dangers(HOSTILE, "", &edits).contains(&wckeys.to_owned()));
    let text = HOSTILE
        .replace(":WCKeys='a,b'", "")
        .replace(":GrpTRES=", ":WCKeys='a':GrpTRES=");
    assert_eq!(dangers(&text, "", &[]), [CLEAN_LOAD]);
    let two = HOSTILE.replace("bob\":", "bob\":wckeys='c':");
    assert!(dangers(&two, "", &[])[0].ends_with("remove it from that of eve and 1 more"));
}

/// The dump with the edits applied, and the losses reported.
fn edited(text: &str, edits: &[&str]) -> (String, Vec<String>) {
    let mut scenario = scenario(text.as_bytes(), None);
    for edit in edits {
        apply_text(&mut scenario, edit.as_bytes()).expect("the edit fits");
    }
    let (bytes, losses) = written(&scenario);
    (String::from_utf8(bytes).expect("it was text"), losses)
}

/// The lines found in only one of two texts, marked as by `diff`.
fn changes(before: &str, after: &str) -> Vec<String> {
    let (before, after): (Vec<&str>, Vec<&str>) = (
        before.split_inclusive('\n').collect(),
        after.split_inclusive('\n').collect(),
    );
    let start = before
        .iter()
        .zip(&after)
        .take_while(|(a, b)| a == b)
        .count();
    let (mut old, mut new) = (&before[start..], &after[start..]);
    let mut changes = Vec::new();
    // Correct only for a few changes that do not cross.
    while let (Some(first), Some(other)) = (old.first(), new.first()) {
        if first == other {
            (old, new) = (&old[1..], &new[1..]);
        } else if new.contains(first) {
            changes.push(format!("+{other}"));
            new = &new[1..];
        } else {
            changes.push(format!("-{first}"));
            old = &old[1..];
        }
    }
    changes.extend(old.iter().map(|line| format!("-{line}")));
    changes.extend(new.iter().map(|line| format!("+{line}")));
    changes
}

/// All dumps: those of the golden set if present, else those kept with the tests.
fn dumps() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = ["slurm", "slurm_plans", "slurm_outputs"]
        .into_iter()
        .filter_map(golden)
        .collect();
    if folders.is_empty() {
        folders.push(data("slurm"));
    }
    let mut dumps: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| files_below(folder))
        .collect();
    dumps.retain(|path| {
        let is_named_so = path.to_string_lossy().ends_with(".cfg");
        let is_dump = is_named_so && dump::is(&std::fs::read(path).expect("a file can be read"));
        if is_named_so && !is_dump {
            println!("{}: not a dump, but what the command said", path.display());
        }
        is_dump
    });
    dumps.sort();
    dumps
}

fn bytes_that_differ(one: &[u8], other: &[u8]) -> usize {
    let pairs = one.iter().zip(other);
    pairs.filter(|(one, other)| one != other).count() + one.len().abs_diff(other.len())
}

#[test]
fn unedited_dumps_are_written_byte_for_byte() {
    let dumps = dumps();
    let mut different = 0;
    for path in &dumps {
        let before = std::fs::read(path).expect("a dump");
        let (after, losses) = written(&scenario(&before, Some("gold")));
        different += bytes_that_differ(&before, &after);
        assert_eq!(losses, [] as [&str; 0], "{}", path.display());
    }
    println!("{} dumps, {different} bytes differ", dumps.len());
    assert_eq!(different, 0);
    assert!(dumps.len() > 3);
}

#[test]
fn new_shares_change_only_the_lines_of_their_nodes() {
    let (mut files, mut lines) = (0, 0);
    for path in dumps() {
        let before = std::fs::read(&path).expect("a dump");
        let mut scenario = scenario(&before, Some("gold"));
        // One node in three, which gives thousands in the largest dump.
        let nodes = scenario.tree().nodes().to_vec();
        let asked: Vec<NodeId> = nodes.into_iter().skip(1).step_by(3).collect();
        let edits = asked.iter().map(|&node| Edit::SetShares {
            node,
            shares: Shares::new(777_001),
        });
        scenario
            .apply(Edit::Batch(edits.collect()))
            .expect("shares");
        let (after, _) = written(&scenario);
        let split = |bytes: &[u8]| {
            bytes
                .split(|&byte| byte == b'\n')
                .map(<[u8]>::to_vec)
                .collect::<Vec<_>>()
        };
        let (before, after) = (split(&before), split(&after));
        assert_eq!(before.len(), after.len(), "{}", path.display());
        let differ: Vec<usize> = (0..before.len())
            .filter(|&at| before[at] != after[at])
            .collect();
        assert_eq!(differ.len(), asked.len(), "{}", path.display());
        for at in differ {
            let line = String::from_utf8_lossy(&after[at]).into_owned();
            let old = String::from_utf8_lossy(&before[at]).into_owned();
            let (start, count) = old.rsplit_once("Fairshare=").expect("shares");
            let behind = count.trim_start_matches(|char: char| char.is_ascii_digit());
            assert_eq!(line, format!("{start}Fairshare=777001{behind}"));
        }
        files += 1;
        lines += asked.len();
    }
    println!("{files} dumps, {lines} lines with new shares, no other line differs");
}

/// The edits that a scenario file lists.
fn edits_of(scenario: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(scenario).expect("a scenario");
    let edits = text.lines().filter_map(|line| line.strip_prefix("do = \""));
    edits
        .map(|edit| edit.trim_end_matches('"').to_owned())
        .collect()
}

#[test]
fn edited_dumps_equal_those_slurm_wrote_after_its_commands() {
    // Only cases whose real commands succeeded and added no association, since Slurm fills in further options then.
    let cases = [
        "22-moveacc",
        "22-norm",
        "22-parent",
        "22-raise",
        "22-removeuser",
        "22-s152",
        "24-moveacc",
        "24-parent",
        "24-raise",
        "24-removeacc",
        "24-swap",
        "24-zero",
    ];
    let Some(root) = golden("slurm_plans") else {
        return;
    };
    for case in cases {
        let folder = root.join(case);
        let read = |name: &str| std::fs::read(folder.join(name)).expect("a dump");
        let mut scenario = scenario(&read("before.dump.cfg"), None);
        for edit in edits_of(&folder.join("scenario.toml")) {
            apply_text(&mut scenario, edit.as_bytes()).expect("the edit fits");
        }
        let (after, losses) = written(&scenario);
        let differ = bytes_that_differ(&read("after.dump.cfg"), &after);
        println!("{case}: {differ} bytes differ from the dump after the commands");
        assert_eq!(differ, 0, "{case}");
        assert_eq!(losses, [] as [&str; 0], "{case}");
    }
}

#[test]
fn unknown_options_are_kept() {
    let (text, losses) = edited(HOSTILE, &[]);
    assert_eq!(text, HOSTILE);
    assert_eq!(losses, [] as [&str; 0]);
}

#[test]
fn shares_are_replaced_in_place() {
    let edits = [
        "shares o'neil:lab=50",
        "shares chem=parent",
        "shares eve=4",
        "shares zed@gpu=8",
        "shares dan=9",
        "shares bob=10",
    ];
    for (edit, old, new) in [
        (edits[0], "FairShare='40'", "FairShare='50'"),
        (
            edits[1],
            "QOS='+high,-low'",
            "QOS='+high,-low':Fairshare=2147483647",
        ),
        (edits[2], "share=3", "share=4"),
        (
            edits[3],
            "Fair\\\r\nshare=7 # behind",
            "Fair\\\r\nshare=8 # behind",
        ),
        (
            edits[4],
            "'dan'\\\r\n:DefaultAccount='chem'",
            "'dan'\\\r\n:DefaultAccount='chem':Fairshare=9",
        ),
        (edits[5], "Fairshare=2", "Fairshare=10"),
    ] {
        let (text, losses) = edited(HOSTILE, &[edit]);
        let at = HOSTILE.rfind(old).expect("it is there");
        let wanted = format!("{}{new}{}", &HOSTILE[..at], &HOSTILE[at + old.len()..]);
        assert_eq!(text, wanted, "{edit}");
        assert_eq!(losses, [] as [&str; 0]);
    }
    let back = edits.iter().chain(&["shares o'neil:lab=40"]);
    let (text, _) = edited(HOSTILE, &back.copied().collect::<Vec<_>>());
    assert!(
        text.contains("FairShare='40':MaxJobs=4 # ours\r\n"),
        "{text}"
    );
}

#[test]
fn removing_a_node_removes_its_lines_but_no_comment() {
    let (text, losses) = edited(HOSTILE, &["remove chem"]);
    let gone = [
        "-Account - 'chem':GrpTRES=cpu=5,mem=100:DefaultQOS='high':QOS='+high,-low'\r\n",
        "-Parent - 'chem'\r\n",
        "-User - 'dan'\\\r\n",
        "-:DefaultAccount='chem'\r\n",
        "-User - \"bob\":DefaultAccount='chem':Fairshare=2",
    ];
    assert_eq!(changes(HOSTILE, &text), gone);
    assert_eq!(losses, [] as [&str; 0]);
}

#[test]
fn an_added_node_has_only_the_given_options() {
    let (text, losses) = edited(
        HOSTILE,
        &[
            "add chem/carl shares=5",
            "add bio shares=6 kind=account",
            "add bio/amy shares=7",
        ],
    );
    assert_eq!(
        changes(HOSTILE, &text),
        [
            "+Account - 'bio':Fairshare=6\r\n",
            "+Parent - 'bio'\r\n",
            "+User - 'amy':Fairshare=7\r\n",
            "-User - \"bob\":DefaultAccount='chem':Fairshare=2",
            "+User - \"bob\":DefaultAccount='chem':Fairshare=2\r\n",
            "+User - 'carl':Fairshare=5\r\n",
        ]
    );
    assert_eq!(losses, [] as [&str; 0]);
}

#[test]
fn a_moved_node_keeps_every_option() {
    let (text, losses) = edited(HOSTILE, &["move chem/bob to o'neil:lab"]);
    assert_eq!(
        changes(HOSTILE, &text),
        [
            "+User - \"bob\":DefaultAccount='chem':Fairshare=2\r\n",
            "-User - \"bob\":DefaultAccount='chem':Fairshare=2",
        ]
    );
    assert_eq!(
        losses,
        [
            "the edits move users out of their DefaultAccount, which is not changed: set another one before loading \
             the file, for bob"
        ]
    );
    let (text, _) = edited(HOSTILE, &["move chem to o'neil:lab"]);
    let wanted = "share=7 # behind\r\nAccount - 'chem':GrpTRES=cpu=5,mem=100:DefaultQOS='high':QOS='+high,-low'\r\n\
                  Parent - 'chem'\r\nnonsense that is kept\r\n";
    assert!(text.contains(wanted), "{text}");
}

#[test]
fn accounts_below_a_new_account_come_after_it() {
    let text = "Cluster - 'gold'\nParent - 'root'\nAccount - 'a'\nAccount - 'b'\nParent - 'a'\nUser - 'u'\nAccount - 's'\n\
                Parent - 's'\nUser - 'v'\nParent - 'b'\nUser - 'w'\n";
    let (text, _) = edited(
        text,
        &["add c shares=2 kind=account", "move a to c", "move c to b"],
    );
    assert_eq!(
        text,
        "Cluster - 'gold'\nParent - 'root'\nAccount - 'b'\nParent - 'b'\nUser - 'w'\nAccount - 'c':Fairshare=2\n\
         Parent - 'c'\nAccount - 'a'\nParent - 'a'\nUser - 'u'\nAccount - 's'\nParent - 's'\nUser - 'v'\n"
    );
}

#[test]
fn renaming_an_account_renames_its_block_and_all_references() {
    let (text, losses) = edited(HOSTILE, &["rename chem to chemistry"]);
    let wanted = HOSTILE
        .replace("Account - 'chem'", "Account - 'chemistry'")
        .replace("Parent - 'chem'", "Parent - 'chemistry'")
        .replace("DefaultAccount='chem'", "DefaultAccount='chemistry'")
        .replace(
            "Coordinator='chem,physics'",
            "Coordinator='chemistry,physics'",
        );
    assert_eq!(text, wanted);
    assert_eq!(losses, [] as [&str; 0]);
    let (text, _) = edited(HOSTILE, &["rename bob to rob"]);
    assert_eq!(text, HOSTILE.replace("\"bob\"", "'rob'"));
}

#[test]
fn lines_of_other_clusters_are_kept() {
    let text = "Cluster - 'gold'\nParent - 'root'\nAccount - 'a':Fairshare=1\nParent - 'a'\nUser - 'u':Fairshare=1\n\
                Cluster - 'silver'\nParent - 'root'\nAccount - 'a':Fairshare=1\nParent - 'a'\nUser - 'u':Fairshare=1\n";
    let half = text.find("Cluster - 'silver'").expect("it is there");
    let (gold, silver) = text.split_at(half);
    for (cluster, is_second) in [("gold", false), ("silver", true)] {
        let mut scenario = scenario(text.as_bytes(), Some(cluster));
        for edit in ["shares a=5", "remove u", "add b shares=3 kind=account"] {
            apply_text(&mut scenario, edit.as_bytes()).expect("the edit fits");
        }
        let (bytes, _) = written(&scenario);
        let changed = |part: &str| {
            part.replace(
                "'a':Fairshare=1\n",
                "'a':Fairshare=5\nAccount - 'b':Fairshare=3\n",
            )
            .replace("User - 'u':Fairshare=1\n", "")
        };
        let wanted = if is_second {
            format!("{gold}{}", changed(silver))
        } else {
            format!("{}{silver}", changed(gold))
        };
        assert_eq!(String::from_utf8_lossy(&bytes), wanted);
    }
}

#[test]
fn a_repeated_line_stays_repeated() {
    let text = "Cluster - 'gold'\nParent - 'root'\nAccount - 'a':Fairshare=1\nAccount - 'a':Fairshare=2\nUser - 'u':Fairshare=lots\n";
    assert_eq!(edited(text, &[]).0, text);
    assert_eq!(edited(text, &["shares u=4"]).0, text.replace("lots", "4"));
}

#[test]
fn new_lines_have_the_prefix_of_their_command() {
    let text = "sacctmgr: Cluster - 'gold':Fairshare=1\nsacctmgr: Parent - 'root'\nsacctmgr: User - 'bob':Fairshare=4\n";
    let (text, _) = edited(text, &["add cat shares=2"]);
    assert!(
        text.ends_with("sacctmgr: User - 'cat':Fairshare=2\n"),
        "{text}"
    );
}

#[test]
fn edited_usage_and_settings_are_reported_as_lost() {
    let text = "Cluster - 'gold'\nParent - 'root'\nUser - 'bob':Fairshare=4\n";
    let (same, losses) = edited(text, &["usage bob=50", "set PriorityLevels=4"]);
    assert_eq!(same, text);
    assert_eq!(
        losses,
        [
            "sacctmgr load sets no usage: that of bob is left out",
            "settings are left out: PriorityLevels",
        ]
    );
}

#[test]
fn facts_that_slurm_cannot_hold_are_omitted_and_reported() {
    let text =
        "Cluster - 'gold'\nParent - 'root'\nAccount - 'a':Fairshare=1\nUser - \"bob:Fairshare=4\n";
    let (same, losses) = edited(text, &["add x=y shares=2 kind=account", "rename a to b=c"]);
    assert_eq!(same, text);
    assert_eq!(
        losses,
        [
            "sacctmgr load refuses names that are empty, longer than 255 bytes, or contain = or a line end: x=y is \
             left out together with its subtree",
            "sacctmgr load does not accept b=c as a name: the old one is kept",
        ]
    );
    let mut scenario = scenario(text.as_bytes(), None);
    let bob = scenario
        .tree()
        .nodes()
        .iter()
        .find(|&&node| scenario.tree().kind(node) == Kind::User);
    let shares = Shares::new(9);
    let edit = Edit::SetShares {
        node: *bob.expect("a user"),
        shares,
    };
    scenario.apply(edit).expect("shares");
    let (bytes, losses) = written(&scenario);
    assert_eq!(bytes, text.as_bytes());
    assert_eq!(
        losses,
        ["the line of bob:Fairshare=4 opens a quote and does not close it: its edits are left out"]
    );
}
