//! The state of the screen, as data: the open trees, what stands over them, and the messages and effects by which
//! it changes. Nothing here decides what a key does, and nothing is drawn.

pub(super) mod adopt;
pub(super) mod app;
pub(super) mod change;
pub(super) mod clock;
pub(super) mod columns;
pub(super) mod comparison;
pub(super) mod dialog;
pub(super) mod family;
pub(super) mod help;
pub(super) mod history;
pub(super) mod lesson;
pub(super) mod marks;
pub(super) mod message;
pub(super) mod node_set;
pub(super) mod open_page;
pub(super) mod options;
pub(super) mod other_scenarios;
pub(super) mod pane;
pub(super) mod pending;
pub(super) mod picker;
pub(super) mod prefix;
pub(super) mod presenter;
pub(super) mod prompt;
pub(super) mod reading;
pub(super) mod saved;
pub(super) mod scenario_file;
pub(super) mod screen;
pub(super) mod session;
pub(super) mod setting_keys;
pub(super) mod tasks;
pub(super) mod time;
pub(super) mod ui;
pub(super) mod watch;
