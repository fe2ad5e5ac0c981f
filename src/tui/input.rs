//! Keys and what they ask for: the table of actions, and which key means which.

pub(super) mod action;
pub(super) mod keymap;
