//! The list above the prompt for a source: the names with what each is, or why there are none.

use super::painter::{Painter, RowMarks, below, narrow, short_of, skip, split_bottom, width_of};
use crate::base::number::grouped;
use crate::base::shown::{Shown, cells, cut_name, sentence};
use crate::format::Example;
use crate::open::folder::{Content, MOST_ENTRIES};
use crate::report::words::source::content;
use crate::tui::state::picker::split;
use crate::tui::state::{Completion, CompletionKind, Picker, Ui};
use crate::tui::widget::theme::Theme;
use crate::tui::widget::{first_shown, wrap};
use ratatui::layout::Rect;
use ratatui::style::Style;

/// The most cells of the list's width, borders included. Longer lines are hard to read.
const WIDEST: u16 = 110;

/// The most lines of the list, borders included.
const HIGHEST: u16 = 32;

/// The fewest lines of the list, where the screen has them.
const LOWEST: u16 = 8;

/// The cells of the longest word for what an entry is.
const CONTENT: u16 = 24;

/// The blanks between a name and what the entry is.
const GAP: u16 = 2;

/// Draws the list at the bottom of an area, and what there is to say below its rows.
pub(crate) fn draw(p: &mut Painter, picker: &Picker, area: Rect) {
    let wanted = (area.height * 4 / 5).max(area.height.min(LOWEST));
    let height = wanted.min(HIGHEST);
    let width = area.width.min(WIDEST);
    let lower = Rect::new(area.x, area.bottom() - height, width, height);
    let rows = picker.rows(p.ui);
    let cursor = picker.cursor(&rows);
    let title = title(p.ui, picker, lower.width.saturating_sub(6));
    let foot = foot(cursor, rows.len());
    let lines = usize::from(height.saturating_sub(2));
    let inner = p.panel(&title, &foot, (width, lines), lower);
    let note = Note::of(p.ui, picker, &rows);
    let mut text = Vec::new();
    if !note.text.is_empty() {
        text = wrap(&note.text, inner.width.into());
    }
    let list = split_bottom(inner, narrow(text.len())).above;
    p.drawn.menu = list;
    let first = first_shown(cursor.unwrap_or(0), list.height);
    let mut below_rows = inner;
    let mut lines = list.rows();
    for (place, row) in rows.iter().enumerate().skip(first) {
        let Some(line) = lines.next() else { break };
        draw_row(p, row, Some(place) == cursor, line);
        below_rows = below(inner, line.bottom() - inner.y);
    }
    p.put_text(below_rows, &text, note.style);
}

/// Returns the place of the cursor among so many rows, and the keys of the list.
fn foot(cursor: Option<usize>, count: usize) -> String {
    let place = match cursor {
        Some(place) => place + 1,
        None => 0,
    };
    format!("{place} of {count} · up down move · right enters a directory")
}

/// Returns the directory that is listed, in so many cells, and whether it has more entries than are listed.
fn title(ui: &Ui, picker: &Picker, width: u16) -> String {
    if picker.is_of_examples() {
        return "built-in trees".to_owned();
    }
    let mut more = String::new();
    if let Some(folder) = picker.here.folder()
        && folder.has_more
    {
        more = format!(" (first {} entries)", grouped(MOST_ENTRIES));
    }
    let path = ui.spelled(Shown::again(ui.line(&picker.path)));
    let room = usize::from(width).saturating_sub(cells(&more));
    format!("{}{more}", path.cut_start(room))
}

/// What is said below the rows.
struct Note {
    /// Empty if there is nothing to say.
    text: Shown,
    style: Style,
}

impl Note {
    /// Returns why there are no rows, or what is wrong with the directory.
    fn of(ui: &Ui, picker: &Picker, rows: &[Completion]) -> Self {
        if let Some(Err(error)) = &picker.here.listed
            && !picker.is_of_examples()
        {
            return Self {
                text: ui.spelled(error),
                style: ui.theme.error,
            };
        }
        Self {
            text: why_blank(picker, rows).into(),
            style: ui.theme.dim,
        }
    }
}

/// Returns why there are no rows but that of the directory above; empty if there are.
fn why_blank(picker: &Picker, rows: &[Completion]) -> &'static str {
    let folder = picker.here.folder();
    if folder.is_none() && !picker.is_of_examples() {
        return "reading…";
    }
    for row in rows {
        if row.kind != CompletionKind::Parent {
            return "";
        }
    }
    match folder {
        _ if picker.is_of_examples() => "no match",
        Some(folder) if folder.entries.is_empty() => "the directory is empty",
        _ if split(&picker.line).1.is_empty() => "only hidden entries; type a dot to see them",
        _ => "no match; enter opens the path as it was typed",
    }
}

/// What stands beside the name of a row.
struct Side {
    words: &'static str,
    /// The cells of the longest words of its kind.
    width: u16,
}

impl Side {
    /// Returns what an example shows, or what an entry is.
    fn of(row: &Completion) -> Self {
        if let CompletionKind::Example(example) = row.kind {
            let mut width = 0;
            for other in Example::ALL {
                width = width.max(width_of(other.help()));
            }
            let words = example.help();
            return Self { words, width };
        }
        let words = match row.content {
            Some(found) => content(found),
            None => "",
        };
        let width = CONTENT;
        Self { words, width }
    }
}

/// Returns the style of a row: what cannot be opened is set back.
fn row_style(theme: &Theme, row: &Completion) -> Style {
    match row.content {
        Some(Content::Unknown | Content::Unreadable | Content::Missing | Content::Settings) => {
            theme.dim
        }
        _ if row.is_directory => theme.account,
        _ => theme.text,
    }
}

/// Draws a heading, or a row with what the entry is.
fn draw_row(p: &mut Painter, row: &Completion, is_selected: bool, line: Rect) {
    let theme = p.theme;
    if row.is_heading() {
        p.put(line, &row.name, theme.heading);
        return;
    }
    let side = Side::of(row);
    let style = row_style(theme, row);
    p.row(line, is_selected, RowMarks::LIST, |p, rest| {
        // Where there is no room for both, the name is what counts.
        let mut taken = 0;
        if rest.width >= side.width.saturating_add(CONTENT) {
            taken = side.width + GAP;
        }
        let room = short_of(rest, taken);
        let name = name_of(p.ui, row, room.width.into());
        p.put(room, name, style);
        if taken > 0 {
            let place = skip(rest, room.width + GAP);
            p.put(place, side.words, theme.dim);
        }
    });
}

/// Returns the name of a row. Of a source that was opened before, the end of the path tells most.
fn name_of(ui: &Ui, row: &Completion, width: usize) -> Shown {
    let slash = if row.is_directory { "/" } else { "" };
    if row.kind == CompletionKind::Recent {
        let path = sentence!("{}{slash}", row.name);
        return ui.spelled(path).cut_start(width);
    }
    let name = ui.spelled(row.name.clone());
    let room = width.saturating_sub(slash.len());
    let fitting = cut_name(&name, room).into_owned();
    sentence!("{fitting}{slash}")
}
