//! Dumps are written back as they were read, and with edits they are refused.

use super::super::assoc::input;
use super::{CLEAN_LOAD, UNTOLD};
use crate::format::losses;
use crate::support::command::Run;
use crate::support::expected::Expected as _;
use crate::support::files::files_below;
use crate::support::{data, golden};
use fairscope::format::convert::convert;
use fairscope::format::slurm::dump;
use fairscope::format::{Conversion, EditedDump, Format, Request};
use fairscope::open::load_inputs;
use fairscope::open::opened::apply_text;
use fairscope::rules::policy::Policy;
use fairscope::scenario::Scenario;
use std::ops::ControlFlow;
use std::path::PathBuf;
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
    let mut conversion = converted(scenario).expect("no edit concerns the dump");
    (conversion.files.remove(0).1, losses(&conversion))
}

fn converted(scenario: &Scenario) -> Result<Conversion, EditedDump> {
    let (base, tree) = (scenario.base(), scenario.tree());
    convert(base, tree, scenario.settings(), Format::SacctmgrDump)
}

#[test]
fn the_dangers_of_loading_a_dump_are_told() {
    let wckeys = "WCKeys= on the line of a user aborts sacctmgr load without a message since Slurm 25.11: remove it from that of eve";
    let dangers = |text: &str, version: &str| {
        let mut base = scenario(text.as_bytes(), None).base().clone();
        version.clone_into(&mut base.source.version);
        written_with_dangers(&Scenario::new(Arc::new(base), Policy::FairTree)).1
    };
    for version in ["", "25.11.0", "26.05.1"] {
        assert_eq!(dangers(HOSTILE, version), [wckeys, CLEAN_LOAD], "{version}");
    }
    assert_eq!(dangers(HOSTILE, "24.11.5"), [CLEAN_LOAD]);
    assert_eq!(dangers(HOSTILE, "23.02.7"), [] as [&str; 0]);
    // Not of an account.
    let text = HOSTILE
        .replace(":WCKeys='a,b'", "")
        .replace(":GrpTRES=", ":WCKeys='a':GrpTRES=");
    assert_eq!(dangers(&text, ""), [CLEAN_LOAD]);
    let two = HOSTILE.replace("bob\":", "bob\":wckeys='c':");
    dangers(&two, "")[0].must_end("remove it from that of eve and 1 more");
}

/// The dump with the edits applied.
fn edited(text: &str, edits: &[&str]) -> Scenario {
    let mut scenario = scenario(text.as_bytes(), None);
    for edit in edits {
        apply_text(&mut scenario, edit.as_bytes()).expect("the edit fits");
    }
    scenario
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
fn every_line_of_an_unedited_dump_is_kept() {
    let two_clusters = "Cluster - 'gold'\nParent - 'root'\nAccount - 'a':Fairshare=1\nParent - 'a'\nUser - 'u':Fairshare=1\n\
                        Cluster - 'silver'\nParent - 'root'\nAccount - 'a':Fairshare=1\nParent - 'a'\nUser - 'u':Fairshare=1\n";
    let repeated = "Cluster - 'gold'\nParent - 'root'\nAccount - 'a':Fairshare=1\nAccount - 'a':Fairshare=2\nUser - 'u':Fairshare=lots\n";
    let marked = "\u{feff}Cluster - 'gold'\nUser - 'u':Fairshare=3";
    for (text, cluster) in [
        (HOSTILE, None),
        (two_clusters, Some("gold")),
        (two_clusters, Some("silver")),
        (repeated, None),
        (marked, None),
    ] {
        let (bytes, losses) = written(&scenario(text.as_bytes(), cluster));
        assert_eq!(String::from_utf8_lossy(&bytes), text);
        assert_eq!(losses, [] as [&str; 0]);
    }
}

#[test]
fn an_edited_dump_is_not_written() {
    for edit in [
        "shares chem=41",
        "shares bob=parent",
        "remove chem",
        "add chem/carl shares=5",
        "move chem/bob to o'neil:lab",
        "rename chem to chemistry",
    ] {
        let refused = converted(&edited(HOSTILE, &[edit]));
        let EditedDump = refused.expect_err(edit);
    }
    // What was taken back is no edit.
    let (bytes, _) = written(&edited(HOSTILE, &["shares bob=9", "shares bob=2"]));
    assert_eq!(String::from_utf8_lossy(&bytes), HOSTILE);
}

#[test]
fn the_refusal_of_an_edited_dump_names_the_command_that_applies_edits() {
    let convert = [
        "convert",
        "tests/data/slurm/gold.cfg",
        "--to",
        "sacctmgr-dump",
    ];
    let ran = Run::fairscope(convert)
        .args(["--edit", "shares bob=20"])
        .run();
    assert_eq!(
        ran.failure(2),
        "fairscope: an edited sacctmgr dump is not written; fairscope plan prints the commands that apply the edits to \
         the cluster, and their rollback\n"
    );
}

#[test]
fn edited_usage_and_settings_are_reported_as_lost() {
    let text = "Cluster - 'gold'\nParent - 'root'\nUser - 'bob':Fairshare=4\n";
    let (same, losses) = written(&edited(text, &["usage bob=50", "set PriorityLevels=4"]));
    assert_eq!(String::from_utf8_lossy(&same), text);
    assert_eq!(
        losses,
        [
            "sacctmgr load sets no usage: that of bob is left out",
            "settings are left out: PriorityLevels",
        ]
    );
}

#[test]
fn a_dump_beside_another_output_is_written_if_it_has_the_same_shares() {
    let rows = "Account|User|RawShares|RawUsage\nroot||1|9\n chem||5|9\n  chem|bob|3|9\n";
    let dump = "Cluster - 'gold'\nParent - 'root'\nAccount - 'chem':Fairshare=5\nParent - 'chem'\nUser - 'bob':Fairshare=3\n";
    let converted = |dump: &str| {
        let inputs = vec![input(rows.as_bytes()), input(dump.as_bytes())];
        let loaded = load_inputs(inputs, &Request::default(), &mut |_| {
            ControlFlow::Continue(())
        });
        let snapshot = loaded.expect("two outputs of one cluster").snapshot;
        let (bytes, losses) = written(&Scenario::new(Arc::new(snapshot), Policy::FairTree));
        let text = String::from_utf8_lossy(&bytes).into_owned();
        (text, losses.contains(&UNTOLD.to_owned()))
    };
    assert_eq!(converted(dump), (dump.to_owned(), false));
    for other in [
        dump.replace("Fairshare=5", "Fairshare=6"),
        dump.replace("'bob'", "'ann'"),
        format!("{dump}User - 'eve':Fairshare=1\n"),
    ] {
        let (text, is_new) = converted(&other);
        text.must_contain("\nAccount - 'chem':Fairshare=5\n");
        assert!(is_new, "{other}");
    }
}
