//! Pages: answers that need room and may take time — the plan, what it takes, what costs a node, two nodes side by
//! side, two readings of a source. A page is worked out on a thread from a copy of the scenario. Here stands what is on
//! them; keys and drawing stand above.

mod compare;
pub(super) mod content;
pub(super) mod contention;
mod diff;
mod plan;
mod solve;
pub(super) mod subject;
pub(super) mod task;
mod timeline;
