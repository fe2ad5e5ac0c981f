//! The line of the prompt.

use crate::base::shown::{cells, cut, sentence, visible};
use crate::tui::screen::button;
use crate::tui::state::app::App;
use crate::tui::state::dialog::Dialog;
use crate::tui::state::prompt::PromptLabels;
use crate::tui::widget::viewport::Regions;
use crate::tui::widget::wrap::wrap;
use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use tui_input::Input;
use unicode_width::UnicodeWidthChar;

/// Draws the prompt with its text, the former value of the cell, and a hint. Returns the position of the cursor.
pub(crate) fn draw(
    app: &App,
    area: Rect,
    buffer: &mut Buffer,
    regions: &mut Regions,
) -> Option<(u16, u16)> {
    let Some(Dialog::Prompt(prompt)) = &app.ui.dialog else {
        return None;
    };
    let theme = &app.ui.theme;
    let PromptLabels {
        label,
        before,
        verb,
        hint,
        ..
    } = &prompt.labels;
    let right = area.right();
    let room = |x: u16| usize::from(right.saturating_sub(x));
    // Names need more room than the hints behind the line.
    let label = app.ui.spelled(sentence!(" {label}: "));
    let label = cut(&label, usize::from(area.width) * 2 / 3).into_owned();
    let (x, y) = buffer.set_stringn(area.x, area.y, label, room(area.x), theme.strong);
    let width = usize::from(right.saturating_sub(x).max(1));
    let (line, cursor) = line_and_cursor(&prompt.input, width.saturating_sub(1));
    let (end, _) = buffer.set_stringn(x, y, &line, width, theme.text);
    let cursor = u16::try_from(cursor).unwrap_or(0);
    let cursor = (x.saturating_add(cursor).min(right.saturating_sub(1)), y);
    let start = end.max(cursor.0 + 1);
    if let Some(error) = &prompt.error {
        let error = app.ui.spelled(error.clone());
        if cells(&error) + GAP <= room(start) {
            let x = start + 3;
            buffer.set_stringn(x, y, &error, room(x), theme.error);
        } else {
            draw_above(&error, area, buffer, theme.page(), theme.error);
        }
        return Some(cursor);
    }
    let before = match &before[..] {
        "" => String::new(),
        before => format!("was {before}"),
    };
    let hint = app.ui.spelled(hint.clone());
    let buttons = cells("enter ") + cells(verb) + BETWEEN + cells("esc cancel");
    let others = [&before[..], &hint[..]].into_iter();
    let others: usize = others
        .filter(|text| !text.is_empty())
        .map(|text| cells(text) + BETWEEN)
        .sum();
    let mut x = start + 3;
    let fits = GAP + buttons + others <= room(start);
    if !fits && !hint.is_empty() {
        // Cut words would help nobody.
        let text = if before.is_empty() {
            hint.to_string()
        } else {
            format!("{before} · {hint}")
        };
        draw_above(&text, area, buffer, theme.page(), theme.dim);
    }
    if fits && !before.is_empty() {
        (x, _) = buffer.set_stringn(x, y, format!("{before} · "), room(x), theme.dim);
    }
    for (place, (key, text)) in [(KeyCode::Enter, &verb[..]), (KeyCode::Esc, "cancel")]
        .into_iter()
        .enumerate()
    {
        if place > 0 {
            (x, _) = buffer.set_stringn(x, y, " · ", room(x), theme.dim);
        }
        let rest = Rect {
            x,
            width: right.saturating_sub(x),
            ..area
        };
        if cells(&button::key_name(key)) + 1 + cells(text) > room(x) {
            break;
        }
        x = button::draw(theme, (key, text), rest, buffer, regions);
    }
    if fits && !hint.is_empty() {
        buffer.set_stringn(x, y, format!(" · {hint}"), room(x), theme.dim);
    }
    Some(cursor)
}

/// The cells between what is typed and what is said about it.
const GAP: usize = 3;

/// The cells between two parts of the line.
const BETWEEN: usize = 3;

/// Draws a sentence that does not fit beside its prompt over the lines above it.
fn draw_above(sentence: &str, area: Rect, buffer: &mut Buffer, ground: Style, style: Style) {
    let width = usize::from(area.width);
    let lines = wrap(sentence, width.saturating_sub(2));
    // The title and the tabs stay visible.
    let height = lines.len().min(usize::from(area.y.saturating_sub(2)));
    let top = area.y - u16::try_from(height).unwrap_or(0);
    for (line, y) in lines[..height].iter().zip(top..area.y) {
        let text = format!(" {line:<width$}");
        buffer.set_stringn(area.x, y, text, width, ground);
        buffer.set_style(
            Rect {
                y,
                height: 1,
                ..area
            },
            style,
        );
    }
}

/// Returns the part of a line that fits before the cursor and all that follows it, and the cell of the cursor in it.
/// What would not be drawn as itself is written out, as in names, but a backslash stays as it was typed.
fn line_and_cursor(input: &Input, width: usize) -> (String, usize) {
    let before: String = input.value().chars().take(input.cursor()).collect();
    let cursor = cells(&visible(&before));
    let line = visible(input.value());
    let mut skipped = 0;
    let mut chars = line.chars();
    while skipped < cursor.saturating_sub(width) {
        skipped += chars.next().and_then(UnicodeWidthChar::width).unwrap_or(0);
    }
    (chars.collect(), cursor - skipped)
}

#[cfg(test)]
mod tests {
    use super::line_and_cursor;
    use tui_input::Input;

    #[test]
    fn a_line_shows_what_cannot_be_drawn_and_the_cursor_stands_behind_it() {
        let line = |text: &str, cursor, width| {
            line_and_cursor(&Input::from(text).with_cursor(cursor), width)
        };
        assert_eq!(line("a\x1bb", 2, 20), ("a\\eb".to_owned(), 3));
        assert_eq!(
            line("a\u{202e}b\n", 4, 20),
            ("a\\u{202e}b\\n".to_owned(), 12)
        );
        assert_eq!(line("a\\e", 3, 20), ("a\\e".to_owned(), 3));
        assert_eq!(line("\u{301}a", 1, 20), ("\\u{301}a".to_owned(), 7));
        assert_eq!(line("\x1b\x1b\x1bend", 6, 4), ("eend".to_owned(), 4));
        assert_eq!(line("漢字漢字", 4, 4), ("漢字".to_owned(), 4));
    }
}
