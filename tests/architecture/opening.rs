//! A failing look at a file is an error. Clippy refuses the other ways around `format::input` (`.clippy.toml`).

use super::{code, module};
use crate::support::source_files;

/// What asks about a file and forgets why there is no answer.
const FORGETTING: &[&str] = &[
    "metadata().ok()",
    "metadata().is_ok",
    "metadata(path).ok()",
    "metadata(path).is_ok",
];

/// The floor's room that writes files: what it looks at are the files that it writes and their directories.
const WRITER: &str = "base/save";

/// The files that may do so.
const EXCEPTIONS: &[&str] = &[
    // A new file is created only where nothing is, which saving checks again.
    "cli/files",
    // When a file was changed last, which may be unknown.
    "format/input",
    // The state of a source that was just read.
    "format/native/scenario/source",
    // The age of a draft; one that is gone is not offered.
    "tui/run/drafts",
];

#[test]
fn a_failing_look_at_a_file_is_an_error() {
    let mut forgetting = Vec::new();
    for file in source_files() {
        let name = module(&file).join("/");
        let looks = |line: &String| FORGETTING.iter().any(|look| line.contains(look));
        if !name.starts_with(WRITER) && code(&file).iter().any(looks) {
            forgetting.push(name);
        }
    }
    forgetting.sort_unstable();
    assert_eq!(forgetting, EXCEPTIONS);
}
