//! Trees drawn as text: indentation is depth, `physics 40 | 1200` is name, shares and recorded usage.

use fairscope::format::{Loaded, Problems};
use fairscope::model::{
    FairShare, Format, Kind, NodeId, Position, Recorded, Scheduler, Settings, Shares, Snapshot,
    Source, Tree, TreeBuilder, path_of,
};

/// Builds a PBS tree whose jobs are sorted by `fairshare_factor`. `unknown` is added, and the lines are in the order of
/// the screen.
pub(crate) fn pbs(drawing: &str) -> Snapshot {
    let mut builder = TreeBuilder::new(b"TREEROOT");
    builder.set_shares(NodeId::ROOT, Shares::new(-1));
    let mut above = vec![NodeId::ROOT];
    for line in drawing.lines().filter(|line| !line.trim().is_empty()) {
        let depth = (line.len() - line.trim_start().len()) / 2;
        let (facts, usage) = line.split_once('|').unwrap_or((line, ""));
        let (name, shares) = facts.trim().split_once(' ').expect("a name and its shares");
        above.truncate(depth + 1);
        let parent = above[depth];
        let name = builder.intern(name.as_bytes());
        let node = builder.push(parent, name, Kind::User, Position::Last);
        builder.set_shares(
            node,
            Shares::new(shares.trim().parse().expect("shares are a number")),
        );
        if !usage.trim().is_empty() {
            builder.record(node, usage.trim().parse().expect("usage is a number"), true);
        }
        above.push(node);
    }
    let name = builder.intern(b"unknown");
    let unknown = builder.push(NodeId::ROOT, name, Kind::Account, Position::Last);
    builder.set_group(unknown, 1);
    builder.follow_pbs(unknown);
    let source = Source {
        format: Format::Pbs,
        title: "drawn".into(),
        usage_unit: "cput".to_owned(),
        ..Source::default()
    };
    let mut settings = Settings {
        scheduler: Some(Scheduler::Pbs),
        ..Settings::default()
    };
    settings.pbs.fair_share = FairShare::Always;
    settings.formula.set = Some("fairshare_factor".to_owned());
    Snapshot::new(builder.build(), settings, source, Recorded::default())
}

/// Wraps a snapshot as if it had been loaded.
pub(crate) fn loaded(snapshot: Snapshot) -> Loaded {
    Loaded {
        snapshot,
        problems: Problems::default(),
        policy: None,
        scenarios: None,
        reference: fairscope::format::native::Reference::default(),
        series: None,
        companions: fairscope::format::slurm::companions::Companions::default(),
        read: Vec::new(),
    }
}

/// The tree of the design document that introduced PBS's fairshare formula.
pub(crate) const SEED: &str = "
group2 60
  scott 40 | 1000
  suzy 60
group1 40
  cathy 50 | 100
  bob 50 | 100
";

/// Opens a snapshot as the explorer does.
pub(crate) fn opened(loaded: Loaded) -> Box<fairscope::open::opened::Opened> {
    Box::new(fairscope::open::opened::Opened::new(loaded, None))
}

/// Returns the nodes of a tree: path, shares, usage, kind.
pub(crate) fn outline(tree: &Tree) -> Vec<String> {
    let line = |&node: &NodeId| {
        let path = path_of(tree, node).expect("the tree is not deep");
        let usage = tree.usage(node).amount();
        let usage = usage.map_or_else(|| "none".to_owned(), |amount| amount.to_string());
        let kind = tree.kind(node).name();
        format!("{path} {} {usage} {kind}", tree.shares(node))
    };
    tree.nodes().iter().map(line).collect()
}
