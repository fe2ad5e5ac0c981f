//! Prompts: their keys, their previews and their results.

mod answers;
mod edits;
pub(super) mod machine;

use crate::base::shown::Shown;
use crate::scenario::{Edit, check_wait};
use crate::tui::input::event::{KeyCode, KeyEvent, KeyModifiers};
use crate::tui::state::{
    AnswerPurpose, App, Dialog, EditPurpose, Prompt, PromptLabels, Purpose, Session,
    TerminalEffect, Ui,
};
use crate::tui::update::editing::{apply_because, completed};
use crate::tui::update::time;
use edits::ParsedEdit;
use tui_input::{Input, InputRequest};

/// The most characters of a prompt. A paste of a megabyte is a mistake.
const LONGEST: usize = 4096;

impl App {
    /// Handles a key of a prompt: one of its list, one that moves the cursor or deletes, or text.
    pub(crate) fn type_into_prompt(&mut self, event: KeyEvent) {
        if self.ui.picker.is_some() && self.press_in_picker(event) {
            return;
        }
        let Some(Dialog::Prompt(prompt)) = &mut self.ui.dialog else {
            return;
        };
        let has_control = event.modifiers.contains(KeyModifiers::CONTROL);
        let request = match event.code {
            KeyCode::Enter => return self.accept(),
            KeyCode::Tab => return self.complete(),
            KeyCode::Char(char) if !has_control => {
                // The first character replaces the value in the cell, unless the cursor was moved first.
                begin(prompt, Some(char));
                InputRequest::InsertChar(char)
            }
            KeyCode::Char(letter) => match request_with_control(letter) {
                Some(request) => request,
                None => return,
            },
            code => match request_of(code) {
                Some(request) => request,
                None => return,
            },
        };
        prompt.is_fresh = false;
        let is_full = prompt.input.value().len() >= LONGEST;
        if !is_full || !matches!(request, InputRequest::InsertChar(_)) {
            prompt.input.handle(request);
        }
        self.preview();
    }

    /// Types pasted text, in which tabs are blanks and line breaks are nothing.
    pub(crate) fn paste_into_prompt(&mut self, text: &str) {
        let Some(Dialog::Prompt(prompt)) = &mut self.ui.dialog else {
            return;
        };
        begin(prompt, text.chars().next());
        let mut room = LONGEST.saturating_sub(prompt.input.value().len());
        // What was copied from a table is words, and from a terminal a line that was broken.
        for char in text.replace('\t', " ").chars() {
            if room > 0 && !char.is_control() {
                prompt.input.handle(InputRequest::InsertChar(char));
                room -= 1;
            }
        }
        self.preview();
    }

    /// Completes the path of the account to which a node is moved.
    fn complete(&mut self) {
        self.in_tree(|session, ui| {
            let Some(Dialog::Prompt(prompt)) = &mut ui.dialog else {
                return;
            };
            let Purpose::Edit(EditPurpose::MoveTo(_)) = prompt.purpose else {
                return;
            };
            let typed = prompt.input.value().trim();
            if let Some(completed) = completed(session.scenario.tree(), typed) {
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
            let text = prompt.input.value();
            let was_tried = session.scenario.end_trial();
            let checked = match &prompt.purpose {
                Purpose::Edit(purpose) => try_out(session, purpose, text),
                Purpose::Answer(purpose) => answers::check(purpose, session, text),
            };
            if was_tried || session.scenario.trial().is_some() {
                session.refresh();
            }
            prompt.error = checked.err();
        });
        self.ui.dialog = Some(Dialog::Prompt(prompt));
    }

    /// Closes the prompt, and undoes what it tried.
    pub(crate) fn leave_prompt(&mut self) {
        let Some(Dialog::Prompt(prompt)) = self.ui.dialog.take() else {
            return;
        };
        self.in_tree(|session, _| {
            if session.scenario.end_trial() {
                session.refresh();
            }
            match &prompt.purpose {
                Purpose::Edit(purpose) => edits::leave(purpose, session),
                Purpose::Answer(purpose) => answers::leave(purpose, session),
            }
        });
        self.ui.queue(TerminalEffect::Pasting(false));
    }

    /// Accepts the typed line. A line that is refused stays in the prompt, with the reason.
    pub(crate) fn accept(&mut self) {
        let Some(Dialog::Prompt(mut prompt)) = self.ui.dialog.take() else {
            return;
        };
        let first = self.ui.effects.len();
        let taken = match &prompt.purpose {
            Purpose::Edit(purpose) => self.take_edit(purpose, &prompt),
            Purpose::Answer(purpose) => answers::answer(purpose, self, prompt.input.value()),
        };
        match taken {
            // The terminal must leave paste mode before the effects of the line are performed.
            Ok(()) => {
                let pasting = TerminalEffect::Pasting(false);
                self.ui.effects.insert(first, pasting.into());
            }
            Err(error) => {
                prompt.error = Some(error);
                self.ui.dialog = Some(Dialog::Prompt(prompt));
            }
        }
    }

    /// Makes the edit of a typed line instead of the one that was tried out.
    fn take_edit(&mut self, purpose: &EditPurpose, prompt: &Prompt) -> Result<(), Shown> {
        let Some((session, ui)) = self.open_tree() else {
            return Ok(());
        };
        let was_tried = session.scenario.end_trial();
        let tried = session.revision;
        // The suggested usage is rounded, so accepting it as it stands is no edit.
        let is_rounded = prompt.is_fresh && matches!(purpose, EditPurpose::Usage(Some(_)));
        let edit = if is_rounded {
            Ok(None)
        } else {
            edits::edit(purpose, session, prompt.input.value())
        };
        let taken = take(session, ui, purpose, prompt, edit);
        if was_tried && tried == session.revision {
            // No edit took the place of the trial on the screen.
            session.refresh();
        }
        taken
    }

    /// Updates the labels of the open prompt, because names and values may have changed.
    pub(crate) fn label_prompt(&mut self) {
        let session = self.sessions.get(self.ui.current);
        let Some(Dialog::Prompt(prompt)) = &mut self.ui.dialog else {
            return;
        };
        prompt.labels = match &prompt.purpose {
            Purpose::Edit(purpose) => match session {
                Some(session) => edits::labels(purpose, session),
                None => PromptLabels::default(),
            },
            Purpose::Answer(purpose) => {
                let keymap = &self.ui.options.config.keymap;
                answers::labels(purpose, session, keymap)
            }
        };
    }
}

/// Asks for a name to search the tree for. Closing the prompt folds the list again as it is now.
pub(crate) fn ask_for_name(session: &mut Session, ui: &mut Ui) {
    session.lists.before_search = Some(Box::new(session.pane().clone()));
    ui.prompt(AnswerPurpose::Search, String::new());
}

/// Returns what a key of the keyboard does to a line; `None` if it does nothing.
fn request_of(code: KeyCode) -> Option<InputRequest> {
    match code {
        KeyCode::Home => Some(InputRequest::GoToStart),
        KeyCode::End => Some(InputRequest::GoToEnd),
        KeyCode::Left => Some(InputRequest::GoToPrevChar),
        KeyCode::Right => Some(InputRequest::GoToNextChar),
        KeyCode::Backspace => Some(InputRequest::DeletePrevChar),
        KeyCode::Delete => Some(InputRequest::DeleteNextChar),
        _ => None,
    }
}

/// Returns what a letter with control does to a line, as in a shell; `None` if it does nothing.
fn request_with_control(letter: char) -> Option<InputRequest> {
    match letter {
        'a' => Some(InputRequest::GoToStart),
        'e' => Some(InputRequest::GoToEnd),
        'u' => Some(InputRequest::DeleteLine),
        'w' => Some(InputRequest::DeletePrevWord),
        'k' => Some(InputRequest::DeleteTillEnd),
        // Some terminals send ^H for the backspace key.
        'h' => Some(InputRequest::DeletePrevChar),
        _ => None,
    }
}

/// Clears the suggested text before the first character, if that character replaces it.
fn begin(prompt: &mut Prompt, typed: Option<char>) {
    let is_fresh = std::mem::take(&mut prompt.is_fresh);
    let goes_on = match (&prompt.purpose, typed) {
        (_, None) => false,
        (Purpose::Edit(purpose), Some(char)) => edits::goes_on(purpose, char),
        (Purpose::Answer(purpose), Some(char)) => answers::goes_on(purpose, char),
    };
    if is_fresh && !goes_on {
        prompt.input.reset();
    }
}

/// Tries out the edit of a line, or returns why there is none.
fn try_out(session: &mut Session, purpose: &EditPurpose, text: &str) -> Result<(), Shown> {
    let Some(edit) = edits::edit(purpose, session, text)? else {
        return Ok(());
    };
    let tried = match edit {
        // A long wait is not previewed, because it would take too long.
        Edit::Wait { seconds } if session.waits_long(0, seconds) => {
            check_wait(session.scenario.settings(), seconds)
        }
        edit => session.scenario.try_out(edit),
    };
    match (tried, purpose) {
        (Ok(()), _) => Ok(()),
        // The label names the setting, so the error need not.
        (Err(error), EditPurpose::Setting(..)) => Err(error.reason()),
        (Err(error), _) => Err(Shown::error(&error)),
    }
}

/// Makes the edit of a line. One that the preview refused is refused again.
fn take(
    session: &mut Session,
    ui: &mut Ui,
    purpose: &EditPurpose,
    prompt: &Prompt,
    edit: ParsedEdit,
) -> Result<(), Shown> {
    let edit = edit?;
    if edit.is_some()
        && let Some(known) = &prompt.error
    {
        // The preview showed this error already, and the line can still be corrected.
        return Err(known.clone());
    }
    match edit {
        Some(Edit::Wait { seconds }) => time::wait(session, ui, seconds),
        Some(edit) => {
            let reason = edits::reason(purpose, session, prompt.input.value().trim());
            if apply_because(session, ui, edit, reason) {
                edits::end(purpose, session, ui, true);
            }
        }
        None => edits::end(purpose, session, ui, false),
    }
    Ok(())
}
