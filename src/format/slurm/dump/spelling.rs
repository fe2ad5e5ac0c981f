//! How names are written in a dump, and how Slurm stores them.

use crate::format::loss::{Fault, Losses};
use crate::format::slurm::assoc::MOST_SHARES;
use crate::model::{NodeId, Shares, Tree};
use std::borrow::Cow;

/// The length of a name in Slurm's database, in bytes.
const LONGEST_NAME: usize = 255;

/// Returns the name of an account. The root is called root in every Slurm.
pub(super) fn account_name(tree: &Tree, node: NodeId) -> &[u8] {
    if node == NodeId::ROOT {
        b"root"
    } else {
        tree.name(node)
    }
}

pub(super) fn is_writable(name: &[u8]) -> bool {
    let is_broken = |byte: &u8| matches!(byte, b'=' | b'\n' | 0);
    !name.is_empty() && name.len() <= LONGEST_NAME && !name.iter().any(is_broken)
}

pub(super) fn is_quote(byte: u8) -> bool {
    matches!(byte, b'\'' | b'"')
}

/// Returns the replacement that Slurm uses for a quote.
fn without_quote(byte: u8) -> u8 {
    if is_quote(byte) { b'`' } else { byte }
}

/// Counts a written name that Slurm will change.
pub(super) fn count_name(losses: &mut Losses, tree: &Tree, node: NodeId) {
    let name = tree.name(node);
    if name.iter().copied().any(is_quote) {
        losses.add(Fault::SlurmQuotes, node);
    }
    if name.iter().any(u8::is_ascii_uppercase) {
        losses.add(Fault::SlurmCapitals, node);
    }
    if name.trim_ascii().len() < name.len() {
        losses.add(Fault::SlurmBlanks, node);
    }
}

/// Returns the nearest shares that Slurm can hold.
pub(super) fn nearest(shares: Shares) -> Shares {
    let count = shares.count();
    count.map_or(shares, |count| Shares::new(count.clamp(0, MOST_SHARES)))
}

/// Writes the beginning of the line of an account or a user, up to its partition.
pub(super) fn begin_line(object: &str, name: &[u8], partition: Option<&[u8]>, file: &mut Vec<u8>) {
    file.extend([object.as_bytes(), b" - ", &quote(name)].concat());
    if let Some(partition) = partition {
        file.extend([b":Partition=", &quote(partition)[..]].concat());
    }
}

pub(super) fn quote(text: &[u8]) -> Vec<u8> {
    let mut quoted = vec![b'\''];
    for &byte in text {
        if matches!(byte, b'\\' | b'#') {
            quoted.push(b'\\');
        }
        quoted.push(without_quote(byte));
    }
    quoted.push(b'\'');
    quoted
}

/// Returns a name as `sacctmgr load` reads it: with one backslash for two, which `sacctmgr dump` does not write.
pub fn unescaped(name: &[u8]) -> Vec<u8> {
    let mut rest = name.iter();
    let mut read = Vec::with_capacity(name.len());
    while let Some(&byte) = rest.next() {
        read.push(byte);
        if byte == b'\\' && rest.as_slice().first() == Some(&byte) {
            rest.next();
        }
    }
    read
}

/// Returns the name as Slurm stores it: in lower case, without quotes.
pub(super) fn stored_name(name: &[u8]) -> Cow<'_, [u8]> {
    let is_held = |byte: &u8| !byte.is_ascii_uppercase() && !is_quote(*byte);
    if name.iter().all(is_held) {
        return Cow::Borrowed(name);
    }
    let lower = name.to_ascii_lowercase();
    Cow::Owned(lower.into_iter().map(without_quote).collect())
}
