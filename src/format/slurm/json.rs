//! JSON of `sshare -a --json` and of slurmrestd's `/shares`, as every data parser since 23.11 writes it.
//!
//! It is read as a stream: an association becomes a row as soon as it is complete, and nothing else is kept.

mod association;
pub(super) mod association_list;
mod bare_words;
mod document;

use super::rows::{Row, Rows, settle_policy, stored_shares, stored_usage};
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::input::{Input, Meter, without_mark};
use crate::format::problem::Place;
use crate::format::text::json_fault;
use crate::format::{Format, LoadError, LoadResult, OnProgress, Problems, Refusal, Severity};
use crate::model::{Fact, Figure, Shares, Usage, UsagePrecision};
use association::{Association, Resource};
use document::{Document, DocumentVisitor, SlurmMessage, complaints, filtered, words};
use memchr::memmem;
use serde::de::{Deserializer as _, IgnoredAny};
use serde_json::error::Category;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::ops::ControlFlow;

/// Slurm's mark of "no value" in place of a `LevelFS`, up to the data parser of 24.05.
const NO_LEVEL: f64 = 4_294_967_294.0;

/// The number that data parsers since 25.05 write for an infinite `LevelFS`: 2^64 - 1, as a double.
const INFINITE_LEVEL: f64 = 18_446_744_073_709_551_615.0;

/// How many decimals the usage of a resource has.
const USAGE_DECIMALS: u8 = 6;

/// The code of the note that usage has no decimals.
pub(crate) const BILLING_DIFFERS: &str = "slurm-billing-differs";

const AGAIN: &str = "print it again: sshare -a --json > FILE";

/// Returns whether the text looks like this JSON.
pub fn is(text: &[u8]) -> bool {
    let has = |key: &[u8]| memmem::find(text, key).is_some();
    body(text).starts_with(b"{") && has(b"\"shares\"") && has(b"\"shares_normalized\"")
}

/// Returns the JSON after anything that may precede it: the headers of an HTTP response, the line that `sshare -M`
/// prints before each cluster, a byte order mark, blanks.
fn body(text: &[u8]) -> &[u8] {
    let mut text = without_mark(text).trim_ascii_start();
    if text.starts_with(b"HTTP/") {
        let windows = memmem::find(text, b"\r\n\r\n").map(|end| end + 4);
        let unix = memmem::find(text, b"\n\n").map(|end| end + 2);
        let end = windows.into_iter().chain(unix).min();
        text = text[end.unwrap_or(text.len())..].trim_ascii_start();
    }
    if text.starts_with(b"CLUSTER: ") {
        let end = memchr::memchr(b'\n', text);
        text = text[end.unwrap_or(text.len())..].trim_ascii_start();
    }
    text
}

/// Fails if it is no JSON, is cut off, has an error in place of associations, or the user cancelled.
pub fn read(input: &Input, report: OnProgress<'_>) -> LoadResult<Rows> {
    let text = bare_words::legal(&input.bytes);
    let reader = SharesReader {
        text: &text,
        meter: Meter::new(input.name(), Some(text.len() as u64), report),
        is_cancelled: false,
        rows: Rows::new(Format::SlurmJson, input),
        whole: Vec::new(),
        odd: HashSet::new(),
        nameless: 0,
    };
    reader.read()
}

/// Refuses a file that holds an error of Slurm's in place of associations.
fn error_in_place(file: &Shown, error: &SlurmMessage<'_>, again: &str) -> Refusal {
    let what = format!("an error from Slurm, not a tree: {}", words(error));
    Refusal::is(file, &what, &format!("fix the cause, and {again}"))
}

/// Returns what is wrong with a document, without the place, and its place after the text before it.
fn fault(error: &serde_json::Error, before: &[u8]) -> (Shown, String) {
    let line = error.line() + memchr::memchr_iter(b'\n', before).count();
    // The document need not begin at the start of a line.
    let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
    let column = match error.line() {
        1 => before.len() - start + error.column(),
        _ => error.column(),
    };
    let place = format!("{line}:{column}");
    let what = shown(json_fault(error).as_bytes());
    (what, place)
}

struct SharesReader<'t, 'r> {
    text: &'t [u8],
    meter: Meter<'r>,
    is_cancelled: bool,
    rows: Rows,
    /// The usage of each row truncated to a whole number; NaN if it is not given.
    whole: Vec<f64>,
    /// The rows with usage that Slurm never stores, which are read as ones without.
    odd: HashSet<usize>,
    nameless: usize,
}

impl<'t> SharesReader<'t, '_> {
    fn read(mut self) -> LoadResult<Rows> {
        let mut rest = body(self.text);
        let mut had_errors = Vec::new();
        loop {
            // Several clusters are several documents.
            let first = self.rows.rows.len();
            let (document, after) = self.document(rest)?;
            self.close(&document, first);
            had_errors.extend(document.errors);
            rest = body(after);
            // slurmrestd writes this header after its response.
            if rest.is_empty() || rest.starts_with(b"Connection: Close") {
                break;
            }
        }
        if let (true, Some(error)) = (self.rows.rows.is_empty(), had_errors.first()) {
            return Err(error_in_place(&self.rows.file, error, AGAIN).into());
        }
        Ok(self.finish())
    }

    fn document(&mut self, text: &'t [u8]) -> LoadResult<(Document<'t>, &'t [u8])> {
        let mut json = serde_json::Deserializer::from_slice(text);
        let mut sink = |association: Association<'_>| {
            let told = self.tell(&association);
            self.push(&association);
            told
        };
        match json.deserialize_map(DocumentVisitor(&mut sink)) {
            Ok(document) => {
                let end = json.into_iter::<IgnoredAny>().byte_offset();
                Ok((document, &text[end..]))
            }
            Err(_) if self.is_cancelled => Err(LoadError::Cancelled),
            Err(error) => Err(self.refusal(text, &error).into()),
        }
    }

    fn refusal(&self, text: &[u8], error: &serde_json::Error) -> Refusal {
        let before = &self.text[..self.text.len() - text.len()];
        let (what, place) = fault(error, before);
        let (clause, advice) = match error.classify() {
            Category::Eof => {
                let count = self.rows.rows.len();
                let count = counted(count, "complete association", "complete associations");
                let clause = format!("the JSON ends in the middle, after {count}");
                (clause, "it was cut off")
            }
            Category::Data => (what.into(), "expected JSON as sshare -a --json prints it"),
            Category::Syntax | Category::Io => (
                format!("this is not JSON: {what}"),
                "it was changed or mixed with other output",
            ),
        };
        let advice = format!("{advice}: {AGAIN}");
        Refusal::at(&self.rows.file, &place, &clause, &advice)
    }

    fn tell(&mut self, association: &Association<'_>) -> ControlFlow<()> {
        // The JSON reader does not tell its position, but a name without escapes is a slice of the text.
        if let Cow::Borrowed(name) = association.name.0 {
            let place = name.as_ptr().addr() - self.text.as_ptr().addr();
            let told = self.meter.at(place as u64, self.rows.rows.len());
            self.is_cancelled = told.is_err();
        }
        if self.is_cancelled {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn push(&mut self, association: &Association<'_>) {
        let name = &*association.name.0;
        let parent = &*association.parent.0;
        let is_user = association.is_user;
        if name.is_empty() || (is_user && parent.is_empty()) {
            self.nameless += 1;
            return;
        }
        let rows = &mut self.rows;
        let cluster = rows.name(&association.cluster.0);
        let partition = rows.name(&association.partition.0);
        let parent = rows.name(parent);
        let name = rows.names.intern(name);
        let row = match (is_user, parent) {
            (true, Some(account)) => Row::new(account, Some(name)),
            (_, parent) => Row {
                parent,
                ..Row::new(name, None)
            },
        };
        let tres = &association.tres;
        // Slurm's raw usage, with six decimals.
        let mut usages = tres.usage.iter();
        let billing = usages.rfind(|usage| *usage.name.0 == *b"billing");
        let mut usages = [
            billing.map_or(f64::NAN, |usage| usage.value.0),
            association.usage.0,
        ];
        let is_odd = |amount: &f64| !amount.is_nan() && stored_usage(*amount).is_none();
        if let Some(amount) = usages.into_iter().find(is_odd) {
            // Lines are counted from the top, and further problems are not kept.
            let is_kept = rows.problems.count() < Problems::KEPT;
            let place = is_kept.then(|| line_of(self.text, &association.name.0));
            let place = place.unwrap_or(Place::WHOLE);
            rows.refuse_usage(place, &association.name.0, amount);
            self.odd.insert(rows.rows.len());
            usages = [f64::NAN; 2];
        }
        let [billing, whole] = usages;
        rows.rows.push(Row {
            cluster,
            partition,
            id: id(association.id.0),
            shares: shares(association.shares.0),
            usage: Usage::new(billing),
            ..row
        });
        self.whole.push(whole);
        let figures = [
            (Fact::NormShares, association.shares_normalized.0),
            (Fact::NormUsage, association.usage_normalized.0),
            (Fact::EffectvUsage, association.effective_usage.0),
            (Fact::FairShare, association.fairshare.factor.0),
            (Fact::LevelFs, level(association.fairshare.level.0)),
        ];
        for (fact, value) in figures {
            rows.figure(fact, Figure::exact(value));
        }
        let finite = |number: f64| Some(number).filter(|number| number.is_finite());
        let running = |seconds| finite(seconds).filter(|&seconds| seconds != 0.0);
        let running = |seconds| Some((running(seconds)? / 60.0).trunc());
        rows.text(Fact::GrpTresMins, &listed(&tres.group_minutes, finite));
        rows.text(Fact::TresRunMins, &listed(&tres.run_seconds, running));
    }

    /// Processes the rest of a document. Its associations are the rows from `first` on.
    fn close(&mut self, document: &Document<'_>, first: usize) {
        let rows = &mut self.rows;
        if let Some(maker) = &document.meta.slurm {
            rows.version = rows.version.take().or_else(|| maker.version());
            if !maker.cluster.0.is_empty() {
                let cluster = rows.names.intern(&maker.cluster.0);
                for row in &mut rows.rows[first..] {
                    row.cluster.get_or_insert(cluster);
                }
            }
        }
        rows.incomplete = rows.incomplete.or_else(|| filtered(&document.meta));
        self.complain(Severity::Warning, "slurm-error", &document.errors);
        self.complain(Severity::Note, "slurm-warning", &document.warnings);
    }

    fn complain(&mut self, severity: Severity, code: &'static str, messages: &[SlurmMessage<'_>]) {
        for (words, count) in complaints(messages) {
            let times = (count > 1).then(|| format!(", {count} times"));
            let times = times.unwrap_or_default();
            let message = sentence!("Slurm itself says{times}: {words}");
            let advice = "check the logs of slurmctld and slurmrestd if numbers are missing";
            let problems = &mut self.rows.problems;
            problems.add(severity, Place::WHOLE, code, message, advice);
        }
    }

    /// Sets what is known only after the last row: the source of usage, the policy, and which columns have no meaning.
    fn finish(mut self) -> Rows {
        self.choose_usage();
        settle_policy(&mut self.rows);
        let is_unknown = |row: &&Row| row.shares.is_none() && row.above().is_some();
        let mut unknown = self.rows.rows.iter().filter(is_unknown);
        if let Some(first) = unknown.next() {
            let names = self.rows.names.names();
            let first = shown(names.bytes(first.user.unwrap_or(first.account)));
            let have = counted(1 + unknown.count(), "association has", "associations have");
            let message = sentence!("{have} no number of shares, {first} first; 1 is assumed");
            let advice = "check them with sacctmgr show assoc";
            let problems = &mut self.rows.problems;
            problems.warn(Place::WHOLE, "slurm-no-shares", message, advice);
        }
        if self.nameless > 0 {
            let were = counted(self.nameless, "entry was", "entries were");
            let message =
                sentence!("{were} left out: without a name, or a user without an account");
            let problems = &mut self.rows.problems;
            problems.refuse(Place::WHOLE, "slurm-nameless", message, AGAIN);
        }
        self.rows
    }

    /// Takes usage from the resource `billing`, or for the whole file from the truncated number.
    fn choose_usage(&mut self) {
        let rows = &mut self.rows;
        let pairs = || rows.rows.iter().zip(&self.whole);
        let mut places = rows.rows.iter().enumerate();
        let has_billing =
            places.all(|(place, row)| row.usage.amount().is_some() || self.odd.contains(&place));
        // Truncation loses less than 1. That a double has no more digits is no difference.
        let differs = |&(row, &whole): &(&Row, &f64)| {
            let billing = row.usage.amount().unwrap_or(whole);
            (billing - whole).abs() > 1.0 + whole.abs() * 1e-9
        };
        let different = pairs().filter(differs).count();
        rows.usage_precision = UsagePrecision::Decimals(USAGE_DECIMALS);
        if has_billing && different == 0 {
            return;
        }
        for (row, &whole) in rows.rows.iter_mut().zip(&self.whole) {
            row.usage = Usage::new(whole);
        }
        rows.usage_precision = UsagePrecision::Whole;
        if different > 0 {
            let message = sentence!(
                "the billing of {} is not their usage, so usage was taken from the truncated whole numbers",
                counted(different, "association", "associations")
            );
            let advice = "give the output of scontrol show assoc_mgr flags=assoc as well, which has two decimals";
            rows.problems
                .note(Place::WHOLE, BILLING_DIFFERS, message, advice);
        }
    }
}

/// Returns the line of a name in the text. The reader does not tell it, but a name without escapes is a slice of the text.
fn line_of(text: &[u8], name: &[u8]) -> Place {
    let place = name.as_ptr().addr().wrapping_sub(text.as_ptr().addr());
    let Some(before) = text.get(..place) else {
        return Place::WHOLE;
    };
    (1 + memchr::memchr_iter(b'\n', before).count() as u64).into()
}

/// Returns resources with what is shown of their numbers, as `sshare` prints them: `cpu=1000,mem=4000`.
fn listed(resources: &[Resource<'_>], number: impl Fn(f64) -> Option<f64>) -> String {
    let mut text = String::new();
    for Resource { name, value } in resources {
        if let Some(number) = number(value.0) {
            let comma = if text.is_empty() { "" } else { "," };
            // Writing to a String cannot fail.
            let _ = write!(text, "{comma}{}={number}", String::from_utf8_lossy(&name.0));
        }
    }
    text
}

/// Returns Slurm's number of an association; 0 if there is none.
fn id(number: f64) -> u32 {
    let id = whole(number).and_then(|number| u32::try_from(number).ok());
    id.unwrap_or(0)
}

fn shares(number: f64) -> Option<Shares> {
    whole(number).map(stored_shares)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a whole number of 32 bits and a sign"
)]
fn whole(number: f64) -> Option<i64> {
    let is_whole = number.fract() == 0.0 && number.abs() <= f64::from(u32::MAX);
    is_whole.then_some(number as i64)
}

fn level(number: f64) -> f64 {
    match number {
        NO_LEVEL => f64::NAN,
        INFINITE_LEVEL.. => f64::INFINITY,
        number => number,
    }
}
