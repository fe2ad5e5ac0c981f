//! An explorer without a terminal. What it asks for is done at once, and its clock is that of a script, so that the
//! same events give the same screens. In a terminal it plays a recording, until that ends or somebody presses a key.

use super::{Ending, Explorer};
use crate::base::shown::Shown;
use crate::format::Request;
use crate::rules::policy::Policy;
use crate::tui::config::Options;
use crate::tui::job::Now;
use crate::tui::picture::{Paper, PictureForm};
use crate::tui::run::events::Event;
use crate::tui::run::terminal::Terminal;
use crate::tui::script::{Recording, Script, ScriptEvent, TreeMark};
use crate::tui::state::message::opened;
use crate::tui::state::{App, BEAT, Effect, Message, Notice};
use color_eyre::eyre::{Result, eyre};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseEventKind};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

const NOT_WRITTEN: &str = "no file is written while keys are played";

/// Takes the explorer after a change, with the event that made it.
type Show<'a> = &'a mut dyn FnMut(&Headless, Option<&ScriptEvent>);

/// An explorer without a terminal.
#[derive(Debug)]
pub struct Headless {
    app: App,
    policy: Option<Policy>,
    size: Size,
    screen: Buffer,
    cursor: Option<(u16, u16)>,
    /// The time since the start.
    now: Duration,
    /// The waits that have not passed, each with its end.
    waits: Vec<(Duration, Effect)>,
    has_quit: bool,
}

impl Headless {
    /// Returns an explorer with nothing open, on a screen of that size.
    pub fn new(options: Options, size: Size) -> Self {
        Self {
            policy: options.policy,
            app: App::new(options),
            size,
            screen: Buffer::default(),
            cursor: None,
            now: Duration::ZERO,
            waits: Vec::new(),
            has_quit: false,
        }
    }

    /// Opens a source; without one, the built-in example. Fails if it cannot be opened.
    pub fn open(&mut self, request: Option<Request>) -> Result<(), Shown> {
        self.begin(request.map_or(Message::Example, |request| Message::Open(Box::new(request))))
    }

    /// Begins with a source or a lesson. Fails if its tree cannot be opened.
    pub fn begin(&mut self, first: Message) -> Result<(), Shown> {
        self.send(first);
        match (self.app.session(), self.app.notice()) {
            (None, Some(Notice::Error(reason) | Notice::Info(reason))) => Err(reason.clone()),
            _ => Ok(()),
        }
    }

    /// Plays a whole script, until it ends or the explorer is left.
    pub fn play(&mut self, script: &Script) {
        self.play_showing(script, &mut |_, _| ());
    }

    /// Plays a whole script, and shows the explorer after each change: after an event with that event, and after
    /// something that happened by itself without one.
    pub fn play_showing(&mut self, script: &Script, show: Show<'_>) {
        for step in &script.steps {
            self.advance(step.at, show);
            self.apply(&step.event);
            show(self, Some(&step.event));
        }
        self.advance(script.length, show);
    }

    /// Lets time pass up to a moment since the start.
    fn advance(&mut self, until: Duration, show: Show<'_>) {
        while let Some((place, due)) = self.next_wait().filter(|&(_, due)| due <= until) {
            let message = match self.waits.remove(place) {
                (_, Effect::Beat(number)) => Message::Beat(number),
                _ => Message::Tick,
            };
            self.now = due;
            self.send(message);
            // What happens at one moment is shown together.
            if self.next_change() != Some(due) {
                show(self, None);
            }
        }
        self.now = self.now.max(until);
    }

    /// Returns the time since the start.
    pub const fn now(&self) -> Duration {
        self.now
    }

    /// Lets an event happen now.
    pub fn apply(&mut self, event: &ScriptEvent) {
        if let ScriptEvent::Resize(size) = event {
            self.size = *size;
        }
        if let Some(message) = event.clone().message() {
            self.send(message);
        }
    }

    /// Sends a message and does everything that the explorer asks for in turn.
    pub fn send(&mut self, message: Message) {
        let mut messages = VecDeque::from([message]);
        while let Some(message) = messages.pop_front() {
            if self.has_quit {
                return;
            }
            for effect in self.app.update(message) {
                messages.extend(self.perform(effect));
            }
            // The next message may depend on where things are drawn.
            self.draw();
        }
    }

    /// Returns the wait that ends first, by its place, and its end.
    fn next_wait(&self) -> Option<(usize, Duration)> {
        let ends = self.waits.iter().map(|&(due, _)| due).enumerate();
        ends.filter(|_| !self.has_quit)
            .min_by_key(|&(place, due)| (due, place))
    }

    /// Returns the moment at which something happens by itself, or `None` if nothing will.
    pub fn next_change(&self) -> Option<Duration> {
        self.next_wait().map(|(_, due)| due)
    }

    /// Does what the explorer asks for. Nothing is written: neither files nor to a clipboard.
    fn perform(&mut self, effect: Effect) -> Vec<Message> {
        match effect {
            Effect::Load(request) => {
                let report = &mut |_: &_| ControlFlow::Continue(());
                let opened = opened(&request, self.policy, self.now_of_script(), report);
                return vec![opened.unwrap_or_else(Message::LoadFailed)];
            }
            Effect::Run(job) => {
                let now = self.now_of_script();
                let mut told = Vec::new();
                job.perform(&|| now.clone(), &mut |message| told.push(message));
                return told;
            }
            Effect::Save { .. } | Effect::Export(..) | Effect::SaveScreen { .. } => {
                return vec![Message::SaveFailed(NOT_WRITTEN.into())];
            }
            Effect::Wait(seconds) => self.wait(Duration::from_secs(seconds.into()), effect),
            Effect::Beat(_) => self.wait(BEAT, effect),
            Effect::Quit => self.has_quit = true,
            // The others are for a terminal or the user's own files.
            _ => {}
        }
        Vec::new()
    }

    fn wait(&mut self, time: Duration, effect: Effect) {
        self.waits
            .push((self.now + time.max(Duration::from_millis(1)), effect));
    }

    fn now_of_script(&self) -> Now {
        let seconds = self.now.as_secs();
        let (hours, minutes) = (seconds / 3600 % 24, seconds / 60 % 60);
        Now {
            time_of_day: format!("{hours:02}:{minutes:02}:{:02}", seconds % 60),
            unix_seconds: None,
        }
    }

    fn draw(&mut self) {
        let area = Rect::from((Position::ORIGIN, self.size));
        let mut screen = Buffer::empty(area);
        self.cursor = self.app.draw_into(area, &mut screen);
        self.screen = screen;
    }

    /// Returns the screen.
    pub const fn screen(&self) -> &Buffer {
        &self.screen
    }

    /// Returns the screen in a form, in the colours of its theme.
    pub fn picture(&self, form: PictureForm) -> String {
        form.draw(&self.screen, &Paper::of(self.app.theme()))
    }

    /// Returns the mark of the tree on the screen, or `None` if none is open.
    pub fn tree_mark(&self) -> Option<TreeMark> {
        let session = self.app.session()?;
        Some(TreeMark::of(session.scenario.base()))
    }

    /// Returns the position of the text cursor, or `None` if it is hidden.
    pub const fn cursor(&self) -> Option<(u16, u16)> {
        self.cursor
    }

    /// Returns whether the explorer was left.
    pub const fn has_quit(&self) -> bool {
        self.has_quit
    }
}

/// A recording that is being played.
#[derive(Debug)]
pub struct Replay {
    explorer: Headless,
    recording: Recording,
    /// The place of the next step.
    next: usize,
    /// How much faster than recorded; 0 plays everything at once.
    speed: f64,
    started: Instant,
}

impl Replay {
    /// Returns a recording to be played in an explorer with its tree open.
    pub fn new(explorer: Headless, recording: Recording, speed: f64) -> Self {
        Self {
            explorer,
            recording,
            next: 0,
            speed,
            started: Instant::now(),
        }
    }

    pub(super) fn check_size(&self, terminal: Size) -> Result<()> {
        let Size { width, height } = self.recording.largest_size();
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
            return self.recording.script.length;
        }
        let passed = self.started.elapsed().as_secs_f64() * self.speed;
        Duration::try_from_secs_f64(passed).unwrap_or(Duration::MAX)
    }

    /// Plays what is due. Returns the time until something is due again, or `None` at the end.
    fn go_on(&mut self) -> Option<Duration> {
        let now = self.now();
        let Script { steps, length } = &self.recording.script;
        while let Some(step) = steps.get(self.next).filter(|step| step.at <= now) {
            self.explorer.advance(step.at, &mut |_, _| ());
            self.explorer.apply(&step.event);
            self.next += 1;
        }
        self.explorer.advance(now.min(*length), &mut |_, _| ());
        let next = steps.get(self.next);
        if self.explorer.has_quit() || (next.is_none() && now >= *length) {
            return None;
        }
        let next = next.map_or(*length, |step| step.at);
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
        self.app = replay.explorer.app;
        self.terminal.forget()?;
        let waits = replay.explorer.waits.into_iter();
        let mut ending = self.perform_all(waits.map(|(_, effect)| effect).collect())?;
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
