//! The explorer.

mod ahead;
mod environment;
mod journeys;
mod menus;
mod policies;
