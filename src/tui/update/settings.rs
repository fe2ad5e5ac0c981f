//! The policy and its settings: switching, choosing and stepping them. And how the screen looks: the choice of a theme,
//! where each is on the screen while the cursor is on its line, and the large layout for a projector.

use crate::base::number::days_and_clock;
use crate::base::shown::{sentence, shown};
use crate::model::{DurationForm, FairShare, SettingStep, Settings, seconds_of};
use crate::report::words::dump;
use crate::rules::policy::Policy;
use crate::rules::policy::formula::FORMULA;
use crate::scenario::Edit;
use crate::tui::input::action::Action;
use crate::tui::state::{Choice, Dialog, EditPurpose, Item, Notice, Presenter, Session, Ui};
use crate::tui::update::editing::apply;
use crate::tui::widget::theme::Theme;

pub(crate) fn next_policy(session: &mut Session, ui: &mut Ui) {
    let (mut offered, current) = (session.offered_policies(), session.latest().policy());
    // No scheduler ranks so; it is in the list of policies.
    offered.retain(|&policy| policy != Policy::FairTreeDocumented || policy == current);
    let place = offered.iter().position(|&policy| policy == current);
    let next = place.map_or(0, |place| (place + 1) % offered.len());
    session.choose_policy(offered[next]);
    ui.notice = Some(announcement(session));
}

/// Switches back to the policy that the source is ranked by.
pub(crate) fn choose_source_policy(session: &mut Session, ui: &mut Ui) {
    let own = session.own_policy();
    if session.latest().policy() == own {
        return ui.say(sentence!(
            "this is the source's own policy: {}",
            own.title()
        ));
    }
    session.choose_policy(own);
    ui.notice = Some(announcement(session));
}

/// Switches to a policy. A policy that needs a formula asks for it first.
pub(crate) fn choose_policy(session: &mut Session, ui: &mut Ui, policy: Policy) {
    let before = session.latest().policy();
    session.choose_policy(policy);
    if policy == Policy::Formula {
        session.catch_up();
        let value = value_of(session, FORMULA);
        return ui.prompt(EditPurpose::Setting(FORMULA, Some(before)), value);
    }
    ui.notice = Some(announcement(session));
}

pub(crate) fn announcement(session: &Session) -> Notice {
    let policy = session.latest().policy();
    let is_behind = session.is_behind();
    let state = if is_behind { "computing" } else { "policy" };
    let title = policy.title();
    let own = session.own_policy();
    if policy == own {
        return Notice::Info(sentence!("{state}: {title}"));
    }
    let settings = session.latest().settings();
    let is_dump = dump::beside(&session.source.verification, policy, settings).is_some();
    let origin = if is_dump { "dump" } else { "source" };
    Notice::Info(sentence!(
        "{state}: {title} (the {origin} used {})",
        own.title()
    ))
}

pub(crate) fn list(session: &mut Session, ui: &mut Ui) {
    ui.show(Dialog::menu("Settings", items(session), None));
}

fn items(session: &Session) -> Vec<Item> {
    let scenario = &session.scenario;
    let policy = scenario.policy();
    let items = session.setting_keys().into_iter().map(|key| {
        let value = policy.setting(scenario.tree(), scenario.settings(), key);
        let name = match &value[..] {
            "" => sentence!("{key} (not set)"),
            value => sentence!("{key} {}", shown(value.as_bytes())),
        };
        let expected = Settings::expected(key).unwrap_or_default();
        let help = sentence!("{}; {expected}", Settings::help(key));
        Item::new(Choice::Setting(key), name, help)
    });
    items.collect()
}

pub(crate) fn value_of(session: &Session, key: &str) -> String {
    let scenario = session.latest();
    let policy = scenario.policy();
    policy.setting(scenario.tree(), scenario.settings(), key)
}

/// Changes the main setting by one step. This is the main setting of the policy, or the decay on the Time screen.
pub(crate) fn step_main(session: &mut Session, ui: &mut Ui, by: i64) {
    let keys = session.stepped_keys();
    let has_steps = |key: &&str| stepped(key, &value_of(session, key), by).is_some();
    if let Some(key) = keys.into_iter().find(has_steps) {
        return step_one(session, ui, key, by);
    }
    let title = session.latest().policy().title();
    ui.say(sentence!("{title} has no settings"));
}

/// Changes the setting under the cursor of the menu by one step. The menu stays open.
pub(crate) fn step_in_menu(session: &mut Session, ui: &mut Ui, by: i64) {
    if let Some(Dialog::Menu(mut menu)) = ui.dialog.take() {
        if let Some(Choice::Setting(key)) = menu.under_cursor() {
            step_one(session, ui, key, by);
            menu.items = items(session);
        }
        // A setting without steps is typed into a prompt.
        ui.dialog.get_or_insert(Dialog::Menu(menu));
    }
}

fn step_one(session: &mut Session, ui: &mut Ui, key: &'static str, by: i64) {
    let value = value_of(session, key);
    let Some(value) = stepped(key, &value, by) else {
        return ui.prompt(EditPurpose::Setting(key, None), value);
    };
    let edit = Edit::SetSetting {
        key: key.to_owned(),
        value,
    };
    if apply(session, ui, edit) {
        announce(session, ui, key, false);
    }
}

/// Announces the new value of a setting, or the policy that it switched to.
pub(crate) fn announce(session: &Session, ui: &mut Ui, key: &str, is_other_policy: bool) {
    if is_other_policy {
        ui.notice = Some(announcement(session));
    } else {
        let value = value_of(session, key);
        ui.say(sentence!("{key} is now {}", shown(value.as_bytes())));
    }
}

/// Returns a value changed by `by` steps of its setting. `None` if it has none, or is not what the steps are of.
fn stepped(key: &str, value: &str, by: i64) -> Option<String> {
    match Settings::step(key) {
        SettingStep::Typed => None,
        SettingStep::One => {
            let number: f64 = value.parse().ok()?;
            Some((number + by as f64).to_string())
        }
        SettingStep::Twentieth => {
            let part = value.parse::<f64>().ok()? * 20.0 + by as f64;
            Some((part.round() / 20.0).to_string())
        }
        SettingStep::Seconds(step) => {
            // The table writes a duration with all its parts, or as seconds.
            let seconds = seconds_of(value, DurationForm::Common).ok()?;
            let seconds = i64::try_from(seconds).ok()?;
            let seconds = seconds.checked_add(by.checked_mul(step.into())?)?;
            let is_plain = value.bytes().all(|byte| byte.is_ascii_digit());
            Some(if is_plain || seconds < 0 {
                seconds.to_string()
            } else {
                days_and_clock(seconds.unsigned_abs()).into()
            })
        }
        SettingStep::OneOf(values) => {
            let is_assumed = value == FairShare::Assumed.text();
            let value = if is_assumed {
                FairShare::Always.text()
            } else {
                value
            };
            beside(&values(), value, by)
        }
    }
}

/// Returns the choice `by` places after `value`, in cyclic order.
fn beside(choices: &[&str], value: &str, by: i64) -> Option<String> {
    let place = choices.iter().position(|&choice| choice == value)?;
    let step = if by < 0 { choices.len() - 1 } else { 1 };
    Some(choices[(place + step) % choices.len()].to_owned())
}

const PROJECTED: &str = "high-contrast";

pub(crate) fn list_themes(ui: &mut Ui) {
    let current = ui.wanted_theme();
    let item = |&(name, help)| Item::marked(name == current, Choice::Theme(name), name, help);
    let items = Theme::ALL.iter().map(item);
    ui.show(Dialog::menu("Theme", items, Some(Choice::Theme(current))));
}

/// Keeps a theme until another one is chosen. One that is chosen for the large layout is forgotten with it.
pub(crate) fn keep_theme(ui: &mut Ui, name: &'static str) {
    if let Some(presenter) = &mut ui.presenter {
        presenter.theme = name;
        let key = ui.hint(Action::Presenter);
        return ui.say(sentence!(
            "theme: {name}, until {key} leaves the large layout"
        ));
    }
    ui.chosen_theme = name;
    let file = &ui.options.config_file;
    ui.say(if file.is_empty() {
        sentence!("theme: {name}")
    } else {
        sentence!("theme: {name}; theme = \"{name}\" in {file} keeps it")
    });
}

/// Shows the theme under the cursor of the menu, or the chosen one where that menu is not open.
pub(crate) fn show_theme(ui: &mut Ui) {
    let under_cursor = match &ui.dialog {
        Some(Dialog::Menu(menu)) => menu.under_cursor(),
        _ => None,
    };
    let name = match under_cursor {
        Some(Choice::Theme(name)) => name,
        _ => ui.wanted_theme(),
    };
    if name != ui.shown_theme {
        ui.theme = ui.options.themed(name);
        ui.shown_theme = name;
        for open in ui.manual.iter().chain(&ui.page) {
            // The lines of a page have the colours of the old theme.
            open.lines.take();
        }
    }
}

pub(crate) fn switch_layout(ui: &mut Ui) {
    if ui.presenter.take().is_some() {
        return;
    }
    // The other themes leave the background to a terminal with few colours.
    let is_rich = ui.theme.background.bg.is_some();
    let theme = if is_rich { PROJECTED } else { ui.chosen_theme };
    let keys = Vec::new();
    ui.presenter = Some(Presenter { theme, keys });
    let key = ui.hint(Action::Presenter);
    ui.say(sentence!("large layout; {key} leaves it"));
}
