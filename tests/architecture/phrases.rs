//! Sentences are plain: none holds a phrase that was replaced because people had to read it twice.
//!
//! `SENTENCES=1 cargo test phrases -- --nocapture` lists every text of the program that has words, to be read in one
//! pass.

use super::prose::breaking;
use crate::support::source_files;
use std::path::{Path, PathBuf};

/// What is not said, and what is said in its place.
const REPLACED: &[(&str, &str)] = &[
    ("it waits at", "it is held back by"),
    ("behind none of", "first of"),
    ("not behind its only", "ahead of its only"),
    ("they part", "their paths diverge"),
    ("visited first", "ranks first"),
    ("take back", "undo"),
    ("taken back", "undone"),
    ("Do it again", "Redo"),
    ("in force:", "policy:"),
    ("take the choice before", "previous choice"),
    ("Give the reason", "Add a note"),
    ("back or on to", "history"),
    ("hat it takes", "solve for a goal"),
    ("hangs on", "depends on"),
    ("contend for the cores", "simulate a busy cluster"),
    ("was let pass", "reset the clock"),
    ("so much a second", "set the usage rate"),
    ("Look less far", "Shorter horizon"),
    ("esc leaves", "esc cancel"),
    ("to run on top", "by rank"),
    ("farthest apart", "by spread"),
    ("with all below", "together with its subtree"),
    ("Not touched", "Diluted (not edited)"),
    ("loses any of their share", "is diluted"),
    ("smallest change in", "Cheapest"),
    ("leave the order inside", "cannot reorder its own members"),
    ("here stand who", "winners, losers and commands appear here"),
    ("of it can be told to", "can be applied to"),
    ("makes edits true", "commands to apply the edits"),
    ("is searched for", "no active search"),
    ("no name holds", "no match"),
    ("nothing by that name", "no matching action"),
    ("is less than nothing", "cannot be negative"),
    ("there is nothing to try", "no edits given"),
    ("hold computed ones against", "verify against"),
    ("hang on digits", "too close to call"),
    ("is asked every", "is polled at most once every"),
    ("how to mend", "how to fix"),
    ("share they thin out", "whom they dilute"),
    ("Did it arrive", "Did it take effect"),
    ("come to the shares", "match the shares"),
    ("for ever", "forever, or never"),
    ("no number of its own", "no value"),
    ("cannot be watched", "cannot be simulated"),
    ("nobody wants a", "no demand"),
    ("was given up", "was cancelled"),
    ("taken for", "read as"),
    ("by their look", "by their content"),
    ("stands at rank", "has rank"),
    ("stands below", "is below"),
    ("stand below", "are below"),
    ("stands twice", "appears twice"),
    ("what lies below", "its members"),
    ("run over 32 bits", "overflow 32 bits"),
    ("mend that", "fix the cause"),
    ("passes over it", "ignores it"),
    ("and so do we", "as in Flux"),
    ("cannot be wanted", "is not valid"),
    ("is no goal", "unknown goal"),
    ("there is no node", "unknown node"),
    ("held against", "compared with"),
    ("holds against", "compares with"),
    ("nobody there is ahead", "no sibling is ahead"),
    (
        "comes after everybody",
        "ranks after every node with a target",
    ),
    ("who has none", "nodes without shares"),
    ("who stands under", "its members"),
    ("usage is as the shares", "usage matches the shares"),
    ("does not tell", "does not say, or does not show"),
    ("nobody touched", "not edited"),
    ("and none falls below", "and stays at"),
    ("looking every", "applied every"),
    ("goes on using", "keeps using"),
    ("goes on as in", "continues as in"),
    ("lets no time pass", "cannot be 0"),
    ("is no duration", "is not a duration"),
    ("is no number", "is not a number"),
    ("working it out", "computing"),
    ("takes that back", "undoes the edit"),
    ("what is marked", "the marked nodes"),
    ("if you like", "optionally"),
    ("look whether", "check whether"),
    ("see whether", "check whether"),
    ("beside it", "next to it, or as well"),
    ("stays as it is", "is not changed"),
    ("left as it was", "was not replaced"),
    ("for whoever has", "a member with"),
    ("a part of the account's", "a portion of the account's"),
];

/// Returns the phrases of a text that were replaced, with what is said in their place.
fn replaced(text: &str) -> Vec<String> {
    // A phrase may go over the end of a line.
    let words = text.split_whitespace().filter(|word| *word != "\\");
    let text = words.collect::<Vec<_>>().join(" ");
    let found = REPLACED.iter().filter(|(phrase, _)| text.contains(phrase));
    found
        .map(|(phrase, plain)| format!("{phrase:?}, say {plain:?}"))
        .collect()
}

/// Returns the files that people read: the README, the manual, and what else lies in `assets`.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = vec![root.join("README.md")];
    let mut folders = vec![root.join("assets")];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().expect("the folder can be read") {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                pages.push(path);
            }
        }
    }
    pages
}

#[test]
fn no_text_of_the_program_holds_a_phrase_that_was_replaced() {
    let mut broken = Vec::new();
    for file in source_files() {
        broken.extend(breaking(&file, |_, literal| {
            // A word that goes on is another one: "for every".
            !replaced(&literal.text.replace("for every", "")).is_empty()
        }));
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    if std::env::var_os("SENTENCES").is_some() {
        for file in source_files() {
            for line in breaking(&file, |_, literal| literal.text.contains(' ')) {
                println!("{line}");
            }
        }
    }
}

#[test]
fn no_page_holds_a_phrase_that_was_replaced() {
    for path in pages() {
        let text = std::fs::read_to_string(&path).expect("it is text");
        let found = replaced(&text.replace("for every", ""));
        assert!(found.is_empty(), "{}: {}", path.display(), found.join("; "));
    }
}
