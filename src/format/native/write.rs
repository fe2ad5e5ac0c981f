//! Writes a tree with its settings, so that [`read`](super::read) gives the same tree again.
//!
//! Settings that are the usual ones are left out, and so is an order of records that follows from the rows.

use super::document::{VERSION, quoted};
use super::rows;
use crate::format::text::{number, records_follow_rows, sums_in_any_order};
use crate::model::{Kind, NodeId, Record, Scheduler, Settings, Snapshot, Tree, Usage};
use crate::rules::policy::Policy;
use crate::rules::policy::pbs::{is_recordable, write_order};
use std::fmt::Write as _;

/// How many levels are indented. Deeper rows state their level.
const INDENTED_LEVELS: u32 = 32;

/// How many records are written in a line.
const RECORDS_A_LINE: usize = 20;

/// Writes a tree with the settings and origin of its snapshot, and the policy with which to open it.
///
/// Reading it back gives the same tree, and under every policy the same numbers to the bit. The usage of an edited tree
/// is written as its scheduler would record it.
pub fn write_tree(snapshot: &Snapshot, tree: &Tree, policy: Option<Policy>) -> Vec<u8> {
    let usage = WrittenUsage::of(tree);
    let mut out = head(snapshot, tree, policy);
    out.reserve(tree.node_count() * 24);
    out.push_str("\n[tree]\n");
    let mut root = String::new();
    rows::write(&mut root, tree, NodeId::ROOT, usage.of_rows[0]);
    if root != default_root(tree.kinds_follow_shape()) {
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(out, "root = {}", quoted(&root));
    }
    if !records_follow_rows(tree, &usage.records) && !sums_in_any_order(tree, &usage.records) {
        write_records(&mut out, tree, &usage);
    }
    out.push_str("# One node a row, below its account: name, shares, usage.\nrows = '''\n");
    for &node in &tree.nodes()[1..] {
        let level = tree.depth(node);
        if level <= INDENTED_LEVELS {
            for _ in 1..level {
                out.push_str("  ");
            }
        } else {
            let _ = write!(out, "@{level} ");
        }
        rows::write(&mut out, tree, node, usage.of_rows[node.index()]);
        out.push('\n');
    }
    out.push_str("'''\n");
    out.into_bytes()
}

/// Returns the root of a tree whose file does not state it.
pub(super) fn default_root(is_pbs: bool) -> &'static str {
    if is_pbs { "TREEROOT -1" } else { "root 1" }
}

/// What a tree's usage is written as.
struct WrittenUsage {
    /// By node id: what its row states.
    of_rows: Vec<Usage>,
    /// In the order in which they were recorded.
    records: Vec<Record>,
}

impl WrittenUsage {
    /// Takes a tree's own usage, or what its scheduler would write after edits.
    fn of(tree: &Tree) -> Self {
        let records = if tree.is_usage_as_recorded() {
            tree.records().to_vec()
        } else {
            records_after_edits(tree)
        };
        let mut of_rows = vec![Usage::NONE; tree.id_count()];
        for record in &records {
            of_rows[record.node.index()] = Usage::new(record.amount);
        }
        if !tree.kinds_follow_shape() {
            for &node in tree.nodes() {
                if tree.kind(node) == Kind::Account {
                    of_rows[node.index()] = tree.usage(node);
                }
            }
        }
        Self { of_rows, records }
    }
}

/// Returns the usage of an edited tree as its scheduler would record it.
fn records_after_edits(tree: &Tree) -> Vec<Record> {
    let mut amounts = Vec::new();
    if tree.kinds_follow_shape() {
        amounts = write_order(tree);
        amounts.retain(|&(node, amount)| is_recordable(tree.name(node)) && amount >= 0.0);
    } else {
        for index in 0..tree.id_count() {
            let node = NodeId::from_index(index);
            if tree.contains(node)
                && tree.kind(node) == Kind::User
                && let Some(amount) = tree.usage(node).amount()
            {
                amounts.push((node, amount));
            }
        }
    }
    let mut records = Vec::with_capacity(amounts.len());
    for (node, amount) in amounts {
        records.push(Record {
            node,
            amount,
            adds_to_ancestors: true,
            superseded: false,
        });
    }
    records
}

/// Returns everything above `[tree]`.
fn head(snapshot: &Snapshot, tree: &Tree, policy: Option<Policy>) -> String {
    let settings = &snapshot.settings;
    let mut head = format!("# A fairshare tree, for fairscope.\nfairscope = {VERSION}\n");
    if let Some(policy) = policy {
        put_text(&mut head, "policy", policy.name());
    }
    let scheduler = if tree.kinds_follow_shape() {
        Some(Scheduler::Pbs)
    } else {
        settings.scheduler
    };
    if let Some(scheduler) = scheduler {
        put_text(&mut head, "scheduler", scheduler.name());
    }
    let unit = &snapshot.source.usage_unit;
    if !unit.is_empty() {
        put_text(&mut head, "usage_unit", unit);
    }
    if let Some(taken) = snapshot.source.taken.and_then(time) {
        put_text(&mut head, "taken", &taken);
    }
    let lines = settings_lines(settings, tree);
    if !lines.is_empty() {
        head.push_str("\n[settings]\n");
        head.push_str(&lines);
    }
    head
}

/// Writes a key with a value that is TOML already.
pub(super) fn put(text: &mut String, key: &str, value: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{key} = {value}");
}

/// Writes a key with a text.
pub(super) fn put_text(text: &mut String, key: &str, value: &str) {
    put(text, key, &quoted(value));
}

/// Returns a time as RFC 3339, or `None` if the year does not have four digits.
pub(super) fn time(seconds: i64) -> Option<String> {
    let time = jiff::Timestamp::from_second(seconds).ok()?.to_string();
    (time.len() == "2026-11-21T00:00:00Z".len()).then_some(time)
}

/// PBS's settings that are written as text.
const PBS_TEXTS: &[&str] = &["fair_share", "fairshare_entity", "fairshare_usage_res"];

/// PBS's settings that are written as they are.
const PBS_VALUES: &[&str] = &[
    "fairshare_decay_factor",
    "fairshare_decay_time",
    "unknown_shares",
    "fairshare_enforce_no_shares",
];

/// Returns the settings that differ from the scheduler's defaults.
fn settings_lines(settings: &Settings, tree: &Tree) -> String {
    let usual = Settings::default();
    let mut text = String::new();
    for key in PBS_TEXTS {
        if let Some(value) = changed(settings, &usual, key) {
            put_text(&mut text, key, &value);
        }
    }
    for &key in PBS_VALUES {
        if key == "unknown_shares" && tree.unknown().is_some() {
            // PBS has one number for both: the shares in the row of the group `unknown`.
            continue;
        }
        if let Some(value) = changed(settings, &usual, key) {
            // The factor may be NaN.
            put(&mut text, key, &value.to_ascii_lowercase());
        }
    }
    let last_decay = settings.pbs.last_decay;
    if last_decay != usual.pbs.last_decay {
        put(&mut text, "last_decay", &last_decay.to_string());
    }
    let mut others = Vec::new();
    for key in Settings::keys() {
        if !PBS_TEXTS.contains(&key) && !PBS_VALUES.contains(&key) {
            others.push(key.to_owned());
        }
    }
    for name in settings.formula.resources.keys() {
        others.push(Settings::resource_key(name));
    }
    for key in others {
        if let Some(value) = changed(settings, &usual, &key) {
            put_text(&mut text, &quoted(&key), &value);
        }
    }
    text
}

/// Returns the value of a setting, or `None` if it is the usual one.
fn changed(settings: &Settings, usual: &Settings, key: &str) -> Option<String> {
    let value = settings.get(key)?;
    (usual.get(key).as_ref() != Some(&value)).then_some(value)
}

/// Writes the order of the records. What the row of a record states is not repeated.
fn write_records(out: &mut String, tree: &Tree, usage: &WrittenUsage) {
    out.push_str(
        "# The order in which usage was recorded, by row; remove it after adding or removing rows.\nrecorded = '''\n",
    );
    for line in usage.records.chunks(RECORDS_A_LINE) {
        let mut before = "";
        for record in line {
            let Some(row) = tree.order().position(record.node) else {
                continue;
            };
            let _ = write!(out, "{before}{row}");
            before = " ";
            if Usage::new(record.amount) != usage.of_rows[record.node.index()] {
                let _ = write!(out, "={}", number(record.amount));
            }
            if record.adds_to_ancestors == tree.has_children(record.node) {
                out.push('~');
            }
        }
        out.push('\n');
    }
    out.push_str("'''\n");
}
