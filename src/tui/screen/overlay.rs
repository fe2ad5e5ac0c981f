//! The overlays of the table: pages, help and menus.

use crate::base::shown::{cells, cut, visible};
use crate::tui::input::action::Action;
use crate::tui::screen::{curves, edit_list, help, page, picker, prefix, source_dialog, surface};
use crate::tui::state::dialog::{Dialog, Item, Menu};
use crate::tui::state::session::Session;
use crate::tui::state::ui::Ui;
use crate::tui::widget::panel::Panel;
use crate::tui::widget::viewport::Regions;
use crate::tui::widget::wrap::{first_shown, wrap};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Draws the page and the dialog that cover the table.
pub(crate) fn draw(
    ui: &Ui,
    session: Option<&Session>,
    area: Rect,
    buffer: &mut Buffer,
    regions: &mut Regions,
) {
    regions.menu = Rect::default();
    regions.dialog = Rect::default();
    if let Some(open) = ui.front_page() {
        let below = Rect {
            y: area.y + 1,
            height: area.height - 1,
            ..area
        };
        page::draw(ui, open, below, buffer);
    }
    if let Some(open) = &ui.picker {
        return picker::draw(ui, open, area, buffer, regions);
    }
    if let Some(open) = &ui.prefix {
        prefix::draw(ui, open, area, buffer, regions);
    }
    let Some(dialog) = &ui.dialog else { return };
    match (dialog, session) {
        (Dialog::Menu(menu), _) => draw_menu(ui, menu, area, buffer, regions),
        (Dialog::Help(open), _) => help::draw(ui, open, area, buffer, regions),
        (Dialog::Curves, Some(session)) => {
            let title = "factor F by usage U";
            let inner = draw_plot_panel(ui, title, "map", area, buffer, regions);
            curves::draw(ui, session, inner, buffer);
        }
        (Dialog::Surface, Some(session)) => {
            let title = "factor F by usage U and share S";
            let inner = draw_plot_panel(ui, title, "curves", area, buffer, regions);
            surface::draw(ui, session, inner, buffer);
        }
        (Dialog::Source(open), Some(session)) => {
            source_dialog::draw(ui, session, open, area, buffer, regions);
        }
        (Dialog::History { cursor }, Some(session)) => {
            edit_list::draw(ui, session, *cursor, area, buffer, regions);
        }
        (Dialog::Prompt(_) | Dialog::Confirm(_), _) | (_, None) => {}
    }
}

/// Draws the box around a plot of the factor, with the key to its other picture. Returns the area inside.
fn draw_plot_panel(
    ui: &Ui,
    title: &str,
    other: &str,
    area: Rect,
    buffer: &mut Buffer,
    regions: &mut Regions,
) -> Rect {
    let key = |action| ui.hint(action);
    let foot = format!(
        "j k another node · {} {other} · {} policy · {} {} setting · any other key closes",
        key(Action::Curves),
        key(Action::NextPolicy),
        key(Action::LowerSetting),
        key(Action::RaiseSetting)
    );
    let panel = Panel {
        theme: &ui.theme,
        title,
        foot: &foot,
        lines: usize::from(area.height),
        width: area.width,
    };
    panel.draw(area, buffer, regions)
}

/// The cells before the names of a menu, and between the names and their descriptions.
const MARK: usize = 2;

/// The widest menu. Longer lines are hard to read.
const WIDEST_MENU: u16 = 110;

/// The fewest visible items of a menu with a full sentence below them.
const FEWEST_ITEMS: usize = 6;

fn draw_menu(ui: &Ui, menu: &Menu, area: Rect, buffer: &mut Buffer, regions: &mut Regions) {
    let passing = menu.passing();
    let title = if menu.query.is_empty() {
        menu.title.to_owned()
    } else {
        format!("{}: {}_", menu.title, visible(&menu.query))
    };
    let place = (menu.cursor + 1).min(passing.len());
    let foot = format!(
        "{place} of {} · type to filter · enter choose · esc cancel",
        passing.len()
    );
    let longest = |text: fn(&Item) -> &str| menu.items.iter().map(|item| cells(text(item))).max();
    let names = longest(|item| &item.name).unwrap_or(0);
    let helps = longest(|item| &item.help).unwrap_or(0);
    // The text has a border and a blank on either side.
    let width = u16::try_from(MARK + names + MARK + helps + 4).unwrap_or(u16::MAX);
    let width = width.clamp(76, WIDEST_MENU);
    let text_width = usize::from(width.min(area.width).saturating_sub(4));
    // If a sentence is cut, the one under the cursor is shown in full below the items.
    let sentences = menu.items.iter().map(|item| wrap(&item.help, text_width));
    let is_cut = MARK + names + MARK + helps > text_width;
    let in_full = sentences.map(|lines| 1 + lines.len()).max().unwrap_or(0);
    let lines = passing.len().max(1);
    let has_room = usize::from(area.height) >= lines.min(FEWEST_ITEMS) + in_full + 2;
    let in_full = if is_cut && has_room { in_full } else { 0 };
    let inner = Panel {
        theme: &ui.theme,
        title: &title,
        foot: &foot,
        lines: lines + in_full,
        width,
    }
    .draw(area, buffer, regions);
    let list = Rect {
        height: inner.height - u16::try_from(in_full).unwrap_or(0).min(inner.height),
        ..inner
    };
    regions.menu = list;
    if passing.is_empty() {
        let room = usize::from(list.width);
        let text = "no match";
        buffer.set_stringn(list.x, list.y, text, room, ui.theme.dim);
    }
    let first = first_shown(menu.cursor, list.height);
    let rows = passing.iter().enumerate().skip(first);
    for ((place, item), y) in rows.zip(list.y..list.bottom()) {
        let row = Rect {
            y,
            height: 1,
            ..list
        };
        draw_item(ui, item, row, names, place == menu.cursor, buffer);
    }
    if let Some(item) = passing.get(menu.cursor) {
        let is_whole = MARK + names + MARK + cells(&item.help) <= text_width;
        let lines = wrap(&item.help, text_width);
        let lines = lines.iter().filter(|_| !is_whole);
        // A blank line separates the sentence from the items.
        for (line, y) in lines.zip(list.bottom() + 1..inner.bottom()) {
            buffer.set_stringn(inner.x, y, line, text_width, ui.theme.text);
        }
    }
}

/// Draws a line of a menu whose names are so many cells wide.
fn draw_item(
    ui: &Ui,
    item: &Item,
    row: Rect,
    names: usize,
    is_selected: bool,
    buffer: &mut Buffer,
) {
    let (mark, style) = if is_selected {
        ("❯ ", ui.theme.selected)
    } else {
        ("  ", ui.theme.text)
    };
    buffer.set_style(row, style);
    let (x, y) = buffer.set_stringn(row.x, row.y, mark, usize::from(row.width), ui.theme.key);
    let room = usize::from(row.right().saturating_sub(x));
    buffer.set_stringn(x, y, cut(&item.name, room), room, ui.theme.text);
    let x = x.saturating_add(u16::try_from(names + MARK).unwrap_or(u16::MAX));
    let room = usize::from(row.right().saturating_sub(x));
    let help = clauses(&item.help, room);
    buffer.set_stringn(x.min(row.right()), y, help, room, ui.theme.dim);
    if is_selected {
        ui.layout().emphasise(row, &ui.theme, buffer);
    }
}

/// Returns the first clauses of a sentence that fit into so many cells; empty if not even the first does.
fn clauses(sentence: &str, room: usize) -> &str {
    if cells(sentence) <= room {
        return sentence;
    }
    // A sign inside a word or a number ends nothing.
    let ends = sentence.match_indices(' ').map(|(end, _)| {
        let opens = sentence[end + 1..].starts_with('(');
        (&sentence[..end], opens)
    });
    let ends = ends.filter(|(clause, opens)| *opens || clause.ends_with([',', ';', ':', '.']));
    let mut ends = ends.map(|(clause, _)| clause.trim_end_matches([',', ';', ':', '.']));
    let fitting = ends.rfind(|clause| cells(clause) <= room);
    fitting.unwrap_or_default()
}
