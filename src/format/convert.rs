//! Conversion from one format to another: the files, and what they cannot hold.

use super::loss::{Conversion, Loss};
use super::{EditedDump, Format, csv, flux, native, pbs, slurm};
use crate::model::{Fact, Listing, NodeId, Recorded, Settings, Snapshot, TieOrder, Tree};
use crate::rules::policy::Policy;

/// Writes a tree and its settings in a format. `snapshot` tells their origin. Fails for a `sacctmgr dump` with edits.
pub fn convert(
    snapshot: &Snapshot,
    tree: &Tree,
    settings: &Settings,
    to: Format,
) -> Result<Conversion, EditedDump> {
    let conversion = match to {
        Format::Pbs => to_pbs(tree, settings),
        Format::Csv => {
            let mut losses = csv::losses(tree);
            losses.extend(settings.scheduler.map(|_| Loss::CsvSettings));
            losses.extend(lost(tree, settings, &snapshot.recorded));
            Conversion::of("tree.csv", csv::write(tree), losses)
        }
        Format::Toml => to_toml(snapshot, tree, settings, None),
        Format::SacctmgrDump => {
            let mut conversion = slurm::dump::convert(snapshot, tree)?;
            conversion.losses.extend(lost_settings(settings));
            conversion
        }
        Format::FluxJson => flux::json::convert(tree),
        _ => unreachable!("only writable formats are asked for: {}", to.name()),
    };
    Ok(conversion)
}

/// Writes `resource_group`, `usage`, `sched_config`, and `sched_formula` if a formula is set.
pub(crate) fn to_pbs(tree: &Tree, settings: &Settings) -> Conversion {
    let (resource_group, losses) = pbs::write::resource_group(tree);
    let file = |name: &str, contents| (name.to_owned(), contents);
    let mut files = vec![
        file("resource_group", resource_group),
        file("usage", pbs::write::usage(tree, settings.pbs.last_decay)),
        file("sched_config", pbs::write::sched_config(settings)),
    ];
    if let Some(formula) = &settings.formula.set {
        files.push(file(pbs::SCHED_FORMULA, pbs::write::sched_formula(formula)));
    }
    Conversion { files, losses }
}

/// Writes a tree and its settings in our own format, with the policy with which to open it.
pub(crate) fn to_toml(
    snapshot: &Snapshot,
    tree: &Tree,
    settings: &Settings,
    policy: Option<Policy>,
) -> Conversion {
    let mut settings = settings.clone();
    if let Some(listing) = tree.listing() {
        settings.slurm.tie_order = listing.tie_order(settings.slurm.tie_order);
    }
    let edited = Snapshot {
        settings: settings.clone(),
        ..snapshot.clone()
    };
    let losses = lost(tree, &settings, &snapshot.recorded).collect();
    let file = native::write_tree(&edited, tree, policy);
    Conversion::of("tree.toml", file, losses)
}

/// Returns what neither CSV nor our own format holds.
fn lost(tree: &Tree, settings: &Settings, recorded: &Recorded) -> impl Iterator<Item = Loss> {
    // The newest of those that tie comes first, and the order of the rows is not that of their age.
    let is_by_age = |account: &NodeId| tree.children(*account).is_sorted();
    let is_asked = settings.slurm.tie_order == TieOrder::Newest;
    let lacks_age = is_asked && !tree.nodes().iter().all(is_by_age);
    // Ranks depend on more of usage than the source shows of it.
    let is_revealed = matches!(tree.listing(), Some(Listing::Revealed { .. }));
    let lacks_digits = tree.amounts_in_memory().is_some() || is_revealed;
    let names: Vec<&str> = recorded.facts().map(Fact::name).collect();
    let lost = [
        lacks_age.then_some(Loss::Age),
        lacks_digits.then_some(Loss::Digits),
        (!names.is_empty()).then_some(Loss::Columns(names)),
    ];
    lost.into_iter().flatten()
}

/// Returns the settings that are not the usual ones, where a format has no place for any.
fn lost_settings(settings: &Settings) -> Option<Loss> {
    let usual = Settings::default();
    let is_own = |key: &&str| settings.get(key) != usual.get(key);
    let keys: Vec<&str> = Settings::keys().filter(is_own).collect();
    (!keys.is_empty()).then_some(Loss::Settings(keys))
}
