//! The explorer in a terminal: performs effects, with threads, files and signals.
//!
//! One loop owns the app and the terminal. Events arrive through one channel, from threads that sleep until something
//! happens, so an idle explorer uses no processor time.

pub(super) mod crash;
mod drafts;
pub(super) mod encode;
mod events;
mod farewell;
pub(super) mod keep;
mod perform;
mod terminal;

use crate::format::Request;
use crate::report::lesson::Lesson;
use crate::tui::config::Options;
use crate::tui::picture::{Paper, PictureForm};
use crate::tui::recent;
use crate::tui::state::{App, Effect, FinishedLessons, Message, TerminalEffect, Work};
use color_eyre::eyre::{Result, WrapErr as _, eyre};
use drafts::{DraftCommand, Drafts};
use events::Event;
use perform::Performer;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use signal_hook::consts::SIGHUP;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::time::Duration;
use std::{io, panic, thread};
use terminal::{Terminal, wire};

/// The capacity of the event queue. When it is full, the threads wait and the kernel buffers the keys.
const QUEUE: usize = 1024;

/// The most events that are handled before a frame is drawn.
const BATCH: usize = 8192;

/// The time that signals get to arrive before a process that continued in the background stops again.
const TIME_FOR_OTHER_SIGNALS: Duration = Duration::from_millis(250);

/// The bytes of the stack of the loop, as many as the first thread usually has.
const STACK: usize = 8 << 20;

/// The number of the first load.
const FIRST: u64 = 1;

/// How the explorer starts.
#[derive(Debug, Default)]
pub struct Startup {
    /// The source to open, or `None` for the built-in example.
    pub request: Option<Request>,
    /// The lesson to play instead of a source.
    pub lesson: Option<Arc<Lesson>>,
    /// The options of display and calculation.
    pub options: Options,
}

/// Runs the explorer until the user quits.
///
/// If a signal or the loss of the terminal ends the explorer, this function does not return: the process dies by that
/// signal, as its parent expects. A panic restores the terminal and then reports through the hook that was installed
/// before the call. An error says that there is no terminal to draw on or to read keys from, or that
/// it failed while in use.
pub fn run(opening: Startup) -> Result<()> {
    // The system gives a signal of another process to the first thread. After a crash that thread stays in the handler,
    // where it must not hold what a thread needs that writes drafts: the allocator's lock, for one.
    let explorer = thread::Builder::new()
        .name("explorer".into())
        .stack_size(STACK);
    thread::scope(|scope| {
        let explorer = explorer.spawn_scoped(scope, || run_apart(opening));
        let explorer = explorer.wrap_err("the thread for the explorer cannot be started")?;
        let ended = explorer.join();
        ended.unwrap_or_else(|panicked| panic::resume_unwind(panicked))
    })
}

/// Returns the lessons that were finished on this computer.
pub(crate) fn finished_lessons() -> FinishedLessons {
    let mut finished = FinishedLessons::default();
    if let Some(folder) = drafts::state_folder() {
        finished.add_known(&recent::finished(&folder));
    }
    finished
}

fn run_apart(mut opening: Startup) -> Result<()> {
    let state = drafts::state_folder();
    opening.options.recent = state.map(|state| state.join(recent::FILE));
    let keys = terminal::keys()?;
    let (sender, inbox) = mpsc::sync_channel(QUEUE);
    wire::prepare()?;
    crash::give_terminal_back_first(sender.clone());
    events::listen(keys.try_clone()?, &sender)?;
    let terminal = Terminal::take(keys, !opening.options.without_mouse)?;
    let mut explorer = Explorer {
        perform: Performer::new(sender.clone(), opening.options.policy),
        terminal,
        app: App::new(opening.options),
        drafts: Drafts::open(sender)?,
        inbox,
        is_asked_to_open: opening.request.is_some(),
    };
    let first = match (opening.lesson, opening.request) {
        (Some(lesson), _) => Message::Lesson(lesson),
        (None, Some(request)) => Message::Open(Box::new(request)),
        (None, None) => Message::Example,
    };
    let ending = match explorer.explore(first) {
        // Drawing failed before the signal arrived.
        Err(error) if is_hang_up(&error) => Ok(Ending::Signal(SIGHUP)),
        ending => ending,
    };
    if !matches!(ending, Ok(Ending::Quit)) {
        farewell::hurry(true);
        explorer.drafts.keep(&explorer.app);
    }
    if matches!(ending, Ok(Ending::Signal(_))) {
        terminal::give_back();
    }
    explorer.perform.finish();
    if matches!(ending, Ok(Ending::Quit)) {
        explorer.drafts.order(DraftCommand::Forget);
    }
    terminal::give_back();
    // Dropping the drafts waits for the last one to be written.
    drop(explorer.drafts);
    if matches!(ending, Ok(Ending::Signal(_)) | Err(_)) {
        farewell::say_what_is_unkept();
    }
    match ending {
        Ok(Ending::Quit) => Ok(()),
        Ok(Ending::Panicked(given_back)) => crash::let_report(&given_back),
        Ok(Ending::Signal(signal)) => events::die_by(signal),
        Err(error) => Err(error),
    }
}

enum Ending {
    Quit,
    Signal(i32),
    /// Another thread panicked and waits for an answer on this channel.
    Panicked(SyncSender<()>),
}

struct Explorer {
    app: App,
    terminal: Terminal,
    perform: Performer,
    drafts: Drafts,
    inbox: Receiver<Event>,
    /// Whether the first load is that of a source named on the command line.
    is_asked_to_open: bool,
}

impl Explorer {
    fn explore(&mut self, first: Message) -> Result<Ending> {
        let effects = self.app.update(first);
        // The first frame appears before any source is read.
        self.draw()?;
        #[cfg(debug_assertions)]
        crash::rehearse(0)?;
        if let Some(ending) = self.perform_all(effects.into())? {
            return Ok(ending);
        }
        self.handle_events()
    }

    fn handle_events(&mut self) -> Result<Ending> {
        loop {
            let Ok(first) = self.inbox.recv() else {
                return Ok(Ending::Quit);
            };
            let mut next = Some(first);
            let mut taken = 0;
            while let Some(event) = next {
                if let Some(ending) = self.see_to(event)? {
                    return Ok(ending);
                }
                if let Some(signal) = events::due() {
                    return Ok(Ending::Signal(signal));
                }
                taken += 1;
                next = (taken < BATCH)
                    .then(|| self.inbox.try_recv().ok())
                    .flatten();
            }
            self.drafts.keep(&self.app);
            // The queue may have had no room for the event of the end.
            if let Some(signal) = events::asked() {
                return Ok(Ending::Signal(signal));
            }
            #[cfg(debug_assertions)]
            crash::rehearse(self.app.changes())?;
            self.draw()?;
        }
    }

    fn draw(&mut self) -> io::Result<()> {
        if Terminal::is_taken() {
            self.terminal.draw(|frame| {
                self.app.draw(frame);
            })?;
        }
        Ok(())
    }

    fn see_to(&mut self, event: Event) -> Result<Option<Ending>> {
        match event {
            Event::Message(message) => {
                if matches!(message, Message::Resize) {
                    self.terminal.forget()?;
                }
                self.tell(message)
            }
            Event::Load(load, _) if load.is_cancelled() => Ok(None),
            // A wrong path on the command line is reported in the shell.
            Event::Load(load, Err(missing)) if self.is_asked_to_open && load.number == FIRST => {
                Err(eyre!(missing))
            }
            Event::Load(_, opened) => self.tell(opened.unwrap_or_else(Message::LoadFailed)),
            // A stopped process could not end.
            Event::Stop | Event::Continue if events::asked().is_some() => Ok(None),
            Event::Stop => Ok(self.suspend().map(|()| None)?),
            Event::Continue if self.terminal.take_again()? => self.tell(Message::Resume),
            Event::Continue => {
                // Signals that came meanwhile arrive now, and a stopped process could not end by them.
                thread::sleep(TIME_FOR_OTHER_SIGNALS);
                // The process continues in the background, so it stays suspended until `fg`.
                if events::asked().is_none() {
                    self.suspend()?;
                }
                Ok(None)
            }
            Event::End(signal) => Ok(Some(Ending::Signal(signal))),
            Event::Panicked(given_back) => Ok(Some(Ending::Panicked(given_back))),
        }
    }

    fn tell(&mut self, message: Message) -> Result<Option<Ending>> {
        let effects = self.app.update(message);
        self.perform_all(effects.into())
    }

    /// Stops the whole job, as `^Z` does. Without a job-control shell nothing could continue it, so nothing is done.
    fn suspend(&mut self) -> io::Result<()> {
        let session = rustix::process::getsid(None)?;
        let is_shell_waiting = rustix::process::getppid()
            .is_some_and(|parent| rustix::process::getsid(Some(parent)) == Ok(session));
        if is_shell_waiting {
            terminal::give_back();
            // A stopped process may be killed.
            self.drafts.keep(&self.app);
            farewell::finish_drafts();
            rustix::process::kill_current_process_group(rustix::process::Signal::STOP)?;
            farewell::hurry(events::asked().is_some());
        }
        Ok(())
    }

    fn perform_all(&mut self, mut effects: VecDeque<Effect>) -> Result<Option<Ending>> {
        while let Some(effect) = effects.pop_front() {
            match effect {
                Effect::Quit => return Ok(Some(Ending::Quit)),
                Effect::Memory(memory) => self.drafts.carry_out(memory, &self.app),
                Effect::SaveScreen(path, form, sources) => {
                    let picture = self.picture(form)?;
                    let files = vec![(path, picture.into_bytes())];
                    effects.push_front(Work::Export(files, sources).into());
                }
                Effect::Terminal(effect) => self.perform_on_terminal(effect)?,
                Effect::Work(work) => {
                    for message in self.perform.perform(work) {
                        effects.extend(self.app.update(message));
                    }
                }
            }
        }
        Ok(None)
    }

    fn perform_on_terminal(&mut self, effect: TerminalEffect) -> Result<()> {
        match effect {
            TerminalEffect::Copy(text) => self.terminal.copy(&text),
            TerminalEffect::Pasting(on) => Ok(self.terminal.mark_pastes(on)?),
            TerminalEffect::Redraw => Ok(self.terminal.forget()?),
            TerminalEffect::Suspend => Ok(self.suspend()?),
        }
    }

    fn picture(&self, form: PictureForm) -> io::Result<String> {
        let area = Rect::from((Position::ORIGIN, self.terminal.size()?));
        let mut screen = Buffer::empty(area);
        self.app.draw_into(area, &mut screen);
        Ok(form.draw(&screen, &Paper::of(self.app.theme())))
    }
}

fn is_hang_up(error: &color_eyre::Report) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.and_then(io::Error::raw_os_error) == Some(rustix::io::Errno::IO.raw_os_error())
}
