//! Keys on a page: copying, saving, asking again; the edits below it can be taken back, and it follows.

use crate::tui::input::action::Action;
use crate::tui::page::subject::Subject;
use crate::tui::state::app::App;
use crate::tui::state::message::{Effect, LONGEST_COPY};
use crate::tui::state::open_page::Open;
use crate::tui::state::prompt::Purpose;
use ratatui::layout::Position;
use std::path::Path;

/// Why nothing is done with a page yet.
pub(crate) const UNANSWERED: &str = "it is still being worked out; wait for it, or esc leaves";

impl App {
    /// What a key does on a page.
    pub(crate) fn press_on_page(&mut self, action: Option<Action>) {
        let Some(open) = &mut self.ui.page else {
            return;
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
            Some(Action::CopyPath) => self.copy_page(),
            Some(Action::Save) => self.ask_where_to_save_page(),
            Some(Action::Toggle) => self.apply_choice(),
            Some(Action::Contention) if matches!(open.subject, Subject::Contention(..)) => {
                self.ask_for_machine();
            }
            Some(Action::Help | Action::Suspend | Action::Redraw) => {
                if let Some(action) = action {
                    self.act(action);
                }
            }
            Some(
                screen @ (Action::TreeScreen
                | Action::RankingScreen
                | Action::PoliciesScreen
                | Action::TimeScreen),
            ) => self.go_to_screen(screen),
            Some(Action::NextScreen) => self.next_screen(),
            Some(
                action @ (Action::Undo
                | Action::Redo
                | Action::NextScenario
                | Action::PreviousDump
                | Action::NextDump),
            ) => self.act_below_page(action),
            Some(Action::Cancel | Action::Quit | Action::PlanScreen) => {
                self.ui.page = None;
            }
            _ => {}
        }
    }

    /// Changes the tree that the page is about; the page follows.
    fn act_below_page(&mut self, action: Action) {
        let Some(session) = self.session_mut() else {
            return;
        };
        session.catch_up();
        let (before, changes) = (session.scenario.tree().clone(), session.changes);
        self.act(action);
        if self
            .session()
            .is_some_and(|session| session.changes != changes)
        {
            self.ask_page_again(&before);
        }
    }

    fn copy_page(&mut self) {
        let Some(page) = self.ui.page.as_ref().and_then(Open::answer) else {
            return self.ui.say(UNANSWERED);
        };
        let text = page.text();
        if text.len() > LONGEST_COPY {
            let key = self.ui.hint(Action::Save);
            let what = page.what.clone();
            // Commands that are cut off do something else.
            return self.ui.fail(format!(
                "{what} is too long for the clipboard of a terminal; {key} saves it to a file"
            ));
        }
        let what = page.what.clone();
        self.ui.say(format!("copied {what}"));
        self.ui.want(Effect::Copy(text));
    }

    fn ask_where_to_save_page(&mut self) {
        let Some(page) = self.ui.page.as_ref().and_then(Open::answer) else {
            return self.ui.say(UNANSWERED);
        };
        let file = page.file.clone();
        self.ui.prompt(Purpose::SavePage, file);
    }

    /// Saves the page under that name, and what belongs to it beside.
    pub(crate) fn save_page(&mut self, path: &Path) {
        if path.as_os_str().is_empty() {
            return self.ui.fail("no file was named; nothing was saved");
        }
        let Some(page) = self.ui.page.as_ref().and_then(Open::answer) else {
            return self.ui.say(UNANSWERED);
        };
        let beside = page.files.iter();
        let beside = beside.map(|(name, bytes)| (path.with_file_name(name), bytes.clone()));
        let files = beside.chain([(path.to_owned(), page.text().into_bytes())]);
        self.ui.want(Effect::Export {
            files: files.collect(),
            sources: self.sources(),
        });
    }
}

impl App {
    /// A click on a page: on one of its choices it puts the cursor there.
    pub(crate) fn click_on_page(&mut self, at: Position) {
        let Some(open) = &mut self.ui.page else {
            return;
        };
        let area = open.area.get();
        if !area.contains(at) || open.chosen().is_none() {
            return;
        }
        let line = open.on_screen().start + usize::from(at.y - area.y);
        let lines = open.lines.borrow();
        let clicked = lines.as_ref().and_then(|(_, lines)| lines.get(line));
        let choice = clicked.and_then(|line| line.choice);
        drop(lines);
        if let Some(choice) = choice {
            open.choice = choice;
        }
    }

    /// Scrolls a page by so many lines, as the wheel does.
    pub(crate) fn scroll_page(&mut self, by: isize) {
        if let Some(open) = &mut self.ui.page {
            open.scroll(by);
        }
    }

    /// Makes the choice under the cursor an edit; one that is off the screen is shown first.
    pub(crate) fn apply_choice(&mut self) {
        let Some(open) = &mut self.ui.page else {
            return;
        };
        let Some(page) = open.answer() else {
            return self.ui.say(UNANSWERED);
        };
        let lacks_cluster = page.lacks_cluster;
        let Some((edit, node)) = open.chosen().map(|choice| page.choices[choice].clone()) else {
            if lacks_cluster {
                self.ui.prompt(Purpose::Cluster, String::new());
            }
            return;
        };
        if !open.is_choice_on_screen() {
            open.show_choice();
            let key = self.ui.hint(Action::Toggle);
            return self.ui.say(format!("{key} applies this one"));
        }
        self.ui.page = None;
        let text = self
            .session()
            .map(|session| crate::scenario::write(&edit, session.scenario.tree()));
        self.apply(edit);
        if let Some(session) = self.session_mut() {
            session.select(node);
        }
        if self.ui.notice.is_none() {
            let key = self.ui.hint(Action::Undo);
            let text = crate::base::shown::visible(&text.unwrap_or_default());
            self.ui.say(format!("applied {text}; {key} takes it back"));
        }
    }
}
