//! Every database and table of Flux: stored numbers equal the computed ones, or are reported as older.

use super::open;
use crate::support::files::files_below;
use crate::support::{data, golden};
use fairscope::format::Request;
use fairscope::model::Settings;
use fairscope::open::opened::Opened;
use fairscope::report::{View, check};
use fairscope::rules::policy::Policy;
use fairscope::trust::verify::ColumnCheck;
use std::path::Path;

/// The case whose usage exceeds a 64-bit word, which is undefined in C++.
const UNDEFINED: &str = "24_usage_sum_over_2_64";

/// The results for the files of one kind.
#[derive(Default)]
struct Found {
    tried: usize,
    refused: usize,
    rows: usize,
    equal: usize,
    older: usize,
    stale: usize,
    without: usize,
}

impl Found {
    fn tell(&self, kind: &str) {
        println!(
            "{kind:24} {} tried, {} refused, {} without stored fairshare; {} fairshare: {} equal, {} older in {} files",
            self.tried, self.refused, self.without, self.rows, self.equal, self.older, self.stale
        );
    }
}

/// Opens a file and counts its numbers; numbers that differ must be reported as older and as nothing else.
fn judge(path: &Path, found: &mut Found) -> Option<Opened> {
    found.tried += 1;
    let request = Request::to_open(path);
    let Ok(opened) = open(&request) else {
        found.refused += 1;
        return None;
    };
    let verification = &opened.source.verification;
    let differing: usize = verification
        .columns
        .iter()
        .map(ColumnCheck::differing)
        .sum();
    found.rows += verification
        .columns
        .iter()
        .map(|column| column.rows)
        .sum::<usize>();
    found.equal += verification
        .columns
        .iter()
        .map(|column| column.equal)
        .sum::<usize>();
    found.older += differing;
    found.without += usize::from(verification.columns.is_empty());
    found.stale += usize::from(verification.stale.is_some());
    let name = path.display();
    assert_eq!(
        verification.differs(),
        verification.stale.is_some(),
        "{name}"
    );
    let undecided = verification
        .columns
        .iter()
        .any(|column| column.undecided > 0);
    assert!(!undecided, "{name}");
    let view = View::of(&opened.scenario, &opened.source.problems);
    let findings = check::findings(&view, verification);
    let has = |code: &str| findings.list().iter().any(|finding| finding.code == code);
    assert_eq!(has("flux-stale-fairshare"), differing > 0, "{name}");
    assert!(!has("recorded-differs"), "{name}");
    assert_eq!(opened.scenario.policy(), Policy::Flux, "{name}");
    Some(opened)
}

#[test]
fn golden_every_flux_database_is_verified() {
    let mut found = Found::default();
    for root in [
        Some(data("flux")),
        golden("flux"),
        golden("public/flux-accounting/test_dbs"),
    ] {
        for path in root.iter().flat_map(|root| files_below(root)) {
            if path.extension().is_some_and(|extension| extension == "db") {
                judge(&path, &mut found);
            }
        }
    }
    found.tell("databases");
    assert!(found.tried > 0);
}

/// A copy of a database with the fairshare that Flux stored after an update.
fn updated(folder: &Path, stored: &str) -> tempfile::TempDir {
    let copy = tempfile::tempdir().expect("a folder");
    let path = copy.path().join("updated.db");
    std::fs::copy(folder.join("input.db"), &path).expect("a copy");
    let mut connection = rusqlite::Connection::open(&path).expect("a database");
    let transaction = connection.transaction().expect("a transaction");
    let mut statement = transaction
        .prepare("UPDATE association_table SET fairshare = ?3 WHERE bank = ?1 AND username = ?2")
        .expect("a statement");
    for line in stored.lines().skip(1) {
        let [bank, user, .., fairshare] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{}: {line}", folder.display());
        };
        let fairshare: f64 = fairshare.parse().expect("a number");
        let rows = statement
            .execute(rusqlite::params![bank, user, fairshare])
            .expect("an update");
        assert_eq!(rows, 1, "{}: {line}", folder.display());
    }
    drop(statement);
    transaction.commit().expect("an update");
    copy
}

#[test]
fn golden_computed_weights_equal_the_last_ones_stored_by_flux() {
    let Some(root) = golden("flux") else { return };
    let (mut databases, mut tables) = (Found::default(), Found::default());
    for path in files_below(&root) {
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let folder = path.parent().expect("a folder");
        if folder.ends_with(UNDEFINED) {
            continue;
        }
        let older = tables.older + databases.older;
        if name == "db_after_update_fshare.tsv" && folder.join("input.db").exists() {
            let stored = std::fs::read_to_string(&path).expect("text");
            let copy = updated(folder, &stored);
            judge(&copy.path().join("updated.db"), &mut databases);
        } else if name.starts_with("view_bank_t") {
            let refused = tables.refused;
            judge(&path, &mut tables);
            // Flux's own command fails on databases of older versions.
            let text = std::fs::read_to_string(&path).expect("text");
            let is_empty = text.trim().is_empty() || text.contains("ERROR");
            assert_eq!(tables.refused > refused, is_empty, "{}", path.display());
        }
        assert_eq!(tables.older + databases.older, older, "{}", path.display());
    }
    databases.tell("databases after update");
    tables.tell("tables of view-bank");
}

#[test]
fn golden_points_equal_those_of_the_flux_priority_plugin() {
    let Some(root) = golden("flux") else { return };
    let table = std::fs::read_to_string(root.join("priority.tsv")).expect("a table");
    let (mut rows, mut compared) = (0, 0);
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let number = |place: usize| cells[place].parse::<f64>().expect("a number");
        rows += 1;
        let others = number(2) * number(3) + number(4) * number(5) + (number(6) - 16.0) * number(7);
        let priority = number(8);
        // Priorities that are clamped, or rounded together with another term, say nothing about the points.
        let is_whole = others.fract() == 0.0 && (1.0..f64::from(u32::MAX)).contains(&priority);
        if !is_whole || [0.0, 31.0].contains(&number(6)) {
            continue;
        }
        let mut settings = Settings::default();
        settings
            .set("fairshare_weight", cells[1])
            .expect("a weight");
        let points = Policy::Flux
            .priority_points(&settings, number(0))
            .expect("a weight");
        assert_eq!(
            points.to_string(),
            (priority - others).to_string(),
            "{line}"
        );
        compared += 1;
    }
    println!("{compared} of {rows} rows tell the points, all equal");
    assert!(compared > 0);
}
