//! The Time screen: opening it, leaving it and its keys.

use crate::analysis::simulate::RecoveryError;
use crate::analysis::solve::Goal;
use crate::base::shown::{Shown, sentence, shown};
use crate::model::{Campaign, Kind, duration_for_people, duration_of, seconds_of};
use crate::report::label;
use crate::report::outline::Listing;
use crate::scenario::{Edit, PaceChange, rate_line, write};
use crate::tui::page::subject::typed_goal;
use crate::tui::state::time::HORIZONS;
use crate::tui::state::{Dialog, Purpose, Screen, Session, Time, Ui};
use crate::tui::time::axis::DAY;
use crate::tui::time::forecast::{Assumption, Lines};
use crate::tui::update::editing::apply;

/// The suggested duration of a campaign, in seconds.
const CAMPAIGN: u64 = 7 * DAY;

/// The notice about a clock that was stopped during a move.
pub(crate) const STOPPED: &str = "stopped; the clock did not move";

/// Opens the Time screen. If it is open already, computes a stopped forecast again.
pub(crate) fn open(session: &mut Session) {
    session.time.abandoned = None;
    if session.screen != Screen::Time {
        session.show(Listing::Tree);
        session.screen = Screen::Time;
    }
}

/// Shows a list instead of the Time screen and stops playing. Says which user of the selected account the ranking opens
/// at.
pub(crate) fn leave_for(session: &mut Session, ui: &mut Ui, listing: Listing) {
    session.time.beat = None;
    session.time.asked.cancel();
    let account = session.selected();
    session.show(listing);
    let (tree, user) = (session.scenario.tree(), session.selected());
    if listing == Listing::Ranking && tree.kind(account) == Kind::Account {
        let (account, user) = (label(tree, account), label(tree, user));
        ui.say(sentence!("{user} is the first user of {account}"));
    }
}

fn close(session: &mut Session) {
    session.screen = Screen::Tree;
    session.time.beat = None;
    session.time.asked.cancel();
}

/// Stops the work in progress, or leaves the Time screen if there is none. Returns whether anything was stopped or
/// left.
pub(crate) fn cancel(session: &mut Session, ui: &mut Ui) -> bool {
    let was_playing = session.time.beat.take().is_some();
    if session.time.clock_run.forget().is_some() {
        ui.say(STOPPED);
        return true;
    }
    if was_playing {
        return true;
    }
    let time = &mut session.time;
    if let Some(key) = time.asked.about() {
        time.abandoned = Some(key.clone());
        time.asked.cancel();
        return true;
    }
    let is_plain = session.search.is_none() && session.marked_count() == 0;
    if is_plain && ui.loading.is_none() {
        close(session);
        return true;
    }
    false
}

pub(crate) fn next_quantity(time: &mut Time) {
    time.quantity = time.drawn().next();
}

/// Switches between the lines of several nodes and the lines of one node under several assumptions.
pub(crate) fn next_lines(session: &mut Session, ui: &mut Ui) {
    let name = label(session.scenario.tree(), session.selected());
    let numbers = session.scenario.evaluation();
    let (lines, whose) = match session.drawn_lines() {
        Lines::Nodes => (
            Lines::Assumptions,
            sentence!("{name} alone, under each assumption"),
        ),
        Lines::Assumptions => {
            let whose = if session.marked_count() > 0 {
                "the marked nodes".into()
            } else if numbers.rank(session.selected()).is_some() {
                sentence!("{name} and the users next to it in rank")
            } else {
                sentence!("{name} and its siblings")
            };
            (Lines::Nodes, whose)
        }
    };
    ui.say(sentence!("lines: {whose}"));
    session.time.lines = Some(lines);
}

/// Makes the horizon longer, or shorter if `by` is negative.
pub(crate) fn step_horizon(session: &mut Session, ui: &mut Ui, by: isize) {
    let time = &mut session.time;
    time.horizon = time
        .horizon
        .saturating_add_signed(by)
        .min(HORIZONS.len() - 1);
    let horizon = duration_for_people(time.horizon());
    ui.say(sentence!("horizon: {horizon}"));
}

/// Asks for the half-life of the additional lines. The prompt suggests the current one.
pub(crate) fn ask_for_half_life(session: &mut Session, ui: &mut Ui) {
    let text = session.time.other_half_life.map(duration_of);
    ui.prompt(Purpose::OtherHalfLife, text.unwrap_or_default());
}

pub(crate) fn assume(session: &mut Session, ui: &mut Ui, assumption: Assumption) {
    open(session);
    let mut edits = assumption.edits();
    let edit = match edits.len() {
        1 => edits.remove(0),
        _ => Edit::Batch(edits),
    };
    apply(session, ui, edit);
    if ui.notice.is_none() {
        ui.say(match assumption {
            Assumption::Idle => "assumed from now on: nobody uses anything",
            Assumption::Steady => "assumed from now on: everybody keeps the current usage",
            Assumption::Without(_) => {
                "assumed from now on: this user uses nothing, all others keep the current usage"
            }
            Assumption::AsPlanned => "as planned",
        });
    }
}

/// Assumes that the selected node uses nothing from now on, and that all others keep their rates.
pub(crate) fn assume_without(session: &mut Session, ui: &mut Ui) {
    let assumption = Assumption::Without(session.selected());
    assume(session, ui, assumption);
}

/// Asks for the usage rate of the selected user, or for a campaign if `is_campaign`.
pub(crate) fn ask_for_rate(session: &mut Session, ui: &mut Ui, is_campaign: bool) {
    open(session);
    let (node, scenario) = (session.selected(), &session.scenario);
    if scenario.tree().kind(node) == Kind::Account {
        return ui.fail("only users run jobs; choose a user below it");
    }
    // The rate is typed after the equals sign, and every part of a campaign can be changed.
    let text = if is_campaign {
        let from = scenario.settings().time.passed;
        let campaign = Campaign {
            node,
            rate: 1.0,
            from,
            until: from + CAMPAIGN,
        };
        let edit = Edit::Pace(PaceChange::Campaign(campaign));
        write(&edit, scenario.tree())
    } else {
        rate_line(scenario.tree(), node)
    };
    let text = ui.typeable(text);
    ui.prompt(Purpose::Edit, text);
    if let Some(Dialog::Prompt(prompt)) = &mut ui.dialog {
        prompt.is_fresh = false;
    }
}

/// Asks for the goal of the estimate. The prompt suggests the current one.
pub(crate) fn ask_for_goal(session: &mut Session, ui: &mut Ui) {
    let goal = session.time.goal.unwrap_or(Goal::OnTarget);
    let text = goal.write(session.scenario.tree());
    let text = ui.typeable(text);
    ui.prompt(Purpose::TimeGoal, text);
}

/// Sets the typed goal of the estimate. An empty line means being on target.
pub(crate) fn take_goal(session: &mut Session, _: &mut Ui, text: &str) -> Result<(), Shown> {
    let goal = if text.trim().is_empty() {
        Goal::OnTarget
    } else {
        typed_goal(text, session.scenario.tree())?
    };
    session.time.goal = match goal {
        Goal::OnTarget => None,
        Goal::Share(_) => return Err(Shown::error(&RecoveryError::Share)),
        goal => Some(goal),
    };
    Ok(())
}

/// Adds lines under the typed half-life, or removes them if the line is empty.
pub(crate) fn take_half_life(session: &mut Session, ui: &mut Ui, text: &str) -> Result<(), Shown> {
    let text = text.trim();
    let seconds = if text.is_empty() {
        None
    } else {
        let seconds = seconds_of(text).filter(|&seconds| seconds > 0);
        let expected = "is not a half-life; expected a duration such as 14d, or nothing";
        Some(seconds.ok_or_else(|| sentence!("{} {expected}", shown(text.as_bytes())))?)
    };
    session.time.other_half_life = seconds;
    if let Some(seconds) = seconds {
        ui.say(sentence!(
            "dashed lines: a half-life of {}",
            duration_for_people(seconds)
        ));
    }
    Ok(())
}
