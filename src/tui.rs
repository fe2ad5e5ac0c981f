//! The explorer: messages in, effects out, frames drawn.

mod app;
mod message;

pub use app::App;
pub use message::{Effect, Message};

/// What the explorer begins with.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    /// What to open.
    pub request: Option<crate::format::Request>,
    /// The policy.
    pub policy: Option<crate::policy::Policy>,
    /// Whether to draw ASCII only.
    pub ascii: bool,
    /// The theme.
    pub theme: Option<String>,
}

/// Runs the explorer.
///
/// # Errors
/// If there is no terminal.
pub fn run(_opening: Opening) -> color_eyre::Result<()> {
    Ok(())
}
