//! Plans of `flux account` commands, applied to a copy of a database as the service would apply them.

use super::sacctmgr::words;
use crate::support::data;
use crate::support::expected::Expected as _;
use crate::support::flux::folders_with;
use crate::support::loading::{load_quietly, open};
use crate::support::random::Random;
use fairscope::analysis::plan::verify::{ChangeVerdict, verify};
use fairscope::analysis::plan::{Note, PlanInputs, Statement, plan, planned_tree};
use fairscope::format::Request;
use fairscope::model::{Kind, NodeId, Scheduler, Shares, Snapshot, Tree, Usage};
use fairscope::open::opened::Opened;
use fairscope::report::words::plan as words;
use fairscope::scenario::{Edit, Scenario, parse};
use rusqlite::Connection;

/// Depth, name and shares, sorted by name at each level, since a Flux tree is in the order of names.
fn shape(tree: &Tree) -> Vec<(Option<String>, String)> {
    let nodes = tree.nodes().iter();
    let mut shape: Vec<_> = nodes
        .map(|&node| {
            (
                fairscope::model::path_of(tree, node),
                tree.shares(node).to_string(),
            )
        })
        .collect();
    shape.sort();
    shape
}

fn has_column(connection: &Connection, table: &str, column: &str) -> bool {
    let sql = "SELECT count(*) FROM pragma_table_info(?1) WHERE name=?2";
    let count: i64 = connection
        .query_row(sql, [table, column], |row| row.get(0))
        .expect("a table");
    count > 0
}

/// The statement that adds an active row. Values are text; the tables convert them to numbers, as they do for the
/// service.
fn insertion(connection: &Connection, table: &str, columns: &[&str]) -> String {
    let [column, value] = if has_column(connection, table, "active") {
        ["active, ", "1, "]
    } else {
        [""; 2]
    };
    let places: Vec<String> = (1..=columns.len())
        .map(|place| format!("?{place}"))
        .collect();
    let (columns, places) = (columns.join(", "), places.join(", "));
    format!("INSERT INTO {table} ({column}{columns}) VALUES ({value}{places})")
}

/// Applies one command to the database as the version of flux-accounting that made it would.
fn run(connection: &Connection, line: &str) {
    let words = words(line);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let value = |word: &str| word.split_once('=').expect("an option").1.to_owned();
    let execute = |sql: &str, values: &[&str]| {
        let values = values.iter().map(|value| (*value).to_owned());
        let count = connection
            .execute(sql, rusqlite::params_from_iter(values))
            .expect(line);
        assert_eq!(count, 1, "{line}");
    };
    let has = |table: &str, column: &str| has_column(connection, table, column);
    // Versions without the column delete rows; later versions only make them inactive.
    let remove = |table: &str, row: &str| {
        if has(table, "active") {
            format!("UPDATE {table} SET active=0 WHERE {row}")
        } else {
            format!("DELETE FROM {table} WHERE {row}")
        }
    };
    let revives = |table: &str, row: &str, values: &[&str]| {
        let sql = format!("UPDATE {table} SET active=1 WHERE {row}");
        has(table, "active")
            && connection
                .execute(&sql, rusqlite::params_from_iter(values))
                .expect(line)
                > 0
    };
    let insert = |table: &str, columns: &[&str]| insertion(connection, table, columns);
    match &words[..] {
        ["flux", "account", "edit-bank", bank, option] if option.starts_with("--shares=") => {
            let sql = "UPDATE bank_table SET shares=CAST(?1 AS INTEGER) WHERE bank=?2";
            execute(sql, &[&value(option), bank]);
        }
        ["flux", "account", "edit-bank", bank, option] => {
            let sql = "UPDATE bank_table SET parent_bank=?1 WHERE bank=?2";
            execute(sql, &[&value(option), bank]);
        }
        ["flux", "account", "edit-user", user, "-B", bank, shares] => {
            let sql = "UPDATE association_table SET shares=CAST(?1 AS INTEGER) WHERE username=?2 AND bank=?3";
            execute(sql, &[&value(shares), user, bank]);
        }
        ["flux", "account", "add-bank", parent, bank, shares] => {
            let parent = value(parent);
            if !revives("bank_table", "bank=?1 AND parent_bank=?2", &[bank, &parent]) {
                let row = [
                    ("bank", *bank),
                    ("parent_bank", &parent),
                    ("shares", shares),
                ];
                execute(
                    &insert("bank_table", &row.map(|(column, _)| column)),
                    &row.map(|(_, value)| value),
                );
            }
        }
        ["flux", "account", "add-user", user, bank, shares] => {
            let (user, bank, shares) = (value(user), value(bank), value(shares));
            if !revives(
                "association_table",
                "username=?1 AND bank=?2",
                &[&user, &bank],
            ) {
                let row = [
                    ("username", user.as_str()),
                    ("bank", &bank),
                    ("shares", &shares),
                    ("creation_time", "0"),
                    ("default_bank", &bank),
                ];
                let known = row
                    .iter()
                    .filter(|(column, _)| has("association_table", column));
                let (columns, values): (Vec<&str>, Vec<&str>) = known.copied().unzip();
                execute(&insert("association_table", &columns), &values);
            }
        }
        ["flux", "account", "delete-user", user, bank] => {
            execute(
                &remove("association_table", "username=?1 AND bank=?2"),
                &[user, bank],
            );
        }
        ["flux", "account", "delete-bank", bank] => {
            execute(&remove("bank_table", "bank=?1"), &[bank]);
        }
        ["flux", "account-update-fshare" | "account-priority-update"] => {}
        _ => panic!("{line}"),
    }
}

/// Applies an edit given in the edit language.
fn apply(scenario: &mut Scenario, text: &str) {
    let edit = parse(text.as_bytes(), scenario.tree(), scenario.settings()).unwrap();
    scenario.apply(edit).unwrap();
}

#[test]
fn commands_give_the_scenario_and_the_rollback_restores_the_database() {
    let lists: &[&[&str]] = &[
        &["shares A=7"],
        &["shares A=7", "add A/newcomer shares=3"],
        &[
            "add fresh shares=4 kind=account",
            "add fresh/newcomer shares=3",
        ],
        &["add fresh shares=4 kind=account", "move A to fresh"],
        &["remove A"],
    ];
    for edits in lists {
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("input.db");
        std::fs::copy(data("flux/21_inactive/input.db"), &path).expect("a copy");
        let mut opened = open(&path, None);
        let before = shape(opened.scenario.tree());
        for text in *edits {
            apply(&mut opened.scenario, text);
        }
        let plan = plan(&opened.scenario, Scheduler::Flux, &PlanInputs::default());
        assert!(
            plan.omission_reasons.is_empty(),
            "{edits:?}: {:?}",
            plan.omission_reasons
        );
        assert_eq!(
            plan.commands.last().map(String::as_str),
            Some("flux account-priority-update")
        );
        let connection = Connection::open(&path).expect("a database");
        for command in &plan.commands {
            run(&connection, command);
        }
        assert_eq!(
            shape(open(&path, None).scenario.tree()),
            shape(opened.scenario.tree()),
            "{edits:?}"
        );
        for command in &plan.rollback {
            run(&connection, command);
        }
        assert_eq!(
            shape(open(&path, None).scenario.tree()),
            before,
            "{edits:?}"
        );
    }
}

#[test]
fn banks_without_shares_and_renames_are_refused() {
    for (text, begin) in [
        (
            "shares A=0",
            "A: flux account edit-bank accepts shares from 1 up",
        ),
        ("rename A to AA", "A: Flux cannot rename banks; "),
    ] {
        let mut opened = open(&data("flux/21_inactive/input.db"), None);
        apply(&mut opened.scenario, text);
        let plan = plan(&opened.scenario, Scheduler::Flux, &PlanInputs::default());
        assert!(plan.is_empty(), "{:?}", plan.commands);
        let reason = words::cannot(&plan.omission_reasons[0]);
        reason.must_begin(begin);
    }
}

/// A random edit; it may be invalid for the tree.
fn edit(tree: &Tree, random: &mut Random) -> Edit {
    let nodes = tree.nodes();
    let node = nodes[random.below(nodes.len())];
    let other = nodes[random.below(nodes.len())];
    let count = random.below(9);
    let shares = Shares::new(i64::try_from(count).expect("it is small"));
    let namesake = nodes[random.below(nodes.len())];
    let name = if random.below(2) == 0 {
        format!("new{count}").into_bytes()
    } else {
        tree.name(namesake).to_vec()
    };
    match random.below(5) {
        0 => Edit::SetShares { node, shares },
        1 | 2 => Edit::Add {
            parent: node,
            name,
            partition: None,
            kind: [Kind::Account, Kind::User][random.below(2)],
            shares,
            usage: Usage::NONE,
        },
        3 => Edit::Remove { node },
        _ => Edit::Move { node, to: other },
    }
}

#[test]
fn random_plans_give_the_planned_tree_and_roll_back() {
    let mut random = Random::new(7);
    let mut tried = 0;
    for source in folders_with("input.db") {
        let source = source.join("input.db");
        let bytes = std::fs::read(&source).expect("a database");
        if bytes.len() > 400_000 {
            continue;
        }
        for _ in 0..8 {
            let folder = tempfile::tempdir().expect("a directory");
            let path = folder.path().join("input.db");
            std::fs::write(&path, &bytes).expect("a copy");
            let request = Request::to_open(&path);
            let Ok(loaded) = load_quietly(&request) else {
                break;
            };
            let mut opened = Opened::new(loaded, None);
            let before = shape(opened.scenario.tree());
            for _ in 0..=random.below(6) {
                let edit = edit(opened.scenario.tree(), &mut random);
                // Invalid edits are not tested here.
                let _ = opened.scenario.apply(edit);
            }
            // The tree does not show inactive banks, and a bank that holds one cannot hold users.
            let (base, tree) = (&opened.scenario.base().tree, opened.scenario.tree());
            let is_under_empty = |node: &NodeId| {
                let parent = tree.parent(*node).unwrap_or(NodeId::ROOT);
                tree.kind(*node) == Kind::User
                    && base.contains(parent)
                    && !base.has_children(parent)
            };
            if tree.nodes().iter().any(is_under_empty) {
                continue;
            }
            let plan = plan(&opened.scenario, Scheduler::Flux, &PlanInputs::default());
            let connection = Connection::open(&path).expect("a database");
            for command in &plan.commands {
                run(&connection, command);
            }
            let told = format!("{}: {plan:#?}", source.display());
            let planned_tree = planned_tree(&opened.scenario, &plan.omissions);
            assert_eq!(
                shape(open(&path, None).scenario.tree()),
                shape(&planned_tree),
                "{told}"
            );
            let verdicts = |tree: &Tree| {
                let later = Snapshot {
                    tree: tree.clone(),
                    ..opened.scenario.base().clone()
                };
                let verdicts = verify(&opened.scenario, &later, &plan.omissions);
                let is_fine = verdicts.iter().all(ChangeVerdict::is_fine);
                (is_fine, verdicts)
            };
            let (is_fine, told_of) = verdicts(&planned_tree);
            assert!(is_fine, "{told}: {told_of:#?}");
            if shape(&planned_tree) != before {
                let (is_fine, told_of) = verdicts(&opened.scenario.base().tree);
                assert!(!is_fine, "{told}: {told_of:#?}");
            }
            let is_one_way =
                |note: &Statement<Note>| matches!(note.what, Note::SharesOneWay { .. });
            let is_one_way = plan.notes.iter().any(is_one_way);
            for command in &plan.rollback {
                run(&connection, command);
            }
            if !is_one_way {
                assert_eq!(shape(open(&path, None).scenario.tree()), before, "{told}");
            }
            tried += usize::from(!plan.is_empty());
        }
    }
    assert!(tried > 0);
}
