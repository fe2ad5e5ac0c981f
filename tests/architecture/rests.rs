//! Work rests, and meanwhile the explorer may ask for what both share. So what is computed once for all, or locked, rests
//! nowhere: who asks for it then would wait for ever.

use super::{code, module};
use crate::support::source_files;

/// What several threads can share and wait for.
const SHARED: [&str; 3] = ["OnceLock", "Mutex", "LazyLock"];

/// Files of the terminal, which has threads and no rests; the file of the rests themselves; and the files that a page was
/// given, which are locked while a piece of one is copied.
const APART: [&str; 3] = ["tui/run", "base/cores", "base/disk"];

#[test]
fn what_is_shared_does_not_rest() {
    let mut looked_at = 0;
    for file in source_files() {
        let name = module(&file).join("/");
        if APART.iter().any(|apart| name.starts_with(apart)) {
            continue;
        }
        let lines = code(&file);
        let shares = |word: &str| lines.iter().any(|line| line.contains(word));
        if !SHARED.into_iter().any(shares) {
            continue;
        }
        looked_at += 1;
        for line in &lines {
            assert!(!line.contains("cores::"), "{name}: {line}");
        }
    }
    assert!(looked_at >= 3, "{looked_at}");
}
