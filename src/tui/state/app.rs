//! The state of the screen: which trees are open, what stands over them, what is said at the bottom.

use crate::source::format::Progress;
use crate::tui::input::keymap::Keymap;
use crate::tui::state::dialog::Dialog;
use crate::tui::state::message::Effect;
use crate::tui::state::open_page::Open;
use crate::tui::state::options::Options;
use crate::tui::state::prompt::Purpose;
use crate::tui::state::session::Session;
use crate::tui::state::watch::Watch;
use crate::tui::widget::ascii;
use crate::tui::widget::theme::Theme;
use crate::tui::widget::viewport::Regions;
use std::path::PathBuf;

/// What the bottom line says, until the next key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Something went well, or is worth knowing.
    Said(String),
    /// Something could not be done, with the remedy.
    Failed(String),
}

/// A load that has not come back yet.
#[derive(Clone, Debug)]
pub struct Loading {
    /// What is being opened, as it may be shown.
    pub title: String,
    /// How far it has come.
    pub progress: Progress,
}

/// The state of the screen.
#[derive(Debug)]
pub struct App {
    pub(crate) sessions: Vec<Session>,
    pub(crate) current: usize,
    pub(crate) loading: Option<Loading>,
    pub(crate) dialog: Option<Dialog>,
    /// A page in the place of the table.
    pub(crate) page: Option<Open>,
    pub(crate) notice: Option<Notice>,
    pub(crate) keymap: Keymap,
    pub(crate) theme: Theme,
    pub(crate) options: Options,
    pub(crate) regions: Regions,
    /// How many comparisons were asked for.
    pub(crate) questions: u64,
    /// How reading sources again stands.
    pub(crate) watch: Watch,
    /// The path that was typed for what is being opened, and into which prompt.
    pub(crate) typed_path: Option<(Purpose, String)>,
    /// A draft of an earlier run, until it is opened.
    pub(crate) draft: Option<PathBuf>,
    /// What the explorer wants done, in this order; empty between two messages.
    pub(crate) effects: Vec<Effect>,
}

impl App {
    /// An explorer with nothing open yet.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let named = options.theme.as_deref().and_then(Theme::named);
        let theme = named
            .or_else(|| Theme::named("dark"))
            .expect("the dark theme is shipped");
        let theme = if options.has_only_palette {
            theme.in_palette()
        } else {
            theme
        };
        Self {
            sessions: Vec::new(),
            current: 0,
            loading: None,
            dialog: None,
            page: None,
            notice: None,
            keymap: Keymap::shipped(),
            theme,
            options,
            regions: Regions::default(),
            questions: 0,
            watch: Watch::default(),
            typed_path: None,
            draft: None,
            effects: Vec::new(),
        }
    }

    /// The tree on the screen, once one is open.
    #[must_use]
    pub fn session(&self) -> Option<&Session> {
        self.sessions.get(self.current)
    }

    /// A text with names in it, as this screen may show it.
    pub(crate) fn spelled(&self, text: String) -> String {
        if self.options.is_ascii {
            ascii::escape(&text)
        } else {
            text
        }
    }

    /// A name or path to be changed in a prompt: where the screen keeps to ASCII, other bytes are written out as
    /// paths take them.
    pub(crate) fn typeable(&self, text: String) -> String {
        if !self.options.is_ascii || text.is_ascii() {
            return text;
        }
        let bytes = text.bytes().map(|byte| {
            if byte.is_ascii() {
                char::from(byte).to_string()
            } else {
                format!("\\x{byte:02X}")
            }
        });
        bytes.collect()
    }

    /// Asks the loop for something to be done, after what was asked for already.
    pub(crate) fn want(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    pub(crate) fn session_mut(&mut self) -> Option<&mut Session> {
        self.sessions.get_mut(self.current)
    }

    /// The load under way.
    #[must_use]
    pub fn loading(&self) -> Option<&Loading> {
        self.loading.as_ref()
    }

    /// What the bottom line says.
    #[must_use]
    pub fn notice(&self) -> Option<&Notice> {
        self.notice.as_ref()
    }

    /// What stands over the table.
    #[must_use]
    pub fn dialog(&self) -> Option<&Dialog> {
        self.dialog.as_ref()
    }

    /// How many open trees have edits that no file holds.
    #[must_use]
    pub fn unsaved_count(&self) -> usize {
        self.sessions
            .iter()
            .filter(|session| session.has_unsaved_edits())
            .count()
    }

    /// How often edits have changed or were saved, over all open trees.
    pub(crate) fn changes(&self) -> u64 {
        self.sessions.iter().map(|session| session.changes).sum()
    }

    /// The unsaved edits of each open tree, for a file anywhere.
    pub(crate) fn drafts(&self) -> Vec<Option<String>> {
        let drafts = self.sessions.iter().map(|session| {
            let is_unsaved = session.has_unsaved_edits();
            is_unsaved.then(|| session.draft_text(&self.options.folder))
        });
        drafts.collect()
    }
}
