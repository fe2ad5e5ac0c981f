//! Files are opened for reading in one place, which refuses what may never end; a failing look at a file is an error.

use super::{code, module};
use crate::support::source_files;

/// What opens or reads a file, or asks about one and forgets why there is no answer.
const OPENERS: &[&str] = &[
    " File::open",
    "(File::open",
    "fs::File::open",
    "OpenOptions",
    "fs::read(",
    "fs::read_to_string",
    "Connection::open",
    ".exists()",
    ".is_file()",
    ".is_dir()",
    "metadata().ok()",
    "metadata().is_ok",
];

/// The floor's room that writes files: what it opens and looks at are the files that it writes and their directories.
const WRITER: &str = "base/save";

/// The places that may do so, with the reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("format/input/open", "OpenOptions", "the one place"),
    (
        "cli/output",
        "fs::read_to_string",
        "/proc/PID/comm, which the kernel gives at once",
    ),
    (
        "format/input/open",
        ".is_dir()",
        "the type of a file that was looked at",
    ),
    (
        "open/folder",
        ".is_dir()",
        "the type that the list of a directory tells",
    ),
    (
        "format/flux/database/store",
        "OpenOptions",
        "writes a private copy",
    ),
    (
        "format/flux/database/store",
        "Connection::open",
        "SQLite opens a database itself; its files were looked at before",
    ),
    (
        "format/flux/database/database_files",
        ".is_file()",
        "the type of a file that was looked at",
    ),
    (
        "format/native/scenario/source",
        "metadata().ok()",
        "the state of a source that was just read",
    ),
    (
        "open/live/snapshot",
        "Connection::open",
        "copies a database as SQLite does, after it was read",
    ),
    (
        "open/live/run",
        ".is_file()",
        "looks for a program, which is run and not read",
    ),
    (
        "open/live/interrupt",
        "fs::read_to_string",
        "/proc/self/status, which the kernel gives at once",
    ),
    (
        "cli/files",
        "metadata().is_ok",
        "a new file is created only where nothing is, which saving checks again",
    ),
    (
        "tui/run/drafts",
        "metadata().ok()",
        "the age of a draft; one that is gone is not offered",
    ),
];

#[test]
fn files_are_opened_in_one_place() {
    let mut found = Vec::new();
    let mut used = vec![false; EXCEPTIONS.len()];
    for file in source_files() {
        let name = module(&file).join("/");
        if name.starts_with(WRITER) {
            continue;
        }
        for line in code(&file) {
            for opener in OPENERS {
                if !line.contains(opener) {
                    continue;
                }
                let exception = EXCEPTIONS
                    .iter()
                    .position(|(place, what, _)| *place == name && what == opener);
                match exception {
                    Some(exception) => used[exception] = true,
                    None => found.push(format!("{name}: {}", line.trim())),
                }
            }
        }
    }
    assert!(
        found.is_empty(),
        "opened or looked at outside format::input:\n{}",
        found.join("\n")
    );
    let unused = EXCEPTIONS.iter().zip(used).filter(|(_, used)| !used);
    let unused: Vec<_> = unused.map(|((place, what, _), _)| (place, what)).collect();
    assert!(unused.is_empty(), "exceptions nobody needs: {unused:?}");
}
