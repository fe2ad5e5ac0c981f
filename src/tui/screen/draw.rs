//! The layout of the frame. Drawing changes nothing; it notes where things are.
//!
//! ```text
//! title      source, policy, edits, totals
//! tabs       screens                                   search, filter, sort
//! headings
//! rows       the tree, or the ranking
//! why        how the selected node's number came about
//! bottom     prompt, question, notice, or the keys that work here
//! ```

use super::lesson::LessonStrip;
use super::painter::{Painter, below, narrow, short_of, skip, split_bottom, split_top};
use super::policies::PoliciesAreas;
use super::time::drawing;
use super::{bottom, detail, overlay, policies, title, tree_table};
use crate::base::ascii;
use crate::base::shown::Shown;
use crate::report::lesson::WhyView;
use crate::rules::policy::{ColumnId, RuleColumn};
use crate::tui::input::action::Action;
use crate::tui::state::{App, Drawn, Front, Screen, Session};
use crate::tui::widget::wrap;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};

/// The size of the smallest screen that is drawn on.
const SMALLEST: Size = Size::new(20, 5);

/// The rows of the table that the why pane leaves below it, and the heading.
const ROWS_BEFORE_WHY: u16 = 15;

/// The fewest lines of the why pane, its rule included. On a lower screen it gives way to the rows.
const LOWEST_WHY: u16 = 4;

/// The width from which on the why pane is beside the table.
const WIDE: u16 = 160;

/// The cells of the table that has the why pane beside it, if the pane is neither too narrow nor too wide to be read.
const TABLE_BESIDE_WHY: u16 = 104;

/// The cells of the narrowest why pane beside the table.
const NARROWEST_WHY: u16 = 56;

/// The cells of the widest why pane beside the table. Longer lines are hard to read.
const WIDEST_WHY: u16 = 72;

/// The height from which on a sentence says what the tree shows.
const LOWEST_WITH_CAPTION: u16 = 12;

/// The height from which the large layout leaves blank lines around that sentence.
const LOWEST_WITH_BLANKS: u16 = 18;

/// The height from which it does so on the Time screen, whose own sentences are not to be cut.
const LOWEST_TIME_WITH_BLANKS: u16 = 30;

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
        let mut drawn = Drawn::default();
        let mut painter = Painter {
            ui: &self.ui,
            theme: &self.ui.theme,
            buffer,
            drawn: &mut drawn,
        };
        let cursor = draw_parts(&mut painter, self, area);
        self.ui.drawn.replace(drawn);
        if self.ui.options.is_ascii {
            spell_in_ascii(buffer);
        }
        cursor
    }
}

/// Replaces the characters of every cell by ASCII. Names were written out before, so that no part of them is lost.
fn spell_in_ascii(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        let symbol = cell.symbol();
        if symbol.is_ascii() {
            continue;
        }
        let mut spelling = '?';
        if let Ok(char) = symbol.parse()
            && let Some(known) = ascii::spelling(char)
        {
            spelling = known;
        }
        cell.set_char(spelling);
    }
}

/// Draws everything, what covers something else behind it. Returns the position of the text cursor.
fn draw_parts(p: &mut Painter, app: &App, area: Rect) -> Option<(u16, u16)> {
    let theme = &app.ui.theme;
    p.buffer.set_style(area, theme.page());
    if area.width < SMALLEST.width || area.height < SMALLEST.height {
        if area.height > 0 {
            let text = format!("too small: {SMALLEST}");
            p.put(area, text, theme.text);
        }
        return None;
    }
    let title = split_top(area, 1);
    title::draw(p, app, title.above);
    let last = split_bottom(title.below, 1);
    let lesson = LessonStrip::of(app, area);
    let mut strip_height = 0;
    if let Some(lesson) = &lesson {
        let most = last.above.height / 2;
        strip_height = lesson.height().min(most);
    }
    let strip = split_bottom(last.above, strip_height);
    let body = draw_caption(p, app, strip.above, area);
    let session = app.session();
    match (app.front(), session) {
        (Front::Page { below: screen, .. } | Front::Screen(screen), Some(session)) => {
            draw_screen(p, session, screen, body);
        }
        (Front::Nothing, _) | (_, None) => {
            p.drawn.list = body;
            draw_nothing(p, body);
        }
    }
    overlay::draw(p, session, body);
    if let Some(lesson) = lesson {
        p.drawn.lesson = strip.below;
        lesson.draw(p, strip.below);
    }
    bottom::draw(p, app, last.below)
}

/// Returns the sentence below the rows: what the tree shows, or what the last edit did. `None` on a low screen.
fn caption(app: &App, screen: Rect) -> Option<Shown> {
    if screen.height < LOWEST_WITH_CAPTION {
        return None;
    }
    app.session()?.caption()
}

/// Draws the sentence at the foot of an area. Returns the area above it.
fn draw_caption(p: &mut Painter, app: &App, area: Rect, whole: Rect) -> Rect {
    let Front::Screen(screen) = app.front() else {
        return area;
    };
    let Some(caption) = caption(app, whole) else {
        return area;
    };
    let lowest = match screen {
        Screen::Time => LOWEST_TIME_WITH_BLANKS,
        Screen::Tree | Screen::Ranking | Screen::Policies => LOWEST_WITH_BLANKS,
    };
    let is_airy = app.ui.presenter.is_some() && whole.height >= lowest;
    let blanks = u16::from(is_airy);
    let width = whole.width.saturating_sub(2);
    let spelled = app.ui.spelled(caption);
    let lines = wrap(&spelled, width.into());
    let height = narrow(lines.len()).min(area.height / 3);
    let above = Rect {
        height: area.height - height - 2 * blanks,
        ..area
    };
    let place = Rect {
        y: above.bottom() + blanks,
        height,
        ..whole
    };
    p.put_text(skip(place, 1), &lines, app.ui.theme.strong);
    above
}

/// Draws what is said while no tree is open.
fn draw_nothing(p: &mut Painter, area: Rect) {
    let middle = below(area, area.height / 3);
    let place = skip(middle, 2);
    let style = p.theme.strong;
    if let Some(loading) = &p.ui.loading {
        let text = format!("opening {}", loading.title);
        return p.put_text(place, &[text], style);
    }
    p.put_text(place, &["nothing is open"], style);
    let key = p.ui.hint(Action::Open);
    let text = format!("{key} opens a PBS sched_priv directory, a .csv or a .toml file");
    let lower = below(place, 2);
    p.put_text(lower, &[text], style);
}

/// Draws a screen of a tree, with the tabs above it and the why pane.
fn draw_screen(p: &mut Painter, session: &Session, screen: Screen, area: Rect) {
    let tabs = split_top(area, 1);
    let body = tabs.below;
    title::draw_tabs(p, session, tabs.above);
    let why = match session.veil() {
        Some(_) => WhyView::Hidden,
        None => session.why,
    };
    let tree = TreeBody { session, why };
    p.drawn.why = match screen {
        Screen::Tree | Screen::Ranking => tree.draw_list(p, body),
        Screen::Policies => tree.draw_policies(p, body),
        Screen::Time => {
            let parts = drawing::draw(p, session, body);
            p.drawn.plot = parts.plot;
            tree.draw_nodes(p, parts.tree);
            // The chart takes the room of the why pane.
            Rect::default()
        }
    };
    let pane = p.drawn.why;
    if pane.height > 0 {
        let has_bars = has_bars(p);
        detail::draw(p, session, has_bars, pane);
    }
}

/// Returns whether the table has bars of how much was served, whose meaning is to be said.
fn has_bars(p: &Painter) -> bool {
    let served = RuleColumn::current(ColumnId::Served);
    for heading in &p.drawn.headings {
        if heading.what == Some(served) {
            return true;
        }
    }
    false
}

/// What is below the tabs of a tree.
struct TreeBody<'a> {
    session: &'a Session,
    /// How the why pane is shown.
    why: WhyView,
}

impl TreeBody<'_> {
    /// Draws the tree or the ranking. Returns the area of the why pane.
    fn draw_list(&self, p: &mut Painter, area: Rect) -> Rect {
        if self.why == WhyView::Shown && area.width >= WIDE {
            // Beside the table, the pane takes no row from it.
            let left = area.width - TABLE_BESIDE_WHY;
            let width = left.clamp(NARROWEST_WHY, WIDEST_WHY);
            let table = short_of(area, width + 1);
            self.draw_nodes(p, table);
            return skip(area, area.width - width);
        }
        let blank = self.blank_rows(p, area);
        let height = self.why_height(area, blank);
        let split = split_bottom(area, height);
        self.draw_nodes(p, split.above);
        split.below
    }

    /// Draws the policies side by side. Returns the area of the why pane.
    fn draw_policies(&self, p: &mut Painter, area: Rect) -> Rect {
        let height = self.why_height(area, 0);
        let areas = PoliciesAreas::of(p.ui, self.session, area, height);
        self.fit_viewport(p, areas.ranks());
        if !areas.table.is_empty() {
            policies::draw(p, self.session, areas.table);
            policies::draw_agreement(p, self.session, areas.agreement);
        }
        areas.why
    }

    /// Returns the height of the why pane below a table in an area, which has at least the rows that the table leaves
    /// blank.
    fn why_height(&self, area: Rect, blank: u16) -> u16 {
        match self.why {
            WhyView::Hidden => 0,
            WhyView::Full => area.height,
            WhyView::Shown => {
                let two_fifths = (area.height + 1) * 2 / 5;
                let wanted = two_fifths.clamp(8, 18);
                let left = area.height.saturating_sub(ROWS_BEFORE_WHY);
                let height = wanted.min(left).max(blank);
                if height < LOWEST_WHY { 0 } else { height }
            }
        }
    }

    /// Returns how many rows of an area the table leaves blank.
    fn blank_rows(&self, p: &Painter, area: Rect) -> u16 {
        let lines = area.height.saturating_sub(1);
        let count = self.session.pane().outline.rows().len();
        // A table without rows says why in one.
        let rows = count.max(1);
        let pitch = p.ui.layout().pitch(lines, rows);
        let needed = narrow(rows).saturating_mul(pitch);
        lines.saturating_sub(needed)
    }

    /// Draws the list of a screen, if there is room for it.
    fn draw_nodes(&self, p: &mut Painter, area: Rect) {
        self.fit_viewport(p, area);
        if !area.is_empty() {
            tree_table::draw(p, self.session, area);
        }
    }

    /// Fits the viewport of the list on the screen to a table of that area, headings included.
    fn fit_viewport(&self, p: &mut Painter, area: Rect) {
        let pane = self.session.pane();
        let rows = pane.outline.rows().len();
        let lines = area.height.saturating_sub(1);
        let pitch = p.ui.layout().pitch(lines, rows);
        let mut viewport = pane.viewport;
        viewport.fit(lines, pitch, pane.cursor, rows);
        p.drawn.viewport = Some(viewport);
    }
}
