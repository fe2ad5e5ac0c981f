//! The Time screen: what becomes of the numbers as time goes on, beside the tree, which moves along.
//!
//! The lines begin where the last wait began and go on past the clock, so moving the clock does not change them: they
//! are worked out on a thread, once for everything that is asked of them. The clock itself is an edit of the scenario.
//! Here stand the questions and what is known of their answers; keys and drawing stand above.

pub(super) mod axis;
pub(super) mod clock;
pub(super) mod forecast;
pub(super) mod quantity;
pub(super) mod recovery;
