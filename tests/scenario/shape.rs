//! Facts about single nodes are the same before and after the whole shape is computed, and names lead to their nodes
//! after any change.

use fairscope::model::generate::{Shape, generate};
use fairscope::model::{Kind, NodeId, Position, Shares, Tree, TreeBuilder, Usage};

/// A small generator, the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

/// What is told about a node.
type Facts = (bool, u32, Option<Kind>, bool, Option<u32>, Vec<NodeId>);

fn facts(tree: &Tree) -> Vec<Facts> {
    let ids = (0..tree.id_count()).map(NodeId::from_index);
    let of = |node: NodeId| {
        let is_there = tree.contains(node);
        (
            is_there,
            tree.depth(node),
            is_there.then(|| tree.kind(node)),
            tree.has_children(node),
            tree.ordinal(node).filter(|_| is_there),
            ids.clone()
                .filter(|&account| tree.is_within(node, account))
                .collect(),
        )
    };
    ids.clone().map(of).collect()
}

/// Checks that names lead to all living nodes that have them, and to no other.
fn check_names(tree: &Tree) {
    for &node in tree.nodes() {
        let name = tree.name(node);
        let named = tree
            .nodes()
            .iter()
            .filter(|&&other| tree.name(other) == name);
        assert_eq!(tree.nodes_named(name), named.copied().collect::<Vec<_>>());
        if let Some(parent) = tree.parent(node) {
            let mut found = tree.children_named(parent, name, None);
            found.sort();
            let mut named: Vec<NodeId> = tree.children(parent).collect();
            named.retain(|&other| tree.name(other) == name);
            named.sort();
            assert_eq!(found, named);
        }
    }
}

#[test]
fn facts_do_not_depend_on_what_was_asked_before() {
    for seed in 0..40 {
        let mut random = Random(seed);
        let mut tree = generate(30, Shape::Skewed, seed).tree;
        check_names(&tree);
        let mut removed = Vec::new();
        for step in 0..60 {
            let living = tree.nodes().to_vec();
            let node = living[random.below(living.len())];
            let other = living[random.below(living.len())];
            // Few names, so that siblings share them.
            let name = [b'a', b'0' + u8::try_from(random.below(4)).unwrap()];
            let is_fixed = node == NodeId::ROOT || Some(node) == tree.unknown();
            match random.below(5) {
                0 => {
                    tree.add(node, &name, None, Kind::User, Shares::new(1), Usage::NONE);
                }
                1 if !is_fixed => tree.rename(node, &name),
                2 if !is_fixed => {
                    tree.remove(node);
                    removed.push(node);
                }
                3 if !is_fixed && !tree.order().is_within(other, node) => {
                    tree.move_under(node, other);
                }
                _ => {
                    if let Some(node) = removed.pop() {
                        tree.restore(node);
                    }
                }
            }
            let before = facts(&tree);
            let _ = tree.order();
            assert_eq!(before, facts(&tree), "seed {seed}, step {step}");
            check_names(&tree);
        }
    }
}

#[test]
fn a_node_that_moves_within_its_account_comes_last() {
    let mut builder = TreeBuilder::new(b"root");
    let names = ["a", "b", "c"].map(|name| builder.intern(name.as_bytes()));
    let [a, b, c] = names.map(|name| builder.push(NodeId::ROOT, name, Kind::User, Position::Last));
    let mut tree = builder.build();
    for (moved, expected) in [(c, [a, b, c]), (a, [b, c, a])] {
        tree.move_under(moved, NodeId::ROOT);
        assert_eq!(tree.children(NodeId::ROOT).collect::<Vec<_>>(), expected);
    }
}
