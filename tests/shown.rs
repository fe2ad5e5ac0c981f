//! Text for a terminal: what is written out, and that nothing is written out twice.

use fairscope::base::shown::{Backslash, Shown, TextWriter, shown, shown_text, visible, wrap};
use std::io::Write as _;

/// Names that move the cursor, set the title or the clipboard, reorder, hide, or are no text at all.
pub(crate) const HOSTILE: &[&[u8]] = &[
    b"a\x1b]52;c;cm0gLXJmIC8=\x07z",
    b"a\x1b]0;title\x07z",
    "a\u{9b}31mz".as_bytes(),
    "a\u{202e}z".as_bytes(),
    "a\u{200b}z".as_bytes(),
    b"a\nforged: all is well\nz",
    b"a\rz\tz\x7fz",
    b"a\xff\xfez",
    "a\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}z".as_bytes(),
    b"a\\nz\\",
];

fn written(pieces: &[&[u8]]) -> Vec<u8> {
    written_with(Backslash::Kept, pieces)
}

fn written_with(backslash: Backslash, pieces: &[&[u8]]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut writer = TextWriter::new(&mut text, backslash);
    for piece in pieces {
        writer.write_all(piece).unwrap();
    }
    writer.flush().unwrap();
    drop(writer);
    text
}

#[test]
fn the_writer_lets_nothing_through_and_keeps_what_is_safe() {
    for &name in HOSTILE {
        let once = written(&[name]);
        let text = std::str::from_utf8(&once).unwrap();
        assert!(
            text.lines()
                .all(|line| !line.replace('\t', "").contains(char::is_control)),
            "{text:?}"
        );
        assert_eq!(written(&[&once]), once);
        let safe = shown(name);
        assert_eq!(written(&[safe.as_bytes()]), safe.as_bytes());
        assert_eq!(visible(&safe), safe);
    }
    let guides = "├─ a │ ▁▂█ · … é 漢\n";
    assert_eq!(written(&[guides.as_bytes()]), guides.as_bytes());
}

#[test]
fn a_terminal_gets_lines_and_tabs_and_no_escapes() {
    let bytes: Vec<&[u8]> = b"a\x1b[31m\t: 1\nb\\c\xff  d\xc2\x9b".chunks(1).collect();
    for (backslash, expected) in [
        (Backslash::Doubled, "a\\e[31m\t: 1\nb\\\\c\\xFF  d\\u{9b}"),
        (Backslash::Kept, "a\\e[31m\t: 1\nb\\c\\xFF  d\\u{9b}"),
    ] {
        assert_eq!(written_with(backslash, &bytes), expected.as_bytes());
    }
}

#[test]
fn characters_arrive_whole_however_the_bytes_are_cut() {
    let text = "├─ é\u{202e}漢\u{9b}x";
    let whole = written(&[text.as_bytes()]);
    for at in 0..=text.len() {
        let (left, right) = text.as_bytes().split_at(at);
        assert_eq!(written(&[left, right]), whole, "{at}");
    }
    let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
    assert_eq!(written(&bytes), whole);
    assert_eq!(written(&[b"a\xe2\x94"]), b"a\\xE2\\x94");
}

#[test]
fn safe_texts_stay_safe_beside_each_other() {
    // A mark, a letter and its mark, and two halves of one Korean letter would touch what stands before them.
    let touching = [
        "\u{301}",
        "e\u{301}x",
        "\u{1100}",
        "\u{1161}\u{11a8}",
        "\u{200d}\u{1f469}",
        "",
    ];
    let touching = touching.iter().map(|text| text.as_bytes());
    let texts: Vec<Shown> = HOSTILE
        .iter()
        .copied()
        .chain(touching)
        .flat_map(|name| [shown(name), shown_text(name)])
        .collect();
    for one in &texts {
        for other in &texts {
            let sum = one.clone() + other;
            assert_eq!(*visible(&sum), *sum, "{one:?} + {other:?}");
            assert_eq!(sum, *format!("{one}{other}"));
            let joined = Shown::joined([one, other], ", ");
            assert_eq!(joined, *format!("{one}, {other}"));
            let mut padded: Shown = [one, other].into_iter().collect();
            padded.pad(3);
            assert_eq!(padded.trimmed(), *sum.trim_end());
        }
    }
    assert_eq!(Shown::joined::<Shown>([], ", "), "");
}

#[test]
fn a_wide_character_is_never_split() {
    assert_eq!(wrap("漢字", 1), ["漢", "字"]);
    assert_eq!(wrap("a漢字 b", 2), ["a", "漢", "字", "b"]);
}
