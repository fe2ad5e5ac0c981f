//! Trees for tests.

use fairscope::format::Problems;
use fairscope::model::{Kind, NodeId, Position, Settings, Shares, Snapshot, Source, TreeBuilder};
use fairscope::policy::Policy;
use fairscope::scenario::{Scenario, parse};
use std::sync::Arc;

/// A PBS tree from lines `name parent shares [usage]`, as `resource_group` and `usage` would give it.
pub(crate) fn pbs(lines: &str) -> Snapshot {
    let mut builder = TreeBuilder::new(b"TREEROOT");
    builder.set_shares(NodeId::ROOT, Shares::new(-1));
    let name = builder.intern(b"unknown");
    let unknown = builder.push(NodeId::ROOT, name, Kind::Account, Position::First);
    builder.follow_pbs(unknown);
    let mut nodes = vec![("root", NodeId::ROOT), ("unknown", unknown)];
    let mut usages = Vec::new();
    for line in lines.lines().filter(|line| !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let parent = nodes.iter().find(|(name, _)| *name == fields[1]);
        let parent = parent.expect("a parent on an earlier line").1;
        let name = builder.intern(fields[0].as_bytes());
        let node = builder.push(parent, name, Kind::User, Position::First);
        builder.set_shares(node, Shares::new(fields[2].parse().unwrap()));
        nodes.push((fields[0], node));
        if let Some(usage) = fields.get(3) {
            usages.push((node, usage.parse().unwrap()));
        }
    }
    for (node, usage) in usages {
        builder.record(node, usage, !builder.has_children(node));
    }
    Snapshot {
        tree: builder.build(),
        settings: Settings::default(),
        source: Source {
            format: "pbs",
            path: "sched_priv".to_owned(),
            title: "sched_priv".to_owned(),
            taken: Some(1_700_000_000),
            usage_unit: "cput".to_owned(),
        },
    }
}

/// The tree of PBS's design document: scott used all of group2's time, suzy none.
pub(crate) const SEED: &str = "
    group1 root   40
    group2 root   60
    bob    group1 50 100
    cathy  group1 50 100
    suzy   group2 60
    scott  group2 40 1000
";

/// A scenario with edits in the edit language.
pub(crate) fn scenario(lines: &str, edits: &[&str]) -> (Scenario, Problems) {
    let mut scenario = Scenario::new(Arc::new(pbs(lines)), Policy::Pbs);
    for edit in edits {
        let edit = parse(edit.as_bytes(), scenario.tree()).expect("an edit of the tree");
        scenario.apply(edit).expect("an edit that fits");
    }
    (scenario, Problems::default())
}
