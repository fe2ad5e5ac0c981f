//! Reports: the numbers of the screen as text, Markdown, HTML, CSV and JSON.
//!
//! An answer is a file here, its sentences are in [`words`], and what writes it is in `render`. Every report is a
//! function from a [`View`] to bytes; it opens no file, reads no clock and depends on no terminal.
//!
//! # A new report
//!
//! It is one file: a struct with what was computed, and its `Report`: the top of a published page, the document, JSON, and
//! rows if it is a table. [`policies`] is such a file to begin with. Text at every width, Markdown, HTML and the page of
//! the explorer come from the document, so a new report lays out nothing itself.
//!
//! It is reached through five more files: its module here, a variant of `Question` with the labels of its page
//! (`question.rs`), a command (its file in `cli` and its line in `cli.rs`), and an action with its key words
//! (`tui/input/action.rs`). The property test of pages then holds that the page tells what the command prints.

pub mod advise;
mod asked;
pub mod check;
pub mod contention;
pub(crate) mod desired;
pub mod diff;
pub(crate) mod every_policy;
pub mod explain;
pub(crate) mod factor_curves;
mod field;
mod front;
pub mod impact;
pub mod lesson;
pub mod lint;
pub mod manual;
pub(crate) mod me;
pub mod metrics;
mod moments;
pub mod order;
pub mod outline;
pub mod pbsfs;
pub mod plan;
pub mod policies;
pub(crate) mod question;
pub mod queue;
mod render;
pub mod show;
pub mod simulate;
pub mod solve;
pub mod timeline;
mod view;
pub mod whatif;
pub mod words;

pub(crate) use crate::base::shown::visible;
pub use field::Field;
pub(crate) use field::column_of_rule;
pub use render::Form;
pub use render::drawing;
pub use render::layout::{Frame, drawn};
pub use render::text::Output;
pub(crate) use render::{Report, column_widths, document, emit, layout, line};
pub use show::{Options, RowOrder};
pub use view::View;
pub(crate) use view::{label, label_cells, path, share_range, shares, with_shares};
pub use words::dump;
