//! Builds one tree from several outputs.

mod cluster;
mod columns;
mod derived;
mod error;
mod growth;
mod others;
mod part;
mod problem;
mod usage;
mod views;

use super::ROOT;
use super::config::Config;
use super::json::BILLING_DIFFERS;
use super::rows::{Row, Rows, USERS_MISSING};
use crate::base::cores;
use crate::base::shown::shown;
use crate::format::problem::{Place, Problems};
use crate::format::{LoadResult, Loaded, Request};
use crate::model::{
    Fact, LINEAGE_SINCE, NodeId, Origin, OutputFile, Recorded, Scheduler, Settings, Snapshot,
    TieOrder, Tree, UsagePrecision, release_of,
};
use crate::rules::policy::Policy;
use cluster::choose_cluster;
use derived::{DerivedColumns, PORTION};
use error::AssembleError;
use growth::CombinedTree;
use others::BaseOutput;
use part::OutputPart;
use problem::AssembleProblem;
pub(crate) use problem::OF_TWO_MOMENTS;
use std::sync::Arc;

/// The unit of Slurm's usage if its configuration does not weight resources.
const USAGE_UNIT: &str = "TRES-seconds";

/// The columns that say most about a rank, the best first.
const TELLING: &[Fact] = &[
    Fact::FairShareRaw,
    Fact::FairShare,
    Fact::LevelFs,
    Fact::EffectvUsage,
];

/// The problems of an output that do not matter if another one states the parents.
const OF_STRUCTURE: &[&str] = &[
    "slurm-flat",
    "slurm-no-parents",
    "slurm-no-shares",
    "slurm-slash",
    "slurm-slash-in-name",
    USERS_MISSING,
];

/// What the outputs and the configurations state of the cluster.
struct Statements<'a> {
    /// The configurations in the order given.
    configs: &'a [Config],
    /// The outputs in the order given.
    parts: &'a [OutputPart],
}

/// Which of the outputs gives what, by their places.
struct Givers {
    /// The one whose associations form the tree.
    base: usize,
    /// The one with the usage; `None` if there is no usage.
    usage: Option<usize>,
    /// The one with the most precise factors; `None` if there are none.
    factors: Option<usize>,
}

/// Builds one tree from several outputs. Fails without a tree, or for several clusters of which none was requested.
pub fn assemble(outputs: Vec<Rows>, configs: &[Config], request: &Request) -> LoadResult<Loaded> {
    let (mut parts, builder) = part::parts(outputs, ROOT);
    let cluster = choose_cluster(&mut parts, builder.names(), request)?;
    let is_joined = views::join_views(&mut parts);
    let base = base_output(&parts)?;
    let problems = take_problems(&mut parts, base);
    let mut recorded = Recorded::default();
    recorded.incomplete = parts[base].rows.incomplete;
    let mut growth = CombinedTree::new(builder, problems, recorded);
    growth.add_nodes(&mut parts, base);
    usage::keep_one_moment(&mut parts, &mut growth.problems);
    let usage = usage::choose_usage(&parts);
    usage::record_usage(&mut parts, usage, base, &mut growth);
    growth.sum_up();
    let mut problems = growth.problems;
    let mut recorded = growth.recorded;
    if recorded.usage_precision != UsagePrecision::Whole {
        // Another output has the decimals.
        problems = problems.without(&[BILLING_DIFFERS]);
    }
    let factors = columns::record_all(&mut parts, &mut recorded);
    let givers = Givers {
        base,
        usage,
        factors,
    };
    let parts = &parts[..];
    let statements = Statements { configs, parts };
    let policy = statements.policy();
    let is_fair_tree = is_fair_tree(policy, &recorded);
    let mut derived = DerivedColumns {
        builder: &mut growth.builder,
        recorded: &mut recorded,
        is_fair_tree,
    };
    let are_portions = derived.derive_shares(&mut problems);
    let mut unit = usage_unit(parts, usage);
    if usage.is_none() {
        if derived.derive_usage(&mut problems) {
            PORTION.clone_into(&mut unit);
        } else {
            usage::note_missing(parts, &mut recorded, &mut problems);
        }
    }
    let mut settings = settings(configs, cluster.as_deref(), &mut problems);
    let base_output = BaseOutput {
        is_alone: parts.len() == 1,
        is_joined,
        are_portions,
    };
    others::add_others(
        &mut growth.builder,
        &mut recorded,
        policy,
        base_output,
        &mut problems,
    );
    cores::rest();
    let tree = growth.builder.build();
    let version = statements.version();
    if let Some(tie_order) = statements.tie_order(&version) {
        settings.slurm.tie_order = tie_order;
    }
    let mut source = request.file_source(parts[base].rows.format);
    source.usage_unit = unit;
    source.taken = statements.taken();
    source.version = version;
    source.origins = origins(parts, &givers);
    if let Some(factors) = factors {
        source.recorded_in = parts[factors].rows.file.clone();
    }
    source.dump = dump_of(parts, base, &tree);
    source.lacks_settings = configs.is_empty();
    source.cluster = match cluster {
        Some(cluster) => cluster,
        None => statements.configured_cluster(),
    };
    growth::note_same_users(&mut problems, &parts[base], &tree);
    let snapshot = Snapshot::new(tree, settings, source, recorded);
    let mut loaded = Loaded::new(snapshot, problems);
    loaded.policy = policy;
    Ok(loaded)
}

/// Returns whether the rule is Fair Tree. Where nothing else tells, the root's portion does: under classic rules all shares
/// are its own.
fn is_fair_tree(policy: Option<Policy>, recorded: &Recorded) -> bool {
    match policy {
        Some(policy) => policy == Policy::FairTree,
        None => match recorded.figure(Fact::NormShares, NodeId::ROOT) {
            Some(portion) => portion.value < 1.0,
            None => true,
        },
    }
}

/// Returns the unit of the usage of an output; that of Slurm if it has no other.
fn usage_unit(parts: &[OutputPart], usage: Option<usize>) -> String {
    if let Some(usage) = usage
        && let Some(unit) = &parts[usage].rows.usage_unit
    {
        return unit.clone();
    }
    USAGE_UNIT.to_owned()
}

/// Returns the output whose associations form the tree: the first that lists all of its cluster, or else the first with
/// shares. Fails if there is none, or if it is empty.
fn base_output(parts: &[OutputPart]) -> LoadResult<usize> {
    let mut base = None;
    for (index, part) in parts.iter().enumerate() {
        if part.is_of_period() {
            continue;
        }
        // An output that shows only some of the associations does not decide which there are.
        if part.rows.incomplete.is_none() {
            base = Some(index);
            break;
        }
        base = base.or(Some(index));
    }
    let Some(base) = base else {
        return Err(match parts.first() {
            Some(report) => AssembleError::only_reports(&report.rows.file).into(),
            None => AssembleError::OnlySettings.into(),
        });
    };
    if parts[base].rows().next().is_none() {
        let file = parts[base].rows.file.clone();
        return Err(AssembleError::Empty { file }.into());
    }
    Ok(base)
}

/// Takes the problems of all outputs, without those that do not matter if another output is the base.
fn take_problems(parts: &mut [OutputPart], base: usize) -> Problems {
    let mut problems = Problems::of(parts[base].rows.file.clone());
    for (index, part) in parts.iter_mut().enumerate() {
        let own = std::mem::take(&mut part.rows.problems);
        if index == base {
            problems.append(own);
        } else {
            problems.append(own.without(OF_STRUCTURE));
        }
    }
    problems
}

/// Returns the dump that the tree was read from, or one with the same accounts, users and shares.
fn dump_of(parts: &[OutputPart], base: usize, tree: &Tree) -> Option<Arc<Vec<u8>>> {
    let own = &parts[base].rows.dump;
    if own.is_some() {
        return own.clone();
    }
    let part = parts.iter().find(|part| part.rows.dump.is_some())?;
    let mut count = 0;
    for (node, row) in part.known_rows() {
        count += 1;
        if node != NodeId::ROOT && !is_same(row, tree, node) {
            return None;
        }
    }
    if count != tree.nodes().len() || count != part.rows().count() {
        return None;
    }
    part.rows.dump.clone()
}

/// Returns whether a row has the shares and the account of a node.
fn is_same(row: &Row, tree: &Tree, node: NodeId) -> bool {
    let Some(parent) = tree.parent(node) else {
        return false;
    };
    let Some(above) = row.above() else {
        return false;
    };
    let has_parent = tree.names().bytes(above) == tree.name(parent);
    has_parent && row.shares == Some(tree.shares(node))
}

/// Returns the settings of the last configuration. One of another cluster is a problem.
fn settings(configs: &[Config], cluster: Option<&str>, problems: &mut Problems) -> Settings {
    let mut settings = Settings::default();
    for config in configs {
        // A slurm.conf does not tell when the controller was started.
        let booted = config.settings.slurm.booted.or(settings.slurm.booted);
        settings = config.settings.clone();
        settings.slurm.booted = booted;
        let mut of_config = config.problems.clone();
        if let Some(cluster) = cluster
            && !config.cluster.is_empty()
            && config.cluster != cluster
        {
            let other = shown(config.cluster.as_bytes());
            let own = shown(cluster.as_bytes());
            let problem = AssembleProblem::OtherCluster { other, own };
            of_config.report(Place::WHOLE, problem);
        }
        problems.append(of_config);
    }
    settings.scheduler = Some(Scheduler::Slurm);
    settings
}

impl Statements<'_> {
    /// Returns Slurm's version; empty if nothing states it.
    fn version(&self) -> String {
        for config in self.configs {
            if !config.version.is_empty() {
                return config.version.clone();
            }
        }
        let stated = self.parts.iter().find_map(|part| part.rows.version.clone());
        stated.unwrap_or_default()
    }

    /// Returns the order in which Slurm visits associations that tie; `None` if nothing tells it.
    fn tie_order(&self, version: &str) -> Option<TieOrder> {
        let Some(release) = release_of(version) else {
            return self.parts.iter().find_map(|part| part.rows.tie_order);
        };
        if release >= LINEAGE_SINCE {
            Some(TieOrder::Lineage)
        } else if self.parts.iter().any(OutputPart::knows_age) {
            Some(TieOrder::Newest)
        } else {
            // It is unknown which association is the newest. The order printed is the best approximation.
            Some(TieOrder::Name)
        }
    }

    /// Returns the policy of the last configuration that chooses one, or else the one that an output reveals.
    fn policy(&self) -> Option<Policy> {
        for config in self.configs.iter().rev() {
            if config.policy.is_some() {
                return config.policy;
            }
        }
        self.parts.iter().find_map(|part| part.rows.policy)
    }

    /// Returns when the newest configuration was printed, or else the first output that tells it, in Unix seconds.
    fn taken(&self) -> Option<i64> {
        let mut newest = None;
        for config in self.configs {
            newest = newest.max(config.taken);
        }
        if newest.is_some() {
            return newest;
        }
        self.parts.iter().find_map(|part| part.rows.taken)
    }

    /// Returns the cluster that a configuration names; empty if none does.
    fn configured_cluster(&self) -> String {
        for config in self.configs {
            if !config.cluster.is_empty() {
                return config.cluster.clone();
            }
        }
        String::new()
    }
}

/// Returns the place of the output with the highest rank, the first of equal ones. `None` if none has a rank.
fn highest<K: Ord>(parts: &[OutputPart], rank: impl Fn(&OutputPart) -> Option<K>) -> Option<usize> {
    let mut highest = None;
    let mut place = None;
    for (index, part) in parts.iter().enumerate() {
        let rank = rank(part);
        if rank > highest {
            highest = rank;
            place = Some(index);
        }
    }
    place
}

/// Returns the decimals of the columns that say most about a rank; the least number for a column without any.
fn decimals(part: &OutputPart) -> Vec<i8> {
    let mut decimals = Vec::new();
    for fact in TELLING {
        decimals.push(part.decimals(*fact).unwrap_or(i8::MIN));
    }
    decimals
}

/// Returns which output gave which numbers, if there are several.
fn origins(parts: &[OutputPart], givers: &Givers) -> Vec<Origin> {
    if parts.len() < 2 {
        return Vec::new();
    }
    let base = output(&parts[givers.base]);
    let mut origins = vec![Origin::Associations(base)];
    if let Some(usage) = givers.usage {
        let part = &parts[usage];
        let precision = part.rows.usage_precision;
        origins.push(Origin::Usage(output(part), precision));
    }
    if let Some(factors) = givers.factors
        && givers.factors != givers.usage
    {
        let file = output(&parts[factors]);
        origins.push(Origin::Factors(file));
    }
    origins
}

/// Returns the file and the format of an output.
fn output(part: &OutputPart) -> OutputFile {
    OutputFile {
        file: part.rows.file.clone(),
        format: part.rows.format,
    }
}
