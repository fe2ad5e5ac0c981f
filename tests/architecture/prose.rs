//! Answers become sentences in `report` and above. Below it an answer is a value, while an error or a reason says itself;
//! no code parses our own sentences.

use super::{FLOORS, floor, module};
use crate::support::source_files;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Modules and files below `report` that may hold sentences.
const MAY_SPEAK: &[(&str, &str)] = &[
    (
        "format",
        "readers say what is wrong with a line in a `Problem` or a refusal, and writers head their files",
    ),
    ("open", "as readers, of files and of what schedulers print"),
    (
        "rules/policy/formula",
        "the reader of formulas: all it says are errors",
    ),
    ("scenario/language", "the edit language is itself text"),
    (
        "scenario/family",
        "the reason that a scenario's file keeps of a split",
    ),
    ("model/path", "what errors say of a path that is none"),
    ("model/recorded", "why a tree is incomplete"),
    ("rules/clock/assumption", "what a clock assumes"),
    ("base/shown/likeness", "why names look the same"),
    ("base/nearest", "what errors say of an unknown word"),
];

/// Macros that end a run, or that tell the compiler that it ends.
const ENDS: &[&str] = &[
    "expect",
    "panic!",
    "unreachable!",
    "assert!",
    "assert_eq!",
    "assert_ne!",
    "debug_assert!",
    "debug_assert_eq!",
];

/// Tables of names and help.
const TABLES: &[&str] = &["table!", "policies!", "columns!"];

/// Names of values that are lines of help.
const HELP: &[&str] = &["help", "expected"];

/// Programs whose commands appear in plans.
const PROGRAMS: &[&str] = &["cmp", "kill", "qmgr", "set", "sshare", "unset"];

/// Modules and files that may parse texts from outside.
const MAY_TAKE_APART: &[(&str, &str)] = &[
    ("format", "what schedulers and people wrote"),
    ("scenario/language", "the edit language"),
    ("tui/update/time", "the edit language, typed"),
    (
        "report/lesson/caption",
        "the places of a lesson's sentences",
    ),
    (
        "report/pbsfs",
        "what the system says, without Rust's addition",
    ),
    ("report/manual", "the sections of a topic of the manual"),
];

/// Methods that look into a text or split it.
const TAKING_APART: &[&str] = &[
    "contains",
    "ends_with",
    "find",
    "matches",
    "replace",
    "replacen",
    "rfind",
    "rsplit",
    "rsplit_once",
    "rsplitn",
    "split",
    "split_once",
    "splitn",
    "starts_with",
    "strip_prefix",
    "strip_suffix",
    "trim_end_matches",
    "trim_start_matches",
];

/// A string literal in the code of a file.
pub(super) struct Literal {
    line: usize,
    place: Range<usize>,
    pub(super) text: String,
}

/// The code of a file, with comments and string literals blanked out, and its string literals.
pub(super) struct Code {
    bytes: Vec<u8>,
    literals: Vec<Literal>,
}

impl Code {
    fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut code = Self {
            bytes: bytes.to_vec(),
            literals: Vec::new(),
        };
        let mut at = 0;
        while at < bytes.len() {
            let rest = &bytes[at..];
            let is_raw = rest.starts_with(b"r\"") || rest.starts_with(b"r#\"");
            let follows_word =
                at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_');
            let is_raw = is_raw && (!follows_word || bytes[at - 1] == b'b');
            let end = match rest {
                [b'/', b'/', ..] => at + until(rest, b"\n"),
                [b'"', ..] => at + end_of_text(rest),
                [b'r', b'#', ..] if is_raw => at + 3 + until(&rest[3..], b"\"#") + 2,
                [b'r', ..] if is_raw => at + 2 + until(&rest[2..], b"\"") + 1,
                [b'\'', b'\\', _, others @ ..] => at + 3 + until(others, b"'") + 1,
                [b'\'', _, b'\'', ..] => at + 3,
                [b'\'', 0x80..=0xFF, others @ ..] => at + 2 + until(others, b"'") + 1,
                _ => {
                    at += 1;
                    continue;
                }
            };
            let end = end.min(bytes.len());
            if rest[0] == b'"' || is_raw {
                code.literals.push(Literal {
                    line: 1 + text[..at].matches('\n').count(),
                    place: at..end,
                    text: text[at..end]
                        .trim_start_matches(['r', '#'])
                        .trim_end_matches('#')
                        .trim_matches('"')
                        .to_owned(),
                });
            }
            code.bytes[at..end].fill(b' ');
            at = end;
        }
        code
    }

    /// Returns the words before the brackets around a place, the outermost first: `format!`, `LoadError::Refused`, `#`.
    fn around(&self, place: usize) -> Vec<String> {
        let mut open = Vec::new();
        for (at, byte) in self.bytes[..place].iter().enumerate() {
            match byte {
                b'(' | b'[' | b'{' => open.push(at),
                b')' | b']' | b'}' => drop(open.pop()),
                _ => {}
            }
        }
        open.into_iter().map(|at| self.word_before(at)).collect()
    }

    /// Returns the word, path or sign that ends before a place.
    fn word_before(&self, place: usize) -> String {
        let before = self.bytes[..place].trim_ascii_end();
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_:!#".contains(byte);
        let length = before.iter().rev().take_while(|byte| is_word(byte)).count();
        String::from_utf8_lossy(&before[before.len() - length..]).into_owned()
    }

    /// Whether the value at a place has a name that marks it as help: `help: "…"`, `const FACTOR_HELP: &str = "…"`.
    fn is_help(&self, place: usize) -> bool {
        let before = self.bytes[..place].trim_ascii_end();
        let statement = before.rsplit(|byte| b";{},(".contains(byte)).next();
        let statement = String::from_utf8_lossy(statement.unwrap_or_default());
        let Some((name, _)) = statement.split_once([':', '=']) else {
            return false;
        };
        let name = name.split_whitespace().next_back().unwrap_or_default();
        let name = name.to_ascii_lowercase();
        let is_given = before.ends_with(b":") || before.ends_with(b"=");
        is_given
            && HELP
                .iter()
                .any(|word| name.split('_').any(|part| part == *word))
    }
}

/// Returns the distance to the wanted bytes, or to the end if they do not occur.
fn until(bytes: &[u8], wanted: &[u8]) -> usize {
    let mut windows = bytes.windows(wanted.len());
    windows
        .position(|window| window == wanted)
        .unwrap_or(bytes.len())
}

/// Returns the length of a string literal, including its quotes.
fn end_of_text(bytes: &[u8]) -> usize {
    let mut at = 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

/// Counts the plain words of a text. Names of settings, paths, numbers and text in braces do not count.
fn plain_words(text: &str) -> usize {
    let mut depth = 0_usize;
    let outside: String = text
        .replace("\\n", " ")
        .chars()
        .filter(|char| {
            depth += usize::from(*char == '{');
            let is_outside = depth == 0;
            depth -= usize::from(*char == '}' && depth > 0);
            is_outside
        })
        .collect();
    let words = outside.split_whitespace().filter(|word| {
        let word = word.trim_matches(|char: char| !char.is_alphanumeric());
        let is_plain = |char: char| char.is_alphabetic() || "'’-".contains(char);
        !word.is_empty() && word.chars().all(is_plain)
    });
    words.count()
}

/// Whether a sentence is allowed at its place: in an error, a table, a line of help, or an expression that ends the
/// run.
fn may_stand(code: &Code, literal: &Literal) -> bool {
    let around = code.around(literal.place.start);
    let is_table = around.iter().any(|word| TABLES.contains(&&word[..]));
    let is_error = |word: &String| {
        let names = ["Error", "Problem"];
        names.iter().any(|name| word.contains(name)) || word == "Err" || word == "refused"
    };
    let first = literal.text.split_whitespace().next().unwrap_or_default();
    is_table
        || around
            .iter()
            .any(|word| word.ends_with('#') || word == "#!")
        || around.iter().any(|word| ENDS.contains(&&word[..]))
        || around.iter().any(is_error)
        || code.is_help(literal.place.start)
        || PROGRAMS.contains(&first)
}

/// Returns every string literal of a file that breaks a rule, as `file:line: text`.
pub(super) fn breaking(file: &Path, breaks: impl Fn(&Code, &Literal) -> bool) -> Vec<String> {
    let text = std::fs::read_to_string(file).expect("the sources can be read");
    let code = Code::of(&text);
    let broken = code
        .literals
        .iter()
        .filter(|literal| breaks(&code, literal));
    let path = module(file).join("/");
    broken
        .map(|literal| format!("{path}:{}: {}", literal.line, literal.text))
        .collect()
}

/// Asserts that only the excepted modules break a rule, and that each exception is still needed.
fn assert_none(broken: &[String], excepted: &[(&str, &str)]) {
    let is_of = |line: &str, room: &str| {
        let rest = line.strip_prefix(room);
        rest.is_some_and(|rest| rest.starts_with(['/', ':']))
    };
    let left = broken
        .iter()
        .filter(|line| !excepted.iter().any(|(room, _)| is_of(line, room)));
    let left: Vec<&str> = left.map(String::as_str).collect();
    assert!(left.is_empty(), "{}", left.join("\n"));
    for (room, reason) in excepted {
        let is_needed = broken.iter().any(|line| is_of(line, room));
        assert!(is_needed, "{room} is no longer an exception: {reason}");
    }
}

#[test]
fn floors_below_report_make_no_sentences() {
    let report = FLOORS.iter().position(|(floor, _)| *floor == "report");
    let below = |file: &PathBuf| floor(file).is_some() && floor(file) < report;
    let is_sentence = |code: &Code, literal: &Literal| {
        plain_words(&literal.text) >= 3 && !may_stand(code, literal)
    };
    let files = source_files().into_iter().filter(below);
    let broken: Vec<String> = files
        .flat_map(|file| breaking(&file, is_sentence))
        .collect();
    assert_none(&broken, MAY_SPEAK);
}

#[test]
fn floors_below_report_do_not_parse_our_own_sentences() {
    let is_piece = |code: &Code, literal: &Literal| {
        let around = code.around(literal.place.start);
        let is_looked_for = around
            .last()
            .is_some_and(|word| TAKING_APART.contains(&&word[..]));
        is_looked_for && literal.text.contains(' ') && !literal.text.trim().is_empty()
    };
    let broken: Vec<String> = source_files()
        .iter()
        .flat_map(|file| breaking(file, is_piece))
        .collect();
    assert_none(&broken, MAY_TAKE_APART);
}
