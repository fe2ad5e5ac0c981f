//! Oddities of many rows, each reported once.

use crate::base::number::counted;
use crate::base::shown::{Shown, sentence, shown};
use crate::source::format::Severity;
use crate::source::format::slurm::rows::Rows;

/// How many names a message gives.
const NAMED: usize = 3;

/// Names with the same oddity: the first ones, the line of the first, and how many there are.
#[derive(Debug, Default)]
pub(super) struct Oddity {
    names: Vec<String>,
    line: u64,
    count: usize,
}

/// The oddities of an output.
#[derive(Debug, Default)]
pub(super) struct Oddities {
    /// Names that seem to begin with blanks.
    pub(super) leading: Oddity,
    /// Names that were cut to the width of their column.
    pub(super) cut: Oddity,
    /// Accounts that look like an earlier one, because both were cut.
    pub(super) cut_alike: Oddity,
    /// Accounts that were moved from below a name with a slash.
    pub(super) moved: Oddity,
    /// Accounts that may or may not belong below a name with a slash.
    pub(super) unsettled: Oddity,
    /// How many cells of accounts end where their column ends, and how many do not.
    flush: [usize; 2],
}

impl Oddity {
    pub(super) fn add(&mut self, line: u64, name: &[u8]) {
        if self.names.len() < NAMED {
            if self.count == 0 {
                self.line = line;
            }
            self.names.push(shown(name).into());
        }
        self.count += 1;
    }

    fn some(&self) -> String {
        let names = self.names.join(", ");
        match self.count - self.names.len() {
            0 => names,
            more => format!("{names} and {more} more"),
        }
    }

    fn tell(
        &self,
        rows: &mut Rows,
        severity: Severity,
        code: &'static str,
        message: impl FnOnce(&Self) -> Shown,
        advice: &'static str,
    ) {
        if self.count > 0 {
            rows.note(severity, code, self.line, message(self), advice);
        }
    }
}

impl Oddities {
    /// Notes whether an account is aligned right in its column.
    pub(super) fn note_alignment(&mut self, cell: &[u8]) {
        let is_flush = cell.last().is_some_and(|&byte| byte != b' ');
        self.flush[usize::from(!is_flush)] += 1;
    }

    /// Returns whether every account ends where its column ends.
    pub(super) const fn is_flush_right(&self) -> bool {
        self.flush[0] > 0 && self.flush[1] == 0
    }

    /// Reports all oddities.
    pub(super) fn tell(&self, rows: &mut Rows) {
        self.leading.tell(
            rows,
            Severity::Warning,
            "slurm-leading-blank",
            |odd| {
                sentence!(
                    "{} has more blanks before it than levels; its name is assumed to begin with blanks: {}",
                    counted(odd.count, "account", "accounts"),
                    odd.some()
                )
            },
            "check the account with sacctmgr show assoc tree; sshare -a --json keeps such names",
        );
        self.cut.tell(
            rows,
            Severity::Warning,
            "slurm-cut-name",
            |odd| {
                sentence!(
                    "{} cut to the width of the column and end in +: {}; different names may look the same",
                    counted(odd.count, "name is", "names are"),
                    odd.some()
                )
            },
            "run sshare -a -m -l -P, which cuts nothing",
        );
        self.cut_alike.tell(
            rows,
            Severity::Warning,
            "slurm-cut-alike",
            |odd| {
                sentence!(
                    "{} cut to the same name as an earlier one; a number was added to distinguish them: {}",
                    counted(odd.count, "account was", "accounts were"),
                    odd.some()
                )
            },
            "run sshare -a -m -l -P, which cuts nothing",
        );
        self.moved.tell(
            rows,
            Severity::Warning,
            "slurm-slash",
            |odd| {
                sentence!(
                    "{} printed below a name with a slash and placed according to NormShares: {}",
                    counted(odd.count, "account is", "accounts are"),
                    odd.some()
                )
            },
            "give sshare -a --json or sacctmgr dump as well, which name the account above",
        );
        self.unsettled.tell(
            rows,
            Severity::Warning,
            "slurm-slash",
            |odd| {
                sentence!(
                    "{} printed below a name with a slash and may belong to another account; left there: {}",
                    counted(odd.count, "account is", "accounts are"),
                    odd.some()
                )
            },
            "give sshare -a --json or sacctmgr dump as well, which name the account above",
        );
    }
}
