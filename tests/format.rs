//! Reading and writing of files.

mod convert;
mod csv;
mod example;
mod flux;
mod input;
mod malformed;
mod native;
mod paste;
mod pasted;
mod pbs;
mod public;
mod slurm;

use fairscope::format::{Conversion, Loss};

/// The messages about facts that a format could not hold.
fn losses(conversion: &Conversion) -> Vec<String> {
    let losses = conversion.losses.iter();
    losses.map(Loss::clause).map(String::from).collect()
}
