//! Names as they are shown: nothing in them is overlooked, and each can be written as it was printed.

use crate::support::command::Run;
use crate::support::expected::Expected as _;
use fairscope::base::shown::{cells, read_back, shown, shown_path};
use fairscope::model::{Kind, NodeId, Position, Tree, TreeBuilder, path_for_people, resolve};
use proptest::collection::vec;
use proptest::prelude::*;

/// Names and how they are shown.
const SHOWN: &[(&str, &str)] = &[
    // Blanks that could be overlooked.
    (" admin", r"\x20admin"),
    ("admin ", r"admin\x20"),
    ("ad  min", r"ad \x20min"),
    (" ", r"\x20"),
    ("new lab", "new lab"),
    ("a\u{a0}b", r"a\u{a0}b"),
    // Marks that would be lost.
    ("\u{301}e", r"\u{301}e"),
    ("a \u{301}", r"a \u{301}"),
    ("q\u{301}\u{301}", "q\u{301}\\u{301}"),
    ("i\u{307}", r"i\u{307}"),
    // Invisible and unassigned characters.
    ("a\u{70f}b", r"a\u{70f}b"),
    ("a\u{13430}b", r"a\u{13430}b"),
    ("a\u{200d}b", r"a\u{200d}b"),
    ("a\u{378}b", r"a\u{378}b"),
    ("a\u{7f}b", r"a\x7Fb"),
    ("a\u{9b}b", r"a\u{9b}b"),
    // Nothing that could be taken for an escape.
    (r"a\x20", r"a\\x20"),
];

#[test]
fn what_could_be_overlooked_is_written_out() {
    for (name, expected) in SHOWN {
        assert_eq!(shown(name.as_bytes()), *expected, "{name:?}");
    }
}

#[test]
fn letters_of_every_script_are_shown_as_they_are() {
    for name in [
        "m\u{fc}ller",
        "\u{141}\u{f3}d\u{17a}",
        "Nguy\u{1ec5}n",
        "\u{3ba}\u{3ce}\u{3c3}\u{3c4}\u{3b1}\u{3c2}",
        "\u{444}\u{438}\u{437}\u{438}\u{43a}\u{430}",
        "lab_\u{444}\u{438}\u{437}\u{438}\u{43a}\u{430}",
        "\u{7269}\u{7406}",
        "\u{7269}\u{7406}lab",
        "\u{30c7}\u{30fc}\u{30bf}\u{3068}\u{8a08}\u{7b97}",
        "\u{bb3c}\u{b9ac}",
        "\u{0e19}\u{0e49}\u{0e33}",
        "\u{939}\u{93f}\u{928}\u{94d}\u{926}\u{940}",
        "\u{5e9}\u{5dc}\u{5d5}\u{5dd}",
        "\u{641}\u{64a}\u{632}\u{64a}\u{627}\u{621}",
        "\u{254}\u{300}",
        "\u{1f680}",
        // Other forms of letters, and letters that look like others.
        "caf\u{e9}",
        "cafe\u{301}",
        "\u{fb01}n",
        "m\u{b2}",
        "\u{430}dmin",
        "r\u{3bf}\u{3bf}t",
        "O\u{2019}Brien",
    ] {
        assert_eq!(shown(name.as_bytes()), name, "{}", name.escape_unicode());
    }
}

/// Returns what is left of a text where blanks at the ends are cut off, others joined, and characters without a shape
/// dropped.
fn worst_view(text: &str) -> String {
    let text: String = text
        .chars()
        .filter(|&char| {
            cells(char.encode_utf8(&mut [0; 4])) > 0 || ('\u{300}'..='\u{36f}').contains(&char)
        })
        .collect();
    text.split(' ')
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Names with blanks, marks, invisible and control characters and invalid bytes.
fn tricky() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        "[ab \\\\x20]{1,5}".prop_map(String::into_bytes),
        "[ae \u{e9}\u{301}\u{300}\u{fb01}fi\u{ff41}\u{a0}\u{200b}\u{70f}\u{3000}]{1,5}"
            .prop_map(String::into_bytes),
        "[ab\u{1}\u{7f}\u{9b}\u{378}\u{202e}\u{feff}\u{e000}\u{e0041}\u{3164}]{1,5}"
            .prop_map(String::into_bytes),
        "\\PC{1,4}".prop_map(String::into_bytes),
        vec(any::<u8>(), 1..6),
    ]
}

#[test]
fn a_name_without_its_escapes_gets_the_spelling_that_works() {
    let mut builder = TreeBuilder::new(b"root");
    let name = builder.intern(b"g");
    let account = builder.push(NodeId::ROOT, name, Kind::Account, Position::Last);
    for name in ["a@b.org", "a3/h#7"] {
        let name = builder.intern(name.as_bytes());
        builder.push(account, name, Kind::User, Position::Last);
    }
    let tree = builder.build();
    for (typed, works) in [
        ("a@b.org", r"g/a\@b.org"),
        ("a3/h#7", r"g/a3\/h\#7"),
        ("g/a3/h#7", r"g/a3\/h\#7"),
    ] {
        let refused = resolve(&tree, typed.as_bytes()).expect_err("its marks have a meaning");
        let expected = format!("unknown node '{typed}'; did you mean '{works}'?");
        assert_eq!(refused.to_string(), expected);
        assert!(resolve(&tree, works.as_bytes()).is_ok());
    }
}

proptest! {
    #![proptest_config(crate::support::laws(256))]

    #[test]
    fn names_that_differ_in_what_cannot_be_seen_are_shown_differently(
        one in tricky(),
        other in tricky(),
    ) {
        let views = [&one, &other].map(|name| worst_view(&shown(name)));
        prop_assert_eq!(one == other, views[0] == views[1], "{:?}", views);
    }

    #[test]
    fn a_shown_name_is_read_back(name in tricky()) {
        prop_assert_eq!(read_back(shown(&name).as_bytes()), name);
    }

    #[test]
    fn a_shown_path_leads_to_its_node(names in vec(tricky(), 1..4)) {
        let (tree, node) = chain(&names);
        let path = path_for_people(&tree, node);
        prop_assert_eq!(resolve(&tree, path.as_bytes()), Ok(node), "{}", path);
        prop_assert_eq!(shown_path(&path), path);
    }
}

/// Returns a tree of one node below the other, and the last.
fn chain(names: &[Vec<u8>]) -> (Tree, NodeId) {
    let mut builder = TreeBuilder::new(b"root");
    let mut node = NodeId::ROOT;
    for name in names {
        let name = builder.intern(name);
        node = builder.push(node, name, Kind::Account, Position::Last);
    }
    (builder.build(), node)
}

fn csv(names: &[&str]) -> String {
    let rows = names.iter().map(|name| format!(",\"{name}\",1,0,user\n"));
    format!(
        "parent,name,shares,usage,type\n{}",
        rows.collect::<String>()
    )
}

#[test]
fn letters_that_look_alike_are_no_finding() {
    let names = csv(&["admin", "\u{430}dmin", "caf\u{e9}", "cafe\u{301}"]);
    let ran = Run::fairscope(["check", "-"]).input(names).run();
    let text = ran.text();
    text.must_lack("look the same");
}

#[test]
fn a_name_is_found_as_it_was_printed() {
    let names = csv(&[
        " lead",
        "two  blanks",
        "\u{430}dmin",
        "a\u{202e}b",
        "a\tb",
        "plain one",
    ]);
    for (asked, name) in [
        (r"\x20lead", " lead"),
        (r"two \x20blanks", "two  blanks"),
        ("\u{430}dmin", "\u{430}dmin"),
        (r"a\u{202e}b", "a\u{202e}b"),
        (r"a\tb", "a\tb"),
        ("plain one", "plain one"),
    ] {
        let options = ["show", "-", "--format-out", "json", "--node", asked];
        let ran = Run::fairscope(options).input(names.clone()).run();
        let json: serde_json::Value = serde_json::from_slice(&ran.stdout).expect(&ran.stderr);
        assert_eq!(json["nodes"][0]["name"], name, "{asked}");
        let edit = format!("shares {asked}=7");
        let ran = Run::fairscope(["whatif", "-", "--edit", &edit])
            .input(names.clone())
            .run();
        assert_eq!(ran.code, Some(0), "{edit}: {}", ran.stderr);
        let text = ran.text();
        text.must_contain(asked);
    }
}

#[test]
fn usage_is_aligned_by_what_is_shown() {
    let names = csv(&["\u{430}dmin", "x", "a  b"]);
    let table = Run::fairscope(["show", "-", "--format-out", "table"])
        .input(names)
        .run()
        .success();
    let ends: Vec<usize> = table
        .lines()
        .filter(|line| line.contains(" user "))
        .map(cells)
        .collect();
    assert!(
        ends.len() >= 3 && ends.iter().all(|&end| end == ends[0]),
        "{table}"
    );
}

#[test]
fn escapes_of_a_path_stay() {
    for path in [
        "\u{395}\\u{a13}",
        "\u{395}\\xFF",
        "\u{395}\\\\",
        "a\\\\\u{395}\\/b",
        "a\\ ",
    ] {
        assert_eq!(shown_path(path), path);
    }
}

#[test]
fn namesakes_have_different_paths_though_a_name_is_nobodys() {
    let mut builder = TreeBuilder::new(b"root");
    let [unused, name] = [&b"nobody"[..], b"alice"].map(|name| builder.intern(name));
    assert_ne!(unused, name);
    for _ in 0..2 {
        builder.push(NodeId::ROOT, name, Kind::User, Position::Last);
    }
    let tree = builder.build();
    let paths = tree
        .children(NodeId::ROOT)
        .map(|node| path_for_people(&tree, node).to_string());
    assert_eq!(paths.collect::<Vec<_>>(), ["alice", "alice#2"]);
}
