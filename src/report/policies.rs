//! `policies`: the rank of every user under each policy, and how far the policies agree.

use super::csv::{put, put_text};
use super::json::{Entries, Lines, List, object};
use super::table::Column;
use super::{Form, View, csv, json, markdown, table};
use crate::base::number::{Unit, Value};
use crate::base::number::{cell, counted, grouped};
use crate::model::{NodeId, path_of};
use crate::rules::policy::{Comparison, Policy};
use std::io::{self, Write};

/// How many users a person sees unless more are asked for.
const USUAL_LIMIT: usize = 40;

/// What of a comparison a report shows. The default is all of it, in text the users that move most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The topmost node; the root if nothing was said.
    pub node: Option<NodeId>,
    /// How many users; if nothing was said 40 in text, and all for machines.
    pub limit: Option<usize>,
}

/// The comparison of the usual policies and the one in force.
#[must_use]
pub fn compare(view: &View<'_>) -> Comparison {
    let mut policies = Comparison::usual(view.settings);
    if !policies.contains(&view.policy) {
        policies.push(view.policy);
    }
    Comparison::of(view.tree, view.settings, &policies)
}

/// What a report shows: the users below a node, those whose ranks differ most first.
struct Rows<'a> {
    view: &'a View<'a>,
    comparison: &'a Comparison,
    users: Vec<NodeId>,
    /// How many of the users are shown.
    shown: usize,
}

/// The columns beside those of the policies.
const BESIDE: usize = 2;

impl<'a> Rows<'a> {
    fn new(view: &'a View<'a>, comparison: &'a Comparison, options: &Options, form: Form) -> Self {
        let mut users = comparison.users().to_vec();
        if let Some(top) = options.node {
            users.retain(|&user| view.tree.order().is_within(user, top));
        }
        let usual = match form {
            Form::Tree | Form::Table | Form::Markdown => USUAL_LIMIT,
            Form::Csv | Form::Json => usize::MAX,
        };
        let shown = options.limit.unwrap_or(usual).min(users.len());
        Self {
            view,
            comparison,
            users,
            shown,
        }
    }

    fn policies(&self) -> &[Policy] {
        self.comparison.policies()
    }

    fn columns(&self) -> Vec<Column> {
        let policies = self.policies().iter();
        let policies = policies.map(|policy| Column::right(policy.name()));
        [Column::left("User")]
            .into_iter()
            .chain(policies)
            .chain([Column::right("Spread")])
            .collect()
    }

    fn cell(&self, row: usize, column: usize) -> String {
        let user = self.users[row];
        let Some(policy) = column.checked_sub(1) else {
            return self.view.path(user);
        };
        let number = if policy < self.policies().len() {
            self.comparison.rank(policy, user)
        } else {
            Some(self.comparison.spread(user))
        };
        let value = number.map_or(Value::Null, |number| Value::Count(i64::from(number)));
        cell(value, Unit::Rank)
    }

    /// What is said below the table where not all users are in it.
    fn left_off(&self) -> Option<String> {
        let left_off = self.users.len() - self.shown;
        let count = grouped(left_off);
        (left_off > 0).then(|| format!("… and {count} more; --limit shows more or fewer"))
    }

    /// The columns of the matrix: the policies go by their numbers.
    fn matrix_columns(&self) -> Vec<Column> {
        let numbers = 1..self.policies().len();
        [Column::right(""), Column::left("")]
            .into_iter()
            .chain(numbers.map(|number| Column::right(&number.to_string())))
            .collect()
    }

    /// A cell of the matrix, of which only what lies below the diagonal is filled.
    fn matrix_cell(&self, row: usize, column: usize) -> String {
        match column.checked_sub(BESIDE) {
            None if column == 0 => (row + 1).to_string(),
            None => self.policies()[row].name().to_owned(),
            Some(other) if other < row => agreement(self.comparison.tau(row, other)),
            Some(_) => String::new(),
        }
    }

    /// What the matrix is.
    fn caption(&self) -> String {
        format!(
            "Kendall's tau-b of each pair, over all {}: 1 is the same order, -1 the reverse, 0 no relation",
            counted(self.comparison.users().len(), "user", "users")
        )
    }
}

/// A tau with three decimals; what is not quite the same order never looks like it.
fn agreement(tau: Option<f64>) -> String {
    let Some(tau) = tau else {
        return "none".to_owned();
    };
    let text = format!("{tau:.3}");
    match text.as_str() {
        "1.000" if tau < 1.0 => "<1".to_owned(),
        "-1.000" if tau > -1.0 => ">-1".to_owned(),
        "-0.000" => "0.000".to_owned(),
        _ => text,
    }
}

/// Writes the comparison; `Tree` is written as `Table`, for what is compared are users.
///
/// # Errors
/// If writing fails.
pub fn write(
    out: &mut dyn Write,
    view: &View<'_>,
    comparison: &Comparison,
    options: &Options,
    form: Form,
) -> io::Result<()> {
    let rows = Rows::new(view, comparison, options, form);
    let count = rows.policies().len();
    match form {
        Form::Tree | Form::Table => {
            table::write(out, &rows.columns(), rows.shown, |row, column| {
                rows.cell(row, column)
            })?;
            if let Some(left_off) = rows.left_off() {
                writeln!(out, "{left_off}")?;
            }
            writeln!(out, "\n{}", rows.caption())?;
            table::write(out, &rows.matrix_columns(), count, |row, column| {
                rows.matrix_cell(row, column)
            })
        }
        Form::Markdown => {
            markdown::write(out, &rows.columns(), rows.shown, |row, column| {
                rows.cell(row, column)
            })?;
            if let Some(left_off) = rows.left_off() {
                writeln!(out, "\n{left_off}")?;
            }
            writeln!(out, "\n{}\n", rows.caption())?;
            markdown::write(out, &rows.matrix_columns(), count, |row, column| {
                rows.matrix_cell(row, column)
            })
        }
        Form::Csv => write_csv(out, &rows),
        Form::Json => write_json(out, &rows),
    }
}

fn write_csv(out: &mut dyn Write, rows: &Rows<'_>) -> io::Result<()> {
    let policies = rows.policies().iter().map(|policy| policy.name());
    let header: Vec<&str> = ["path"]
        .into_iter()
        .chain(policies)
        .chain(["spread"])
        .collect();
    csv::write(out, &header, rows.shown, |row, column, text| {
        let user = rows.users[row];
        match column.checked_sub(1) {
            None => put_text(text, &path_of(rows.view.tree, user).unwrap_or_default()),
            Some(policy) if policy < rows.policies().len() => {
                if let Some(rank) = rows.comparison.rank(policy, user) {
                    put(text, rank);
                }
            }
            Some(_) => put(text, rows.comparison.spread(user)),
        }
    })
}

fn write_json(out: &mut dyn Write, rows: &Rows<'_>) -> io::Result<()> {
    let comparison = rows.comparison;
    let row = |&user: &NodeId| {
        let ranks = rows.policies().iter().enumerate();
        object! {
            path: path_of(rows.view.tree, user),
            ranks: Entries(ranks.map(move |(place, policy)| (policy.name(), comparison.rank(place, user)))),
            spread: comparison.spread(user),
        }
    };
    let tau = rows.policies().iter().enumerate().flat_map(|(a, first)| {
        let others = rows.policies().iter().enumerate().skip(a + 1);
        others.map(move |(b, second)| {
            let pair = format!("{} {}", first.name(), second.name());
            (pair, comparison.tau(a, b))
        })
    });
    let body = object! {
        nodes: Lines(List(rows.users[..rows.shown].iter().map(row))),
        tau: Lines(Entries(tau)),
        problems: json::problems(rows.view.problems.list()),
    };
    json::write(out, rows.view, body)
}
