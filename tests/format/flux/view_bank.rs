//! Output of `flux account view-bank` compared with the database it was printed from.

use crate::support::flux::{folders_with, load_with};
use crate::support::golden;
use crate::support::loading::load_path;
use crate::support::trees::outline;
use fairscope::format::{Format, Loaded};
use fairscope::model::{Fact, Kind, NodeId, Tree};
use std::path::Path;

/// Two banks of one name: Flux computes with the shares of the first; the table prints each bank's own.
const OTHER_SHARES: &str = "39_same_bank_name_twice";

/// Depth, kind, name, shares, bits of usage.
type Line = (u32, Kind, Vec<u8>, i64, Option<u64>);

/// The nodes of a tree with siblings sorted by name, since the table has the order of the rows.
fn sorted(tree: &Tree, with_shares: bool) -> Vec<Line> {
    let mut rows = Vec::new();
    let mut open = vec![NodeId::ROOT];
    while let Some(node) = open.pop() {
        let shares = tree.shares(node).count().filter(|_| with_shares);
        let usage = tree.usage(node).amount().map(f64::to_bits);
        rows.push((
            tree.depth(node),
            tree.kind(node),
            tree.name(node).to_vec(),
            shares.unwrap_or(0),
            usage,
        ));
        let mut children: Vec<NodeId> = tree.children(node).collect();
        children.sort_by_key(|&child| std::cmp::Reverse((tree.name(child).to_vec(), child)));
        open.extend(children);
    }
    rows
}

fn fairshares(loaded: &Loaded) -> usize {
    let tree = &loaded.snapshot.tree;
    let stored = |node: &&NodeId| {
        loaded
            .snapshot
            .recorded
            .figure(Fact::FluxFairshare, **node)
            .is_some()
    };
    tree.nodes().iter().filter(stored).count()
}

#[test]
fn golden_tables_give_the_tree_of_their_database() {
    let (mut files, mut compared) = (0, 0);
    for name in ["view_bank_t.txt", "view_bank_tP.txt"] {
        for folder in folders_with(name) {
            let path = folder.join(name);
            let text = std::fs::read_to_string(&path).unwrap();
            if text.contains("ERROR") || text.trim().is_empty() {
                continue;
            }
            files += 1;
            let of_database = load_path(folder.join("input.db")).unwrap();
            let of_table =
                load_path(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert_eq!(of_table.snapshot.source.format, Format::ViewBank);
            let with_shares = !folder.ends_with(OTHER_SHARES);
            let (ours, theirs) = (
                sorted(&of_table.snapshot.tree, with_shares),
                sorted(&of_database.snapshot.tree, with_shares),
            );
            assert_eq!(ours, theirs, "{}", path.display());
            assert_eq!(fairshares(&of_table), fairshares(&of_database));
            compared += ours.len();
            let shown = [("inactive", "show")];
            let of_database = load_with(&folder.join("input.db"), &shown).unwrap();
            let of_table = load_with(&path, &shown).unwrap();
            assert_eq!(
                sorted(&of_table.snapshot.tree, with_shares),
                sorted(&of_database.snapshot.tree, with_shares),
                "{} with the inactive",
                path.display()
            );
        }
    }
    println!("{files} tables, {compared} nodes compared, 0 differ");
}

fn users_and_problems(path: &Path) -> (usize, usize) {
    let loaded = load_path(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    // The command may stand above its output.
    let problems = loaded.problems.without(&["pasted-text"]);
    (loaded.snapshot.tree.user_count(), problems.count())
}

#[test]
fn tables_of_old_versions_and_partial_trees_load() {
    let Some(root) = golden("flux/01_seed002_small_no_tie/cli") else {
        return;
    };
    for (name, users) in [
        ("view_bank_root_tree.txt", 7),
        ("view_bank_root_tree_parsable.txt", 7),
        ("view_bank_root_tree_concise.txt", 6),
        ("view_bank_account3_tree.txt", 2),
        ("old_account_shares.txt", 7),
        ("old_account_shares_P.txt", 7),
    ] {
        assert_eq!(users_and_problems(&root.join(name)), (users, 0), "{name}");
    }
    let Some(root) = golden("public/flux-accounting/print_hierarchy") else {
        return;
    };
    let mut count = 0;
    for entry in std::fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read(&path).unwrap();
        if fairscope::format::flux::view_bank::is(&text) {
            assert_eq!(users_and_problems(&path).1, 0, "{}", path.display());
            count += 1;
        }
    }
    println!("{count} published tables load");
}

fn parsed(text: &str) -> Loaded {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("view.txt");
    std::fs::write(&path, text).unwrap();
    load_path(&path).unwrap()
}

#[test]
fn names_wider_than_their_column_shift_the_row() {
    let cell = |text: &str| format!("{text:>20}");
    let row = |bank: &str, rest: &[&str]| {
        let rest: Vec<String> = rest.iter().map(|text| cell(text)).collect();
        format!("{bank:<20}{}\n", rest.concat())
    };
    let long = "a_bank_with_a_very_long_name";
    let user = "a_user_with_a_very_long_name";
    let text = [
        row(
            "Bank",
            &["Username", "Active", "RawShares", "RawUsage", "Fairshare"],
        ),
        row("root", &["", "true", "1", "1.2345678901234567e+22"]),
        row(
            &format!(" {long}"),
            &["", "true", "3", "1.2345678901234567e+22"],
        ),
        row(
            &format!("  {long}"),
            &[
                user,
                "true",
                "12345678901234567890"[..19].as_ref(),
                "1.2345678901234567e+22",
                "0.5",
            ],
        ),
        row(&format!("  {long}"), &["b", "true", "2", "3.5", "1.0"]),
        row(&format!(" {long}2"), &["", "true", "4", "0.0"]),
    ]
    .concat();
    let loaded = parsed(&text);
    assert_eq!(loaded.problems.count(), 0, "{:?}", loaded.problems);
    assert_eq!(
        outline(&loaded.snapshot.tree),
        [
            " 1 none account".to_owned(),
            format!("{long} 3 none account"),
            format!("{long}/{user} 1234567890123456789 12345678901234568000000 user"),
            format!("{long}/b 2 3.5 user"),
            format!("{long}2 4 none account"),
        ]
    );
}

#[test]
fn bars_in_names_and_a_bank_named_like_its_parent_are_read() {
    let loaded = parsed(
        "Bank|Username|Active|RawShares|RawUsage|Fairshare\nroot||true|1|5.0\n a|b||true|2|5.0\n  a|b||true|3|5.0\n   a|b|x|y|true|4|5.0|0.5\n",
    );
    assert_eq!(
        outline(&loaded.snapshot.tree),
        [
            " 1 none account",
            "a|b 2 none account",
            "a|b/a|b 3 none account",
            "a|b/a|b/x|y 4 5 user"
        ]
    );
}

#[test]
fn invalid_rows_are_reported_with_their_lines() {
    let loaded = parsed(
        "Bank|Username|Active|RawShares|RawUsage|Fairshare\nroot||true|1|5.0\nwhat is this\nother||true|1|1.0\n A||maybe|1|1.0\n B||true|x|-1\n",
    );
    let problems: Vec<String> = loaded
        .problems
        .list()
        .iter()
        .map(|problem| {
            format!(
                "{} {} {}",
                problem.line.unwrap(),
                problem.code,
                problem.message
            )
        })
        .collect();
    assert_eq!(
        problems,
        [
            "3 flux-bad-row what is this is not a row of a bank or user; it was left out",
            "4 flux-second-root other is not below the first bank; it was left out",
            "5 flux-bad-row A||maybe|1|1.0 is not a row of a bank or user; it was left out",
            "6 flux-odd-shares the shares of the bank B are x; expected a whole number; they are read as 0",
            "6 flux-odd-usage the usage of the bank B is -1; expected a number from 0 up; it is counted as 0",
        ]
    );
}

#[test]
fn banks_and_users_named_like_titles_are_rows() {
    let loaded = parsed(
        "Bank|Username|Active|RawShares|RawUsage|Fairshare\nroot||true|1|5.0\n Bank||true|2|3.0\n  \
         Bank|Username|true|3|3.0|0.5\n Account||true|2|2.0\n  Account|Bank|true|1|2.0|0.5\n",
    );
    assert_eq!(
        outline(&loaded.snapshot.tree),
        [
            " 1 none account",
            "Bank 2 none account",
            "Bank/Username 3 3 user",
            "Account 2 none account",
            "Account/Bank 1 2 user",
        ]
    );
    assert_eq!(loaded.problems.count(), 0, "{:?}", loaded.problems);
}

#[test]
fn a_bank_whose_usage_is_not_that_of_its_users_is_noted() {
    let table = "Bank|Username|Active|RawShares|RawUsage|Fairshare\nroot||true|1|133\n a||true|1|221\n  a|ann|true|1|121|0.5\n \
                 b||true|1|12\n  b|ben|true|1|12|0.5\n";
    let loaded = parsed(table);
    let noted = loaded
        .problems
        .list()
        .iter()
        .filter(|problem| problem.code == "flux-bank-usage");
    let noted: Vec<String> = noted.map(|problem| problem.message.to_string()).collect();
    assert_eq!(
        noted,
        [
            "the bank a has a usage of 221, but its users have 121; the usage of the users counts, as in flux account-update-fshare"
        ]
    );
}
