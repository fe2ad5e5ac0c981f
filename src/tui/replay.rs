//! Playing a recording in a terminal, until it ends or somebody presses a key.

use super::{Ending, Explorer};
use crate::tui::headless::Headless;
use crate::tui::run::events::Event;
use crate::tui::run::terminal::Terminal;
use crate::tui::script::{Recording, Step};
use crate::tui::state::Message;
use color_eyre::eyre::{Result, eyre};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseEventKind};
use ratatui::layout::{Position, Size};
use std::collections::VecDeque;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

/// A recording that is being played.
#[derive(Debug)]
pub struct Replay {
    explorer: Headless,
    steps: VecDeque<Step>,
    length: Duration,
    /// The size of a terminal with room for it.
    needed: Size,
    /// How much faster than recorded; 0 plays everything at once.
    speed: f64,
    started: Instant,
}

impl Replay {
    /// Returns a recording to be played in an explorer with its tree open.
    pub fn new(explorer: Headless, recording: Recording, speed: f64) -> Self {
        Self {
            explorer,
            needed: recording.largest_size(),
            steps: recording.script.steps.into(),
            length: recording.script.length,
            speed,
            started: Instant::now(),
        }
    }

    pub(super) fn check_size(&self, terminal: Size) -> Result<()> {
        let Size { width, height } = self.needed;
        if width <= terminal.width && height <= terminal.height {
            return Ok(());
        }
        Err(eyre!(
            "the recording needs a screen of {width}x{height}, and this terminal has {}x{}; enlarge it, or send the \
             output to a file, which gets the last screen",
            terminal.width,
            terminal.height
        ))
    }

    fn now(&self) -> Duration {
        if self.speed == 0.0 {
            return self.length;
        }
        let passed = self.started.elapsed().as_secs_f64() * self.speed;
        Duration::try_from_secs_f64(passed).unwrap_or(Duration::MAX)
    }

    /// Plays what is due. Returns the time until something is due again, or `None` at the end.
    fn go_on(&mut self) -> Option<Duration> {
        let now = self.now();
        while self.steps.front().is_some_and(|step| step.at <= now) {
            let Some(step) = self.steps.pop_front() else {
                break;
            };
            self.explorer.advance(step.at);
            self.explorer.apply(&step.event);
        }
        self.explorer.advance(now.min(self.length));
        if self.explorer.has_quit() || (self.steps.is_empty() && now >= self.length) {
            return None;
        }
        let next = self.steps.front().map_or(self.length, |step| step.at);
        let change = self.explorer.next_change().unwrap_or(next);
        let left = next.min(change).saturating_sub(now).as_secs_f64() / self.speed;
        Some(Duration::try_from_secs_f64(left).unwrap_or(Duration::MAX))
    }
}

impl Explorer {
    /// Plays a recording, then goes on with its explorer. Returns how that ended; `None` if the user has the keys.
    pub(super) fn play(&mut self, mut replay: Replay) -> Result<Option<Ending>> {
        replay.started = Instant::now();
        let mut held = Vec::new();
        while let Some(left) = replay.go_on() {
            self.draw_played(&replay)?;
            match self.inbox.recv_timeout(left) {
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(Some(Ending::Quit)),
                Ok(Event::Message(message)) => match &message {
                    Message::Resize => self.terminal.forget()?,
                    Message::Key(key) if is_quit(*key) => return Ok(Some(Ending::Quit)),
                    Message::Mouse(event) if !matches!(event.kind, MouseEventKind::Down(_)) => {}
                    // The user goes on alone from here.
                    Message::Key(_)
                    | Message::Paste(_)
                    | Message::DoubleClick(_)
                    | Message::Mouse(_) => break,
                    _ => held.push(message),
                },
                Ok(event) => {
                    if let Some(ending) = self.see_to(event)? {
                        return Ok(Some(ending));
                    }
                }
            }
        }
        if replay.explorer.has_quit() {
            return Ok(Some(Ending::Quit));
        }
        let (app, waits) = replay.explorer.into_parts();
        self.app = app;
        self.terminal.forget()?;
        let mut ending = self.perform_all(waits.into())?;
        for message in std::iter::once(Message::Replayed).chain(held) {
            if ending.is_none() {
                ending = self.tell(message)?;
            }
        }
        Ok(ending)
    }

    /// Draws the screen of the recording, as far as it fits in the terminal.
    fn draw_played(&mut self, replay: &Replay) -> Result<()> {
        if !Terminal::is_taken() {
            return Ok(());
        }
        let screen = replay.explorer.screen();
        self.terminal.draw(|frame| {
            let area = frame.area();
            for position in screen.area.intersection(area).positions() {
                frame.buffer_mut()[position] = screen[position].clone();
            }
            let cursor = replay.explorer.cursor().map(Position::from);
            if let Some(cursor) = cursor.filter(|&cursor| area.contains(cursor)) {
                frame.set_cursor_position(cursor);
            }
        })?;
        Ok(())
    }
}

fn is_quit(key: KeyEvent) -> bool {
    matches!(
        (key.code, key.modifiers),
        (KeyCode::Char('q'), KeyModifiers::NONE) | (KeyCode::Char('c'), KeyModifiers::CONTROL)
    )
}
