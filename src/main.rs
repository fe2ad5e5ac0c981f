//! The program: arguments in, exit code out.

use fairscope::tui::{self, Opening};
use std::process::ExitCode;

fn main() -> ExitCode {
    match color_eyre::install().and_then(|()| tui::run(Opening::default())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("fairscope: {error:#}");
            ExitCode::from(2)
        }
    }
}
