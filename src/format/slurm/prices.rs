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
    /// The columns that are read of `sacctmgr show qos`.
    enum QosColumn {
        Name, "Name";
        Factor, "UsageFactor";
    }
}

problems! {
    /// What is wrong with prices, or missing.
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
    /// How weighted resources become a billing.
    rule: BillingRule,
}

/// What a second of a job costs.
pub(crate) struct Rate {
    /// The units of usage of a second.
    pub(crate) units: f64,
    /// Whether it is by the weights in force, and not by the `billing` that was printed.
    pub(crate) is_by_weights: bool,
}

impl Prices {
    /// Returns the prices of settings alone. Fails if `TRESBillingWeights` is not a list of weights.
    pub(crate) fn of(settings: &Settings) -> Result<Self, BillingError> {
        Ok(Self {
            usual: BillingWeights::read(&settings.slurm.billing_weights)?,
            rule: settings.slurm.billing_rule.unwrap_or_default(),
            ..Self::default()
        })
    }

    /// Adds the weights that `scontrol show partition` prints.
    pub(crate) fn read_partitions(&mut self, input: &Input, problems: &mut Problems) {
        let partitions = self.partitions.get_or_insert_default();
        for field in partition_fields(input, b"PartitionName=") {
            partitions.insert(field.partition.to_vec(), BillingWeights::default());
        }
        for field in partition_fields(input, b"TRESBillingWeights=") {
            match BillingWeights::read(&String::from_utf8_lossy(field.value)) {
                Ok(weights) => {
                    partitions.insert(field.partition.to_vec(), weights);
                }
                Err(error) => {
                    let partition = shown(field.partition);
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
            let factor: Option<f64> = parsed(row.text(QosColumn::Factor));
            if let (Some(name), Some(factor)) = (row.get(QosColumn::Name), factor)
                && factor >= 0.0
                && factor.is_finite()
            {
                factors.insert(name.to_vec(), factor);
            }
        }
    }

    /// Returns the weights of a partition; those of the settings if its own are not known.
    fn weights(&self, partition: &[u8]) -> &BillingWeights {
        match &self.partitions {
            Some(partitions) => partitions.get(partition).unwrap_or(&self.usual),
            None => &self.usual,
        }
    }

    /// Returns what a QOS multiplies the billing by; 1 if that is not known.
    fn factor(&self, qos: &[u8]) -> f64 {
        match &self.factors {
            Some(factors) => factors.get(qos).copied().unwrap_or(1.0),
            None => 1.0,
        }
    }

    /// Returns what a second costs; `None` if `tres` is not what `AllocTRES` prints.
    ///
    /// It is a number of double precision, of which Slurm prints the whole part as `billing`. Where that is another
    /// number, other weights were in force: then it is what counts.
    pub(crate) fn rate(&self, partition: &[u8], qos: &[u8], tres: &[u8]) -> Option<Rate> {
        let weights = self.weights(partition);
        let mut weighed = Vec::new();
        let mut cpus = 0.0;
        let mut printed = None;
        for resource in tres.split(|&byte| byte == b',') {
            let at = memchr::memchr(b'=', resource)?;
            let name = &resource[..at];
            let count = amount(&resource[at + 1..])?;
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
        let factor = self.factor(qos);
        if let Some(printed) = printed
            && !(0.0..1.0).contains(&(billing - printed))
        {
            return Some(Rate {
                units: printed * factor,
                is_by_weights: false,
            });
        }
        Some(Rate {
            units: billing * factor,
            is_by_weights: true,
        })
    }
}

/// What `scontrol show partition` prints behind a key.
struct PartitionField<'a> {
    /// The partition whose record it is in.
    partition: &'a [u8],
    /// The text up to the next blank.
    value: &'a [u8],
}

/// Returns all fields of a key, in the order of the output.
fn partition_fields<'a>(input: &'a Input, key: &[u8]) -> Vec<PartitionField<'a>> {
    let mut partition: &[u8] = b"";
    let mut fields = Vec::new();
    for word in input.bytes.split(u8::is_ascii_whitespace) {
        if let Some(name) = word.strip_prefix(b"PartitionName=") {
            partition = name;
        }
        if let Some(value) = word.strip_prefix(key) {
            fields.push(PartitionField { partition, value });
        }
    }
    fields
}

/// What a partition has in all.
pub(crate) struct PartitionTotals {
    /// Its CPUs.
    pub(super) cpus: f64,
    /// Its memory, in MiB.
    pub(super) memory: f64,
}

impl PartitionTotals {
    /// Reads what is behind `TRES=`; `None` without CPUs or memory.
    fn parse(tres: &[u8]) -> Option<Self> {
        let mut cpus = None;
        let mut memory = None;
        for resource in tres.split(|&byte| byte == b',') {
            if let Some(count) = resource.strip_prefix(b"cpu=") {
                cpus = cpus.or(Some(count));
            } else if let Some(count) = resource.strip_prefix(b"mem=") {
                memory = memory.or(Some(count));
            }
        }
        Some(Self {
            cpus: amount(cpus?)?,
            memory: amount(memory?)?,
        })
    }
}

/// Returns what each partition has, as `scontrol show partition` prints it.
pub(crate) fn totals(input: &Input) -> HashMap<Vec<u8>, PartitionTotals> {
    let mut totals = HashMap::new();
    for field in partition_fields(input, b"TRES=") {
        if let Some(total) = PartitionTotals::parse(field.value) {
            totals.insert(field.partition.to_vec(), total);
        }
    }
    totals
}

/// Returns a number of a resource, memory in MiB: `96`, `2000M`, `1.50G`.
pub(super) fn amount(text: &[u8]) -> Option<f64> {
    let (&last, before) = text.split_last()?;
    let unit = match last {
        b'K' => 1.0 / 1024.0,
        b'M' => 1.0,
        b'G' => 1024.0,
        b'T' => 1024.0 * 1024.0,
        b'P' => 1024.0 * 1024.0 * 1024.0,
        _ => return count(text),
    };
    Some(count(before)? * unit)
}

/// Returns a number from 0 up.
fn count(text: &[u8]) -> Option<f64> {
    let count: f64 = parsed(text)?;
    if count >= 0.0 && count.is_finite() {
        Some(count)
    } else {
        None
    }
}

/// Says what is not known, with what is assumed and may be lost by it.
pub(crate) fn note_unknown(
    prices: &Prices,
    settings: &Settings,
    lacks_submissions: bool,
    problems: &mut Problems,
) {
    let has_weights = prices.partitions.is_some() || !prices.usual.is_empty();
    let mut unknown = Vec::new();
    if settings.slurm.booted.is_none() {
        unknown.push(
            "BOOT_TIME (calculations are taken to be at whole periods of the clock: an error of at most one period of each running job)",
        );
    }
    if settings.slurm.charges_ends.is_none() {
        unknown.push(
            "AccountingStorageEnforce (limits are taken to be enforced; without them each job costs half a period less)",
        );
    }
    if !has_weights {
        unknown
            .push("scontrol show partition (each CPU is taken to cost 1, without memory and GPUs)");
    }
    if prices.factors.is_none() {
        unknown.push("sacctmgr -P show qos (each QOS is taken to count 1)");
    }
    if has_weights && settings.slurm.billing_rule.is_none() {
        unknown.push(
            "PriorityFlags (the weighted resources of a job are taken to be added up; with MAX_TRES the greatest counts)",
        );
    }
    if lacks_submissions {
        unknown.push(
            "JobID and Submit of sacct (no job is taken to be heterogeneous; Slurm 26.05 charges these at their submission, too)",
        );
    }
    if !unknown.is_empty() {
        let unknown = unknown.join("; ");
        problems.report(Place::WHOLE, PriceProblem::Assumed { unknown });
    }
}
