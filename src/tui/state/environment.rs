//! What environment variables say about the terminal: its colours and its characters.
//!
//! Terminals are not asked: over a slow line the answer comes late, and from some never.

use crate::tui::state::options::Options;
use std::ffi::OsString;
use std::path::PathBuf;

/// The beginnings of `TERM` on terminals without colours.
const WITHOUT_COLORS: &[&str] = &["dumb", "vt1", "vt2", "vt3", "vt4", "vt5"];

/// Parts of `TERM` on terminals that show all colours, for where `COLORTERM` is lost, as over ssh.
const WITH_ALL_COLORS: &[&str] = &["direct", "kitty", "alacritty", "foot", "ghostty", "wezterm"];

/// The colours a terminal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Colors {
    None,
    Sixteen,
    Palette,
    All,
}

impl Options {
    /// Fits options that were not given to the terminal that the environment variables describe.
    #[must_use]
    pub fn suited_to(mut self, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let set = |name| variable(name).filter(|value| !value.is_empty());
        self.home = self.home.or_else(|| set("HOME").map(PathBuf::from));
        let text = |name| set(name).map(|value| value.to_string_lossy().to_lowercase());
        let colors = colors(
            &text("TERM").unwrap_or_default(),
            &text("COLORTERM").unwrap_or_default(),
        );
        self.has_only_palette |= colors == Colors::Palette;
        if self.theme.is_none() {
            self.theme = if set("NO_COLOR").is_some() || colors == Colors::None {
                Some("mono".to_owned())
            } else {
                (colors == Colors::Sixteen).then(|| "sixteen".to_owned())
            };
        }
        // The first of these that is set decides; without any the locale is C.
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(text);
        let locale = locale.unwrap_or_default();
        self.is_ascii |= !locale.contains("utf-8") && !locale.contains("utf8");
        self
    }
}

fn colors(term: &str, colorterm: &str) -> Colors {
    if term.is_empty() || WITHOUT_COLORS.iter().any(|name| term.starts_with(name)) {
        return Colors::None;
    }
    // GNU screen hands COLORTERM on from the terminal around it, whose colours it does not have.
    let is_promised = !term.starts_with("screen")
        && (matches!(colorterm, "truecolor" | "24bit")
            || WITH_ALL_COLORS.iter().any(|name| term.contains(name)));
    if is_promised {
        Colors::All
    } else if term.contains("256color") {
        Colors::Palette
    } else {
        Colors::Sixteen
    }
}
