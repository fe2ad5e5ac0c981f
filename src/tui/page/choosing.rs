//! Moving on a page: its lines scroll, and the cursor goes from one of its choices to the next.

use super::{Open, Page};
use crate::tui::dialog::Purpose;
use crate::tui::{Action, App, Effect};
use ratatui::layout::Position;

impl Open {
    /// The choice under the cursor, if the page offers any and says how things stand now.
    pub(super) fn chosen(&self) -> Option<usize> {
        let page = self.answer()?;
        (self.choice < page.choices.len()).then_some(self.choice)
    }

    /// The lines on the screen, by their place on the page.
    fn on_screen(&self) -> std::ops::Range<usize> {
        let (height, count) = self.height.get();
        // The screen may have grown since.
        let first = self.offset.min(count.saturating_sub(height));
        first..(first + height).min(count)
    }

    /// The first line of each choice.
    fn line_of(&self, choice: usize) -> Option<usize> {
        let lines = self.lines.borrow();
        let (_, lines) = lines.as_ref()?;
        lines.iter().position(|line| line.choice == Some(choice))
    }

    /// Whether a choice can be seen.
    fn is_on_screen(&self, choice: usize) -> bool {
        let line = self.line_of(choice);
        line.is_some_and(|line| self.on_screen().contains(&line))
    }

    /// Whether the choice under the cursor can be seen.
    pub(super) fn is_choice_on_screen(&self) -> bool {
        self.chosen()
            .is_some_and(|choice| self.is_on_screen(choice))
    }

    /// Scrolls as little as brings the choice under the cursor onto the screen.
    pub(super) fn show_choice(&mut self) {
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
    pub(super) fn scroll(&mut self, by: isize) {
        let (height, count) = self.height.get();
        let last = count.saturating_sub(height);
        self.offset = self.on_screen().start.saturating_add_signed(by).min(last);
    }

    /// Goes to the next choice or the one before; where there is none on the screen, the page scrolls.
    pub(super) fn step(&mut self, by: isize) {
        let next = self.chosen().and_then(|at| at.checked_add_signed(by));
        let count = self.answer().map_or(0, |page: &Page| page.choices.len());
        let next = next.filter(|&next| next < count && self.is_on_screen(next));
        match next {
            Some(next) => self.choice = next,
            None => self.scroll(by),
        }
    }
}

impl App {
    /// A click on a page: on one of its choices it puts the cursor there.
    pub(in crate::tui) fn click_on_page(&mut self, at: Position) -> Vec<Effect> {
        let Some(open) = &mut self.page else {
            return Vec::new();
        };
        let area = open.area.get();
        if !area.contains(at) || open.chosen().is_none() {
            return Vec::new();
        }
        let line = open.on_screen().start + usize::from(at.y - area.y);
        let lines = open.lines.borrow();
        let clicked = lines.as_ref().and_then(|(_, lines)| lines.get(line));
        let choice = clicked.and_then(|line| line.choice);
        drop(lines);
        if let Some(choice) = choice {
            open.choice = choice;
        }
        Vec::new()
    }

    /// Scrolls a page by so many lines, as the wheel does.
    pub(in crate::tui) fn scroll_page(&mut self, by: isize) {
        if let Some(open) = &mut self.page {
            open.scroll(by);
        }
    }

    /// Makes the choice under the cursor an edit; one that is off the screen is shown first.
    pub(super) fn apply_choice(&mut self) -> Vec<Effect> {
        let Some(open) = &mut self.page else {
            return Vec::new();
        };
        let Some(page) = open.answer() else {
            return self.say(super::keys::UNANSWERED);
        };
        let lacks_cluster = page.lacks_cluster;
        let Some((edit, node)) = open.chosen().map(|choice| page.choices[choice].clone()) else {
            return if lacks_cluster {
                self.prompt(Purpose::Cluster, String::new())
            } else {
                Vec::new()
            };
        };
        if !open.is_choice_on_screen() {
            open.show_choice();
            let key = self.keymap.hint(Action::Toggle);
            return self.say(format!("{key} applies this one"));
        }
        self.page = None;
        let text = self
            .session()
            .map(|session| crate::scenario::write(&edit, session.scenario.tree()));
        let mut effects = self.apply(edit);
        if let Some(session) = self.session_mut() {
            session.select(node);
        }
        if self.notice.is_none() {
            let key = self.keymap.hint(Action::Undo);
            let text = crate::base::shown::visible(&text.unwrap_or_default());
            effects.extend(self.say(format!("applied {text}; {key} takes it back")));
        }
        effects
    }
}
