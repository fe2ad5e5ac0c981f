//! The end by a signal: the loop gets a short time to save what is unsaved, and then the process ends by force, within a
//! second of the signal. Neither a computation, a blocked write nor a hanging file server can keep it alive.

use crate::tui::run::terminal::{self, wire};
use signal_hook::consts::{
    SIGALRM, SIGHUP, SIGINT, SIGIO, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU,
};
use signal_hook::iterator::Signals;
use signal_hook::low_level;
use std::io;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

/// The signals that ask a process to end.
const SIGNALS: [i32; 11] = [
    SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGIO,
];

/// SIGSTKFLT, SIGPWR and the real-time signals, which end a process too but do not exist on every system.
const OTHER_SIGNALS: [std::ops::RangeInclusive<i32>; 3] = [16..=16, 30..=30, 34..=64];

/// The time in which the loop handles what came before the signal. Then it saves unsaved edits and ends.
const TIME_TO_CATCH_UP: Duration = Duration::from_millis(250);

/// The time until the process ends by force. Restoring the terminal may take another fifth of a second.
const TIME_TO_SAVE: Duration = Duration::from_millis(600);

/// The first signal that asked the process to end, and when.
static ASKED: OnceLock<(i32, Instant)> = OnceLock::new();

/// Returns a listener for all signals that ask a process to end, and for these.
pub(crate) fn signals(others: &[i32]) -> io::Result<Signals> {
    let signals = Signals::new(SIGNALS.iter().chain(others))?;
    for signal in OTHER_SIGNALS.into_iter().flatten() {
        // A system without this signal never sends it.
        let _ = signals.handle().add_signal(signal);
    }
    Ok(signals)
}

/// Notes that this signal asks the process to end. From now on nothing is drawn, and no write waits for the terminal.
pub(crate) fn ask(signal: i32) {
    // The first signal counts.
    let _ = ASKED.set((signal, Instant::now()));
    wire::halt();
}

pub(crate) fn asked() -> Option<i32> {
    ASKED.get().map(|(signal, _)| *signal)
}

/// Returns the signal that asked the process to end, once the time is over in which the loop may handle other events.
pub(crate) fn due() -> Option<i32> {
    let (signal, asked_at) = ASKED.get()?;
    (asked_at.elapsed() >= TIME_TO_CATCH_UP).then_some(*signal)
}

/// Ends the process if the loop does not end it in time.
pub(crate) fn force(signal: i32) -> ! {
    thread::sleep(TIME_TO_SAVE);
    terminal::give_back_at_last();
    die_by(signal)
}

/// Ends the process as if the signal had never been caught, or with the exit code that a shell gives for it. Nothing
/// else runs, such as handlers of the C library that could block.
pub(crate) fn die_by(signal: i32) -> ! {
    // This returns only for signals that it does not know as the end of a process.
    let _ = low_level::emulate_default_handler(signal);
    low_level::exit(128 + signal)
}
