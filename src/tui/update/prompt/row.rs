//! The rows of the table of prompts.

use crate::base::shown::Shown;
use crate::scenario::{Edit, EditError};
use crate::tui::state::app::App;
use crate::tui::state::prompt::PromptLabels;
use crate::tui::state::session::Session;
use crate::tui::state::ui::Ui;

/// The edit that a line describes, `None` if it changes nothing, or the reason why the line is not an edit.
pub(super) type ParsedEdit = Result<Option<Edit>, Shown>;

/// Parses a line as an edit.
pub(super) type ParseEdit = Box<dyn Fn(&Session, &str) -> ParsedEdit>;

/// Previews a line, or returns the reason why it is invalid.
pub(super) type Check = Box<dyn Fn(&mut Session, &str) -> Result<(), Shown>>;

/// Accepts an answer, or returns the reason why it is refused.
pub(super) type SubmitAnswer = Box<dyn Fn(&mut App, &str) -> Result<(), Shown>>;

/// Returns the reason of the edit that a line describes.
pub(super) type DescribeEdit = Box<dyn Fn(&Session, &str) -> String>;

/// Runs after a line was accepted.
pub(super) type AfterEdit = Box<dyn Fn(&mut Session, &mut Ui)>;

/// The labels and the behaviour of a prompt.
pub(super) struct PromptRow {
    pub(super) labels: PromptLabels,
    /// Whether a first character goes on with the suggested text; otherwise it replaces it.
    pub(super) goes_on: fn(char) -> bool,
    pub(super) kind: PromptKind,
    /// Previews the line. Only used for answers: an edit is previewed in the tree.
    pub(super) check: Check,
    /// Returns the completed line, or `None` if it cannot be completed.
    pub(super) complete: fn(&Session, &str) -> Option<String>,
    /// Reverts the preview of a cancelled prompt, except that of an edit.
    pub(super) leave: Box<dyn Fn(&mut Session)>,
    /// Returns the reason that is noted with the edit, empty if it needs none.
    pub(super) reason: DescribeEdit,
    /// Returns the message for an edit that the tree refuses.
    pub(super) refusal: fn(&EditError) -> Shown,
    /// Runs after an edit was applied.
    pub(super) applied: AfterEdit,
    /// Runs after a line that changes nothing.
    pub(super) unchanged: AfterEdit,
}

/// The result of a prompt.
pub(super) enum PromptKind {
    /// An edit, which is previewed while it is typed.
    Edit(ParseEdit),
    /// An answer.
    Answer(SubmitAnswer),
}

impl PromptRow {
    /// Returns a prompt for an edit. Surrounding blanks are ignored, and an empty line changes nothing.
    pub(super) fn edit(
        labels: PromptLabels,
        meaning: impl Fn(&Session, &str) -> ParsedEdit + 'static,
    ) -> Self {
        let meaning = move |session: &Session, text: &str| match text.trim() {
            "" => Ok(None),
            text => meaning(session, text),
        };
        Self::of(labels, PromptKind::Edit(Box::new(meaning)))
    }

    /// Returns a prompt for an answer about the open tree.
    pub(super) fn answer(
        labels: PromptLabels,
        take: impl Fn(&mut Session, &mut Ui, &str) -> Result<(), Shown> + 'static,
    ) -> Self {
        Self::answer_of_all(labels, move |app, text| match app.open_tree() {
            Some((session, ui)) => take(session, ui, text),
            None => Ok(()),
        })
    }

    /// Returns a prompt for an answer that needs no open tree.
    pub(super) fn answer_of_all(
        labels: PromptLabels,
        take: impl Fn(&mut App, &str) -> Result<(), Shown> + 'static,
    ) -> Self {
        Self::of(labels, PromptKind::Answer(Box::new(take)))
    }

    fn of(labels: PromptLabels, kind: PromptKind) -> Self {
        Self {
            labels,
            goes_on: |_| false,
            kind,
            check: Box::new(|_, _| Ok(())),
            complete: |_, _| None,
            leave: Box::new(|_| ()),
            reason: Box::new(|_, _| String::new()),
            refusal: |error| Shown::error(error),
            applied: Box::new(|_, _| ()),
            unchanged: Box::new(|_, _| ()),
        }
    }
}
