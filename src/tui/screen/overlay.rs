//! What covers the table: a page, and the dialog in front, such as menus, the help, the edit history and the keys behind
//! a prefix.

use crate::base::shown::{Shown, cells, sentence, shown_text};
use crate::scenario::Entry;
use crate::tui::input::action::Action;
use crate::tui::screen::help::draw_help;
use crate::tui::screen::menu::draw_menu;
use crate::tui::screen::painter::{Painter, RowMarks, below, narrow, skip, split_bottom};
use crate::tui::screen::{factor, page, picker};
use crate::tui::state::scenarios::{edit_title, entry, last_row, rejected};
use crate::tui::state::{Click, Dialog, Prefix, Screen, Session};
use crate::tui::widget::first_shown;
use ratatui::layout::Rect;

/// The marks of the rows of the edit history, before the mark of the state that is shown.
const HISTORY_MARKS: RowMarks = RowMarks {
    selected: "❯",
    other: " ",
};

/// The cells of the edit history.
const HISTORY_WIDTH: u16 = 100;

/// The cells between two columns of keys behind a prefix.
const GAP: usize = 3;

/// Draws what covers an area, the page first. What would tell an answer of a lesson stays hidden.
pub(crate) fn draw(p: &mut Painter<'_>, session: Option<&Session>, area: Rect) {
    let ui = p.ui;
    if let Some(open) = ui.front_page() {
        page::draw(p, open, below(area, 1));
    }
    let is_plot = matches!(ui.dialog, Some(Dialog::Curves | Dialog::Surface));
    if let Some(session) = session
        && let Some(veil) = session.veil()
    {
        let is_telling = match ui.front_page() {
            Some(open) => open.topic().is_none(),
            None => session.screen != Screen::Tree,
        };
        if is_plot || is_telling {
            p.clear(below(area, 1));
            p.put_cut(below(skip(area, 1), 1), &veil, ui.theme.dim);
            if is_plot {
                return;
            }
        }
    }
    if let Some(open) = &ui.picker {
        return picker::draw(p, open, area);
    }
    if let Some(open) = &ui.prefix {
        draw_prefix(p, open, area);
    }
    let Some(dialog) = &ui.dialog else { return };
    match (dialog, session) {
        (Dialog::Menu(menu), _) => draw_menu(p, menu, area),
        (Dialog::Help(open), _) => draw_help(p, open, area),
        (Dialog::Curves, Some(session)) => {
            let inner = draw_plot_panel(p, "factor F by usage U", "map", area);
            factor::draw_curves(p, session, inner);
        }
        (Dialog::Surface, Some(session)) => {
            let inner = draw_plot_panel(p, "factor F by usage U and share S", "curves", area);
            factor::draw_maps(p, session, inner);
        }
        (Dialog::History(list), Some(session)) => draw_history(p, session, list.cursor, area),
        (Dialog::Prompt(_) | Dialog::Confirm(_), _) | (_, None) => {}
    }
}

/// Draws the box around a plot of the factor, with the key to its other picture. Returns the area inside.
fn draw_plot_panel(p: &mut Painter<'_>, title: &str, other: &str, area: Rect) -> Rect {
    let foot = format!(
        "{} another node · {} {other} · {} policy · {} {} setting · any other key closes",
        p.ui.hints_to_move(),
        p.ui.hint(Action::Curves),
        p.ui.hint(Action::NextPolicy),
        p.ui.hint(Action::LowerSetting),
        p.ui.hint(Action::RaiseSetting)
    );
    p.panel(title, &foot, (area.width, area.height.into()), area)
}

/// Draws all states of the scenario, with the current one marked, and notes where they are.
fn draw_history(p: &mut Painter<'_>, session: &Session, cursor: usize, area: Rect) {
    let theme = &p.ui.theme;
    let last = last_row(session);
    let move_keys = p.ui.hints_to_move();
    let foot = format!("{move_keys} move · enter go there · any other key closes");
    let inner = p.panel("Edits", &foot, (HISTORY_WIDTH, last + 1), area);
    p.drawn.menu = inner;
    let now = session.scenario.history().done().len();
    let mut rows = inner.rows();
    for state in first_shown(cursor, inner.height)..=last {
        let Some(row) = rows.next() else { return };
        let line = HistoryLine::of(p, session, state);
        p.row(row, state == cursor, HISTORY_MARKS, |p, rest| {
            let mark = if state == now { "● " } else { "  " };
            let style = if state > now { theme.dim } else { theme.text };
            let behind = p.put(rest, mark, theme.key);
            let end = p.put_cut(behind, &line.text, style);
            p.put_cut(end, &line.note, theme.dim);
        });
    }
}

/// A line of the edit history.
struct HistoryLine {
    /// What leads to the state.
    text: Shown,
    /// Whether it counts, and the reason that was given for it.
    note: String,
}

impl HistoryLine {
    /// Returns the line of the state after so many entries.
    fn of(p: &Painter<'_>, session: &Session, state: usize) -> Self {
        let now = session.scenario.history().done().len();
        let mut note = String::new();
        let mut reason: &str = "";
        let text = if let Some(rejected) = rejected(session, state) {
            note.push_str("  not applied");
            reason = &rejected.reason;
            edit_title(&rejected.text)
        } else {
            if state > now {
                note.push_str("  undone");
            }
            match entry(session, state) {
                Some(Entry::Edit(entry)) => {
                    reason = &entry.reason;
                    edit_title(&entry.text)
                }
                Some(Entry::Policy(change)) => sentence!("policy: {}", change.to.title()),
                None => "the snapshot as it was read".into(),
            }
        };
        if !reason.is_empty() {
            note.push_str("  ");
            note.push_str(&p.ui.spelled(shown_text(reason.as_bytes())));
        }
        Self {
            text: p.ui.spelled(text),
            note,
        }
    }
}

/// Returns the cells of the longest text.
fn longest<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    texts.map(cells).max().unwrap_or(0)
}

/// Draws the keys behind a prefix in as many columns as there is room for. A click does what a key does.
fn draw_prefix(p: &mut Painter<'_>, prefix: &Prefix, area: Rect) {
    let theme = &p.ui.theme;
    let mut names = Vec::new();
    for (key, ..) in &prefix.keys {
        names.push(key.to_string());
    }
    let keys = longest(names.iter().map(String::as_str));
    let helps = longest(prefix.keys.iter().map(|(_, _, help)| *help));
    let column = keys + 1 + helps;
    let room = usize::from(area.width.saturating_sub(4));
    let count = ((room + GAP) / (column + GAP)).clamp(1, names.len().max(1));
    let rows = names.len().div_ceil(count);
    let low = split_bottom(area, narrow(rows + 2)).below;
    // Each column is cut at the same row.
    let visible = usize::from(low.height.saturating_sub(2));
    let mut hidden = 0;
    for place in 0..names.len() {
        hidden += usize::from(place % rows >= visible);
    }
    let mut foot = "esc cancel".to_owned();
    if hidden > 0 {
        let key = p.ui.hint(Action::Help);
        foot = format!("{foot} · {hidden} more: esc {key} lists them");
    }
    let dots = if p.ui.options.is_ascii { "..." } else { "…" };
    let title = format!("{} {dots}", prefix.key);
    let width = narrow(count * (column + GAP) - GAP + 4);
    let inner = p.panel(&title, &foot, (width, rows), low);
    for (place, (_, action, help)) in prefix.keys.iter().enumerate() {
        let cell = below(
            skip(inner, narrow(place / rows * (column + GAP))),
            narrow(place % rows),
        );
        if cell.is_empty() {
            continue;
        }
        let name = &names[place];
        let rest = p.put(cell, format!("{name:>keys$} "), theme.key);
        let width = p.put(rest, help, theme.text).x - cell.x;
        let target = Rect {
            width,
            height: 1,
            ..cell
        };
        p.note_target(target, Click::Action(*action));
    }
}
