//! A private server of tmux, with one pane for the program. Its socket and its configuration are its own.

use super::PATIENCE;
use rustix::fs::{Mode, OFlags};
use rustix::termios::Termios;
use std::io::Read;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// The columns and rows of the pane at the start.
const SIZE: [&str; 4] = ["-x", "80", "-y", "24"];

/// A server of tmux with one pane. Dropping it ends the server.
pub(crate) struct Tmux {
    socket: String,
    /// The modes of a new pane's line.
    found: Option<Termios>,
}

impl Tmux {
    /// Starts a server; `None` if there is no tmux.
    pub(crate) fn start() -> Option<Self> {
        let mut tmux = Self {
            socket: format!("fairscope-test-{}", std::process::id()),
            found: None,
        };
        let session = ["-f", "/dev/null", "new-session", "-d"];
        let started = tmux.told(&[&session[..], &SIZE, &["echo ready; exec cat"]].concat());
        if !started?.status.success() {
            return None;
        }
        let deadline = Instant::now() + PATIENCE;
        while !tmux.text().contains("ready") {
            assert!(Instant::now() < deadline, "tmux shows no new pane");
            std::thread::park_timeout(Duration::from_millis(2));
        }
        tmux.found = Some(tmux.termios());
        Some(tmux)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command.args(["-L", &self.socket]).args(arguments);
        command.current_dir(env!("CARGO_MANIFEST_DIR"));
        command.env_remove("TMUX").env("LANG", "C.UTF-8");
        command
    }

    /// Runs a command of tmux and returns its output.
    fn ask(&self, arguments: &[&str]) -> String {
        let output = self.told(arguments).expect("tmux runs");
        let text = String::from_utf8_lossy(&output.stdout);
        text.trim_end().to_owned()
    }

    /// Runs a command of tmux to its end. `None` if there is no tmux.
    fn told(&self, arguments: &[&str]) -> Option<Output> {
        let mut command = self.command(arguments);
        let command = command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().ok()?;
        let mut pipe = child.stdout.take().expect("it was piped");
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = pipe.read_to_end(&mut bytes);
            // After the deadline nobody receives it.
            let _ = sender.send(bytes);
        });
        let bytes = receiver.recv_timeout(PATIENCE);
        if bytes.is_err() {
            child.kill().expect("it is ours");
        }
        let is_last = std::thread::panicking();
        assert!(bytes.is_ok() || is_last, "tmux {arguments:?} does not end");
        Some(Output {
            status: child.wait().expect("it is ours"),
            stdout: bytes.unwrap_or_default(),
            stderr: Vec::new(),
        })
    }

    /// Ends what runs in the pane and starts these words there, at the size of the start.
    pub(crate) fn run(&self, words: &[&str]) {
        self.ask(&[&["resize-window"], &SIZE[..]].concat());
        self.ask(&[&["respawn-pane", "-k"], words].concat());
        self.ask(&["clear-history"]);
    }

    /// Sends keys.
    pub(crate) fn send(&self, keys: &str) {
        let bytes: Vec<String> = keys.bytes().map(|byte| format!("{byte:02x}")).collect();
        let bytes: Vec<&str> = bytes.iter().map(String::as_str).collect();
        self.ask(&[&["send-keys", "-H"], &bytes[..]].concat());
    }

    /// Gives the pane a new size.
    pub(crate) fn resize(&self, height: u16, width: u16) {
        let (width, height) = (width.to_string(), height.to_string());
        self.ask(&["resize-window", "-x", &width, "-y", &height]);
    }

    /// Returns the text of the pane, with what scrolled out of it; lines that were wrapped are joined.
    pub(crate) fn text(&self) -> String {
        self.ask(&["capture-pane", "-p", "-J", "-S", "-"])
    }

    /// Returns the first process of the pane.
    pub(crate) fn process(&self) -> i32 {
        let number = self.ask(&["display-message", "-p", "#{pane_pid}"]);
        number.parse().expect("a pane has a process")
    }

    /// Returns the modes of the pane: alternate screen, mouse, pastes, visible cursor.
    pub(crate) fn modes(&self) -> String {
        self.ask(&[
            "display-message",
            "-p",
            "#{alternate_on} #{mouse_any_flag} #{mouse_sgr_flag} #{cursor_flag}",
        ])
    }

    /// Returns whether the modes of the pane's line are those of a new pane.
    pub(crate) fn has_usual_termios(&self) -> bool {
        format!("{:?}", self.found) == format!("{:?}", Some(self.termios()))
    }

    /// Returns the modes of the pane's line.
    fn termios(&self) -> Termios {
        let tty = self.ask(&["display-message", "-p", "#{pane_tty}"]);
        let tty = rustix::fs::open(tty, OFlags::RDWR | OFlags::NOCTTY, Mode::empty());
        rustix::termios::tcgetattr(tty.expect("the pane has a line")).expect("it is a terminal")
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.told(&["kill-server"]);
    }
}
