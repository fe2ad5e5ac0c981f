//! A page on the screen.

use crate::base::shown::Shown;
use crate::report::manual::Topic;
use crate::tui::job::Ticket;
use crate::tui::page::content::{Page, Subject};
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
    /// The choice that is marked, to be compared with another one.
    pub(crate) marked: Option<usize>,
    /// The page from which this one was opened, and which is gone back to.
    pub(crate) before: Option<Box<Self>>,
    /// The height of the page in lines, and the number of lines, at the last drawing.
    pub(crate) height: Cell<(usize, usize)>,
    /// The lines of the page, wrapped at a width.
    pub(crate) lines: RefCell<Option<(usize, Vec<PageLine>)>>,
    /// The text that is searched for; empty without a search.
    pub(crate) search: String,
    /// The line of the match that was gone to last.
    pub(crate) matched: Option<usize>,
    /// Where the topics of the manual were left by a link, the last one at the end.
    pub(crate) trail: Vec<TopicPlace>,
    /// What is to be in sight instead of the lines at the offset, until a key scrolls.
    pub(crate) sought: Option<Sought>,
}

/// A place on a page that is known before its lines are laid out.
#[derive(Clone, Debug)]
pub(crate) struct Sought {
    /// The heading that it is below; empty for what is above the first one.
    pub(crate) heading: Shown,
    /// A word that is there; empty for the heading itself.
    pub(crate) word: String,
}

impl Sought {
    /// Returns its line among those of the page: that of the heading if no line below it has the word, and the first if
    /// there is no such heading.
    fn line_among(&self, lines: &[PageLine]) -> usize {
        let mut heading = None;
        for (place, line) in lines.iter().enumerate() {
            let text = line.line.to_string();
            if heading.is_none() {
                if !self.heading.is_empty() && text.trim() != &*self.heading {
                    continue;
                }
                heading = Some(place);
            }
            if self.word.is_empty() {
                break;
            }
            if !matches(&text, &self.word).is_empty() {
                return place;
            }
        }
        heading.unwrap_or(0)
    }
}

/// How many lines before a match are in sight, to show what it is about.
const BEFORE_MATCH: usize = 3;

/// A place in the manual that can be gone back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TopicPlace {
    pub(crate) topic: Topic,
    /// The first line in sight.
    pub(crate) offset: usize,
    /// The link under the cursor.
    pub(crate) choice: usize,
}

/// A line of a page, in the styles of the theme.
#[derive(Debug, Default)]
pub(crate) struct PageLine {
    pub(crate) line: Line<'static>,
    /// The choice of the page to which it belongs.
    pub(crate) choice: Option<usize>,
    /// The links on the line: the columns of each, and its choice.
    pub(crate) links: Vec<(Range<u16>, usize)>,
    /// The line with the headings of its table; `None` for a line that is no row of a table.
    pub(crate) headings: Option<usize>,
}

impl PageLine {
    /// Returns whether a choice is on the line, as a link or as the whole of it.
    fn offers(&self, choice: usize) -> bool {
        if self.choice == Some(choice) {
            return true;
        }
        for (_, link) in &self.links {
            if *link == choice {
                return true;
            }
        }
        false
    }

    /// Returns the first choice of the line; `None` if it has none.
    fn first_choice(&self) -> Option<usize> {
        if self.choice.is_some() {
            return self.choice;
        }
        let (_, link) = self.links.first()?;
        Some(*link)
    }

    /// Returns the choice at a column: that of the link there, or else that of the whole line.
    fn choice_at(&self, column: u16) -> Option<usize> {
        for (columns, link) in &self.links {
            if columns.contains(&column) {
                return Some(*link);
            }
        }
        self.choice
    }
}

impl OpenPage {
    /// Returns a page that is being computed, by the job of this ticket.
    pub(crate) fn new(ticket: Ticket, subject: Subject) -> Self {
        Self {
            ticket,
            subject,
            typed: None,
            page: None,
            is_outdated: false,
            offset: 0,
            choice: 0,
            marked: None,
            before: None,
            height: Cell::default(),
            lines: RefCell::default(),
            search: String::new(),
            matched: None,
            trail: Vec::new(),
            sought: None,
        }
    }

    /// Returns the topic of the manual that it shows; `None` for other pages.
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
        if self.choice < page.choice_count() {
            Some(self.choice)
        } else {
            None
        }
    }

    /// Returns the place of the first line of the screen.
    pub(crate) fn first_line(&self) -> usize {
        let (height, _) = self.height.get();
        match &*self.lines.borrow() {
            Some((_, lines)) => self.first_line_among(lines, height),
            None => self.offset.min(self.last_offset()),
        }
    }

    /// Returns the place of the first line of a screen of that height, among the lines of the page.
    pub(crate) fn first_line_among(&self, lines: &[PageLine], height: usize) -> usize {
        let mut offset = self.offset;
        if let Some(sought) = &self.sought {
            offset = sought.line_among(lines).saturating_sub(BEFORE_MATCH);
        }
        // The screen may have grown since.
        offset.min(lines.len().saturating_sub(height))
    }

    /// Scrolls to what is sought, so that keys go on from there.
    pub(crate) fn settle(&mut self) {
        let Some(sought) = self.sought.clone() else {
            return;
        };
        self.offset = self.first_line();
        if let Some((_, lines)) = &*self.lines.borrow() {
            self.matched = Some(sought.line_among(lines));
            self.sought = None;
        }
    }

    /// Returns the headings that cover the first line of the screen, because their table began above it.
    fn covering_headings(&self) -> Option<usize> {
        let lines = self.lines.borrow();
        let (_, lines) = lines.as_ref()?;
        covering_headings(lines, self.first_line())
    }

    /// Returns the lines on the screen, by their place on the page. Headings cover the first one where their table began
    /// above it.
    fn on_screen(&self) -> Range<usize> {
        let (height, count) = self.height.get();
        let first = self.first_line();
        let end = (first + height).min(count);
        if self.covering_headings().is_some() {
            return (first + 1).min(end)..end;
        }
        first..end
    }

    /// Returns the last choice; 0 if there is none.
    fn last_choice(&self) -> usize {
        match self.answer() {
            Some(page) => page.choice_count().saturating_sub(1),
            None => 0,
        }
    }

    /// Returns whether its rows are jobs.
    pub(crate) fn lists_jobs(&self) -> bool {
        match self.answer() {
            Some(page) => !page.jobs.is_empty(),
            None => false,
        }
    }

    /// Returns the choice at a line of the screen and a column.
    pub(crate) fn choice_at(&self, line: usize, column: u16) -> Option<usize> {
        let lines = self.lines.borrow();
        let (_, lines) = lines.as_ref()?;
        let place = self.first_line() + line;
        if !self.on_screen().contains(&place) {
            return None;
        }
        lines.get(place)?.choice_at(column)
    }

    /// Returns the first line on which a choice is; `None` if the page was not drawn yet.
    fn line_of(&self, choice: usize) -> Option<usize> {
        let lines = self.lines.borrow();
        let (_, lines) = lines.as_ref()?;
        for (place, line) in lines.iter().enumerate() {
            if line.offers(choice) {
                return Some(place);
            }
        }
        None
    }

    /// Returns whether a choice is on the screen.
    fn is_on_screen(&self, choice: usize) -> bool {
        match self.line_of(choice) {
            Some(line) => self.on_screen().contains(&line),
            None => false,
        }
    }

    /// Returns whether the choice under the cursor is on the screen.
    pub(crate) fn is_choice_on_screen(&self) -> bool {
        match self.chosen() {
            Some(choice) => self.is_on_screen(choice),
            None => false,
        }
    }

    /// Returns the first choice of each line on the screen that has one.
    fn choices_on_screen(&self) -> Vec<usize> {
        let mut choices = Vec::new();
        let shown = self.on_screen();
        if let Some((_, lines)) = &*self.lines.borrow() {
            for line in lines.get(shown).unwrap_or_default() {
                choices.extend(line.first_choice());
            }
        }
        choices
    }

    /// Returns the first choice on the screen; `None` if there is none.
    pub(crate) fn first_choice_on_screen(&self) -> Option<usize> {
        self.choices_on_screen().first().copied()
    }

    /// Moves the cursor of a list of jobs to the nearest one on the screen, if there is any.
    fn keep_job_on_screen(&mut self) {
        if !self.lists_jobs() || self.is_choice_on_screen() {
            return;
        }
        let shown = self.choices_on_screen();
        if let Some(&first) = shown.first()
            && let Some(&last) = shown.last()
        {
            self.choice = self.choice.clamp(first, last);
        }
    }

    /// Scrolls as little as brings the choice under the cursor onto the screen.
    pub(crate) fn show_choice(&mut self) {
        self.settle();
        let Some(line) = self.chosen().and_then(|choice| self.line_of(choice)) else {
            return;
        };
        let (height, _) = self.height.get();
        let shown = self.on_screen();
        if line < shown.start {
            self.offset = line;
            if self.covering_headings().is_some() {
                self.offset = line - 1;
            }
        } else if line >= shown.end {
            self.offset = (line + 1).saturating_sub(height);
        }
    }

    /// Returns the offset at which the last line is at the bottom.
    fn last_offset(&self) -> usize {
        let (height, count) = self.height.get();
        count.saturating_sub(height)
    }

    /// Scrolls by so many lines, up if negative, as far as there are lines.
    pub(crate) fn scroll(&mut self, by: isize) {
        self.settle();
        let last = self.last_offset();
        self.offset = self.first_line().saturating_add_signed(by).min(last);
        if by == isize::MAX && self.lists_jobs() {
            self.choice = self.last_choice();
        }
        self.keep_job_on_screen();
    }

    /// Scrolls to the next line that contains the text searched for, or to the previous one; from the last match to the
    /// first. Returns whether there is any. With `is_here` a match on the first line of the screen counts.
    pub(crate) fn find(&mut self, is_forward: bool, is_here: bool) -> bool {
        self.settle();
        let at = self.matched.unwrap_or(self.offset);
        let found = self.lines_with_match();
        let mut next;
        if is_forward {
            next = found.first();
            for line in found.iter().rev() {
                if *line > at || (is_here && *line == at) {
                    next = Some(line);
                }
            }
        } else {
            next = found.last();
            for line in &found {
                if *line < at {
                    next = Some(line);
                }
            }
        }
        let Some(&next) = next else { return false };
        self.matched = Some(next);
        if !self.on_screen().contains(&next) {
            let last = self.last_offset();
            self.offset = next.saturating_sub(BEFORE_MATCH).min(last);
        }
        true
    }

    /// Returns the places of the lines that contain the text searched for.
    fn lines_with_match(&self) -> Vec<usize> {
        let mut found = Vec::new();
        if let Some((_, lines)) = &*self.lines.borrow() {
            for (place, line) in lines.iter().enumerate() {
                if !matches(&line.line.to_string(), &self.search).is_empty() {
                    found.push(place);
                }
            }
        }
        found
    }

    /// Goes to the next choice or the one before; if that is not on the screen, the page scrolls. In a list of jobs the
    /// cursor then goes on as well.
    pub(crate) fn step(&mut self, by: isize) {
        let is_moved = self.step_on_screen(by);
        if is_moved {
            return;
        }
        let chosen = self.choice;
        self.scroll(by);
        if self.lists_jobs() && self.choice == chosen {
            self.step_on_screen(by);
        }
    }

    /// Goes to the next choice or the one before, if that is on the screen. Returns whether it is.
    fn step_on_screen(&mut self, by: isize) -> bool {
        let last = self.last_choice();
        if let Some(chosen) = self.chosen()
            && let Some(next) = chosen.checked_add_signed(by)
            && next <= last
            && self.is_on_screen(next)
        {
            self.choice = next;
            return true;
        }
        false
    }
}

impl Drop for OpenPage {
    fn drop(&mut self) {
        // Nothing waits for a page that is not on the screen.
        self.ticket.cancel();
    }
}

/// Returns the headings that cover the line at a place: those of its table, unless they are on the screen themselves.
pub(crate) fn covering_headings(lines: &[PageLine], first: usize) -> Option<usize> {
    lines.get(first)?.headings
}

/// Returns where a text occurs in a line, in bytes. The case of ASCII letters makes no difference.
pub(crate) fn matches(line: &str, text: &str) -> Vec<Range<usize>> {
    if text.is_empty() {
        return Vec::new();
    }
    let sought = text.to_ascii_lowercase();
    let mut found = Vec::new();
    for (at, part) in line.to_ascii_lowercase().match_indices(&sought) {
        found.push(at..at + part.len());
    }
    found
}
