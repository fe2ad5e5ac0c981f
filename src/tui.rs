//! The explorer: messages in, effects out, frames drawn.

mod app;
mod message;

pub use app::App;
pub use message::{Effect, Message};
