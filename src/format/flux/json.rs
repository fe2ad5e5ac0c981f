//! The JSON of `flux account export-db -F` and `flux account-fairshare-emulate`: one object per bank or user, each
//! bank with its children inside.

mod read;

use super::{Inactive, snapshot};
use crate::base::shown::is_safe;
use crate::format::input::Input;
use crate::format::loss::{Conversion, Fault, Loss, Losses};
use crate::format::text::number;
use crate::format::{Format, LoadResult, Loaded, OnProgress, Request};
use crate::model::{Kind, NodeId, Settings, Tree, UsagePrecision};
use crate::rules::policy::{ColumnId, Policy};
use std::fmt::Write as _;

/// Returns whether the text begins as such JSON does.
pub fn is(text: &[u8]) -> bool {
    let mut rest = text;
    for start in ["{", "\"root\"", ":", "{"] {
        let word = rest.trim_ascii_start();
        match word.strip_prefix(start.as_bytes()) {
            Some(behind) => rest = behind,
            None => return false,
        }
    }
    true
}

/// Reads it. A bank's usage is the sum of its users. Stated usage of a bank counts if it has no users.
pub fn parse(input: &Input, request: &Request, report: OnProgress) -> LoadResult<Loaded> {
    Inactive::of(request)?;
    let mut reader = read::BankReader::new(input, report);
    reader.read()?;
    let exported = reader.finish()?;
    let tree = exported.builder.build();
    let mut recorded = exported.recorded;
    recorded.usage_precision = UsagePrecision::Exact;
    let settings = Settings::default();
    let mut snapshot = snapshot(tree, settings, recorded, request, Format::FluxJson);
    snapshot.source.taken = input.modified;
    Ok(Loaded::new(snapshot, exported.problems))
}

/// Writes a tree as JSON for `flux account-fairshare-emulate`, which uses the usage of banks as given.
pub fn convert(tree: &Tree) -> Conversion {
    let evaluation = Policy::Flux.evaluate(tree, &Settings::default());
    let mut writer = BankWriter {
        tree,
        text: String::new(),
        open: 0,
        needs_comma: false,
        losses: Losses::default(),
    };
    // The depth of the inactive node whose subtree is skipped.
    let mut left_out = None;
    for &node in tree.nodes() {
        let depth = tree.depth(node);
        if let Some(above) = left_out
            && depth > above
        {
            writer.losses.add(Fault::FluxBelowInactive, node);
            continue;
        }
        left_out = None;
        if tree.active(node) == Some(false) && node != NodeId::ROOT {
            writer.losses.add(Fault::FluxInactive, node);
            left_out = Some(depth);
            continue;
        }
        let mut usage = tree.usage(node).amount();
        if tree.kind(node) == Kind::Account {
            let computed = evaluation.number(ColumnId::Usage, node);
            usage = computed.or(usage);
        }
        writer.write_node(node, usage.unwrap_or(0.0));
    }
    writer.close(0);
    writer.text.push_str("}\n");
    let mut losses = writer.losses.list(tree);
    losses.push(Loss::FluxSettings);
    Conversion::of("flux.json", writer.text.into_bytes(), losses)
}

/// Writes the banks and users of a tree in its order.
struct BankWriter<'a> {
    tree: &'a Tree,
    text: String,
    /// How many banks are not closed yet: the depth of the last one, plus one.
    open: u32,
    /// Whether the open list already has an element.
    needs_comma: bool,
    losses: Losses,
}

impl BankWriter<'_> {
    /// Writes a node, behind the banks that end before it.
    fn write_node(&mut self, node: NodeId, usage: f64) {
        self.close(self.tree.depth(node));
        self.note_losses(node, usage);
        let start = match node {
            NodeId::ROOT => "{\"root\": ",
            _ if self.needs_comma => ",\n",
            _ => "\n",
        };
        let is_user = self.tree.kind(node) == Kind::User;
        let key = if is_user { "username" } else { "bank" };
        let end = if is_user { "}" } else { ", \"children\": [" };
        let name = String::from_utf8_lossy(self.tree.name(node));
        let name = quoted(&name);
        let shares = self.tree.shares(node).count().unwrap_or(1);
        let written = if usage.is_finite() { usage } else { 0.0 };
        let usage = number(written);
        // Writing to a String cannot fail.
        let _ = write!(
            self.text,
            "{start}{{\"{key}\": {name}, \"shares\": {shares}, \"usage\": {usage}{end}"
        );
        self.needs_comma = is_user;
        if !is_user {
            self.open += 1;
        }
    }

    /// Counts what cannot be written of a node.
    fn note_losses(&mut self, node: NodeId, usage: f64) {
        let tree = self.tree;
        let losses = &mut self.losses;
        let is_text = str::from_utf8(tree.name(node)).is_ok();
        losses.add_if(!is_text, Fault::FluxBytes, node);
        losses.add_if(tree.shares(node).is_parent(), Fault::FluxParent, node);
        losses.add_if(tree.partition(node).is_some(), Fault::FluxPartition, node);
        losses.add_if(tree.group(node) != 0, Fault::Groups, node);
        losses.add_if(!usage.is_finite(), Fault::FluxUsage, node);
    }

    /// Closes the banks at this depth or deeper.
    fn close(&mut self, depth: u32) {
        while self.open > depth {
            self.text.push_str("]}");
            self.open -= 1;
            self.needs_comma = true;
        }
    }
}

/// Returns a name quoted for JSON. What a terminal must not see is escaped.
fn quoted(name: &str) -> String {
    let mut quoted = String::with_capacity(name.len() + 2);
    let value = serde_json::Value::from(name);
    for char in value.to_string().chars() {
        if is_safe(char) {
            quoted.push(char);
            continue;
        }
        for unit in char.encode_utf16(&mut [0; 2]) {
            // Writing to a String cannot fail.
            let _ = write!(quoted, "\\u{unit:04x}");
        }
    }
    quoted
}
