//! Events: keys, the mouse, signals and the loss of the terminal. A sleeping thread waits for each kind.
//!
//! After a signal that ends the process, the loop gets a short time to save what is unsaved, and then the process ends
//! by force, within a second of the signal. Neither a computation, a blocked write nor a hanging file server can keep
//! it alive.

use super::farewell;
use super::terminal::{self, wire};
use crate::base::shown::Shown;
use crate::tui::input::decoder::Decoder;
use crate::tui::input::event::{Event as TerminalEvent, KeyEventKind, MouseButton, MouseEventKind};
use crate::tui::job::Ticket;
use crate::tui::state::Message;
use color_eyre::eyre::{Context, Result};
use ratatui::layout::Position;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::{AsFd as _, OwnedFd};
use rustix::io::Errno;
use signal_hook::consts::{
    SIGALRM, SIGCONT, SIGHUP, SIGINT, SIGIO, SIGPROF, SIGQUIT, SIGTERM, SIGTSTP, SIGUSR1, SIGUSR2,
    SIGVTALRM, SIGWINCH, SIGXCPU,
};
use signal_hook::iterator::Signals;
use signal_hook::low_level;
use std::sync::OnceLock;
use std::sync::mpsc::SyncSender;
use std::thread;
use std::time::{Duration, Instant};

/// Something that the loop of the program hears.
#[derive(Debug)]
pub(crate) enum Event {
    Message(Message),
    /// A message for the app, from the load with this ticket, or why its path does not exist.
    Load(Ticket, Result<Message, Shown>),
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
    listen_to_signals(sender.clone())?;
    listen_to_keys(&keys, sender.clone())?;
    wait_for_hang_up(keys, sender.clone())
}

/// Starts the thread that waits for signals.
fn listen_to_signals(to_loop: SyncSender<Event>) -> Result<()> {
    let others = [SIGTSTP, SIGCONT, SIGWINCH];
    let caught = SIGNALS.iter().chain(&others);
    let mut signals = Signals::new(caught).wrap_err("signals cannot be caught")?;
    for signal in OTHER_SIGNALS.into_iter().flatten() {
        // A system without this signal never sends it.
        let _ = signals.handle().add_signal(signal);
    }
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
    })
}

/// Starts the thread that reads keys.
fn listen_to_keys(keys: &OwnedFd, to_loop: SyncSender<Event>) -> Result<()> {
    let bytes = keys.try_clone().wrap_err("keys cannot be read")?;
    spawn("keys", move || {
        read_keys(&bytes, |message| {
            to_loop.send(Event::Message(message)).is_ok()
        });
    })
}

/// Starts the thread that waits for the loss of the terminal.
fn wait_for_hang_up(keys: OwnedFd, to_loop: SyncSender<Event>) -> Result<()> {
    spawn("hang-up", move || {
        // Not for input: the thread that reads keys may be waiting for the loop. The screen may be another terminal.
        let screen = rustix::stdio::stdout();
        let mut waiting = vec![PollFd::from_borrowed_fd(keys.as_fd(), PollFlags::empty())];
        if rustix::termios::isatty(screen) {
            waiting.push(PollFd::from_borrowed_fd(screen, PollFlags::empty()));
        }
        while rustix::event::poll(&mut waiting, None) == Err(Errno::INTR) {}
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

/// Asks the loop to end the process by this signal, and ends it by force if the loop does not in time.
fn end_by(signal: i32, to_loop: &SyncSender<Event>) -> ! {
    // The first signal counts. From now on nothing is drawn, and no write waits for the terminal.
    let _ = ASKED.set((signal, Instant::now()));
    farewell::hurry(true);
    wire::halt();
    // A loop that has no room for the event is awake and finds out by itself.
    let _ = to_loop.try_send(Event::End(signal));
    thread::sleep(TIME_TO_SAVE);
    if terminal::give_back_at_last() {
        farewell::say_what_is_unkept();
    }
    die_by(signal)
}

/// The most bytes taken in one read. A terminal holds no more than this.
const READ: usize = 4096;

/// What a poll finds of a terminal that is gone, although there may still be bytes.
const GONE: PollFlags = PollFlags::HUP.union(PollFlags::ERR).union(PollFlags::NVAL);

/// Passes messages about keys to `take` until it returns that the loop is gone, or until the terminal is gone, which
/// another thread reports. Sleeps until the terminal sends something, unless input is incomplete.
fn read_keys(keys: &OwnedFd, take: impl Fn(Message) -> bool) {
    let mut decoder = Decoder::default();
    let mut last_click = None;
    let mut bytes = [0; READ];
    loop {
        let events = match wait(keys, decoder.patience()) {
            Ok(None) => decoder.time_out(),
            Ok(Some(found)) => match rustix::io::read(keys, &mut bytes) {
                // Without a hang-up, this is the end-of-file key of a shell that had the terminal at that moment.
                Ok(0) if found.intersects(GONE) => return,
                Ok(read) => decoder.push(&bytes[..read]),
                Err(Errno::INTR | Errno::AGAIN) => continue,
                Err(_) => return,
            },
            Err(Errno::INTR) => continue,
            Err(_) => return,
        };
        for event in events {
            if let Some(message) = message(event, &mut last_click)
                && !take(message)
            {
                return;
            }
        }
    }
}

/// Waits for bytes, forever if there is no limit. Returns what came, or `None` if nothing came in time.
fn wait(keys: &OwnedFd, limit: Option<Duration>) -> Result<Option<PollFlags>, Errno> {
    let timeout = limit.and_then(|limit| Timespec::try_from(limit).ok());
    let mut waiting = [PollFd::new(keys, PollFlags::IN)];
    let count = rustix::event::poll(&mut waiting, timeout.as_ref())?;
    if count == 0 {
        return Ok(None);
    }
    Ok(Some(waiting[0].revents()))
}

/// The longest time between the two clicks of a double click.
const DOUBLE_CLICK: Duration = Duration::from_millis(400);

/// A click, until it is known whether a second one follows.
struct LastClick {
    time: Instant,
    at: Position,
}

/// Notes a click. Returns whether it is the second one on this cell within a moment.
fn is_second_click(last: &mut Option<LastClick>, at: Position) -> bool {
    let time = Instant::now();
    if let Some(before) = last.take()
        && before.at == at
        && time - before.time <= DOUBLE_CLICK
    {
        return true;
    }
    *last = Some(LastClick { time, at });
    false
}

/// Returns the message for an event of the terminal. Resizing is reported by a signal instead.
fn message(event: TerminalEvent, last_click: &mut Option<LastClick>) -> Option<Message> {
    match event {
        TerminalEvent::Key(key) if key.kind != KeyEventKind::Release => Some(Message::Key(key)),
        TerminalEvent::Mouse(mouse) => {
            let at = Position::new(mouse.column, mouse.row);
            let is_click = mouse.kind == MouseEventKind::Down(MouseButton::Left);
            if is_click && is_second_click(last_click, at) {
                return Some(Message::DoubleClick(at));
            }
            Some(Message::Mouse(mouse))
        }
        TerminalEvent::Paste(text) => Some(Message::Paste(text)),
        TerminalEvent::Key(_) => None,
    }
}

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

/// Returns the signal that asked the process to end; `None` if none did.
pub(crate) fn asked() -> Option<i32> {
    let (signal, _) = ASKED.get()?;
    Some(*signal)
}

/// Returns the signal that asked the process to end, once the time is over in which the loop may handle other events.
pub(crate) fn due() -> Option<i32> {
    let (signal, asked_at) = ASKED.get()?;
    if asked_at.elapsed() < TIME_TO_CATCH_UP {
        return None;
    }
    Some(*signal)
}

/// Ends the process as if the signal had never been caught, or with the exit code that a shell gives for it. Nothing
/// else runs, such as handlers of the C library that could block.
pub(crate) fn die_by(signal: i32) -> ! {
    // This returns only for signals that it does not know as the end of a process.
    let _ = low_level::emulate_default_handler(signal);
    low_level::exit(128 + signal)
}
