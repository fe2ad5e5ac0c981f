//! Many numbers multiplied by the same one many times.

use crate::policy::extended::Extended;

/// How many numbers are multiplied side by side: each product waits for the one before it, those of others do not.
const SIDE_BY_SIDE: usize = 8;

/// Multiplies each number so many times, rounding each time.
pub(super) fn multiply(numbers: &mut [Extended], factor: Extended, times: u64) {
    for group in numbers.chunks_mut(SIDE_BY_SIDE) {
        Extended::multiply_all(group, factor, times);
    }
}
