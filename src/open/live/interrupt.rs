//! Signals that end the process while a scheduler is asked: its command is ended first.
//!
//! Commands run in process groups of their own, so a key at the terminal or a `kill` reaches only this process. The
//! explorer handles signals itself and then stops reading. This is for the command line.

use crate::format::OnProgress;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::{flag, low_level};
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

/// The signals that ask a process to end.
const SIGNALS: &[i32] = &[SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// The state shared with the signal handlers.
struct Handlers {
    /// Whether no scheduler is being asked, so that a signal ends the process at once.
    is_idle: Arc<AtomicBool>,
    /// The signal that came while one was asked; 0 is none.
    caught: Arc<AtomicUsize>,
}

/// The handlers, which the first request to a scheduler installs.
static HANDLERS: LazyLock<io::Result<Handlers>> = LazyLock::new(install);

/// Installs the handlers once, because a signal cannot get its first handler back.
fn install() -> io::Result<Handlers> {
    let handlers = Handlers {
        is_idle: Arc::new(AtomicBool::new(true)),
        caught: Arc::new(AtomicUsize::new(0)),
    };
    let ignored = ignored_signals();
    for &signal in SIGNALS {
        // Under nohup a hang-up is to be ignored, and so are keys for a job in the background.
        if ignored >> (signal - 1) & 1 == 1 {
            continue;
        }
        let number = usize::try_from(signal).unwrap_or_default();
        flag::register_conditional_default(signal, Arc::clone(&handlers.is_idle))?;
        flag::register_usize(signal, Arc::clone(&handlers.caught), number)?;
    }
    Ok(handlers)
}

/// Returns the signals that were ignored when the process started, one bit each; 0 if the system does not tell.
#[expect(
    clippy::disallowed_methods,
    reason = "the kernel gives /proc/self/status at once"
)]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    for line in status.lines() {
        if let Some(mask) = line.strip_prefix("SigIgn:") {
            return u64::from_str_radix(mask.trim(), 16).unwrap_or(0);
        }
    }
    0
}

/// Runs a function that asks a scheduler. A signal meanwhile interrupts it, and then ends the process as it would have.
pub(super) fn ending_first<T>(report: OnProgress<'_>, ask: impl FnOnce(OnProgress<'_>) -> T) -> T {
    let Ok(handlers) = &*HANDLERS else {
        return ask(report);
    };
    handlers.is_idle.store(false, Ordering::SeqCst);
    let answer = ask(&mut |progress| {
        if handlers.caught.load(Ordering::SeqCst) == 0 {
            report(progress)
        } else {
            ControlFlow::Break(())
        }
    });
    handlers.is_idle.store(true, Ordering::SeqCst);
    let caught = handlers.caught.load(Ordering::SeqCst);
    if let Ok(signal @ 1..) = i32::try_from(caught) {
        // This returns only if the system does not allow ending by that signal.
        let _ = low_level::emulate_default_handler(signal);
    }
    answer
}
