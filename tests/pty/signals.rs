//! Every signal in every state of the explorer: it is gone within a second, the terminal is as it was found, and the
//! unsaved edits are in a draft.
//!
//! A test run takes each state once, with each signal at least once, and some states inside tmux.
//! `FAIRSCOPE_SIGNALS=all cargo test every_signal -- --nocapture` takes every signal in every state, on a bare terminal
//! and inside tmux, and prints the counts. That takes about fifteen minutes.

use super::drafts::drafts;
use super::{READY, users};
use crate::support::PATIENCE;
use crate::support::stand_in::StandIn;
use crate::support::terminal::Terminal;
use crate::support::tmux::Tmux;
use rustix::process::{Pid, Signal};
use std::path::Path;
use std::time::{Duration, Instant};

/// The promised time from a signal to the end.
const PROMISE: Duration = Duration::from_secs(1);

/// The effect of a signal.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Effect {
    /// The process dies by the signal, or with the exit code that a shell gives for it.
    End,
    /// The process ends with a sentence and the exit code 2.
    Crash,
    /// Nothing.
    Ignored,
}

/// The signals, all but those that stop a process, those that nobody can catch, and SIGSEGV and SIGPIPE, which belong
/// to the runtime.
const SIGNALS: &[(Signal, Effect)] = &[
    (Signal::TERM, Effect::End),
    (Signal::HUP, Effect::End),
    (Signal::INT, Effect::End),
    (Signal::QUIT, Effect::End),
    (Signal::USR1, Effect::End),
    (Signal::USR2, Effect::End),
    (Signal::ALARM, Effect::End),
    (Signal::VTALARM, Effect::End),
    (Signal::PROF, Effect::End),
    (Signal::XCPU, Effect::End),
    (Signal::IO, Effect::End),
    (Signal::POWER, Effect::End),
    (Signal::STKFLT, Effect::End),
    (Signal::XFSZ, Effect::Ignored),
    (Signal::ABORT, Effect::Crash),
    (Signal::FPE, Effect::Crash),
    (Signal::ILL, Effect::Crash),
    (Signal::SYS, Effect::Crash),
    (Signal::TRAP, Effect::Crash),
    (Signal::BUS, Effect::Crash),
];

/// How the explorer is started for a state.
#[derive(Clone, Copy, PartialEq)]
enum Start {
    /// On a small tree.
    Seed,
    /// On many users, whose numbers take a while.
    Users,
    /// On a pipe that never ends.
    Pipe,
    /// On a scheduler's command that never answers.
    Live,
    /// On a small tree, in a shell that can stop it.
    Shell,
    /// On a small tree, in a small terminal.
    Small,
}

/// A state of the explorer: its name, how it is started, the keys that lead to it, and a text that the last keys bring
/// to the screen; empty if there is none.
type State = (&'static str, Start, &'static [&'static str], &'static str);

const STATES: &[State] = &[
    ("first screen", Start::Seed, &[], ""),
    ("ranking", Start::Seed, &["2"], "by rank"),
    ("policies", Start::Seed, &["3"], "Classic"),
    ("time", Start::Seed, &["4"], "day 0"),
    ("plan", Start::Seed, &["5"], "The plan"),
    ("edited", Start::Seed, &["+"], "1 edit ●"),
    ("ranking, edited", Start::Seed, &["+", "2"], "by rank"),
    ("plan, edited", Start::Seed, &["+", "5"], "j scroll"),
    ("prompt of shares", Start::Seed, &["e"], "shares of group2:"),
    (
        "typing shares",
        Start::Seed,
        &["+", "e\x159"],
        "shares of group2: 9",
    ),
    ("prompt of an edit", Start::Seed, &[";set"], "edit: set "),
    ("search", Start::Seed, &["/su"], "find: su"),
    ("filter", Start::Seed, &["f"], "Nodes that used more"),
    ("palette", Start::Seed, &[":"], " Actions "),
    ("help", Start::Seed, &["?"], "Keys of the"),
    ("settings", Start::Seed, &[","], "unknown_shares"),
    ("columns", Start::Seed, &["vc"], "[x] Shares"),
    ("menu of policies", Start::Seed, &["P"], "Slurm classic"),
    ("history", Start::Seed, &["+", "H"], "● shares group2=61"),
    ("scenarios", Start::Seed, &["+", "cs"], "scenario 1"),
    ("dialog", Start::Seed, &["+", "q"], "1 edit is not saved"),
    (
        "prompt of a file",
        Start::Seed,
        &["+", "w"],
        "save scenario as:",
    ),
    ("goal", Start::Seed, &["i"], "goal of group2"),
    ("dependencies", Start::Seed, &["I"], "depends on"),
    ("contention", Start::Seed, &["cb"], "cores:"),
    ("problems", Start::Seed, &["!"], "no problems"),
    ("curves", Start::Seed, &["C"], "factor F by usage U"),
    ("map", Start::Seed, &["vh"], "usage U and share S"),
    ("comparing", Start::Users, &["3"], "comparing"),
    (
        "computing",
        Start::Users,
        &["+++++++++++++++++++++++++"],
        "",
    ),
    ("loading", Start::Pipe, &[], ""),
    ("waiting for a scheduler", Start::Live, &[], ""),
    ("suspended", Start::Shell, &["+", "\x1a"], "Stopped"),
    ("small", Start::Small, &["+"], ""),
];

/// The files that the states need.
struct Files {
    folder: tempfile::TempDir,
    users: String,
    slurm: StandIn,
}

impl Files {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            users: users(20_000, folder.path()),
            slurm: StandIn::slurm().command("sshare", "exec /bin/sleep 1000"),
            folder,
        }
    }

    /// Returns the shell command that starts the explorer for a state.
    fn command(&self, start: Start, state: &Path) -> String {
        let explorer = env!("CARGO_BIN_EXE_fairscope");
        let pipe = self.folder.path().join("pipe");
        let (pipe, state) = (pipe.display(), state.display());
        let rest = match start {
            Start::Seed | Start::Shell | Start::Small => format!("'{explorer}' tests/data/seed"),
            Start::Users => format!("'{explorer}' '{}'", self.users),
            Start::Pipe => {
                format!("rm -f '{pipe}'; mkfifo '{pipe}'; '{explorer}' - <>'{pipe}'")
            }
            Start::Live => {
                let bin = self.slurm.bin();
                format!("PATH='{}' '{explorer}' --live slurm", bin.display())
            }
        };
        // A shell that only ran this would take the line along. One that stops the explorer has to stay.
        let stay = if start == Start::Shell {
            ""
        } else {
            "; exec cat"
        };
        format!(
            "export LANG=C.UTF-8 XDG_STATE_HOME='{state}'; ulimit -c 0; {rest}; echo rc=$?{stay}"
        )
    }
}

/// The terminal of a case.
enum Line<'a> {
    Bare(Box<Terminal>),
    Tmux(&'a Tmux),
}

impl<'a> Line<'a> {
    /// Starts a command on a bare terminal or inside tmux.
    fn start(tmux: Option<&'a Tmux>, command: &str, is_interactive: bool) -> Result<Self, String> {
        let shell = if is_interactive {
            &["--norc", "--noediting", "-i"][..]
        } else {
            &["-c", command]
        };
        let mut line = match tmux {
            None => Self::Bare(Box::new(Terminal::shell(shell))),
            Some(tmux) => {
                let words = [&["env", "PS1=prompt> ", "bash"], shell].concat();
                tmux.run(&words);
                Self::Tmux(tmux)
            }
        };
        if is_interactive {
            // tmux shows no blanks at the end of a line.
            line.wait("the shell", |line| line.text().contains("prompt>"))?;
            line.press(&format!("{command}\n"), "")?;
        }
        Ok(line)
    }

    /// Sends keys, and waits until they have brought a text to the screen, unless it is empty.
    fn press(&mut self, keys: &str, mark: &str) -> Result<(), String> {
        let before = self.text();
        match self {
            Self::Bare(terminal) => terminal.send(keys),
            Self::Tmux(tmux) => tmux.send(keys),
        }
        if mark.is_empty() {
            return Ok(());
        }
        if before.contains(mark) || keys.contains(mark) {
            return Err(format!("{mark:?} is no answer to {keys:?} on\n{before}"));
        }
        self.wait(mark, |line| line.text().contains(mark))?;
        Ok(())
    }

    fn resize(&mut self, height: u16, width: u16) {
        match self {
            Self::Bare(terminal) => terminal.resize(height, width),
            Self::Tmux(tmux) => tmux.resize(height, width),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Bare(terminal) => terminal.screen(),
            Self::Tmux(tmux) => tmux.text(),
        }
    }

    /// Returns what was printed after the explorer.
    fn farewell(&self) -> String {
        match self {
            Self::Bare(terminal) => terminal.output_after_screen(),
            Self::Tmux(tmux) => tmux.text(),
        }
    }

    /// Waits until a condition holds. Gives the time that took, or the screen if it never does. No pause counts for more
    /// than it should last: a machine that has no time for this test has none for the explorer either.
    fn wait(&mut self, what: &str, is_true: impl Fn(&Self) -> bool) -> Result<Duration, String> {
        const PAUSE: Duration = Duration::from_millis(2);
        let deadline = Instant::now() + PATIENCE;
        let mut took = Duration::ZERO;
        loop {
            let began = Instant::now();
            match self {
                Self::Bare(terminal) => terminal.read_for(PAUSE),
                Self::Tmux(_) => std::thread::park_timeout(PAUSE),
            }
            took += began.elapsed().min(PAUSE);
            if is_true(self) {
                return Ok(took);
            }
            if Instant::now() > deadline {
                return Err(format!("waited for {what} in vain:\n{}", self.text()));
            }
        }
    }

    /// Returns the explorer, once it runs.
    fn explorer(&self) -> Option<Pid> {
        let shell = match self {
            Self::Bare(terminal) => terminal.process().as_raw_nonzero().get(),
            Self::Tmux(tmux) => tmux.process(),
        };
        let children = std::fs::read_to_string(format!("/proc/{shell}/task/{shell}/children"));
        let number = children.ok()?.split_whitespace().next()?.parse().ok()?;
        let name = std::fs::read_to_string(format!("/proc/{number}/comm")).ok()?;
        (name == "fairscope\n")
            .then(|| Pid::from_raw(number))
            .flatten()
    }

    /// Returns what is not as it was found.
    fn left_over(&self) -> Vec<String> {
        match self {
            Self::Bare(terminal) => terminal.left_over_modes().into_iter().collect(),
            Self::Tmux(tmux) => {
                let modes = tmux.modes();
                let is_termios = !tmux.has_usual_termios();
                let modes = (modes != "0 0 0 1").then_some(modes);
                modes
                    .into_iter()
                    .chain(is_termios.then(|| "termios".to_owned()))
                    .collect()
            }
        }
    }
}

/// Sends a signal to the explorer in a state. Gives what broke a promise, if anything.
fn end(
    files: &Files,
    tmux: Option<&Tmux>,
    &(_, start, keys, mark): &State,
    (signal, effect): (Signal, Effect),
) -> Result<(), String> {
    let state = tempfile::tempdir().unwrap();
    let command = files.command(start, state.path());
    let is_stopped = start == Start::Shell;
    let mut line = Line::start(tmux, &command, is_stopped)?;
    let ready = match start {
        Start::Pipe => "esc stops",
        Start::Live => "opening live slurm",
        Start::Users => "why user1 ",
        _ => READY,
    };
    line.wait(ready, |line| line.text().contains(ready))?;
    if start == Start::Small {
        line.resize(5, 20);
    }
    if let Some((last, first)) = keys.split_last() {
        for keys in first {
            line.press(keys, "1 edit ●")?;
        }
        line.press(last, mark)?;
    }
    if is_stopped {
        // The command itself holds `rc=$?`. What the shell writes after that would come into what the explorer says.
        let has_prompt = |line: &Line| {
            let text = line.text();
            let after = text.rsplit_once("rc=1");
            after.is_some_and(|(_, after)| after.contains("prompt>"))
        };
        line.wait("the shell", has_prompt)?;
    }
    let explorer = line.explorer().ok_or("there is no explorer")?;
    let is_edited = keys.first() == Some(&"+");
    if is_edited {
        line.wait("the draft", |_| !drafts(state.path()).is_empty())?;
    }
    let send = |signal| rustix::process::kill_process(explorer, signal).map_err(|e| e.to_string());
    send(signal)?;
    let number = if effect == Effect::Ignored {
        send(Signal::TERM)?;
        Signal::TERM.as_raw()
    } else {
        signal.as_raw()
    };
    if is_stopped {
        send(Signal::CONT)?;
    }
    let is_gone = |_: &Line| rustix::process::test_kill_process(explorer).is_err();
    let took = line.wait("its end", is_gone)?;
    let mut broken = Vec::new();
    if took > PROMISE {
        broken.push(format!("took {took:?}"));
    }
    if !is_stopped {
        line.wait("the shell", |line| line.farewell().contains("rc="))?;
        let code = if effect == Effect::Crash {
            2
        } else {
            128 + number
        };
        if !line.farewell().contains(&format!("rc={code}")) {
            broken.push(format!("expected rc={code}: {}", line.farewell()));
        }
    }
    if effect == Effect::Crash {
        let sentence = "fairscope: ended by SIG";
        line.wait(sentence, |line| line.farewell().contains(sentence))?;
    }
    let left = line.left_over();
    if !left.is_empty() {
        broken.push(format!("left over: {left:?}"));
    }
    if is_edited && drafts(state.path()).len() != 1 {
        broken.push("no draft".into());
    }
    if broken.is_empty() {
        return Ok(());
    }
    Err(broken.join("; "))
}

#[test]
fn every_signal_ends_every_state_within_a_second_and_cleanly() {
    let files = Files::new();
    let tmux = Tmux::start();
    if tmux.is_none() {
        println!("skipped: there is no tmux, so only bare terminals are tested");
    }
    let is_whole = std::env::var_os("FAIRSCOPE_SIGNALS").is_some_and(|value| value == "all");
    let mut cases = Vec::new();
    for place in [None, tmux.as_ref()] {
        for (at, state) in STATES.iter().enumerate() {
            for (number, &signal) in SIGNALS.iter().enumerate() {
                let is_turn = at * 3 % SIGNALS.len() == number;
                if is_whole || is_turn && (place.is_none() || at % 4 == 1) {
                    cases.push((place, state, signal));
                }
            }
        }
        if tmux.is_none() {
            break;
        }
    }
    let broken: Vec<_> = cases
        .iter()
        .filter_map(|&(place, state, signal)| {
            let broken = end(&files, place, state, signal).err()?;
            let place = if place.is_some() { "in tmux" } else { "bare" };
            Some(format!("{}, {:?}, {place}: {broken}", state.0, signal.0))
        })
        .collect();
    println!(
        "{} of {} ends by a signal were clean and within a second",
        cases.len() - broken.len(),
        cases.len()
    );
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
