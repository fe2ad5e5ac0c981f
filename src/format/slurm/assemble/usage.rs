//! The usage of the tree: from which output it is taken, and what is left out because it contradicts that.

use super::growth::CombinedTree;
use super::part::{OutputPart, label};
use super::problem::AssembleProblem;
use super::{decimals, highest};
use crate::base::number::counted;
use crate::format::problem::{Place, Problems};
use crate::format::slurm::rows::some;
use crate::model::{Incomplete, Recorded, Usage, UsagePrecision};

/// Drops the numbers of outputs that were printed at another moment than the most precise one, with other usage.
/// Numbers of two moments side by side would contradict each other.
pub(super) fn keep_one_moment(parts: &mut [OutputPart], problems: &mut Problems) {
    let principal = highest(parts, |part| {
        let rank = (part.usages().count(), decimals(part), part.quality());
        part.has_ranking_usage().then_some(rank)
    });
    let Some(principal) = principal else {
        return;
    };
    for index in 0..parts.len() {
        let kept = &parts[principal];
        let other = &parts[index];
        if index == principal || !other.has_ranking_usage() {
            continue;
        }
        let differing = other.differing_usages(kept);
        if differing == 0 {
            continue;
        }
        let problem = AssembleProblem::TwoMoments {
            associations: counted(differing, "association", "associations"),
            kept: kept.rows.file.clone(),
        };
        problems.report(other.rows.file.clone(), problem);
        let rows = &mut parts[index].rows;
        rows.figures.clear();
        for row in &mut rows.rows {
            row.usage = Usage::NONE;
        }
    }
}

/// Returns the output from which usage is taken, or `None` if there is none. An output of a period is used only if
/// there is no other. The one with usage of the most associations wins, then the most precise one, then the first.
pub(super) fn choose_usage(parts: &[OutputPart]) -> Option<usize> {
    highest(parts, |part| {
        let rank = (!part.is_of_period(), part.usages().count(), part.quality());
        part.has_usage().then_some(rank)
    })
}

/// Records the usage of the tree, which `used` has, and says what is odd about it.
pub(super) fn record_usage(
    parts: &mut [OutputPart],
    used: Option<usize>,
    base: usize,
    tree: &mut CombinedTree,
) {
    let period = parts.iter().position(OutputPart::is_of_period);
    if let Some(period) = period
        && used != Some(period)
    {
        let file = parts[period].rows.file.clone();
        tree.problems.report(file, AssembleProblem::PeriodLeftOut);
    }
    let Some(used) = used else {
        return;
    };
    let part = &parts[used];
    tree.recorded.usage_precision = part.rows.usage_precision;
    if part.is_of_period() {
        record_period(part, &parts[base], tree);
        // Numbers that Slurm printed beside its own usage cannot be verified against usage of a period.
        for part in parts {
            part.rows.figures.clear();
        }
        return;
    }
    for (node, row) in part.known_rows() {
        if let Some(amount) = row.usage.amount() {
            tree.builder.record(node, amount, row.user.is_some());
        }
    }
}

/// Says that nothing tells any usage. Where it is not shares alone that are printed, blank is right and not 0.
pub(super) fn note_missing(parts: &[OutputPart], recorded: &mut Recorded, problems: &mut Problems) {
    if parts.iter().all(OutputPart::is_without_usage) {
        return problems.report(Place::WHOLE, AssembleProblem::NeverUsage);
    }
    if recorded.is_empty() {
        return problems.report(Place::WHOLE, AssembleProblem::NoUsage);
    }
    recorded
        .incomplete
        .get_or_insert(Incomplete::WithoutUsageColumn);
    problems.report(Place::WHOLE, AssembleProblem::UnknownUsage);
}

/// Records the usage of users in a period. The report lists only users with usage, and each account becomes the sum of
/// its users, so that rounding never makes a part larger than the whole.
fn record_period(part: &OutputPart, base: &OutputPart, tree: &mut CombinedTree) {
    for (node, row) in base.known_rows() {
        if row.user.is_some() {
            tree.builder.record(node, 0.0, true);
        }
    }
    let mut unknown = Vec::new();
    for (place, row) in part.rows() {
        let Some(amount) = row.usage.amount() else {
            continue;
        };
        if row.user.is_none() {
            continue;
        }
        match part.nodes[place] {
            Some(node) => tree.builder.record(node, amount, true),
            None => unknown.push(label(row, tree.builder.names())),
        }
    }
    let accuracy = match part.rows.usage_precision {
        UsagePrecision::Rounded(unit) if unit > 1 => format!(", rounded to {unit} seconds"),
        _ => String::new(),
    };
    let problem = AssembleProblem::UsageOfPeriod {
        unit: part.rows.usage_unit.clone().unwrap_or_default(),
        accuracy,
    };
    let file = &part.rows.file;
    tree.problems.report(file.clone(), problem);
    if !unknown.is_empty() {
        let problem = AssembleProblem::UnknownInPeriod {
            are: counted(unknown.len(), "association is", "associations are"),
            base: base.rows.file.clone(),
            names: some(&unknown),
        };
        tree.problems.report(file.clone(), problem);
    }
}
