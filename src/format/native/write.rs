//! Writing a tree.

use super::document::{VERSION, quoted};
use super::rows;
use crate::format::text::{number, records_follow_rows, sums_in_any_order};
use crate::model::{Kind, NodeId, Record, Scheduler, Settings, Snapshot, Tree, Usage};
use crate::rules::policy::Policy;
use crate::rules::policy::pbs::{is_recordable, write_order};
use std::fmt::Write as _;

/// How many levels are indented. Deeper rows state their level.
const INDENTED_LEVELS: u32 = 32;

const RECORDS_A_LINE: usize = 20;

/// Writes a tree with the settings and origin of its snapshot, and the policy with which to open it.
///
/// Reading it back gives the same tree, and under every policy the same numbers to the bit. The usage of an edited tree
/// is written as its scheduler would record it.
pub fn write_tree(snapshot: &Snapshot, tree: &Tree, policy: Option<Policy>) -> Vec<u8> {
    let (usages, records) = recorded(tree);
    let mut out = head(snapshot, tree, policy);
    out.reserve(tree.node_count() * 24);
    out.push_str("\n[tree]\n");
    let mut root = String::new();
    rows::write(&mut root, tree, NodeId::ROOT, usages[0]);
    if root != default_root(tree.kinds_follow_shape()) {
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(out, "root = {}", quoted(&root));
    }
    if !records_follow_rows(tree, &records) && !sums_in_any_order(tree, &records) {
        write_records(&mut out, tree, &usages, &records);
    }
    out.push_str("# One node a row, below its account: name, shares, usage.\nrows = '''\n");
    for &node in &tree.nodes()[1..] {
        let level = tree.depth(node);
        if level <= INDENTED_LEVELS {
            out.extend((1..level).map(|_| "  "));
        } else {
            let _ = write!(out, "@{level} ");
        }
        rows::write(&mut out, tree, node, usages[node.index()]);
        out.push('\n');
    }
    out.push_str("'''\n");
    out.into_bytes()
}

/// Returns the root of a tree whose file does not state it.
pub(super) fn default_root(is_pbs: bool) -> &'static str {
    if is_pbs { "TREEROOT -1" } else { "root 1" }
}

/// Returns the usage of every node and its records: the tree's own, or what its scheduler would write after edits.
fn recorded(tree: &Tree) -> (Vec<Usage>, Vec<Record>) {
    let record = |node, amount| Record {
        node,
        amount,
        adds_to_ancestors: true,
        superseded: false,
    };
    let mut usages = vec![Usage::NONE; tree.id_count()];
    let records: Vec<Record> = if tree.is_usage_as_recorded() {
        tree.records().to_vec()
    } else if tree.kinds_follow_shape() {
        let is_read =
            |&(node, amount): &(NodeId, f64)| is_recordable(tree.name(node)) && amount >= 0.0;
        let read = write_order(tree).into_iter().filter(is_read);
        read.map(|(node, amount)| record(node, amount)).collect()
    } else {
        let ids = (0..tree.id_count()).map(NodeId::from_index);
        let users = ids.filter(|&node| tree.contains(node) && tree.kind(node) == Kind::User);
        let recorded = users.filter_map(|node| Some(record(node, tree.usage(node).amount()?)));
        recorded.collect()
    };
    for record in &records {
        usages[record.node.index()] = Usage::new(record.amount);
    }
    if !tree.kinds_follow_shape() {
        for &node in tree.nodes() {
            if tree.kind(node) == Kind::Account {
                usages[node.index()] = tree.usage(node);
            }
        }
    }
    (usages, records)
}

/// Returns everything above `[tree]`.
fn head(snapshot: &Snapshot, tree: &Tree, policy: Option<Policy>) -> String {
    let settings = &snapshot.settings;
    let mut head = format!("# A fairshare tree, for fairscope.\nfairscope = {VERSION}\n");
    let is_pbs = tree.kinds_follow_shape();
    let scheduler = is_pbs.then_some(Scheduler::Pbs).or(settings.scheduler);
    let unit = Some(&snapshot.source.usage_unit[..]).filter(|unit| !unit.is_empty());
    let taken = snapshot.source.taken.and_then(time);
    for (key, value) in [
        ("policy", policy.map(Policy::name)),
        ("scheduler", scheduler.map(Scheduler::name)),
        ("usage_unit", unit),
        ("taken", taken.as_deref()),
    ] {
        if let Some(value) = value {
            // Writing to a String cannot fail.
            let _ = writeln!(head, "{key} = {}", quoted(value));
        }
    }
    let lines = settings_lines(settings, tree);
    if !lines.is_empty() {
        head.push_str("\n[settings]\n");
        head.push_str(&lines);
    }
    head
}

/// Returns a time as RFC 3339, or `None` if the year does not have four digits.
pub(super) fn time(seconds: i64) -> Option<String> {
    let time = jiff::Timestamp::from_second(seconds).ok()?.to_string();
    (time.len() == "2026-11-21T00:00:00Z".len()).then_some(time)
}

/// PBS's settings that are written as text, and those that are written as they are.
const PBS_TEXTS: [&str; 3] = ["fair_share", "fairshare_entity", "fairshare_usage_res"];
const PBS_VALUES: [&str; 4] = [
    "fairshare_decay_factor",
    "fairshare_decay_time",
    "unknown_shares",
    "fairshare_enforce_no_shares",
];

/// Returns the settings that differ from the scheduler's defaults.
fn settings_lines(settings: &Settings, tree: &Tree) -> String {
    let usual = Settings::default();
    let pbs = &settings.pbs;
    let changed = |key: &str| {
        let value = settings.get(key);
        value.filter(|value| usual.get(key).as_ref() != Some(value))
    };
    let mut text = String::new();
    let mut line = |key: &str, value: &str| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{key} = {value}");
    };
    for key in PBS_TEXTS {
        if let Some(value) = changed(key) {
            line(key, &quoted(&value));
        }
    }
    for key in PBS_VALUES {
        let value = match tree.unknown() {
            // PBS has one number for both: the shares in the row of the group `unknown`.
            Some(_) if key == "unknown_shares" => None,
            _ => changed(key),
        };
        if let Some(value) = value {
            // The factor may be NaN.
            line(key, &value.to_ascii_lowercase());
        }
    }
    if pbs.last_decay != usual.pbs.last_decay {
        line("last_decay", &pbs.last_decay.to_string());
    }
    let is_written = |key: &&str| PBS_TEXTS.contains(key) || PBS_VALUES.contains(key);
    let others = Settings::keys().filter(|key| !is_written(key));
    let resources = settings.formula.resources.keys();
    let resources = resources.map(|name| Settings::resource_key(name));
    for key in others.map(str::to_owned).chain(resources) {
        if let Some(value) = changed(&key) {
            line(&quoted(&key), &quoted(&value));
        }
    }
    text
}

fn write_records(out: &mut String, tree: &Tree, usages: &[Usage], records: &[Record]) {
    out.push_str(
        "# The order in which usage was recorded, by row; remove it after adding or removing rows.\nrecorded = '''\n",
    );
    for line in records.chunks(RECORDS_A_LINE) {
        let tokens = line.iter().filter_map(|record| {
            let row = tree.order().position(record.node)?;
            let is_usual = Usage::new(record.amount) == usages[record.node.index()];
            let amount = (!is_usual).then(|| format!("={}", number(record.amount)));
            let is_odd = record.adds_to_ancestors == tree.has_children(record.node);
            let mark = if is_odd { "~" } else { "" };
            Some(format!("{row}{}{mark}", amount.unwrap_or_default()))
        });
        out.push_str(&tokens.collect::<Vec<_>>().join(" "));
        out.push('\n');
    }
    out.push_str("'''\n");
}
