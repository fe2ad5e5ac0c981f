//! Trees and a scheduler's own outputs with pseudonyms in place of names.
//!
//! What is written is made anew from values of known meaning: numbers, words of the scheduler, and names with their
//! pseudonyms. Nothing is copied because nobody thought of it. Families are in the order of the pseudonyms, for the order of
//! the names would tell who is who.

use super::input::Input;
use super::loss::Loss;
use super::{flux, slurm};
use crate::base::shown::Shown;
use crate::model::{
    Fact, Formula, Kind, Named, Pace, Pbs, PriorityWeights, Pseudonyms, Recorded, Settings, Slurm,
    Snapshot, Source, Time, Tree,
};
use crate::rules::policy::formula::renamed;
use crate::rules::policy::{Basis, Policy};
use std::path::Path;
use std::sync::Arc;

pub use flux::database::anonymised as database;

/// Why the names of an output cannot be replaced.
#[derive(Debug, thiserror::Error)]
#[error(
    "the names in {file} cannot be told from the rest ({what}), so nothing was saved; take the snapshot without \
     --anonymise, and write a tree without names with fairscope convert --anonymise"
)]
pub struct AnonymiseError {
    file: &'static str,
    what: Shown,
}

/// Returns an output of Slurm or Flux, saved under this name, with pseudonyms.
pub(crate) fn output(
    file: &'static str,
    bytes: &[u8],
    pseudonyms: &Pseudonyms,
) -> Result<Vec<u8>, AnonymiseError> {
    let input = Input::of(Path::new(file), bytes.to_vec(), None);
    let made = match file {
        "scontrol_config.txt" => slurm::config::anonymised(&input, pseudonyms),
        "view_bank.txt" => flux::view_bank::anonymised(&input, pseudonyms),
        _ => slurm::anonymised(&input, pseudonyms),
    };
    made.map_err(|error| AnonymiseError {
        file,
        what: Shown::error(&error),
    })
}

/// The texts that are no names, and go into no unit of usage otherwise.
const UNITS: [&str; 3] = ["TRES-seconds", "node-seconds", "cput"];

/// Returns a snapshot of a tree and settings in which every node, partition, cluster and resource has its pseudonym,
/// without the names of files and whatever else its source told.
pub(crate) fn snapshot(
    pseudonyms: &Pseudonyms,
    named: &Snapshot,
    tree: &Tree,
    settings: &Settings,
) -> Snapshot {
    let mut tree = tree.clone();
    tree.rename_all(|kind, name| {
        let named = match kind {
            Some(Kind::Account) => Named::Account,
            Some(Kind::User) => Named::User,
            None => Named::Partition,
        };
        pseudonyms.of(named, name).into_bytes()
    });
    // PBS's order decides about ranks.
    if !tree.kinds_follow_shape() {
        tree.sort_families();
    }
    let settings = anonymised(pseudonyms, settings);
    let source = &named.source;
    let unit = source.usage_unit.as_str();
    let usage_unit = if UNITS.contains(&unit) {
        unit.to_owned()
    } else if tree.kinds_follow_shape() {
        settings.pbs.fairshare_usage_res.clone()
    } else {
        String::new()
    };
    Snapshot {
        source: Source {
            format: source.format,
            path: "anonymised".into(),
            title: "anonymised".into(),
            taken: source.taken,
            usage_unit,
            cluster: pseudonyms.of(Named::Cluster, source.cluster.as_bytes()),
            version: Pseudonyms::version(&source.version),
            lacks_settings: source.lacks_settings,
            ..Source::default()
        },
        recorded: Arc::new(numbers(&named.recorded)),
        printed: named.printed.clone(),
        estimate: None,
        settings,
        tree,
    }
}

/// Returns what a scheduler printed beside shares and usage, without its texts.
fn numbers(recorded: &Recorded) -> Recorded {
    let mut made = Recorded::default();
    for fact in recorded.facts().filter(|&fact| fact != Fact::Userid) {
        if let Some(figures) = recorded.figures(fact) {
            made.set_column(fact, figures.clone());
        }
    }
    made.usage_precision = recorded.usage_precision;
    made.incomplete = recorded.incomplete;
    made
}

/// Returns settings with pseudonyms of resources. Each field is named, so that a new one is thought of.
fn anonymised(pseudonyms: &Pseudonyms, settings: &Settings) -> Settings {
    let resource = |name: &str| pseudonyms.of(Named::Resource, name.as_bytes());
    let formula = |text: &str| renamed(text, resource);
    let usual = Settings::default();
    let pbs = &settings.pbs;
    let mut entity = Settings::default();
    // Another text than the known ones may be anything.
    let is_entity = entity.set("fairshare_entity", &pbs.fairshare_entity);
    let is_entity = is_entity.is_ok();
    let usage_res = formula(&pbs.fairshare_usage_res);
    let slurm = &settings.slurm;
    let resources = settings.formula.resources.iter();
    let resources = resources.filter_map(|(name, amount)| Some((formula(name)?, *amount)));
    let time = &settings.time;
    Settings {
        scheduler: settings.scheduler,
        pbs: Pbs {
            fair_share: pbs.fair_share,
            fairshare_entity: if is_entity {
                entity.pbs.fairshare_entity
            } else {
                usual.pbs.fairshare_entity
            },
            fairshare_usage_res: usage_res.unwrap_or(usual.pbs.fairshare_usage_res),
            fairshare_decay_factor: pbs.fairshare_decay_factor,
            fairshare_decay_time: pbs.fairshare_decay_time,
            unknown_shares: pbs.unknown_shares,
            fairshare_enforce_no_shares: pbs.fairshare_enforce_no_shares,
            last_decay: pbs.last_decay,
        },
        slurm: Slurm {
            priority_levels: slurm.priority_levels,
            dampening: slurm.dampening,
            tie_order: slurm.tie_order,
            decay_half_life: slurm.decay_half_life,
            calc_period: slurm.calc_period,
            usage_reset_period: slurm.usage_reset_period,
            weights: PriorityWeights {
                factors: slurm.weights.factors,
                tres: pseudonyms.resources(&slurm.weights.tres),
            },
            max_age: slurm.max_age,
            billing_weights: pseudonyms.resources(&slurm.billing_weights),
            billing_rule: slurm.billing_rule,
            only_rises: slurm.only_rises,
            charges_ends: slurm.charges_ends,
            booted: slurm.booted,
            parent_factors: slurm.parent_factors,
        },
        flux: settings.flux.clone(),
        formula: Formula {
            set: settings.formula.set.as_deref().and_then(formula),
            resources: resources.collect(),
        },
        time: Time {
            passed: time.passed,
            taken: time.taken,
            epoch: time.epoch,
            copied: time.copied,
            zone: time.zone.clone(),
            pace: Arc::new(Pace::default()),
        },
    }
}

/// Returns what a tree cannot say under other names: ranks that follow names, and names that follow positions.
pub(crate) fn losses(policy: Policy, named: (&Tree, &Settings), made: &Snapshot) -> Vec<Loss> {
    let (tree, settings) = named;
    let printed = made.printed.as_deref();
    let before = policy.evaluate_as_printed(Basis {
        tree,
        settings,
        printed,
    });
    let after = policy.evaluate_as_printed(Basis {
        tree: &made.tree,
        settings: &made.settings,
        printed,
    });
    let ids = tree.nodes().iter();
    let moved = ids
        .filter(|&&node| before.rank(node) != after.rank(node))
        .count();
    let names = (moved > 0).then_some(Loss::Names(moved));
    let has_formula = settings.formula.set.is_some() && made.settings.formula.set.is_none();
    let formula = has_formula.then_some(Loss::Settings(vec!["job_sort_formula"]));
    let order = made.tree.kinds_follow_shape().then_some(Loss::Order);
    names.into_iter().chain(formula).chain(order).collect()
}
