//! JSON of `sshare -a --json` and of slurmrestd's `/shares`, as every data parser since 23.11 writes it.
//!
//! It is read as a stream: an association becomes a row as soon as it is complete, and nothing else is kept.

mod association;
pub(super) mod association_list;
mod bare_words;
mod document;

use super::rows::{Row, Rows, settle_policy, stored_shares, stored_usage};
use crate::base::number::counted;
use crate::base::shown::{Shown, shown};
use crate::format::input::{Input, Meter, without_mark};
use crate::format::problem::{Place, problems};
use crate::format::text::json_fault;
use crate::format::{Format, LoadError, LoadResult, OnProgress, Problems, Refusal};
use crate::model::{Fact, Figure, Shares, Usage, UsagePrecision};
use association::{Association, Resource};
use document::{Complaint, Document, DocumentVisitor, SlurmMessage, complaints, filtered, words};
use memchr::memmem;
use serde::de::{Deserializer as _, IgnoredAny};
use serde_json::error::Category;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::ops::ControlFlow;

/// Slurm's mark of "no value" instead of a `LevelFS`, up to the data parser of 24.05.
const NO_LEVEL: f64 = 4_294_967_294.0;

/// The number that data parsers since 25.05 write for an infinite `LevelFS`: 2^64 - 1, as a double.
const INFINITE_LEVEL: f64 = 18_446_744_073_709_551_615.0;

/// How many decimals the usage of a resource has.
const USAGE_DECIMALS: u8 = 6;

/// The code of the note that usage has no decimals.
pub(crate) const BILLING_DIFFERS: &str = "slurm-billing-differs";

/// What to do about a file that cannot be read.
const AGAIN: &str = "print it again: sshare -a --json > FILE";

problems! {
    /// What is wrong with a document, or assumed.
    enum SharesProblem {
        SlurmError { times: String, words: String }, Warning "slurm-error",
            "Slurm itself says{times}: {words}",
            "check the logs of slurmctld and slurmrestd if numbers are missing";
        SlurmWarning { times: String, words: String }, Note "slurm-warning",
            "Slurm itself says{times}: {words}",
            "check the logs of slurmctld and slurmrestd if numbers are missing";
        NoShares { have: Shown, first: Shown }, Warning "slurm-no-shares",
            "{have} no number of shares, {first} first; 1 is assumed",
            "check them with sacctmgr show assoc";
        Nameless { were: Shown }, Error "slurm-nameless",
            "{were} left out: without a name, or a user without an account",
            "print it again: sshare -a --json > FILE";
        BillingDiffers { associations: Shown }, Note BILLING_DIFFERS,
            "the billing of {associations} is not their usage, so usage was taken from the truncated whole numbers",
            "give the output of scontrol show assoc_mgr flags=assoc as well, which has two decimals";
    }
}

/// Returns whether the text looks like this JSON.
pub fn is(text: &[u8]) -> bool {
    if !body(text).starts_with(b"{") {
        return false;
    }
    contains(text, b"\"shares\"") && contains(text, b"\"shares_normalized\"")
}

/// Returns whether a text has a part.
fn contains(text: &[u8], part: &[u8]) -> bool {
    memmem::find(text, part).is_some()
}

/// Returns the JSON after anything that may precede it: the headers of an HTTP response, the line that `sshare -M`
/// prints before each cluster, a byte order mark, blanks.
fn body(text: &[u8]) -> &[u8] {
    let mut body = without_mark(text).trim_ascii_start();
    if body.starts_with(b"HTTP/") {
        body = after_headers(body).trim_ascii_start();
    }
    if body.starts_with(b"CLUSTER: ") {
        let end = memchr::memchr(b'\n', body).unwrap_or(body.len());
        body = body[end..].trim_ascii_start();
    }
    body
}

/// Returns a response from the blank line on that ends its headers.
fn after_headers(response: &[u8]) -> &[u8] {
    let mut rest = response;
    while let Some(end) = memchr::memchr(b'\n', rest) {
        rest = &rest[end + 1..];
        if rest.starts_with(b"\n") || rest.starts_with(b"\r\n") {
            return rest;
        }
    }
    b""
}

/// Reads the associations of a file. Fails if it is no JSON, is cut off, has an error instead of associations, or the
/// user cancelled.
pub fn read(input: &Input, report: OnProgress<'_>) -> LoadResult<Rows> {
    let text = bare_words::legal(&input.bytes);
    let reader = SharesReader {
        text: &text,
        meter: Meter::new(input.name(), Some(text.len() as u64), report),
        is_cancelled: false,
        rows: Rows::new(Format::SlurmJson, input),
        truncated: Vec::new(),
        refused: HashSet::new(),
        nameless: 0,
    };
    reader.read()
}

/// Refuses a file that holds an error of Slurm's instead of associations.
fn error_in_place(file: &Shown, error: &SlurmMessage<'_>, again: &str) -> Refusal {
    let words = words(error);
    let what = format!("an error from Slurm, not a tree: {words}");
    let advice = format!("fix the cause, and {again}");
    Refusal::is(file, &what, &advice)
}

/// What is wrong with a document.
struct DocumentFault {
    /// What is wrong, without the place.
    what: Shown,
    /// The line and the column in the file: `12:3`.
    place: String,
}

impl DocumentFault {
    /// Describes an error of a document behind some text.
    fn new(error: &serde_json::Error, before: &[u8]) -> Self {
        let line = error.line() + memchr::memchr_iter(b'\n', before).count();
        let mut column = error.column();
        if error.line() == 1 {
            // The document need not begin at the start of a line.
            let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
            column += before.len() - start;
        }
        Self {
            what: shown(json_fault(error).as_bytes()),
            place: format!("{line}:{column}"),
        }
    }
}

/// The rows of a file as they are read.
struct SharesReader<'t, 'r> {
    /// The file, without bare words.
    text: &'t [u8],
    /// Reports how far it is read.
    meter: Meter<'r>,
    /// Whether the user cancelled.
    is_cancelled: bool,
    /// What was read.
    rows: Rows,
    /// The usage of each row truncated to a whole number; NaN if it is not given.
    truncated: Vec<f64>,
    /// The rows with usage that Slurm never stores, which are read as ones without.
    refused: HashSet<usize>,
    /// How many entries were left out because they lack a name.
    nameless: usize,
}

/// The usage of an association; NaN where it is not given.
struct PrintedUsage {
    /// Slurm's raw usage, with six decimals.
    billing: f64,
    /// The usage as a whole number.
    truncated: f64,
}

impl PrintedUsage {
    /// No usage at all.
    const NONE: Self = Self {
        billing: f64::NAN,
        truncated: f64::NAN,
    };

    /// Takes the usage of an association.
    fn new(association: &Association<'_>) -> Self {
        let mut usage = Self {
            truncated: association.usage.0,
            ..Self::NONE
        };
        for resource in &association.tres.usage {
            if *resource.name.0 == *b"billing" {
                usage.billing = resource.value.0;
            }
        }
        usage
    }

    /// Returns a number that Slurm never stores, if one is.
    fn refused(&self) -> Option<f64> {
        for amount in [self.billing, self.truncated] {
            let is_stored = amount.is_nan() || stored_usage(amount).is_some();
            if !is_stored {
                return Some(amount);
            }
        }
        None
    }
}

impl<'t> SharesReader<'t, '_> {
    /// Reads all documents of the file.
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
        if let Some(error) = had_errors.first()
            && self.rows.rows.is_empty()
        {
            return Err(error_in_place(&self.rows.file, error, AGAIN).into());
        }
        Ok(self.finish())
    }

    /// Reads a document, and returns the text behind it.
    fn document(&mut self, text: &'t [u8]) -> LoadResult<(Document<'t>, &'t [u8])> {
        let mut json = serde_json::Deserializer::from_slice(text);
        let mut sink = |association: Association<'_>| {
            let flow = self.report_progress(&association);
            self.push(&association);
            flow
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

    /// Refuses the file because of an error of a document.
    fn refusal(&self, text: &[u8], error: &serde_json::Error) -> Refusal {
        let before = &self.text[..self.text.len() - text.len()];
        let DocumentFault { what, place } = DocumentFault::new(error, before);
        let clause;
        let advice;
        match error.classify() {
            Category::Eof => {
                let count = self.rows.rows.len();
                let complete = counted(count, "complete association", "complete associations");
                clause = format!("the JSON ends in the middle, after {complete}");
                advice = "it was cut off";
            }
            Category::Data => {
                clause = what.into();
                advice = "expected JSON as sshare -a --json prints it";
            }
            Category::Syntax | Category::Io => {
                clause = format!("this is not JSON: {what}");
                advice = "it was changed or mixed with other output";
            }
        }
        Refusal::at(
            &self.rows.file,
            &place,
            &clause,
            &format!("{advice}: {AGAIN}"),
        )
    }

    /// Reports how far the text is read, up to an association.
    fn report_progress(&mut self, association: &Association<'_>) -> ControlFlow<()> {
        // The JSON reader does not tell its position, but a name without escapes is a slice of the text.
        if let Cow::Borrowed(name) = association.name.0 {
            let start = self.text.as_ptr().addr();
            let place = name.as_ptr().addr() - start;
            let rows = self.rows.rows.len();
            let reported = self.meter.at(place as u64, rows);
            self.is_cancelled = reported.is_err();
        }
        if self.is_cancelled {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// Adds the row of an association; counts one without a name.
    fn push(&mut self, association: &Association<'_>) {
        let name = &*association.name.0;
        let above = &*association.parent.0;
        if name.is_empty() || (association.is_user && above.is_empty()) {
            self.nameless += 1;
            return;
        }
        let mut usage = PrintedUsage::new(association);
        if let Some(amount) = usage.refused() {
            self.refuse_usage(name, amount);
            usage = PrintedUsage::NONE;
        }
        self.truncated.push(usage.truncated);
        let rows = &mut self.rows;
        let cluster = rows.name(&association.cluster.0);
        let partition = rows.name(&association.partition.0);
        let above = rows.name(above);
        let name = rows.names.intern(name);
        let mut row = Row::new(name, None);
        match above {
            Some(account) if association.is_user => row = Row::new(account, Some(name)),
            parent => row.parent = parent,
        }
        rows.rows.push(Row {
            cluster,
            partition,
            id: id(association.id.0),
            shares: shares(association.shares.0),
            usage: Usage::new(usage.billing),
            ..row
        });
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
        let tres = &association.tres;
        rows.text(Fact::GrpTresMins, &listed(&tres.group_minutes, finite));
        rows.text(
            Fact::TresRunMins,
            &listed(&tres.run_seconds, running_minutes),
        );
    }

    /// Reports the usage of the row that is added next, which is read as one without.
    fn refuse_usage(&mut self, name: &[u8], amount: f64) {
        // Lines are counted from the top, and further problems are not kept.
        let place = if self.rows.problems.count() < Problems::KEPT {
            line_of(self.text, name)
        } else {
            Place::WHOLE
        };
        self.rows.refuse_usage(place, name, amount);
        self.refused.insert(self.rows.rows.len());
    }

    /// Processes the rest of a document. Its associations are the rows from `first` on.
    fn close(&mut self, document: &Document<'_>, first: usize) {
        let rows = &mut self.rows;
        if let Some(producer) = &document.meta.slurm {
            if rows.version.is_none() {
                rows.version = producer.version();
            }
            let cluster = &producer.cluster.0;
            if !cluster.is_empty() {
                let cluster = rows.names.intern(cluster);
                for row in &mut rows.rows[first..] {
                    row.cluster.get_or_insert(cluster);
                }
            }
        }
        if rows.incomplete.is_none() {
            rows.incomplete = filtered(&document.meta);
        }
        let problems = &mut rows.problems;
        for complaint in complaints(&document.errors) {
            let times = times(&complaint);
            let words = complaint.words;
            problems.report(Place::WHOLE, SharesProblem::SlurmError { times, words });
        }
        for complaint in complaints(&document.warnings) {
            let times = times(&complaint);
            let words = complaint.words;
            problems.report(Place::WHOLE, SharesProblem::SlurmWarning { times, words });
        }
    }

    /// Sets what is known only after the last row: the source of usage, the policy, and which columns have no meaning.
    fn finish(mut self) -> Rows {
        self.choose_usage();
        settle_policy(&mut self.rows);
        self.note_missing_shares();
        if self.nameless > 0 {
            let were = counted(self.nameless, "entry was", "entries were");
            let problem = SharesProblem::Nameless { were };
            self.rows.problems.report(Place::WHOLE, problem);
        }
        self.rows
    }

    /// Reports associations whose shares are assumed.
    fn note_missing_shares(&mut self) {
        let mut first: Option<&Row> = None;
        let mut count = 0;
        for row in &self.rows.rows {
            // The root has no shares.
            if row.shares.is_none() && row.above().is_some() {
                first = first.or(Some(row));
                count += 1;
            }
        }
        if let Some(row) = first {
            let first = row.user.unwrap_or(row.account);
            let problem = SharesProblem::NoShares {
                have: counted(count, "association has", "associations have"),
                first: shown(self.rows.names.names().bytes(first)),
            };
            self.rows.problems.report(Place::WHOLE, problem);
        }
    }

    /// Takes usage from the resource `billing`, or for the whole file from the truncated number.
    fn choose_usage(&mut self) {
        let rows = &mut self.rows;
        let mut has_billing = true;
        let mut different = 0;
        for (place, row) in rows.rows.iter().enumerate() {
            let truncated = self.truncated[place];
            let Some(billing) = row.usage.amount() else {
                has_billing &= self.refused.contains(&place);
                continue;
            };
            // Truncation loses less than 1. That a double has no more digits is no difference.
            if (billing - truncated).abs() > 1.0 + truncated.abs() * 1e-9 {
                different += 1;
            }
        }
        if has_billing && different == 0 {
            rows.usage_precision = UsagePrecision::Decimals(USAGE_DECIMALS);
            return;
        }
        for (row, &truncated) in rows.rows.iter_mut().zip(&self.truncated) {
            row.usage = Usage::new(truncated);
        }
        rows.usage_precision = UsagePrecision::Whole;
        if different > 0 {
            let associations = counted(different, "association", "associations");
            let problem = SharesProblem::BillingDiffers { associations };
            rows.problems.report(Place::WHOLE, problem);
        }
    }
}

/// Returns how often a message is there, behind a comma; empty for once.
fn times(complaint: &Complaint) -> String {
    match complaint.count {
        1 => String::new(),
        count => format!(", {count} times"),
    }
}

/// Returns the line of a name in the text. The reader does not tell it, but a name without escapes is a slice of the text.
fn line_of(text: &[u8], name: &[u8]) -> Place {
    let start = text.as_ptr().addr();
    let place = name.as_ptr().addr().wrapping_sub(start);
    let Some(before) = text.get(..place) else {
        return Place::WHOLE;
    };
    let ends = memchr::memchr_iter(b'\n', before).count();
    Place::from(1 + ends as u64)
}

/// Returns resources with what is shown of their numbers, as `sshare` prints them: `cpu=1000,mem=4000`.
fn listed(resources: &[Resource<'_>], number: fn(f64) -> Option<f64>) -> String {
    let mut text = String::new();
    let mut comma = "";
    for Resource { name, value } in resources {
        if let Some(number) = number(value.0) {
            let name = String::from_utf8_lossy(&name.0);
            // Writing to a String cannot fail.
            let _ = write!(text, "{comma}{name}={number}");
            comma = ",";
        }
    }
    text
}

/// Returns a number, unless it is infinite or none.
fn finite(number: f64) -> Option<f64> {
    if number.is_finite() {
        Some(number)
    } else {
        None
    }
}

/// Returns seconds in whole minutes, unless there are none.
fn running_minutes(seconds: f64) -> Option<f64> {
    if seconds == 0.0 {
        return None;
    }
    Some((finite(seconds)? / 60.0).trunc())
}

/// Returns Slurm's number of an association; 0 if there is none.
fn id(number: f64) -> u32 {
    match whole(number) {
        Some(id) => u32::try_from(id).unwrap_or(0),
        None => 0,
    }
}

/// Returns raw shares; `None` for a number that is none.
fn shares(number: f64) -> Option<Shares> {
    whole(number).map(stored_shares)
}

/// Returns a whole number of up to 32 bits and a sign; `None` for another one.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a whole number of 32 bits and a sign"
)]
fn whole(number: f64) -> Option<i64> {
    if number.fract() == 0.0 && number.abs() <= f64::from(u32::MAX) {
        Some(number as i64)
    } else {
        None
    }
}

/// Returns a `LevelFS`; NaN where Slurm prints a mark of "no value".
fn level(number: f64) -> f64 {
    match number {
        NO_LEVEL => f64::NAN,
        INFINITE_LEVEL.. => f64::INFINITY,
        number => number,
    }
}
