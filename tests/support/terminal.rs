//! A program on a real pseudo-terminal: tests send keys, read the screen, and see what the program leaves behind.
//!
//! **An answer is new.** Keys are sent, their answer is awaited, and only then more keys are sent. What the screen
//! showed before the keys is no answer to them: it may be left from earlier ones. Nor is what the keys spell: a prompt
//! echoes them. Each wait is compared with the keys and with the screen as it was when they were sent. One that would
//! be over before the program has done anything fails at once, and says so.
//!
//! **A frame is whole.** The explorer marks the start and the end of each frame. The screen of a test changes at the
//! ends alone, so all that belongs to a text is there as soon as the text is.
//!
//! **Nothing sleeps.** Every wait polls for bytes, with a deadline that only a broken program reaches.

#![expect(
    clippy::unwrap_used,
    reason = "a pseudo-terminal that cannot be had fails the test, as it should"
)]

use super::PATIENCE;
use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::OwnedFd;
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, Signal};
use rustix::termios::Termios;
use std::collections::BTreeSet;
use std::num::NonZeroU16;
use std::path::Path;
use std::time::{Duration, Instant};

/// Rows and columns at the start.
const SIZE: (u16, u16) = (24, 80);

/// The time between two looks at whether a program has ended.
const PAUSE: Duration = Duration::from_millis(5);

/// The start and the end of a frame.
const BEGIN: &[u8] = b"\x1b[?2026h";
const END: &[u8] = b"\x1b[?2026l";

/// What we write behind the output of a program that has ended: a string that terminals ignore.
const MARK: &[u8] = b"\x1b_all of it\x1b\\";

/// A pseudo-terminal with a program on it.
pub(crate) struct Terminal {
    // Our side of the pseudo-terminal. Dropping both ends hangs up.
    wire: Option<(Box<dyn MasterPty + Send>, OwnedFd)>,
    /// The program's side, used to read its modes.
    far_side: OwnedFd,
    /// The modes before the program started.
    found: Termios,
    child: Box<dyn Child + Send + Sync>,
    /// The folder of the program's state, unless a test sets another.
    _state: tempfile::TempDir,
    parser: vt100::Parser,
    log: Vec<u8>,
    /// How much of the log is on the screen.
    drawn: usize,
    /// The keys that were sent last.
    keys: String,
    /// The screen just before the last keys or the last signal.
    before: String,
    /// Whether the last keys were followed by a wait.
    is_answered: bool,
}

impl Terminal {
    /// Starts fairscope with these arguments and variables. A variable without a value is unset.
    pub(crate) fn fairscope(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        Self::start(env!("CARGO_BIN_EXE_fairscope"), arguments, variables)
    }

    /// Starts a shell command in which `$FAIRSCOPE` is fairscope.
    pub(crate) fn shell(arguments: &[&str]) -> Self {
        Self::shell_with(arguments, &[])
    }

    /// Starts a shell command as [`Self::shell`] does, with variables.
    pub(crate) fn shell_with(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let fairscope = env!("CARGO_BIN_EXE_fairscope");
        let usual = [("FAIRSCOPE", fairscope), ("PS1", "prompt> ")];
        Self::start("bash", arguments, &[&usual, variables].concat())
    }

    fn start(program: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let pty = native_pty_system().openpty(size(SIZE.0, SIZE.1)).unwrap();
        let name = pty.master.tty_name().unwrap();
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK;
        let far_side = rustix::fs::open(name, flags, Mode::empty()).unwrap();
        let found = rustix::termios::tcgetattr(&far_side).unwrap();
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        command.cwd(Path::new(env!("CARGO_MANIFEST_DIR")));
        for name in ["NO_COLOR", "COLORTERM", "LC_ALL", "LC_CTYPE"] {
            command.env_remove(name);
        }
        let state = tempfile::tempdir().unwrap();
        let usual = [
            ("XDG_STATE_HOME", state.path().to_str().unwrap()),
            ("XDG_CONFIG_HOME", state.path().to_str().unwrap()),
            ("TERM", "xterm-256color"),
            ("LANG", "C.UTF-8"),
            ("RUST_BACKTRACE", "0"),
        ];
        for &(name, value) in usual.iter().chain(variables) {
            if value.is_empty() {
                command.env_remove(name);
            } else {
                command.env(name, value);
            }
        }
        let child = pty.slave.spawn_command(command).unwrap();
        drop(pty.slave);
        // The pty crate reads only in threads that never end, so its descriptor is borrowed once here.
        let this = rustix::process::pidfd_open(rustix::process::getpid(), PidfdFlags::empty());
        let number = pty.master.as_raw_fd().unwrap();
        let near = rustix::process::pidfd_getfd(this.unwrap(), number, PidfdGetfdFlags::empty());
        let near = near.unwrap();
        rustix::fs::fcntl_setfl(&near, OFlags::RDWR | OFlags::NONBLOCK).unwrap();
        Self {
            wire: Some((pty.master, near)),
            far_side,
            found,
            child,
            _state: state,
            parser: vt100::Parser::new(rows(SIZE.0), rows(SIZE.1), 0),
            log: Vec::new(),
            drawn: 0,
            keys: String::new(),
            before: String::new(),
            is_answered: true,
        }
    }

    /// Sends keys. The keys before them must have been answered.
    #[track_caller]
    pub(crate) fn send(&mut self, keys: &str) {
        self.send_bytes(keys.as_bytes());
    }

    /// Sends bytes, which need not be text.
    #[track_caller]
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        assert!(
            self.is_answered,
            "more keys are sent before an answer to {:?} was awaited",
            self.keys
        );
        self.before = self.screen();
        self.keys = String::from_utf8_lossy(bytes).into_owned();
        self.is_answered = false;
        self.write(bytes);
    }

    fn write(&mut self, mut bytes: &[u8]) {
        let deadline = Instant::now() + PATIENCE;
        while !bytes.is_empty() {
            assert!(Instant::now() < deadline, "the program reads no keys");
            let (_, near) = self.wire.as_ref().unwrap();
            match rustix::io::write(near, bytes) {
                Ok(written) => bytes = &bytes[written..],
                Err(rustix::io::Errno::AGAIN) => {}
                Err(error) => panic!("typing failed: {error}"),
            }
            self.read_output(Duration::from_millis(10));
        }
    }

    /// Waits until the screen shows a text that it did not show before the last keys.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, text: &str) {
        assert!(
            !self.before.contains(text),
            "{text:?} was on the screen before {:?}, so it is no answer; the screen was\n{}",
            self.keys,
            self.before
        );
        assert!(
            !self.keys.contains(text),
            "{text:?} is part of {:?}, so their echo would do as an answer",
            self.keys
        );
        self.wait(text, |terminal| terminal.screen().contains(text));
    }

    /// Waits until the screen no longer shows a text that it showed before the last keys.
    #[track_caller]
    pub(crate) fn wait_without(&mut self, text: &str) {
        assert!(
            self.before.contains(text),
            "{text:?} was not on the screen before {:?}, so its absence is no answer; the screen was\n{}",
            self.keys,
            self.before
        );
        self.wait(&format!("the end of {text}"), |terminal| {
            !terminal.screen().contains(text)
        });
    }

    /// Sends keys and waits until a condition holds that did not hold before. `what` describes it in the message of a
    /// failure.
    #[track_caller]
    pub(crate) fn send_until(&mut self, keys: &str, what: &str, is_true: impl Fn(&Self) -> bool) {
        assert!(!is_true(self), "{what} held before {keys:?} were sent");
        self.send(keys);
        self.wait(what, is_true);
    }

    /// Waits for something that no keys bring about.
    #[track_caller]
    pub(crate) fn wait_until(&mut self, what: &str, is_true: impl Fn(&Self) -> bool) {
        assert!(
            self.is_answered,
            "{what} may have held before {:?}: send them with the condition",
            self.keys
        );
        self.wait(what, is_true);
    }

    #[track_caller]
    fn wait(&mut self, what: &str, is_true: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !is_true(self) {
            assert!(
                Instant::now() < deadline,
                "waited for {what:?} in vain; the screen is\n{}",
                self.screen()
            );
            self.read_output(Duration::from_millis(50));
        }
        self.is_answered = true;
    }

    /// Presses a key again and again until a condition holds that does not hold yet. `pause` is the time between two
    /// presses.
    #[track_caller]
    pub(crate) fn press_until(
        &mut self,
        key: &str,
        pause: Duration,
        is_true: impl Fn(&Self) -> bool,
    ) {
        assert!(!is_true(self), "it held before {key:?} was pressed");
        let deadline = Instant::now() + PATIENCE;
        while !is_true(self) {
            assert!(
                Instant::now() < deadline,
                "{key:?} is not heard; the screen is\n{}",
                self.screen()
            );
            self.write(key.as_bytes());
            let next = Instant::now() + pause;
            while !is_true(self) && Instant::now() < next {
                self.read_output(Duration::from_millis(10));
            }
        }
        self.is_answered = true;
    }

    /// Returns the text of the last whole frame.
    pub(crate) fn screen(&self) -> String {
        self.parser.screen().contents()
    }

    /// Returns everything the program has written.
    pub(crate) fn log(&self) -> &[u8] {
        &self.log
    }

    /// Returns what the program has written since it left the alternate screen.
    pub(crate) fn output_after_screen(&self) -> String {
        const LEAVE: &[u8] = b"\x1b[?1049l";
        let left = self
            .log
            .windows(LEAVE.len())
            .rposition(|bytes| bytes == LEAVE);
        let from = left.map_or(self.log.len(), |at| at + LEAVE.len());
        String::from_utf8_lossy(&self.log[from..]).into_owned()
    }

    /// Clears our copy of the screen, so that only what is drawn again shows up.
    pub(crate) fn clear_screen(&mut self) {
        self.parser.process(b"\x1b[2J");
    }

    /// Gives the terminal a new size.
    pub(crate) fn resize(&mut self, height: u16, width: u16) {
        let (master, _) = self.wire.as_ref().unwrap();
        master.resize(size(height, width)).unwrap();
        self.parser.screen_mut().set_size(rows(height), rows(width));
    }

    /// Returns the program's process.
    pub(crate) fn process(&self) -> Pid {
        let id = self.child.process_id().unwrap();
        Pid::from_raw(i32::try_from(id).unwrap()).unwrap()
    }

    /// Returns the number of the foreground process group.
    pub(crate) fn foreground(&self) -> Option<i32> {
        let (master, _) = self.wire.as_ref()?;
        master.process_group_leader()
    }

    /// Sends the program a signal.
    pub(crate) fn signal(&mut self, signal: Signal) {
        self.before = self.screen();
        rustix::process::kill_process(self.process(), signal).unwrap();
    }

    /// Hangs up.
    pub(crate) fn hang_up(&mut self) {
        self.wire = None;
    }

    /// Waits for the end of the program. Returns its exit status and the time that took.
    #[track_caller]
    pub(crate) fn wait_exit(&mut self) -> (ExitStatus, Duration) {
        self.wait_end(|terminal| {
            terminal.read_output(PAUSE);
        })
    }

    /// Waits for the end of the program and reads nothing meanwhile. Returns its exit status and the time that took.
    #[track_caller]
    pub(crate) fn wait_exit_unread(&mut self) -> (ExitStatus, Duration) {
        self.wait_end(|_| std::thread::park_timeout(PAUSE))
    }

    /// Waits for the end of the program, in pauses. None counts for more than it should last: a machine that has no time
    /// for this test has none for the program either.
    #[track_caller]
    fn wait_end(&mut self, pause: impl Fn(&mut Self)) -> (ExitStatus, Duration) {
        let deadline = Instant::now() + PATIENCE;
        let mut took = Duration::ZERO;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                self.read_rest();
                return (status, took);
            }
            assert!(Instant::now() < deadline, "the program does not end");
            let began = Instant::now();
            pause(self);
            took += began.elapsed().min(PAUSE);
        }
    }

    /// Lets the program draw until it can write no more, because nothing is read.
    pub(crate) fn stall(&mut self) {
        let deadline = Instant::now() + PATIENCE;
        let has_room = |far_side: &OwnedFd| {
            let mut room = [PollFd::new(far_side, PollFlags::OUT)];
            rustix::event::poll(&mut room, Some(&Timespec::default())).unwrap() > 0
        };
        // A line that is being written to at this moment has no room either, so one look is not enough.
        let mut full = 0;
        while full < 50 {
            assert!(Instant::now() < deadline, "the program never stalls");
            // The kernel may make room on a full line and not wake the program that waits for it. That program has stalled
            // too: a fiftieth of these keys, drawn, would fill the line.
            let unread = rustix::io::ioctl_fionread(&self.far_side).unwrap();
            full = if has_room(&self.far_side) && unread < 1_000 {
                0
            } else {
                full + 1
            };
            let (_, near) = self.wire.as_ref().unwrap();
            // Each of these keys draws the whole screen. A program that has stalled reads no more of them.
            let _ = rustix::io::write(near, b"\x0c");
            std::thread::park_timeout(Duration::from_millis(1));
        }
    }

    /// Reads all that the program has written before it ended. The kernel passes it on in pieces, so the end of it is
    /// known only by what was written after it.
    fn read_rest(&mut self) {
        self.is_answered = true;
        if self.wire.is_none() {
            return;
        }
        let deadline = Instant::now() + PATIENCE;
        let from = self.log.len();
        let mut rest = MARK;
        let marked = loop {
            if let Ok(written) = rustix::io::write(&self.far_side, rest) {
                rest = &rest[written..];
            }
            self.read_output(Duration::from_millis(1));
            if rest.is_empty()
                && let Some(at) = position(&self.log[from..], MARK)
            {
                break from + at;
            }
            assert!(Instant::now() < deadline, "the output has no end");
        };
        self.log.drain(marked..marked + MARK.len());
        self.drawn -= self.drawn.saturating_sub(marked).min(MARK.len());
        // A frame that was cut off is shown as far as it came.
        self.parser.process(&self.log[self.drawn..]);
        self.drawn = self.log.len();
    }

    /// Reads output for at most this long, for a wait of the caller's own.
    pub(crate) fn read_for(&mut self, wait: Duration) {
        self.is_answered = true;
        self.read_output(wait);
    }

    /// Returns the modes that the program left on: escape modes by number (25 is a hidden cursor), and `termios`.
    pub(crate) fn left_over_modes(&self) -> BTreeSet<String> {
        let mut left = BTreeSet::new();
        let mut rest = self.log.as_slice();
        while let Some(start) = rest.windows(3).position(|bytes| bytes == b"\x1b[?") {
            rest = &rest[start + 3..];
            let length = rest
                .iter()
                .position(|&byte| !matches!(byte, b'0'..=b'9' | b';'));
            let Some(length) = length else { break };
            for mode in String::from_utf8_lossy(&rest[..length]).split(';') {
                match (rest[length], mode) {
                    (b'h', "25") | (b'l', _) if !(rest[length] == b'l' && mode == "25") => {
                        left.remove(mode);
                    }
                    (b'h' | b'l', _) => {
                        left.insert(mode.to_owned());
                    }
                    _ => {}
                }
            }
        }
        let now = rustix::termios::tcgetattr(&self.far_side).unwrap();
        if format!("{now:?}") != format!("{:?}", self.found) {
            left.insert("termios".into());
        }
        left
    }

    /// Reads new output, waiting at most this long. Returns whether there was any.
    fn read_output(&mut self, wait: Duration) -> bool {
        let Some((_, near)) = &self.wire else {
            // A line that was hung up gives no output. Only the time passes.
            std::thread::park_timeout(wait);
            return false;
        };
        let wait = Timespec::try_from(wait).unwrap();
        let mut waiting = [PollFd::new(near, PollFlags::IN)];
        rustix::event::poll(&mut waiting, Some(&wait)).unwrap();
        let mut bytes = [0; 16 * 1024];
        match rustix::io::read(near, &mut bytes) {
            Ok(read) => {
                self.log.extend_from_slice(&bytes[..read]);
                self.draw();
                read > 0
            }
            Err(_) => false,
        }
    }

    /// Shows what arrived, up to the start of a frame whose end is missing.
    fn draw(&mut self) {
        // The start itself may have arrived in two parts.
        let from = self.drawn.saturating_sub(BEGIN.len());
        let fresh = &self.log[from..];
        let is_start = |bytes: &[u8]| bytes == BEGIN;
        let started = fresh.windows(BEGIN.len()).rposition(is_start);
        let until = match started {
            Some(at) if position(&fresh[at..], END).is_none() => self.drawn.max(from + at),
            _ => self.log.len(),
        };
        self.parser.process(&self.log[self.drawn..until]);
        self.drawn = until;
    }
}

fn position(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|bytes| bytes == part)
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // A failed test must leave no process behind. A process that has already ended is not killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn size(rows: u16, cols: u16) -> PtySize {
    PtySize {
        rows,
        cols,
        pixel_width: 0,
        pixel_height: 0,
    }
}

fn rows(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).expect("no terminal of the tests is empty")
}
