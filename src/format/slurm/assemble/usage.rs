//! Puts usage into the tree: in Slurm's unit, or else the usage of a period from sreport.

use super::growth::{CombinedTree, some};
use super::part::{OutputPart, label};
use crate::base::number::counted;
use crate::base::shown::sentence;
use crate::format::{Problem, Severity};
use crate::model::{Recorded, UsagePrecision};

/// Records the usage of the output that was chosen for it.
pub(super) fn record(
    parts: &mut [OutputPart],
    usage: Option<usize>,
    base: usize,
    growth: &mut CombinedTree,
    recorded: &mut Recorded,
) {
    let period = parts.iter().position(OutputPart::is_of_period);
    if let Some(period) = period.filter(|&period| usage != Some(period)) {
        growth.problems.push(Problem::about(
            Severity::Note,
            "slurm-period-left-out",
            &parts[period].rows.file,
            "its usage is that of a period and was left out, because another output has the usage that Slurm ranks by",
            "nothing needs to be done",
        ));
    }
    let Some(usage) = usage else {
        growth.problems.push(Problem::about(
            Severity::Warning,
            "slurm-no-usage",
            &parts[base].rows.file,
            "it has shares but no usage, so all usage is 0",
            "give the output of sshare -a -m -l -P as well",
        ));
        return;
    };
    recorded.usage_precision = parts[usage].rows.usage_precision;
    if parts[usage].is_of_period() {
        record_period(parts, usage, base, growth);
        return;
    }
    for (node, row) in parts[usage].known_rows() {
        if let Some(amount) = row.usage.amount() {
            growth.builder.record(node, amount, row.user.is_some());
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
    let file = part.rows.file.clone();
    let unit = part.rows.usage_unit.clone().unwrap_or_default();
    let accuracy = match part.rows.usage_precision {
        UsagePrecision::Rounded(unit) if unit > 1 => format!(", rounded to {unit} seconds"),
        _ => String::new(),
    };
    growth.problems.push(Problem::about(
        Severity::Warning,
        "slurm-usage-of-period",
        &file,
        sentence!(
            "usage is {unit} as sreport counts it{accuracy}: it has not decayed and is not RawUsage, so Slurm's own \
             factors differ"
        ),
        "for Slurm's own numbers run sshare -a -m -l -P",
    ));
    if !unknown.is_empty() {
        growth.problems.push(Problem::about(
            Severity::Warning,
            "slurm-outputs-differ",
            &file,
            sentence!(
                "{} not in {} and left out together with the usage: {}",
                counted(unknown.len(), "association is", "associations are"),
                parts[base].rows.file,
                some(&unknown)
            ),
            "print shares of the same time; sreport does not show partitions, and without -P it cuts names",
        ));
    }
    // Numbers that Slurm printed beside its own usage cannot be verified against usage of a period.
    for part in parts {
        part.rows.figures.clear();
    }
}
