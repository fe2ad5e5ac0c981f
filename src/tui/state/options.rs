//! How the explorer starts and looks, as it was told or as the terminal needs it. Of the terminal only environment
//! variables are read: over a slow line an answer would come late, and from some terminals never.

use crate::base::ascii::is_locale_ascii;
use crate::base::shown::Shown;
use crate::open::desired::DesiredFile;
use crate::rules::policy::Policy;
use crate::tui::config::Config;
use crate::tui::widget::theme::Theme;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

/// How the explorer starts and looks.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The policy that the user chose; `None` lets the source decide.
    pub policy: Option<Policy>,
    /// Whether to keep to ASCII.
    pub is_ascii: bool,
    /// Whether the mouse is left to the terminal.
    pub without_mouse: bool,
    /// The user's home directory, where known.
    pub home: Option<PathBuf>,
    /// The folder that relative paths are seen from.
    pub folder: PathBuf,
    /// The file of the sources that were opened last; `None` keeps none.
    pub recent: Option<PathBuf>,
    /// The theme by name; `None` is the dark one.
    pub theme: Option<String>,
    /// The user whose page is on the screen when the first tree opens.
    pub user: Option<OsString>,
    /// The user's own settings. What is refused in them is reported when a tree opens.
    pub config: Config,
    /// The file of these settings, as it may be shown.
    pub config_file: Shown,
    /// The seconds between two readings of a source; `None` reads it once.
    pub watch: Option<u32>,
    /// The file of shares as they should be, for the first tree that opens.
    pub desired: Option<Arc<DesiredFile>>,
    /// Whether the terminal shows no colours but the 256 of its palette.
    pub has_only_palette: bool,
}

impl Config {
    /// Fills in what the options of the command line leave open.
    pub fn below(self, given: Options) -> Options {
        Options {
            theme: given.theme.or_else(|| self.theme.map(str::to_owned)),
            without_mouse: given.without_mouse || self.without_mouse,
            config: self,
            ..given
        }
    }
}

/// The beginnings of `TERM` on terminals without colours.
const WITHOUT_COLORS: &[&str] = &["dumb", "vt1", "vt2", "vt3", "vt4", "vt5"];

/// Parts of `TERM` on terminals that show all colours, for where `COLORTERM` is lost, as over ssh.
const WITH_ALL_COLORS: &[&str] = &["direct", "kitty", "alacritty", "foot", "ghostty", "wezterm"];

impl Options {
    pub(crate) fn themed(&self, name: &'static str) -> Theme {
        let theme = Theme::named(name).expect("it is one of those that are shipped");
        if self.has_only_palette {
            theme.in_palette()
        } else {
            theme
        }
    }

    /// Fits options that were not given to the terminal that the environment variables describe.
    pub fn suited_to(mut self, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let set = |name| variable(name).filter(|value| !value.is_empty());
        self.home = self.home.or_else(|| set("HOME").map(PathBuf::from));
        let text = |name| set(name).map(|value| value.to_string_lossy().to_lowercase());
        let [term, colorterm] = ["TERM", "COLORTERM"].map(|name| text(name).unwrap_or_default());
        let (theme, has_only_palette) = colors(&term, &colorterm);
        self.has_only_palette |= has_only_palette;
        let without_colors = set("NO_COLOR").map(|_| "mono");
        let theme = without_colors.or(theme).map(str::to_owned);
        self.theme = self.theme.or(theme);
        let is_ascii = self.config.ascii;
        self.is_ascii |= is_ascii.unwrap_or_else(|| is_locale_ascii(variable));
        self
    }
}

/// Returns the theme that a terminal with too few colours needs, and whether it shows those of its palette alone.
fn colors(term: &str, colorterm: &str) -> (Option<&'static str>, bool) {
    if term.is_empty() || WITHOUT_COLORS.iter().any(|name| term.starts_with(name)) {
        return (Some("mono"), false);
    }
    // GNU screen hands COLORTERM on from the terminal around it, whose colours it does not have.
    let is_promised = !term.starts_with("screen")
        && (matches!(colorterm, "truecolor" | "24bit")
            || WITH_ALL_COLORS.iter().any(|name| term.contains(name)));
    if is_promised {
        (None, false)
    } else if term.contains("256color") {
        (None, true)
    } else {
        (Some("sixteen"), false)
    }
}
