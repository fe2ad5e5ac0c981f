//! Drawing the state: the layout of the screen and its contents. Drawing changes nothing; it notes where things are.

pub(super) mod bars;
pub(super) mod bottom;
pub(super) mod detail;
pub(super) mod draw;
pub(super) mod factor;
pub(super) mod help;
pub(super) mod lesson;
pub(super) mod low_legend;
pub(super) mod menu;
pub(super) mod overlay;
pub(super) mod page;
pub(super) mod painter;
pub(super) mod picker;
pub(super) mod plot;
pub(super) mod policies;
pub(super) mod spoken;
pub(super) mod time;
pub(super) mod title;
pub(super) mod tree_table;
