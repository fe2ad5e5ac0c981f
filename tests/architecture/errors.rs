//! Whatever an error, a problem, a notice, a prompt, a page, a report or a menu says is safe to print, because its
//! fields cannot hold anything else.

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
    "Guide",
    "ImpactRow",
    "Line",
    "NameFault",
    "Refusal",
    "Scheduler",
    "SettingFault",
    "SharesFault",
    "Span",
    "Subject",
];

/// The one failure of another kind: what serde says to our own writer of JSON, which passes it on.
const OTHERS: &[&str] = &["report/render/json/serializer.rs"];

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

/// Types that are no errors and hold what is said: the file, the type, and the types of its fields that hold no text,
/// hold text for machines, or, as what is being typed, pass the door when they are drawn.
const SAID: &[(&str, &str, &[&str])] = &[
    (
        "src/format/problem.rs",
        "pub struct Problem ",
        &["Severity"],
    ),
    ("src/tui/state/ui.rs", "pub enum Notice ", &[]),
    (
        "src/tui/state/dialog.rs",
        "pub struct Prompt ",
        &["Purpose", "PromptLabels", "Input"],
    ),
    (
        "src/tui/state/dialog.rs",
        "pub struct PromptLabels ",
        &["EditedCell"],
    ),
    (
        "src/tui/state/dialog.rs",
        "pub struct EditedCell ",
        &["NodeId", "ColumnId"],
    ),
    (
        "src/report/order.rs",
        "pub(crate) struct Remark ",
        &["Severity"],
    ),
    (
        "src/report/render/line.rs",
        "pub(crate) struct Span ",
        &["Emphasis"],
    ),
    ("src/report/render/line.rs", "pub struct Line ", &[]),
    (
        "src/report/render/table/cell.rs",
        "pub(crate) enum Cell<'a> ",
        &["Cow<'a", "str>", "Value", "Unit", "&'a Tree", "NodeId"],
    ),
    (
        "src/report/render/table.rs",
        "pub(crate) struct Heading ",
        &["Alignment"],
    ),
    (
        "src/report/impact.rs",
        "pub struct ImpactTable ",
        &["Heading"],
    ),
    (
        "src/report/impact.rs",
        "pub struct ImpactRow ",
        &["Emphasis"],
    ),
    (
        "src/report/render/document.rs",
        "pub(crate) enum Block ",
        &["ProseTable", "Line", "Drawing", "PageLink"],
    ),
    (
        "src/report/render/drawing.rs",
        "pub struct Drawing ",
        &["Moment", "Figure"],
    ),
    (
        "src/report/render/drawing.rs",
        "pub struct Moment ",
        &["f64"],
    ),
    (
        "src/report/render/drawing.rs",
        "pub struct Figure ",
        &["Unit", "Curve"],
    ),
    ("src/tui/state/dialog.rs", "pub struct Item ", &["Choice"]),
];

/// Where the floor of reports and the pages of the explorer hold text that is not safe to print: the file or the folder,
/// what holds it, and why. An empty name stands for all of the file.
const FOR_MACHINES: &[(&str, &str, &str)] = &[
    ("report/render/json", "", "JSON has escapes of its own"),
    (
        "report/lesson",
        "String",
        "the paths, goals and edits of a lesson, to look them up",
    ),
    (
        "report/render/table/cell.rs",
        "&mut String",
        "CSV has escapes of its own",
    ),
    (
        "report/render/line.rs",
        "fn text(",
        "the prose of a report in JSON",
    ),
    ("report/manual", "", "pages of our own, which hold no name"),
    (
        "report/metrics/open_metrics.rs",
        "",
        "OpenMetrics has escapes of its own",
    ),
    (
        "report/plan/script.rs",
        "",
        "scripts of commands, which are quoted, and hold no name that cannot be seen",
    ),
    ("report/simulate.rs", "fn path(", "a path in JSON"),
    ("report/moments.rs", "", "a time in JSON and CSV"),
    ("report/pbsfs.rs", "fn fixed(", "digits"),
    ("report/outline/search.rs", "text:", "what was typed"),
    (
        "report/words/source.rs",
        "",
        "origins, which JSON gives as they are and a page makes visible",
    ),
    ("tui/page/content.rs", "Timeline(", "paths to look for"),
    ("tui/page/compare.rs", "paths:", "paths to look for"),
    ("tui/page/content.rs", "copied:", "the text to copy"),
    ("tui/page/content.rs", "fn text(", "the text to copy"),
    ("tui/page/content.rs", "fn prose(", "the text to copy"),
    ("tui/page/content.rs", "files:", "the names of files"),
    ("report/render/text.rs", "fn text_of(", "a report to copy"),
    (
        "report/plan.rs",
        "fn add_commands(",
        "commands, which are made visible there",
    ),
];

/// Returns whether a line names the type of raw text that something holds, takes or gives.
fn holds_raw_text(line: &str) -> bool {
    let mut rest = line;
    while let Some(at) = rest.find("String") {
        let (before, after) = (&rest[..at], &rest[at + "String".len()..]);
        let is_word = |char: char| char.is_alphanumeric() || char == '_';
        let is_whole = !before.ends_with(is_word) && !after.starts_with(is_word);
        if is_whole && !after.starts_with("::") {
            return true;
        }
        rest = after;
    }
    false
}

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

/// Returns the types of a line: `name: Type,` or `Variant(Type, Type),` or `Variant { name: Type, name: Type },`.
fn field(line: &str) -> Vec<String> {
    let line = line.trim_end_matches([',', ';']);
    if let Some((_, fields)) = line.split_once(" { ")
        && let Some(fields) = fields.strip_suffix(" }")
    {
        return fields.split(", ").flat_map(field).collect();
    }
    // Brackets of a visibility are not those of a variant.
    let line = match line.strip_prefix("pub(") {
        Some(rest) => rest.split_once(") ").map_or(rest, |(_, field)| field),
        None => line,
    };
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
fn reports_and_pages_make_nothing_that_is_not_safe_to_print() {
    let mut used = vec![false; FOR_MACHINES.len()];
    let mut raw = Vec::new();
    for file in source_files() {
        let path = file.display().to_string();
        let Some((_, path)) = path.rsplit_once("/src/") else {
            continue;
        };
        if !path.starts_with("report/") && !path.starts_with("tui/page/") {
            continue;
        }
        for line in code(&file)
            .iter()
            .take_while(|line| *line != "#[cfg(test)]")
        {
            if !holds_raw_text(line) {
                continue;
            }
            let is_listed = |(place, name, _): &(&str, &str, &str)| {
                path.starts_with(place) && line.contains(name)
            };
            match FOR_MACHINES.iter().position(is_listed) {
                Some(place) => used[place] = true,
                None => raw.push(format!("{path}: {}", line.trim())),
            }
        }
    }
    let unused = FOR_MACHINES.iter().zip(used).filter(|(_, used)| !used);
    let unused: Vec<_> = unused.collect();
    assert!(raw.is_empty(), "raw text:\n{}", raw.join("\n"));
    assert!(unused.is_empty(), "nothing of the sort: {unused:?}");
}

#[test]
fn raw_text_is_recognised_in_a_line() {
    assert!(holds_raw_text("    pub text: String,"));
    assert!(holds_raw_text("fn title(self) -> Option<String> {"));
    assert!(!holds_raw_text(
        "    let mut text = String::with_capacity(8);"
    ));
    assert!(!holds_raw_text("    words: Vec<OsString>,"));
}

#[test]
fn raw_fields_are_recognised() {
    let planted = "#[derive(Debug, thiserror::Error)]\npub enum PlantedError {\n    #[error(\"{0}\")]\n    \
                   Refused(String),\n    #[error(\n        \"{path}: {error}\"\n    )]\n    Read {\n        path: Shown,\n        \
                   error: std::io::Error,\n    },\n    #[error(transparent)]\n    Path(#[from] PathError),\n    Name(&'static str, \
                   Vec<u8>),\n    Short { at: usize, text: OsString },\n}";
    let lines: Vec<String> = planted.lines().map(str::to_owned).collect();
    let kinds = fields(&lines);
    let raw: Vec<&str> = kinds
        .iter()
        .map(String::as_str)
        .filter(|kind| !is_safe(kind))
        .collect();
    assert_eq!(kinds.len(), 8, "{kinds:?}");
    assert_eq!(raw, ["String", "std::io::Error", "Vec<u8>", "OsString"]);
}
