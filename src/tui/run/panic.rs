//! Panics: every panic restores the terminal, prints its report and ends the program.

use crate::tui::run::crash;
use crate::tui::run::events::Event;
use crate::tui::run::terminal::{self, wire};
use signal_hook::low_level;
use std::sync::mpsc::{self, SyncSender};
use std::time::Duration;
use std::{panic, thread};

const EXIT: i32 = 101;

/// The time that a panicked thread gives the loop to save unsaved edits and restore the terminal.
const GRACE: Duration = Duration::from_secs(2);

/// Installs a panic hook that restores the terminal and then calls the previous hook. Must be called on the thread of
/// the loop.
pub(crate) fn give_terminal_back_first(to_loop: SyncSender<Event>) {
    let report = panic::take_hook();
    let main = thread::current().id();
    panic::set_hook(Box::new(move |info| {
        crash::note_panic();
        if thread::current().id() == main {
            terminal::give_back();
            report(info);
            return;
        }
        // Only the loop knows the unsaved edits, and it must stop drawing before the report.
        let (given_back, wait) = mpsc::sync_channel(1);
        wire::halt();
        if to_loop.try_send(Event::Panicked(given_back)).is_ok() {
            // If the loop does not answer in time, this thread restores the terminal.
            let _ = wait.recv_timeout(GRACE);
        }
        terminal::give_back_at_last();
        report(info);
        low_level::exit(EXIT);
    }));
}

/// Lets the panicked thread continue, and waits for it to end the process.
pub(crate) fn let_report(given_back: &SyncSender<()>) -> ! {
    // Sending fails only if the thread stopped waiting and is reporting already.
    let _ = given_back.try_send(());
    thread::sleep(GRACE);
    low_level::exit(EXIT)
}

/// Fails on purpose, so that tests can check that the terminal and the edits survive. `FAIRSCOPE_REHEARSE` names the
/// failure, and `changes` counts the edits so far. Only in debug builds.
#[cfg(debug_assertions)]
pub(crate) fn rehearse(changes: u64) -> color_eyre::Result<()> {
    use crate::tui::run::events::spawn;

    match std::env::var("FAIRSCOPE_REHEARSE").as_deref() {
        Ok("panic") => panic!("a panic in the loop, as asked for"),
        Ok("error") => color_eyre::eyre::bail!("an error in the loop, as asked for"),
        Ok("panic in a worker") => spawn("rehearsal", || {
            panic!("a panic in a worker, as asked for");
        }),
        Ok("panic after an edit") if changes > 0 => panic!("a panic after an edit, as asked for"),
        Ok("no memory") if changes > 0 => {
            drop(Vec::<u8>::with_capacity(isize::MAX.unsigned_abs()));
            Ok(())
        }
        Ok("no memory in a worker") if changes > 0 => spawn("rehearsal", || {
            drop(Vec::<u8>::with_capacity(isize::MAX.unsigned_abs()));
        }),
        Ok("no stack") if changes > 0 => spawn("rehearsal", || {
            std::hint::black_box(deepen(0));
        }),
        _ => Ok(()),
    }
}

#[cfg(debug_assertions)]
fn deepen(depth: u64) -> u64 {
    let below = if depth == u64::MAX {
        0
    } else {
        deepen(depth + 1)
    };
    std::hint::black_box(below) + 1
}
