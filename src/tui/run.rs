//! Access to the system for the loop: the terminal, threads, files and signals.

pub(super) mod crash;
pub(super) mod drafts;
pub(super) mod events;
pub(super) mod farewell;
pub(super) mod perform;
pub(super) mod terminal;
