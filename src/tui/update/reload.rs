//! Reading a source again, on a key or at regular intervals. Only one reading runs at a time. Edits are applied again
//! to the new tree, and a failed reading leaves the screen as it is. Another dump of a series replaces the tree in the
//! same way.
//!
//! A sleeping thread waits between two readings, so the explorer wakes only when the next one is due. The reading
//! thread does all the slow work: it applies the edits again and computes the numbers and the changed ranks.

use crate::base::number::counted;
use crate::base::shown::{Shown, sentence};
use crate::format::{Request, Series};
use crate::open::FileStates;
use crate::tui::input::action::Action;
use crate::tui::page::subject::NO_SERIES;
use crate::tui::state::reading::can_be_read_again;
use crate::tui::state::{App, Effect, Reading, Reload, ReloadTask, Session, Task, Ui};
use crate::tui::update::opening;
use crate::tui::update::page;

impl App {
    /// Says why a source could not be opened. A watched source is tried again after the interval if no tree is open
    /// yet.
    pub(crate) fn fail_to_load(&mut self, reason: Shown) {
        let ui = &mut self.ui;
        ui.loading = None;
        let is_first = self.sessions.is_empty();
        let unopened = ui.watch.unopened.as_ref().filter(|_| is_first);
        let Some(seconds) = unopened.and_then(|request| ui.pace(request)) else {
            ui.watch.unopened = None;
            return ui.refuse_path(reason);
        };
        ui.fail(sentence!("retrying every {seconds} s: {reason}"));
        self.wait_to_read();
    }

    /// Starts the wait for the next reading if a source is watched and no wait is in progress.
    pub(crate) fn wait_to_read(&mut self) {
        let ui = &self.ui;
        if ui.watch.is_waiting || ui.options.watch.is_none() {
            return;
        }
        let open = self.session().map(Session::request);
        let request = open.or(ui.watch.unopened.as_ref());
        let pace = request.and_then(|request| ui.pace(request));
        if let Some(seconds) = pace.or(ui.options.watch) {
            self.ui.watch.is_waiting = true;
            self.ui.queue(Effect::Wait(seconds));
        }
    }

    pub(crate) fn tick(&mut self) {
        let ui = &mut self.ui;
        ui.watch.is_waiting = false;
        if self.sessions.is_empty() && ui.loading.is_none() {
            if let Some(request) = ui.watch.unopened.clone() {
                opening::open(ui, request);
            }
            return;
        }
        let is_busy =
            ui.loading.is_some() || ui.watch.asked.about().is_some() || ui.watch.arrived.is_some();
        if !is_busy
            && let Some((session, ui)) = self.open_tree()
            && ui.pace(session.request()).is_some()
        {
            let last = session.source.file_states.clone();
            return read_again(session, ui, last);
        }
        self.wait_to_read();
    }

    pub(crate) fn stop_reading(&mut self) {
        let ui = &mut self.ui;
        if ui.watch.asked.forget().is_none() {
            return;
        }
        ui.watch.is_explicit = false;
        ui.watch.target = None;
        ui.say("reloading was cancelled");
        self.wait_to_read();
    }

    /// Takes what came of reading a source again. A tree is kept until no dialog is open, and if there is none, the one on
    /// the screen stays.
    pub(crate) fn take_reading(&mut self, number: u64, read: Result<Reload, Shown>) {
        let ui = &mut self.ui;
        let Some(place) = ui.watch.asked.end(number) else {
            return;
        };
        let source = self
            .sessions
            .get_mut(place)
            .map(|session| &mut session.source);
        match (read, source) {
            (Ok(Reload::Read(reading)), _) => ui.watch.arrived = Some((place, reading)),
            (Ok(Reload::Unchanged(read_at)), Some(source)) => {
                source.read_at = Some(read_at);
                source.is_stale = false;
            }
            (Ok(Reload::Unchanged(_)), None) => {}
            (Err(reason), source) => {
                ui.watch.is_explicit = false;
                let is_other = ui.watch.target.take().is_some();
                if let Some(source) = source.filter(|_| !is_other) {
                    source.is_stale = true;
                }
                ui.fail(sentence!("not reloaded: {reason}"));
            }
        }
        self.wait_to_read();
    }

    /// Shows the tree that was read again, unless a dialog is open.
    pub(crate) fn show_reading(&mut self) {
        let ui = &mut self.ui;
        if ui.dialog.is_some() {
            return;
        }
        let Some((place, reading)) = ui.watch.arrived.take() else {
            return;
        };
        let is_explicit = std::mem::take(&mut ui.watch.is_explicit);
        let Some(session) = self.sessions.get_mut(place) else {
            return;
        };
        let before = session.scenario.tree().clone();
        let since = session.source.read_at.clone();
        let moved = reading.moves.users;
        let way = stepped(session, &reading);
        ui.watch.target = None;
        let lost = session.adopt(*reading);
        let since = since.map_or_else(String::new, |time| format!(" since {time}"));
        if lost > 0 {
            let key = ui.hint(Action::Problems);
            let edits = counted(
                lost,
                "edit no longer fits and is",
                "edits no longer fit and are",
            );
            ui.fail(sentence!(
                "{edits} not applied, but kept: {key} lists the reasons"
            ));
        } else if let Some([from, to]) = way {
            ui.say(match moved {
                0 => sentence!("no ranks differ between {from} and {to}"),
                moved => sentence!(
                    "{} moved from {from} to {to}",
                    counted(moved, "user", "users")
                ),
            });
        } else if moved > 0 {
            ui.say(sentence!(
                "{} moved{since}",
                counted(moved, "user", "users")
            ));
        } else if is_explicit {
            ui.say(sentence!("nobody moved{since}"));
        }
        if place == ui.current {
            page::ask_again(session, ui, &before);
        }
    }
}

pub(crate) fn reload(session: &mut Session, ui: &mut Ui) {
    if let Err(reason) = can_be_read_again(session.request()) {
        return ui.fail(reason);
    }
    if ui.watch.asked.about().is_some() {
        return ui.say("it is already being reloaded");
    }
    if ui.loading.is_some() {
        return ui.say("another source is being opened");
    }
    ui.watch.is_explicit = true;
    read_again(session, ui, None);
}

/// Reads the source of the tree on the screen again, unless its files still have the given states.
fn read_again(session: &Session, ui: &mut Ui, last: Option<FileStates>) {
    let (request, series) = (session.request().clone(), session.source.series.clone());
    read_in_place(session, ui, request, series, last);
}

/// Reads a source that will replace the tree on the screen. A reading in progress is stopped.
fn read_in_place(
    session: &Session,
    ui: &mut Ui,
    request: Request,
    series: Option<Series>,
    file_states: Option<FileStates>,
) {
    let ticket = ui.start(Task::Reload(ReloadTask {
        request,
        series,
        before: Box::new(session.latest().clone()),
        other_scenarios: session.other_scenarios.clone(),
        changes: session.changes,
        file_states,
    }));
    ui.watch.asked.begin(ticket, ui.current);
}

/// Replaces the dump on the screen with a later one of its series, or an earlier one if `step` is negative.
pub(crate) fn step_series(session: &mut Session, ui: &mut Ui, step: isize) {
    // A repeated key continues from the dump that is being read.
    let aimed = ui.watch.target.as_ref().or(session.source.series.as_ref());
    let Some(series) = aimed else {
        return ui.fail(NO_SERIES);
    };
    let Some(next) = series.stepped(step) else {
        let which = if step < 0 { "oldest" } else { "newest" };
        let when = series.current().when();
        return ui.say(sentence!("this is the {which} dump, from {when}"));
    };
    let request = next.request(session.request());
    ui.watch.target = Some(next.clone());
    read_in_place(session, ui, request, Some(next), None);
}

/// Returns the names of the old and the new dump, or `None` if the reading shows the same dump.
fn stepped(session: &Session, reading: &Reading) -> Option<[Shown; 2]> {
    let (before, after) = (
        session.source.series.as_ref()?,
        reading.opened.series.as_ref()?,
    );
    let (was, is) = (before.current(), after.current());
    (was != is).then(|| [was, is].map(|dump| sentence!("{}", dump.when())))
}
