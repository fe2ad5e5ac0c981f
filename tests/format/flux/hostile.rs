//! Databases that are damaged, locked or malicious.

use crate::support::command::Run;
use crate::support::expected::Expected as _;
use crate::support::files::make_pipe;
use crate::support::flux::{ASSOCIATIONS, BANKS, Made, ROWS, made};
use crate::support::laws;
use crate::support::loading::{load_path, load_quietly};
use fairscope::format::{Format, Request};
use fairscope::model::NodeId;
use proptest::prelude::*;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;

/// The error message, with the database's file name instead of its path.
fn refusal(made: &Made) -> String {
    let said = load_path(&made.path)
        .expect_err("it is refused")
        .to_string();
    let path = fairscope::base::shown::shown(made.path.as_os_str().as_encoded_bytes());
    said.replace(&*path, "X")
}

/// The error message if the format is given, so that no other format is tried.
fn refusal_as_database(path: &Path) -> String {
    let request = Request {
        format: Some(Format::FluxDb),
        ..Request::to_open(path.to_owned())
    };
    let loaded = load_quietly(&request);
    let said = loaded.expect_err("it is refused").to_string();
    said.replace(&path.display().to_string(), "X")
}

#[test]
fn views_and_virtual_tables_are_refused_by_name() {
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id, 'b' || i AS bank, '' AS parent_bank, i AS shares FROM n";
    let view = format!("CREATE VIEW bank_table AS {endless};");
    let place = "which is not read because it may run arbitrary code; open the database that flux-accounting made";
    for (sql, message) in [
        (
            vec![ASSOCIATIONS, &view],
            format!("X has a view instead of the table bank_table, {place}"),
        ),
        (
            vec![BANKS, "CREATE VIEW association_table AS SELECT 'u' AS username, 'A' AS bank, 1 AS shares, 0.0 AS job_usage, load_extension('x') AS active;"],
            format!("X has a view instead of the table association_table, {place}"),
        ),
        (
            vec![ASSOCIATIONS, "CREATE VIRTUAL TABLE bank_table USING fts5(bank, parent_bank, shares);"],
            format!("X has a virtual table instead of the table bank_table, {place}"),
        ),
        (
            vec![BANKS, ASSOCIATIONS, ROWS, "CREATE VIEW config_table AS SELECT 'a' AS key, 'b' AS value;"],
            format!("X has a view instead of the table config_table, {place}"),
        ),
        (
            // A view recorded with the type of a table.
            vec![ASSOCIATIONS, &view, "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET type = 'table', rootpage = 2 WHERE name = 'bank_table';"],
            String::new(),
        ),
        (
            vec![BANKS],
            "X is an SQLite database without the table association_table, so it is not flux-accounting's; open FluxAccounting.db, usually in /var/lib/flux".to_owned(),
        ),
        (
            vec!["CREATE TABLE history (url text, visits int);"],
            "X is an SQLite database without the table bank_table, so it is not flux-accounting's; open FluxAccounting.db, usually in /var/lib/flux".to_owned(),
        ),
        (
            vec![ASSOCIATIONS, "CREATE TABLE bank_table (bank text, shares int);"],
            "the table bank_table of X has no column parent_bank, only bank, shares; open the database of flux-accounting 0.7 or newer".to_owned(),
        ),
        (
            vec![BANKS, ASSOCIATIONS],
            "X has no root bank, which has an empty parent_bank, among 0 banks; Flux refuses it too: add one with flux account add-bank root 1".to_owned(),
        ),
        (
            vec![BANKS, ASSOCIATIONS, ROWS, "UPDATE bank_table SET shares = 'abc' WHERE bank = 'B';"],
            "the shares of the bank B in X are \"abc\"; expected a whole number; Flux refuses the database too: set them with flux account edit-bank B --shares=NUMBER".to_owned(),
        ),
    ] {
        let made = made(&sql);
        let said = refusal(&made);
        if !message.is_empty() {
            assert_eq!(said, message);
        }
    }
}

#[test]
fn triggers_and_generated_columns_have_no_effect() {
    let made = made(&[
        "CREATE TABLE bank_table (bank text, parent_bank text, shares int, active AS (bank = 'A'), job_usage AS (length(zeroblob(1000000000))));",
        ASSOCIATIONS,
        "INSERT INTO bank_table (bank, parent_bank, shares) VALUES ('root', '', 1), ('A', 'root', 2), ('B', 'root', 1); INSERT INTO association_table (username, bank) VALUES ('a1', 'A'), ('b1', 'B');",
        "CREATE TRIGGER t AFTER UPDATE ON bank_table BEGIN DELETE FROM association_table; END;",
    ]);
    let loaded = load_path(&made.path).unwrap();
    assert_eq!(loaded.snapshot.tree.user_count(), 2);
}

#[test]
fn a_database_that_a_writer_keeps_locked_is_read() {
    let made = made(&[BANKS, ASSOCIATIONS, ROWS, "PRAGMA journal_mode = WAL;"]);
    let writer = rusqlite::Connection::open(&made.path).unwrap();
    writer
        .execute_batch("UPDATE bank_table SET shares = 5; PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; UPDATE bank_table SET shares = 6; COMMIT;")
        .unwrap();
    let tree = load_path(&made.path).unwrap().snapshot.tree;
    assert_eq!(tree.user_count(), 3);
    assert_eq!(tree.shares(NodeId::ROOT).count(), Some(6));
    drop(writer);
}

/// A database of more than a megabyte, so that copying it is reported.
fn large(journal_mode: &str) -> Made {
    let mode = format!("PRAGMA journal_mode = {journal_mode};");
    let filler = "CREATE TABLE filler (x); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) INSERT INTO filler SELECT zeroblob(1000) FROM n;";
    made(&[&mode, BANKS, ASSOCIATIONS, ROWS, filler])
}

/// Loads a database while a writer sets its shares at each report of progress, and returns how many the root has.
fn shares_while_written(made: &Made) -> Result<Option<i64>, String> {
    let writer = rusqlite::Connection::open(&made.path).unwrap();
    let mut shares = 100;
    let request = Request::to_open(made.path.clone());
    let loaded = fairscope::open::load(&request, &mut |_| {
        shares += 1;
        let sql = format!("UPDATE bank_table SET shares = {shares};");
        writer.execute_batch(&sql).unwrap();
        ControlFlow::Continue(())
    });
    let loaded = loaded.map_err(|error| error.to_string())?;
    Ok(loaded.snapshot.tree.shares(NodeId::ROOT).count())
}

#[test]
fn a_database_whose_log_grows_while_it_is_copied_is_of_one_time() {
    let made = large("WAL");
    let alive = rusqlite::Connection::open(&made.path).unwrap();
    alive
        .execute_batch("UPDATE bank_table SET shares = 100;")
        .unwrap();
    let shares = shares_while_written(&made).unwrap();
    assert!(shares.is_some_and(|shares| shares >= 100), "{shares:?}");
}

#[test]
fn a_database_that_always_changes_while_it_is_copied_is_refused() {
    let made = large("DELETE");
    let refused = shares_while_written(&made).expect_err("it is refused");
    refused.must_contain(
        "changed while it was copied, 3 times in a row; open it again when no program writes to it",
    );
}

#[test]
fn without_room_for_the_copy_the_database_is_refused() {
    let made = made(&[BANKS, ASSOCIATIONS, ROWS]);
    let nowhere = made.folder.path().join("nowhere");
    let ran = Run::fairscope(["show"])
        .arg(&made.path)
        .variable("TMPDIR", &nowhere);
    let refused = ran.run().failure(2);
    refused.must_contain("is read from a private copy, which cannot be created");
    refused.must_contain("or set TMPDIR to another one");
}

#[test]
fn other_files_are_refused_if_the_database_format_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    let own = "open flux-accounting's own, usually /var/lib/flux/FluxAccounting.db";
    for (bytes, message) in [
        (&b""[..], format!("X is not an SQLite database: it is empty; {own}")),
        (&[0xa5; 4096], format!("X is not an SQLite database: it begins with other bytes, or is encrypted; {own}")),
        (b"SQLite format 3\0\x10\0", "X is cut off: it has 18 bytes, and an SQLite database has at least 512; copy it again when no program writes to it".to_owned()),
    ] {
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(refusal_as_database(&path), message);
    }
    assert_eq!(
        refusal_as_database(folder.path()),
        "X is a directory, but flux-db is read from one file; give the path of the file"
    );
    assert_eq!(
        refusal_as_database(Path::new("-")),
        "a database cannot be read from standard input, because it has other files next to it; give its path"
    );
    let mut garbage = b"SQLite format 3\0".to_vec();
    garbage.resize(8192, 0xc3);
    std::fs::write(&path, garbage).unwrap();
    refusal_as_database(&path).must_begin("X is an SQLite database that cannot be read");
}

#[test]
fn a_pipe_in_place_of_the_log_is_refused() {
    let made = made(&[BANKS, ASSOCIATIONS, ROWS]);
    let mut log = made.path.clone().into_os_string();
    log.push("-wal");
    make_pipe(log.as_ref());
    assert_eq!(
        refusal(&made),
        "X-wal is not a file, so SQLite cannot read the files of the database; remove it, or open a copy of the database"
    );
}

#[test]
fn exponentially_repeated_banks_are_refused() {
    let mut sql = String::from(
        "INSERT INTO bank_table (bank, parent_bank, shares) VALUES ('root', '', 1), ('a0', 'root', 1), ('b0', 'root', 1)",
    );
    for level in 1..40 {
        for (own, above) in [("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")] {
            write!(sql, ", ('{own}{level}', '{above}{}', 1)", level - 1).unwrap();
        }
    }
    let made = made(&[BANKS, ASSOCIATIONS, &sql]);
    assert_eq!(
        refusal(&made),
        "X makes a tree of more than 3568 nodes out of 159 rows, because banks with one name are below several others; give each bank a name of its own"
    );
}

#[test]
fn loading_can_be_cancelled() {
    let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000) INSERT INTO association_table (username, bank) SELECT 'u' || i, 'A' FROM n;";
    let made = made(&[BANKS, ASSOCIATIONS, ROWS, rows]);
    let request = Request::to_open(made.path);
    let error = fairscope::open::load(&request, &mut |_| ControlFlow::Break(()));
    assert_eq!(error.unwrap_err().to_string(), "loading was cancelled");
}

proptest! {
    #![proptest_config(laws(64))]

    #[test]
    fn truncated_databases_are_loaded_or_refused(part in 0.0..1.0_f64) {
        let made = made(&[BANKS, ASSOCIATIONS, ROWS]);
        let bytes = std::fs::read(&made.path).unwrap();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a small length")]
        let length = (bytes.len() as f64 * part) as usize;
        std::fs::write(&made.path, &bytes[..length]).unwrap();
        let said = refusal_as_database(&made.path);
        let is_told = said.contains("is cut off: it has") || said.contains("is empty") || length < 16;
        prop_assert!(is_told, "{}", said);
    }

    #[test]
    fn databases_with_random_bytes_are_loaded_or_refused(
        seed in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
    ) {
        let made = made(&[BANKS, ASSOCIATIONS, ROWS]);
        let mut bytes = std::fs::read(&made.path).unwrap();
        for (at, byte) in seed {
            let at = 16 + at.index(bytes.len() - 16);
            bytes[at] = byte;
        }
        std::fs::write(&made.path, &bytes).unwrap();
        if let Err(error) = load_path(&made.path) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}

#[test]
fn commands_of_advice_take_a_name_as_one_word() {
    for (name, word) in [
        ("a b;$(x)", "'a b;$(x)'"),
        ("c\u{202e}d", "NAME"),
        ("plain", "plain"),
    ] {
        let row = format!(
            "INSERT INTO bank_table (bank, parent_bank, shares) VALUES ('{name}', 'nowhere', 1);"
        );
        let made = made(&[BANKS, ASSOCIATIONS, ROWS, &row]);
        let loaded = load_path(&made.path).unwrap();
        let problems = loaded.problems.list();
        let advice = format!("flux account edit-bank {word} --parent-bank=BANK");
        assert!(
            problems
                .iter()
                .any(|problem| problem.advice.ends_with(&advice)),
            "{problems:?}"
        );
    }
}
