//! Markdown tables, for tickets and wikis.

use super::table::Column;
use crate::base::number::Alignment;
use crate::base::shown::Shown;

/// Returns the lines of a Markdown table of the same cells as a text table's.
pub fn lines<'c, R>(
    columns: &'c [Column<'_, R>],
    rows: impl Iterator<Item = R> + 'c,
) -> impl Iterator<Item = Shown> + 'c {
    let headings = columns.iter().map(|column| escape(&column.heading().text));
    let rules = columns
        .iter()
        .map(|column| match column.heading().alignment {
            Alignment::Left => "---".into(),
            Alignment::Right => "---:".into(),
        });
    let head = [line(headings), line(rules)];
    let body = rows.map(|row| line(columns.iter().map(|it| escape(&it.cell(&row).shown()))));
    head.into_iter().chain(body)
}

/// One line between its bars.
fn line(cells: impl Iterator<Item = Shown>) -> Shown {
    let (bar, blank) = (Shown::from("| "), Shown::from(" "));
    let mut line = Shown::default();
    for cell in cells {
        line += &bar;
        line += &cell;
        line += &blank;
    }
    line + &"|".into()
}

/// Returns a text such that Markdown shows it as it is.
pub fn escape(text: &Shown) -> Shown {
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
    Shown::again(escaped)
}
