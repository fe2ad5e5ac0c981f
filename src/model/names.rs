//! Interned names: the bytes are in one arena, and a name is a number.
//!
//! Names are bytes, not text: PBS accepts any byte but blank and tab. In Slurm the same user appears under many
//! accounts, so equal names share one [`NameId`].

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;
use std::num::NonZeroU32;

/// One distinct name of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NameId(NonZeroU32);

impl NameId {
    /// Returns the name's place in the order of first appearance.
    pub(crate) const fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    /// Returns the name at a place in that order. It is stored plus 1, so that an optional name needs no more space.
    fn at(index: usize) -> Self {
        let number = u32::try_from(index + 1).ok().and_then(NonZeroU32::new);
        Self(number.expect("a tree has fewer than 2^32 nodes, so fewer names"))
    }
}

/// The distinct names of a tree.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The bytes of all names, one after the other.
    bytes: Vec<u8>,
    /// By name: where its bytes end.
    ends: Vec<u32>,
}

impl Names {
    /// Returns the bytes of a name.
    pub fn bytes(&self, name: NameId) -> &[u8] {
        let index = name.index();
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start as usize..self.ends[index] as usize]
    }

    /// Returns how many names there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns every name with its id, in the order of first appearance.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (NameId, &[u8])> {
        let ids = (0..self.len()).map(NameId::at);
        ids.map(|id| (id, self.bytes(id)))
    }
}

/// The names of a tree, to which more can be added.
#[derive(Clone, Debug, Default)]
pub struct NameInterner {
    names: Names,
    known: HashTable<Known>,
    hasher: DefaultHashBuilder,
}

/// A name with its hash, so that growing the table or passing another name does not touch distant bytes.
#[derive(Clone, Copy, Debug)]
struct Known {
    hash: u32,
    name: NameId,
}

impl Known {
    /// Returns the word by which the table finds it.
    fn wide_hash(self) -> u64 {
        wide(self.hash)
    }
}

/// Returns a hash as a 64-bit word, of which the table uses the lowest and the highest bits.
fn wide(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

impl NameInterner {
    /// Reserves space for so many more names.
    pub(crate) fn reserve(&mut self, count: usize) {
        self.names.ends.reserve(count);
        self.known.reserve(count, |known| known.wide_hash());
    }

    /// Returns the id of a name, adding the name if it is new.
    pub fn intern(&mut self, name: &[u8]) -> NameId {
        let hash = self.hash(name);
        if let Some(known) = self.find_hashed(hash, name) {
            return known;
        }
        let id = NameId::at(self.names.ends.len());
        self.names.bytes.extend_from_slice(name);
        let end = u32::try_from(self.names.bytes.len()).expect("no input is larger than 2 GiB");
        self.names.ends.push(end);
        let known = Known { hash, name: id };
        self.known
            .insert_unique(wide(hash), known, |known| known.wide_hash());
        id
    }

    /// Returns the id of a name, or `None` if it has not been seen.
    pub(crate) fn find(&self, name: &[u8]) -> Option<NameId> {
        self.find_hashed(self.hash(name), name)
    }

    /// Returns the names seen so far.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Gives back the space that was reserved and not used.
    pub(super) fn shrink_to_fit(&mut self) {
        self.names.bytes.shrink_to_fit();
        self.names.ends.shrink_to_fit();
    }

    /// Returns the id of a name with this hash, or `None` if it has not been seen.
    fn find_hashed(&self, hash: u32, name: &[u8]) -> Option<NameId> {
        let known = self.known.find(wide(hash), |known| {
            known.hash == hash && self.names.bytes(known.name) == name
        })?;
        Some(known.name)
    }

    /// Half of a hash tells names apart well enough.
    fn hash(&self, name: &[u8]) -> u32 {
        u32::try_from(self.hasher.hash_one(name) >> 32).unwrap_or(0)
    }
}
