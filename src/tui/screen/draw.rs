//! The layout of the frame. Drawing changes nothing but the viewport, which keeps its regions in cells.
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
use crate::report::lesson::WhyView;
use crate::rules::policy::{ColumnId, RuleColumn};
use crate::tui::input::action::Action;
use crate::tui::screen::lesson::LessonStrip;
use crate::tui::screen::painter::{Painter, below, narrow, skip};
use crate::tui::screen::time::drawing;
use crate::tui::screen::{bottom, detail, overlay, policies, title, tree_table};
use crate::tui::state::{App, Front, Screen, Session};
use crate::tui::widget::wrap;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Constraint::{Length, Min};
use ratatui::layout::{Layout, Rect};

const SMALLEST: (u16, u16) = (20, 5);

/// The rows of the table that the why pane leaves below it, and the heading.
const ROWS_BEFORE_WHY: u16 = 15;

/// The fewest lines of the why pane, its rule included. On a lower screen it gives way to the rows.
const LOWEST_WHY: u16 = 4;

const WIDE: u16 = 160;

/// The cells of the table that has the why pane beside it, if the pane is neither too narrow nor too wide to be read.
const TABLE_BESIDE_WHY: u16 = 104;

const NARROWEST_WHY: u16 = 56;

/// The cells of the widest why pane beside the table. Longer lines are hard to read.
const WIDEST_WHY: u16 = 72;

const LOWEST_WITH_CAPTION: u16 = 12;

/// The heights from which the large layout leaves blank lines around that sentence: below a table, and below the
/// sentences of the Time screen, which are not to be cut.
const LOWEST_WITH_BLANKS: [u16; 2] = [18, 30];

impl App {
    /// Draws the screen. Returns the position of the text cursor, or `None` if it is hidden.
    pub fn draw(&self, frame: &mut Frame) -> Option<(u16, u16)> {
        let area = frame.area();
        let cursor = self.draw_into(area, frame.buffer_mut());
        if let Some(cursor) = cursor {
            frame.set_cursor_position(cursor);
        }
        cursor
    }

    /// Draws into a buffer. Returns the position of the text cursor, or `None` if it is hidden.
    pub fn draw_into(&self, area: Rect, buffer: &mut Buffer) -> Option<(u16, u16)> {
        let mut regions = self.ui.regions.borrow_mut();
        let mut painter = Painter {
            ui: &self.ui,
            buffer,
            regions: &mut regions,
        };
        let cursor = draw_parts(&mut painter, self, area);
        if self.ui.options.is_ascii {
            spell_in_ascii(buffer);
        }
        cursor
    }
}

/// Replaces the characters of every cell by ASCII. Names were written out before, so that no part of them is lost.
fn spell_in_ascii(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if !cell.symbol().is_ascii() {
            let spelling = cell.symbol().parse().ok().and_then(ascii::spelling);
            cell.set_char(spelling.unwrap_or('?'));
        }
    }
}

fn draw_parts(p: &mut Painter<'_>, app: &App, area: Rect) -> Option<(u16, u16)> {
    let theme = &app.ui.theme;
    p.buffer.set_style(area, theme.page());
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        let text = format!("too small: {}x{}", SMALLEST.0, SMALLEST.1);
        if area.height > 0 {
            p.put(area, text, theme.text);
        }
        return None;
    }
    let [top, body, last] = Layout::vertical([Length(1), Min(0), Length(1)]).areas(area);
    title::draw(p, app, top);
    p.regions.targets.clear();
    p.regions.plot = None;
    let lesson = LessonStrip::of(app, area);
    let height = lesson.as_ref().map_or(0, LessonStrip::height);
    let strip = Length(height.min(body.height / 2));
    let [mut body, strip] = Layout::vertical([Min(0), strip]).areas(body);
    let captioned = app.session().filter(|_| area.height >= LOWEST_WITH_CAPTION);
    let caption = captioned.and_then(Session::caption);
    if let (Front::Screen(screen), Some(caption)) = (app.front(), caption) {
        let lowest = LOWEST_WITH_BLANKS[usize::from(screen == Screen::Time)];
        let blanks = u16::from(app.ui.presenter.is_some() && area.height >= lowest);
        let caption = wrap(
            &app.ui.spelled(caption),
            usize::from(area.width.saturating_sub(2)),
        );
        let height = narrow(caption.len()).min(body.height / 3);
        body.height -= height + 2 * blanks;
        let y = body.bottom() + blanks;
        let lines = Rect { y, height, ..area };
        p.put_lines(
            skip(lines, 1),
            caption.iter().map(|line| (line, theme.strong)),
        );
    }
    match (app.front(), app.session()) {
        (Front::Page { below: screen, .. } | Front::Screen(screen), Some(session)) => {
            draw_screen(p, session, screen, body);
        }
        (Front::Nothing, _) | (_, None) => {
            p.regions.rows = body;
            draw_nothing(p, body);
        }
    }
    overlay::draw(p, app.session(), body);
    if let Some(lesson) = lesson {
        lesson.draw(p, strip);
    }
    bottom::draw(p, app, last)
}

fn draw_nothing(p: &mut Painter<'_>, area: Rect) {
    let lines = match &p.ui.loading {
        Some(loading) => vec![format!("opening {}", loading.title)],
        None => vec![
            "nothing is open".to_owned(),
            String::new(),
            format!(
                "{} opens a PBS sched_priv directory, a .csv or a .toml file",
                p.ui.hint(Action::Open)
            ),
        ],
    };
    let area = skip(below(area, area.height / 3), 2);
    for (line, row) in lines.iter().zip(area.rows()) {
        p.put_cut(row, line, p.ui.theme.strong);
    }
}

fn draw_screen(p: &mut Painter<'_>, session: &Session, screen: Screen, area: Rect) {
    let [top, below] = Layout::vertical([Length(1), Min(0)]).areas(area);
    title::draw_tabs(p, session, top);
    p.regions.rows = Rect::default();
    p.regions.headings.clear();
    p.regions.policies.clear();
    let why = session.veil().map_or(session.why, |_| WhyView::Hidden);
    p.regions.why = match screen {
        Screen::Tree | Screen::Ranking => {
            let [table, why] = if why == WhyView::Shown && area.width >= WIDE {
                // Beside the table, the pane takes no row from it.
                let left = area.width.saturating_sub(TABLE_BESIDE_WHY);
                let why = Length(left.clamp(NARROWEST_WHY, WIDEST_WHY));
                Layout::horizontal([Min(0), why]).spacing(1).areas(below)
            } else {
                let height = why_height(why, area, blank_rows(p, session, below));
                Layout::vertical([Min(0), Length(height)]).areas(below)
            };
            draw_nodes(p, session, table);
            why
        }
        Screen::Policies => {
            let height = why_height(why, area, 0);
            let [table, agreement, why] = policies::split(p.ui, session, below, height);
            let height = table.height - policies::legend_height(table);
            fit_viewport(p, session, Rect { height, ..table });
            if !table.is_empty() {
                policies::draw(p, session, table);
                policies::draw_agreement(p, session, agreement);
            }
            why
        }
        Screen::Time => {
            let (tree, plot) = drawing::draw(p, session, below);
            p.regions.plot = plot;
            draw_nodes(p, session, tree);
            // The chart takes the room of the why pane.
            Rect::default()
        }
    };
    if p.regions.why.height > 0 {
        let column = Some(RuleColumn::current(ColumnId::Served));
        let served = |heading: &(Option<RuleColumn>, Rect)| heading.0 == column;
        let has_bars = p.regions.headings.iter().any(served);
        detail::draw(p, session, has_bars, p.regions.why);
    }
}

/// Returns the height of the why pane, which has at least the rows that the table leaves blank.
fn why_height(why: WhyView, area: Rect, blank: u16) -> u16 {
    match why {
        WhyView::Hidden => 0,
        WhyView::Full => area.height - 1,
        WhyView::Shown => {
            let wanted = (area.height * 2 / 5).clamp(8, 18);
            let left = area.height.saturating_sub(1 + ROWS_BEFORE_WHY);
            let height = wanted.min(left).max(blank);
            if height < LOWEST_WHY { 0 } else { height }
        }
    }
}

/// Returns how many rows of an area the table leaves blank.
fn blank_rows(p: &Painter<'_>, session: &Session, area: Rect) -> u16 {
    let lines = area.height.saturating_sub(1);
    // A table without rows says why in one.
    let rows = session.pane().outline.rows().len().max(1);
    let pitch = p.ui.layout().pitch(lines, rows);
    lines.saturating_sub(narrow(rows).saturating_mul(pitch))
}

fn draw_nodes(p: &mut Painter<'_>, session: &Session, area: Rect) {
    fit_viewport(p, session, area);
    if !area.is_empty() {
        tree_table::draw(p, session, area);
    }
}

/// Fits the viewport of the list on the screen to a table of that area, headings included.
fn fit_viewport(p: &Painter<'_>, session: &Session, area: Rect) {
    let pane = session.pane();
    let mut viewport = pane.viewport.get();
    let rows = pane.outline.rows().len();
    let lines = area.height.saturating_sub(1);
    let pitch = p.ui.layout().pitch(lines, rows);
    viewport.fit(lines, pitch, pane.cursor, rows);
    pane.viewport.set(viewport);
}
