//! Random things that happen to the explorer, as words: keys, typed lines, pastes, the mouse, new sizes, answers.

use super::names::NAMES;
use super::questions::{edit, pick};
use crate::support::random::Random;
use fairscope::format::{Request, SourceKind};
use fairscope::tui::event::{
    KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use fairscope::tui::{FoundDraft, Message, built_in_lesson};
use std::path::Path;

/// The keys that are no characters.
const NAMED: &[(&str, KeyCode)] = &[
    ("enter", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("backtab", KeyCode::BackTab),
    ("space", KeyCode::Char(' ')),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("insert", KeyCode::Insert),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("page-up", KeyCode::PageUp),
    ("page-down", KeyCode::PageDown),
    ("f1", KeyCode::F(1)),
    ("f12", KeyCode::F(12)),
    ("null", KeyCode::Null),
];

/// Characters that nobody's keyboard has.
const ODD: &str =
    "\u{e9}\u{4e2d}\u{301}\u{202e}\u{200b}\u{7f}\u{9b}\u{1b}\u{0}\u{1f680}\u{5d0}\u{a0}";

/// Sizes of the screen.
const SIZES: &[(u16, u16)] = &[
    (120, 40),
    (80, 24),
    (20, 5),
    (200, 60),
    (19, 4),
    (40, 12),
    (1, 1),
    (0, 0),
    (300, 3),
    (30, 100),
];

/// Something that happens.
pub(crate) enum Happening {
    /// A message from the terminal.
    Message(Message),
    /// The terminal has this many columns and rows.
    Size(u16, u16),
    /// The terminal sends these bytes, then nothing for a while.
    Bytes(Vec<u8>),
    /// What the explorer asked for is done.
    Done,
    /// What the explorer asked for fails.
    Failed,
    /// One of the things that it asked for is done, and the answer is on its way.
    Run(usize),
    /// One of the answers on their way arrives.
    Hear(usize),
}

/// The beginnings and ends of what terminals send, whole and broken.
const SEQUENCES: [&[u8]; 26] = [
    b"\x1b",
    b"\x1b[",
    b"\x1b[<",
    b"\x1b[?",
    b"\x1b[<0;10;10M",
    b"\x1b[<0;99999999999;1m",
    b"\x1b[M !!",
    b"\x1b[200~x",
    b"\x1b[201~",
    b"\x1b[200~shares bob=5\n\x1b[201~",
    b"\x1b[A",
    b"\x1bOB",
    b"\x1b[1;2D",
    b"\x1b[3~",
    b"\x1b[27;5;99~",
    b"\x1b[99;5u",
    b"\x1b]52;c;eA==",
    b"\x07",
    b"\x1bP",
    b"\x1b_",
    b"\x1b\\",
    b"\x9b",
    b"\xf0\x9f",
    b"\xff\x00",
    b"\x1b[;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;",
    b"j",
];

/// Returns something that happens, as words.
pub(crate) fn happening(random: &mut Random, nodes: &[String]) -> Vec<u8> {
    if random.below(12) == 0 {
        let few = 1 + random.below(3);
        let sequences = (0..few).map(|_| SEQUENCES[random.below(SEQUENCES.len())]);
        let sequences: Vec<&[u8]> = sequences.collect();
        return [b"bytes ", &sequences.concat()[..]].concat();
    }
    words(random, nodes).into_bytes()
}

fn words(random: &mut Random, nodes: &[String]) -> String {
    match random.below(40) {
        0..=17 => format!("press {}", char::from(b' ' + number(random, 95))),
        18..=25 => format!("press {}", NAMED[random.below(NAMED.len())].0),
        26 => format!("press ctrl-{}", char::from(b'a' + number(random, 26))),
        27 => format!(
            "press shift-{}",
            pick(random, &["left", "right", "up", "down", "tab"])
        ),
        28 => {
            let odd: Vec<char> = ODD.chars().collect();
            format!("press {}", odd[random.below(odd.len())])
        }
        29 => format!("paste {}", NAMES[random.below(NAMES.len())]),
        30..=31 => {
            let (width, height) = SIZES[random.below(SIZES.len())];
            format!("size {width} {height}")
        }
        32..=33 => {
            let kind = pick(random, &["click", "click", "up", "down", "drag", "right"]);
            format!("{kind} {} {}", random.below(130), random.below(45))
        }
        34..=35 => line(random, nodes),
        36 => "fail".to_owned(),
        _ => "done".to_owned(),
    }
}

fn number(random: &mut Random, end: usize) -> u8 {
    u8::try_from(random.below(end)).expect("it is small")
}

/// Returns a line that is typed after a key that opens a prompt.
fn line(random: &mut Random, nodes: &[String]) -> String {
    let node = nodes[random.below(nodes.len())].clone();
    match random.below(10) {
        0..=3 => format!("type ;{}\n", edit(random, nodes)),
        4 => format!(
            "type e{}\n",
            pick(random, &["20", "*2", "", "-5", "parent", "99999999999"])
        ),
        5 => format!(
            "type E{}\n",
            pick(random, &["1e9", "+5", "nan", "0", "inf"])
        ),
        6 => format!("type /{node}\n"),
        7 => format!("type r{}\n", NAMES[random.below(NAMES.len())]),
        8 => format!("type a{}\n", NAMES[random.below(NAMES.len())]),
        _ => format!(
            "type :{}\n",
            pick(random, &["undo", "time", "help", "plan", "quit"])
        ),
    }
}

/// Returns what words mean. Words that mean nothing give nothing.
pub(crate) fn happenings(words: &[u8]) -> Vec<Happening> {
    if let Some(bytes) = words.strip_prefix(b"bytes ") {
        return vec![Happening::Bytes(bytes.to_vec())];
    }
    let words = &*String::from_utf8_lossy(words);
    let (kind, rest) = words.split_once(' ').unwrap_or((words, ""));
    let message = |message| vec![Happening::Message(message)];
    match kind {
        "press" => key(rest).map_or_else(Vec::new, |key| message(Message::Key(key))),
        "paste" => message(Message::Paste(rest.to_owned())),
        "type" => {
            let keys = rest.chars().map(|char| match char {
                '\n' => KeyCode::Enter,
                char => KeyCode::Char(char),
            });
            let keys = keys.map(|code| KeyEvent::new(code, KeyModifiers::NONE));
            keys.map(|key| Happening::Message(Message::Key(key)))
                .collect()
        }
        "size" => {
            let size = two_numbers(rest);
            size.map_or_else(Vec::new, |(width, height)| {
                vec![Happening::Size(width, height)]
            })
        }
        "click" | "up" | "down" | "drag" | "right" => {
            let event = mouse(kind, rest);
            event.map_or_else(Vec::new, |event| message(Message::Mouse(event)))
        }
        "done" => vec![Happening::Done],
        "fail" => vec![Happening::Failed],
        "run" => rest
            .parse()
            .map_or_else(|_| Vec::new(), |which| vec![Happening::Run(which)]),
        "hear" => rest
            .parse()
            .map_or_else(|_| Vec::new(), |which| vec![Happening::Hear(which)]),
        "tick" => message(Message::Tick),
        "found" => message(Message::DraftFound(FoundDraft {
            path: "draft.toml".into(),
            summary: None,
            when: "19:15".into(),
        })),
        "open" => message(Message::Open(Box::new(Request::to_open(Path::new(rest))))),
        "series" => message(Message::Open(Box::new(Request {
            source: SourceKind::Series(vec![crate::support::data(rest)]),
            ..Request::default()
        }))),
        "lesson" => built_in_lesson(rest).map_or_else(
            |_| Vec::new(),
            |lesson| message(Message::Lesson(lesson.into())),
        ),
        _ => Vec::new(),
    }
}

fn key(name: &str) -> Option<KeyEvent> {
    let (name, modifiers) = if let Some(name) = name.strip_prefix("ctrl-") {
        (name, KeyModifiers::CONTROL)
    } else if let Some(name) = name.strip_prefix("shift-") {
        (name, KeyModifiers::SHIFT)
    } else {
        (name, KeyModifiers::NONE)
    };
    let named = NAMED.iter().find(|(word, _)| *word == name);
    let code = match named {
        Some((_, code)) => *code,
        None => KeyCode::Char(name.chars().next()?),
    };
    Some(KeyEvent::new(code, modifiers))
}

fn mouse(kind: &str, place: &str) -> Option<MouseEvent> {
    let (column, row) = two_numbers(place)?;
    let kind = match kind {
        "click" => MouseEventKind::Down(MouseButton::Left),
        "right" => MouseEventKind::Down(MouseButton::Right),
        "drag" => MouseEventKind::Drag(MouseButton::Left),
        "up" => MouseEventKind::ScrollUp,
        _ => MouseEventKind::ScrollDown,
    };
    Some(MouseEvent {
        kind,
        column,
        row,
        modifiers: KeyModifiers::NONE,
    })
}

fn two_numbers(text: &str) -> Option<(u16, u16)> {
    let (one, two) = text.split_once(' ')?;
    Some((one.parse().ok()?, two.parse().ok()?))
}
