//! The cycles of many numbers on all cores: a year of 100,000 users takes ten thousand million products.
//!
//! Each number is independent of the others, so the result does not depend on how many cores there are.

use crate::base::cores;
use crate::base::extended::{self, Extended};

/// How many numbers a core takes at a time.
const TAKEN_AT_A_TIME: usize = 2048;

/// The least number of products that is worth a thread, some milliseconds of work. So a host with many cores does not
/// start more threads than there is work for, and leaves cores to other users.
const WORTH_A_THREAD: u64 = 1 << 22;

/// Performs `cycles` cycles, as [`extended::pass`] does.
pub(super) fn pass(numbers: &mut [Extended], addends: &[Extended], factor: Extended, cycles: u64) {
    let work = cycles.saturating_mul(numbers.len() as u64);
    let threads = work / WORTH_A_THREAD;
    if threads < 2 {
        extended::pass(numbers, addends, factor, cycles);
        return;
    }
    let threads = usize::try_from(threads).unwrap_or(usize::MAX);
    let parts = numbers.chunks_mut(TAKEN_AT_A_TIME);
    let parts = parts.zip(addends.chunks(TAKEN_AT_A_TIME));
    cores::share_out(parts, threads.min(cores::count()), |(numbers, addends)| {
        extended::pass(numbers, addends, factor, cycles);
    });
}
