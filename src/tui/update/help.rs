//! The help: which keys it lists, and the keys while it is open.

use crate::base::shown::{Shown, sentence};
use crate::tui::input::action::{Action, Group};
use crate::tui::screen::hints::{ends, hints};
use crate::tui::state::app::App;
use crate::tui::state::dialog::Dialog;
use crate::tui::state::dialog::{Help, HelpEntry, HelpSection};
use crate::tui::state::screen::{Front, Screen};
use crate::tui::state::ui::Ui;
use crate::tui::update::handler::{help_on, works};
use crossterm::event::{KeyCode, KeyEvent};

/// What the mouse does, as help lists it.
const MOUSE: &[(&str, &str)] = &[
    (
        "click",
        "Select a row, fold at its triangle, sort at a heading, press a hint or a tab",
    ),
    ("double click", "Edit shares, or usage in its column"),
    ("drag", "Move the clock on the chart"),
    ("wheel", "Scroll what is under the pointer"),
    ("shift-drag", "Select text, as the terminal does"),
];

impl App {
    /// Opens the help about what is in front.
    pub(crate) fn open_help(&mut self) {
        let front = self.front();
        let mut hints = hints(self);
        // They stand at the end of the last line, but help should be the first key of the help.
        let behind_the_first = hints.len().min(1);
        hints.splice(behind_the_first..behind_the_first, ends(front));
        let first: Vec<Action> = hints
            .into_iter()
            .map(|(action, _)| action)
            .filter(|&action| works(front, action))
            .collect();
        let mut sections = vec![section(
            &self.ui,
            "On this screen",
            first.iter().copied(),
            front,
        )];
        for &group in Group::ALL {
            let actions = Action::ALL.iter().copied();
            let others = actions.filter(|&action| {
                action.group() == group && !first.contains(&action) && works(front, action)
            });
            sections.push(section(&self.ui, group.title(), others, front));
        }
        if !self.ui.options.without_mouse {
            let entries = MOUSE.iter().map(|&(keys, help)| HelpEntry {
                keys: vec![keys.into()],
                name: "",
                help,
            });
            sections.push(HelpSection {
                title: "Mouse",
                entries: entries.collect(),
            });
        }
        sections.retain(|section| !section.entries.is_empty());
        let place = place(front);
        self.ui.dialog = Some(Dialog::Help(Help {
            place,
            sections,
            query: String::new(),
            offset: 0,
        }));
    }

    /// Scrolls the help, or narrows it by what is typed.
    pub(crate) fn press_in_help(&mut self, event: KeyEvent, action: Option<Action>) {
        let is_typed = self.types(event);
        let (height, rows) = self.ui.regions.borrow().help;
        let Some(Dialog::Help(help)) = &mut self.ui.dialog else {
            return;
        };
        let last = rows.saturating_sub(height);
        // The window may have grown since.
        let offset = help.offset.min(last);
        let page = height.max(1);
        match (event.code, action) {
            (KeyCode::Char(' '), _) if is_typed && help.query.is_empty() => {
                help.offset = if offset < last {
                    (offset + page).min(last)
                } else {
                    0
                };
            }
            (KeyCode::Char('?'), _) if is_typed && help.query.is_empty() => self.ui.dialog = None,
            (KeyCode::Char(char), _) if is_typed => {
                help.query.push(char);
                help.offset = 0;
            }
            // Some terminals send ^H for the backspace key.
            (KeyCode::Backspace, _) | (KeyCode::Char('h'), None) => {
                help.query.pop();
                help.offset = 0;
            }
            (KeyCode::Enter, _) => self.ui.dialog = None,
            (_, Some(Action::Down)) => help.offset = (offset + 1).min(last),
            (_, Some(Action::Up)) => help.offset = offset.saturating_sub(1),
            (_, Some(Action::PageDown)) => help.offset = (offset + page).min(last),
            (_, Some(Action::PageUp)) => help.offset = offset.saturating_sub(page),
            (_, Some(Action::First)) => help.offset = 0,
            (_, Some(Action::Last)) => help.offset = last,
            _ => {}
        }
    }
}

/// Returns the name of what is in front.
fn place(front: Front<'_>) -> &'static str {
    match front {
        Front::Nothing => "fairscope",
        Front::Page { open, .. } if open.topic().is_some() => "the manual",
        Front::Page { open, .. } if open.is_plan() => "the Plan screen",
        Front::Page { .. } => "this page",
        Front::Screen(Screen::Tree) => "the Tree screen",
        Front::Screen(Screen::Ranking) => "the Ranking screen",
        Front::Screen(Screen::Policies) => "the Policies screen",
        Front::Screen(Screen::Time) => "the Time screen",
    }
}

/// Returns a section of help about these actions. Those without a key are left out.
fn section(
    ui: &Ui,
    title: &'static str,
    actions: impl Iterator<Item = Action>,
    front: Front<'_>,
) -> HelpSection {
    let entries = actions.filter_map(|action| {
        let keys = ui.options.keymap.keys(action).iter();
        let keys: Vec<Shown> = keys.map(|key| sentence!("{key}")).collect();
        (!keys.is_empty()).then_some(HelpEntry {
            keys,
            name: action.name(),
            help: help_on(front, action),
        })
    });
    HelpSection {
        title,
        entries: entries.collect(),
    }
}
