//! An action that waits until the numbers of the tree on the screen are verified.

use crate::tui::input::action::Action;
use crate::tui::state::message::Message;

/// An action that waits, and the input that came after it.
#[derive(Debug)]
pub(crate) struct WaitingAction {
    pub(crate) action: Action,
    /// Keys, clicks and pasted text, oldest first.
    pub(crate) input: Vec<Message>,
}
