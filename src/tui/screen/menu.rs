//! A menu: its items with what each is about, and the sentence of the one under the cursor in full.

use super::painter::{Painter, RowMarks, below, narrow, skip, split_bottom};
use crate::base::shown::{Shown, cells, visible};
use crate::tui::input::action::Action;
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

/// How a menu is laid out.
struct MenuLayout {
    /// The cells of the longest name.
    names: usize,
    /// The cells before a sentence: the mark, the name and the group, each with the gap behind it.
    before_help: usize,
    /// The cells of the widest menu that is needed, its border included.
    width: u16,
    /// The cells inside the border, as far as the screen has them.
    inside: usize,
    /// The lines below the items for the sentence of the one under the cursor; 0 if no sentence is cut.
    in_full: usize,
}

impl MenuLayout {
    /// Returns the layout of a menu with so many lines of items, in an area.
    fn of(menu: &Menu, lines: usize, area: Rect) -> Self {
        let mut names = 0;
        let mut groups = 0;
        let mut helps = 0;
        for item in &menu.items {
            names = names.max(cells(&item.name));
            groups = groups.max(cells(&item.group));
            helps = helps.max(cells(&item.help));
        }
        let mut before_help = MARK + names + MARK;
        if groups > 0 {
            before_help += groups + MARK;
        }
        let longest = before_help + helps;
        // The text has a border and a blank on either side.
        let width = narrow(longest + 4).clamp(NARROWEST, WIDEST);
        let inside = usize::from(width.min(area.width).saturating_sub(4));
        let mut in_full = 0;
        if longest > inside {
            // If a sentence is cut, the one under the cursor is shown in full below the items, behind a blank line.
            for item in &menu.items {
                in_full = in_full.max(1 + wrap(&item.help, inside).len());
            }
            let needed = lines.min(FEWEST_ITEMS) + in_full + 2;
            if usize::from(area.height) < needed {
                in_full = 0;
            }
        }
        Self {
            names,
            before_help,
            width,
            inside,
            in_full,
        }
    }
}

/// Draws a menu in the middle of an area, and notes where its items are.
pub(crate) fn draw_menu(p: &mut Painter, menu: &Menu, area: Rect) {
    let theme = p.theme;
    let cursor = menu.list.cursor;
    let passing = menu.passing();
    let lines = passing.len().max(1);
    let layout = MenuLayout::of(menu, lines, area);
    let size = (layout.width, lines + layout.in_full);
    let foot = foot(p, menu, passing.len());
    let inner = p.panel(&title(menu), &foot, size, area);
    let note = split_bottom(inner, narrow(layout.in_full));
    let list = note.above;
    p.drawn.menu = list;
    if passing.is_empty() {
        p.put_text(list, &["no match"], theme.dim);
    }
    let first = first_shown(cursor, list.height);
    let mut rows = list.rows();
    let mut group = &Shown::default();
    for (place, item) in passing.iter().enumerate().skip(first) {
        let Some(row) = rows.next() else { break };
        let is_next_group = item.group != *group;
        group = &item.group;
        p.row(row, place == cursor, RowMarks::LIST, |p, rest| {
            p.put_cut(rest, &item.name, theme.text);
            if is_next_group {
                let beside = skip(rest, narrow(layout.names + MARK));
                p.put(beside, &item.group, theme.dim);
            }
            let side = skip(rest, narrow(layout.before_help - MARK));
            let help = clauses(&item.help, side.width.into());
            p.put(side, help, theme.dim);
        });
    }
    if let Some(item) = passing.get(cursor)
        && layout.before_help + cells(&item.help) > layout.inside
    {
        let lines = wrap(&item.help, layout.inside);
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
fn foot(p: &Painter, menu: &Menu, count: usize) -> String {
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
