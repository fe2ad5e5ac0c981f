//! One value of a table, the unit of its column, and its text for machines.

use super::{not_finite, word};
use std::fmt;

/// One number of one node, in the type in which the scheduler holds it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Unknown or not applicable.
    Null,
    /// Slurm's `parent` instead of shares.
    Parent,
    /// A whole number.
    Count(i64),
    /// A 64-bit float.
    Double(f64),
    /// A 32-bit float: PBS holds its percentages in these, and their shortest text differs from a double's.
    Single(f32),
    /// A 64-bit priority, which a double could not hold.
    Word(u64),
}

impl Value {
    /// Returns the number as a double, or `None` if it is none.
    pub fn as_f64(self) -> Option<f64> {
        match self {
            Self::Null | Self::Parent => None,
            Self::Count(count) => Some(count as f64),
            Self::Double(number) => Some(number),
            Self::Single(number) => Some(f64::from(number)),
            Self::Word(word) => Some(word as f64),
        }
    }
}

/// A number for machines: the shortest text that reads back to the same bits. `Null` is empty, 64-bit priorities are
/// hexadecimal, and `inf`, `-inf`, `nan` and `parent` are these words.
#[derive(Clone, Copy, Debug)]
pub struct Exact(pub Value);

impl fmt::Display for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(word) = self.0.as_f64().and_then(not_finite) {
            return f.write_str(word);
        }
        match self.0 {
            Value::Null => Ok(()),
            Value::Parent => f.write_str("parent"),
            Value::Count(count) => count.fmt(f),
            Value::Word(bits) => f.write_str(&word(bits)),
            Value::Double(number) => fmt::Debug::fmt(&number, f),
            Value::Single(number) => fmt::Debug::fmt(&number, f),
        }
    }
}

impl From<Option<f64>> for Value {
    fn from(number: Option<f64>) -> Self {
        number.map_or(Self::Null, Self::Double)
    }
}

impl From<Option<i64>> for Value {
    fn from(count: Option<i64>) -> Self {
        count.map_or(Self::Null, Self::Count)
    }
}

impl From<Option<u32>> for Value {
    fn from(count: Option<u32>) -> Self {
        count.map(i64::from).into()
    }
}

impl From<Option<u64>> for Value {
    fn from(count: Option<u64>) -> Self {
        match count {
            Some(count) => Self::Count(count.try_into().unwrap_or(i64::MAX)),
            None => Self::Null,
        }
    }
}

impl From<usize> for Value {
    fn from(count: usize) -> Self {
        Self::Count(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

/// The unit of a column, which decides how its numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Text: names.
    Text,
    /// A whole number.
    Count,
    /// Usage in the source's unit, which may be huge.
    Usage,
    /// A part of the whole, shown as a percentage.
    Portion,
    /// A number between 0 and 1 shown with all the digits a scheduler prints.
    Fraction,
    /// A ratio from 0 to infinity.
    Ratio,
    /// A ratio with six decimals.
    Weight,
    /// A multiple of a target, from 0 to infinity: `1.39x`.
    Times,
    /// A 64-bit priority, in hexadecimal.
    Word,
    /// A rank: 1 runs first.
    Rank,
    /// Places gained or lost.
    Change,
    /// A drawing.
    Bar,
}

/// The side of its column on which a value is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alignment {
    /// Names and drawings.
    Left,
    /// Numbers.
    Right,
}
