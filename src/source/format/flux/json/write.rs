//! Writing a tree as JSON.

use crate::model::{Kind, NodeId, Settings, Tree};
use crate::rules::policy::{ColumnId, Policy};
use crate::source::format::conversion::Conversion;
use crate::source::format::text::{FirstAndCount, number};

/// Writes a tree as JSON for `flux account-fairshare-emulate`. Banks get the usage of their users, because it is used
/// as given.
#[must_use]
pub fn convert(tree: &Tree) -> Conversion {
    let evaluation = Policy::Flux.evaluate(tree, &Settings::default());
    let mut writer = BankWriter::default();
    for &node in tree.nodes() {
        let depth = tree.depth(node) as usize;
        if writer.left_out.is_some_and(|above| depth > above) {
            writer.below_inactive.add(node);
            continue;
        }
        writer.left_out = None;
        if tree.active(node) == Some(false) && node != NodeId::ROOT {
            writer.inactive.add(node);
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
    Conversion {
        losses: writer.losses(tree),
        files: vec![("flux.json".to_owned(), writer.text.into_bytes())],
    }
}

/// The text so far, and the losses.
#[derive(Default)]
struct BankWriter {
    text: String,
    /// How many banks are not closed yet: the depth of the last one, plus one.
    open: usize,
    /// Whether the open list already has an element.
    needs_comma: bool,
    /// The depth of the inactive node whose subtree is skipped.
    left_out: Option<usize>,
    inactive: FirstAndCount,
    below_inactive: FirstAndCount,
    parents: FirstAndCount,
    partitions: FirstAndCount,
    groups: FirstAndCount,
    bytes: FirstAndCount,
    usage: FirstAndCount,
}

impl BankWriter {
    fn node(&mut self, tree: &Tree, node: NodeId, usage: f64) {
        self.close(tree.depth(node) as usize);
        if node == NodeId::ROOT {
            self.text.push_str("{\"root\": ");
        } else if self.needs_comma {
            self.text.push_str(",\n");
        } else {
            self.text.push('\n');
        }
        let is_user = tree.kind(node) == Kind::User;
        self.text.push_str(if is_user {
            "{\"username\": "
        } else {
            "{\"bank\": "
        });
        let name = tree.name(node);
        if std::str::from_utf8(name).is_err() {
            self.bytes.add(node);
        }
        self.text.push_str(&quoted(&String::from_utf8_lossy(name)));
        let shares = tree.shares(node).count().unwrap_or_else(|| {
            self.parents.add(node);
            1
        });
        if tree.partition(node).is_some() {
            self.partitions.add(node);
        }
        if tree.group(node) != 0 {
            self.groups.add(node);
        }
        let usage = if usage.is_finite() {
            usage
        } else {
            self.usage.add(node);
            0.0
        };
        self.text.push_str(", \"shares\": ");
        self.text.push_str(&shares.to_string());
        self.text.push_str(", \"usage\": ");
        self.text.push_str(&number(usage));
        if is_user {
            self.text.push('}');
            self.needs_comma = true;
        } else {
            self.text.push_str(", \"children\": [");
            self.open += 1;
            self.needs_comma = false;
        }
    }

    /// Closes the banks at this depth or deeper.
    fn close(&mut self, depth: usize) {
        while self.open > depth {
            self.text.push_str("]}");
            self.open -= 1;
            self.needs_comma = true;
        }
    }

    fn losses(&self, tree: &Tree) -> Vec<String> {
        let mut losses = Vec::new();
        let mut tell = |tally: &FirstAndCount, sentence| tally.tell(tree, &mut losses, sentence);
        tell(
            &self.inactive,
            "the JSON cannot say who is inactive, and Flux does not count them: {} is left out",
        );
        tell(
            &self.below_inactive,
            "what stands below an inactive bank is left out: {}",
        );
        tell(
            &self.parents,
            "Flux does not know the shares parent: {} is given 1",
        );
        tell(
            &self.partitions,
            "Flux has no partitions: those of {} are left out",
        );
        tell(
            &self.groups,
            "PBS's group numbers are left out: those of {}",
        );
        tell(
            &self.bytes,
            "JSON holds Unicode: bytes of the name of {} that are none are replaced",
        );
        tell(
            &self.usage,
            "JSON holds finite numbers: the usage of {} is written as 0",
        );
        losses.push(
            "the settings are left out, and so is which scheduler the tree is of: the decay, the weights and the like"
                .to_owned(),
        );
        losses
    }
}

/// Returns a name quoted for JSON.
fn quoted(name: &str) -> String {
    serde_json::Value::from(name).to_string()
}
