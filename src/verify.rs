//! Recorded numbers held against computed ones, and which rule made them.

pub use crate::model::Fact;
use crate::model::{NodeId, Snapshot};
use crate::policy::Policy;

/// A tree's recorded columns against a policy's numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verification {
    /// One entry a recorded column that the policy computes, in the order of the table of facts.
    pub columns: Vec<ColumnCheck>,
    /// Why recorded numbers are of another moment than the shares and usage beside them: a sentence.
    pub stale: Option<String>,
    /// Which rule made the recorded numbers.
    pub detected: Option<Detected>,
}

/// One recorded column.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnCheck {
    /// The column.
    pub fact: Fact,
    /// How many rows have a number.
    pub rows: usize,
    /// How many of them are what we compute, within what was printed.
    pub equal: usize,
    /// How many differ where the digits that were cut off decide.
    pub undecided: usize,
    /// The first that differs and should not.
    pub first_difference: Option<Difference>,
}

/// A recorded number that is not what we compute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Whose.
    pub node: NodeId,
    /// What was recorded.
    pub recorded: f64,
    /// What we compute.
    pub computed: f64,
}

/// The rule that made recorded numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Detected {
    /// The policy.
    pub policy: Policy,
    /// Settings by key that it must have had.
    pub settings: Vec<(String, String)>,
    /// What shows it: a sentence.
    pub evidence: String,
    /// Whether nothing else can have made them.
    pub certain: bool,
}

/// Holds a snapshot's recorded columns against a policy.
#[must_use]
pub fn verify(_snapshot: &Snapshot, _policy: Policy) -> Verification {
    Verification::default()
}
