//! Screens as files: SVG, text and HTML. Each is drawn from the cells of a screen and needs nothing beside it.

pub mod svg;

use crate::base::nearest::unknown;
use crate::base::shown::{Shown, is_shown, sentence, shown};
use crate::base::table::table;
use crate::tui::widget::theme::{Theme, channels};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use ratatui::backend::{Backend as _, CrosstermBackend};
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use std::io;
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
            ink: colour(theme.ink(theme.text)).unwrap_or_else(|| "#d4d7dd".to_owned()),
            ground: colour(theme.ground()).unwrap_or_else(|| "#14171c".to_owned()),
        }
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
    let written = |[red, green, blue]: [u8; 3]| format!("#{red:02x}{green:02x}{blue:02x}");
    match colour {
        Color::Reset => None,
        Color::Rgb(red, green, blue) => Some(written([red, green, blue])),
        Color::Indexed(index) => Some(match NAMED.get(usize::from(index)) {
            Some((_, hex)) => (*hex).to_owned(),
            None => written(channels(index)),
        }),
        named => NAMED
            .iter()
            .find(|(known, _)| *known == named)
            .map(|(_, hex)| (*hex).to_owned()),
    }
}

/// What stands for a cell that a terminal would act on.
static MARK: Cell = Cell::new("\u{fffd}");

/// Returns the cell, or a mark if a terminal would act on it, whatever a screen does. Names are visible long before.
fn safe(cell: &Cell) -> &Cell {
    if is_shown(cell.symbol()) { cell } else { &MARK }
}

/// Writes what draws some cells on a terminal, each at its place. A cell that a terminal would act on is a mark.
pub fn encode<'a>(
    cells: impl Iterator<Item = (u16, u16, &'a Cell)>,
    bytes: &mut Vec<u8>,
) -> io::Result<()> {
    let cells = cells.map(|(x, y, cell)| (x, y, safe(cell)));
    CrosstermBackend::new(bytes).draw(cells)
}

/// Returns the characters of a screen in lines, without the blanks at their ends. Each ends with a line break.
fn text(screen: &Buffer, paper: &Paper) -> String {
    let mut text = String::new();
    for row in rows(screen) {
        let line: String = runs(row, paper).iter().map(|run| &*run.text).collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn rows(screen: &Buffer) -> std::slice::Chunks<'_, Cell> {
    let columns = usize::from(screen.area.width.max(1));
    screen.content.chunks(columns)
}

#[derive(Clone, PartialEq)]
struct Look {
    ink: String,
    /// The colour behind them, or `None` if it is that of the paper.
    ground: Option<String>,
    modifier: Modifier,
}

impl Look {
    fn of(cell: &Cell, paper: &Paper) -> Self {
        let mut ink = colour(cell.fg).unwrap_or_else(|| paper.ink.clone());
        let mut ground = colour(cell.bg).unwrap_or_else(|| paper.ground.clone());
        if cell.modifier.contains(Modifier::REVERSED) {
            std::mem::swap(&mut ink, &mut ground);
        }
        Self {
            ink,
            ground: (ground != paper.ground).then_some(ground),
            modifier: cell.modifier,
        }
    }
}

/// Neighbouring cells of one style. A wide character is alone, because the next one would be misplaced.
struct Run {
    start: usize,
    length: usize,
    text: String,
    look: Look,
}

fn runs(cells: &[Cell], paper: &Paper) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut start = 0;
    while start < cells.len() {
        let look = Look::of(&cells[start], paper);
        let symbols = |cells: &[Cell]| cells.iter().map(|cell| safe(cell).symbol()).collect();
        let is_wide = safe(&cells[start]).symbol().width() > 1;
        let same = |cell: &&Cell| Look::of(cell, paper) == look && safe(cell).symbol().width() == 1;
        let (length, text) = if is_wide {
            // The cell behind a wide character belongs to it.
            (2, symbols(&cells[start..=start]))
        } else {
            let length = cells[start..].iter().take_while(same).count().max(1);
            (length, symbols(&cells[start..start + length]))
        };
        let length = length.min(cells.len() - start);
        runs.push(Run {
            start,
            length,
            text,
            look,
        });
        start += length;
    }
    runs
}

/// Returns a screen as a page for a browser: one `pre` with a span for each run of cells, and nothing from elsewhere.
fn page(screen: &Buffer, paper: &Paper) -> String {
    let Paper { ink, ground } = paper;
    let style = format!(
        "body {{ margin: 0; background: {ground}; color: {ink}; }}\n\
         pre {{ margin: 1em; font: 14px/1.2 'DejaVu Sans Mono', Menlo, Consolas, monospace; }}\n"
    );
    let page = html! {
        (DOCTYPE) "\n"
        html lang="en" {
            head {
                meta charset="utf-8";
                title { "fairscope" }
                // Colours of ours.
                style { (PreEscaped(style)) }
            }
            body { pre { "\n"
                @for row in rows(screen) { @for run in runs(row, paper) { (span(&run, paper)) } "\n" }
            } }
        }
    };
    page.into_string()
}

fn span(run: &Run, paper: &Paper) -> Markup {
    let style = css(&run.look, paper);
    html! {
        @if style.is_empty() { (run.text) } @else { span style=(style) { (run.text) } }
    }
}

/// Returns the style of a run; empty if it is that of the page.
fn css(look: &Look, paper: &Paper) -> String {
    let mut style = Vec::new();
    if look.ink != paper.ink {
        style.push(format!("color:{}", look.ink));
    }
    if let Some(ground) = &look.ground {
        style.push(format!("background:{ground}"));
    }
    for (modifier, text) in [
        (Modifier::BOLD, "font-weight:bold"),
        (Modifier::UNDERLINED, "text-decoration:underline"),
        (Modifier::DIM, "opacity:0.65"),
    ] {
        if look.modifier.contains(modifier) {
            style.push(text.to_owned());
        }
    }
    style.join(";")
}
