//! Helpers that several tests share: golden files, trees drawn as text, journeys, commands, terminals.

pub(crate) mod associations;
pub(crate) mod browser;
pub(crate) mod captures;
pub(crate) mod command;
pub(crate) mod dumps;
pub(crate) mod expected;
pub(crate) mod files;
pub(crate) mod flux;
pub(crate) mod growth;
pub(crate) mod held;
pub(crate) mod journey;
pub(crate) mod json;
pub(crate) mod kept;
pub(crate) mod lessons;
pub(crate) mod loading;
pub(crate) mod malformed;
pub(crate) mod markup;
pub(crate) mod open_metrics;
pub(crate) mod pages;
pub(crate) mod pbs;
pub(crate) mod random;
pub(crate) mod slurm;
pub(crate) mod stand_in;
pub(crate) mod terminal;
pub(crate) mod tmux;
pub(crate) mod trees;

use proptest::test_runner::{Config, FileFailurePersistence};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The longest wait before a test fails, which only a broken program reaches.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Settings for property tests: cases that failed before are kept beside the test and run first.
pub(crate) fn laws(cases: u32) -> Config {
    Config {
        cases,
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..Config::default()
    }
}

/// Returns the path of a small file kept with the tests.
pub(crate) fn data(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(path)
}

/// Returns a folder of the larger golden set in `FAIRSCOPE_GOLDEN`. Without it, prints what is skipped and gives
/// `None`.
pub(crate) fn golden(path: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("FAIRSCOPE_GOLDEN").map(|root| PathBuf::from(root).join(path));
    let folder = folder.filter(|folder| folder.is_dir());
    if folder.is_none() {
        println!("skipped: FAIRSCOPE_GOLDEN names no folder with {path}");
    }
    folder
}

/// Returns every file of the sources, sorted.
pub(crate) fn source_files() -> Vec<PathBuf> {
    files::files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
}
