//! The state of the screen, as data: the open trees, what stands over them, and the messages and effects by which
//! it changes. Nothing here decides what a key does, and nothing is drawn.

pub(super) mod app;
pub(super) mod clock;
pub(super) mod columns;
pub(super) mod dialog;
pub(super) mod lesson;
pub(super) mod message;
pub(super) mod node_set;
pub(super) mod open_page;
pub(super) mod options;
pub(super) mod pane;
pub(super) mod pending;
pub(super) mod picker;
pub(super) mod presenter;
pub(super) mod prompt;
pub(super) mod reading;
pub(super) mod saved;
pub(super) mod scenario_file;
pub(super) mod scenarios;
pub(super) mod screen;
pub(super) mod selection;
pub(super) mod session;
pub(super) mod tasks;
pub(super) mod time;
pub(super) mod ui;
