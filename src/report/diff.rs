//! `diff`: two trees, what differs, and which change moved whom.

mod prose;

pub use prose::{diluted, lines, order};

use super::csv::{put, put_text};
use super::json::{self, Json, Layout};
use super::table::Column;
use super::{Form, View, csv, markdown, table};
use crate::diff::{Because, Cause, Diff, Pair, Shift};
use crate::model::{NodeId, Tree, path_of};
use crate::number::{Exact, cell, change, grouped};
use crate::policy::{ColumnId, Unit, Value};
use std::io::{self, Write};

/// How many rows of a table a person sees unless more are asked for.
const USUAL_LIMIT: usize = 40;

/// Two trees as reports see them.
#[derive(Clone, Copy, Debug)]
pub struct Compared<'a> {
    /// What differs.
    pub diff: &'a Diff,
    /// The old tree.
    pub before: View<'a>,
    /// The new tree.
    pub after: View<'a>,
    /// How many moves, and in text how many nodes; if nothing was said 40 in text, and all for machines.
    pub limit: Option<usize>,
}

/// Writes what differs; `Tree` is written as `Table`.
///
/// # Errors
/// If writing fails.
pub fn write(out: &mut dyn Write, compared: &Compared<'_>, form: Form) -> io::Result<()> {
    let is_for_people = !matches!(form, Form::Csv | Form::Json);
    let moves = compared.diff.moves().len();
    let shown = match compared.limit {
        Some(limit) => limit.min(moves),
        None if is_for_people => USUAL_LIMIT.min(moves),
        None => moves,
    };
    let attributable = compared.diff.attributable(compared.limit);
    let rows = Rows {
        compared: *compared,
        shown,
        causes: causes(compared.diff),
        because: compared.diff.attribute(attributable.min(shown)),
    };
    match form {
        Form::Csv => rows.write_csv(out),
        Form::Json => rows.write_json(out),
        Form::Tree | Form::Table | Form::Markdown => rows.write_people(out, form),
    }
}

/// The changes that can have moved anybody: settings only where they differ.
fn causes(diff: &Diff) -> Vec<Cause> {
    let has_settings = !diff.changes().settings.is_empty();
    let all = Cause::ALL.into_iter();
    all.filter(|&cause| cause != Cause::Settings || has_settings)
        .collect()
}

/// What is written.
struct Rows<'a> {
    compared: Compared<'a>,
    /// How many of the moves.
    shown: usize,
    causes: Vec<Cause>,
    /// Why, for the first of the moves.
    because: Vec<Because>,
}

/// A node on one side or both.
type Sides = Pair<Option<NodeId>>;

fn on_both(pair: Pair<NodeId>) -> Sides {
    Pair {
        before: Some(pair.before),
        after: Some(pair.after),
    }
}

/// What happened to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    Added,
    Removed,
    Moved,
    Changed,
}

impl Event {
    const fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Moved => "moved",
            Self::Changed => "changed",
        }
    }
}

impl<'a> Rows<'a> {
    fn diff(&self) -> &'a Diff {
        self.compared.diff
    }

    /// Something of a node on both sides; nothing where it is not.
    fn values<T>(&self, node: Sides, of: impl Fn(&View<'a>, NodeId) -> T) -> Pair<Option<T>> {
        Pair {
            before: node.before.map(|node| of(&self.compared.before, node)),
            after: node.after.map(|node| of(&self.compared.after, node)),
        }
    }

    /// The path in the new tree, or in the old one of what is no longer there.
    fn path(&self, node: Sides) -> Option<String> {
        let (tree, node) = self.place(node)?;
        path_of(tree, node)
    }

    fn place(&self, node: Sides) -> Option<(&'a Tree, NodeId)> {
        let after = node.after.map(|node| (self.compared.after.tree, node));
        after.or_else(|| node.before.map(|node| (self.compared.before.tree, node)))
    }

    /// What happened to which node, in the order of a table for people: what came and went, then other shares, then
    /// other usage alone.
    fn events(&self) -> Vec<(Event, Sides)> {
        let changes = self.diff().changes();
        let (old, new) = (self.compared.before.tree, self.compared.after.tree);
        let one = |before, after| Pair { before, after };
        let added = changes.added.iter().map(|&node| one(None, Some(node)));
        let removed = changes.removed.iter().map(|&node| one(Some(node), None));
        let mut events: Vec<_> = added.map(|node| (Event::Added, node)).collect();
        events.extend(removed.map(|node| (Event::Removed, node)));
        let moved = changes.moved.iter();
        events.extend(moved.map(|&pair| (Event::Moved, on_both(pair))));
        let is_usage_only = |pair: &Pair<NodeId>| {
            old.shares(pair.before) == new.shares(pair.after)
                && old.name(pair.before) == new.name(pair.after)
        };
        for usage_only in [false, true] {
            let changed = changes.changed.iter();
            let changed = changed.filter(|pair| is_usage_only(pair) == usage_only);
            events.extend(changed.map(|&pair| (Event::Changed, on_both(pair))));
        }
        events
    }

    fn write_people(&self, out: &mut dyn Write, form: Form) -> io::Result<()> {
        let is_markdown = form == Form::Markdown;
        let say = |out: &mut dyn Write, line: &str| {
            if is_markdown {
                writeln!(out, "{}\n", markdown::escape(line))
            } else {
                writeln!(out, "{line}")
            }
        };
        let tabulate = |out: &mut dyn Write,
                        columns: &[Column],
                        rows: usize,
                        cell: &dyn Fn(usize, usize) -> String| {
            if is_markdown {
                markdown::write(out, columns, rows, cell)
            } else {
                table::write(out, columns, rows, cell)
            }
        };
        for line in lines(self.diff()) {
            say(out, &line)?;
        }
        let events = self.events();
        if !events.is_empty() {
            let rows = self.compared.limit.unwrap_or(USUAL_LIMIT).min(events.len());
            if !is_markdown {
                writeln!(out)?;
            }
            let columns = [
                Column::left("Node"),
                Column::left("Change"),
                Column::right("Shares"),
                Column::right("Usage"),
            ];
            tabulate(out, &columns, rows, &|row, column| {
                self.event_cell(events[row], column)
            })?;
            left_off(out, events.len() - rows)?;
            if is_markdown {
                writeln!(out)?;
            }
        }
        if self.diff().moves().is_empty() {
            return Ok(());
        }
        if !is_markdown {
            writeln!(out)?;
        }
        say(out, &order(&self.causes))?;
        let mut columns = vec![
            Column::left("User"),
            Column::right("Rank"),
            Column::right("Change"),
        ];
        let causes = self.causes.iter();
        columns.extend(causes.map(|cause| Column::right(cause.heading())));
        tabulate(out, &columns, self.shown, &|row, column| {
            self.move_cell(row, column)
        })?;
        left_off(out, self.diff().moves().len() - self.shown)
    }

    fn event_cell(&self, (event, node): (Event, Sides), column: usize) -> String {
        match column {
            0 => {
                let paths = self.values(node, View::path);
                match (paths.before, paths.after) {
                    (Some(before), Some(after)) if before != after => format!("{before} → {after}"),
                    (_, Some(path)) | (Some(path), None) => path,
                    (None, None) => String::new(),
                }
            }
            1 => event.name().to_owned(),
            2 => arrow(self.values(
                node,
                |view, node| match view.value(ColumnId::Shares, node) {
                    Value::Count(count) => grouped(count),
                    value => cell(value, Unit::Count),
                },
            )),
            _ => arrow(self.values(node, |view, node| cell(usage(view, node), Unit::Usage))),
        }
    }

    fn move_cell(&self, row: usize, column: usize) -> String {
        let user = &self.diff().moves()[row];
        match column {
            0 => self.compared.after.path(user.nodes.after),
            1 => {
                let rank = |rank: u32| grouped(i64::from(rank));
                format!("{} → {}", rank(user.ranks.before), rank(user.ranks.after))
            }
            2 => change(user.places(), false),
            column => {
                let because = self.because.get(row);
                because.map_or_else(String::new, |because| {
                    change(because.places(self.causes[column - 3]), false)
                })
            }
        }
    }

    fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let rows = self.csv_rows();
        let mut header = vec![
            "path",
            "path_before",
            "kind",
            "change",
            "shares_before",
            "shares_after",
            "usage_before",
            "usage_after",
            "rank_before",
            "rank_after",
            "rank_change",
        ];
        let lead = header.len();
        header.extend(self.causes.iter().map(|cause| cause.name()));
        csv::write(out, &header, rows.len(), |row, column, text| {
            let row = &rows[row];
            let side = |pair: Pair<Option<Value>>| {
                let value = if column.is_multiple_of(2) {
                    pair.before
                } else {
                    pair.after
                };
                value.unwrap_or(Value::Null)
            };
            match column {
                0 => put_text(text, &self.path(row.node).unwrap_or_default()),
                1 => {
                    let before = row
                        .node
                        .before
                        .map(|node| (self.compared.before.tree, node));
                    let path = before.and_then(|(tree, node)| path_of(tree, node));
                    put_text(text, &path.unwrap_or_default());
                }
                2 => {
                    let place = self.place(row.node);
                    text.push_str(place.map_or("", |(tree, node)| tree.kind(node).name()));
                }
                3 => text.push_str(&row.events.join(" ")),
                4 | 5 => {
                    let shares = |view: &View<'a>, node| view.value(ColumnId::Shares, node);
                    put(text, Exact(side(self.values(row.node, shares))));
                }
                6 | 7 => put(text, Exact(side(self.values(row.node, usage)))),
                8 | 9 => {
                    let rank = |view: &View<'a>, node| view.value(ColumnId::Rank, node);
                    put(text, Exact(side(self.values(row.node, rank))));
                }
                10 => {
                    let places = row
                        .of_moves
                        .map(|place| self.diff().moves()[place].places());
                    if let Some(places) = places {
                        put(text, places);
                    }
                }
                column => {
                    let because = row.of_moves.and_then(|place| self.because.get(place));
                    if let Some(because) = because {
                        put(text, because.places(self.causes[column - lead]));
                    }
                }
            }
        })
    }

    /// Every node about which anything differs: in the order of the new tree, then what was removed.
    fn csv_rows(&self) -> Vec<CsvRow> {
        let mut rows: Vec<CsvRow> = Vec::new();
        let new = self.compared.after.tree;
        let mut row_of = vec![None; new.id_count()];
        let mut row = |rows: &mut Vec<CsvRow>, node: Sides| {
            let known = node.after.and_then(|after| row_of[after.index()]);
            known.unwrap_or_else(|| {
                rows.push(CsvRow {
                    node,
                    events: Vec::new(),
                    of_moves: None,
                });
                if let Some(after) = node.after {
                    row_of[after.index()] = Some(rows.len() - 1);
                }
                rows.len() - 1
            })
        };
        for (event, node) in self.events() {
            let row = row(&mut rows, node);
            rows[row].events.push(event.name());
        }
        for (place, user) in self.diff().moves()[..self.shown].iter().enumerate() {
            let row = row(&mut rows, on_both(user.nodes));
            rows[row].of_moves = Some(place);
        }
        let position = |row: &CsvRow| {
            let after = row.node.after.and_then(|node| new.order().position(node));
            after.unwrap_or(usize::MAX)
        };
        rows.sort_by_key(position);
        rows
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let diff = self.diff();
        let changes = diff.changes();
        let mut json = Json::new(out);
        let json = &mut json;
        json::open(json, &self.compared.after)?;
        json.key("source_before")?;
        json::source(json, self.compared.before.source)?;
        for (key, view, nodes) in [
            ("added", &self.compared.after, &changes.added),
            ("removed", &self.compared.before, &changes.removed),
        ] {
            json.key(key)?;
            json.array(Layout::Lines)?;
            for &node in nodes {
                json.object(Layout::Inline)?;
                json.key("path")?;
                json.text(path_of(view.tree, node).as_deref())?;
                json.key("kind")?;
                json.string(view.tree.kind(node).name())?;
                json.key("shares")?;
                json.value(view.value(ColumnId::Shares, node))?;
                json.key("usage")?;
                json.value(usage(view, node))?;
                json.close()?;
            }
            json.close()?;
        }
        json.key("moved")?;
        json.array(Layout::Lines)?;
        for &pair in &changes.moved {
            json.object(Layout::Inline)?;
            self.write_paths(json, pair)?;
            json.close()?;
        }
        json.close()?;
        json.key("changed")?;
        json.array(Layout::Lines)?;
        for &pair in &changes.changed {
            self.write_changed(json, pair)?;
        }
        json.close()?;
        json.key("settings")?;
        json.array(Layout::Lines)?;
        for setting in &changes.settings {
            json.object(Layout::Inline)?;
            for (key, text) in [
                ("key", setting.key),
                ("before", &setting.values.before),
                ("after", &setting.values.after),
            ] {
                json.key(key)?;
                json.string(text)?;
            }
            json.close()?;
        }
        json.close()?;
        self.write_moves(json)?;
        self.write_dilution(json)?;
        json.key("text")?;
        json.string(&lines(diff).join(" "))?;
        json::problems(
            json,
            "problems_before",
            self.compared.before.problems.list(),
        )?;
        json::problems(json, "problems", self.compared.after.problems.list())?;
        json.close()
    }

    fn write_paths(&self, json: &mut Json<'_>, pair: Pair<NodeId>) -> io::Result<()> {
        json.key("path")?;
        json.text(path_of(self.compared.after.tree, pair.after).as_deref())?;
        json.key("path_before")?;
        json.text(path_of(self.compared.before.tree, pair.before).as_deref())
    }

    fn write_changed(&self, json: &mut Json<'_>, pair: Pair<NodeId>) -> io::Result<()> {
        let Compared { before, after, .. } = &self.compared;
        json.object(Layout::Inline)?;
        self.write_paths(json, pair)?;
        for (key, value) in [
            ("shares_before", before.value(ColumnId::Shares, pair.before)),
            ("shares_after", after.value(ColumnId::Shares, pair.after)),
            ("usage_before", usage(before, pair.before)),
            ("usage_after", usage(after, pair.after)),
        ] {
            json.key(key)?;
            json.value(value)?;
        }
        json.close()
    }

    fn write_moves(&self, json: &mut Json<'_>) -> io::Result<()> {
        let moves = self.diff().moves();
        json.key("ranked_users")?;
        json.raw(self.diff().ranked_user_count())?;
        json.key("moved_users")?;
        json.raw(moves.len())?;
        json.key("attributed")?;
        json.raw(self.because.len())?;
        json.key("order")?;
        json.array(Layout::Inline)?;
        for cause in &self.causes {
            json.string(cause.name())?;
        }
        json.close()?;
        json.key("moves")?;
        json.array(Layout::Lines)?;
        for (row, user) in moves[..self.shown].iter().enumerate() {
            json.object(Layout::Inline)?;
            self.write_paths(json, user.nodes)?;
            json.key("rank_before")?;
            json.raw(user.ranks.before)?;
            json.key("rank_after")?;
            json.raw(user.ranks.after)?;
            json.key("because")?;
            match self.because.get(row) {
                None => json.raw("null")?,
                Some(because) => {
                    json.object(Layout::Inline)?;
                    for &cause in &self.causes {
                        json.key(cause.name())?;
                        json.raw(because.places(cause))?;
                    }
                    json.close()?;
                }
            }
            json.close()?;
        }
        json.close()
    }

    fn write_dilution(&self, json: &mut Json<'_>) -> io::Result<()> {
        let dilution = self.diff().dilution();
        let shift = |json: &mut Json<'_>, shift: &Shift| {
            for (key, count) in [("accounts", shift.accounts), ("users", shift.users)] {
                json.key(key)?;
                json.raw(count)?;
            }
            for (key, change) in [
                ("least", shift.least),
                ("median", shift.median),
                ("most", shift.most),
            ] {
                json.key(key)?;
                json.double(change)?;
            }
            json.close()
        };
        json.key("untouched")?;
        json.object(Layout::Inline)?;
        json.key("column")?;
        json.string(dilution.column.name())?;
        for (key, count) in [("accounts", dilution.accounts), ("users", dilution.users)] {
            json.key(key)?;
            json.raw(count)?;
        }
        for (key, of) in [("lost", &dilution.lost), ("gained", &dilution.gained)] {
            json.key(key)?;
            json.object(Layout::Inline)?;
            shift(json, of)?;
        }
        json.close()
    }
}

/// One line of CSV.
struct CsvRow {
    node: Sides,
    events: Vec<&'static str>,
    /// The place among the moves.
    of_moves: Option<usize>,
}

/// The usage that the source recorded for a node itself.
fn usage(view: &View<'_>, node: NodeId) -> Value {
    let amount = view.tree.usage(node).amount();
    amount.map_or(Value::Null, Value::Double)
}

/// A value, or both with an arrow where they differ.
fn arrow(texts: Pair<Option<String>>) -> String {
    let word = |text: String| {
        if text.is_empty() {
            "none".to_owned()
        } else {
            text
        }
    };
    match (texts.before, texts.after) {
        (Some(before), Some(after)) if before == after => after,
        (Some(before), Some(after)) => format!("{} → {}", word(before), word(after)),
        (Some(text), None) | (None, Some(text)) => text,
        (None, None) => String::new(),
    }
}

/// Says below a table how many rows it lacks.
fn left_off(out: &mut dyn Write, rows: usize) -> io::Result<()> {
    if rows == 0 {
        return Ok(());
    }
    let count = grouped(i64::try_from(rows).unwrap_or(i64::MAX));
    writeln!(out, "… and {count} more; --limit shows more or fewer")
}
