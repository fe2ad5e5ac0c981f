//! Keys of the Time screen. What it does not know goes to the tree beside it.

use crate::analysis::simulate::RecoveryError;
use crate::analysis::solve::Goal;
use crate::model::{Campaign, Kind, duration_for_people, duration_of, seconds_of};
use crate::scenario::{Edit, PaceChange, rate_line, write};
use crate::tui::input::action::Action;
use crate::tui::page::subject::typed_goal;
use crate::tui::state::app::App;
use crate::tui::state::dialog::Dialog;
use crate::tui::state::prompt::Purpose;
use crate::tui::time::following::{Assumption, Lines};
use crate::tui::time::state::HORIZONS;

/// How long a campaign is that nobody said more of, in seconds.
const CAMPAIGN: u64 = 7 * 24 * 60 * 60;

/// What is said of a clock that was stopped on its way.
pub(crate) const STOPPED: &str = "stopped; the clock stands where it stood";

impl App {
    /// What a key does while the screen is open.
    pub(crate) fn press_on_time(&mut self, action: Option<Action>) {
        match action {
            Some(Action::Toggle) => self.play(),
            Some(Action::Cancel) => self.cancel_on_time(),
            // The chart has the room of the why pane.
            Some(Action::Why | Action::WhyDown | Action::WhyUp) | None => {}
            Some(action) => self.act(action),
        }
    }

    /// Stops what is under way; with nothing under way, leaves the screen.
    fn cancel_on_time(&mut self) {
        let Some(session) = self.session_mut() else {
            return;
        };
        let was_playing = session.time.beat.take().is_some();
        if session.stop_clock() {
            return self.ui.say(STOPPED);
        }
        if was_playing {
            return;
        }
        let time = &mut session.time;
        if let Some(asked) = &time.asked {
            time.given_up = Some(asked.question.clone());
            time.stop_asking();
            return;
        }
        let is_plain = session.search.is_none() && session.marked_count() == 0;
        if is_plain && self.ui.loading.is_none() {
            self.close_time();
            return;
        }
        self.act(Action::Cancel);
    }

    /// What the actions of the screen do; they open it where it is not.
    pub(crate) fn act_on_time(&mut self, action: Action) {
        self.open_time();
        let Some(session) = self.session_mut() else {
            return;
        };
        let time = &mut session.time;
        match action {
            Action::StepForward => {
                time.beat = None;
                self.step_on();
            }
            Action::StepBack => {
                let step = time.step();
                self.step_back(step);
            }
            Action::Rewind => self.step_back(u64::MAX),
            Action::NextStep => self.next_step(),
            Action::Jump => self.ask_when(),
            Action::NextQuantity => time.quantity = time.drawn().next(),
            Action::Assumptions => {
                time.lines = match time.lines {
                    Lines::Nodes => Lines::Assumptions,
                    Lines::Assumptions => Lines::Nodes,
                }
            }
            Action::LongerHorizon => time.horizon = (time.horizon + 1).min(HORIZONS.len() - 1),
            Action::ShorterHorizon => time.horizon = time.horizon.saturating_sub(1),
            Action::OtherHalfLife => {
                let text = time.other_half_life.map(duration_of);
                self.ui
                    .prompt(Purpose::OtherHalfLife, text.unwrap_or_default());
            }
            Action::Goal => self.ask_for_time_goal(),
            Action::PaceIdle => self.assume(Assumption::Idle),
            Action::PaceSteady => self.assume(Assumption::Steady),
            Action::PaceWithout => {
                let node = session.selected();
                self.assume(Assumption::Without(node));
            }
            Action::PaceRate => self.ask_for_rate(false),
            Action::Campaign => self.ask_for_rate(true),
            _ => {}
        }
    }

    /// Makes an assumption that of the scenario, as an edit.
    fn assume(&mut self, assumption: Assumption) {
        let mut edits = assumption.edits();
        let edit = match edits.len() {
            1 => edits.remove(0),
            _ => Edit::Batch(edits),
        };
        self.apply(edit);
        if self.ui.notice.is_none() {
            self.ui.say(match assumption {
                Assumption::Idle => "from here on nobody uses anything",
                Assumption::Steady => "from here on everybody keeps the usage they have",
                Assumption::Without(_) => {
                    "from here on this one uses nothing, and all others keep the usage they have"
                }
                Assumption::AsPlanned => "as planned",
            });
        }
    }

    /// Asks for a rate of the selected user, for ever or for a week from now on.
    fn ask_for_rate(&mut self, is_campaign: bool) {
        let Some(session) = self.session() else {
            return;
        };
        let (node, scenario) = (session.selected(), &session.scenario);
        if scenario.tree().kind(node) == Kind::Account {
            return self
                .ui
                .fail("an account runs nothing itself; choose a user below it");
        }
        // A rate is typed behind its sign; of a campaign every part may be another.
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
        self.ui.prompt(Purpose::Edit, self.ui.typeable(text));
        if let Some(Dialog::Prompt(prompt)) = &mut self.ui.dialog {
            prompt.is_fresh = false;
        }
    }

    /// Asks for the goal of the estimate; the one that is set stands there.
    fn ask_for_time_goal(&mut self) {
        let Some(session) = self.session() else {
            return;
        };
        let goal = session.time.goal.unwrap_or(Goal::OnTarget);
        let text = goal.write(session.scenario.tree());
        self.ui.prompt(Purpose::TimeGoal, self.ui.typeable(text));
    }

    /// Sets the goal of the estimate that was typed; nothing is being on target again.
    pub(crate) fn take_time_goal(&mut self, text: &str) -> Result<(), String> {
        let Some(session) = self.session_mut() else {
            return Ok(());
        };
        let goal = if text.trim().is_empty() {
            Goal::OnTarget
        } else {
            typed_goal(text, session.scenario.tree())?
        };
        session.time.goal = match goal {
            Goal::OnTarget => None,
            Goal::Share(_) => return Err(RecoveryError::Share.to_string()),
            goal => Some(goal),
        };
        Ok(())
    }

    /// Draws everything once more under the half-life that was typed; under none, if nothing was.
    pub(crate) fn take_half_life(&mut self, text: &str) -> Result<(), String> {
        let text = text.trim();
        let seconds = if text.is_empty() {
            None
        } else {
            let seconds = seconds_of(text).filter(|&seconds| seconds > 0);
            let expected = "is no half-life; expected how long, such as 14d, or nothing";
            Some(seconds.ok_or_else(|| {
                format!("{} {expected}", crate::base::shown::shown(text.as_bytes()))
            })?)
        };
        if let Some(session) = self.session_mut() {
            session.time.other_half_life = seconds;
        }
        if let Some(seconds) = seconds {
            self.ui.say(format!(
                "dashed lines: the same with a half-life of {}",
                duration_for_people(seconds)
            ));
        }
        Ok(())
    }
}
