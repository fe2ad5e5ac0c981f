//! Runs one command of a scheduler: finds it on the PATH, runs it once, and reads all of its output or ends it.
//!
//! It runs in a process group of its own, which is ended with it: by a time limit, by the user, and when the command
//! itself is done, because what it left in the background would keep running and keep its output open.

use crate::base::number::{counted, grouped};
use crate::base::shown::{Shown, sentence, shown, shown_text};
use crate::format::{LoadError, OnProgress, Progress};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::{Access, access};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The most that is read of one command. A cluster of a million users prints a fifth of this.
pub const MOST: usize = 1 << 30;

/// The most that is kept of a command's error output.
const MOST_COMPLAINTS: usize = 1 << 16;

/// How much is read at once, in bytes.
const CHUNK: usize = 1 << 16;

/// The interval between two checks whether the user cancelled.
const GLANCE: Duration = Duration::from_millis(50);

/// The interval between two looks at a command that prints no more.
const MOMENT: Duration = Duration::from_millis(1);

/// How many lines of an error message are repeated.
const COMPLAINT_LINES: usize = 3;

/// The longest part of a line that is repeated, in bytes.
const COMPLAINT_WIDTH: usize = 200;

/// The output of a successful command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandOutput {
    /// Standard output, complete.
    pub bytes: Vec<u8>,
    /// The beginning of standard error.
    pub complaints: Vec<u8>,
}

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// There is no such program.
    #[error("{program} is not on the PATH")]
    Missing {
        /// Its name.
        program: Shown,
    },
    /// The system could not run it, or read its outputs.
    #[error("{command} could not be run: {error}")]
    System {
        /// The command as typed in a shell.
        command: Shown,
        /// The error of the system.
        error: Shown,
    },
    /// It ended with an error.
    #[error("{command} ended with {status}: {message}")]
    Failed {
        /// The command as typed in a shell.
        command: Shown,
        /// `exit code 1`, `signal 9`.
        status: Shown,
        /// The first lines of its error message, as safe text.
        message: Shown,
    },
    /// It took too long.
    #[error("{command} {} and was ended", unfinished(*bytes, *timeout))]
    TimedOut {
        /// The command as typed in a shell.
        command: Shown,
        /// How much it had printed, in bytes.
        bytes: usize,
        /// The time that it had.
        timeout: Duration,
    },
    /// It printed more than [`MOST`].
    #[error("{command} printed more than 1 GiB and was ended")]
    TooMuch {
        /// The command as typed in a shell.
        command: Shown,
    },
    /// The user cancelled.
    #[error("the query was cancelled")]
    Cancelled,
}

impl RunError {
    /// Returns the error for opening a tree, with advice.
    pub(crate) fn refused(self, advice: &str) -> LoadError {
        match self {
            Self::Cancelled => LoadError::Cancelled,
            error => LoadError::Refused(sentence!("{error}; {advice}")),
        }
    }
}

/// Returns a command with its arguments, as typed in a shell.
pub(crate) fn spelled<S: AsRef<OsStr>>(program: &str, args: &[S]) -> Shown {
    let mut text = program.to_owned();
    for arg in args {
        text.push(' ');
        text.push_str(&shown(arg.as_ref().as_encoded_bytes()));
    }
    Shown::again(text)
}

/// Runs a command for a limited time, and reads all of its output. A report that breaks off ends it.
pub fn run<S: AsRef<OsStr>>(
    program: &str,
    args: &[S],
    timeout: Duration,
    report: OnProgress<'_>,
) -> Result<CommandOutput, RunError> {
    let command = spelled(program, args);
    let Some(path) = find(program) else {
        return Err(RunError::Missing {
            program: Shown::again(program.to_owned()),
        });
    };
    let child = Command::new(path)
        .args(args)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .map_err(|error| not_read(&command, &error))?;
    let mut running = Running {
        child,
        is_reaped: false,
    };
    let deadline = Instant::now() + timeout;
    let mut check = |bytes: usize| {
        let command = command.clone();
        let progress = Progress {
            file: command.clone(),
            done: bytes as u64,
            ..Progress::default()
        };
        if report(&progress).is_break() {
            return Err(RunError::Cancelled);
        }
        if Instant::now() >= deadline {
            return Err(RunError::TimedOut {
                command,
                bytes,
                timeout,
            });
        }
        Ok(())
    };
    let (status, printed) = running.finish(&command, &mut check)?;
    if status.success() {
        return Ok(printed);
    }
    Err(RunError::Failed {
        command,
        status: ending_of(status),
        message: first_lines(&printed),
    })
}

/// Returns the first executable file of that name in the folders of the PATH. Relative folders do not count, because
/// files in the current folder are not the scheduler's.
#[expect(
    clippy::disallowed_methods,
    reason = "looks for a program, which is run and not read"
)]
fn find(program: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    for folder in std::env::split_paths(&folders) {
        let path = folder.join(program);
        if folder.is_absolute() && path.is_file() && access(&path, Access::EXEC_OK).is_ok() {
            return Some(path);
        }
    }
    None
}

/// A running command. It is ended with all of its group when this is dropped.
struct Running {
    /// Its process.
    child: Child,
    /// Whether its status was taken, after which its number may be another's.
    is_reaped: bool,
}

impl Running {
    /// Reads both outputs until the command has ended, and returns how it ended. What it had printed by then counts:
    /// processes that it left in the background may hold its outputs for ever. `check` is called with the bytes so far.
    fn finish(
        &mut self,
        command: &Shown,
        check: &mut dyn FnMut(usize) -> Result<(), RunError>,
    ) -> Result<(ExitStatus, CommandOutput), RunError> {
        let mut printed = CommandOutput::default();
        let failed = |error| not_read(command, &error);
        let mut stdout = self.child.stdout.take();
        let mut stderr = self.child.stderr.take();
        make_non_blocking(stdout.as_ref()).map_err(failed)?;
        make_non_blocking(stderr.as_ref()).map_err(failed)?;
        let mut chunk = vec![0; CHUNK];
        loop {
            check(printed.bytes.len())?;
            let has_ended = self.has_ended().map_err(failed)?;
            if has_ended {
                self.end_group();
            }
            while let Some(bytes) = take(&mut stdout, &mut chunk).map_err(failed)? {
                if printed.bytes.len() + bytes.len() > MOST {
                    return Err(RunError::TooMuch {
                        command: command.clone(),
                    });
                }
                printed.bytes.extend_from_slice(bytes);
                if !has_ended {
                    break;
                }
            }
            while let Some(bytes) = take(&mut stderr, &mut chunk).map_err(failed)? {
                let room = MOST_COMPLAINTS - printed.complaints.len();
                let kept = bytes.len().min(room);
                printed.complaints.extend_from_slice(&bytes[..kept]);
                if !has_ended {
                    break;
                }
            }
            if has_ended {
                let status = self.child.wait().map_err(failed)?;
                self.is_reaped = true;
                return Ok((status, printed));
            }
            wait(stdout.as_ref(), stderr.as_ref()).map_err(failed)?;
        }
    }

    /// Returns whether the command has ended. It is not reaped, so its number, which is its group's, stays its own.
    fn has_ended(&self) -> io::Result<bool> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let own = WaitId::Pid(Pid::from_child(&self.child));
        Ok(waitid(own, options)?.is_some())
    }

    /// Ends all processes of its group.
    fn end_group(&self) {
        // The number of the command is also that of its group, which may already be gone.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.is_reaped {
            return;
        }
        self.end_group();
        // A process that hangs in the kernel is not waited for; init adopts it.
        let _ = self.child.try_wait();
    }
}

/// Makes a pipe return what is in it at once, instead of waiting for more.
fn make_non_blocking(pipe: Option<&impl AsFd>) -> io::Result<()> {
    match pipe {
        Some(pipe) => Ok(rustix::io::ioctl_fionbio(pipe, true)?),
        None => Ok(()),
    }
}

/// Waits a short time for either output. A command that closed both is about to end.
fn wait(stdout: Option<&impl AsFd>, stderr: Option<&impl AsFd>) -> io::Result<()> {
    let mut pipes = Vec::new();
    if let Some(stdout) = stdout {
        pipes.push(PollFd::new(stdout, PollFlags::IN));
    }
    if let Some(stderr) = stderr {
        pipes.push(PollFd::new(stderr, PollFlags::IN));
    }
    let moment = if pipes.is_empty() { MOMENT } else { GLANCE };
    let moment = Timespec::try_from(moment).map_err(io::Error::other)?;
    match rustix::event::poll(&mut pipes, Some(&moment)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Reads what waits in a pipe; `None` if there is nothing now. At its end the pipe is closed.
fn take<'c>(pipe: &mut Option<impl Read>, chunk: &'c mut [u8]) -> io::Result<Option<&'c [u8]>> {
    let Some(open) = pipe else {
        return Ok(None);
    };
    match open.read(chunk) {
        Ok(0) => {
            *pipe = None;
            Ok(None)
        }
        Ok(count) => Ok(Some(&chunk[..count])),
        Err(error) => match error.kind() {
            io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock => Ok(None),
            _ => Err(error),
        },
    }
}

/// Returns the error for a command that the system could not run.
fn not_read(command: &Shown, error: &io::Error) -> RunError {
    RunError::System {
        command: command.clone(),
        error: Shown::error(error),
    }
}

/// Returns in words what a command did within its time.
fn unfinished(bytes: usize, timeout: Duration) -> Shown {
    let seconds = timeout.as_secs();
    if bytes == 0 {
        return sentence!("printed nothing for {seconds} s");
    }
    let mebibytes = bytes >> 20;
    let printed = if mebibytes == 0 {
        counted(bytes, "byte", "bytes")
    } else {
        sentence!("{} MiB", grouped(mebibytes))
    };
    sentence!("printed {printed}, was not done after {seconds} s,")
}

/// Returns how a command ended: `exit code 1`, `signal 9`.
fn ending_of(status: ExitStatus) -> Shown {
    if let Some(code) = status.code() {
        sentence!("exit code {code}")
    } else if let Some(signal) = status.signal() {
        sentence!("signal {signal}")
    } else {
        "an error".into()
    }
}

/// Returns the first lines of a command's output: of standard error, or else of standard output.
fn first_lines(printed: &CommandOutput) -> Shown {
    for output in [&printed.complaints, &printed.bytes] {
        let message = lines(output);
        if !message.is_empty() {
            return message;
        }
    }
    "no message".into()
}

/// Returns the first lines of a text as safe text, on one line.
pub(crate) fn lines(text: &[u8]) -> Shown {
    let mut lines = Vec::new();
    for line in text.split(|&byte| byte == b'\n') {
        let line = line.trim_ascii();
        if lines.len() == COMPLAINT_LINES {
            break;
        }
        if !line.is_empty() {
            let width = line.len().min(COMPLAINT_WIDTH);
            lines.push(shown_text(&line[..width]));
        }
    }
    Shown::joined(&lines, " / ")
}

/// Returns whether this process may read a file, without opening it.
#[expect(
    clippy::disallowed_methods,
    reason = "looks whether a file can be read"
)]
pub(super) fn is_readable(path: &Path) -> bool {
    path.is_file() && access(path, Access::READ_OK).is_ok()
}
