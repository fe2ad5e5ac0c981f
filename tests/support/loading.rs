//! Sources opened as the program opens them, and what is said of them.

use fairscope::rules::policy::Policy;
use fairscope::source::format::{LoadError, Loaded, Problems, Request, load};
use fairscope::source::opened::Opened;
use std::ops::ControlFlow;
use std::path::Path;

/// Loads what a request asks for.
pub(crate) fn load_quietly(request: &Request) -> Result<Loaded, LoadError> {
    load(request, &mut |_| ControlFlow::Continue(()))
}

/// The request for a file or folder, with nothing else given.
pub(crate) fn request(path: &Path) -> Request {
    Request {
        path: path.to_owned(),
        ..Request::default()
    }
}

/// Opens a file or folder, under the policy it tells of unless one is given.
pub(crate) fn open(path: &Path, policy: Option<Policy>) -> Opened {
    let loaded = load_quietly(&request(path));
    let loaded = loaded.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Opened::new(loaded, policy)
}

/// The problems in words.
pub(crate) fn sentences(problems: &Problems) -> Vec<String> {
    problems.list().iter().map(ToString::to_string).collect()
}

/// The codes of the problems.
pub(crate) fn codes(problems: &Problems) -> Vec<&'static str> {
    let problems = problems.list().iter();
    problems.map(|problem| problem.code).collect()
}
