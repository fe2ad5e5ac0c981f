//! Opening: a source is asked for, comes in, and is shown; edits that an earlier run left behind are offered.

use crate::source::format::{self, Progress, Request};
use crate::source::opened::Opened;
use crate::tui::input::action::Action;
use crate::tui::state::app::App;
use crate::tui::state::message::Effect;
use crate::tui::state::session::Session;
use crate::tui::state::ui::{Loading, Notice};
use std::path::PathBuf;

impl App {
    /// Begins to open a source.
    pub(crate) fn open(&mut self, request: Request) {
        let title = request.live.map_or_else(
            || {
                let path = request.series.first().unwrap_or(&request.path);
                crate::base::shown::shown(path.as_os_str().as_encoded_bytes())
            },
            |scheduler| format!("live {}", scheduler.name()),
        );
        let progress = Progress {
            file: title.clone(),
            ..Progress::default()
        };
        self.ui.loading = Some(Loading { title, progress });
        self.ui.watch.unopened = Some(request.clone());
        self.ui.want(Effect::Load(request));
    }

    /// Shows the built-in example and says how to open something else.
    pub(crate) fn show_example(&mut self) {
        let example = Opened::new(format::example(), self.ui.options.policy);
        self.show_loaded(example);
        let key = |action| self.ui.hint(action);
        self.ui.notice = Some(Notice::Said(format!(
            "this is the built-in example; {} opens your own tree, {} another example",
            key(Action::Open),
            key(Action::Examples)
        )));
    }

    pub(crate) fn show_loaded(&mut self, opened: Opened) {
        self.ui.typed_path = None;
        self.ui.loading = None;
        self.ui.watch.unopened = None;
        let session = self.adopt(Session::new(opened));
        let problems = session.problems.count();
        self.sessions.push(session);
        let is_busy = self.ui.dialog.is_some() || self.ui.page.is_some();
        if self.sessions.len() > 1 && is_busy {
            // What is being typed or read is about the tree on the screen.
            let key = self.ui.hint(Action::NextTree);
            self.ui.say(format!("it is open now: {key} goes to it"));
            return self.wait();
        }
        self.current = self.sessions.len() - 1;
        if let Some(series) = self.session().and_then(|session| session.series.clone()) {
            let hint = self.hint_at_series(&series);
            self.ui.say(hint);
            return self.wait();
        }
        if problems > 0 {
            let key = self.ui.hint(Action::Problems);
            let noun = if problems == 1 { "problem" } else { "problems" };
            self.ui.say(format!(
                "{problems} {noun} in this source: {key} lists them"
            ));
        }
        self.wait();
    }

    /// Says that a draft was found; the prompt for opening holds its path from here on.
    pub(crate) fn offer(&mut self, draft: PathBuf) {
        self.ui.draft = Some(draft);
        let key = self.ui.hint(Action::Open);
        self.ui.say(format!(
            "unsaved edits of a session that ended early were kept; {key} opens them"
        ));
    }

    /// A session just opened; that of a draft has no file of its own, and its edits are still unsaved.
    pub(crate) fn adopt(&mut self, mut session: Session) -> Session {
        if session.scenario_path().is_some() && session.scenario_path() == self.ui.draft.as_deref()
        {
            if let Some(draft) = self.ui.draft.take() {
                self.ui.want(Effect::RemoveDraft(draft));
            }
            session.note_unsaved();
        }
        session
    }
}
