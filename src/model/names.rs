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
    pub const fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    /// Returns the name at a place in that order. It is stored plus 1, so that an optional name needs no more space.
    fn at(index: usize) -> Self {
        let number = u32::try_from(index + 1).ok().and_then(NonZeroU32::new);
        Self(number.expect("a tree has fewer than 2^32 nodes, so fewer names"))
    }
}

/// The names of a tree, without a hash table until an edit needs one.
#[derive(Clone, Debug, Default)]
pub struct Names {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    table: Option<NameTable>,
}

impl Names {
    /// Returns the bytes of a name.
    pub fn bytes(&self, name: NameId) -> &[u8] {
        let index = name.index();
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start as usize..self.ends[index] as usize]
    }

    /// Returns how many distinct names there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns every name with its id, in the order of first appearance.
    pub fn iter(&self) -> impl Iterator<Item = (NameId, &[u8])> {
        (0..self.len())
            .map(NameId::at)
            .map(|id| (id, self.bytes(id)))
    }

    /// Finds a name, or adds it. This is for names that come from edits; the first one makes a hash table.
    pub fn intern_later(&mut self, name: &[u8]) -> NameId {
        let table = self.table.take();
        let mut table = table.unwrap_or_else(|| NameTable::of(self));
        let id = table.intern(self, name);
        self.table = Some(table);
        id
    }

    fn push(&mut self, name: &[u8]) -> NameId {
        let id = NameId::at(self.ends.len());
        self.bytes.extend_from_slice(name);
        self.ends
            .push(u32::try_from(self.bytes.len()).expect("no input is larger than 2 GiB"));
        id
    }
}

/// Names while a tree is being read, with a hash table.
#[derive(Debug, Default)]
pub struct NameInterner {
    names: Names,
    table: NameTable,
}

/// The names by their hashes.
#[derive(Clone, Debug, Default)]
struct NameTable {
    known: HashTable<Known>,
    hasher: DefaultHashBuilder,
}

/// A name in the hash table with its hash, so that growing the table or passing another name does not touch distant
/// bytes.
#[derive(Clone, Copy, Debug)]
struct Known {
    hash: u32,
    name: NameId,
}

impl Known {
    /// Returns the hash as a 64-bit word, of which the table uses the lowest and the highest bits.
    fn wide(self) -> u64 {
        wide(self.hash)
    }
}

fn wide(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

impl NameTable {
    fn of(names: &Names) -> Self {
        let mut table = Self::default();
        table.known.reserve(names.len(), |known| known.wide());
        for (name, bytes) in names.iter() {
            let hash = table.hash(bytes);
            table.insert(Known { hash, name });
        }
        table
    }

    fn intern(&mut self, names: &mut Names, name: &[u8]) -> NameId {
        let hash = self.hash(name);
        if let Some(known) = self.find(names, hash, name) {
            return known;
        }
        let name = names.push(name);
        self.insert(Known { hash, name });
        name
    }

    fn insert(&mut self, known: Known) {
        self.known
            .insert_unique(known.wide(), known, |known| known.wide());
    }

    fn find(&self, names: &Names, hash: u32, name: &[u8]) -> Option<NameId> {
        let is_it = |known: &Known| known.hash == hash && names.bytes(known.name) == name;
        self.known.find(wide(hash), is_it).map(|known| known.name)
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "half of a hash tells names apart well enough"
    )]
    fn hash(&self, name: &[u8]) -> u32 {
        self.hasher.hash_one(name) as u32
    }
}

impl NameInterner {
    /// Reserves space for so many more names.
    pub fn reserve(&mut self, count: usize) {
        self.names.ends.reserve(count);
        self.table.known.reserve(count, |known| known.wide());
    }

    /// Returns the id of a name, adding the name if it is new.
    pub fn intern(&mut self, name: &[u8]) -> NameId {
        self.table.intern(&mut self.names, name)
    }

    /// Returns the id of a name, or `None` if it has not been seen.
    pub fn find(&self, name: &[u8]) -> Option<NameId> {
        self.table.find(&self.names, self.table.hash(name), name)
    }

    /// Returns the names seen so far.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Drops the hash table and returns the names.
    pub fn into_names(mut self) -> Names {
        self.names.bytes.shrink_to_fit();
        self.names.ends.shrink_to_fit();
        self.names
    }
}
