//! A screen as an SVG picture: cells of equal style are drawn together.

use super::{Look, Paper, Run, runs};
use ratatui::buffer::Buffer;
use ratatui::style::Modifier;
use std::fmt::Write as _;
use unicode_width::UnicodeWidthStr;

/// The width of a cell at 14 px of a monospaced font.
const CELL_WIDTH: f64 = 8.43;

/// The height of a cell. A smaller one would leave gaps in vertical lines.
const CELL_HEIGHT: f64 = 16.3;

/// The distance of the text baseline from the top of a cell.
const BASELINE: f64 = 12.6;

/// The space around the cells.
const MARGIN: f64 = 10.0;

/// Returns a screen as a picture.
pub(super) fn picture(buffer: &Buffer, paper: &Paper) -> String {
    let mut svg = head(buffer, 0, paper);
    svg.extend(rows(buffer, paper));
    svg.push_str("</svg>\n");
    svg
}

/// Returns the beginning of a picture, with its background. `more` rows below the screen are for other text.
pub fn head(buffer: &Buffer, more: u16, paper: &Paper) -> String {
    let width = f64::from(buffer.area.width) * CELL_WIDTH + 2.0 * MARGIN;
    let height = f64::from(buffer.area.height + more) * CELL_HEIGHT + 2.0 * MARGIN;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.1} {height:.1}\" \
         width=\"{width:.1}\" height=\"{height:.1}\" font-family=\"'DejaVu Sans Mono',Menlo,Consolas,monospace\" \
         font-size=\"14\">\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{}\"/>\n",
        paper.ground
    )
}

/// Returns the drawing of each row.
pub fn rows(buffer: &Buffer, paper: &Paper) -> Vec<String> {
    let mut drawn = Vec::new();
    for (row, cells) in super::rows(buffer).enumerate() {
        let mut svg = String::new();
        for run in runs(cells, paper) {
            draw_run(&mut svg, row, &run);
        }
        drawn.push(svg);
    }
    drawn
}

/// Draws a line of plain text in the place of a row.
pub fn caption(row: usize, text: &str, paper: &Paper) -> String {
    let mut svg = String::new();
    let run = Run {
        start: 1,
        length: text.width(),
        text: text.to_owned(),
        look: Look {
            ink: paper.ink.clone(),
            ground: None,
            modifier: Modifier::BOLD,
        },
    };
    draw_run(&mut svg, row, &run);
    svg
}

/// Returns the dots of a Braille pattern as bits. `None` for other characters.
fn dots(char: char) -> Option<u32> {
    let pattern = u32::from(char).checked_sub(0x2800)?;
    if pattern < 0x100 { Some(pattern) } else { None }
}

/// The place of a dot of a Braille pattern in its cell.
struct Dot {
    column: f64,
    row: f64,
}

const fn dot(column: f64, row: f64) -> Dot {
    Dot { column, row }
}

/// The dots of a Braille pattern, from the lowest bit on.
const DOTS: &[Dot] = &[
    dot(0.0, 0.0),
    dot(0.0, 1.0),
    dot(0.0, 2.0),
    dot(1.0, 0.0),
    dot(1.0, 1.0),
    dot(1.0, 2.0),
    dot(0.0, 3.0),
    dot(1.0, 3.0),
];

/// Draws Braille as the dots of a plot, evenly spaced within and across cells.
fn draw_dots(svg: &mut String, left: f64, top: f64, text: &str, ink: &str) {
    let column_width = CELL_WIDTH / 2.0;
    let row_height = CELL_HEIGHT / 4.0;
    let mut path = String::new();
    for (place, char) in text.chars().enumerate() {
        let Some(pattern) = dots(char) else { continue };
        let first_x = left + (place as f64 + 0.25) * CELL_WIDTH;
        let first_y = top + row_height / 2.0;
        for (bit, dot) in DOTS.iter().enumerate() {
            if pattern >> bit & 1 == 1 {
                let x = first_x + dot.column * column_width;
                let y = first_y + dot.row * row_height;
                // Writing to a String cannot fail.
                let _ = write!(path, "M{x:.1} {y:.1}h0");
            }
        }
    }
    if !path.is_empty() {
        let _ = writeln!(
            svg,
            "<path d=\"{path}\" stroke=\"{ink}\" stroke-width=\"2\" stroke-linecap=\"round\"/>"
        );
    }
}

/// Draws a run of cells in a row: what is behind it, its dots and its text.
fn draw_run(svg: &mut String, row: usize, run: &Run) {
    let look = &run.look;
    let ink = &look.ink;
    let left = MARGIN + run.start as f64 * CELL_WIDTH;
    let top = MARGIN + row as f64 * CELL_HEIGHT;
    // Writing to a String cannot fail.
    if let Some(ground) = &look.ground {
        let width = run.length as f64 * CELL_WIDTH;
        let _ = writeln!(
            svg,
            "<rect x=\"{left:.2}\" y=\"{top:.2}\" width=\"{width:.2}\" height=\"{CELL_HEIGHT:.2}\" fill=\"{ground}\"/>"
        );
    }
    draw_dots(svg, left, top, &run.text, ink);
    // Fonts without Braille fall back to a font of another width.
    let text = run.text.replace(|char| dots(char).is_some(), " ");
    let visible = text.trim();
    if visible.is_empty() {
        return;
    }
    let indent = text.len() - text.trim_start().len();
    let start = left + indent as f64 * CELL_WIDTH;
    let length = visible.width() as f64 * CELL_WIDTH;
    let attributes = attributes_of(look.modifier);
    let feet = top + BASELINE;
    let _ = writeln!(
        svg,
        "<text x=\"{start:.2}\" y=\"{feet:.2}\" textLength=\"{length:.2}\" lengthAdjust=\"spacingAndGlyphs\" \
         xml:space=\"preserve\" fill=\"{ink}\"{attributes}>{}</text>",
        escape(visible)
    );
}

/// Returns the attributes of a text, each after a blank.
fn attributes_of(modifier: Modifier) -> String {
    let mut attributes = String::new();
    for (one, attribute) in [
        (Modifier::BOLD, " font-weight=\"bold\""),
        (Modifier::UNDERLINED, " text-decoration=\"underline\""),
        (Modifier::DIM, " fill-opacity=\"0.65\""),
    ] {
        if modifier.contains(one) {
            attributes.push_str(attribute);
        }
    }
    attributes
}

/// Returns a text as XML writes it.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
