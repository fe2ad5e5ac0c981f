//! The policy in force and its settings: switching, choosing, stepping.

use super::app::Notice;
use super::dialog::Purpose;
use super::{App, Effect, Session, menus};
use crate::model::{Scheduler, TieOrder};
use crate::policy::Policy;
use crate::scenario::Edit;
use crate::shown::shown;

/// PBS's formula is a setting, and the policy that follows it asks for one.
const FORMULA: &str = "job_sort_formula";

/// How usage decays, as the scheduler has it: what is wanted most comes first.
const fn decay_keys(scheduler: Option<Scheduler>) -> &'static [&'static str] {
    match scheduler {
        Some(Scheduler::Pbs) => &["fairshare_decay_time", "fairshare_decay_factor"],
        Some(Scheduler::Slurm) => &[
            "PriorityDecayHalfLife",
            "PriorityUsageResetPeriod",
            "PriorityCalcPeriod",
        ],
        Some(Scheduler::Flux) => &[
            "priority_decay_half_life",
            "decay_factor",
            "priority_usage_reset_period",
        ],
        None => &["PriorityDecayHalfLife"],
    }
}

impl Session {
    /// The settings that can be changed here: those of the policy in force, and on the Time screen, before them, how
    /// usage decays.
    pub(super) fn setting_keys(&self) -> Vec<&'static str> {
        let decay = if self.time.is_open() {
            decay_keys(self.scenario.settings().scheduler)
        } else {
            &[]
        };
        [decay, self.scenario.policy().setting_keys()].concat()
    }
}

impl App {
    /// Puts the next policy in force.
    pub(super) fn next_policy(&mut self) -> Vec<Effect> {
        let Some(session) = self.session_mut() else {
            return Vec::new();
        };
        let offered = session.offered_policies();
        let in_force = session.meant().policy();
        let next = offered
            .iter()
            .position(|&policy| policy == in_force)
            .map_or(0, |place| (place + 1) % offered.len());
        session.set_policy(offered[next]);
        self.say_policy()
    }

    /// Puts a policy in force; one that needs a formula asks for it first.
    pub(super) fn choose_policy(&mut self, policy: Policy) -> Vec<Effect> {
        let Some(session) = self.session_mut() else {
            return Vec::new();
        };
        let before = session.meant().policy();
        session.set_policy(policy);
        if policy == Policy::Formula {
            session.catch_up();
            return self.ask_for_setting(FORMULA, Some(before));
        }
        self.say_policy()
    }

    fn say_policy(&mut self) -> Vec<Effect> {
        self.notice = self.announcement();
        Vec::new()
    }

    /// What is said of a policy when it comes into force.
    pub(super) fn announcement(&self) -> Option<Notice> {
        let session = self.session()?;
        let policy = session.meant().policy();
        let state = if session.is_behind() {
            "computing"
        } else {
            "in force"
        };
        let text = format!("{state}: {} · {}", policy.title(), policy.help());
        Some(Notice::Said(text))
    }

    /// The settings that can be changed here.
    pub(super) fn list_settings(&mut self) -> Vec<Effect> {
        let Some(session) = self.session() else {
            return Vec::new();
        };
        if session.setting_keys().is_empty() {
            return self.say_no_settings();
        }
        self.dialog = Some(menus::settings(session));
        Vec::new()
    }

    fn say_no_settings(&mut self) -> Vec<Effect> {
        let title = self
            .session()
            .map_or("", |session| session.meant().policy().title());
        self.say(format!("{title} has no settings"))
    }

    /// Asks for another value of a setting; leaving puts `before` in force again.
    pub(super) fn ask_for_setting(
        &mut self,
        key: &'static str,
        before: Option<Policy>,
    ) -> Vec<Effect> {
        let value = self.value_of(key);
        self.prompt(Purpose::Setting { key, before }, value)
    }

    fn value_of(&self, key: &str) -> String {
        self.session().map_or_else(String::new, |session| {
            let scenario = session.meant();
            let policy = scenario.policy();
            policy.setting(scenario.tree(), scenario.settings(), key)
        })
    }

    /// Moves the policy's main setting by one: a number up or down, a choice to the one beside it.
    pub(super) fn step_setting(&mut self, by: i64) -> Vec<Effect> {
        let Some(session) = self.session() else {
            return Vec::new();
        };
        let keys = session.meant().policy().setting_keys();
        let stepped = keys
            .iter()
            .find_map(|&key| Some((key, stepped(&self.value_of(key), by)?)));
        let Some((key, value)) = stepped else {
            return self.say_no_settings();
        };
        let edit = Edit::SetSetting {
            key: key.to_owned(),
            value,
        };
        let effects = self.apply(edit);
        self.say_what_was_set(&Purpose::Setting { key, before: None });
        effects
    }

    /// Says the new value of a setting, or which policy came with it, unless something went wrong.
    pub(super) fn say_what_was_set(&mut self, purpose: &Purpose) {
        let Purpose::Setting { key, before } = *purpose else {
            return;
        };
        if self.notice.is_some() {
            return;
        }
        if before.is_some() {
            self.say_policy();
        } else {
            let value = self.value_of(key);
            self.say(format!("{key} is now {}", shown(value.as_bytes())));
        }
    }
}

/// The value beside this one: a number by so many, a choice in a circle; nothing for text.
fn stepped(value: &str, by: i64) -> Option<String> {
    if let Ok(number) = value.parse::<i64>() {
        return Some((number + by).to_string());
    }
    let orders = TieOrder::ALL;
    let place = orders.iter().position(|order| order.name() == value)?;
    let place = if by < 0 {
        place + orders.len() - 1
    } else {
        place + 1
    };
    Some(orders[place % orders.len()].name().to_owned())
}
