//! The Time screen: its parts and what stands in them.

pub(crate) mod chart;
pub(crate) mod drawing;
pub(crate) mod legend;
pub(crate) mod sentences;
