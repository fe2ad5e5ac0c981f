//! Recorded numbers compared with computed ones.

mod as_printed;
mod captures;
mod detection;
mod files;
mod level_based;
mod one_bank;
mod own_dumps;
mod printed;
mod real_slurm;
mod rules;
mod unsettled;

use crate::support::loading::go_on;
use fairscope::format::input::Input;
use fairscope::format::{Loaded, Request};
use fairscope::model::Fact;
use fairscope::open::load_inputs;
use std::path::PathBuf;

/// The recorded columns that a policy computes.
const FACTS: [Fact; 5] = [
    Fact::NormShares,
    Fact::NormUsage,
    Fact::EffectvUsage,
    Fact::LevelFs,
    Fact::FairShare,
];

/// Reads a text as `sshare` output.
fn loaded(text: &str, request: &Request) -> Loaded {
    let input = Input {
        path: PathBuf::from("sshare.txt"),
        bytes: text.as_bytes().to_vec(),
        modified: None,
    };
    load_inputs(vec![input], request, &mut go_on).expect("a tree")
}
