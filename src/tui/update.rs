//! The only place where the state of the screen changes. It does nothing else: no reading, no writing, no
//! clock. What it wants done comes back as [`Effect`]s.

mod ahead;
mod clock;
mod compare;
mod curves;
mod edit_list;
mod editing;
mod family;
mod marks;
mod menus;
mod opening;
mod page;
mod page_keys;
mod playing;
mod pointer;
mod prompt;
mod reload;
mod saving;
mod scenarios;
mod screens;
mod scrub;
mod settings;
mod structure;
mod time;
mod time_keys;
mod typed;
mod walking;

use crate::report::outline::{Filter, Search, View};
use crate::tui::input::action::{Action, Group};
use crate::tui::input::keymap::Key;
use crate::tui::page::subject::Subject;
use crate::tui::screen::source_dialog;
use crate::tui::state::app::App;
use crate::tui::state::dialog::{Confirm, Dialog};
use crate::tui::state::message::{Effect, Message, Over};
use crate::tui::state::prompt::Purpose;
use crate::tui::update::time_keys::STOPPED;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::path::PathBuf;

impl App {
    /// Changes the state; says what is to be done.
    pub fn update(&mut self, message: Message) -> Vec<Effect> {
        self.react(message);
        self.stop_outdated_clocks();
        self.show_reading();
        let asked = [
            self.ask_to_evaluate(),
            self.ask_to_compare(),
            self.ask_to_follow(),
        ];
        self.ui.effects.extend(asked.into_iter().flatten());
        std::mem::take(&mut self.ui.effects)
    }

    fn react(&mut self, message: Message) {
        match message {
            Message::Key(key) => self.press(key),
            Message::Mouse(event) => self.point(event),
            Message::Paste(text) => self.paste(&text),
            Message::Resize => {}
            Message::Open(request) => self.open(*request),
            Message::Example => self.show_example(),
            Message::Progress(progress) => {
                if let Some(loading) = &mut self.ui.loading {
                    loading.progress = progress;
                }
            }
            Message::Loaded(opened) => self.show_loaded(*opened),
            Message::LoadFailed(reason) => self.fail_to_load(reason),
            Message::LoadCancelled => {
                self.ui.typed_path = None;
                self.ui.loading = None;
                self.ui.watch.unopened = None;
                self.ui.say("loading was cancelled");
            }
            Message::Saved { path, seen } => self.take_saved(path, seen),
            Message::FileExists { path, contents } => {
                self.ask_to_replace(Confirm::Replace { path, contents });
            }
            Message::FileChanged { path, contents } => {
                self.ask_to_replace(Confirm::Changed { path, contents });
            }
            Message::Exported(paths) => {
                let shown =
                    |path: &PathBuf| crate::base::shown::shown(path.as_os_str().as_encoded_bytes());
                let names: Vec<_> = paths.iter().map(shown).collect();
                self.ui.say(format!("saved {}", names.join(" and ")));
            }
            Message::SaveFailed(reason) => self.ui.fail(reason),
            Message::Compared { number, comparison } => self.show_compared(number, comparison),
            Message::Evaluated { number, scenario } => self.show_evaluated(number, *scenario),
            Message::Followed { number, followed } => self.show_followed(number, followed),
            Message::Moved { number, scenario } => self.show_moved(number, scenario),
            Message::MovedOn { number, passed } => self.hear_of_clock(number, passed),
            Message::Beat(number) => self.beat(number),
            Message::Answered { number, page } => self.show_answered(number, page),
            Message::Reloaded(reading) => self.take_reading(reading),
            Message::ReloadFailed { number, reason } => self.fail_to_reload(number, &reason),
            Message::Tick => self.tick(),
            Message::DraftFound(draft) => self.offer(draft),
            Message::Terminate => self.ui.want(Effect::Quit),
        }
    }

    fn press(&mut self, event: KeyEvent) {
        if event.modifiers.contains(KeyModifiers::ALT) {
            // A terminal sends Alt as an escape before the key, so a quick esc and the next key look the same;
            // nothing here is bound to Alt.
            self.press(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE));
            self.press(KeyEvent::new(
                event.code,
                event.modifiers - KeyModifiers::ALT,
            ));
            return;
        }
        self.ui.notice = None;
        let key = Key::of(event);
        let action = self.ui.keymap.action(key);
        let is_on_time = self.is_on_time();
        match &mut self.ui.dialog {
            None if self.ui.page.is_some() => self.press_on_page(action),
            None if is_on_time => self.press_on_time(action),
            None => {
                if let Some(action) = action {
                    self.act(action);
                }
            }
            Some(Dialog::Prompt(_)) => self.type_into_prompt(event, action),
            Some(Dialog::Menu(_)) => self.press_in_menu(event, action),
            Some(Dialog::Confirm(_)) => self.answer(event),
            Some(Dialog::Help { .. } | Dialog::Source { .. }) => self.scroll_dialog(action),
            Some(Dialog::History { .. }) => self.walk_through_edits(event, action),
            Some(Dialog::Curves) => self.walk_along_curves(action),
        }
    }

    /// Does what an action says, whichever key, click or menu asked for it.
    pub(crate) fn act(&mut self, action: Action) {
        if needs_numbers(action)
            && let Some(session) = self.session_mut()
        {
            session.catch_up();
        }
        match action {
            Action::Quit => self.quit(),
            Action::Suspend => self.ui.want(Effect::Suspend),
            Action::Help => self.ui.dialog = Some(Dialog::Help { offset: 0 }),
            Action::Open => self.ask_what_to_open(),
            Action::Examples => self.ui.dialog = Some(menus::examples()),
            Action::Palette => self.ui.dialog = Some(self.palette()),
            Action::Cancel => self.cancel(),
            Action::NextTree if self.sessions.len() > 1 => {
                self.current = (self.current + 1) % self.sessions.len();
            }
            Action::NextTree => self.ui.say("only one tree is open"),
            Action::Redraw => self.ui.want(Effect::Redraw),
            _ if self.session().is_none() => {}
            Action::Save => self.ask_where_to_save(),
            Action::Reload => self.reload(),
            Action::Problems => self.ui.dialog = self.session().map(source_dialog::open),
            Action::Search => self.ask_for_name(),
            Action::NextFound => self.step_found(Search::next),
            Action::PreviousFound => self.step_found(Search::previous),
            Action::EditShares => self.edit_shares(),
            Action::EditUsage => self.edit_usage(),
            Action::MoreShares => self.nudge(1),
            Action::FewerShares => self.nudge(-1),
            Action::Mark => self.mark(),
            Action::Marks => {
                self.ui.dialog = self.session().map(|session| marks::menu(self, session));
            }
            Action::AddNode => self.ask_for_node(),
            Action::RemoveNode => self.remove_nodes(),
            Action::Rename => self.ask_for_new_name(),
            Action::MoveNode => self.move_nodes(),
            Action::Lock => self.lock(),
            Action::Family => {
                self.ui.dialog = self.session().map(|session| family::menu(self, session));
            }
            Action::EditLine => self.ask_for_edit(),
            Action::History => self.ui.dialog = self.session().map(edit_list::open),
            Action::SayWhy => self.ask_why(),
            Action::Scenarios => self.ui.dialog = self.session().map(scenarios::list),
            Action::NewScenario => self.ask_for_new_scenario(),
            Action::NextScenario => self.next_scenario(),
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),
            Action::SortRows => self.ui.dialog = self.session().map(menus::sort),
            Action::FilterRows => self.ui.dialog = self.session().map(menus::filter),
            Action::Columns if self.is_comparing() => {
                let (left, right) = (Action::ColumnsLeft, Action::ColumnsRight);
                let key = |action| self.ui.hint(action);
                self.ui.say(format!(
                    "the columns here are the policies; {} {} scroll them",
                    key(left),
                    key(right)
                ));
            }
            Action::Columns => {
                let width = self.ui.regions.rows.width;
                self.ui.dialog = self
                    .session()
                    .map(|session| menus::columns_menu(session, width, 0));
            }
            Action::NextPolicy => self.next_policy(),
            Action::ChoosePolicy => self.ui.dialog = self.session().map(menus::policies),
            Action::Settings => self.list_settings(),
            Action::LowerSetting => self.step_setting(-1),
            Action::RaiseSetting => self.step_setting(1),
            Action::Curves => self.ui.dialog = Some(Dialog::Curves),
            Action::TimeScreen => self.open_time(),
            action if action.group() == Group::Time => self.act_on_time(action),
            Action::PlanScreen => self.open_page(Subject::Plan),
            Action::WhatItTakes => self.ask_for_goal(),
            Action::RankHangsOn => self.ask_what_rank_hangs_on(),
            Action::CompareTwo => self.compare_marked(),
            Action::Contention => self.ask_for_machine(),
            Action::Timeline => self.ask_for_history(),
            Action::PreviousDump => self.scrub(-1),
            Action::NextDump => self.scrub(1),
            Action::DiffWith => self.ui.prompt(Purpose::DiffWith, String::new()),
            Action::CopyPath => self.copy_path(),
            Action::NextScreen => self.next_screen(),
            Action::TreeScreen | Action::RankingScreen | Action::PoliciesScreen => {
                self.close_time();
                self.move_about(action);
            }
            action => self.move_about(action),
        }
    }

    /// Whether the Time screen is open.
    pub(crate) fn is_on_time(&self) -> bool {
        self.session().is_some_and(|session| session.time.is_open())
    }

    /// Whether the policies stand side by side on the screen.
    fn is_comparing(&self) -> bool {
        self.session()
            .is_some_and(|session| session.view == View::Users)
    }

    fn quit(&mut self) {
        if self.unsaved_count() == 0 {
            return self.ui.want(Effect::Quit);
        }
        self.ui.dialog = Some(Dialog::Confirm(Confirm::Quit));
    }

    fn cancel(&mut self) {
        if self.ui.loading.is_some() {
            return self.ui.want(Effect::CancelLoad);
        }
        if let Some(session) = self.session_mut() {
            if session.stop_clock() {
                return self.ui.say(STOPPED);
            }
            if session.search.take().is_some() {
                return;
            }
            if session.pane().outline.filter() != Filter::All {
                session
                    .change_outline(|outline, scenario| outline.set_filter(scenario, Filter::All));
                return;
            }
            if session.marked_count() > 0 {
                session.marks.clear();
                return;
            }
        }
        self.stop_reading();
    }

    pub(crate) fn scroll_dialog(&mut self, action: Option<Action>) {
        let last = match (&self.ui.dialog, self.session()) {
            (Some(Dialog::Source { findings, .. }), Some(session)) => {
                source_dialog::last(session, findings)
            }
            _ => usize::from(u16::MAX),
        };
        let Some(Dialog::Help { offset: place } | Dialog::Source { cursor: place, .. }) =
            &mut self.ui.dialog
        else {
            return;
        };
        match action {
            Some(Action::Down) => *place = (*place + 1).min(last),
            Some(Action::Up) => *place = place.saturating_sub(1),
            Some(Action::PageDown) => *place = (*place + 10).min(last),
            Some(Action::PageUp) => *place = place.saturating_sub(10),
            Some(Action::First) => *place = 0,
            Some(Action::Last) => *place = last,
            _ => self.ui.dialog = None,
        }
    }

    fn answer(&mut self, event: KeyEvent) {
        let Some(Dialog::Confirm(question)) = self.ui.dialog.take() else {
            return;
        };
        match (question, event.code) {
            (Confirm::Quit, KeyCode::Char('y' | 'Y')) => self.ui.want(Effect::Quit),
            (
                Confirm::Replace { path, contents } | Confirm::Changed { path, contents },
                KeyCode::Char('y' | 'Y'),
            ) => self.ui.want(Effect::Save {
                path,
                contents,
                over: Over::Anything,
                sources: self.sources(),
            }),
            (Confirm::Unread { path, .. }, KeyCode::Char('y' | 'Y')) => {
                self.forget_unread();
                self.save(path);
            }
            (
                Confirm::Quit
                | Confirm::Replace { .. }
                | Confirm::Changed { .. }
                | Confirm::Unread { .. },
                KeyCode::Char('w'),
            ) => self.ask_where_to_save(),
            (Confirm::RemoveNodes(nodes), KeyCode::Char('y' | 'Y')) => self.remove(&nodes),
            (Confirm::RemoveScenario, KeyCode::Char('y' | 'Y')) => self.remove_scenario(),
            _ => {}
        }
    }
}

/// Whether an action works on the newest state, and not on what is on the screen while numbers are worked out.
const fn needs_numbers(action: Action) -> bool {
    matches!(
        action,
        Action::EditShares
            | Action::EditUsage
            | Action::MoreShares
            | Action::FewerShares
            | Action::Mark
            | Action::Marks
            | Action::AddNode
            | Action::RemoveNode
            | Action::Rename
            | Action::MoveNode
            | Action::Lock
            | Action::Family
            | Action::EditLine
            | Action::History
            | Action::Settings
            | Action::ChoosePolicy
            | Action::SortRows
            | Action::FilterRows
            | Action::Columns
            | Action::Curves
            | Action::PlanScreen
            | Action::TimeScreen
            | Action::PaceIdle
            | Action::PaceSteady
            | Action::PaceWithout
            | Action::PaceRate
            | Action::Campaign
            | Action::WhatItTakes
            | Action::RankHangsOn
            | Action::CompareTwo
            | Action::DiffWith
            | Action::Contention
            | Action::Timeline
            | Action::Save
            | Action::SayWhy
            | Action::Scenarios
            | Action::NewScenario
            | Action::NextScenario
    )
}
