//! Random inputs: mutated sources, random keys, hostile names, random arguments and lines of the small languages, faults
//! of system calls while something is saved.
//!
//! `cargo test fuzz` tries some inputs of each part, the same ones every time, and prints how many there were.
//!
//! `FAIRSCOPE_FUZZ=SECONDS cargo test --release fuzz -- --nocapture` gives every part that many seconds and a new seed;
//! `FAIRSCOPE_FUZZ_SEED=N` sets the seed. Each part prints its seed, then its inputs, failures, slowest input and peak
//! memory.
//!
//! A failing input is made smaller and written to `target/tmp/fuzz`, and the message says how to repeat it:
//! `FAIRSCOPE_FUZZ_CASE=FILE cargo test --release fuzz::PART -- --nocapture`.
//!
//! The parsers have targets for cargo-fuzz, too, in `tests/fuzz/targets`.

mod arguments;
pub(crate) mod campaign;
pub(crate) mod case;
mod explorer;
mod faults;
mod goldens;
mod hostile;
mod keyboard;
mod keys;
mod languages;
mod mutate;
pub(crate) mod names;
mod orders;
#[expect(
    unreachable_pub,
    reason = "the targets of cargo-fuzz call the functions from another package"
)]
mod parsers;
mod promises;
mod questions;
mod readers;
mod server;
mod sources;
