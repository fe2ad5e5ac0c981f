//! Why outputs form no tree.

use crate::base::shell::word;
use crate::base::shown::Shown;
use crate::format::LoadError;

/// Why outputs form no tree, and what to give.
#[derive(Debug, thiserror::Error)]
pub(super) enum AssembleError {
    /// There are only configurations.
    #[error(
        "this is the output of scontrol show config: settings without a tree; open the output of sshare, and give this file with --config"
    )]
    OnlySettings,
    /// There are only reports of usage.
    #[error(
        "{file} is a report of sreport, which has usage but no shares; give shares as well, as in: sacctmgr -P show assoc tree format=Cluster,Account,User,Partition,Share > assoc.txt; fairscope assoc.txt {word}"
    )]
    OnlyReports {
        /// The first report.
        file: Shown,
        /// The report as a word of a command.
        word: Shown,
    },
    /// The output that the tree is made of has no rows.
    #[error(
        "{file} lists no association; expected accounts and users: look at what the command printed"
    )]
    Empty {
        /// The output.
        file: Shown,
    },
    /// No output has the requested cluster.
    #[error("unknown cluster '{cluster}'; {files_hold} {list}")]
    UnknownCluster {
        /// The cluster that was requested.
        cluster: Shown,
        /// The files, and their verb.
        files_hold: Shown,
        /// The clusters that there are.
        list: Shown,
    },
}

impl AssembleError {
    /// Returns the error of outputs without shares, of which this report is the first.
    pub(super) fn only_reports(file: &Shown) -> Self {
        Self::OnlyReports {
            file: file.clone(),
            word: word(&**file, "FILE"),
        }
    }
}

impl From<AssembleError> for LoadError {
    fn from(error: AssembleError) -> Self {
        Self::Refused(Shown::error(&error))
    }
}
