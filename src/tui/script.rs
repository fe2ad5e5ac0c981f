//! Scripts: what is pressed in the explorer, and when, as text that people edit.
//!
//! A script is words with blanks between them. A word is a key as the keymap names it (`e`, `ctrl-f`, `page-down`),
//! text in quotes that is typed (`"80"`), something done with the mouse (`click=12,3`), or a time that passes
//! (`+0.35`, in seconds). [`crate::tui::Headless`] plays one without a terminal; a recording is a script with a head.

mod recording;
mod words;

pub use recording::{Recording, TreeMark};
pub use words::{Writer, size};

use crate::base::shown::Shown;
use crate::tui::state::Message;
use crossterm::event::{KeyEvent, MouseEvent};
use ratatui::layout::{Position, Size};
use std::time::Duration;

/// What happens in a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptEvent {
    /// A key is pressed.
    Key(KeyEvent),
    /// Text is pasted.
    Paste(String),
    /// The mouse is used.
    Mouse(MouseEvent),
    /// A cell is clicked twice.
    DoubleClick(Position),
    /// The screen gets another size.
    Resize(Size),
    /// A sentence about what follows. Pictures show it below the screen.
    Caption(String),
}

impl ScriptEvent {
    /// Returns the event of a message on a screen of that size, or `None` if it does not come from the user.
    pub(crate) fn of(message: &Message, size: Size) -> Option<Self> {
        Some(match message {
            Message::Key(key) => Self::Key(*key),
            Message::Paste(text) => Self::Paste(text.clone()),
            Message::Mouse(event) => Self::Mouse(*event),
            Message::DoubleClick(at) => Self::DoubleClick(*at),
            Message::Resize => Self::Resize(size),
            _ => return None,
        })
    }

    /// Returns the message for the explorer, or `None` for a caption.
    pub fn message(self) -> Option<Message> {
        Some(match self {
            Self::Key(key) => Message::Key(key),
            Self::Paste(text) => Message::Paste(text),
            Self::Mouse(event) => Message::Mouse(event),
            Self::DoubleClick(at) => Message::DoubleClick(at),
            Self::Resize(_) => Message::Resize,
            Self::Caption(_) => return None,
        })
    }
}

/// An event with its moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The time since the start of the script.
    pub at: Duration,
    /// What happens.
    pub event: ScriptEvent,
}

/// Events in the order of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// The events.
    pub steps: Vec<Step>,
    /// The time that the whole script takes; some may pass after the last event.
    pub length: Duration,
}

impl Script {
    /// Reads a script of one line, as in `e "80" enter +2 5`.
    ///
    /// # Errors
    /// If a word is unknown, with the nearest known one.
    pub fn parse(text: &str) -> Result<Self, Shown> {
        let mut script = Self::default();
        script.add(text)?;
        Ok(script)
    }

    fn add(&mut self, line: &str) -> Result<(), Shown> {
        for word in words::split(line)? {
            if let Some(time) = words::pause(&word) {
                self.length += time?;
                continue;
            }
            let at = self.length;
            let events = words::events(&word)?.into_iter();
            self.steps.extend(events.map(|event| Step { at, event }));
        }
        Ok(())
    }
}
