//! The state of the explorer: the open trees, and what belongs to it as a whole, whichever tree is on the screen.

use crate::base::ascii;
use crate::base::shown::{Shown, read_back, sentence, shown};
use crate::format::{Progress, Request};
use crate::report::lesson::Lesson;
use crate::tui::config::Options;
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Key;
use crate::tui::job::Ticket;
use crate::tui::state::reading::can_be_read_again;
use crate::tui::state::{
    AnswerPurpose, Confirm, Dialog, Drawn, Effect, Job, LEAST_LIVE_PACE, OpenPage, Picker, Prompt,
    Purpose, Session, Task, TerminalEffect, UnwrittenScenarios, Watch, Work,
};
use crate::tui::widget::Layout;
use crate::tui::widget::theme::Theme;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The state of the explorer.
#[derive(Debug)]
pub struct App {
    pub(crate) sessions: Vec<Session>,
    pub(crate) ui: Ui,
}

impl App {
    /// Returns an explorer with nothing open yet.
    pub fn new(options: Options) -> Self {
        Self {
            sessions: Vec::new(),
            ui: Ui::new(options),
        }
    }

    /// Returns the tree on the screen, once one is open.
    pub fn session(&self) -> Option<&Session> {
        self.sessions.get(self.ui.current)
    }

    pub(crate) fn open_tree(&mut self) -> Option<(&mut Session, &mut Ui)> {
        let session = self.sessions.get_mut(self.ui.current)?;
        Some((session, &mut self.ui))
    }

    /// Returns the theme on the screen.
    pub fn theme(&self) -> &Theme {
        &self.ui.theme
    }

    /// Returns the load under way.
    pub fn loading(&self) -> Option<&LoadStatus> {
        self.ui.loading.as_ref()
    }

    /// Returns what the bottom line says.
    pub fn notice(&self) -> Option<&Notice> {
        self.ui.notice.as_ref()
    }

    /// Returns what is open over the table.
    pub fn dialog(&self) -> Option<&Dialog> {
        self.ui.dialog.as_ref()
    }

    /// Returns the number of open trees with edits that no file holds.
    pub(crate) fn unsaved_count(&self) -> usize {
        let is_unsaved = |session: &&Session| session.has_unsaved_edits();
        self.sessions.iter().filter(is_unsaved).count()
    }

    /// Returns how often edits have changed or were saved, over all open trees.
    pub(crate) fn changes(&self) -> u64 {
        self.sessions.iter().map(|session| session.changes).sum()
    }

    /// Returns the unsaved edits of each open tree, for a file anywhere.
    pub(crate) fn drafts(&self) -> Vec<Option<UnwrittenScenarios>> {
        let drafts = self.sessions.iter().map(|session| {
            let is_unsaved = session.has_unsaved_edits();
            is_unsaved.then(|| session.draft(&self.ui.options.folder))
        });
        drafts.collect()
    }
}

/// What the bottom line says, until the next key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Something went well, or is worth knowing.
    Info(Shown),
    /// Something could not be done, with the remedy.
    Error(Shown),
}

/// A load that has not come back yet.
#[derive(Clone, Debug)]
pub struct LoadStatus {
    pub title: Shown,
    pub progress: Progress,
    /// The line of the prompt that asked for it, if one did.
    pub(crate) typed: Option<String>,
}

const MOST_KEYS: usize = 4;

/// A prefix key that waits for the next one, and the keys that have an effect behind it.
#[derive(Clone, Debug)]
pub(crate) struct Prefix {
    pub(crate) key: Key,
    /// The keys, their actions, and what these do in a few words.
    pub(crate) keys: Vec<(Key, Action, &'static str)>,
}

/// A key that was pressed, as often as it was pressed in a row.
#[derive(Clone, Debug)]
pub(crate) struct PressedKey {
    /// The key, with the prefix before it.
    pub(crate) name: Shown,
    pub(crate) count: usize,
    /// What it does, in a few words; empty where another word stands for it, as in a dialog.
    pub(crate) help: &'static str,
}

/// The large layout for a projector, as long as it is on, with the last keys.
#[derive(Clone, Debug)]
pub(crate) struct Presenter {
    pub(crate) theme: &'static str,
    pub(crate) keys: Vec<PressedKey>,
}

impl Presenter {
    /// Remembers a key. One behind a prefix takes the place of that prefix.
    pub(crate) fn note(&mut self, prefix: Option<Key>, key: Key, help: &'static str) {
        let name = match prefix {
            Some(prefix) => {
                self.keys.pop();
                sentence!("{prefix} {key}")
            }
            None => sentence!("{key}"),
        };
        let is_same = |last: &mut PressedKey| last.name == name;
        let count = 1 + self.keys.pop_if(is_same).map_or(0, |last| last.count);
        self.keys.push(PressedKey { name, count, help });
        let surplus = self.keys.len().saturating_sub(MOST_KEYS);
        self.keys.drain(..surplus);
    }
}

/// The state that all open trees share, and the queue of effects.
#[derive(Debug, Default)]
pub(crate) struct Ui {
    /// The place of the tree on the screen among the open ones.
    pub(crate) current: usize,
    pub(crate) loading: Option<LoadStatus>,
    pub(crate) dialog: Option<Dialog>,
    /// The list above the prompt for a source, as long as that is open.
    pub(crate) picker: Option<Picker>,
    pub(crate) prefix: Option<Prefix>,
    pub(crate) presenter: Option<Presenter>,
    pub(crate) page: Option<OpenPage>,
    /// A topic of the manual, in front of the page or the table.
    pub(crate) manual: Option<OpenPage>,
    pub(crate) notice: Option<Notice>,
    pub(crate) theme: Theme,
    pub(crate) shown_theme: &'static str,
    /// The name of the chosen theme. While one is being chosen, another may be on the screen.
    pub(crate) chosen_theme: &'static str,
    pub(crate) options: Options,
    /// Where the last frame drew things.
    pub(crate) drawn: RefCell<Drawn>,
    tickets: u64,
    pub(crate) watch: Watch,
    /// The questions of threads that wait until no dialog is open.
    pub(crate) questions: VecDeque<Dialog>,
    /// The source of which a cluster is to be chosen.
    pub(crate) clusters_of: Option<Request>,
    pub(crate) lesson: Option<Arc<Lesson>>,
    /// A draft of an earlier run, until it is opened.
    pub(crate) draft: Option<PathBuf>,
    /// What the explorer wants done, in this order; empty between two messages.
    pub(crate) effects: Vec<Effect>,
}

impl Ui {
    pub(crate) fn new(options: Options) -> Self {
        let name = Theme::name_of(options.theme.as_deref());
        Self {
            theme: options.themed(name),
            shown_theme: name,
            chosen_theme: name,
            options,
            ..Self::default()
        }
    }

    pub(crate) fn say(&mut self, text: impl Into<Shown>) {
        self.notice = Some(Notice::Info(text.into()));
    }

    pub(crate) fn fail(&mut self, text: impl Into<Shown>) {
        self.notice = Some(Notice::Error(text.into()));
    }

    pub(crate) fn queue(&mut self, effect: impl Into<Effect>) {
        self.effects.push(effect.into());
    }

    pub(crate) fn next_ticket(&mut self) -> Ticket {
        self.tickets += 1;
        Ticket::new(self.tickets)
    }

    pub(crate) fn start(&mut self, task: Task) -> Ticket {
        let ticket = self.next_ticket();
        let job = Job {
            ticket: ticket.clone(),
            task,
        };
        self.queue(Work::Run(Box::new(job)));
        ticket
    }

    /// Opens a dialog in place of the one that is open, and of the keys behind a prefix.
    pub(crate) fn show(&mut self, dialog: Dialog) {
        self.prefix = None;
        self.dialog = Some(dialog);
    }

    /// Opens a prompt; pasted text is asked for as long as it is open.
    pub(crate) fn prompt(&mut self, purpose: impl Into<Purpose>, text: String) {
        self.show(Dialog::Prompt(Prompt::new(purpose, text)));
        self.queue(TerminalEffect::Pasting(true));
    }

    pub(crate) fn ask(&mut self, question: Confirm) {
        self.show(Dialog::Confirm(question));
    }

    /// Asks for pasted text again if a prompt is open, because the shell had the terminal meanwhile.
    pub(crate) fn resume(&mut self) {
        if matches!(self.dialog, Some(Dialog::Prompt(_))) {
            self.queue(TerminalEffect::Pasting(true));
        }
    }

    /// Says why something cannot be opened: where its path was typed, to be changed, unless something else is open by
    /// now.
    pub(crate) fn refuse_path(&mut self, typed: Option<(AnswerPurpose, String)>, reason: Shown) {
        match typed {
            Some((purpose, text)) if !self.has_dialog() => {
                self.prompt(purpose, text);
                if let Some(Dialog::Prompt(prompt)) = &mut self.dialog {
                    prompt.error = Some(reason);
                }
            }
            _ => self.fail(reason),
        }
    }

    /// Returns whether a dialog is open, or the list of the keys behind a prefix.
    pub(crate) const fn has_dialog(&self) -> bool {
        self.dialog.is_some() || self.prefix.is_some()
    }

    pub(crate) fn front_page(&self) -> Option<&OpenPage> {
        self.manual.as_ref().or(self.page.as_ref())
    }

    pub(crate) fn front_page_mut(&mut self) -> Option<&mut OpenPage> {
        self.manual.as_mut().or(self.page.as_mut())
    }

    pub(crate) fn close_pages(&mut self) {
        self.manual = None;
        self.page = None;
    }

    /// Returns the seconds between two readings of a source; `None` if it is not watched.
    pub(crate) fn pace(&self, request: &Request) -> Option<u32> {
        let seconds = self.options.watch?;
        let is_live = request.live().is_some();
        let least = if is_live { LEAST_LIVE_PACE } else { 1 };
        can_be_read_again(request).ok()?;
        Some(seconds.max(least))
    }

    pub(crate) const fn layout(&self) -> Layout {
        match self.presenter {
            Some(_) => Layout::Large,
            None => Layout::Usual,
        }
    }

    /// Returns the name of the theme that the user wants now: the one chosen for the large layout while that is on.
    pub(crate) fn wanted_theme(&self) -> &'static str {
        let presenter = self.presenter.as_ref();
        presenter.map_or(self.chosen_theme, |presenter| presenter.theme)
    }

    pub(crate) fn hint(&self, action: Action) -> String {
        self.options.config.keymap.hint(action)
    }

    /// Returns the keys that go down and up in a list.
    pub(crate) fn hints_to_move(&self) -> String {
        let keys = [Action::Down, Action::Up].map(|action| self.hint(action));
        keys.join(" ")
    }

    /// Returns a text with names in it, as this screen may show it.
    pub(crate) fn spelled(&self, text: impl Into<Shown>) -> Shown {
        let text = text.into();
        if self.options.is_ascii {
            Shown::again(ascii::escape(&text))
        } else {
            text
        }
    }

    /// Returns the path that a line names. `~/` means the home directory, and what was written out is read back.
    pub(crate) fn path(&self, line: &str) -> PathBuf {
        let read = |text: &str| PathBuf::from(OsString::from_vec(read_back(text.as_bytes())));
        match (line.strip_prefix("~/"), &self.options.home) {
            (Some(rest), Some(home)) => home.join(read(rest.trim_start_matches('/'))),
            _ => read(line),
        }
    }

    /// Returns the line that names a path, for a prompt. What a terminal would not show as itself is written out.
    pub(crate) fn line(&self, path: &Path) -> String {
        let home = self.options.home.as_deref();
        let below = home.and_then(|home| path.strip_prefix(home).ok());
        let (start, rest) = match below {
            Some(rest) if !rest.as_os_str().is_empty() => ("~/", rest),
            _ => ("", path),
        };
        let rest = shown(rest.as_os_str().as_bytes());
        self.typeable(format!("{start}{rest}"))
    }

    /// Returns a name or path for a prompt. If the screen keeps to ASCII, other bytes are written out.
    pub(crate) fn typeable(&self, text: String) -> String {
        if !self.options.is_ascii || text.is_ascii() {
            return text;
        }
        let written = |byte: u8| match byte {
            ..=0x7F => char::from(byte).to_string(),
            _ => format!("\\x{byte:02X}"),
        };
        text.bytes().map(written).collect()
    }
}
