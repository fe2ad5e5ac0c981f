//! The layout of the frame. Drawing changes nothing but the viewport, which keeps its regions in cells. All other state
//! is borrowed read-only.
//!
//! ```text
//! title      source, policy, edits, totals
//! tabs       screens                                   search, filter, sort
//! headings
//! rows       the tree, or the ranking
//! why        how the selected node's number came about
//! bottom     prompt, question, notice, or the keys that work here
//! ```

use crate::base::ascii;
use crate::tui::input::action::Action;
use crate::tui::screen::policies::PoliciesTable;
use crate::tui::screen::time::drawing;
use crate::tui::screen::tree_table::TreeTable;
use crate::tui::screen::{agreement, detail, overlay, status, title};
use crate::tui::state::app::App;
use crate::tui::state::pane::Why;
use crate::tui::state::screen::{Front, Screen};
use crate::tui::state::session::Session;
use crate::tui::state::ui::Ui;
use crate::tui::widget::viewport::Regions;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// The smallest screen that is drawn.
const SMALLEST: (u16, u16) = (20, 5);

/// The height below which the why pane gives way to the rows.
const LOWEST_WITH_WHY: u16 = 16;

impl App {
    /// Draws the screen.
    pub fn draw(&self, frame: &mut Frame) {
        let area = frame.area();
        let cursor = self.draw_into(area, frame.buffer_mut());
        if let Some((x, y)) = cursor {
            frame.set_cursor_position(Position { x, y });
        }
    }

    /// Draws into a buffer. Returns the position of the text cursor, or `None` if it is hidden.
    pub fn draw_into(&self, area: Rect, buffer: &mut Buffer) -> Option<(u16, u16)> {
        let cursor = draw_parts(self, area, buffer);
        if self.ui.options.is_ascii {
            spell_in_ascii(buffer);
        }
        cursor
    }
}

/// Replaces the characters of every cell by ASCII. Those of names were written out before, so that no part of a name is
/// lost here.
fn spell_in_ascii(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if !cell.symbol().is_ascii() {
            let spelling = cell.symbol().parse().ok().and_then(ascii::spelling);
            cell.set_char(spelling.unwrap_or('?'));
        }
    }
}

/// Draws all areas into a buffer. Returns the position of the text cursor, or `None` if it is hidden.
fn draw_parts(app: &App, area: Rect, buffer: &mut Buffer) -> Option<(u16, u16)> {
    let theme = &app.ui.theme;
    buffer.set_style(area, theme.page());
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        let text = format!("too small: {}x{}", SMALLEST.0, SMALLEST.1);
        if area.height > 0 {
            buffer.set_stringn(area.x, area.y, text, usize::from(area.width), theme.text);
        }
        return None;
    }
    let row = |y, height| Rect { y, height, ..area };
    title::draw(app, row(area.y, 1), buffer);
    let bottom = row(area.bottom() - 1, 1);
    let mut regions = app.ui.regions.borrow_mut();
    let body = row(area.y + 1, area.height - 2);
    match (app.front(), app.session()) {
        (Front::Page { below: screen, .. } | Front::Screen(screen), Some(session)) => {
            draw_screen(&app.ui, session, screen, body, buffer, &mut regions);
        }
        (Front::Nothing, _) | (_, None) => {
            regions.rows = body;
            draw_nothing(&app.ui, body, buffer);
        }
    }
    overlay::draw(&app.ui, app.session(), body, buffer, &mut regions);
    status::draw_bottom(app, bottom, buffer)
}

/// Draws the screen without an open tree: the progress of loading and a hint.
fn draw_nothing(ui: &Ui, area: Rect, buffer: &mut Buffer) {
    let lines = match &ui.loading {
        Some(loading) => vec![format!("opening {}", loading.title)],
        None => vec![
            "nothing is open".to_owned(),
            String::new(),
            format!(
                "{} opens a PBS sched_priv directory, a .csv or a .toml file",
                ui.hint(Action::Open)
            ),
        ],
    };
    for (line, y) in lines.iter().zip(area.y + area.height / 3..area.bottom()) {
        let width = usize::from(area.width.saturating_sub(2));
        buffer.set_stringn(
            area.x + 2,
            y,
            crate::base::shown::cut(line, width),
            width,
            ui.theme.strong,
        );
    }
}

/// Draws a screen of the open tree: its tabs, its rows and its panes.
fn draw_screen(
    ui: &Ui,
    session: &Session,
    screen: Screen,
    area: Rect,
    buffer: &mut Buffer,
    regions: &mut Regions,
) {
    let tabs = Rect { height: 1, ..area };
    status::draw_tabs(ui, session, tabs, buffer, regions);
    regions.rows = Rect::default();
    regions.headings.clear();
    regions.policies.clear();
    let below = Rect {
        y: area.y + 1,
        height: area.height - 1,
        ..area
    };
    regions.why = match screen {
        Screen::Tree | Screen::Ranking => {
            let height = why_height(session, area);
            let [table, why] = split(below, height);
            draw_nodes(ui, session, table, buffer, regions);
            why
        }
        Screen::Policies => {
            let height = why_height(session, area);
            let [table, agreement, why] = agreement::split(session, below, height);
            fit_viewport(session, table);
            let ranks = PoliciesTable {
                names: tree_table(ui, session),
            };
            if !table.is_empty() {
                ranks.draw(table, buffer, regions);
                ranks.draw_agreement(agreement, buffer);
            }
            why
        }
        Screen::Time => {
            let chart = drawing::arrange(ui, session, below);
            draw_nodes(ui, session, chart.areas.tree, buffer, regions);
            drawing::draw(ui, session, &chart, buffer);
            // The chart takes the room of the why pane.
            split(chart.areas.tree, 0)[1]
        }
    };
    if regions.why.height > 0 {
        detail::draw(ui, session, regions.why, buffer);
    }
}

/// Returns the height of the why pane, on a screen of that area.
fn why_height(session: &Session, area: Rect) -> u16 {
    match session.why {
        Why::Hidden => 0,
        Why::Zoomed => area.height - 1,
        Why::Shown if area.height < LOWEST_WITH_WHY => 0,
        Why::Shown => (area.height * 2 / 5).clamp(8, 18),
    }
}

/// Splits an area into a table and a why pane of that height.
fn split(area: Rect, why_height: u16) -> [Rect; 2] {
    let height = area.height - why_height;
    let table = Rect { height, ..area };
    let why = Rect {
        y: table.bottom(),
        height: why_height,
        ..area
    };
    [table, why]
}

/// Draws the rows of the tree or the ranking.
fn draw_nodes(ui: &Ui, session: &Session, area: Rect, buffer: &mut Buffer, regions: &mut Regions) {
    fit_viewport(session, area);
    if !area.is_empty() {
        tree_table(ui, session).draw(area, buffer, regions);
    }
}

/// Fits the viewport of the list on the screen to a table of that area, headings included.
fn fit_viewport(session: &Session, area: Rect) {
    let pane = session.pane();
    let mut viewport = pane.viewport.get();
    let rows = pane.outline.rows().len();
    viewport.fit(area.height.saturating_sub(1), pane.cursor, rows);
    pane.viewport.set(viewport);
}

fn tree_table<'a>(ui: &'a Ui, session: &'a Session) -> TreeTable<'a> {
    TreeTable {
        session,
        dialog: ui.dialog.as_ref(),
        theme: &ui.theme,
        is_ascii: ui.options.is_ascii,
    }
}
