//! Slurm's associations drawn as text: indentation is depth, `physics/ 40` an account, `ada 10 | 1200` a user with
//! shares and usage.

use fairscope::model::{Kind, NodeId, Position, Settings, Shares, Snapshot, Source, TreeBuilder};

/// Draws a tree of accounts and users; shares are a number or `parent`.
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
        let shares = match shares.trim() {
            "parent" => Shares::PARENT,
            count => Shares::new(count.parse().expect("shares are a number")),
        };
        builder.set_shares(node, shares);
        if !usage.trim().is_empty() {
            let amount = usage.trim().parse().expect("usage is a number");
            builder.record(node, amount, kind == Kind::User);
        }
        above.push(node);
    }
    Snapshot {
        tree: builder.build(),
        settings: Settings::default(),
        source: Source {
            title: "drawn".to_owned(),
            ..Source::default()
        },
    }
}
