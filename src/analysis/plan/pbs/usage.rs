//! The usage to set with `pbsfs`.

use crate::analysis::plan::note::Statements;
use crate::analysis::plan::omission::Omissions;
use crate::analysis::plan::{NetChanges, Note, Omission, OmissionReason, Plan};
use crate::base::shell::quoted;
use crate::model::{Kind, NodeId, Tree};
use crate::rules::policy::pbs::{INITIAL_USAGE, is_recordable};
use hashbrown::HashMap;

pub(super) struct NewUsage {
    name: String,
    after: f64,
    /// The usage to restore. `None` if no command can restore it.
    before: Option<f64>,
}

impl NewUsage {
    /// Returns the command that sets the usage, or restores it. `None` if none can.
    pub(super) fn command(&self, is_back: bool) -> Option<String> {
        let amount = if is_back { self.before? } else { self.after };
        let is_option = self.name.starts_with('-');
        let end = if is_option { "-- " } else { "" };
        Some(format!("pbsfs -s {end}{} {amount}", quoted(&self.name)))
    }
}

/// The usage of a name before and after, and the node that has the name.
struct UsageRecord {
    amounts: [f64; 2],
    node: NodeId,
    /// Whether no node has the name any more.
    is_lost: bool,
}

/// Returns the usage that PBS counts for a node. It drops a record of its initial usage.
fn amount(tree: &Tree, node: NodeId) -> f64 {
    tree.usage(node).amount().unwrap_or(INITIAL_USAGE)
}

/// Returns the usage to set by name. A name without a node has its record dropped, or PBS counts it under `unknown`.
pub(super) fn new_usage(
    before: &Tree,
    after: &Tree,
    changes: &NetChanges,
    plan: &mut Plan,
    omissions: &mut Omissions,
) -> Vec<NewUsage> {
    let is_group =
        |node: &&NodeId| after.kind(**node) == Kind::Account && after.kinds_follow_shape();
    for &node in changes.usage.iter().filter(is_group) {
        omissions.leave_out(after, node, Omission::Usage, OmissionReason::GroupUsage);
    }
    let mut one_way = Statements::default();
    let mut new = Vec::new();
    for (name, record) in records(before, after, changes) {
        let UsageRecord {
            amounts: [old_amount, new_amount],
            node,
            is_lost,
        } = record;
        if old_amount.to_bits() == new_amount.to_bits() {
            continue;
        }
        let text = std::str::from_utf8(name).ok();
        let Some(text) = text.filter(|_| is_recordable(name)) else {
            let tree = if is_lost { before } else { after };
            omissions.leave_out(tree, node, Omission::Usage, OmissionReason::NotRecordable);
            continue;
        };
        let is_made_by_record =
            is_lost && before.parent(node) == before.unknown() && before.group(node) == -1;
        if is_made_by_record {
            one_way.add(before, node, Note::RecordDropped);
        }
        new.push(NewUsage {
            name: text.to_owned(),
            after: new_amount,
            before: (!is_made_by_record).then_some(old_amount),
        });
    }
    plan.notes.extend(one_way.list);
    new
}

/// Returns the names whose usage may have changed, in the order of the trees.
fn records<'a>(
    before: &'a Tree,
    after: &'a Tree,
    changes: &NetChanges,
) -> Vec<(&'a [u8], UsageRecord)> {
    let mut records: Vec<(&[u8], UsageRecord)> = Vec::new();
    let mut places: HashMap<&[u8], usize> = HashMap::new();
    if !changes.removed.is_empty() || !changes.renamed.is_empty() {
        let is_lost = |node: NodeId| !after.contains(node) || before.name(node) != after.name(node);
        for node in before.users().filter(|&node| is_lost(node)) {
            places.insert(before.name(node), records.len());
            let record = UsageRecord {
                amounts: [amount(before, node), INITIAL_USAGE],
                node,
                is_lost: true,
            };
            records.push((before.name(node), record));
        }
    }
    for &node in [&changes.usage, &changes.renamed, &changes.added]
        .into_iter()
        .flatten()
    {
        if after.kind(node) == Kind::Account {
            continue;
        }
        let name = after.name(node);
        let place = *places.entry(name).or_insert(records.len());
        if place == records.len() {
            let is_same = before.contains(node) && before.name(node) == name;
            let old_amount = is_same.then(|| amount(before, node));
            let record = UsageRecord {
                amounts: [old_amount.unwrap_or(INITIAL_USAGE), INITIAL_USAGE],
                node,
                is_lost: false,
            };
            records.push((name, record));
        }
        records[place].1.amounts[1] = amount(after, node);
    }
    records
}
