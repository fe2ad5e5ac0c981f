//! The clock: steps, jumps and playing. A quick move happens at once. A slow move runs on a thread, which reports its
//! progress and can be stopped.

use crate::base::shown::{Shown, sentence};
use crate::model::duration_for_people;
use crate::scenario::{Edit, LanguageError, check_wait, parse};
use crate::tui::input::action::Action;
use crate::tui::state::time::STEPS;
use crate::tui::state::{Effect, Purpose, Scope, Session, Task, Ui};
use crate::tui::time::clock::{ClockRun, ClockTask, beginning};
use std::ops::ControlFlow;

const BEAT: u32 = 250;

/// Moves the clock to a moment, in seconds since the snapshot. A move in progress is stopped.
pub(crate) fn move_clock(session: &mut Session, ui: &mut Ui, passed: u64) {
    session.catch_up();
    session.scenario.end_trial();
    session.time.clock_run.forget();
    let begin = beginning(&session.scenario, passed);
    if session.waits_long(begin, passed) {
        let scenario = Box::new(session.scenario.clone());
        let task = Task::Clock(ClockTask { scenario, passed });
        let run = ClockRun {
            changes: session.changes,
            until: passed,
            at: None,
        };
        return session.time.clock_run.begin(ui.start(task), run);
    }
    let moved = session.change(Scope::Settings, |scenario| {
        scenario.move_clock(passed, &mut |_| ControlFlow::Continue(()))
    });
    if let Err(error) = moved {
        session.time.beat = None;
        ui.fail(Shown::error(&error));
    }
}

/// Moves the clock forward by `seconds` from the moment on the screen.
pub(crate) fn wait(session: &mut Session, ui: &mut Ui, seconds: u64) {
    let now = session.latest().settings().time.passed;
    move_clock(session, ui, now.saturating_add(seconds));
}

pub(crate) fn step_forward(session: &mut Session, ui: &mut Ui) {
    session.time.beat = None;
    step_further(session, ui);
}

/// Moves the clock forward by one step. During a move, the step is added to the destination of that move.
fn step_further(session: &mut Session, ui: &mut Ui) {
    let (_, goal) = clock_range(session);
    move_clock(session, ui, goal.saturating_add(session.time.step()));
}

pub(crate) fn step_back(session: &mut Session, ui: &mut Ui) {
    let step = session.time.step();
    go_back(session, ui, step);
}

pub(crate) fn rewind(session: &mut Session, ui: &mut Ui) {
    go_back(session, ui, u64::MAX);
}

fn go_back(session: &mut Session, ui: &mut Ui, seconds: u64) {
    session.time.beat = None;
    let (begin, goal) = clock_range(session);
    if goal > begin {
        return move_clock(session, ui, goal.saturating_sub(seconds).max(begin));
    }
    if goal == 0 {
        return ui.say("this is the moment of the snapshot; earlier times are unknown");
    }
    let key = ui.hint(Action::Undo);
    ui.say(sentence!(
        "the clock cannot go back before the last edit; {key} undoes the edit"
    ));
}

/// Moves the clock to a moment in seconds since the snapshot, or to that of the last edit if that is later.
pub(crate) fn go_to(session: &mut Session, ui: &mut Ui, moment: u64) {
    session.time.beat = None;
    let (begin, goal) = clock_range(session);
    let moment = moment.max(begin);
    if moment != goal {
        move_clock(session, ui, moment);
    }
}

pub(crate) fn ask_when(session: &mut Session, ui: &mut Ui) {
    session.time.beat = None;
    ui.prompt(Purpose::Jump, String::new());
}

pub(crate) fn take_jump(session: &mut Session, ui: &mut Ui, text: &str) -> Result<(), Shown> {
    let scenario = session.latest();
    let text = text.trim();
    let text = text.strip_prefix("wait ").unwrap_or(text);
    let read = |line: String| parse(line.as_bytes(), scenario.tree(), scenario.settings());
    let waiting = match read(format!("wait {text}")) {
        // A bare date needs no `until`.
        Err(error) if text.contains('-') && !text.starts_with("until") => {
            read(format!("wait until {text}")).map_err(|dated| match dated {
                LanguageError::Form { .. } => error,
                dated => dated,
            })
        }
        read => read,
    };
    let edit = waiting.map_err(|error| Shown::error(&error))?;
    let Edit::Wait { seconds } = edit else {
        return Ok(());
    };
    check_wait(scenario.settings(), seconds).map_err(|error| Shown::error(&error))?;
    wait(session, ui, seconds);
    Ok(())
}

pub(crate) fn play(session: &mut Session, ui: &mut Ui) {
    if session.time.beat.take().is_some() {
        return;
    }
    let number = ui.next_ticket().number;
    session.time.beat = Some(number);
    step_further(session, ui);
    next_beat(session, ui, number);
}

fn next_beat(session: &Session, ui: &mut Ui, number: u64) {
    if session.time.beat == Some(number) {
        ui.queue(Effect::Beat {
            number,
            milliseconds: BEAT,
        });
    }
}

/// Steps forward at the end of a beat, if the clock still plays.
pub(crate) fn beat(session: &mut Session, ui: &mut Ui, number: u64) {
    let is_covered = ui.dialog.is_some() || ui.front_page().is_some();
    if session.time.beat != Some(number) {
        return;
    }
    // A dialog refers to the moment on the screen, and a step in progress is finished first.
    if !is_covered && session.time.clock_run.about().is_none() && !session.is_behind() {
        step_further(session, ui);
    }
    next_beat(session, ui, number);
}

/// Changes the length of a step. The shortest follows the longest.
pub(crate) fn next_step(session: &mut Session, ui: &mut Ui) {
    session.time.step = (session.time.step + 1) % STEPS.len();
    let step = duration_for_people(session.time.step());
    ui.say(sentence!("a step is {step}"));
}

/// Returns the earliest moment that the clock can go back to, and its current moment or the destination of its move.
fn clock_range(session: &Session) -> (u64, u64) {
    let scenario = session.latest();
    let now = scenario.settings().time.passed;
    let goal = session.time.clock_run.about().map(|moving| moving.until);
    (now - scenario.waited(), goal.unwrap_or(now))
}
