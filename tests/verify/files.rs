//! Every file that a scheduler wrote, opened as the program opens it and verified as it says on the screen.

mod capture;
mod flux;
mod public;
mod shown;
mod slurm;

use fairscope::source::format::{LoadError, Loaded, Request};
use fairscope::source::opened::Opened;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Every file below a folder, in order.
fn files_below(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut pending = vec![root.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                pending.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Opens a source as the program does.
fn open(request: &Request) -> Result<Opened, LoadError> {
    let loaded: Loaded =
        fairscope::source::format::load(request, &mut |_| ControlFlow::Continue(()))?;
    Ok(Opened::new(loaded, None))
}
