//! Scripts: what the words mean, how events are written, and what is said of words without a meaning.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use fairscope::tui::Key;
use fairscope::tui::script::{Recording, Script, ScriptEvent, Writer};
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

/// The events that a terminal can send.
fn any_event() -> impl Strategy<Value = ScriptEvent> {
    let codes = prop_oneof![
        any::<char>()
            .prop_filter("it is a key", |char| !char.is_control())
            .prop_map(KeyCode::Char),
        (1..=12_u8).prop_map(KeyCode::F),
        prop::sample::select(vec![
            KeyCode::Up,
            KeyCode::PageDown,
            KeyCode::Enter,
            KeyCode::Esc,
            KeyCode::Tab,
            KeyCode::BackTab,
            KeyCode::Backspace,
            KeyCode::Delete,
            KeyCode::Home,
        ]),
    ];
    let modifiers = prop::sample::select(vec![
        KeyModifiers::NONE,
        KeyModifiers::SHIFT,
        KeyModifiers::CONTROL,
    ]);
    let cells = (0..500_u16, 0..200_u16).prop_map(|(x, y)| Position::new(x, y));
    prop_oneof![
        (codes, modifiers)
            .prop_filter(
                "a terminal sends control with a letter",
                |(code, modifiers)| {
                    let is_plain = matches!(code, KeyCode::Char(char) if !char.is_ascii());
                    !(is_plain && modifiers.contains(KeyModifiers::CONTROL))
                }
            )
            .prop_map(|(code, modifiers)| key(code, modifiers)),
        any::<String>().prop_map(ScriptEvent::Paste),
        any::<String>().prop_map(ScriptEvent::Caption),
        cells.prop_map(ScriptEvent::DoubleClick),
        (20..=500_u16, 5..=200_u16).prop_map(|(x, y)| ScriptEvent::Resize(Size::new(x, y))),
    ]
}

/// Returns an event as the explorer takes it: of a key only its name counts.
fn meaning(event: &ScriptEvent) -> String {
    match event {
        ScriptEvent::Key(event) => format!("{:?}", Key::of(*event)),
        event => format!("{event:?}"),
    }
}

proptest! {
    #![proptest_config(crate::support::laws(512))]

    #[test]
    fn a_written_event_is_read_back(event in any_event(), at in 0..100_000_u64) {
        let line = Writer::default().line(Duration::from_millis(at * 10), &event).expect("it has a name");
        prop_assert!(line.ends_with('\n') && line.lines().count() == 1, "{line:?}");
        prop_assert!(fairscope::base::shown::visible(line.trim_end()) == line.trim_end() || line.contains('\\'), "{line:?}");
        let script = Script::parse(&line);
        let script = script.map_err(|error| TestCaseError::fail(format!("{line:?}: {error}")))?;
        prop_assert_eq!(script.steps.len(), 1, "{:?}", line);
        prop_assert_eq!(meaning(&script.steps[0].event), meaning(&event), "{:?}", line);
        prop_assert_eq!(script.length, Duration::from_millis(at * 10));
    }

    #[test]
    fn any_bytes_are_read_or_refused_with_a_sentence(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut text = b"recording 1\nsize 80x24\n".to_vec();
        text.extend(bytes);
        if let Err(error) = Recording::parse(&"r".into(), &text) {
            prop_assert!(error.starts_with("r:"), "{error}");
        }
    }
}

#[test]
fn alt_is_written_as_escape_and_the_key_and_a_nameless_key_not_at_all() {
    let mut writer = Writer::default();
    let alt = key(KeyCode::Char('x'), KeyModifiers::ALT);
    assert_eq!(writer.line(Duration::ZERO, &alt).unwrap(), "+0.00 esc x\n");
    assert_eq!(
        writer.line(Duration::ZERO, &key(KeyCode::Insert, KeyModifiers::NONE)),
        None
    );
}

#[test]
fn the_pauses_of_a_recording_add_up_to_its_times() {
    let mut writer = Writer::default();
    let mut text = String::new();
    for place in 1..=100 {
        let at = Duration::from_micros(place * 3_333);
        text += &writer.line(at, &typed('j')).unwrap();
    }
    let script = Script::parse(&text.replace('\n', " ")).unwrap();
    assert_eq!(script.length, Duration::from_millis(340));
}

const HEAD: &str = "recording 1\nsize 80x24\n";

#[test]
fn a_recording_has_a_head_and_lines_of_keys() {
    let text = "# a remark\nrecording 1\nsize 110x32\ntheme light\nascii\nopen sched_priv --set \"a=b c\"\n\n\
                tree 8c1e5d9af2b70346 1,200 users\n+0.5 e \"80\"\n+1 enter\n";
    let recording = Recording::parse(&"r".into(), text.as_bytes()).unwrap();
    assert_eq!(recording.size, Size::new(110, 32));
    assert_eq!(recording.options.theme.as_deref(), Some("light"));
    assert!(recording.options.is_ascii);
    assert_eq!(recording.open, ["sched_priv", "--set", "a=b c"]);
    assert_eq!(recording.script.steps.len(), 4);
    assert_eq!(recording.script.length, Duration::from_millis(1500));
}

#[test]
fn a_broken_recording_is_refused_with_its_line() {
    for (text, said) in [
        (
            "",
            "r is not a recording; expected 'recording 1' in its first line",
        ),
        (
            "[tree]\nname = 1\n",
            "r:1: this is not a recording; expected 'recording 1'",
        ),
        (
            "size 80x24\n",
            "r:1: expected 'recording 1' before this line",
        ),
        (
            "recording 2\n",
            "r:1: this is a recording of version 2, and this fairscope reads version 1",
        ),
        (
            "recording 1\n+1 j\n",
            "r has no size; add a line such as 'size 120x40'",
        ),
        (
            "recording 1\nsiz 80x24\n",
            "r:2: unknown line 'siz'; did you mean 'size'? (",
        ),
        (
            "recording 1\nsize 80\n",
            "r:2: '80' is not the size of a screen",
        ),
        (
            "recording 1\nsize 80x24 9\n",
            "r:2: size has other words than expected, such as 'size 120x40'",
        ),
        (
            "recording 1\nsize 80x24\nsize 80x24\n",
            "r:3: size stands here a second time",
        ),
        (
            "recording 1\nsize 80x24\ntheme dakr\n",
            "r:3: unknown theme 'dakr'; did you mean 'dark'?",
        ),
        (
            "recording 1\nsize 80x24\ntree x y z\n",
            "r:3: the mark of the tree is incomplete",
        ),
        (
            "recording 1\nsize 80x24\n+0.5 j\n+0.5 entr\n",
            "r:4: unknown key 'entr'; did you mean 'enter'?",
        ),
        (
            "recording 1\nsize 80x24\n+0.5 page-up\n+0.5 p",
            "r:4: the last line has no end, so the file may be cut",
        ),
    ] {
        let error = Recording::parse(&"r".into(), text.as_bytes()).unwrap_err();
        assert!(error.starts_with(said), "{text:?}: {error}");
    }
    let error = Recording::parse(&"r".into(), &[HEAD.as_bytes(), b"+1 \xff\n"].concat());
    assert_eq!(error.unwrap_err().as_str(), "r:3: this is not UTF-8");
}

#[test]
fn every_cut_of_a_recording_is_refused_or_ends_at_a_line() {
    let text = format!("{HEAD}+0.50 e\n+0.25 \"80\"\n+0.10 enter\n+1.00 paste=\"a \\u{{202e}}\"\n");
    for cut in 0..text.len() {
        let is_line = text[..cut].ends_with('\n') && cut >= HEAD.len();
        let read = Recording::parse(&"r".into(), &text.as_bytes()[..cut]);
        assert_eq!(read.is_ok(), is_line, "{:?}", &text[..cut]);
    }
}
