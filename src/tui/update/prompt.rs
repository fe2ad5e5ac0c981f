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
use crate::tui::state::session::Session;
use crate::tui::state::ui::Ui;
use crate::tui::update::editing::apply_because;
use crate::tui::update::scenarios::take_words;
use crate::tui::update::settings::say_what_was_set;
use crate::tui::update::structure::{complete, show_added};
use crate::tui::update::typed::{edit_of, reason_of};
use crate::tui::update::{clock, opening, page, page_keys, time};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::path::PathBuf;
use tui_input::InputRequest;

/// The longest line a prompt takes; a paste of a megabyte is a mistake.
const LONGEST: usize = 4096;

impl App {
    /// Takes a key while a prompt is open.
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
                self.in_tree(|session, ui| complete(session, ui));
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

    /// Takes pasted text while a prompt is open.
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
        self.in_tree(|session, _| try_out(session, &mut prompt));
        self.ui.dialog = Some(Dialog::Prompt(prompt));
    }

    /// Leaves the prompt; what was only tried is taken back.
    fn leave(&mut self) {
        let Some(Dialog::Prompt(prompt)) = self.ui.dialog.take() else {
            return;
        };
        self.in_tree(|session, _| {
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
        });
        self.ui.want(Effect::Pasting(false));
    }

    /// Keeps what was typed; what cannot be kept stays, with the reason.
    fn accept(&mut self) {
        let Some(Dialog::Prompt(mut prompt)) = self.ui.dialog.take() else {
            return;
        };
        let text = prompt.input.value().to_owned();
        let first = self.ui.effects.len();
        let taken = match prompt.purpose {
            Purpose::Save => {
                self.save(path_of(&self.ui, &text));
                Ok(())
            }
            Purpose::SavePage => {
                let (path, sources) = (path_of(&self.ui, &text), self.sources());
                page_keys::save(&mut self.ui, &path, sources);
                Ok(())
            }
            Purpose::Open if text.is_empty() => Ok(()),
            Purpose::Open => {
                let request = Request {
                    path: path_of(&self.ui, &text),
                    ..Request::default()
                };
                self.ui.typed_path = Some((Purpose::Open, text));
                opening::open(&mut self.ui, request);
                Ok(())
            }
            _ => match self.open_tree() {
                Some((session, ui)) => take(session, ui, &prompt, text),
                None => Ok(()),
            },
        };
        if let Err(error) = taken {
            prompt.error = Some(error);
            self.ui.dialog = Some(Dialog::Prompt(prompt));
            return;
        }
        // The terminal hears first that the line is done, then of what it asked for.
        self.ui.effects.insert(first, Effect::Pasting(false));
    }
}

/// Asks for a name to find.
pub(crate) fn ask_for_name(session: &mut Session, ui: &mut Ui) {
    ui.prompt(Purpose::Search(session.selected()), String::new());
}

/// Asks what to open; a draft that was found stands there already.
pub(crate) fn ask_what_to_open(ui: &mut Ui) {
    let draft = ui.draft.as_ref().map(|draft| draft.to_string_lossy());
    let text = draft.unwrap_or_default().into_owned();
    ui.prompt(Purpose::Open, text);
}

/// Shows at once in the tree what the line so far would do.
fn try_out(session: &mut Session, prompt: &mut Prompt) {
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
            prompt.error =
                (first.is_none() && !text.is_empty()).then(|| "no name holds this".to_owned());
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

/// The path that a line means: `~/` is the home directory, as in a shell.
fn path_of(ui: &Ui, text: &str) -> PathBuf {
    match (text.strip_prefix("~/"), &ui.options.home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(text),
    }
}

/// Takes what was typed about a tree.
///
/// # Errors
/// If it cannot be taken, with the reason.
fn take(session: &mut Session, ui: &mut Ui, prompt: &Prompt, text: String) -> Result<(), String> {
    match prompt.purpose {
        _ if prompt.purpose.is_edit() => take_edit(session, ui, prompt, &text),
        Purpose::NewScenario | Purpose::RenameScenario | Purpose::Reason => {
            take_words(session, ui, &prompt.purpose, &text).map_err(|error| error.to_string())
        }
        Purpose::Goal(_)
        | Purpose::DiffWith
        | Purpose::Jump
        | Purpose::Machine
        | Purpose::Cluster
            if text.trim().is_empty() =>
        {
            Ok(())
        }
        Purpose::Goal(node) => page::take_goal(session, ui, node, &text),
        Purpose::TimeGoal => time::take_goal(session, &text),
        Purpose::Machine => page::take_machine(session, ui, &text),
        Purpose::Cluster => page::take_cluster(session, ui, text.trim()),
        Purpose::OtherHalfLife => time::take_half_life(session, ui, &text),
        Purpose::Jump => clock::take_jump(session, ui, &text),
        Purpose::DiffWith => {
            let path = ui.options.folder.join(path_of(ui, &text));
            ui.typed_path = Some((Purpose::DiffWith, text));
            page::open(session, ui, Subject::Diff(path));
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Makes the edit that was typed.
fn take_edit(
    session: &mut Session,
    ui: &mut Ui,
    prompt: &Prompt,
    text: &str,
) -> Result<(), String> {
    session.scenario.end_trial();
    let edit = match (edit_of(&prompt.purpose, text, session), &prompt.error) {
        // What the tree refuses was said already, and the line can still be mended.
        (Ok(Some(_)), Some(error)) => Err(error.clone()),
        (edit, _) => edit,
    };
    match edit {
        Ok(Some(Edit::Wait { seconds })) => clock::wait(session, ui, seconds),
        Ok(Some(edit)) => {
            let reason = reason_of(&prompt.purpose, text, session);
            apply_because(session, ui, edit, reason);
            say_what_was_set(session, ui, &prompt.purpose);
            show_added(session, ui, &prompt.purpose);
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
                say_what_was_set(session, ui, &prompt.purpose);
            }
        }
        Err(error) => {
            session.refresh();
            return Err(error);
        }
    }
    Ok(())
}
