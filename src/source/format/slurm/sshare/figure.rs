//! Numbers as `sshare` prints them.

use crate::model::{Figure, Shares};

/// The number of digits that a double always holds exactly.
const SAFE_DIGITS: usize = 15;

/// Powers of ten that a double holds exactly.
const POWERS: [f64; 16] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
];

/// Returns a number and its decimals: `0.063123`, `inf`, `2.0000e+15`. `None` if it is no number.
pub(super) fn figure(cell: &[u8]) -> Option<Figure> {
    if let Some(figure) = plain(cell) {
        return Some(figure);
    }
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

/// Reads few digits with a point among them. Both the digits and the power of ten are exact in a double, so their
/// quotient is the nearest double to the printed number, as a correct parser would give it.
fn plain(cell: &[u8]) -> Option<Figure> {
    if cell.is_empty() || cell.len() > SAFE_DIGITS + 1 {
        return None;
    }
    let (mut digits, mut behind, mut point) = (0_u64, 0_usize, false);
    for &byte in cell {
        match byte {
            b'0'..=b'9' => {
                digits = digits * 10 + u64::from(byte - b'0');
                behind += usize::from(point);
            }
            b'.' if !point => point = true,
            _ => return None,
        }
    }
    let decimals = i8::try_from(behind).ok()?;
    (cell.len() > usize::from(point) && cell.len() - usize::from(point) <= SAFE_DIGITS).then(|| {
        Figure {
            value: digits as f64 / POWERS[behind],
            decimals,
        }
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
