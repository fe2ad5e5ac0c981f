//! Sorts a million positions by number, faster than by comparing.

/// Returns a double as an integer of the same order. -0 and 0 are equal. A NaN comes beyond the infinity of its sign.
pub(crate) fn ordered(number: f64) -> u64 {
    let bits = (number + 0.0).to_bits();
    if bits >> 63 == 0 {
        bits | 1 << 63
    } else {
        !bits
    }
}

/// Returns a double as an integer of the same order. NaN comes below all others.
pub(crate) fn rising(number: f64) -> u64 {
    if number.is_nan() {
        return 0;
    }
    ordered(number)
}

/// From this number of items on, sorting by digits is faster.
const LARGE: usize = 1 << PLACE_BITS;

/// The bits of a place among fewer than [`LARGE`] items.
const PLACE_BITS: u32 = 11;

/// Fewer items than this are sorted by comparison.
const SMALL: usize = 20;

/// Sorts positions by number, and keeps its buffers for the next time.
#[derive(Default)]
pub(crate) struct Sorter {
    packed: Vec<u64>,
    spare: Vec<(u64, u32)>,
}

/// Sorts positions by their keys, the smallest first; ties by position.
pub(crate) fn sort(items: &mut Vec<(u64, u32)>) {
    Sorter::default().sort(items);
}

impl Sorter {
    /// Sorts positions by their keys, the smallest first; ties by position.
    pub(crate) fn sort(&mut self, items: &mut Vec<(u64, u32)>) {
        if items.is_sorted() {
            return;
        }
        match items.len() {
            ..SMALL => items.sort_unstable(),
            SMALL..LARGE => self.sort_some(items),
            _ => sort_many(items),
        }
    }

    /// Sorts words that hold the upper bits of a key and a place. That halves the bytes to move, and nothing else need
    /// be compared.
    fn sort_some(&mut self, items: &mut [(u64, u32)]) {
        const PLACE: u64 = (1 << PLACE_BITS) - 1;
        self.packed.clear();
        let places = (0_u64..).zip(items.iter());
        self.packed
            .extend(places.map(|(place, &(key, _))| key & !PLACE | place));
        self.packed.sort_unstable();
        self.spare.clear();
        let places = self.packed.iter().map(|&word| (word & PLACE) as usize);
        self.spare.extend(places.map(|place| items[place]));
        items.copy_from_slice(&self.spare);
        sort_tied(items, |key| key & !PLACE);
    }
}

/// Sorts by 32 bits of the keys first, digit by digit, from the first bit in which keys differ. That halves the bytes
/// to move.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the bits above are the same in all keys"
)]
fn sort_many(items: &mut Vec<(u64, u32)>) {
    let first = items.first().map_or(0, |&(key, _)| key);
    let differing = items.iter().fold(0, |bits, &(key, _)| bits | (key ^ first));
    let shift = (u64::BITS - differing.leading_zeros()).saturating_sub(u32::BITS);
    let part = |key: u64| (key >> shift) as u32;
    let mut parts: Vec<(u32, u32)> = (0..)
        .zip(items.iter())
        .map(|(place, &(key, _))| (part(key), place))
        .collect();
    sort_by_digits(&mut parts);
    *items = parts
        .iter()
        .map(|&(_, place)| items[place as usize])
        .collect();
    sort_tied(items, |key| u64::from(part(key)));
}

/// Sorts items that are already sorted by a part of their keys.
fn sort_tied(items: &mut [(u64, u32)], part: impl Fn(u64) -> u64) {
    for tied in items.chunk_by_mut(|(a, _), (b, _)| part(*a) == part(*b)) {
        if tied.len() > 1 && !tied.is_sorted() {
            tied.sort_unstable();
        }
    }
}

/// Sorts by a 32-bit key. Items with the same key keep their order.
pub(crate) fn sort_by_digits(items: &mut Vec<(u32, u32)>) {
    let digit = |key: u32, place: usize| key as usize >> (place * DIGIT_BITS) & (DIGITS - 1);
    let mut counts = vec![[0_usize; DIGITS]; 32_usize.div_ceil(DIGIT_BITS)];
    for &(key, _) in items.iter() {
        for (place, counts) in counts.iter_mut().enumerate() {
            counts[digit(key, place)] += 1;
        }
    }
    let mut spare = vec![(0, 0); items.len()];
    for (place, counts) in counts.iter_mut().enumerate() {
        // A digit that is the same in all keys changes no order.
        if counts.contains(&items.len()) {
            continue;
        }
        let mut total = 0;
        for count in counts.iter_mut() {
            total += std::mem::replace(count, total);
        }
        for &item in items.iter() {
            let next = &mut counts[digit(item.0, place)];
            spare[*next] = item;
            *next += 1;
        }
        std::mem::swap(items, &mut spare);
    }
}

const DIGIT_BITS: usize = 11;
const DIGITS: usize = 1 << DIGIT_BITS;
