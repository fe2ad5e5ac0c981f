//! Builds one tree from several outputs.

mod combine;
mod growth;
mod part;

use super::config::Config;
use super::rows::Rows;
use crate::base::shown::{sentence, shown};
use crate::format::problem::{Place, Problems};
use crate::format::{LoadError, LoadResult, Loaded, Request};
use crate::model::{
    LINEAGE_SINCE, Recorded, Scheduler, Settings, Snapshot, Source, TieOrder, release_of,
};
use growth::CombinedTree;
use part::{OutputPart, choose_cluster};

/// The account at the top of every Slurm tree.
const ROOT: &[u8] = b"root";

/// The unit of Slurm's usage if its configuration does not weight resources.
const USAGE_UNIT: &str = "TRES-seconds";

/// The problems of an output that do not matter if another one states the parents.
const OF_STRUCTURE: &[&str] = &[
    "slurm-flat",
    "slurm-no-parents",
    "slurm-no-shares",
    "slurm-slash",
    "slurm-slash-in-name",
    "slurm-users-missing",
];

/// Builds one tree from several outputs. Fails without a tree, or for several clusters of which none was requested.
pub fn assemble(parts: Vec<Rows>, configs: &[Config], request: &Request) -> LoadResult<Loaded> {
    let (mut parts, builder) = part::parts(parts, ROOT);
    let cluster = choose_cluster(&mut parts, builder.names(), request)?;
    // An output that shows only some of the associations does not decide which there are.
    let has_shares = |part: &OutputPart| !part.is_of_period();
    let is_whole = |part: &OutputPart| has_shares(part) && part.rows.incomplete.is_none();
    let complete = parts.iter().position(is_whole);
    let base = complete.or_else(|| parts.iter().position(has_shares));
    let Some(base) = base else {
        return Err(LoadError::Refused(match parts.first() {
            Some(part) => sentence!(
                "{} is a report of sreport, which has usage but no shares; give shares as well, as in: sacctmgr -P \
                 show assoc tree format=Cluster,Account,User,Partition,Share > assoc.txt; fairscope assoc.txt {0}",
                part.rows.file
            ),
            None => "this is the output of scontrol show config: settings without a tree; open the output of sshare, \
                     and give this file with --config"
                .into(),
        }));
    };
    let first = &parts[base];
    if first.rows().next().is_none() {
        return Err(LoadError::Refused(sentence!(
            "{} lists no association; expected accounts and users: look at what the command printed",
            first.rows.file
        )));
    }
    let mut recorded = Recorded::default();
    recorded.incomplete = first.rows.incomplete;
    let mut problems = Problems::of(first.rows.file.clone());
    for (index, part) in parts.iter_mut().enumerate() {
        let revealed = std::mem::take(&mut part.rows.problems);
        problems.append(if index == base {
            revealed
        } else {
            revealed.without(OF_STRUCTURE)
        });
    }
    let mut growth = CombinedTree {
        builder,
        problems,
        recorded,
        has_root: false,
    };
    growth.add_nodes(&mut parts, base);
    combine::keep_one_moment(&mut parts, &mut growth.problems);
    let used = combine::choose_usage(&parts);
    combine::record_usage(&mut parts, used, base, &mut growth);
    growth.sum_up();
    let (mut problems, mut recorded) = (growth.problems, growth.recorded);
    let precise = combine::record_all(&mut parts, &mut recorded);
    let versions = configs.iter().map(|config| &config.version);
    let versions = versions.filter(|version| !version.is_empty());
    let mut versions = versions.chain(parts.iter().filter_map(|part| part.rows.version.as_ref()));
    let version = versions.next().cloned().unwrap_or_default();
    let mut settings = settings(configs, cluster.as_deref(), &mut problems);
    let revealed = parts.iter().find_map(|part| part.rows.tie_order);
    settings.slurm.tie_order = match release_of(&version) {
        Some(release) if release >= LINEAGE_SINCE => TieOrder::Lineage,
        Some(_) if parts.iter().any(OutputPart::knows_age) => TieOrder::Newest,
        // It is unknown which association is the newest. The order printed is the best approximation.
        Some(_) => TieOrder::Name,
        None => revealed.unwrap_or(settings.slurm.tie_order),
    };
    let last_first = || configs.iter().rev();
    let policy = last_first().find_map(|config| config.policy);
    let policy = policy.or_else(|| parts.iter().find_map(|part| part.rows.policy));
    let taken = last_first().find_map(|config| config.taken);
    let unit = used.and_then(|used| parts[used].rows.usage_unit.clone());
    let recorded_in = precise.map(|index| parts[index].rows.file.clone());
    let mut names = configs.iter().map(|config| config.cluster.clone());
    let cluster = cluster.or_else(|| names.find(|name| !name.is_empty()));
    let source = Source {
        usage_unit: unit.unwrap_or_else(|| USAGE_UNIT.to_owned()),
        taken: taken.or_else(|| parts.iter().find_map(|part| part.rows.taken)),
        version,
        origins: combine::origins(&parts, base, used, precise),
        recorded_in: recorded_in.unwrap_or_default(),
        dump: parts.iter().find_map(|part| part.rows.dump.clone()),
        lacks_settings: configs.is_empty(),
        cluster: cluster.unwrap_or_default(),
        ..request.source(parts[base].rows.format)
    };
    let tree = growth.builder.build();
    CombinedTree::note_same_users(&mut problems, &parts[base], &tree);
    let snapshot = Snapshot::new(tree, settings, source, recorded);
    Ok(Loaded {
        policy,
        ..Loaded::new(snapshot, problems)
    })
}

fn settings(configs: &[Config], cluster: Option<&str>, problems: &mut Problems) -> Settings {
    let mut settings = Settings::default();
    for config in configs {
        // A slurm.conf does not tell when the controller was started.
        let booted = config.settings.slurm.booted.or(settings.slurm.booted);
        settings = config.settings.clone();
        settings.slurm.booted = booted;
        let mut revealed = config.problems.clone();
        if let Some(cluster) = cluster
            && !config.cluster.is_empty()
            && config.cluster != cluster
        {
            let [other, own] = [&config.cluster, cluster].map(|name| shown(name.as_bytes()));
            let message =
                sentence!("it has the settings of the cluster {other}, but the tree is from {own}");
            let advice = "give the scontrol show config of the tree's own cluster";
            revealed.warn(Place::WHOLE, "slurm-other-cluster", message, advice);
        }
        problems.append(revealed);
    }
    settings.scheduler = Some(Scheduler::Slurm);
    settings
}
