//! Databases of flux-accounting compared with the results of its own reader.

use crate::support::flux::{
    ASSOCIATIONS, BANKS, Made, ROWS, computed, expected, folders_with, load_with, made, rows,
};
use crate::support::loading::{codes, load_path};
use crate::support::{data, golden};
use fairscope::format::Severity;
use fairscope::model::{Fact, Figure, NodeId, Scheduler};
use fairscope::rules::policy::{ColumnId, Policy};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The case whose usage exceeds a 64-bit word, which is undefined in C++.
const UNDEFINED: &str = "24_usage_sum_over_2_64";

#[test]
fn golden_databases_give_the_weights_counters_and_fair_shares_of_flux() {
    let (mut files, mut compared, mut refused, mut different) = (0, 0, 0, Vec::new());
    for folder in folders_with("expected_db.tsv") {
        let old = folder.join("expected_db_v0.17_reader.tsv");
        if old.exists() {
            continue;
        }
        files += 1;
        let file = folder.join("expected_db.tsv");
        let text = std::fs::read_to_string(&file).unwrap();
        let database = folder.join("input.db");
        if text.starts_with("LOADFAIL") {
            assert!(load_path(&database).is_err(), "{}", folder.display());
            refused += 1;
            continue;
        }
        let loaded =
            load_path(&database).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let (ours, theirs) = (computed(&loaded), expected(&rows(&file)));
        if folder.ends_with(UNDEFINED) {
            println!("{UNDEFINED}: undefined in C++; equal: {}", ours == theirs);
            continue;
        }
        compared += theirs.values().flatten().flatten().flatten().count();
        if ours != theirs {
            different.push(format!("{}: {ours:?} is not {theirs:?}", folder.display()));
        }
    }
    println!(
        "{files} databases, {refused} refused as they should be, {compared} numbers compared, {} differ",
        different.len()
    );
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn databases_without_an_active_column_give_the_shares_of_their_own_reader() {
    let Some(root) = golden("flux") else { return };
    let (mut files, mut compared) = (0, 0);
    for entry in std::fs::read_dir(root).unwrap() {
        let folder = entry.unwrap().path();
        let file = folder.join("expected_db_v0.17_reader.tsv");
        if !file.exists() {
            continue;
        }
        files += 1;
        let loaded = load_path(folder.join("input.db")).unwrap();
        // The weights of this reader depend on columns that the database lacks.
        let shares = |numbers: crate::support::flux::Numbers| -> BTreeMap<_, Vec<Option<u64>>> {
            let shares = |rows: Vec<[Option<u64>; 3]>| rows.into_iter().map(|row| row[2]).collect();
            numbers
                .into_iter()
                .map(|(key, rows)| (key, shares(rows)))
                .collect()
        };
        let theirs = shares(expected(&rows(&file)));
        compared += theirs.values().flatten().flatten().count();
        assert_eq!(shares(computed(&loaded)), theirs, "{}", folder.display());
    }
    println!("{files} databases, {compared} fair-shares compared, 0 differ");
    assert_eq!(files, 8);
}

#[test]
fn every_published_database_loads() {
    let Some(root) = golden("public/flux-accounting/test_dbs") else {
        return;
    };
    let mut count = 0;
    for entry in std::fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "db") {
            let loaded =
                load_path(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert_eq!(loaded.snapshot.settings.scheduler, Some(Scheduler::Flux));
            count += 1;
        }
    }
    println!("{count} databases load");
    assert!(count > 30);
}

/// Every file of a folder with its length and modification time.
fn listing(folder: &Path) -> BTreeMap<PathBuf, (u64, std::time::SystemTime)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| {
        let entry = entry.unwrap();
        let metadata = entry.metadata().unwrap();
        (entry.path(), (metadata.len(), metadata.modified().unwrap()))
    });
    entries.collect()
}

fn fairshares(loaded: &fairscope::format::Loaded) -> BTreeMap<String, f64> {
    let tree = &loaded.snapshot.tree;
    let stored = |&node: &NodeId| {
        let figure = loaded.snapshot.recorded.figure(Fact::FluxFairshare, node)?;
        Some((
            String::from_utf8_lossy(tree.name(node)).into_owned(),
            figure.value,
        ))
    };
    tree.nodes().iter().filter_map(stored).collect()
}

#[test]
fn reading_a_plain_database_leaves_its_folder_unchanged() {
    let made = made(&[BANKS, ASSOCIATIONS, ROWS]);
    let before = listing(made.folder.path());
    let loaded = load_path(&made.path).unwrap();
    assert_eq!(loaded.snapshot.tree.user_count(), 3);
    assert_eq!(codes(&loaded.problems), Vec::<&str>::new());
    assert_eq!(listing(made.folder.path()), before);
}

#[test]
fn reading_a_former_wal_database_leaves_its_folder_unchanged() {
    let made = made(&["PRAGMA journal_mode = WAL;", BANKS, ASSOCIATIONS, ROWS]);
    let before = listing(made.folder.path());
    assert_eq!(before.len(), 1);
    assert_eq!(load_path(&made.path).unwrap().snapshot.tree.user_count(), 3);
    assert_eq!(listing(made.folder.path()), before);
}

#[test]
fn reading_the_log_of_a_running_writer_leaves_the_folder_unchanged() {
    let made = made(&[BANKS, ASSOCIATIONS, ROWS, "PRAGMA journal_mode = WAL;"]);
    let writer = rusqlite::Connection::open(&made.path).unwrap();
    writer
        .execute_batch("UPDATE association_table SET fairshare = 0.25 WHERE username = 'a1'")
        .unwrap();
    let before = listing(made.folder.path());
    assert_eq!(before.len(), 3);
    let loaded = load_path(&made.path).unwrap();
    assert_eq!(fairshares(&loaded)["a1"].to_bits(), 0.25_f64.to_bits());
    assert_eq!(codes(&loaded.problems), ["flux-wal-not-checkpointed"]);
    assert_eq!(listing(made.folder.path()), before);
    drop(writer);
}

/// A folder with a database and its leftover log, with or without the log's index.
fn left_behind(with_index: bool) -> Made {
    let alive = made(&[BANKS, ASSOCIATIONS, ROWS, "PRAGMA journal_mode = WAL;"]);
    let writer = rusqlite::Connection::open(&alive.path).unwrap();
    writer
        .execute_batch("UPDATE association_table SET fairshare = 0.75 WHERE username = 'b1'")
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("left.db");
    for suffix in ["", "-wal", "-shm"] {
        let from = PathBuf::from(format!("{}{suffix}", alive.path.display()));
        if with_index || suffix != "-shm" {
            std::fs::copy(from, format!("{}{suffix}", path.display())).unwrap();
        }
    }
    Made { folder, path }
}

#[test]
fn reading_a_leftover_log_leaves_the_folder_unchanged() {
    for with_index in [false, true] {
        let made = left_behind(with_index);
        let before = listing(made.folder.path());
        let loaded = load_path(&made.path).unwrap();
        assert_eq!(fairshares(&loaded)["b1"].to_bits(), 0.75_f64.to_bits());
        assert_eq!(codes(&loaded.problems), ["flux-wal-not-checkpointed"]);
        assert_eq!(listing(made.folder.path()), before);
    }
}

#[test]
fn databases_in_read_only_folders_are_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let made = left_behind(true);
    let before = listing(made.folder.path());
    let set = |mode| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(made.folder.path(), permissions).unwrap();
    };
    set(0o555);
    let loaded = load_path(&made.path);
    set(0o755);
    assert_eq!(
        fairshares(&loaded.unwrap())["b1"].to_bits(),
        0.75_f64.to_bits()
    );
    assert_eq!(listing(made.folder.path()), before);
}

#[test]
fn a_symbolic_link_finds_the_log_beside_its_target() {
    let made = left_behind(false);
    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("link.db");
    std::os::unix::fs::symlink(&made.path, &link).unwrap();
    let loaded = load_path(&link).unwrap();
    assert_eq!(fairshares(&loaded)["b1"].to_bits(), 0.75_f64.to_bits());
}

#[test]
fn unfinished_writes_are_rolled_back_in_a_copy() {
    let alive = made(&[BANKS, ASSOCIATIONS, ROWS]);
    let writer = rusqlite::Connection::open(&alive.path).unwrap();
    writer
        .execute_batch("PRAGMA cache_size = 1; PRAGMA synchronous = FULL; BEGIN; UPDATE association_table SET shares = 99;")
        .unwrap();
    writer
        .execute_batch(
            "CREATE TABLE filler (x); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) \
             INSERT INTO filler SELECT zeroblob(1000) FROM n;",
        )
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("crashed.db");
    for suffix in ["", "-journal"] {
        let from = PathBuf::from(format!("{}{suffix}", alive.path.display()));
        std::fs::copy(from, format!("{}{suffix}", path.display())).unwrap();
    }
    let before = listing(folder.path());
    let loaded = load_path(&path).unwrap();
    let tree = &loaded.snapshot.tree;
    assert!(
        tree.nodes()
            .iter()
            .all(|&node| tree.shares(node).count() != Some(99))
    );
    assert_eq!(listing(folder.path()), before);
}

#[test]
fn the_newest_fair_shares_are_read_from_the_log() {
    let folder = data("flux/45_wal_after_update_fshare");
    let loaded = load_path(folder.join("input.db")).unwrap();
    let text = std::fs::read_to_string(folder.join("stored_values_with_wal.tsv")).unwrap();
    let stored = fairshares(&loaded);
    let mut count = 0;
    for line in text.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        let share: f64 = cells[5].parse().unwrap();
        assert_eq!(stored[cells[1]].to_bits(), share.to_bits(), "{line}");
        count += 1;
    }
    assert_eq!(count, 7);
    let problem = &loaded.problems.list()[0];
    assert_eq!(
        (problem.code, problem.severity),
        ("flux-wal-not-checkpointed", Severity::Note)
    );
}

#[test]
fn settings_and_recorded_numbers_are_read_from_their_tables() {
    let loaded = load_path(data("flux/21_inactive/input.db")).unwrap();
    let snapshot = &loaded.snapshot;
    assert_eq!(snapshot.settings.flux.fairshare_weight, Some(100_000));
    assert_eq!(snapshot.settings.flux.decay_half_life, 604_800);
    assert_eq!(snapshot.source.version, "schema 38");
    assert_eq!(snapshot.source.usage_unit, "node-seconds");
    assert!(snapshot.source.taken.is_some());
    let tree = &snapshot.tree;
    let named = |name: &str| {
        let is = |node: &&NodeId| tree.name(**node) == name.as_bytes();
        *tree.nodes().iter().find(is).unwrap()
    };
    let figure = |fact, name| snapshot.recorded.figure(fact, named(name)).unwrap();
    assert_eq!(figure(Fact::Userid, "a1"), Figure::exact(50_001.0));
    assert_eq!(figure(Fact::MaxRunningJobs, "a1"), Figure::exact(5.0));
    assert_eq!(figure(Fact::MaxNodes, "a1"), Figure::exact(f64::INFINITY));
    assert_eq!(figure(Fact::JobUsage, "A"), Figure::exact(60.0));
    assert_eq!(figure(Fact::FluxFairshare, "a1").decimals, 6);
}

#[test]
fn inactive_associations_are_shown_without_numbers_on_request() {
    let path = data("flux/21_inactive/input.db");
    let hidden = load_path(&path).unwrap();
    let shown = load_with(&path, &[("inactive", "show")]).unwrap();
    assert_eq!(codes(&hidden.problems), ["flux-inactive"]);
    assert_eq!(
        hidden.problems.list()[0].message,
        "2 inactive associations and 3 inactive banks left out: Flux counts neither them nor the members of an \
         inactive bank"
    );
    assert_eq!(hidden.snapshot.tree.user_count(), 3);
    assert_eq!(shown.snapshot.tree.user_count(), 9);
    let tree = &shown.snapshot.tree;
    let evaluation = Policy::Flux.evaluate(tree, &shown.snapshot.settings);
    assert_eq!(evaluation.user_count(), 3);
    let mut ours = computed(&shown);
    ours.retain(|_, rows| rows.iter().any(|row| row[0].is_some()));
    assert_eq!(ours, computed(&hidden));
    let number = |name: &str| {
        let is = |node: &&NodeId| tree.name(**node) == name.as_bytes();
        evaluation.number(ColumnId::Factor, *tree.nodes().iter().find(is).unwrap())
    };
    assert_eq!(
        (number("a2"), number("b1"), number("a1")),
        (None, None, Some(1.0))
    );
    let error = load_with(&path, &[("inactive", "perhaps")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "inactive cannot be perhaps; expected hide or show"
    );
}

#[test]
fn rows_that_flux_ignores_are_skipped_and_reported() {
    let made = made(&[
        BANKS,
        ASSOCIATIONS,
        ROWS,
        "INSERT INTO bank_table (bank, parent_bank, shares) VALUES ('other', '', 1), ('lost', 'gone', 1), \
         ('self', 'self', 1), ('A', 'B', 5); \
         INSERT INTO association_table (username, bank) VALUES ('x', 'nowhere'), ('y', 'lost');",
    ]);
    let loaded = load_path(&made.path).unwrap();
    let messages: Vec<String> = loaded
        .problems
        .list()
        .iter()
        .map(|problem| format!("{} {}", problem.code, problem.message))
        .collect();
    assert_eq!(
        messages,
        [
            "flux-no-bank x has an association with the bank nowhere, which does not exist; Flux ignores it, and it was left out",
            "flux-hidden-associations the bank B has banks below it, so 1 association with it is ignored, as in Flux",
            "flux-repeated-bank the bank A appears in several places; as in Flux, it has all of its associations and the shares of its first row in each",
            "flux-second-root the bank other is a second root; Flux uses the first, root; it was left out",
            "flux-orphan-bank the bank lost is below the bank gone, which does not exist; it was left out with 1 association",
            "flux-orphan-bank the bank self is below the bank self, which is not connected to root; it was left out",
        ]
    );
    assert_eq!(loaded.snapshot.tree.user_count(), 4);
}

#[test]
fn a_bank_below_itself_does_not_loop() {
    let made = made(&[
        BANKS,
        ASSOCIATIONS,
        ROWS,
        "INSERT INTO bank_table (bank, parent_bank, shares) VALUES ('C', 'A', 1), ('A', 'C', 1);",
    ]);
    let loaded = load_path(&made.path).unwrap();
    assert!(
        codes(&loaded.problems).contains(&"flux-bank-loop"),
        "{:?}",
        codes(&loaded.problems)
    );
}

/// The usage bins of all nodes that have some, by path.
fn bins(path: &Path) -> BTreeMap<String, Vec<f64>> {
    let snapshot = load_path(path).unwrap().snapshot;
    let tree = &snapshot.tree;
    let users = tree.nodes().iter().map(|&node| {
        let path = fairscope::model::path_of(tree, node).unwrap();
        (path, snapshot.recorded.bins(node).to_vec())
    });
    users.filter(|(_, bins)| !bins.is_empty()).collect()
}

#[test]
fn usage_bins_are_recorded_by_association() {
    let found = bins(&data("flux/21_inactive/input.db"));
    println!("{found:?}");
    assert_eq!(found["A/a1"], [10.0, 0.0, 0.0, 0.0]);
}

#[test]
fn golden_usage_bins_equal_those_of_the_database() {
    let Some(root) = golden("flux/usage") else {
        return;
    };
    let mut compared = 0;
    for entry in std::fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path().join("after.db");
        if !path.exists() {
            continue;
        }
        let connection = rusqlite::Connection::open_with_flags(
            format!("file:{}?immutable=1", path.display()),
            rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY | rusqlite::OpenFlags::SQLITE_OPEN_URI,
        )
        .unwrap();
        let mut statement = connection
            .prepare(
                "SELECT username, bank, period, value FROM job_usage_per_association_table \
                 WHERE value <> 0 ORDER BY 1, 2, 3",
            )
            .unwrap();
        let snapshot = load_path(&path).unwrap().snapshot;
        let tree = &snapshot.tree;
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let (user, bank): (String, String) = (row.get(0).unwrap(), row.get(1).unwrap());
            let (period, value): (u32, f64) = (row.get(2).unwrap(), row.get(3).unwrap());
            let node = tree.nodes().iter().find(|&&node| {
                let parent = tree.parent(node).map(|parent| tree.name(parent));
                tree.name(node) == user.as_bytes() && parent == Some(bank.as_bytes())
            });
            // Inactive associations are not in the tree.
            let Some(&node) = node else { continue };
            let bins = snapshot.recorded.bins(node);
            assert_eq!(bins.get(period as usize), Some(&value), "{user} of {bank}");
            compared += 1;
        }
    }
    println!("{compared} usage bins compared, 0 differ");
    assert!(compared > 0);
}
