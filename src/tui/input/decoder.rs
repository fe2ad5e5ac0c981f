//! Bytes of a terminal to keys, uses of the mouse and pastes.
//!
//! Nothing that comes in can make the explorer deaf. Input that stays incomplete is dropped after a pause, and `^C` is
//! heard at once inside every unfinished sequence. The reader tells the decoder about pauses, so the decoder itself
//! knows no clock: the same bytes and pauses always give the same events.

mod keys;
mod paste;

use crate::tui::input::event::{Event, KeyCode};
use keys::Sink;
use memchr::memchr2;
use paste::Paste;
use std::time::Duration;

/// The byte of the Esc key, with which sequences begin.
const ESCAPE: u8 = 0x1b;

/// The byte of `^C`.
const INTERRUPT: u8 = 0x03;

/// The pause after which incomplete input is dropped.
const INCOMPLETE: Duration = Duration::from_millis(100);

/// The pause after which the rest of an unclosed paste is no longer expected.
const ABANDONED: Duration = Duration::from_secs(10);

/// Decodes the bytes that a terminal sends for keys, the mouse and pastes.
///
/// [`Decoder::push`] takes bytes as they are read; how they are split into reads makes no difference. If
/// [`Decoder::patience`] is a time and nothing is read for that long, [`Decoder::time_out`] must be called. When
/// `patience` is `None`, nothing is incomplete, and the reader can wait forever.
#[derive(Default)]
pub struct Decoder {
    state: DecoderState,
    machine: vte::Parser,
    sink: Sink,
    /// A key that a pause gives instead of dropping it. It looks like the second byte of a sequence, but the escape
    /// before it was given as a key already.
    typed: Option<char>,
}

/// What the next byte belongs to.
#[derive(Default)]
enum DecoderState {
    /// A character or a control key.
    #[default]
    Text,
    /// A character that may be incomplete.
    Character,
    /// An escape: the Esc key, or the start of a sequence, or Alt with a key; inside a string also of its terminator.
    Escape {
        is_in_string: bool,
    },
    /// An escape that was given as the Esc key already.
    GivenEscape,
    /// A control sequence: CSI, parameters and a final byte.
    Sequence,
    /// A string: OSC, DCS, SOS, PM or APC.
    String,
    /// The key after SS3, with the modifiers read so far as a parameter, 1 for none.
    SingleShift(u16),
    /// The letter of a function key of the Linux console.
    ConsoleKey,
    /// The three bytes of a mouse report in the oldest encoding.
    Mouse(Vec<u8>),
    Paste(Paste),
}

impl Decoder {
    /// Decodes the next bytes and returns their events.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Event> {
        let mut rest = bytes;
        while let Some(&first) = rest.first() {
            let taken = self.step(first, rest);
            rest = &rest[taken..];
        }
        std::mem::take(&mut self.sink.events)
    }

    /// Returns how long to wait for more bytes before calling [`Decoder::time_out`], or `None` if nothing is
    /// incomplete. After an escape it is zero: the Esc key is given unless the next byte can be read already.
    pub const fn patience(&self) -> Option<Duration> {
        match &self.state {
            DecoderState::Text => None,
            DecoderState::Escape { .. } => Some(Duration::ZERO),
            DecoderState::Paste(paste) if paste.is_quiet() => Some(ABANDONED),
            _ => Some(INCOMPLETE),
        }
    }

    /// Ends what is incomplete after a pause, and returns the events that follow from it.
    ///
    /// A lone escape is the Esc key. Incomplete characters, sequences and strings are dropped. An unclosed paste gives
    /// the text so far; after that, a burst of several characters is the rest of the paste, and everything else is
    /// keys. The paste is over after its end marker, a key or a long pause.
    ///
    /// The order of bytes justifies this rule. A terminal sends the whole paste before the keys that are pressed after
    /// it. A single key after a pause therefore shows that the end marker is lost. Text that arrives in a burst may be
    /// the rest of a paste on a slow connection, and must not act as commands.
    pub fn time_out(&mut self) -> Vec<Event> {
        match std::mem::take(&mut self.state) {
            DecoderState::Escape { .. } => {
                self.sink.key(Some(KeyCode::Esc.into()));
                // On a slow line the rest of a sequence may still come. It must not be read as letters.
                self.state = DecoderState::GivenEscape;
            }
            DecoderState::Paste(mut paste) => {
                if self.judge(&mut paste) {
                    self.state = DecoderState::Paste(paste);
                }
            }
            _ => self.abort(),
        }
        std::mem::take(&mut self.sink.events)
    }

    /// Decodes at least one byte or changes the state. Returns how many of the bytes from `first` on were taken.
    fn step(&mut self, first: u8, bytes: &[u8]) -> usize {
        if let DecoderState::Paste(paste) = &mut self.state {
            if first == INTERRUPT && paste.is_paused {
                self.interrupt_paste();
                return 1;
            }
            let taken = paste.take(bytes);
            if taken.is_closed {
                self.sink.paste(paste.finish());
                self.state = DecoderState::Text;
            }
            return taken.count;
        }
        if first < b' ' && self.typed.is_some() {
            self.abort();
        }
        if first == INTERRUPT {
            if matches!(self.state, DecoderState::Escape { .. }) {
                self.sink.key(Some(KeyCode::Esc.into()));
            }
            self.abort();
            self.sink.key(keys::of_control(INTERRUPT));
            return 1;
        }
        match &mut self.state {
            &mut DecoderState::Escape { is_in_string } => self.begin(first, false, is_in_string),
            DecoderState::GivenEscape => self.begin(first, true, false),
            _ if first == ESCAPE => {
                let is_in_string = matches!(self.state, DecoderState::String);
                self.abort();
                self.state = DecoderState::Escape { is_in_string };
                1
            }
            DecoderState::SingleShift(modifiers) => {
                self.typed = None;
                match first {
                    b'0'..=b'9' => *modifiers = u16::from(first - b'0'),
                    b';' => {}
                    b' '..=b'~' => {
                        self.sink.key(keys::of_single_shift(first, *modifiers));
                        self.state = DecoderState::Text;
                    }
                    _ => return self.drop_sequence(),
                }
                1
            }
            DecoderState::ConsoleKey if matches!(first, b' '..=b'~') => {
                self.sink.key(keys::of_console(first));
                self.state = DecoderState::Text;
                1
            }
            DecoderState::Mouse(report) if first >= b' ' => {
                report.push(first);
                if let &[button, column, row] = report.as_slice() {
                    self.sink.events.extend(keys::of_mouse_numbers(
                        button.into(),
                        u16::from(column - keys::OFFSET),
                        u16::from(row - keys::OFFSET),
                    ));
                    self.state = DecoderState::Text;
                }
                1
            }
            DecoderState::ConsoleKey | DecoderState::Mouse(_) => self.drop_sequence(),
            _ => self.advance(bytes),
        }
    }

    /// Forgets the current sequence and takes no byte.
    fn drop_sequence(&mut self) -> usize {
        self.abort();
        0
    }

    fn begin(&mut self, first: u8, is_given: bool, is_in_string: bool) -> usize {
        self.state = DecoderState::Text;
        match first {
            ESCAPE => {
                if !is_given {
                    self.sink.key(Some(KeyCode::Esc.into()));
                }
                let is_in_string = false;
                self.state = DecoderState::Escape { is_in_string };
            }
            b'[' => {
                self.typed = if is_given { Some('[') } else { None };
                self.machine.advance(&mut self.sink, &[ESCAPE, first]);
                self.state = DecoderState::Sequence;
            }
            b'O' => {
                self.typed = if is_given { Some('O') } else { None };
                self.state = DecoderState::SingleShift(1);
            }
            b']' | b'P' | b'X' | b'^' | b'_' if !is_given => {
                self.machine.advance(&mut self.sink, &[ESCAPE, first]);
                self.state = DecoderState::String;
            }
            b'\\' if is_in_string => {}
            _ => {
                self.sink.has_alt = !is_given;
                return 0;
            }
        }
        1
    }

    /// Decodes text, or a part of a sequence or string, up to the next byte that could end it early.
    fn advance(&mut self, bytes: &[u8]) -> usize {
        self.typed = None;
        let end = if matches!(self.state, DecoderState::Character) {
            // The state machine loses what follows the rest of a character, up to one that is incomplete again.
            1
        } else {
            memchr2(ESCAPE, INTERRUPT, bytes).unwrap_or(bytes.len())
        };
        let text = &bytes[..end];
        let taken = self.machine.advance_until_terminated(&mut self.sink, text);
        let is_text = matches!(self.state, DecoderState::Text | DecoderState::Character);
        let is_ended = std::mem::take(&mut self.sink.is_ended);
        if let Some(begun) = self.sink.begun.take() {
            self.state = begun;
        } else if is_text || is_ended {
            self.state = match bytes[..taken].last() {
                Some(0x80..) => DecoderState::Character,
                _ => DecoderState::Text,
            };
        }
        taken
    }

    /// Forgets what is incomplete. A key that only looked like the start of a sequence is given.
    fn abort(&mut self) {
        self.machine = vte::Parser::new();
        self.sink.has_alt = false;
        self.state = DecoderState::Text;
        if let Some(char) = self.typed.take() {
            self.sink.key(keys::of_char(char));
        }
    }

    /// Gives `^C` inside an unclosed paste. The paste stays open, because the byte may be a part of it.
    fn interrupt_paste(&mut self) {
        if let DecoderState::Paste(mut paste) = std::mem::take(&mut self.state)
            && (paste.is_quiet() || self.judge(&mut paste))
        {
            self.state = DecoderState::Paste(paste);
        }
        self.sink.key(keys::of_control(INTERRUPT));
    }

    /// Gives what came of a paste before a pause, as text or as keys. Returns whether the paste goes on.
    fn judge(&mut self, paste: &mut Paste) -> bool {
        if paste.is_quiet() {
            return false;
        }
        if paste.is_paused {
            let keys = events_of(&paste.burst());
            if !is_text(&keys) {
                self.sink.events.extend(keys);
                return false;
            }
        }
        self.sink.paste(paste.pause());
        true
    }
}

/// Returns the events of bytes behind which nothing comes.
fn events_of(bytes: &[u8]) -> Vec<Event> {
    let mut decoder = Decoder::default();
    let mut events = decoder.push(bytes);
    while decoder.patience().is_some() {
        events.extend(decoder.time_out());
    }
    events
}

/// Returns whether the events of one burst are text rather than a key: they are two or more characters.
fn is_text(burst: &[Event]) -> bool {
    let mut characters = 0;
    for event in burst {
        match event {
            Event::Paste(_) => characters += 2,
            Event::Key(key) => match key.code {
                KeyCode::Char(_) | KeyCode::Enter | KeyCode::Tab => characters += 1,
                _ => {}
            },
            Event::Mouse(_) => {}
        }
    }
    characters >= 2
}
