//! How the screen looks: the choice of a theme, where each is on the screen while the cursor is on its line, and the
//! large layout for a projector.

use crate::base::shown::sentence;
use crate::tui::input::action::Action;
use crate::tui::state::{Choice, Dialog, Item, Presenter, Ui};
use crate::tui::widget::theme::Theme;

/// The theme that a projector needs.
const PROJECTED: &str = "high-contrast";

pub(crate) fn open(ui: &mut Ui) {
    let current = ui.wanted_theme();
    let item = |&(name, help)| Item::marked(name == current, Choice::Theme(name), name, help);
    let items = Theme::ALL.iter().map(item);
    ui.dialog = Some(Dialog::menu("Theme", items, Some(Choice::Theme(current))));
}

/// Keeps a theme until another one is chosen. One that is chosen for the large layout is forgotten with it.
pub(crate) fn keep(ui: &mut Ui, name: &'static str) {
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
pub(crate) fn show(ui: &mut Ui) {
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
    let has_all_colors = ui.theme.background.bg.is_some();
    let theme = if has_all_colors {
        PROJECTED
    } else {
        ui.chosen_theme
    };
    let keys = Vec::new();
    ui.presenter = Some(Presenter { theme, keys });
    let key = ui.hint(Action::Presenter);
    ui.say(sentence!("large layout; {key} leaves it"));
}
