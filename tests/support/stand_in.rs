//! Stand-ins for the commands of a scheduler: small scripts in a folder that is the whole PATH.

use super::command::Run;
use super::data;
use std::ffi::OsStr;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// A folder of commands.
pub(crate) struct StandIn {
    folder: tempfile::TempDir,
}

impl StandIn {
    /// No command yet.
    pub(crate) fn empty() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        std::fs::create_dir(folder.path().join("bin")).expect("it is ours");
        Self { folder }
    }

    /// A Slurm that prints what the real one once printed.
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

    /// Adds a command, or puts another in its place.
    pub(crate) fn command(self, name: &str, script: &str) -> Self {
        self.replace(name, script);
        self
    }

    /// Puts another command in the place of one. The old one may be running: it is left to its end.
    pub(crate) fn replace(&self, name: &str, script: &str) {
        let bin = self.bin();
        let new = bin.join(format!(".{name}"));
        let text = format!("#!/bin/sh\n{script}\n");
        std::fs::write(&new, text).expect("the folder is ours");
        std::fs::set_permissions(&new, Permissions::from_mode(0o755)).expect("it is ours");
        std::fs::rename(new, bin.join(name)).expect("it is ours");
    }

    /// The folder of the commands, which is the whole PATH.
    pub(crate) fn bin(&self) -> PathBuf {
        self.folder.path().join("bin")
    }

    /// A folder for what tests write.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A run of fairscope that finds these commands and no others.
    pub(crate) fn fairscope<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Run {
        Run::fairscope(args).variable("PATH", self.bin())
    }
}

/// The path of something a real Slurm printed.
pub(crate) fn captured(name: &str) -> String {
    let path = data("slurm/live").join(name);
    path.into_os_string()
        .into_string()
        .expect("the path of the tests is UTF-8")
}
