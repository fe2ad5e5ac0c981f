//! Every file written by a scheduler, opened and verified as the program does.

mod capture;
mod flux;
mod public;
mod shown;
mod slurm;

use crate::support::loading::load_quietly;
use fairscope::format::{LoadError, Request};
use fairscope::open::opened::Opened;

/// Opens a source as the program does.
fn open(request: &Request) -> Result<Opened, LoadError> {
    Ok(Opened::new(load_quietly(request)?, None))
}
