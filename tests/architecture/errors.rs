//! Whatever an error, a problem, a notice or a prompt says is safe to print, because its fields cannot hold anything
//! else.

use super::code;
use crate::support::source_files;

/// Words of types whose text is safe: numbers, words of ours, [`Shown`], and what is made of those.
///
/// [`Shown`]: fairscope::base::shown::Shown
const SAFE: &[&str] = &[
    "Shown",
    "Vec",
    "Option",
    "Box",
    "Self",
    "bool",
    "u8",
    "u32",
    "u64",
    "i64",
    "usize",
    "Duration",
    "Refusal",
    "Scheduler",
    "Subject",
];

/// The one failure of another kind: what serde says to our own writer of JSON, which passes it on.
const OTHERS: &[&str] = &["report/json/serializer.rs"];

/// Returns whether a type cannot hold raw text.
fn is_safe(kind: &str) -> bool {
    if matches!(kind, "&'static str") {
        return true;
    }
    let words = kind.split(|char: char| !char.is_alphanumeric() && char != '_');
    let is_ours = |word: &str| word.len() > "Error".len() && word.ends_with("Error");
    !kind.contains("Vec<u8>")
        && !kind.contains("::")
        && words
            .filter(|word| !word.is_empty())
            .all(|word| SAFE.contains(&word) || is_ours(word))
}

/// Types that are no errors and hold what is said: the file, the type, and the types of its fields that hold no text
/// or, as what is being typed, pass the door when they are drawn.
const SAID: &[(&str, &str, &[&str])] = &[
    (
        "src/source/format/problem.rs",
        "pub struct Problem ",
        &["Severity"],
    ),
    ("src/tui/state/ui.rs", "pub enum Notice ", &[]),
    (
        "src/tui/state/prompt.rs",
        "pub struct Prompt ",
        &["Purpose", "PromptLabels", "Input"],
    ),
    (
        "src/tui/state/prompt.rs",
        "pub struct PromptLabels ",
        &["NodeId", "ColumnId"],
    ),
    ("src/report/order.rs", "pub struct Remark ", &["Severity"]),
];

/// Returns the types of the fields of the error types in the code of a file.
fn fields(code: &[String]) -> Vec<String> {
    fields_below(code, |line| line.contains("thiserror::Error"))
}

/// Returns the types of the fields of the types that begin at, or right below, some lines.
fn fields_below(code: &[String], is_first: impl Fn(&str) -> bool) -> Vec<String> {
    let mut fields = Vec::new();
    let mut lines = code.iter().map(|line| line.trim_end());
    while let Some(line) = lines.next() {
        if !is_first(line) {
            continue;
        }
        // Attributes, whose texts may hold any bracket, begin with `#[` and end with `]` at the end of a line.
        let mut is_attribute = false;
        for line in lines.by_ref() {
            let text = line.trim();
            is_attribute |= text.starts_with("#[");
            if is_attribute {
                is_attribute = !text.ends_with(']');
                continue;
            }
            fields.extend(field(text));
            if line == "}" || line.ends_with(");") {
                break;
            }
        }
    }
    fields
}

/// Returns the types of a line: `name: Type,` or `Variant(Type, Type),`.
fn field(line: &str) -> Vec<String> {
    let line = line.trim_end_matches([',', ';']);
    if let Some((name, kind)) = line.split_once(": ")
        && name
            .chars()
            .all(|char| char.is_alphanumeric() || char == '_' || char == ' ')
    {
        return vec![kind.to_owned()];
    }
    let Some((_, kinds)) = line.split_once('(') else {
        return Vec::new();
    };
    let kinds = kinds.trim_end_matches(')').replace("#[from] ", "");
    kinds.split(", ").map(str::to_owned).collect()
}

#[test]
fn errors_hold_nothing_that_is_not_safe_to_print() {
    let mut found = 0;
    let mut raw = Vec::new();
    for file in source_files() {
        if OTHERS.iter().any(|other| file.ends_with(other)) {
            continue;
        }
        for kind in fields(&code(&file)) {
            found += 1;
            if !is_safe(&kind) {
                raw.push(format!("{}: {kind}", file.display()));
            }
        }
    }
    assert!(found > 100, "only {found} fields were found");
    assert!(raw.is_empty(), "raw text in errors:\n{}", raw.join("\n"));
}

#[test]
fn what_is_said_holds_nothing_that_is_not_safe_to_print() {
    for (file, head, others) in SAID {
        let code = code(std::path::Path::new(file));
        let kinds = fields_below(&code, |line| line.starts_with(head));
        assert!(!kinds.is_empty(), "{file} holds no {head}");
        for kind in kinds {
            let of_ours = others
                .iter()
                .fold(kind.clone(), |kind, other| kind.replace(other, ""));
            assert!(is_safe(&of_ours), "{head}in {file} holds a {kind}");
        }
    }
}

#[test]
fn raw_fields_are_recognised() {
    let planted = "#[derive(Debug, thiserror::Error)]\npub enum PlantedError {\n    #[error(\"{0}\")]\n    \
                   Refused(String),\n    #[error(\n        \"{path}: {error}\"\n    )]\n    Read {\n        path: Shown,\n        \
                   error: std::io::Error,\n    },\n    #[error(transparent)]\n    Path(#[from] PathError),\n    Name(&'static str, \
                   Vec<u8>),\n}";
    let lines: Vec<String> = planted.lines().map(str::to_owned).collect();
    let kinds = fields(&lines);
    let raw: Vec<&str> = kinds
        .iter()
        .map(String::as_str)
        .filter(|kind| !is_safe(kind))
        .collect();
    assert_eq!(kinds.len(), 6, "{kinds:?}");
    assert_eq!(raw, ["String", "std::io::Error", "Vec<u8>"]);
}
