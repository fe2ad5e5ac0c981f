//! Pseudo-random numbers, the same in every run.

/// A generator of numbers (splitmix64).
pub(crate) struct Random(u64);

impl Random {
    /// Makes a generator from a seed.
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).expect("a word holds it");
        usize::try_from(self.next() % end).expect("it is below a usize")
    }

    /// Returns a number from `start` to `end`.
    pub(crate) fn between(&mut self, start: u64, end: u64) -> u64 {
        start + self.next() % (end - start + 1)
    }
}
