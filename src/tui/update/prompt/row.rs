//! What a prompt is, besides the text typed into it.

use crate::scenario::{Edit, EditError};
use crate::tui::state::app::App;
use crate::tui::state::prompt::PromptLabels;
use crate::tui::state::session::Session;
use crate::tui::state::ui::Ui;

/// The edit that a line means; `None` if it changes nothing.
pub(super) type ParsedEdit = Result<Option<Edit>, String>;

/// Reads a line.
pub(super) type ParseEdit = Box<dyn Fn(&Session, &str) -> ParsedEdit>;

/// Shows a line; says why it would not do.
pub(super) type Check = Box<dyn Fn(&mut Session, &str) -> Result<(), String>>;

/// Takes a line; says why it does not do.
pub(super) type SubmitAnswer = Box<dyn Fn(&mut App, &str) -> Result<(), String>>;

/// Says something of a line.
pub(super) type DescribeEdit = Box<dyn Fn(&Session, &str) -> String>;

/// Follows a line that was kept.
pub(super) type AfterEdit = Box<dyn Fn(&mut Session, &mut Ui)>;

/// A row of the table of prompts.
pub(super) struct PromptRow {
    pub(super) labels: PromptLabels,
    pub(super) first: FirstCharacter,
    pub(super) kind: PromptKind,
    /// Shows the line so far; says why it would not do. An edit is tried in its place.
    pub(super) check: Check,
    /// Completes the line; `None` if it stays as it is.
    pub(super) complete: fn(&Session, &str) -> Option<String>,
    /// Takes back what the line showed, besides an edit that was tried.
    pub(super) leave: Box<dyn Fn(&mut Session)>,
    /// Says why an edit was made; empty if its own line says enough.
    pub(super) reason: DescribeEdit,
    /// Says why the tree refuses an edit.
    pub(super) refusal: fn(&EditError) -> String,
    /// Follows an edit that was applied.
    pub(super) applied: AfterEdit,
    /// Follows a line that is no edit after all.
    pub(super) unchanged: AfterEdit,
}

/// What enter makes of a line.
pub(super) enum PromptKind {
    /// An edit, which is tried while it is typed.
    Edit(ParseEdit),
    /// An answer.
    Answer(SubmitAnswer),
}

/// What the first character does that is typed into a prompt.
#[derive(Clone, Copy)]
pub(super) enum FirstCharacter {
    /// It goes on with the text.
    Appends,
    /// It replaces the text.
    Replaces,
    /// It replaces the text, unless it is one of these.
    ReplacesUnless(fn(char) -> bool),
}

impl FirstCharacter {
    /// Returns whether typing goes on with the text, beginning with this character; `None` if nothing is typed.
    pub(super) fn appends(self, typed: Option<char>) -> bool {
        match self {
            Self::Appends => true,
            Self::Replaces => false,
            Self::ReplacesUnless(is_kept) => typed.is_some_and(is_kept),
        }
    }
}

impl PromptRow {
    /// A prompt for an edit, read without the blanks around it; an empty line changes nothing. The first character
    /// begins anew.
    pub(super) fn edit(
        labels: PromptLabels,
        meaning: impl Fn(&Session, &str) -> ParsedEdit + 'static,
    ) -> Self {
        let meaning = move |session: &Session, text: &str| match text.trim() {
            "" => Ok(None),
            text => meaning(session, text),
        };
        Self::of(
            labels,
            FirstCharacter::Replaces,
            PromptKind::Edit(Box::new(meaning)),
        )
    }

    /// A prompt for an answer about the open tree; the first character goes on with the text.
    pub(super) fn answer(
        labels: PromptLabels,
        take: impl Fn(&mut Session, &mut Ui, &str) -> Result<(), String> + 'static,
    ) -> Self {
        Self::answer_of_all(labels, move |app, text| match app.open_tree() {
            Some((session, ui)) => take(session, ui, text),
            None => Ok(()),
        })
    }

    /// A prompt for an answer about all open trees, or none; the first character goes on with the text.
    pub(super) fn answer_of_all(
        labels: PromptLabels,
        take: impl Fn(&mut App, &str) -> Result<(), String> + 'static,
    ) -> Self {
        Self::of(
            labels,
            FirstCharacter::Appends,
            PromptKind::Answer(Box::new(take)),
        )
    }

    fn of(labels: PromptLabels, first: FirstCharacter, kind: PromptKind) -> Self {
        Self {
            labels,
            first,
            kind,
            check: Box::new(|_, _| Ok(())),
            complete: |_, _| None,
            leave: Box::new(|_| ()),
            reason: Box::new(|_, _| String::new()),
            refusal: ToString::to_string,
            applied: Box::new(|_, _| ()),
            unchanged: Box::new(|_, _| ()),
        }
    }
}
