//! How durations and moments are read.

mod duration;
mod moment;
