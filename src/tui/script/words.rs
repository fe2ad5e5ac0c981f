//! The words of scripts and what they mean.

use super::ScriptEvent;
use crate::base::nearest::{nearest, unknown_of};
use crate::base::number::DAY;
use crate::base::shown::{Shown, sentence, shown_text, unescape};
use crate::tui::input::key::Key;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Size};
use std::time::Duration;

/// The sizes of a screen that a script may have.
pub(super) const SIZES: (std::ops::RangeInclusive<u16>, std::ops::RangeInclusive<u16>) =
    (20..=500, 5..=200);

/// What is done with the mouse, by name.
pub(super) const MOUSE: [(&str, MouseEventKind); 4] = [
    ("click", MouseEventKind::Down(MouseButton::Left)),
    ("drag", MouseEventKind::Drag(MouseButton::Left)),
    ("wheel-up", MouseEventKind::ScrollUp),
    ("wheel-down", MouseEventKind::ScrollDown),
];

/// The other words that have a value.
pub(super) const DOUBLE_CLICK: &str = "double-click";
pub(super) const PASTE: &str = "paste";
pub(super) const RESIZE: &str = "resize";
pub(super) const CAPTION: &str = "caption";

/// What is accepted where a word is unknown.
const ACCEPTED: &str = "a character, a key such as enter, page-down or ctrl-f, text in quotes such as \"80\", or a \
                        pause such as +0.5; `fairscope help recordings` lists all";

/// A word of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// What stands before the `=` of a value, or else the whole word.
    pub(super) name: String,
    /// The text in quotes.
    pub(super) text: Option<String>,
}

/// What a word means.
pub(super) enum Meaning {
    /// Time passes.
    Pause(Duration),
    /// Something happens.
    Events(Vec<ScriptEvent>),
}

/// Splits a line at its blanks, except within quotes. A quote begins where a word or its value begins, unless a blank
/// follows: that is the key.
///
/// # Errors
/// If a quote has no end.
pub(super) fn split(line: &str) -> Result<Vec<Word>, Shown> {
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
                let (text, after) = quoted(&rest[at + 1..])?;
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
fn quoted(rest: &str) -> Result<(String, &str), Shown> {
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

/// Returns what a word means.
///
/// # Errors
/// If it means nothing, with the nearest word that does.
pub(super) fn meaning(word: &Word) -> Result<Meaning, Shown> {
    if let Some(text) = &word.text {
        return text_of(&word.name, text);
    }
    let name = &*word.name;
    if let Some(key) = Key::named(name) {
        return Ok(Meaning::Events(vec![ScriptEvent::Key(key.event())]));
    }
    if let Some(seconds) = name.strip_prefix('+') {
        return pause(seconds).map(Meaning::Pause);
    }
    match name.split_once('=') {
        Some((what, value)) => with_value(what, value),
        None => Err(unknown(name)),
    }
}

fn text_of(name: &str, text: &str) -> Result<Meaning, Shown> {
    let typed = |char| ScriptEvent::Key(KeyEvent::new(KeyCode::Char(char), KeyModifiers::NONE));
    Ok(Meaning::Events(match name {
        "" => text.chars().map(typed).collect(),
        PASTE => vec![ScriptEvent::Paste(text.to_owned())],
        CAPTION => vec![ScriptEvent::Caption(text.to_owned())],
        name => {
            return Err(unknown_of(
                "word",
                name,
                &[PASTE, CAPTION],
                "paste=\"…\" or caption=\"…\"",
            ));
        }
    }))
}

/// Returns the time of a pause in seconds: up to a day.
fn pause(seconds: &str) -> Result<Duration, Shown> {
    let is_plain = seconds
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let number = seconds.parse::<f64>().ok().filter(|_| is_plain);
    let number = number.filter(|&number| number <= f64::from(DAY));
    number.map(Duration::from_secs_f64).ok_or_else(|| {
        sentence!(
            "'+{}' is not a pause; expected seconds up to {DAY}, such as +0.5",
            shown_text(seconds.as_bytes())
        )
    })
}

fn with_value(what: &str, value: &str) -> Result<Meaning, Shown> {
    let mouse = MOUSE.iter().find(|(name, _)| *name == what);
    let event = match (what, mouse) {
        (RESIZE, _) => ScriptEvent::Resize(size(value)?),
        (DOUBLE_CLICK, _) => ScriptEvent::DoubleClick(place(what, value)?),
        (_, Some(&(_, kind))) => {
            let Position { x, y } = place(what, value)?;
            ScriptEvent::Mouse(MouseEvent {
                kind,
                column: x,
                row: y,
                modifiers: KeyModifiers::NONE,
            })
        }
        (PASTE | CAPTION, _) => {
            return Err(sentence!(
                "{} takes text in quotes: {}=\"…\"",
                shown_text(what.as_bytes()),
                shown_text(what.as_bytes())
            ));
        }
        _ => return Err(unknown(what)),
    };
    Ok(Meaning::Events(vec![event]))
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

/// Returns a size from `120x40`.
///
/// # Errors
/// If it is none, or too small or large for a screen.
pub fn size(value: &str) -> Result<Size, Shown> {
    let numbers = value.split_once('x');
    let size = numbers
        .and_then(|(width, height)| Some(Size::new(width.parse().ok()?, height.parse().ok()?)));
    let (widths, heights) = SIZES;
    size.filter(|size| widths.contains(&size.width) && heights.contains(&size.height))
        .ok_or_else(|| {
            sentence!(
                "'{}' is not the size of a screen; expected {}x{} to {}x{}, such as 120x40",
                shown_text(value.as_bytes()),
                widths.start(),
                heights.start(),
                widths.end(),
                heights.end()
            )
        })
}

/// Returns the error for a word without a meaning.
fn unknown(word: &str) -> Shown {
    // ctrl- and shift- may stand before a key.
    let bare = word
        .trim_start_matches("ctrl-")
        .trim_start_matches("shift-");
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
