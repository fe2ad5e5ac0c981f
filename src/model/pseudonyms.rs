//! Names that stand for others, so that a tree can be shown to strangers.

use super::{Kind, Snapshot, Source, Tree};
use sha2::{Digest as _, Sha256};
use std::sync::Arc;

/// What a name belongs to. Namesakes of two kinds have different pseudonyms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    Account,
    User,
    Partition,
    Cluster,
}

/// The names that schedulers give themselves.
const KEPT: [&[u8]; 4] = [b"", b"root", b"TREEROOT", b"unknown"];

/// Digits that every scheduler takes in a name, in every form of its files.
const DIGITS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// How many digits a pseudonym has after its letter: with 60 bits two of a million names coincide once in two million trees.
const LENGTH: usize = 12;

/// Pseudonyms of one key. Under the same key a name always has the same pseudonym.
#[derive(Clone)]
pub struct Pseudonyms([u8; 32]);

impl Pseudonyms {
    /// Returns the pseudonyms of a key, without which nobody can tell which name is behind which pseudonym.
    pub const fn new(key: [u8; 32]) -> Self {
        Self(key)
    }

    /// Returns the pseudonym of a name: a letter for its kind and digits of its hash with the key.
    pub(crate) fn of(&self, named: Named, name: &[u8]) -> String {
        if KEPT.contains(&name) {
            return String::from_utf8_lossy(name).into_owned();
        }
        let letter = match named {
            Named::Account => b'a',
            Named::User => b'u',
            Named::Partition => b'p',
            Named::Cluster => b'c',
        };
        // The key has one length and the hash is cut, so nothing can be appended to either.
        let hash = Sha256::new().chain_update(self.0).chain_update([letter]);
        let hash = hash.chain_update(name).finalize();
        let digits = hash[..LENGTH].iter();
        let digits = digits.map(|byte| DIGITS[usize::from(byte % 32)]);
        let bytes = std::iter::once(letter).chain(digits);
        bytes.map(char::from).collect()
    }

    /// Returns a snapshot of a tree in which every node, partition and cluster has its pseudonym, without the names of
    /// files and whatever else its source told.
    pub fn anonymised(&self, snapshot: &Snapshot, tree: &Tree) -> Snapshot {
        let source = &snapshot.source;
        let mut tree = tree.clone();
        tree.rename_all(|kind, name| {
            let named = match kind {
                Some(Kind::Account) => Named::Account,
                Some(Kind::User) => Named::User,
                None => Named::Partition,
            };
            self.of(named, name).into_bytes()
        });
        Snapshot {
            tree,
            settings: snapshot.settings.clone(),
            source: Source {
                format: source.format,
                path: "anonymised".into(),
                title: "anonymised".into(),
                taken: source.taken,
                usage_unit: source.usage_unit.clone(),
                cluster: self.of(Named::Cluster, source.cluster.as_bytes()),
                version: source.version.clone(),
                lacks_settings: source.lacks_settings,
                ..Source::default()
            },
            recorded: Arc::clone(&snapshot.recorded),
        }
    }
}
