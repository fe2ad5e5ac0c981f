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
    let threads = threads(numbers.len(), cycles);
    if threads < 2 {
        extended::pass(numbers, addends, factor, cycles);
        return;
    }
    let parts = numbers.chunks_mut(TAKEN_AT_A_TIME);
    let parts = parts.zip(addends.chunks(TAKEN_AT_A_TIME));
    cores::share_out(parts, threads, |(numbers, addends)| {
        extended::pass(numbers, addends, factor, cycles);
    });
}

/// Performs `cycles` cycles without addends, as [`extended::decay`] does.
pub(super) fn decay(numbers: &mut [Extended], factor: Extended, cycles: u64) {
    let threads = threads(numbers.len(), cycles);
    if threads < 2 {
        extended::decay(numbers, factor, cycles);
        return;
    }
    let parts = numbers.chunks_mut(TAKEN_AT_A_TIME);
    cores::share_out(parts, threads, |numbers| {
        extended::decay(numbers, factor, cycles);
    });
}

/// Returns how many threads are worth their start for the cycles of so many numbers.
fn threads(count: usize, cycles: u64) -> usize {
    let threads = cycles.saturating_mul(count as u64) / WORTH_A_THREAD;
    let threads = usize::try_from(threads).unwrap_or(usize::MAX);
    if threads < 2 {
        1
    } else {
        threads.min(cores::count())
    }
}
