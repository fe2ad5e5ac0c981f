//! An explorer without a terminal. What it asks for is done at once, and its clock is that of a script, so that the
//! same events give the same screens.

use super::config::Options;
use super::job::{Now, Running, Ticket};
use super::picture::{Paper, PictureForm};
use super::screen::spoken::spoken;
use super::script::{Script, ScriptEvent};
use super::state::message::opened;
use super::state::{App, BEAT, Effect, Job, Memory, Message, Notice, TerminalEffect, Work};
use crate::base::shown::Shown;
use crate::format::{Progress, Request};
use crate::rules::policy::Policy;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

/// Why nothing is saved.
const NOT_WRITTEN: &str = "no file is written while keys are played";

/// Takes the explorer after a change, with the event that made it.
type Show<'a> = &'a mut dyn FnMut(&Headless, Option<&ScriptEvent>);

/// What the explorer hands over instead of doing it.
#[derive(Debug)]
pub enum Delivery {
    /// Text for the clipboard.
    Copied(String),
    /// A file, by the name that it was given.
    File(PathBuf, Vec<u8>),
    /// What is noted or looked up of what is kept from run to run.
    Memory(Memory),
    /// Work that may take time.
    Work(HandedWork),
}

/// Work that was handed over, to be done while the explorer goes on.
#[derive(Debug)]
pub struct HandedWork(Handed);

#[derive(Debug)]
enum Handed {
    Load(Ticket, Box<Request>, Option<Policy>),
    Job(Box<Job>),
}

impl HandedWork {
    /// Does the work. What it tells is for [`Headless::send`].
    pub fn perform(self, now: &Now, tell: &mut dyn FnMut(Message)) {
        match self.0 {
            Handed::Load(ticket, request, policy) => {
                let report = &mut |progress: &Progress| {
                    ticket.go_on()?;
                    tell(Message::Progress(progress.clone()));
                    ControlFlow::Continue(())
                };
                let opened = opened(&request, policy, now.clone(), report);
                // Of one that was cancelled nothing is heard any more.
                if !ticket.is_cancelled() {
                    tell(opened.unwrap_or_else(Message::LoadFailed));
                }
            }
            Handed::Job(job) => job.perform(&|| now.clone(), tell),
        }
    }
}

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
    /// The waits that have not passed.
    waits: Vec<Wait>,
    /// What was not taken yet; `None` if nothing is handed over, and saving is refused.
    deliveries: Option<Vec<Delivery>>,
    /// The newest load that was handed over. Of older ones, which are cancelled, nothing is heard.
    load: Running<()>,
    loads: u64,
    /// Whether text is being typed.
    is_typing: bool,
    /// The time of day; `None` if it is that of the script.
    time_of_day: Option<Now>,
    has_quit: bool,
}

/// Something that happens by itself.
#[derive(Debug)]
struct Wait {
    /// When, since the start.
    due: Duration,
    /// The message that the explorer gets at that time.
    message: Message,
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
            deliveries: None,
            load: Running::default(),
            loads: 0,
            is_typing: false,
            time_of_day: None,
            has_quit: false,
        }
    }

    /// Returns the explorer such that it hands over what it would write and what takes time, for
    /// [`Self::take_deliveries`].
    pub fn delivering(mut self) -> Self {
        self.deliveries = Some(Vec::new());
        self
    }

    /// Returns what the explorer handed over since the last time.
    pub fn take_deliveries(&mut self) -> Vec<Delivery> {
        match &mut self.deliveries {
            Some(deliveries) => std::mem::take(deliveries),
            None => Vec::new(),
        }
    }

    /// Opens sources under this policy from now on.
    pub fn set_policy(&mut self, policy: Policy) {
        self.policy = Some(policy);
    }

    /// Sets the time of day, until it is set again.
    pub fn set_time_of_day(&mut self, now: Now) {
        self.time_of_day = Some(now);
    }

    /// Lets time pass up to a moment since the start, and does what was waited for.
    pub fn pass(&mut self, until: Duration) {
        self.advance(until, &mut |_, _| ());
    }

    /// Opens a source; without one, the built-in example. Fails if it cannot be opened.
    pub fn open(&mut self, request: Option<Request>) -> Result<(), Shown> {
        self.begin(match request {
            Some(request) => Message::Open(Box::new(request)),
            None => Message::Example,
        })
    }

    /// Begins with a source or a lesson. Fails if its tree cannot be opened.
    pub fn begin(&mut self, first: Message) -> Result<(), Shown> {
        self.send(first);
        match self.refusal() {
            Some(reason) => Err(reason),
            None => Ok(()),
        }
    }

    /// Returns why no tree is open; `None` if one is, or nothing was opened.
    pub fn refusal(&self) -> Option<Shown> {
        match (self.app.session(), self.app.notice()) {
            (None, Some(Notice::Error(reason) | Notice::Info(reason))) => Some(reason.clone()),
            _ => None,
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
        while let Some(place) = self.next_wait()
            && self.waits[place].due <= until
        {
            let wait = self.waits.remove(place);
            self.now = wait.due;
            self.send(wait.message);
            // What happens at one moment is shown together.
            if self.next_change() != Some(wait.due) {
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

    /// Returns the place of the wait that ends first; `None` if nothing is waited for.
    fn next_wait(&self) -> Option<usize> {
        if self.has_quit {
            return None;
        }
        // Of several that end together, the first one was asked for first.
        (0..self.waits.len()).min_by_key(|&place| self.waits[place].due)
    }

    /// Returns the moment at which something happens by itself, or `None` if nothing will.
    pub fn next_change(&self) -> Option<Duration> {
        let place = self.next_wait()?;
        Some(self.waits[place].due)
    }

    /// Does what the explorer asks for. Nothing is written: files and text are handed over, or refused.
    fn perform(&mut self, effect: Effect) -> Vec<Message> {
        match effect {
            Effect::Work(work) => self.work(work),
            Effect::SaveScreen(path, form, _) => {
                let picture = self.picture(form);
                self.export(vec![(path, picture.into_bytes())])
            }
            Effect::Terminal(TerminalEffect::Copy(text)) => self.deliver(Delivery::Copied(text)),
            Effect::Memory(memory) => self.deliver(Delivery::Memory(memory)),
            Effect::Quit => {
                self.has_quit = true;
                Vec::new()
            }
            Effect::Terminal(TerminalEffect::Pasting(on)) => {
                self.is_typing = on;
                Vec::new()
            }
            // These are for a terminal.
            Effect::Terminal(_) => Vec::new(),
        }
    }

    /// Hands something over, if anything is. Nothing is heard of it at once.
    fn deliver(&mut self, delivery: Delivery) -> Vec<Message> {
        if let Some(deliveries) = &mut self.deliveries {
            deliveries.push(delivery);
        }
        Vec::new()
    }

    /// Hands work over, or does it at once, as far as a script waits for it. Returns what the explorer hears of it.
    fn work(&mut self, work: Work) -> Vec<Message> {
        match work {
            Work::Load(request) => {
                self.loads += 1;
                let ticket = Ticket::new(self.loads);
                self.load.begin(ticket.clone(), ());
                self.do_or_deliver(Handed::Load(ticket, Box::new(request), self.policy))
            }
            Work::Run(job) => self.do_or_deliver(Handed::Job(job)),
            Work::Save { path, contents, .. } => {
                let told = Message::Saved(path.clone(), None);
                self.hand_over(vec![(path, contents.into_bytes())], told)
            }
            Work::Export(files, _) => self.export(files),
            Work::Wait(seconds) => {
                let time = Duration::from_secs(seconds.into());
                self.wait(time, Message::Tick)
            }
            Work::Beat(number) => self.wait(BEAT, Message::Beat(number)),
            Work::CancelLoad => match self.load.forget() {
                Some(()) => vec![Message::LoadCancelled],
                None => Vec::new(),
            },
        }
    }

    /// Hands work over, or does it at once. Progress that is over already is not heard of.
    fn do_or_deliver(&mut self, work: Handed) -> Vec<Message> {
        let work = HandedWork(work);
        if self.deliveries.is_some() {
            return self.deliver(Delivery::Work(work));
        }
        let mut told = Vec::new();
        work.perform(&self.time_of_day(), &mut |message| {
            if !matches!(message, Message::Progress(_)) {
                told.push(message);
            }
        });
        told
    }

    /// Hands over new files. Returns what the explorer hears of it.
    fn export(&mut self, files: Vec<(PathBuf, Vec<u8>)>) -> Vec<Message> {
        let mut paths = Vec::new();
        for (path, _) in &files {
            paths.push(path.clone());
        }
        self.hand_over(files, Message::Exported(paths))
    }

    /// Hands over files, of which the explorer hears this message; or refuses to.
    fn hand_over(&mut self, files: Vec<(PathBuf, Vec<u8>)>, told: Message) -> Vec<Message> {
        let Some(deliveries) = &mut self.deliveries else {
            return vec![Message::SaveFailed(NOT_WRITTEN.into())];
        };
        for (path, contents) in files {
            deliveries.push(Delivery::File(path, contents));
        }
        vec![told]
    }

    /// Keeps a message until its time has passed in the script. Nothing is heard of it at once.
    fn wait(&mut self, time: Duration, message: Message) -> Vec<Message> {
        let due = self.now + time.max(Duration::from_millis(1));
        self.waits.push(Wait { due, message });
        Vec::new()
    }

    /// Returns the time of day that was told, or else as the script has it.
    fn time_of_day(&self) -> Now {
        if let Some(now) = &self.time_of_day {
            return now.clone();
        }
        let seconds = self.now.as_secs();
        let hours = seconds / 3600 % 24;
        let minutes = seconds / 60 % 60;
        Now {
            time_of_day: format!("{hours:02}:{minutes:02}:{:02}", seconds % 60),
            unix_seconds: None,
        }
    }

    /// Draws the screen into the buffer.
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

    /// Returns the colours that its theme leaves to the terminal.
    pub fn paper(&self) -> Paper {
        Paper::of(self.app.theme())
    }

    /// Returns what a screen reader says of the screen.
    pub fn spoken(&self) -> String {
        spoken(&self.app, &self.screen)
    }

    /// Returns the screen in a form, in the colours of its theme.
    pub fn picture(&self, form: PictureForm) -> String {
        form.draw(&self.screen, &self.paper())
    }

    /// Returns the position of the text cursor, or `None` if it is hidden.
    pub const fn cursor(&self) -> Option<(u16, u16)> {
        self.cursor
    }

    /// Returns whether text is being typed, so that it can be pasted too.
    pub const fn is_typing(&self) -> bool {
        self.is_typing
    }

    /// Returns whether a tree is open.
    pub fn is_open(&self) -> bool {
        self.app.session().is_some()
    }

    /// Returns whether an open tree has edits that no file holds.
    pub fn has_unsaved_edits(&self) -> bool {
        self.app.drafts().iter().any(Option::is_some)
    }

    /// Returns how often edits have changed or were saved.
    pub fn changes(&self) -> u64 {
        self.app.changes()
    }

    /// Returns the unsaved edits of each open tree, as the files of scenarios that a folder would hold beside them.
    pub fn drafts(&self) -> Vec<String> {
        let mut drafts = Vec::new();
        for draft in self.app.drafts().into_iter().flatten() {
            drafts.push(draft.write());
        }
        drafts
    }

    /// Returns whether the explorer was left.
    pub const fn has_quit(&self) -> bool {
        self.has_quit
    }
}
