//! Reading and writing of `sacctmgr dump` files.

mod edited;

use super::assoc::{captures, gold, input, loaded_associations, open, shown_by_sshare};
use crate::format::losses;
use crate::support::associations::drawn;
use crate::support::expected::Expected as _;
use crate::support::loading::sentences;
use crate::support::loading::{codes, go_on};
use crate::support::{laws, trees};
use fairscope::base::shown::shown;
use fairscope::format::convert::convert;
use fairscope::format::slurm::dump;
use fairscope::format::slurm::rows::{Row, Rows};
use fairscope::format::{FilesBeside, Format, Loaded, Request, SourceKind, csv};
use fairscope::model::{
    Fact, Incomplete, Kind, NodeId, Position, Scheduler, Shares, Snapshot, Tree, TreeBuilder,
};
use fairscope::open::load_inputs;
use fairscope::rules::policy::Policy;
use proptest::collection::vec;
use proptest::prelude::*;
use std::ops::ControlFlow;

fn rows(text: &[u8]) -> Rows {
    let rows = dump::read(&input(text), &mut go_on);
    rows.expect("a dump is always read")
}

/// The rows as text: cluster, parent, account, user, partition, shares.
fn lines(rows: &Rows) -> Vec<String> {
    let name = |id: Option<_>| {
        id.map_or_else(
            || "-".to_owned(),
            |id| shown(rows.names.names().bytes(id)).into(),
        )
    };
    let line = |row: &Row| {
        let shares = row
            .shares
            .map_or_else(|| "-".to_owned(), |shares| shares.to_string());
        let (cluster, parent, account) =
            (name(row.cluster), name(row.parent), name(Some(row.account)));
        format!(
            "{cluster}: {parent} > {account} {} {} {shares}",
            name(row.user),
            name(row.partition)
        )
    };
    rows.rows.iter().map(line).collect()
}

fn opened(text: &[u8]) -> Loaded {
    let request = Request::default();
    let loaded = load_inputs(vec![input(text)], &request, &mut |_| {
        ControlFlow::Continue(())
    });
    loaded.expect("the text is a dump")
}

fn converted(snapshot: &Snapshot) -> (String, Vec<String>) {
    let conversion = convert(
        snapshot,
        &snapshot.tree,
        &snapshot.settings,
        Format::SacctmgrDump,
    )
    .expect("there are no edits");
    let [(name, bytes)] = &conversion.files[..] else {
        panic!("it is one file");
    };
    assert_eq!(name, "sacctmgr_load.cfg");
    (
        String::from_utf8_lossy(bytes).into_owned(),
        losses(&conversion),
    )
}

/// The loss reported for a Slurm tree that is not from a dump.
const UNTOLD: &str = "Description, Organization, DefaultAccount, AdminLevel, Coordinator, WCKeys, DefaultQOS, QOS and \
                      limits exist only in a dump: none are written, and loading without clean keeps the existing \
                      ones";

/// The loss reported if no source names the cluster.
const NO_CLUSTER: &str =
    "the source names no cluster: write its name in the Cluster line instead of 'cluster'";

/// The danger of loading the file with `clean`, if the source does not state an older version.
const CLEAN_LOAD: &str = "load the file without clean: on Slurm 24.11 sacctmgr load with clean removes the cluster's \
                          associations first, and may then fail halfway with status 0";

/// Depth, name, kind, shares and partition of every node in tree order.
fn facts(tree: &Tree) -> Vec<String> {
    let fact = |&node: &NodeId| {
        let name = if node == NodeId::ROOT {
            "root".into()
        } else {
            shown(tree.name(node))
        };
        let kind = tree.kind(node).name();
        let shares = tree.shares(node);
        let partition = tree.partition(node).map(shown);
        format!("{} {name} {kind} {shares} {partition:?}", tree.depth(node))
    };
    tree.nodes().iter().map(fact).collect()
}

#[test]
fn dumps_of_the_golden_set_have_the_associations_that_sshare_prints() {
    let mut loaded = 0;
    for capture in captures() {
        let path = capture.join("sacctmgr_dump.cfg");
        let Ok(bytes) = std::fs::read(&path) else {
            continue;
        };
        let name = path.display();
        assert!(dump::is(&bytes), "{name}");
        let opened = open(&gold(path.clone())).expect("a dump is a tree");
        loaded += 1;
        let tree = &opened.snapshot.tree;
        assert_eq!(
            loaded_associations(&opened.snapshot),
            shown_by_sshare(&capture),
            "{name}"
        );
        assert_eq!(opened.snapshot.source.cluster, "gold", "{name}");
        let codes = codes(&opened.problems);
        let expected: &[&str] = if capture.to_string_lossy().contains("12-odd-names") {
            &["slurm-dump-comment", "slurm-dump-comment", "slurm-no-usage"]
        } else {
            &["slurm-no-usage"]
        };
        assert_eq!(codes, expected, "{name}");
        // Writing and reading again preserves what sacctmgr wrote.
        let (text, _) = converted(&opened.snapshot);
        assert_eq!(
            facts(&self::opened(text.as_bytes()).snapshot.tree),
            facts(tree),
            "{name}"
        );
    }
    println!("sacctmgr_dump.cfg: {loaded} files, {loaded} loaded, 0 refused");
}

#[test]
fn limits_of_the_golden_set_are_kept_as_text() {
    for capture in captures() {
        let is_limited = capture.to_string_lossy().contains("18-grptresmins");
        let path = capture.join("sacctmgr_dump.cfg");
        if !is_limited || !path.is_file() {
            continue;
        }
        let snapshot = open(&gold(path)).expect("a dump is a tree").snapshot;
        let tree = &snapshot.tree;
        let limits: Vec<String> = tree
            .nodes()
            .iter()
            .filter_map(|&node| {
                let text = snapshot.recorded.text(Fact::GrpTresMins, node)?;
                Some(format!("{} {text}", shown(tree.name(node))))
            })
            .collect();
        assert_eq!(limits.len(), 3, "{limits:?}");
        assert_eq!(limits[1], "lim2 cpu=500000");
    }
}

#[test]
fn dumps_are_parsed_by_the_grammar_of_sacctmgr_load() {
    let text = b"# a comment - with a dash\nQOS - 'normal':Description='a:b'\n\
        machine - gold:fairshare=3\nUser - root\n\
        Project - \"o'hara: #1\":Desc='x:y':F=20:Org=z # said so\n\
        Account - chem:Shares=parent:GrpTRESMins=cpu=9,mem=1\n\
        Parent - chem\nUser - bob:DefaultAccount=chem:\\\n  Part='gpu':FairShare=2147483647\n\
        USER - a\\\\b\\#c:Fairshare=-1:Fairshare=\r\n";
    assert!(dump::is(text));
    let rows = rows(text);
    assert_eq!(
        lines(&rows),
        [
            "gold: - > root - - 3",
            "gold: - > root root - 1",
            "gold: root > o'hara: #1 - - 20",
            "gold: root > chem - - parent",
            "gold: - > chem bob gpu parent",
            "gold: - > chem a\\\\b#c - 1",
        ]
    );
    assert_eq!(rows.rows[5].line, 10);
    assert_eq!(rows.texts[0].1.at(3), Some("cpu=9,mem=1"));
    assert_eq!(
        sentences(&rows.problems),
        [
            "assoc.txt:5: note: the name o'hara: #1 contains a #, where sacctmgr load would see a comment; it is read as part of the name; write \\# instead before loading the file"
        ]
    );
}

#[test]
fn messages_of_sacctmgr_in_a_dump_are_skipped() {
    let text = b"sacctmgr: Cluster - 'gold':Fairshare=1\nsacctmgr: Parent - 'root'\nsacctmgr: User - 'bob':Fairshare=4\n";
    assert!(dump::is(text));
    assert_eq!(
        lines(&rows(text)),
        ["gold: - > root - - 1", "gold: - > root bob - 4"]
    );
}

#[test]
fn other_files_are_not_detected_as_dumps() {
    let texts: [&[u8]; 4] = [
        b"user-1\t10\troot\t20\n",
        b"parent,name,shares\nuser - 1,a,2\n",
        b"Account|User|Share\naccount - 1||2\n",
        b"# Cluster - 'gold'\n",
    ];
    for text in texts {
        assert!(!dump::is(text), "{}", shown(text));
    }
    let said = b"sacctmgr: error: something - else\n\nsacctmgr: Cluster - 'gold'\n";
    assert!(dump::is(said));
}

#[test]
fn invalid_lines_are_reported_and_skipped() {
    let rows = rows(
        b"Parent - 'root'\nUser - 'ann':Fairshare=lots\nUser - ''\nGroup - 'x'\nnonsense\nUser - o'neil:Fairshare=3\n\
          User - 'eve':Fairshare=2147483648\n",
    );
    assert_eq!(
        lines(&rows),
        [
            "-: - > root - - -",
            "-: - > root ann - -",
            "-: - > root o'neil:Fairshare=3 - 1",
            "-: - > root eve - -",
        ]
    );
    assert_eq!(
        sentences(&rows.problems),
        [
            "assoc.txt:2: error: Fairshare is lots, which sacctmgr load refuses; 1 share is assumed; write a whole \
             number from 0 to 2147483646, or parent",
            "assoc.txt:3: error: there is no name after the dash, so the line is left out; write it like this: User - \
             'alice':Fairshare=10",
            "assoc.txt:4: error: the line does not begin with Cluster, Parent, Account, User or QOS: Group - 'x'; it \
             is left out; write it like this: User - 'alice':Fairshare=10",
            "assoc.txt:5: error: the line does not begin with Cluster, Parent, Account, User or QOS: nonsense; it is \
             left out; write it like this: User - 'alice':Fairshare=10",
            "assoc.txt:6: warning: a quote is not closed, so the rest of the line was read as its text; \
             close it, or put a name with an apostrophe between double quotes",
            "assoc.txt:7: error: Fairshare is 2147483648, which sacctmgr load refuses; 1 share is assumed; write a \
             whole number from 0 to 2147483646, or parent",
        ]
    );
}

#[test]
fn a_dump_that_was_cut_wrapped_or_shortened_tells_what_is_lost() {
    let text = b"# To edit this file start with a cluster line for the new cluster\n\
        # Account - 'cs':MaxTRESPerJob=node=5:MaxJobs=4:\nMaxTRESMinsPerJob=cpu=20\n...\n\
        Cluster - 'gold':Fairshare=1\nParent - 'root'\nAccount - 'chem':Organization='chem':Fai\n[...]\n";
    assert!(dump::is(text));
    let rows = rows(text);
    assert_eq!(
        lines(&rows),
        ["gold: - > root - - 1", "gold: root > chem - - 1"]
    );
    assert_eq!(rows.incomplete, Some(Incomplete::RowsLeftOut));
    assert_eq!(
        sentences(&rows.problems),
        [
            "assoc.txt:3: error: the line does not begin with Cluster, Parent, Account, User or QOS: \
             MaxTRESMinsPerJob=cpu=20; it is left out; write it like this: User - 'alice':Fairshare=10",
            "assoc.txt:4: warning: rows were left out here: ...; sums and ranks count only the listed ones; open the \
             file that sacctmgr wrote",
            "assoc.txt:7: error: the line ends in Fai without a value, as a line does that was cut off; what stood \
             behind it, such as Fairshare, is not read; open the file that sacctmgr wrote, or print it with whole lines",
            "assoc.txt:8: warning: rows were left out here: [...]; sums and ranks count only the listed ones; open the \
             file that sacctmgr wrote",
        ]
    );
}

#[test]
fn of_a_dump_that_is_there_twice_the_first_is_read() {
    let once = "Cluster - 'gold':Fairshare=1\nParent - 'root'\nUser - 'ann':Fairshare=3\n";
    let read = rows(once.as_bytes());
    let twice = rows(once.repeat(2).as_bytes());
    assert_eq!(lines(&twice), lines(&read));
    assert_eq!(
        sentences(&twice.problems),
        [
            "assoc.txt:4: warning: the dump of gold begins here again; only the first one is read; check whether two \
             dumps were written into one file"
        ]
    );
}

#[test]
fn one_of_several_clusters_is_chosen() {
    let text = b"Cluster - 'gold'\nUser - 'ann'\nParent - 'x'\nCluster - 'silver'\nUser - 'bob':Fairshare=2\n";
    let request = Request {
        cluster: Some("silver".to_owned()),
        ..Request::default()
    };
    let loaded = load_inputs(vec![input(text)], &request, &mut |_| {
        ControlFlow::Continue(())
    });
    let tree = loaded.expect("there is such a cluster").snapshot.tree;
    assert_eq!(facts(&tree), ["0 root account 1 None", "1 bob user 2 None"]);
}

#[test]
fn a_tree_is_written_as_sacctmgr_loads_it() {
    let mut snapshot = drawn(
        "
a/ 40
  u 1 | 20
  b/ parent
    v 2
    u parent
c/ 0
root 1
",
    );
    snapshot.source.path = "tree.csv".into();
    snapshot.source.cluster = "gold".to_owned();
    let (text, losses) = converted(&snapshot);
    assert_eq!(
        text,
        "# Accounts and users with their shares, written by fairscope from tree.csv\n\
         # for: sacctmgr load file=sacctmgr_load.cfg\n\
         # That adds missing users and changes shares; it removes nobody. With clean it would remove the\n\
         # cluster's associations first, and with them their usage, their ids and all their limits.\n\
         Cluster - 'gold':Fairshare=1\n\
         Parent - 'root'\n\
         Account - 'a':Fairshare=40\n\
         Account - 'c':Fairshare=0\n\
         User - 'root':Fairshare=1\n\
         Parent - 'a'\n\
         User - 'u':Fairshare=1\n\
         Account - 'b':Fairshare=parent\n\
         Parent - 'b'\n\
         User - 'v':Fairshare=2\n\
         User - 'u':Fairshare=parent\n"
    );
    assert_eq!(
        losses,
        [
            "sacctmgr load sets no usage: that of u is left out",
            UNTOLD,
            CLEAN_LOAD
        ]
    );
    let read = opened(text.as_bytes());
    assert_eq!(facts(&read.snapshot.tree), facts(&snapshot.tree));
    assert_eq!(read.snapshot.source.cluster, "gold");
    assert_eq!(read.snapshot.settings.scheduler, Some(Scheduler::Slurm));
}

#[test]
fn losses_in_slurm_dumps_are_reported() {
    let loaded = csv::parse(
        b"parent,name,shares,usage,type,active,partition\n,Phys,3000000000,,account,,\n,phys,1,,account,,\n\
          phys,x,1,,user,,\n,a=b,1,,user,,\n,o'hara,-5,,user,,\n,\"ann \",1,,user,0,\nPhys,Bob,1,,user,,\nPhys,bob,2,9,user,,\n\
          Phys,bob,2,,user,,gpu\n"
            .to_vec(),
        &Request::default(),
        &mut go_on,
    );
    let snapshot = loaded.expect("a tree").snapshot;
    let (text, losses) = converted(&snapshot);
    assert_eq!(
        losses,
        [
            "sacctmgr load refuses names that are empty, longer than 255 bytes, or contain = or a line end: a=b is \
             left out together with its subtree",
            "Slurm identifies accounts by name alone, in lower case, and the name is taken: phys is left out together \
             with its subtree",
            "Slurm has one association per user, account and partition: bob appears twice and is written once",
            "Slurm writes ` instead of quotes: o'hara is changed",
            "Slurm makes names lower case when it loads them: that of Phys and 1 more will change",
            "Slurm drops blanks around names since 26.05: that of ann\\x20 will change there",
            "Slurm stores shares from 0 to 2147483646: those of Phys and 1 more are written as the nearest possible \
             number",
            "sacctmgr load sets no usage: that of bob is left out",
            "Slurm has no inactive users: whether ann\\x20 is active is left out",
            NO_CLUSTER,
            CLEAN_LOAD,
        ]
    );
    let behind = text.lines().skip(5).collect::<Vec<_>>().join("\n");
    assert_eq!(
        behind,
        "Parent - 'root'\nAccount - 'Phys':Fairshare=2147483646\n\
         User - 'o`hara':Fairshare=0\nUser - 'ann ':Fairshare=1\n\
         Parent - 'Phys'\nUser - 'Bob':Fairshare=1\n\
         User - 'bob':Partition='gpu':Fairshare=2"
    );
}

#[test]
fn converting_the_pbs_group_unknown_to_an_account_is_reported() {
    let snapshot = trees::pbs(trees::SEED);
    let (text, losses) = converted(&snapshot);
    text.must_contain("Cluster - 'cluster':");
    text.must_contain("\nAccount - 'unknown':");
    assert_eq!(
        losses,
        [
            "Slurm has no group for unknown users: PBS's unknown is written as an ordinary account",
            "sacctmgr load sets no usage: that of scott and 2 more is left out",
            NO_CLUSTER,
            CLEAN_LOAD,
            "settings are left out: fair_share, job_sort_formula",
        ]
    );
}

#[test]
fn a_chain_of_a_hundred_thousand_accounts_is_written_and_read() {
    let mut builder = TreeBuilder::new(b"root");
    let mut node = NodeId::ROOT;
    for number in 0..100_000 {
        let name = builder.intern(format!("a{number}").as_bytes());
        node = builder.push(node, name, Kind::Account, Position::Last);
        builder.set_shares(node, Shares::new(number));
    }
    let mut snapshot = drawn("a/ 1");
    snapshot.tree = builder.build();
    let (text, losses) = converted(&snapshot);
    assert_eq!(losses, [UNTOLD, NO_CLUSTER, CLEAN_LOAD]);
    let tree = opened(text.as_bytes()).snapshot.tree;
    assert_eq!(tree.depth(tree.nodes()[100_000]), 100_000);
}

/// A dump and the sshare output of the same cluster.
const DUMP: &str = "Cluster - 'gold'\nParent - 'root'\nAccount - 'chem':Fairshare=5:GrpTRESMins=cpu=9\nParent - 'chem'\n\
                    User - 'bob':Fairshare=3\n";

#[test]
fn shares_come_from_the_dump_and_usage_from_sshare_if_both_are_given() {
    let Some(capture) = captures()
        .into_iter()
        .find(|capture| capture.ends_with("18-grptresmins/24.11"))
    else {
        return;
    };
    let [dump, sshare] = ["sacctmgr_dump.cfg", "sshare_a_l_P.txt"].map(|name| capture.join(name));
    let request = Request {
        source: SourceKind::Path {
            path: dump.clone(),
            more: vec![sshare],
        },
        beside: FilesBeside {
            config: Some(capture.join("scontrol_show_config.txt")),
            ..FilesBeside::default()
        },
        ..gold(dump)
    };
    let Ok(loaded) = open(&request) else {
        println!("skipped: sshare is not read yet");
        return;
    };
    assert_eq!(
        loaded_associations(&loaded.snapshot),
        shown_by_sshare(&capture)
    );
    assert!(loaded.snapshot.tree.records().len() > 3);
    assert_eq!(loaded.policy, Some(Policy::FairTree));
    assert_eq!(loaded.snapshot.source.origins.len(), 2);
    let config = capture.join("scontrol_config_priority.txt");
    let request = Request {
        beside: FilesBeside {
            config: Some(config),
            ..FilesBeside::default()
        },
        ..gold(capture.join("sshare_a_l_P.txt"))
    };
    let loaded = open(&request).expect("sshare with settings");
    assert_eq!(
        loaded.snapshot.settings.slurm.weights.fair_share(),
        Some(100_000)
    );
    assert_eq!(loaded.snapshot.source.version, "24.11.5");
    assert!(loaded.snapshot.source.taken.is_some());
}

#[test]
fn a_dump_and_a_table_give_one_tree() {
    let table = "Account|User|Share|ID\nroot||1|1\nchem||5|2\nchem|bob|3|9\n";
    let inputs = vec![input(DUMP.as_bytes()), input(table.as_bytes())];
    for inputs in [inputs.clone(), inputs.into_iter().rev().collect()] {
        let loaded = load_inputs(inputs, &Request::default(), &mut |_| {
            ControlFlow::Continue(())
        });
        let snapshot = loaded.expect("two outputs of one cluster").snapshot;
        let tree = &snapshot.tree;
        assert_eq!(
            facts(tree),
            [
                "0 root account 1 None",
                "1 chem account 5 None",
                "2 bob user 3 None"
            ]
        );
        let limits = snapshot.recorded.text(Fact::GrpTresMins, tree.nodes()[1]);
        assert_eq!(limits, Some("cpu=9"));
    }
}

/// A node to create: parent (an index into the accounts), name, shares, whether it is an account, partition.
type Seedling = (prop::sample::Index, String, i64, bool, Option<String>);

fn seedling() -> impl Strategy<Value = Seedling> {
    let partition = prop::option::weighted(0.2, "[a-z:#\\\\]{1,3}");
    (
        any::<prop::sample::Index>(),
        "[a-z:#\\\\@,|/. -]{1,5}",
        -3_i64..300,
        any::<bool>(),
        partition,
    )
}

fn planted(seedlings: Vec<Seedling>) -> Snapshot {
    let mut builder = TreeBuilder::new(b"root");
    let mut accounts = vec![NodeId::ROOT];
    for (parent, name, shares, is_account, partition) in seedlings {
        let kind = if is_account {
            Kind::Account
        } else {
            Kind::User
        };
        let name = builder.intern(name.as_bytes());
        let node = builder.push(*parent.get(&accounts), name, kind, Position::Last);
        builder.set_shares(
            node,
            if shares < 0 {
                Shares::PARENT
            } else {
                Shares::new(shares)
            },
        );
        if is_account {
            accounts.push(node);
        } else if let Some(partition) = partition {
            builder.set_partition(node, partition.as_bytes());
        }
    }
    let mut snapshot = drawn("a/ 1");
    snapshot.tree = builder.build();
    snapshot
}

proptest! {
    #![proptest_config(laws(256))]

    #[test]
    fn trees_without_losses_round_trip(seedlings in vec(seedling(), 0..30)) {
        let snapshot = planted(seedlings);
        let (text, losses) = converted(&snapshot);
        // The file keeps blanks; Slurm may drop them.
        let is_of_nodes = |loss: &&String| ![UNTOLD, NO_CLUSTER, CLEAN_LOAD].contains(&loss.as_str());
        let is_lossless = losses.iter().filter(is_of_nodes).all(|loss| loss.contains("blanks"));
        let read = opened(text.as_bytes());
        let (ours, theirs) = (facts(&snapshot.tree), facts(&read.snapshot.tree));
        if is_lossless {
            prop_assert_eq!(theirs, ours);
        } else {
            prop_assert!(theirs.len() < ours.len());
        }
        // Writing again gives the same file except for the line that names its source.
        let (again, _) = converted(&read.snapshot);
        let behind = |text: &str| text.lines().skip(5).map(str::to_owned).collect::<Vec<_>>();
        prop_assert_eq!(behind(&again), behind(&text));
    }

    #[test]
    fn arbitrary_bytes_and_lines_are_read(bytes: Vec<u8>, lines in "((Cluster|Parent|Account|User|QOS|X) ?- ?[a-c'\"\\\\#:=\n]{0,9}\n){0,9}") {
        for text in [bytes.as_slice(), lines.as_bytes()] {
            let _ = dump::is(text);
            let rows = rows(text);
            prop_assert!(rows.rows.len() <= 1 + text.split(|&byte| byte == b'\n').count());
        }
    }
}
