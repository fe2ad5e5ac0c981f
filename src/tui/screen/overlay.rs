//! What covers the table: a page, and the dialog in front, such as menus, the edit history, the keys behind a prefix, and
//! the help, in as many columns as the screen has room for.

use crate::base::shown::{Shown, cells, sentence, shown_text, visible};
use crate::scenario::Entry;
use crate::tui::input::action::Action;
use crate::tui::screen::painter::{Painter, below, narrow, skip};
use crate::tui::screen::{factor, page, picker};
use crate::tui::state::scenarios::{edit_title, entry, last_row, rejected};
use crate::tui::state::{Choice, Dialog, Help, HelpEntry, Item, Menu, Prefix, Screen, Session, Ui};
use crate::tui::widget::{Click, first_shown, wrap};
use ratatui::layout::Constraint::{Length, Min};
use ratatui::layout::{Layout, Rect};
use ratatui::text::{Line, Span};

pub(crate) fn draw(p: &mut Painter<'_>, session: Option<&Session>, area: Rect) {
    p.regions.menu = Rect::default();
    p.regions.dialog = Rect::default();
    let ui = p.ui;
    if let Some(open) = ui.front_page() {
        page::draw(p, open, below(area, 1));
    }
    let is_plot = matches!(ui.dialog, Some(Dialog::Curves | Dialog::Surface));
    let is_tree = session.is_some_and(|session| session.screen == Screen::Tree);
    let is_telling = (ui.front_page()).map_or(!is_tree, |open| open.topic().is_none());
    let veil = session.and_then(Session::veil);
    if let Some(veil) = veil.filter(|_| is_plot || is_telling) {
        p.clear(below(area, 1));
        p.put_cut(below(skip(area, 1), 1), &veil, ui.theme.dim);
        if is_plot {
            return;
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

/// The cells before the names of a menu, and between the names and their descriptions.
const MARK: usize = 2;

/// The widest menu. Longer lines are hard to read.
const WIDEST: u16 = 110;

/// The fewest visible items of a menu with a full sentence below them.
const FEWEST_ITEMS: usize = 6;

fn draw_menu(p: &mut Painter<'_>, menu: &Menu, area: Rect) {
    let theme = &p.ui.theme;
    let passing = menu.passing();
    let title = if menu.list.query.is_empty() {
        menu.title.to_owned()
    } else {
        format!("{}: {}_", menu.title, visible(&menu.list.query))
    };
    let place = (menu.list.cursor + 1).min(passing.len());
    let count = passing.len();
    let about = match menu.under_cursor() {
        Some(Choice::Policy(_) | Choice::Setting(_)) => {
            format!(" · {} about it", p.ui.hint(Action::Manual))
        }
        _ => String::new(),
    };
    let foot = format!("{place} of {count} · type to filter · enter choose{about} · esc cancel");
    let longest = |text: fn(&Item) -> &str| menu.items.iter().map(|item| cells(text(item))).max();
    let names = longest(|item| &item.name).unwrap_or(0);
    let helps = longest(|item| &item.help).unwrap_or(0);
    // The text has a border and a blank on either side.
    let width = narrow(MARK + names + MARK + helps + 4).clamp(76, WIDEST);
    let text_width = usize::from(width.min(area.width).saturating_sub(4));
    // If a sentence is cut, the one under the cursor is shown in full below the items, behind a blank line.
    let sentences = menu.items.iter().map(|item| wrap(&item.help, text_width));
    let is_cut = MARK + names + MARK + helps > text_width;
    let in_full = sentences.map(|lines| 1 + lines.len()).max().unwrap_or(0);
    let lines = passing.len().max(1);
    let has_room = usize::from(area.height) >= lines.min(FEWEST_ITEMS) + in_full + 2;
    let in_full = if is_cut && has_room { in_full } else { 0 };
    let inner = p.panel(&title, &foot, (width, lines + in_full), area);
    let [list, note] = Layout::vertical([Min(0), Length(narrow(in_full))]).areas(inner);
    p.regions.menu = list;
    if passing.is_empty() {
        p.put_lines(list, [("no match", theme.dim)]);
    }
    let items = passing.iter().enumerate();
    let items = items.skip(first_shown(menu.list.cursor, list.height));
    for ((place, item), row) in items.zip(list.rows()) {
        p.row(row, place == menu.list.cursor, ["❯ ", "  "], |p, rest| {
            p.put_cut(rest, &item.name, theme.text);
            let rest = skip(rest, narrow(names + MARK));
            p.put(rest, clauses(&item.help, rest.width.into()), theme.dim);
        });
    }
    if let Some(item) = passing.get(menu.list.cursor)
        && MARK + names + MARK + cells(&item.help) > text_width
    {
        let lines = wrap(&item.help, text_width).into_iter();
        p.put_lines(below(note, 1), lines.map(|line| (line, theme.text)));
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

fn draw_history(p: &mut Painter<'_>, session: &Session, cursor: usize, area: Rect) {
    let theme = &p.ui.theme;
    let last = last_row(session);
    let move_keys = p.ui.hints_to_move();
    let foot = format!("{move_keys} move · enter go there · any other key closes");
    let inner = p.panel("Edits", &foot, (100, last + 1), area);
    p.regions.menu = inner;
    let now = session.scenario.history().done().len();
    let states = first_shown(cursor, inner.height)..=last;
    for (state, row) in states.zip(inner.rows()) {
        let is_undone = state > now;
        let rejected = rejected(session, state);
        let (text, reason) = match (entry(session, state), rejected) {
            (_, Some(rejected)) => (edit_title(&rejected.text), &*rejected.reason),
            (Some(Entry::Edit(entry)), None) => (edit_title(&entry.text), &*entry.reason),
            (Some(Entry::Policy(change)), None) => (sentence!("policy: {}", change.to.title()), ""),
            (None, None) => ("the snapshot as it was read".into(), ""),
        };
        let words = match rejected {
            Some(_) => "  not applied",
            None if is_undone => "  undone",
            None => "",
        };
        let reason = p.ui.spelled(shown_text(reason.as_bytes()));
        let blanks = if reason.is_empty() { "" } else { "  " };
        let note = format!("{words}{blanks}{reason}");
        p.row(row, state == cursor, ["❯", " "], |p, rest| {
            let mark = if state == now { "● " } else { "  " };
            let rest = p.put(rest, mark, theme.key);
            let style = if is_undone { theme.dim } else { theme.text };
            let text: Shown = p.ui.spelled(text);
            let rest = p.put_cut(rest, &text, style);
            p.put_cut(rest, &note, theme.dim);
        });
    }
}

const GAP: usize = 3;

fn draw_prefix(p: &mut Painter<'_>, prefix: &Prefix, area: Rect) {
    let theme = &p.ui.theme;
    let entries = prefix.keys.iter();
    let names: Vec<String> = entries.map(|(key, ..)| key.to_string()).collect();
    let helps = prefix.keys.iter().map(|(_, _, help)| cells(help)).max();
    let keys = names.iter().map(|key| cells(key)).max().unwrap_or(0);
    let column = keys + 1 + helps.unwrap_or(0);
    let room = usize::from(area.width.saturating_sub(4));
    let count = ((room + GAP) / (column + GAP)).clamp(1, names.len().max(1));
    let rows = names.len().div_ceil(count);
    let dots = if p.ui.options.is_ascii { "..." } else { "…" };
    let title = format!("{} {dots}", prefix.key);
    let width = narrow(count * (column + GAP) - GAP + 4);
    let height = Length(narrow(rows + 2).min(area.height));
    let [_, low] = Layout::vertical([Min(0), height]).areas(area);
    let visible = usize::from(low.height.saturating_sub(2));
    let hidden = (0..names.len())
        .filter(|place| place % rows >= visible)
        .count();
    let foot = match hidden {
        0 => "esc cancel".to_owned(),
        _ => format!(
            "esc cancel · {hidden} more: esc {} lists them",
            p.ui.hint(Action::Help)
        ),
    };
    let inner = p.panel(&title, &foot, (width, rows), low);
    let entries = names.iter().zip(&prefix.keys).enumerate();
    for (place, (name, (_, action, help))) in entries {
        let (at, line) = (place / rows, place % rows);
        let cell = skip(inner, narrow(at * (column + GAP)));
        let Some(cell) = cell.rows().nth(line).filter(|cell| !cell.is_empty()) else {
            continue;
        };
        let rest = p.put(cell, format!("{name:>keys$} "), theme.key);
        let width = p.put(rest, help, theme.text).x - cell.x;
        let place = Rect { width, ..cell };
        p.regions.targets.push((place, Click::Action(*action)));
    }
}

const NARROWEST_HELP: usize = 35;
const MOST_COLUMNS: usize = 3;

/// The cells of the keys in a column of the help.
const KEYS: usize = 13;

const HELP_GAP: usize = 2;

fn draw_help(p: &mut Painter<'_>, help: &Help, area: Rect) {
    let margin = if area.width >= 60 { 4 } else { 0 };
    let width = area.width.saturating_sub(margin);
    let inside = usize::from(width.saturating_sub(4)).max(1);
    let count = ((inside + HELP_GAP) / (NARROWEST_HELP + HELP_GAP)).clamp(1, MOST_COLUMNS);
    let column = (inside - HELP_GAP * (count - 1)) / count;
    let blocks = blocks(p.ui, help, column);
    let rows = fewest_rows(&blocks, count, usize::from(area.height.saturating_sub(2)));
    let columns = flow(&blocks, rows);
    let pages = columns.len().div_ceil(count);
    let height = rows * pages;
    let title = format!("Keys of {}: {}_", help.place, visible(&help.list.query));
    let next = if pages > 1 { "space next page · " } else { "" };
    let foot = format!("type to search · {next}esc close");
    let inner = p.panel(&title, &foot, (width, rows.max(1)), area);
    let visible_rows = usize::from(inner.height);
    p.regions.help = (visible_rows, height);
    if columns.is_empty() {
        p.put(inner, "no matching key", p.ui.theme.dim);
        return;
    }
    let offset = help.list.cursor.min(height.saturating_sub(visible_rows));
    for (line, place) in inner.rows().zip(offset..height) {
        let first = place / rows * count;
        for (at, lines) in columns.iter().skip(first).take(count).enumerate() {
            if let Some(text) = lines.get(place % rows) {
                let cell = skip(line, narrow(at * (column + HELP_GAP)));
                let room = narrow(column).min(cell.width);
                p.buffer.set_line(cell.x, cell.y, text, room);
            }
        }
    }
}

/// Lines that stay together: an entry, or a heading with its first entry.
type Block = Vec<Line<'static>>;

fn blocks(ui: &Ui, help: &Help, width: usize) -> Vec<Block> {
    let mut blocks = Vec::new();
    for section in help
        .passing()
        .chunk_by(|one, other| one.section == other.section)
    {
        for (place, entry) in section.iter().enumerate() {
            let mut block = Vec::new();
            if place == 0 {
                if !blocks.is_empty() {
                    block.push(Line::default());
                }
                block.push(Line::styled(entry.section, ui.theme.strong));
            }
            block.extend(entry_lines(ui, entry, width));
            blocks.push(block);
        }
    }
    blocks
}

/// Returns the lines of an entry: as many of its keys as there is room for, and what they do.
fn entry_lines(ui: &Ui, entry: &HelpEntry, width: usize) -> Block {
    let mut keys = String::new();
    for key in &entry.keys {
        if !keys.is_empty() {
            if cells(&keys) + 2 + cells(key) > KEYS - 1 {
                break;
            }
            keys.push_str(", ");
        }
        keys.push_str(key);
    }
    let texts = wrap(entry.help, width.saturating_sub(KEYS).max(1));
    let keys = std::iter::once(keys).chain(std::iter::repeat(String::new()));
    let lines = texts.into_iter().zip(keys).map(|(text, keys)| {
        let pad = " ".repeat(KEYS.saturating_sub(cells(&keys)));
        Line::from(vec![
            Span::styled(keys, ui.theme.key),
            Span::raw(pad),
            Span::styled(text, ui.theme.text),
        ])
    });
    lines.collect()
}

/// Returns the height of columns that holds all blocks in so many columns; `most` if they need more than one screen.
fn fewest_rows(blocks: &[Block], count: usize, most: usize) -> usize {
    let lines: usize = blocks.iter().map(Vec::len).sum();
    let longest = blocks.iter().map(Vec::len).max().unwrap_or(0);
    let mut heights = lines.div_ceil(count).max(longest)..most;
    heights
        .find(|&rows| rows > 0 && flow(blocks, rows).len() <= count)
        .unwrap_or_else(|| most.max(1))
}

/// Returns the blocks in columns of this height. Only a block that is longer than a column is split.
fn flow(blocks: &[Block], rows: usize) -> Vec<Vec<Line<'static>>> {
    let mut columns: Vec<Vec<Line<'static>>> = Vec::new();
    for block in blocks {
        let last = columns.last();
        let has_room = last.is_some_and(|column| column.len() + block.len() <= rows);
        if !has_room && block.len() <= rows {
            columns.push(Vec::new());
        }
        for line in block {
            if columns.last().is_none_or(|column| column.len() >= rows) {
                columns.push(Vec::new());
            }
            if let Some(column) = columns.last_mut()
                && !(column.is_empty() && line.width() == 0)
            {
                column.push(line.clone());
            }
        }
    }
    columns
}
