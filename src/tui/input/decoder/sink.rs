//! The events of what the state machine recognises.

use super::DecoderState;
use super::keys::{self, EscapeCommand};
use super::paste::Paste;
use crossterm::event::{Event, KeyEvent, KeyModifiers};
use vte::{Params, Perform};

/// Receives what the state machine recognises.
#[derive(Default)]
pub(super) struct Sink {
    pub(super) events: Vec<Event>,
    /// Whether the next key is pressed with Alt.
    pub(super) has_alt: bool,
    /// Whether a sequence or a string has ended.
    pub(super) is_ended: bool,
    /// What a control sequence began: the bytes that follow are not for the state machine.
    pub(super) begun: Option<DecoderState>,
}

impl Sink {
    pub(super) fn key(&mut self, key: Option<KeyEvent>) {
        let has_alt = std::mem::take(&mut self.has_alt);
        self.events.extend(key.map(|mut key| {
            key.modifiers.set(
                KeyModifiers::ALT,
                has_alt || key.modifiers.contains(KeyModifiers::ALT),
            );
            Event::Key(key)
        }));
    }

    pub(super) fn paste(&mut self, text: String) {
        if !text.is_empty() {
            self.events.push(Event::Paste(text));
        }
    }
}

impl Perform for Sink {
    fn print(&mut self, char: char) {
        self.is_ended = true;
        self.key(keys::of_char(char));
    }

    fn execute(&mut self, byte: u8) {
        // These two end any sequence.
        self.is_ended |= matches!(byte, 0x18 | 0x1a);
        self.key(keys::of_control(byte));
    }

    fn csi_dispatch(
        &mut self,
        parameters: &Params,
        intermediates: &[u8],
        is_cut: bool,
        last: char,
    ) {
        self.is_ended = true;
        if is_cut {
            return;
        }
        match keys::of_sequence(parameters, intermediates, last) {
            EscapeCommand::Event(event) => self.events.extend(event),
            EscapeCommand::Paste => self.begun = Some(DecoderState::Paste(Paste::default())),
            EscapeCommand::ConsoleKey => self.begun = Some(DecoderState::ConsoleKey),
            EscapeCommand::Mouse => self.begun = Some(DecoderState::Mouse { report: Vec::new() }),
        }
    }

    fn osc_dispatch(&mut self, _: &[&[u8]], _: bool) {
        self.is_ended = true;
    }

    fn unhook(&mut self) {
        self.is_ended = true;
    }

    fn terminated(&self) -> bool {
        self.begun.is_some()
    }
}
