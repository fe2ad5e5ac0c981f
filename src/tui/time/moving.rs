//! Moving the clock: at once where that is quick, else on a thread that says how far it has come and can be stopped.

use super::DAY;
use crate::model::Settings;
use crate::scenario::Scenario;
use crate::tui::ahead::Touched;
use crate::tui::{App, Effect, Message, Session};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Up to so many nodes times cycles the clock is moved before a key could feel slow.
const AT_ONCE: u64 = 4_000_000;

/// The seconds that the shortest cycle of a scheduler takes, roughly.
const CYCLE: u64 = 300;

/// A clock to be moved. Clones are cheap: they share every column.
#[derive(Clone, Debug)]
pub struct Moving {
    number: u64,
    scenario: Box<Scenario>,
    passed: u64,
    is_cancelled: Arc<AtomicBool>,
}

impl PartialEq for Moving {
    /// Numbers are given once, so the same number is the same question.
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Moving {}

impl Moving {
    /// Moves the clock and works out the numbers; says again and again how far it has come, and stops when nobody waits
    /// for it any more.
    #[must_use]
    pub fn perform(mut self, tell: &mut dyn FnMut(Message)) -> Message {
        let (number, is_cancelled) = (self.number, Arc::clone(&self.is_cancelled));
        let begin = beginning(&self.scenario, self.passed);
        let went = self.scenario.move_clock(self.passed, &mut |seconds| {
            if is_cancelled.load(Ordering::Relaxed) {
                return ControlFlow::Break(());
            }
            let passed = begin.saturating_add(seconds);
            tell(Message::MovedOn { number, passed });
            ControlFlow::Continue(())
        });
        let scenario = match went {
            Ok(ControlFlow::Continue(())) => {
                let _ = (self.scenario.before(), self.scenario.evaluation());
                Ok(Some(self.scenario))
            }
            Ok(ControlFlow::Break(())) => Ok(None),
            Err(error) => Err(error.to_string()),
        };
        Message::Moved { number, scenario }
    }
}

/// The moment from which time passes on the way to another one: going back begins where the wait began.
fn beginning(scenario: &Scenario, passed: u64) -> u64 {
    let now = scenario.settings().time.passed;
    if passed < now {
        now - scenario.waited()
    } else {
        now
    }
}

/// A move of the clock that a thread works on.
#[derive(Clone, Debug)]
pub(super) struct UnderWay {
    number: u64,
    /// How often edits had changed by then.
    changes: u64,
    /// Where it goes to, in seconds since the snapshot.
    pub(super) until: u64,
    /// How far it has come, once it has said so.
    at: Option<u64>,
    is_cancelled: Arc<AtomicBool>,
}

impl Session {
    /// Whether it takes so long to let time pass from one moment to another that it is done aside.
    pub(in crate::tui) fn waits_long(&self, from: u64, until: u64) -> bool {
        let cycles = until.saturating_sub(from) / CYCLE + 1;
        let nodes = self.meant().tree().id_count() as u64;
        nodes.saturating_mul(cycles) > AT_ONCE
    }

    /// How far the clock has come on a long way, in words; nothing where it is on none, or has only just set out.
    pub(in crate::tui) fn way_of_clock(&self) -> Option<String> {
        let under_way = self.time.moving.as_ref()?;
        let (at, until) = (under_way.at? / DAY, under_way.until.div_ceil(DAY));
        Some(format!("the clock is on its way: day {at} of {until}"))
    }

    /// Tells the thread that moves the clock that nobody waits for it; the clock stays where it is. Says whether there
    /// was one.
    pub(in crate::tui) fn stop_clock(&mut self) -> bool {
        self.time.stop_moving()
    }
}

impl super::Time {
    /// As [`Session::stop_clock`].
    pub(super) fn stop_moving(&mut self) -> bool {
        let under_way = self.moving.take();
        if let Some(under_way) = &under_way {
            under_way.is_cancelled.store(true, Ordering::Relaxed);
        }
        under_way.is_some()
    }
}

impl App {
    /// Moves the clock to a moment, in seconds since the snapshot. A move under way is stopped.
    pub(super) fn move_clock(&mut self, passed: u64) -> Vec<Effect> {
        let number = self.questions + 1;
        let Some(session) = self.session_mut() else {
            return Vec::new();
        };
        session.catch_up();
        session.scenario.end_trial();
        session.stop_clock();
        let begin = beginning(&session.scenario, passed);
        if session.waits_long(begin, passed) {
            let is_cancelled = Arc::<AtomicBool>::default();
            session.time.moving = Some(UnderWay {
                number,
                changes: session.changes,
                until: passed,
                at: None,
                is_cancelled: Arc::clone(&is_cancelled),
            });
            let scenario = Box::new(session.scenario.clone());
            self.questions = number;
            return vec![Effect::Move(Box::new(Moving {
                number,
                scenario,
                passed,
                is_cancelled,
            }))];
        }
        let moved = session.change(Touched::Settings, |scenario| {
            scenario.move_clock(passed, &mut |_| ControlFlow::Continue(()))
        });
        match moved {
            Ok(_) => Vec::new(),
            Err(error) => {
                session.time.beat = None;
                self.fail(error.to_string())
            }
        }
    }

    /// Lets so much time pass from the moment on the screen.
    pub(in crate::tui) fn wait_on(&mut self, seconds: u64) -> Vec<Effect> {
        let passed = |settings: &Settings| settings.time.passed;
        let now = self
            .session()
            .map(|session| passed(session.meant().settings()));
        now.map_or_else(Vec::new, |now| self.move_clock(now.saturating_add(seconds)))
    }

    /// Hears how far the clock has come.
    pub(in crate::tui) fn hear_of_clock(&mut self, number: u64, passed: u64) -> Vec<Effect> {
        let moving = self.sessions.iter_mut();
        let mut moving = moving.filter_map(|session| session.time.moving.as_mut());
        if let Some(under_way) = moving.find(|under_way| under_way.number == number) {
            under_way.at = Some(passed);
        }
        Vec::new()
    }

    /// Shows where a thread moved the clock to.
    pub(in crate::tui) fn show_moved(
        &mut self,
        number: u64,
        scenario: Result<Option<Box<Scenario>>, String>,
    ) -> Vec<Effect> {
        let is_asker = |session: &&mut Session| {
            let moving = session.time.moving.as_ref();
            moving.is_some_and(|under_way| under_way.number == number)
        };
        let Some(session) = self.sessions.iter_mut().find(is_asker) else {
            return Vec::new();
        };
        session.time.moving = None;
        match scenario {
            Ok(Some(scenario)) => {
                session.show_changed(*scenario, Touched::Settings);
                Vec::new()
            }
            Ok(None) => Vec::new(),
            Err(error) => {
                session.time.beat = None;
                self.fail(error)
            }
        }
    }

    /// Stops each clock that moves in a tree that was changed meanwhile.
    pub(in crate::tui) fn stop_outdated_clocks(&mut self) {
        let mut has_stopped = false;
        for session in &mut self.sessions {
            let changes = session.changes;
            let moving = session.time.moving.as_ref();
            if moving.is_some_and(|under_way| under_way.changes != changes) {
                session.time.beat = None;
                has_stopped |= session.stop_clock();
            }
        }
        if has_stopped && self.notice.is_none() {
            self.say("the tree was changed meanwhile, so the clock stands where it stood");
        }
    }
}
