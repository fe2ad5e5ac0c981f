use crate::tui::state::{
    Dialog, Front, LoadStatus, Notice, Options, Session, Ui, UnwrittenScenarios,
};
use crate::tui::widget::theme::Theme;

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

    pub(crate) fn front(&self) -> Front<'_> {
        self.session()
            .map_or(Front::Nothing, |session| self.ui.front(session))
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
