//! Colours by role. Nothing else in the explorer names a colour.

use crate::report::line::Emphasis;
use ratatui::style::{Color, Style};
use serde::Deserialize;

macro_rules! themes {
    ($($name:literal, $help:literal;)*) => {
        const SHIPPED: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../../assets/themes/", $name, ".toml"))),)*
        ];

        impl Theme {
            /// The shipped themes by name, each with a line of help.
            pub const ALL: &'static [(&'static str, &'static str)] = &[$(($name, $help),)*];
        }
    };
}

/// Defines the theme from its roles: the name of each in a theme file, and its purpose.
macro_rules! roles {
    ($($name:ident, $what:literal;)*) => {
        /// A style for each role.
        #[derive(Clone, Debug, Default, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Theme {
            $(#[doc = $what] pub $name: Style,)*
            /// The buckets of the 64-bit priority by level of the tree, from the top; deeper levels start again.
            pub buckets: [Style; 8],
            /// The lines of a chart, in their order; further lines start again at the first style.
            pub series: [Style; 8],
            /// The backgrounds of a map from the smallest numbers on, ever lighter; none with too few colours.
            pub ramp: [Style; 10],
        }

        impl Theme {
            fn styles_mut(&mut self) -> impl Iterator<Item = &mut Style> {
                [$(&mut self.$name,)*].into_iter().chain(&mut self.buckets)
                    .chain(&mut self.series)
                    .chain(&mut self.ramp)
            }
        }
    };
}

roles! {
    background, "The background of everything.";
    text, "Plain text.";
    dim, "Secondary text.";
    guide, "The lines from an account to its members.";
    title, "The source's name in the title.";
    bar, "The title's background.";
    tab, "The name of another screen.";
    tab_open, "The name of the open screen.";
    heading, "Headings of columns.";
    sorted, "The heading of the column that sorts.";
    account, "The name of an account.";
    user, "The name of a user.";
    selected, "The selected row.";
    share, "The share side of a bar.";
    over, "Used more than its share.";
    under, "Used less than its share.";
    edited, "A cell that differs from the source.";
    better, "Gained places.";
    worse, "Lost places.";
    found, "A name that the search found.";
    input, "Text being typed.";
    key, "A key in a hint.";
    warning, "A warning.";
    error, "An error.";
    strong, "Emphasis.";
    bucket_own, "The emphasis of a node's own bucket.";
    bucket_inherited, "The emphasis of the buckets of the accounts above it.";
}

themes! {
    "dark", "for dark backgrounds";
    "light", "for light backgrounds";
    "high-contrast", "white on black, for projectors";
    "sixteen", "the sixteen colours every terminal has";
    "mono", "no colours: weight, underline and reverse";
}

impl Theme {
    /// Returns the shipped theme of that name.
    pub fn named(name: &str) -> Option<Self> {
        let (_, text) = SHIPPED.iter().find(|(shipped, _)| *shipped == name)?;
        Some(toml::from_str(text).expect("every shipped theme is read by a test"))
    }

    /// Returns the name of the shipped theme that was asked for, or that of the dark theme.
    pub(crate) fn name_of(asked: Option<&str>) -> &'static str {
        for &(name, _) in Self::ALL {
            if Some(name) == asked {
                return name;
            }
        }
        "dark"
    }

    /// Returns the style of a cell before anything is drawn on it.
    pub fn page(&self) -> Style {
        self.background.patch(self.text)
    }

    /// Returns the colour of the background.
    pub fn ground(&self) -> Color {
        self.background.bg.unwrap_or(Color::Reset)
    }

    /// Returns the style of text that is emphasized in a report.
    pub(crate) fn emphasized(&self, emphasis: Emphasis) -> Style {
        match emphasis {
            Emphasis::Plain => self.text,
            Emphasis::Strong => self.strong,
            Emphasis::Bucket(level) => self.bucket(level.into()),
            Emphasis::Over => self.over,
            Emphasis::Under => self.under,
            Emphasis::Dim => self.dim,
            Emphasis::Command => self.key,
            Emphasis::Link => self.tab_open,
            Emphasis::Better => self.better,
            Emphasis::Worse => self.worse,
            Emphasis::Warning => self.warning,
        }
    }

    /// Returns the style of the bucket of a level of the tree, 0 for that below the root.
    pub(crate) fn bucket(&self, level: usize) -> Style {
        self.buckets[level % self.buckets.len()]
    }

    /// Returns the style of the line of a chart at a place in their order.
    pub fn line(&self, place: usize) -> Style {
        self.series[place % self.series.len()]
    }

    /// Returns the colour of what is drawn in a style: that of text where the style names none.
    pub fn ink(&self, style: Style) -> Color {
        style.fg.or(self.text.fg).unwrap_or(Color::Reset)
    }

    /// Returns the theme with every colour replaced by the closest one of the 256-colour palette.
    pub fn in_palette(mut self) -> Self {
        for style in self.styles_mut() {
            style.fg = style.fg.map(nearest_in_palette);
            style.bg = style.bg.map(nearest_in_palette);
        }
        self
    }
}

/// The levels of red, green and blue in the colour cube, which begins at colour 16 of the palette.
const CUBE: &[u8] = &[0, 95, 135, 175, 215, 255];

/// The levels of a colour.
#[derive(Clone, Copy)]
pub(crate) struct Rgb {
    /// The level of red.
    pub(crate) red: u8,
    /// The level of green.
    pub(crate) green: u8,
    /// The level of blue.
    pub(crate) blue: u8,
}

impl Rgb {
    /// Returns a colour of the palette behind the first sixteen, which the terminal defines.
    pub(crate) fn of_palette(index: u8) -> Self {
        if let Some(behind) = index.checked_sub(16)
            && behind < 216
        {
            let place = usize::from(behind);
            return Self {
                red: CUBE[place / 36],
                green: CUBE[place / 6 % 6],
                blue: CUBE[place % 6],
            };
        }
        let grey = 8 + 10 * index.saturating_sub(232);
        Self {
            red: grey,
            green: grey,
            blue: grey,
        }
    }

    /// Returns the square of the distance of two colours.
    fn distance(self, other: Self) -> u32 {
        let red = u32::from(self.red.abs_diff(other.red));
        let green = u32::from(self.green.abs_diff(other.green));
        let blue = u32::from(self.blue.abs_diff(other.blue));
        red * red + green * green + blue * blue
    }
}

/// Writes it as SVG and HTML do, as in `#d4d7dd`.
impl std::fmt::Display for Rgb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.red, self.green, self.blue)
    }
}

/// Returns the closest colour of the cube or of the greys behind it. The first sixteen depend on the terminal.
fn nearest_in_palette(color: Color) -> Color {
    let Color::Rgb(red, green, blue) = color else {
        return color;
    };
    let wanted = Rgb { red, green, blue };
    let palette = 16..=u8::MAX;
    match palette.min_by_key(|&index| Rgb::of_palette(index).distance(wanted)) {
        Some(nearest) => Color::Indexed(nearest),
        None => color,
    }
}
