//! One tree of several outputs.

mod growth;
mod part;

use super::config::Config;
use super::rows::Rows;
use crate::format::source::source;
use crate::format::{LoadError, Loaded, Problem, Problems, Request, Severity};
use crate::model::{Recorded, Scheduler, Settings, Snapshot, TieOrder};
use crate::shown::shown;
use growth::Growth;
pub(super) use growth::some;
use part::{Part, choose_cluster, choose_usage, origins, quality};
use std::sync::Arc;

/// The account at the top of every Slurm tree.
const ROOT: &[u8] = b"root";

/// What Slurm counts usage in where its configuration does not weigh resources.
const USAGE_UNIT: &str = "TRES-seconds";

/// The first version whose lists are in the order of lineages.
const LINEAGE_SINCE: (u32, u32) = (23, 11);

/// Makes one tree of several outputs about one cluster.
///
/// # Errors
/// If there is no output with a tree, or they are of several clusters and none was chosen.
pub fn assemble(
    parts: Vec<Rows>,
    configs: &[Config],
    request: &Request,
) -> Result<Loaded, LoadError> {
    let mut problems = Problems::default();
    let (mut parts, builder) = part::parts(parts, ROOT);
    let cluster = choose_cluster(&mut parts, builder.names(), request)?;
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
        has_root: true,
    };
    growth.plant(&mut parts, base);
    let usage = choose_usage(&parts);
    let origins = origins(&parts, base, usage);
    let mut recorded = Recorded::default();
    recorded.incomplete = growth.incomplete.take();
    let mut problems = std::mem::take(&mut growth.problems);
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
    growth.sum_up();
    let recorded_in = record_all(&mut parts, &mut recorded);
    let version = version(&parts, configs);
    let knows_age = parts[base].rows().any(|row| row.id > 0 || row.left > 0);
    let settings = settings(configs, cluster.as_deref(), &mut problems);
    let told = parts.iter().find_map(|part| part.rows.tie_order);
    let settings = with_tie_order(settings, version.as_deref(), told, knows_age);
    let of_parts = parts.iter().find_map(|part| part.rows.policy);
    let policy = configs
        .iter()
        .rev()
        .find_map(|config| config.policy)
        .or(of_parts);
    let of_parts = parts.iter().find_map(|part| part.rows.taken);
    let taken = configs
        .iter()
        .rev()
        .find_map(|config| config.taken)
        .or(of_parts);
    let mut source = source(request, parts[base].rows.format);
    USAGE_UNIT.clone_into(&mut source.usage_unit);
    source.taken = taken;
    source.version = version.unwrap_or_default();
    source.origins = origins;
    source.recorded_in = recorded_in;
    source.lacks_settings = configs.is_empty();
    source.cluster = cluster
        .or_else(|| {
            let mut names = configs.iter().map(|config| config.cluster.clone());
            names.find(|name| !name.is_empty())
        })
        .unwrap_or_default();
    let tree = growth.builder.build();
    Growth::tell_same_users(&mut problems, &parts[base], &tree);
    let snapshot = Snapshot {
        tree,
        settings,
        source,
        recorded: Arc::new(recorded),
    };
    Ok(Loaded {
        policy: policy.map(str::to_owned),
        ..Loaded::new(snapshot, problems)
    })
}

/// Takes over what the outputs recorded, and says which file holds the most exact numbers.
fn record_all(parts: &mut [Part], recorded: &mut Recorded) -> String {
    let mut by_quality: Vec<&mut Part> = parts.iter_mut().collect();
    // The most exact numbers are written last and stay.
    by_quality.sort_by_key(|part| quality(&part.rows));
    let mut file = String::new();
    for part in by_quality {
        if !part.rows.figures.is_empty() {
            file.clone_from(&part.rows.file);
        }
        record(part, recorded);
    }
    file
}

/// Takes over what an output recorded.
fn record(part: &mut Part, recorded: &mut Recorded) {
    let mut place_of = vec![None; part.rows.rows.len()];
    for (place, &row) in part.chosen.iter().enumerate() {
        place_of[row as usize] = part.nodes[place];
    }
    for (fact, figures) in std::mem::take(&mut part.rows.figures) {
        recorded.set_rows(fact, figures, &place_of);
    }
    for (fact, mut texts) in std::mem::take(&mut part.rows.texts) {
        texts.retain(|text| !says_nothing(text));
        recorded.set_text_rows(fact, texts, &place_of);
    }
}

/// The settings of the configuration given last, Slurm's defaults where there is none.
fn settings(configs: &[Config], cluster: Option<&str>, problems: &mut Problems) -> Settings {
    let mut settings = Settings::default();
    for config in configs {
        settings = config.settings.clone();
        problems.append(config.problems.clone());
        if let Some(cluster) = cluster
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
    settings.scheduler = Some(Scheduler::Slurm);
    settings
}

/// The order among ties is the version's; else what an output gives away.
fn with_tie_order(
    mut settings: Settings,
    version: Option<&str>,
    told: Option<TieOrder>,
    knows_age: bool,
) -> Settings {
    if let Some(version) = version.and_then(release) {
        settings.slurm.tie_order = if version >= LINEAGE_SINCE {
            TieOrder::Lineage
        } else if knows_age {
            TieOrder::Newest
        } else {
            // Which association is the newest is not to be seen; as printed is the best there is.
            TieOrder::Name
        };
    } else if let Some(order) = told {
        settings.slurm.tie_order = order;
    }
    settings
}

/// Whether a list of resources is empty or has 0 of each: `cpu=0,mem=0,b+`, as Slurm prints it where limits are
/// not enforced.
fn says_nothing(text: &str) -> bool {
    text.split(',')
        .all(|part| part.is_empty() || part.ends_with("=0") || part.ends_with('+'))
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
