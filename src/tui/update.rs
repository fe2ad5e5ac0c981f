//! The only place where the state of the screen changes. The updates read and write no files and ask no clock; they
//! return such work as [`Effect`]s.
//!
//! A handler changes the open tree or the state that all trees share, and adds effects to the queue. The table of
//! actions names the handler of each action.

mod columns;
mod editing;
mod handler;
mod help;
pub(crate) mod lesson;
mod marks;
mod menus;
mod opening;
mod page;
mod picker;
mod pointer;
mod prompt;
mod questions;
mod saving;
mod scenarios;
mod settings;
mod time;
mod walking;

use crate::base::shown::{sentence, shown};
use crate::report::outline::Filter;
use crate::tui::input::action::Action;
use crate::tui::input::keymap::Key;
use crate::tui::state::{App, Confirm, Dialog, Effect, Message, Notice, Session, Ui};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::path::PathBuf;

/// The rows that a page key moves by in a dialog.
pub(crate) const PAGE: usize = 10;

impl App {
    /// Applies a message to the state and returns the effects to perform.
    pub fn update(&mut self, message: Message) -> Vec<Effect> {
        self.react(message);
        self.ask_waiting();
        self.follow();
        std::mem::take(&mut self.ui.effects)
    }

    /// Brings up to date what follows from the rest of the state, whichever part of that the message changed.
    fn follow(&mut self) {
        // The trees come first: jobs that an edit has outdated end, and a tree that waited for a dialog is shown.
        self.stop_outdated_clocks();
        self.show_reading();
        // Then what the screen lacks of them is asked for.
        self.ask_questions();
        // What is in front names nodes of the tree and lists or shows what is under its cursor.
        self.label_prompt();
        self.follow_line();
        settings::show_theme(&mut self.ui);
        self.follow_lesson();
    }

    fn react(&mut self, message: Message) {
        match message {
            // A prompt or a list would lose its text if Alt were read as esc.
            Message::Key(_) if self.passes_over(&message) => {}
            Message::Key(key) => self.press(key),
            Message::Mouse(event) => self.point(event),
            Message::DoubleClick(at) => self.double_click(at),
            Message::Paste(text) => self.paste(&text),
            Message::Resize => {}
            Message::Resume => self.ui.resume(),
            Message::Open(request) => opening::open(&mut self.ui, *request),
            Message::Example => self.show_example(),
            Message::Lesson(lesson) => self.begin_lesson(lesson),
            Message::Progress(progress) => {
                if let Some(loading) = &mut self.ui.loading {
                    loading.progress = progress;
                }
            }
            Message::Loaded(opened) => self.show_loaded(*opened),
            Message::LoadFailed(reason) => self.fail_to_load(reason),
            Message::Clusters(reason, names) => {
                opening::ask_for_cluster(&mut self.ui, reason, names);
            }
            Message::LoadCancelled => {
                opening::forget_load(&mut self.ui);
                self.ui.say("loading was cancelled");
            }
            Message::Saved(path, seen) => self.note_saved(path, seen),
            Message::Ask(question) => {
                self.ui.questions.push_back(Dialog::Confirm(question));
            }
            Message::Exported(paths) => {
                let shown = |path: &PathBuf| shown(path.as_os_str().as_encoded_bytes());
                let names: Vec<_> = paths.iter().map(shown).collect();
                self.ui.say(sentence!("saved {}", names.join(" and ")));
            }
            Message::SaveFailed(reason) => self.ui.fail(reason),
            Message::DraftLeft(place, draft, reason) => {
                self.note_draft_left(place, &draft, &reason);
            }
            Message::Answer(number, answer) => self.hear(number, answer),
            Message::Beat(number) => self.in_tree(|session, ui| time::beat(session, ui, number)),
            Message::Tick => self.tick(),
            Message::Recalled(kept, source, words) => self.recall(kept, &source, &words),
            Message::DraftFound(draft) => opening::offer(&mut self.ui, draft),
        }
    }

    /// Asks the next question of a thread, once no dialog is open whose place it would take.
    fn ask_waiting(&mut self) {
        if self.ui.dialog.is_none() {
            self.ui.dialog = self.ui.questions.pop_front();
        }
    }

    /// Returns whether a message has no effect: Alt with a key, where text can be typed.
    pub(crate) fn passes_over(&self, message: &Message) -> bool {
        let is_alt =
            matches!(message, Message::Key(key) if key.modifiers.contains(KeyModifiers::ALT));
        is_alt && self.takes_text()
    }

    /// Returns whether text can be typed in what is in front: a line, or the filter of a list.
    fn takes_text(&self) -> bool {
        matches!(
            self.ui.dialog,
            Some(Dialog::Prompt(_) | Dialog::Help(_) | Dialog::Menu(_))
        )
    }

    fn press(&mut self, event: KeyEvent) {
        if event.modifiers.contains(KeyModifiers::ALT) {
            // A terminal sends Alt as an escape before the key, so esc with a quick next key looks like Alt with that
            // key. No action is bound to Alt, so both are read as esc and a key.
            self.press(KeyCode::Esc.into());
            let modifiers = event.modifiers - KeyModifiers::ALT;
            return self.press(KeyEvent::new(event.code, modifiers));
        }
        let covers = matches!(self.ui.dialog, Some(Dialog::Prompt(_) | Dialog::Confirm(_)));
        let unseen = self.ui.notice.take().filter(|_| covers);
        self.press_key(event);
        // What was said behind a prompt is still to be seen, above all why something failed.
        let is_worse = matches!(unseen, Some(Notice::Error(_)))
            && !matches!(self.ui.notice, Some(Notice::Error(_)));
        if is_worse || self.ui.notice.is_none() {
            self.ui.notice = unseen;
        }
    }

    fn press_key(&mut self, event: KeyEvent) {
        if self.press_in_lesson(event) {
            return;
        }
        let key = Key::of(event);
        if !self.types(event) {
            self.show_key(key);
        }
        if let Some(prefix) = self.ui.prefix.take() {
            return self.press_behind(&prefix, event);
        }
        let action = self.ui.options.config.keymap.action(None, key);
        let is_escape = event.code == KeyCode::Esc && self.ui.dialog.is_some();
        if (is_escape || is_control(event, 'c')) && self.close_front() {
            return;
        }
        if action == Some(Action::Suspend) && !self.types(event) {
            return self.act(Action::Suspend);
        }
        match (&self.ui.dialog, action) {
            (None, Some(action)) => self.act_in_front(action),
            (None, None) => self.open_prefix(key),
            (Some(_), _) => self.press_in_dialog(event, action),
        }
    }

    pub(crate) fn press_in_dialog(&mut self, event: KeyEvent, action: Option<Action>) {
        match &mut self.ui.dialog {
            None => {}
            Some(Dialog::Prompt(_)) => self.type_into_prompt(event),
            Some(Dialog::Menu(_)) => self.press_in_menu(event, action),
            Some(Dialog::Confirm(_)) => self.answer(event),
            Some(Dialog::Help(_)) => self.press_in_help(event, action),
            Some(Dialog::History(_)) => {
                self.in_tree(|session, ui| scenarios::press_in_history(session, ui, event, action));
            }
            Some(Dialog::Curves | Dialog::Surface) => self.press_in_plot(action),
        }
    }

    /// Closes the dialog, if one is open, and applies nothing.
    pub(crate) fn close_dialog(&mut self) {
        match self.ui.dialog {
            Some(Dialog::Prompt(_)) => self.leave_prompt(),
            _ => self.ui.dialog = None,
        }
    }

    /// Closes the dialog in front, or else the page, and applies nothing. Returns whether either was open.
    fn close_front(&mut self) -> bool {
        match self.ui.dialog {
            Some(_) => self.close_dialog(),
            None if self.ui.manual.is_some() => self.ui.manual = None,
            None if self.ui.page.is_some() => self.ui.page = None,
            None => return false,
        }
        true
    }

    /// Returns whether a key is text for the dialog in front.
    fn types(&self, event: KeyEvent) -> bool {
        let KeyCode::Char(char) = event.code else {
            return false;
        };
        let is_text = match &self.ui.dialog {
            Some(Dialog::Menu(menu)) => {
                // A blank before any text chooses, and settings have keys for their steps.
                let action = self.ui.options.config.keymap.action(None, Key::of(event));
                let is_step = matches!(action, Some(Action::LowerSetting | Action::RaiseSetting));
                !(char == ' ' && menu.query.is_empty() || is_step && menu.has_settings())
            }
            _ => self.takes_text(),
        };
        is_text && !event.modifiers.contains(KeyModifiers::CONTROL)
    }

    pub(crate) fn go_to_screen(&mut self, screen: Action) {
        self.ui.close_pages();
        self.act(screen);
    }

    pub(crate) fn step_screen(&mut self, by: isize) {
        if let Some(screen) = self.front().tab_after(by) {
            self.go_to_screen(screen);
        }
    }

    pub(crate) fn quit(&mut self) {
        if self.unsaved_count() == 0 {
            return self.ui.queue(Effect::Quit);
        }
        self.ui.ask(Confirm::Quit);
    }

    /// Stops the work in progress, or else clears the search, the filter or the marks.
    pub(crate) fn cancel(&mut self) {
        if self.ui.loading.is_some() {
            return self.ui.queue(Effect::CancelLoad);
        }
        let tree = self.open_tree();
        if !tree.is_some_and(|(session, ui)| clear(session, ui)) {
            self.stop_reading();
        }
    }

    /// Cancels on the Time screen, where the clock is stopped first.
    pub(crate) fn cancel_on_time(&mut self) {
        let tree = self.open_tree();
        if !tree.is_some_and(|(session, ui)| time::cancel(session, ui)) {
            self.cancel();
        }
    }
}

fn is_control(event: KeyEvent, letter: char) -> bool {
    event.code == KeyCode::Char(letter) && event.modifiers.contains(KeyModifiers::CONTROL)
}

/// Stops the clock, or clears the search, the filter or the marks. Returns whether there was any.
fn clear(session: &mut Session, ui: &mut Ui) -> bool {
    if session.time.clock_run.forget().is_some() {
        ui.say(time::STOPPED);
    } else if session.search.is_some() {
        session.search = None;
    } else if session.pane().outline.filter() != Filter::All {
        session.change_outline(|outline, scenario| outline.set_filter(scenario, Filter::All, &[]));
    } else if session.marked_count() > 0 {
        session.marks.clear();
    } else {
        return false;
    }
    true
}

/// Returns where an action moves a cursor between the first place and the last, or `None` if it moves none.
fn moved(action: Option<Action>, cursor: usize, last: usize, page: usize) -> Option<usize> {
    let place = match action? {
        Action::Down => cursor + 1,
        Action::Up => cursor.saturating_sub(1),
        Action::PageDown => cursor + page,
        Action::PageUp => cursor.saturating_sub(page),
        Action::First => 0,
        Action::Last => last,
        _ => return None,
    };
    Some(place.min(last))
}
