//! A screen as an SVG picture: cells of equal style are drawn together.

use super::{Look, Paper, Run, runs};
use ratatui::buffer::Buffer;
use ratatui::style::Modifier;
use std::fmt::Write as _;
use unicode_width::UnicodeWidthStr;

/// The size of a cell at 14 px of a monospaced font. A smaller height would leave gaps in vertical lines.
const CELL: (f64, f64) = (8.43, 16.3);

/// The distance of the text baseline from the top of a cell.
const BASELINE: f64 = 12.6;

const MARGIN: f64 = 10.0;

pub(super) fn picture(buffer: &Buffer, paper: &Paper) -> String {
    let mut svg = head(buffer, 0, paper);
    svg.extend(rows(buffer, paper));
    svg.push_str("</svg>\n");
    svg
}

/// Returns the beginning of a picture, with its background. `more` rows below the screen are for other text.
pub fn head(buffer: &Buffer, more: u16, paper: &Paper) -> String {
    let width = f64::from(buffer.area.width) * CELL.0 + 2.0 * MARGIN;
    let height = f64::from(buffer.area.height + more) * CELL.1 + 2.0 * MARGIN;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.1} {height:.1}\" \
         width=\"{width:.1}\" height=\"{height:.1}\" font-family=\"'DejaVu Sans Mono',Menlo,Consolas,monospace\" \
         font-size=\"14\">\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{}\"/>\n",
        paper.ground
    )
}

/// Returns the drawing of each row.
pub fn rows(buffer: &Buffer, paper: &Paper) -> Vec<String> {
    let rows = super::rows(buffer).enumerate();
    let drawn = rows.map(|(row, cells)| {
        let mut svg = String::new();
        for run in runs(cells, paper) {
            draw_run(&mut svg, row, &run);
        }
        svg
    });
    drawn.collect()
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
    (pattern < 0x100).then_some(pattern)
}

/// The column and the row of each dot of a Braille pattern in its cell, from the lowest bit on.
const PLACES: [[f64; 8]; 2] = [
    [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0],
    [0.0, 1.0, 2.0, 0.0, 1.0, 2.0, 3.0, 3.0],
];

/// Draws Braille as the dots of a plot, evenly spaced within and across cells.
fn draw_dots(svg: &mut String, left: f64, top: f64, text: &str, ink: &str) {
    let step = (CELL.0 / 2.0, CELL.1 / 4.0);
    let mut path = String::new();
    for (place, char) in text.chars().enumerate() {
        let Some(pattern) = dots(char) else { continue };
        let x = left + (place as f64 + 0.25) * CELL.0;
        let y = top + step.1 / 2.0;
        let [columns, rows] = PLACES;
        for (bit, (column, row)) in columns.into_iter().zip(rows).enumerate() {
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

fn draw_run(svg: &mut String, row: usize, run: &Run) {
    let look = &run.look;
    let ink = &look.ink;
    let left = MARGIN + run.start as f64 * CELL.0;
    let top = MARGIN + row as f64 * CELL.1;
    // Writing to a String cannot fail.
    if let Some(ground) = &look.ground {
        let (width, height) = (run.length as f64 * CELL.0, CELL.1);
        let _ = writeln!(
            svg,
            "<rect x=\"{left:.2}\" y=\"{top:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"{ground}\"/>"
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
    let left = left + indent as f64 * CELL.0;
    let length = visible.width() as f64 * CELL.0;
    let attributes = [
        (Modifier::BOLD, " font-weight=\"bold\""),
        (Modifier::UNDERLINED, " text-decoration=\"underline\""),
        (Modifier::DIM, " fill-opacity=\"0.65\""),
    ];
    let attributes = attributes.into_iter();
    let attributes = attributes.filter(|(modifier, _)| look.modifier.contains(*modifier));
    let attributes: String = attributes.map(|(_, attribute)| attribute).collect();
    let feet = top + BASELINE;
    let _ = writeln!(
        svg,
        "<text x=\"{left:.2}\" y=\"{feet:.2}\" textLength=\"{length:.2}\" lengthAdjust=\"spacingAndGlyphs\" \
         xml:space=\"preserve\" fill=\"{ink}\"{attributes}>{}</text>",
        escape(visible)
    );
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
