//! The file of the user's own settings: where it is, and reading it.

use super::own_file;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::LoadError;
use crate::tui::Config;
use etcetera::BaseStrategy as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The size of the largest file that is read. All keys with their documentation take a thousandth of it.
const LARGEST: u64 = 1 << 20;

/// Returns the settings, and the file's name as it may be shown. Without a file they are the defaults, and what cannot
/// be read is refused.
pub(super) fn read() -> (Config, Shown) {
    let Ok(strategy) = etcetera::choose_base_strategy() else {
        return (Config::default(), Shown::default());
    };
    let path = strategy.config_dir().join("fairscope/config.toml");
    let name = name(&path, strategy.home_dir());
    let config = match own_file::read(&path, LARGEST) {
        Ok(None) => Config::refusing(sentence!(
            "{name}: larger than 1 MiB, too large for a settings file"
        )),
        Ok(Some(bytes)) => Config::parse(&name, &bytes),
        Err(LoadError::Missing(_)) => Config::default(),
        Err(error) => Config::refusing(sentence!("{name}: {}", error.reason())),
    };
    (config, name)
}

/// Returns a path as it may be shown, with `~` for the home directory.
fn name(path: &Path, home: &Path) -> Shown {
    let short = path
        .strip_prefix(home)
        .map(|rest| PathBuf::from("~").join(rest));
    let path = short.as_deref().unwrap_or(path);
    shown(path.as_os_str().as_bytes())
}
