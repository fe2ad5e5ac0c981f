//! The lines around the table: the tabs, and the bottom line with hints or notices.

use crate::base::number;
use crate::base::shown::{Shown, cells, cut, sentence, shown};
use crate::report::outline::Filter;
use crate::tui::input::action::Action;
use crate::tui::screen::hints::{Hint, ends, hints};
use crate::tui::screen::{button, prompt_line, question};
use crate::tui::state::app::App;
use crate::tui::state::dialog::Dialog;
use crate::tui::state::presenter::PressedKey;
use crate::tui::state::screen::{Front, Screen, TABS};
use crate::tui::state::session::Session;
use crate::tui::state::ui::Notice;
use crate::tui::state::ui::Ui;
use crate::tui::widget::theme::Theme;
use crate::tui::widget::viewport::{Click, Regions};
use crate::tui::widget::wrap::wrap;
use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget as _};

/// Draws the second line: the screens, the sort order and the filter.
pub(crate) fn draw_tabs(
    ui: &Ui,
    session: &Session,
    area: Rect,
    buffer: &mut Buffer,
    regions: &mut Regions,
) {
    regions.tabs.clear();
    let theme = &ui.theme;
    let mut x = area.x + 1;
    let front = ui.front(session);
    for (screen, name) in TABS {
        let is_open = front.open_tab() == Some(screen);
        let style = if is_open { theme.tab_open } else { theme.tab };
        let key = ui.hint(screen);
        let start = x;
        let room = |x: u16| usize::from(area.right().saturating_sub(x));
        (x, _) = buffer.set_stringn(x, area.y, key, room(x), theme.key);
        (x, _) = buffer.set_stringn(x + 1, area.y, name, room(x + 1), style);
        regions.tabs.push(Rect {
            x: start,
            width: x - start,
            ..area
        });
        x += 2;
    }
    let room = usize::from(area.right().saturating_sub(x));
    // The sort order and the search do not apply to a page.
    let mut parts = match front {
        Front::Screen(screen) => state_of_rows(ui, session, screen, room),
        _ => Vec::new(),
    };
    if let Some(presenter) = &ui.presenter {
        let left = room.saturating_sub(cells_of(&parts));
        parts.extend(pressed(theme, presenter.keys(), left));
    }
    let indent = u16::try_from(room.saturating_sub(cells_of(&parts))).unwrap_or(0);
    let mut x = x + indent;
    for (text, style) in parts {
        let room = usize::from(area.right().saturating_sub(x));
        (x, _) = buffer.set_stringn(x, area.y, cut(&text, room), room, style);
        x += 2;
    }
}

/// A text of the second line with its style.
type Part = (String, Style);

/// Returns the cells that parts take, with the blanks behind each.
fn cells_of(parts: &[Part]) -> usize {
    parts.iter().map(|(text, _)| cells(text) + 2).sum()
}

/// Returns a place, from 1, among so many, as in `4,084 of 11,938`.
fn place_of(place: usize, count: usize) -> Shown {
    sentence!("{} of {}", number::grouped(place), number::grouped(count))
}

/// Returns what the rows of a screen show: the search, the marks, the filter, the sort order and the place of the
/// cursor. The usual order is left out where there is no room for it.
fn state_of_rows(ui: &Ui, session: &Session, screen: Screen, room: usize) -> Vec<Part> {
    let theme = &ui.theme;
    let outline = &session.pane().outline;
    let mut parts = Vec::new();
    if let Some(search) = &session.search {
        let found = search.found().len();
        let place = search.place(session.selected());
        let place = place.map_or_else(|| number::grouped(found), |place| place_of(place, found));
        let similar = if search.is_fuzzy() { " similar" } else { "" };
        parts.push((
            format!("/{} {place}{similar}", shown(search.text.as_bytes())),
            theme.found,
        ));
    }
    let marked = session.marked_count();
    if marked > 0 {
        let count = number::grouped(marked);
        parts.push((format!("● {count} marked"), theme.key));
    }
    if outline.filter() != Filter::All {
        parts.push((format!("only {}", outline.filter().name()), theme.edited));
    }
    if session.is_behind() {
        parts.push(("computing…".to_owned(), theme.warning));
    } else if screen == Screen::Policies && !session.is_compared() {
        parts.push(("comparing…".to_owned(), theme.warning));
    }
    let usual = match screen {
        Screen::Tree | Screen::Time => "tree order",
        Screen::Ranking => "by rank",
        Screen::Policies => "by spread",
    };
    if let Some(sort) = outline.sort() {
        parts.push((format!("by {}", sort.title()), theme.dim));
    }
    // In the large layout, the pressed keys have this room.
    if ui.is_presenting() {
        return parts;
    }
    let rows = outline.rows().len();
    let place = place_of((session.pane().cursor + 1).min(rows), rows);
    let before = parts.len();
    parts.push((place.into(), theme.dim));
    let usual = (usual.to_owned(), theme.dim);
    if outline.sort().is_none() && cells_of(&parts) + cells(&usual.0) + 2 <= room {
        parts.insert(before, usual);
    }
    parts
}

/// Returns the last keys that fit into so many cells, and what the newest does if that fits, too.
fn pressed(theme: &Theme, keys: &[PressedKey], room: usize) -> Vec<Part> {
    let Some(newest) = keys.last() else {
        return Vec::new();
    };
    let name = |key: &PressedKey| match key.count {
        1 => key.name.to_string(),
        count => format!("{} ×{count}", key.name),
    };
    let with_help = format!("{} {}", name(newest), newest.help);
    let newest = if !newest.help.is_empty() && cells(&with_help) + 2 <= room {
        with_help
    } else {
        name(newest)
    };
    let mut left = room.saturating_sub(cells(&newest) + 2);
    let mut parts = vec![(newest, theme.key)];
    for key in keys.iter().rev().skip(1) {
        let name = name(key);
        let Some(rest) = left.checked_sub(cells(&name) + 2) else {
            break;
        };
        left = rest;
        parts.insert(0, (name, theme.dim));
    }
    parts
}

/// Draws the last line: a prompt, a question, a notice or the hints. Returns the position of the text cursor, or `None`
/// if it is hidden.
pub(crate) fn draw_bottom(
    app: &App,
    area: Rect,
    buffer: &mut Buffer,
    regions: &mut Regions,
) -> Option<(u16, u16)> {
    let theme = &app.ui.theme;
    let draw = |buffer: &mut Buffer, line: &Line| buffer.set_line(area.x, area.y, line, area.width);
    match (&app.ui.dialog, &app.ui.notice) {
        (Some(Dialog::Prompt(_)), _) => return prompt_line::draw(app, area, buffer, regions),
        (Some(Dialog::Confirm(asked)), _) => question::draw(app, asked, area, buffer, regions),
        (_, Some(Notice::Info(text))) => {
            let text = app.ui.spelled(text.clone());
            let text = cut(&text, usize::from(area.width.saturating_sub(1))).into_owned();
            draw(
                buffer,
                &Line::from(vec![Span::raw(" "), Span::styled(text, theme.strong)]),
            );
        }
        (_, Some(Notice::Error(text))) => {
            draw_failure(app, &app.ui.spelled(text.clone()), area, buffer);
        }
        _ if app.ui.loading.is_some() => {
            draw_stoppable(theme, &loading_text(app), area, buffer, regions);
        }
        // A dialog describes its own keys.
        (Some(_), _) => {}
        _ => match app.session().and_then(Session::way_of_clock) {
            Some(way) if app.ui.front_page().is_none() => {
                draw_stoppable(theme, &format!(" {way}"), area, buffer, regions);
            }
            _ => draw_hints(app, area, buffer, regions),
        },
    }
    None
}

/// Draws a full error message, because the remedy is at its end. A long message covers the lines above.
fn draw_failure(app: &App, text: &str, area: Rect, buffer: &mut Buffer) {
    let lines = wrap(text, usize::from(area.width.saturating_sub(2)));
    let above = u16::try_from(lines.len() - 1).unwrap_or(u16::MAX);
    let top = area.y - above.min(area.y);
    let over = Rect {
        y: top,
        height: area.y - top + 1,
        ..area
    };
    Clear.render(over, buffer);
    buffer.set_style(over, app.ui.theme.page());
    for (line, y) in lines.iter().zip(over.y..over.bottom()) {
        let line = Line::from(vec![Span::raw(" "), Span::styled(line, app.ui.theme.error)]);
        buffer.set_line(area.x, y, &line, area.width);
    }
}

fn loading_text(app: &App) -> String {
    let Some(loading) = &app.ui.loading else {
        return String::new();
    };
    let progress = &loading.progress;
    let mut parts = vec![format!(" opening {}", loading.title)];
    if progress.bytes > 0 {
        let total = progress.total.filter(|&total| total > 0);
        let total = total.map_or_else(String::new, |total| {
            format!(" of {}B", number::short(total as f64))
        });
        parts.push(format!("{}B{total}", number::short(progress.bytes as f64)));
    }
    if progress.nodes > 0 {
        parts.push(number::counted(progress.nodes, "node", "nodes").into());
    }
    parts.join("  ")
}

/// Draws a line about work in progress with the key to stop it.
fn draw_stoppable(
    theme: &Theme,
    text: &str,
    area: Rect,
    buffer: &mut Buffer,
    regions: &mut Regions,
) {
    let room = usize::from(area.width);
    let text = cut(text, room.saturating_sub(STOPS));
    let (x, _) = buffer.set_stringn(area.x, area.y, text, room, theme.strong);
    let x = x.saturating_add(3);
    let rest = Rect {
        x,
        width: area.right().saturating_sub(x),
        ..area
    };
    button::draw(theme, (KeyCode::Esc, "stops"), rest, buffer, regions);
}

/// The cells that the key to stop work takes, with the blanks before it.
const STOPS: usize = 12;

/// Draws the keys suggested for what is in front, as many as there is room for, and at the end the way to all actions and
/// the way out.
fn draw_hints(app: &App, area: Rect, buffer: &mut Buffer, regions: &mut Regions) {
    let theme = &app.ui.theme;
    let has_settings = app
        .session()
        .is_some_and(|session| !session.setting_keys().is_empty());
    let key = |action: Action| match action {
        Action::LowerSetting => {
            let keys = [action, Action::RaiseSetting].map(|action| app.ui.hint(action));
            keys.join(" ")
        }
        action => app.ui.hint(action),
    };
    let room = |&(action, word): &Hint| cells(&key(action)) + 1 + cells(word) + 2;
    let ends = ends(app.front());
    let mut left = usize::from(area.width) + 1;
    left = left.saturating_sub(ends.iter().map(room).sum());
    let mut shown = hints(app);
    shown.retain(|(action, _)| {
        has_settings || !matches!(action, Action::Settings | Action::LowerSetting)
    });
    let fitting = shown.iter().map_while(|hint| {
        left = left.checked_sub(room(hint))?;
        Some(hint)
    });
    let mut x = area.x + 1;
    for &(action, word) in fitting.chain(&ends) {
        let start = x;
        let width = usize::from(area.right().saturating_sub(x));
        (x, _) = buffer.set_stringn(x, area.y, key(action), width, theme.key);
        let width = usize::from(area.right().saturating_sub(x + 1));
        (x, _) = buffer.set_stringn(x + 1, area.y, word, width, theme.dim);
        let place = Rect {
            x: start,
            width: x - start,
            ..area
        };
        regions.targets.push((place, Click::Action(action)));
        x += 2;
    }
}
