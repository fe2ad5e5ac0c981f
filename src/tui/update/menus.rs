//! Menus, questions and the dialogs that are only read: their keys, and the effect of each choice.

use super::columns::{self, name_of};
use super::lesson::built_in;
use super::{editing, marks, opening, page, saving, scenarios, settings, walking};
use crate::base::shown::{Shown, sentence};
use crate::format::Example;
use crate::report::manual::Topic;
use crate::report::outline::{Filter, Listing, Sort};
use crate::rules::policy::{Policy, RuleColumn};
use crate::tui::input::action::Action;
use crate::tui::input::event::{KeyCode, KeyEvent};
use crate::tui::state::pane::available;
use crate::tui::state::{
    App, Choice, Confirm, Dialog, EditPurpose, Effect, Item, ListKey, ListSize, Overwrite, PAGE,
    Session, Ui, Work,
};
use std::sync::Arc;

impl App {
    /// Handles a key while the plot of the factor is open: its own key switches between the curves and the map. Others
    /// choose another node, policy or setting, or close it.
    pub(crate) fn press_in_plot(&mut self, action: Option<Action>) {
        let Some(action) = action else {
            self.ui.dialog = None;
            return;
        };
        match action {
            Action::Curves if matches!(self.ui.dialog, Some(Dialog::Curves)) => {
                self.act(Action::Map);
            }
            Action::Down
            | Action::Up
            | Action::PageDown
            | Action::PageUp
            | Action::First
            | Action::Last
            | Action::Curves
            | Action::NextPolicy
            | Action::LowerSetting
            | Action::RaiseSetting => self.act(action),
            _ => self.ui.dialog = None,
        }
    }

    /// Handles a key before something that cannot be undone: it does that, names another file, or leaves it.
    pub(crate) fn answer(&mut self, event: KeyEvent) {
        let Some(Dialog::Confirm(question)) = self.ui.dialog.take() else {
            return;
        };
        let is_of_tree = matches!(question, Confirm::RemoveNodes(_) | Confirm::RemoveScenario);
        match event.code {
            KeyCode::Char('w') if !is_of_tree => {
                self.show_tree_of(&question);
                self.in_tree(saving::ask_where_to_save);
            }
            KeyCode::Char('y' | 'Y') => self.confirm(question),
            _ => {}
        }
    }

    /// Does what was asked about.
    fn confirm(&mut self, question: Confirm) {
        match question {
            Confirm::Quit => self.ui.queue(Effect::Quit),
            Confirm::Replace(path, contents) | Confirm::Changed(path, contents) => {
                let sources = self.sources();
                self.ui.queue(Work::Save {
                    path,
                    contents,
                    overwrite: Overwrite::Always,
                    sources,
                });
            }
            Confirm::Unread(path, _) => {
                self.in_tree(|session, _| session.file.unread = Shown::default());
                self.save(path);
            }
            Confirm::RemoveNodes(nodes) => {
                self.in_tree(|session, ui| editing::remove(session, ui, &nodes));
            }
            Confirm::RemoveScenario => self.in_tree(scenarios::remove),
        }
    }

    /// Handles a key of a menu: that of a list, a step of a setting, or what the manual says.
    pub(crate) fn press_in_menu(&mut self, event: KeyEvent, action: Option<Action>) {
        let is_text = self.types(event);
        let Some(Dialog::Menu(menu)) = &mut self.ui.dialog else {
            return;
        };
        let size = ListSize {
            rows: menu.passing().len(),
            page: PAGE,
        };
        match menu.list.press(event, action, is_text, size) {
            ListKey::Taken => {}
            ListKey::Choose => self.choose(),
            ListKey::Leave => self.ui.dialog = None,
            ListKey::Other => match action {
                Some(Action::LowerSetting) => self.step_setting(-1),
                Some(Action::RaiseSetting) => self.step_setting(1),
                Some(Action::Manual) => self.open_topic_under_cursor(),
                _ => {}
            },
        }
    }

    /// Changes the setting under the cursor of the menu by so many steps.
    fn step_setting(&mut self, by: i64) {
        self.in_tree(|session, ui| settings::step_in_menu(session, ui, by));
    }

    /// Opens the topic of the manual about the policy or the setting under the cursor.
    fn open_topic_under_cursor(&mut self) {
        let Some(Dialog::Menu(menu)) = &self.ui.dialog else {
            return;
        };
        let topic = match menu.under_cursor() {
            Some(Choice::Policy(policy)) => Topic::card(policy),
            Some(Choice::Setting(_)) => Topic::named("settings"),
            _ => None,
        };
        if let Some(topic) = topic {
            self.ui.dialog = None;
            page::open_topic(&mut self.ui, topic);
        }
    }

    /// Does what the line under the cursor is for. The menu closes, but that of columns stays.
    pub(crate) fn choose(&mut self) {
        let Some(Dialog::Menu(menu)) = &self.ui.dialog else {
            return;
        };
        let Some(item) = menu.item_under_cursor().cloned() else {
            return;
        };
        let typed = menu.list.query.clone();
        if !matches!(item.choice, Choice::Column(_)) {
            self.ui.dialog = None;
        }
        match item.choice {
            Choice::Action(action) => self.act_anywhere(action),
            Choice::Example(example) => self.open_example(example),
            Choice::Cluster => opening::open_cluster(&mut self.ui, &item.name),
            Choice::Lesson(name) => match built_in(name) {
                Ok(lesson) => self.begin_lesson(Arc::new(lesson)),
                Err(reason) => self.ui.fail(reason),
            },
            Choice::ResumeLesson => self.resume_lesson(),
            Choice::OpenDraft => opening::open_draft(&mut self.ui),
            Choice::DiscardDraft => opening::discard_draft(&mut self.ui),
            Choice::PutOffDraft => opening::put_off_draft(&mut self.ui),
            Choice::Theme(name) => settings::keep_theme(&mut self.ui, name),
            Choice::Topic(topic) => page::open_listed(&mut self.ui, topic, &typed),
            Choice::Policy(policy) => {
                self.ui.close_pages();
                self.in_tree(|session, ui| settings::choose_policy(session, ui, policy));
            }
            of_tree => self.in_tree(|session, ui| choose_in_tree(session, ui, of_tree)),
        }
    }
}

/// Does what a line of a menu about the tree is for.
fn choose_in_tree(session: &mut Session, ui: &mut Ui, choice: Choice) {
    match choice {
        Choice::Scenario(place) => scenarios::show(session, ui, place),
        Choice::RenameScenario => scenarios::ask_for_other_name(session, ui),
        Choice::RemoveScenario => scenarios::ask_to_remove(session, ui),
        Choice::CompareScenario => scenarios::ask_what_to_compare(session, ui),
        Choice::Against(place) => scenarios::compare(session, ui, place),
        Choice::Sort(sort) => walking::sort(session, ui, sort),
        Choice::Mark(scope) => marks::mark_many(session, ui, scope),
        Choice::Family(edit) => marks::edit_family(session, ui, edit),
        Choice::Setting(key) => {
            let value = settings::value_of(session, key);
            ui.prompt(EditPurpose::Setting(key, None), value);
        }
        Choice::Filter(filter) => {
            let marked = session.marks.nodes(session.tree());
            session.change_outline(|outline, scenario| {
                outline.set_filter(scenario, filter, &marked);
            });
        }
        Choice::Column(column) => columns::show_or_hide(session, ui, column),
        // These are about no single tree.
        Choice::Action(_)
        | Choice::Policy(_)
        | Choice::Example(_)
        | Choice::Cluster
        | Choice::Lesson(_)
        | Choice::ResumeLesson
        | Choice::OpenDraft
        | Choice::DiscardDraft
        | Choice::PutOffDraft
        | Choice::Theme(_)
        | Choice::Topic(_) => {}
    }
}

/// Opens the menu of built-in trees.
pub(crate) fn open_examples(ui: &mut Ui) {
    let mut items = Vec::new();
    for &example in Example::ALL {
        let choice = Choice::Example(example);
        items.push(Item::new(choice, example.name(), example.help()));
    }
    ui.show(Dialog::menu("Built-in trees", items, None));
}

/// Returns the menu of sort keys, under the headings that they have on the screen.
pub(crate) fn sort(session: &Session, _: &Ui) -> Dialog {
    let listing = session.listing();
    let title = match listing {
        Listing::Tree if session.pane().outline.is_flat() => "Sort the whole tree by",
        Listing::Tree => "Sort siblings by",
        Listing::Ranking | Listing::Users => "Sort by",
    };
    let order = match listing {
        Listing::Tree => "The source's own order",
        Listing::Ranking => "First to run first",
        Listing::Users => "Largest disagreement between policies first",
    };
    let by_name = Choice::Sort(Some(Sort::by(None)));
    let mut items = vec![
        Item::new(Choice::Sort(None), "default order", order),
        Item::new(by_name, "name", "Alphabetical"),
    ];
    let policy = session.policy();
    for column in sortable(session) {
        let by_column = Choice::Sort(Some(Sort::by(Some(column))));
        let name = match column.rule {
            Some(_) => sentence!("{}", column.heading()),
            None => name_of(column),
        };
        items.push(columns::item(by_column, column, policy, name));
    }
    let mut now = None;
    if let Some(sort) = session.pane().outline.sort() {
        now = Some(Sort::by(sort.column));
    }
    Dialog::menu(title, items, Some(Choice::Sort(now)))
}

/// Returns the columns to sort by: those of the tree, and the chosen ones of other rules.
fn sortable(session: &Session) -> Vec<RuleColumn> {
    let mut columns: Vec<RuleColumn> = Vec::new();
    for column in available(&session.scenario) {
        columns.push(column.into());
    }
    for &chosen in session.columns.chosen.iter().flatten() {
        if chosen.rule.is_some() {
            columns.push(chosen);
        }
    }
    columns
}

/// Returns the menu of policies, with the current one marked.
pub(crate) fn policies(session: &Session, _: &Ui) -> Dialog {
    let current = session.policy();
    let mut items = Vec::new();
    for &policy in Policy::ALL {
        let choice = Choice::Policy(policy);
        let is_now = policy == current;
        items.push(Item::marked(is_now, choice, policy.title(), policy.help()));
    }
    Dialog::menu("Policy", items, Some(Choice::Policy(current)))
}

/// Returns the menu of filters that leave something of the tree.
pub(crate) fn filter(session: &Session, _: &Ui) -> Dialog {
    let mut items = Vec::new();
    for filter in Filter::offered(&session.scenario) {
        let name = match filter {
            Filter::All => "everything",
            filter => filter.name(),
        };
        items.push(Item::new(Choice::Filter(filter), name, filter.help()));
    }
    let now = session.pane().outline.filter();
    Dialog::menu("Show", items, Some(Choice::Filter(now)))
}
