//! Screens as files: SVG, text and HTML. Each is drawn from the cells of a screen and needs nothing beside it.

pub mod svg;

use crate::base::nearest::unknown;
use crate::base::shown::{Shown, is_shown, sentence, shown};
use crate::base::table::table;
use crate::tui::widget::theme::{Rgb, Theme};
use maud::{DOCTYPE, PreEscaped, html};
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use std::path::Path;
use unicode_width::UnicodeWidthStr as _;

table! {
    /// The form of a screen in a file, the usual one first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum PictureForm {
        Svg, "svg", "a vector picture";
        Text, "text", "the characters, without colours";
        Html, "html", "a page for a browser";
    }
}

impl PictureForm {
    /// Returns the form that the ending of a file name asks for, or an error with the nearest ending that asks for one.
    pub fn of_file(path: &Path) -> Result<Self, Shown> {
        let Some(ending) = path.extension() else {
            let name = shown(path.as_os_str().as_encoded_bytes());
            return Err(sentence!(
                "the name '{name}' has no ending that tells the form; expected .svg, .txt or .html"
            ));
        };
        match ending.to_str() {
            Some("svg") => Ok(Self::Svg),
            Some("txt") => Ok(Self::Text),
            Some("html") => Ok(Self::Html),
            _ => {
                let endings = ["svg", "txt", "html"].into_iter();
                Err(unknown("ending", ending.as_encoded_bytes(), endings))
            }
        }
    }

    /// Returns a screen in this form.
    pub fn draw(self, screen: &Buffer, paper: &Paper) -> String {
        match self {
            Self::Svg => svg::picture(screen, paper),
            Self::Text => text(screen, paper),
            Self::Html => page(screen, paper),
        }
    }
}

/// The colours where a theme leaves them to the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paper {
    /// The colour of plain text, as in `#d4d7dd`.
    pub ink: String,
    /// The colour of the background.
    pub ground: String,
}

impl Paper {
    /// Returns the paper of a theme; that of a dark terminal where the theme sets no colours.
    pub fn of(theme: &Theme) -> Self {
        Self {
            ink: colour_or(theme.ink(theme.text), "#d4d7dd"),
            ground: colour_or(theme.ground(), "#14171c"),
        }
    }
}

/// Returns a colour as SVG and HTML write it; another one instead of the terminal's own.
fn colour_or(color: Color, other: &str) -> String {
    match colour(color) {
        Some(written) => written,
        None => other.to_owned(),
    }
}

/// The sixteen named colours, as xterm draws them, in the order of the palette.
const NAMED: [(Color, &str); 16] = [
    (Color::Black, "#000000"),
    (Color::Red, "#cd0000"),
    (Color::Green, "#00cd00"),
    (Color::Yellow, "#cdcd00"),
    (Color::Blue, "#3b78ff"),
    (Color::Magenta, "#cd00cd"),
    (Color::Cyan, "#00cdcd"),
    (Color::Gray, "#e5e5e5"),
    (Color::DarkGray, "#7f7f7f"),
    (Color::LightRed, "#ff0000"),
    (Color::LightGreen, "#00ff00"),
    (Color::LightYellow, "#ffff00"),
    (Color::LightBlue, "#5c5cff"),
    (Color::LightMagenta, "#ff00ff"),
    (Color::LightCyan, "#00ffff"),
    (Color::White, "#ffffff"),
];

/// Returns a colour as SVG and HTML write it, or `None` for the terminal's own colour.
fn colour(colour: Color) -> Option<String> {
    match colour {
        Color::Reset => None,
        Color::Rgb(red, green, blue) => Some(Rgb { red, green, blue }.to_string()),
        Color::Indexed(index) => match NAMED.get(usize::from(index)) {
            Some((_, written)) => Some((*written).to_owned()),
            None => Some(Rgb::of_palette(index).to_string()),
        },
        named => {
            let mut known = NAMED.iter();
            let (_, written) = known.find(|(color, _)| *color == named)?;
            Some((*written).to_owned())
        }
    }
}

/// What stands for a cell that a terminal would act on.
static MARK: Cell = Cell::new("\u{fffd}");

/// Returns the cell, or a mark if a terminal would act on it, whatever a screen does. Names are visible long before.
pub(crate) fn safe(cell: &Cell) -> &Cell {
    if is_shown(cell.symbol()) { cell } else { &MARK }
}

/// Returns the characters of a screen in lines, without the blanks at their ends. Each ends with a line break.
fn text(screen: &Buffer, paper: &Paper) -> String {
    let mut text = String::new();
    for row in rows(screen) {
        let mut line = String::new();
        for run in runs(row, paper) {
            line.push_str(&run.text);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Returns the rows of a screen, from the top.
pub(crate) fn rows(screen: &Buffer) -> std::slice::Chunks<'_, Cell> {
    let columns = usize::from(screen.area.width.max(1));
    screen.content.chunks(columns)
}

/// What cells look like, beside their characters.
#[derive(Clone, PartialEq)]
pub(crate) struct Look {
    /// The colour of the characters.
    pub(crate) ink: String,
    /// The colour behind them, or `None` if it is that of the paper.
    pub(crate) ground: Option<String>,
    pub(crate) modifier: Modifier,
}

impl Look {
    fn of(cell: &Cell, paper: &Paper) -> Self {
        let mut ink = colour_or(cell.fg, &paper.ink);
        let mut behind = colour_or(cell.bg, &paper.ground);
        if cell.modifier.contains(Modifier::REVERSED) {
            std::mem::swap(&mut ink, &mut behind);
        }
        let mut ground = None;
        if behind != paper.ground {
            ground = Some(behind);
        }
        Self {
            ink,
            ground,
            modifier: cell.modifier,
        }
    }
}

/// Returns whether two cells have the same style. Others can still look alike.
fn have_one_style(one: &Cell, other: &Cell) -> bool {
    one.fg == other.fg && one.bg == other.bg && one.modifier == other.modifier
}

/// Neighbouring cells of one look. A wide character is alone, because the next one would be misplaced.
pub(crate) struct Run {
    /// The place of the first cell in its row.
    start: usize,
    /// The number of cells.
    pub(crate) length: usize,
    /// The characters.
    pub(crate) text: String,
    pub(crate) look: Look,
}

impl Run {
    /// Returns the run that begins at a place of a row.
    fn at(cells: &[Cell], start: usize, paper: &Paper) -> Self {
        let look = Look::of(&cells[start], paper);
        let first = safe(&cells[start]).symbol();
        let mut text = first.to_owned();
        let mut length = 1;
        if first.width() > 1 {
            // The cell behind a wide character belongs to it.
            length = 2.min(cells.len() - start);
        } else if first.width() == 1 {
            for cell in &cells[start + 1..] {
                let symbol = safe(cell).symbol();
                let is_alike = have_one_style(cell, &cells[start]) || Look::of(cell, paper) == look;
                if symbol.width() != 1 || !is_alike {
                    break;
                }
                text.push_str(symbol);
                length += 1;
            }
        }
        Self {
            start,
            length,
            text,
            look,
        }
    }
}

/// Returns the runs of a row, from the left.
pub(crate) fn runs(cells: &[Cell], paper: &Paper) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut start = 0;
    while start < cells.len() {
        let run = Run::at(cells, start, paper);
        start += run.length;
        runs.push(run);
    }
    runs
}

/// Returns a screen as a page for a browser: the vector picture, which fits the window, and nothing from elsewhere. The title
/// is the first line of the screen, which names what is open.
fn page(screen: &Buffer, paper: &Paper) -> String {
    let Paper { ink, ground } = paper;
    let style = format!(
        "body {{ margin: 1em; background: {ground}; color: {ink}; }}\n\
         svg {{ display: block; max-width: 100%; height: auto; margin: auto; }}\n"
    );
    let text = text(screen, paper);
    let first = text.lines().next().unwrap_or_default();
    let words: Vec<&str> = first.split_whitespace().collect();
    let title = words.join(" ");
    let page = html! {
        (DOCTYPE) "\n"
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                // Colours of ours.
                style { (PreEscaped(style)) }
            }
            // Its texts are escaped where it is drawn.
            body { "\n" (PreEscaped(svg::picture(screen, paper))) }
        }
    };
    page.into_string()
}
