//! What covers the table: a page, and the dialog in front, such as menus, the help, the edit history and the keys behind
//! a prefix.

use super::help::draw_help;
use super::menu::draw_menu;
use super::painter::{Painter, RowMarks, below, narrow, skip, split_bottom};
use super::{factor, page, picker};
use crate::base::shown::{Shown, cells, sentence, shown_text};
use crate::scenario::Entry;
use crate::tui::input::action::Action;
use crate::tui::state::scenarios::{edit_title, entry, last_row, rejected};
use crate::tui::state::{Click, Dialog, Prefix, Screen, Session, Ui};
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
pub(crate) fn draw(p: &mut Painter, session: Option<&Session>, area: Rect) {
    let ui = p.ui;
    if let Some(open) = ui.front_page() {
        page::draw(p, open, below(area, 1));
    }
    let is_plot = matches!(ui.dialog, Some(Dialog::Curves | Dialog::Surface));
    if let Some(session) = session
        && let Some(veil) = session.veil()
        && (is_plot || tells_answers(ui, session))
    {
        let covered = below(area, 1);
        p.clear(covered);
        p.put_cut(skip(covered, 1), &veil, ui.theme.dim);
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
    if let Some(dialog) = &ui.dialog {
        draw_dialog(p, session, dialog, area);
    }
}

/// Returns whether the page or the screen may tell the answer to a question of a lesson.
fn tells_answers(ui: &Ui, session: &Session) -> bool {
    match ui.front_page() {
        Some(open) => open.topic().is_none(),
        None => session.screen != Screen::Tree,
    }
}

/// Draws a dialog. Questions and prompts are on the last line.
fn draw_dialog(p: &mut Painter, session: Option<&Session>, dialog: &Dialog, area: Rect) {
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
fn draw_plot_panel(p: &mut Painter, title: &str, other: &str, area: Rect) -> Rect {
    let ui = p.ui;
    let move_keys = ui.hints_to_move();
    let switch = ui.hint(Action::Curves);
    let policy = ui.hint(Action::NextPolicy);
    let lower = ui.hint(Action::LowerSetting);
    let raise = ui.hint(Action::RaiseSetting);
    let foot = format!(
        "{move_keys} another node · {switch} {other} · {policy} policy · {lower} {raise} setting · any other key closes"
    );
    let size = (area.width, area.height.into());
    p.panel(title, &foot, size, area)
}

/// Draws all states of the scenario, with the current one marked, and notes where they are.
fn draw_history(p: &mut Painter, session: &Session, cursor: usize, area: Rect) {
    let theme = p.theme;
    let last = last_row(session);
    let move_keys = p.ui.hints_to_move();
    let foot = format!("{move_keys} move · enter go there · any other key closes");
    let size = (HISTORY_WIDTH, last + 1);
    let inner = p.panel("Edits", &foot, size, area);
    p.drawn.menu = inner;
    let now = session.scenario.history().done().len();
    let first = first_shown(cursor, inner.height);
    for (row, state) in inner.rows().zip(first..=last) {
        let line = HistoryLine::of(p, session, state);
        let is_selected = state == cursor;
        p.row(row, is_selected, HISTORY_MARKS, |p, rest| {
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
    /// Returns the line of the state after so many entries, or of a rejected edit below all states.
    fn of(p: &Painter, session: &Session, state: usize) -> Self {
        let now = session.scenario.history().done().len();
        let mut note = String::new();
        let mut reason: &str = "";
        let rejected = rejected(session, state);
        let entry = entry(session, state);
        if let Some(rejected) = rejected {
            note.push_str("  not applied");
            reason = &rejected.reason;
        } else if state > now {
            note.push_str("  undone");
        }
        if let Some(Entry::Edit(edit)) = entry {
            reason = &edit.reason;
        }
        let text = match rejected {
            Some(rejected) => edit_title(&rejected.text),
            None => title_of(entry),
        };
        if !reason.is_empty() {
            let spelled = p.ui.spelled(shown_text(reason.as_bytes()));
            note.push_str("  ");
            note.push_str(&spelled);
        }
        Self {
            text: p.ui.spelled(text),
            note,
        }
    }
}

/// Returns what an entry of the history did; `None` is the begin of the history.
fn title_of(entry: Option<&Entry>) -> Shown {
    match entry {
        Some(Entry::Edit(edit)) => edit_title(&edit.text),
        Some(Entry::Policy(change)) => sentence!("policy: {}", change.to.title()),
        None => "the source as it was read".into(),
    }
}

/// Draws the keys behind a prefix in as many columns as there is room for. A click does what a key does.
fn draw_prefix(p: &mut Painter, prefix: &Prefix, area: Rect) {
    let table = PrefixTable::of(prefix, area);
    let lines = narrow(table.rows + 2);
    let low = split_bottom(area, lines).below;
    // Each column is cut at the same row.
    let visible = usize::from(low.height.saturating_sub(2));
    let hidden = table.hidden_below(visible);
    let mut foot = "esc cancel".to_owned();
    if hidden > 0 {
        let key = p.ui.hint(Action::Help);
        foot = format!("{foot} · {hidden} more: esc {key} lists them");
    }
    let dots = if p.ui.options.is_ascii { "..." } else { "…" };
    let title = format!("{} {dots}", prefix.key);
    let size = (table.width(), table.rows);
    let inner = p.panel(&title, &foot, size, low);
    for (place, key) in table.keys.iter().enumerate() {
        let cell = table.cell(place, inner);
        if !cell.is_empty() {
            key.draw(p, table.key_cells, cell);
        }
    }
}

/// A key behind a prefix, and what it does.
struct KeyBehind {
    name: String,
    action: Action,
    help: &'static str,
}

impl KeyBehind {
    /// Draws it, the key at the right end of so many cells, and notes that a click does the same.
    fn draw(&self, p: &mut Painter, key_cells: usize, cell: Rect) {
        let name = format!("{:>key_cells$} ", self.name);
        let rest = p.put(cell, name, p.theme.key);
        let behind = p.put(rest, self.help, p.theme.text);
        let target = Rect {
            width: behind.x - cell.x,
            height: 1,
            ..cell
        };
        p.note_target(target, Click::Action(self.action));
    }
}

/// The keys behind a prefix in columns, which are read from top to bottom.
struct PrefixTable {
    keys: Vec<KeyBehind>,
    /// The cells of the longest key.
    key_cells: usize,
    /// The cells of a column.
    column: usize,
    /// The columns beside each other.
    columns: usize,
    rows: usize,
}

impl PrefixTable {
    /// Returns the columns that an area has room for.
    fn of(prefix: &Prefix, area: Rect) -> Self {
        let mut keys = Vec::new();
        let mut key_cells = 0;
        let mut help_cells = 0;
        for &(key, action, help) in &prefix.keys {
            let name = key.to_string();
            key_cells = key_cells.max(cells(&name));
            help_cells = help_cells.max(cells(help));
            keys.push(KeyBehind { name, action, help });
        }
        let column = key_cells + 1 + help_cells;
        let room = usize::from(area.width.saturating_sub(4));
        let fitting = (room + GAP) / (column + GAP);
        let columns = fitting.clamp(1, keys.len().max(1));
        Self {
            rows: keys.len().div_ceil(columns),
            keys,
            key_cells,
            column,
            columns,
        }
    }

    /// Returns the cells of all columns, with the border around them.
    fn width(&self) -> u16 {
        narrow(self.columns * (self.column + GAP) - GAP + 4)
    }

    /// Returns how many keys are below so many rows.
    fn hidden_below(&self, visible: usize) -> usize {
        let mut hidden = 0;
        for place in 0..self.keys.len() {
            hidden += usize::from(place % self.rows >= visible);
        }
        hidden
    }

    /// Returns the cell of a key by its place; an empty one if it is out of sight.
    fn cell(&self, place: usize, area: Rect) -> Rect {
        let column = place / self.rows;
        let row = place % self.rows;
        let left = narrow(column * (self.column + GAP));
        below(skip(area, left), narrow(row))
    }
}
