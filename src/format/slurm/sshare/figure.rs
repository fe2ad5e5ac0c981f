//! Numbers as `sshare` prints them.

use crate::model::{Figure, Shares};

/// Returns a number and its decimals: `0.063123`, `inf`, `2.0000e+15`. `None` if it is no number.
pub(super) fn figure(cell: &[u8]) -> Option<Figure> {
    let text = std::str::from_utf8(cell).ok()?;
    let value: f64 = text.parse().ok()?;
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let behind = digits.split_once('.').map_or(0, |(_, behind)| behind.len());
    let decimals = i64::try_from(behind).ok()? - exponent.parse::<i64>().ok()?;
    Some(Figure {
        value,
        decimals: i8::try_from(decimals.clamp(i64::from(i8::MIN), i64::from(i8::MAX) - 1)).ok()?,
    })
}

/// Reads usage: a whole number, which may be larger than a double holds exactly and is then rounded.
pub(super) fn usage(cell: &[u8]) -> Option<f64> {
    figure(cell)
        .map(|figure| figure.value)
        .filter(|value| value.is_finite() && *value >= 0.0)
}

/// Reads raw shares: a count, or `parent` in letters or as the number that represents it.
pub(super) fn shares(cell: &[u8]) -> Option<Shares> {
    if cell.eq_ignore_ascii_case(b"parent") {
        return Some(Shares::PARENT);
    }
    // The root of old versions has 1.000000.
    let cell = cell.strip_suffix(b".000000").unwrap_or(cell);
    let count: i64 = std::str::from_utf8(cell).ok()?.parse().ok()?;
    let fits = (i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(&count);
    fits.then(|| {
        if count == Shares::STORED_PARENT {
            Shares::PARENT
        } else {
            Shares::new(count)
        }
    })
}

/// Returns a 64-bit priority in hexadecimal, written out to 16 digits, because `sshare -P` omits leading zeros. `None`
/// if it is no such number.
pub(super) fn word(cell: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(cell).ok()?;
    let is_hexadecimal = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let bits = u64::from_str_radix(text, 16)
        .ok()
        .filter(|_| is_hexadecimal)?;
    Some(crate::base::number::word(bits).into())
}
