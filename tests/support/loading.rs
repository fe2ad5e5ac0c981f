//! Sources opened as fairscope opens them, and the problems reported for them.

use fairscope::format::{LoadError, Loaded, Problems, Request};
use fairscope::open::load;
use fairscope::open::opened::Opened;
use fairscope::rules::policy::Policy;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Lets a reading go on, whatever it reports.
pub(crate) fn go_on<T>(_: &T) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Loads the source of a request, without progress messages.
pub(crate) fn load_quietly(request: &Request) -> Result<Loaded, LoadError> {
    load(request, &mut go_on)
}

/// Loads a file or folder, with no other options.
pub(crate) fn load_path(path: impl Into<PathBuf>) -> Result<Loaded, LoadError> {
    load_quietly(&Request::to_open(path))
}

/// Opens a file or folder. Without a policy, the file's own policy applies.
pub(crate) fn open(path: &Path, policy: Option<Policy>) -> Opened {
    let loaded = load_path(path);
    let loaded = loaded.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Opened::new(loaded, policy)
}

/// Returns the problems as sentences.
pub(crate) fn sentences(problems: &Problems) -> Vec<String> {
    problems.list().iter().map(ToString::to_string).collect()
}

/// Returns the codes of the problems.
pub(crate) fn codes(problems: &Problems) -> Vec<&'static str> {
    let problems = problems.list().iter();
    problems.map(|problem| problem.code).collect()
}
