//! The explorer.

mod environment;
mod journeys;
