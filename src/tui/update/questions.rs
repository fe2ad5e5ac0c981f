//! Long computations run on threads, while the screen shows its present numbers and accepts keys. This module requests
//! them and shows their results.
//!
//! Another policy or setting changes every number of a tree, which takes up to a second for a million nodes. The change
//! is therefore made on a copy of the scenario, which shares every column with the one on the screen. The copy replaces
//! the original when its numbers are computed. An action that needs the change earlier waits for the numbers.

use crate::rules::policy::Comparison;
use crate::scenario::Scenario;
use crate::tui::job::Job;
use crate::tui::state::app::App;
use crate::tui::state::comparison::ComparisonTask;
use crate::tui::state::message::{Effect, Task};
use crate::tui::state::pending::EvaluationTask;
use crate::tui::state::screen::Screen;
use crate::tui::state::session::Session;
use crate::tui::state::time::ForecastRequest;
use crate::tui::state::ui::Ui;
use crate::tui::time::forecast::{Forecast, ForecastTask};
use crate::tui::update::settings::announcement;

impl App {
    /// Requests everything that the screen needs and lacks.
    pub(crate) fn ask_questions(&mut self) {
        self.ask_to_evaluate();
        if let Some((session, ui)) = self.open_tree() {
            ask_to_compare(session, ui);
            ask_for_forecast(session, ui);
        }
    }

    /// Requests the numbers of the first tree that lacks some, unless they are being computed.
    fn ask_to_evaluate(&mut self) {
        let ahead = self.sessions.iter_mut().map(|session| &mut session.pending);
        for ahead in ahead.filter(|ahead| ahead.under_way.is_none()) {
            let Some(changed) = &mut ahead.changed else {
                continue;
            };
            let number = self.ui.next_question();
            changed.is_asked = true;
            ahead.under_way = Some(number);
            let scenario = Box::new(changed.scenario.clone());
            let task = Task::Evaluation(EvaluationTask { scenario });
            return self.ui.queue(Effect::Run(Box::new(Job::new(number, task))));
        }
    }

    /// Shows computed numbers. Numbers of a state that has changed again are dropped.
    pub(crate) fn show_evaluated(&mut self, number: u64, scenario: Scenario) {
        let announced = self.session().map(announcement);
        let is_asker = |session: &&mut Session| session.pending.under_way == Some(number);
        let Some(session) = self.sessions.iter_mut().find(is_asker) else {
            return;
        };
        session.pending.under_way = None;
        let changed = session.pending.changed.take_if(|changed| changed.is_asked);
        if let Some(changed) = changed {
            session.show_changed(scenario, changed.scope);
            // The announcement made during the computation is now true.
            if self.ui.notice == announced {
                self.ui.notice = self.session().map(announcement);
            }
        }
    }

    /// Shows a comparison of policies if it is still awaited.
    pub(crate) fn show_compared(&mut self, number: u64, comparison: Box<Comparison>) {
        let is_asker = |session: &&mut Session| {
            session
                .compared
                .asked
                .is_some_and(|(asked, _)| asked == number)
        };
        if let Some(session) = self.sessions.iter_mut().find(is_asker) {
            let (_, revision) = session.compared.asked.take().unwrap_or_default();
            let users = comparison.users().to_vec();
            session.compared.revision = revision;
            session.compared.comparison = Some(comparison);
            session.list_users(users);
        }
    }

    /// Shows the lines of the Time screen if they are still awaited.
    pub(crate) fn show_forecast(&mut self, number: u64, forecast: Option<Box<Forecast>>) {
        let is_asker = |session: &&mut Session| {
            let asked = session.time.asked.as_ref();
            asked.is_some_and(|asked| asked.ticket.is(number))
        };
        let Some(session) = self.sessions.iter_mut().find(is_asker) else {
            return;
        };
        let asked = session.time.asked.take();
        let was_cancelled = asked.is_some_and(|asked| asked.ticket.is_cancelled());
        if let Some(forecast) = forecast.filter(|_| !was_cancelled) {
            session.time.set_forecast(forecast);
        }
    }
}

/// Requests the comparison of policies if its screen is open and shows another state of the tree. Only one comparison
/// runs at a time.
fn ask_to_compare(session: &mut Session, ui: &mut Ui) {
    let is_wanted = session.screen == Screen::Policies && !session.is_compared();
    if !is_wanted || session.compared.asked.is_some() {
        return;
    }
    let number = ui.next_question();
    session.compared.asked = Some((number, session.revision));
    let task = Task::Comparison(ComparisonTask {
        tree: session.scenario.tree().clone(),
        settings: session.scenario.settings().clone(),
        policies: session.offered_policies(),
    });
    ui.queue(Effect::Run(Box::new(Job::new(number, task))));
}

/// Requests the lines of the Time screen if it is open and shows outdated lines. Only one forecast runs at a time, so
/// one in progress is stopped first. Also notes the current assumptions.
fn ask_for_forecast(session: &mut Session, ui: &mut Ui) {
    if session.screen != Screen::Time {
        return;
    }
    session.note_assumptions();
    if session.is_behind() || session.scenario.is_trying() {
        return;
    }
    let key = session.forecast_key();
    let time = &mut session.time;
    if let Some(asked) = &time.asked {
        if asked.key != key {
            time.stop_asking();
        }
        return;
    }
    let forecast = time.forecast(session.scenario.tree());
    let is_there = forecast.is_some_and(|forecast| forecast.key == key);
    if is_there || time.abandoned.as_ref() == Some(&key) {
        return;
    }
    let scenario = Box::new(session.scenario.before_waiting());
    let task = Task::Forecast(ForecastTask::new(key.clone(), scenario));
    let job = Job::new(ui.next_question(), task);
    time.abandoned = None;
    time.asked = Some(ForecastRequest {
        ticket: job.ticket().clone(),
        key,
    });
    ui.queue(Effect::Run(Box::new(job)));
}
