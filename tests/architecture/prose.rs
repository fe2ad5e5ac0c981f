//! Answers become sentences in `report` and above. Below it an answer is a value, while an error or a reason says itself;
//! no code parses our own sentences.

use super::{FLOORS, floor, module};
use crate::support::source_files;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Modules and files below `report` that may hold sentences beside those of errors and problems; `NAME.rs` is the file
/// alone, without the folder of its name.
const MAY_SPEAK: &[(&str, &str)] = &[
    ("format/desired", "what becomes of a line"),
    ("format/example", "the captions of the built-in trees"),
    ("format/flux.rs", "how to see what is left out"),
    (
        "format/flux/database",
        "the queries of a database, and advice",
    ),
    ("format/flux/json/read", "what a place of the JSON needs"),
    (
        "format/input/foreign",
        "what a file is that is no tree, and what to run",
    ),
    (
        "format/input/open",
        "what a file is that cannot be read, and what to open",
    ),
    (
        "format/input/paste",
        "what copying adds, and how outputs begin",
    ),
    (
        "format/load_error",
        "what the system says of a missing file",
    ),
    ("format/jobs", "why a job is left out"),
    ("format/loss", "what a format cannot hold"),
    ("format/native/document", "what is near an unknown key"),
    ("format/native/scenario", "the heads of files"),
    (
        "format/native/write",
        "the heads of files and of their lists",
    ),
    ("format/pbs.rs", "what pbsfs prints"),
    ("format/pbs/accounting", "advice"),
    ("format/pbs/resource_group", "what pbsfs prints"),
    ("format/pbs/sched_config", "advice on settings"),
    ("format/pbs/usage", "which entities are not in the tree"),
    ("format/pbs/write", "the head of a file"),
    ("format/slurm/anonymous", "the heads of outputs"),
    (
        "format/slurm/assemble",
        "what outputs of different times lack",
    ),
    (
        "format/slurm/assoc.rs",
        "what a table of sacctmgr is, and what to run",
    ),
    (
        "format/slurm/assoc_mgr",
        "the title of an output, and what to run",
    ),
    ("format/slurm/config", "the title of an output"),
    (
        "format/slurm/dump",
        "the head of a file, and how to write a line",
    ),
    (
        "format/slurm/json",
        "what a place of the JSON needs, and what to run",
    ),
    ("format/slurm/prices", "what is assumed of settings"),
    (
        "format/slurm/sacct",
        "the columns, what becomes of jobs, and what to run",
    ),
    ("format/slurm/sprio", "what to run"),
    ("format/slurm/squeue", "what to run"),
    (
        "format/slurm/sreport",
        "the title of an output, and what to run",
    ),
    ("format/slurm/sshare", "why a row is odd, and what to run"),
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
    (
        "model/duration",
        "what errors say of a text that is no duration",
    ),
    ("model/path", "what errors say of a path that is none"),
    ("model/recorded", "why a tree is incomplete"),
    ("rules/clock/assumption", "what a clock assumes"),
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
const TABLES: &[&str] = &["table!", "policies!", "columns!", "problems!"];

/// Functions that take the sentences of a problem: what is wrong, and how to fix it.
const PROBLEMS: &[&str] = &["add", "note", "refuse", "unexpected", "warn"];

/// Names of values that become a part of a problem or a refusal.
const PARTS: &[&str] = &[
    "advice", "clause", "expected", "ignored", "meaning", "message", "reason", "sentence", "what",
    "why",
];

/// Names of values that are lines of help.
const HELP: &[&str] = &["help", "expected"];

/// Programs whose commands appear in plans.
const PROGRAMS: &[&str] = &["cmp", "kill", "qmgr", "set", "sshare", "unset"];

/// Modules and files that may parse texts from outside.
const MAY_TAKE_APART: &[(&str, &str)] = &[
    (
        "format/input/foreign",
        "what commands print that is no tree",
    ),
    ("format/pbs/accounting", "the title of a printed job"),
    ("format/slurm/assoc_mgr", "the title of an output"),
    ("format/slurm/config", "the title of an output"),
    ("format/slurm/dump", "a line of sacctmgr dump"),
    (
        "format/slurm/json",
        "what Slurm and web servers write, and the reader of JSON",
    ),
    ("format/slurm/sreport", "the title of a report"),
    (
        "format/text",
        "the reader of JSON, which ends its errors with their place",
    ),
    ("open/live/slurm", "what a command of Slurm complains of"),
    (
        "tui/screen/menu",
        "the marks at which a sentence that does not fit is cut",
    ),
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

/// Names of values that are sentences of ours.
const SENTENCES: &[&str] = &["advice", "clause", "message", "reason", "sentence"];

/// A call of a method that looks into a text or splits it: `message.strip_prefix(START)`.
struct Call {
    line: usize,
    /// The last word before the method.
    receiver: String,
    method: String,
    /// The first word of its argument.
    argument: String,
}

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
        let open = self.open_at(place).into_iter();
        open.map(|at| self.word_before(at)).collect()
    }

    /// Returns the places of the brackets around a place, the outermost first.
    fn open_at(&self, place: usize) -> Vec<usize> {
        let mut open = Vec::new();
        for (at, byte) in self.bytes[..place].iter().enumerate() {
            match byte {
                b'(' | b'[' | b'{' => open.push(at),
                b')' | b']' | b'}' => drop(open.pop()),
                _ => {}
            }
        }
        open
    }

    /// Returns the word, path or sign that ends before a place.
    fn word_before(&self, place: usize) -> String {
        let before = self.bytes[..place].trim_ascii_end();
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_:!#".contains(byte);
        let length = before.iter().rev().take_while(|byte| is_word(byte)).count();
        String::from_utf8_lossy(&before[before.len() - length..]).into_owned()
    }

    /// Whether a literal becomes a part of a problem: `let message = sentence!("…")`, `problems.warn(line, code, "…", "…")`.
    fn is_of_problem(&self, literal: &Literal) -> bool {
        let place = literal.place.start;
        let words = self.around(place);
        if words.iter().any(|word| PROBLEMS.contains(&&word[..])) {
            return true;
        }
        let is_part = |at: &usize| {
            let before = &self.bytes[..*at];
            let statement = before.rsplit(|byte| b";{}".contains(byte)).next();
            let statement = String::from_utf8_lossy(statement.unwrap_or_default());
            let named = statement.trim_start().strip_prefix("let ");
            let named = named.and_then(|named| named.split_once('='));
            named.is_some_and(|(names, _)| {
                let mut names = names.split(|char: char| !char.is_alphanumeric() && char != '_');
                names.any(|name| PARTS.contains(&name))
            })
        };
        is_part(&place) || self.open_at(place).iter().any(is_part)
    }

    /// Returns the calls of methods that look into a text.
    fn calls(&self) -> Vec<Call> {
        let mut calls = Vec::new();
        for (at, byte) in self.bytes.iter().enumerate() {
            let method = if *byte == b'(' {
                self.word_before(at)
            } else {
                continue;
            };
            if !TAKING_APART.contains(&&method[..]) {
                continue;
            }
            let before = self.bytes[..at].trim_ascii_end().len() - method.len();
            if !self.bytes[..before].ends_with(b".") {
                continue;
            }
            let inside = self.bytes[at + 1..].trim_ascii_start();
            let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
            let length = inside.iter().take_while(is_word).count();
            calls.push(Call {
                line: 1 + memchr::memchr_iter(b'\n', &self.bytes[..at]).count(),
                receiver: self.word_before(before - 1),
                method,
                argument: String::from_utf8_lossy(&inside[..length]).into_owned(),
            });
        }
        calls
    }

    /// Returns the names of the constants with a literal of several words.
    fn constants(&self) -> Vec<String> {
        let literals = self.literals.iter();
        let of_words = literals.filter(|literal| literal.text.trim().contains(' '));
        let names = of_words.filter_map(|literal| {
            let before = &self.bytes[..literal.place.start];
            let statement = before.rsplit(|byte| b";{}".contains(byte)).next()?;
            let statement = String::from_utf8_lossy(statement).into_owned();
            let (_, named) = statement.rsplit_once("const ")?;
            Some(named.split(':').next()?.trim().to_owned())
        });
        names.collect()
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
        let names = ["Error", "Problem", "Refusal"];
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
        || code.is_of_problem(literal)
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
        let (room, ends) = match room.strip_suffix(".rs") {
            Some(file) => (file, &[':'][..]),
            None => (room, &['/', ':'][..]),
        };
        let rest = line.strip_prefix(room);
        rest.is_some_and(|rest| rest.starts_with(ends))
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
    let mut broken: Vec<String> = Vec::new();
    for file in source_files() {
        broken.extend(breaking(&file, is_piece));
        broken.extend(taken_apart(&file));
    }
    assert_none(&broken, MAY_TAKE_APART);
}

/// Returns the calls in a file that look into a sentence of ours, or for a constant of several words.
fn taken_apart(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).expect("the sources can be read");
    taken_apart_in(&text, &module(file).join("/"))
}

fn taken_apart_in(text: &str, path: &str) -> Vec<String> {
    let code = Code::of(text);
    let constants = code.constants();
    let calls = code.calls().into_iter();
    let broken = calls.filter(|call| {
        SENTENCES.contains(&&call.receiver[..]) || constants.contains(&call.argument)
    });
    let lines = broken.map(|call| {
        let Call {
            line,
            receiver,
            method,
            argument,
        } = call;
        format!("{path}:{line}: {receiver}.{method}({argument}")
    });
    lines.collect()
}

#[test]
fn taking_our_own_sentences_apart_is_found() {
    let by_constant =
        "const NO_KEY: &str = \"unknown key \";\nfn key(text: &str) { text.strip_prefix(NO_KEY) }";
    let by_name = "fn key(problem: &Problem) -> bool {\n    problem\n        .message\n        .contains(word)\n}";
    let of_others = "const MARK: &str = \"#\";\nfn f(line: &str) { line.strip_prefix(MARK); line.contains(word) }";
    let found = |text| taken_apart_in(text, "format/native");
    assert_eq!(
        found(by_constant),
        ["format/native:2: text.strip_prefix(NO_KEY"]
    );
    assert_eq!(found(by_name), ["format/native:4: message.contains(word"]);
    assert_eq!(found(of_others), Vec::<String>::new());
}
