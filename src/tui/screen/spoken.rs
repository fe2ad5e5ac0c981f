//! What a screen reader says of a screen, taken from what is drawn: of a list the selected row and why, of anything else
//! its lines.

use super::painter::below;
use crate::tui::state::layer::Layer;
use crate::tui::state::{App, Drawn, Front, Notice};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Returns what is to be said of the screen as it was drawn last: what is typed alone, and else what the explorer says, the
/// lesson, and what is in front.
pub(crate) fn spoken(app: &App, screen: &Buffer) -> String {
    let drawn = app.ui.drawn.borrow();
    let top = app.top();
    if let Layer::Prompt(_) = top {
        let last = screen.area.height.saturating_sub(1);
        return lines(screen, below(screen.area, last));
    }
    let mut said = Vec::new();
    if let Some(Notice::Info(text) | Notice::Error(text)) = app.notice() {
        said.push(text.to_string());
    }
    said.push(lines(screen, drawn.lesson));
    match (top, selected_row(app, &drawn, screen)) {
        (Layer::Front(Front::Screen(_)), Some(row)) => {
            said.push(row);
            said.push(lines(screen, below(drawn.why, 1)));
        }
        _ if !drawn.dialog.is_empty() => said.push(lines(screen, drawn.dialog)),
        _ if !drawn.page.is_empty() => said.push(lines(screen, drawn.page)),
        _ => said.push(lines(screen, screen.area)),
    }
    said.retain(|part| !part.is_empty());
    said.join("\n")
}

/// Returns the cells of the selected row, each behind its heading; `None` where no row is selected.
fn selected_row(app: &App, drawn: &Drawn, screen: &Buffer) -> Option<String> {
    let cursor = app.session()?.pane().cursor;
    let row = drawn.rows.iter().find(|row| row.place == cursor)?;
    let mut said = Vec::new();
    for heading in &drawn.headings {
        let place = heading.area;
        let value = line(screen, Rect { y: row.y, ..place });
        if !has_words(&value) {
            continue;
        }
        match heading.what {
            None => said.push(value),
            Some(_) => said.push(format!("{} {value}", line(screen, place))),
        }
    }
    Some(said.join(", "))
}

/// Returns the lines of a part of the screen that say something.
fn lines(screen: &Buffer, part: Rect) -> String {
    let mut said = Vec::new();
    for row in part.rows() {
        let text = line(screen, row);
        if has_words(&text) {
            said.push(text);
        }
    }
    said.join("\n")
}

/// Returns the text of one line of the screen, without lines, bars and signs that are drawn with characters.
fn line(screen: &Buffer, place: Rect) -> String {
    let mut text = String::new();
    for at in place.intersection(screen.area).positions() {
        text.push_str(screen[at].symbol());
    }
    let parts = text.split(|char: char| char.is_whitespace() || is_drawing(char));
    let words: Vec<&str> = parts.filter(|part| is_word(part)).collect();
    words.join(" ")
}

/// Returns whether a character draws a line, a bar or a sign: the pointer of a row, and Unicode's boxes, blocks and geometric
/// shapes.
fn is_drawing(char: char) -> bool {
    char == '❯' || ('\u{2500}'..='\u{25ff}').contains(&char)
}

/// Returns whether something between blanks is said: no dots where nothing is.
fn is_word(part: &str) -> bool {
    part.contains(|char: char| char.is_ascii() || char.is_alphanumeric())
}

fn has_words(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}
