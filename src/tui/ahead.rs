//! Numbers of large trees: worked out on a thread, while the screen shows those before and takes keys.
//!
//! Another policy or setting changes every number of a tree, which takes up to a second for a million nodes. So the
//! change is made on a copy of the scenario, which shares every column with the one on the screen, and the copy takes
//! its place once its numbers are there. What needs the change earlier has it at once and waits for the numbers.

use super::{App, Effect, Message, Session};
use crate::scenario::{Edit, Scenario};

/// Up to this many nodes numbers are there before a key could feel slow.
const AT_ONCE: usize = 50_000;

/// A scenario whose numbers are to be worked out. Its clones are cheap: they share every column.
#[derive(Clone, Debug)]
pub struct Evaluating {
    number: u64,
    scenario: Box<Scenario>,
}

impl PartialEq for Evaluating {
    /// Numbers are given once, so the same number is the same question.
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Evaluating {}

impl Evaluating {
    /// Works out the numbers, which takes up to a second for a million nodes.
    #[must_use]
    pub fn perform(self) -> Message {
        let _ = (self.scenario.before(), self.scenario.evaluation());
        Message::Evaluated {
            number: self.number,
            scenario: self.scenario,
        }
    }
}

/// What a change concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Touched {
    /// Only which policy is in force: what is known about all policies stays true.
    Policy,
    /// Single nodes: numbers far from them are kept, so the rest is there soon.
    Nodes,
    /// A setting.
    Settings,
}

impl Touched {
    /// What an edit concerns.
    pub(super) const fn by(edit: &Edit) -> Self {
        match edit {
            Edit::SetSetting { .. }
            | Edit::RestoreSettings { .. }
            | Edit::Wait { .. }
            | Edit::Pace(_)
            | Edit::RestoreMoment { .. } => Self::Settings,
            _ => Self::Nodes,
        }
    }
}

/// A scenario that is ahead of the screen.
#[derive(Clone, Debug)]
struct Changed {
    scenario: Scenario,
    touched: Touched,
    /// Whether the question under way is about this very state.
    is_asked: bool,
}

/// What is ahead of the screen, and the question under way: one at a time, or a held key would start a thread each.
#[derive(Clone, Debug, Default)]
pub(super) struct Ahead {
    changed: Option<Changed>,
    under_way: Option<u64>,
}

impl Session {
    /// Whether the numbers on the screen are of an earlier state.
    pub(super) fn is_behind(&self) -> bool {
        self.ahead.changed.is_some()
    }

    /// The scenario with every change, also those whose numbers are not there yet.
    #[must_use]
    pub fn meant(&self) -> &Scenario {
        let changed = self.ahead.changed.as_ref();
        changed.map_or(&self.scenario, |changed| &changed.scenario)
    }

    /// Changes the scenario: at once, or ahead of the screen where the numbers take long.
    pub(super) fn change<T>(
        &mut self,
        touched: Touched,
        change: impl FnOnce(&mut Scenario) -> T,
    ) -> T {
        let is_small = self.scenario.tree().node_count() <= AT_ONCE;
        if is_small || (touched == Touched::Nodes && !self.is_behind()) {
            let before = self.scenario.policy();
            let answer = change(&mut self.scenario);
            self.follow(before, touched);
            return answer;
        }
        let (mut scenario, so_far) = match self.ahead.changed.take() {
            Some(changed) => (changed.scenario, changed.touched),
            None => (self.scenario.clone(), touched),
        };
        let answer = change(&mut scenario);
        // What is kept for a crash is what was meant.
        self.changes += 1;
        self.ahead.changed = Some(Changed {
            scenario,
            touched: touched.max(so_far),
            is_asked: false,
        });
        answer
    }

    /// Lets the screen catch up with every change: drawing then waits for the numbers.
    pub(super) fn catch_up(&mut self) {
        if let Some(changed) = self.ahead.changed.take() {
            self.show_changed(changed.scenario, changed.touched);
        }
    }

    /// Shows a scenario that was changed aside.
    pub(super) fn show_changed(&mut self, scenario: Scenario, touched: Touched) {
        let before = self.scenario.policy();
        self.scenario = scenario;
        self.follow(before, touched);
    }
}

impl App {
    /// The next question about numbers, if one is to be asked and none is under way.
    pub(super) fn ask_to_evaluate(&mut self) -> Option<Effect> {
        let number = self.questions + 1;
        let ahead = self.sessions.iter_mut().map(|session| &mut session.ahead);
        let mut idle = ahead.filter(|ahead| ahead.under_way.is_none());
        let (changed, under_way) = idle.find_map(|ahead| {
            let changed = ahead.changed.as_mut()?;
            Some((changed, &mut ahead.under_way))
        })?;
        changed.is_asked = true;
        *under_way = Some(number);
        self.questions = number;
        Some(Effect::Evaluate(Evaluating {
            number,
            scenario: Box::new(changed.scenario.clone()),
        }))
    }

    /// Shows numbers that are still waited for; those of a state that was changed again are dropped.
    pub(super) fn show_evaluated(&mut self, number: u64, scenario: Scenario) -> Vec<Effect> {
        let announced = self.announcement();
        let is_asker = |session: &&mut Session| session.ahead.under_way == Some(number);
        let Some(session) = self.sessions.iter_mut().find(is_asker) else {
            return Vec::new();
        };
        session.ahead.under_way = None;
        let changed = session.ahead.changed.take_if(|changed| changed.is_asked);
        if let Some(changed) = changed {
            session.show_changed(scenario, changed.touched);
            // What was announced while it was worked out is now so.
            if self.notice == announced {
                self.notice = self.announcement();
            }
        }
        Vec::new()
    }
}
