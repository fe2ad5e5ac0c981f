//! The dialog about the source: the origin of its numbers, what was verified, and problems of it and its tree.

use crate::base::number::grouped;
use crate::base::shown::{Shown, cut, sentence, visible};
use crate::format::{Problem, Problems, Severity};
use crate::report::lint::formula_faults;
use crate::report::words::and_more;
use crate::report::{View, check};
use crate::tui::screen::painter::Painter;
use crate::tui::state::{Dialog, OpenSource, Session, Ui};
use crate::tui::widget::wrap;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::sync::Arc;

const INDENT: usize = 8;

const MESSAGES: usize = 3;

const PLACES: usize = 4;

/// Returns the dialog at its first entry. The findings are computed and everything is grouped once, here.
pub(crate) fn open(session: &Session) -> Dialog {
    let view = View::before(&session.scenario, &session.source.problems);
    let mut findings = check::findings(&view, &session.source.verification);
    let now = View::of(&session.scenario, &session.source.problems);
    if now.settings.formula != view.settings.formula {
        for fault in formula_faults(&now) {
            findings.push(fault);
        }
    }
    let problems = session.source.problems.list().iter().chain(findings.list());
    let left_off = |problems: &Problems| problems.count() - problems.list().len();
    let title = check::counted_problems(session.source.problems.count(), findings.count());
    Dialog::Source(OpenSource {
        cursor: 0,
        title: title.unwrap_or_else(|| "no problems".into()),
        left_off: left_off(&session.source.problems) + left_off(&findings),
        kinds: Arc::new(check::kinds(problems)),
    })
}

pub(crate) fn draw(p: &mut Painter<'_>, session: &Session, open: &OpenSource, area: Rect) {
    let theme = &p.ui.theme;
    let mut text = DialogText {
        ui: p.ui,
        width: usize::from(area.width.saturating_sub(4)),
        height: usize::from(area.height.saturating_sub(2)),
        lines: Vec::new(),
    };
    if open.cursor == 0 {
        let view = View::before(&session.scenario, &session.source.problems);
        let summary = check::summary(&view, &session.source.verification);
        if summary.is_empty() {
            let sentence = "the source has no recorded numbers to verify against";
            text.put(sentence, 0, theme.text);
        }
        for sentence in summary {
            text.put(sentence, 0, theme.text);
        }
    }
    for kind in open.kinds.iter().skip(open.cursor.saturating_sub(1)) {
        text.put_kind(kind);
    }
    if open.left_off > 0 {
        let more = grouped(open.left_off);
        text.put(sentence!("and {more} more"), 0, theme.dim);
    }
    let title = format!("source: {}", open.title);
    let foot = format!("{} move · any other key closes", p.ui.hints_to_move());
    let lines = text.lines;
    let inner = p.panel(&title, &foot, (area.width, lines.len()), area);
    for (line, row) in lines.iter().zip(inner.rows()) {
        p.buffer.set_line(row.x, row.y, line, row.width);
    }
}

struct DialogText<'a> {
    ui: &'a Ui,
    width: usize,
    height: usize,
    lines: Vec<Line<'static>>,
}

impl DialogText<'_> {
    fn put(&mut self, text: impl Into<Shown>, indent: usize, style: Style) {
        // Continuation lines are indented.
        let further = if indent == 0 { 2 } else { indent };
        let width = self.width.saturating_sub(further);
        for (place, line) in wrap(&self.ui.spelled(text), width).into_iter().enumerate() {
            let indent = if place == 0 { indent } else { further };
            let line = format!("{}{line}", " ".repeat(indent));
            self.lines.push(Line::styled(line, style));
        }
    }

    /// Writes problems of one kind: where they are, what they are, and what to do about them.
    fn put_kind(&mut self, kind: &[Problem]) {
        if self.lines.len() >= self.height {
            return;
        }
        let Some(problem) = kind.first() else { return };
        if !self.lines.is_empty() {
            self.lines.push(Line::default());
        }
        let theme = &self.ui.theme;
        // The code is needed to look the problem up, so the places are cut instead.
        let taken = INDENT + 2 + problem.code.len();
        let places = self.ui.spelled(places(kind));
        let places = cut(&places, self.width.saturating_sub(taken)).into_owned();
        let style = match problem.severity {
            Severity::Error => theme.error,
            Severity::Warning => theme.warning,
            Severity::Note => theme.strong,
        };
        self.lines.push(Line::from(vec![
            Span::styled(format!("{:<8}", problem.severity.name()), style),
            Span::styled(places, theme.strong),
            Span::styled(format!("  {}", problem.code), theme.dim),
        ]));
        let mut said: Vec<&Problem> = kind.iter().collect();
        said.dedup_by_key(|problem| &problem.message);
        let more = said.len().saturating_sub(MESSAGES);
        said.truncate(MESSAGES);
        for (place, problem) in said.iter().enumerate() {
            self.put(&problem.message, INDENT, theme.text);
            let next = said.get(place + 1);
            if next.is_none() && more > 0 {
                let more = sentence!("and {} more of this kind", grouped(more));
                self.put(more, INDENT, theme.text);
            }
            if next.is_none_or(|next| next.advice != problem.advice) {
                self.put(&problem.advice, INDENT, theme.dim);
            }
        }
    }
}

/// Returns where problems are, by the names of the files without their folders: `sshare.txt:3, 7, 12 and 40 more`.
fn places(kind: &[Problem]) -> Shown {
    let mut file = None;
    let mut texts = Vec::new();
    for problem in kind {
        let is_same = file.replace(&problem.file) == Some(&problem.file);
        let name = || visible(problem.file.rsplit('/').next().unwrap_or_default());
        texts.push(match (is_same, problem.line, problem.column) {
            (true, None, _) => continue,
            (true, Some(line), _) => sentence!("{line}"),
            (false, Some(line), Some(column)) if kind.len() == 1 => {
                sentence!("{}:{line}:{column}", name())
            }
            (false, Some(line), _) => sentence!("{}:{line}", name()),
            (false, None, _) => name(),
        });
    }
    and_more(&texts[..texts.len().min(PLACES)], texts.len())
}
