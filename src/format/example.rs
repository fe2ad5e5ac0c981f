//! The built-in example: what the explorer opens when nothing was named.

use super::{Loaded, Request, native};
use std::ops::ControlFlow;

/// The example as a file of ours.
const EXAMPLE: &str = include_str!("../../assets/examples/small.toml");

/// The built-in example: two PBS groups of two users each.
#[must_use]
pub fn example() -> Loaded {
    let request = Request::default();
    let bytes = EXAMPLE.as_bytes().to_vec();
    let mut loaded = native::parse(bytes, &request, &mut |_| ControlFlow::Continue(()))
        .expect("the example is part of the program, and a test reads it");
    "the built-in example".clone_into(&mut loaded.snapshot.source.title);
    loaded
}
