//! The built-in trees: the one that the explorer opens without a source, and the examples with which fairshare is
//! usually taught.

use super::{LoadError, Loaded, OnProgress, Request, native};
use crate::base::shown::{sentence, shown};
use crate::base::table::table;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// The prefix of a built-in tree in place of a path.
const PREFIX: &str = "example:";

table! {
    /// A built-in tree.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Example {
        Small, "small", "Bob, Cathy, Suzy and Scott: how a neighbour's usage counts against one (PBS)";
        Flux, "flux", "Three banks and seven users: the weighted walk (Flux)";
        Buckets, "buckets", "A student whose word is AAAA12347777CCCC: one bucket per level (LEVEL_BASED)";
        Equal150, "equal150", "150 equal accounts: where 2^-(U/S) runs out of numbers (classic)";
        Objective, "objective", "An under-served account ranked below an over-served one (LEVEL_BASED)";
    }
}

impl Example {
    /// Returns the example as a file in our format.
    const fn text(self) -> &'static str {
        match self {
            Self::Small => include_str!("../../../assets/examples/small.toml"),
            Self::Flux => include_str!("../../../assets/examples/flux.toml"),
            Self::Buckets => include_str!("../../../assets/examples/buckets.toml"),
            Self::Equal150 => include_str!("../../../assets/examples/equal150.toml"),
            Self::Objective => include_str!("../../../assets/examples/objective.toml"),
        }
    }

    /// Returns the source that opens it: `example:small`.
    #[must_use]
    pub fn source(self) -> String {
        format!("{PREFIX}{}", self.name())
    }
}

/// Returns whether a path names a built-in tree: it is empty, which means the first one, or `example:NAME`.
#[must_use]
pub fn is_example(path: &Path) -> bool {
    let bytes = path.as_os_str().as_bytes();
    bytes.is_empty() || bytes.starts_with(PREFIX.as_bytes())
}

/// Opens the built-in tree that a request names.
pub(super) fn open(request: &Request, report: OnProgress<'_>) -> Result<Loaded, LoadError> {
    let bytes = request.path.as_os_str().as_bytes();
    let name = bytes.strip_prefix(PREFIX.as_bytes()).unwrap_or(b"small");
    let named = std::str::from_utf8(name).ok().and_then(Example::named);
    let Some(example) = named else {
        let names: Vec<&str> = Example::ALL.iter().map(|example| example.name()).collect();
        return Err(LoadError::Refused(sentence!(
            "there is no built-in tree {}; there are {}. A file of that name is opened as ./{PREFIX}{0}",
            shown(name),
            names.join(", ")
        )));
    };
    let mut loaded = native::parse(example.text().as_bytes().to_vec(), request, report)?;
    loaded.snapshot.source.title = match example {
        Example::Small => "the built-in example".into(),
        example => sentence!("the example {}", example.name()),
    };
    Ok(loaded)
}

/// Returns the first built-in tree: two PBS groups of two users each.
#[must_use]
pub fn example() -> Loaded {
    open(&Request::default(), &mut |_| ControlFlow::Continue(()))
        .expect("the example is part of the program, and a test reads it")
}
