//! The only place where the state of the screen changes. The updates read and write no files and ask no clock; they
//! return such work as [`Effect`]s.
//!
//! A handler changes the open tree or the state that all trees share, and adds effects to the queue. The table of
//! actions names the handler of each action.

mod columns;
mod editing;
mod handler;
mod help;
mod layers;
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

use crate::base::shown::{Shown, sentence, shown};
use crate::report::outline::Filter;
use crate::tui::input::action::Action;
use crate::tui::state::{App, Confirm, Dialog, Effect, Message, Session, Ui, Work};
use std::path::PathBuf;

impl App {
    /// Applies a message to the state and returns the effects to perform.
    pub fn update(&mut self, message: Message) -> Vec<Effect> {
        self.keep_scrolled();
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

    /// Has the list in front begin where the last frame scrolled it to.
    fn keep_scrolled(&mut self) {
        let viewport = self.ui.drawn.get_mut().viewport.take();
        if let (Some(viewport), Some((session, _))) = (viewport, self.open_tree()) {
            session.pane_mut().viewport = viewport;
        }
    }

    /// Changes the state as a message asks.
    fn react(&mut self, message: Message) {
        if self.passes_over(&message) {
            // A prompt or a list would lose its text if Alt were read as esc.
            return;
        }
        let ui = &mut self.ui;
        match message {
            Message::Key(key) => self.press(key),
            Message::Mouse(event) => self.point(event),
            Message::DoubleClick(at) => self.double_click(at),
            Message::Paste(text) => self.paste(&text),
            Message::Resize => {}
            Message::Resume => ui.resume(),
            Message::Theme(name) => ui.chosen_theme = name,
            Message::Open(request) => opening::open(ui, *request),
            Message::Example => self.show_example(),
            Message::Lesson(lesson) => self.begin_lesson(lesson),
            Message::Progress(progress) => {
                if let Some(loading) = &mut ui.loading {
                    loading.progress = progress;
                }
            }
            Message::Loaded(opened) => self.show_loaded(*opened),
            Message::LoadFailed(reason) => self.fail_to_load(reason),
            Message::Clusters(reason, names) => opening::ask_for_cluster(ui, reason, names),
            Message::LoadCancelled => {
                opening::forget_load(ui);
                ui.say("loading was cancelled");
            }
            Message::Saved(path, seen) => self.note_saved(path, seen),
            Message::Ask(question) => {
                let dialog = Dialog::Confirm(question);
                ui.questions.push_back(dialog);
            }
            Message::Exported(paths) => ui.say(exported(&paths)),
            Message::SaveFailed(reason) => ui.fail(reason),
            Message::DraftLeft(place, draft, reason) => {
                self.note_draft_left(place, &draft, &reason);
            }
            Message::Answer(number, answer) => self.hear(number, answer),
            Message::Beat(number) => {
                self.in_tree(|session, ui| time::beat(session, ui, number));
            }
            Message::Tick => self.tick(),
            Message::Recalled(kept, source, words) => self.recall(kept, &source, &words),
            Message::Finished(words) => self.recall_finished(&words),
            Message::FinishedUnkept(reason) => self.tell_unkept(&reason),
            Message::DraftFound(draft) => opening::offer(ui, draft),
        }
    }

    /// Asks the next question of a thread, once no dialog is open whose place it would take.
    fn ask_waiting(&mut self) {
        if !self.top().is_dialog()
            && let Some(question) = self.ui.questions.pop_front()
        {
            self.ui.show(question);
        }
    }

    /// Closes the pages and goes to a screen, by its action.
    pub(crate) fn go_to_screen(&mut self, screen: Action) {
        self.ui.close_pages();
        self.act(screen);
    }

    /// Goes to the screen so many tabs further, or to the left if negative.
    pub(crate) fn step_screen(&mut self, by: isize) {
        if let Some(screen) = self.front().tab_after(by) {
            self.go_to_screen(screen);
        }
    }

    /// Ends the explorer, or asks first if edits are not saved.
    pub(crate) fn quit(&mut self) {
        if self.unsaved_count() == 0 {
            return self.ui.queue(Effect::Quit);
        }
        self.ui.ask(Confirm::Quit);
    }

    /// Stops the work in progress, or else clears the search, the filter or the marks.
    pub(crate) fn cancel(&mut self) {
        if self.ui.loading.is_some() {
            return self.ui.queue(Work::CancelLoad);
        }
        let has_cleared = match self.open_tree() {
            Some((session, ui)) => clear(session, ui),
            None => false,
        };
        if !has_cleared {
            self.stop_reading();
        }
    }

    /// Cancels on the Time screen, where the clock is stopped first.
    pub(crate) fn cancel_on_time(&mut self) {
        let has_cancelled = match self.open_tree() {
            Some((session, ui)) => time::cancel(session, ui),
            None => false,
        };
        if !has_cancelled {
            self.cancel();
        }
    }
}

/// Returns that files were saved.
fn exported(paths: &[PathBuf]) -> Shown {
    let mut names = Vec::new();
    for path in paths {
        names.push(shown(path.as_os_str().as_encoded_bytes()));
    }
    sentence!("saved {}", Shown::joined(names, " and "))
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
