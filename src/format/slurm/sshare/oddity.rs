//! Names that may not be what they seem, each kind told once for all of its names.

use super::problem::SshareProblem;
use crate::base::number::counted;
use crate::base::shown::shown;
use crate::format::problem::Problems;
use crate::format::slurm::rows::some;
use std::collections::BTreeMap;

/// What is odd about a name, in the order in which people are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Oddity {
    /// It seems to begin with blanks.
    Leading,
    /// It was cut to the width of its column.
    Cut,
    /// It looks like an earlier account, because both were cut.
    CutAlike,
    /// It was moved from below a name with a slash.
    Moved,
    /// It may or may not belong below a name with a slash.
    Unsettled,
}

/// Odd names of one kind.
#[derive(Debug)]
struct OddNames {
    /// The line of the first one, from 1.
    line: u64,
    /// The names, in their order.
    names: Vec<String>,
}

/// The odd names of an output, by kind.
#[derive(Debug, Default)]
pub(super) struct Oddities(BTreeMap<Oddity, OddNames>);

impl Oddities {
    /// Adds a name in a line.
    pub(super) fn add(&mut self, oddity: Oddity, line: u64, name: &[u8]) {
        let names = Vec::new();
        let known = self.0.entry(oddity).or_insert(OddNames { line, names });
        known.names.push(shown(name).into());
    }

    /// Reports each kind of odd names once.
    pub(super) fn report(&self, problems: &mut Problems) {
        for (oddity, odd) in &self.0 {
            problems.report(odd.line, oddity.problem(&odd.names));
        }
    }
}

impl Oddity {
    /// Returns the problem of some names.
    fn problem(self, all: &[String]) -> SshareProblem {
        let names = some(all);
        let count = all.len();
        match self {
            Self::Leading => SshareProblem::LeadingBlank {
                count: counted(count, "account", "accounts"),
                names,
            },
            Self::Cut => SshareProblem::CutName {
                are: counted(count, "name is", "names are"),
                names,
            },
            Self::CutAlike => SshareProblem::CutAlike {
                were: counted(count, "account was", "accounts were"),
                names,
            },
            Self::Moved => SshareProblem::Slash {
                are: counted(count, "account is", "accounts are"),
                treatment: "placed according to NormShares",
                names,
            },
            Self::Unsettled => SshareProblem::Slash {
                are: counted(count, "account is", "accounts are"),
                treatment: "may belong to another account; left there",
                names,
            },
        }
    }
}
