//! The program: arguments in, exit code out.

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().collect();
    ExitCode::from(fairscope::cli::run(&args))
}
