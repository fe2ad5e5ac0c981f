//! Whether the numbers of a source are right: what the scheduler printed is verified against the rule, and shown as
//! printed until something is edited.

pub mod printed;
pub mod verify;
