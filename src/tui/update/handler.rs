//! The handlers of actions, by the state that they need.

use crate::analysis::simulate::Preset;
use crate::base::shown::sentence;
use crate::report::outline::Search;
use crate::report::question::Question;
use crate::tui::input::action::{Action, each_action};
use crate::tui::page::content::Subject;
use crate::tui::page::queue::MOST_JOBS;
use crate::tui::state::{
    AnswerPurpose, App, Dialog, Front, OpenPage, Screen, Session, TerminalEffect, Ui,
};
use crate::tui::update::{
    columns, editing, marks, menus, opening, page, prompt, saving, scenarios, settings, time,
    walking,
};

/// A handler, by the state that it needs. Without an open tree, only `All` and `Ui` have an effect.
#[derive(Clone, Copy)]
enum Handler {
    All(fn(&mut App)),
    Ui(fn(&mut Ui)),
    /// Needs the open tree as it is shown.
    Tree(fn(&mut Session, &mut Ui)),
    /// Needs the open tree with its newest numbers, so a pending evaluation is finished first.
    Numbers(fn(&mut Session, &mut Ui)),
    /// Needs the open tree with its newest numbers, and returns a dialog about it.
    Menu(fn(&Session, &Ui) -> Dialog),
    /// Needs the open tree on its Time screen, which is opened first.
    Time(fn(&mut Session, &mut Ui)),
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
    Closes,
    /// The action changes only the page.
    On(fn(&mut OpenPage)),
    /// The action has another handler on a page.
    Does(Handler),
    /// The action has another handler on such a page, and no effect on others.
    Where(fn(&OpenPage) -> bool, Handler),
    Nothing,
}

macro_rules! handlers {
    ($(
        $variant:ident, $name:literal, $group:ident, $help:literal,
            $handler:expr $(, page $page:expr $(=> $on_page:literal)?)?
            $(, time $time:expr $(=> $on_time:literal)?)? $(, list $list:expr $(=> $on_list:literal)?)?
            $(, policies $policies:expr => $on_policies:literal)?
            $(, also $also:literal)?;
    )*) => {
        fn handler(action: Action) -> Handler {
            use Handler::*;
            match action { $(Action::$variant => $handler,)* }
        }

        /// Returns what an action does on the Policies screen, where that is something of its own.
        fn on_policies(action: Action) -> Option<(Handler, &'static str)> {
            use Handler::*;
            match action {
                $($(Action::$variant => Some(($policies, $on_policies)),)?)*
                _ => None,
            }
        }

        fn on_screen(screen: Screen, action: Action) -> Handler {
            use Handler::*;
            if let (Screen::Policies, Some((handler, _))) = (screen, on_policies(action)) {
                return handler;
            }
            match (screen, action) {
                $($((Screen::Time, Action::$variant) => $time,)?)*
                $($((Screen::Ranking | Screen::Policies, Action::$variant) => $list,)?)*
                (_, action) => handler(action),
            }
        }

        /// Returns what an action does on what is in front, in a few words.
        pub(crate) fn help_on(front: Front<'_>, action: Action) -> &'static str {
            if let (Front::Screen(Screen::Policies), Some((_, words))) = (front, on_policies(action)) {
                return words;
            }
            let words = match (front, action) {
                $($($((Front::Page { .. }, Action::$variant) => Some($on_page),)?)?)*
                $($($((Front::Screen(Screen::Time), Action::$variant) => Some($on_time),)?)?)*
                $($($((
                    Front::Screen(Screen::Ranking | Screen::Policies),
                    Action::$variant,
                ) => Some($on_list),)?)?)*
                _ => None,
            };
            words.unwrap_or(action.help())
        }

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

/// Returns whether an action has an effect on what is in front.
pub(crate) fn works(front: Front<'_>, action: Action) -> bool {
    match front {
        Front::Nothing => matches!(handler(action), Handler::All(_) | Handler::Ui(_)),
        Front::Screen(screen) => {
            let handler = on_screen(screen, action);
            !matches!(handler, Handler::Nothing)
        }
        Front::Page { open, .. } => match on_page(action) {
            PageHandler::Nothing => false,
            // The manual covers the tree, so that nobody would see the change.
            PageHandler::Follows => open.topic().is_none(),
            PageHandler::Where(holds, _) => holds(open),
            PageHandler::Same
            | PageHandler::Leaves
            | PageHandler::Closes
            | PageHandler::On(_)
            | PageHandler::Does(_) => true,
        },
    }
}

impl App {
    /// Performs an action as on the tree, and notes it for the lesson that is played.
    pub(crate) fn act(&mut self, action: Action) {
        self.run(handler(action));
        self.note_for_lesson(action);
    }

    /// Performs an action on the page or the screen in front, or says why it has no effect there.
    pub(crate) fn act_in_front(&mut self, action: Action) {
        if !works(self.front(), action) {
            return self.say_without_effect(action);
        }
        match self.front() {
            Front::Page { .. } => self.act_on_page(action),
            Front::Screen(screen) => self.run(on_screen(screen, action)),
            Front::Nothing => self.act(action),
        }
        self.note_for_lesson(action);
    }

    /// Performs an action from a list of all of them: where it has no effect on a page, the page is closed first.
    pub(crate) fn act_anywhere(&mut self, action: Action) {
        if matches!(self.front(), Front::Page { .. }) && !works(self.front(), action) {
            self.ui.close_pages();
        }
        self.act_in_front(action);
    }

    /// Says that an action has no effect on what is in front, and where it has one.
    fn say_without_effect(&mut self, action: Action) {
        let help = action.help();
        let text = match self.front() {
            Front::Nothing => {
                let key = self.ui.hint(Action::Open);
                sentence!("no tree is open; {key} opens one")
            }
            Front::Page { .. } => {
                let key = self.ui.hint(Action::Cancel);
                sentence!("not on this page: {help}; {key} goes back")
            }
            Front::Screen(_) => {
                let tree = self.ui.hint(Action::TreeScreen);
                sentence!("this works on the tree: press {tree} first")
            }
        };
        self.ui.say(text);
    }

    /// Performs an action that has an effect on the page in front.
    fn act_on_page(&mut self, action: Action) {
        if action == Action::PlanScreen && self.ui.manual.is_some() {
            return self.go_to_screen(action);
        }
        match on_page(action) {
            PageHandler::Same => self.act(action),
            PageHandler::Follows => self.act_below_page(action),
            PageHandler::Leaves => self.go_to_screen(action),
            PageHandler::Closes if self.ui.manual.is_some() => page::leave_topic(&mut self.ui),
            PageHandler::Closes => self.in_tree(page::close),
            PageHandler::On(run) => {
                if let Some(open) = self.ui.front_page_mut() {
                    run(open);
                }
            }
            PageHandler::Does(handler) | PageHandler::Where(_, handler) => self.run(handler),
            PageHandler::Nothing => {}
        }
    }

    /// Changes the tree that the page is about, and updates the page.
    fn act_below_page(&mut self, action: Action) {
        let Some((session, _)) = self.open_tree() else {
            return;
        };
        session.catch_up();
        let before = session.scenario.tree().clone();
        let changes = session.changes;
        self.act(action);
        self.in_tree(|session, ui| {
            if session.changes != changes {
                page::ask_again(session, ui, &before);
            }
        });
    }

    /// Runs the handler of an action. This is the only check for an open tree.
    fn run(&mut self, handler: Handler) {
        match handler {
            Handler::All(run) => run(self),
            Handler::Ui(run) => run(&mut self.ui),
            Handler::Tree(run) => self.in_tree(run),
            Handler::Numbers(run) => self.in_tree(|session, ui| {
                session.catch_up();
                run(session, ui);
            }),
            Handler::Menu(menu) => self.in_tree(|session, ui| {
                session.catch_up();
                let menu = menu(session, ui);
                ui.show(menu);
            }),
            Handler::Time(run) => self.in_tree(|session, ui| {
                time::open(session);
                run(session, ui);
            }),
            Handler::Nothing => {}
        }
    }

    /// Changes the tree on the screen and what all trees share, if one is open.
    pub(crate) fn in_tree(&mut self, change: impl FnOnce(&mut Session, &mut Ui)) {
        if let Some((session, ui)) = self.open_tree() {
            change(session, ui);
        }
    }
}
