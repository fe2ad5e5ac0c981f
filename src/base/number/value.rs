//! One value of a table, and what its column counts.

/// One number of one node, in the type the scheduler holds it in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Unknown or not applicable.
    Null,
    /// Slurm's `parent` in place of shares.
    Parent,
    /// A whole number.
    Count(i64),
    /// A 64-bit float.
    Double(f64),
    /// A 32-bit float: PBS holds its percentages so, and their shortest text differs from a double's.
    Single(f32),
    /// A word of 64 bits, which a double could not hold.
    Word(u64),
}

impl Value {
    /// Returns the number as a double, where there is one.
    #[must_use]
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

/// What a column counts, and so how its numbers are written.
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
    /// A word of 64 bits, in hexadecimal.
    Word,
    /// A rank: 1 runs first.
    Rank,
    /// Places gained or lost.
    Change,
    /// A drawing.
    Bar,
}

/// On which side of its column a value stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alignment {
    /// Names and drawings.
    Left,
    /// Numbers.
    Right,
}
