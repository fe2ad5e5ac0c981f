//! Work for all cores. No answer depends on how many there are: each part is computed by itself, and the answers are put
//! together in the order of the parts.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::{self, Builder};

/// Returns how many threads can run at the same time.
pub(crate) fn count() -> usize {
    match thread::available_parallelism() {
        Ok(count) => count.get(),
        Err(_) => 1,
    }
}

/// What happens where a computation lets something else happen; unset where something runs at the same time.
static AT_REST: OnceLock<fn()> = OnceLock::new();

/// Has something happen wherever a computation rests from now on. The first call holds.
#[cfg(feature = "web")]
pub(crate) fn at_each_rest(happens: fn()) {
    // What was set before stays.
    let _ = AT_REST.set(happens);
}

/// Lets something else happen, where nothing runs at the same time. What others share with the computation may be asked
/// for meanwhile, so nothing rests in the midst of it: neither while it is locked nor while it is computed once for all.
pub(crate) fn rest() {
    if let Some(happens) = AT_REST.get() {
        happens();
    }
}

/// The number of nodes from which another thread is worth its start.
const WORTH_A_THREAD: usize = 20_000;

/// How many nodes are taken at a time.
const TAKEN_AT_A_TIME: usize = 4096;

/// Returns how many threads are worth their start for some work on each of so many nodes.
pub(crate) fn for_nodes(nodes: usize) -> usize {
    if nodes < WORTH_A_THREAD {
        return 1;
    }
    count()
}

/// Does the work of all parts on at most so many threads; each takes the next part when it is done with one.
pub(crate) fn share_out<T>(
    parts: impl Iterator<Item = T> + Send,
    threads: usize,
    work: impl Fn(T) + Sync,
) {
    let parts = Mutex::new(parts);
    thread::scope(|scope| {
        for _ in 1..threads {
            let started = Builder::new().spawn_scoped(scope, || take_parts(&parts, &work));
            // If no more threads can be started, the existing ones do the rest.
            if started.is_err() {
                break;
            }
        }
        take_parts(&parts, &work);
    });
}

/// Does the work of one part after another, until none is left.
fn take_parts<T>(parts: &Mutex<impl Iterator<Item = T>>, work: &impl Fn(T)) {
    loop {
        // The lock is free again while the work is done.
        let next = parts.lock().unwrap_or_else(PoisonError::into_inner).next();
        match next {
            Some(part) => work(part),
            None => return,
        }
        rest();
    }
}

/// Returns items that are worked on one after the other, with rests between them.
pub(crate) fn in_turn<T>(items: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    items.into_iter().enumerate().map(|(place, item)| {
        if place % TAKEN_AT_A_TIME == 0 {
            rest();
        }
        item
    })
}

/// Returns the answer to each item, in the order of the items, computed on at most so many threads.
pub fn each<T: Sync, A: Send>(items: &[T], most: usize, answer: impl Fn(&T) -> A + Sync) -> Vec<A> {
    let mut places = Vec::new();
    places.resize_with(items.len(), || None);
    let parts = items.iter().zip(&mut places);
    share_out(parts, most.min(items.len()), |(item, place)| {
        *place = Some(answer(item));
    });
    let mut answers = Vec::with_capacity(places.len());
    for place in places {
        answers.push(place.expect("every item was taken"));
    }
    answers
}

/// Returns the answer of each position below `count`, where each is computed without the others.
pub fn by_position<A: Clone + Default + Send>(
    count: usize,
    answer: impl Fn(usize) -> A + Sync,
) -> Vec<A> {
    let mut answers = vec![A::default(); count];
    let parts = answers.chunks_mut(TAKEN_AT_A_TIME).enumerate();
    share_out(parts, for_nodes(count), |(part, places)| {
        for (position, place) in (part * TAKEN_AT_A_TIME..).zip(places) {
            *place = answer(position);
        }
    });
    answers
}

/// Returns two answers, computed at the same time on at least two threads, or one after the other.
pub fn both<A: Send, B>(
    threads: usize,
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B,
) -> (A, B) {
    let mut left = Some(one);
    let mut compute_one = || Some(left.take()?());
    let mut answer = None;
    let other = thread::scope(|scope| {
        if threads > 1 {
            // Without another thread, this one does both.
            let _ = Builder::new().spawn_scoped(scope, || answer = compute_one());
        }
        other()
    });
    let one = answer.or_else(compute_one);
    (one.expect("it was computed there or here"), other)
}
