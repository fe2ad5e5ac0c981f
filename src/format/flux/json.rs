//! The JSON of `flux account export-db -F` and `flux account-fairshare-emulate`: one object per bank or user, each
//! bank with its children inside.

mod lexer;
mod read;
mod write;

pub use write::convert;

use super::{Inactive, snapshot};
use crate::format::input::Input;
use crate::format::{Format, LoadError, Loaded, OnProgress, Request};
use crate::model::{Settings, UsagePrecision};

/// Returns whether the text begins as such JSON does.
pub fn is(text: &[u8]) -> bool {
    let after = |text: &[u8], start: &[u8]| -> Option<usize> {
        let text = text.trim_ascii_start();
        text.strip_prefix(start).map(<[u8]>::len)
    };
    let mut rest = text;
    for start in [&b"{"[..], b"\"root\"", b":", b"{"] {
        let Some(length) = after(rest, start) else {
            return false;
        };
        rest = &rest[rest.len() - length..];
    }
    true
}

/// Reads it. A bank's usage is the sum of its users. Stated usage of a bank counts if it has no users.
pub(crate) fn parse(
    input: &Input,
    request: &Request,
    report: OnProgress<'_>,
) -> Result<Loaded, LoadError> {
    Inactive::of(request)?;
    let mut reader = read::BankReader::new(input, report);
    reader.read()?;
    let (builder, mut recorded, problems) = reader.finish()?;
    recorded.usage_precision = UsagePrecision::Exact;
    let settings = Settings::default();
    let mut snapshot = snapshot(builder, settings, recorded, request, Format::FluxJson);
    snapshot.source.taken = input.modified;
    Ok(Loaded::new(snapshot, problems))
}
