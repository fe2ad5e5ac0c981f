//! A menu: its items with what each is about, and the sentence of the one under the cursor in full.

use crate::base::shown::{cells, visible};
use crate::tui::input::action::Action;
use crate::tui::screen::painter::{Painter, RowMarks, below, narrow, skip, split_bottom};
use crate::tui::state::{Choice, Menu};
use crate::tui::widget::{first_shown, wrap};
use ratatui::layout::Rect;

/// The cells before the names of a menu, and between the names and their descriptions.
const MARK: usize = 2;

/// The narrowest menu, where the screen has room for it.
const NARROWEST: u16 = 76;

/// The widest menu. Longer lines are hard to read.
const WIDEST: u16 = 110;

/// The fewest visible items of a menu with a full sentence below them.
const FEWEST_ITEMS: usize = 6;

/// Draws a menu in the middle of an area, and notes where its items are.
pub(crate) fn draw_menu(p: &mut Painter<'_>, menu: &Menu, area: Rect) {
    let theme = &p.ui.theme;
    let passing = menu.passing();
    let mut names = 0;
    let mut helps = 0;
    for item in &menu.items {
        names = names.max(cells(&item.name));
        helps = helps.max(cells(&item.help));
    }
    // Before and behind the names are the mark and the gap.
    let before = MARK + names + MARK;
    // The text has a border and a blank on either side.
    let width = narrow(before + helps + 4).clamp(NARROWEST, WIDEST);
    let text_width = usize::from(width.min(area.width).saturating_sub(4));
    let lines = passing.len().max(1);
    let mut in_full = 0;
    if before + helps > text_width {
        // If a sentence is cut, the one under the cursor is shown in full below the items, behind a blank line.
        for item in &menu.items {
            in_full = in_full.max(1 + wrap(&item.help, text_width).len());
        }
        if usize::from(area.height) < lines.min(FEWEST_ITEMS) + in_full + 2 {
            in_full = 0;
        }
    }
    let size = (width, lines + in_full);
    let foot = foot(p, menu, passing.len());
    let inner = p.panel(&title(menu), &foot, size, area);
    let note = split_bottom(inner, narrow(in_full));
    let list = note.above;
    p.drawn.menu = list;
    if passing.is_empty() {
        p.put_text(list, &["no match"], theme.dim);
    }
    let first = first_shown(menu.list.cursor, list.height);
    let mut rows = list.rows();
    for (place, item) in passing.iter().enumerate().skip(first) {
        let Some(row) = rows.next() else { break };
        p.row(row, place == menu.list.cursor, RowMarks::LIST, |p, rest| {
            p.put_cut(rest, &item.name, theme.text);
            let side = skip(rest, narrow(names + MARK));
            p.put(side, clauses(&item.help, side.width.into()), theme.dim);
        });
    }
    if let Some(item) = passing.get(menu.list.cursor)
        && before + cells(&item.help) > text_width
    {
        let lines = wrap(&item.help, text_width);
        p.put_text(below(note.below, 1), &lines, theme.text);
    }
}

/// Returns the title of a menu, with what was typed to filter it.
fn title(menu: &Menu) -> String {
    if menu.list.query.is_empty() {
        return menu.title.to_owned();
    }
    format!("{}: {}_", menu.title, visible(&menu.list.query))
}

/// Returns the place of the cursor among so many items, and the keys of a menu.
fn foot(p: &Painter<'_>, menu: &Menu, count: usize) -> String {
    let place = (menu.list.cursor + 1).min(count);
    let about = match menu.under_cursor() {
        Some(Choice::Policy(_) | Choice::Setting(_)) => {
            format!(" · {} about it", p.ui.hint(Action::Manual))
        }
        _ => String::new(),
    };
    format!("{place} of {count} · type to filter · enter choose{about} · esc cancel")
}

/// Returns whether a sign ends a clause.
const fn ends_clause(sign: char) -> bool {
    matches!(sign, ',' | ';' | ':' | '.')
}

/// Returns the first clauses of a sentence that fit into so many cells; empty if not even the first does.
fn clauses(sentence: &str, room: usize) -> &str {
    if cells(sentence) <= room {
        return sentence;
    }
    let mut fitting = "";
    // A sign inside a word or a number ends nothing.
    for (end, _) in sentence.match_indices(' ') {
        let clause = &sentence[..end];
        let bare = clause.trim_end_matches(ends_clause);
        let opens = sentence[end + 1..].starts_with('(');
        if (opens || clause.ends_with(ends_clause)) && cells(bare) <= room {
            fitting = bare;
        }
    }
    fitting
}
