//! Scripts: what is pressed in the explorer, and when, as text that people edit.
//!
//! A script is words with blanks between them. A word is a key as the keymap names it (`e`, `ctrl-f`, `page-down`),
//! text in quotes that is typed (`"80"`), something done with the mouse (`click=12,3`), or a time that passes
//! (`+0.35`, in seconds). [`crate::tui::Headless`] plays one without a terminal.

use super::input::keymap::Key;
use super::state::Message;
use crate::base::nearest::{nearest, unknown_of};
use crate::base::number::DAY;
use crate::base::shown::{Shown, sentence, shown_text, unescape};
use crate::tui::input::event::{
    KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
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

/// The smallest screen that a script may have.
const SMALLEST: Size = Size::new(20, 5);

/// The largest screen that a script may have.
const LARGEST: Size = Size::new(500, 200);

/// What is done with the mouse at a cell, by name.
const MOUSE: &[(&str, MouseEventKind)] = &[
    ("click", MouseEventKind::Down(MouseButton::Left)),
    ("drag", MouseEventKind::Drag(MouseButton::Left)),
    ("wheel-up", MouseEventKind::ScrollUp),
    ("wheel-down", MouseEventKind::ScrollDown),
];

/// Two clicks at a cell.
const DOUBLE_CLICK: &str = "double-click";

/// Text that is pasted.
const PASTE: &str = "paste";

/// Another size of the screen.
const RESIZE: &str = "resize";

/// A sentence below the pictures.
const CAPTION: &str = "caption";

/// What is accepted where a word is unknown.
const ACCEPTED: &str = "a character, a key such as enter, page-down or ctrl-f, text in quotes such as \"80\", or a \
                        pause such as +0.5; `fairscope help pictures` lists all";

/// A word of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Word {
    /// What stands before the `=` of a value, or else the whole word.
    name: String,
    /// What stands in quotes; `None` without quotes.
    text: Option<String>,
}

/// A text in quotes, and what follows it.
struct Quoted<'a> {
    text: String,
    after: &'a str,
}

/// Splits a line at its blanks, except within quotes. A quote begins where a word or its value begins, unless a blank
/// follows: that is the key.
fn split(line: &str) -> Result<Vec<Word>, Shown> {
    let mut words = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let bare = &rest[..end];
        let mut name = bare;
        let mut text = None;
        let mut after = &rest[end..];
        if let Some(at) = quote_of(bare) {
            let quoted = unquoted(&rest[at + 1..])?;
            name = bare[..at].trim_end_matches('=');
            text = Some(quoted.text);
            after = quoted.after;
        }
        if !after.is_empty() && !after.starts_with(char::is_whitespace) {
            return Err("a blank is missing after the closing quote".into());
        }
        let name = name.to_owned();
        words.push(Word { name, text });
        rest = after.trim_start();
    }
    Ok(words)
}

/// Returns where in a word a text in quotes begins; `None` if it has none, or is the key of a quote.
fn quote_of(word: &str) -> Option<usize> {
    let at = word.find('"')?;
    let begins_word = at == 0 && word.len() > 1;
    let begins_value = word[..at].ends_with('=');
    if begins_word || begins_value {
        Some(at)
    } else {
        None
    }
}

/// Reads a text up to the closing quote.
fn unquoted(rest: &str) -> Result<Quoted<'_>, Shown> {
    let mut bytes = Vec::new();
    let mut at = 0;
    while let Some(&byte) = rest.as_bytes().get(at) {
        match byte {
            b'"' => {
                let Ok(text) = String::from_utf8(bytes) else {
                    return Err("the text in quotes is not UTF-8".into());
                };
                let after = &rest[at + 1..];
                return Ok(Quoted { text, after });
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
    let seconds = word.name.strip_prefix('+')?;
    if word.text.is_some() || Key::named(&word.name).is_some() {
        return None;
    }
    Some(duration(seconds))
}

/// Returns what a word does, or the nearest word that does anything.
fn events(word: &Word) -> Result<Vec<ScriptEvent>, Shown> {
    let name = &*word.name;
    if let Some(text) = &word.text {
        return with_text(name, text);
    }
    if let Some(key) = Key::named(name) {
        return Ok(vec![ScriptEvent::Key(key.event())]);
    }
    match name.split_once('=') {
        Some((what, value)) => Ok(vec![with_value(what, value)?]),
        None => Err(unknown(name)),
    }
}

/// Returns what a text in quotes does; one without a name is typed.
fn with_text(name: &str, text: &str) -> Result<Vec<ScriptEvent>, Shown> {
    match name {
        "" => {
            let mut typed = Vec::new();
            for char in text.chars() {
                let key = KeyEvent::new(KeyCode::Char(char), KeyModifiers::NONE);
                typed.push(ScriptEvent::Key(key));
            }
            Ok(typed)
        }
        PASTE => Ok(vec![ScriptEvent::Paste(text.to_owned())]),
        CAPTION => Ok(vec![ScriptEvent::Caption(text.to_owned())]),
        _ => {
            let accepted = "paste=\"…\" or caption=\"…\"";
            Err(unknown_of("word", name, &[PASTE, CAPTION], accepted))
        }
    }
}

/// Returns the time of a pause in seconds: up to a day.
fn duration(seconds: &str) -> Result<Duration, Shown> {
    let is_plain = seconds
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    match seconds.parse::<f64>() {
        Ok(number) if is_plain && number <= f64::from(DAY) => Ok(Duration::from_secs_f64(number)),
        _ => {
            let seconds = shown_text(seconds.as_bytes());
            Err(sentence!(
                "'+{seconds}' is not a pause; expected seconds up to {DAY}, such as +0.5"
            ))
        }
    }
}

/// Returns what a word with a value without quotes does.
fn with_value(what: &str, value: &str) -> Result<ScriptEvent, Shown> {
    for &(name, kind) in MOUSE {
        if name == what {
            let at = place(what, value)?;
            return Ok(ScriptEvent::Mouse(MouseEvent {
                kind,
                column: at.x,
                row: at.y,
                modifiers: KeyModifiers::NONE,
            }));
        }
    }
    match what {
        RESIZE => Ok(ScriptEvent::Resize(size(value)?)),
        DOUBLE_CLICK => Ok(ScriptEvent::DoubleClick(place(what, value)?)),
        PASTE | CAPTION => Err(sentence!("{what} takes text in quotes: {what}=\"…\"")),
        _ => Err(unknown(what)),
    }
}

/// Returns a cell from `column,row`, both counted from 1.
fn place(what: &str, value: &str) -> Result<Position, Shown> {
    if let Some(position) = position(value) {
        return Ok(position);
    }
    let value = shown_text(value.as_bytes());
    Err(sentence!(
        "'{what}={value}' names no cell; expected column and row from 1, such as {what}=12,3"
    ))
}

/// Returns a cell from `column,row`; `None` if it is none.
fn position(value: &str) -> Option<Position> {
    let (column, row) = value.split_once(',')?;
    let x = column.parse::<u16>().ok()?.checked_sub(1)?;
    let y = row.parse::<u16>().ok()?.checked_sub(1)?;
    Some(Position { x, y })
}

/// Returns a size from `120x40`, or an error if it is none, or too small or large for a screen.
pub fn size(value: &str) -> Result<Size, Shown> {
    if let Some(size) = possible_size(value) {
        return Ok(size);
    }
    let value = shown_text(value.as_bytes());
    Err(sentence!(
        "'{value}' is not the size of a screen; expected {SMALLEST} to {LARGEST}, such as 120x40"
    ))
}

/// Returns a size from `120x40`; `None` if it is none, or too small or large for a screen.
fn possible_size(value: &str) -> Option<Size> {
    let (width, height) = value.split_once('x')?;
    let size = Size {
        width: width.parse().ok()?,
        height: height.parse().ok()?,
    };
    let is_possible = (SMALLEST.width..=LARGEST.width).contains(&size.width)
        && (SMALLEST.height..=LARGEST.height).contains(&size.height);
    if is_possible { Some(size) } else { None }
}

/// Returns why a word does nothing, with the nearest word that does something.
fn unknown(word: &str) -> Shown {
    // ctrl- and shift- may stand before a key.
    let bare = word
        .trim_start_matches("ctrl-")
        .trim_start_matches("shift-");
    let before = &word[..word.len() - bare.len()];
    let mut known: Vec<&str> = Key::names().collect();
    for (name, _) in MOUSE {
        known.push(name);
    }
    known.extend([DOUBLE_CLICK, PASTE, RESIZE, CAPTION]);
    match nearest(bare, &known) {
        Some(near) if !before.is_empty() => {
            let near = format!("{before}{near}");
            unknown_of("key", word, &[&near], ACCEPTED)
        }
        _ => unknown_of("key", word, &known, ACCEPTED),
    }
}
