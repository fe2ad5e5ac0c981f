//! Prompts: their keys, their previews and their results.

mod table;

use crate::base::shown::Shown;
use crate::scenario::{Edit, check_wait};
use crate::tui::state::{App, Dialog, Effect, Prompt, Purpose, Session, Ui};
use crate::tui::update::editing::{apply_because, completed};
use crate::tui::update::time;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use table::ParsedEdit;
use tui_input::{Input, InputRequest};

/// The most characters of a prompt. A paste of a megabyte is a mistake.
const LONGEST: usize = 4096;

impl App {
    pub(crate) fn type_into_prompt(&mut self, event: KeyEvent) {
        if self.ui.picker.is_some() && self.press_in_picker(event) {
            return;
        }
        let Some(Dialog::Prompt(prompt)) = &mut self.ui.dialog else {
            return;
        };
        let is_control = event.modifiers.contains(KeyModifiers::CONTROL);
        let request = match (event.code, is_control) {
            (KeyCode::Enter, _) => return self.accept(),
            (KeyCode::Tab, _) => return self.complete(),
            (KeyCode::Char('u'), true) => InputRequest::DeleteLine,
            (KeyCode::Char('w'), true) => InputRequest::DeletePrevWord,
            (KeyCode::Char('k'), true) => InputRequest::DeleteTillEnd,
            (KeyCode::Home, _) | (KeyCode::Char('a'), true) => InputRequest::GoToStart,
            (KeyCode::End, _) | (KeyCode::Char('e'), true) => InputRequest::GoToEnd,
            // Some terminals send ^H for the backspace key.
            (KeyCode::Backspace, _) | (KeyCode::Char('h'), true) => InputRequest::DeletePrevChar,
            (KeyCode::Delete, _) => InputRequest::DeleteNextChar,
            (KeyCode::Left, _) => InputRequest::GoToPrevChar,
            (KeyCode::Right, _) => InputRequest::GoToNextChar,
            (KeyCode::Char(char), false) => {
                // The first character replaces the value in the cell, unless the cursor was moved first.
                begin(prompt, Some(char));
                InputRequest::InsertChar(char)
            }
            _ => return,
        };
        prompt.is_fresh = false;
        if prompt.input.value().len() < LONGEST || !matches!(request, InputRequest::InsertChar(_)) {
            prompt.input.handle(request);
        }
        self.preview();
    }

    pub(crate) fn paste_into_prompt(&mut self, text: &str) {
        let Some(Dialog::Prompt(prompt)) = &mut self.ui.dialog else {
            return;
        };
        begin(prompt, text.chars().next());
        let room = LONGEST.saturating_sub(prompt.input.value().len());
        // What was copied from a table is words, and from a terminal a line that was broken.
        let text = text.replace('\t', " ");
        for char in text.chars().filter(|char| !char.is_control()).take(room) {
            prompt.input.handle(InputRequest::InsertChar(char));
        }
        self.preview();
    }

    fn complete(&mut self) {
        self.in_tree(|session, ui| {
            if let Some(Dialog::Prompt(prompt)) = &mut ui.dialog
                && matches!(prompt.purpose, Purpose::MoveTo(_))
                && let Some(completed) =
                    completed(session.scenario.tree(), prompt.input.value().trim())
            {
                prompt.input = Input::new(completed);
            }
        });
        self.preview();
    }

    /// Tries out the typed line, on the tree as it is now.
    pub(crate) fn preview(&mut self) {
        let Some(Dialog::Prompt(mut prompt)) = self.ui.dialog.take() else {
            return;
        };
        prompt.error = None;
        self.in_tree(|session, _| {
            let (purpose, text) = (&prompt.purpose, prompt.input.value());
            let was_tried = session.scenario.end_trial();
            let checked = match table::edit(purpose, session, text) {
                Some(edit) => try_out(session, edit, purpose),
                None => table::check(purpose, session, text),
            };
            if was_tried || session.scenario.trial().is_some() {
                session.refresh();
            }
            prompt.error = checked.err();
        });
        self.ui.dialog = Some(Dialog::Prompt(prompt));
    }

    pub(crate) fn leave_prompt(&mut self) {
        let Some(Dialog::Prompt(prompt)) = self.ui.dialog.take() else {
            return;
        };
        self.in_tree(|session, _| {
            if session.scenario.end_trial() {
                session.refresh();
            }
            table::leave(&prompt.purpose, session);
        });
        self.ui.queue(Effect::Pasting(false));
    }

    /// Accepts the typed line. A line that is refused stays in the prompt, with the reason.
    pub(crate) fn accept(&mut self) {
        let Some(Dialog::Prompt(mut prompt)) = self.ui.dialog.take() else {
            return;
        };
        let first = self.ui.effects.len();
        let is_blank = prompt.input.value().trim().is_empty();
        let (purpose, text) = (&prompt.purpose, prompt.input.value());
        // The suggested usage is rounded, so accepting it as it stands is no edit.
        let is_rounded = prompt.is_fresh && matches!(purpose, Purpose::Usage(Some(_)));
        let tree = self.open_tree();
        let tried = tree.and_then(|(session, _)| {
            let was_tried = session.scenario.end_trial();
            was_tried.then_some(session.revision)
        });
        let edit = self.session();
        let edit = edit.and_then(|session| table::edit(purpose, session, text));
        let taken = match (edit, self.open_tree()) {
            (Some(_), Some((session, ui))) if is_rounded => take(session, ui, &prompt, Ok(None)),
            (Some(edit), Some((session, ui))) => take(session, ui, &prompt, edit),
            _ if is_blank && purpose.is_optional() => Ok(()),
            _ => table::answer(purpose, self, text),
        };
        if let Some((session, _)) = self.open_tree()
            && tried == Some(session.revision)
        {
            // No edit took the place of the trial on the screen.
            session.refresh();
        }
        match taken {
            // The terminal must leave paste mode before the effects of the line are performed.
            Ok(()) => self.ui.effects.insert(first, Effect::Pasting(false)),
            Err(error) => {
                prompt.error = Some(error);
                self.ui.dialog = Some(Dialog::Prompt(prompt));
            }
        }
    }

    /// Updates the labels of the open prompt, because names and values may have changed.
    pub(crate) fn label_prompt(&mut self) {
        let session = self.sessions.get(self.ui.current);
        if let Some(Dialog::Prompt(prompt)) = &mut self.ui.dialog {
            let keymap = &self.ui.options.config.keymap;
            prompt.labels = table::labels(&prompt.purpose, session, keymap);
        }
    }
}

pub(crate) fn ask_for_name(session: &mut Session, ui: &mut Ui) {
    session.lists.before_search = Some(Box::new(session.pane().clone()));
    ui.prompt(Purpose::Search, String::new());
}

/// Asks for a source to open. The prompt suggests the path of a draft that was found.
pub(crate) fn ask_what_to_open(ui: &mut Ui) {
    let draft = ui.draft.as_ref().map(|draft| ui.line(draft));
    ui.prompt(Purpose::Open, draft.unwrap_or_default());
}

/// Clears the suggested text before the first character, if that character replaces it.
fn begin(prompt: &mut Prompt, typed: Option<char>) {
    let is_fresh = std::mem::take(&mut prompt.is_fresh);
    let goes_on = typed.is_some_and(|char| table::goes_on(&prompt.purpose, char));
    if is_fresh && !goes_on {
        prompt.input.reset();
    }
}

fn try_out(session: &mut Session, edit: ParsedEdit, purpose: &Purpose) -> Result<(), Shown> {
    edit.and_then(|edit| {
        let tried = match edit {
            // A long wait is not previewed, because it would take too long.
            Some(Edit::Wait { seconds }) if session.waits_long(0, seconds) => {
                check_wait(session.scenario.settings(), seconds)
            }
            Some(edit) => session.scenario.try_out(edit),
            None => Ok(()),
        };
        tried.map_err(|error| match purpose {
            // The label names the setting, so the error need not.
            Purpose::Setting(..) => error.reason(),
            _ => Shown::error(&error),
        })
    })
}

fn take(
    session: &mut Session,
    ui: &mut Ui,
    prompt: &Prompt,
    edit: ParsedEdit,
) -> Result<(), Shown> {
    // The preview showed this error already, and the line can still be corrected.
    let known = prompt.error.clone().filter(|_| matches!(edit, Ok(Some(_))));
    match known.map_or(edit, Err)? {
        Some(Edit::Wait { seconds }) => time::wait(session, ui, seconds),
        Some(edit) => {
            let reason = table::reason(&prompt.purpose, session, prompt.input.value().trim());
            if apply_because(session, ui, edit, reason) {
                table::end(&prompt.purpose, session, ui, true);
            }
        }
        None => table::end(&prompt.purpose, session, ui, false),
    }
    Ok(())
}
