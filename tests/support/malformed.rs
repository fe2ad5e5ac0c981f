//! Malformed and unusual inputs, as the tables in `tests/data/malformed` hold them.
//!
//! `=== title` begins a case and `--- name` one of its files. `-- options` gives the options to open it, and `> ` marks a
//! message. In a file, `\xNN`, `\n` and `\\` are bytes, `\{abc*300}` is a repetition, and `\{name 50 alice}`,
//! `\{f64 2}` and `\{i64 7}` are fields of usage files. A backslash at the end of a line removes the line end.

use super::data;
use std::path::Path;

/// One case of a table.
#[derive(Default)]
pub(crate) struct Case {
    pub(crate) title: String,
    pub(crate) files: Vec<(String, Vec<u8>)>,
    pub(crate) options: Vec<String>,
    pub(crate) said: String,
}

impl Case {
    /// Writes its files into a folder.
    pub(crate) fn write(&self, folder: &Path) {
        for (name, bytes) in &self.files {
            std::fs::write(folder.join(name), bytes).unwrap();
        }
    }
}

/// Returns the cases of a table.
pub(crate) fn cases(table: &str) -> Vec<Case> {
    let text = std::fs::read_to_string(data("malformed").join(table)).unwrap();
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("=== ") {
            let title = title.to_owned();
            cases.push(Case {
                title,
                ..Case::default()
            });
            continue;
        }
        let Some(case) = cases.last_mut() else {
            continue;
        };
        if let Some(name) = line.strip_prefix("--- ") {
            case.files.push((name.to_owned(), Vec::new()));
        } else if let Some(options) = line.strip_prefix("-- ") {
            case.options = options.split(' ').map(str::to_owned).collect();
        } else if let Some(said) = line.strip_prefix("> ") {
            case.said.push_str(said);
            case.said.push('\n');
        } else if let Some((_, bytes)) = case.files.last_mut() {
            let cut = line.strip_suffix('\\');
            bytes.extend(unescaped(cut.unwrap_or(line)));
            if cut.is_none() {
                bytes.push(b'\n');
            }
        }
    }
    cases
}

fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        bytes.extend(before.as_bytes());
        let (escape, length) = match &after[..1] {
            "n" => (b"\n".to_vec(), 1),
            "r" => (b"\r".to_vec(), 1),
            "t" => (b"\t".to_vec(), 1),
            "0" => (b"\0".to_vec(), 1),
            "x" => (vec![u8::from_str_radix(&after[1..3], 16).unwrap()], 3),
            "{" => {
                let end = after.find('}').unwrap();
                (field(&after[1..end]), end + 1)
            }
            other => (other.as_bytes().to_vec(), 1),
        };
        bytes.extend(escape);
        rest = &after[length..];
    }
    bytes.extend(rest.as_bytes());
    bytes
}

/// `name 50 alice`, `f64 2`, `i64 7`, `abc*300`.
fn field(text: &str) -> Vec<u8> {
    if let Some(number) = text.strip_prefix("f64 ") {
        return number.parse::<f64>().unwrap().to_le_bytes().to_vec();
    }
    if let Some(number) = text.strip_prefix("i64 ") {
        return number.parse::<i64>().unwrap().to_le_bytes().to_vec();
    }
    if let Some(padded) = text.strip_prefix("name ") {
        let (length, name) = padded.split_once(' ').unwrap();
        let mut bytes = name.as_bytes().to_vec();
        bytes.resize(length.parse().unwrap(), 0);
        return bytes;
    }
    let (part, count) = text.rsplit_once('*').unwrap();
    unescaped(part).repeat(count.parse().unwrap())
}
