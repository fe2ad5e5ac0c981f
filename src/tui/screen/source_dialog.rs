//! The dialog about the source: the origin of its numbers, what was verified, its problems, and probable mistakes in
//! its tree.

use crate::base::number::{counted, grouped};
use crate::base::shown::{Shown, cut, sentence};
use crate::report::{View, check};
use crate::source::format::{Problem, Problems, Severity};
use crate::tui::state::dialog::Dialog;
use crate::tui::state::session::Session;
use crate::tui::state::ui::Ui;
use crate::tui::widget::panel::Panel;
use crate::tui::widget::viewport::Regions;
use crate::tui::widget::wrap::wrap;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::sync::Arc;

/// The indentation of a problem's text, in cells.
const INDENT: u16 = 8;

/// Returns the dialog at its first entry. The findings are computed once, here.
pub(crate) fn open(session: &Session) -> Dialog {
    let view = View::before(&session.scenario, &session.problems);
    let findings = check::findings(&view, &session.verification);
    Dialog::Source {
        cursor: 0,
        findings: Arc::new(findings),
    }
}

/// Returns sentences about what was verified.
fn summary(session: &Session) -> Vec<Shown> {
    let verification = &session.verification;
    let view = View::before(&session.scenario, &session.problems);
    let mut lines = check::summary(&view, verification);
    if lines.is_empty() {
        lines.push("the source has no recorded numbers to verify against".into());
    }
    lines
}

/// Returns the index of the last entry. The first entry is the verification.
pub(crate) fn last(session: &Session, findings: &Problems) -> usize {
    session.problems.list().len() + findings.list().len()
}

/// Draws the entries from the one under the cursor on.
pub(crate) fn draw(
    ui: &Ui,
    session: &Session,
    (cursor, findings): (usize, &Problems),
    area: Rect,
    buffer: &mut Buffer,
    regions: &mut Regions,
) {
    let title = format!(
        "source: {}, {}",
        counted(session.problems.count(), "problem", "problems"),
        counted(findings.count(), "finding", "findings")
    );
    let inner = Panel {
        theme: &ui.theme,
        title: &title,
        foot: "j k move · any other key closes",
        lines: usize::from(area.height),
        width: area.width,
    }
    .draw(area, buffer, regions);
    let mut page = TextArea {
        ui,
        area: inner,
        buffer,
    };
    let problems = session.problems.list().iter().chain(findings.list());
    if cursor == 0 {
        let style = ui.theme.text;
        for sentence in summary(session) {
            page.put(sentence, 0, style);
        }
        page.skip();
    }
    for problem in problems.skip(cursor.saturating_sub(1)) {
        page.put_problem(problem);
    }
    let left_off = |problems: &Problems| problems.count() - problems.list().len();
    let more = left_off(&session.problems) + left_off(findings);
    if more > 0 {
        let more = grouped(more);
        page.put(sentence!("and {more} more"), 0, ui.theme.dim);
    }
}

/// The remaining area of the dialog.
struct TextArea<'a> {
    ui: &'a Ui,
    area: Rect,
    buffer: &'a mut Buffer,
}

impl TextArea<'_> {
    /// Writes a text on as many lines as it needs.
    fn put(&mut self, text: impl Into<Shown>, indent: u16, style: Style) {
        let width = usize::from(self.area.width.saturating_sub(indent));
        for (place, line) in wrap(&self.ui.spelled(text), width).iter().enumerate() {
            // Continuation lines are indented.
            let indent = if place > 0 && indent == 0 { 2 } else { indent };
            if self.area.height > 0 {
                let (x, y) = (self.area.x + indent, self.area.y);
                self.buffer.set_stringn(x, y, line, width, style);
            }
            self.skip();
        }
    }

    /// Skips a line.
    fn skip(&mut self) {
        if self.area.height > 0 {
            self.area.y += 1;
            self.area.height -= 1;
        }
    }

    fn put_problem(&mut self, problem: &Problem) {
        if self.area.height == 0 {
            return;
        }
        let theme = &self.ui.theme;
        let place = match (problem.line, problem.column) {
            (Some(line), Some(column)) => sentence!("{}:{line}:{column}", problem.file),
            (Some(line), None) => sentence!("{}:{line}", problem.file),
            _ => problem.file.clone(),
        };
        // The code is needed to look the problem up, so a long path is cut instead.
        let taken = usize::from(INDENT) + 2 + problem.code.len();
        let room = usize::from(self.area.width).saturating_sub(taken);
        let place = self.ui.spelled(place);
        let place = cut(&place, room).into_owned();
        let style = match problem.severity {
            Severity::Error => theme.error,
            Severity::Warning => theme.warning,
            Severity::Note => theme.strong,
        };
        let head = Line::from(vec![
            Span::styled(format!("{:<8}", problem.severity.name()), style),
            Span::styled(place, theme.strong),
            Span::styled(format!("  {}", problem.code), theme.dim),
        ]);
        self.buffer
            .set_line(self.area.x, self.area.y, &head, self.area.width);
        self.skip();
        self.put(&problem.message, INDENT, theme.text);
        self.put(&problem.advice, INDENT, theme.dim);
        self.skip();
    }
}
