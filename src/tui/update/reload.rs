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
use crate::tui::job::Job;
use crate::tui::page::subject::NO_SERIES;
use crate::tui::state::app::App;
use crate::tui::state::message::Effect;
use crate::tui::state::reading::{Reload, ReloadTask};
use crate::tui::state::session::Session;
use crate::tui::state::ui::Ui;
use crate::tui::state::watch::can_be_read_again;
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
        let open = self.session().map(|session| &session.reference.request);
        let request = open.or(ui.watch.unopened.as_ref());
        let pace = request.and_then(|request| ui.pace(request));
        if let Some(seconds) = pace.or(ui.options.watch) {
            self.ui.watch.is_waiting = true;
            self.ui.queue(Effect::Wait(seconds));
        }
    }

    /// Reads the watched source again after the interval.
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
            ui.loading.is_some() || ui.watch.asked.is_some() || ui.watch.arrived.is_some();
        if !is_busy
            && let Some((session, ui)) = self.open_tree()
            && ui.pace(&session.reference.request).is_some()
        {
            let last = session.file_states.clone();
            return read_again(session, ui, last);
        }
        self.wait_to_read();
    }

    /// Stops the reading in progress, if there is one.
    pub(crate) fn stop_reading(&mut self) {
        let ui = &mut self.ui;
        if ui.watch.asked.take().is_none() {
            return;
        }
        ui.watch.is_explicit = false;
        ui.watch.target = None;
        ui.say("reloading was cancelled");
        ui.queue(Effect::CancelReload);
        self.wait_to_read();
    }

    /// Keeps a reading that is still awaited until no dialog is open.
    pub(crate) fn take_reading(&mut self, reading: Box<Reload>) {
        let is_asked = |&mut (number, _): &mut (u64, usize)| number == reading.number;
        if let Some((_, place)) = self.ui.watch.asked.take_if(is_asked) {
            self.ui.watch.arrived = Some((place, reading));
            self.wait_to_read();
        }
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
        let since = session.read_at.clone();
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

    /// Keeps the tree on the screen, because its files have not changed. It was the source's at that time of day.
    pub(crate) fn keep_reading(&mut self, number: u64, read_at: String) {
        let is_asked = |&mut (asked, _): &mut (u64, usize)| asked == number;
        let Some((_, place)) = self.ui.watch.asked.take_if(is_asked) else {
            return;
        };
        if let Some(session) = self.sessions.get_mut(place) {
            session.read_at = Some(read_at);
            session.is_stale = false;
        }
        self.wait_to_read();
    }

    /// Says why a source could not be read again. The tree on the screen stays.
    pub(crate) fn fail_to_reload(&mut self, number: u64, reason: &str) {
        let ui = &mut self.ui;
        let is_asked = |&mut (asked, _): &mut (u64, usize)| asked == number;
        let Some((_, place)) = ui.watch.asked.take_if(is_asked) else {
            return;
        };
        ui.watch.is_explicit = false;
        let is_other = ui.watch.target.take().is_some();
        if let Some(session) = self.sessions.get_mut(place).filter(|_| !is_other) {
            session.is_stale = true;
        }
        ui.fail(sentence!("not reloaded: {reason}"));
        self.wait_to_read();
    }
}

/// Reads the source of the tree on the screen again, at the user's request.
pub(crate) fn reload(session: &mut Session, ui: &mut Ui) {
    if let Err(reason) = can_be_read_again(&session.reference.request) {
        return ui.fail(reason);
    }
    if ui.watch.asked.is_some() {
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
    let (request, series) = (session.reference.request.clone(), session.series.clone());
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
    let reloading = ReloadTask {
        request,
        series,
        before: Box::new(session.latest().clone()),
        other_scenarios: session.other_scenarios.clone(),
        changes: session.changes,
        file_states,
    };
    let number = ui.next_question();
    ui.watch.asked = Some((number, ui.current));
    ui.queue(Effect::Reload(Box::new(Job::new(number, reloading))));
}

/// Replaces the dump on the screen with a later one of its series, or an earlier one if `step` is negative.
pub(crate) fn step_series(session: &mut Session, ui: &mut Ui, step: isize) {
    // A repeated key continues from the dump that is being read.
    let aimed = ui.watch.target.as_ref().or(session.series.as_ref());
    let Some(series) = aimed else {
        return ui.fail(NO_SERIES);
    };
    let Some(next) = series.stepped(step) else {
        let which = if step < 0 { "oldest" } else { "newest" };
        let when = series.current().when();
        return ui.say(sentence!("this is the {which} dump, from {when}"));
    };
    let request = next.request(&session.reference.request);
    ui.watch.target = Some(next.clone());
    read_in_place(session, ui, request, Some(next), None);
}

/// Returns the names of the old and the new dump, or `None` if the reading shows the same dump.
fn stepped(session: &Session, reading: &Reload) -> Option<[Shown; 2]> {
    let (before, after) = (session.series.as_ref()?, reading.opened.series.as_ref()?);
    let (was, is) = (before.current(), after.current());
    (was != is).then(|| [was, is].map(|dump| sentence!("{}", dump.when())))
}
