//! Captures of real daemons as snapshots with all recorded numbers.

use crate::support::captures::{self, Label, association, between};
use fairscope::model::{
    Fact, Figure, Format, Kind, NodeId, Position, Recorded, Scheduler, Settings, Shares, Snapshot,
    Source, TreeBuilder, UsagePrecision,
};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// One association of a capture: its cells by column.
type Cells = BTreeMap<&'static str, String>;

/// Compared columns of `sshare_a_P_allfields.txt`, counted from the end of the line, since names may contain bars.
const COLUMNS: [(&str, usize); 8] = [
    ("Partition", 12),
    ("ID", 11),
    ("RawShares", 10),
    ("NormShares", 9),
    ("RawUsage", 8),
    ("NormUsage", 7),
    ("EffectvUsage", 6),
    ("FairShare", 5),
];

const FACTS: [(&str, Fact); 5] = [
    ("NormShares", Fact::NormShares),
    ("NormUsage", Fact::NormUsage),
    ("EffectvUsage", Fact::EffectvUsage),
    ("FairShare", Fact::FairShare),
    ("LevelFS", Fact::LevelFs),
];

/// One folder of the golden set: case, version, sometimes step.
pub(super) struct Capture {
    pub(super) label: Label,
    folder: PathBuf,
    /// The associations by id, as `sshare` printed them.
    pub(super) rows: BTreeMap<u64, Cells>,
    parents: HashMap<u64, u64>,
    lefts: HashMap<u64, u64>,
}

fn text(folder: &Path, file: &str) -> String {
    std::fs::read_to_string(folder.join(file)).unwrap_or_default()
}

/// All captures below a folder.
pub(super) fn captures(root: &Path) -> Vec<Capture> {
    let folders = captures::folders(root);
    folders
        .into_iter()
        .map(|folder| Capture::read(root, folder))
        .collect()
}

impl Capture {
    fn read(root: &Path, folder: PathBuf) -> Self {
        let label = Label::of(root, &folder);
        let mut rows = BTreeMap::new();
        let mut parents = HashMap::new();
        let mut line_above: Vec<u64> = Vec::new();
        for line in text(&folder, "sshare_a_P_allfields.txt").lines().skip(1) {
            let cells: Vec<&str> = line.split('|').collect();
            let from_end = |place: usize| cells[cells.len() - place].to_owned();
            let mut row: Cells = COLUMNS
                .iter()
                .map(|&(name, place)| (name, from_end(place)))
                .collect();
            row.insert("LevelFS", from_end(4));
            row.insert("Account", cells[0].trim_start().to_owned());
            row.insert("User", cells[1].to_owned());
            let id: u64 = row["ID"].parse().expect("an id");
            line_above.truncate(cells[0].len() - cells[0].trim_start().len());
            if let Some(&parent) = line_above.last() {
                parents.insert(id, parent);
            }
            line_above.push(id);
            rows.insert(id, row);
        }
        let mut lefts = HashMap::new();
        let mut id = 0;
        for line in text(&folder, "scontrol_show_assoc_mgr.txt").lines() {
            if let Some((own_id, account, user)) = association(line) {
                id = own_id;
                if let Some(row) = rows.get_mut(&id) {
                    row.insert("Account", account.to_owned());
                    row.insert("User", user.to_owned());
                }
            }
            if let Some(left) = between(line, " Lft=", " ") {
                lefts.insert(id, left.parse().expect("a number"));
            }
        }
        for line in text(&folder, "sacctmgr_assoc_tree_P.txt").lines().skip(1) {
            let cells: Vec<&str> = line.split('|').collect();
            let number = |place: usize| cells[cells.len() - place].parse::<u64>().expect("an id");
            parents.insert(number(8), number(7));
        }
        Self {
            label,
            folder,
            rows,
            parents,
            lefts,
        }
    }

    pub(super) fn name(&self) -> String {
        self.label.name()
    }

    /// The snapshot of the printed columns, with usage as printed; and the node of each association.
    pub(super) fn printed(&self) -> (Snapshot, HashMap<u64, NodeId>) {
        let usage = |id: u64| self.rows[&id]["RawUsage"].parse().ok();
        self.snapshot(usage, UsagePrecision::Whole, Format::Sshare)
    }

    /// The snapshot of the printed columns with usage in full precision, if the capture has it.
    pub(super) fn exact(&self) -> Option<Snapshot> {
        let json = text(&self.folder, "sshare_a_json.json");
        let seeded = text(&self.folder, "SEEDED_USAGE.json");
        if !json.is_empty() {
            let json: serde_json::Value = serde_json::from_str(&json).ok()?;
            let shares = json["shares"]["shares"].as_array()?.iter();
            let usage: HashMap<u64, f64> = shares
                .filter_map(|share| {
                    let usage = share["tres"]["usage"].as_array()?.iter();
                    let billing = usage.clone().find(|tres| tres["name"] == "billing")?;
                    Some((share["id"].as_u64()?, billing["value"].as_f64()?))
                })
                .collect();
            let precision = UsagePrecision::Decimals(6);
            return Some(
                self.snapshot(|id| usage.get(&id).copied(), precision, Format::Sshare)
                    .0,
            );
        }
        let seeded: HashMap<String, f64> = serde_json::from_str(&seeded).ok()?;
        let seeded: HashMap<String, f64> = seeded
            .into_iter()
            .map(|(key, usage)| (key.to_lowercase(), usage))
            .collect();
        let usage = |id: u64| {
            let row = &self.rows[&id];
            let mut key = format!("{}/{}", row["Account"], row["User"]);
            if !row["Partition"].is_empty() {
                key = format!("{key}/{}", row["Partition"]);
            }
            (!row["User"].is_empty()).then(|| seeded.get(&key).copied().unwrap_or(0.0))
        };
        Some(
            self.snapshot(usage, UsagePrecision::Exact, Format::Sshare)
                .0,
        )
    }

    fn snapshot(
        &self,
        usage: impl Fn(u64) -> Option<f64>,
        usage_precision: UsagePrecision,
        format: Format,
    ) -> (Snapshot, HashMap<u64, NodeId>) {
        let mut builder = TreeBuilder::new(b"root");
        let mut nodes = HashMap::new();
        let mut children: HashMap<u64, Vec<u64>> = HashMap::new();
        for &id in self.rows.keys() {
            let parent = self.parents.get(&id).filter(|parent| **parent > 0);
            if let Some(&parent) = parent {
                children.entry(parent).or_default().push(id);
            }
        }
        let mut recorded = Recorded::default();
        recorded.usage_precision = usage_precision;
        let (&root, _) = self.rows.first_key_value().expect("a root");
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            let row = &self.rows[&id];
            let is_account = row["User"].is_empty();
            let node = if id == root {
                NodeId::ROOT
            } else {
                let (name, kind) = if is_account {
                    (&row["Account"], Kind::Account)
                } else {
                    (&row["User"], Kind::User)
                };
                let name = builder.intern(name.as_bytes());
                let node = builder.push(nodes[&self.parents[&id]], name, kind, Position::Last);
                let shares = row["RawShares"].parse().map_or(Shares::PARENT, Shares::new);
                builder.set_shares(node, shares);
                node
            };
            nodes.insert(id, node);
            if !row["Partition"].is_empty() {
                builder.set_partition(node, row["Partition"].as_bytes());
            }
            if let Some(usage) = usage(id) {
                builder.record(node, usage, !is_account);
            }
            for (column, fact) in FACTS {
                // Under classic, the command prints zeros for Level FS.
                if fact == Fact::LevelFs && self.label.is_classic() {
                    continue;
                }
                if let Ok(value) = row[column].parse() {
                    recorded.set(fact, node, Figure { value, decimals: 6 });
                }
            }
            let mut below = children.remove(&id).unwrap_or_default();
            below.sort_by_key(|id| (self.lefts.get(id).copied(), std::cmp::Reverse(*id)));
            pending.extend(below);
        }
        let mut settings = Settings {
            scheduler: Some(Scheduler::Slurm),
            ..Settings::default()
        };
        settings.slurm.tie_order = self.label.tie_order();
        let snapshot = Snapshot::new(
            builder.build(),
            settings,
            Source {
                format,
                version: self.label.version.clone(),
                ..Source::default()
            },
            recorded,
        );
        (snapshot, nodes)
    }
}
