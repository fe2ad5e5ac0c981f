//! What comes in: keys, mouse, signals and the end of the terminal, each waited for by a thread that sleeps until
//! there is something.

use crate::tui::run::terminal;
use crate::tui::state::message::Message;
use color_eyre::eyre::{Context, Result};
use crossterm::event::{Event as TerminalEvent, KeyEventKind};
use rustix::event::{PollFd, PollFlags};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::iterator::Signals;
use std::sync::mpsc::SyncSender;
use std::thread;
use std::time::Duration;

/// The most that is taken of one paste, in bytes: prompts hold names and numbers, not files.
const LONGEST_PASTE: usize = 64 * 1024;

/// How long an ordinary signal leaves for saving what is unsaved.
const GRACE: Duration = Duration::from_secs(5);

/// How long that is when the terminal is gone: a second in all, of which this must leave some.
const GRACE_WITHOUT_TERMINAL: Duration = Duration::from_millis(800);

/// Something the loop is to see to.
#[derive(Debug)]
pub(crate) enum Event {
    /// For the app.
    Message(Message),
    /// For the app, from the load of that number.
    Load(u64, Message),
    /// The path of the load of that number leads to nothing, in a sentence.
    Missing(u64, String),
    /// The process is to stop, as a shell's user asked with SIGTSTP.
    Stop,
    /// The process goes on after it was stopped.
    Continue,
    /// The process is to end by this signal; SIGHUP also when the terminal is gone.
    End(i32),
    /// Another thread panicked. It waits for the terminal to be given back, then reports and ends the process.
    Panicked(SyncSender<()>),
}

/// Starts the threads that wait for signals, for keys and for the terminal to go away. Signals first: from here on none can end the process
/// before the terminal is given back.
///
/// # Errors
/// When signals cannot be caught, or no thread can be started.
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
    spawn("keys", move || read_keys(&to_loop))?;
    let to_loop = sender.clone();
    spawn("hang-up", move || {
        wait_for_hang_up(&keys);
        end_soon(SIGHUP);
        // Nobody listens any more only when the process ends anyway.
        let _ = to_loop.send(Event::End(SIGHUP));
    })
}

/// Starts a thread of that name; it may be left behind when the process ends.
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

/// Passes keys on until the loop or the terminal is gone; the latter is for others to tell.
fn read_keys(to_loop: &SyncSender<Event>) {
    while let Ok(event) = crossterm::event::read() {
        if message(event).is_some_and(|message| to_loop.send(Event::Message(message)).is_err()) {
            return;
        }
    }
}

/// Waits for the terminal to be unplugged. Asks for nothing else, so keys wake nobody here; crossterm, which they do
/// wake, takes no notice of the end and would read on for ever.
fn wait_for_hang_up(keys: &OwnedFd) {
    let mut waiting = [PollFd::new(keys, PollFlags::empty())];
    while rustix::event::poll(&mut waiting, None) == Err(Errno::INTR) {}
}

/// Returns what the app is told of an event. New sizes come from the signal, also while a half-received key keeps
/// crossterm waiting.
fn message(event: TerminalEvent) -> Option<Message> {
    match event {
        TerminalEvent::Key(key) if key.kind != KeyEventKind::Release => Some(Message::Key(key)),
        TerminalEvent::Mouse(mouse) => Some(Message::Mouse(mouse)),
        TerminalEvent::Paste(mut text) => {
            let mut end = LONGEST_PASTE.min(text.len());
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text.truncate(end);
            Some(Message::Paste(text))
        }
        _ => None,
    }
}

/// Ends the process by force if the loop does not get round to it: a computation or a stuck write must not keep
/// a process alive that was told to end.
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
    // Without a thread left for the last resort there is still the loop itself.
    drop(started);
}
