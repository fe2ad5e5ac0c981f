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
    let starts = [&b"{"[..], b"\"root\"", b":", b"{"];
    let rest = starts.iter().try_fold(text, |rest, start| {
        rest.trim_ascii_start().strip_prefix(*start)
    });
    rest.is_some()
}

/// Reads it. A bank's usage is the sum of its users. Stated usage of a bank counts if it has no users.
pub fn parse(input: &Input, request: &Request, report: OnProgress<'_>) -> LoadResult<Loaded> {
    Inactive::of(request)?;
    let mut reader = read::BankReader::new(input, report);
    reader.read()?;
    let (builder, mut recorded, problems) = reader.finish()?;
    recorded.usage_precision = UsagePrecision::Exact;
    let settings = Settings::default();
    let mut snapshot = snapshot(
        builder.build(),
        settings,
        recorded,
        request,
        Format::FluxJson,
    );
    snapshot.source.taken = input.modified;
    Ok(Loaded::new(snapshot, problems))
}

/// Writes a tree as JSON for `flux account-fairshare-emulate`, which uses the usage of banks as given.
pub fn convert(tree: &Tree) -> Conversion {
    let evaluation = Policy::Flux.evaluate(tree, &Settings::default());
    let mut writer = BankWriter::default();
    for &node in tree.nodes() {
        let depth = tree.depth(node) as usize;
        if writer.left_out.is_some_and(|above| depth > above) {
            writer.losses.add(Fault::FluxBelowInactive, node);
            continue;
        }
        writer.left_out = None;
        if tree.active(node) == Some(false) && node != NodeId::ROOT {
            writer.losses.add(Fault::FluxInactive, node);
            writer.left_out = Some(depth);
            continue;
        }
        let recorded = tree.usage(node).amount();
        let usage = match tree.kind(node) {
            Kind::User => recorded,
            Kind::Account => evaluation.number(ColumnId::Usage, node).or(recorded),
        };
        writer.node(tree, node, usage.unwrap_or(0.0));
    }
    writer.close(0);
    writer.text.push_str("}\n");
    let mut losses = writer.losses.list(tree);
    losses.push(Loss::FluxSettings);
    Conversion::of("flux.json", writer.text.into_bytes(), losses)
}

#[derive(Default)]
struct BankWriter {
    text: String,
    /// How many banks are not closed yet: the depth of the last one, plus one.
    open: usize,
    /// Whether the open list already has an element.
    needs_comma: bool,
    /// The depth of the inactive node whose subtree is skipped.
    left_out: Option<usize>,
    losses: Losses,
}

impl BankWriter {
    fn node(&mut self, tree: &Tree, node: NodeId, usage: f64) {
        self.close(tree.depth(node) as usize);
        let name = tree.name(node);
        let is_text = std::str::from_utf8(name).is_ok();
        self.losses.add_if(!is_text, Fault::FluxBytes, node);
        let shares = tree.shares(node).count().unwrap_or_else(|| {
            self.losses.add(Fault::FluxParent, node);
            1
        });
        let has_partition = tree.partition(node).is_some();
        self.losses
            .add_if(has_partition, Fault::FluxPartition, node);
        let has_group = tree.group(node) != 0;
        self.losses.add_if(has_group, Fault::Groups, node);
        let is_finite = usage.is_finite();
        self.losses.add_if(!is_finite, Fault::FluxUsage, node);
        let usage = if is_finite { usage } else { 0.0 };
        let is_user = tree.kind(node) == Kind::User;
        let start = match node {
            NodeId::ROOT => "{\"root\": ",
            _ if self.needs_comma => ",\n",
            _ => "\n",
        };
        let key = if is_user { "username" } else { "bank" };
        let end = if is_user { "}" } else { ", \"children\": [" };
        // Writing to a String cannot fail.
        let _ = write!(
            self.text,
            "{start}{{\"{key}\": {}, \"shares\": {shares}, \"usage\": {}{end}",
            quoted(&String::from_utf8_lossy(name)),
            number(usage)
        );
        self.needs_comma = is_user;
        self.open += usize::from(!is_user);
    }

    /// Closes the banks at this depth or deeper.
    fn close(&mut self, depth: usize) {
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
    for char in serde_json::Value::from(name).to_string().chars() {
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
