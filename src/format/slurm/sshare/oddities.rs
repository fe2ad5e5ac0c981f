//! Oddities of many rows, each reported once.

use crate::base::number::counted;
use crate::base::shown::{sentence, shown};
use crate::format::Severity;
use crate::format::slurm::assemble::some;
use crate::format::slurm::rows::Rows;

/// What is odd about an account or a name.
#[derive(Clone, Copy, Debug)]
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

/// How an oddity is reported: its code, one name and several names of it, what comes before and after the names, and the
/// advice.
type Words = (
    &'static str,
    [&'static str; 2],
    [&'static str; 2],
    &'static str,
);

impl Oddity {
    const ALL: [Self; 5] = [
        Self::Leading,
        Self::Cut,
        Self::CutAlike,
        Self::Moved,
        Self::Unsettled,
    ];

    const fn words(self) -> Words {
        const UNCUT: &str = "run sshare -a -m -l -P, which cuts nothing";
        const PARENTS: &str =
            "give sshare -a --json or sacctmgr dump as well, which name the account above";
        match self {
            Self::Leading => (
                "slurm-leading-blank",
                ["account", "accounts"],
                [
                    "has more blanks before it than levels; its name is assumed to begin with blanks",
                    "",
                ],
                "check the account with sacctmgr show assoc tree; sshare -a --json keeps such names",
            ),
            Self::Cut => (
                "slurm-cut-name",
                ["name is", "names are"],
                [
                    "cut to the width of the column and end in +",
                    "; different names may look the same",
                ],
                UNCUT,
            ),
            Self::CutAlike => (
                "slurm-cut-alike",
                ["account was", "accounts were"],
                [
                    "cut to the same name as an earlier one; a number was added to distinguish them",
                    "",
                ],
                UNCUT,
            ),
            Self::Moved => (
                "slurm-slash",
                ["account is", "accounts are"],
                [
                    "printed below a name with a slash and placed according to NormShares",
                    "",
                ],
                PARENTS,
            ),
            Self::Unsettled => (
                "slurm-slash",
                ["account is", "accounts are"],
                [
                    "printed below a name with a slash and may belong to another account; left there",
                    "",
                ],
                PARENTS,
            ),
        }
    }
}

/// The oddities of an output: of each the line of the first name, and the names.
#[derive(Debug, Default)]
pub(super) struct Oddities([(u64, Vec<String>); Oddity::ALL.len()]);

impl Oddities {
    pub(super) fn add(&mut self, oddity: Oddity, line: u64, name: &[u8]) {
        let (first, names) = &mut self.0[oddity as usize];
        if names.is_empty() {
            *first = line;
        }
        names.push(shown(name).into());
    }

    pub(super) fn tell(&self, rows: &mut Rows) {
        for (oddity, (line, names)) in Oddity::ALL.iter().zip(&self.0) {
            if names.is_empty() {
                continue;
            }
            let (code, [one, many], [before, after], advice) = oddity.words();
            let count = counted(names.len(), one, many);
            let message = sentence!("{count} {before}: {}{after}", some(names));
            rows.note(Severity::Warning, code, *line, message, advice);
        }
    }
}
