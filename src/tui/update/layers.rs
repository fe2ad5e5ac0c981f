//! What each layer does with a key, a turn of the wheel, a click and pasted text.

use crate::tui::input::action::Action;
use crate::tui::input::keymap::Key;
use crate::tui::state::{App, Click, Front, Layer, Message, Notice};
use crate::tui::update::scenarios;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
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

    pub(crate) fn press(&mut self, event: KeyEvent) {
        if has_alt(event) {
            // A terminal sends Alt as an escape before the key, so esc with a quick next key looks like Alt with that
            // key. No action is bound to Alt, so both are read as esc and a key.
            self.press(KeyCode::Esc.into());
            let modifiers = event.modifiers - KeyModifiers::ALT;
            return self.press(KeyEvent::new(event.code, modifiers));
        }
        let is_hidden = self.top().hides_notices();
        let notice = self.ui.notice.take();
        self.press_on_top(event);
        let Some(unseen) = notice.filter(|_| is_hidden) else {
            return;
        };
        // What was said behind a prompt is still to be seen, above all why something failed.
        let counts = match self.ui.notice {
            None => true,
            Some(Notice::Info(_)) => matches!(unseen, Notice::Error(_)),
            Some(Notice::Error(_)) => false,
        };
        if counts {
            self.ui.notice = Some(unseen);
        }
    }

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
        let action = self.ui.options.config.keymap.action(None, key);
        let leaves = leaves(self.top(), event);
        match self.top() {
            Layer::Prefix(_) => self.press_behind_prefix(event),
            _ if leaves => self.close_top(),
            _ if action == Some(Action::Suspend) && !is_text => self.act(Action::Suspend),
            Layer::Prompt(_) => self.type_into_prompt(event),
            Layer::Confirm(_) => self.answer(event),
            Layer::Menu(_) => self.press_in_menu(event, action),
            Layer::Help => self.press_in_help(event, action),
            Layer::History => {
                self.in_tree(|session, ui| scenarios::press_in_history(session, ui, event, action));
            }
            Layer::Plot => self.press_in_plot(action),
            Layer::Lesson | Layer::Front(_) => match action {
                Some(action) => self.act_in_front(action),
                None => self.open_prefix(key),
            },
        }
    }

    /// Returns whether a key is text for the layer on top.
    pub(crate) fn types(&self, event: KeyEvent) -> bool {
        let KeyCode::Char(char) = event.code else {
            return false;
        };
        let is_text = match self.top() {
            Layer::Menu(menu) => {
                // A blank before any text chooses, and settings have keys for their steps.
                let action = self.ui.options.config.keymap.action(None, Key::of(event));
                let is_step = matches!(action, Some(Action::LowerSetting | Action::RaiseSetting));
                !(char == ' ' && menu.list.query.is_empty() || is_step && menu.has_settings())
            }
            layer => layer.takes_text(),
        };
        is_text && !event.modifiers.contains(KeyModifiers::CONTROL)
    }

    /// Closes the layer on top, if it can be closed, and applies nothing.
    pub(crate) fn close_top(&mut self) {
        match self.top() {
            Layer::Prompt(_) => self.leave_prompt(),
            Layer::Confirm(_) | Layer::Menu(_) | Layer::Help | Layer::History | Layer::Plot => {
                self.ui.dialog = None;
            }
            Layer::Prefix(_) => self.ui.prefix = None,
            Layer::Front(Front::Page { open, .. }) if open.topic().is_some() => {
                self.ui.manual = None;
            }
            Layer::Front(Front::Page { .. }) => self.ui.page = None,
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
        let (by, arrow, action) = if is_down {
            (1, KeyCode::Down, Action::Down)
        } else {
            (-1, KeyCode::Up, Action::Up)
        };
        for _ in 0..WHEEL {
            match self.top() {
                Layer::Prompt(_) => self.move_in_picker(by),
                Layer::Confirm(_) | Layer::Prefix(_) | Layer::Lesson => {}
                Layer::Menu(_) => self.press_in_menu(arrow.into(), Some(action)),
                Layer::Help => self.press_in_help(arrow.into(), Some(action)),
                Layer::History => self.in_tree(|session, ui| {
                    scenarios::press_in_history(session, ui, arrow.into(), Some(action));
                }),
                Layer::Plot => self.press_in_plot(Some(action)),
                Layer::Front(Front::Page { .. }) => self.scroll_page(by),
                Layer::Front(_) if is_over_why && is_down => self.act(Action::WhyDown),
                Layer::Front(_) if is_over_why => self.act(Action::WhyUp),
                Layer::Front(_) => self.act(action),
            }
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
            None if prefix.is_some() => return,
            None => {}
        }
        match self.top() {
            Layer::Prompt(_) => self.click_in_picker(at),
            Layer::Menu(_) => self.click_in_menu(at),
            Layer::History => self.click_in_history(at),
            Layer::Help | Layer::Plot => self.click_beside(at),
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

fn has_alt(event: KeyEvent) -> bool {
    event.modifiers.contains(KeyModifiers::ALT)
}

pub(crate) fn is_control(event: KeyEvent, letter: char) -> bool {
    event.code == KeyCode::Char(letter) && event.modifiers.contains(KeyModifiers::CONTROL)
}

/// Returns whether a key leaves a layer: `^C` all but a screen, and esc a dialog. The keymap has a key for pages.
fn leaves(layer: Layer<'_>, event: KeyEvent) -> bool {
    match layer {
        Layer::Front(Front::Page { .. }) => is_control(event, 'c'),
        Layer::Front(_) => false,
        _ => event.code == KeyCode::Esc || is_control(event, 'c'),
    }
}
