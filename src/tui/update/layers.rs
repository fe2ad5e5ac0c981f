//! What each layer does with a key, a turn of the wheel, a click and pasted text.

use crate::tui::input::action::Action;
use crate::tui::input::event::{KeyCode, KeyEvent, KeyModifiers};
use crate::tui::input::keymap::Key;
use crate::tui::state::{App, Click, Front, Layer, Message, Notice};
use crate::tui::update::{page, scenarios};
use ratatui::layout::Position;

/// The rows by which a turn of the wheel scrolls.
const WHEEL: usize = 3;

impl App {
    /// Returns whether a message has no effect: Alt with a key, where text can be typed.
    pub(crate) fn passes_over(&self, message: &Message) -> bool {
        match message {
            Message::Key(event) => has_alt(*event) && self.top().takes_text(),
            _ => false,
        }
    }

    /// Handles a key: takes away what was said, and gives the key to the layer on top.
    pub(crate) fn press(&mut self, event: KeyEvent) {
        if has_alt(event) {
            // A terminal sends Alt as an escape before the key, so esc with a quick next key looks like Alt with that
            // key. No action is bound to Alt, so both are read as esc and a key.
            self.press(KeyCode::Esc.into());
            let modifiers = event.modifiers - KeyModifiers::ALT;
            return self.press(KeyEvent::new(event.code, modifiers));
        }
        let is_hidden = self.top().hides_notices();
        let before = self.ui.notice.take();
        self.press_on_top(event);
        let Some(unseen) = before else {
            return;
        };
        // What was said behind a prompt is still to be seen, above all why something failed.
        let is_error = matches!(unseen, Notice::Error(_));
        let counts = match self.ui.notice {
            None => true,
            Some(Notice::Info(_)) => is_error,
            Some(Notice::Error(_)) => false,
        };
        if is_hidden && counts {
            self.ui.notice = Some(unseen);
        }
    }

    /// Gives a key to the lesson that is played, or else to the layer on top.
    fn press_on_top(&mut self, event: KeyEvent) {
        let is_of_lesson = matches!(self.layers().first(), Some(Layer::Lesson));
        if is_of_lesson && self.press_in_lesson(event) {
            return;
        }
        let key = Key::of(event);
        let is_text = self.types(event);
        if !is_text {
            self.show_key(key);
        }
        let action = self.ui.action_of(None, key);
        let leaves = leaves(self.top(), event);
        match self.top() {
            Layer::Prefix(_) => self.press_behind_prefix(event),
            _ if leaves => self.close_top(),
            _ if action == Some(Action::Suspend) && !is_text => self.act(Action::Suspend),
            Layer::Prompt(_) => self.type_into_prompt(event),
            Layer::Confirm(_) => self.answer(event),
            Layer::Menu(_) => self.press_in_menu(event, action),
            Layer::Help(_) => self.press_in_help(event, action),
            Layer::History => self.press_in_history(event, action),
            Layer::Plot => self.press_in_plot(action),
            Layer::Lesson | Layer::Front(_) => match action {
                Some(action) => self.act_in_front(action),
                None => self.open_prefix(key),
            },
        }
    }

    /// Gives a key to the edit history.
    fn press_in_history(&mut self, event: KeyEvent, action: Option<Action>) {
        self.in_tree(|session, ui| {
            scenarios::press_in_history(session, ui, event, action);
        });
    }

    /// Returns whether a key is text for the layer on top.
    pub(crate) fn types(&self, event: KeyEvent) -> bool {
        let KeyCode::Char(char) = event.code else {
            return false;
        };
        if event.modifiers.contains(KeyModifiers::CONTROL) {
            return false;
        }
        let top = self.top();
        let action = self.ui.action_of(None, Key::of(event));
        if action == Some(Action::Quit) && top.is_left_by_quit(char) {
            return false;
        }
        let Layer::Menu(menu) = top else {
            return top.takes_text();
        };
        if char == ' ' && menu.list.query.is_empty() {
            // A blank before any text chooses.
            return false;
        }
        // Settings have keys for their steps.
        let is_step = matches!(action, Some(Action::LowerSetting | Action::RaiseSetting));
        !is_step || !menu.has_settings()
    }

    /// Closes the layer on top, if it can be closed, and applies nothing.
    pub(crate) fn close_top(&mut self) {
        let top = self.top();
        let is_topic = match top {
            Layer::Front(Front::Page { open, .. }) => open.topic().is_some(),
            _ => false,
        };
        match top {
            Layer::Prompt(_) => self.leave_prompt(),
            Layer::Prefix(_) => self.ui.prefix = None,
            Layer::Confirm(_) | Layer::Menu(_) | Layer::Help(_) | Layer::History | Layer::Plot => {
                self.ui.dialog = None;
            }
            Layer::Front(Front::Page { .. }) if is_topic => self.ui.manual = None,
            Layer::Front(Front::Page { .. }) => self.in_tree(page::close),
            Layer::Front(Front::Screen(_) | Front::Nothing) | Layer::Lesson => {}
        }
    }

    /// Closes the dialog, if one is open, and applies nothing.
    pub(crate) fn close_dialog(&mut self) {
        if self.top().is_dialog() {
            self.close_top();
        }
    }

    /// Scrolls what is on top by a turn of the wheel, or the why pane if the pointer is over it.
    pub(crate) fn turn_wheel(&mut self, at: Position, is_down: bool) {
        self.ui.prefix = None;
        let is_over_why = self.ui.drawn.borrow().why.contains(at);
        let turn = if is_down { Turn::DOWN } else { Turn::UP };
        for _ in 0..WHEEL {
            self.scroll_top(turn, is_over_why);
        }
    }

    /// Scrolls what is on top by a row.
    fn scroll_top(&mut self, turn: Turn, is_over_why: bool) {
        let arrow = turn.arrow.into();
        match self.top() {
            Layer::Prompt(_) => self.move_in_picker(turn.by),
            Layer::Confirm(_) | Layer::Prefix(_) | Layer::Lesson => {}
            Layer::Menu(_) => self.press_in_menu(arrow, Some(turn.action)),
            Layer::Help(_) => self.press_in_help(arrow, Some(turn.action)),
            Layer::History => self.press_in_history(arrow, Some(turn.action)),
            Layer::Plot => self.press_in_plot(Some(turn.action)),
            Layer::Front(Front::Page { .. }) => self.scroll_page(turn.by),
            Layer::Front(_) if is_over_why => self.act(turn.action_of_why),
            Layer::Front(_) => self.act(turn.action),
        }
    }

    /// Presses what looks like a key at a position, or else clicks on the layer on top. A click closes the list of keys
    /// behind a prefix.
    pub(crate) fn click(&mut self, at: Position) {
        let target = self.ui.drawn.borrow().target(at);
        let prefix = self.ui.prefix.take();
        match target {
            Some(Click::Key(code)) => return self.press(code.into()),
            Some(Click::Action(action)) => {
                self.ui.notice = None;
                return self.act_in_front(action);
            }
            None => {}
        }
        if prefix.is_some() {
            return;
        }
        match self.top() {
            Layer::Prompt(_) => self.click_in_picker(at),
            Layer::Menu(_) => self.click_in_menu(at),
            Layer::History => self.click_in_history(at),
            Layer::Help(_) | Layer::Plot => self.click_beside(at),
            Layer::Confirm(_) | Layer::Prefix(_) | Layer::Lesson => {}
            Layer::Front(_) => self.click_in_front(at),
        }
    }

    /// Edits the cell that was clicked twice, or applies the choice of a page. Elsewhere it is one more click.
    pub(crate) fn double_click(&mut self, at: Position) {
        let is_target = self.ui.drawn.borrow().target(at).is_some();
        match self.top() {
            _ if is_target => self.click(at),
            Layer::Front(Front::Page { .. }) => self.choose_on_page(at),
            Layer::Front(_) => self.edit_at(at),
            _ => self.click(at),
        }
    }

    /// Types pasted text. Only prompts take any.
    pub(crate) fn paste(&mut self, text: &str) {
        if let Layer::Prompt(_) = self.top() {
            self.paste_into_prompt(text);
        }
    }
}

/// What a turn of the wheel by a row does, by what it turns over.
#[derive(Clone, Copy)]
struct Turn {
    /// The rows of a list or the lines of a page.
    by: isize,
    /// The key that does the same in a dialog.
    arrow: KeyCode,
    /// The action of that key.
    action: Action,
    /// The action over the why pane.
    action_of_why: Action,
}

impl Turn {
    const DOWN: Self = Self {
        by: 1,
        arrow: KeyCode::Down,
        action: Action::Down,
        action_of_why: Action::WhyDown,
    };
    const UP: Self = Self {
        by: -1,
        arrow: KeyCode::Up,
        action: Action::Up,
        action_of_why: Action::WhyUp,
    };
}

/// Returns whether a key is pressed with Alt.
fn has_alt(event: KeyEvent) -> bool {
    event.modifiers.contains(KeyModifiers::ALT)
}

/// Returns whether a key is that letter with control.
pub(crate) fn is_control(event: KeyEvent, letter: char) -> bool {
    let has_control = event.modifiers.contains(KeyModifiers::CONTROL);
    has_control && event.code == KeyCode::Char(letter)
}

/// Returns whether a key leaves a layer: `^C` all but a screen, and esc a dialog. The keymap has a key for pages.
fn leaves(layer: Layer<'_>, event: KeyEvent) -> bool {
    match layer {
        Layer::Front(Front::Page { .. }) => is_control(event, 'c'),
        Layer::Front(_) => false,
        _ => event.code == KeyCode::Esc || is_control(event, 'c'),
    }
}
