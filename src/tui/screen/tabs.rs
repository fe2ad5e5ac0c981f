//! The second line: the tabs of the screens, and what the rows show.

use crate::base::number;
use crate::base::shown::{Shown, cells, sentence, shown};
use crate::report::outline::Filter;
use crate::tui::screen::painter::{Painter, narrow, skip};
use crate::tui::state::screen::{Front, Screen, TABS};
use crate::tui::state::session::Session;
use crate::tui::state::ui::PressedKey;
use crate::tui::state::ui::Ui;
use crate::tui::widget::theme::Theme;
use ratatui::layout::Rect;
use ratatui::style::Style;

pub(crate) fn draw(p: &mut Painter<'_>, session: &Session, area: Rect) {
    let theme = &p.ui.theme;
    let front = p.ui.front(session);
    p.regions.tabs.clear();
    let mut rest = skip(area, 1);
    for (screen, name) in TABS {
        let is_open = front.open_tab() == Some(screen);
        let style = if is_open { theme.tab_open } else { theme.tab };
        let [place, behind] = p.put_key(rest, &p.ui.hint(screen), name, style);
        p.regions.tabs.push(place);
        rest = skip(behind, 2);
    }
    let room = usize::from(rest.width);
    // The sort order and the search do not apply to a page.
    let mut parts = match front {
        Front::Screen(screen) => state_of_rows(p.ui, session, screen, room),
        _ => Vec::new(),
    };
    if let Some(presenter) = &p.ui.presenter {
        let left = room.saturating_sub(cells_of(&parts));
        parts.extend(pressed(theme, &presenter.keys, left));
    }
    rest = skip(rest, narrow(room.saturating_sub(cells_of(&parts))));
    for (text, style) in parts {
        rest = skip(p.put_cut(rest, &text, style), 2);
    }
}

type Part = (String, Style);

/// Returns the cells that parts take, with the blanks behind each.
fn cells_of(parts: &[Part]) -> usize {
    parts.iter().map(|(text, _)| cells(text) + 2).sum()
}

/// Returns a place, from 1, among so many, as in `4,084 of 11,938`.
fn place_of(place: usize, count: usize) -> Shown {
    sentence!("{} of {}", number::grouped(place), number::grouped(count))
}

/// Returns what the rows of a screen show. The usual order is left out where there is no room for it.
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
    let older = keys.iter().rev().skip(1).map_while(|key| {
        let name = name(key);
        left = left.checked_sub(cells(&name) + 2)?;
        Some((name, theme.dim))
    });
    let mut parts: Vec<Part> = older.collect();
    parts.reverse();
    parts.push((newest, theme.key));
    parts
}
