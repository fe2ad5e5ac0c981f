//! Events: keys, the mouse, signals and the loss of the terminal. A sleeping thread waits for each kind.

use crate::tui::run::{keys, terminal};
use crate::tui::state::message::Message;
use color_eyre::eyre::{Context, Result};
use rustix::event::{PollFd, PollFlags};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::iterator::Signals;
use std::sync::mpsc::SyncSender;
use std::thread;
use std::time::Duration;

/// The time to save unsaved edits after an ordinary signal.
const GRACE: Duration = Duration::from_secs(5);

/// The time to save unsaved edits after the terminal is lost. The process gets one second in all.
const GRACE_WITHOUT_TERMINAL: Duration = Duration::from_millis(800);

/// An event for the loop.
#[derive(Debug)]
pub(crate) enum Event {
    /// A message for the app.
    Message(Message),
    /// A message for the app, from the load with this number.
    Load(u64, Message),
    /// The path of the load with this number does not exist. The text is the error.
    Missing(u64, String),
    /// The process must stop because of SIGTSTP.
    Stop,
    /// The process continues after it was stopped.
    Continue,
    /// The process must end by this signal. SIGHUP also stands for a lost terminal.
    End(i32),
    /// Another thread panicked. It waits until the terminal is restored, then reports and ends the process.
    Panicked(SyncSender<()>),
}

/// Starts the threads that wait for signals, for keys and for the loss of the terminal. Signals come first, so that
/// none can end the process before the terminal is restored.
///
/// # Errors
/// If signals cannot be caught or no thread can be started.
pub(crate) fn listen(keys: OwnedFd, sender: &SyncSender<Event>) -> Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH])
        .wrap_err("signals cannot be caught")?;
    let to_loop = sender.clone();
    spawn("signals", move || {
        for signal in &mut signals {
            let event = match signal {
                SIGTSTP => Event::Stop,
                SIGCONT => Event::Continue,
                SIGWINCH => Event::Message(Message::Resize),
                signal => {
                    end_soon(signal);
                    Event::End(signal)
                }
            };
            if to_loop.send(event).is_err() {
                return;
            }
        }
    })?;
    let to_loop = sender.clone();
    let bytes = keys.try_clone().wrap_err("keys cannot be read")?;
    spawn("keys", move || {
        keys::read(&bytes, |message| {
            to_loop.send(Event::Message(message)).is_ok()
        });
    })?;
    let to_loop = sender.clone();
    spawn("hang-up", move || {
        wait_for_hang_up(&keys);
        end_soon(SIGHUP);
        // Sending fails only if the process is ending anyway.
        let _ = to_loop.send(Event::End(SIGHUP));
    })
}

/// Starts a named thread. The process may end without waiting for it.
///
/// # Errors
/// When the system has no thread left.
pub(crate) fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<()> {
    thread::Builder::new()
        .name(name.into())
        .spawn(body)
        .map(drop)
        .wrap_err_with(|| format!("the thread for {name} cannot be started"))
}

/// Waits for the loss of the terminal. Polls for no input, so keys do not wake this thread. The thread that reads keys
/// cannot report the loss, because it may be waiting for the loop.
fn wait_for_hang_up(keys: &OwnedFd) {
    let mut waiting = [PollFd::new(keys, PollFlags::empty())];
    while rustix::event::poll(&mut waiting, None) == Err(Errno::INTR) {}
}

/// Ends the process by force if the loop does not end it in time. A computation or a blocked write must not keep it
/// alive.
fn end_soon(signal: i32) {
    let grace = if signal == SIGHUP {
        GRACE_WITHOUT_TERMINAL
    } else {
        GRACE
    };
    let started = spawn("ending", move || {
        thread::sleep(grace);
        terminal::give_back_at_last();
        std::process::exit(128 + signal);
    });
    // If no thread can be started, the loop still ends the process.
    drop(started);
}
