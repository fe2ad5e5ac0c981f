//! Several outputs assembled into one tree.

use crate::support::expected::Expected as _;
use crate::support::golden;
use crate::support::loading::{codes, load_quietly, sentences};
use fairscope::format::input::Input;
use fairscope::format::slurm::assemble::assemble;
use fairscope::format::slurm::config::Config;
use fairscope::format::slurm::rows::{Row, Rows};
use fairscope::format::{Format, Loaded, Request, SourceKind};
use fairscope::model::{
    Fact, Figure, Figures, Incomplete, Kind, NodeId, Shares, Snapshot, TieOrder, Tree, Usage,
    UsagePrecision, path_of,
};
use fairscope::report::words;

/// An output in short form: `account`, `account<parent` or `account|user@partition`, then shares and usage, or `-`
/// for none.
fn output(format: Format, file: &'static str, text: &str) -> Rows {
    let input = Input {
        path: file.into(),
        ..Input::default()
    };
    let mut rows = Rows::new(format, &input);
    for (line, text) in (1..).zip(text.lines()) {
        let mut words = text.split_whitespace();
        let place = words.next().unwrap();
        let (account, user) = match place.split_once('|') {
            Some((account, user)) => (account, Some(user)),
            None => (place, None),
        };
        let (account, parent) = match account.split_once('<') {
            Some((account, parent)) => (account, Some(parent)),
            None => (account, None),
        };
        let (user, partition) = match user.and_then(|user| user.split_once('@')) {
            Some((user, partition)) => (Some(user), Some(partition)),
            None => (user, None),
        };
        let mut row = Row::new(rows.names.intern(account.as_bytes()), None);
        row.parent = parent.map(|parent| rows.names.intern(parent.as_bytes()));
        row.user = user.map(|user| rows.names.intern(user.as_bytes()));
        row.partition = partition.map(|name| rows.names.intern(name.as_bytes()));
        row.shares = match words.next() {
            None | Some("-") => None,
            Some("parent") => Some(Shares::PARENT),
            Some(count) => Some(Shares::new(count.parse().unwrap())),
        };
        row.usage = match words.next() {
            None | Some("-") => Usage::NONE,
            Some(amount) => Usage::new(amount.parse().unwrap()),
        };
        row.id = words.next().map_or(0, |id| id.parse().unwrap());
        row.line = line;
        rows.rows.push(row);
    }
    rows
}

fn loaded(parts: Vec<Rows>) -> Loaded {
    assemble(parts, &[], &Request::default()).unwrap()
}

/// The tree in the form of [`output`], one line per node, with paths instead of names.
fn drawn(tree: &Tree) -> Vec<String> {
    let line = |&node: &NodeId| {
        let path = path_of(tree, node).unwrap();
        let usage = tree.usage(node).amount();
        let usage = usage.map_or_else(|| "-".to_owned(), |usage| usage.to_string());
        let kind = if tree.kind(node) == Kind::User {
            ""
        } else {
            "/"
        };
        format!("{path}{kind} {} {usage}", tree.shares(node))
    };
    tree.nodes().iter().map(line).collect()
}

const SMALL: &str =
    "root - 30\nroot|root 1 0\nphysics<root 4 30\nphysics|bob 1 10\nphysics|alice parent 20";

#[test]
fn one_output_gives_the_tree_as_printed() {
    let loaded = loaded(vec![output(Format::Sshare, "a.txt", SMALL)]);
    assert_eq!(
        drawn(&loaded.snapshot.tree),
        [
            "/ 1 30",
            "root 1 0",
            "physics/ 4 30",
            "physics/bob 1 10",
            "physics/alice parent 20"
        ]
    );
    assert_eq!(codes(&loaded.problems), [""; 0]);
}

#[test]
fn shares_come_from_the_first_output_and_usage_from_the_most_exact() {
    let dump = output(
        Format::SacctmgrDump,
        "gold.cfg",
        "root\nphysics<root 7\nphysics|alice 3\nphysics|bob 2",
    );
    let mut sshare = output(
        Format::Sshare,
        "sshare.txt",
        "root - 30\nphysics<root 4 30\nphysics|alice 1 20\nphysics|bob 1 10",
    );
    sshare.usage_precision = UsagePrecision::Whole;
    let mut json = output(
        Format::SlurmJson,
        "sshare.json",
        "root - 30.5\nphysics<root 4 30.5\nphysics|alice 1 20.25\nphysics|bob 1 10.25",
    );
    json.usage_precision = UsagePrecision::Decimals(6);
    let loaded = loaded(vec![dump, sshare, json]);
    assert_eq!(
        drawn(&loaded.snapshot.tree),
        [
            "/ 1 30.5",
            "physics/ 7 30.5",
            "physics/alice 3 20.25",
            "physics/bob 2 10.25"
        ]
    );
    assert_eq!(
        origins(&loaded),
        [
            "associations and shares are from gold.cfg (sacctmgr-dump)",
            "usage is from sshare.json (slurm-json), with 6 decimals"
        ]
    );
    assert_eq!(
        loaded.snapshot.recorded.usage_precision,
        UsagePrecision::Decimals(6)
    );
    assert_eq!(codes(&loaded.problems), [""; 0]);
}

/// Numbers of one column, row by row.
fn with_figures(mut rows: Rows, fact: Fact, figures: &[(usize, f64, i8)]) -> Rows {
    let mut column = Figures::default();
    for &(row, value, decimals) in figures {
        column.set_at(row, Figure { value, decimals });
    }
    rows.figures.push((fact, column));
    rows
}

#[test]
fn each_column_comes_from_the_output_with_the_most_decimals() {
    let sshare = || {
        let mut rows = output(
            Format::Sshare,
            "sshare.txt",
            "root - 30\nphysics<root 4 30\nphysics|alice 1 20\nphysics|bob 1 10",
        );
        rows.usage_precision = UsagePrecision::Whole;
        let factors = [(2, 0.333_333, 6), (3, 0.666_667, 6)];
        let rows = with_figures(rows, Fact::FairShare, &factors);
        // The usage of bob is empty because the association is new.
        with_figures(rows, Fact::NormUsage, &[(2, 0.663_934, 6)])
    };
    let assoc_mgr = || {
        let mut rows = output(
            Format::AssocMgr,
            "assoc_mgr.txt",
            "root - 30.5\nphysics<root 4 30.5\nphysics|alice 1 20.25\nphysics|bob 1 10.25",
        );
        rows.usage_precision = UsagePrecision::Decimals(2);
        let rows = with_figures(rows, Fact::FairShare, &[(2, 0.33, 2), (3, 0.67, 2)]);
        with_figures(rows, Fact::NormUsage, &[(2, 0.66, 2), (3, 1.0, 2)])
    };
    for outputs in [vec![sshare(), assoc_mgr()], vec![assoc_mgr(), sshare()]] {
        let loaded = loaded(outputs);
        let recorded = &loaded.snapshot.recorded;
        let at = |place| loaded.snapshot.tree.nodes()[place];
        let factor = recorded.figure(Fact::FairShare, at(3)).unwrap();
        assert_eq!((factor.value, factor.decimals), (0.666_667, 6));
        let part = recorded.figure(Fact::NormUsage, at(2)).unwrap();
        assert_eq!((part.value, part.decimals), (0.663_934, 6));
        assert_eq!(recorded.figure(Fact::NormUsage, at(3)), None);
        assert_eq!(loaded.snapshot.tree.usage(at(2)).amount(), Some(20.25));
        assert_eq!(recorded.usage_precision, UsagePrecision::Decimals(2));
        assert_eq!(loaded.snapshot.source.recorded_in, "sshare.txt");
        assert_eq!(
            origins(&loaded)[1..],
            [
                "usage is from assoc_mgr.txt (assoc-mgr), with 2 decimals",
                "recorded factors are from sshare.txt (sshare)"
            ]
        );
        assert_eq!(codes(&loaded.problems), [""; 0]);
    }
}

#[test]
fn numbers_of_another_time_are_ignored() {
    let mut sshare = output(
        Format::Sshare,
        "sshare.txt",
        "root - 30\nphysics<root 4 30\nphysics|alice 1 20\nphysics|bob 1 10",
    );
    sshare.usage_precision = UsagePrecision::Whole;
    let sshare = with_figures(sshare, Fact::FairShare, &[(2, 0.5, 6), (3, 1.0, 6)]);
    let mut later = output(
        Format::AssocMgr,
        "assoc_mgr.txt",
        "root - 31.5\nphysics<root 4 31.5\nphysics|alice 1 21.25\nphysics|bob 1 10.25",
    );
    later.usage_precision = UsagePrecision::Decimals(2);
    let loaded = loaded(vec![later, sshare]);
    let problem = &loaded.problems.list()[0];
    assert_eq!(
        problem.to_string(),
        "assoc_mgr.txt: warning: the usage of 3 associations differs from that in sshare.txt, so the two were printed at \
         different times; usage and factors are from sshare.txt only; take both outputs at the same time"
    );
    assert_eq!(
        drawn(&loaded.snapshot.tree)[2..],
        ["physics/alice 1 20", "physics/bob 1 10"]
    );
}

#[test]
fn complete_usage_takes_precedence_over_partial_usage_with_more_digits() {
    let whole = output(Format::Sshare, "sshare.txt", SMALL);
    let mut whole = whole;
    whole.usage_precision = UsagePrecision::Whole;
    let mut some = output(
        Format::AssocMgr,
        "assoc_mgr.txt",
        "root - 30.25\nphysics<root 4 30.25\nphysics|bob 1 10.25",
    );
    some.usage_precision = UsagePrecision::Decimals(2);
    some.incomplete = Some(Incomplete::AssocMgrUsers);
    let loaded = loaded(vec![some, whole]);
    assert_eq!(
        drawn(&loaded.snapshot.tree)[3..],
        ["physics/bob 1 10", "physics/alice parent 20"]
    );
    let precision = loaded.snapshot.recorded.usage_precision;
    assert_eq!(precision, UsagePrecision::Whole);
}

#[test]
fn parents_by_name_take_precedence_over_indentation() {
    let mut sshare = output(
        Format::Sshare,
        "sshare.txt",
        "root - 3\nslash<root 1 1\nslash/name<root 1 2\nzebra<slash/name 1 2",
    );
    sshare.usage_precision = UsagePrecision::Whole;
    let dump = output(
        Format::SacctmgrDump,
        "gold.cfg",
        "root\nslash<root 1\nslash/name<root 1\nzebra<slash 1",
    );
    let loaded = loaded(vec![sshare, dump]);
    assert_eq!(
        drawn(&loaded.snapshot.tree)[2..],
        ["slash/zebra/ 1 2", "slash\\/name/ 1 2"]
    );
}

#[test]
fn differences_between_outputs_are_reported() {
    let first = output(
        Format::SacctmgrDump,
        "gold.cfg",
        "root\nphysics<root 1\nphysics|alice 1",
    );
    let second = output(
        Format::Sshare,
        "s.txt",
        "root - 1\nphysics<root 1 1\nphysics|zoe 1 1",
    );
    let loaded = loaded(vec![first, second]);
    let problem = &loaded.problems.list()[0];
    assert_eq!(
        problem.to_string(),
        "s.txt: warning: 1 association is not in gold.cfg and left out: physics/zoe; 1 association of gold.cfg is \
         missing from it; take both outputs at the same time, with -m where associations have partitions"
    );
}

#[test]
fn partial_outputs_do_not_remove_associations() {
    let mut part = output(
        Format::Sshare,
        "mine.txt",
        "root - 1\nphysics<root 1 1\nphysics|alice 1 1",
    );
    part.incomplete = Some(Incomplete::SshareOwn);
    let whole = output(Format::SacctmgrDump, "gold.cfg", SMALL);
    let loaded = loaded(vec![part, whole]);
    assert_eq!(loaded.snapshot.tree.node_count(), 5);
    assert_eq!(loaded.snapshot.recorded.incomplete, None);
}

#[test]
fn orphans_cycles_and_users_without_account_are_kept_and_reported() {
    let rows = output(
        Format::Sshare,
        "odd.txt",
        "root - 9\nlost 1 1\nleft<right 1 1\nright<left 1 1\nnowhere|alice 1 2",
    );
    let loaded = loaded(vec![rows]);
    let mut found = codes(&loaded.problems);
    found.sort_unstable();
    assert_eq!(
        found,
        [
            "slurm-account-loop",
            "slurm-orphan",
            "slurm-user-without-account"
        ]
    );
    // Two of them have used something and list nobody who did.
    assert_eq!(loaded.snapshot.tree.node_count(), 8);
    assert!(
        drawn(&loaded.snapshot.tree).contains(&"nowhere/alice 1 2".to_owned()),
        "{:?}",
        drawn(&loaded.snapshot.tree)
    );
}

#[test]
fn outputs_without_a_root_are_partial_trees() {
    let loaded = loaded(vec![output(
        Format::Sshare,
        "a.txt",
        "physics 4 30\nphysics|bob 1 10",
    )]);
    assert_eq!(codes(&loaded.problems), ["slurm-no-root"]);
    assert!(loaded.snapshot.recorded.incomplete.is_some());
    assert_eq!(
        drawn(&loaded.snapshot.tree),
        [
            "/ 1 30",
            "physics/ 4 30",
            "physics/bob 1 10",
            "physics/…/ 1 20"
        ]
    );
}

#[test]
fn one_of_several_clusters_must_be_chosen() {
    let two = || {
        let mut rows = output(Format::SacctmgrAssoc, "two.txt", "root\nroot");
        for (row, cluster) in [(0, "gold"), (1, "silver")] {
            let name = rows.names.intern(cluster.as_bytes());
            rows.rows[row].cluster = Some(name);
        }
        rows
    };
    let refused = assemble(vec![two()], &[], &Request::default()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "two.txt holds 2 clusters: gold, silver; choose one with --cluster NAME"
    );
    let chosen = |name: &str| Request {
        cluster: Some(name.to_owned()),
        ..Request::default()
    };
    let silver = assemble(vec![two()], &[], &chosen("silver")).unwrap();
    assert_eq!(silver.snapshot.source.cluster, "silver");
    assert_eq!(silver.snapshot.tree.node_count(), 1);
    let refused = assemble(vec![two()], &[], &chosen("tin")).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "unknown cluster 'tin'; two.txt holds gold, silver"
    );
}

#[test]
fn of_many_clusters_the_first_ones_are_listed() {
    let mut rows = output(Format::SacctmgrAssoc, "many.txt", &"root\n".repeat(1_000));
    for (row, cluster) in rows.rows.iter_mut().zip(1_000..) {
        let name = rows.names.intern(format!("c{cluster}").as_bytes());
        row.cluster = Some(name);
    }
    let refused = assemble(vec![rows], &[], &Request::default()).unwrap_err();
    let said = refused.to_string();
    said.must_begin("many.txt holds 1000 clusters: c1000, c1001, ");
    said.must_end(", c1019, … and 980 more; choose one with --cluster NAME");
}

#[test]
fn older_associations_get_smaller_ids_if_the_age_is_known() {
    let mut rows = output(
        Format::Sshare,
        "a.txt",
        "root - 2 1\nphysics<root 1 2 2\nphysics|alice 1 1 9\nphysics|bob 1 1 5",
    );
    rows.version = Some("22.05.8".to_owned());
    let loaded = loaded(vec![rows]);
    let tree = &loaded.snapshot.tree;
    let users: Vec<NodeId> = tree.nodes()[2..].to_vec();
    assert_eq!(tree.name(users[0]), b"alice");
    assert!(users[0] > users[1], "bob is older and printed later");
    assert_eq!(loaded.snapshot.settings.slurm.tie_order, TieOrder::Newest);
}

#[test]
fn recorded_numbers_follow_their_association() {
    let mut rows = output(Format::Sshare, "a.txt", SMALL);
    let mut factors = Figures::default();
    for (row, value) in [(1, 1.0), (3, 0.5)] {
        factors.set_at(row, Figure { value, decimals: 6 });
    }
    rows.figures.push((Fact::FairShare, factors));
    let loaded = loaded(vec![rows]);
    let recorded = &loaded.snapshot.recorded;
    let nodes = loaded.snapshot.tree.nodes();
    let values: Vec<Option<f64>> = nodes
        .iter()
        .map(|&node| {
            recorded
                .figure(Fact::FairShare, node)
                .map(|figure| figure.value)
        })
        .collect();
    assert_eq!(values, [None, Some(1.0), None, Some(0.5), None]);
}

#[test]
fn settings_alone_are_not_a_tree() {
    let config = Config::default();
    let refused = assemble(Vec::new(), &[config], &Request::default()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "this is the output of scontrol show config: settings without a tree; open the output of sshare, and give this \
         file with --config"
    );
}
/// The messages about the origin of a tree's shares and usage.
fn origins(loaded: &Loaded) -> Vec<String> {
    let origins = loaded.snapshot.source.origins.iter();
    origins.map(words::source::origin).collect()
}

#[test]
fn a_user_with_one_partition_is_found_in_an_output_without_partitions() {
    let dump = || {
        let text = "root\nphysics<root 7\nphysics|alice@gpu 3\nphysics|bob 2\nphysics|bob@gpu 5\n\
                    physics|carol 1\nphysics|carol@gpu 1";
        output(Format::SacctmgrDump, "gold.cfg", text)
    };
    let sshare = || {
        let text = "root - 90\nphysics<root 7 90\nphysics|alice 3 20\nphysics|bob 5 10\nphysics|bob 2 30\n\
                    physics|carol 1 14\nphysics|carol 1 16";
        output(Format::Sshare, "sshare.txt", text)
    };
    let of_dump = loaded(vec![dump(), sshare()]);
    assert_eq!(
        drawn(&of_dump.snapshot.tree),
        [
            "/ 1 90",
            "physics/ 7 90",
            "physics/alice@gpu 3 20",
            "physics/bob 2 30",
            "physics/bob@gpu 5 10",
            "physics/carol 1 14",
            "physics/carol@gpu 1 16",
        ]
    );
    assert_eq!(codes(&of_dump.problems), [""; 0]);
    // The partition of a row that equals another one is unknown.
    let of_sshare = loaded(vec![sshare(), dump()]);
    assert_eq!(
        drawn(&of_sshare.snapshot.tree),
        [
            "/ 1 90",
            "physics/ 7 90",
            "physics/alice@gpu 3 20",
            "physics/bob@gpu 5 10",
            "physics/bob 2 30",
            "physics/carol 1 14",
            "physics/carol#2 1 16",
        ]
    );
    assert_eq!(
        codes(&of_sshare.problems),
        ["slurm-outputs-differ", "slurm-same-user"]
    );
}

/// `sacctmgr dump` prints two backslashes as they are, and its reader takes them for one.
#[test]
fn a_name_with_two_backslashes_is_one_name_in_a_dump_and_in_sshare() {
    let dump = || {
        output(
            Format::SacctmgrDump,
            "gold.cfg",
            "root\nphysics<root 7\nphysics|a\\b 3",
        )
    };
    let sshare = || {
        let text = "root - 9\nphysics<root 7 9\nphysics|a\\\\b 3 9";
        output(Format::Sshare, "sshare.txt", text)
    };
    for (outputs, name) in [
        (vec![dump(), sshare()], "physics/a\\\\b 3 9"),
        (vec![sshare(), dump()], "physics/a\\\\\\\\b 3 9"),
    ] {
        let loaded = loaded(outputs);
        assert_eq!(drawn(&loaded.snapshot.tree)[2], name);
        assert_eq!(codes(&loaded.problems), [""; 0]);
    }
}

/// The reference is `sshare -m` of the same moment.
#[test]
fn golden_a_dump_gives_the_partitions_that_sshare_left_out() {
    let Some(root) = golden("slurm_real/dump-and-sshare-without-m") else {
        return;
    };
    let numbers = |request: &Request, name: &str| -> Vec<String> {
        let loaded = load_quietly(request).expect("a tree");
        let differ = codes(&loaded.problems).contains(&"slurm-outputs-differ");
        assert!(!differ, "{name}: {:?}", sentences(&loaded.problems));
        let Snapshot { tree, recorded, .. } = &loaded.snapshot;
        let numbers = tree.nodes().iter().map(|&node| {
            let factor = recorded
                .figure(Fact::FairShare, node)
                .map(|factor| factor.value);
            let path = path_of(tree, node).expect("a path");
            let path = path.replace(r"\\\\", r"\\");
            format!(
                "{path} {} {} {factor:?}",
                tree.shares(node),
                tree.usage(node).amount().unwrap_or(-1.0)
            )
        });
        let mut numbers: Vec<String> = numbers.collect();
        numbers.sort();
        numbers
    };
    let expected = numbers(&Request::to_open(root.join("ref.psv")), "ref.psv");
    let [dump, sshare] = ["dump.cfg", "sshare_a_l_P.txt"].map(|name| root.join(name));
    for (first, second) in [(&dump, &sshare), (&sshare, &dump)] {
        let both = Request {
            source: SourceKind::Path {
                path: first.clone(),
                more: vec![second.clone()],
            },
            ..Request::default()
        };
        assert_eq!(numbers(&both, &first.to_string_lossy()), expected);
    }
    let folder = tempfile::tempdir().expect("a folder");
    for file in [&dump, &sshare] {
        std::fs::copy(file, folder.path().join(file.file_name().expect("a name"))).expect("a copy");
    }
    assert_eq!(
        numbers(&Request::to_open(folder.path()), "directory"),
        expected
    );
}
