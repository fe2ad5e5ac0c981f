//! Runs of fairscope as a process.

use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A run of fairscope, to be built and then compared with the expected result.
pub(crate) struct Run {
    args: Vec<OsString>,
    input: Vec<u8>,
    stdout: Option<Stdio>,
    variables: Vec<(OsString, OsString)>,
    folder: Option<PathBuf>,
}

/// The output and exit code of a run.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
    pub(crate) code: Option<i32>,
}

impl Run {
    /// Prepares a run of `fairscope` with arguments.
    pub(crate) fn fairscope<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Self {
        Self {
            args: args
                .into_iter()
                .map(|arg| arg.as_ref().to_os_string())
                .collect(),
            input: Vec::new(),
            stdout: None,
            variables: Vec::new(),
            folder: None,
        }
    }

    /// Adds an argument.
    pub(crate) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_os_string());
        self
    }

    /// Adds arguments.
    pub(crate) fn args<S: AsRef<OsStr>>(self, args: impl IntoIterator<Item = S>) -> Self {
        args.into_iter().fold(self, Self::arg)
    }

    /// Sets a variable of the environment.
    pub(crate) fn variable(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.variables
            .push((name.into(), value.as_ref().to_os_string()));
        self
    }

    /// Sets the current folder.
    pub(crate) fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Sets the standard input.
    pub(crate) fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// Redirects standard output.
    pub(crate) fn stdout(mut self, stdout: impl Into<Stdio>) -> Self {
        self.stdout = Some(stdout.into());
        self
    }

    /// Runs the process to its end.
    pub(crate) fn run(self) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fairscope"));
        if let Some(folder) = self.folder {
            command.current_dir(folder);
        }
        let mut child = command
            .args(self.args)
            // Reports in all their characters, wherever the tests run.
            .env("LC_ALL", "C.UTF-8")
            // Nothing that was kept for whoever runs the tests.
            .env("XDG_STATE_HOME", "/nonexistent")
            .envs(self.variables)
            .stdin(Stdio::piped())
            .stdout(self.stdout.unwrap_or_else(Stdio::piped))
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program was built with the tests");
        let mut stdin = child.stdin.take().expect("it was piped");
        let input = self.input;
        let feeder = std::thread::spawn(move || {
            // A program that does not read its input closes it, which is no error here.
            let _ = stdin.write_all(&input);
        });
        let output = child.wait_with_output().expect("it ends");
        feeder.join().expect("feeding does not panic");
        Ran {
            stdout: output.stdout,
            stderr: String::from_utf8(output.stderr).expect("messages are UTF-8"),
            code: output.status.code(),
        }
    }
}

/// Reads command lines, and below each what is answered to it. A word in capital letters stands for a text, and words in
/// single quotes are one.
pub(crate) fn answered<'a>(table: &'a str, texts: &[(&str, &str)]) -> Vec<(Vec<String>, &'a str)> {
    let mut answered = Vec::new();
    let mut lines = table.trim().lines().map(str::trim);
    while let Some(line) = lines.next() {
        let mut words = Vec::new();
        for (place, part) in line.split('\'').enumerate() {
            if place % 2 == 1 {
                words.push(part.to_owned());
                continue;
            }
            for word in part.split_whitespace() {
                let text = texts.iter().find(|(name, _)| *name == word);
                words.push(text.map_or(word, |(_, text)| text).to_owned());
            }
        }
        answered.push((words, lines.next().expect("an answer")));
    }
    answered
}

/// Returns the commands that `fairscope --help` lists.
pub(crate) fn commands() -> Vec<String> {
    let help = Run::fairscope(["--help"]).run().success();
    help.lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

impl Ran {
    /// Returns the output as text, after checking that the run succeeded and that standard error is empty.
    pub(crate) fn success(self) -> String {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        assert_eq!(self.stderr, "");
        self.text()
    }

    /// Returns the output as text.
    pub(crate) fn text(self) -> String {
        assert!(!self.stdout.contains(&0x1b), "an escape byte got out");
        String::from_utf8(self.stdout).expect("reports are UTF-8")
    }

    /// Returns the nodes of a report in JSON, after checking that the run succeeded.
    pub(crate) fn nodes(&self) -> Vec<Value> {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        let json: Value = serde_json::from_slice(&self.stdout).expect("JSON");
        json["nodes"].as_array().expect("a list of nodes").clone()
    }

    /// Returns standard error, after checking the exit code and that standard output is empty.
    pub(crate) fn failure(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{}", self.stderr);
        assert_eq!(self.stdout, b"");
        assert!(!self.stderr.contains('\x1b'), "an escape byte got out");
        self.stderr
    }
}

/// Returns fairscope with the signals as they usually act. What begins the tests may ignore some, as a shell does for
/// what runs in its background.
pub(crate) fn with_usual_signals() -> Command {
    let mut command = Command::new("/usr/bin/env");
    command.args(["--default-signal", env!("CARGO_BIN_EXE_fairscope")]);
    command
}
