//! Sorting a million positions by number, in less time than comparing takes.

/// How many items there must be for a sort by digits to pay.
const LARGE: usize = 2048;

/// Sorts positions by their keys, the smallest first; ties by position.
pub(super) fn sort(items: &mut [(u64, u32)]) {
    if items.is_sorted() {
        return;
    }
    if items.len() < LARGE {
        items.sort_unstable();
        return;
    }
    // The upper half of the keys, sorted by digits, leaves little to compare: half the bytes to move.
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
    for tied in items.chunk_by_mut(|(a, _), (b, _)| upper_half(*a) == upper_half(*b)) {
        if !tied.is_sorted() {
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
