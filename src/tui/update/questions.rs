//! The jobs of the open trees: what the screen needs and lacks is asked for, and what comes is shown. Meanwhile the screen
//! shows its present numbers and takes keys.

use crate::analysis::simulate::Assumptions;
use crate::base::shown::Shown;
use crate::scenario::Scenario;
use crate::tui::state::{Answer, App, Catalog, Scope, Screen, Session, Task, Ui};
use crate::tui::time::forecast::ForecastTask;
use crate::tui::update::page;
use crate::tui::update::settings::announcement;

impl App {
    /// Starts the jobs whose answers the screen lacks.
    pub(crate) fn ask_questions(&mut self) {
        self.ask_to_evaluate();
        if let Some((session, ui)) = self.open_tree() {
            ask_to_compare(session, ui);
            ask_for_forecast(session, ui);
        }
    }

    /// Requests the numbers of the first tree that lacks some, unless they are being computed.
    fn ask_to_evaluate(&mut self) {
        for session in &mut self.sessions {
            let pending = &mut session.pending;
            if pending.asked.about().is_none()
                && let Some(changed) = &mut pending.changed
            {
                changed.is_asked = true;
                let task = Task::Evaluation(Box::new(changed.scenario.clone()));
                return pending.asked.begin(self.ui.start(task), ());
            }
        }
    }

    /// Takes what a job tells. The answer of a job that nobody waits for any more is dropped.
    pub(crate) fn hear(&mut self, number: u64, answer: Answer) {
        match answer {
            Answer::Comparison(comparison) => {
                let asker = self.asker(|session| session.compared.asked.end(number));
                if let Some((session, revision)) = asker {
                    let users = comparison.users.clone();
                    session.compared.revision = revision;
                    session.compared.comparison = Some(comparison);
                    session.list_users(users);
                }
            }
            Answer::Evaluation(scenario) => self.show_evaluated(number, *scenario),
            Answer::Forecast(forecast) => {
                let asker = self.asker(|session| session.time.asked.end(number));
                if let (Some((session, _)), Some(forecast)) = (asker, forecast) {
                    session.time.forecast = Some(forecast);
                }
            }
            Answer::ClockProgress(passed) => {
                for session in &mut self.sessions {
                    if let Some(run) = session.time.clock_run.about_mut(number) {
                        run.at = Some(passed);
                    }
                }
            }
            Answer::Clock(scenario) => self.show_clock_moved(number, scenario),
            Answer::Page(page) => page::show_answered(&mut self.ui, number, page),
            Answer::Reload(read) => self.take_reading(number, read),
            Answer::List(listed) => {
                if let Some(catalog) = self.catalog_mut(number) {
                    catalog.listed = Some(listed);
                }
            }
            Answer::Entry(place, content) => {
                if let Some(catalog) = self.catalog_mut(number) {
                    catalog.note(place, content);
                }
            }
        }
    }

    /// Returns the tree whose job ended, and what the job was about.
    fn asker<T>(&mut self, end: impl Fn(&mut Session) -> Option<T>) -> Option<(&mut Session, T)> {
        for session in &mut self.sessions {
            if let Some(about) = end(session) {
                return Some((session, about));
            }
        }
        None
    }

    /// Returns the list that the job of that number reads; `None` once it is not on the screen.
    fn catalog_mut(&mut self, number: u64) -> Option<&mut Catalog> {
        self.ui.picker.as_mut()?.catalog_mut(number)
    }

    /// Shows computed numbers. Numbers of a state that has changed again are dropped.
    fn show_evaluated(&mut self, number: u64, scenario: Scenario) {
        let announced = self.session().map(announcement);
        let asker = self.asker(|session| session.pending.asked.end(number));
        let Some((session, ())) = asker else { return };
        if let Some(changed) = session.pending.changed.take_if(|changed| changed.is_asked) {
            session.show_changed(scenario, changed.scope);
            session.tell_again();
            // The announcement made during the computation is now true.
            if self.ui.notice == announced {
                self.ui.notice = self.session().map(announcement);
            }
        }
    }

    /// Shows the scenario at the moment that the clock was moved to, or says why it cannot get there.
    fn show_clock_moved(&mut self, number: u64, moved: Result<Option<Box<Scenario>>, Shown>) {
        let asker = self.asker(|session| session.time.clock_run.end(number));
        let Some((session, _)) = asker else { return };
        match moved {
            Ok(Some(scenario)) => {
                let was_tried = session.scenario.trial().is_some();
                session.show_changed(*scenario, Scope::Settings);
                if was_tried {
                    // The tree that came has nothing of what is being typed.
                    self.preview();
                }
            }
            Ok(None) => {}
            Err(error) => {
                session.time.beat = None;
                self.ui.fail(error);
            }
        }
    }

    /// Stops the clock of every tree that changed while its clock moved.
    pub(crate) fn stop_outdated_clocks(&mut self) {
        let mut has_stopped = false;
        for session in &mut self.sessions {
            let time = &mut session.time;
            if let Some(moving) = time.clock_run.about()
                && moving.changes != session.changes
            {
                time.beat = None;
                has_stopped |= time.clock_run.forget().is_some();
            }
        }
        if has_stopped && self.ui.notice.is_none() {
            let text = "the tree was edited meanwhile, so the clock did not move";
            self.ui.say(text);
        }
    }
}

/// Requests the comparison of policies if its screen is open and outdated. Only one runs at a time.
fn ask_to_compare(session: &mut Session, ui: &mut Ui) {
    let is_wanted = session.screen == Screen::Policies && !session.is_compared();
    if is_wanted && session.compared.asked.about().is_none() {
        let scenario = Box::new(session.scenario.clone());
        let policies = session.offered_policies();
        let ticket = ui.start(Task::Comparison(scenario, policies));
        session.compared.asked.begin(ticket, session.revision);
    }
}

/// Requests the lines of the Time screen if it is open and outdated. Only one forecast runs at a time.
fn ask_for_forecast(session: &mut Session, ui: &mut Ui) {
    if session.screen != Screen::Time {
        return;
    }
    let tree = session.scenario.tree();
    let settings = session.scenario.settings();
    let assumed = Assumptions::of(tree, settings, &settings.time.pace);
    session.time.assumed = Some(assumed);
    if session.is_behind() || session.scenario.trial().is_some() {
        return;
    }
    let key = session.forecast_key();
    let time = &mut session.time;
    if let Some(asked) = time.asked.about() {
        if *asked != key {
            time.asked.cancel();
        }
        return;
    }
    if let Some(forecast) = time.forecast(session.scenario.tree())
        && forecast.key == key
    {
        return;
    }
    if time.abandoned.as_ref() == Some(&key) {
        return;
    }
    time.abandoned = None;
    let task = ForecastTask {
        key: key.clone(),
        scenario: Box::new(session.scenario.before_waiting()),
    };
    let ticket = ui.start(Task::Forecast(task));
    time.asked.begin(ticket, key);
}
