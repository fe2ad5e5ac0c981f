//! Selects the output for each number: the one with the most digits. Usage is in Slurm's unit, or else that of a period
//! from sreport.

use super::growth::CombinedTree;
use super::part::{OutputPart, label};
use crate::base::number::counted;
use crate::base::shown::sentence;
use crate::format::problem::{Place, Problems};
use crate::format::slurm::rows::some;
use crate::model::{Fact, NodeId, Origin, OutputFile, Recorded, Usage, UsagePrecision};
use hashbrown::HashSet;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The columns that say most about a rank, the best first.
const TELLING: [Fact; 4] = [
    Fact::FairShareRaw,
    Fact::FairShare,
    Fact::LevelFs,
    Fact::EffectvUsage,
];

/// Drops the numbers of outputs that were printed at another moment than the most precise one, with other usage.
/// Numbers of two moments side by side would contradict each other.
pub(super) fn keep_one_moment(parts: &mut [OutputPart], problems: &mut Problems) {
    let has_usage = |part: &OutputPart| part.has_usage() && !part.is_of_period();
    let with_usage = (0..parts.len())
        .rev()
        .filter(|&index| has_usage(&parts[index]));
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
        let code = "slurm-outputs-of-two-moments";
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
pub(super) fn choose_usage(parts: &[OutputPart]) -> Option<usize> {
    let with_usage = (0..parts.len()).filter(|&index| parts[index].has_usage());
    with_usage.rev().max_by_key(|&index| {
        let part = &parts[index];
        (!part.is_of_period(), part.usages().count(), part.quality())
    })
}

pub(super) fn record_usage(
    parts: &mut [OutputPart],
    usage: Option<usize>,
    base: usize,
    growth: &mut CombinedTree,
) {
    let period = parts.iter().position(OutputPart::is_of_period);
    if let Some(period) = period.filter(|&period| usage != Some(period)) {
        let file = parts[period].rows.file.clone();
        let message = "its usage is that of a period and was left out, because another output has the usage that Slurm \
                       ranks by";
        let advice = "nothing needs to be done";
        let problems = &mut growth.problems;
        problems.note(file, "slurm-period-left-out", message, advice);
    }
    let Some(usage) = usage else {
        let message = "it has shares but no usage, so all usage is 0";
        let advice = "give the output of sshare -a -m -l -P as well";
        let problems = &mut growth.problems;
        return problems.warn(Place::WHOLE, "slurm-no-usage", message, advice);
    };
    growth.recorded.usage_precision = parts[usage].rows.usage_precision;
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
pub(super) fn record_all(parts: &mut [OutputPart], recorded: &mut Recorded) -> Option<usize> {
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
pub(super) fn origins(
    parts: &[OutputPart],
    base: usize,
    usage: Option<usize>,
    recorded: Option<usize>,
) -> Vec<Origin> {
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
    if let Some(recorded) = recorded.filter(|&recorded| Some(recorded) != usage) {
        origins.push(Origin::Factors(output(recorded)));
    }
    origins
}
