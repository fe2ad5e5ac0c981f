//! What the loop needs of the system: the terminal, threads, files, signals.

pub(super) mod drafts;
pub(super) mod events;
pub(super) mod panic;
pub(super) mod perform;
pub(super) mod terminal;
