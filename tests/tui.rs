//! The explorer.

mod journeys;
