//! The cycles of many numbers on all cores: a year of 100,000 users is ten thousand million products.
//!
//! What becomes of one number does not depend on the others, so the result is the same however many cores there are.

use crate::extended::{self, Extended};
use std::num::NonZero;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder};

/// How many numbers a core takes at a time.
const TAKEN_AT_A_TIME: usize = 2048;

/// Fewer products than this are done before a second core has begun: a millisecond.
const WORTH_A_THREAD: u64 = 1 << 20;

/// Lets so many cycles pass, as [`extended::pass`] does.
pub(super) fn pass(numbers: &mut [Extended], addends: &[Extended], factor: Extended, cycles: u64) {
    let work = cycles.saturating_mul(numbers.len() as u64);
    if work < WORTH_A_THREAD {
        extended::pass(numbers, addends, factor, cycles);
        return;
    }
    let more = thread::available_parallelism().map_or(1, NonZero::get) - 1;
    let parts = numbers.chunks_mut(TAKEN_AT_A_TIME);
    let parts = Mutex::new(parts.zip(addends.chunks(TAKEN_AT_A_TIME)));
    let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
    let take = || {
        while let Some((numbers, addends)) = next() {
            extended::pass(numbers, addends, factor, cycles);
        }
    };
    thread::scope(|scope| {
        for _ in 0..more {
            // Where there may be no more threads, those that are there do the rest.
            if Builder::new().spawn_scoped(scope, take).is_err() {
                break;
            }
        }
        take();
    });
}
