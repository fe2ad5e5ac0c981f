//! One tree of several outputs.

use super::config::Config;
use super::rows::{Row, Rows};
use crate::format::source::source;
use crate::format::{LoadError, Loaded, Problem, Problems, Request, Severity};
use crate::model::{
    Kind, NameId, NodeId, Recorded, Scheduler, Settings, Shares, Snapshot, TieOrder, TreeBuilder,
    UsagePrecision,
};
use crate::number::counted;
use crate::shown::shown;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The account at the top of every Slurm tree.
const ROOT: &[u8] = b"root";

/// What Slurm counts usage in where its configuration does not weigh resources.
const USAGE_UNIT: &str = "TRES-seconds";

/// How many associations a message names.
const NAMED: usize = 3;

/// The first version whose lists are in the order of lineages.
const LINEAGE_SINCE: (u32, u32) = (23, 11);

/// An association by its names in the tree's own table. Equal ones are told apart by how many came before.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    account: usize,
    user: Option<usize>,
    partition: Option<usize>,
    repetition: u32,
}

/// One output, its names translated.
struct Part {
    rows: Rows,
    /// The tree's name of each name of the output.
    names: Vec<NameId>,
    /// The rows of the cluster that was chosen.
    chosen: Vec<u32>,
    /// The nodes of the chosen rows; nothing for what is not in the tree.
    nodes: Vec<Option<NodeId>>,
}

impl Part {
    fn name(&self, name: NameId) -> NameId {
        self.names[name.index()]
    }

    fn row(&self, place: usize) -> &Row {
        &self.rows.rows[self.chosen[place] as usize]
    }

    fn rows(&self) -> impl Iterator<Item = &Row> {
        self.chosen.iter().map(|&row| &self.rows.rows[row as usize])
    }

    /// The keys of the chosen rows, in their order.
    fn keys(&self) -> Vec<Key> {
        let mut seen: HashMap<Key, u32> = HashMap::new();
        let key = |row: &Row| Key {
            account: self.name(row.account).index(),
            user: row.user.map(|name| self.name(name).index()),
            partition: row.partition.map(|name| self.name(name).index()),
            repetition: 0,
        };
        self.rows()
            .map(|row| {
                let key = key(row);
                let count = seen.entry(key).or_insert(0);
                let repetition = *count;
                *count += 1;
                Key { repetition, ..key }
            })
            .collect()
    }

    /// How a row is named in messages: `physics/alice`.
    fn label(&self, row: &Row) -> String {
        let account = shown(self.rows.names.names().bytes(row.account));
        match row.user {
            Some(user) => format!("{account}/{}", shown(self.rows.names.names().bytes(user))),
            None => account,
        }
    }

    /// Whether parents are said by name and not by indentation, which a name can imitate.
    fn names_parents(&self) -> bool {
        self.rows.format != crate::format::Format::Sshare
            && self.rows().any(|row| row.parent.is_some())
    }

    fn has_usage(&self) -> bool {
        self.rows().any(|row| row.usage.amount().is_some())
    }
}

/// Makes one tree of several outputs about one cluster.
///
/// # Errors
/// If there is no output with a tree, or they are of several clusters and none was chosen.
pub fn assemble(
    parts: Vec<Rows>,
    configs: Vec<Config>,
    request: &Request,
) -> Result<Loaded, LoadError> {
    let mut problems = Problems::default();
    let mut builder = TreeBuilder::new(ROOT);
    let mut parts: Vec<Part> = parts
        .into_iter()
        .map(|rows| part(rows, &mut builder))
        .collect();
    let cluster = choose_cluster(&mut parts, request)?;
    for part in &mut parts {
        problems.append(std::mem::take(&mut part.rows.problems));
    }
    // What shows only some of the associations does not decide which there are.
    let complete = parts.iter().position(|part| part.rows.incomplete.is_none());
    let base = complete.unwrap_or(0);
    let Some(first) = parts.get(base) else {
        return Err(LoadError::Refused(
            "this is the output of scontrol show config: settings without a tree; open the output of sshare, and \
             give this with --config"
                .to_owned(),
        ));
    };
    if first.chosen.is_empty() {
        return Err(LoadError::Refused(format!(
            "{} lists no association; expected accounts and users: look at what the command printed",
            first.rows.file
        )));
    }
    let mut growth = Growth {
        builder,
        problems,
        incomplete: first.rows.incomplete.clone(),
    };
    growth.plant(&mut parts, base);
    let usage = choose_usage(&parts);
    let origins = origins(&parts, base, usage);
    let mut recorded = Recorded::default();
    recorded.incomplete = growth.incomplete.take();
    let mut problems = growth.problems;
    match usage {
        Some(usage) => {
            let part = &parts[usage];
            recorded.usage_precision = part.rows.usage_precision;
            for (place, node) in part.nodes.iter().enumerate() {
                let row = part.row(place);
                if let (Some(node), Some(amount)) = (*node, row.usage.amount()) {
                    growth.builder.record(node, amount, row.user.is_some());
                }
            }
        }
        None => problems.push(Problem::about(
            Severity::Warning,
            "slurm-no-usage",
            &parts[base].rows.file,
            "it holds shares and no usage, so nobody has used anything",
            "give the output of sshare -a -m -l -P beside it",
        )),
    }
    let mut by_quality: Vec<&Part> = parts.iter().collect();
    // The most exact numbers are written last and stay.
    by_quality.sort_by_key(|part| quality(&part.rows));
    for part in by_quality {
        record(part, &mut recorded);
    }
    let version = version(&parts, &configs);
    let knows_age = parts[base].rows().any(|row| row.id > 0 || row.left > 0);
    let mut settings = Settings {
        scheduler: Some(Scheduler::Slurm),
        ..Settings::default()
    };
    let mut policy = parts.iter().find_map(|part| part.rows.policy);
    let mut taken = parts.iter().find_map(|part| part.rows.taken);
    for config in &configs {
        settings = Settings {
            scheduler: Some(Scheduler::Slurm),
            ..config.settings.clone()
        };
        policy = config.policy.or(policy);
        taken = config.taken.or(taken);
        problems.append(config.problems.clone());
        if let Some(cluster) = cluster.as_deref()
            && !config.cluster.is_empty()
            && config.cluster != cluster
        {
            problems.push(Problem::about(
                Severity::Warning,
                "slurm-other-cluster",
                &config.file,
                format!(
                    "it holds the settings of the cluster {}, and the tree is of {}",
                    shown(config.cluster.as_bytes()),
                    shown(cluster.as_bytes())
                ),
                "give the scontrol show config of the tree's own cluster",
            ));
        }
    }
    if let Some(version) = version.as_deref().and_then(release) {
        settings.slurm.tie_order = if version >= LINEAGE_SINCE {
            TieOrder::Lineage
        } else if knows_age {
            TieOrder::Newest
        } else {
            // Which association is the newest is not to be seen; as printed is the best there is.
            TieOrder::Name
        };
    }
    let mut source = source(request, parts[base].rows.format);
    source.usage_unit = USAGE_UNIT.to_owned();
    source.taken = taken;
    source.version = version.unwrap_or_default();
    source.origins = origins;
    source.cluster = cluster
        .or_else(|| {
            let mut names = configs.iter().map(|config| config.cluster.clone());
            names.find(|name| !name.is_empty())
        })
        .unwrap_or_default();
    let snapshot = Snapshot {
        tree: growth.builder.build(),
        settings,
        source,
        recorded: Arc::new(recorded),
    };
    Ok(Loaded {
        policy: policy.map(str::to_owned),
        ..Loaded::new(snapshot, problems)
    })
}

fn part(rows: Rows, builder: &mut TreeBuilder) -> Part {
    let names = rows.names.names().iter();
    let names = names.map(|(_, bytes)| builder.intern(bytes)).collect();
    Part {
        names,
        chosen: Vec::new(),
        nodes: Vec::new(),
        rows,
    }
}

/// Keeps the rows of one cluster; gives its name, where any output tells.
fn choose_cluster(parts: &mut [Part], request: &Request) -> Result<Option<String>, LoadError> {
    let mut clusters: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    for part in &*parts {
        for row in &part.rows.rows {
            if let Some(cluster) = row.cluster {
                let name = part.rows.names.names().bytes(cluster);
                match clusters.get_mut(name) {
                    Some(count) => *count += 1,
                    None => {
                        clusters.insert(name.to_vec(), 1);
                    }
                }
            }
        }
    }
    let listed = || {
        let names = clusters.keys().map(|name| shown(name));
        names.collect::<Vec<_>>().join(", ")
    };
    let wanted: Option<Vec<u8>> = match (&request.cluster, clusters.len()) {
        (Some(cluster), 1..) if !clusters.contains_key(cluster.as_bytes()) => {
            return Err(LoadError::Refused(format!(
                "there is no cluster {}; the source holds {}",
                shown(cluster.as_bytes()),
                listed()
            )));
        }
        (Some(cluster), _) => Some(cluster.clone().into_bytes()),
        (None, 0) => None,
        (None, 1) => clusters.keys().next().cloned(),
        (None, count) => {
            return Err(LoadError::Refused(format!(
                "the source holds {count} clusters: {}; a tree is of one: choose it with --cluster NAME",
                listed()
            )));
        }
    };
    for part in parts {
        let names = part.rows.names.names();
        let is_wanted = |row: &Row| match (row.cluster, &wanted) {
            (Some(cluster), Some(wanted)) => names.bytes(cluster) == wanted,
            _ => true,
        };
        let rows = (0_u32..).zip(&part.rows.rows);
        part.chosen = rows
            .filter(|(_, row)| is_wanted(row))
            .map(|(place, _)| place)
            .collect();
        part.nodes = vec![None; part.chosen.len()];
    }
    Ok(wanted.map(|name| String::from_utf8_lossy(&name).into_owned()))
}

/// The tree while it grows.
struct Growth {
    builder: TreeBuilder,
    problems: Problems,
    incomplete: Option<String>,
}

impl Growth {
    /// Makes the nodes of the base output, with their shares, and finds them again in the other outputs.
    fn plant(&mut self, parts: &mut [Part], base: usize) {
        let above = self.accounts_above(parts, base);
        let part = &parts[base];
        let count = part.chosen.len();
        self.builder.reserve(count);
        // Older associations get smaller ids.
        let mut by_age: Vec<usize> = (0..count).collect();
        if part.rows().any(|row| row.id > 0 || row.left > 0) {
            by_age.sort_by_key(|&place| {
                let row = part.row(place);
                (std::cmp::Reverse(row.left), row.id)
            });
        }
        let mut nodes = vec![NodeId::ROOT; count];
        let mut of_account: HashMap<usize, NodeId> = HashMap::new();
        let mut repeated = Vec::new();
        let mut root = None;
        for place in by_age {
            let row = part.row(place);
            let account = part.name(row.account);
            if row.user.is_none() {
                if let Some(&node) = of_account.get(&account.index()) {
                    repeated.push(part.label(row));
                    nodes[place] = node;
                    continue;
                }
                let is_top = row.parent.is_none() && self.builder.name_bytes(account) == ROOT;
                let node = if is_top && root.is_none() {
                    root = Some(place);
                    NodeId::ROOT
                } else {
                    self.builder.push_apart(account, Kind::Account)
                };
                of_account.insert(account.index(), node);
                nodes[place] = node;
            } else if let Some(user) = row.user {
                nodes[place] = self.builder.push_apart(part.name(user), Kind::User);
            }
        }
        self.tell_repeated(&part.rows.file, &repeated);
        self.tell_same_users(part);
        if root.is_none() {
            self.incomplete.get_or_insert_with(|| {
                "the account root is not in it, so it is a part of a tree".to_owned()
            });
            self.problems.push(Problem::about(
                Severity::Warning,
                "slurm-no-root",
                &part.rows.file,
                "the account root is not in it: accounts were filtered, or your site shows you only some; portions \
                 are of what is listed",
                "run sshare -a -m -l -P without -A and -u, as an operator",
            ));
        }
        self.attach(part, &nodes, &mut of_account, &above);
        for (place, &node) in nodes.iter().enumerate() {
            let row = part.row(place);
            if node != NodeId::ROOT {
                self.builder
                    .set_shares(node, row.shares.unwrap_or(Shares::new(1)));
                if let Some(partition) = row.partition {
                    let partition = part.rows.names.names().bytes(partition);
                    self.builder.set_partition(node, partition);
                }
            }
        }
        parts[base].nodes = nodes.into_iter().map(Some).collect();
        if parts.len() > 1 {
            self.find_again(parts, base);
        }
    }

    /// Puts every node under its account.
    fn attach(
        &mut self,
        part: &Part,
        nodes: &[NodeId],
        of_account: &mut HashMap<usize, NodeId>,
        above: &HashMap<usize, usize>,
    ) {
        let mut is_attached = vec![false; self.builder.len()];
        is_attached[0] = true;
        let (mut orphans, mut homeless) = (Vec::new(), Vec::new());
        for (place, &node) in nodes.iter().enumerate() {
            if is_attached.get(node.index()) == Some(&true) {
                continue;
            }
            let row = part.row(place);
            let account = part.name(row.account);
            let home = if row.user.is_some() {
                Some(account.index())
            } else {
                above.get(&account.index()).copied()
            };
            let known = home.and_then(|home| of_account.get(&home).copied());
            let parent = match (known, row.user) {
                (Some(parent), _) => parent,
                (None, Some(_)) => {
                    homeless.push(part.label(row));
                    let node = self.builder.push_apart(account, Kind::Account);
                    self.builder.attach(node, NodeId::ROOT);
                    self.builder.set_shares(node, Shares::new(1));
                    of_account.insert(account.index(), node);
                    node
                }
                (None, None) => {
                    orphans.push(part.label(row));
                    NodeId::ROOT
                }
            };
            self.builder.attach(node, parent);
            if let Some(attached) = is_attached.get_mut(node.index()) {
                *attached = true;
            }
        }
        let file = &part.rows.file;
        if !orphans.is_empty() && self.incomplete.is_none() {
            self.problems.push(Problem::about(
                Severity::Warning,
                "slurm-orphan",
                file,
                format!(
                    "the account above {} is not to be found; {} put under root",
                    some(&orphans),
                    if orphans.len() == 1 { "it was" } else { "they were" }
                ),
                "give the output of sacctmgr dump or sshare -a --json first, which name the account above",
            ));
        }
        if !homeless.is_empty() {
            self.incomplete
                .get_or_insert_with(|| "accounts of some users are not in it".to_owned());
            self.problems.push(Problem::about(
                Severity::Warning,
                "slurm-user-without-account",
                file,
                format!(
                    "the accounts of {} have no row of their own; they were made under root with 1 share",
                    some(&homeless)
                ),
                "run sshare -a -m -l -P without -A, -u and -U",
            ));
        }
    }

    /// The account above each account, by name: where it is said by name from there, else from the base output.
    /// Who stands above himself is left out, and so becomes an orphan.
    fn accounts_above(&mut self, parts: &[Part], base: usize) -> HashMap<usize, usize> {
        let mut above = HashMap::new();
        let exact = parts.iter().filter(|part| part.names_parents());
        let rest = std::iter::once(&parts[base]);
        for part in exact.chain(rest) {
            for row in part.rows().filter(|row| row.user.is_none()) {
                if let Some(parent) = row.parent {
                    let account = part.name(row.account).index();
                    above
                        .entry(account)
                        .or_insert_with(|| part.name(parent).index());
                }
            }
        }
        let mut looped = Vec::new();
        let mut is_safe: HashMap<usize, bool> = HashMap::new();
        for &account in above.keys() {
            let mut line = Vec::new();
            let mut here = Some(account);
            while let Some(next) = here.filter(|next| !is_safe.contains_key(next)) {
                is_safe.insert(next, false);
                line.push(next);
                here = above.get(&next).copied();
            }
            // Back on the line that is being walked: it bites its tail.
            if here.is_some_and(|next| line.contains(&next)) {
                looped.extend(here);
            }
            for account in line {
                is_safe.insert(account, true);
            }
        }
        for account in &looped {
            above.remove(account);
        }
        if !looped.is_empty() {
            self.problems.push(Problem::about(
                Severity::Error,
                "slurm-account-loop",
                &parts[base].rows.file,
                "accounts stand above one another in a circle, and one of each circle was put under root",
                "look at the accounts with sacctmgr show assoc tree",
            ));
        }
        above
    }

    /// Finds the base output's associations in the others.
    fn find_again(&mut self, parts: &mut [Part], base: usize) {
        let keys = parts[base].keys();
        let known: HashMap<Key, NodeId> = keys
            .into_iter()
            .zip(parts[base].nodes.iter().flatten().copied())
            .collect();
        let base_file = parts[base].rows.file.clone();
        for (index, part) in parts.iter_mut().enumerate() {
            if index == base {
                continue;
            }
            let mut unknown = Vec::new();
            for (place, key) in part.keys().into_iter().enumerate() {
                let node = known.get(&key).copied();
                if node.is_none() {
                    unknown.push(part.label(part.row(place)));
                }
                part.nodes[place] = node;
            }
            let found = part.nodes.iter().flatten().count();
            let missing = known.len().saturating_sub(found);
            if (!unknown.is_empty() || missing > 0) && part.rows.incomplete.is_none() {
                let mut message = String::new();
                if !unknown.is_empty() {
                    message = format!(
                        "{} not in {base_file} and left out: {}",
                        counted(unknown.len(), "association is", "associations are"),
                        some(&unknown)
                    );
                }
                if missing > 0 {
                    if !message.is_empty() {
                        message.push_str("; ");
                    }
                    message += &format!(
                        "{} of {base_file} not in it",
                        counted(missing, "association is", "associations are")
                    );
                }
                self.problems.push(Problem::about(
                    Severity::Warning,
                    "slurm-outputs-differ",
                    &part.rows.file,
                    message,
                    "take both outputs at the same time, with -m where associations have partitions",
                ));
            }
        }
    }

    fn tell_repeated(&mut self, file: &str, repeated: &[String]) {
        if !repeated.is_empty() {
            self.problems.push(Problem::about(
                Severity::Warning,
                "slurm-duplicate-row",
                file,
                format!("{} again; the first row counts", some_are_listed(repeated)),
                "look whether two outputs were written into one file",
            ));
        }
    }

    /// Users with several rows in one account that nothing tells apart: associations with partitions, as a rule.
    fn tell_same_users(&mut self, part: &Part) {
        let keys = part.keys();
        let again = keys
            .iter()
            .enumerate()
            .filter(|(_, key)| key.repetition > 0);
        let names: Vec<String> = again
            .filter(|&(place, _)| part.row(place).user.is_some())
            .map(|(place, _)| part.label(part.row(place)))
            .collect();
        if !names.is_empty() {
            self.problems.push(Problem::about(
                Severity::Note,
                "slurm-same-user",
                &part.rows.file,
                format!(
                    "{} more than once; each row is an association of its own, probably of one partition",
                    some_are_listed(&names)
                ),
                "run sshare with -m to see the partitions",
            ));
        }
    }
}

fn some_are_listed(names: &[String]) -> String {
    let verb = if names.len() == 1 { "is" } else { "are" };
    format!("{} {verb} listed", some(names))
}

/// A few names of a list, and how many more there are.
pub(super) fn some(names: &[String]) -> String {
    let mut text = names[..names.len().min(NAMED)].join(", ");
    if names.len() > NAMED {
        text += &format!(" and {} more", names.len() - NAMED);
    }
    text
}

/// How much of a number an output shows; larger is more.
fn quality(rows: &Rows) -> u8 {
    match rows.usage_precision {
        UsagePrecision::Exact => u8::MAX,
        UsagePrecision::Whole => 0,
        UsagePrecision::Decimals(decimals) => decimals.min(u8::MAX - 1),
    }
}

/// The output from which usage is taken: the one that cuts off least, of equals the first.
fn choose_usage(parts: &[Part]) -> Option<usize> {
    let with_usage = parts
        .iter()
        .enumerate()
        .filter(|(_, part)| part.has_usage());
    let best = with_usage.rev().max_by_key(|(_, part)| quality(&part.rows));
    best.map(|(index, _)| index)
}

/// Which output gave what, where there are several.
fn origins(parts: &[Part], base: usize, usage: Option<usize>) -> Vec<String> {
    if parts.len() < 2 {
        return Vec::new();
    }
    let named = |index: usize| {
        let rows = &parts[index].rows;
        format!("{} ({})", rows.file, rows.format.name())
    };
    let mut origins = vec![format!("associations and shares are from {}", named(base))];
    if let Some(usage) = usage {
        let digits = match parts[usage].rows.usage_precision {
            UsagePrecision::Exact => "in full".to_owned(),
            UsagePrecision::Whole => "cut to whole numbers".to_owned(),
            UsagePrecision::Decimals(decimals) => format!("with {decimals} decimals"),
        };
        origins.push(format!("usage is from {}, {digits}", named(usage)));
    }
    origins
}

/// Takes over what an output recorded.
fn record(part: &Part, recorded: &mut Recorded) {
    let mut place_of = vec![None; part.rows.rows.len()];
    for (place, &row) in part.chosen.iter().enumerate() {
        place_of[row as usize] = part.nodes[place];
    }
    for (fact, figures) in &part.rows.figures {
        for (node, figure) in place_of.iter().zip(figures) {
            if let Some(node) = *node
                && !figure.value.is_nan()
            {
                recorded.set(*fact, node, *figure);
            }
        }
    }
    for (fact, texts) in &part.rows.texts {
        for (node, text) in place_of.iter().zip(texts) {
            if let Some(node) = *node
                && !text.is_empty()
            {
                recorded.set_text(*fact, node, text);
            }
        }
    }
}

fn version(parts: &[Part], configs: &[Config]) -> Option<String> {
    let of_configs = configs.iter().map(|config| config.version.clone());
    let of_configs = of_configs.filter(|version| !version.is_empty());
    let of_parts = parts.iter().filter_map(|part| part.rows.version.clone());
    of_configs.chain(of_parts).next()
}

/// `24.11.5` as (24, 11).
pub(super) fn release(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}
