//! The decoder of input: every form of a key that terminals send, broken input, and pastes that stall.

use fairscope::tui::Decoder;
use fairscope::tui::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseEvent};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Names an event as the tables below do: `^c`, `alt-x`, `shift-Left`, `Down(Left) 19,9`, `"pasted"`.
fn name(event: &Event) -> String {
    match event {
        Event::Key(key) => name_of_key(*key),
        Event::Mouse(mouse) => name_of_mouse(*mouse),
        Event::Paste(text) => format!("{text:?}"),
    }
}

fn name_of_key(key: KeyEvent) -> String {
    let code = match key.code {
        KeyCode::Char(char) => char.to_string(),
        KeyCode::F(number) => format!("F{number}"),
        code => format!("{code:?}"),
    };
    let kind = match key.kind {
        KeyEventKind::Press => "",
        KeyEventKind::Repeat => " again",
        KeyEventKind::Release => " up",
    };
    format!("{}{code}{kind}", name_of_modifiers(key.modifiers))
}

fn name_of_modifiers(modifiers: KeyModifiers) -> String {
    let names = [
        (KeyModifiers::SHIFT, "shift-"),
        (KeyModifiers::ALT, "alt-"),
        (KeyModifiers::CONTROL, "^"),
        (KeyModifiers::SUPER, "super-"),
        (KeyModifiers::HYPER, "hyper-"),
        (KeyModifiers::META, "meta-"),
    ];
    names
        .into_iter()
        .filter(|(modifier, _)| modifiers.contains(*modifier))
        .map(|(_, name)| name)
        .collect()
}

fn name_of_mouse(mouse: MouseEvent) -> String {
    let modifiers = name_of_modifiers(mouse.modifiers);
    format!("{modifiers}{:?} {},{}", mouse.kind, mouse.column, mouse.row)
}

fn names(events: &[Event]) -> Vec<String> {
    events.iter().map(name).collect()
}

/// Lets time pass until nothing is incomplete.
fn settle(decoder: &mut Decoder) -> Vec<Event> {
    let mut events = Vec::new();
    for _ in 0..4 {
        if decoder.patience().is_none() {
            return events;
        }
        events.extend(decoder.time_out());
    }
    panic!("something stays incomplete");
}

/// Decodes bytes that are followed by a long pause.
fn decode(bytes: &[u8]) -> Vec<Event> {
    let mut decoder = Decoder::default();
    let mut events = decoder.push(bytes);
    events.extend(settle(&mut decoder));
    events
}

#[track_caller]
fn assert_table(table: &[(&[u8], &[&str])]) {
    for (bytes, expected) in table {
        let text = bytes.escape_ascii();
        assert_eq!(&names(&decode(bytes)), expected, "{text}");
    }
}

#[test]
fn characters_and_control_bytes_are_keys() {
    assert_table(&[
        (b"a", &["a"]),
        (b"A", &["shift-A"]),
        (b"ab~", &["a", "b", "~"]),
        (b" ", &[" "]),
        ("é".as_bytes(), &["é"]),
        ("Ž".as_bytes(), &["shift-Ž"]),
        ("€😀".as_bytes(), &["€", "😀"]),
        (b"\r", &["Enter"]),
        (b"\n", &["Enter"]),
        (b"\t", &["Tab"]),
        (b"\x7f", &["Backspace"]),
        (b"\x08", &["^h"]),
        (b"\x00", &["^ "]),
        (b"\x01\x03\x1a", &["^a", "^c", "^z"]),
        (b"\x1c\x1d\x1e\x1f", &["^4", "^5", "^6", "^7"]),
    ]);
}

#[test]
fn an_escape_is_a_key_of_its_own_or_alt_with_the_next() {
    assert_table(&[
        (b"\x1b", &["Esc"]),
        (b"\x1b\x1b", &["Esc", "Esc"]),
        (b"\x1bc", &["alt-c"]),
        (b"\x1bcd", &["alt-c", "d"]),
        (b"\x1bH", &["shift-alt-H"]),
        (b"\x1b\x14", &["alt-^t"]),
        (b"\x1b\r", &["alt-Enter"]),
        (b"\x1b\x7f", &["alt-Backspace"]),
        (b"\x1b/", &["alt-/"]),
        (b"\x1b\\", &["alt-\\"]),
        ("\x1bé".as_bytes(), &["alt-é"]),
        (b"\x1b\x1b[A", &["Esc", "Up"]),
        (b"\x1b\x03", &["Esc", "^c"]),
    ]);
}

#[test]
fn keys_without_characters_are_known_in_every_form() {
    assert_table(&[
        (
            b"\x1b[A\x1b[B\x1b[C\x1b[D",
            &["Up", "Down", "Right", "Left"],
        ),
        (b"\x1b[H\x1b[F", &["Home", "End"]),
        (
            b"\x1bOA\x1bOB\x1bOC\x1bOD",
            &["Up", "Down", "Right", "Left"],
        ),
        (b"\x1bOH\x1bOF\x1bOM", &["Home", "End", "Enter"]),
        (
            b"\x1b[1~\x1b[4~\x1b[7~\x1b[8~",
            &["Home", "End", "Home", "End"],
        ),
        (b"\x1b[2~\x1b[3~", &["Insert", "Delete"]),
        (b"\x1b[5~\x1b[6~", &["PageUp", "PageDown"]),
        (b"\x1b[Z", &["shift-BackTab"]),
        (b"\x1bOP\x1bOQ\x1bOR\x1bOS", &["F1", "F2", "F3", "F4"]),
        (b"\x1b[P\x1b[Q\x1b[S", &["F1", "F2", "F4"]),
        (b"\x1b[[A\x1b[[B\x1b[[E", &["F1", "F2", "F5"]),
        (b"\x1b[11~\x1b[14~\x1b[15~", &["F1", "F4", "F5"]),
        (b"\x1b[17~\x1b[21~", &["F6", "F10"]),
        (b"\x1b[23~\x1b[24~\x1b[26~", &["F11", "F12", "F14"]),
        (
            b"\x1b[28~\x1b[29~\x1b[31~\x1b[34~",
            &["F15", "F16", "F17", "F20"],
        ),
    ]);
}

#[test]
fn modifiers_are_known_in_every_form() {
    assert_table(&[
        (b"\x1b[1;2D", &["shift-Left"]),
        (b"\x1b[1;3A", &["alt-Up"]),
        (b"\x1b[1;5C", &["^Right"]),
        (b"\x1b[1;8F", &["shift-alt-^End"]),
        (b"\x1b[1;9H", &["super-Home"]),
        (b"\x1b[1;17H\x1b[1;33H", &["hyper-Home", "meta-Home"]),
        (b"\x1b[2D", &["shift-Left"]),
        (b"\x1b[1;2P\x1b[1;5R", &["shift-F1", "^F3"]),
        (b"\x1bO5P\x1bO1;2A", &["^F1", "shift-Up"]),
        (b"\x1b[3;2~\x1b[6;5~", &["shift-Delete", "^PageDown"]),
        (b"\x1b[1;1:3B\x1b[;1:3B", &["Down up", "Down up"]),
        (b"\x1b[5;1:2~\x1b[6;5:3~", &["PageUp again", "^PageDown up"]),
        // rxvt.
        (
            b"\x1b[a\x1b[d\x1bOa\x1bOc",
            &["shift-Up", "shift-Left", "^Up", "^Right"],
        ),
        (b"\x1b[5^\x1b[6@", &["^PageUp", "shift-^PageDown"]),
    ]);
}

#[test]
fn keys_sent_as_numbers_are_known() {
    assert_table(&[
        (b"\x1b[97u", &["a"]),
        (b"\x1b[97;2u", &["shift-A"]),
        (b"\x1b[97;5u\x1b[97;7u", &["^a", "alt-^a"]),
        (b"\x1b[99;5u", &["^c"]),
        (
            b"\x1b[13u\x1b[27u\x1b[9u\x1b[127u",
            &["Enter", "Esc", "Tab", "Backspace"],
        ),
        (b"\x1b[9;2u", &["shift-BackTab"]),
        (b"\x1b[57:40;4u", &["shift-alt-("]),
        (b"\x1b[97;1:2u\x1b[97;1:3u", &["a again", "a up"]),
        (b"\x1b[57399u\x1b[57419u\x1b[57414u", &["0", "Up", "Enter"]),
        (b"\x1b[57358u\x1b[57441u\x1b[57428u", &[]),
        (b"\x1b[27;5;99~\x1b[27;2;97~", &["^c", "shift-A"]),
        (b"\x1b[128512u", &[]),
    ]);
}

#[test]
fn the_mouse_is_known_in_every_encoding() {
    assert_table(&[
        (b"\x1b[<0;20;10M", &["Down(Left) 19,9"]),
        (b"\x1b[<0;20;10;M", &["Down(Left) 19,9"]),
        (b"\x1b[<0;20;10m", &["Up(Left) 19,9"]),
        (
            b"\x1b[<1;1;1M\x1b[<2;1;1m",
            &["Down(Middle) 0,0", "Up(Right) 0,0"],
        ),
        (b"\x1b[<32;300;200M", &["Drag(Left) 299,199"]),
        (b"\x1b[<35;1;1M", &["Moved 0,0"]),
        (
            b"\x1b[<64;5;6M\x1b[<65;5;6M",
            &["ScrollUp 4,5", "ScrollDown 4,5"],
        ),
        (
            b"\x1b[<66;5;6M\x1b[<67;5;6M",
            &["ScrollLeft 4,5", "ScrollRight 4,5"],
        ),
        (
            b"\x1b[<4;1;1M\x1b[<8;1;1M",
            &["shift-Down(Left) 0,0", "alt-Down(Left) 0,0"],
        ),
        (b"\x1b[<16;1;1M", &["^Down(Left) 0,0"]),
        // Bytes instead of numbers.
        (b"\x1b[M0\x60\x70", &["^Down(Left) 63,79"]),
        (b"\x1b[M #!j", &["Down(Left) 2,0", "j"]),
        (b"\x1b[M \xff\x7f", &["Down(Left) 222,94"]),
        // Numbers with the offset of bytes.
        (
            b"\x1b[32;30;40M\x1b[35;30;40M",
            &["Down(Left) 29,39", "Up(Left) 29,39"],
        ),
        // A cell, a button or a number that does not exist.
        (
            b"\x1b[<0;0;1Mj\x1b[<129;1;1Mj\x1b[<999;1;1Mj",
            &["j", "j", "j"],
        ),
        (b"\x1b[M   j\x1b[1;1;1Mj", &["j", "j"]),
    ]);
}

#[test]
fn what_is_no_key_is_dropped() {
    assert_table(&[
        (b"\x1b[Ij\x1b[Oj", &["j", "j"]),
        (b"\x1b[20;10Rj", &["j"]),
        (b"\x1b[?1uj\x1b[?64;1cj\x1b[>0;1cj", &["j", "j", "j"]),
        (b"\x1b[?25$pj", &["j"]),
        (b"\x1b[201~j\x1b[99~j", &["j", "j"]),
        (
            b"\x1b]11;rgb:1e/1e/1e\x07j\x1b]52;c;YQ==\x1b\\j",
            &["j", "j"],
        ),
        (b"\x1bP1$r0m\x1b\\j\x1b_G\x1b\\j", &["j", "j"]),
        (b"\x1bP>|xterm\x9cj", &["j"]),
        (b"\x80j\xffj\xc0\x80j\xed\xa0\x80j", &["j", "j", "j", "j"]),
        (b"\xc2\x9bj\x9bj", &["j", "j"]),
        (b"\xc3(", &["("]),
    ]);
}

#[test]
fn incomplete_input_is_dropped_after_a_pause() {
    for broken in [
        b"\x1b[".as_slice(),
        b"\x1b[<",
        b"\x1b[?",
        b"\x1b[1;5",
        b"\x1b[5$",
        b"\x1b[<0;20;1",
        b"\x1b[M",
        b"\x1b[M  ",
        b"\x1b[[",
        b"\x1bO",
        b"\x1bO5",
        b"\x1b]0;title",
        b"\x1bPq",
        b"\x1bX\x1b_\x1b^",
        b"\xc3",
        b"\xf0\x9f\x98",
        b"\x1b\xe2",
    ] {
        let text = broken.escape_ascii();
        let mut decoder = Decoder::default();
        assert_eq!(decoder.push(broken), [], "{text}");
        assert!(decoder.patience().is_some(), "{text}");
        assert_eq!(decoder.time_out(), [], "{text}");
        assert_eq!(decoder.patience(), None, "{text}");
        assert_eq!(names(&decoder.push(b"j")), ["j"], "{text}");

        // The interrupt needs no pause.
        assert_eq!(decoder.push(broken), [], "{text}");
        assert_eq!(names(&decoder.push(b"\x03j")), ["^c", "j"], "{text}");
    }
}

#[test]
fn control_keys_are_heard_inside_a_control_sequence() {
    assert_table(&[
        (b"\x1b[1;\r5C", &["Enter", "^Right"]),
        (b"\x1b[1;\x1b[B", &["Down"]),
        (b"\x1b[<\x1aj", &["^z", "j"]),
        (b"\x1b]0;\x1aj", &["^z", "j"]),
        (b"\x1b[M\rj", &["Enter", "j"]),
        (b"\x1bO\rj", &["Enter", "j"]),
        (b"\x1b]0;t\x1b[A", &["Up"]),
    ]);
}

#[test]
fn escape_is_given_at_once_and_a_late_sequence_is_not_read_as_letters() {
    let mut decoder = Decoder::default();
    assert_eq!(decoder.push(b"\x1b"), []);
    assert_eq!(decoder.patience(), Some(std::time::Duration::ZERO));
    assert_eq!(names(&decoder.time_out()), ["Esc"]);
    // D would delete a subtree.
    assert_eq!(names(&decoder.push(b"[D")), ["Left"]);
    assert_eq!(decoder.patience(), None);

    // The same keys, pressed by a person.
    for (keys, expected) in [
        ("[", vec!["["]),
        ("O", vec!["shift-O"]),
        ("O\r", vec!["shift-O", "Enter"]),
    ] {
        decoder.push(b"\x1b");
        decoder.time_out();
        let mut events = decoder.push(keys.as_bytes());
        events.extend(settle(&mut decoder));
        assert_eq!(names(&events), expected, "{keys:?}");
    }
    decoder.push(b"\x1b");
    assert_eq!(names(&settle(&mut decoder)), ["Esc"]);
    assert_eq!(names(&decoder.push(b"]")), ["]"]);
}

/// A step of input: bytes, or a pause.
enum Step {
    Bytes(&'static [u8]),
    Pause,
}

#[track_caller]
fn assert_steps(steps: &[Step], expected: &[&str]) {
    let mut decoder = Decoder::default();
    let events: Vec<_> = steps
        .iter()
        .flat_map(|step| match step {
            Step::Bytes(bytes) => decoder.push(bytes),
            Step::Pause => decoder.time_out(),
        })
        .collect();
    assert_eq!(names(&events), expected);
}

#[test]
fn a_paste_is_one_event() {
    use Step::{Bytes, Pause};
    assert_table(&[
        (
            b"\x1b[200~a\x1b[2Db\r\x03\x1b[201~j",
            &["\"a\\u{1b}[2Db\\r\\u{3}\"", "j"],
        ),
        (b"\x1b[200~\x1b[201~j", &["j"]),
        (
            b"\x1b[200~\x1b[20\x1b[201\x1b[201~j",
            &["\"\\u{1b}[20\\u{1b}[201\"", "j"],
        ),
        (b"\x1b[200~\xff\x1b[201~", &["\"\u{fffd}\""]),
    ]);
    // An unclosed paste gives its text after a pause, and keys work again.
    let unclosed = [Bytes(b"\x1b[200~x"), Pause, Bytes(b"j"), Pause, Bytes(b"k")];
    assert_steps(&unclosed, &["\"x\"", "j", "k"]);
    let interrupted = [Bytes(b"\x1b[200~x"), Pause, Bytes(b"\x03")];
    assert_steps(&interrupted, &["\"x\"", "^c"]);
}

#[test]
fn the_rest_of_a_paste_that_stalls_is_not_read_as_keys() {
    use Step::{Bytes, Pause};
    let stalled = [
        Bytes(b"\x1b[200~one\r"),
        Pause,
        Bytes(b"two\r"),
        Pause,
        Bytes(b"D\r\x1b[201~j"),
    ];
    assert_steps(&stalled, &["\"one\\r\"", "\"two\\r\"", "\"D\\r\"", "j"]);
    let interrupted = [
        Bytes(b"\x1b[200~one"),
        Pause,
        Bytes(b"\x03"),
        Bytes(b"DD\x1b[201~j"),
    ];
    assert_steps(&interrupted, &["\"one\"", "^c", "\"DD\"", "j"]);
    // A pause inside the end marker, or inside a character.
    let in_marker = [Bytes(b"\x1b[200~one\x1b[2"), Pause, Bytes(b"01~j")];
    assert_steps(&in_marker, &["\"one\"", "j"]);
    let in_character = [Bytes(b"\x1b[200~\xe2\x82"), Pause, Bytes(b"\xac\x1b[201~j")];
    assert_steps(&in_character, &["\"€\"", "j"]);
    let after_part = [Bytes(b"\x1b[200~one\x1b[2"), Pause, Bytes(b"j"), Pause];
    assert_steps(&after_part, &["\"one\"", "j"]);
    // Keys without characters are never text.
    let keys = [
        Bytes(b"\x1b[200~x"),
        Pause,
        Bytes(b"\x1b[A\x1b[A"),
        Pause,
        Bytes(b"jj"),
    ];
    assert_steps(&keys, &["\"x\"", "Up", "Up", "j", "j"]);
    let escape = [
        Bytes(b"\x1b[200~x"),
        Pause,
        Bytes(b"\x1b"),
        Pause,
        Bytes(b"jj"),
    ];
    assert_steps(&escape, &["\"x\"", "Esc", "j", "j"]);
    // Another paste.
    let again = [Bytes(b"\x1b[200~x"), Pause, Bytes(b"\x1b[200~y\x1b[201~j")];
    assert_steps(&again, &["\"x\"", "\"y\"", "j"]);
    // After a long pause the paste is over.
    let over = [Bytes(b"\x1b[200~x"), Pause, Pause, Bytes(b"jj")];
    assert_steps(&over, &["\"x\"", "j", "j"]);
}

#[test]
fn a_paste_is_cut_at_a_character() {
    let long = format!("\x1b[200~xx{}\x1b[201~j", "€".repeat(50_000));
    let events = decode(long.as_bytes());
    assert!(matches!(&events[0], Event::Paste(text) if text.len() == 65_534));
    assert_eq!(names(&events[1..]), ["j"]);
}

#[test]
fn a_megabyte_without_an_end_takes_no_longer_than_its_bytes() {
    for (start, repeated) in [
        ("\x1b[", "1"),
        ("\x1b[", ";"),
        ("\x1b[", "$"),
        ("\x1b]", "x"),
        ("\x1bP", "q"),
        ("\x1b[200~", "x"),
        ("\x1b[200~", "\x1b[20"),
        ("", "\x1b"),
        ("", "\x1b["),
        ("", "\x1b[200~"),
        ("", "x"),
    ] {
        let mut decoder = Decoder::default();
        decoder.push(start.as_bytes());
        let bytes = repeated.repeat(1_000_000 / repeated.len());
        for part in bytes.as_bytes().chunks(4096) {
            decoder.push(part);
        }
        settle(&mut decoder);
        assert_eq!(
            names(&decoder.push(b"\x03")),
            ["^c"],
            "{start:?} {repeated:?}"
        );
    }
}

/// Bytes as terminals send them and as nobody should.
fn input() -> impl Strategy<Value = Vec<u8>> {
    let parts: &[&[u8]] = &[
        b"\x1b",
        b"[",
        b"O",
        b"]",
        b"P",
        b"_",
        b"\\",
        b"<",
        b"?",
        b"M",
        b"m",
        b"~",
        b";",
        b":",
        b"u",
        b"$",
        b"\x1b[200~",
        b"\x1b[201~",
        b"\x1b[M",
        b"\x1b[<",
        b"0",
        b"200",
        b"99",
        b"A",
        b"j",
        b"\r",
        b"\x03",
        b"\x1a",
        b"\x07",
        b"\x7f",
        b"\xc3",
        b"\xa9",
        b"\xe2\x82",
        b"\x9b",
        b"\xff",
    ];
    let part = prop_oneof![
        8 => select(parts).prop_map(<[u8]>::to_vec),
        1 => vec(any::<u8>(), 1..4),
    ];
    vec(part, 0..24).prop_map(|parts| parts.concat())
}

#[test]
fn letters_after_a_character_of_two_reads_are_kept() {
    let mut decoder = Decoder::default();
    let mut events = decoder.push(b"\xc3");
    events.extend(decoder.push(b"\xa9a\xc3"));
    events.extend(decoder.push(b"\xa9"));
    assert_eq!(names(&events), ["\u{e9}", "a", "\u{e9}"]);
}

proptest! {
    #[test]
    fn reads_of_any_size_give_the_same_events(bytes in input(), sizes in vec(1_usize..6, 1..40)) {
        let whole = Decoder::default().push(&bytes);
        let mut decoder = Decoder::default();
        let mut events = Vec::new();
        let mut rest = bytes.as_slice();
        for size in sizes.into_iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (read, later) = rest.split_at(size.min(rest.len()));
            events.extend(decoder.push(read));
            rest = later;
        }
        prop_assert_eq!(names(&events), names(&whole));
    }

    #[test]
    fn keys_are_heard_after_any_bytes_and_a_pause(bytes in input(), more in input()) {
        let mut decoder = Decoder::default();
        decoder.push(&bytes);
        decoder.time_out();
        let interrupted = decoder.push(b"\x03");
        prop_assert_eq!(names(&interrupted).pop(), Some("^c".to_owned()));
        decoder.push(&more);
        settle(&mut decoder);
        prop_assert_eq!(names(&decoder.push(b"j")), ["j"]);
        prop_assert_eq!(names(&decoder.push(b"\x03")), ["^c"]);
        prop_assert_eq!(decoder.patience(), None);
    }

    #[test]
    fn one_pause_suffices_for_a_lone_key(bytes in input()) {
        let mut decoder = Decoder::default();
        decoder.push(&bytes);
        decoder.time_out();
        let mut events = decoder.push(b"j");
        if events.is_empty() {
            events = decoder.time_out();
        }
        prop_assert_eq!(names(&events), ["j"]);
    }

    #[test]
    fn the_interrupt_is_heard_at_once_outside_pastes(bytes in input()) {
        let mut decoder = Decoder::default();
        let is_paste = bytes.windows(6).any(|part| part == b"\x1b[200~");
        prop_assume!(!is_paste);
        decoder.push(&bytes);
        let events = decoder.push(b"\x03");
        prop_assert_eq!(names(&events).pop(), Some("^c".to_owned()));
    }

    #[test]
    fn there_are_no_more_events_than_bytes(bytes in vec(any::<u8>(), 0..200)) {
        prop_assert!(decode(&bytes).len() <= bytes.len());
    }
}
