//! Tables of accounts or banks that lost what tells their columns: the line of headings, or columns at the right.

use super::{Refusal, sample};
use crate::format::text::is_one_of;

/// The commands that print whole trees.
const WHOLE: &str =
    "sshare -a -l -P, sacctmgr -P show assoc tree, or flux account view-bank -t root";

/// How many rows are examined.
const ROWS: usize = 12;

/// The most lines before the first row, such as a prompt with the command.
const LINES_BEFORE: usize = 2;

/// Says what is missing in a table of accounts or banks, or returns `None` if the text is none.
pub(super) fn refusal(name: &str, bytes: &[u8]) -> Option<Refusal> {
    let text = String::from_utf8_lossy(sample(bytes));
    let mut rows = Vec::new();
    for line in text.lines() {
        let row = TableRow::of(line);
        if !row.cells.is_empty() {
            rows.push(row);
        }
    }
    rows.truncate(ROWS);
    if rows.first()?.is_headings() {
        let what =
            "is a table of accounts without the columns of a tree, perhaps cut off at the right";
        let advice = format!("run {WHOLE}");
        return Some(Refusal::does(name, what, &advice));
    }
    let mut starts = rows.iter().take(LINES_BEFORE + 1);
    let first = starts.position(|row| row.is_of_root() || row.bars >= WIDE)?;
    let tree = &rows[first..];
    let bars = tree[0].bars;
    let is_tree = |row: &TableRow| row.is_of_tree() && row.bars == bars;
    if tree.len() < 2 || !tree.iter().all(is_tree) {
        return None;
    }
    let what = "seems to be a table of accounts without its headings, so it cannot be told which column is which";
    let advice =
        format!("add the line of headings, which -n and --noheader leave out, or run {WHOLE}");
    Some(Refusal::does(name, what, &advice))
}

/// How many bars a row has that is of a table without its root, too.
const WIDE: usize = 5;

/// A line of a table.
struct TableRow<'a> {
    /// How many bars it has.
    bars: usize,
    /// The filled cells between bars or blanks. A line below headings has none.
    cells: Vec<&'a str>,
}

impl<'a> TableRow<'a> {
    /// Divides a line.
    fn of(line: &'a str) -> Self {
        let mut cells = Vec::new();
        for cell in line.split(|char: char| char.is_whitespace() || char == '|') {
            if !cell.trim_matches('-').is_empty() {
                cells.push(cell);
            }
        }
        Self {
            bars: line.matches('|').count(),
            cells,
        }
    }

    /// Returns whether a cell is one of these words, in any case.
    fn has(&self, words: &[&str]) -> bool {
        let mut cells = self.cells.iter();
        cells.any(|cell| is_one_of(cell.as_bytes(), words))
    }

    /// Returns whether the line has the headings of accounts or banks and of their users, and no number.
    fn is_headings(&self) -> bool {
        let has_both = self.has(&["account", "bank"]) && self.has(&["user", "username", "login"]);
        has_both && !self.cells.iter().copied().any(is_number)
    }

    /// Returns whether the row is that of the account root, which may be printed behind the cluster.
    fn is_of_root(&self) -> bool {
        self.cells.iter().take(2).any(|&cell| cell == "root")
    }

    /// Returns whether the row can be one of a tree: it ends in a number, except that of root between bars, and has two
    /// between blanks, where a line of other texts may end in one.
    fn is_of_tree(&self) -> bool {
        let mut numbers = 0;
        let mut ends_in_number = false;
        for cell in &self.cells {
            ends_in_number = is_number(cell);
            numbers += usize::from(ends_in_number);
        }
        if self.bars > 0 {
            ends_in_number || self.cells.contains(&"root")
        } else {
            ends_in_number && numbers > 1
        }
    }
}

/// Returns whether a cell is a number, or shares in words.
fn is_number(cell: &str) -> bool {
    cell.parse::<f64>().is_ok() || cell == "parent"
}
