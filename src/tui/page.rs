//! Pages: answers that need room and may take time — the plan, what it takes, what costs a node, two nodes side by
//! side, two readings of a source. A page is worked out on a thread from a copy of the scenario, stands below the
//! tabs, and can be scrolled, copied and saved.

mod content;
mod plan;

pub use content::{Page, Role, Section};

use super::dialog::Purpose;
use super::overlay::wrap;
use super::{Action, App, Effect, Message};
use crate::format::native::Reference;
use crate::scenario::Scenario;
use crate::shown::cut;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a page is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// The edits, who wins and who loses by them, and the scheduler's commands.
    Plan,
}

impl Subject {
    /// What stands on top while the page is worked out.
    const fn title(&self) -> &'static str {
        match self {
            Self::Plan => "the plan",
        }
    }
}

/// A page to be worked out. Its clones are cheap: they share every column.
#[derive(Clone, Debug)]
pub struct Asking {
    number: u64,
    subject: Subject,
    scenario: Box<Scenario>,
    reference: Reference,
    is_cancelled: Arc<AtomicBool>,
}

impl PartialEq for Asking {
    /// Numbers are given once, so the same number is the same question.
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Asking {}

impl Asking {
    /// Works out the page.
    #[must_use]
    pub fn perform(self) -> Message {
        let page = match &self.subject {
            Subject::Plan => plan::page(&self.scenario, &self.reference),
        };
        Message::Answered {
            number: self.number,
            page: Box::new(page),
        }
    }

    /// Whether nobody waits for the answer any more.
    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }
}

/// A page on the screen, or one that is being worked out.
#[derive(Debug)]
pub struct Open {
    number: u64,
    subject: Subject,
    page: Option<Box<Page>>,
    offset: usize,
    /// The lines on the screen at the last drawing, and how many there are.
    height: Cell<(usize, usize)>,
    is_cancelled: Arc<AtomicBool>,
}

impl Open {
    /// Whether it is the page of the plan, which has a tab.
    pub(super) fn is_plan(&self) -> bool {
        self.subject == Subject::Plan
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        // Nobody waits for what is not on the screen.
        self.is_cancelled.store(true, Ordering::Relaxed);
    }
}

impl App {
    /// Opens a page; the effect that comes back works it out.
    pub(super) fn open_page(&mut self, subject: Subject) -> Vec<Effect> {
        let number = self.questions + 1;
        let Some(session) = self.session_mut() else {
            return Vec::new();
        };
        session.catch_up();
        let is_cancelled = Arc::<AtomicBool>::default();
        let asking = Asking {
            number,
            subject: subject.clone(),
            scenario: Box::new(session.scenario.clone()),
            reference: session.reference.clone(),
            is_cancelled: Arc::clone(&is_cancelled),
        };
        self.questions = number;
        self.page = Some(Open {
            number,
            subject,
            page: None,
            offset: 0,
            height: Cell::default(),
            is_cancelled,
        });
        vec![Effect::Ask(Box::new(asking))]
    }

    /// Shows a page that is still waited for.
    pub(super) fn show_answered(&mut self, number: u64, page: Box<Page>) -> Vec<Effect> {
        if let Some(open) = self.page.as_mut().filter(|open| open.number == number) {
            open.page = Some(page);
        }
        Vec::new()
    }

    /// What a key does on a page.
    pub(super) fn press_on_page(&mut self, action: Option<Action>) -> Vec<Effect> {
        let Some(open) = &mut self.page else {
            return Vec::new();
        };
        let (height, count) = open.height.get();
        let last = count.saturating_sub(height);
        let page = height.saturating_sub(1).max(1);
        open.offset = match action {
            Some(Action::Down) => (open.offset + 1).min(last),
            Some(Action::Up) => open.offset.saturating_sub(1),
            Some(Action::PageDown) => (open.offset + page).min(last),
            Some(Action::PageUp) => open.offset.saturating_sub(page),
            Some(Action::First) => 0,
            Some(Action::Last) => last,
            Some(Action::CopyPath) => return self.copy_page(),
            Some(Action::Save) => return self.ask_where_to_save_page(),
            Some(Action::Toggle) => return self.apply_page(),
            Some(Action::Help | Action::Suspend | Action::Redraw) => {
                return action.map_or_else(Vec::new, |action| self.act(action));
            }
            Some(
                Action::TreeScreen
                | Action::RankingScreen
                | Action::PoliciesScreen
                | Action::NextScreen,
            ) => {
                self.page = None;
                return action.map_or_else(Vec::new, |action| self.act(action));
            }
            Some(Action::Cancel | Action::Quit | Action::PlanScreen) => {
                self.page = None;
                return Vec::new();
            }
            _ => return Vec::new(),
        };
        Vec::new()
    }

    fn answer_on_page(&self) -> Option<&Page> {
        self.page.as_ref()?.page.as_deref()
    }

    fn copy_page(&mut self) -> Vec<Effect> {
        let Some(page) = self.answer_on_page() else {
            return Vec::new();
        };
        let text = page.text();
        let what = page.what.clone();
        self.say(format!("copied {what}"));
        vec![Effect::Copy(text)]
    }

    fn ask_where_to_save_page(&mut self) -> Vec<Effect> {
        let Some(page) = self.answer_on_page() else {
            return Vec::new();
        };
        let (file, contents) = (page.file.clone(), page.saved());
        self.prompt(Purpose::SavePage { contents }, file)
    }

    fn apply_page(&mut self) -> Vec<Effect> {
        let Some(page) = self.answer_on_page() else {
            return Vec::new();
        };
        let Some((edit, node)) = page.apply.clone() else {
            return Vec::new();
        };
        self.page = None;
        let mut effects = self.apply(edit);
        if let Some(session) = self.session_mut() {
            session.select(node);
        }
        if self.notice.is_none() {
            effects.extend(self.say("applied; the edit can be taken back"));
        }
        effects
    }
}

/// Draws the page on the screen, below the tabs.
pub(super) fn draw(app: &App, open: &Open, area: Rect, buffer: &mut Buffer) {
    let theme = &app.theme;
    for y in area.y..area.bottom() {
        for x in area.x..area.right() {
            buffer[(x, y)].reset();
        }
    }
    buffer.set_style(area, theme.text);
    let width = usize::from(area.width.saturating_sub(2)).max(1);
    let Some(page) = &open.page else {
        let text = format!(" working out {}… esc leaves", open.subject.title());
        buffer.set_stringn(area.x, area.y, text, width + 1, theme.warning);
        return;
    };
    let lines = lines(app, page, width);
    let height = usize::from(area.height);
    open.height.set((height, lines.len()));
    let offset = open.offset.min(lines.len().saturating_sub(height));
    for (line, y) in lines[offset..].iter().zip(area.y..area.bottom()) {
        buffer.set_line(area.x + 1, y, line, area.width.saturating_sub(1));
    }
    if lines.len() > height {
        let text = format!(
            " {}-{} of {} ",
            offset + 1,
            (offset + height).min(lines.len()),
            lines.len()
        );
        let cells = u16::try_from(text.len()).unwrap_or(0).min(area.width);
        buffer.set_stringn(
            area.right() - cells,
            area.y,
            text,
            usize::from(cells),
            theme.dim,
        );
    }
}

/// A page as lines of that width.
fn lines(app: &App, page: &Page, width: usize) -> Vec<Line<'static>> {
    let theme = &app.theme;
    let style = |role: Role| match role {
        Role::Text => theme.text,
        Role::Strong => theme.strong,
        Role::Dim => theme.dim,
        Role::Command => theme.key,
        Role::Better => theme.better,
        Role::Worse => theme.worse,
        Role::Warning => theme.warning,
    };
    let mut lines = vec![Line::styled(
        cut(&page.title, width).into_owned(),
        theme.title,
    )];
    for section in &page.sections {
        lines.push(Line::default());
        lines.push(Line::styled(
            cut(&section.heading, width).into_owned(),
            theme.strong,
        ));
        for row in &section.rows {
            let text = app.spelled(row.text.clone());
            let style = style(row.role);
            // A table is cut where a sentence is broken.
            if row.is_aligned {
                lines.push(Line::styled(cut(&text, width).into_owned(), style));
                continue;
            }
            let indent = if row.role == Role::Command { 4 } else { 0 };
            for (place, part) in wrap(&text, width.saturating_sub(2 + indent))
                .into_iter()
                .enumerate()
            {
                let blanks = if place == 0 { 2 } else { 2 + indent };
                lines.push(Line::from(vec![
                    Span::raw(" ".repeat(blanks)),
                    Span::styled(part, style),
                ]));
            }
        }
    }
    lines
}

/// What can be done on a page.
pub(super) fn hints(open: &Open) -> &'static [(Action, &'static str)] {
    match &open.page {
        None => &[(Action::Cancel, "leave")],
        Some(page) if page.apply.is_some() => &[
            (Action::Toggle, "apply it"),
            (Action::CopyPath, "copy"),
            (Action::Save, "save"),
            (Action::Down, "scroll"),
            (Action::Cancel, "back"),
        ],
        Some(_) => &[
            (Action::CopyPath, "copy"),
            (Action::Save, "save"),
            (Action::Down, "scroll"),
            (Action::Cancel, "back"),
        ],
    }
}
