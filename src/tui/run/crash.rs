//! Crashes: signals of a program that cannot go on, such as the one that ends it when memory runs out.
//!
//! A thread of its own restores the terminal, says one sentence and ends the process. The thread that crashed stays in
//! the handler of the signal meanwhile: it writes to a full pipe that nobody reads. The sentence is fixed text, and
//! nothing here allocates after the start, because memory may have run out.
//!
//! SIGFPE and SIGILL cannot be handled so. Nothing in fairscope can cause them, so they come from other processes, and
//! a thread waits for them while all others block them.

use crate::tui::run::events::spawn;
use crate::tui::run::{drafts, terminal};
use nix::sys::signal::{SigSet, Signal};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::IntoRawFd as _;
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::pipe::PipeFlags;
use signal_hook::consts::{SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGTRAP, SIGXFSZ};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::low_level::siginfo::{Cause, Sent};
use signal_hook::{flag, low_level};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once};
use std::time::Duration;

/// The exit code after a crash: that of a command that could not run.
const EXIT: i32 = 2;

/// The signals whose handlers keep the thread that crashed.
const CRASHES: [i32; 4] = [SIGABRT, SIGBUS, SIGSYS, SIGTRAP];

const TIME_FOR_DRAFTS: Duration = Duration::from_millis(300);

/// The time that standard error gets to take a piece of the sentence.
const PATIENCE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 50_000_000,
};

/// Whether a thread panicked. A process that aborts after a panic has said why.
static HAS_PANICKED: AtomicBool = AtomicBool::new(false);

/// Watches for crashes from now on, and turns a write beyond the limit of file sizes into an error of the write. The
/// first call must come before any other thread is started; another does nothing. Where the system refuses, signals act as they do by default.
pub(crate) fn watch() {
    static WATCH: Once = Once::new();
    WATCH.call_once(|| {
        // A handler, unlike an ignored signal, is not inherited by the commands of schedulers.
        let _ = flag::register(SIGXFSZ, Arc::default());
        let _ = watch_for_faults();
        let _ = watch_for_crashes();
    });
}

pub(crate) fn note_panic() {
    HAS_PANICKED.store(true, Ordering::SeqCst);
}

fn watch_for_faults() -> color_eyre::Result<()> {
    let faults: SigSet = [Signal::SIGFPE, Signal::SIGILL].into_iter().collect();
    faults.thread_block()?;
    spawn("faults", move || {
        if let Ok(signal) = faults.wait() {
            end(signal as i32, false);
        }
    })
}

fn watch_for_crashes() -> color_eyre::Result<()> {
    let mut crashes = SignalsInfo::<WithOrigin>::new(CRASHES)?;
    spawn("crashes", move || {
        // A second signal must not keep this thread too.
        let own: SigSet = CRASHES
            .into_iter()
            .filter_map(|signal| Signal::try_from(signal).ok())
            .collect();
        let _ = own.thread_block();
        if let Some(origin) = crashes.forever().next() {
            let is_own = matches!(
                origin.cause,
                Cause::Kernel | Cause::Unknown | Cause::Sent(Sent::TKill)
            );
            end(origin.signal, is_own);
        }
    })?;
    // Handlers run in the order of registration, so the thread above is woken first.
    let (reader, writer) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
    while rustix::io::write(&writer, &[0; 4096]) != Err(Errno::AGAIN) {}
    for signal in CRASHES {
        low_level::pipe::register_raw(signal, writer.try_clone()?.into_raw_fd())?;
    }
    // Registering makes the pipe non-blocking, and this blocks it again.
    rustix::fs::fcntl_setfl(&writer, OFlags::empty())?;
    // The pipe stays full as long as the process lives.
    let _ = reader.into_raw_fd();
    Ok(())
}

fn end(signal: i32, is_own: bool) -> ! {
    drafts::finish_within(TIME_FOR_DRAFTS);
    let was_exploring = terminal::give_back_at_last();
    let is_abort = is_own && signal == SIGABRT;
    let is_out_of_memory = is_abort && !HAS_PANICKED.load(Ordering::SeqCst);
    let words = if is_out_of_memory {
        "out of memory: end other programs, raise the limit (ulimit -v), or open a smaller tree"
    } else if is_own && signal == SIGBUS {
        "ended by SIGBUS: a file became shorter or its disk failed while it was read; read it again"
    } else {
        match signal {
            SIGABRT => "ended by SIGABRT",
            SIGBUS => "ended by SIGBUS",
            SIGFPE => "ended by SIGFPE",
            SIGILL => "ended by SIGILL",
            SIGSYS => "ended by SIGSYS",
            _ => "ended by SIGTRAP",
        }
    };
    let hint = if was_exploring {
        "; unsaved edits are offered at the next start\n"
    } else {
        "\n"
    };
    for part in ["fairscope: ", words, hint] {
        say(part.as_bytes());
    }
    low_level::exit(EXIT)
}

/// Writes bytes on standard error, as far as it takes them in time. Standard error may block, so they go one by one.
fn say(bytes: &[u8]) {
    let stderr = rustix::stdio::stderr();
    for byte in bytes.chunks(1) {
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
