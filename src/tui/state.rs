//! The state of the screen, as data: the open trees, what stands over them, and the messages and effects by which
//! it changes. Nothing here decides what a key does, and nothing is drawn.

pub(super) mod buckets;
pub(super) mod clock;
pub(super) mod columns;
pub(super) mod completion;
pub(super) mod dialog;
pub(super) mod drawn;
pub(super) mod effect;
pub(super) mod hints;
pub(super) mod layer;
pub(super) mod lesson;
pub(super) mod list;
pub(super) mod message;
pub(super) mod open_page;
pub(super) mod pane;
pub(super) mod picker;
pub(super) mod reading;
pub(super) mod scenarios;
pub(super) mod screen;
pub(super) mod selection;
pub(super) mod session;
pub(super) mod time;
pub(super) mod told;
pub(super) mod ui;
pub(super) mod visible_columns;

pub use dialog::{AnswerPurpose, Confirm, Dialog, EditPurpose, Prompt, Purpose};
pub use effect::{Effect, Memory, Overwrite, TerminalEffect, Work};
pub use lesson::{parse_lesson, usual_key};
pub use list::ListState;
pub use message::{Answer, FoundDraft, Job, Message, Task};
pub use reading::{LEAST_LIVE_PACE, Reload};
pub use session::Session;
pub use ui::{App, Notice};

pub(super) use completion::{Completion, CompletionKind};
pub(super) use dialog::{
    Choice, EditedCell, FamilyEdit, Help, HelpEntry, Item, MarkScope, Menu, PromptLabels,
};
pub(super) use drawn::{Click, Drawn, Placed};
pub(super) use layer::Layer;
pub(super) use lesson::{FinishedLessons, LessonPlace, OpenLesson};
pub(super) use list::{ListKey, ListSize, PAGE};
pub(super) use message::{BEAT, LONGEST_COPY};
pub(super) use open_page::{OpenPage, PageLine, Sought, TopicPlace};
pub(super) use pane::{Lists, NodeSet, Pane, ShownColumns};
pub(super) use picker::{Catalog, Picker};
pub(super) use reading::{Moves, Reading, ReloadTask, Watch};
pub(super) use screen::{Front, Screen, TABS};
pub(super) use session::{PendingChange, ScenarioFile, Scope, UnwrittenScenarios};
pub(super) use time::{ClockRun, ClockTask, Time};
pub(super) use told::{News, Told};
pub(super) use ui::{LoadStatus, Prefix, Presenter, PressedKey, Ui};
