//! A panic, wherever it happens, ends the program: first the terminal is given back, then the report is printed.

use crate::tui::run::events::Event;
use crate::tui::run::terminal;
use std::sync::mpsc::{self, SyncSender};
use std::time::Duration;
use std::{panic, thread};

/// The exit code of a program that panicked.
const EXIT: i32 = 101;

/// How long another thread waits for the loop to save what is unsaved and give the terminal back.
const GRACE: Duration = Duration::from_secs(2);

/// Puts the terminal before the report of whatever hook is there already. Called on the thread of the loop.
pub(crate) fn give_terminal_back_first(to_loop: SyncSender<Event>) {
    let report = panic::take_hook();
    let main = thread::current().id();
    panic::set_hook(Box::new(move |info| {
        if thread::current().id() == main {
            terminal::give_back();
            report(info);
            return;
        }
        // Only the loop knows what is unsaved, and only it draws: it must stop drawing before the report.
        let (given_back, wait) = mpsc::sync_channel(1);
        if to_loop.try_send(Event::Panicked(given_back)).is_ok() {
            // Without an answer in time the loop is stuck, and the terminal is given back without it.
            let _ = wait.recv_timeout(GRACE);
        }
        terminal::give_back_at_last();
        report(info);
        std::process::exit(EXIT);
    }));
}

/// Tells the thread that panicked to go ahead, and waits for it to end the process.
pub(crate) fn let_report(given_back: &SyncSender<()>) -> ! {
    // It waits no longer than its grace; if that is over, it is at the report already.
    let _ = given_back.try_send(());
    thread::sleep(GRACE);
    std::process::exit(EXIT)
}

/// Fails on purpose where the tests ask for it, to show that the terminal and the edits survive: what
/// `FAIRSCOPE_REHEARSE` names, after so many changes. Only in debug builds.
///
/// # Errors
/// When one is asked for.
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
        _ => Ok(()),
    }
}
