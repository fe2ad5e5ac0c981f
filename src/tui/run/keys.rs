//! Reading keys: one thread reads the bytes of the terminal and passes their events to the loop.
//!
//! It sleeps until the terminal sends something. Only while input is incomplete does it wake up by itself.

use crate::tui::input::decoder::Decoder;
use crate::tui::state::Message;
use crossterm::event::{Event as TerminalEvent, KeyEventKind, MouseButton, MouseEventKind};
use ratatui::layout::Position;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use std::time::{Duration, Instant};

/// The most bytes taken in one read. A terminal holds no more than this.
const READ: usize = 4096;

/// Passes messages about keys to `take` until it returns that the loop is gone, or until the terminal is gone. Another
/// thread reports the loss of the terminal.
pub(crate) fn read(keys: &OwnedFd, take: impl Fn(Message) -> bool) {
    let mut decoder = Decoder::default();
    let mut clicks = Clicks::default();
    let mut bytes = [0; READ];
    loop {
        let events = match wait(keys, decoder.patience()) {
            Ok(Input::None) => decoder.time_out(),
            Ok(found) => match rustix::io::read(keys, &mut bytes) {
                // Without a hang-up, this is the end-of-file key of a shell that had the terminal at that moment.
                Ok(0) if found == Input::HangUp => return,
                Ok(read) => decoder.push(&bytes[..read]),
                Err(Errno::INTR | Errno::AGAIN) => continue,
                Err(_) => return,
            },
            Err(Errno::INTR) => continue,
            Err(_) => return,
        };
        if !events
            .into_iter()
            .filter_map(|event| message(event, &mut clicks))
            .all(&take)
        {
            return;
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Input {
    /// Nothing came in time.
    None,
    Bytes,
    /// The terminal is gone, although there may still be bytes.
    HangUp,
}

/// Waits for bytes, forever if there is no limit.
fn wait(keys: &OwnedFd, limit: Option<Duration>) -> Result<Input, Errno> {
    let limit = limit.map(|limit| Timespec {
        tv_sec: limit.as_secs().cast_signed(),
        tv_nsec: limit.subsec_nanos().into(),
    });
    let mut waiting = [PollFd::new(keys, PollFlags::IN)];
    if rustix::event::poll(&mut waiting, limit.as_ref())? == 0 {
        return Ok(Input::None);
    }
    let is_gone = waiting[0]
        .revents()
        .intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL);
    Ok(if is_gone { Input::HangUp } else { Input::Bytes })
}

const DOUBLE_CLICK: Duration = Duration::from_millis(400);

/// The last click, which the next one may follow in time.
#[derive(Default)]
struct Clicks {
    last: Option<(Instant, Position)>,
}

impl Clicks {
    /// Notes a click. Returns whether it is the second one on this cell within a moment.
    fn is_second(&mut self, at: Position) -> bool {
        let now = Instant::now();
        let is_second = self
            .last
            .take()
            .is_some_and(|(before, place)| place == at && now - before <= DOUBLE_CLICK);
        if !is_second {
            self.last = Some((now, at));
        }
        is_second
    }
}

/// Returns the message for an event of the terminal. Resizing is reported by a signal instead.
fn message(event: TerminalEvent, clicks: &mut Clicks) -> Option<Message> {
    match event {
        TerminalEvent::Key(key) if key.kind != KeyEventKind::Release => Some(Message::Key(key)),
        TerminalEvent::Mouse(mouse) => {
            let at = Position::new(mouse.column, mouse.row);
            let is_click = mouse.kind == MouseEventKind::Down(MouseButton::Left);
            Some(if is_click && clicks.is_second(at) {
                Message::DoubleClick(at)
            } else {
                Message::Mouse(mouse)
            })
        }
        TerminalEvent::Paste(text) => Some(Message::Paste(text)),
        _ => None,
    }
}
