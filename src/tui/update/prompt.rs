//! Lines being typed: shares, usage, a name to find, a file.

use crate::report::outline::Search;
use crate::scenario::{Edit, check_wait};
use crate::source::format::Request;
use crate::tui::input::action::Action;
use crate::tui::page::subject::Subject;
use crate::tui::state::app::App;
use crate::tui::state::dialog::Dialog;
use crate::tui::state::message::Effect;
use crate::tui::state::other_scenarios::checked;
use crate::tui::state::prompt::{Prompt, Purpose};
use crate::tui::update::typed::{edit_of, reason_of};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::path::PathBuf;
use tui_input::InputRequest;

/// The longest line a prompt takes; a paste of a megabyte is a mistake.
const LONGEST: usize = 4096;

impl App {
    pub(crate) fn ask_for_name(&mut self) {
        let Some(session) = self.session() else {
            return;
        };
        self.ui
            .prompt(Purpose::Search(session.selected()), String::new());
    }

    /// Asks what to open; a draft that was found stands there already.
    pub(crate) fn ask_what_to_open(&mut self) {
        let draft = self.ui.draft.as_ref().map(|draft| draft.to_string_lossy());
        let text = draft.unwrap_or_default().into_owned();
        self.ui.prompt(Purpose::Open, text);
    }

    pub(crate) fn type_into_prompt(&mut self, event: KeyEvent, action: Option<Action>) {
        let Some(Dialog::Prompt(prompt)) = &mut self.ui.dialog else {
            return;
        };
        let is_control = event.modifiers.contains(KeyModifiers::CONTROL);
        let request = match event.code {
            KeyCode::Enter => return self.accept(),
            KeyCode::Esc => return self.leave(),
            KeyCode::Char('c') if is_control => return self.leave(),
            KeyCode::Char('u') if is_control => InputRequest::DeleteLine,
            KeyCode::Char('w') if is_control => InputRequest::DeletePrevWord,
            KeyCode::Char('a') if is_control => InputRequest::GoToStart,
            KeyCode::Char('e') if is_control => InputRequest::GoToEnd,
            KeyCode::Char('k') if is_control => InputRequest::DeleteTillEnd,
            KeyCode::Char(_) if is_control => {
                if action == Some(Action::Suspend) {
                    self.ui.want(Effect::Suspend);
                }
                return;
            }
            KeyCode::Char(char) => {
                // What stands in the cell is there to be replaced, unless the cursor is moved first.
                let is_fresh = std::mem::take(&mut prompt.is_fresh);
                if is_fresh && !prompt.purpose.goes_on_with(char) {
                    prompt.input.reset();
                }
                InputRequest::InsertChar(char)
            }
            KeyCode::Backspace => InputRequest::DeletePrevChar,
            KeyCode::Delete => InputRequest::DeleteNextChar,
            KeyCode::Left => InputRequest::GoToPrevChar,
            KeyCode::Right => InputRequest::GoToNextChar,
            KeyCode::Tab => {
                self.complete();
                self.preview();
                return;
            }
            KeyCode::Home => InputRequest::GoToStart,
            KeyCode::End => InputRequest::GoToEnd,
            _ => return,
        };
        prompt.is_fresh = false;
        if prompt.input.value().len() < LONGEST || !matches!(request, InputRequest::InsertChar(_)) {
            prompt.input.handle(request);
        }
        self.preview();
    }

    pub(crate) fn paste(&mut self, text: &str) {
        let Some(Dialog::Prompt(prompt)) = &mut self.ui.dialog else {
            return;
        };
        let goes_on = text
            .chars()
            .next()
            .is_some_and(|char| prompt.purpose.goes_on_with(char));
        if std::mem::take(&mut prompt.is_fresh) && !goes_on {
            prompt.input.reset();
        }
        let room = LONGEST.saturating_sub(prompt.input.value().len());
        for char in text.chars().filter(|char| !char.is_control()).take(room) {
            prompt.input.handle(InputRequest::InsertChar(char));
        }
        self.preview();
    }

    /// Shows at once what the line so far would do.
    fn preview(&mut self) {
        let Some(Dialog::Prompt(mut prompt)) = self.ui.dialog.take() else {
            return;
        };
        if let Some(session) = self.session_mut() {
            let text = prompt.input.value();
            match prompt.purpose {
                _ if prompt.purpose.is_edit() => {
                    session.scenario.end_trial();
                    let edit = edit_of(&prompt.purpose, text, session);
                    let tried = edit.and_then(|edit| match edit {
                        // What takes long is not tried while it is typed.
                        Some(Edit::Wait { seconds }) if session.waits_long(0, seconds) => {
                            check_wait(session.scenario.settings(), seconds)
                                .map_err(|error| error.to_string())
                        }
                        Some(edit) => session
                            .scenario
                            .try_out(edit)
                            .map_err(|error| error.to_string()),
                        None => Ok(()),
                    });
                    prompt.error = tried.err();
                    session.refresh();
                }
                Purpose::Search(origin) => {
                    let search = Search::new(session.scenario.tree(), text);
                    let first = search.from(session.scenario.tree(), origin);
                    prompt.error = (first.is_none() && !text.is_empty())
                        .then(|| "no name holds this".to_owned());
                    session.search = (!text.is_empty()).then_some(search);
                    session.select(first.unwrap_or(origin));
                }
                Purpose::NewScenario | Purpose::RenameScenario => {
                    let name = checked(session, &prompt.purpose, text);
                    prompt.error = name.err().map(|error| error.to_string());
                }
                _ => prompt.error = None,
            }
        }
        self.ui.dialog = Some(Dialog::Prompt(prompt));
    }

    /// The path that a line means: `~/` is the home directory, as in a shell.
    fn path_of(&self, text: &str) -> PathBuf {
        match (text.strip_prefix("~/"), &self.ui.options.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => PathBuf::from(text),
        }
    }

    /// Says why a path that was typed does not do: where it was typed, so that it can be mended, unless something else
    /// is open by now.
    pub(crate) fn refuse_path(&mut self, reason: String) {
        match self.ui.typed_path.take() {
            Some((purpose, text)) if self.ui.dialog.is_none() => {
                let mut prompt = Prompt::new(purpose, text);
                prompt.error = Some(reason);
                self.ui.dialog = Some(Dialog::Prompt(prompt));
                self.ui.want(Effect::Pasting(true));
            }
            _ => self.ui.fail(reason),
        }
    }

    /// Leaves the prompt; what was only tried is taken back.
    fn leave(&mut self) {
        let Some(Dialog::Prompt(prompt)) = self.ui.dialog.take() else {
            return;
        };
        if let Some(session) = self.session_mut() {
            session.scenario.end_trial();
            session.refresh();
            match prompt.purpose {
                Purpose::Search(origin) => {
                    session.search = None;
                    session.select(origin);
                }
                Purpose::Setting {
                    before: Some(before),
                    ..
                } => session.set_policy(before),
                _ => {}
            }
        }
        self.ui.want(Effect::Pasting(false));
    }

    /// Keeps what was typed.
    fn accept(&mut self) {
        let Some(Dialog::Prompt(mut prompt)) = self.ui.dialog.take() else {
            return;
        };
        let text = prompt.input.value().to_owned();
        let first = self.ui.effects.len();
        match prompt.purpose {
            _ if prompt.purpose.is_edit() => {
                let Some(session) = self.session_mut() else {
                    return self.ui.want(Effect::Pasting(false));
                };
                session.scenario.end_trial();
                match edit_of(&prompt.purpose, &text, session) {
                    // What the tree refuses was said already, and the line can still be mended.
                    Ok(Some(_)) if prompt.error.is_some() => {
                        session.refresh();
                        self.ui.dialog = Some(Dialog::Prompt(prompt));
                        return;
                    }
                    Ok(Some(Edit::Wait { seconds })) => self.wait_on(seconds),
                    Ok(Some(edit)) => {
                        let reason = reason_of(&prompt.purpose, &text, session);
                        self.apply_because(edit, reason);
                        self.say_what_was_set(&prompt.purpose);
                        self.show_what_was_added(&prompt.purpose);
                    }
                    Ok(None) => {
                        session.refresh();
                        if matches!(
                            prompt.purpose,
                            Purpose::Setting {
                                before: Some(_),
                                ..
                            }
                        ) {
                            self.say_what_was_set(&prompt.purpose);
                        }
                    }
                    Err(error) => {
                        session.refresh();
                        prompt.error = Some(error);
                        self.ui.dialog = Some(Dialog::Prompt(prompt));
                        return;
                    }
                }
            }
            Purpose::NewScenario | Purpose::RenameScenario | Purpose::Reason => {
                if let Err(error) = self.take_words(&prompt.purpose, &text) {
                    prompt.error = Some(error.to_string());
                    self.ui.dialog = Some(Dialog::Prompt(prompt));
                    return;
                }
            }
            Purpose::Save => self.save(self.path_of(&text)),
            Purpose::SavePage => self.save_page(&self.path_of(&text)),
            Purpose::Goal(_)
            | Purpose::DiffWith
            | Purpose::Jump
            | Purpose::Machine
            | Purpose::Cluster
                if text.trim().is_empty() => {}
            Purpose::Jump
            | Purpose::OtherHalfLife
            | Purpose::Goal(_)
            | Purpose::TimeGoal
            | Purpose::Machine
            | Purpose::Cluster => {
                if let Err(error) = self.take_question(&prompt.purpose, &text) {
                    prompt.error = Some(error);
                    self.ui.dialog = Some(Dialog::Prompt(prompt));
                    return;
                }
            }
            Purpose::DiffWith => {
                let path = self.ui.options.folder.join(self.path_of(&text));
                self.ui.typed_path = Some((Purpose::DiffWith, text));
                self.open_page(Subject::Diff(path));
            }
            Purpose::Open if text.is_empty() => {}
            Purpose::Open => {
                let request = Request {
                    path: self.path_of(&text),
                    ..Request::default()
                };
                self.ui.typed_path = Some((Purpose::Open, text));
                self.open(request);
            }
            // All others are edits.
            _ => {}
        }
        // The terminal hears first that the line is done, then of what it asked for.
        self.ui.effects.insert(first, Effect::Pasting(false));
    }

    /// Takes what was typed where something is to be worked out.
    fn take_question(&mut self, purpose: &Purpose, text: &str) -> Result<(), String> {
        match *purpose {
            Purpose::Goal(node) => self.take_goal(node, text),
            Purpose::TimeGoal => self.take_time_goal(text),
            Purpose::Machine => self.take_machine(text),
            Purpose::Cluster => self.take_cluster(text.trim()),
            Purpose::OtherHalfLife => self.take_half_life(text),
            _ => self.take_jump(text),
        }
    }
}
