//! What differs as JSON.

use super::{Compared, Rows, lines, usage};
use crate::analysis::diff::{Pair, Shift};
use crate::model::{NodeId, path_of};
use crate::report::json::{self, Json, Layout};
use crate::rules::policy::ColumnId;
use std::io::{self, Write};

impl Rows<'_> {
    pub(super) fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
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
