//! Colours by role. Nothing else in the explorer names a colour.

use ratatui::style::Style;
use serde::Deserialize;

macro_rules! themes {
    ($($name:literal, $help:literal;)*) => {
        const SHIPPED: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../assets/themes/", $name, ".toml"))),)*
        ];

        impl Theme {
            /// The shipped themes by name, each with a line of help.
            pub const ALL: &'static [(&'static str, &'static str)] = &[$(($name, $help),)*];
        }
    };
}

/// A style for each role.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Theme {
    /// Plain text.
    pub text: Style,
    /// What matters less.
    pub dim: Style,
    /// The lines that lead from an account to what lies below it.
    pub guide: Style,
    /// The source's name in the title.
    pub title: Style,
    /// The title's background.
    pub bar: Style,
    /// A screen that is not open.
    pub tab: Style,
    /// The open screen.
    pub tab_open: Style,
    /// Headings of columns.
    pub heading: Style,
    /// The heading of the column that sorts.
    pub sorted: Style,
    /// The name of an account.
    pub account: Style,
    /// The name of a user.
    pub user: Style,
    /// The selected row.
    pub selected: Style,
    /// The share side of a bar.
    pub share: Style,
    /// Used more than its share.
    pub over: Style,
    /// Used less than its share.
    pub under: Style,
    /// A cell that differs from the snapshot.
    pub edited: Style,
    /// Gained places.
    pub better: Style,
    /// Lost places.
    pub worse: Style,
    /// A name that the search found.
    pub found: Style,
    /// Text being typed.
    pub input: Style,
    /// A key in a hint.
    pub key: Style,
    /// A warning.
    pub warning: Style,
    /// An error.
    pub error: Style,
    /// Emphasis.
    pub strong: Style,
}

themes! {
    "dark", "for dark backgrounds";
    "light", "for light backgrounds";
    "sixteen", "the sixteen colours every terminal has";
    "mono", "no colours: weight, underline and reverse";
}

impl Theme {
    /// The shipped theme of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let (_, text) = SHIPPED.iter().find(|(shipped, _)| *shipped == name)?;
        Some(toml::from_str(text).expect("every shipped theme is read by a test"))
    }
}
