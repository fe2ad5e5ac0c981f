//! Scripts: what the words mean, and what is said of words without a meaning.

use fairscope::tui::event::{
    KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use fairscope::tui::script::{Script, ScriptEvent};
use proptest::prelude::*;
use ratatui::layout::{Position, Size};
use std::time::Duration;

fn events(script: &str) -> Vec<ScriptEvent> {
    let script = Script::parse(script).unwrap_or_else(|error| panic!("{script}: {error}"));
    script.steps.into_iter().map(|step| step.event).collect()
}

fn key(code: KeyCode, modifiers: KeyModifiers) -> ScriptEvent {
    ScriptEvent::Key(KeyEvent::new(code, modifiers))
}

fn typed(char: char) -> ScriptEvent {
    key(KeyCode::Char(char), KeyModifiers::NONE)
}

#[test]
fn words_are_keys_typed_text_the_mouse_and_pauses() {
    let none = KeyModifiers::NONE;
    assert_eq!(
        events("e \"80\" enter"),
        [
            typed('e'),
            typed('8'),
            typed('0'),
            key(KeyCode::Enter, none)
        ]
    );
    assert_eq!(
        events("+ - # \" = \\"),
        ['+', '-', '#', '"', '=', '\\'].map(typed)
    );
    assert_eq!(events(r#""a \"b\" \\ \u{e9}""#).len(), 9);
    assert_eq!(
        events("ctrl-f shift-tab f5 space"),
        [
            key(KeyCode::Char('f'), KeyModifiers::CONTROL),
            key(KeyCode::BackTab, KeyModifiers::SHIFT),
            key(KeyCode::F(5), none),
            typed(' '),
        ]
    );
    let mouse = |kind| {
        ScriptEvent::Mouse(MouseEvent {
            kind,
            column: 11,
            row: 2,
            modifiers: none,
        })
    };
    assert_eq!(
        events("click=12,3 drag=12,3 wheel-up=12,3 wheel-down=12,3 double-click=12,3"),
        [
            mouse(MouseEventKind::Down(MouseButton::Left)),
            mouse(MouseEventKind::Drag(MouseButton::Left)),
            mouse(MouseEventKind::ScrollUp),
            mouse(MouseEventKind::ScrollDown),
            ScriptEvent::DoubleClick(Position::new(11, 2)),
        ]
    );
    assert_eq!(
        events("paste=\"a b\" resize=80x24 caption=\"now e\""),
        [
            ScriptEvent::Paste("a b".into()),
            ScriptEvent::Resize(Size::new(80, 24)),
            ScriptEvent::Caption("now e".into()),
        ]
    );
    let script = Script::parse("+0.5 j +1.25 k +2").unwrap();
    let times: Vec<Duration> = script.steps.iter().map(|step| step.at).collect();
    assert_eq!(
        times,
        [Duration::from_millis(500), Duration::from_millis(1750)]
    );
    assert_eq!(script.length, Duration::from_millis(3750));
}

#[test]
fn a_word_without_a_meaning_is_named_with_the_nearest() {
    for (script, said) in [
        (
            "pgae-up",
            "unknown key 'pgae-up'; did you mean 'page-up'? (",
        ),
        ("F5", "unknown key 'F5'"),
        ("f13", "unknown key 'f13'"),
        ("jj", "unknown key 'jj' (a character, a key such as enter"),
        (
            "resize=10x2",
            "'10x2' is not the size of a screen; expected 20x5 to 500x200",
        ),
        ("paste=a", "paste takes text in quotes: paste=\"…\""),
        ("past=\"a\"", "unknown word 'past'; did you mean 'paste'?"),
        ("\"a\"b", "a blank is missing after the closing quote"),
        ("\"a", "a closing quote is missing"),
        ("+-1", "'+-1' is not a pause"),
        ("+nan", "'+nan' is not a pause"),
        ("click=70000,1", "'click=70000,1' names no cell"),
        ("\u{202e}x", "unknown key '\\u{202e}x'"),
    ] {
        let error = Script::parse(script).unwrap_err();
        assert!(error.starts_with(said), "{script}: {error}");
    }
}

proptest! {
    #![proptest_config(crate::support::laws(512))]

    #[test]
    fn any_text_is_read_or_refused_with_a_sentence(text in any::<String>()) {
        if let Err(error) = Script::parse(&text) {
            prop_assert!(!error.is_empty());
        }
    }
}
