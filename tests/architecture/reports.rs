//! One function chooses the format of a report, and the columns of a table know their cells.

use super::{code, module};
use crate::support::source_files;

/// Returns the code of the reports and of the commands that print them, by file.
fn reports() -> Vec<(String, Vec<String>)> {
    let files = source_files().into_iter();
    files
        .filter(|file| matches!(module(file)[0].as_str(), "report" | "cli"))
        .map(|file| (module(&file).join("/"), code(&file)))
        .collect()
}

#[test]
fn only_one_file_chooses_the_format_of_a_report() {
    let mut choices = Vec::new();
    for (name, code) in reports() {
        for line in code {
            let arm = line.split_once("=>");
            if arm.is_some_and(|(pattern, _)| pattern.contains("Form::")) {
                choices.push((name.clone(), line));
            }
        }
    }
    assert!(choices.iter().any(|(name, _)| name == "report/render"));
    choices.retain(|(name, _)| name != "report/render");
    assert!(choices.is_empty(), "forms chosen: {choices:#?}");
}

#[test]
fn no_cell_is_addressed_by_a_column_number() {
    let mut numbered = Vec::new();
    for (name, code) in reports() {
        for pair in code.windows(2) {
            let is_choice = pair[0].contains("match column");
            let starts_with_digit = |text: &str| text.starts_with(|it: char| it.is_ascii_digit());
            if is_choice && starts_with_digit(pair[1].trim_start()) {
                numbered.push(format!("{name}: {}", pair[0].trim()));
            }
        }
    }
    assert!(numbered.is_empty(), "{}", numbered.join("\n"));
}
