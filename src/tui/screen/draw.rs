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
use crate::rules::policy::ColumnId;
use crate::tui::input::action::Action;
use crate::tui::screen::lesson::LessonStrip;
use crate::tui::screen::policies::{PoliciesTable, legend_height};
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

/// The rows of the table that the why pane leaves below it, and the heading.
const ROWS_BEFORE_WHY: u16 = 15;

/// The fewest lines of the why pane, its rule included. On a lower screen it gives way to the rows.
const LOWEST_WHY: u16 = 4;

/// The width from which the why pane is beside the table.
const WIDE: u16 = 160;

/// The cells of the table that has the why pane beside it, if the pane is neither too narrow nor too wide to be read.
const TABLE_BESIDE_WHY: u16 = 104;

/// The cells of the narrowest why pane beside the table.
const NARROWEST_WHY: u16 = 56;

/// The cells of the widest why pane beside the table. Longer lines are hard to read.
const WIDEST_WHY: u16 = 72;

/// The height from which the sentence about an example is shown.
const LOWEST_WITH_CAPTION: u16 = 12;

/// The heights from which the large layout leaves blank lines around that sentence: below a table, and below the
/// sentences of the Time screen, which are not to be cut.
const LOWEST_WITH_BLANKS: [u16; 2] = [18, 30];

impl App {
    /// Draws the screen. Returns the position of the text cursor, or `None` if it is hidden.
    pub fn draw(&self, frame: &mut Frame) -> Option<(u16, u16)> {
        let area = frame.area();
        let cursor = self.draw_into(area, frame.buffer_mut());
        if let Some((x, y)) = cursor {
            frame.set_cursor_position(Position { x, y });
        }
        cursor
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
    regions.targets.clear();
    regions.plot = None;
    let mut body = row(area.y + 1, area.height - 2);
    let lesson = LessonStrip::of(app, area);
    if let Some(strip) = &lesson {
        body.height -= strip.height().min(body.height / 2);
    }
    if let (Front::Screen(_), Some(caption)) = (app.front(), caption(app, area)) {
        let blanks = u16::from(app.ui.is_presenting() && area.height >= lowest_with_blanks(app));
        body.height -= 1 + 2 * blanks;
        draw_caption(&app.ui, caption, row(body.bottom() + blanks, 1), buffer);
    }
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
    if let Some(strip) = lesson {
        let height = bottom.y - body.bottom();
        strip.draw(app, row(body.bottom(), height), buffer, &mut regions);
    }
    status::draw_bottom(app, bottom, buffer, &mut regions)
}

/// Returns the sentence about the open example; `None` for other trees, and on a screen without room for it.
fn caption(app: &App, area: Rect) -> Option<&'static str> {
    let session = app.session().filter(|_| area.height >= LOWEST_WITH_CAPTION);
    session.and_then(Session::caption)
}

/// Returns the height from which blank lines are around that sentence.
fn lowest_with_blanks(app: &App) -> u16 {
    let [below_table, below_sentences] = LOWEST_WITH_BLANKS;
    match app.front() {
        Front::Screen(Screen::Time) => below_sentences,
        _ => below_table,
    }
}

/// Draws the sentence about the open example.
fn draw_caption(ui: &Ui, caption: &str, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width.saturating_sub(1));
    let text = crate::base::shown::cut(caption, width);
    buffer.set_stringn(area.x + 1, area.y, text, width, ui.theme.strong);
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
            let [table, why] = if stands_beside(session, area) {
                split_beside(below)
            } else {
                split(below, why_height(session, area))
            };
            draw_nodes(ui, session, table, buffer, regions);
            why
        }
        Screen::Policies => {
            let height = why_height(session, area);
            let [table, agreement, why] = agreement::split(session, ui.layout(), below, height);
            let height = table.height - legend_height(table);
            fit_viewport(ui, session, Rect { height, ..table });
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
            regions.plot = drawing::draw(ui, session, &chart, buffer);
            // The chart takes the room of the why pane.
            split(chart.areas.tree, 0)[1]
        }
    };
    if regions.why.height > 0 {
        let served = |heading: &(Option<ColumnId>, Rect)| heading.0 == Some(ColumnId::Served);
        let has_bars = regions.headings.iter().any(served);
        detail::draw(ui, session, has_bars, regions.why, buffer);
    }
}

/// Returns the height of the why pane, on a screen of that area.
fn why_height(session: &Session, area: Rect) -> u16 {
    match session.why {
        Why::Hidden => 0,
        Why::Zoomed => area.height - 1,
        Why::Shown => {
            let wanted = (area.height * 2 / 5).clamp(8, 18);
            let left = area.height.saturating_sub(1 + ROWS_BEFORE_WHY);
            let height = wanted.min(left);
            if height < LOWEST_WHY { 0 } else { height }
        }
    }
}

/// Returns whether the why pane is beside the table, where it takes no row from it.
fn stands_beside(session: &Session, area: Rect) -> bool {
    session.why == Why::Shown && area.width >= WIDE
}

/// Splits an area into a table and a why pane to its right.
fn split_beside(area: Rect) -> [Rect; 2] {
    let left = area.width.saturating_sub(TABLE_BESIDE_WHY);
    let width = left.clamp(NARROWEST_WHY, WIDEST_WHY);
    let table = Rect {
        width: area.width - width - 1,
        ..area
    };
    let why = Rect {
        x: table.right() + 1,
        width,
        ..area
    };
    [table, why]
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
    fit_viewport(ui, session, area);
    if !area.is_empty() {
        tree_table(ui, session).draw(area, buffer, regions);
    }
}

/// Fits the viewport of the list on the screen to a table of that area, headings included.
fn fit_viewport(ui: &Ui, session: &Session, area: Rect) {
    let pane = session.pane();
    let mut viewport = pane.viewport.get();
    let rows = pane.outline.rows().len();
    let lines = area.height.saturating_sub(1);
    viewport.fit(lines, ui.layout().pitch(lines), pane.cursor, rows);
    pane.viewport.set(viewport);
}

fn tree_table<'a>(ui: &'a Ui, session: &'a Session) -> TreeTable<'a> {
    TreeTable {
        session,
        dialog: ui.dialog.as_ref(),
        theme: &ui.theme,
        layout: ui.layout(),
        is_ascii: ui.options.is_ascii,
    }
}
