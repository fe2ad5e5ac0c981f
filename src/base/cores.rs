//! Work for all cores. No answer depends on how many there are: each part is computed by itself, and the answers are put
//! together in the order of the parts.

use std::collections::VecDeque;
use std::num::NonZero;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread::{self, Builder};

/// Returns how many threads can run at the same time.
pub(crate) fn count() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Does the work of all parts on at most so many threads; each takes the next part when it is done with one.
pub(crate) fn share_out<T>(
    parts: impl Iterator<Item = T> + Send,
    threads: usize,
    work: impl Fn(T) + Sync,
) {
    let parts = Mutex::new(parts);
    let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
    let take = || {
        while let Some(part) = next() {
            work(part);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            // If no more threads can be started, the existing ones do the rest.
            if Builder::new().spawn_scoped(scope, take).is_err() {
                break;
            }
        }
        take();
    });
}

/// Returns the answer to each item, in the order of the items, computed on at most so many threads.
pub(crate) fn each<T: Sync, A: Send>(
    items: &[T],
    threads: usize,
    answer: impl Fn(&T) -> A + Sync,
) -> Vec<A> {
    let mut answers: Vec<Option<A>> = items.iter().map(|_| None).collect();
    let parts = items.iter().zip(&mut answers);
    share_out(parts, threads.min(items.len()), |(item, place)| {
        *place = Some(answer(item));
    });
    let answers = answers.into_iter();
    answers
        .map(|answer| answer.expect("every item was taken"))
        .collect()
}

/// Returns two answers, computed at the same time on at least two threads, or one after the other.
pub(crate) fn both<A: Send, B>(
    threads: usize,
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B,
) -> (A, B) {
    let mut one = Some(one);
    let mut answer = None;
    let other = thread::scope(|scope| {
        if threads > 1 {
            // Without another thread, this one does both.
            let _ = Builder::new().spawn_scoped(scope, || answer = one.take().map(|one| one()));
        }
        other()
    });
    let answer = answer.or_else(|| one.map(|one| one()));
    (answer.expect("it was computed there or here"), other)
}

/// How many parts are made before the first one is taken.
const AHEAD: usize = 3;

/// Makes parts, works on each, and takes the answers in the order of the parts. On at least two threads the work is
/// done beside the making and the taking, which stay on this one.
///
/// # Errors
/// The first error of making or taking; no further part is made then.
pub(crate) fn ahead<P: Send, A: Send, E>(
    threads: usize,
    mut make: impl FnMut() -> Result<Option<P>, E>,
    work: impl Fn(P) -> A + Sync,
    mut take: impl FnMut(A) -> Result<(), E>,
) -> Result<(), E> {
    let Some(first) = make()? else {
        return Ok(());
    };
    let mut made = VecDeque::from([first]);
    if let Some(second) = make()? {
        made.push_back(second);
    }
    // A single part has nothing beside which it could be worked on.
    let threads = if made.len() < 2 { 1 } else { threads };
    thread::scope(|scope| {
        let (give, given) = mpsc::channel::<P>();
        let (answer, answers) = mpsc::channel::<A>();
        let work = &work;
        let worker = move || {
            for part in given {
                if answer.send(work(part)).is_err() {
                    break;
                }
            }
        };
        let has_worker = threads > 1 && Builder::new().spawn_scoped(scope, worker).is_ok();
        let mut on_the_way = 0;
        let mut has_more = true;
        loop {
            while has_more && on_the_way + made.len() < AHEAD {
                match make()? {
                    Some(part) => made.push_back(part),
                    None => has_more = false,
                }
            }
            if has_worker {
                for part in made.drain(..) {
                    on_the_way += usize::from(give.send(part).is_ok());
                }
                if on_the_way == 0 {
                    return Ok(());
                }
                on_the_way -= 1;
                take(answers.recv().expect("every part gets its answer"))?;
            } else {
                match made.pop_front() {
                    Some(part) => take(work(part))?,
                    None => return Ok(()),
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{ahead, both, each};

    #[test]
    fn answers_do_not_depend_on_the_number_of_threads() {
        let items: Vec<u64> = (0..1000).collect();
        let plain: Vec<u64> = items.iter().map(|item| item * item).collect();
        for threads in [1, 2, 8] {
            assert_eq!(each(&items, threads, |item| item * item), plain);
            assert_eq!(both(threads, || 6 * 7, || "forty-two"), (42, "forty-two"));
        }
        assert!(each(&[] as &[u64], 8, |item| item * item).is_empty());
    }

    #[test]
    fn answers_are_taken_in_the_order_of_the_parts() {
        for threads in [1, 2, 8] {
            for count in [0, 1, 2, 3, 4, 100] {
                let mut parts = 0..count;
                let mut taken = Vec::new();
                let take = |answer| {
                    taken.push(answer);
                    Ok::<(), ()>(())
                };
                let made = ahead(threads, || Ok(parts.next()), |part: u64| part * part, take);
                assert_eq!(made, Ok(()));
                assert_eq!(
                    taken,
                    (0..count).map(|part| part * part).collect::<Vec<_>>()
                );
            }
        }
    }

    #[test]
    fn an_error_ends_the_parts() {
        for threads in [1, 2, 8] {
            let mut made = 0;
            let mut make = || {
                made += 1;
                if made == 5 {
                    Err("broken")
                } else {
                    Ok(Some(made))
                }
            };
            assert_eq!(
                ahead(threads, &mut make, |part| part, |_| Ok(())),
                Err("broken")
            );
            assert_eq!(made, 5);
            let mut taken = 0;
            let take = |part| {
                taken = part;
                if part == 4 { Err("enough") } else { Ok(()) }
            };
            assert_eq!(
                ahead(threads, || Ok(Some(4)), |part| part, take),
                Err("enough")
            );
            assert_eq!(taken, 4);
        }
    }
}
