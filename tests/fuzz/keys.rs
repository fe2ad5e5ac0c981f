//! Random keys, pastes, clicks and sizes on the explorer with trees of every format.

use super::campaign::Part;
use super::case::Case;
use super::explorer::Explorer;
use super::goldens::Goldens;
use super::keyboard::{Happening, happening, happenings};
use crate::support::loading::load_path;
use crate::support::trees;
use fairscope::base::shown::Shown;
use fairscope::tui::Message;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The built-in trees.
const EXAMPLES: [&str; 5] = [
    "example:small",
    "example:equal150",
    "example:objective",
    "example:flux",
    "example:buckets",
];

#[test]
fn random_keys_keep_every_promise() {
    let goldens = Arc::new(Goldens::new());
    let part = Part {
        name: "keys",
        inputs: 25,
        pieces: "keys",
    };
    let shared = Arc::clone(&goldens);
    let make = move |random: &mut crate::support::random::Random| {
        let golden = goldens.any(random);
        let source = match random.below(3) {
            0 => PathBuf::from(EXAMPLES[random.below(EXAMPLES.len())]),
            _ if golden.is_part => golden.path.parent().expect("a folder").to_owned(),
            _ => golden.path.clone(),
        };
        let count = 5 + random.below(60);
        let pieces = (0..count).map(|_| happening(random, &golden.nodes));
        let pieces: Vec<Vec<u8>> = pieces.collect();
        Case::new([source.as_os_str().as_bytes()], pieces)
    };
    part.run(make, move |case| {
        let _kept = &shared;
        (check(case), 0)
    });
}

fn check(case: &Case) -> Result<(), String> {
    let path = Path::new(OsStr::from_bytes(&case.subject[0]));
    let mut explorer = Explorer::new();
    match load_path(path) {
        Ok(loaded) => explorer.send(Message::Loaded(trees::opened(loaded)))?,
        Err(error) => explorer.send(Message::LoadFailed(Shown::error(&error)))?,
    }
    for piece in &case.pieces {
        for happening in happenings(piece) {
            explorer.meet(happening)?;
            if explorer.has_quit {
                return Ok(());
            }
        }
    }
    explorer.meet(Happening::Done)?;
    explorer.check_undo()
}
