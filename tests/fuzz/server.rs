//! The command line many times in one process: arguments in, outputs and exit code back.
//!
//! The process is this test binary, started with one test that answers. Standard output is a process's own, so the
//! reports cannot be caught in the process of the tests.

use super::campaign::{LONGEST, peak_memory};
use super::case::unescaped;
use crate::support::stand_in::StandIn;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use tempfile::TempDir;

/// The variable that makes the test below answer.
const FOLDER: &str = "FAIRSCOPE_FUZZ_SERVE";

/// The exit code that stands for a panic.
const PANIC: i32 = 101;

/// The most memory that a run on a small source may take, in KiB.
const MOST_MEMORY: u64 = 1 << 20;

/// The output and exit code of a command line.
#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) code: i32,
}

/// A process that runs command lines.
pub(crate) struct Server {
    folder: TempDir,
    commands: StandIn,
    process: Option<Process>,
    memory: u64,
}

struct Process {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Server {
    /// Makes a server that is started with the first command line.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        fs::create_dir(folder.path().join("work")).expect("it is ours");
        Self {
            folder,
            commands: StandIn::empty(),
            process: None,
            memory: 0,
        }
    }

    /// Returns the current folder of the command lines.
    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Empties the current folder.
    pub(crate) fn clear(&self) {
        for entry in fs::read_dir(self.work()).expect("it is ours") {
            let path = entry.expect("an entry").path();
            let is_folder = path.is_dir() && !path.is_symlink();
            let _ = if is_folder {
                fs::remove_dir_all(path)
            } else {
                fs::remove_file(path)
            };
        }
    }

    /// Returns the peak memory of all processes so far in KiB.
    pub(crate) const fn memory(&self) -> u64 {
        self.memory
    }

    /// Runs a command line; the name of the program is added.
    ///
    /// # Errors
    /// If it panics, ends the process, takes too long or too much memory.
    pub(crate) fn run<S: AsRef<[u8]>>(
        &mut self,
        words: impl IntoIterator<Item = S>,
    ) -> Result<Served, String> {
        let mut line = "fairscope".to_owned();
        for word in words {
            line.push(' ');
            // A blank separates words.
            let word = word.as_ref().escape_ascii().to_string();
            line.push_str(&word.replace(' ', "\\x20"));
        }
        line.push('\n');
        let mut process = match self.process.take() {
            Some(process) => process,
            None => self.start(),
        };
        let answer = process.ask(&line);
        let memory = peak_memory(&process.child.id().to_string());
        self.memory = self.memory.max(memory);
        let stderr = || fs::read(self.folder.path().join("stderr")).unwrap_or_default();
        let Some(code) = answer else {
            let _ = process.child.kill();
            let status = process.child.wait().expect("it is our child");
            let said = String::from_utf8_lossy(&stderr()).into_owned();
            return Err(format!("no answer: {status}: {said}"));
        };
        if memory > MOST_MEMORY {
            let _ = process.child.kill();
            let _ = process.child.wait();
            return Err(format!("took {memory} KiB"));
        }
        self.process = Some(process);
        let stderr = stderr();
        if code == PANIC {
            return Err(format!("panic: {}", String::from_utf8_lossy(&stderr)));
        }
        let stdout = fs::read(self.folder.path().join("stdout")).expect("it was written");
        Ok(Served {
            stdout,
            stderr,
            code,
        })
    }

    /// The variables of the environment in which a run finds its files and the commands of schedulers.
    pub(crate) fn variables(&self) -> [(&'static str, PathBuf); 3] {
        [
            ("HOME", self.work()),
            ("XDG_STATE_HOME", self.work()),
            ("PATH", self.commands.bin()),
        ]
    }

    fn start(&self) -> Process {
        let binary = std::env::current_exe().expect("the tests know their path");
        let mut child = Command::new(binary)
            .args(["--exact", "fuzz::server::answers", "--nocapture", "--quiet"])
            // With more threads the tests' own runner says on standard output that a test takes long.
            .arg("--test-threads=1")
            .current_dir(self.work())
            .env(FOLDER, self.folder.path())
            .envs(self.variables())
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the tests can be run");
        let requests = child.stdin.take().expect("it was piped");
        let mut answers = BufReader::new(child.stdout.take().expect("it was piped"));
        // The test runner says first what it runs.
        let mut line = String::new();
        while line != "ready\n" {
            line.clear();
            let length = answers.read_line(&mut line).expect("it can be read");
            assert!(length > 0, "the server does not answer");
        }
        Process {
            child,
            requests,
            answers,
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            drop(process.requests);
            let _ = process.child.wait();
        }
    }
}

impl Process {
    /// Returns the exit code of a command line, or `None` if the process died or does not answer.
    fn ask(&mut self, line: &str) -> Option<i32> {
        self.requests.write_all(line.as_bytes()).ok()?;
        let fd = self.answers.get_ref().as_fd();
        let wait = Timespec {
            tv_sec: LONGEST.as_secs().cast_signed(),
            tv_nsec: 0,
        };
        let mut waiting = [PollFd::new(&fd, PollFlags::IN)];
        if poll(&mut waiting, Some(&wait)).ok()? == 0 {
            return None;
        }
        let mut answer = String::new();
        self.answers.read_line(&mut answer).ok()?;
        answer.trim().parse().ok()
    }
}

/// Answers command lines, if it was started to do so.
#[test]
fn answers() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let folder = Path::new(&folder);
    let requests = std::io::stdin().as_fd().try_clone_to_owned();
    let requests = BufReader::new(File::from(requests.expect("there is a standard input")));
    let answers = std::io::stdout().as_fd().try_clone_to_owned();
    let mut answers = File::from(answers.expect("there is a standard output"));
    let nothing = File::open("/dev/null").expect("there is one");
    rustix::stdio::dup2_stdin(nothing).expect("it can be replaced");
    writeln!(answers, "\nready").expect("somebody listens");
    for line in requests.lines() {
        let line = line.expect("requests are text");
        let words: Vec<OsString> = line
            .split(' ')
            .map(|word| OsString::from_vec(unescaped(word)))
            .collect();
        let out = File::create(folder.join("stdout")).expect("the folder is ours");
        let err = File::create(folder.join("stderr")).expect("the folder is ours");
        rustix::stdio::dup2_stdout(out).expect("it can be replaced");
        rustix::stdio::dup2_stderr(err).expect("it can be replaced");
        let code = std::panic::catch_unwind(|| fairscope::cli::run(&words));
        let code = code.map_or(PANIC, i32::from);
        writeln!(answers, "{code}").expect("somebody listens");
    }
    // The runner would print its result to the last file.
    std::process::exit(0);
}

#[test]
fn a_served_command_line_gives_what_the_program_gives() {
    let mut server = Server::new();
    for words in [
        &["rank", "example:small"][..],
        &["show", "no such file"],
        &["check", "example:flux", "--format-out", "json"],
        &["--help"],
    ] {
        let ran = crate::support::command::Run::fairscope(words).run();
        let served = server.run(words).expect("it answers");
        assert_eq!(Some(served.code), ran.code, "{words:?}");
        assert_eq!(served.stdout, ran.stdout, "{words:?}");
        assert_eq!(
            OsString::from_vec(served.stderr).as_bytes(),
            ran.stderr.as_bytes()
        );
    }
}
