//! Stand-ins for a scheduler's commands: small scripts in a folder that is the whole PATH.

use super::command::Run;
use super::data;
use std::ffi::OsStr;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// A folder of stand-in commands.
pub(crate) struct StandIn {
    folder: tempfile::TempDir,
}

impl StandIn {
    /// Makes a folder without commands.
    pub(crate) fn empty() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        std::fs::create_dir(folder.path().join("bin")).expect("it is ours");
        Self { folder }
    }

    /// Makes a stand-in of Slurm that prints captured output.
    pub(crate) fn slurm() -> Self {
        let (tree, config) = (captured("sshare.json"), captured("scontrol_config.txt"));
        Self::empty()
            .command("sshare", &format!("exec /bin/cat '{tree}'"))
            .command(
                "scontrol",
                &format!(
                    "case \"$*\" in *config) exec /bin/cat '{config}';; esac; echo no >&2; exit 1"
                ),
            )
    }

    /// Adds a command, or replaces it.
    pub(crate) fn command(self, name: &str, script: &str) -> Self {
        self.replace(name, script);
        self
    }

    /// Replaces a command. The old one may be running and is left to finish.
    pub(crate) fn replace(&self, name: &str, script: &str) {
        let bin = self.bin();
        let new = bin.join(format!(".{name}"));
        let text = format!("#!/bin/sh\n{script}\n");
        std::fs::write(&new, text).expect("the folder is ours");
        std::fs::set_permissions(&new, Permissions::from_mode(0o755)).expect("it is ours");
        std::fs::rename(new, bin.join(name)).expect("it is ours");
    }

    /// Returns the folder of the commands, which is the whole PATH.
    pub(crate) fn bin(&self) -> PathBuf {
        self.folder.path().join("bin")
    }

    /// Returns a folder for files that tests write.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Prepares a run of fairscope that finds only these commands.
    pub(crate) fn fairscope<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Run {
        Run::fairscope(args).variable("PATH", self.bin())
    }
}

/// Returns the path of captured Slurm output.
pub(crate) fn captured(name: &str) -> String {
    let path = data("slurm/live").join(name);
    path.into_os_string()
        .into_string()
        .expect("the path of the tests is UTF-8")
}
