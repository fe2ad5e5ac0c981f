//! The Time screen: a forecast of the numbers beside the tree, which follows the clock.
//!
//! The lines begin at the start of the last clock move and continue past the clock, so that moving the clock does not
//! change them. A thread computes them once for all nodes and assumptions. The clock itself is an edit of the scenario.
//! This module holds the requests and their answers; keys are handled in `update` and drawing is done in `screen`.

pub(super) mod axis;
pub(super) mod forecast;
pub(super) mod wording;
