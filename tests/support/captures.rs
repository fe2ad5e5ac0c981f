//! Captures of real Slurm daemons in the golden set: folders named by case, version and sometimes step.

use super::files::files_below;
use fairscope::model::TieOrder;
use std::path::{Path, PathBuf};

/// The case, version and step of a capture.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    pub(crate) case: String,
    pub(crate) version: String,
    /// Empty if the case has only one step.
    pub(crate) step: String,
}

impl Label {
    /// Reads the label from the path of a capture below the folder of all captures.
    pub(crate) fn of(root: &Path, folder: &Path) -> Self {
        let path = folder.strip_prefix(root).expect("below the root");
        let mut parts = path.iter().map(|part| part.to_string_lossy().into_owned());
        let mut next = || parts.next().unwrap_or_default();
        Self {
            case: next(),
            version: next(),
            step: next(),
        }
    }

    /// Whether it was taken under the classic algorithm instead of Fair Tree.
    pub(crate) fn is_classic(&self) -> bool {
        is_classic(&self.case)
    }

    /// Returns the folders above the capture as one name: `21-near-ties/22.05`.
    pub(crate) fn name(&self) -> String {
        let name = format!("{}/{}/{}", self.case, self.version, self.step);
        name.trim_end_matches('/').to_owned()
    }

    /// Returns the order in which this version visits tied accounts.
    pub(crate) fn tie_order(&self) -> TieOrder {
        match self.version.as_str() {
            "20.11" | "22.05" => TieOrder::Newest,
            _ => TieOrder::Lineage,
        }
    }

    /// Whether it was taken between two of Slurm's calculations, so that its columns belong to different moments.
    pub(crate) fn is_unsettled(&self) -> bool {
        [
            "1-jobs-just-ended",
            "2-running-and-pending",
            "3-cancelled-before-recalc",
            "1-just-changed",
            "3-rawusage-reset",
            "1-user-removed-live",
        ]
        .contains(&self.step.as_str())
    }
}

/// Whether the captures of a case were taken under the classic algorithm instead of Fair Tree.
pub(crate) fn is_classic(case: &str) -> bool {
    let mut numbers = ["08-", "09-", "10-", "15b-"].iter();
    numbers.any(|number| case.starts_with(number))
}

/// Returns the folders below `root` that hold the capture of a whole cluster, sorted.
pub(crate) fn folders(root: &Path) -> Vec<PathBuf> {
    let files = files_below(root).into_iter();
    let tables = files.filter(|file| file.ends_with("sshare_a_P_allfields.txt"));
    let mut folders: Vec<PathBuf> = tables
        .filter_map(|file| file.parent().map(Path::to_owned))
        .collect();
    folders.sort();
    folders
}

/// Returns the text between two words of a line.
pub(crate) fn between<'a>(line: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let rest = &line[line.find(start)? + start.len()..];
    Some(&rest[..rest.find(end)?])
}

/// Returns the id, account and user from the first line that `scontrol show assoc_mgr` prints of an association. `None`
/// for other lines.
pub(crate) fn association(line: &str) -> Option<(u64, &str, &str)> {
    let account = between(line, " Account=", " UserName=")?;
    let (_, id) = line.rsplit_once("ID=").expect("an id");
    let user = between(line, " UserName=", " Partition=").expect("a user");
    let user = user.rsplit_once('(').map_or(user, |(user, _)| user);
    Some((id.parse().expect("an id"), account, user))
}
