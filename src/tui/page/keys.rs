//! Keys on a page: copying, saving, asking again; the edits below it can be taken back, and it
//! follows.

use super::{Open, Subject};
use crate::tui::dialog::Purpose;
use crate::tui::perform::LONGEST_COPY;
use crate::tui::{Action, App, Effect};
use std::path::Path;

/// Why nothing is done with a page yet.
pub(super) const UNANSWERED: &str = "it is still being worked out; wait for it, or esc leaves";

impl App {
    /// What a key does on a page.
    pub(in crate::tui) fn press_on_page(&mut self, action: Option<Action>) -> Vec<Effect> {
        let Some(open) = &mut self.page else {
            return Vec::new();
        };
        let (height, _) = open.height.get();
        let page = height.saturating_sub(1).max(1).cast_signed();
        match action {
            Some(Action::Down) => open.step(1),
            Some(Action::Up) => open.step(-1),
            Some(Action::PageDown) => open.scroll(page),
            Some(Action::PageUp) => open.scroll(-page),
            Some(Action::First) => open.scroll(isize::MIN),
            Some(Action::Last) => open.scroll(isize::MAX),
            Some(Action::CopyPath) => return self.copy_page(),
            Some(Action::Save) => return self.ask_where_to_save_page(),
            Some(Action::Toggle) => return self.apply_choice(),
            Some(Action::Contention) if matches!(open.subject, Subject::Contention(..)) => {
                return self.ask_for_machine();
            }
            Some(Action::Help | Action::Suspend | Action::Redraw) => {
                return action.map_or_else(Vec::new, |action| self.act(action));
            }
            Some(
                screen @ (Action::TreeScreen
                | Action::RankingScreen
                | Action::PoliciesScreen
                | Action::TimeScreen),
            ) => return self.go_to_screen(screen),
            Some(Action::NextScreen) => return self.next_screen(),
            Some(
                action @ (Action::Undo
                | Action::Redo
                | Action::NextScenario
                | Action::PreviousDump
                | Action::NextDump),
            ) => {
                return self.act_below_page(action);
            }
            Some(Action::Cancel | Action::Quit | Action::PlanScreen) => {
                self.page = None;
                return Vec::new();
            }
            _ => {}
        }
        Vec::new()
    }

    /// Changes the tree that the page is about; the page follows.
    fn act_below_page(&mut self, action: Action) -> Vec<Effect> {
        let Some(session) = self.session_mut() else {
            return Vec::new();
        };
        session.catch_up();
        let (before, changes) = (session.scenario.tree().clone(), session.changes);
        let mut effects = self.act(action);
        if self
            .session()
            .is_some_and(|session| session.changes != changes)
        {
            effects.extend(self.ask_page_again(&before));
        }
        effects
    }

    fn copy_page(&mut self) -> Vec<Effect> {
        let Some(page) = self.page.as_ref().and_then(Open::answer) else {
            return self.say(UNANSWERED);
        };
        let text = page.text();
        if text.len() > LONGEST_COPY {
            let key = self.keymap.hint(Action::Save);
            let what = page.what.clone();
            // Commands that are cut off do something else.
            return self.fail(format!(
                "{what} is too long for the clipboard of a terminal; {key} saves it to a file"
            ));
        }
        let what = page.what.clone();
        self.say(format!("copied {what}"));
        vec![Effect::Copy(text)]
    }

    fn ask_where_to_save_page(&mut self) -> Vec<Effect> {
        let Some(page) = self.page.as_ref().and_then(Open::answer) else {
            return self.say(UNANSWERED);
        };
        let file = page.file.clone();
        self.prompt(Purpose::SavePage, file)
    }

    /// Saves the page under that name, and what belongs to it beside.
    pub(in crate::tui) fn save_page(&mut self, path: &Path) -> Vec<Effect> {
        if path.as_os_str().is_empty() {
            return self.fail("no file was named; nothing was saved");
        }
        let Some(page) = self.page.as_ref().and_then(Open::answer) else {
            return self.say(UNANSWERED);
        };
        let beside = page.files.iter();
        let beside = beside.map(|(name, bytes)| (path.with_file_name(name), bytes.clone()));
        let files = beside.chain([(path.to_owned(), page.text().into_bytes())]);
        vec![Effect::Export {
            files: files.collect(),
            sources: self.sources(),
        }]
    }
}

/// What can be done on a page.
pub(in crate::tui) fn hints(open: &Open) -> &'static [(Action, &'static str)] {
    match &open.page {
        None => &[(Action::Cancel, "leave")],
        Some(page) if !page.choices.is_empty() => &[
            (Action::Toggle, "apply it"),
            (Action::CopyPath, "copy"),
            (Action::Save, "save"),
            (Action::Down, "scroll"),
            (Action::Cancel, "back"),
        ],
        Some(page) if page.lacks_cluster => &[
            (Action::Toggle, "name the cluster"),
            (Action::CopyPath, "copy"),
            (Action::Save, "save"),
            (Action::Down, "scroll"),
            (Action::Cancel, "back"),
        ],
        Some(_) => &[
            (Action::CopyPath, "copy"),
            (Action::Save, "save"),
            (Action::Down, "scroll"),
            (Action::Cancel, "back"),
        ],
    }
}
