//! Menus, questions and the dialogs that are only read: their keys, and the effect of each choice.

use crate::base::shown::{Shown, sentence};
use crate::format::{Example, Request};
use crate::report::outline::{Filter, Listing, Sort};
use crate::rules::policy::{ColumnId, Policy};
use crate::tui::input::action::Action;
use crate::tui::screen::{columns, source_dialog};
use crate::tui::state::columns::{available, insert};
use crate::tui::state::{
    App, Choice, Confirm, Dialog, Effect, Item, Overwrite, Screen, Session, Ui,
};
use crate::tui::update::{
    family, manual, marks, opening, saving, scenarios, settings, structure, themes,
};
use crate::tui::widget::layout::Layout;
use crossterm::event::{KeyCode, KeyEvent};

/// The rows that a page key moves by in a dialog.
pub(crate) const PAGE: usize = 10;

/// Returns where an action moves a cursor between the first place and the last, or `None` if it moves none.
pub(crate) fn moved(
    action: Option<Action>,
    cursor: usize,
    last: usize,
    page: usize,
) -> Option<usize> {
    let place = match action? {
        Action::Down => cursor + 1,
        Action::Up => cursor.saturating_sub(1),
        Action::PageDown => cursor + page,
        Action::PageUp => cursor.saturating_sub(page),
        Action::First => 0,
        Action::Last => last,
        _ => return None,
    };
    Some(place.min(last))
}

pub(crate) fn open_source(session: &mut Session, ui: &mut Ui) {
    ui.dialog = Some(source_dialog::open(session));
}

/// Returns whether an action works while the plot of the factor is open. The key of any other action closes it.
const fn is_for_plot(action: Action) -> bool {
    matches!(
        action,
        Action::Down
            | Action::Up
            | Action::PageDown
            | Action::PageUp
            | Action::First
            | Action::Last
            | Action::NextPolicy
            | Action::LowerSetting
            | Action::RaiseSetting
    )
}

impl App {
    /// Handles a key while the plot of the factor is open: its own key switches between the curves and the map.
    pub(crate) fn press_in_plot(&mut self, action: Option<Action>) {
        match (&self.ui.dialog, action) {
            (Some(Dialog::Curves), Some(Action::Curves)) => self.act(Action::Surface),
            (_, Some(action)) if action == Action::Curves || is_for_plot(action) => {
                self.act(action);
            }
            _ => self.ui.dialog = None,
        }
    }

    /// Scrolls the dialog about the source. Any other key closes it.
    pub(crate) fn scroll_source(&mut self, action: Option<Action>) {
        let Some(Dialog::Source(open)) = &mut self.ui.dialog else {
            return;
        };
        // The first entry is the verification.
        match moved(action, open.cursor, open.kinds.len(), PAGE) {
            Some(cursor) => open.cursor = cursor,
            None => self.ui.dialog = None,
        }
    }

    pub(crate) fn answer(&mut self, event: KeyEvent) {
        let Some(Dialog::Confirm(question)) = self.ui.dialog.take() else {
            return;
        };
        match (question, event.code) {
            (Confirm::Quit, KeyCode::Char('y' | 'Y')) => self.ui.queue(Effect::Quit),
            (
                Confirm::Replace { path, contents } | Confirm::Changed { path, contents },
                KeyCode::Char('y' | 'Y'),
            ) => {
                let sources = self.sources();
                self.ui.queue(Effect::Save {
                    path,
                    contents,
                    overwrite: Overwrite::Always,
                    sources,
                });
            }
            (Confirm::Unread { path, .. }, KeyCode::Char('y' | 'Y')) => {
                self.in_tree(|session, _| session.file.unread = Shown::default());
                self.save(path);
            }
            (
                Confirm::Quit
                | Confirm::Replace { .. }
                | Confirm::Changed { .. }
                | Confirm::Unread { .. },
                KeyCode::Char('w'),
            ) => self.in_tree(saving::ask_where_to_save),
            (Confirm::RemoveNodes(nodes), KeyCode::Char('y' | 'Y')) => {
                self.in_tree(|session, ui| structure::remove(session, ui, &nodes));
            }
            (Confirm::RemoveScenario, KeyCode::Char('y' | 'Y')) => {
                self.in_tree(scenarios::remove);
            }
            _ => {}
        }
    }

    pub(crate) fn press_in_menu(&mut self, event: KeyEvent, action: Option<Action>) {
        let is_typed = self.types(event);
        let Some(Dialog::Menu(menu)) = &mut self.ui.dialog else {
            return;
        };
        let last = menu.passing().len().saturating_sub(1);
        // Characters are typed, and only other keys keep their actions.
        let action = action.filter(|_| !is_typed);
        if let Some(cursor) = moved(action, menu.cursor, last, PAGE) {
            menu.cursor = cursor;
            return;
        }
        match (action, event.code) {
            (Some(Action::Quit), _) => self.ui.dialog = None,
            (Some(Action::LowerSetting), _) => {
                self.in_tree(|session, ui| step_setting(session, ui, -1));
            }
            (Some(Action::RaiseSetting), _) => {
                self.in_tree(|session, ui| step_setting(session, ui, 1));
            }
            (_, KeyCode::Enter | KeyCode::Char(' ')) if !is_typed => self.choose(),
            // Some terminals send ^H for the backspace key.
            (_, KeyCode::Backspace) | (None, KeyCode::Char('h')) if !is_typed => {
                menu.query.pop();
                menu.cursor = 0;
            }
            (_, KeyCode::Char(char)) if is_typed => {
                menu.query.push(char);
                menu.cursor = 0;
            }
            _ => {}
        }
    }

    pub(crate) fn choose(&mut self) {
        let Some(Dialog::Menu(menu)) = &self.ui.dialog else {
            return;
        };
        let cursor = menu.cursor;
        let Some(choice) = menu.passing().get(cursor).map(|item| item.choice) else {
            return;
        };
        if !matches!(choice, Choice::Column(_)) {
            self.ui.dialog = None;
        }
        match choice {
            Choice::Action(action) => self.act_anywhere(action),
            Choice::Policy(policy) => {
                self.ui.close_pages();
                self.in_tree(|session, ui| settings::choose_policy(session, ui, policy));
            }
            Choice::Example(example) => {
                let path = example.source().into();
                let request = Request {
                    path,
                    ..Request::default()
                };
                opening::open(&mut self.ui, request);
            }
            Choice::Lesson(name) => self.open_lesson(name),
            Choice::ResumeLesson => self.resume_lesson(),
            Choice::Theme(name) => themes::keep(&mut self.ui, name),
            Choice::Topic(topic) => manual::open(&mut self.ui, topic),
            choice => self.in_tree(|session, ui| choose(session, ui, choice)),
        }
    }
}

fn step_setting(session: &mut Session, ui: &mut Ui, by: i64) {
    let Some(Dialog::Menu(menu)) = &ui.dialog else {
        return;
    };
    let choice = menu.passing().get(menu.cursor).map(|item| item.choice);
    if let Some(Choice::Setting(key)) = choice {
        settings::step_in_menu(session, ui, key, by);
    }
}

fn choose(session: &mut Session, ui: &mut Ui, choice: Choice) {
    match choice {
        // These choices are not about the open tree alone.
        Choice::Action(_)
        | Choice::Example(_)
        | Choice::Lesson(_)
        | Choice::ResumeLesson
        | Choice::Theme(_)
        | Choice::Topic(_)
        | Choice::Policy(_) => {}
        Choice::Scenario(place) => scenarios::show(session, ui, place),
        Choice::RenameScenario => scenarios::ask_for_other_name(session, ui),
        Choice::RemoveScenario => scenarios::ask_to_remove(session, ui),
        Choice::CompareScenario => ui.dialog = Some(scenarios::comparison_menu(session)),
        Choice::Against(place) => scenarios::compare(session, ui, place),
        Choice::Sort(sort) => session.sort_by(sort),
        Choice::Mark(marking) => marks::mark_many(session, ui, marking),
        Choice::Family(edit) => family::edit(session, ui, edit),
        Choice::Setting(key) => settings::ask_for(session, ui, key, None),
        Choice::Filter(filter) => {
            session.change_outline(|outline, scenario| outline.set_filter(scenario, filter));
        }
        Choice::Column(column) => {
            let width = ui.regions.borrow().rows.width;
            let layout = ui.layout();
            let mut columns = columns::chosen(session, layout, width);
            if let Some(place) = columns.iter().position(|&shown| shown == column) {
                columns.remove(place);
            } else {
                insert(&mut columns, column);
            }
            session.columns.chosen = Some(columns);
            let newer = columns_menu(session, layout, width);
            if let Some(Dialog::Menu(menu)) = &mut ui.dialog {
                menu.renew(newer);
            }
        }
    }
}

pub(crate) fn choose_columns(session: &mut Session, ui: &mut Ui) {
    if session.screen == Screen::Policies {
        let (left, right) = (Action::ColumnsLeft, Action::ColumnsRight);
        return ui.say(sentence!(
            "the columns here are the policies; {} {} scroll them",
            ui.hint(left),
            ui.hint(right)
        ));
    }
    let width = ui.regions.borrow().rows.width;
    ui.dialog = Some(columns_menu(session, ui.layout(), width));
}

pub(crate) fn open_examples(ui: &mut Ui) {
    let items = Example::ALL
        .iter()
        .map(|&example| Item::new(Choice::Example(example), example.name(), example.help()));
    ui.dialog = Some(Dialog::menu("Built-in trees", items.collect(), 0));
}

/// Returns the name of a column in menus. A recorded column often has the same heading as a computed one, so menus tell
/// them apart.
fn name_of(column: ColumnId) -> Shown {
    match column {
        ColumnId::Recorded(fact) => sentence!("{}, recorded", fact.name()),
        column => column.heading().into(),
    }
}

/// Returns the menu of sort keys, under the headings that they have on the screen.
pub(crate) fn sort(session: &Session, _: &Ui) -> Dialog {
    let (title, order) = match session.listing() {
        Listing::Tree => ("Sort siblings by", "The source's own order"),
        Listing::Ranking => ("Sort by", "First to run first"),
        Listing::Users => ("Sort by", "Largest disagreement between policies first"),
    };
    let mut items = vec![
        Item::new(Choice::Sort(None), "default order", order),
        Item::new(Choice::Sort(Some(Sort::by(None))), "name", "Alphabetical"),
    ];
    let policy = session.scenario.policy();
    for column in available(&session.scenario) {
        let sort = Choice::Sort(Some(Sort::by(Some(column))));
        items.push(Item::new(sort, name_of(column), policy.column_help(column)));
    }
    let now = session.pane().outline.sort().map(|sort| sort.column);
    let is_now = |item: &Item| matches!(item.choice, Choice::Sort(sort) if sort.map(|sort| sort.column) == now);
    let cursor = items.iter().position(is_now).unwrap_or(0);
    Dialog::menu(title, items, cursor)
}

pub(crate) fn policies(session: &Session, _: &Ui) -> Dialog {
    let in_force = session.scenario.policy();
    let items = Policy::ALL.iter().map(|&policy| {
        let mark = if policy == in_force { "●" } else { " " };
        let name = sentence!("{mark} {}", policy.title());
        Item::new(Choice::Policy(policy), name, policy.help())
    });
    let cursor = Policy::ALL.iter().position(|&policy| policy == in_force);
    Dialog::menu("Policy", items.collect(), cursor.unwrap_or(0))
}

pub(crate) fn filter(session: &Session, _: &Ui) -> Dialog {
    let offered = || Filter::offered(&session.scenario);
    let items = offered().map(|filter| {
        let name = if filter == Filter::All {
            "everything"
        } else {
            filter.name()
        };
        Item::new(Choice::Filter(filter), name, filter.help())
    });
    let now = session.pane().outline.filter();
    let cursor = offered().position(|filter| filter == now);
    Dialog::menu("Show", items.collect(), cursor.unwrap_or(0))
}

/// Returns the menu of columns. The columns that a screen of this width shows are marked.
fn columns_menu(session: &Session, layout: Layout, width: u16) -> Dialog {
    let chosen = columns::chosen(session, layout, width);
    let policy = session.scenario.policy();
    let items = available(&session.scenario).into_iter().map(|column| {
        let mark = if chosen.contains(&column) { "x" } else { " " };
        let name = sentence!("[{mark}] {}", name_of(column));
        Item::new(Choice::Column(column), name, policy.column_help(column))
    });
    Dialog::menu("Columns to show", items.collect(), 0)
}
