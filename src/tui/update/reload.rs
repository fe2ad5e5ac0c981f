//! Reading a source again: on a key, or every so many seconds. One reading is under way at a time, edits stay on top,
//! and what cannot be read leaves the screen as it is.
//!
//! The time between two readings is waited for by a thread that sleeps, so the explorer wakes only for it. All that
//! takes long is done on the thread that reads: applying the edits again, the numbers, and who moved where.

use crate::base::number::counted;
use crate::source::format::{Request, Series};
use crate::tui::input::action::Action;
use crate::tui::job::Job;
use crate::tui::state::app::App;
use crate::tui::state::message::Effect;
use crate::tui::state::reading::{LEAST_LIVE_PACE, Reading, Reloading};
use crate::tui::state::session::Session;
use crate::tui::state::watch::can_be_read_again;

impl App {
    /// Whether the tree on the screen is being read again.
    pub(crate) fn is_reloading(&self) -> bool {
        self.ui
            .watch
            .asked
            .is_some_and(|(_, place)| place == self.current)
    }

    /// The seconds between two readings of a tree, if it is watched.
    pub(crate) fn pace(&self, session: &Session) -> Option<u32> {
        self.pace_of(&session.reference.request)
    }

    fn pace_of(&self, request: &Request) -> Option<u32> {
        let seconds = self.ui.options.watch?;
        let is_live = request.live.is_some();
        let least = if is_live { LEAST_LIVE_PACE } else { 1 };
        can_be_read_again(request).ok()?;
        Some(seconds.max(least))
    }

    /// Says why a source could not be opened; the first one is tried again when the time comes, if it is watched.
    pub(crate) fn fail_to_load(&mut self, reason: String) {
        self.ui.loading = None;
        let is_first = self.sessions.is_empty();
        let unopened = self.ui.watch.unopened.as_ref().filter(|_| is_first);
        let Some(seconds) = unopened.and_then(|request| self.pace_of(request)) else {
            self.ui.watch.unopened = None;
            return self.refuse_path(reason);
        };
        self.ui
            .fail(format!("tried again every {seconds} s: {reason}"));
        self.wait();
    }

    /// Lets the clock run, unless it does, or nothing is watched.
    pub(crate) fn wait(&mut self) {
        if self.ui.watch.is_waiting || self.ui.options.watch.is_none() {
            return;
        }
        let unopened = self.ui.watch.unopened.as_ref();
        let pace = match self.session() {
            Some(session) => self.pace(session),
            None => unopened.and_then(|request| self.pace_of(request)),
        };
        let Some(seconds) = pace.or(self.ui.options.watch) else {
            return;
        };
        self.ui.watch.is_waiting = true;
        self.ui.want(Effect::Wait(seconds));
    }

    /// The time has come to read again.
    pub(crate) fn tick(&mut self) {
        self.ui.watch.is_waiting = false;
        if self.sessions.is_empty() && self.ui.loading.is_none() {
            let unopened = self.ui.watch.unopened.clone();
            if let Some(request) = unopened {
                self.open(request);
            }
            return;
        }
        let is_watched = self
            .session()
            .is_some_and(|session| self.pace(session).is_some());
        let is_busy = self.ui.loading.is_some() || self.ui.watch.asked.is_some();
        if is_watched && !is_busy && self.ui.watch.arrived.is_none() {
            return self.read_again();
        }
        self.wait();
    }

    /// Reads the tree on the screen again, because the user says so.
    pub(crate) fn reload(&mut self) {
        let Some(session) = self.session() else {
            return;
        };
        if let Err(reason) = can_be_read_again(&session.reference.request) {
            return self.ui.fail(reason);
        }
        if self.ui.watch.asked.is_some() {
            return self.ui.say("it is being read already");
        }
        if self.ui.loading.is_some() {
            return self.ui.say("something is being opened just now");
        }
        self.ui.watch.is_wanted = true;
        self.read_again();
    }

    fn read_again(&mut self) {
        let Some(session) = self.session() else {
            return;
        };
        let (request, series) = (session.reference.request.clone(), session.series.clone());
        self.read_in_place(request, series);
    }

    /// Reads a source to be put in the place of the tree on the screen; what was being read before is given up.
    pub(crate) fn read_in_place(&mut self, request: Request, series: Option<Series>) {
        let place = self.current;
        let Some(session) = self.session() else {
            return;
        };
        let reloading = Reloading {
            request,
            series,
            before: Box::new(session.meant().clone()),
            other_scenarios: session.other_scenarios.clone(),
            changes: session.changes,
        };
        let number = self.ui.next_question();
        self.ui.watch.asked = Some((number, place));
        self.ui
            .want(Effect::Reload(Box::new(Job::new(number, reloading))));
    }

    /// Gives up the reading under way, if there is one.
    pub(crate) fn stop_reading(&mut self) {
        if self.ui.watch.asked.take().is_none() {
            return;
        }
        self.ui.watch.is_wanted = false;
        self.ui.watch.aimed = None;
        self.ui.say("reading again was stopped");
        self.ui.want(Effect::CancelReload);
        self.wait();
    }

    /// Takes an answer that is still waited for, to be shown once no dialog is open.
    pub(crate) fn take_reading(&mut self, reading: Box<Reading>) {
        let is_asked = |&mut (number, _): &mut (u64, usize)| number == reading.number;
        let Some((_, place)) = self.ui.watch.asked.take_if(is_asked) else {
            return;
        };
        self.ui.watch.arrived = Some((place, reading));
        self.wait();
    }

    /// Shows what was read again, unless a dialog is open.
    pub(crate) fn show_reading(&mut self) {
        if self.ui.dialog.is_some() {
            return;
        }
        let Some((place, reading)) = self.ui.watch.arrived.take() else {
            return;
        };
        let is_wanted = std::mem::take(&mut self.ui.watch.is_wanted);
        let Some(session) = self.sessions.get_mut(place) else {
            return;
        };
        let before = session.scenario.tree().clone();
        let since = session.read_at.clone();
        let moved = reading.moves.users;
        let way = stepped(session, &reading);
        self.ui.watch.aimed = None;
        let lost = session.take_up(*reading);
        let since = since.map_or_else(String::new, |time| format!(" since {time}"));
        if lost > 0 {
            let key = self.ui.hint(Action::Problems);
            let edits = counted(
                lost,
                "edit no longer fits and is",
                "edits no longer fit and are",
            );
            self.ui.fail(format!(
                "{edits} not applied, but kept: {key} lists what was odd"
            ));
        } else if let Some(way) = way {
            self.ui
                .say(format!("{} moved {way}", counted(moved, "user", "users")));
        } else if moved > 0 {
            self.ui
                .say(format!("{} moved{since}", counted(moved, "user", "users")));
        } else if is_wanted {
            self.ui.say(format!("nobody moved{since}"));
        }
        if place == self.current {
            self.ask_page_again(&before);
        }
    }

    /// Says why a source could not be read again; the screen stays.
    pub(crate) fn fail_to_reload(&mut self, number: u64, reason: &str) {
        let is_asked = |&mut (asked, _): &mut (u64, usize)| asked == number;
        let Some((_, place)) = self.ui.watch.asked.take_if(is_asked) else {
            return;
        };
        self.ui.watch.is_wanted = false;
        let is_other = self.ui.watch.aimed.take().is_some();
        if let Some(session) = self.sessions.get_mut(place).filter(|_| !is_other) {
            session.is_stale = true;
        }
        self.ui.fail(format!("not read again: {reason}"));
        self.wait();
    }
}

/// From which dump to which a reading goes, where it is another one of a series.
fn stepped(session: &Session, reading: &Reading) -> Option<String> {
    let (before, after) = (session.series.as_ref()?, reading.opened.series.as_ref()?);
    let (was, is) = (before.current(), after.current());
    (was != is).then(|| format!("from {} to {}", was.when(), is.when()))
}
