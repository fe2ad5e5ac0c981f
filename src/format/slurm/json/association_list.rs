//! JSON of `sacctmgr --json show assoc`: shares and parents, without usage.

use super::association::{Number, Text, null_as_default};
use super::document::{Meta, SlurmMessage};
use super::{DocumentFault, bare_words, body, contains, error_in_place, id, shares};
use crate::base::shown::Shown;
use crate::format::input::{Input, Meter};
use crate::format::slurm::rows::{Row, Rows};
use crate::format::{Format, LoadResult, OnProgress, Refusal};

/// What to do about a file that cannot be read.
const AGAIN: &str = "print it again: sacctmgr --json show assoc > FILE";

/// An entry of `associations`.
#[derive(Default, serde::Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
struct ListedAssociation<'a> {
    /// The account; for a user its account.
    account: Text<'a>,
    /// The user; empty for the account itself.
    user: Text<'a>,
    /// The cluster.
    cluster: Text<'a>,
    /// The partition of a user; empty for all.
    partition: Text<'a>,
    /// The parent of an account; empty for the root.
    parent_account: Text<'a>,
    /// The raw shares.
    shares_raw: Number,
    /// Slurm's number of the association.
    id: Number,
}

/// The document.
#[derive(Default, serde::Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
struct AssociationList<'a> {
    /// The associations of accounts and users.
    #[serde(deserialize_with = "null_as_default")]
    associations: Vec<ListedAssociation<'a>>,
    /// What it says of its origin.
    #[serde(deserialize_with = "null_as_default")]
    meta: Meta<'a>,
    /// The errors that Slurm met.
    #[serde(deserialize_with = "null_as_default")]
    errors: Vec<SlurmMessage<'a>>,
}

/// Returns whether the text looks like this JSON.
pub(crate) fn is(text: &[u8]) -> bool {
    if !body(text).starts_with(b"{") {
        return false;
    }
    contains(text, b"\"associations\"") && contains(text, b"\"shares_raw\"")
}

/// Reads the associations of a file. Fails if it is no such JSON, is cut off, has an error instead of associations, or the
/// user cancelled.
pub(crate) fn read(input: &Input, report: OnProgress<'_>) -> LoadResult<Rows> {
    let file = input.name();
    let text = bare_words::legal(&input.bytes);
    let length = text.len();
    let document = body(&text);
    let list: AssociationList<'_> = match serde_json::from_slice(document) {
        Ok(list) => list,
        Err(error) => {
            let start = length - document.len();
            let before = &text[..start];
            return Err(refusal(&file, &error, before).into());
        }
    };
    let mut meter = Meter::new(input.name(), Some(length as u64), report);
    meter.at(length as u64, list.associations.len())?;
    if let Some(error) = list.errors.first()
        && list.associations.is_empty()
    {
        return Err(error_in_place(&file, error, AGAIN).into());
    }
    let mut rows = Rows::new(Format::SacctmgrAssoc, input);
    for listed in &list.associations {
        let row = row(&mut rows, listed);
        rows.rows.extend(row);
    }
    if let Some(producer) = list.meta.slurm {
        rows.version = producer.version();
    }
    Ok(rows)
}

/// Returns the row of an association; `None` if it has no account.
fn row(rows: &mut Rows, listed: &ListedAssociation<'_>) -> Option<Row> {
    let account = rows.name(&listed.account.0)?;
    let user = rows.name(&listed.user.0);
    let mut row = Row::new(account, user);
    row.cluster = rows.name(&listed.cluster.0);
    if user.is_some() {
        row.partition = rows.name(&listed.partition.0);
    } else {
        row.parent = rows.name(&listed.parent_account.0);
    }
    row.id = id(listed.id.0);
    row.shares = shares(listed.shares_raw.0);
    Some(row)
}

/// Refuses a file because of an error of its document, which is behind some text.
fn refusal(file: &Shown, error: &serde_json::Error, before: &[u8]) -> Refusal {
    if error.is_eof() {
        let advice = format!("it was cut off: {AGAIN}");
        return Refusal::because(file, "the JSON ends in the middle", &advice);
    }
    let DocumentFault { what, place } = DocumentFault::new(error, before);
    let clause = format!("this is not an output of sacctmgr: {what}");
    Refusal::at(file, &place, &clause, AGAIN)
}
