//! What keys do on what is in front: the help, the list of actions, what can follow a prefix, and the last keys pressed.

use crate::base::shown::{Shown, sentence};
use crate::rules::policy::Policy;
use crate::tui::input::action::{Action, Group};
use crate::tui::input::event::{KeyCode, KeyEvent};
use crate::tui::input::keymap::Key;
use crate::tui::state::hints::{ends, hints};
use crate::tui::state::{
    App, Choice, Dialog, Front, Help, HelpEntry, Item, Layer, ListKey, ListSize, ListState, Prefix,
    Screen, Ui,
};
use crate::tui::update::handler::{help_on, works};
use crate::tui::update::layers::is_control;

/// What the mouse does, as help lists it.
const MOUSE: &[(&str, &str)] = &[
    (
        "click",
        "Select a row, fold at its triangle, sort at a heading, press a hint or a tab",
    ),
    ("double click", "Edit shares, or usage in its column"),
    ("drag", "Move the clock on the chart"),
    ("wheel", "Scroll what is under the pointer"),
    ("shift-drag", "Select text, as the terminal does"),
];

impl App {
    /// Opens the help: what is suggested for what is in front first, then all other keys, and the mouse.
    pub(crate) fn open_help(&mut self) {
        let front = self.front();
        let hinted = self.hinted_actions();
        let mut entries = section(&self.ui, "On this screen", &hinted, front);
        for &group in Group::ALL {
            let mut others = Action::ALL.to_vec();
            others.retain(|action| {
                action.group() == group && !hinted.contains(action) && works(front, *action)
            });
            entries.extend(section(&self.ui, group.name(), &others, front));
        }
        if !self.ui.options.without_mouse {
            for &(keys, help) in MOUSE {
                entries.push(HelpEntry {
                    section: "Mouse",
                    keys: vec![keys.into()],
                    name: "",
                    help,
                });
            }
        }
        self.ui.show(Dialog::Help(Help {
            place: place(front),
            entries,
            list: ListState::default(),
        }));
    }

    /// Returns the actions that are suggested for what is in front and have an effect there. Those of the end of the last
    /// line come second, because help should be the first key of the help.
    fn hinted_actions(&self) -> Vec<Action> {
        let front = self.front();
        let mut hinted = hints(self);
        let behind_the_first = hinted.len().min(1);
        hinted.splice(behind_the_first..behind_the_first, ends(front));
        let mut actions = Vec::new();
        for (action, _) in hinted {
            if works(front, action) {
                actions.push(action);
            }
        }
        actions
    }

    /// Handles a key of the help, which is only read: the list scrolls, and choosing leaves it. As long as nothing is
    /// typed, a blank shows the next page, and the key of help leaves it.
    pub(crate) fn press_in_help(&mut self, event: KeyEvent, action: Option<Action>) {
        let is_text = self.types(event);
        let drawn = self.ui.drawn.borrow().help;
        let Some(Dialog::Help(help)) = &mut self.ui.dialog else {
            return;
        };
        let last = drawn.lines.saturating_sub(drawn.height);
        let page = drawn.height.max(1);
        let list = &mut help.list;
        // The window may have grown since.
        list.cursor = list.cursor.min(last);
        let is_blank = list.query.is_empty();
        match event.code {
            KeyCode::Char(' ') if is_text && is_blank && list.cursor < last => {
                list.cursor = (list.cursor + page).min(last);
            }
            KeyCode::Char(' ') if is_text && is_blank => list.cursor = 0,
            KeyCode::Char('?') if is_text && is_blank => self.ui.dialog = None,
            _ => {
                let rows = last + 1;
                let pressed = list.press(event, action, is_text, ListSize { rows, page });
                if matches!(pressed, ListKey::Choose | ListKey::Leave) {
                    self.ui.dialog = None;
                }
            }
        }
    }

    /// Opens the menu of all actions and policies. Actions for what is in front come first; the others close a page.
    /// Moving the cursor comes last, because its keys are known.
    pub(crate) fn open_palette(&mut self) {
        let front = self.front();
        let mut actions = Action::ALL.to_vec();
        actions.retain(|&action| action != Action::Palette);
        actions.sort_by_key(|&action| {
            let is_move = action.group() == Group::Move;
            (!works(front, action), is_move)
        });
        if matches!(front, Front::Nothing) {
            actions.retain(|&action| works(front, action));
        }
        let mut items = Vec::new();
        for action in actions {
            // An action that has no effect in front closes the page first.
            let help = if works(front, action) {
                help_on(front, action)
            } else {
                action.help()
            };
            let key = sentence!("{}", self.ui.hint(action));
            items.push(Item {
                words: action.words().into(),
                ..Item::new(Choice::Action(action), help, key)
            });
        }
        if self.session().is_some() {
            for &policy in Policy::ALL {
                items.push(item_of_policy(policy));
            }
        }
        self.ui.show(Dialog::menu("Actions", items, None));
    }

    /// Lists what can follow a prefix key, or says that the key has no action.
    pub(crate) fn open_prefix(&mut self, key: Key) {
        let front = self.front();
        let mut keys = Vec::new();
        let mut has_any = false;
        for (behind, action) in self.ui.options.config.keymap.behind(key) {
            has_any |= works(front, action);
            keys.push((behind, action, help_on(front, action)));
        }
        if keys.is_empty() {
            let help = self.ui.hint(Action::Help);
            let text = sentence!("{key} has no action; {help} lists the keys");
            return self.ui.say(text);
        }
        // Where none of them works, each key says so.
        if has_any {
            keys.retain(|&(_, action, _)| works(front, action));
        }
        self.ui.prefix = Some(Prefix { key, keys });
    }

    /// Performs the action of the key behind the prefix. Esc and `^C` only close the list.
    pub(crate) fn press_behind_prefix(&mut self, event: KeyEvent) {
        let Some(prefix) = self.ui.prefix.take() else {
            return;
        };
        let before = prefix.key;
        let key = Key::of(event);
        if let Some(action) = self.ui.action_of(Some(before), key) {
            return self.act_in_front(action);
        }
        if event.code == KeyCode::Esc || is_control(event, 'c') {
            return;
        }
        if self.ui.action_of(None, key) == Some(Action::Suspend) {
            return self.act(Action::Suspend);
        }
        self.ui.say(sentence!(
            "{before} {key} has no action; {before} lists what can follow it"
        ));
    }

    /// Shows a pressed key to an audience, with what it does where it has an action.
    pub(crate) fn show_key(&mut self, key: Key) {
        let prefix = match self.top() {
            Layer::Prefix(prefix) => Some(prefix.key),
            Layer::Front(_) => None,
            _ => return self.show_key_as(None, key, ""),
        };
        let front = self.front();
        let mut help = "";
        if let Some(action) = self.ui.action_of(prefix, key)
            && works(front, action)
        {
            help = help_on(front, action);
        }
        self.show_key_as(prefix, key, help);
    }

    /// Shows a pressed key to an audience, with what it does.
    pub(crate) fn show_key_as(&mut self, prefix: Option<Key>, key: Key, help: &'static str) {
        if let Some(presenter) = &mut self.ui.presenter {
            presenter.note(prefix, key, help);
        }
    }
}

/// Returns what the keys of help are for.
fn place(front: Front<'_>) -> &'static str {
    match front {
        Front::Nothing => "fairscope",
        Front::Page { open, .. } if open.topic().is_some() => "the manual",
        Front::Page { open, .. } if open.is_plan() => "the Plan screen",
        Front::Page { .. } => "this page",
        Front::Screen(Screen::Tree) => "the Tree screen",
        Front::Screen(Screen::Ranking) => "the Ranking screen",
        Front::Screen(Screen::Policies) => "the Policies screen",
        Front::Screen(Screen::Time) => "the Time screen",
    }
}

/// Returns the line of the list of all actions that chooses a policy.
fn item_of_policy(policy: Policy) -> Item {
    let name = sentence!("Policy: {}", policy.title());
    let words = match policy {
        Policy::LevelBased => "level-based buckets",
        _ => policy.name(),
    };
    Item {
        words: words.into(),
        ..Item::new(Choice::Policy(policy), name, policy.help())
    }
}

/// Returns a section of help about these actions. Those without a key are left out.
fn section(ui: &Ui, section: &'static str, actions: &[Action], front: Front<'_>) -> Vec<HelpEntry> {
    let mut entries = Vec::new();
    for &action in actions {
        let mut keys: Vec<Shown> = Vec::new();
        for key in ui.options.config.keymap.keys(action) {
            keys.push(sentence!("{key}"));
        }
        if !keys.is_empty() {
            entries.push(HelpEntry {
                section,
                keys,
                name: action.name(),
                help: help_on(front, action),
            });
        }
    }
    entries
}
