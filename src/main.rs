//! The program: arguments in, exit code out.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(fairscope::cli::run(std::env::args_os().collect()))
}
