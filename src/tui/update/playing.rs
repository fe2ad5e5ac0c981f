//! Keys of the clock: steps, jumps, and time that passes by itself.

use crate::model::duration_for_people;
use crate::scenario::{Edit, check_wait, parse};
use crate::tui::input::action::Action;
use crate::tui::state::app::App;
use crate::tui::state::message::Effect;
use crate::tui::state::prompt::Purpose;
use crate::tui::state::session::Session;
use crate::tui::time::state::{STEPS, Time};

/// Milliseconds between two steps of time that passes by itself.
const BEAT: u32 = 250;

impl App {
    /// Lets a step of time pass; where the clock is on its way, a step more than it would have come to.
    pub(crate) fn step_on(&mut self) {
        let Some(session) = self.session() else {
            return;
        };
        let (_, goal) = way(session);
        self.move_clock(goal.saturating_add(session.time.step()));
    }

    /// Takes a step of time back, or as much as can be.
    pub(crate) fn step_back(&mut self, seconds: u64) {
        let Some(session) = self.session_mut() else {
            return;
        };
        session.time.beat = None;
        let (begin, goal) = way(session);
        if goal > begin {
            return self.move_clock(goal.saturating_sub(seconds).max(begin));
        }
        if goal == 0 {
            return self
                .ui
                .say("this is the moment of the snapshot; nobody knows what was before");
        }
        let key = self.ui.hint(Action::Undo);
        self.ui.say(format!(
            "time goes back to the last edit; {key} takes that back"
        ));
    }

    /// Asks how long to wait, or until when.
    pub(crate) fn ask_when(&mut self) {
        if let Some(session) = self.session_mut() {
            session.time.beat = None;
        }
        self.ui.prompt(Purpose::Jump, String::new());
    }

    /// Moves the clock as was typed.
    pub(crate) fn take_jump(&mut self, text: &str) -> Result<(), String> {
        let Some(session) = self.session() else {
            return Ok(());
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
            return Ok(());
        };
        check_wait(scenario.settings(), seconds).map_err(|error| error.to_string())?;
        self.wait_on(seconds);
        Ok(())
    }

    /// Lets time pass by itself, or stops it.
    pub(crate) fn play(&mut self) {
        let number = self.ui.questions + 1;
        let Some(session) = self.session_mut() else {
            return;
        };
        if session.time.beat.take().is_some() {
            return;
        }
        session.time.beat = Some(number);
        self.ui.questions = number;
        self.step_on();
        self.next_beat(number);
    }

    fn next_beat(&mut self, number: u64) {
        if self
            .session()
            .is_some_and(|session| session.time.beat == Some(number))
        {
            self.ui.want(Effect::Beat {
                number,
                milliseconds: BEAT,
            });
        }
    }

    /// A beat is over: the next step, if time still passes by itself.
    pub(crate) fn beat(&mut self, number: u64) {
        let is_covered = self.ui.dialog.is_some() || self.ui.page.is_some();
        let Some(session) = self.session_mut() else {
            return;
        };
        if session.time.beat != Some(number) {
            return;
        }
        // What is typed or read is about the moment on the screen, and a step under way comes first.
        if !is_covered && session.time.moving.is_none() && !session.is_behind() {
            self.step_on();
        }
        self.next_beat(number);
    }

    /// Takes longer or shorter steps; after the longest comes the shortest.
    pub(crate) fn next_step(&mut self) {
        let Some(session) = self.session_mut() else {
            return;
        };
        let Time { step, .. } = &mut session.time;
        *step = (*step + 1) % STEPS.len();
        let text = format!("a step is {}", duration_for_people(STEPS[*step]));
        self.ui.say(text);
    }
}

/// How far the clock can go back, and where it stands or is on its way to.
fn way(session: &Session) -> (u64, u64) {
    let scenario = session.meant();
    let now = scenario.settings().time.passed;
    let goal = session
        .time
        .moving
        .as_ref()
        .map(|under_way| under_way.until);
    (now - scenario.waited(), goal.unwrap_or(now))
}
