//! Themes: contrast, colours that the colour-blind tell apart, and the choice of a theme in place.

use crate::support::expected::Expected as _;
use crate::support::journey::{Journey, notice};
use crate::support::trees::SEED;
use fairscope::tui::{Options, Theme};
use palette::color_difference::{Ciede2000, Wcag21RelativeContrast};
use palette::{FromColor, Lab, LinSrgb, Srgb};
use ratatui::style::Modifier;
use std::collections::BTreeMap;
use std::path::Path;
use toml::Value;

/// The themes that paint their own background.
const PAINTED: [&str; 3] = ["dark", "light", "high-contrast"];

/// The least contrast of text to its background (WCAG 2.1, success criterion 1.4.3, level AA).
const LEAST_CONTRAST: f64 = 4.5;

/// The least contrast of text in the theme of high contrast (success criterion 1.4.6, level AAA).
const LEAST_HIGH_CONTRAST: f64 = 7.0;

/// The least difference (CIEDE2000) of two colours that may stand beside each other with different meanings. About 2 is
/// just visible side by side.
const LEAST_DIFFERENCE: f64 = 8.0;

/// The least difference of a bucket's colour and that of a line of a chart. No legend holds both.
const LEAST_DIFFERENCE_ACROSS: f64 = 6.0;

/// Roles that are drawn on the background alone.
const ON_BACKGROUND: &[&str] = &["tab", "tab_open", "heading", "sorted", "error", "title"];

/// Roles that rows have, whether they are selected or not.
const ON_ROWS: &[&str] = &[
    "text", "dim", "share", "over", "under", "edited", "better", "worse", "found", "key", "warning",
];

/// Roles of the title line.
const ON_BAR: &[&str] = &["title", "edited", "warning", "better", "error"];

/// How colours are seen without one kind of cones, as matrices of linear sRGB: G. M. Machado, M. M. Oliveira and
/// L. A. F. Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE Transactions on
/// Visualization and Computer Graphics 15(6), 2009, severity 1.0.
const VISIONS: [(&str, [[f64; 3]; 3]); 4] = [
    (
        "all cones",
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    ),
    (
        "protanopia",
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
    ),
    (
        "deuteranopia",
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ],
    ),
    (
        "tritanopia",
        [
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_900],
        ],
    ),
];

/// A theme as its file has it.
struct File {
    name: &'static str,
    roles: toml::Table,
}

/// A colour of a theme, and the role it is of.
struct Color {
    role: String,
    rgb: Srgb<u8>,
}

impl File {
    fn of(name: &'static str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/themes");
        let text = std::fs::read_to_string(path.join(name).with_extension("toml"));
        let text = text.expect("every theme has a file");
        let roles = text.parse().expect("every theme is TOML");
        Self { name, roles }
    }

    fn rgb(&self, role: &str, ground: &str) -> Srgb<u8> {
        let text = self.roles[role].get(ground).and_then(Value::as_str);
        let text = text.unwrap_or_else(|| panic!("{}: {role} has no {ground}", self.name));
        let rgb = text.parse();
        rgb.unwrap_or_else(|_| panic!("{}: {role} is {text}", self.name))
    }

    fn color(&self, role: &str) -> Color {
        Color {
            role: role.to_owned(),
            rgb: self.rgb(role, "fg"),
        }
    }

    fn colors(&self, role: &str) -> Vec<Color> {
        let styles = self.roles[role].as_array().expect("a list of styles");
        let styles = styles.iter().enumerate().map(|(place, style)| {
            let text = style["fg"].as_str().expect("a colour");
            Color {
                role: format!("{role} {}", place + 1),
                rgb: text.parse().expect("a colour of red, green and blue"),
            }
        });
        styles.collect()
    }
}

fn contrast(one: Srgb<u8>, other: Srgb<u8>) -> f64 {
    let (one, other): (Srgb<f64>, Srgb<f64>) = (one.into_format(), other.into_format());
    one.relative_contrast(other)
}

/// Returns a colour as it is seen with some kind of cones missing.
fn seen(rgb: Srgb<u8>, matrix: &[[f64; 3]; 3]) -> Lab<palette::white_point::D65, f64> {
    let linear: LinSrgb<f64> = rgb.into_format::<f64>().into_linear();
    let [red, green, blue] = matrix.map(|row| {
        let sum = row[0] * linear.red + row[1] * linear.green + row[2] * linear.blue;
        sum.clamp(0.0, 1.0)
    });
    Lab::from_color(LinSrgb::new(red, green, blue))
}

/// Returns the smallest difference of two colours over all kinds of vision, and the kind.
fn difference(one: &Color, other: &Color) -> (f64, &'static str) {
    let differences = VISIONS.iter().map(|(vision, matrix)| {
        (
            seen(one.rgb, matrix).difference(seen(other.rgb, matrix)),
            *vision,
        )
    });
    differences
        .min_by(|one, other| one.0.total_cmp(&other.0))
        .expect("there are kinds of vision")
}

/// Prints the pair of colours that differ least, and asserts that it differs enough.
#[track_caller]
fn assert_differ<'a>(what: &str, pairs: impl Iterator<Item = (&'a Color, &'a Color)>, least: f64) {
    let worst = pairs
        .map(|(one, other)| (difference(one, other), one, other))
        .min_by(|(one, ..), (other, ..)| one.0.total_cmp(&other.0));
    let ((difference, vision), one, other) = worst.expect("there are pairs");
    let (one, other) = (&one.role, &other.role);
    println!("{what}: {one} and {other} differ by {difference:.1} ({vision})");
    assert!(
        difference >= least,
        "{what}: {one}, {other}: {difference:.1}"
    );
}

/// Returns every pair of a list.
fn pairs(colors: &[Color]) -> impl Iterator<Item = (&Color, &Color)> {
    let with_those_before =
        |(place, color)| colors[..place].iter().map(move |other| (other, color));
    colors.iter().enumerate().flat_map(with_those_before)
}

#[test]
fn text_has_contrast_to_everything_it_is_drawn_on() {
    for name in PAINTED {
        let file = File::of(name);
        let least = if name == "high-contrast" {
            LEAST_HIGH_CONTRAST
        } else {
            LEAST_CONTRAST
        };
        let background = file.rgb("background", "bg");
        let mut figures: BTreeMap<String, (f64, f64)> = BTreeMap::new();
        let mut note = |what: String, rgb, ground, least| {
            figures.insert(what, (contrast(rgb, ground), least));
        };
        for role in ON_BACKGROUND.iter().chain(ON_ROWS) {
            note((*role).to_owned(), file.color(role).rgb, background, least);
        }
        for color in joined(file.colors("buckets"), file.colors("series")) {
            note(color.role, color.rgb, background, least);
        }
        let selected = file.rgb("selected", "bg");
        let rows = ON_ROWS.iter().map(|role| file.color(role));
        for color in rows.chain(file.colors("buckets")) {
            let what = format!("{} on a selected row", color.role);
            note(what, color.rgb, selected, LEAST_CONTRAST);
        }
        let bar = file.rgb("bar", "bg");
        for role in ON_BAR {
            let what = format!("{role} on the bar");
            note(what, file.color(role).rgb, bar, LEAST_CONTRAST);
        }
        for role in ["bar", "input"] {
            let (ink, ground) = (file.rgb(role, "fg"), file.rgb(role, "bg"));
            note(format!("{role} itself"), ink, ground, LEAST_CONTRAST);
        }
        let worst = figures
            .iter()
            .min_by(|one, other| one.1.0.total_cmp(&other.1.0))
            .expect("there are figures");
        println!(
            "{name}: the least contrast is {:.1}, of {}",
            worst.1.0, worst.0
        );
        let low: Vec<_> = figures
            .iter()
            .filter(|(_, (found, least))| found < least)
            .collect();
        assert!(low.is_empty(), "{name}: {low:?}");
    }
}

/// Joins two lists.
fn joined(one: Vec<Color>, other: Vec<Color>) -> Vec<Color> {
    one.into_iter().chain(other).collect()
}

#[test]
fn colours_of_different_meaning_differ_for_every_kind_of_vision() {
    for name in PAINTED {
        let file = File::of(name);
        let service = || vec![file.color("over"), file.color("under")];
        let (buckets, series) = (file.colors("buckets"), file.colors("series"));
        let across = buckets
            .iter()
            .flat_map(|bucket| series.iter().map(move |line| (bucket, line)));
        assert_differ(
            &format!("{name}, buckets and lines"),
            across,
            LEAST_DIFFERENCE_ACROSS,
        );
        for colors in [buckets, series] {
            let all = joined(service(), colors);
            assert_differ(name, pairs(&all), LEAST_DIFFERENCE);
        }
    }
}

#[test]
fn painted_themes_leave_no_colour_to_the_terminal() {
    for (name, _) in Theme::ALL {
        let theme = Theme::named(name).expect("it is shipped");
        let is_painted = theme.background.bg.is_some();
        assert_eq!(is_painted, PAINTED.contains(name), "{name}");
        assert_eq!(theme.text.fg.is_some(), *name != "mono", "{name}");
        let text = format!("{theme:?}");
        assert!(!is_painted || !text.contains("Reset"), "{name}: {text}");
    }
}

/// The least difference of neighbouring steps of a map. They are large areas, and eight further ones lie around them.
const LEAST_DIFFERENCE_OF_STEPS: f64 = 5.0;

#[test]
fn the_steps_of_a_map_become_lighter_for_every_kind_of_vision() {
    for name in PAINTED {
        let file = File::of(name);
        let steps = file.roles["ramp"].as_array().expect("a list of styles");
        let steps: Vec<Color> = steps
            .iter()
            .enumerate()
            .map(|(place, style)| Color {
                role: format!("ramp {}", place + 1),
                rgb: style["bg"]
                    .as_str()
                    .and_then(|text| text.parse().ok())
                    .expect("a colour"),
            })
            .collect();
        for (vision, matrix) in &VISIONS {
            let lightness = steps.iter().map(|step| seen(step.rgb, matrix).l);
            let lightness: Vec<f64> = lightness.collect();
            assert!(lightness.is_sorted(), "{name}, {vision}: {lightness:?}");
        }
        let neighbours = steps.iter().zip(&steps[1..]);
        assert_differ(
            &format!("{name}, steps"),
            neighbours,
            LEAST_DIFFERENCE_OF_STEPS,
        );
    }
}

#[test]
fn the_steps_of_a_map_remain_apart_in_the_palette() {
    let options = Options {
        has_only_palette: true,
        ..Options::default()
    };
    let mut journey = Journey::with_options(crate::support::trees::pbs(SEED), options).keys("vh");
    let screen = journey.screen();
    let y = screen
        .lines()
        .position(|line| line.contains("F 0 "))
        .expect("the scale");
    let y = u16::try_from(y).unwrap();
    let buffer = journey.buffer();
    let mut colors: Vec<_> = (0..buffer.area.width).map(|x| buffer[(x, y)].bg).collect();
    colors.dedup();
    colors.retain(|color| matches!(color, ratatui::style::Color::Indexed(_)));
    let distinct: std::collections::HashSet<_> = colors.iter().collect();
    // Ten steps, and the background of the screen.
    assert_eq!(distinct.len(), 11, "{colors:?}");
}

#[test]
fn names_of_colours_are_used_once_each() {
    let theme = Theme::named("sixteen").expect("it is shipped");
    for colors in [theme.buckets, theme.series] {
        let mut seen = vec![theme.over.fg, theme.under.fg];
        for style in colors {
            assert!(!seen.contains(&style.fg), "{:?}", style.fg);
            seen.push(style.fg);
        }
    }
}

#[test]
fn the_selected_row_is_one_block_in_sixteen_colours() {
    let options = Options {
        theme: Some("sixteen".into()),
        ..Options::default()
    };
    for keys in ["/suzy<enter><esc>", "3 /suzy<enter><esc>", "p", "o"] {
        let snapshot = crate::support::trees::pbs(SEED);
        let mut journey = Journey::with_options(snapshot, options.clone()).keys(keys);
        let buffer = journey.buffer();
        let rows = buffer.content.chunks(usize::from(buffer.area.width));
        let reversed = rows.skip(2).map(|row| {
            let cells = row
                .iter()
                .filter(|cell| cell.modifier.contains(Modifier::REVERSED));
            cells.map(|cell| (cell.fg, cell.bg)).collect::<Vec<_>>()
        });
        let selected = reversed.max_by_key(Vec::len).expect("rows");
        assert!(selected.len() > 20, "{keys}");
        let first = selected[0];
        assert!(
            selected.iter().all(|&colors| colors == first),
            "{keys}: {selected:?}"
        );
    }
}

/// Returns the name of the theme that a screen is drawn in.
fn theme_of(journey: &mut Journey) -> &'static str {
    let (ink, ground) = {
        let buffer = journey.buffer();
        // The last cell of the second line is blank.
        let cell = &buffer[(buffer.area.width - 1, 1)];
        (cell.fg, cell.bg)
    };
    let has_these_colors = |name: &&str| {
        let theme = Theme::named(name).expect("it is shipped");
        theme.text.fg.unwrap_or_default() == ink
            && theme.background.bg.unwrap_or_default() == ground
    };
    let mut names = Theme::ALL.iter().map(|&(name, _)| name);
    names.find(has_these_colors).expect("it is shipped")
}

#[test]
fn a_theme_is_on_the_screen_while_the_cursor_is_on_it() {
    let mut journey = Journey::on(SEED);
    assert_eq!(theme_of(&mut journey), "dark");
    journey.press("v t");
    journey.row("● dark").must_contain("for dark backgrounds");
    for name in ["light", "high-contrast"] {
        journey.press("<down>");
        assert_eq!(theme_of(&mut journey), name);
    }
    journey.press("<esc>");
    assert_eq!(theme_of(&mut journey), "dark", "esc gives the old one back");
    journey.press("v t <down> <ctrl-c>");
    assert_eq!(theme_of(&mut journey), "dark", "and so does ^C");
    journey.press("v t <down>");
    journey.click(0, 0);
    assert_eq!(theme_of(&mut journey), "dark", "and a click elsewhere");
    journey.press("v t <down> <enter>");
    assert_eq!(theme_of(&mut journey), "light");
    notice(&journey).must_begin("theme: light");
    journey.press("v t");
    assert!(journey.row("● light").contains('❯'), "it is marked");
}

#[test]
fn themes_are_chosen_from_every_screen_and_by_name() {
    for keys in ["2", "3", "4", "5", ":theme<enter><esc>"] {
        let mut journey = Journey::on(SEED).keys(keys);
        journey.answer();
        journey.press("v t <down> <enter>");
        assert_eq!(theme_of(&mut journey), "light", "after {keys}");
    }
    let mut journey = Journey::on(SEED).keys(":theme<enter>contrast<enter>");
    assert_eq!(theme_of(&mut journey), "high-contrast");
}

#[test]
fn every_cell_of_every_dialog_has_the_colours_of_a_painted_theme() {
    use ratatui::style::Color;
    for keys in [
        "",
        "?",
        "P",
        "C",
        "vh",
        "4",
        "5",
        "!",
        "e",
        "eq<enter>",
        "H",
        "4#",
        "3",
    ] {
        let mut journey = Journey::example("buckets").keys(keys);
        journey.answer();
        let buffer = journey.buffer();
        let of_terminal = buffer
            .content
            .iter()
            .position(|cell| cell.fg == Color::Reset || cell.bg == Color::Reset);
        let place = of_terminal.map(|place| buffer.pos_of(place));
        assert_eq!(place, None, "after {keys:?}:\n{}", journey.screen());
    }
}
