//! Drawing primitives for every part of the screen. They depend on neither trees nor sessions.

pub(super) mod layout;
pub(super) mod theme;
pub(super) mod viewport;
pub(super) mod wrap;
