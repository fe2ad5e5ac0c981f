//! The golden cases of PBS: outputs of pbsfs and of the scheduler for some `sched_priv` directories.

use super::files::entries;
use super::loading::go_on;
use super::{data, golden};
use fairscope::format::input::{Input, read};
use fairscope::format::pbs::{Files, Parsed, parse};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Reads a `resource_group` without any other file.
pub(crate) fn parsed_group(bytes: &[u8]) -> Parsed {
    let files = Files {
        resource_group: Input {
            path: "resource_group".into(),
            bytes: bytes.to_vec(),
            modified: None,
        },
        ..Files::default()
    };
    parse(&files, &mut go_on).expect("nobody cancels")
}

/// One state of the three files, with the outputs of PBS for it.
pub(crate) struct Case {
    /// The name of the case in messages.
    pub(crate) name: String,
    /// The folder of the expected outputs.
    pub(crate) expected: PathBuf,
    /// The folder of `resource_group` and `sched_config`.
    pub(crate) group: PathBuf,
}

impl Case {
    /// Reads a file of expected output. `None` if the case does not have it.
    pub(crate) fn bytes(&self, file: &str) -> Option<Vec<u8>> {
        std::fs::read(self.expected.join(file)).ok()
    }

    /// Reads the objects of a file of expected output. Empty if the case does not have it.
    pub(crate) fn objects(&self, file: &str) -> Vec<Value> {
        let Some(bytes) = self.bytes(file) else {
            return Vec::new();
        };
        let text = String::from_utf8(bytes).expect("JSON is UTF-8");
        text.lines()
            .map(|line| serde_json::from_str(line).expect("a JSON object on each line"))
            .collect()
    }

    /// Parses the files. `None` if the tree is missing.
    pub(crate) fn parsed(&self) -> Option<Parsed> {
        let open = |path: PathBuf| -> Option<Input> {
            path.exists()
                .then(|| read(&path, &mut go_on).expect("a file"))
        };
        let files = Files {
            resource_group: open(self.group.join("resource_group"))?,
            usage: open(self.expected.join("usage")),
            sched_config: open(self.group.join("sched_config")),
            sched_formula: open(self.group.join("sched_formula")),
            directory: Some(self.group.clone()),
        };
        Some(parse(&files, &mut go_on).expect("nobody cancels"))
    }

    /// Makes a directory that pbsfs can run in.
    pub(crate) fn directory(&self) -> tempfile::TempDir {
        let directory = tempfile::tempdir().expect("a directory");
        for file in ["resource_group", "sched_config"] {
            let _ = std::fs::copy(self.group.join(file), directory.path().join(file));
        }
        let usage = directory.path().join("usage");
        let _ = std::fs::copy(self.expected.join("usage"), usage);
        directory
    }
}

/// Returns the cases kept with the tests and, if available, all others. Each case includes its states after further
/// commands.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for root in [Some(data("pbs")), golden("pbs")].into_iter().flatten() {
        for folder in folders(&root) {
            let name = file_name(&folder);
            if name.starts_with('_') {
                continue;
            }
            for after in folders(&folder) {
                if file_name(&after).starts_with("after-") {
                    cases.push(Case {
                        name: format!("{name}/{}", file_name(&after)),
                        expected: after,
                        group: folder.clone(),
                    });
                }
            }
            cases.push(Case {
                name,
                expected: folder.clone(),
                group: folder,
            });
        }
    }
    assert!(!cases.is_empty(), "some cases are kept with the tests");
    cases
}

fn folders(root: &Path) -> Vec<PathBuf> {
    let mut folders = entries(root);
    folders.retain(|path| path.is_dir());
    folders
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .expect("a folder has a name")
        .to_string_lossy()
        .into_owned()
}

/// Returns the bytes of a text of the golden files. Each byte is stored as the character with its number.
pub(crate) fn latin1(text: &str) -> Vec<u8> {
    text.chars()
        .map(|char| u8::try_from(u32::from(char)).expect("a byte"))
        .collect()
}

/// Returns a text of an object as bytes.
pub(crate) fn text(object: &Value, key: &str) -> Vec<u8> {
    latin1(object[key].as_str().unwrap_or_default())
}

/// Returns the bits of a number of an object.
pub(crate) fn bits(object: &Value, key: &str) -> u64 {
    let digits = object[format!("{key}_bits")].as_str().expect("bits");
    u64::from_str_radix(digits, 16).expect("hexadecimal bits")
}

/// Writes a usage file of version 2.
pub(crate) fn usage_file(records: &[(&str, f64)]) -> Vec<u8> {
    let mut file = b"PBS_MAG!".to_vec();
    file.resize(16, 0);
    file.extend_from_slice(&2.0_f64.to_le_bytes());
    file.extend_from_slice(&1_700_000_000_i64.to_le_bytes());
    for (name, amount) in records {
        let end = file.len() + 56;
        file.extend_from_slice(name.as_bytes());
        file.resize(end, 0);
        file.extend_from_slice(&amount.to_le_bytes());
    }
    file
}
