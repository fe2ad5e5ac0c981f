//! A node with its fields: the rows of `show` and `rank`, and the nodes of other documents.

use super::{Lines, List, hex, name_text};
use crate::base::number::Value;
use crate::model::{Fact, Kind, NodeId, Recorded, path_of};
use crate::report::View;
use crate::report::field::{Field, PlacedNode};
use crate::rules::policy::ColumnId;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use std::rc::Rc;

/// A node as `show` writes it.
pub(in crate::report) struct Row<'a> {
    view: &'a View<'a>,
    /// What is written of it.
    fields: Rc<[Field]>,
    placed: PlacedNode,
}

/// Returns rows, one a line, with the requested fields or all.
pub(in crate::report) fn rows(
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
    pub(in crate::report) fn alone(view: &'a View<'a>, node: NodeId) -> Self {
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

    /// Whether recorded numbers are written too; explicitly requested columns take precedence.
    fn includes_recorded(&self) -> bool {
        !self.view.recorded.is_empty() && *self.fields == *Field::all(self.view.policy)
    }

    fn write_name<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let name = self.view.tree.name(self.placed.node);
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
        let (view, node) = (self.view, self.placed.node);
        let value = match column {
            ColumnId::Rank if view.tree.kind(node) == Kind::Account => Value::Null,
            ColumnId::Recorded(fact) => {
                return map.serialize_entry(column.name(), &self.recorded(fact));
            }
            column => view.value(column, node),
        };
        map.serialize_entry(column.name(), &value)
    }

    /// One recorded number or text.
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
        let mut facts = recorded.facts();
        let is_any = facts.any(|fact| is_recorded(recorded, fact, node));
        if is_any || !recorded.bins(node).is_empty() {
            map.serialize_entry("recorded", &AllRecorded(self))?;
        }
        Ok(())
    }

    /// The names of the columns that hold what was printed for the node, where no usage gives it; nothing where all
    /// numbers are computed.
    fn write_not_reproduced<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let (evaluation, node) = (self.view.evaluation, self.placed.node);
        let is_printed = |field: &&Field| matches!(field, Field::Column(column) if evaluation.is_printed(*column, node));
        let mut printed = self.fields.iter().filter(is_printed).peekable();
        if printed.peek().is_none() {
            return Ok(());
        }
        let names: Vec<&str> = printed.map(|field| field.name()).collect();
        map.serialize_entry("not_reproduced", &names)
    }
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (view, PlacedNode { node, parent }) = (self.view, self.placed);
        let mut map = serializer.serialize_map(None)?;
        for &field in self.fields.iter() {
            match field {
                Field::Path => map.serialize_entry("path", &path_of(view.tree, node))?,
                Field::Name => self.write_name(&mut map)?,
                Field::Kind => map.serialize_entry("kind", view.tree.kind(node).name())?,
                Field::Depth => map.serialize_entry("depth", &view.tree.depth(node))?,
                Field::Parent => map.serialize_entry("parent", &parent)?,
                Field::Column(column) => self.write_column(&mut map, column)?,
            }
        }
        if self.includes_recorded() {
            self.write_recorded(&mut map)?;
            self.write_not_reproduced(&mut map)?;
        }
        map.end()
    }
}

/// One recorded number or text.
#[derive(Serialize)]
#[serde(untagged)]
enum RecordedCell<'a> {
    Text(&'a str),
    Number(Value),
}

/// All that the source recorded for a node.
struct AllRecorded<'a>(&'a Row<'a>);

impl Serialize for AllRecorded<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (view, node) = (self.0.view, self.0.placed.node);
        let mut map = serializer.serialize_map(None)?;
        for fact in view.recorded.facts() {
            if is_recorded(view.recorded, fact, node) {
                map.serialize_entry(fact.name(), &self.0.recorded(fact))?;
            }
        }
        let bins = view.recorded.bins(node);
        if !bins.is_empty() {
            map.serialize_entry("usage_bins", bins)?;
        }
        map.end()
    }
}

fn is_recorded(recorded: &Recorded, fact: Fact, node: NodeId) -> bool {
    recorded.text(fact, node).is_some() || recorded.figure(fact, node).is_some()
}
