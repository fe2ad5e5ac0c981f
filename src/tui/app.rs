//! The state of the screen.

use super::{Effect, Message};
use crossterm::event::{KeyCode, KeyModifiers};
use ratatui::Frame;

/// The state of the screen.
#[derive(Debug, Default)]
pub struct App {
    keys: usize,
}

impl App {
    /// Changes the state; says what is to be done.
    pub fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Key(key) if key.code == KeyCode::Char('q') => vec![Effect::Quit],
            Message::Key(key)
                if key.code == KeyCode::Char('z') && key.modifiers == KeyModifiers::CONTROL =>
            {
                vec![Effect::Suspend]
            }
            Message::Key(_) => {
                self.keys += 1;
                Vec::new()
            }
            Message::Terminate => vec![Effect::Quit],
            _ => Vec::new(),
        }
    }

    /// Draws the screen.
    pub fn draw(&mut self, frame: &mut Frame) {
        frame.render_widget(format!("fairscope\n{} keys", self.keys), frame.area());
    }
}
