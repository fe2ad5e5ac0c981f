//! Associations as one output lists them.

use crate::model::{
    Fact, Figure, Figures, Incomplete, NameId, NameInterner, Shares, Texts, TieOrder, Usage,
    UsagePrecision,
};
use crate::rules::policy::Policy;
use crate::source::format::{Format, Problem, Problems, Severity};
use std::sync::Arc;

/// What one output said.
#[derive(Debug)]
pub struct Rows {
    /// The kind of output.
    pub format: Format,
    /// The file, as it may be shown.
    pub file: String,
    /// The names of accounts, users, partitions and clusters.
    pub names: NameInterner,
    /// The associations, in the order printed.
    pub rows: Vec<Row>,
    /// Numbers that were recorded beside shares and usage, row by row.
    pub figures: Vec<(Fact, Figures)>,
    /// Texts that were recorded, row by row.
    pub texts: Vec<(Fact, Texts)>,
    /// How much of the usage it shows.
    pub usage_precision: UsagePrecision,
    /// What the usage counts, where that is not what Slurm's usage counts: of a period, and not decayed.
    pub usage_unit: Option<String>,
    /// Slurm's version, where the output tells.
    pub version: Option<String>,
    /// When it was printed, in Unix seconds, where the output or the file's time tells.
    pub taken: Option<i64>,
    /// The policy that the columns give away: there is a `LevelFS` column only under Fair Tree.
    pub policy: Option<Policy>,
    /// In which order Slurm visits associations that tie, where the fields give it away and no version does.
    pub tie_order: Option<TieOrder>,
    /// Why levels cannot be summed, where rows are missing.
    pub incomplete: Option<Incomplete>,
    /// What was odd.
    pub problems: Problems,
    /// The output itself, where it is a dump.
    pub dump: Option<Arc<Vec<u8>>>,
}

/// One association: an account, or a user of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// The cluster, where the output tells.
    pub cluster: Option<NameId>,
    /// The account; for a user the account it belongs to.
    pub account: NameId,
    /// The user; `None` for the account itself.
    pub user: Option<NameId>,
    /// The partition of a user's association that has one.
    pub partition: Option<NameId>,
    /// The account above an account, where the output tells; `None` for a user, whose account says it.
    pub parent: Option<NameId>,
    /// Slurm's number of the association, unique in its cluster; 0 where the output does not tell.
    pub id: u32,
    /// Its place in the lists of Slurm up to 23.02, which grows from the newest to the oldest; 0 where the output
    /// does not tell.
    pub left: u32,
    /// The raw shares, where the output tells.
    pub shares: Option<Shares>,
    /// The usage, where the output tells.
    pub usage: Usage,
    /// The line, from 1; 0 where lines mean nothing.
    pub line: u32,
}

impl Row {
    /// Returns an association of which only the names are known.
    #[must_use]
    pub const fn new(account: NameId, user: Option<NameId>) -> Self {
        Self {
            cluster: None,
            account,
            user,
            partition: None,
            parent: None,
            id: 0,
            left: 0,
            shares: None,
            usage: Usage::NONE,
            line: 0,
        }
    }
}

impl Rows {
    /// Returns an output of which nothing is read yet.
    #[must_use]
    pub fn new(format: Format, file: String) -> Self {
        Self {
            format,
            file,
            names: NameInterner::default(),
            rows: Vec::new(),
            figures: Vec::new(),
            texts: Vec::new(),
            usage_precision: UsagePrecision::Exact,
            usage_unit: None,
            version: None,
            taken: None,
            policy: None,
            tie_order: None,
            incomplete: None,
            problems: Problems::default(),
            dump: None,
        }
    }

    /// Records a number of the row that was pushed last.
    pub fn figure(&mut self, fact: Fact, figure: Figure) {
        if let Some(last) = self.rows.len().checked_sub(1) {
            column(&mut self.figures, fact).set_at(last, figure);
        }
    }

    /// Records a text of the row that was pushed last.
    pub fn text(&mut self, fact: Fact, text: &str) {
        if let Some(last) = self.rows.len().checked_sub(1) {
            column(&mut self.texts, fact).set_at(last, text);
        }
    }

    /// Notes something odd about a line.
    pub fn note(
        &mut self,
        severity: Severity,
        code: &'static str,
        line: u64,
        message: impl Into<String>,
        advice: impl Into<String>,
    ) {
        let problem = Problem::at_line(severity, code, &self.file, line, message, advice);
        self.problems.push(problem);
    }
}

/// Returns the column of a fact, new or begun.
fn column<T: Default>(columns: &mut Vec<(Fact, T)>, fact: Fact) -> &mut T {
    let known = columns.iter().position(|(known, _)| *known == fact);
    let place = known.unwrap_or_else(|| {
        columns.push((fact, T::default()));
        columns.len() - 1
    });
    &mut columns[place].1
}
