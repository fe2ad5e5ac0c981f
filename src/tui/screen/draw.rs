//! The frame: which part goes where. Drawing changes nothing but the viewport.
//!
//! ```text
//! title      source, policy, edits, totals
//! tabs       screens                                   search, filter, sort
//! headings
//! rows       the tree, or the ranking
//! why        how the selected node's number came about
//! bottom     prompt, question, notice, or the keys that work here
//! ```

use crate::report::outline::View;
use crate::tui::input::action::Action;
use crate::tui::screen::policies::PoliciesTable;
use crate::tui::screen::time::drawing;
use crate::tui::screen::tree_table::TreeTable;
use crate::tui::screen::{agreement, detail, overlay, status, title};
use crate::tui::state::app::App;
use crate::tui::state::pane::Why;
use crate::tui::widget::ascii;
use crate::tui::widget::viewport::Regions;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// The smallest screen on which anything can be read.
const SMALLEST: (u16, u16) = (20, 5);

/// The height below which the why pane gives way to the rows.
const LOWEST_WITH_WHY: u16 = 16;

impl App {
    /// Draws the screen.
    pub fn draw(&mut self, frame: &mut Frame) {
        let area = frame.area();
        let cursor = self.draw_into(area, frame.buffer_mut());
        if let Some((x, y)) = cursor {
            frame.set_cursor_position(Position { x, y });
        }
    }

    /// Draws into a buffer; gives the place of the text cursor, if there is one.
    pub fn draw_into(&mut self, area: Rect, buffer: &mut Buffer) -> Option<(u16, u16)> {
        let cursor = self.draw_parts(area, buffer);
        if self.ui.options.is_ascii {
            ascii::spell(buffer);
        }
        cursor
    }

    fn draw_parts(&mut self, area: Rect, buffer: &mut Buffer) -> Option<(u16, u16)> {
        buffer.set_style(area, self.ui.theme.text);
        if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
            let text = format!("too small: {}x{}", SMALLEST.0, SMALLEST.1);
            if area.height > 0 {
                buffer.set_stringn(
                    area.x,
                    area.y,
                    text,
                    usize::from(area.width),
                    self.ui.theme.text,
                );
            }
            return None;
        }
        let row = |y, height| Rect { y, height, ..area };
        title::draw(self, row(area.y, 1), buffer);
        let bottom = row(area.bottom() - 1, 1);
        let mut regions = std::mem::take(&mut self.ui.regions);
        let body = row(area.y + 1, area.height - 2);
        self.draw_body(body, buffer, &mut regions);
        overlay::draw(&self.ui, self.session(), body, buffer, &mut regions);
        self.ui.regions = regions;
        status::draw_bottom(self, bottom, buffer)
    }

    fn draw_body(&mut self, area: Rect, buffer: &mut Buffer, regions: &mut Regions) {
        let below = Rect {
            y: area.y + 1,
            height: area.height - 1,
            ..area
        };
        let on_time = self.session().filter(|session| session.time.is_open());
        let on_time = on_time.map(|session| drawing::arrange(&self.ui, session, below));
        let Some(session) = self.sessions.get_mut(self.current) else {
            regions.rows = area;
            return self.draw_nothing(area, buffer);
        };
        let is_on_time = on_time.is_some();
        let below = on_time.as_ref().map_or(below, |screen| screen.parts.tree);
        let why_height = match session.why {
            // The chart has the room of the why pane.
            _ if is_on_time => 0,
            Why::Hidden => 0,
            Why::Zoomed => below.height,
            Why::Shown if area.height < LOWEST_WITH_WHY => 0,
            Why::Shown => (area.height * 2 / 5).clamp(8, 18),
        };
        let [table, agreement, why] = if session.view == View::Users {
            agreement::split(session, below, why_height)
        } else {
            let height = below.height - why_height;
            let table = Rect { height, ..below };
            let why = Rect {
                y: table.bottom(),
                height: why_height,
                ..below
            };
            [table, Rect::default(), why]
        };
        let rows = session.pane().outline.rows().len();
        let pane = session.pane_mut();
        pane.viewport
            .fit(table.height.saturating_sub(1), pane.cursor, rows);
        let tabs = Rect { height: 1, ..area };
        let session = &self.sessions[self.current];
        status::draw_tabs(
            session,
            self.ui.page.as_ref(),
            (&self.ui.theme, &self.ui.keymap),
            tabs,
            buffer,
            regions,
        );
        regions.rows = Rect::default();
        regions.headings.clear();
        regions.policies.clear();
        let nodes = TreeTable {
            session,
            dialog: self.ui.dialog.as_ref(),
            theme: &self.ui.theme,
            is_ascii: self.ui.options.is_ascii,
        };
        if table.is_empty() {
            regions.rows = Rect::default();
        } else if session.view == View::Users {
            let ranks = PoliciesTable { names: nodes };
            ranks.draw(table, buffer, regions);
            ranks.draw_agreement(agreement, buffer);
        } else {
            nodes.draw(table, buffer, regions);
        }
        if let Some(screen) = &on_time {
            drawing::draw(&self.ui, session, screen, buffer);
        }
        regions.why = why;
        if why.height > 0 {
            detail::draw(&self.ui, session, why, buffer);
        }
    }

    /// Nothing is open: says what is going on and what to do.
    fn draw_nothing(&self, area: Rect, buffer: &mut Buffer) {
        let lines = match &self.ui.loading {
            Some(loading) => vec![format!("opening {}", loading.title)],
            None => vec![
                "nothing is open".to_owned(),
                String::new(),
                format!(
                    "{} opens a PBS sched_priv directory, a .csv or a .toml file",
                    self.ui.hint(Action::Open)
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
                self.ui.theme.strong,
            );
        }
    }
}
