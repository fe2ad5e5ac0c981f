//! Journeys: keys in, screens out, without a terminal or threads. `update` is called and its effects are compared.

use super::expected::Expected as _;
use super::loading::load_quietly;
use super::trees;
use fairscope::format::Request;
use fairscope::model::Snapshot;
use fairscope::scenario::Scenario;
use fairscope::tui::event::{
    KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use fairscope::tui::{App, Effect, Job, Message, Notice, Now, Options, Task, Work};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::path::Path;

/// An explorer under test.
pub(crate) struct Journey {
    pub(crate) app: App,
    /// The effects that the explorer asked for, oldest first.
    pub(crate) effects: Vec<Effect>,
    size: (u16, u16),
}

/// Returns what a job tells if it is done at a time of day. It looks at the states of files at a time in Unix seconds.
pub(crate) fn told(job: Job, time_of_day: &str, unix_seconds: Option<i64>) -> Vec<Message> {
    let now = || Now {
        time_of_day: time_of_day.to_owned(),
        unix_seconds,
    };
    let mut told = Vec::new();
    job.perform(&now, &mut |message| told.push(message));
    told
}

fn is_about_files(job: &Job) -> bool {
    matches!(
        job.task,
        Task::Folder(_) | Task::Recent { .. } | Task::Reload(_)
    )
}

impl Journey {
    /// Opens a PBS tree drawn as text, on a screen of 120 by 40.
    pub(crate) fn on(drawing: &str) -> Self {
        Self::with(trees::pbs(drawing))
    }

    /// Opens a snapshot.
    pub(crate) fn with(snapshot: Snapshot) -> Self {
        Self::with_options(snapshot, Options::default())
    }

    /// Opens a snapshot with options.
    pub(crate) fn with_options(snapshot: Snapshot, options: Options) -> Self {
        let mut journey = Self::empty(options);
        journey.send(Message::Loaded(trees::opened(trees::loaded(snapshot))));
        journey
    }

    /// Opens a built-in tree.
    pub(crate) fn example(name: &str) -> Self {
        let request = Request::to_open(format!("example:{name}"));
        let loaded = load_quietly(&request);
        let mut journey = Self::empty(Options::default());
        journey.send(Message::Loaded(trees::opened(
            loaded.expect("it is built in"),
        )));
        journey
    }

    /// Answers all questions so far, as their threads would.
    pub(crate) fn answer(&mut self) {
        for effect in std::mem::take(&mut self.effects) {
            match effect {
                Effect::Work(Work::Run(job)) if !is_about_files(&job) => {
                    for message in told(*job, "12:00:00", None) {
                        self.send(message);
                    }
                }
                Effect::Work(Work::Load(request)) => {
                    let loaded = load_quietly(&request);
                    let loaded = loaded.expect("it can be loaded");
                    self.send(Message::Loaded(trees::opened(loaded)));
                }
                effect => self.effects.push(effect),
            }
        }
    }

    /// Lists what can be opened, as the threads would.
    pub(crate) fn list(&mut self) {
        let mut messages = Vec::new();
        for effect in std::mem::take(&mut self.effects) {
            match effect {
                Effect::Work(Work::Run(job)) if is_about_files(&job) => {
                    messages.extend(told(*job, "12:00:00", None));
                }
                effect => self.effects.push(effect),
            }
        }
        for message in messages {
            self.send(message);
        }
    }

    /// Starts an explorer with no tree open.
    pub(crate) fn empty(options: Options) -> Self {
        Self {
            app: App::new(options),
            effects: Vec::new(),
            size: (120, 40),
        }
    }

    /// Opens a source in an explorer that keeps what it remembers in a folder.
    pub(crate) fn remembering(folder: &Path, source: &Path) -> Self {
        let mut journey = Self::empty(Options {
            recent: Some(folder.join("recent")),
            folder: folder.to_owned(),
            ..Options::default()
        });
        journey.send(Message::Open(Box::new(Request::to_open(source))));
        journey.answer();
        journey
    }

    pub(crate) fn size(mut self, width: u16, height: u16) -> Self {
        self.resize(width, height);
        self
    }

    pub(crate) fn resize(&mut self, width: u16, height: u16) {
        self.size = (width, height);
        self.send(Message::Resize);
    }

    pub(crate) fn send(&mut self, message: Message) {
        self.effects.extend(self.app.update(message));
        self.buffer();
    }

    /// Presses keys, as in `jj e20<enter>`. A blank separates keys and is not pressed.
    pub(crate) fn keys(mut self, keys: &str) -> Self {
        self.press(keys);
        self
    }

    pub(crate) fn press(&mut self, keys: &str) {
        for key in parse(keys) {
            self.send(Message::Key(key));
        }
    }

    pub(crate) fn click(&mut self, x: u16, y: u16) {
        let kind = MouseEventKind::Down(MouseButton::Left);
        self.send(Message::Mouse(MouseEvent {
            kind,
            column: x,
            row: y,
            modifiers: KeyModifiers::NONE,
        }));
    }

    /// Returns the screen as cells.
    pub(crate) fn buffer(&mut self) -> Buffer {
        let area = Rect::new(0, 0, self.size.0, self.size.1);
        let mut buffer = Buffer::empty(area);
        self.app.draw_into(area, &mut buffer);
        buffer
    }

    /// Returns the screen as text, without trailing blanks.
    pub(crate) fn screen(&mut self) -> String {
        let buffer = self.buffer();
        let width = usize::from(self.size.0.max(1));
        let lines = buffer.content.chunks(width).map(|row| {
            let text: String = row.iter().map(ratatui::buffer::Cell::symbol).collect();
            text.trim_end().to_owned()
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Checks that a text is on the screen.
    #[track_caller]
    pub(crate) fn must_show(&mut self, text: &str) {
        self.screen().must_contain(text);
    }

    /// Checks that all these texts are on the screen.
    #[track_caller]
    pub(crate) fn must_show_all(&mut self, texts: &[&str]) {
        for text in texts {
            self.must_show(text);
        }
    }

    /// Checks that a text is not on the screen.
    #[track_caller]
    pub(crate) fn must_hide(&mut self, text: &str) {
        self.screen().must_lack(text);
    }

    /// Returns the row of the table that holds a text.
    #[track_caller]
    pub(crate) fn row(&mut self, text: &str) -> String {
        let screen = self.screen();
        let row = screen.lines().skip(3).find(|line| line.contains(text));
        row.unwrap_or_else(|| panic!("no row holds {text:?} in\n{screen}"))
            .to_owned()
    }

    /// Returns the name of the selected node.
    pub(crate) fn selected(&self) -> String {
        let session = self.app.session().expect("a tree is open");
        String::from_utf8_lossy(session.scenario.tree().name(session.selected())).into_owned()
    }
}

/// Returns the message on the last line. Empty if there is none.
pub(crate) fn notice(journey: &Journey) -> &str {
    match journey.app.notice() {
        Some(Notice::Info(text) | Notice::Error(text)) => text,
        None => "",
    }
}

/// Returns the sentence below the rows. Empty if there is none.
pub(crate) fn caption(journey: &Journey) -> String {
    let session = journey.app.session().expect("a tree is open");
    session.caption().unwrap_or_default().into()
}

/// Returns the open scenario.
#[track_caller]
pub(crate) fn scenario(journey: &Journey) -> &Scenario {
    &journey.app.session().expect("a tree is open").scenario
}

fn parse(keys: &str) -> Vec<KeyEvent> {
    let mut events = Vec::new();
    let mut rest = keys;
    while let Some(char) = rest.chars().next() {
        if let Some((name, after)) = rest.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
            events.push(named(name));
            rest = after;
            continue;
        }
        rest = &rest[char.len_utf8()..];
        if char != ' ' {
            events.push(KeyEvent::new(KeyCode::Char(char), KeyModifiers::NONE));
        }
    }
    events
}

fn named(name: &str) -> KeyEvent {
    let (name, modifiers) = match name.strip_prefix("ctrl-") {
        Some(name) => (name, KeyModifiers::CONTROL),
        None => (name, KeyModifiers::NONE),
    };
    let code = match name {
        "enter" => KeyCode::Enter,
        "esc" => KeyCode::Esc,
        "tab" => KeyCode::Tab,
        "shift-tab" => KeyCode::BackTab,
        "space" => KeyCode::Char(' '),
        "backspace" => KeyCode::Backspace,
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "home" => KeyCode::Home,
        "end" => KeyCode::End,
        "f1" => KeyCode::F(1),
        "f2" => KeyCode::F(2),
        "lt" => KeyCode::Char('<'),
        name => KeyCode::Char(name.chars().next().expect("a key has a name")),
    };
    KeyEvent::new(code, modifiers)
}
