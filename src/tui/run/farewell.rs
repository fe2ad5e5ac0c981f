//! The last moments of the process: drafts no longer wait for the disk, and what became of unsaved edits is said.
//! Nothing here allocates, because memory may have run out.

use crate::base::shown::Shown;
use rustix::event::{PollFd, PollFlags, Timespec};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The longest wait for all drafts where the process ends or stops at once, so that every end comes within a second. It
/// is only long where a file server hangs, or where other programs leave no time.
const SHORT_PATIENCE: Duration = Duration::from_millis(700);

/// The time that standard error gets to take a piece of a sentence.
const PATIENCE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 50_000_000,
};

/// Whether the process ends or stops soon, so that no draft waits for the disk.
static IS_HURRIED: AtomicBool = AtomicBool::new(false);

/// The number of orders for drafts that are not carried out yet.
static PENDING: AtomicUsize = AtomicUsize::new(0);

/// Whether there are unsaved edits of which nothing has been said.
static ARE_UNSAVED: AtomicBool = AtomicBool::new(false);

/// Why the newest of them are in no draft, if they are not.
static UNKEPT: Mutex<Option<Shown>> = Mutex::new(None);

/// Locks the reason why the newest edits are in no draft; `None` if they are in one.
fn unkept() -> MutexGuard<'static, Option<Shown>> {
    UNKEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets drafts get their names before the disk has them, because the process ends or stops, or no longer.
pub(crate) fn hurry(is_hurried: bool) {
    IS_HURRIED.store(is_hurried, Ordering::SeqCst);
}

/// Returns whether the process has to end soon.
pub(crate) fn is_hurried() -> bool {
    IS_HURRIED.load(Ordering::SeqCst)
}

/// Notes whether there are edits that no file of the user holds.
pub(crate) fn note_unsaved(are_unsaved: bool) {
    ARE_UNSAVED.store(are_unsaved, Ordering::SeqCst);
}

/// Notes why the newest edits are in no draft, or that they are in one.
pub(crate) fn note_unkept(why: Option<Shown>) {
    *unkept() = why;
}

/// Notes that the thread that keeps drafts has one more command.
pub(crate) fn note_ordered() {
    PENDING.fetch_add(1, Ordering::SeqCst);
}

/// Notes that the thread that keeps drafts has carried out a command.
pub(crate) fn note_carried_out() {
    PENDING.fetch_sub(1, Ordering::SeqCst);
}

/// Waits a moment until all drafts are written. Used just before the process ends or stops.
pub(crate) fn finish_drafts() {
    hurry(true);
    let until = Instant::now() + SHORT_PATIENCE;
    while PENDING.load(Ordering::SeqCst) > 0 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Passes on what became of unsaved edits, once: `kept` if they are in drafts, or else why they are in none.
pub(crate) fn say_fate(kept: &str, say: fn(&str)) {
    if !ARE_UNSAVED.swap(false, Ordering::SeqCst) {
        return;
    }
    say(match &*unkept() {
        _ if PENDING.load(Ordering::SeqCst) > 0 => "unsaved edits could not be backed up in time",
        Some(why) => why,
        None => kept,
    });
}

/// Says on standard error if unsaved edits are in no draft.
pub(crate) fn say_what_is_unkept() {
    say_fate("", |fate| {
        if !fate.is_empty() {
            say("fairscope: ");
            say(fate);
            say("\n");
        }
    });
}

/// Writes text on standard error, as far as it takes it in time. Standard error may block, so its bytes go one by one.
pub(crate) fn say(text: &str) {
    let stderr = rustix::stdio::stderr();
    for byte in text.as_bytes().chunks(1) {
        let mut room = [PollFd::new(&stderr, PollFlags::OUT)];
        match rustix::event::poll(&mut room, Some(&PATIENCE)) {
            Ok(1..) => {
                // There is no place left to report an error.
                let _ = rustix::io::write(stderr, byte);
            }
            _ => return,
        }
    }
}
