//! The policy and its settings: switching, choosing and stepping them.

use crate::base::number::{DAY, days_and_clock};
use crate::base::shown::{Shown, sentence, shown};
use crate::model::{FairShare, Settings, TieOrder, UsageResetPeriod, seconds_of};
use crate::rules::policy::Policy;
use crate::scenario::Edit;
use crate::tui::state::{Choice, Dialog, Item, Notice, Purpose, Screen, Session, Ui};
use crate::tui::update::editing::apply;

/// The setting that holds PBS's formula, which the formula policy needs.
pub(crate) const FORMULA: &str = "job_sort_formula";

pub(crate) fn next_policy(session: &mut Session, ui: &mut Ui) {
    let offered = session.offered_policies();
    let in_force = session.latest().policy();
    let next = offered
        .iter()
        .position(|&policy| policy == in_force)
        .map_or(0, |place| (place + 1) % offered.len());
    session.choose_policy(offered[next]);
    announce_policy(session, ui);
}

/// Switches to a policy. A policy that needs a formula asks for it first.
pub(crate) fn choose_policy(session: &mut Session, ui: &mut Ui, policy: Policy) {
    let before = session.latest().policy();
    session.choose_policy(policy);
    if policy == Policy::Formula {
        session.catch_up();
        return ask_for(session, ui, FORMULA, Some(before));
    }
    announce_policy(session, ui);
}

fn announce_policy(session: &Session, ui: &mut Ui) {
    ui.notice = Some(announcement(session));
}

/// Returns the notice about a policy after a switch to it.
pub(crate) fn announcement(session: &Session) -> Notice {
    let policy = session.latest().policy();
    let state = if session.is_behind() {
        "computing"
    } else {
        "policy"
    };
    let dump = session
        .source
        .verification
        .policy
        .filter(|&dump| dump != policy);
    let dump = dump.map_or_else(Shown::default, |dump| {
        sentence!(" (the dump used {})", dump.title())
    });
    let text = sentence!("{state}: {}{dump}", policy.title());
    Notice::Info(text)
}

pub(crate) fn list(session: &mut Session, ui: &mut Ui) {
    if session.setting_keys().is_empty() {
        return say_no_settings(session, ui);
    }
    ui.dialog = Some(menu_of(session));
}

fn menu_of(session: &Session) -> Dialog {
    let scenario = &session.scenario;
    let policy = scenario.policy();
    let items = session.setting_keys().into_iter().map(|key| {
        let value = policy.setting(scenario.tree(), scenario.settings(), key);
        let value = if value.is_empty() {
            "(not set)".into()
        } else {
            shown(value.as_bytes())
        };
        let name = sentence!("{key} {value}");
        let help = Settings::expected(key).unwrap_or_default();
        Item::new(Choice::Setting(key), name, help)
    });
    Dialog::menu("Settings", items.collect(), 0)
}

fn say_no_settings(session: &Session, ui: &mut Ui) {
    let title = session.latest().policy().title();
    ui.say(sentence!("{title} has no settings"));
}

/// Asks for a new value of a setting. Cancelling restores the policy `before`.
pub(crate) fn ask_for(
    session: &mut Session,
    ui: &mut Ui,
    key: &'static str,
    before: Option<Policy>,
) {
    let value = value_of(session, key);
    ui.prompt(Purpose::Setting { key, before }, value);
}

fn value_of(session: &Session, key: &str) -> String {
    let scenario = session.latest();
    let policy = scenario.policy();
    policy.setting(scenario.tree(), scenario.settings(), key)
}

/// Changes the main setting by one step. This is the main setting of the policy, or the decay on the Time screen.
pub(crate) fn step_main(session: &mut Session, ui: &mut Ui, by: i64) {
    let keys = if session.screen == Screen::Time {
        session.setting_keys()
    } else {
        session.latest().policy().setting_keys().to_vec()
    };
    let main = keys
        .into_iter()
        .find(|&key| stepped(key, &value_of(session, key), by).is_some());
    match main {
        Some(key) => step_one(session, ui, key, by),
        None => say_no_settings(session, ui),
    }
}

/// Changes a setting in the menu by one step. The menu stays open.
pub(crate) fn step_in_menu(session: &mut Session, ui: &mut Ui, key: &'static str, by: i64) {
    let mut dialog = ui.dialog.take();
    step_one(session, ui, key, by);
    if let Some(Dialog::Menu(menu)) = &mut dialog {
        menu.renew(menu_of(session));
    }
    // A setting without steps is typed into a prompt.
    ui.dialog = ui.dialog.take().or(dialog);
}

/// Changes a setting by one step, or asks for its value if it has no steps.
fn step_one(session: &mut Session, ui: &mut Ui, key: &'static str, by: i64) {
    let Some(value) = stepped(key, &value_of(session, key), by) else {
        return ask_for(session, ui, key, None);
    };
    let edit = Edit::SetSetting {
        key: key.to_owned(),
        value,
    };
    apply(session, ui, edit);
    announce(session, ui, key, false);
}

/// Announces the new value of a setting, or the policy that it switched to, unless an error is shown.
pub(crate) fn announce(session: &Session, ui: &mut Ui, key: &str, is_other_policy: bool) {
    if ui.notice.is_some() {
        return;
    }
    if is_other_policy {
        announce_policy(session, ui);
    } else {
        let value = value_of(session, key);
        ui.say(sentence!("{key} is now {}", shown(value.as_bytes())));
    }
}

/// The settings that are durations, with the seconds of a step.
const TIMES: &[(&str, i64)] = &[
    ("PriorityDecayHalfLife", DAY as i64),
    ("PriorityCalcPeriod", 60),
    ("fairshare_decay_time", 3_600),
    ("priority_decay_half_life", DAY as i64),
    ("priority_usage_reset_period", DAY as i64),
];

/// The settings between 0 and 1, in steps of 0.05.
const PARTS: &[&str] = &["fairshare_decay_factor", "decay_factor"];

/// Returns a value changed by `by` steps: a number, a duration, or a choice in cyclic order. `None` for text.
fn stepped(key: &str, value: &str, by: i64) -> Option<String> {
    if let Some((_, step)) = TIMES.iter().find(|(time, _)| *time == key) {
        let seconds = i64::try_from(seconds_of(value)?).ok()?;
        let seconds = seconds.checked_add(by.checked_mul(*step)?)?;
        let is_plain = value.bytes().all(|byte| byte.is_ascii_digit());
        return Some(if is_plain || seconds < 0 {
            seconds.to_string()
        } else {
            days_and_clock(seconds.unsigned_abs()).into()
        });
    }
    if PARTS.contains(&key) {
        let part = value.parse::<f64>().ok()? * 20.0 + by as f64;
        return Some((part.round() / 20.0).to_string());
    }
    if key == "fair_share" {
        let is_known = value != FairShare::Assumed.text();
        let value = if is_known {
            value
        } else {
            FairShare::Always.text()
        };
        let times = [
            FairShare::Always,
            FairShare::Prime,
            FairShare::NonPrime,
            FairShare::Never,
        ];
        return beside(&times.map(FairShare::text), value, by);
    }
    if let Ok(number) = value.parse::<i64>() {
        return Some((number + by).to_string());
    }
    let orders = TieOrder::ALL.iter().map(|order| order.name());
    let periods = UsageResetPeriod::ALL.iter().map(|period| period.name());
    [orders.collect::<Vec<_>>(), periods.collect()]
        .iter()
        .find_map(|choices| beside(choices, value, by))
}

/// Returns the choice `by` places after `value`, in cyclic order.
fn beside(choices: &[&str], value: &str, by: i64) -> Option<String> {
    let place = choices.iter().position(|&choice| choice == value)?;
    let step = if by < 0 { choices.len() - 1 } else { 1 };
    Some(choices[(place + step) % choices.len()].to_owned())
}
