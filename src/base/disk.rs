//! The disk that sources are read from: here that of the system. [`super`] names the other one, which a page has.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

pub(crate) use std::fs::{
    File, FileType, Metadata, canonicalize, metadata, read_dir, symlink_metadata,
};
pub(crate) use std::os::unix::fs::{FileTypeExt, MetadataExt};

/// How long a read of standard input waits before the user is asked again, in nanoseconds.
const GLANCE: i64 = 100_000_000;

/// The file systems of the kernel, by the numbers that statfs(2) gives. Their files say that they are empty, and
/// reading some of them waits or never ends: proc, sysfs, debugfs, tracefs, securityfs, cgroup, cgroup2, bpf, efivarfs,
/// configfs, pstore.
const KERNEL: &[u64] = &[
    0x9fa0,
    0x6265_6572,
    0x6462_6720,
    0x7472_6163,
    0x7363_6673,
    0x0027_e0eb,
    0x6367_7270,
    0xcafe_4a11,
    0xde5e_81e4,
    0x6265_6570,
    0x6165_676c,
];

/// Opens a file for reading. If its path has become a pipe meanwhile, nothing waits for a writer.
#[expect(clippy::disallowed_methods, reason = "the one place")]
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let flags = i32::try_from((OFlags::NONBLOCK | OFlags::NOCTTY).bits())
        .expect("the flags of open(2) are an int");
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(flags);
    options.open(path)
}

/// Returns whether an open file is one of the kernel.
pub(crate) fn is_of_kernel(file: &File) -> bool {
    let Ok(system) = rustix::fs::fstatfs(file) else {
        return false;
    };
    match u64::try_from(system.f_type) {
        Ok(kind) => KERNEL.contains(&kind),
        Err(_) => false,
    }
}

/// Reads the next bytes of standard input. A read that has to wait is interrupted now and then.
pub(crate) fn read_standard_input(buffer: &mut [u8]) -> io::Result<usize> {
    let stdin = rustix::stdio::stdin();
    let mut waiting = [PollFd::new(&stdin, PollFlags::IN)];
    let glance = Timespec {
        tv_sec: 0,
        tv_nsec: GLANCE,
    };
    if poll(&mut waiting, Some(&glance))? == 0 {
        return Err(ErrorKind::Interrupted.into());
    }
    Ok(rustix::io::read(stdin, buffer)?)
}

/// Returns the name of a file that these bytes are.
pub(crate) fn name_of(bytes: Vec<u8>) -> OsString {
    OsString::from_vec(bytes)
}
