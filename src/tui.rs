//! The explorer: messages in, effects out, frames drawn.
//!
//! One loop owns the app and the terminal. What happens comes in through one channel from threads that sleep until
//! something does, so an idle explorer costs nothing; what is to be done goes out as effects.

mod input;
mod job;
mod page;
mod run;
mod screen;
mod state;
mod time;
mod update;
mod widget;

pub use input::action::{Action, Group};
pub use input::keymap::{Key, Keymap, KeymapError};
pub use job::{Job, Ticket};
pub use page::content::Page;
pub use page::subject::Subject;
pub use page::task::PageTask;
pub use state::app::App;
pub use state::comparison::ComparisonTask;
pub use state::dialog::{Choice, Confirm, Dialog, Item, MarkScope, Menu};
pub use state::family::FamilyEdit;
pub use state::message::{Effect, Message, Overwrite};
pub use state::node_set::NodeSet;
pub use state::options::Options;
pub use state::pane::Why;
pub use state::pending::EvaluationTask;
pub use state::prompt::{Prompt, Purpose};
pub use state::reading::{LEAST_LIVE_PACE, Reload, ReloadTask};
pub use state::session::Session;
pub use state::ui::{LoadStatus, Notice};
pub use time::clock::ClockTask;
pub use time::forecast::{Forecast, ForecastTask};
pub use widget::theme::Theme;

use crate::source::format::Request;
use color_eyre::eyre::{Result, eyre};
use run::drafts::Drafts;
use run::events::{self, Event};
use run::panic;
use run::perform::{Outcome, Performer};
use run::terminal::{self, Terminal};
use signal_hook::consts::SIGHUP;
use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{self, Receiver, SyncSender};

/// How many events may wait; beyond that the threads wait, and the kernel keeps the keys.
const QUEUE: usize = 1024;

/// How many events are taken before a frame is drawn in any case.
const BATCH: usize = 8192;

/// The number of the first load.
const FIRST: u64 = 1;

/// How the explorer begins.
#[derive(Clone, Debug, Default)]
pub struct Startup {
    /// What to open; nothing is the built-in example.
    pub request: Option<Request>,
    /// How it looks and what it counts by.
    pub options: Options,
}

/// Runs the explorer until the user quits.
///
/// Ended by a signal, or by the loss of its terminal, the process dies by that signal, as its parent expects, and this
/// does not return. A panic keeps the hook that is installed when this is called and reports through it, with the
/// terminal given back before.
///
/// # Errors
/// When there is no terminal to draw on or to read keys from, or it fails while in use.
pub fn run(opening: Startup) -> Result<()> {
    let keys = terminal::keys()?;
    let (sender, inbox) = mpsc::sync_channel(QUEUE);
    panic::give_terminal_back_first(sender.clone());
    events::listen(keys.try_clone()?, &sender)?;
    let mut explorer = Explorer {
        perform: Performer::new(sender.clone(), opening.options.policy),
        app: App::new(opening.options),
        terminal: Terminal::take(keys)?,
        drafts: Drafts::open(sender)?,
        inbox,
        is_asked_to_open: opening.request.is_some(),
    };
    let ending = match explorer.explore(opening.request) {
        // Drawing noticed before the signal came.
        Err(error) if is_hang_up(&error) => explorer.end(Ending::Signal(SIGHUP)),
        ending => ending,
    };
    explorer.perform.finish_writing();
    explorer.perform.finish_asking();
    if matches!(ending, Ok(Ending::Quit)) {
        explorer.drafts.forget();
    }
    terminal::give_back();
    // This waits for the last draft.
    drop(explorer.drafts);
    match ending {
        Ok(Ending::Quit) => Ok(()),
        Ok(Ending::Panicked(given_back)) => panic::let_report(&given_back),
        Ok(Ending::Signal(signal)) => Ok(die_by(signal)?),
        Err(error) => Err(error),
    }
}

/// Why the loop ended.
enum Ending {
    /// The user quit.
    Quit,
    /// By this signal.
    Signal(i32),
    /// Another thread panicked and waits for this answer.
    Panicked(SyncSender<()>),
}

/// The loop and what it owns.
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
    /// Draws, waits, does what is to be done, until the end.
    fn explore(&mut self, request: Option<Request>) -> Result<Ending> {
        let first = self
            .app
            .update(request.map_or(Message::Example, |request| Message::Open(Box::new(request))));
        // Something is on the screen before anything is read.
        self.draw()?;
        #[cfg(debug_assertions)]
        panic::rehearse(0)?;
        if let Some(ending) = self.perform_all(first.into())? {
            return Ok(ending);
        }
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
                taken += 1;
                next = (taken < BATCH)
                    .then(|| self.inbox.try_recv().ok())
                    .flatten();
            }
            self.keep_drafts();
            #[cfg(debug_assertions)]
            panic::rehearse(self.app.changes())?;
            self.draw()?;
        }
    }

    /// Draws a frame, unless the terminal is the shell's just now.
    fn draw(&mut self) -> io::Result<()> {
        if Terminal::is_taken() {
            self.terminal.draw(|frame| self.app.draw(frame))?;
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
            Event::Load(number, message) if self.perform.is_current(number) => self.tell(message),
            // Who named a path that is not there wants to hear so in the shell.
            Event::Missing(number, sentence) if self.perform.is_current(number) => {
                if self.is_asked_to_open && number == FIRST {
                    return Err(eyre!(sentence));
                }
                self.tell(Message::LoadFailed(sentence))
            }
            Event::Load(..) | Event::Missing(..) => Ok(None),
            Event::Stop => {
                suspend()?;
                Ok(None)
            }
            Event::Continue if self.terminal.take_again()? => self.tell(Message::Resize),
            Event::Continue => {
                // Sent on in the background: there is nothing to draw on until `fg`.
                suspend()?;
                Ok(None)
            }
            Event::End(signal) => self.end(Ending::Signal(signal)).map(Some),
            Event::Panicked(given_back) => self.end(Ending::Panicked(given_back)).map(Some),
        }
    }

    /// Keeps edits that no file holds, if there were any since.
    fn keep_drafts(&mut self) {
        let app = &self.app;
        self.drafts.keep(app.changes(), || app.drafts());
    }

    fn tell(&mut self, message: Message) -> Result<Option<Ending>> {
        let effects = self.app.update(message);
        self.perform_all(effects.into())
    }

    /// Lets the app save what is unsaved, and nothing else: the terminal may be gone, and it is over whatever the
    /// app would rather do.
    fn end(&mut self, ending: Ending) -> Result<Ending> {
        self.keep_drafts();
        for effect in self.app.update(Message::Terminate) {
            if matches!(effect, Effect::Save { .. }) {
                self.perform.perform(effect, &self.terminal)?;
            }
        }
        Ok(ending)
    }

    fn perform_all(&mut self, mut effects: VecDeque<Effect>) -> Result<Option<Ending>> {
        while let Some(effect) = effects.pop_front() {
            match self.perform.perform(effect, &self.terminal)? {
                Outcome::Done => {}
                Outcome::Answer(message) => effects.extend(self.app.update(message)),
                Outcome::RemoveDraft(draft) => {
                    self.keep_drafts();
                    self.drafts.remove(draft);
                }
                Outcome::Redraw => self.terminal.forget()?,
                Outcome::Suspend => suspend()?,
                Outcome::Quit => return Ok(Some(Ending::Quit)),
            }
        }
        Ok(None)
    }
}

/// Gives the terminal back and stops the whole job, as `^Z` does; the event of going on comes later, through the
/// channel. Where no shell waits to bring it back, it would be gone for good, so there nothing happens.
fn suspend() -> io::Result<()> {
    let session = rustix::process::getsid(None)?;
    let is_shell_waiting = rustix::process::getppid()
        .is_some_and(|parent| rustix::process::getsid(Some(parent)) == Ok(session));
    if is_shell_waiting {
        terminal::give_back();
        rustix::process::kill_current_process_group(rustix::process::Signal::STOP)?;
    }
    Ok(())
}

/// Ends the process as if the signal had never been caught.
fn die_by(signal: i32) -> io::Result<()> {
    signal_hook::low_level::emulate_default_handler(signal)
}

/// Returns whether the error means that the terminal is gone.
fn is_hang_up(error: &color_eyre::Report) -> bool {
    error
        .downcast_ref::<io::Error>()
        .and_then(io::Error::raw_os_error)
        .is_some_and(|code| code == rustix::io::Errno::IO.raw_os_error())
}
