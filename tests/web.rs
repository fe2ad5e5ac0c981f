//! The explorer in a page. `.ci/web` builds the page and runs these tests on it; they find it in `FAIRSCOPE_PAGE`, and
//! without it say so and pass.

mod browser;
mod recordings;

use std::path::PathBuf;

/// Returns the folder of the page. Without one, prints what is skipped and gives `None`.
fn built() -> Option<PathBuf> {
    let folder = std::env::var_os("FAIRSCOPE_PAGE").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: FAIRSCOPE_PAGE names no folder with a page; .ci/web builds one");
    }
    folder
}
