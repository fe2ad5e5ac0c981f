//! The clock: steps, jumps, and time that passes by itself. What takes long is done on a thread.

use super::{STEPS, Time};
use crate::model::duration_for_people;
use crate::scenario::{Edit, Scenario, check_wait, parse};
use crate::tui::ahead::Touched;
use crate::tui::dialog::Purpose;
use crate::tui::{App, Effect, Message, Session};

/// Up to so many nodes times cycles the clock is moved before a key could feel slow.
const AT_ONCE: u64 = 4_000_000;

/// The seconds that the shortest cycle of a scheduler takes, roughly.
const CYCLE: u64 = 300;

/// Milliseconds between two steps of time that passes by itself.
const BEAT: u32 = 250;

/// A clock to be moved. Clones are cheap: they share every column.
#[derive(Clone, Debug)]
pub struct Moving {
    number: u64,
    scenario: Box<Scenario>,
    passed: u64,
}

impl PartialEq for Moving {
    /// Numbers are given once, so the same number is the same question.
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Moving {}

impl Moving {
    /// Moves the clock and works out the numbers.
    #[must_use]
    pub fn perform(mut self) -> Message {
        let moved = self.scenario.move_clock(self.passed);
        let _ = (self.scenario.before(), self.scenario.evaluation());
        Message::Moved {
            number: self.number,
            scenario: moved
                .map(|()| self.scenario)
                .map_err(|error| error.to_string()),
        }
    }
}

impl App {
    /// Moves the clock to a moment, in seconds since the snapshot.
    fn move_clock(&mut self, passed: u64) -> Vec<Effect> {
        let number = self.questions + 1;
        let Some(session) = self.session_mut() else {
            return Vec::new();
        };
        session.catch_up();
        session.scenario.end_trial();
        let began = session.scenario.settings().time.passed - session.scenario.waited();
        let cycles = passed.saturating_sub(began) / CYCLE + 1;
        let nodes = session.scenario.tree().id_count() as u64;
        if nodes.saturating_mul(cycles) > AT_ONCE {
            session.time.moving = Some((number, session.changes));
            self.questions = number;
            let scenario = Box::new(self.sessions[self.current].scenario.clone());
            return vec![Effect::Move(Box::new(Moving {
                number,
                scenario,
                passed,
            }))];
        }
        let moved = session.change(Touched::Settings, |scenario| scenario.move_clock(passed));
        match moved {
            Ok(()) => Vec::new(),
            Err(error) => {
                session.time.beat = None;
                self.fail(error.to_string())
            }
        }
    }

    /// Shows where a thread moved the clock to, unless the tree was changed meanwhile.
    pub(in crate::tui) fn show_moved(
        &mut self,
        number: u64,
        scenario: Result<Box<Scenario>, String>,
    ) -> Vec<Effect> {
        let is_asker = |session: &&mut Session| {
            let moving = session.time.moving;
            moving.is_some_and(|(asked, _)| asked == number)
        };
        let Some(session) = self.sessions.iter_mut().find(is_asker) else {
            return Vec::new();
        };
        let changes = session.time.moving.take().map(|(_, changes)| changes);
        match scenario {
            Ok(scenario) if changes == Some(session.changes) => {
                session.show_changed(*scenario, Touched::Settings);
                Vec::new()
            }
            Ok(_) => self.say("the tree was changed meanwhile, so the clock stands where it stood"),
            Err(error) => {
                session.time.beat = None;
                self.fail(error)
            }
        }
    }

    /// Lets a step of time pass.
    pub(super) fn step_on(&mut self) -> Vec<Effect> {
        let Some(session) = self.session() else {
            return Vec::new();
        };
        let passed = session.meant().settings().time.passed;
        self.move_clock(passed.saturating_add(session.time.step()))
    }

    /// Takes a step of time back, or as much as can be.
    pub(super) fn step_back(&mut self, seconds: u64) -> Vec<Effect> {
        let Some(session) = self.session_mut() else {
            return Vec::new();
        };
        session.time.beat = None;
        let waited = session.meant().waited();
        let passed = session.meant().settings().time.passed;
        if waited == 0 {
            let key = self.keymap.hint(crate::tui::Action::Undo);
            return if passed == 0 {
                self.say("this is the moment of the snapshot; nobody knows what was before")
            } else {
                self.say(format!(
                    "time goes back to the last edit; {key} takes that back"
                ))
            };
        }
        self.move_clock(passed - waited.min(seconds))
    }

    /// Asks how long to wait, or until when.
    pub(super) fn ask_when(&mut self) -> Vec<Effect> {
        if let Some(session) = self.session_mut() {
            session.time.beat = None;
        }
        self.prompt(Purpose::Jump, String::new())
    }

    /// Moves the clock as was typed.
    pub(in crate::tui) fn take_jump(&mut self, text: &str) -> Result<Vec<Effect>, String> {
        let Some(session) = self.session() else {
            return Ok(Vec::new());
        };
        let scenario = session.meant();
        let text = text.trim();
        let text = text.strip_prefix("wait ").unwrap_or(text);
        let read = |line: String| parse(line.as_bytes(), scenario.tree(), scenario.settings());
        let waiting = match read(format!("wait {text}")) {
            // A date is typed as it is.
            Err(error) if text.contains('-') && !text.starts_with("until") => {
                read(format!("wait until {text}")).map_err(|dated| match dated {
                    crate::scenario::LanguageError::Form { .. } => error,
                    dated => dated,
                })
            }
            read => read,
        };
        let edit = waiting.map_err(|error| error.to_string())?;
        let Edit::Wait { seconds } = edit else {
            return Ok(Vec::new());
        };
        check_wait(scenario.settings(), seconds).map_err(|error| error.to_string())?;
        let passed = scenario.settings().time.passed;
        Ok(self.move_clock(passed.saturating_add(seconds)))
    }

    /// Lets time pass by itself, or stops it.
    pub(super) fn play(&mut self) -> Vec<Effect> {
        let number = self.questions + 1;
        let Some(session) = self.session_mut() else {
            return Vec::new();
        };
        if session.time.beat.take().is_some() {
            return Vec::new();
        }
        session.time.beat = Some(number);
        self.questions = number;
        let mut effects = self.step_on();
        effects.extend(self.next_beat(number));
        effects
    }

    fn next_beat(&self, number: u64) -> Option<Effect> {
        let session = self.session()?;
        (session.time.beat == Some(number)).then_some(Effect::Beat {
            number,
            milliseconds: BEAT,
        })
    }

    /// A beat is over: the next step, if time still passes by itself.
    pub(in crate::tui) fn beat(&mut self, number: u64) -> Vec<Effect> {
        let is_covered = self.dialog.is_some() || self.page.is_some();
        let Some(session) = self.session_mut() else {
            return Vec::new();
        };
        if session.time.beat != Some(number) {
            return Vec::new();
        }
        let mut effects = Vec::new();
        // What is typed or read is about the moment on the screen, and a step under way comes first.
        if !is_covered && session.time.moving.is_none() && !session.is_behind() {
            effects = self.step_on();
        }
        effects.extend(self.next_beat(number));
        effects
    }

    /// Takes longer or shorter steps; after the longest comes the shortest.
    pub(super) fn next_step(&mut self) -> Vec<Effect> {
        let Some(session) = self.session_mut() else {
            return Vec::new();
        };
        let Time { step, .. } = &mut session.time;
        *step = (*step + 1) % STEPS.len();
        let text = format!("a step is {}", duration_for_people(STEPS[*step]));
        self.say(text)
    }
}
