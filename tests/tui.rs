//! The explorer.

mod environment;
mod journeys;
mod policies;
