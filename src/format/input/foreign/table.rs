//! Tables of accounts or banks that lost what tells their columns: the line of headings, or columns at the right.

use super::{Refusal, sample};

/// The commands that print whole trees.
const WHOLE: &str =
    "sshare -a -P -m -l, sacctmgr -P show assoc tree, or flux account view-bank -t root";

/// How many rows are examined.
const ROWS: usize = 12;

/// The most lines before the first row, such as a prompt with the command.
const LINES_BEFORE: usize = 2;

/// Says what is missing in a table of accounts or banks, or returns `None` if the text is none.
pub(super) fn refusal(name: &str, bytes: &[u8]) -> Option<Refusal> {
    let text = String::from_utf8_lossy(sample(bytes));
    let mut rows = Vec::new();
    for line in text.lines() {
        let cells = cells(line);
        if !cells.is_empty() {
            rows.push(cells);
        }
    }
    rows.truncate(ROWS);
    if has_headings(rows.first()?) {
        let what =
            "is a table of accounts without the columns of a tree, perhaps cut off at the right";
        return Some(Refusal::does(name, what, &format!("run {WHOLE}")));
    }
    let first = rows
        .iter()
        .take(LINES_BEFORE + 1)
        .position(|row| is_root(row))?;
    let rows = &rows[first..];
    let is_tree = rows.len() > 1 && rows.iter().all(|row| is_row(row));
    let what = "seems to be a table of accounts without its headings, so it cannot be told which column is which";
    let advice =
        format!("add the line of headings, which -n and --noheader leave out, or run {WHOLE}");
    is_tree.then(|| Refusal::does(name, what, &advice))
}

/// Returns the filled cells of a line, between bars or blanks. A line below headings has none.
fn cells(line: &str) -> Vec<&str> {
    let mut cells = Vec::new();
    for cell in line.split(|char: char| char.is_whitespace() || char == '|') {
        if cell.contains(|char: char| char != '-') {
            cells.push(cell);
        }
    }
    cells
}

/// Returns whether a line has the headings of accounts or banks and of their users, and no number.
fn has_headings(cells: &[&str]) -> bool {
    let has = |wanted: &str| cells.iter().any(|cell| cell.eq_ignore_ascii_case(wanted));
    let has_numbers = cells.iter().any(|cell| is_number(cell));
    (has("account") || has("bank"))
        && !has_numbers
        && (has("user") || has("username") || has("login"))
}

/// Returns whether a row is that of the account root, which may be printed behind the cluster.
fn is_root(cells: &[&str]) -> bool {
    cells.iter().take(2).any(|&cell| cell == "root")
}

/// Returns whether a row can be one of a tree: it ends in a number. Rows of the account and the user root may have none.
fn is_row(cells: &[&str]) -> bool {
    cells.contains(&"root") || cells.last().is_some_and(|last| is_number(last))
}

fn is_number(cell: &str) -> bool {
    cell.parse::<f64>().is_ok() || cell == "parent"
}
