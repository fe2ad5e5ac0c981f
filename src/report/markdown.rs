//! Markdown tables, for tickets and wikis.

use super::table::Column;
use crate::base::number::Alignment;

/// Returns the lines of a Markdown table of the same cells as a text table's.
pub fn lines<'c, R>(
    columns: &'c [Column<'_, R>],
    rows: impl Iterator<Item = R> + 'c,
) -> impl Iterator<Item = String> + 'c {
    let headings = columns.iter().map(|column| escape(&column.heading().text));
    let rules = columns
        .iter()
        .map(|column| match column.heading().alignment {
            Alignment::Left => "---".to_owned(),
            Alignment::Right => "---:".to_owned(),
        });
    let head = [line(headings), line(rules)];
    let body = rows.map(|row| line(columns.iter().map(|it| escape(&it.cell(&row).shown()))));
    head.into_iter().chain(body)
}

/// One line between its bars.
fn line(cells: impl Iterator<Item = String>) -> String {
    let mut line = String::new();
    for cell in cells {
        line.extend(["| ", &cell, " "]);
    }
    line.push('|');
    line
}

/// Returns a text such that Markdown shows it as it is.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        if matches!(
            char,
            '\\' | '`' | '*' | '_' | '~' | '|' | '<' | '>' | '[' | ']' | '&' | '#' | '!'
        ) {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}
