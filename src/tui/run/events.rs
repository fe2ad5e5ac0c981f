//! Events: keys, the mouse, signals and the loss of the terminal. A sleeping thread waits for each kind.
//!
//! After a signal that ends the process, the loop gets a short time to save what is unsaved, and then the process ends
//! by force, within a second of the signal. Neither a computation, a blocked write nor a hanging file server can keep
//! it alive.

use crate::base::shown::Shown;
use crate::tui::input::decoder::Decoder;
use crate::tui::job::Ticket;
use crate::tui::run::farewell;
use crate::tui::run::terminal::{self, wire};
use crate::tui::state::Message;
use color_eyre::eyre::{Context, Result};
use crossterm::event::{Event as TerminalEvent, KeyEventKind, MouseButton, MouseEventKind};
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
    let others = [SIGTSTP, SIGCONT, SIGWINCH];
    let signals = Signals::new(SIGNALS.iter().chain(&others));
    let mut signals = signals.wrap_err("signals cannot be caught")?;
    for signal in OTHER_SIGNALS.into_iter().flatten() {
        // A system without this signal never sends it.
        let _ = signals.handle().add_signal(signal);
    }
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
        read_keys(&bytes, |message| {
            to_loop.send(Event::Message(message)).is_ok()
        });
    })?;
    let to_loop = sender.clone();
    spawn("hang-up", move || {
        // Not for input: the thread that reads keys may be waiting for the loop. The screen may be another terminal.
        let screen = rustix::stdio::stdout();
        let terminals = if rustix::termios::isatty(screen) {
            2
        } else {
            1
        };
        let gone = |fd| PollFd::from_borrowed_fd(fd, PollFlags::empty());
        let mut waiting = [gone(keys.as_fd()), gone(screen)];
        let waiting = &mut waiting[..terminals];
        while rustix::event::poll(waiting, None) == Err(Errno::INTR) {}
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
        let events = events.into_iter();
        let mut messages = events.filter_map(|event| message(event, &mut last_click));
        if !messages.all(&take) {
            return;
        }
    }
}

/// Waits for bytes, forever if there is no limit. Returns what came, or `None` if nothing came in time.
fn wait(keys: &OwnedFd, limit: Option<Duration>) -> Result<Option<PollFlags>, Errno> {
    let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
    let mut waiting = [PollFd::new(keys, PollFlags::IN)];
    let count = rustix::event::poll(&mut waiting, limit.as_ref())?;
    Ok((count > 0).then(|| waiting[0].revents()))
}

const DOUBLE_CLICK: Duration = Duration::from_millis(400);

/// Notes a click. Returns whether it is the second one on this cell within a moment.
fn is_second_click(last: &mut Option<(Instant, Position)>, at: Position) -> bool {
    let now = Instant::now();
    let before = last.take();
    let is_second =
        before.is_some_and(|(before, place)| place == at && now - before <= DOUBLE_CLICK);
    *last = (!is_second).then_some((now, at));
    is_second
}

/// Returns the message for an event of the terminal. Resizing is reported by a signal instead.
fn message(event: TerminalEvent, last_click: &mut Option<(Instant, Position)>) -> Option<Message> {
    match event {
        TerminalEvent::Key(key) if key.kind != KeyEventKind::Release => Some(Message::Key(key)),
        TerminalEvent::Mouse(mouse) => {
            let at = Position::new(mouse.column, mouse.row);
            let is_click = mouse.kind == MouseEventKind::Down(MouseButton::Left);
            Some(if is_click && is_second_click(last_click, at) {
                Message::DoubleClick(at)
            } else {
                Message::Mouse(mouse)
            })
        }
        TerminalEvent::Paste(text) => Some(Message::Paste(text)),
        _ => None,
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

pub(crate) fn asked() -> Option<i32> {
    ASKED.get().map(|(signal, _)| *signal)
}

/// Returns the signal that asked the process to end, once the time is over in which the loop may handle other events.
pub(crate) fn due() -> Option<i32> {
    let (signal, asked_at) = ASKED.get()?;
    (asked_at.elapsed() >= TIME_TO_CATCH_UP).then_some(*signal)
}

/// Ends the process as if the signal had never been caught, or with the exit code that a shell gives for it. Nothing
/// else runs, such as handlers of the C library that could block.
pub(crate) fn die_by(signal: i32) -> ! {
    // This returns only for signals that it does not know as the end of a process.
    let _ = low_level::emulate_default_handler(signal);
    low_level::exit(128 + signal)
}
