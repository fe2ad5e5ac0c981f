//! `rank`: the users by rank.

use super::field::{PlacedNode, json_rows};
use super::render::document::{Document, Front};
use super::render::json::{self, object};
use super::render::table::Table;
use super::rows::{Options, flat, placed};
use super::{Field, Form, Output, Report, RowOrder, View, dump, emit};
use crate::model::{Kind, NodeId};
use crate::rules::policy::ColumnId;
use std::io::{self, Write};

/// Returns the users below a node in the order in which they run; users without a rank come last, in tree order.
pub fn ranking(view: &View<'_>, node: Option<NodeId>, sort: Option<RowOrder>) -> Vec<NodeId> {
    let by_rank = RowOrder {
        field: Field::Column(ColumnId::Rank),
        is_descending: false,
    };
    let options = Options {
        sort: Some(sort.unwrap_or(by_rank)),
        node,
        ..Options::default()
    };
    let mut nodes = flat(view, &options);
    nodes.retain(|&node| view.tree.kind(node) == Kind::User);
    nodes
}

fn usual(view: &View<'_>) -> Vec<Field> {
    let leads = [Field::Column(ColumnId::Rank), Field::Path];
    let mut own = view.usual_columns();
    // Shares are portions of a level, and a ranking has no levels.
    let others = [ColumnId::Shares, ColumnId::GroupPercentage, ColumnId::Rank];
    own.retain(|column| !others.contains(column));
    let own = own.into_iter().map(Field::Column);
    leads.into_iter().chain(own).collect()
}

/// Writes the ranking; `Tree` is written as `Table` because a ranking has no branches.
pub fn write(
    out: &mut dyn Output,
    view: &View<'_>,
    options: &Options,
    form: Form,
) -> io::Result<()> {
    let report = Ranking {
        view,
        nodes: ranking(view, options.node, options.sort),
        columns: options.columns.as_deref(),
    };
    emit(out, &report, form)
}

struct Ranking<'a> {
    view: &'a View<'a>,
    nodes: Vec<NodeId>,
    columns: Option<&'a [Field]>,
}

impl Ranking<'_> {
    /// Returns the rows for machines: the parent of each is a place in the tree that `show` writes.
    fn rows(&self) -> Vec<PlacedNode> {
        placed(self.view, &self.nodes, self.view.tree.nodes())
    }
}

impl Report for Ranking<'_> {
    fn front(&self) -> Front {
        Front::of("Ranking", self.view)
    }

    fn document(&self) -> Document<'_> {
        let view = self.view;
        let columns = Field::for_people(self.columns, || usual(view), view, |&node| node);
        let mut document = Document::default();
        document.headline(dump::headline(view));
        document.table(Table::new(columns, self.nodes.iter().copied()));
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let view = self.view;
        let body = object! {
            user_count: view.evaluation.user_count(),
            ranking: json_rows(view, self.columns, self.rows()),
        };
        json::write(out, view, body)
    }

    fn csv(&self) -> Option<Table<'_>> {
        Some(Field::csv_rows(self.view, self.columns, self.rows()))
    }
}
