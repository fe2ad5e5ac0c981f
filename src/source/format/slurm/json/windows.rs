//! A long JSON read in windows: its associations one by one, and all around them as a document without associations.

use super::association::Association;
use super::{AssociationRows, SharesReader, body, token};
use crate::base::shown::Shown;
use crate::source::format::LoadError;
use crate::source::format::input::Windows;
use crate::source::format::slurm::rows::Rows;
use serde::Deserialize as _;
use serde::de::IgnoredAny;
use std::borrow::Cow;

/// The most that may follow the list of associations, in bytes.
const MOST_AFTER: usize = 4 << 20;

/// Reads a file whose beginning is in memory. Returns `None` if anything about it is unusual, which the reader of whole
/// files tells.
///
/// # Errors
/// If the file cannot be read, or the user cancelled.
pub(in crate::source::format) fn read(
    mut windows: Windows<'_>,
    file: Shown,
) -> Result<Option<Rows>, LoadError> {
    let Some(start) = list_start(windows.rest()) else {
        return Ok(None);
    };
    let mut around = windows.rest()[..start].to_vec();
    make_legal(&mut windows);
    windows.drop_parsed(start);
    let mut gathered = AssociationRows::new(file);
    gathered.rows.taken = windows.modified();
    if !associations(&mut windows, &mut gathered)? {
        return Ok(None);
    }
    let nodes = gathered.rows.rows.len();
    while windows.fill(nodes)? {
        if windows.rest().len() > MOST_AFTER {
            return Ok(None);
        }
    }
    if !windows.is_whole()? {
        return Ok(None);
    }
    around.extend_from_slice(windows.rest());
    let text = token::legal(&around);
    let reading = SharesReader {
        text: &text,
        meter: windows.into_meter(),
        gathered,
        cancelled: false,
    };
    match reading.read() {
        Ok(rows) => Ok(Some(rows)),
        Err(LoadError::Cancelled) => Err(LoadError::Cancelled),
        Err(_) => Ok(None),
    }
}

/// Returns where the associations begin, as Slurm writes them: `{"shares": {"shares": [`, or without the outer object.
fn list_start(text: &[u8]) -> Option<usize> {
    let start = text.len() - body(text).len();
    // A quotation mark would hide where strings begin.
    if text[..start].contains(&b'"') {
        return None;
    }
    let mut rest = &text[start..];
    for _ in 0..2 {
        for token in [&b"{"[..], b"\"shares\"", b":"] {
            rest = rest.trim_ascii_start().strip_prefix(token)?;
        }
        if let Some(list) = rest.trim_ascii_start().strip_prefix(b"[") {
            return Some(text.len() - list.len());
        }
    }
    None
}

/// Puts strings in place of bare words in the rest, which begins outside of a string.
fn make_legal(windows: &mut Windows<'_>) {
    let legal = match token::legal(windows.rest()) {
        Cow::Borrowed(_) => return,
        Cow::Owned(legal) => legal,
    };
    windows.replace(&legal);
}

/// Reads further from a place outside of strings. Returns false at the end of the file.
fn fill(windows: &mut Windows<'_>, gathered: &AssociationRows) -> Result<bool, LoadError> {
    let has_more = windows.fill(gathered.rows.rows.len())?;
    make_legal(windows);
    Ok(has_more)
}

/// Reads the associations up to the end of their list. Returns false if anything else is between them.
fn associations(
    windows: &mut Windows<'_>,
    gathered: &mut AssociationRows,
) -> Result<bool, LoadError> {
    let mut is_first = true;
    loop {
        match next(windows, gathered)? {
            // The end belongs to what is around the list.
            Some(b']') => return Ok(true),
            Some(b',') if !is_first => windows.drop_parsed(1),
            Some(_) if is_first => {}
            _ => return Ok(false),
        }
        is_first = false;
        if !association(windows, gathered)? {
            return Ok(false);
        }
    }
}

/// Returns the next byte that is no blank, without taking it, or `None` at the end of the file.
fn next(windows: &mut Windows<'_>, gathered: &AssociationRows) -> Result<Option<u8>, LoadError> {
    loop {
        let rest = windows.rest();
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        let blanks = rest.iter().take_while(|byte| is_blank(byte)).count();
        let byte = rest.get(blanks).copied();
        windows.drop_parsed(blanks);
        if byte.is_some() || !fill(windows, gathered)? {
            return Ok(byte);
        }
    }
}

/// Reads one association. Returns false if it is none or cut off.
fn association(
    windows: &mut Windows<'_>,
    gathered: &mut AssociationRows,
) -> Result<bool, LoadError> {
    let mut is_cut_word = false;
    loop {
        let mut json = serde_json::Deserializer::from_slice(windows.rest());
        let error = match Association::deserialize(&mut json) {
            Ok(association) => {
                gathered.push(&association);
                let length = json.into_iter::<IgnoredAny>().byte_offset();
                windows.drop_parsed(length);
                return Ok(true);
            }
            Err(error) => error,
        };
        // A bare word that a window cuts off is no JSON. It is legal as soon as all of it is read.
        let is_wrong = !error.is_eof() && std::mem::replace(&mut is_cut_word, true);
        if is_wrong || !fill(windows, gathered)? {
            return Ok(false);
        }
    }
}
