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
pub(super) mod scenario_file;
pub(super) mod scenarios;
pub(super) mod screen;
pub(super) mod selection;
pub(super) mod session;
pub(super) mod tasks;
pub(super) mod time;
pub(super) mod ui;

pub use app::App;
pub use columns::ShownColumns;
pub use dialog::{Choice, Confirm, Dialog, Help, HelpEntry, HelpSection, Item, MarkScope, Menu};
pub use lesson::{parse_lesson, usual_key};
pub use message::{Answer, Effect, Job, Message, Overwrite, Task};
pub use node_set::NodeSet;
pub use options::Options;
pub use pane::Why;
pub use prompt::{FamilyEdit, Prompt, Purpose};
pub use reading::{LEAST_LIVE_PACE, Reading, Reload, ReloadTask};
pub use session::{Session, TreeSource};
pub use ui::{LoadStatus, Notice};

pub(super) use lesson::OpenLesson;
pub(super) use open_page::{LeftTopic, OpenPage};
pub(super) use pending::Scope;
pub(super) use presenter::{Prefix, Presenter};
pub(super) use screen::{Front, Screen};
pub(super) use time::Time;
pub(super) use ui::Ui;
