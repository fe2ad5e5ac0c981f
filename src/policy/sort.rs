//! Sorting a million positions by number, in less time than comparing takes.

/// How many items there must be for a sort by digits to pay.
const LARGE: usize = 1 << PLACE_BITS;

/// The bits of a place among fewer than [`LARGE`] items.
const PLACE_BITS: u32 = 11;

/// Fewer items than this are compared as they are.
const SMALL: usize = 20;

/// Sorts positions by their keys, and keeps the space that it takes for the next time.
#[derive(Default)]
pub(super) struct Sorter {
    packed: Vec<u64>,
    spare: Vec<(u64, u32)>,
}

/// Sorts positions by their keys, the smallest first; ties by position.
pub(super) fn sort(items: &mut [(u64, u32)]) {
    Sorter::default().sort(items);
}

impl Sorter {
    /// Sorts positions by their keys, the smallest first; ties by position.
    pub(super) fn sort(&mut self, items: &mut [(u64, u32)]) {
        if items.is_sorted() {
            return;
        }
        match items.len() {
            ..SMALL => items.sort_unstable(),
            SMALL..LARGE => self.sort_some(items),
            _ => sort_many(items),
        }
    }

    /// Sorts words that are most of a key and a place: half the bytes to move, and nothing to compare behind them.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the place is the lowest bits of a word"
    )]
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

/// Sorts by the upper half of the keys first, digit by digit: half the bytes to move.
fn sort_many(items: &mut [(u64, u32)]) {
    let mut upper: Vec<(u32, u32)> = (0..)
        .zip(items.iter())
        .map(|(place, &(key, _))| (upper_half(key), place))
        .collect();
    sort_by_digits(&mut upper);
    let sorted: Vec<(u64, u32)> = upper
        .iter()
        .map(|&(_, place)| items[place as usize])
        .collect();
    items.copy_from_slice(&sorted);
    sort_tied(items, |key| u64::from(upper_half(key)));
}

/// Sorts items that are sorted by a part of their keys.
fn sort_tied(items: &mut [(u64, u32)], part: impl Fn(u64) -> u64) {
    for tied in items.chunk_by_mut(|(a, _), (b, _)| part(*a) == part(*b)) {
        if tied.len() > 1 && !tied.is_sorted() {
            tied.sort_unstable();
        }
    }
}

fn upper_half(key: u64) -> u32 {
    (key >> 32) as u32
}

/// Sorts by a 32-bit key; items of the same key keep their order.
pub(super) fn sort_by_digits(items: &mut Vec<(u32, u32)>) {
    let mut spare = vec![(0, 0); items.len()];
    for shift in (0..32).step_by(DIGIT_BITS) {
        sort_by_digit(items, &mut spare, |&(key, _)| {
            key as usize >> shift & (DIGITS - 1)
        });
        std::mem::swap(items, &mut spare);
    }
}

const DIGIT_BITS: usize = 11;
const DIGITS: usize = 1 << DIGIT_BITS;

/// Copies `from` to `to`, sorted by one digit; items of the same digit keep their order.
fn sort_by_digit<T: Copy>(from: &[T], to: &mut [T], digit: impl Fn(&T) -> usize) {
    let mut places = [0_usize; DIGITS];
    for item in from {
        places[digit(item)] += 1;
    }
    let mut total = 0;
    for place in &mut places {
        total += std::mem::replace(place, total);
    }
    for item in from {
        let place = &mut places[digit(item)];
        to[*place] = *item;
        *place += 1;
    }
}
