//! JSON of `sacctmgr --json show assoc`: shares and parents, without usage.

use super::association::{Number, Text, null_as_default};
use super::document::{Meta, SlurmMessage};
use super::{bare_words, body, error_in_place, fault, id, shares};
use crate::format::input::{Input, Meter};
use crate::format::slurm::rows::{Row, Rows};
use crate::format::{Format, LoadResult, OnProgress, Refusal};
use memchr::memmem;

const AGAIN: &str = "print it again: sacctmgr --json show assoc > FILE";

#[derive(Default, serde::Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
struct ListedAssociation<'a> {
    account: Text<'a>,
    user: Text<'a>,
    cluster: Text<'a>,
    partition: Text<'a>,
    parent_account: Text<'a>,
    shares_raw: Number,
    id: Number,
}

#[derive(Default, serde::Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
struct AssociationList<'a> {
    #[serde(deserialize_with = "null_as_default")]
    associations: Vec<ListedAssociation<'a>>,
    #[serde(deserialize_with = "null_as_default")]
    meta: Meta<'a>,
    #[serde(deserialize_with = "null_as_default")]
    errors: Vec<SlurmMessage<'a>>,
}

pub(in crate::format::slurm) fn is(text: &[u8]) -> bool {
    let has = |key: &[u8]| memmem::find(text, key).is_some();
    body(text).starts_with(b"{") && has(b"\"associations\"") && has(b"\"shares_raw\"")
}

pub(in crate::format::slurm) fn read(input: &Input, report: OnProgress<'_>) -> LoadResult<Rows> {
    let file = input.name();
    let text = bare_words::legal(&input.bytes);
    let document = body(&text);
    let list: AssociationList<'_> = serde_json::from_slice(document).map_err(|error| {
        if error.is_eof() {
            let advice = format!("it was cut off: {AGAIN}");
            return Refusal::because(&file, "the JSON ends in the middle", &advice);
        }
        let before = &text[..text.len() - document.len()];
        let (what, place) = fault(&error, before);
        let clause = format!("this is not an output of sacctmgr: {what}");
        Refusal::at(&file, &place, &clause, AGAIN)
    })?;
    let mut meter = Meter::new(file.clone(), Some(text.len() as u64), report);
    meter.at(text.len() as u64, list.associations.len())?;
    if let (true, Some(error)) = (list.associations.is_empty(), list.errors.first()) {
        return Err(error_in_place(&file, error, AGAIN).into());
    }
    let mut rows = Rows::new(Format::SacctmgrAssoc, input);
    for listed in &list.associations {
        let mut name = |name: &Text<'_>| rows.name(&name.0);
        let Some(account) = name(&listed.account) else {
            continue;
        };
        let user = name(&listed.user);
        let row = Row {
            cluster: name(&listed.cluster),
            partition: user.and_then(|_| name(&listed.partition)),
            parent: match user {
                Some(_) => None,
                None => name(&listed.parent_account),
            },
            id: id(listed.id.0),
            shares: shares(listed.shares_raw.0),
            ..Row::new(account, user)
        };
        rows.rows.push(row);
    }
    rows.version = list.meta.slurm.and_then(|maker| maker.version());
    Ok(rows)
}
