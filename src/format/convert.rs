//! Conversion from one format to another: the files, and what they cannot hold.

use super::loss::{Conversion, Loss};
use super::{EditedDump, Format, csv, flux, native, pbs, slurm};
use crate::model::{Fact, Listing, Recorded, Settings, Snapshot, TieOrder, Tree};
use crate::rules::policy::Policy;

/// Writes a tree and its settings in a format. `snapshot` tells their origin. Fails for a `sacctmgr dump` with edits.
pub fn convert(
    snapshot: &Snapshot,
    tree: &Tree,
    settings: &Settings,
    to: Format,
) -> Result<Conversion, EditedDump> {
    // Only our own format and CSV know what is not listed.
    if !matches!(to, Format::Csv | Format::Toml)
        && let Some(part) = tree.part()
    {
        let levels = part.levels.len();
        let mut conversion = convert(snapshot, &tree.listed(), settings, to)?;
        conversion.losses.push(Loss::Unlisted(levels));
        return Ok(conversion);
    }
    let conversion = match to {
        Format::Pbs => to_pbs(tree, settings),
        Format::Csv => to_csv(tree, settings, &snapshot.recorded),
        Format::Toml => to_toml(snapshot, tree, settings, None),
        Format::SacctmgrDump => to_dump(snapshot, tree, settings)?,
        Format::FluxJson => flux::json::convert(tree),
        _ => unreachable!("only writable formats are asked for: {}", to.name()),
    };
    Ok(conversion)
}

/// Writes a tree as CSV, which holds no settings.
fn to_csv(tree: &Tree, settings: &Settings, recorded: &Recorded) -> Conversion {
    let mut losses = csv::losses(tree);
    if settings.scheduler.is_some() {
        losses.push(Loss::CsvSettings);
    }
    add_losses(&mut losses, tree, settings, recorded);
    let file = csv::write(tree);
    Conversion::of("tree.csv", file, losses)
}

/// Writes a tree as `sacctmgr dump` does, which holds no settings. Fails with edits.
fn to_dump(
    snapshot: &Snapshot,
    tree: &Tree,
    settings: &Settings,
) -> Result<Conversion, EditedDump> {
    let mut conversion = slurm::dump::convert(snapshot, tree)?;
    let keys = own_settings(settings);
    if !keys.is_empty() {
        conversion.losses.push(Loss::Settings(keys));
    }
    Ok(conversion)
}

/// Writes `resource_group`, `usage`, `sched_config`, and `sched_formula` if a formula is set.
pub(crate) fn to_pbs(tree: &Tree, settings: &Settings) -> Conversion {
    let (resource_group, losses) = pbs::write::resource_group(tree);
    let mut conversion = Conversion::of("resource_group", resource_group, losses);
    let usage = pbs::write::usage(tree, settings.pbs.last_decay);
    conversion.add("usage", usage);
    let sched_config = pbs::write::sched_config(settings);
    conversion.add("sched_config", sched_config);
    if let Some(formula) = &settings.formula.set {
        let file = pbs::write::sched_formula(formula);
        conversion.add(pbs::SCHED_FORMULA, file);
    }
    conversion
}

/// Writes a tree and its settings in our own format, with the policy with which to open it.
pub(crate) fn to_toml(
    snapshot: &Snapshot,
    tree: &Tree,
    settings: &Settings,
    policy: Option<Policy>,
) -> Conversion {
    let mut edited = snapshot.clone();
    edited.settings = settings.clone();
    if let Some(listing) = tree.listing() {
        let slurm = &mut edited.settings.slurm;
        slurm.tie_order = listing.tie_order(slurm.tie_order);
    }
    let mut losses = Vec::new();
    add_losses(&mut losses, tree, &edited.settings, &snapshot.recorded);
    let file = native::write_tree(&edited, tree, policy);
    Conversion::of("tree.toml", file, losses)
}

/// Adds what neither CSV nor our own format holds.
fn add_losses(losses: &mut Vec<Loss>, tree: &Tree, settings: &Settings, recorded: &Recorded) {
    // The newest of those that tie comes first, and the order of the rows is not that of their age.
    let is_by_age = settings.slurm.tie_order == TieOrder::Newest;
    if is_by_age && !are_families_by_age(tree) {
        losses.push(Loss::Age);
    }
    // Ranks depend on more of usage than the source shows of it.
    let is_revealed = matches!(tree.listing(), Some(Listing::Revealed { .. }));
    if is_revealed || tree.amounts_in_memory().is_some() {
        losses.push(Loss::Digits);
    }
    let names: Vec<&str> = recorded.facts().map(Fact::name).collect();
    if !names.is_empty() {
        losses.push(Loss::Columns(names));
    }
}

/// Returns whether the older of two siblings comes first everywhere.
fn are_families_by_age(tree: &Tree) -> bool {
    for &account in tree.nodes() {
        if !tree.children(account).is_sorted() {
            return false;
        }
    }
    true
}

/// Returns the keys of settings that are not the usual ones.
fn own_settings(settings: &Settings) -> Vec<&'static str> {
    let usual = Settings::default();
    let mut keys = Vec::new();
    for key in Settings::keys() {
        if settings.get(key) != usual.get(key) {
            keys.push(key);
        }
    }
    keys
}
