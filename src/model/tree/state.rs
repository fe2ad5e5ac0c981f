//! One number for everything a tree contains, to detect another tree without keeping either.

use super::{Kind, Tree};

/// The start and the factor of the 64-bit hash of Fowler, Noll and Vo, here used word by word.
const START: u64 = 0xcbf2_9ce4_8422_2325;
const FACTOR: u64 = 0x0000_0100_0000_01b3;

/// A hash that is the same on every machine and in every release.
struct TreeValues(u64);

impl TreeValues {
    /// Adds a word. Each step is reversible, so two trees that differ in one word alone never agree.
    const fn word(&mut self, word: u64) {
        // A product carries only upwards. Rotating brings the high bits down again.
        self.0 = (self.0 ^ word).wrapping_mul(FACTOR).rotate_left(29);
    }

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
            let active = self.active(node).map_or(0, |active| 1 + u64::from(active));
            state.word(active << 8 | u64::from(self.kind(node) == Kind::User));
            let shares = self.shares(node).count();
            state.word(shares.map_or(u64::MAX, i64::cast_unsigned));
            state.word(self.usage(node).amount().map_or(u64::MAX, f64::to_bits));
            state.word(u64::from(self.group(node).cast_unsigned()));
        }
        let unknown = self.unknown().and_then(|node| self.order().position(node));
        state.word(unknown.map_or(u64::MAX, |place| place as u64));
        for record in self.records() {
            let place = self.order().position(record.node);
            state.word(place.map_or(u64::MAX, |place| place as u64));
            state.word(record.amount.to_bits());
            state.word(u64::from(record.adds_to_ancestors) << 1 | u64::from(record.superseded));
        }
        state.0
    }
}
