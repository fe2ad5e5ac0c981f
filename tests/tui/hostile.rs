//! Names made to harm a terminal, in the explorer: its screens, notices and prompts, and what it copies.

use crate::shown::HOSTILE;
use crate::support::expected::Expected as _;
use crate::support::journey::{Journey, notice};
use crate::support::loading::load_quietly;
use fairscope::base::shown::{is_shown, split_at_width, visible};
use fairscope::format::Request;
use fairscope::tui::event::{KeyCode, KeyEvent};
use fairscope::tui::picture::PictureForm;
use fairscope::tui::{Effect, Headless, Message, Options, TerminalEffect};
use ratatui::layout::Size;
use std::io::Write as _;

/// Opens a table of nodes, given without its header.
fn table(rows: &str) -> Journey {
    let mut file = tempfile::Builder::new().suffix(".csv").tempfile().unwrap();
    write!(file, "parent,name,shares,usage,type\n{rows}").unwrap();
    let request = Request::to_open(file.path());
    let loaded = load_quietly(&request).unwrap();
    Journey::with(loaded.snapshot)
}

/// Opens a tree in which a name occurs twice.
fn journey(name: &str) -> Journey {
    let mut journey = table(&format!(
        ",phys,10,,account\n,chem,20,,account\nphys,\"{name}\",5,100,user\nphys,bob,4,9,user\nchem,\"{name}\",5,50,user\n"
    ));
    journey.press("/");
    journey.send(Message::Paste(name.chars().take(1).collect()));
    journey.press("<enter>");
    journey
}

#[track_caller]
fn assert_harmless(journey: &mut Journey, what: &str) {
    for cell in &journey.buffer().content {
        assert!(is_shown(cell.symbol()), "{what}: {:?}", cell.symbol());
    }
    let said = notice(journey);
    assert_eq!(said, &*visible(said), "{what}");
}

#[test]
fn screens_notices_and_prompts_show_no_name_as_it_is() {
    for name in HOSTILE
        .iter()
        .filter_map(|name| std::str::from_utf8(name).ok())
    {
        let mut journey = journey(name);
        for keys in [
            "/", "r", "a", "e", "E", ";", "m", "o", "s", "x", "?", "w", "t", "p", "i",
        ] {
            journey.press(keys);
            assert_harmless(&mut journey, keys);
            journey.send(Message::Paste(format!("shares {name}=7")));
            assert_harmless(&mut journey, keys);
            journey.press("<enter>");
            assert_harmless(&mut journey, keys);
            journey.press("<esc><esc><esc>");
            assert_harmless(&mut journey, keys);
        }
    }
}

#[test]
fn the_prompt_writes_out_what_cannot_be_drawn() {
    let mut journey = journey("a\u{202e}b");
    journey.press("r");
    let screen = journey.screen();
    screen.must_contain(": a\\u{202e}b");
    journey.send(Message::Paste("\u{1b}]52;c;".to_owned()));
    let screen = journey.screen();
    screen.must_lack("\u{1b}");
}

#[test]
fn the_cursor_stands_behind_what_is_written_out() {
    let shown = |pasted: &str, left: usize, width: u16| {
        let mut explorer = Headless::new(Options::default(), Size::new(width, 24));
        explorer.open(None).expect("it is built in");
        explorer.send(Message::Key(KeyEvent::from(KeyCode::Char('/'))));
        explorer.send(Message::Paste(pasted.to_owned()));
        for _ in 0..left {
            explorer.send(Message::Key(KeyEvent::from(KeyCode::Left)));
        }
        let (column, row) = explorer.cursor().expect("a line is open");
        let text = explorer.picture(PictureForm::Text);
        let line = text.lines().nth(row.into()).expect("it is on the screen");
        let (before, after) = split_at_width(line, column.into());
        (before.to_owned(), after.to_owned())
    };
    let (before, after) = shown("a\u{202e}b", 1, 80);
    before.must_end(" a\\u{202e}");
    after.must_begin("b");
    let (before, _) = shown("a\\e", 0, 80);
    before.must_end(" a\\e");
    let (before, after) = shown("\u{301}a", 1, 80);
    before.must_end(" \\u{301}");
    after.must_begin("a");
    // Of a line that is too long the end is shown, and no half of a wide character.
    let (before, after) = shown(
        "漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字end",
        3,
        30,
    );
    assert!(before.ends_with("漢字"), "{before}|{after}");
    assert_eq!(after, "e", "{before}");
}

#[test]
fn a_menu_writes_out_what_is_typed_and_cannot_be_drawn() {
    let mut journey = journey("bob");
    journey.press(":");
    for typed in [
        'a', '\u{200d}', '\u{2028}', '\u{202e}', '\u{feff}', '\u{ad}',
    ] {
        journey.send(Message::Key(KeyEvent::from(KeyCode::Char(typed))));
        assert_harmless(&mut journey, ":");
    }
    let screen = journey.screen();
    screen.must_contain(": a\\u{200d}\\u{2028}");
}

#[test]
fn what_is_copied_of_a_name_is_what_is_shown() {
    for name in HOSTILE
        .iter()
        .filter_map(|name| std::str::from_utf8(name).ok())
    {
        let mut journey = journey(name);
        for _ in 0..6 {
            journey.press("y");
            journey.press("j");
        }
        let copied: Vec<&String> = journey
            .effects
            .iter()
            .filter_map(|effect| match effect {
                Effect::Terminal(TerminalEffect::Copy(text)) => Some(text),
                _ => None,
            })
            .collect();
        assert!(copied.len() >= 5, "{copied:?}");
        for text in copied {
            assert_eq!(text, &*visible(text));
        }
    }
}

#[test]
fn what_cannot_be_seen_is_told_wherever_a_path_is() {
    let mut journey =
        table(",phys,10,,account\n,ad\u{200b}min,10,,account\nad\u{200b}min,bob,4,9,user\n");
    journey.press("jjly");
    assert_eq!(notice(&journey), "copied ad\\u{200b}min/bob");
    journey.press("2");
    let screen = journey.screen();
    screen.must_contain("ad\\u{200b}min/bob");
    screen.must_lack("\u{200b}");
}
