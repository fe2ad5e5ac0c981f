//! Texts that are kept in a file, reviewed there, and compared with those of today.

use std::path::Path;

/// Returns the kept text. `UPDATE=1` keeps the given one first.
pub(crate) fn kept(path: &Path, today: &str) -> String {
    if std::env::var_os("UPDATE").is_some() {
        let folder = path.parent().expect("it is in a folder");
        std::fs::create_dir_all(folder).expect("the folder can be made");
        std::fs::write(path, today).expect("the text can be written");
    }
    std::fs::read_to_string(path).unwrap_or_default()
}
