//! The cells of `sshare`: numbers as all of its versions print them, and as people write them again.

use crate::base::number;
use crate::format::sheet::kind::{is_parent, plain_count, plain_decimal};
use crate::format::slurm::rows::{stored_shares, stored_usage};
use crate::format::text::parsed;
use crate::model::{Figure, Shares, Usage};

/// Returns a number and its decimals: `0.063123`, `0,063123`, `inf`, `2.0000e+15`. `None` if it is no number.
pub(super) fn figure(cell: &[u8]) -> Option<Figure> {
    let printed = printed_figure(cell);
    if printed.is_some() {
        return printed;
    }
    printed_figure(&plain_decimal(cell))
}

/// Returns a number and its decimals as Slurm prints them.
fn printed_figure(cell: &[u8]) -> Option<Figure> {
    let text = std::str::from_utf8(cell).ok()?;
    let value: f64 = text.parse().ok()?;
    let mut digits = text;
    let mut exponent: i64 = 0;
    if let Some((before, behind)) = text.split_once(['e', 'E']) {
        digits = before;
        exponent = behind.parse().ok()?;
    }
    let mut places = exponent.saturating_neg();
    if let Some((_, behind)) = digits.split_once('.') {
        places += i64::try_from(behind.len()).ok()?;
    }
    let least = i64::from(i8::MIN);
    // The largest number marks one that is exact.
    let most = i64::from(i8::MAX - 1);
    let printed = places.clamp(least, most);
    let decimals = i8::try_from(printed).ok()?;
    Some(Figure { value, decimals })
}

/// Reads usage: a whole number, which may be larger than a double holds exactly and is then rounded. Thousands may be
/// marked. Returns none for another text.
pub(super) fn usage(cell: &[u8]) -> Usage {
    let mut printed = printed_figure(cell);
    if printed.is_none() {
        printed = printed_figure(&plain_count(cell));
    }
    let Some(figure) = printed else {
        return Usage::NONE;
    };
    stored_usage(figure.value).unwrap_or(Usage::NONE)
}

/// Reads raw shares: a count, or `parent` in letters or as the number that represents it. `None` for another text.
pub(super) fn shares(cell: &[u8]) -> Option<Shares> {
    if is_parent(cell) {
        return Some(Shares::PARENT);
    }
    // The root of old versions has 1.000000.
    let digits = cell.strip_suffix(b".000000").unwrap_or(cell);
    let count: i64 = match parsed(digits) {
        Some(count) => count,
        None => parsed(&plain_count(digits))?,
    };
    let least = i64::from(i32::MIN);
    let most = i64::from(u32::MAX);
    if count < least || count > most {
        return None;
    }
    Some(stored_shares(count))
}

/// Returns a 64-bit priority with 16 digits, of which `sshare -P` omits leading zeros. `None` if it is none.
pub(super) fn word(cell: &[u8]) -> Option<String> {
    if !cell.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let text = std::str::from_utf8(cell).ok()?;
    let bits = u64::from_str_radix(text, 16).ok()?;
    let word = number::word(bits);
    Some(word.into())
}
