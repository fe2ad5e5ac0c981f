//! The Time screen and its clock. A quick move of the clock happens at once. A slow move runs on a thread, which reports
//! its progress and can be stopped.

use crate::analysis::simulate::{Preset, RecoveryError};
use crate::analysis::solve::Goal;
use crate::base::shown::{Shown, sentence};
use crate::model::{
    Campaign, DurationForm, Kind, NodeId, Tree, duration_for_people, duration_of, seconds_of,
};
use crate::report::label;
use crate::scenario::{Edit, PaceChange, Scenario, check_wait, parse, rate_line, write};
use crate::tui::input::action::Action;
use crate::tui::state::time::{STEPS, beginning};
use crate::tui::state::{
    AnswerPurpose, ClockRun, ClockTask, Dialog, EditPurpose, Scope, Screen, Session, Task, Ui, Work,
};
use crate::tui::time::axis::DAY;
use crate::tui::time::forecast::Lines;
use crate::tui::update::editing::apply;
use std::ops::ControlFlow;

/// The suggested duration of a campaign, in seconds.
const CAMPAIGN: u64 = 7 * DAY;

/// The notice about a clock that was stopped during a move.
pub(crate) const STOPPED: &str = "stopped; the clock did not move";

/// Opens the Time screen. If it is open already, computes a stopped forecast again.
pub(crate) fn open(session: &mut Session) {
    session.time.abandoned = None;
    if session.screen != Screen::Time {
        session.show(Screen::Time);
    }
}

/// Goes to another screen and stops playing. Says at which user of the selected account the ranking opens.
pub(crate) fn leave_for(session: &mut Session, ui: &mut Ui, screen: Screen) {
    session.time.beat = None;
    session.time.asked.cancel();
    let before = session.selected();
    session.show(screen);
    let tree = session.scenario.tree();
    if screen == Screen::Ranking && tree.kind(before) == Kind::Account {
        let account = label(tree, before);
        let user = label(tree, session.selected());
        ui.say(sentence!("{user} is the first user of {account}"));
    }
}

/// Stops the work in progress, or else leaves the Time screen. Returns whether either was possible.
pub(crate) fn cancel(session: &mut Session, ui: &mut Ui) -> bool {
    let was_playing = session.time.beat.take().is_some();
    let is_plain = session.search.is_none() && session.marked_count() == 0;
    let time = &mut session.time;
    if time.clock_run.forget().is_some() {
        ui.say(STOPPED);
    } else if was_playing {
        return true;
    } else if let Some(key) = time.asked.about() {
        time.abandoned = Some(key.clone());
        time.asked.cancel();
    } else if is_plain && ui.loading.is_none() {
        session.screen = Screen::Tree;
    } else {
        return false;
    }
    true
}

/// Plots the next quantity: factor, rank, usage or share of usage.
pub(crate) fn next_quantity(session: &mut Session, _: &mut Ui) {
    session.time.quantity = Some(session.time.drawn().next());
}

/// Switches between the lines of several nodes and the lines of one node under several assumptions.
pub(crate) fn next_lines(session: &mut Session, ui: &mut Ui) {
    let node = session.selected();
    let name = label(session.scenario.tree(), node);
    let is_ranked = session.scenario.evaluation().rank(node).is_some();
    let lines = match session.drawn_lines() {
        Lines::Nodes => Lines::Assumptions,
        Lines::Assumptions => Lines::Nodes,
    };
    session.time.lines = Some(lines);
    ui.say(match lines {
        Lines::Assumptions => sentence!("lines: {name} alone, under each assumption"),
        Lines::Nodes if session.marked_count() > 0 => "lines: the marked nodes".into(),
        Lines::Nodes if is_ranked => sentence!("lines: {name} and the users next to it in rank"),
        Lines::Nodes => sentence!("lines: {name} and its siblings"),
    });
}

/// Makes the horizon longer, or shorter if `by` is negative.
pub(crate) fn step_horizon(session: &mut Session, ui: &mut Ui, by: isize) {
    let settings = session.scenario.settings();
    session.time.step_horizon(settings, by);
    let horizon = duration_for_people(session.time.horizon(settings));
    ui.say(sentence!("horizon: {horizon}"));
}

/// Asks for the half-life of the additional lines. The prompt suggests the current one.
pub(crate) fn ask_for_half_life(session: &mut Session, ui: &mut Ui) {
    let text = match session.time.other_half_life {
        Some(seconds) => duration_of(seconds),
        None => String::new(),
    };
    ui.prompt(AnswerPurpose::OtherHalfLife, text);
}

/// Assumes from now on how everybody uses the cluster, and shows what follows on the Time screen.
pub(crate) fn assume(session: &mut Session, ui: &mut Ui, preset: Preset<'_>) {
    open(session);
    let steady = Edit::Pace(PaceChange::Steady);
    let what = match preset {
        Preset::Idle => "all stop",
        Preset::OnlyIdle(_) => "this user stops, all others go on",
        _ => "all go on",
    };
    let edit = match preset {
        Preset::Idle => Edit::Pace(PaceChange::Idle),
        Preset::OnlyIdle(node) => {
            let rests = Edit::Pace(PaceChange::Rate { node, rate: 0.0 });
            Edit::Batch(vec![steady, rests])
        }
        _ => steady,
    };
    if apply(session, ui, edit) {
        ui.say(sentence!("assumed from now on: {what}"));
    }
}

/// Asks for the usage rate of the selected user, or for a campaign if `is_campaign`.
pub(crate) fn ask_for_rate(session: &mut Session, ui: &mut Ui, is_campaign: bool) {
    open(session);
    let node = session.selected();
    let scenario = &session.scenario;
    let tree = scenario.tree();
    if tree.kind(node) == Kind::Account {
        return ui.fail("only users run jobs; choose a user below it");
    }
    // The rate is typed after the equals sign, and every part of a campaign can be changed.
    let text = if is_campaign {
        campaign_line(scenario, node)
    } else {
        rate_line(tree, node)
    };
    ui.prompt(EditPurpose::Line, ui.typeable(text));
    if let Some(Dialog::Prompt(prompt)) = &mut ui.dialog {
        prompt.is_fresh = false;
    }
}

/// Returns the line of a campaign of a user, which begins now.
fn campaign_line(scenario: &Scenario, node: NodeId) -> String {
    let from = scenario.settings().time.passed;
    let campaign = PaceChange::Campaign(Campaign {
        node,
        rate: 1.0,
        from,
        until: from + CAMPAIGN,
    });
    write(&Edit::Pace(campaign), scenario.tree())
}

/// Asks for the goal of the estimate. The prompt suggests the current one.
pub(crate) fn ask_for_goal(session: &mut Session, ui: &mut Ui) {
    let goal = session.time.goal.unwrap_or(Goal::OnTarget);
    let text = goal.write(session.scenario.tree());
    ui.prompt(AnswerPurpose::TimeGoal, ui.typeable(text));
}

/// Reads a goal.
pub(crate) fn goal(text: &str, tree: &Tree) -> Result<Goal, Shown> {
    match Goal::parse(text.as_bytes(), tree) {
        Ok(goal) => Ok(goal),
        Err(error) => Err(Shown::error(&error)),
    }
}

/// Sets the typed goal of the estimate. An empty line means being on target.
pub(crate) fn take_goal(session: &mut Session, text: &str) -> Result<(), Shown> {
    let bare = text.trim();
    if bare.is_empty() {
        session.time.goal = None;
        return Ok(());
    }
    session.time.goal = match goal(bare, session.scenario.tree())? {
        Goal::OnTarget => None,
        Goal::Share(_) => return Err(Shown::error(&RecoveryError::Share)),
        goal => Some(goal),
    };
    Ok(())
}

/// Adds lines under the typed half-life, or removes them if the line is empty.
pub(crate) fn take_half_life(session: &mut Session, ui: &mut Ui, text: &str) -> Result<(), Shown> {
    let bare = text.trim();
    if bare.is_empty() {
        session.time.other_half_life = None;
        return Ok(());
    }
    let seconds = match seconds_of(bare, DurationForm::Common) {
        Ok(seconds) => seconds,
        Err(error) => return Err(Shown::error(&error)),
    };
    if seconds == 0 {
        return Err("0 is not a half-life; expected a duration such as 14d, or nothing".into());
    }
    session.time.other_half_life = Some(seconds);
    let time = duration_for_people(seconds);
    ui.say(sentence!("dashed lines: a half-life of {time}"));
    Ok(())
}

/// Moves the clock to a moment, in seconds since the snapshot. A move in progress is stopped.
pub(crate) fn move_clock(session: &mut Session, ui: &mut Ui, passed: u64) {
    session.catch_up();
    session.scenario.end_trial();
    session.time.clock_run.forget();
    let begin = beginning(&session.scenario, passed);
    if session.waits_long(begin, passed) {
        let task = Task::Clock(ClockTask {
            scenario: Box::new(session.scenario.clone()),
            passed,
        });
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

/// Stops playing, and moves the clock forward by one step.
pub(crate) fn step_forward(session: &mut Session, ui: &mut Ui) {
    session.time.beat = None;
    step_further(session, ui);
}

/// Moves the clock forward by one step. During a move, the step is added to the destination of that move.
fn step_further(session: &mut Session, ui: &mut Ui) {
    let goal = ClockRange::of(session).goal;
    move_clock(session, ui, goal.saturating_add(session.time.step()));
}

/// Stops playing, and moves the clock back by so many seconds, as far as it can go.
pub(crate) fn go_back(session: &mut Session, ui: &mut Ui, seconds: u64) {
    session.time.beat = None;
    let ClockRange { begin, goal } = ClockRange::of(session);
    if goal > begin {
        let moment = goal.saturating_sub(seconds).max(begin);
        return move_clock(session, ui, moment);
    }
    if goal == 0 {
        return ui.say("the source is of this moment; earlier times are unknown");
    }
    let key = ui.hint(Action::Undo);
    ui.say(sentence!(
        "the clock cannot go back before the last edit; {key} undoes the edit"
    ));
}

/// Moves the clock to a moment in seconds since the snapshot, or to that of the last edit if that is later.
pub(crate) fn go_to(session: &mut Session, ui: &mut Ui, moment: u64) {
    session.time.beat = None;
    let ClockRange { begin, goal } = ClockRange::of(session);
    let reachable = moment.max(begin);
    if reachable != goal {
        move_clock(session, ui, reachable);
    }
}

/// Stops playing, and asks for the moment that the clock is to go to.
pub(crate) fn ask_when(session: &mut Session, ui: &mut Ui) {
    session.time.beat = None;
    ui.prompt(AnswerPurpose::Jump, String::new());
}

/// Moves the clock by a typed duration, or to a typed date.
pub(crate) fn take_jump(session: &mut Session, ui: &mut Ui, text: &str) -> Result<(), Shown> {
    let bare = text.trim();
    let time = bare.strip_prefix("wait ").unwrap_or(bare);
    // A bare date needs no `until`. No duration has two hyphens.
    let is_bare_date = time.matches('-').count() >= 2 && !time.starts_with("until");
    let line = if is_bare_date {
        format!("wait until {time}")
    } else {
        format!("wait {time}")
    };
    let scenario = session.latest();
    let settings = scenario.settings();
    let edit = match parse(line.as_bytes(), scenario.tree(), settings) {
        Ok(edit) => edit,
        Err(error) => return Err(Shown::error(&error)),
    };
    if let Edit::Wait { seconds } = edit {
        if let Err(error) = check_wait(settings, seconds) {
            return Err(Shown::error(&error));
        }
        wait(session, ui, seconds);
    }
    Ok(())
}

/// Lets the clock play, or stops it.
pub(crate) fn play(session: &mut Session, ui: &mut Ui) {
    if session.time.beat.take().is_some() {
        return;
    }
    let number = ui.next_ticket().number;
    session.time.beat = Some(number);
    step_further(session, ui);
    next_beat(session, ui, number);
}

/// Waits for the next beat, if the clock still plays.
fn next_beat(session: &Session, ui: &mut Ui, number: u64) {
    if session.time.beat == Some(number) {
        ui.queue(Work::Beat(number));
    }
}

/// Steps forward at the end of a beat, if the clock still plays.
pub(crate) fn beat(session: &mut Session, ui: &mut Ui, number: u64) {
    if session.time.beat != Some(number) {
        return;
    }
    // A dialog refers to the moment on the screen, and a step in progress is finished first.
    let is_seen = ui.top(Some(session)).is_screen();
    let is_moving = session.time.clock_run.about().is_some();
    if is_seen && !is_moving && !session.is_behind() {
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

/// Where the clock can be moved from and to, in seconds since the snapshot.
struct ClockRange {
    /// The earliest moment that it can go back to: that of the last edit.
    begin: u64,
    /// Its current moment, or the destination of its move.
    goal: u64,
}

impl ClockRange {
    /// Returns where the clock can be moved. A move in progress counts as done.
    fn of(session: &Session) -> Self {
        let scenario = session.latest();
        let now = scenario.settings().time.passed;
        let goal = match session.time.clock_run.about() {
            Some(moving) => moving.until,
            None => now,
        };
        Self {
            begin: now - scenario.waited(),
            goal,
        }
    }
}
