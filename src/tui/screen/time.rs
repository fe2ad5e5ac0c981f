//! The Time screen: its layout and its contents.

pub(crate) mod chart;
pub(crate) mod drawing;
pub(crate) mod legend;
pub(crate) mod sentences;
