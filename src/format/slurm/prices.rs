//! What a second of a job costs: the weights of its partition and the factor of its QOS, from `scontrol show partition`
//! and `sacctmgr show qos`.

use crate::base::shown::{Shown, shown};
use crate::format::input::Input;
use crate::format::problem::{Place, Problems, problems};
use crate::format::sheet::{Headings, sheet_columns};
use crate::format::text::parsed;
use crate::model::{BillingError, BillingRule, BillingWeights, Settings};
use std::collections::HashMap;

sheet_columns! {
    enum QosColumn {
        Name, "Name";
        Factor, "UsageFactor";
    }
}

problems! {
    enum PriceProblem {
        Weights { partition: Shown, error: BillingError }, Warning "slurm-jobs-weights",
            "the partition {partition}: {error}", "its jobs are charged for their CPUs; print the file again";
        NoFactors, Warning "slurm-jobs-qos",
            "it has no columns Name and UsageFactor between bars, so each QOS counts 1",
            "run sacctmgr -P show qos format=Name,Priority,UsageFactor";
        Assumed { unknown: String }, Note "slurm-jobs-assumed",
            "not known: {unknown}",
            "save scontrol show config, scontrol show partition and sacctmgr -P show qos beside the tree, or give them with --config and --with";
    }
}

/// What seconds of jobs cost.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prices {
    /// By partition; `None` without `scontrol show partition`.
    partitions: Option<HashMap<Vec<u8>, BillingWeights>>,
    /// `UsageFactor` by QOS; `None` without `sacctmgr show qos`.
    factors: Option<HashMap<Vec<u8>, f64>>,
    /// `TRESBillingWeights` of the settings, where nothing tells those of a partition.
    usual: BillingWeights,
    rule: BillingRule,
}

impl Prices {
    /// Returns the prices of settings alone.
    pub(crate) fn of(settings: &Settings) -> Result<Self, BillingError> {
        Ok(Self {
            usual: BillingWeights::read(&settings.slurm.billing_weights)?,
            rule: settings.slurm.billing_rule.unwrap_or_default(),
            ..Self::default()
        })
    }

    /// Adds the weights that `scontrol show partition` prints.
    pub(crate) fn read_partitions(&mut self, input: &Input, problems: &mut Problems) {
        let all = self.partitions.get_or_insert_default();
        all.extend(
            partitions(input, b"PartitionName=")
                .map(|(name, _)| (name.to_vec(), BillingWeights::default())),
        );
        for (name, text) in partitions(input, b"TRESBillingWeights=") {
            match BillingWeights::read(&String::from_utf8_lossy(text)) {
                Ok(weights) => drop(all.insert(name.to_vec(), weights)),
                Err(error) => {
                    let partition = shown(name);
                    problems.report(input.name(), PriceProblem::Weights { partition, error });
                }
            }
        }
    }

    /// Adds the factors that `sacctmgr -P show qos` prints.
    pub(crate) fn read_factors(&mut self, input: &Input, problems: &mut Problems) {
        let mut lines = input.bytes.split(|&byte| byte == b'\n');
        let header = lines.find(|line| line.contains(&b'|')).unwrap_or_default();
        let headings = Headings::of_line(header);
        if !headings.has(QosColumn::Name) || !headings.has(QosColumn::Factor) {
            return problems.report(input.name(), PriceProblem::NoFactors);
        }
        let factors = self.factors.get_or_insert_default();
        for line in lines {
            let row = headings.divide(line);
            let factor: Option<f64> = row.get(QosColumn::Factor).and_then(parsed);
            if let (Some(name), Some(factor)) = (row.get(QosColumn::Name), factor)
                && factor >= 0.0
                && factor.is_finite()
            {
                factors.insert(name.to_vec(), factor);
            }
        }
    }

    /// Returns the units of usage of a second; `None` if `allocated` is not what `AllocTRES` prints.
    ///
    /// It is a number of double precision, of which Slurm prints the whole part as `billing`. Where that is another
    /// number, other weights were in force: then it is what counts, and the second result is `false`.
    pub(crate) fn rate(&self, partition: &[u8], qos: &[u8], tres: &[u8]) -> Option<(f64, bool)> {
        let weights = self.partitions.as_ref().and_then(|all| all.get(partition));
        let weights = weights.unwrap_or(&self.usual);
        let (mut weighed, mut cpus, mut printed) = (Vec::new(), 0.0, None);
        for part in tres.split(|&byte| byte == b',') {
            let at = memchr::memchr(b'=', part)?;
            let (name, count) = (&part[..at], amount(&part[at + 1..])?);
            match name {
                b"billing" => printed = Some(count),
                b"cpu" => cpus = count,
                _ => {}
            }
            if let Some((of, weight)) = weights.named(name) {
                weighed.push((of, weight * count));
            }
        }
        let billing = if weights.is_empty() {
            cpus
        } else {
            self.rule.billing(weighed.into_iter())
        };
        let is_printed = printed.is_none_or(|printed| (0.0..1.0).contains(&(billing - printed)));
        let billing = printed.filter(|_| !is_printed).unwrap_or(billing);
        let factor = self.factors.as_ref().and_then(|all| all.get(qos)).copied();
        Some((billing * factor.unwrap_or(1.0), is_printed))
    }
}

/// Returns what `scontrol show partition` prints behind a key, each with the name of its partition.
fn partitions<'a>(input: &'a Input, key: &'a [u8]) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
    let mut name: &[u8] = b"";
    let words = input.bytes.split(u8::is_ascii_whitespace);
    words.filter_map(move |word| {
        name = word.strip_prefix(b"PartitionName=").unwrap_or(name);
        Some((name, word.strip_prefix(key)?))
    })
}

/// Returns the CPUs of each partition and its memory in MiB, as `scontrol show partition` prints them.
pub(crate) fn totals(input: &Input) -> HashMap<Vec<u8>, [f64; 2]> {
    let totals = partitions(input, b"TRES=").filter_map(|(name, text)| {
        let of = |name: &[u8]| {
            let mut parts = text.split(|&byte| byte == b',');
            amount(parts.find_map(|part| part.strip_prefix(name))?)
        };
        Some((name.to_vec(), [of(b"cpu=")?, of(b"mem=")?]))
    });
    totals.collect()
}

/// Returns a number of a resource, memory in MiB: `96`, `2000M`, `1.50G`.
pub(super) fn amount(text: &[u8]) -> Option<f64> {
    let (&last, number) = text.split_last()?;
    let (number, unit) = match last {
        b'K' => (number, 1.0 / 1024.0),
        b'M' => (number, 1.0),
        b'G' => (number, 1024.0),
        b'T' => (number, 1024.0 * 1024.0),
        b'P' => (number, 1024.0 * 1024.0 * 1024.0),
        _ => (text, 1.0),
    };
    let number: f64 = parsed(number)?;
    (number >= 0.0 && number.is_finite()).then_some(number * unit)
}

/// What may not be known, with what is assumed and may be lost by it.
const ASSUMED: [&str; 6] = [
    "BOOT_TIME (calculations are taken to be at whole periods of the clock: an error of at most one period of each running job)",
    "AccountingStorageEnforce (limits are taken to be enforced; without them each job costs half a period less)",
    "scontrol show partition (each CPU is taken to cost 1, without memory and GPUs)",
    "sacctmgr -P show qos (each QOS is taken to count 1)",
    "PriorityFlags (the weighted resources of a job are taken to be added up; with MAX_TRES the greatest counts)",
    "JobID and Submit of sacct (no job is taken to be heterogeneous; Slurm 26.05 charges these at their submission, too)",
];

/// Says what is not known, and what that may cost.
pub(crate) fn note_unknown(
    prices: &Prices,
    settings: &Settings,
    lacks_submissions: bool,
    problems: &mut Problems,
) {
    let has_weights = prices.partitions.is_some() || !prices.usual.is_empty();
    let are_unknown = [
        settings.slurm.booted.is_none(),
        settings.slurm.charges_ends.is_none(),
        !has_weights,
        prices.factors.is_none(),
        has_weights && settings.slurm.billing_rule.is_none(),
        lacks_submissions,
    ];
    let unknown = are_unknown.into_iter().zip(ASSUMED);
    let unknown = unknown.filter_map(|(is_unknown, what)| is_unknown.then_some(what));
    let unknown: Vec<&str> = unknown.collect();
    if !unknown.is_empty() {
        let unknown = unknown.join("; ");
        problems.report(Place::WHOLE, PriceProblem::Assumed { unknown });
    }
}
