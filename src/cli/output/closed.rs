//! Whether standard output was closed when the program began.
//!
//! Rust's runtime opens `/dev/null`, to read and write, in place of a standard stream that is closed, and everything
//! written there would be lost without a word. A shell opens `/dev/null` for `>` to write alone. Other programs open it
//! to read and write, as Python does for `subprocess.DEVNULL`, and mean it. So it was closed only where a shell began
//! us that has not such a standard output itself.

use rustix::fs::{OFlags, fcntl_getfl};
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;

/// The shells that close standard output for `>&-`.
const SHELLS: &[&str] = &[
    "ash", "bash", "busybox", "dash", "fish", "ksh", "ksh93", "mksh", "sh", "yash", "zsh",
];

/// Returns whether standard output was closed when the program began. `false` if that cannot be known.
pub(super) fn is_stdout_closed() -> bool {
    let flags = fcntl_getfl(rustix::stdio::stdout());
    let is_for_both = flags.is_ok_and(|flags| flags & OFlags::RWMODE == OFlags::RDWR);
    if !is_for_both || !is_null(Path::new("/proc/self/fd/1")).unwrap_or(false) {
        return false;
    }
    let parent = Path::new("/proc").join(std::os::unix::process::parent_id().to_string());
    let name = fs::read_to_string(parent.join("comm")).unwrap_or_default();
    let is_other = match is_null(&parent.join("fd/1")) {
        Ok(is_null) => !is_null,
        // The shell has none either.
        Err(error) => error.kind() == ErrorKind::NotFound,
    };
    SHELLS.contains(&name.trim_end()) && is_other
}

fn is_null(path: &Path) -> io::Result<bool> {
    let [one, null] = [path, Path::new("/dev/null")].map(fs::metadata);
    let (one, null) = (one?, null?);
    Ok(one.file_type().is_char_device() && one.rdev() == null.rdev())
}
