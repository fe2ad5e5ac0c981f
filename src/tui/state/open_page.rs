//! A page on the screen.

use crate::report::manual::Topic;
use crate::tui::job::Ticket;
use crate::tui::page::content::{Page, Subject};
use ratatui::layout::Rect;
use ratatui::text::Line;
use std::cell::{Cell, RefCell};
use std::ops::Range;

/// A page on the screen, or one that is being computed.
#[derive(Debug)]
pub(crate) struct OpenPage {
    pub(crate) ticket: Ticket,
    pub(crate) subject: Subject,
    /// The line of the prompt for a path that asked for it, if one did, until there is an answer.
    pub(crate) typed: Option<String>,
    pub(crate) page: Option<Box<Page>>,
    /// Whether the page is of an earlier state, and a new one is being computed.
    pub(crate) is_outdated: bool,
    pub(crate) offset: usize,
    pub(crate) choice: usize,
    /// The height of the page in lines, and the number of lines, at the last drawing.
    pub(crate) height: Cell<(usize, usize)>,
    pub(crate) area: Cell<Rect>,
    /// The lines of the page, wrapped at a width.
    pub(crate) lines: RefCell<Option<(usize, Vec<PageLine>)>>,
    /// The text that is searched for; empty without a search.
    pub(crate) search: String,
    /// The line of the match that was gone to last.
    pub(crate) matched: Option<usize>,
    /// The topics of the manual that were left by a link, with the offset and the choice there, the last one at the end.
    pub(crate) trail: Vec<(Topic, usize, usize)>,
}

#[derive(Debug, Default)]
pub(crate) struct PageLine {
    pub(crate) line: Line<'static>,
    /// The choice of the page to which it belongs.
    pub(crate) choice: Option<usize>,
    /// The links on the line: the columns of each, and its choice.
    pub(crate) links: Vec<(Range<u16>, usize)>,
}

impl PageLine {
    fn choices(&self) -> impl Iterator<Item = usize> {
        let links = self.links.iter().map(|&(_, choice)| choice);
        self.choice.into_iter().chain(links)
    }

    /// Returns the choice at a column: that of the link there, or else that of the whole line.
    fn choice_at(&self, column: u16) -> Option<usize> {
        let mut links = self.links.iter();
        let link = links.find(|(columns, _)| columns.contains(&column));
        link.map(|&(_, choice)| choice).or(self.choice)
    }
}

impl OpenPage {
    pub(crate) fn new(ticket: Ticket, subject: Subject) -> Self {
        Self {
            ticket,
            subject,
            typed: None,
            page: None,
            is_outdated: false,
            offset: 0,
            choice: 0,
            height: Cell::default(),
            area: Cell::default(),
            lines: RefCell::default(),
            search: String::new(),
            matched: None,
            trail: Vec::new(),
        }
    }

    pub(crate) fn topic(&self) -> Option<Topic> {
        match self.subject {
            Subject::Manual(topic) => Some(topic),
            _ => None,
        }
    }

    /// The plan has a tab.
    pub(crate) fn is_plan(&self) -> bool {
        self.subject == Subject::Plan
    }

    /// Returns the page, unless it is of an earlier state.
    pub(crate) fn answer(&self) -> Option<&Page> {
        self.page.as_deref().filter(|_| !self.is_outdated)
    }

    /// Returns the choice under the cursor. `None` if the page has no choices or is of an earlier state.
    pub(crate) fn chosen(&self) -> Option<usize> {
        let page = self.answer()?;
        (self.choice < page.choice_count()).then_some(self.choice)
    }

    /// Returns the lines on the screen, by their place on the page.
    pub(crate) fn on_screen(&self) -> Range<usize> {
        let (height, count) = self.height.get();
        // The screen may have grown since.
        let first = self.offset.min(count.saturating_sub(height));
        first..(first + height).min(count)
    }

    /// Returns the choice at a line of the screen and a column.
    pub(crate) fn choice_at(&self, line: usize, column: u16) -> Option<usize> {
        let lines = self.lines.borrow();
        let (_, lines) = lines.as_ref()?;
        lines.get(self.on_screen().start + line)?.choice_at(column)
    }

    fn line_of(&self, choice: usize) -> Option<usize> {
        let lines = self.lines.borrow();
        let (_, lines) = lines.as_ref()?;
        let offers = |line: &PageLine| line.choices().any(|other| other == choice);
        lines.iter().position(offers)
    }

    fn is_on_screen(&self, choice: usize) -> bool {
        let line = self.line_of(choice);
        line.is_some_and(|line| self.on_screen().contains(&line))
    }

    pub(crate) fn is_choice_on_screen(&self) -> bool {
        let chosen = self.chosen();
        chosen.is_some_and(|choice| self.is_on_screen(choice))
    }

    pub(crate) fn first_choice_on_screen(&self) -> Option<usize> {
        let lines = self.lines.borrow();
        let (_, lines) = lines.as_ref()?;
        let shown = lines.get(self.on_screen())?.iter();
        shown.flat_map(PageLine::choices).next()
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

    fn last_offset(&self) -> usize {
        let (height, count) = self.height.get();
        count.saturating_sub(height)
    }

    pub(crate) fn scroll(&mut self, by: isize) {
        let last = self.last_offset();
        self.offset = self.on_screen().start.saturating_add_signed(by).min(last);
    }

    /// Scrolls to the next line that contains the text searched for, or to the previous one; from the last match to the
    /// first. Returns whether there is any. With `is_here` a match on the first line of the screen counts.
    pub(crate) fn find(&mut self, is_forward: bool, is_here: bool) -> bool {
        let lines = self.lines.borrow();
        let lines = lines.iter().flat_map(|(_, lines)| lines).enumerate();
        let has_text = |line: &PageLine| !matches(&line.line.to_string(), &self.search).is_empty();
        let found = lines.filter(|(_, line)| has_text(line));
        let found: Vec<usize> = found.map(|(place, _)| place).collect();
        let at = self.matched.unwrap_or(self.offset);
        let next = if is_forward {
            let from = if is_here { at } else { at + 1 };
            let later = found.iter().find(|&&line| line >= from);
            later.or_else(|| found.first())
        } else {
            let earlier = found.iter().rfind(|&&line| line < at);
            earlier.or_else(|| found.last())
        };
        let Some(&next) = next else { return false };
        self.matched = Some(next);
        if !self.on_screen().contains(&next) {
            // A few lines before the match show what it is about.
            let last = self.last_offset();
            self.offset = next.saturating_sub(3).min(last);
        }
        true
    }

    /// Goes to the next choice or the one before; if that is not on the screen, the page scrolls.
    pub(crate) fn step(&mut self, by: isize) {
        let next = self.chosen().and_then(|at| at.checked_add_signed(by));
        let count = self.answer().map_or(0, Page::choice_count);
        match next.filter(|&next| next < count && self.is_on_screen(next)) {
            Some(next) => self.choice = next,
            None => self.scroll(by),
        }
    }
}

impl Drop for OpenPage {
    fn drop(&mut self) {
        // Nothing waits for a page that is not on the screen.
        self.ticket.cancel();
    }
}

/// Returns where a text occurs in a line, in bytes. The case of ASCII letters makes no difference.
pub(crate) fn matches(line: &str, text: &str) -> Vec<Range<usize>> {
    if text.is_empty() {
        return Vec::new();
    }
    let (line, text) = (line.to_ascii_lowercase(), text.to_ascii_lowercase());
    let found = line.match_indices(&text);
    found.map(|(at, found)| at..at + found.len()).collect()
}
