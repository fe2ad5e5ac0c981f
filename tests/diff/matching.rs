//! Matching of nodes between two trees.

use super::{STATED, between, scenario};
use crate::support::associations::drawn;
use fairscope::analysis::diff::{Diff, Matching, Pair};
use fairscope::model::generate::{Shape, generate};
use fairscope::model::{NodeId, path_of, resolve};
use fairscope::rules::policy::Policy;
use std::sync::Arc;

const POLICY: Policy = Policy::FairTree;

fn paths(diff: &Diff, pairs: &[Pair<NodeId>]) -> Vec<(String, String)> {
    let pairs = pairs.iter();
    pairs
        .map(|pair| {
            (
                path_of(&diff.before.tree, pair.before).unwrap(),
                path_of(&diff.after.tree, pair.after).unwrap(),
            )
        })
        .collect()
}

#[test]
fn a_tree_equals_itself() {
    let diff = between(STATED, STATED, POLICY);
    assert!(diff.is_empty());
    assert_eq!(diff.target_shifts().lost.count(), 0);
}

#[test]
fn a_leaf_with_a_unique_name_in_another_account_has_moved() {
    let old = "a/ 1\n  ann 1 | 5\n  bob 1\nb/ 1\n  eve 1\n  ann 2\nc/ 1\n";
    let new = "a/ 1\n  bob 1\nb/ 1\n  ann 2\nc/ 1\n  ann 1 | 5\n  eve 1\n";
    let diff = between(old, new, POLICY);
    let moved = paths(&diff, &diff.changes.moved);
    assert_eq!(
        moved,
        [
            ("a/ann".to_owned(), "c/ann".to_owned()),
            ("b/eve".to_owned(), "c/eve".to_owned())
        ]
    );
    assert!(diff.changes.added.is_empty() && diff.changes.removed.is_empty());
    // Two nodes of this name were added, so the match is ambiguous.
    let diff = between(
        "a/ 1\n  ann 1\nb/ 1\nc/ 1\n",
        "a/ 1\nb/ 1\n  ann 1\nc/ 1\n  ann 1\n",
        POLICY,
    );
    assert!(diff.changes.moved.is_empty());
    assert_eq!(diff.changes.added.len(), 2);
    assert_eq!(diff.changes.removed.len(), 1);
}

#[test]
fn a_moved_account_is_matched_with_all_nodes_below_it() {
    let old = "a/ 1\n  lab/ 2\n    ann 1\n    bob 1\nb/ 1\n  ann 1\n";
    let new = "a/ 1\nb/ 1\n  ann 1\n  lab/ 2\n    ann 1\n    bob 1\n";
    let diff = between(old, new, POLICY);
    let moved = paths(&diff, &diff.changes.moved);
    assert_eq!(moved, [("a/lab".to_owned(), "b/lab".to_owned())]);
    assert!(diff.changes.added.is_empty() && diff.changes.removed.is_empty());
}

#[test]
fn siblings_of_one_name_are_matched_by_their_numbers() {
    let old = "a/ 1\n  ann 1\n  ann 2\n  ann 3\n";
    let new = "a/ 1\n  ann 1\n  ann 9\n";
    let diff = between(old, new, POLICY);
    let changed = paths(&diff, &diff.changes.changed);
    assert_eq!(changed, [("a/ann#2".to_owned(), "a/ann#2".to_owned())]);
    assert_eq!(diff.changes.removed.len(), 1);
}

#[test]
fn accounts_do_not_match_users_of_the_same_name() {
    let diff = between("x 1\n", "x/ 1\n  y 1\n", POLICY);
    assert_eq!(diff.changes.added.len(), 2);
    assert_eq!(diff.changes.removed.len(), 1);
}

#[test]
fn a_renamed_node_is_one_node() {
    let renamed = |old: &str, new: &str| {
        let diff = between(old, new, POLICY);
        let changes = &diff.changes;
        let changed = changes.changed.iter().copied();
        let is_renamed = |pair: &Pair<NodeId>| {
            diff.before.tree.name(pair.before) != diff.after.tree.name(pair.after)
        };
        let renamed: Vec<_> = changed.filter(is_renamed).collect();
        let pairs = paths(&diff, &renamed).into_iter();
        let pairs: Vec<String> = pairs.map(|(old, new)| format!("{old} {new}")).collect();
        let others = (
            changes.added.len(),
            changes.removed.len(),
            changes.moved.len(),
        );
        (pairs.join(", "), others)
    };
    let cases = [
        // The usage is the same, or decayed as that of others.
        (
            "a/ 1\n  ann 1 | 60\n  bob 1 | 9\n",
            "a/ 1\n  bob 1 | 9\n  eve 1 | 60\n",
            "a/ann a/eve",
        ),
        (
            "a/ 1\n  ann 1 | 60\n  bob 1 | 100\nb/ 1\n  dan 1 | 20\n  fay 1 | 7\n",
            "a/ 1\n  bob 1 | 90\n  eve 1 | 54\nb/ 1\n  dan 1 | 18\n  fay 1 | 70\n",
            "a/ann a/eve",
        ),
        // An account that holds the same.
        (
            "a/ 1\n  lab/ 2\n    ann 1 | 5\n    bob 1\n",
            "a/ 1\n  new/ 2\n    ann 1 | 9\n    bob 1\n",
            "a/lab a/new",
        ),
        // Without usage, by shares that no sibling has.
        (
            "a/ 1\n  ann 7\n  bob 1\n",
            "a/ 1\n  bob 1\n  eve 7\n",
            "a/ann a/eve",
        ),
        // The same two names in several accounts.
        (
            "a/ 1\n  ann 1\nb/ 1\n  ann 1\n",
            "a/ 1\n  eve 1\nb/ 1\n  eve 1\n",
            "a/ann a/eve, b/ann b/eve",
        ),
    ];
    for (old, new, pairs) in cases {
        assert_eq!(renamed(old, new), (pairs.to_owned(), (0, 0, 0)), "{old}");
    }
    // One left and another one came.
    let cases = [
        (
            "a/ 1\n  ann 1 | 60\n  bob 1 | 9\n",
            "a/ 1\n  bob 1 | 9\n  eve 1 | 4\n",
        ),
        ("a/ 1\n  ann 1 | 60\n", "a/ 1\n  eve 1\n"),
        ("a/ 1\n  ann 1\n", "a/ 1\n  eve 1\n"),
        ("a/ 1\n  ann 7\n  bob 7\n", "a/ 1\n  bob 7\n  eve 7\n"),
        ("a/ 1\n  ann 2 | 60\n", "a/ 1\n  eve 1 | 60\n"),
        ("a/ 1\n  ann 1 | 60\n", "a/ 1\n  eve/ 1 | 60\n"),
        (
            "a/ 1\n  lab/ 2\n    ann 1\n",
            "a/ 1\n  new/ 2\n    eve 1\n    fay 1\n",
        ),
    ];
    for (old, new) in cases {
        let (pairs, (added, removed, _)) = renamed(old, new);
        assert_eq!(pairs, "", "{old}");
        assert!(added > 0 && removed > 0, "{old}");
    }
    // Two left, or the name is elsewhere.
    let old = "a/ 1\n  ann 1 | 60\n  bob 1 | 60\n";
    assert_eq!(
        renamed(old, "a/ 1\n  eve 1 | 60\n"),
        (String::new(), (1, 2, 0))
    );
    let old = "a/ 1\n  ann 1 | 60\nb/ 1\n  ann 1\n";
    let new = "a/ 1\n  eve 1 | 60\nb/ 1\n  ann 1\n";
    assert_eq!(renamed(old, new), (String::new(), (1, 1, 0)));
    let old = "a/ 1\n  ann 1 | 60\nb/ 1\n";
    let new = "a/ 1\n  eve 1 | 60\nb/ 1\n  ann 1 | 60\n";
    assert_eq!(renamed(old, new), (String::new(), (1, 0, 1)));
}

#[test]
fn renamed_nodes_match_between_scenarios_of_one_snapshot() {
    let base = Arc::new(drawn(STATED));
    let on_base = |edits: &[&str]| {
        let mut scenario = fairscope::scenario::Scenario::new(Arc::clone(&base), POLICY);
        for edit in edits {
            fairscope::open::opened::apply_text(&mut scenario, edit.as_bytes()).unwrap();
        }
        scenario
    };
    let one = on_base(&["rename physics/bob to rob", "add biology/zoe shares=1"]);
    let other = on_base(&[
        "add biology/yan shares=2",
        "add biology/zoe shares=5",
        "move physics/alice to biology",
    ]);
    let diff = Diff::between(&one, &other);
    let changed = paths(&diff, &diff.changes.changed);
    assert!(
        changed.contains(&("physics/rob".to_owned(), "physics/bob".to_owned())),
        "{changed:?}"
    );
    assert!(
        changed.contains(&("biology/zoe".to_owned(), "biology/zoe".to_owned())),
        "{changed:?}"
    );
    assert_eq!(diff.changes.added.len(), 1);
    assert_eq!(
        paths(&diff, &diff.changes.moved),
        [("physics/alice".to_owned(), "biology/alice".to_owned())]
    );
}

#[test]
fn deep_chains_are_matched() {
    let old = generate(20_000, Shape::Chain, 1);
    let mut new = old.clone();
    let last = *new.tree.nodes().last().unwrap();
    new.tree.set_shares(last, fairscope::model::Shares::new(77));
    let matching = Matching::by_path(&old.tree, &new.tree);
    assert!(
        old.tree
            .nodes()
            .iter()
            .all(|&node| matching.after(node) == Some(node))
    );
}

#[test]
fn comparison_of_a_node_covers_only_its_subtree() {
    let after = scenario(
        drawn(STATED),
        POLICY,
        &[
            "shares physics/bob=1",
            "shares biology/gina=7",
            "remove chemistry/fred",
        ],
    );
    let diff = Diff::between(&after.beside(None), &after);
    let top = resolve(&diff.after.tree, b"physics").unwrap();
    let diff = diff.below(Pair {
        before: Some(top),
        after: Some(top),
    });
    let changed = paths(&diff, &diff.changes.changed);
    assert_eq!(
        changed,
        [("physics/bob".to_owned(), "physics/bob".to_owned())]
    );
    assert!(diff.changes.removed.is_empty());
    assert!(diff.pairs().count() == 4);
}
