//! A page on the screen.

use crate::tui::job::Ticket;
use crate::tui::page::content::Page;
use crate::tui::page::subject::Subject;
use ratatui::layout::Rect;
use ratatui::text::Line;
use std::cell::{Cell, RefCell};
use std::path::Path;

/// A page on the screen, or one that is being computed.
#[derive(Debug)]
pub(crate) struct OpenPage {
    pub(crate) ticket: Ticket,
    pub(crate) subject: Subject,
    pub(crate) page: Option<Box<Page>>,
    /// Whether the page is of an earlier state, and a new one is being computed.
    pub(crate) is_outdated: bool,
    pub(crate) offset: usize,
    /// The choice under the cursor.
    pub(crate) choice: usize,
    /// The height of the page in lines, and the number of lines, at the last drawing.
    pub(crate) height: Cell<(usize, usize)>,
    /// Where the lines were drawn last.
    pub(crate) area: Cell<Rect>,
    /// The lines of the page, wrapped at a width.
    pub(crate) lines: RefCell<Option<(usize, Vec<PageLine>)>>,
}

impl OpenPage {
    /// Returns the file that the tree is compared with, if the page is about one.
    pub(crate) fn other_file(&self) -> Option<&Path> {
        match &self.subject {
            Subject::Diff(path) => Some(path),
            _ => None,
        }
    }

    /// Returns whether it is the page of the plan, which has a tab.
    pub(crate) fn is_plan(&self) -> bool {
        self.subject == Subject::Plan
    }

    /// Returns the page, unless it is of an earlier state.
    pub(crate) fn answer(&self) -> Option<&Page> {
        self.page.as_deref().filter(|_| !self.is_outdated)
    }
}

impl Drop for OpenPage {
    fn drop(&mut self) {
        // Nothing waits for a page that is not on the screen.
        self.ticket.cancel();
    }
}

/// A line as it is drawn.
#[derive(Debug)]
pub(crate) struct PageLine {
    pub(crate) line: Line<'static>,
    /// The choice of the page to which it belongs.
    pub(crate) choice: Option<usize>,
}

impl From<Line<'static>> for PageLine {
    fn from(line: Line<'static>) -> Self {
        Self { line, choice: None }
    }
}

impl OpenPage {
    /// Returns the choice under the cursor. `None` if the page has no choices or is of an earlier state.
    pub(crate) fn chosen(&self) -> Option<usize> {
        let page = self.answer()?;
        (self.choice < page.choices.len()).then_some(self.choice)
    }

    /// Returns the lines on the screen, by their place on the page.
    pub(crate) fn on_screen(&self) -> std::ops::Range<usize> {
        let (height, count) = self.height.get();
        // The screen may have grown since.
        let first = self.offset.min(count.saturating_sub(height));
        first..(first + height).min(count)
    }

    /// Returns the first line of a choice.
    fn line_of(&self, choice: usize) -> Option<usize> {
        let lines = self.lines.borrow();
        let (_, lines) = lines.as_ref()?;
        lines.iter().position(|line| line.choice == Some(choice))
    }

    /// Returns whether a choice is on the screen.
    fn is_on_screen(&self, choice: usize) -> bool {
        let line = self.line_of(choice);
        line.is_some_and(|line| self.on_screen().contains(&line))
    }

    /// Returns whether the choice under the cursor is on the screen.
    pub(crate) fn is_choice_on_screen(&self) -> bool {
        self.chosen()
            .is_some_and(|choice| self.is_on_screen(choice))
    }

    /// Scrolls as little as brings the choice under the cursor onto the screen.
    pub(crate) fn show_choice(&mut self) {
        let Some(line) = self.chosen().and_then(|choice| self.line_of(choice)) else {
            return;
        };
        let (height, _) = self.height.get();
        let shown = self.on_screen();
        if line < shown.start {
            self.offset = line;
        } else if line >= shown.end {
            self.offset = (line + 1).saturating_sub(height);
        }
    }

    /// Scrolls by so many lines.
    pub(crate) fn scroll(&mut self, by: isize) {
        let (height, count) = self.height.get();
        let last = count.saturating_sub(height);
        self.offset = self.on_screen().start.saturating_add_signed(by).min(last);
    }

    /// Goes to the next choice or the one before; if that is not on the screen, the page scrolls.
    pub(crate) fn step(&mut self, by: isize) {
        let next = self.chosen().and_then(|at| at.checked_add_signed(by));
        let count = self.answer().map_or(0, |page: &Page| page.choices.len());
        let next = next.filter(|&next| next < count && self.is_on_screen(next));
        match next {
            Some(next) => self.choice = next,
            None => self.scroll(by),
        }
    }
}
