//! Scripts: what is pressed in the explorer, and when, as text that people edit.
//!
//! A script is words with blanks between them. A word is a key as the keymap names it (`e`, `ctrl-f`, `page-down`),
//! text in quotes that is typed (`"80"`), something done with the mouse (`click=12,3`), or a time that passes
//! (`+0.35`, in seconds). [`crate::tui::Headless`] plays one without a terminal.

use crate::base::nearest::{nearest, unknown_of};
use crate::base::number::DAY;
use crate::base::shown::{Shown, sentence, shown_text, unescape};
use crate::tui::input::keymap::Key;
use crate::tui::state::Message;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Size};
use std::time::Duration;

/// What happens in a script.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    missing_docs,
    reason = "variants without a word are what their names say"
)]
pub enum ScriptEvent {
    Key(KeyEvent),
    Paste(String),
    Mouse(MouseEvent),
    DoubleClick(Position),
    Resize(Size),
    /// A sentence about what follows. Pictures show it below the screen.
    Caption(String),
}

impl ScriptEvent {
    /// Returns the message for the explorer, or `None` for a caption.
    pub fn message(self) -> Option<Message> {
        Some(match self {
            Self::Key(key) => Message::Key(key),
            Self::Paste(text) => Message::Paste(text),
            Self::Mouse(event) => Message::Mouse(event),
            Self::DoubleClick(at) => Message::DoubleClick(at),
            Self::Resize(_) => Message::Resize,
            Self::Caption(_) => return None,
        })
    }
}

/// An event with its moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The time since the start of the script.
    pub at: Duration,
    /// What happens.
    pub event: ScriptEvent,
}

/// Events in the order of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// The events.
    pub steps: Vec<Step>,
    /// The time that the whole script takes; some may pass after the last event.
    pub length: Duration,
}

impl Script {
    /// Reads a script of one line, as in `e "80" enter +2 5`. The error names the known word nearest to an unknown one.
    pub fn parse(text: &str) -> Result<Self, Shown> {
        let mut script = Self::default();
        for word in split(text)? {
            if let Some(time) = pause(&word) {
                script.length += time?;
                continue;
            }
            for event in events(&word)? {
                script.steps.push(Step {
                    at: script.length,
                    event,
                });
            }
        }
        Ok(script)
    }
}

/// The sizes of a screen that a script may have.
const SIZES: [Size; 2] = [Size::new(20, 5), Size::new(500, 200)];

/// What is done with the mouse, by name.
const MOUSE: [(&str, MouseEventKind); 4] = [
    ("click", MouseEventKind::Down(MouseButton::Left)),
    ("drag", MouseEventKind::Drag(MouseButton::Left)),
    ("wheel-up", MouseEventKind::ScrollUp),
    ("wheel-down", MouseEventKind::ScrollDown),
];

const DOUBLE_CLICK: &str = "double-click";
const PASTE: &str = "paste";
const RESIZE: &str = "resize";
const CAPTION: &str = "caption";

/// What is accepted where a word is unknown.
const ACCEPTED: &str = "a character, a key such as enter, page-down or ctrl-f, text in quotes such as \"80\", or a \
                        pause such as +0.5; `fairscope help pictures` lists all";

#[derive(Clone, Debug, PartialEq, Eq)]
struct Word {
    /// What stands before the `=` of a value, or else the whole word.
    name: String,
    text: Option<String>,
}

/// Splits a line at its blanks, except within quotes. A quote begins where a word or its value begins, unless a blank
/// follows: that is the key.
fn split(line: &str) -> Result<Vec<Word>, Shown> {
    let mut words = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let quote = rest[..end].find('"').filter(|&at| {
            let begins = at == 0 || rest[..at].ends_with('=');
            begins && (at > 0 || end > 1)
        });
        let (word, after) = match quote {
            None => {
                let name = rest[..end].to_owned();
                (Word { name, text: None }, &rest[end..])
            }
            Some(at) => {
                let (text, after) = unquoted(&rest[at + 1..])?;
                let name = rest[..at].trim_end_matches('=').to_owned();
                let text = Some(text);
                (Word { name, text }, after)
            }
        };
        if !after.is_empty() && !after.starts_with(char::is_whitespace) {
            return Err("a blank is missing after the closing quote".into());
        }
        words.push(word);
        rest = after.trim_start();
    }
    Ok(words)
}

/// Returns the text up to the closing quote, and what follows it.
fn unquoted(rest: &str) -> Result<(String, &str), Shown> {
    let mut bytes = Vec::new();
    let mut at = 0;
    while let Some(&byte) = rest.as_bytes().get(at) {
        match byte {
            b'"' => {
                let text = String::from_utf8(bytes)
                    .map_err(|_| Shown::from("the text in quotes is not UTF-8"))?;
                return Ok((text, &rest[at + 1..]));
            }
            b'\\' => at += 1 + unescape(&rest.as_bytes()[at + 1..], &mut bytes).unwrap_or(0),
            byte => {
                bytes.push(byte);
                at += 1;
            }
        }
    }
    Err("a closing quote is missing; a quote within text is \\\"".into())
}

/// Returns the pause that a word is; `None` for other words.
fn pause(word: &Word) -> Option<Result<Duration, Shown>> {
    let seconds = word.name.strip_prefix('+');
    let seconds = seconds.filter(|_| word.text.is_none() && Key::named(&word.name).is_none())?;
    Some(duration(seconds))
}

/// Returns what a word does, or the nearest word that does anything.
fn events(word: &Word) -> Result<Vec<ScriptEvent>, Shown> {
    let name = &*word.name;
    if let Some(text) = &word.text {
        let typed = |char| ScriptEvent::Key(KeyEvent::new(KeyCode::Char(char), KeyModifiers::NONE));
        return match name {
            "" => Ok(text.chars().map(typed).collect()),
            PASTE => Ok(vec![ScriptEvent::Paste(text.to_owned())]),
            CAPTION => Ok(vec![ScriptEvent::Caption(text.to_owned())]),
            name => {
                let known = [PASTE, CAPTION];
                let accepted = "paste=\"…\" or caption=\"…\"";
                Err(unknown_of("word", name, &known, accepted))
            }
        };
    }
    let event = match (Key::named(name), name.split_once('=')) {
        (Some(key), _) => ScriptEvent::Key(key.event()),
        (None, Some((what, value))) => with_value(what, value)?,
        (None, None) => return Err(unknown(name)),
    };
    Ok(vec![event])
}

/// Returns the time of a pause in seconds: up to a day.
fn duration(seconds: &str) -> Result<Duration, Shown> {
    let mut bytes = seconds.bytes();
    let is_plain = bytes.all(|byte| byte.is_ascii_digit() || byte == b'.');
    let number = seconds.parse::<f64>().ok().filter(|_| is_plain);
    let number = number.filter(|&number| number <= f64::from(DAY));
    number.map(Duration::from_secs_f64).ok_or_else(|| {
        sentence!(
            "'+{}' is not a pause; expected seconds up to {DAY}, such as +0.5",
            shown_text(seconds.as_bytes())
        )
    })
}

fn with_value(what: &str, value: &str) -> Result<ScriptEvent, Shown> {
    let mouse = MOUSE.iter().find(|(name, _)| *name == what);
    Ok(match (what, mouse) {
        (RESIZE, _) => ScriptEvent::Resize(size(value)?),
        (DOUBLE_CLICK, _) => ScriptEvent::DoubleClick(place(what, value)?),
        (_, Some(&(_, kind))) => {
            let Position { x: column, y: row } = place(what, value)?;
            let modifiers = KeyModifiers::NONE;
            ScriptEvent::Mouse(MouseEvent {
                kind,
                column,
                row,
                modifiers,
            })
        }
        (PASTE | CAPTION, _) => {
            let what = shown_text(what.as_bytes());
            return Err(sentence!("{what} takes text in quotes: {what}=\"…\""));
        }
        _ => return Err(unknown(what)),
    })
}

/// Returns a cell from `column,row`, both counted from 1.
fn place(what: &str, value: &str) -> Result<Position, Shown> {
    let number = |text: &str| text.parse::<u16>().ok()?.checked_sub(1);
    let numbers = value.split_once(',');
    let place = numbers.and_then(|(x, y)| Some(Position::new(number(x)?, number(y)?)));
    place.ok_or_else(|| {
        let (what, value) = (shown_text(what.as_bytes()), shown_text(value.as_bytes()));
        sentence!(
            "'{what}={value}' names no cell; expected column and row from 1, such as {what}=12,3"
        )
    })
}

/// Returns a size from `120x40`, or an error if it is none, or too small or large for a screen.
pub fn size(value: &str) -> Result<Size, Shown> {
    let numbers = value.split_once('x');
    let size = numbers
        .and_then(|(width, height)| Some(Size::new(width.parse().ok()?, height.parse().ok()?)));
    let [least, most] = SIZES;
    let is_possible = |size: &Size| {
        (least.width..=most.width).contains(&size.width)
            && (least.height..=most.height).contains(&size.height)
    };
    size.filter(is_possible).ok_or_else(|| {
        let value = shown_text(value.as_bytes());
        sentence!(
            "'{value}' is not the size of a screen; expected {least} to {most}, such as 120x40"
        )
    })
}

fn unknown(word: &str) -> Shown {
    // ctrl- and shift- may stand before a key.
    let bare = word.trim_start_matches("ctrl-");
    let bare = bare.trim_start_matches("shift-");
    let before = &word[..word.len() - bare.len()];
    let values = MOUSE.iter().map(|&(name, _)| name);
    let values = values.chain([DOUBLE_CLICK, PASTE, RESIZE, CAPTION]);
    let known: Vec<&str> = Key::names().chain(values).collect();
    match nearest(bare, &known) {
        Some(near) if !before.is_empty() => {
            let near = format!("{before}{near}");
            unknown_of("key", word, &[&near], ACCEPTED)
        }
        _ => unknown_of("key", word, &known, ACCEPTED),
    }
}
