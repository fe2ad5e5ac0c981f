//! Trees and a scheduler's own outputs with pseudonyms instead of names.
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

/// Why the names of an output cannot be replaced.
#[derive(Debug, thiserror::Error)]
#[error(
    "the names in {file} cannot be told from the rest ({what}), so nothing was saved; take the snapshot without \
     --anonymise, and write a tree without names with fairscope convert --anonymise"
)]
pub struct AnonymiseError {
    /// The name under which it would be saved.
    file: &'static str,
    /// What its reader says of it.
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

/// The units of usage that are no names. Another one may tell something.
const UNITS: &[&str] = &["TRES-seconds", "node-seconds", "cput"];

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
            Some(Kind::Others) => return name.to_vec(),
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
    let usage_unit = if UNITS.contains(&source.usage_unit.as_str()) {
        source.usage_unit.clone()
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
    for fact in recorded.facts() {
        if let Some(figures) = recorded.figures(fact)
            && fact != Fact::Userid
        {
            made.set_column(fact, figures.clone());
        }
    }
    made.usage_precision = recorded.usage_precision;
    made.incomplete = recorded.incomplete;
    made.shares_are_portions = recorded.shares_are_portions;
    made
}

/// Returns settings with pseudonyms of resources. Each field is named, so that a new one is thought of.
fn anonymised(pseudonyms: &Pseudonyms, settings: &Settings) -> Settings {
    Settings {
        scheduler: settings.scheduler,
        pbs: pbs(pseudonyms, &settings.pbs),
        slurm: slurm(pseudonyms, &settings.slurm),
        flux: settings.flux.clone(),
        formula: formula(pseudonyms, &settings.formula),
        time: time(&settings.time),
    }
}

/// Returns settings of PBS without words that are not known.
fn pbs(pseudonyms: &Pseudonyms, pbs: &Pbs) -> Pbs {
    let mut known = Settings::default();
    let usual = known.pbs.clone();
    // Another text than the known ones may be anything, and leaves the usual one.
    let _ = known.set("fairshare_entity", &pbs.fairshare_entity);
    let usage_res = in_formula(pseudonyms, &pbs.fairshare_usage_res);
    Pbs {
        fair_share: pbs.fair_share,
        fairshare_entity: known.pbs.fairshare_entity,
        fairshare_usage_res: usage_res.unwrap_or(usual.fairshare_usage_res),
        fairshare_decay_factor: pbs.fairshare_decay_factor,
        fairshare_decay_time: pbs.fairshare_decay_time,
        unknown_shares: pbs.unknown_shares,
        fairshare_enforce_no_shares: pbs.fairshare_enforce_no_shares,
        last_decay: pbs.last_decay,
    }
}

/// Returns settings of Slurm with pseudonyms of resources.
fn slurm(pseudonyms: &Pseudonyms, slurm: &Slurm) -> Slurm {
    Slurm {
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
    }
}

/// Returns a formula of priority with pseudonyms of resources. Parts that cannot be read are left out.
fn formula(pseudonyms: &Pseudonyms, formula: &Formula) -> Formula {
    let mut made = Formula::default();
    if let Some(text) = &formula.set {
        made.set = in_formula(pseudonyms, text);
    }
    for (name, amount) in &formula.resources {
        if let Some(name) = in_formula(pseudonyms, name) {
            made.resources.insert(name, *amount);
        }
    }
    made
}

/// Returns the state of the clock without the pace of users, which tells their names.
fn time(time: &Time) -> Time {
    Time {
        passed: time.passed,
        taken: time.taken,
        epoch: time.epoch,
        copied: time.copied,
        zone: time.zone.clone(),
        pace: Arc::new(Pace::default()),
    }
}

/// Returns a formula with pseudonyms of resources; `None` if it cannot be read.
fn in_formula(pseudonyms: &Pseudonyms, text: &str) -> Option<String> {
    renamed(text, |name| pseudonyms.of(Named::Resource, name.as_bytes()))
}

/// Returns what a tree cannot say under other names: ranks that follow names, and names that follow positions.
pub(crate) fn losses(
    policy: Policy,
    tree: &Tree,
    settings: &Settings,
    made: &Snapshot,
) -> Vec<Loss> {
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
    let mut moved = 0;
    for &node in tree.nodes() {
        moved += usize::from(before.rank(node) != after.rank(node));
    }
    let mut losses = Vec::new();
    if moved > 0 {
        losses.push(Loss::Names(moved));
    }
    if settings.formula.set.is_some() && made.settings.formula.set.is_none() {
        losses.push(Loss::Settings(vec!["job_sort_formula"]));
    }
    if made.tree.kinds_follow_shape() {
        losses.push(Loss::Order);
    }
    losses
}
