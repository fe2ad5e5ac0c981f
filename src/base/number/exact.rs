//! Numbers for machines, in full.

use super::{Value, not_finite, word};
use std::fmt;

/// A number for machines: the shortest text that reads back to the same bits in the number's own type.
///
/// `inf`, `-inf` and `nan` are written as these words, `parent` shares as `parent`, `Null` as an empty text, and 64-bit
/// priorities in hexadecimal.
#[derive(Clone, Copy, Debug)]
pub struct Exact(pub Value);

impl fmt::Display for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => Ok(()),
            Value::Parent => f.write_str("parent"),
            Value::Count(count) => count.fmt(f),
            Value::Word(bits) => f.write_str(&word(bits)),
            Value::Double(number) => match not_finite(number) {
                Some(word) => f.write_str(word),
                None => fmt::Debug::fmt(&number, f),
            },
            Value::Single(number) => match not_finite(f64::from(number)) {
                Some(word) => f.write_str(word),
                None => fmt::Debug::fmt(&number, f),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_numbers_read_back_to_the_same_bits() {
        for number in [0.1, 1e300, 5e-324, -0.0, 1201.0, 1.0 / 3.0] {
            let text = Exact(Value::Double(number)).to_string();
            assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(number.to_bits()));
        }
        assert_eq!(Exact(Value::Single(0.6)).to_string(), "0.6");
        assert_eq!(Exact(Value::Double(1000.0)).to_string(), "1000.0");
    }
}
