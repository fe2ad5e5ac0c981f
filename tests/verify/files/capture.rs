//! Facts about a real Slurm's file, taken from its path: case, version, sometimes step.

use crate::support::captures::Label;
use fairscope::rules::policy::Policy;
use std::path::{Path, PathBuf};

/// Files with neither a tree nor settings.
const OTHERS: &[&str] = &[
    "README.md",
    "SEEDED_USAGE.json",
    "slurmctld_fairtree_log.txt",
    "sshare_version.txt",
    "sshare_json_list.txt",
    "squeue.txt",
    "sacct.txt",
    "sacctmgr_modify_output.txt",
    "sacctmgr_account_P.txt",
];

/// Expected errors: part of the file name and part of the message.
const REFUSALS: &[(&str, &str)] = &[
    ("sshare_a_allfields_wide.txt", "has right-aligned accounts"),
    // One slurmdbd with two clusters.
    ("sacctmgr_assoc_", "choose one with --cluster"),
    // A headerless table of ids and positions in Slurm's lists.
    ("sacctmgr_assoc_lft_P.txt", "is text in an unknown format"),
    ("scontrol_show_config.txt", "settings without a tree"),
    ("scontrol_config_priority.txt", "settings without a tree"),
];

/// Files that list only some of the rows.
const PARTS: &[&str] = &[
    "sshare_plain.txt",
    "sshare_m.txt",
    "sshare_json_no_a.json",
    "sshare_u_",
    "sshare_A_",
    "root_sshare_P.txt",
    // Only users' rows: -U, or output for an ordinary user.
    "sshare_U_",
    "alice_sshare_",
];

/// Captures whose ranks are undecided because digits are truncated: the case, the versions, and the beginnings of the
/// file names.
///
/// 01 has a user with usage below 1, printed as 0. Users and accounts of 07, 14, 21, 22 and 23 tie or nearly tie.
/// Numbers of 19 are too large or too small for the printed digits. The trees of 13 and 26 are so large that some
/// users are almost equal.
const LEFT_OPEN: &[(&str, &[&str], &[&str])] = &[
    ("01-", &["20.11"], SHORT),
    ("07-", &["20.11", "22.05"], SHORT),
    ("13-", &["26.05"], SHORT),
    ("14-", &["20.11", "22.05"], SHORT),
    ("14-", &["20.11", "22.05"], TWO_DECIMALS),
    ("19-", &["22.05", "24.11", "26.05"], SHORT),
    ("19-", &["22.05", "24.11", "26.05"], TWO_DECIMALS),
    ("21-", &["22.05"], &["sshare_a"]),
    ("21-", &["22.05"], TWO_DECIMALS),
    ("22-", &["22.05"], SHORT),
    ("23-", &["22.05"], SHORT),
    ("26-", &["26.05"], SHORT),
];

/// Files without Level FS, in which only usage determines ranks.
const SHORT: &[&str] = &["sshare_a.txt", "sshare_a_P.txt", "sshare_a_m_P.txt"];
/// Files whose usage has two decimals.
const TWO_DECIMALS: &[&str] = &["scontrol_show_assoc_mgr.txt"];

/// A file with the facts from its path.
pub(super) struct Capture<'a> {
    pub(super) path: &'a Path,
    pub(super) label: Label,
    pub(super) file: String,
}

impl<'a> Capture<'a> {
    /// Returns `None` for a file that is not opened.
    pub(super) fn of(root: &Path, path: &'a Path) -> Option<Self> {
        let file = path.file_name()?.to_string_lossy().into_owned();
        let is_other = OTHERS.contains(&&*file) || file.starts_with("sprio_");
        (!is_other).then(|| Self {
            path,
            label: Label::of(root, path.parent().unwrap_or(root)),
            file,
        })
    }

    pub(super) fn name(&self) -> String {
        format!("{}/{}", self.label.name(), self.file)
    }

    pub(super) fn may_be_refused(&self, error: &str) -> bool {
        let mut refusals = REFUSALS.iter();
        refusals.any(|(name, reason)| self.file.contains(name) && error.contains(reason))
    }

    /// Whether ranks may be undecided.
    pub(super) fn is_left_open(&self) -> bool {
        LEFT_OPEN.iter().any(|(case, versions, names)| {
            self.label.case.starts_with(case)
                && versions.contains(&self.label.version.as_str())
                && names.iter().any(|name| self.file.starts_with(name))
        })
    }

    /// Whether it lists only some of the rows.
    pub(super) fn is_part(&self) -> bool {
        PARTS.iter().any(|name| self.file.starts_with(name))
    }

    /// Whether it has numbers of all associations.
    pub(super) fn is_whole(&self) -> bool {
        let names = [
            "sshare_a",
            "scontrol_show_assoc_mgr",
            "slurmrestd",
            "root_sshare_a",
        ];
        names.iter().any(|name| self.file.starts_with(name))
    }

    pub(super) fn policy(&self) -> Policy {
        match self.label.case.split('-').next() {
            Some("08" | "09" | "15b") => Policy::Classic,
            Some("10") => Policy::DepthOblivious,
            _ => Policy::FairTree,
        }
    }

    /// The value of a setting that the numbers can reveal.
    pub(super) fn setting(&self, key: &str) -> Option<&'static str> {
        match key {
            "FairShareDampeningFactor" if self.label.case.starts_with("09-") => Some("5"),
            "FairShareDampeningFactor" => Some("1"),
            "TieOrder" => Some(self.label.tie_order().name()),
            _ => None,
        }
    }

    /// The path of the configuration beside the file.
    pub(super) fn config(&self) -> PathBuf {
        self.path.with_file_name("scontrol_show_config.txt")
    }

    pub(super) fn can_have_config(&self) -> bool {
        let is_config = self.file.starts_with("scontrol_") && self.file.contains("config");
        !is_config && self.config().exists()
    }
}
