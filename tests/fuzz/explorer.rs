//! The explorer without a terminal, drawn and checked after everything that happens.

use super::keyboard::Happening;
use super::promises::is_hidden;
use crate::laws::said;
use crate::support::journey::told;
use crate::support::loading::load_quietly;
use crate::support::trees;
use fairscope::base::shown::Shown;
use fairscope::format::{Request, is_example};
use fairscope::scenario::{Scenario, parse};
use fairscope::tui::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use fairscope::tui::{
    Answer, App, Confirm, Decoder, Dialog, Effect, Message, Options, Overwrite, Session, Task, Work,
};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

/// An effect; a load has its number, for only the newest one is heard.
struct Asked {
    load: Option<u64>,
    effect: Effect,
}

/// The explorer without a terminal. Its files exist in memory only.
pub(super) struct Explorer {
    app: App,
    decoder: Decoder,
    /// What was asked for and not done yet.
    effects: Vec<Asked>,
    /// What each thread has to tell, and did not tell yet.
    threads: Vec<(Option<u64>, VecDeque<Message>)>,
    /// The number of the newest load, unless it was cancelled.
    load: Option<u64>,
    loads: u64,
    size: (u16, u16),
    files: HashMap<PathBuf, String>,
    /// The states in which the table was found to agree with the history: the mark of the edits and the hash of the tree.
    agreeing: HashSet<(u64, u64)>,
    pub(super) has_quit: bool,
}

impl Explorer {
    /// Starts an explorer with no tree open.
    pub(super) fn new() -> Self {
        Self {
            app: App::new(Options {
                folder: crate::support::data(""),
                ..Options::default()
            }),
            decoder: Decoder::default(),
            effects: Vec::new(),
            threads: Vec::new(),
            load: None,
            loads: 0,
            size: (120, 40),
            files: HashMap::new(),
            agreeing: HashSet::new(),
            has_quit: false,
        }
    }

    /// Lets something happen.
    pub(super) fn meet(&mut self, happening: Happening) -> Result<(), String> {
        match happening {
            Happening::Message(message) => self.send(message),
            Happening::Size(width, height) => {
                self.size = (width, height);
                self.send(Message::Resize)
            }
            Happening::Bytes(bytes) => {
                for event in self.decoded(&bytes)? {
                    self.send(event)?;
                }
                Ok(())
            }
            Happening::Done => self.answer(true),
            Happening::Failed => self.answer(false),
            Happening::Run(which) => {
                self.run(which);
                Ok(())
            }
            Happening::Hear(which) => self.hear(which),
        }
    }

    /// Sends a message and checks the frame that follows.
    pub(super) fn send(&mut self, message: Message) -> Result<(), String> {
        let mut messages = vec![message];
        while let Some(message) = messages.pop() {
            for effect in self.app.update(message) {
                self.has_quit |= effect == Effect::Quit;
                if effect == Effect::Work(Work::CancelLoad) {
                    // The explorer's loop answers this itself.
                    let was_loading = self.load.take().is_some();
                    messages.extend(was_loading.then_some(Message::LoadCancelled));
                    continue;
                }
                let load = matches!(effect, Effect::Work(Work::Load(_))).then(|| {
                    self.loads += 1;
                    self.loads
                });
                self.load = load.or(self.load);
                self.effects.push(Asked { load, effect });
            }
        }
        self.look()
    }

    /// Returns what bytes of the terminal mean once nothing follows them. After that `^C` must be heard.
    fn decoded(&mut self, bytes: &[u8]) -> Result<Vec<Message>, String> {
        const MOST: usize = 8;
        let mut events = self.decoder.push(bytes);
        for _ in 0..MOST {
            if self.decoder.patience().is_some() {
                events.extend(self.decoder.time_out());
            }
        }
        if self.decoder.patience().is_some() {
            return Err("the input stays incomplete".to_owned());
        }
        let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        if self.decoder.push(b"\x03") != [Event::Key(interrupt)] {
            return Err("^C is not heard".to_owned());
        }
        let messages = events.into_iter().map(|event| match event {
            Event::Key(key) => Message::Key(key),
            Event::Mouse(mouse) => Message::Mouse(mouse),
            Event::Paste(text) => Message::Paste(text),
        });
        Ok(messages.collect())
    }

    /// Draws a frame and checks it.
    fn look(&mut self) -> Result<(), String> {
        let area = Rect::new(0, 0, self.size.0, self.size.1);
        let mut buffer = Buffer::empty(area);
        self.app.draw_into(area, &mut buffer);
        let symbols = buffer.content.iter().map(ratatui::buffer::Cell::symbol);
        let mut chars = symbols.flat_map(str::chars);
        if let Some(char) = chars.find(|&char| is_hidden(char)) {
            return Err(format!("the frame holds U+{:04X}", char as u32));
        }
        let Some(session) = self.app.session() else {
            return Ok(());
        };
        if !matches!(self.app.dialog(), Some(Dialog::Prompt(_))) {
            check_history(session, &mut self.agreeing)?;
        }
        let tree = session.scenario.tree();
        if !tree.nodes().contains(&session.selected()) {
            return Err("the selected node is not in the tree".to_owned());
        }
        let (cursor, rows) = (session.pane().cursor, session.pane().outline.rows().len());
        if cursor >= rows.max(1) {
            return Err(format!("the cursor is in row {cursor} of {rows}"));
        }
        Ok(())
    }

    /// Answers what the explorer asked for, as its threads would, in the order in which it was asked for.
    fn answer(&mut self, succeeds: bool) -> Result<(), String> {
        for asked in std::mem::take(&mut self.effects) {
            let told = self.answers(asked.effect, succeeds);
            self.threads.push((asked.load, told.into()));
        }
        while !self.threads.is_empty() {
            self.hear(0)?;
        }
        Ok(())
    }

    /// Lets a thread do one of the things that were asked for, and keep what it has to tell.
    fn run(&mut self, which: usize) {
        if self.effects.is_empty() {
            return;
        }
        let asked = self.effects.remove(which % self.effects.len());
        let told = self.answers(asked.effect, true);
        self.threads.push((asked.load, told.into()));
    }

    /// Lets one of the threads tell what it has to tell next.
    fn hear(&mut self, which: usize) -> Result<(), String> {
        if self.threads.is_empty() {
            return Ok(());
        }
        let which = which % self.threads.len();
        let (load, told) = &mut self.threads[which];
        let is_heard = load.is_none() || *load == self.load;
        let message = told.pop_front().filter(|_| is_heard);
        if told.is_empty() {
            self.threads.remove(which);
        }
        message.map_or(Ok(()), |message| self.send(message))
    }

    fn answers(&mut self, effect: Effect, succeeds: bool) -> Vec<Message> {
        let message = match effect {
            Effect::Work(Work::Run(job)) => {
                let is_done = match &job.task {
                    Task::Folder(folder) => folder.starts_with(crate::support::data("")),
                    Task::Recent { .. } => false,
                    Task::Reload(task) => succeeds && is_ours(&task.request),
                    _ => true,
                };
                if is_done {
                    return told(*job, "12:00", None);
                }
                if !matches!(job.task, Task::Reload(_)) {
                    return Vec::new();
                }
                let reason = "it cannot be read".into();
                Message::Answer(job.ticket.number, Answer::Reload(Err(reason)))
            }
            Effect::Work(Work::Load(request)) if succeeds && is_ours(&request) => {
                match load_quietly(&request) {
                    Ok(loaded) => Message::Loaded(trees::opened(loaded)),
                    Err(error) => Message::LoadFailed(Shown::error(&error)),
                }
            }
            Effect::Work(Work::Load(_)) => Message::LoadFailed("it cannot be read".into()),
            Effect::Work(Work::CancelLoad) => Message::LoadCancelled,
            Effect::Work(Work::Wait(_)) => Message::Tick,
            Effect::Work(Work::Beat(number)) => Message::Beat(number),
            Effect::Work(Work::Save {
                path,
                contents,
                overwrite,
                ..
            }) if succeeds => {
                let is_free = overwrite == Overwrite::Always || !self.files.contains_key(&path);
                match overwrite {
                    _ if is_free => {
                        self.files.insert(path.clone(), contents);
                        Message::Saved(path, None)
                    }
                    Overwrite::Never => Message::Ask(Confirm::Replace(path, contents)),
                    _ => Message::Ask(Confirm::Changed(path, contents)),
                }
            }
            Effect::Work(Work::Save { .. }) => Message::SaveFailed("there is no room".into()),
            Effect::Work(Work::Export(files, _)) => {
                Message::Exported(files.into_iter().map(|(path, _)| path).collect())
            }
            _ => return Vec::new(),
        };
        vec![message]
    }

    /// Checks that undoing everything gives the snapshot and its numbers back.
    pub(super) fn check_undo(&self) -> Result<(), String> {
        let Some(session) = self.app.session() else {
            return Ok(());
        };
        let mut scenario = session.scenario.clone();
        scenario.end_trial();
        while scenario.undo().is_some() {}
        let base = Arc::new(scenario.base().clone());
        if scenario.tree().state_hash() != base.tree.state_hash() {
            return Err("undoing everything gives another tree".to_owned());
        }
        if scenario.settings() != &base.settings {
            return Err("undoing everything gives other settings".to_owned());
        }
        let first = Scenario::new(base, scenario.policy());
        let numbers = |of: &Scenario| said(of.policy(), of.tree(), of.evaluation());
        if numbers(&first) != numbers(&scenario) {
            return Err("undoing everything gives other numbers".to_owned());
        }
        Ok(())
    }
}

/// Checks that the tree and the settings on the screen are the snapshot with the edits of the history, each read from its
/// text: so nothing is left of an edit that was only tried.
fn check_history(session: &Session, agreeing: &mut HashSet<(u64, u64)>) -> Result<(), String> {
    let scenario = &session.scenario;
    let state = (scenario.history().mark(), scenario.tree().state_hash());
    if !agreeing.insert(state) {
        return Ok(());
    }
    let mut again = Scenario::new(Arc::new(scenario.base().clone()), scenario.policy());
    for entry in scenario.history().edits() {
        let edit = parse(entry.text.as_bytes(), again.tree(), again.settings());
        let edit = edit.map_err(|error| format!("the history holds {:?}: {error}", entry.text))?;
        let made = again.apply(edit);
        made.map_err(|error| format!("the history holds {:?}: {error}", entry.text))?;
    }
    if again.tree().state_hash() != state.1 {
        return Err("the table shows an edit that the history lacks".to_owned());
    }
    if again.settings() != scenario.settings() {
        return Err("the settings are not those of the history".to_owned());
    }
    Ok(())
}

/// Returns whether a request is for files of the tests. Others are whatever was typed.
fn is_ours(request: &Request) -> bool {
    request.live().is_none()
        && (is_example(request.path()) || request.path().starts_with(crate::support::data("")))
}
