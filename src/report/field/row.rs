//! A row of JSON.
//!
//! Its keys are the fields that were asked for, in their order; numbers under other rules are under `rules`. With all fields
//! of the policy also what the source recorded, and the names of numbers that no usage gives.

use super::{Field, PlacedNode};
use crate::base::number::{Value, hex};
use crate::model::{Fact, Kind, NodeId, path_of};
use crate::report::View;
use crate::report::render::json::{Entries, Lines, List, name_text};
use crate::rules::policy::{ColumnId, RuleColumn};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A row of JSON.
pub(crate) struct Row<'a> {
    /// The tree with its numbers.
    view: &'a View<'a>,
    /// The keys, in their order; all rows of a list share them.
    fields: Rc<[Field]>,
    /// The node, with its parent's place.
    placed: PlacedNode,
}

/// Returns rows of JSON, with the fields that were asked for or all of the policy.
pub(crate) fn json_rows(
    view: &View<'_>,
    requested: Option<&[Field]>,
    rows: Vec<PlacedNode>,
) -> impl Serialize {
    let fields: Rc<[Field]> = Field::machine(view, requested).into();
    let rows = rows.into_iter().map(move |placed| Row {
        view,
        fields: fields.clone(),
        placed,
    });
    Lines(List(rows))
}

impl<'a> Row<'a> {
    /// Returns a node by itself: with all fields, and its parent's place in the whole tree.
    pub(crate) fn alone(view: &'a View<'a>, node: NodeId) -> Self {
        let tree = view.tree;
        let mut parent_place = None;
        if let Some(parent) = tree.parent(node)
            && let Some(place) = tree.order().position(parent)
        {
            parent_place = u32::try_from(place).ok();
        }
        Self {
            view,
            fields: Field::all(view.policy).into(),
            placed: PlacedNode {
                node,
                parent: parent_place,
            },
        }
    }

    /// Writes the name, also in hexadecimal if it is not UTF-8, and the partition of an association.
    fn write_name<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let tree = self.view.tree;
        let node = self.placed.node;
        let name = tree.name(node);
        if tree.is_others(node) {
            return map.serialize_entry("name", &Value::Null);
        }
        map.serialize_entry("name", &name_text(name))?;
        if std::str::from_utf8(name).is_err() {
            map.serialize_entry("name_hex", &hex(name))?;
        }
        match tree.partition(node) {
            Some(partition) => {
                let partition = name_text(partition);
                map.serialize_entry("partition", &partition)
            }
            None => Ok(()),
        }
    }

    /// Writes a number, and the bounds of a rank that is not known.
    fn write_column<M: SerializeMap>(&self, map: &mut M, column: ColumnId) -> Result<(), M::Error> {
        let name = column.name();
        if let ColumnId::Recorded(fact) = column {
            let recorded = self.recorded(fact);
            return map.serialize_entry(name, &recorded);
        }
        let number = self.number(column.into());
        map.serialize_entry(name, &number)?;
        if column != ColumnId::Rank {
            return Ok(());
        }
        let evaluation = self.view.evaluation;
        match evaluation.least_rank(self.placed.node) {
            Some(least) => {
                let bounds = (least, Value::Null);
                map.serialize_entry("rank_bounds", &bounds)
            }
            None => Ok(()),
        }
    }

    /// Returns a number of the node; an account has no rank.
    fn number(&self, column: RuleColumn) -> Value {
        let node = self.placed.node;
        let is_account = self.view.tree.kind(node) == Kind::Account;
        if column.column == ColumnId::Rank && is_account {
            return Value::Null;
        }
        self.view.rule_value(column, node)
    }

    /// Returns what the source recorded, as text or as a number.
    fn recorded(&self, fact: Fact) -> RecordedCell<'_> {
        let node = self.placed.node;
        if let Some(text) = self.view.recorded.text(fact, node) {
            return RecordedCell::Text(text);
        }
        let column = ColumnId::Recorded(fact);
        let number = self.view.value(column, node);
        RecordedCell::Number(number)
    }

    /// Writes what the source recorded under a key of its own; no key if nothing was recorded.
    fn write_recorded<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let recorded = self.view.recorded;
        let node = self.placed.node;
        let mut entries = Vec::new();
        for fact in recorded.facts() {
            let text = recorded.text(fact, node);
            let figure = recorded.figure(fact, node);
            if text.is_some() || figure.is_some() {
                entries.push((fact.name(), self.recorded(fact)));
            }
        }
        let bins = recorded.bins(node);
        if !bins.is_empty() {
            entries.push(("usage_bins", RecordedCell::Bins(bins)));
        }
        if entries.is_empty() {
            return Ok(());
        }
        map.serialize_entry("recorded", &Entries(entries))
    }

    /// Writes the names of the columns that hold what was printed for the node, where no usage gives it.
    fn write_not_reproduced<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let evaluation = self.view.evaluation;
        let node = self.placed.node;
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
        let view = self.view;
        let tree = view.tree;
        let node = self.placed.node;
        let parent = self.placed.parent;
        let mut map = serializer.serialize_map(None)?;
        let mut rules: BTreeMap<&str, BTreeMap<_, _>> = BTreeMap::new();
        for &field in self.fields.iter() {
            match field {
                Field::Path => {
                    let path = path_of(tree, node);
                    map.serialize_entry("path", &path)?;
                }
                Field::Name => {
                    self.write_name(&mut map)?;
                }
                Field::Kind => {
                    let kind = tree.kind(node);
                    map.serialize_entry("kind", kind.name())?;
                }
                Field::Depth => {
                    let depth = tree.depth(node);
                    map.serialize_entry("depth", &depth)?;
                }
                Field::Parent => {
                    map.serialize_entry("parent", &parent)?;
                }
                Field::Column(column) => {
                    let Some(rule) = column.rule else {
                        self.write_column(&mut map, column.column)?;
                        continue;
                    };
                    let name = column.column.name();
                    let numbers = rules.entry(rule.name()).or_default();
                    numbers.insert(name, self.number(column));
                }
            }
        }
        if !rules.is_empty() {
            map.serialize_entry("rules", &rules)?;
        }
        // Explicitly requested columns take precedence over recorded numbers.
        let has_all_fields = *self.fields == *Field::all(view.policy);
        if has_all_fields && !view.recorded.is_empty() {
            self.write_recorded(&mut map)?;
            self.write_not_reproduced(&mut map)?;
        }
        map.end()
    }
}

/// What the source recorded of a node.
#[derive(Clone, Serialize)]
#[serde(untagged)]
enum RecordedCell<'a> {
    /// A text that is no number.
    Text(&'a str),
    /// A number of the scheduler.
    Number(Value),
    /// The usage of each period that Flux keeps, the newest first.
    Bins(&'a [f64]),
}
