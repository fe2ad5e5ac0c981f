//! Builds one tree from several outputs.

mod growth;
mod part;

use super::ROOT;
use super::config::Config;
use super::json::BILLING_DIFFERS;
use super::rows::{Rows, some};
use crate::base::number::counted;
use crate::base::shell::word;
use crate::base::shown::{sentence, shown};
use crate::format::problem::{Place, Problems, Severity};
use crate::format::{LoadError, LoadResult, Loaded, Request};
use crate::model::{
    Fact, LINEAGE_SINCE, NodeId, Origin, OutputFile, Recorded, Scheduler, Settings, Snapshot,
    Source, TieOrder, Tree, Usage, UsagePrecision, release_of,
};
use growth::CombinedTree;
use hashbrown::HashSet;
use part::{OutputPart, choose_cluster, label};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The unit of Slurm's usage if its configuration does not weight resources.
const USAGE_UNIT: &str = "TRES-seconds";

/// The code of the problem that outputs have different usage.
pub(crate) const OF_TWO_MOMENTS: &str = "slurm-outputs-of-two-moments";

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
            Some(part) => {
                let (file, word) = (&part.rows.file, word(&*part.rows.file, "FILE"));
                sentence!(
                    "{file} is a report of sreport, which has usage but no shares; give shares as well, as in: \
                     sacctmgr -P show assoc tree format=Cluster,Account,User,Partition,Share > assoc.txt; fairscope \
                     assoc.txt {word}"
                )
            }
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
        let left_out = if index == base { &[][..] } else { OF_STRUCTURE };
        problems.append(revealed.without(left_out));
    }
    let mut growth = CombinedTree {
        builder,
        problems,
        recorded,
        has_root: false,
    };
    growth.add_nodes(&mut parts, base);
    keep_one_moment(&mut parts, &mut growth.problems);
    let used = choose_usage(&parts);
    set_usage(&mut parts, used, base, &mut growth);
    growth.sum_up();
    let (mut problems, mut recorded) = (growth.problems, growth.recorded);
    if recorded.usage_precision != UsagePrecision::Whole {
        // Another output has the decimals.
        problems = problems.without(&[BILLING_DIFFERS]);
    }
    let precise = record_all(&mut parts, &mut recorded);
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
    let taken = configs.iter().filter_map(|config| config.taken).max();
    let unit = used.and_then(|used| parts[used].rows.usage_unit.clone());
    let recorded_in = precise.map(|index| parts[index].rows.file.clone());
    let mut names = configs.iter().map(|config| config.cluster.clone());
    let cluster = cluster.or_else(|| names.find(|name| !name.is_empty()));
    let tree = growth.builder.build();
    let source = Source {
        usage_unit: unit.unwrap_or_else(|| USAGE_UNIT.to_owned()),
        taken: taken.or_else(|| parts.iter().find_map(|part| part.rows.taken)),
        version,
        origins: origins(&parts, base, [used, precise]),
        recorded_in: recorded_in.unwrap_or_default(),
        dump: dump_of(&parts, base, &tree),
        lacks_settings: configs.is_empty(),
        cluster: cluster.unwrap_or_default(),
        ..request.file_source(parts[base].rows.format)
    };
    CombinedTree::note_same_users(&mut problems, &parts[base], &tree);
    let snapshot = Snapshot::new(tree, settings, source, recorded);
    Ok(Loaded {
        policy,
        ..Loaded::new(snapshot, problems)
    })
}

/// Returns the dump that the tree was read from, or one with the same accounts, users and shares.
fn dump_of(parts: &[OutputPart], base: usize, tree: &Tree) -> Option<Arc<Vec<u8>>> {
    if parts[base].rows.dump.is_some() {
        return parts[base].rows.dump.clone();
    }
    let part = parts.iter().find(|part| part.rows.dump.is_some())?;
    let mut count = 0;
    for (node, row) in part.known_rows() {
        count += 1;
        let parent = row.above().map(|name| tree.names().bytes(name));
        let is_same = row.shares == Some(tree.shares(node))
            && parent == tree.parent(node).map(|parent| tree.name(parent));
        if node != NodeId::ROOT && !is_same {
            return None;
        }
    }
    let is_whole = count == tree.nodes().len() && count == part.rows().count();
    part.rows.dump.clone().filter(|_| is_whole)
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

/// The columns that say most about a rank, the best first.
const TELLING: [Fact; 4] = [
    Fact::FairShareRaw,
    Fact::FairShare,
    Fact::LevelFs,
    Fact::EffectvUsage,
];

/// Drops the numbers of outputs that were printed at another moment than the most precise one, with other usage.
/// Numbers of two moments side by side would contradict each other.
fn keep_one_moment(parts: &mut [OutputPart], problems: &mut Problems) {
    let has_usage = |part: &OutputPart| part.has_usage() && !part.is_of_period();
    let last_first = (0..parts.len()).rev();
    let with_usage = last_first.filter(|&index| has_usage(&parts[index]));
    let principal = with_usage.max_by_key(|&index| {
        let part = &parts[index];
        (part.usages().count(), telling(part), part.quality())
    });
    let Some(principal) = principal else {
        return;
    };
    for index in 0..parts.len() {
        let (kept, other) = (&parts[principal], &parts[index]);
        if index == principal || !has_usage(other) {
            continue;
        }
        let differing = other.differing_usages(kept);
        if differing == 0 {
            continue;
        }
        let message = sentence!(
            "the usage of {} differs from that in {}, so the two were printed at different times; usage and factors are \
             from {1} only",
            counted(differing, "association", "associations"),
            kept.rows.file
        );
        let code = OF_TWO_MOMENTS;
        let advice = "take both outputs at the same time";
        problems.warn(other.rows.file.clone(), code, message, advice);
        let rows = &mut parts[index].rows;
        rows.figures.clear();
        for row in &mut rows.rows {
            row.usage = Usage::NONE;
        }
    }
}

fn telling(part: &OutputPart) -> [i8; TELLING.len()] {
    TELLING.map(|fact| part.decimals(fact).unwrap_or(i8::MIN))
}

/// Returns the output from which usage is taken, or `None` if there is none. An output of a period is used only if
/// there is no other. The one with usage of the most associations wins, then the most precise one, then the first.
fn choose_usage(parts: &[OutputPart]) -> Option<usize> {
    let with_usage = (0..parts.len()).filter(|&index| parts[index].has_usage());
    with_usage.rev().max_by_key(|&index| {
        let part = &parts[index];
        (!part.is_of_period(), part.usages().count(), part.quality())
    })
}

fn set_usage(parts: &mut [OutputPart], used: Option<usize>, base: usize, tree: &mut CombinedTree) {
    let period = parts.iter().position(OutputPart::is_of_period);
    if let Some(period) = period.filter(|&period| used != Some(period)) {
        let file = parts[period].rows.file.clone();
        let message = "its usage is that of a period and was left out, because another output has the usage that Slurm \
                       ranks by";
        let advice = "nothing needs to be done";
        let problems = &mut tree.problems;
        problems.note(file, "slurm-period-left-out", message, advice);
    }
    let Some(usage) = used else {
        let message = "it has shares but no usage, so all usage is 0";
        let advice = "give the output of sshare -a -m -l -P as well";
        let severity = if parts.iter().all(OutputPart::is_without_usage) {
            Severity::Note
        } else {
            Severity::Warning
        };
        let problems = &mut tree.problems;
        return problems.add(severity, Place::WHOLE, "slurm-no-usage", message, advice);
    };
    tree.recorded.usage_precision = parts[usage].rows.usage_precision;
    if parts[usage].is_of_period() {
        record_period(parts, usage, base, tree);
        return;
    }
    for (node, row) in parts[usage].known_rows() {
        if let Some(amount) = row.usage.amount() {
            tree.builder.record(node, amount, row.user.is_some());
        }
    }
}

/// Records the usage of users in a period. The report lists only users with usage, and each account becomes the sum of
/// its users, so that rounding never makes a part larger than the whole.
fn record_period(parts: &mut [OutputPart], usage: usize, base: usize, growth: &mut CombinedTree) {
    for (node, row) in parts[base].known_rows() {
        if row.user.is_some() {
            growth.builder.record(node, 0.0, true);
        }
    }
    let part = &parts[usage];
    let mut unknown = Vec::new();
    for (place, row) in part.rows().filter(|(_, row)| row.user.is_some()) {
        match (part.nodes[place], row.usage.amount()) {
            (Some(node), Some(amount)) => growth.builder.record(node, amount, true),
            (None, Some(_)) => unknown.push(label(row, growth.builder.names())),
            _ => {}
        }
    }
    let unit = part.rows.usage_unit.clone().unwrap_or_default();
    let accuracy = match part.rows.usage_precision {
        UsagePrecision::Rounded(unit) if unit > 1 => format!(", rounded to {unit} seconds"),
        _ => String::new(),
    };
    let message = sentence!(
        "usage is {unit} as sreport counts it{accuracy}: it has not decayed and is not RawUsage, so Slurm's own factors \
         differ"
    );
    let advice = "for Slurm's own numbers run sshare -a -m -l -P";
    let mut problems = Problems::of(part.rows.file.clone());
    problems.warn(Place::WHOLE, "slurm-usage-of-period", message, advice);
    if !unknown.is_empty() {
        let message = sentence!(
            "{} not in {} and left out together with the usage: {}",
            counted(unknown.len(), "association is", "associations are"),
            parts[base].rows.file,
            some(&unknown)
        );
        let advice = "print shares of the same time; sreport does not show partitions, and without -P it cuts names";
        problems.warn(Place::WHOLE, "slurm-outputs-differ", message, advice);
    }
    growth.problems.append(problems);
    // Numbers that Slurm printed beside its own usage cannot be verified against usage of a period.
    for part in parts {
        part.rows.figures.clear();
    }
}

/// Records all columns, each from the output with the most decimals. Returns the one with the most precise factors.
fn record_all(parts: &mut [OutputPart], recorded: &mut Recorded) -> Option<usize> {
    let has_numbers = |&index: &usize| !parts[index].rows.figures.is_empty();
    let most_telling = (0..parts.len()).rev().filter(has_numbers);
    let most_telling = most_telling.max_by_key(|&index| telling(&parts[index]));
    let facts = parts.iter().flat_map(|part| &part.rows.figures);
    let facts: BTreeSet<Fact> = facts.map(|(fact, _)| *fact).collect();
    for fact in facts {
        record_figures(parts, fact, recorded);
    }
    let mut by_quality: Vec<&mut OutputPart> = parts.iter_mut().collect();
    // An output that truncates usage truncates texts, too. The text that is recorded last stays.
    by_quality.sort_by_key(|part| part.quality());
    for part in by_quality {
        for (fact, mut texts) in std::mem::take(&mut part.rows.texts) {
            texts.retain(|text| !says_nothing(text));
            recorded.set_text_rows(fact, texts, &part.nodes);
        }
    }
    most_telling
}

/// Records a column of numbers. A less precise output gives those of associations that the others do not list. A cell
/// that is empty in a more precise one stays empty, because Slurm has nothing to print there.
fn record_figures(parts: &mut [OutputPart], fact: Fact, recorded: &mut Recorded) {
    let known = (0..parts.len()).filter_map(|index| Some((parts[index].decimals(fact)?, index)));
    let mut known: Vec<(i8, usize)> = known.collect();
    known.sort_by_key(|&(decimals, index)| (Reverse(decimals), index));
    let mut is_listed: HashSet<NodeId> = HashSet::new();
    for (place, &(_, index)) in known.iter().enumerate() {
        let part = &mut parts[index];
        let mut nodes = Cow::Borrowed(&part.nodes);
        if place > 0 {
            for node in nodes.to_mut() {
                *node = node.filter(|node| !is_listed.contains(node));
            }
        }
        if place + 1 < known.len() {
            is_listed.extend(nodes.iter().flatten());
        }
        let columns = &mut part.rows.figures;
        let column = columns.iter().position(|(own, _)| *own == fact);
        if let Some(column) = column {
            let (_, figures) = columns.swap_remove(column);
            recorded.set_rows(fact, figures, &nodes);
        }
    }
}

/// Returns whether a list of resources has nothing but zeros, as Slurm prints it without limits: `cpu=0,mem=0,b+`.
fn says_nothing(text: &str) -> bool {
    let mut parts = text.split(',');
    parts.all(|part| part.is_empty() || part.ends_with("=0") || part.ends_with('+'))
}

/// Returns which output gave which numbers, if there are several. `recorded` is the one with the most precise factors.
fn origins(parts: &[OutputPart], base: usize, [usage, factors]: [Option<usize>; 2]) -> Vec<Origin> {
    if parts.len() < 2 {
        return Vec::new();
    }
    let output = |index: usize| OutputFile {
        file: parts[index].rows.file.clone(),
        format: parts[index].rows.format,
    };
    let mut origins = vec![Origin::Associations(output(base))];
    if let Some(usage) = usage {
        let precision = parts[usage].rows.usage_precision;
        origins.push(Origin::Usage(output(usage), precision));
    }
    if let Some(factors) = factors.filter(|_| factors != usage) {
        origins.push(Origin::Factors(output(factors)));
    }
    origins
}
