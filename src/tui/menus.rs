//! Menus: what they offer, how their keys move, what choosing does.

use super::dialog::{Choice, Dialog, Menu};
use super::session::Session;
use super::{Action, App, Effect};
use crate::model::Settings;
use crate::outline::{Filter, Sort, View};
use crate::policy::{ColumnId, Policy};
use crossterm::event::{KeyCode, KeyEvent};

impl App {
    pub(super) fn palette(&self) -> Dialog {
        let choices = Action::ALL.iter().map(|&action| {
            let name = format!("{:<15} {}", action.name(), self.keymap.hint(action));
            (Choice::Action(action), name, action.help().to_owned())
        });
        menu("Actions", choices.collect(), 0, true)
    }

    pub(super) fn press_in_menu(&mut self, event: KeyEvent, action: Option<Action>) -> Vec<Effect> {
        let Some(Dialog::Menu(menu)) = &mut self.dialog else {
            return Vec::new();
        };
        let count = menu.passing().len();
        // In a menu that takes text only the keys that are no characters keep their meaning.
        let action = action.filter(|_| !menu.takes_text || !matches!(event.code, KeyCode::Char(_)));
        match (action, event.code) {
            (_, KeyCode::Esc) | (Some(Action::Quit), _) => self.dialog = None,
            (Some(Action::Down), _) => menu.cursor = (menu.cursor + 1).min(count.saturating_sub(1)),
            (Some(Action::Up), _) => menu.cursor = menu.cursor.saturating_sub(1),
            (Some(Action::PageDown), _) => {
                menu.cursor = (menu.cursor + 10).min(count.saturating_sub(1));
            }
            (Some(Action::PageUp), _) => menu.cursor = menu.cursor.saturating_sub(10),
            (Some(Action::First), _) => menu.cursor = 0,
            (Some(Action::Last), _) => menu.cursor = count.saturating_sub(1),
            (_, KeyCode::Enter | KeyCode::Char(' '))
                if !menu.takes_text || event.code == KeyCode::Enter =>
            {
                return self.choose();
            }
            (_, KeyCode::Backspace) => {
                menu.query.pop();
                menu.cursor = 0;
            }
            (_, KeyCode::Char(char)) if menu.takes_text => {
                menu.query.push(char);
                menu.cursor = 0;
            }
            _ => {}
        }
        Vec::new()
    }

    /// Does what the line under the cursor of a menu says.
    pub(super) fn choose(&mut self) -> Vec<Effect> {
        let Some(Dialog::Menu(menu)) = &self.dialog else {
            return Vec::new();
        };
        let cursor = menu.cursor;
        let Some(&(choice, ..)) = menu.passing().get(cursor).copied() else {
            return Vec::new();
        };
        if !matches!(choice, Choice::Column(_)) {
            self.dialog = None;
        }
        let width = self.regions.rows.width;
        let Some(session) = self.session_mut() else {
            return if let Choice::Action(action) = choice {
                self.act(action)
            } else {
                Vec::new()
            };
        };
        match choice {
            Choice::Action(action) => return self.act(action),
            Choice::Sort(sort) => session.sort_by(sort),
            Choice::Policy(policy) => return self.choose_policy(policy),
            Choice::Setting(key) => return self.ask_for_setting(key, None),
            Choice::Filter(filter) => {
                session.change_outline(|outline, scenario| outline.set_filter(scenario, filter));
            }
            Choice::Column(column) => {
                let mut columns = super::columns::chosen(session, width);
                if let Some(place) = columns.iter().position(|&shown| shown == column) {
                    columns.remove(place);
                } else {
                    columns.push(column);
                    columns.sort_by_key(|column| super::columns::place(*column));
                }
                session.columns = Some(columns);
                let mut menu = self::columns(session);
                if let Dialog::Menu(menu) = &mut menu {
                    menu.cursor = cursor;
                }
                self.dialog = Some(menu);
            }
        }
        Vec::new()
    }
}

fn menu(
    title: &'static str,
    choices: Vec<(Choice, String, String)>,
    cursor: usize,
    takes_text: bool,
) -> Dialog {
    Dialog::Menu(Menu {
        title,
        choices,
        query: String::new(),
        cursor,
        takes_text,
    })
}

pub(super) fn sort(session: &Session) -> Dialog {
    let order = match session.view {
        View::Tree => "the source's own order",
        View::Ranking => "first to run on top",
        View::Users => "those on whom policies disagree most on top",
    };
    let mut choices = vec![(
        Choice::Sort(None),
        "tree order".to_owned(),
        order.to_owned(),
    )];
    choices.push((
        Choice::Sort(Some(Sort::by(None))),
        "name".to_owned(),
        "By the bytes of the name".to_owned(),
    ));
    for column in super::columns::available(session) {
        let sort = Choice::Sort(Some(Sort::by(Some(column))));
        choices.push((sort, column.name().to_owned(), column.help().to_owned()));
    }
    let now = session.pane().outline.sort().map(|sort| sort.column);
    let is_now = |choice: &Choice| matches!(choice, Choice::Sort(sort) if sort.map(|sort| sort.column) == now);
    let cursor = choices
        .iter()
        .position(|(choice, ..)| is_now(choice))
        .unwrap_or(0);
    menu("Sort siblings by", choices, cursor, false)
}

pub(super) fn policies(session: &Session) -> Dialog {
    let in_force = session.scenario.policy();
    let choices = Policy::ALL.iter().map(|&policy| {
        let mark = if policy == in_force { "●" } else { " " };
        (
            Choice::Policy(policy),
            format!("{mark} {}", policy.title()),
            policy.help().to_owned(),
        )
    });
    let cursor = Policy::ALL.iter().position(|&policy| policy == in_force);
    menu("Policy", choices.collect(), cursor.unwrap_or(0), false)
}

pub(super) fn settings(session: &Session) -> Dialog {
    let scenario = &session.scenario;
    let policy = scenario.policy();
    let choices = policy.setting_keys().iter().map(|&key| {
        let value = policy.setting(scenario.tree(), scenario.settings(), key);
        let value = crate::shown::shown(value.as_bytes());
        let help = Settings::expected(key).unwrap_or_default();
        (
            Choice::Setting(key),
            format!("{key} {value}"),
            help.to_owned(),
        )
    });
    menu("Settings", choices.collect(), 0, false)
}

pub(super) fn filter(session: &Session) -> Dialog {
    let choices = Filter::ALL.iter().map(|&filter| {
        let name = if filter == Filter::All {
            "everything"
        } else {
            filter.name()
        };
        (
            Choice::Filter(filter),
            name.to_owned(),
            filter.help().to_owned(),
        )
    });
    let now = session.pane().outline.filter();
    let cursor = Filter::ALL
        .iter()
        .position(|&filter| filter == now)
        .unwrap_or(0);
    menu("Show", choices.collect(), cursor, false)
}

pub(super) fn columns(session: &Session) -> Dialog {
    let shown = session
        .columns
        .clone()
        .unwrap_or_else(|| super::columns::available(session));
    let row = |column: ColumnId| {
        let mark = if shown.contains(&column) { "x" } else { " " };
        (
            Choice::Column(column),
            format!("[{mark}] {}", column.name()),
            column.help().to_owned(),
        )
    };
    menu(
        "Columns (space shows or hides)",
        super::columns::available(session)
            .into_iter()
            .map(row)
            .collect(),
        0,
        false,
    )
}
