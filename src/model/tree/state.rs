//! One number for everything a tree contains, to detect another tree without keeping either.

use super::{NodeId, Tree};

/// The start of the 64-bit hash of Fowler, Noll and Vo, here used word by word.
const START: u64 = 0xcbf2_9ce4_8422_2325;

/// The factor of that hash.
const FACTOR: u64 = 0x0000_0100_0000_01b3;

/// A hash that is the same on every machine and in every release.
struct TreeValues(u64);

impl TreeValues {
    /// Adds a word. Each step is reversible, so two trees that differ in one word alone never agree.
    const fn word(&mut self, word: u64) {
        // A product carries only upwards. Rotating brings the high bits down again.
        self.0 = (self.0 ^ word).wrapping_mul(FACTOR).rotate_left(29);
    }

    /// Adds a word, and another one for none.
    fn optional(&mut self, word: Option<u64>) {
        self.word(word.unwrap_or(u64::MAX));
    }

    /// Adds bytes and their number.
    fn bytes(&mut self, bytes: &[u8]) {
        self.word(bytes.len() as u64);
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
    }
}

impl Tree {
    /// Returns a number for names, structure, shares, usage and its order: the same on every machine, in every release.
    pub fn state_hash(&self) -> u64 {
        let mut state = TreeValues(START);
        state.word(self.node_count() as u64);
        for &node in self.nodes() {
            state.word(u64::from(self.depth(node)));
            state.bytes(self.name(node));
            state.bytes(self.partition(node).unwrap_or_default());
            let active = match self.active(node) {
                None => 0,
                Some(false) => 1,
                Some(true) => 2,
            };
            let is_user = self.is_user(node);
            state.word(active << 8 | u64::from(is_user));
            state.optional(self.shares(node).count().map(i64::cast_unsigned));
            state.optional(self.usage(node).amount().map(f64::to_bits));
            state.word(u64::from(self.group(node).cast_unsigned()));
        }
        let mut unknown_place = None;
        if let Some(unknown) = self.unknown() {
            unknown_place = self.place(unknown);
        }
        state.optional(unknown_place);
        for record in self.records() {
            state.optional(self.place(record.node));
            state.word(record.amount.to_bits());
            let adds = u64::from(record.adds_to_ancestors);
            let superseded = u64::from(record.superseded);
            state.word(adds << 1 | superseded);
        }
        state.0
    }

    /// Returns the place of a node in the order; `None` for a removed one.
    fn place(&self, node: NodeId) -> Option<u64> {
        Some(self.order().position(node)? as u64)
    }
}
