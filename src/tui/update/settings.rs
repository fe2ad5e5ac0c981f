//! The policy and its settings: switching, choosing and stepping them. And how the screen looks: the choice of a theme,
//! where each is on the screen while the cursor is on its line, and the large layout for a projector.

use super::editing::apply;
use crate::base::number::days_and_clock;
use crate::base::shown::{sentence, shown};
use crate::model::{DurationForm, FairShare, SettingStep, Settings, seconds_of};
use crate::report::words::dump;
use crate::rules::policy::Policy;
use crate::rules::policy::formula::FORMULA;
use crate::scenario::Edit;
use crate::tui::input::action::Action;
use crate::tui::state::{Choice, Dialog, EditPurpose, Item, Notice, Presenter, Session, Ui};
use crate::tui::widget::theme::Theme;

/// Switches to the next policy that is worth comparing. The first follows the last.
pub(crate) fn next_policy(session: &mut Session, ui: &mut Ui) {
    let current = session.latest().policy();
    let mut offered = session.offered_policies();
    // No scheduler ranks so; it is in the list of policies.
    offered.retain(|&policy| policy != Policy::FairTreeDocumented || policy == current);
    let next = match offered.iter().position(|&policy| policy == current) {
        Some(place) => (place + 1) % offered.len(),
        None => 0,
    };
    session.choose_policy(offered[next]);
    ui.notice = Some(announcement(session));
}

/// Switches back to the policy that the source is ranked by.
pub(crate) fn choose_source_policy(session: &mut Session, ui: &mut Ui) {
    let own = session.own_policy();
    if session.latest().policy() == own {
        let title = own.title();
        return ui.say(sentence!("this is the source's own policy: {title}"));
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

/// Returns what is said of the policy that was switched to, and which one the source was ranked by if that is another.
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
    let used = own.title();
    Notice::Info(sentence!("{state}: {title} (the {origin} used {used})"))
}

/// Opens the menu of settings.
pub(crate) fn list(session: &mut Session, ui: &mut Ui) {
    ui.show(Dialog::menu("Settings", items(session), None));
}

/// Returns the lines of the menu of settings, each with its value and what it does.
fn items(session: &Session) -> Vec<Item> {
    let scenario = &session.scenario;
    let policy = scenario.policy();
    let mut items = Vec::new();
    for key in session.setting_keys() {
        let value = policy.setting(scenario.tree(), scenario.settings(), key);
        let name = if value.is_empty() {
            sentence!("{key} (not set)")
        } else {
            sentence!("{key} {}", shown(value.as_bytes()))
        };
        let expected = Settings::expected(key).unwrap_or_default();
        let help = sentence!("{}; {expected}", Settings::help(key));
        items.push(Item::new(Choice::Setting(key), name, help));
    }
    items
}

/// Returns the value of a setting as it is typed; empty if it is not set.
pub(crate) fn value_of(session: &Session, key: &str) -> String {
    let scenario = session.latest();
    let policy = scenario.policy();
    policy.setting(scenario.tree(), scenario.settings(), key)
}

/// Changes the main setting by one step. This is the main setting of the policy, or the decay on the Time screen.
pub(crate) fn step_main(session: &mut Session, ui: &mut Ui, by: i64) {
    for key in session.stepped_keys() {
        let value = value_of(session, key);
        if stepped(key, &value, by).is_some() {
            return step_one(session, ui, key, by);
        }
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

/// Changes a setting by one step. One without steps is typed into a prompt.
fn step_one(session: &mut Session, ui: &mut Ui, key: &'static str, by: i64) {
    let before = value_of(session, key);
    let Some(value) = stepped(key, &before, by) else {
        return ui.prompt(EditPurpose::Setting(key, None), before);
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
            let number: f64 = value.parse().ok()?;
            let twentieths = number * 20.0 + by as f64;
            Some((twentieths.round() / 20.0).to_string())
        }
        SettingStep::Seconds(step) => {
            let seconds = by.checked_mul(step.into())?;
            stepped_duration(value, seconds)
        }
        SettingStep::OneOf(values) => {
            let is_assumed = value == FairShare::Assumed.text();
            let current = if is_assumed {
                FairShare::Always.text()
            } else {
                value
            };
            beside(&values(), current, by)
        }
    }
}

/// Returns a duration that is so many seconds longer, written as the other was: with all its parts, or as seconds.
fn stepped_duration(value: &str, by: i64) -> Option<String> {
    let before = seconds_of(value, DurationForm::Common).ok()?;
    let after = i64::try_from(before).ok()?.checked_add(by)?;
    let is_plain = value.bytes().all(|byte| byte.is_ascii_digit());
    if is_plain || after < 0 {
        return Some(after.to_string());
    }
    Some(days_and_clock(after.unsigned_abs()).into())
}

/// Returns the choice `by` places after `value`, in cyclic order.
fn beside(choices: &[&str], value: &str, by: i64) -> Option<String> {
    let count = choices.len();
    let place = choices.iter().position(|&choice| choice == value)?;
    let step = if by < 0 { count - 1 } else { 1 };
    let next = (place + step) % count;
    Some(choices[next].to_owned())
}

/// The theme of the large layout, which a projector shows best.
const PROJECTED: &str = "high-contrast";

/// Opens the menu of themes. Each is on the screen while the cursor is on its line.
pub(crate) fn list_themes(ui: &mut Ui) {
    let current = ui.wanted_theme();
    let mut items = Vec::new();
    for &(name, help) in Theme::ALL {
        let is_now = name == current;
        items.push(Item::marked(is_now, Choice::Theme(name), name, help));
    }
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
    let mut name = ui.wanted_theme();
    if let Some(Dialog::Menu(menu)) = &ui.dialog
        && let Some(Choice::Theme(under_cursor)) = menu.under_cursor()
    {
        name = under_cursor;
    }
    if name == ui.shown_theme {
        return;
    }
    ui.theme = ui.options.themed(name);
    ui.shown_theme = name;
    for open in ui.manual.iter().chain(&ui.page) {
        // The lines of a page have the colours of the old theme.
        open.lines.take();
    }
}

/// Shows the large layout for a projector, or leaves it.
pub(crate) fn switch_layout(ui: &mut Ui) {
    if ui.presenter.take().is_some() {
        return;
    }
    // The other themes leave the background to a terminal with few colours.
    let is_rich = ui.theme.background.bg.is_some();
    let theme = if is_rich { PROJECTED } else { ui.chosen_theme };
    ui.presenter = Some(Presenter {
        theme,
        keys: Vec::new(),
    });
    let key = ui.hint(Action::Presenter);
    ui.say(sentence!("large layout; {key} leaves it"));
}
