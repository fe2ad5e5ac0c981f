//! Output of `scontrol show assoc_mgr` compared with sshare's text of the same moment; unusual names and errors.

use super::printed::{Printed, captures, load_bytes, refusal};
use crate::support::loading::{codes, sentences};
use fairscope::base::shown::shown;
use fairscope::format::Format;
use fairscope::model::{Fact, NodeId, Shares, TieOrder, UsagePrecision};
use fairscope::rules::policy::Policy;
use proptest::prelude::*;

const HEAD: &str = "Current Association Manager state\n\nAssociation Records\n\n";

/// The block of an association; `names` are the fields from account to partition.
fn block(names: &str, parent: &str, rest: &str) -> String {
    format!(
        "ClusterName=gold {names} Priority=0 ID=7\n    SharesRaw/Norm/Level/Factor=3/0.25/12/0.75\n    \
         UsageRaw/Norm/Efctv=41.99/0.38/1.00\n    ParentAccount={parent} {rest} DefAssoc=No\n    \
         GrpJobs=N(0) GrpJobsAccrue=N(0)\n    GrpTRES=cpu=N(0)\n    \
         GrpTRESMins=cpu=1000(58),mem=N(3),gres/gpu:a100=20(0)\n    GrpTRESRunMins=cpu=N(0)\n"
    )
}

fn root() -> String {
    block("Account=root UserName= Partition=", "", "Lineage=/").replace("ID=7", "ID=1")
}

#[test]
fn names_end_where_the_next_key_begins() {
    let names = [
        ("with space", "ann marie"),
        ("paren(name)", "a(b)(c)"),
        ("a=b, ID=c", "x=y"),
        (" lead", "tail "),
        ("two\nlines", "tab\tname"),
    ];
    for (account, user) in names {
        let text = format!(
            "{HEAD}{}{}{}",
            root(),
            block(
                &format!("Account={account} UserName= Partition="),
                "root(1)",
                "Lft=4"
            ),
            block(
                &format!("Account={account} UserName={user}(4294967294) Partition=a b"),
                "",
                "Lft=5"
            ),
        );
        let loaded = load_bytes(text.as_bytes(), "assoc").expect("a tree");
        // By the portions that are copied into its blocks, others have shares, too.
        assert_eq!(codes(&loaded.problems), ["slurm-users-missing"]);
        let tree = &loaded.snapshot.tree;
        let node = |name: &str| {
            let mut nodes = tree.nodes().iter();
            let node = nodes.find(|&&node| tree.name(node) == name.as_bytes());
            *node.unwrap_or_else(|| panic!("{name} is in the tree"))
        };
        assert_eq!(tree.parent(node(user)), Some(node(account)));
        assert_eq!(tree.parent(node(account)), Some(NodeId::ROOT));
        assert_eq!(tree.partition(node(user)), Some(&b"a b"[..]));
    }
}

#[test]
fn numbers_have_two_decimals_and_limits_are_kept_as_text() {
    let user = block("Account=root UserName=u(5) Partition=", "", "Lft=4");
    let text = format!("{HEAD}{}{user}", root());
    for text in [
        text.clone(),
        text.replace("\n    ", " "),
        text.replace('\n', "\r\n"),
    ] {
        let loaded = load_bytes(text.as_bytes(), "assoc").expect("a tree");
        let (tree, recorded) = (&loaded.snapshot.tree, &loaded.snapshot.recorded);
        let node = NodeId::from_index(1);
        assert_eq!(tree.shares(node), Shares::new(3));
        assert_eq!(tree.usage(node).amount(), Some(41.99));
        assert_eq!(recorded.usage_precision, UsagePrecision::Decimals(2));
        let figure = |fact| {
            recorded
                .figure(fact, node)
                .map(|it| (it.value, it.decimals))
        };
        assert_eq!(figure(Fact::NormShares), Some((0.25, 2)));
        assert_eq!(figure(Fact::NormUsage), Some((0.38, 2)));
        assert_eq!(figure(Fact::EffectvUsage), Some((1.0, 2)));
        assert_eq!(figure(Fact::FairShare), Some((0.75, 2)));
        assert_eq!(recorded.figure(Fact::FairShare, NodeId::ROOT), None);
        assert_eq!(
            recorded.text(Fact::GrpTresMins, node),
            Some("cpu=1000,gres/gpu:a100=20")
        );
    }
}

#[test]
fn other_controller_records_are_ignored() {
    let text = format!(
        "Current Association Manager state\n\nUser Records\n\nUserName=u(5) DefAccount=x DefWckey= AdminLevel=None\n\n\
         Association Records\n\n{}{}\nQOS Records\n\nQOS=normal(1)\n    UsageRaw=5.0\n    GrpTRESMins=cpu=9(9)\n",
        root(),
        block("Account=root UserName=u(5) Partition=", "", "Lft=4"),
    );
    let loaded = load_bytes(text.as_bytes(), "assoc").expect("a tree");
    assert_eq!(loaded.snapshot.tree.user_count(), 1);
    assert_eq!(codes(&loaded.problems), ["slurm-users-missing"]);
}

#[test]
fn output_without_associations_is_refused_and_broken_blocks_are_skipped() {
    assert_eq!(
        refusal(
            b"Current Association Manager state\n\nUser Records\n\n",
            "assoc"
        ),
        "assoc contains no associations of the controller; print it again: scontrol show assoc_mgr flags=assoc > FILE"
    );
    let text = format!("{HEAD}{}ClusterName=gold Account=\x1bcut Use", root());
    let loaded = load_bytes(text.as_bytes(), "assoc").expect("a tree");
    let told = sentences(&loaded.problems);
    assert_eq!(
        told,
        [
            "assoc: error: 1 association was not understood and left out, the first beginning ClusterName=gold Account=\\ecut Use; expected ClusterName=, Account=, UserName=, SharesRaw/Norm/Level/Factor= and UsageRaw/Norm/Efctv=; \
             print it again: scontrol show assoc_mgr flags=assoc > FILE"
        ]
    );
}

#[test]
fn every_capture_gives_the_tree_of_the_text_beside_it() {
    let (mut files, mut associations) = (0, 0);
    for (case, path) in captures(&["txt"]) {
        if path
            .file_name()
            .is_none_or(|name| name != "scontrol_show_assoc_mgr.txt")
        {
            continue;
        }
        let bytes = std::fs::read(&path).expect("a capture");
        let name = path.display().to_string();
        let loaded = load_bytes(&bytes, &name).unwrap_or_else(|error| panic!("{error}"));
        assert!(loaded.problems.is_empty(), "{name}: {:?}", loaded.problems);
        let is_classic = ["08-", "09-", "10-", "15b-"]
            .iter()
            .any(|it| case.starts_with(it));
        let policy = if is_classic {
            Policy::Classic
        } else {
            Policy::FairTree
        };
        assert_eq!(loaded.policy, Some(policy), "{name}");
        let printed = Printed::beside(&path);
        printed.compare(&loaded.snapshot, &name);
        printed.compare_figures(&loaded.snapshot, &name);
        files += 1;
        associations += printed.rows.len();
    }
    println!("{files} files of the controller loaded, {associations} associations compared");
}

#[test]
fn the_lineage_order_gives_the_order_of_ties() {
    for (field, order) in [
        ("Lft=4", TieOrder::Newest),
        ("Lineage=/0-u/", TieOrder::Lineage),
    ] {
        let user = block("Account=root UserName=u(5) Partition=", "", field);
        let text = format!("{HEAD}{}{user}", root().replace("Lineage=/", field));
        let loaded = load_bytes(text.as_bytes(), "assoc").expect("a tree");
        assert_eq!(loaded.snapshot.settings.slurm.tie_order, order);
        assert_eq!(loaded.snapshot.source.version, "");
    }
}

#[test]
fn list_order_up_to_23_02_puts_older_associations_first() {
    let users = ["old", "new"].map(|name| {
        let left = if name == "old" { "Lft=8" } else { "Lft=4" };
        block(
            &format!("Account=root UserName={name}(5) Partition="),
            "",
            left,
        )
    });
    let [old, new] = users;
    let text = format!("{HEAD}{}{new}{old}", root());
    let loaded = load_bytes(text.as_bytes(), "assoc").expect("a tree");
    let tree = &loaded.snapshot.tree;
    assert_eq!(shown(tree.name(NodeId::from_index(1))), "old");
}

proptest! {
    #![proptest_config(crate::support::laws(512))]

    #[test]
    fn damaged_blocks_never_panic(
        damage in prop::collection::vec((0..1200_usize, any::<u8>()), 0..6),
        length in 0..1200_usize,
    ) {
        let user = block("Account=root UserName=u(5) Partition=", "", "Lft=4");
        let mut bytes = format!("{HEAD}{}{user}", root()).into_bytes();
        for (place, byte) in damage {
            let place = place % bytes.len();
            bytes[place] = byte;
        }
        bytes.truncate(length.max(1));
        for format in [None, Some(Format::AssocMgr)] {
            let _ = super::printed::load_as(&bytes, "it", format);
        }
    }
}

#[test]
fn usage_below_0_is_a_numbered_problem_and_read_as_missing() {
    let user = block("Account=chem UserName=ann(7) Partition=", "", "Lft=5");
    let account = block("Account=chem UserName= Partition=", "root(1)", "Lft=4");
    for odd in ["-0.22", "-1e300", "inf", "-inf", "nan"] {
        let user = user.replace("41.99/", &format!("{odd}/"));
        let text = format!("{HEAD}{}{account}{user}", root());
        let loaded = load_bytes(text.as_bytes(), "assoc").expect("a tree");
        let line = text.lines().position(|line| line.contains(odd)).unwrap() + 1;
        let number: f64 = odd.parse().unwrap();
        assert_eq!(
            sentences(&loaded.problems)[0],
            format!(
                "assoc:{line}: error: the usage of ann is {number}; expected a number from 0 up; it is read as missing; \
                 print it again; if Slurm prints it again, see the log of slurmctld"
            )
        );
        let tree = &loaded.snapshot.tree;
        let ann = tree.nodes().iter().find(|&&node| tree.name(node) == b"ann");
        assert_eq!(tree.usage(*ann.unwrap()).amount(), None, "{odd}");
    }
}
