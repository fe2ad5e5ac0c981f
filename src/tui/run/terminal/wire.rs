//! The way of bytes to the terminal. A terminal that stops reading, such as a frozen connection, never blocks the
//! program: it waits for room, and the wait ends when the program has to end.
//!
//! The terminal is opened a second time, because non-blocking mode belongs to the open file, and standard output is
//! shared with the shell.

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::termios::QueueSelector;
use std::ffi::{CStr, CString};
use std::io::{self, PipeReader, PipeWriter, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// Cancels a control sequence that was cut off in the middle.
const CANCEL: &[u8] = b"\x18";

/// How long another thread's write may take before the terminal is written to anyway. It should take microseconds.
const LONGEST_WRITE: Duration = Duration::from_millis(50);

/// Whether frames have ended for good.
static IS_HALTED: AtomicBool = AtomicBool::new(false);

/// Whether a frame was cut off in the middle.
static IS_CUT: AtomicBool = AtomicBool::new(false);

/// Whether a frame waits for room.
static IS_WAITING: AtomicBool = AtomicBool::new(false);

/// Becomes readable when frames end, and so ends the wait for room.
static HALT: OnceLock<(PipeReader, PipeWriter)> = OnceLock::new();

/// Held during each write, so that no part of a frame follows the last sequences.
static WRITER: Mutex<()> = Mutex::new(());

/// Prepares the end of all frames. Without it, [`halt`] does not end a wait for room.
pub(crate) fn prepare() -> io::Result<()> {
    if HALT.get().is_none() {
        // A second call in the same process finds the first pipe.
        let _ = HALT.set(io::pipe()?);
    }
    Ok(())
}

/// Ends all frames: the one that waits for room is cut off, and none is written any more. Allocates nothing.
pub(crate) fn halt() {
    IS_HALTED.store(true, Ordering::SeqCst);
    if let Some((_, writer)) = HALT.get() {
        // The pipe has room for more bytes than there are threads.
        let _ = (&*writer).write(b"x");
    }
}

/// Returns whether the terminal stopped reading in the middle of a frame.
pub(crate) fn is_stalled() -> bool {
    IS_WAITING.load(Ordering::SeqCst) || IS_CUT.load(Ordering::SeqCst)
}

/// A terminal that bytes are written to.
#[derive(Debug)]
pub(crate) struct Wire {
    output: OwnedFd,
    /// Whether a write may block, so that only single bytes are safe to write after a poll.
    is_blocking: bool,
}

impl Wire {
    /// Opens the way to a terminal, without blocking where the system allows it.
    pub(crate) fn open(terminal: impl AsFd) -> io::Result<Self> {
        let shared = terminal.as_fd();
        match open_again(shared) {
            Some(output) => Ok(Self {
                output,
                is_blocking: false,
            }),
            None => Ok(Self {
                output: shared.try_clone_to_owned()?,
                is_blocking: true,
            }),
        }
    }

    /// Returns another handle of the same terminal. Fails if the system has no more descriptors.
    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        Ok(Self {
            output: self.output.try_clone()?,
            is_blocking: self.is_blocking,
        })
    }

    /// Writes all bytes of a frame, unless the program has to end first.
    pub(crate) fn write(&self, mut bytes: &[u8]) -> io::Result<()> {
        let whole = bytes.len();
        while !bytes.is_empty() {
            let writing = WRITER.lock().unwrap_or_else(PoisonError::into_inner);
            if IS_HALTED.load(Ordering::SeqCst) {
                IS_CUT.fetch_or(bytes.len() < whole, Ordering::SeqCst);
                IS_WAITING.store(false, Ordering::SeqCst);
                return Ok(());
            }
            let written = self.write_some(bytes);
            drop(writing);
            match written {
                Ok(written) => {
                    bytes = &bytes[written..];
                    IS_WAITING.store(false, Ordering::SeqCst);
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    IS_WAITING.store(true, Ordering::SeqCst);
                    self.wait_for_room(None)?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Writes even after the end of all frames. Returns whether the terminal took it all in time. Allocates nothing.
    pub(crate) fn write_last(&self, bytes: &[u8], patience: Duration) -> bool {
        let _writing = lock_within(&WRITER, LONGEST_WRITE);
        let until = Instant::now() + patience;
        let is_cut = IS_CUT.swap(false, Ordering::SeqCst);
        if is_cut && !self.write_until(CANCEL, until) {
            return false;
        }
        self.write_until(bytes, until)
    }

    /// Discards what was written but not read yet, and then writes these bytes. Returns whether the terminal took them.
    pub(crate) fn write_instead(&self, bytes: &[u8], patience: Duration) -> bool {
        // A terminal that cannot discard anything has no more room than before.
        let _ = rustix::termios::tcflush(&self.output, QueueSelector::OFlush);
        IS_CUT.store(true, Ordering::SeqCst);
        self.write_last(bytes, patience)
    }

    /// Writes bytes, as long as the time has not come. Returns whether the terminal took them all.
    fn write_until(&self, mut bytes: &[u8], until: Instant) -> bool {
        while !bytes.is_empty() {
            match self.write_some(bytes) {
                Ok(written) => bytes = &bytes[written..],
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    let left = until.saturating_duration_since(Instant::now());
                    if left.is_zero() || self.wait_for_room(Some(left)).is_err() {
                        return false;
                    }
                }
                Err(_) => return false,
            }
        }
        true
    }

    /// Writes as much as the terminal takes without blocking.
    fn write_some(&self, bytes: &[u8]) -> rustix::io::Result<usize> {
        if !self.is_blocking {
            return rustix::io::write(&self.output, bytes);
        }
        let at_once = Timespec::default();
        let room = PollFd::new(&self.output, PollFlags::OUT);
        let ready = rustix::event::poll(&mut [room], Some(&at_once))?;
        if ready == 0 {
            return Err(Errno::AGAIN);
        }
        rustix::io::write(&self.output, &bytes[..1])
    }

    /// Waits until the terminal takes bytes. Without a limit, the wait also ends with [`halt`].
    fn wait_for_room(&self, limit: Option<Duration>) -> io::Result<()> {
        let timeout = limit.and_then(|limit| Timespec::try_from(limit).ok());
        let room = PollFd::new(&self.output, PollFlags::OUT);
        let waited = if timeout.is_none()
            && let Some((halted, _)) = HALT.get()
        {
            let halt = PollFd::new(halted, PollFlags::IN);
            rustix::event::poll(&mut [room, halt], None)
        } else {
            rustix::event::poll(&mut [room], timeout.as_ref())
        };
        match waited {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Locks a mutex, unless another thread holds it for longer than this: that thread may never go on.
pub(crate) fn lock_within<T>(mutex: &Mutex<T>, patience: Duration) -> Option<MutexGuard<'_, T>> {
    let until = Instant::now() + patience;
    loop {
        match mutex.try_lock() {
            Ok(locked) => return Some(locked),
            Err(TryLockError::Poisoned(locked)) => return Some(locked.into_inner()),
            Err(TryLockError::WouldBlock) if Instant::now() < until => {
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(TryLockError::WouldBlock) => return None,
        }
    }
}

impl AsFd for Wire {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.output.as_fd()
    }
}

/// Opens the terminal of a descriptor a second time, non-blocking; `None` if the system refuses. After `su`, for
/// example, the terminal's file belongs to another user, and only `/dev/tty` can be opened.
fn open_again(terminal: BorrowedFd) -> Option<OwnedFd> {
    let link = format!("/proc/self/fd/{}", terminal.as_raw_fd());
    let link_name = CString::new(link).ok()?;
    if let Some(opened) = open_same(&link_name, terminal) {
        return Some(opened);
    }
    if let Ok(name) = rustix::termios::ttyname(terminal, Vec::new())
        && let Some(opened) = open_same(&name, terminal)
    {
        return Some(opened);
    }
    let session = rustix::process::getsid(None).ok()?;
    if rustix::termios::tcgetsid(terminal) != Ok(session) {
        return None;
    }
    open_at(c"/dev/tty")
}

/// Opens a file to write to it without blocking; `None` if the system refuses.
fn open_at(path: &CStr) -> Option<OwnedFd> {
    let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty()).ok()
}

/// Opens a file as [`open_at`] does; `None` too if it is another one than the terminal.
fn open_same(path: &CStr, terminal: BorrowedFd) -> Option<OwnedFd> {
    let opened = open_at(path)?;
    if device_of(opened.as_fd()) != device_of(terminal) {
        return None;
    }
    Some(opened)
}

/// Returns the device that an open file is; `None` if the system does not tell.
fn device_of(file: BorrowedFd) -> Option<u64> {
    let found = rustix::fs::fstat(file).ok()?;
    Some(found.st_rdev)
}
