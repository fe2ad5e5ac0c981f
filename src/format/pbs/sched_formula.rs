//! `sched_formula`: the `job_sort_formula` that the server wrote in `sched_priv` for the scheduler.
//!
//! Follows `write_job_sort_formula` of the server (`src/server/sched_func.c`) and `read_formula` of the scheduler
//! (`src/scheduler/server_info.cpp`) of OpenPBS 23.06: the first line is a comment, and the rest is the formula. The
//! server leaves the file in place when the formula is unset.

/// The name of the file.
pub(crate) const NAME: &str = "sched_formula";

/// Returns the formula in the bytes of the file, or `None` if there is none after the first line.
pub(super) fn parse(bytes: &[u8]) -> Option<String> {
    let first = bytes.iter().position(|&byte| byte == b'\n')?;
    let formula = String::from_utf8_lossy(&bytes[first + 1..]);
    let formula = formula.strip_suffix('\n').unwrap_or(&formula);
    (!formula.trim().is_empty()).then(|| formula.to_owned())
}
