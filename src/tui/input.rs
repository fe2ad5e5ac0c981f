//! Bytes to keys and what keys ask for: the decoder of input, the table of actions, and which key means which.

pub(super) mod action;
pub(super) mod decoder;
pub mod event;
pub(super) mod keymap;
