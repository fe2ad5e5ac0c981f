//! The fields of a row of a report, by name, and their columns for people and for machines.

mod cell;
mod row;

pub(crate) use row::{Row, json_rows};

use super::View;
use super::render::column_widths;
use super::render::table::{Column, Heading, Table};
use crate::base::nearest::{unknown, unknown_of};
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, Recorded, Settings};
use crate::rules::policy::{ColumnId, Policy, RuleColumn};
use cell::{exact_cell, served, shown_cell};
use std::borrow::Cow;

/// One field of a row: a fact about the node, or a number of the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// The path from the root.
    Path,
    /// The name.
    Name,
    /// `account` or `user`.
    Kind,
    /// Steps from the root.
    Depth,
    /// The index of the parent's row.
    Parent,
    /// A number of the current rule or of another one.
    Column(RuleColumn),
}

/// The fields that every policy has, in the order of JSON and CSV.
const COMMON: [Field; 9] = [
    Field::Path,
    Field::Name,
    Field::Kind,
    Field::Depth,
    Field::current(ColumnId::Shares),
    Field::current(ColumnId::Usage),
    Field::current(ColumnId::Rank),
    Field::Parent,
    Field::current(ColumnId::Factor),
];

impl Field {
    /// Returns the field of a column of the current rule.
    pub const fn current(column: ColumnId) -> Self {
        Self::Column(RuleColumn::current(column))
    }

    /// Returns the name on the command line, in JSON and in CSV.
    pub fn name(self) -> Cow<'static, str> {
        let name = match self {
            Self::Path => "path",
            Self::Name => "name",
            Self::Kind => "kind",
            Self::Depth => "depth",
            Self::Parent => "parent",
            Self::Column(column) => return column.name(),
        };
        name.into()
    }

    /// Returns the heading of its column for people.
    fn heading(self) -> Heading {
        match self {
            Self::Path => Heading::left("Path"),
            Self::Name => Heading::left("Name"),
            Self::Kind => Heading::left("Kind"),
            Self::Depth => Heading::right("Depth"),
            Self::Parent => Heading::right("Parent"),
            Self::Column(column) => {
                let text = sentence!("{}", column.heading());
                Heading::new(text, column.column.alignment())
            }
        }
    }

    /// Returns the place in the order in which columns get room, or `None` if the field is always there.
    fn order(self, view: &View<'_>) -> Option<u8> {
        match self {
            Self::Path | Self::Name => None,
            Self::Kind | Self::Depth | Self::Parent => Some(column_widths::ASKED),
            Self::Column(column) => Some(column_widths::order(view, column.column)),
        }
    }

    /// Returns the fields of a policy's rows, in the order of JSON and CSV.
    pub fn all(policy: Policy) -> Vec<Self> {
        let mut all = COMMON.to_vec();
        for &column in policy.columns() {
            all.push(Self::current(column));
        }
        all
    }

    /// Returns the fields that can be requested by name: those of the rows, those of the screen, and the recorded ones.
    pub fn offered(policy: Policy, settings: &Settings, recorded: &Recorded) -> Vec<Self> {
        let mut offered = Self::all(policy);
        for &column in policy.extra_columns() {
            offered.push(Self::current(column));
        }
        if policy.has_priority_points(settings) {
            offered.push(Self::current(ColumnId::PriorityPoints));
        }
        offered.push(Self::current(ColumnId::Served));
        for fact in recorded.facts() {
            offered.push(Self::current(ColumnId::Recorded(fact)));
        }
        offered
    }

    /// Returns the field of a name: one of those offered, `POLICY:COLUMN`, or the column that only one other rule has.
    ///
    /// # Errors
    /// The sentence that names what is nearest, and which rules have the column.
    pub fn named(
        name: &str,
        policy: Policy,
        settings: &Settings,
        recorded: &Recorded,
    ) -> Result<Self, Shown> {
        let offered = Self::offered(policy, settings, recorded);
        for &field in &offered {
            if field.name() == name {
                return Ok(field);
            }
        }
        if let Some((rule, column)) = name.split_once(':') {
            let column = column_of_rule(rule, column, settings)?;
            return Ok(Self::Column(column));
        }
        let elsewhere = RuleColumn::elsewhere(name);
        match elsewhere[..] {
            [] => Err(unknown_column(name, &offered)),
            [column] => Ok(Self::Column(column)),
            _ => {
                let rules = joined_names(&elsewhere);
                Err(sentence!(
                    "column '{name}' of which rule? Give one of: {rules}"
                ))
            }
        }
    }

    /// Returns the fields for machines: those that were asked for, or all of the policy.
    fn machine(view: &View<'_>, asked: Option<&[Self]>) -> Vec<Self> {
        match asked {
            Some(fields) => fields.to_vec(),
            None => Self::all(view.policy),
        }
    }

    /// Returns the fields that people see unless they ask for others.
    pub(crate) fn usual(view: &View<'_>) -> Vec<Self> {
        let mut usual = Vec::new();
        for column in view.usual_columns() {
            usual.push(Self::current(column));
        }
        usual
    }
}

/// Returns the names of some columns, with commas between them.
fn joined_names(columns: &[RuleColumn]) -> Shown {
    let mut names = Vec::new();
    for column in columns {
        names.push(column.name());
    }
    let joined = names.join(", ");
    sentence!("{joined}")
}

/// Returns the sentence for a name of no column: the nearest of those offered, of the columns that another rule has, and of
/// the words for several columns.
fn unknown_column(name: &str, offered: &[Field]) -> Shown {
    let mut names = Vec::new();
    for field in offered {
        names.push(field.name());
    }
    let given = names.join(", ");
    let given_with_others = format!("{given}, or those of another rule, as in flux:weight");
    let mut known = Vec::new();
    for name in &names {
        known.push(&**name);
    }
    known.push(RuleColumn::EVERY_RULE_WORD);
    for policy in Policy::ALL {
        for column in policy.columns() {
            known.push(column.name());
        }
    }
    unknown_of("column", name, &known, &given_with_others)
}

/// Returns a column of a named rule.
///
/// # Errors
/// The sentence that names what is nearest, and which rules have the column.
pub(crate) fn column_of_rule(
    rule: &str,
    name: &str,
    settings: &Settings,
) -> Result<RuleColumn, Shown> {
    let Some(policy) = Policy::named(rule) else {
        return Err(unknown_rule(rule, name));
    };
    let mut names = Vec::new();
    for field in Field::offered(policy, settings, &Recorded::default()) {
        if let Field::Column(RuleColumn { column, .. }) = field {
            if column.name() == name {
                return Ok(RuleColumn::under(policy, column));
            }
            names.push(column.name());
        }
    }
    let elsewhere = RuleColumn::elsewhere(name);
    let given = if elsewhere.is_empty() {
        names.join(", ")
    } else {
        let rules = joined_names(&elsewhere);
        format!("there is {rules}")
    };
    let what = format!("column of {rule}");
    Err(unknown_of(&what, name, &names, &given))
}

/// Returns the sentence for a name of no rule: the nearest of those that have the column, or of all if none has it.
fn unknown_rule(rule: &str, column: &str) -> Shown {
    let mut rules: Vec<&str> = Vec::new();
    for column in RuleColumn::elsewhere(column) {
        rules.extend(column.rule.map(Policy::name));
    }
    if rules.is_empty() {
        for policy in Policy::ALL {
            rules.push(policy.name());
        }
    }
    unknown("policy", rule, rules.into_iter())
}

/// A node as a row.
#[derive(Clone, Copy)]
pub(crate) struct PlacedNode {
    /// The node.
    pub(crate) node: NodeId,
    /// Its parent's place among the rows.
    pub(crate) parent: Option<u32>,
}

impl Field {
    /// Returns columns for people: the requested ones, else the usual ones, which give way where a table is too wide.
    pub(super) fn for_people<'a, R: 'a>(
        requested: Option<&[Self]>,
        usual: impl FnOnce() -> Vec<Self>,
        view: &'a View<'a>,
        node: fn(&R) -> NodeId,
    ) -> Vec<Column<'a, R>> {
        let fields = match requested {
            Some(fields) => fields.to_vec(),
            None => usual(),
        };
        let mut columns = Vec::with_capacity(fields.len());
        for field in fields {
            let mut column = field.column(view, node);
            if requested.is_none()
                && let Some(order) = field.order(view)
            {
                column = column.giving_way(order);
            }
            columns.push(column);
        }
        columns
    }

    /// Returns its column for people.
    fn column<'a, R: 'a>(self, view: &'a View<'a>, node: fn(&R) -> NodeId) -> Column<'a, R> {
        let column = Column::new(self.heading(), move |row| shown_cell(view, self, node(row)));
        let is_about_usage =
            self == Self::current(ColumnId::Usage) || self == Self::current(ColumnId::Served);
        if is_about_usage {
            return column.emphasized(move |row| served(view, node(row)));
        }
        column
    }

    /// Returns rows for machines, with their numbers in full.
    pub(super) fn csv_rows<'a>(
        view: &'a View<'a>,
        requested: Option<&[Self]>,
        rows: Vec<PlacedNode>,
    ) -> Table<'a> {
        let mut columns = Vec::new();
        for field in Self::machine(view, requested) {
            let name = sentence!("{}", field.name());
            columns.push(Column::left(name, move |&row| exact_cell(view, field, row)));
        }
        Table::new(columns, rows.into_iter())
    }
}
