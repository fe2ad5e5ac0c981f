//! The words of `LEVEL_BASED`.

use super::tally::Tally;
use crate::model::Snapshot;
use crate::policy::Evaluation;

/// Holds recorded words against ours.
pub(super) fn check(_snapshot: &Snapshot, _tally: &mut Tally, _evaluation: &Evaluation) {}
