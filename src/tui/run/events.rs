//! Events: keys, the mouse, signals and the loss of the terminal. A sleeping thread waits for each kind.

use crate::base::shown::Shown;
use crate::tui::run::{ending, keys};
use crate::tui::state::Message;
use color_eyre::eyre::{Context, Result};
use rustix::event::{PollFd, PollFlags};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGTSTP, SIGWINCH};
use std::sync::mpsc::SyncSender;
use std::thread;

#[derive(Debug)]
pub(crate) enum Event {
    Message(Message),
    /// A message for the app, from the load with this number.
    Load(u64, Message),
    /// The path of the load with this number does not exist. The text is the error.
    Missing(u64, Shown),
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
pub(crate) fn listen(keys: OwnedFd, sender: &SyncSender<Event>) -> Result<()> {
    let mut signals =
        ending::signals(&[SIGTSTP, SIGCONT, SIGWINCH]).wrap_err("signals cannot be caught")?;
    let to_loop = sender.clone();
    spawn("signals", move || {
        for signal in &mut signals {
            let event = match signal {
                SIGTSTP => Event::Stop,
                SIGCONT => Event::Continue,
                SIGWINCH => Event::Message(Message::Resize),
                signal => end_by(signal, &to_loop),
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
        end_by(SIGHUP, &to_loop)
    })
}

/// Starts a named thread. The process may end without waiting for it.
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

/// Asks the loop to end the process by this signal, and ends it by force if the loop does not in time.
fn end_by(signal: i32, to_loop: &SyncSender<Event>) -> ! {
    ending::ask(signal);
    // A loop that has no room for the event is awake and finds out by itself.
    let _ = to_loop.try_send(Event::End(signal));
    ending::force(signal)
}
