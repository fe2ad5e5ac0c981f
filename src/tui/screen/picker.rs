//! The list above the prompt for a source: the names with what each is, or why there are none.

use crate::base::number::grouped;
use crate::base::shown::{Shown, cells, cut_name, sentence};
use crate::format::Example;
use crate::open::folder::{Content, MOST_ENTRIES};
use crate::report::words::source::content;
use crate::tui::screen::painter::{self, Painter, RowMarks, narrow, skip, width_of};
use crate::tui::state::picker::split;
use crate::tui::state::{Completion, CompletionKind, Picker, Ui};
use crate::tui::widget::{first_shown, wrap};
use ratatui::layout::Constraint::{Length, Min};
use ratatui::layout::{Layout, Rect};
use ratatui::style::Style;

/// The most cells of the list's width and height, borders included. Longer lines are hard to read.
const LARGEST: (u16, u16) = (110, 32);

/// The cells of the longest word for what an entry is.
const CONTENT: u16 = 24;

const MARK: u16 = 2;

pub(crate) fn draw(p: &mut Painter<'_>, picker: &Picker, area: Rect) {
    let height = (area.height * 4 / 5).max(area.height.min(8));
    let (width, height) = (area.width.min(LARGEST.0), height.min(LARGEST.1));
    let lower = Rect::new(area.x, area.bottom() - height, width, height);
    let rows = picker.rows(p.ui);
    let cursor = picker.cursor(&rows);
    let (place, count) = (cursor.map_or(0, |place| place + 1), rows.len());
    let foot = format!("{place} of {count} · up down move · right enters a directory");
    let title = title(p.ui, picker, usize::from(lower.width.saturating_sub(6)));
    let size = (lower.width, usize::from(height.saturating_sub(2)));
    let inner = p.panel(&title, &foot, size, lower);
    let (notes, style) = notes(p.ui, picker, &rows, usize::from(inner.width));
    let [list, _] = Layout::vertical([Min(0), Length(narrow(notes.len()))]).areas(inner);
    p.drawn.menu = list;
    let visible = rows.iter().enumerate();
    let visible = visible.skip(first_shown(cursor.unwrap_or(0), list.height));
    let mut below = inner;
    for ((place, row), line) in visible.zip(list.rows()) {
        draw_row(p, row, Some(place) == cursor, line);
        below = painter::below(inner, line.bottom() - inner.y);
    }
    p.put_lines(below, notes.iter().map(|note| (note, style)));
}

fn title(ui: &Ui, picker: &Picker, width: usize) -> String {
    if picker.is_of_examples() {
        return "built-in trees".to_owned();
    }
    let has_more = picker.here.folder().is_some_and(|folder| folder.has_more);
    let more = has_more.then(|| format!(" (first {} entries)", grouped(MOST_ENTRIES)));
    let more = more.unwrap_or_default();
    let path = Shown::again(ui.line(&picker.path));
    let room = width.saturating_sub(cells(&more));
    format!("{}{more}", ui.spelled(path).cut_start(room))
}

/// Returns what is said below the rows, in lines, with its style.
fn notes(ui: &Ui, picker: &Picker, rows: &[Completion], width: usize) -> (Vec<String>, Style) {
    let is_blank = rows.iter().all(|row| row.kind == CompletionKind::Parent);
    let dim = |text: &str| (wrap(text, width), ui.theme.dim);
    match &picker.here.listed {
        _ if picker.is_of_examples() && is_blank => dim("no match"),
        _ if picker.is_of_examples() => (Vec::new(), ui.theme.dim),
        None => dim("reading…"),
        Some(Err(error)) => (wrap(&ui.spelled(error), width), ui.theme.error),
        Some(Ok(folder)) if is_blank && folder.entries.is_empty() => dim("the directory is empty"),
        Some(Ok(_)) if is_blank && split(&picker.line).1.is_empty() => {
            dim("only hidden entries; type a dot to see them")
        }
        Some(Ok(_)) if is_blank => dim("no match; enter opens the path as it was typed"),
        Some(Ok(_)) => (Vec::new(), ui.theme.dim),
    }
}

fn draw_row(p: &mut Painter<'_>, row: &Completion, is_selected: bool, line: Rect) {
    let theme = &p.ui.theme;
    let (words, side): (&str, _) = match row.kind {
        CompletionKind::Heading => {
            p.put(line, &row.name, theme.heading);
            return;
        }
        CompletionKind::Example(example) => {
            let longest = Example::ALL.iter().map(|example| width_of(example.help()));
            (example.help(), longest.max().unwrap_or(0))
        }
        _ => (row.content.map_or("", content), CONTENT),
    };
    let style = match row.content {
        Some(Content::Unknown | Content::Unreadable | Content::Missing | Content::Settings) => {
            theme.dim
        }
        _ if row.is_directory => theme.account,
        _ => theme.text,
    };
    p.row(line, is_selected, RowMarks::LIST, |p, rest| {
        // Where there is no room for both, the name is what counts.
        let has_side = rest.width >= side.saturating_add(CONTENT);
        let sides = [Min(0), Length(if has_side { side + MARK } else { 0 })];
        let [name, side] = Layout::horizontal(sides).areas(rest);
        p.put(name, name_of(p.ui, row, usize::from(name.width)), style);
        if has_side {
            p.put(skip(side, MARK), words, theme.dim);
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
    let name = cut_name(&name, width.saturating_sub(slash.len())).into_owned();
    sentence!("{name}{slash}")
}
