//! Slurm's associations drawn as text: indentation is depth, `a/ 40` is an account, `u 1 | 20` is a user with usage.

use fairscope::model::{
    Format, Kind, NodeId, Position, Recorded, Scheduler, Settings, Shares, Snapshot, Source,
    TreeBuilder,
};

/// Builds the tree of associations drawn below `root`. Shares may be `parent`.
pub(crate) fn drawn(drawing: &str) -> Snapshot {
    let mut builder = TreeBuilder::new(b"root");
    let mut above = vec![NodeId::ROOT];
    for line in drawing.lines().filter(|line| !line.trim().is_empty()) {
        let depth = (line.len() - line.trim_start().len()) / 2;
        let (facts, usage) = line.split_once('|').unwrap_or((line, ""));
        let (name, shares) = facts.trim().split_once(' ').expect("a name and its shares");
        let (name, kind) = match name.strip_suffix('/') {
            Some(name) => (name, Kind::Account),
            None => (name, Kind::User),
        };
        above.truncate(depth + 1);
        let name = builder.intern(name.as_bytes());
        let node = builder.push(above[depth], name, kind, Position::Last);
        builder.set_shares(
            node,
            match shares.trim() {
                "parent" => Shares::PARENT,
                count => Shares::new(count.parse().expect("shares are a number")),
            },
        );
        if !usage.trim().is_empty() {
            let usage = usage.trim().parse().expect("usage is a number");
            builder.record(node, usage, kind == Kind::User);
        }
        above.push(node);
    }
    Snapshot::new(
        builder.build(),
        Settings {
            scheduler: Some(Scheduler::Slurm),
            ..Settings::default()
        },
        Source {
            format: Format::Csv,
            title: "drawn".into(),
            ..Source::default()
        },
        Recorded::default(),
    )
}
