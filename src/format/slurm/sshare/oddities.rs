//! Oddities of many rows, each reported once.

use crate::base::number::counted;
use crate::base::shown::{sentence, shown};
use crate::format::Severity;
use crate::format::slurm::rows::Rows;

/// How many names a message gives.
const NAMED: usize = 3;

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

/// Names with the same oddity: the first ones, the line of the first, and how many there are.
#[derive(Debug, Default)]
struct OddNames {
    names: Vec<String>,
    line: u64,
    count: usize,
}

/// The oddities of an output.
#[derive(Debug, Default)]
pub(super) struct Oddities([OddNames; Oddity::ALL.len()]);

impl Oddities {
    pub(super) fn add(&mut self, oddity: Oddity, line: u64, name: &[u8]) {
        let odd = &mut self.0[oddity as usize];
        if odd.names.len() < NAMED {
            odd.names.push(shown(name).into());
        }
        if odd.count == 0 {
            odd.line = line;
        }
        odd.count += 1;
    }

    pub(super) fn tell(&self, rows: &mut Rows) {
        for oddity in Oddity::ALL {
            let odd = &self.0[oddity as usize];
            if odd.count == 0 {
                continue;
            }
            let (code, [one, many], [before, after], advice) = oddity.words();
            let names = odd.names.join(", ");
            let more = match odd.count - odd.names.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let message = sentence!(
                "{} {before}: {names}{more}{after}",
                counted(odd.count, one, many)
            );
            rows.note(Severity::Warning, code, odd.line, message, advice);
        }
    }
}
