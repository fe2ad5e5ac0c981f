//! The fields of a row of a report, by name, and their columns for people and for machines.

use super::View;
use super::render::column_widths;
use super::render::json::{self, Entries, Lines, List, hex, name_text};
use super::render::line::Emphasis;
use super::render::table::{Cell, Column, Heading, Table};
use crate::base::nearest::{unknown, unknown_of};
use crate::base::number::{NOT_REPRODUCED, OPEN_WORD, Unit, Value, at_best, cell};
use crate::base::shown::{Shown, sentence, shown};
use crate::model::{Fact, Kind, NodeId, Recorded, Settings, path_of};
use crate::rules::policy::{ColumnId, Policy, RuleColumn};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

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

    fn heading(self) -> Heading {
        match self {
            Self::Path => Heading::left("Path"),
            Self::Name => Heading::left("Name"),
            Self::Kind => Heading::left("Kind"),
            Self::Depth => Heading::right("Depth"),
            Self::Parent => Heading::right("Parent"),
            Self::Column(column) => {
                Heading::new(sentence!("{}", column.heading()), column.column.alignment())
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
        let columns = policy.columns().iter().copied().map(Self::current);
        COMMON.into_iter().chain(columns).collect()
    }

    /// Returns the fields that can be requested by name: those of the rows, those of the screen, and the recorded ones.
    pub fn offered(policy: Policy, settings: &Settings, recorded: &Recorded) -> Vec<Self> {
        let points =
            Some(ColumnId::PriorityPoints).filter(|_| policy.has_priority_points(settings));
        let extra = policy.extra_columns().iter().copied().chain(points);
        let recorded = recorded.facts().map(ColumnId::Recorded);
        let served = [ColumnId::Served];
        let further = extra.chain(served).chain(recorded).map(Self::current);
        Self::all(policy).into_iter().chain(further).collect()
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
        if let Some(&field) = offered.iter().find(|field| field.name() == name) {
            return Ok(field);
        }
        if let Some((rule, column)) = name.split_once(':') {
            return column_of_rule(rule, column, settings).map(Self::Column);
        }
        let elsewhere = RuleColumn::elsewhere(name);
        match elsewhere[..] {
            [] => Err(unknown_column(name, &offered)),
            [column] => Ok(Self::Column(column)),
            _ => {
                let names: Vec<_> = elsewhere.iter().map(|column| column.name()).collect();
                let rules = names.join(", ");
                Err(sentence!(
                    "column '{name}' of which rule? Give one of: {rules}"
                ))
            }
        }
    }

    pub(super) fn machine(view: &View<'_>, asked: Option<&[Self]>) -> Vec<Self> {
        asked.map_or_else(|| Self::all(view.policy), <[Self]>::to_vec)
    }

    pub(crate) fn usual(view: &View<'_>) -> Vec<Self> {
        let columns = view.usual_columns().into_iter();
        columns.map(Self::current).collect()
    }
}

/// Returns the sentence for a name of no column: the nearest of those offered, of the columns that another rule has, and of
/// the words for several columns.
fn unknown_column(name: &str, offered: &[Field]) -> Shown {
    let names: Vec<_> = offered.iter().map(|field| field.name()).collect();
    let mut known: Vec<&str> = names.iter().map(|name| &**name).collect();
    let given = sentence!(
        "{}, or those of another rule, as in flux:weight",
        known.join(", ")
    );
    known.push(RuleColumn::EVERY_RULE_WORD);
    for policy in Policy::ALL {
        known.extend(policy.columns().iter().map(|column| column.name()));
    }
    unknown_of("column", name, &known, &given)
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
        let mut rules: Vec<&str> = Vec::new();
        for column in RuleColumn::elsewhere(name) {
            rules.extend(column.rule.map(Policy::name));
        }
        if rules.is_empty() {
            rules = Policy::ALL.iter().map(|policy| policy.name()).collect();
        }
        return Err(unknown("policy", rule, rules.into_iter()));
    };
    let mut columns = Vec::new();
    for field in Field::offered(policy, settings, &Recorded::default()) {
        if let Field::Column(column) = field {
            columns.push(column.column);
        }
    }
    if let Some(&column) = columns.iter().find(|column| column.name() == name) {
        return Ok(RuleColumn::under(policy, column));
    }
    let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
    let elsewhere = RuleColumn::elsewhere(name);
    let elsewhere: Vec<_> = elsewhere.iter().map(|column| column.name()).collect();
    let given = if elsewhere.is_empty() {
        names.join(", ")
    } else {
        format!("there is {}", elsewhere.join(", "))
    };
    let what = format!("column of {rule}");
    Err(unknown_of(&what, name, &names, &given))
}

#[derive(Clone, Copy)]
pub(super) struct PlacedNode {
    pub(super) node: NodeId,
    /// Its parent's place among the rows.
    pub(super) parent: Option<u32>,
}

impl Field {
    /// Returns columns for people: the requested ones, else the usual ones, which give way where a table is too wide.
    pub(super) fn for_people<'a, R: 'a>(
        requested: Option<&[Self]>,
        usual: impl FnOnce() -> Vec<Self>,
        view: &'a View<'a>,
        node: fn(&R) -> NodeId,
    ) -> Vec<Column<'a, R>> {
        let gives_way = requested.is_none();
        let fields = requested.map_or_else(usual, <[Self]>::to_vec).into_iter();
        let columns = fields.map(|field| {
            let column = field.column(view, node);
            match field.order(view).filter(|_| gives_way) {
                Some(order) => column.giving_way(order),
                None => column,
            }
        });
        columns.collect()
    }

    fn column<'a, R: 'a>(self, view: &'a View<'a>, node: fn(&R) -> NodeId) -> Column<'a, R> {
        let column = Column::new(self.heading(), move |row| shown_cell(view, self, node(row)));
        match self {
            Self::Column(RuleColumn {
                rule: None,
                column: ColumnId::Usage | ColumnId::Served,
            }) => column.emphasized(move |row| served(view, node(row))),
            _ => column,
        }
    }

    pub(super) fn csv_rows<'a>(
        view: &'a View<'a>,
        requested: Option<&[Self]>,
        rows: Vec<PlacedNode>,
    ) -> Table<'a> {
        let columns = Self::machine(view, requested).into_iter().map(|field| {
            Column::left(sentence!("{}", field.name()), move |&row| {
                exact_cell(view, field, row)
            })
        });
        Table::new(columns.collect(), rows.into_iter())
    }
}

fn served(view: &View<'_>, node: NodeId) -> Emphasis {
    match view.value(ColumnId::Served, node).as_f64() {
        Some(served) if served > 1.0 => Emphasis::Over,
        Some(served) if served < 1.0 => Emphasis::Under,
        _ => Emphasis::Plain,
    }
}

fn shown_cell<'a>(view: &'a View<'a>, field: Field, node: NodeId) -> Cell<'a> {
    if let Field::Column(column) = field
        && view.hidden.contains(&column.column)
        && !matches!(view.rule_value(column, node), Value::Null)
    {
        return "?".into();
    }
    match field {
        Field::Path => Cell::Node(view.tree, node),
        Field::Name if view.tree.is_others(node) => view.label(node).into(),
        Field::Name => view.name(node).into(),
        Field::Kind => match view.tree.kind(node) {
            Kind::Account => view.settings.noun().one.into(),
            kind => kind.name().into(),
        },
        Field::Depth => {
            let depth = view.tree.depth(node);
            Cell::Told(sentence!("{depth}"), Value::Count(depth.into()))
        }
        // To people a parent is a name, not a place among the rows.
        Field::Parent => {
            let parent = view.tree.parent(node).map(|parent| view.name(parent));
            parent.unwrap_or_default().into()
        }
        Field::Column(RuleColumn {
            column: ColumnId::Recorded(fact),
            ..
        }) if view.recorded.is_text(fact) => {
            let text = view.recorded.text(fact, node).unwrap_or_default();
            shown(text.as_bytes()).into()
        }
        Field::Column(rule_column)
            if rule_column.column == ColumnId::Rank
                && let Some(least) = view.least_rank(rule_column, node) =>
        {
            Cell::Told(at_best(least), Value::Null)
        }
        Field::Column(rule_column) => {
            let value = view.rule_value(rule_column, node);
            let column = rule_column.column;
            let unit = match value {
                Value::Count(_) => Unit::Count,
                _ => column.unit(),
            };
            let Some(evaluation) = view.evaluation_of(rule_column) else {
                return Cell::Number(value, unit);
            };
            let is_open = matches!(value, Value::Word(_))
                && matches!(column, ColumnId::PriorityFsRaw | ColumnId::LevelFsWord)
                && evaluation.is_open_word(node);
            let is_printed = evaluation.is_printed(column, node);
            if !is_open && !is_printed {
                return Cell::Number(value, unit);
            }
            let mut text = cell(value, unit);
            if is_open {
                text += &OPEN_WORD.into();
            }
            if is_printed {
                text = sentence!("{NOT_REPRODUCED}{text}");
            }
            Cell::Told(text, value)
        }
    }
}

fn exact_cell<'a>(view: &'a View<'a>, field: Field, row: PlacedNode) -> Cell<'a> {
    let node = row.node;
    match field {
        Field::Path => Cell::Node(view.tree, node),
        Field::Name => Cell::Exact(json::name_text(view.tree.name(node))),
        Field::Kind => view.tree.kind(node).name().into(),
        Field::Depth => Cell::Number(Value::Count(view.tree.depth(node).into()), Unit::Count),
        Field::Parent => Cell::Number(row.parent.into(), Unit::Count),
        Field::Column(RuleColumn {
            column: ColumnId::Recorded(fact),
            ..
        }) if view.recorded.is_text(fact) => {
            Cell::Exact(view.recorded.text(fact, node).unwrap_or_default().into())
        }
        Field::Column(column) => Cell::Number(view.rule_value(column, node), column.column.unit()),
    }
}

pub(super) struct Row<'a> {
    view: &'a View<'a>,
    fields: Rc<[Field]>,
    placed: PlacedNode,
}

pub(super) fn json_rows(
    view: &View<'_>,
    requested: Option<&[Field]>,
    rows: Vec<PlacedNode>,
) -> impl Serialize {
    let fields: Rc<[Field]> = Field::machine(view, requested).into();
    Lines(List(rows.into_iter().map(move |placed| Row {
        view,
        fields: fields.clone(),
        placed,
    })))
}

impl<'a> Row<'a> {
    /// Returns a node by itself: with all fields, and its parent's place in the whole tree.
    pub(super) fn alone(view: &'a View<'a>, node: NodeId) -> Self {
        let place = |parent| view.tree.order().position(parent);
        let parent = view.tree.parent(node).and_then(place);
        Self {
            view,
            fields: Field::all(view.policy).into(),
            placed: PlacedNode {
                node,
                parent: parent.and_then(|place| u32::try_from(place).ok()),
            },
        }
    }

    fn write_name<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let name = self.view.tree.name(self.placed.node);
        if self.view.tree.is_others(self.placed.node) {
            return map.serialize_entry("name", &Value::Null);
        }
        map.serialize_entry("name", &name_text(name))?;
        if std::str::from_utf8(name).is_err() {
            map.serialize_entry("name_hex", &hex(name))?;
        }
        match self.view.tree.partition(self.placed.node) {
            Some(partition) => map.serialize_entry("partition", &name_text(partition)),
            None => Ok(()),
        }
    }

    fn write_column<M: SerializeMap>(&self, map: &mut M, column: ColumnId) -> Result<(), M::Error> {
        match column {
            ColumnId::Recorded(fact) => map.serialize_entry(column.name(), &self.recorded(fact)),
            ColumnId::Rank => {
                map.serialize_entry(column.name(), &self.number(column.into()))?;
                let least = self.view.evaluation.least_rank(self.placed.node);
                match least {
                    Some(least) => map.serialize_entry("rank_bounds", &(Some(least), Value::Null)),
                    None => Ok(()),
                }
            }
            column => map.serialize_entry(column.name(), &self.number(column.into())),
        }
    }

    fn number(&self, column: RuleColumn) -> Value {
        let (view, node) = (self.view, self.placed.node);
        match column.column {
            ColumnId::Rank if view.tree.kind(node) == Kind::Account => Value::Null,
            _ => view.rule_value(column, node),
        }
    }

    fn recorded(&self, fact: Fact) -> RecordedCell<'_> {
        let node = self.placed.node;
        match self.view.recorded.text(fact, node) {
            Some(text) => RecordedCell::Text(text),
            None => RecordedCell::Number(self.view.value(ColumnId::Recorded(fact), node)),
        }
    }

    /// Writes what the source recorded under a key of its own; no key if nothing was recorded.
    fn write_recorded<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let (recorded, node) = (self.view.recorded, self.placed.node);
        let is_there = |&fact: &Fact| {
            recorded.text(fact, node).is_some() || recorded.figure(fact, node).is_some()
        };
        let facts: Vec<Fact> = recorded.facts().filter(is_there).collect();
        let facts = facts.iter().map(|&fact| (fact.name(), self.recorded(fact)));
        let bins = Some(recorded.bins(node)).filter(|bins| !bins.is_empty());
        let bins = bins.map(|bins| ("usage_bins", RecordedCell::Bins(bins)));
        if facts.len() > 0 || bins.is_some() {
            map.serialize_entry("recorded", &Entries(facts.chain(bins)))?;
        }
        Ok(())
    }

    /// Writes the names of the columns that hold what was printed for the node, where no usage gives it.
    fn write_not_reproduced<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let (evaluation, node) = (self.view.evaluation, self.placed.node);
        let mut names = Vec::new();
        for field in self.fields.iter() {
            if let Field::Column(column) = field
                && evaluation.is_printed(column.column, node)
            {
                names.push(column.name());
            }
        }
        if names.is_empty() {
            return Ok(());
        }
        map.serialize_entry("not_reproduced", &names)
    }
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (view, PlacedNode { node, parent }) = (self.view, self.placed);
        let mut map = serializer.serialize_map(None)?;
        let mut rules = BTreeMap::new();
        for &field in self.fields.iter() {
            match field {
                Field::Path => map.serialize_entry("path", &path_of(view.tree, node))?,
                Field::Name => self.write_name(&mut map)?,
                Field::Kind => map.serialize_entry("kind", view.tree.kind(node).name())?,
                Field::Depth => map.serialize_entry("depth", &view.tree.depth(node))?,
                Field::Parent => map.serialize_entry("parent", &parent)?,
                Field::Column(RuleColumn { rule: None, column }) => {
                    self.write_column(&mut map, column)?;
                }
                Field::Column(RuleColumn {
                    rule: Some(rule),
                    column,
                }) => {
                    let of_rule: &mut BTreeMap<_, _> = rules.entry(rule.name()).or_default();
                    of_rule.insert(column.name(), self.number(RuleColumn::under(rule, column)));
                }
            }
        }
        if !rules.is_empty() {
            map.serialize_entry("rules", &rules)?;
        }
        // Explicitly requested columns take precedence over recorded numbers.
        if !view.recorded.is_empty() && *self.fields == *Field::all(view.policy) {
            self.write_recorded(&mut map)?;
            self.write_not_reproduced(&mut map)?;
        }
        map.end()
    }
}

#[derive(Clone, Serialize)]
#[serde(untagged)]
enum RecordedCell<'a> {
    Text(&'a str),
    Number(Value),
    Bins(&'a [f64]),
}
