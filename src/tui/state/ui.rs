//! The state of the explorer: the open trees, and what belongs to it as a whole, whichever tree is on the screen.

use super::reading::can_be_read_again;
use super::{
    AnswerPurpose, Confirm, Dialog, Drawn, Effect, FinishedLessons, FoundDraft, Job,
    LEAST_LIVE_PACE, OpenPage, Picker, Prompt, Purpose, Session, Task, TerminalEffect,
    UnwrittenScenarios, Watch, Work,
};
use crate::base::ascii;
use crate::base::disk;
use crate::base::shown::{Shown, read_back, sentence, shown};
use crate::format::{Progress, Request};
use crate::report::lesson::Lesson;
use crate::tui::config::Options;
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Key;
use crate::tui::job::Ticket;
use crate::tui::widget::Layout;
use crate::tui::widget::theme::Theme;
use std::cell::RefCell;
use std::collections::VecDeque;
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

    /// Returns the tree on the screen and what all trees share; `None` if none is open.
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
        let mut count = 0;
        for session in &self.sessions {
            count += usize::from(session.has_unsaved_edits());
        }
        count
    }

    /// Returns how often edits have changed or were saved, over all open trees.
    pub(crate) fn changes(&self) -> u64 {
        self.sessions.iter().map(|session| session.changes).sum()
    }

    /// Returns the unsaved edits of each open tree, for a file anywhere; `None` for a tree without any.
    pub(crate) fn drafts(&self) -> Vec<Option<UnwrittenScenarios>> {
        let mut drafts = Vec::new();
        for session in &self.sessions {
            let mut draft = None;
            if session.has_unsaved_edits() {
                draft = Some(session.draft(&self.ui.options.folder));
            }
            drafts.push(draft);
        }
        drafts
    }
}

/// Returns the path that a line names, in which what was written out is read back.
fn read_path(line: &str) -> PathBuf {
    disk::name_of(read_back(line.as_bytes())).into()
}

/// Returns a byte of a name as it can be typed on a screen that keeps to ASCII.
fn typeable_byte(byte: u8) -> String {
    if byte.is_ascii() {
        char::from(byte).to_string()
    } else {
        format!("\\x{byte:02X}")
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

/// The most keys that are shown to an audience.
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
        let mut count = 1;
        if let Some(last) = self.keys.pop_if(|last| last.name == name) {
            count += last.count;
        }
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
    pub(crate) finished: FinishedLessons,
    /// A draft of an earlier run, until it is opened or discarded.
    pub(crate) draft: Option<FoundDraft>,
    /// Whether the user wants to decide about the draft another time.
    pub(crate) is_draft_put_off: bool,
    /// What the explorer wants done, in this order; empty between two messages.
    pub(crate) effects: Vec<Effect>,
}

impl Ui {
    /// Returns the state before anything is open.
    fn new(options: Options) -> Self {
        let name = Theme::name_of(options.theme.as_deref());
        Self {
            theme: options.themed(name),
            shown_theme: name,
            chosen_theme: name,
            options,
            ..Self::default()
        }
    }

    /// Says something on the bottom line, until the next key.
    pub(crate) fn say(&mut self, text: impl Into<Shown>) {
        self.notice = Some(Notice::Info(text.into()));
    }

    /// Says on the bottom line why something could not be done, until the next key.
    pub(crate) fn fail(&mut self, text: impl Into<Shown>) {
        self.notice = Some(Notice::Error(text.into()));
    }

    /// Adds an effect to those to be performed, behind the others.
    pub(crate) fn queue(&mut self, effect: impl Into<Effect>) {
        self.effects.push(effect.into());
    }

    /// Returns a ticket of a number that no other has.
    pub(crate) fn next_ticket(&mut self) -> Ticket {
        self.tickets += 1;
        Ticket::new(self.tickets)
    }

    /// Starts a job on a thread. Returns its ticket, which its answers bear and which cancels it.
    pub(crate) fn start(&mut self, task: Task) -> Ticket {
        let ticket = self.next_ticket();
        let job = Job {
            ticket: ticket.clone(),
            task,
        };
        self.queue(Work::Run(Box::new(job)));
        ticket
    }

    /// Opens a dialog instead of the one that is open, and of the keys behind a prefix.
    pub(crate) fn show(&mut self, dialog: Dialog) {
        self.prefix = None;
        self.dialog = Some(dialog);
    }

    /// Returns the draft of an earlier run that the user is still to decide about.
    pub(crate) fn offered_draft(&self) -> Option<&FoundDraft> {
        if self.is_draft_put_off {
            return None;
        }
        self.draft.as_ref()
    }

    /// Returns whether a path is that of the draft of an earlier run.
    pub(crate) fn is_draft(&self, path: &Path) -> bool {
        match &self.draft {
            Some(draft) => draft.path == path,
            None => false,
        }
    }

    /// Opens a prompt; pasted text is asked for as long as it is open.
    pub(crate) fn prompt(&mut self, purpose: impl Into<Purpose>, text: String) {
        self.show(Dialog::Prompt(Prompt::new(purpose, text)));
        self.queue(TerminalEffect::Pasting(true));
    }

    /// Asks before something that cannot be undone.
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

    /// Returns the page in front: the manual, or else the page over the table.
    pub(crate) fn front_page(&self) -> Option<&OpenPage> {
        self.manual.as_ref().or(self.page.as_ref())
    }

    /// Returns the page in front, as [`Ui::front_page`] does, to change it.
    pub(crate) fn front_page_mut(&mut self) -> Option<&mut OpenPage> {
        self.manual.as_mut().or(self.page.as_mut())
    }

    /// Closes the manual and the page.
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

    /// Returns how much room the screen leaves around its contents.
    pub(crate) const fn layout(&self) -> Layout {
        match self.presenter {
            Some(_) => Layout::Large,
            None => Layout::Usual,
        }
    }

    /// Returns the name of the theme that the user wants now: the one chosen for the large layout while that is on.
    pub(crate) fn wanted_theme(&self) -> &'static str {
        match &self.presenter {
            Some(presenter) => presenter.theme,
            None => self.chosen_theme,
        }
    }

    /// Returns the action of a key behind a prefix or alone; `None` if it has none.
    pub(crate) fn action_of(&self, prefix: Option<Key>, key: Key) -> Option<Action> {
        self.options.config.keymap.action(prefix, key)
    }

    /// Returns the key of an action, as hints name it.
    pub(crate) fn hint(&self, action: Action) -> String {
        self.options.config.keymap.hint(action)
    }

    /// Returns the keys that go down and up in a list.
    pub(crate) fn hints_to_move(&self) -> String {
        let down = self.hint(Action::Down);
        let up = self.hint(Action::Up);
        format!("{down} {up}")
    }

    /// Returns a text with names in it, as this screen may show it.
    pub(crate) fn spelled(&self, text: impl Into<Shown>) -> Shown {
        let full = text.into();
        if self.options.is_ascii {
            return Shown::again(ascii::escape(&full));
        }
        full
    }

    /// Returns the path that a line names. `~/` means the home directory, and what was written out is read back.
    pub(crate) fn path(&self, line: &str) -> PathBuf {
        if let Some(rest) = line.strip_prefix("~/")
            && let Some(home) = &self.options.home
        {
            let below = rest.trim_start_matches('/');
            return home.join(read_path(below));
        }
        read_path(line)
    }

    /// Returns the line that names a path, for a prompt. What a terminal would not show as itself is written out.
    pub(crate) fn line(&self, path: &Path) -> String {
        if let Some(home) = &self.options.home
            && let Ok(below) = path.strip_prefix(home)
            && !below.as_os_str().is_empty()
        {
            let rest = shown(below.as_os_str().as_encoded_bytes());
            return self.typeable(format!("~/{rest}"));
        }
        self.typeable(shown(path.as_os_str().as_encoded_bytes()).into())
    }

    /// Returns a name or path for a prompt. If the screen keeps to ASCII, other bytes are written out.
    pub(crate) fn typeable(&self, text: String) -> String {
        if !self.options.is_ascii || text.is_ascii() {
            return text;
        }
        text.bytes().map(typeable_byte).collect()
    }
}
