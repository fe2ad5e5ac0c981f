//! A screen as an SVG picture: cells of equal style are drawn together.

use super::Paper;
use super::run::{Look, runs};
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Modifier;
use std::fmt::Write as _;
use unicode_width::UnicodeWidthStr;

/// The size of a cell at 14 px of a monospaced font. A smaller height would leave gaps in vertical lines.
const CELL: (f64, f64) = (8.43, 16.3);

/// The distance of the text baseline from the top of a cell.
const BASELINE: f64 = 12.6;

/// The margin around the screen.
const MARGIN: f64 = 10.0;

/// Draws a screen.
pub(super) fn picture(buffer: &Buffer, paper: &Paper) -> String {
    let mut svg = head(buffer, 0, paper);
    svg.extend(rows(buffer, paper));
    svg.push_str("</svg>\n");
    svg
}

/// Returns the beginning of a picture: the element of the whole, and the background. `more` rows below the screen are
/// for other text.
pub fn head(buffer: &Buffer, more: u16, paper: &Paper) -> String {
    let (width, height) = (
        f64::from(buffer.area.width),
        f64::from(buffer.area.height + more),
    );
    let (outer_width, outer_height) = (
        width * CELL.0 + 2.0 * MARGIN,
        height * CELL.1 + 2.0 * MARGIN,
    );
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {outer_width:.1} {outer_height:.1}\" \
         width=\"{outer_width:.1}\" height=\"{outer_height:.1}\" font-family=\"'DejaVu Sans Mono',Menlo,Consolas,monospace\" \
         font-size=\"14\">\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{}\"/>\n",
        paper.ground
    )
}

/// Returns the top of a row of the screen.
fn top_of(row: usize) -> f64 {
    MARGIN + row as f64 * CELL.1
}

/// Returns the drawing of each row.
pub fn rows(buffer: &Buffer, paper: &Paper) -> Vec<String> {
    let columns = usize::from(buffer.area.width.max(1));
    let rows = buffer.content.chunks(columns).enumerate();
    rows.map(|(row, cells)| draw_row(cells, top_of(row), paper))
        .collect()
}

/// Draws a line of plain text in the place of a row.
pub fn caption(row: usize, text: &str, paper: &Paper) -> String {
    let mut svg = String::new();
    let look = Look {
        ink: paper.ink.clone(),
        ground: None,
        modifier: Modifier::BOLD,
    };
    let width = text.width() as f64 * CELL.0;
    draw_run(&mut svg, MARGIN + CELL.0, top_of(row), width, text, &look);
    svg
}

fn draw_row(cells: &[Cell], top: f64, paper: &Paper) -> String {
    let mut svg = String::new();
    for run in runs(cells, paper) {
        let left = MARGIN + run.start as f64 * CELL.0;
        let width = run.length as f64 * CELL.0;
        draw_run(&mut svg, left, top, width, &run.text, &run.look);
    }
    svg
}

/// Returns the dots of a Braille pattern as bits. `None` for other characters.
fn dots(char: char) -> Option<u32> {
    let pattern = u32::from(char).checked_sub(0x2800)?;
    (pattern < 0x100).then_some(pattern)
}

/// The position of each dot of a Braille pattern in columns and rows of its cell, from the lowest bit on.
const PLACES: [(f64, f64); 8] = [
    (0.0, 0.0),
    (0.0, 1.0),
    (0.0, 2.0),
    (1.0, 0.0),
    (1.0, 1.0),
    (1.0, 2.0),
    (0.0, 3.0),
    (1.0, 3.0),
];

/// Draws Braille as the dots of a plot, evenly spaced within and across cells.
fn draw_dots(svg: &mut String, left: f64, top: f64, text: &str, ink: &str) {
    let step = (CELL.0 / 2.0, CELL.1 / 4.0);
    let mut path = String::new();
    for (place, char) in text.chars().enumerate() {
        let Some(pattern) = dots(char) else { continue };
        let x = left + (place as f64 + 0.25) * CELL.0;
        let y = top + step.1 / 2.0;
        for (bit, (column, row)) in PLACES.iter().enumerate() {
            if pattern >> bit & 1 == 1 {
                let (x, y) = (x + column * step.0, y + row * step.1);
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

fn draw_run(svg: &mut String, left: f64, top: f64, width: f64, text: &str, look: &Look) {
    // Writing to a String cannot fail.
    if let Some(ground) = &look.ground {
        let height = CELL.1;
        let _ = writeln!(
            svg,
            "<rect x=\"{left:.2}\" y=\"{top:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"{ground}\"/>"
        );
    }
    draw_dots(svg, left, top, text, &look.ink);
    // Fonts without Braille fall back to a font of another width.
    let text = text.replace(|char| dots(char).is_some(), " ");
    let visible = text.trim_end();
    if visible.trim_start().is_empty() {
        return;
    }
    let indent = text.len() - text.trim_start().len();
    let left = left + indent as f64 * CELL.0;
    let visible = visible.trim_start();
    let length = visible.width() as f64 * CELL.0;
    let weight = if look.modifier.contains(Modifier::BOLD) {
        " font-weight=\"bold\""
    } else {
        ""
    };
    let line = if look.modifier.contains(Modifier::UNDERLINED) {
        " text-decoration=\"underline\""
    } else {
        ""
    };
    let faint = if look.modifier.contains(Modifier::DIM) {
        " fill-opacity=\"0.65\""
    } else {
        ""
    };
    let (feet, ink) = (top + BASELINE, &look.ink);
    let _ = writeln!(
        svg,
        "<text x=\"{left:.2}\" y=\"{feet:.2}\" textLength=\"{length:.2}\" lengthAdjust=\"spacingAndGlyphs\" \
         xml:space=\"preserve\" fill=\"{ink}\"{weight}{line}{faint}>{}</text>",
        escape(visible)
    );
}

/// Returns text as SVG takes it between tags.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
