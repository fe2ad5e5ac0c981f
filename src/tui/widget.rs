//! What every part of the screen is drawn with. It knows neither trees nor sessions.

pub(super) mod ascii;
pub(super) mod frame;
pub(super) mod theme;
pub(super) mod viewport;
pub(super) mod wrap;
