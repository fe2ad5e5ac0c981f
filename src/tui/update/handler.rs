//! The handlers of actions, by the state that they need.

use crate::report::outline::{Listing, Search};
use crate::tui::input::action::{Action, each_action};
use crate::tui::page::subject::Subject;
use crate::tui::state::app::App;
use crate::tui::state::dialog::Dialog;
use crate::tui::state::message::Effect;
use crate::tui::state::open_page::OpenPage;
use crate::tui::state::prompt::Purpose;
use crate::tui::state::screen::{Front, Screen};
use crate::tui::state::session::Session;
use crate::tui::state::ui::Ui;
use crate::tui::time::forecast::Assumption;
use crate::tui::update::{
    clock, dialog, editing, family, history, manual, marks, menus, page, page_keys, prompt, reload,
    saving, scenarios, settings, structure, themes, time, walking,
};

/// A handler, by the state that it needs. Without an open tree, only [`Handler::All`] and [`Handler::Ui`] have an
/// effect.
#[derive(Clone, Copy)]
enum Handler {
    /// Needs the whole app.
    All(fn(&mut App)),
    /// Needs the state that all trees share.
    Ui(fn(&mut Ui)),
    /// Needs the open tree as it is shown.
    Rows(fn(&mut Session)),
    /// Needs the open tree.
    Tree(fn(&mut Session, &mut Ui)),
    /// Needs the open tree with its newest numbers, so a pending evaluation is finished first.
    Numbers(fn(&mut Session, &mut Ui)),
    /// Needs the open tree with its newest numbers, and returns a dialog about it.
    Menu(fn(&Session, &Ui) -> Dialog),
    /// Needs the open tree on its Time screen, which is opened first.
    Time(fn(&mut Session, &mut Ui)),
    /// Has no effect.
    Nothing,
}

/// What an action does on a page.
#[derive(Clone, Copy)]
enum PageHandler {
    /// The action does the same as everywhere.
    Same,
    /// The action changes the tree below the page, and the page is updated.
    Follows,
    /// The action closes the page and then does the same as everywhere.
    Leaves,
    /// The action closes the page.
    Closes,
    /// The action changes only the page.
    On(fn(&mut OpenPage)),
    /// The action has another handler on a page.
    Does(Handler),
    /// The action has no effect.
    Nothing,
}

macro_rules! handlers {
    ($(
        $variant:ident, $name:literal, $group:ident, $help:literal,
            $handler:expr $(, page $page:expr)? $(, time $time:expr)?;
    )*) => {
        /// Returns the handler of an action.
        fn handler(action: Action) -> Handler {
            use Handler::*;
            match action { $(Action::$variant => $handler,)* }
        }

        /// Returns the handler of an action on the Time screen.
        fn on_time(action: Action) -> Handler {
            use Handler::*;
            match action {
                $($(Action::$variant => $time,)?)*
                action => handler(action),
            }
        }

        /// Returns the handler of an action on a page.
        fn on_page(action: Action) -> PageHandler {
            use Handler::{Tree, Ui};
            use PageHandler::*;
            match action {
                $($(Action::$variant => $page,)?)*
                _ => Nothing,
            }
        }
    };
}

each_action! { handlers }

impl App {
    /// Performs an action, which a key, a click or a menu requested.
    pub(crate) fn act(&mut self, action: Action) {
        self.run(handler(action));
    }

    /// Performs an action on the page or the screen in front.
    pub(crate) fn act_in_front(&mut self, action: Action) {
        match self.front() {
            Front::Page { .. } => self.act_on_page(action),
            Front::Screen(Screen::Time) => self.run(on_time(action)),
            Front::Screen(Screen::Tree | Screen::Ranking | Screen::Policies) | Front::Nothing => {
                self.act(action);
            }
        }
    }

    fn act_on_page(&mut self, action: Action) {
        if action == Action::PlanScreen && self.ui.manual.is_some() {
            return self.go_to_screen(action);
        }
        match on_page(action) {
            PageHandler::Same => self.act(action),
            // The manual covers the tree, so that nobody would see the change.
            PageHandler::Follows if self.ui.manual.is_some() => {}
            PageHandler::Follows => self.act_below_page(action),
            PageHandler::Leaves => self.go_to_screen(action),
            PageHandler::Closes if self.ui.manual.is_some() => manual::go_back(&mut self.ui),
            PageHandler::Closes => self.ui.page = None,
            PageHandler::On(run) => {
                if let Some(open) = self.ui.front_page_mut() {
                    run(open);
                }
            }
            PageHandler::Does(handler) => self.run(handler),
            PageHandler::Nothing => {}
        }
    }

    /// Changes the tree that the page is about, and updates the page.
    fn act_below_page(&mut self, action: Action) {
        let mut before = None;
        self.in_tree(|session, _| {
            session.catch_up();
            before = Some((session.scenario.tree().clone(), session.changes));
        });
        self.act(action);
        self.in_tree(|session, ui| {
            if let Some((before, _)) = before.filter(|(_, changes)| session.changes != *changes) {
                page::ask_again(session, ui, &before);
            }
        });
    }

    /// Runs a handler. This is the only check for an open tree.
    fn run(&mut self, handler: Handler) {
        match handler {
            Handler::All(run) => run(self),
            Handler::Ui(run) => run(&mut self.ui),
            Handler::Rows(run) => self.in_tree(|session, _| run(session)),
            Handler::Tree(run) => self.in_tree(run),
            Handler::Numbers(run) => self.in_tree(|session, ui| {
                session.catch_up();
                run(session, ui);
            }),
            Handler::Menu(menu) => self.in_tree(|session, ui| {
                session.catch_up();
                ui.dialog = Some(menu(session, ui));
            }),
            Handler::Time(run) => self.in_tree(|session, ui| {
                time::open(session);
                run(session, ui);
            }),
            Handler::Nothing => {}
        }
    }

    /// Changes the open tree, if there is one.
    pub(crate) fn in_tree(&mut self, change: impl FnOnce(&mut Session, &mut Ui)) {
        if let Some((session, ui)) = self.open_tree() {
            change(session, ui);
        }
    }
}
