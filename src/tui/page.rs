//! Pages: answers that need room and may take time — the plan, what it takes, what costs a node, two nodes side by
//! side, two readings of a source. A page is worked out on a thread from a copy of the scenario, stands below the
//! tabs, and can be scrolled, copied and saved.

mod compare;
mod content;
mod diff;
mod plan;
mod solve;

pub use content::Page;
use content::{Role, Section};

use super::dialog::Purpose;
use super::overlay::wrap;
use super::{Action, App, Effect, Message};
use crate::format::native::Reference;
use crate::model::NodeId;
use crate::scenario::Scenario;
use crate::shown::cut;
use crate::solve::Goal;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use std::cell::Cell;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a page is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// The edits, who wins and who loses by them, and the scheduler's commands.
    Plan,
    /// What it takes that a node reaches a goal.
    Goal(NodeId, Goal),
    /// What the rank of a node hangs on.
    Rank(NodeId),
    /// Two nodes side by side.
    Pair([NodeId; 2]),
    /// Another file against the open tree.
    Diff(PathBuf),
}

/// Hears how far a search has come and stops it when nobody waits any more.
type Progress<'a> = &'a mut dyn FnMut(usize) -> ControlFlow<()>;

impl Subject {
    /// What stands on top while the page is worked out.
    const fn title(&self) -> &'static str {
        match self {
            Self::Plan => "the plan",
            Self::Goal(..) => "what it takes",
            Self::Rank(_) => "what the rank hangs on",
            Self::Pair(_) => "the comparison",
            Self::Diff(_) => "the differences",
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
        let scenario = &self.scenario;
        let is_cancelled = || self.is_cancelled.load(Ordering::Relaxed);
        let progress: Progress<'_> = &mut |_| {
            if is_cancelled() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let page = match &self.subject {
            Subject::Plan => Ok(plan::page(scenario, &self.reference)),
            Subject::Goal(node, goal) => {
                solve::goal(scenario, *node, *goal, progress).map_err(|error| error.to_string())
            }
            Subject::Rank(node) => {
                solve::hangs_on(scenario, *node, progress).map_err(|error| error.to_string())
            }
            Subject::Pair(pair) => {
                compare::page(scenario, *pair, progress).map_err(|error| error.to_string())
            }
            Subject::Diff(path) => {
                diff::page(scenario, path, &is_cancelled).map_err(|error| error.to_string())
            }
        };
        Message::Answered {
            number: self.number,
            page: page.map(Box::new),
        }
    }
}

/// A page on the screen, or one that is being worked out.
#[derive(Debug)]
pub(super) struct Open {
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
    pub(super) fn show_answered(
        &mut self,
        number: u64,
        page: Result<Box<Page>, String>,
    ) -> Vec<Effect> {
        let Some(open) = self.page.as_mut().filter(|open| open.number == number) else {
            return Vec::new();
        };
        match page {
            Ok(page) => open.page = Some(page),
            Err(reason) => {
                self.page = None;
                return self.fail(reason);
            }
        }
        Vec::new()
    }

    /// Asks for a goal of the selected node.
    pub(super) fn ask_for_goal(&mut self) -> Vec<Effect> {
        let Some(session) = self.session() else {
            return Vec::new();
        };
        let node = session.selected();
        if node == NodeId::ROOT {
            return self.fail(
                "the root holds all users and has no place among them; choose an account or a user below it",
            );
        }
        self.prompt(Purpose::Goal(node), "rank<=".to_owned())
    }

    /// Opens the page of the goal that was typed.
    pub(super) fn take_goal(&mut self, node: NodeId, text: &str) -> Result<Vec<Effect>, String> {
        let Some(session) = self.session() else {
            return Ok(Vec::new());
        };
        let goal = Goal::parse(text.as_bytes(), session.scenario.tree());
        let goal = goal.map_err(|error| error.to_string())?;
        Ok(self.open_page(Subject::Goal(node, goal)))
    }

    /// Opens what the rank of the selected node hangs on.
    pub(super) fn ask_what_rank_hangs_on(&mut self) -> Vec<Effect> {
        let Some(session) = self.session() else {
            return Vec::new();
        };
        let node = session.selected();
        self.open_page(Subject::Rank(node))
    }

    /// Compares the two marked nodes, or the marked one with the selected one.
    pub(super) fn compare_marked(&mut self) -> Vec<Effect> {
        let Some(session) = self.session() else {
            return Vec::new();
        };
        let marked = session.marks.nodes(session.scenario.tree());
        let selected = session.selected();
        let pair = match marked[..] {
            [first, second] => [first, second],
            [one] if one != selected => [one, selected],
            _ => {
                let (mark, key) = (Action::Mark, Action::CompareTwo);
                let (mark, key) = (self.keymap.hint(mark), self.keymap.hint(key));
                return self.fail(format!(
                    "{mark} marks a node: mark two, or one and go to the other, then {key} compares them"
                ));
            }
        };
        self.open_page(Subject::Pair(pair))
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
        let file = page.file.clone();
        self.prompt(Purpose::SavePage, file)
    }

    /// Saves the page under that name, and what belongs to it beside.
    pub(super) fn save_page(&mut self, name: &str) -> Vec<Effect> {
        if name.is_empty() {
            return self.fail("no file was named; nothing was saved");
        }
        let Some(page) = self.answer_on_page() else {
            return Vec::new();
        };
        let path = PathBuf::from(name);
        let beside = page.files.iter();
        let beside = beside.map(|(name, bytes)| (path.with_file_name(name), bytes.clone()));
        let files = beside.chain([(path.clone(), page.text().into_bytes())]);
        vec![Effect::Export(files.collect())]
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
            let own = text.len() - text.trim_start_matches(' ').len();
            let (text, indent) = (text.trim_start_matches(' '), indent + own);
            for (place, part) in wrap(text, width.saturating_sub(2 + indent))
                .into_iter()
                .enumerate()
            {
                let blanks = if place == 0 { 2 + own } else { 2 + indent };
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
