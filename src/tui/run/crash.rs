//! Crashes: panics, and signals of a program that cannot go on, such as the one that ends it when memory runs out. All
//! restore the terminal, say why and end the program.
//!
//! After a signal a thread of its own does so. The thread that crashed stays in the handler of the signal meanwhile: it
//! writes to a full pipe that nobody reads. The sentence is fixed text, and nothing here allocates after the start,
//! because memory may have run out.
//!
//! SIGFPE and SIGILL cannot be handled so. Nothing in fairscope can cause them, so they come from other processes, and
//! a thread waits for them while all others block them.

use super::events::{Event, spawn};
use super::farewell::{self, say, say_what_is_unkept};
use super::terminal::{self, wire};
use nix::sys::signal::{SigSet, Signal};
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
use std::sync::mpsc::{self, SyncSender};
use std::sync::{Arc, Once};
use std::time::Duration;
use std::{panic, thread};

/// The exit code after a crash: that of a command that could not run.
const EXIT: i32 = 2;

/// The signals whose handlers keep the thread that crashed.
const CRASHES: &[i32] = &[SIGABRT, SIGBUS, SIGSYS, SIGTRAP];

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

/// Starts the thread that waits for signals of faulty calculations and instructions, which all other threads block.
fn watch_for_faults() -> color_eyre::Result<()> {
    let faults: SigSet = [Signal::SIGFPE, Signal::SIGILL].into_iter().collect();
    faults.thread_block()?;
    spawn("faults", move || {
        if let Ok(signal) = faults.wait() {
            end(signal as i32, false);
        }
    })
}

/// Starts the thread that is woken by a signal of a crash, and keeps the thread that crashed in its handler.
fn watch_for_crashes() -> color_eyre::Result<()> {
    let mut crashes = SignalsInfo::<WithOrigin>::new(CRASHES)?;
    spawn("crashes", move || {
        // A second signal must not keep this thread too.
        let mut own = SigSet::empty();
        for &crash in CRASHES {
            if let Ok(signal) = Signal::try_from(crash) {
                own.add(signal);
            }
        }
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
    for &crash in CRASHES {
        let full = writer.try_clone()?;
        low_level::pipe::register_raw(crash, full.into_raw_fd())?;
    }
    // Registering makes the pipe non-blocking, and this blocks it again.
    rustix::fs::fcntl_setfl(&writer, OFlags::empty())?;
    // The pipe stays full as long as the process lives.
    let _ = reader.into_raw_fd();
    Ok(())
}

/// Restores the terminal, says why the program ends, and ends it. `is_own` tells a crash of ours from a signal of
/// another process.
fn end(signal: i32, is_own: bool) -> ! {
    farewell::finish_drafts();
    let was_exploring = terminal::give_back_at_last();
    let words = match signal {
        SIGABRT if is_own && !HAS_PANICKED.load(Ordering::SeqCst) => {
            "out of memory: end other programs, raise the limit (ulimit -v), or open a smaller tree"
        }
        SIGBUS if is_own => {
            "ended by SIGBUS: a file became shorter or its disk failed while it was read; read it again"
        }
        SIGABRT => "ended by SIGABRT",
        SIGBUS => "ended by SIGBUS",
        SIGFPE => "ended by SIGFPE",
        SIGILL => "ended by SIGILL",
        SIGSYS => "ended by SIGSYS",
        _ => "ended by SIGTRAP",
    };
    say("fairscope: ");
    say(words);
    if was_exploring {
        farewell::say_fate("unsaved edits are offered at the next start", |fate| {
            say("; ");
            say(fate);
        });
    }
    say("\n");
    low_level::exit(EXIT)
}

/// The exit code after a panic, as Rust has it.
const EXIT_AFTER_PANIC: i32 = 101;

/// The time that a panicked thread gives the loop to save unsaved edits and restore the terminal.
const GRACE: Duration = Duration::from_secs(2);

/// Installs a panic hook that restores the terminal before the previous hook. Belongs on the thread of the loop.
pub(crate) fn give_terminal_back_first(to_loop: SyncSender<Event>) {
    let report = panic::take_hook();
    let of_loop = thread::current().id();
    panic::set_hook(Box::new(move |info| {
        HAS_PANICKED.store(true, Ordering::SeqCst);
        farewell::hurry(true);
        if thread::current().id() == of_loop {
            terminal::give_back();
            report(info);
            farewell::finish_drafts();
            say_what_is_unkept();
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
        farewell::finish_drafts();
        say_what_is_unkept();
        low_level::exit(EXIT_AFTER_PANIC);
    }));
}

/// Lets the panicked thread continue, and waits for it to end the process.
pub(crate) fn let_report(given_back: &SyncSender<()>) -> ! {
    // Sending fails only if the thread stopped waiting and is reporting already.
    let _ = given_back.try_send(());
    thread::sleep(GRACE);
    low_level::exit(EXIT_AFTER_PANIC)
}

/// Fails on purpose, so that tests can check that the terminal and the edits survive. `FAIRSCOPE_REHEARSE` names the
/// failure, and `changes` counts the edits so far. Only in debug builds.
#[cfg(debug_assertions)]
pub(crate) fn rehearse(changes: u64) -> color_eyre::Result<()> {
    match std::env::var("FAIRSCOPE_REHEARSE").as_deref() {
        Ok("panic") => panic!("a panic in the loop, as asked for"),
        Ok("error") => color_eyre::eyre::bail!("an error in the loop, as asked for"),
        Ok("panic in a worker") => spawn("rehearsal", || {
            panic!("a panic in a worker, as asked for");
        }),
        Ok("panic after an edit") if changes > 0 => panic!("a panic after an edit, as asked for"),
        Ok("panic in a worker after an edit") if changes > 0 => spawn("rehearsal", || {
            panic!("a panic in a worker, as asked for");
        }),
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
    let below = depth.checked_add(1).map_or(0, deepen);
    std::hint::black_box(below) + 1
}
