//! Pages: long answers that may take time to compute, such as the plan, a solution or a comparison of two nodes. A
//! thread computes each page from a copy of the scenario. This module holds their content; keys are handled in `update`
//! and drawing is done in `screen`.

mod compare;
pub(super) mod content;
pub(super) mod contention;
pub(super) mod manual;
mod plan;
mod solve;
pub(super) mod subject;
pub(super) mod task;
mod timeline;
