//! The explorer: receives messages, and draws frames.
//!
//! The app returns the work to be done as effects. Who owns the app does them: the loop of a terminal, or an explorer
//! without one.

mod config;
mod headless;
mod input;
mod job;
mod page;
pub mod picture;
pub mod recent;
#[cfg(feature = "terminal")]
mod run;
mod screen;
pub mod script;
mod state;
mod time;
mod update;
mod widget;

pub use config::{Config, Options};
pub use headless::{Delivery, HandedWork, Headless};
pub use input::action::{Action, Group};
pub use input::decoder::Decoder;
pub use input::event;
pub use input::keymap::{Binding, Key, Keymap};
pub use job::Now;
pub use state::{
    Answer, AnswerPurpose, App, Confirm, Dialog, EditPurpose, Effect, FoundDraft, Job,
    LEAST_LIVE_PACE, ListState, Memory, Message, Notice, Overwrite, Prompt, Purpose, Reload,
    Session, Task, TerminalEffect, Work, parse_lesson, usual_key,
};
pub use widget::theme::Theme;

pub use update::lesson::built_in as built_in_lesson;

#[cfg(feature = "terminal")]
pub use run::{Startup, encode::encode, keep::remember, run};
#[cfg(feature = "terminal")]
pub(crate) use run::{crash::watch as watch_for_crashes, finished_lessons};
