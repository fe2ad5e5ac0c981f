//! Tries many cases one after the other, counts them, and makes those that fail smaller.

use super::case::Case;
use crate::support::random::Random;
use fairscope::base::number::grouped;
use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How long one case may take. It only tells a hang from an answer.
pub(crate) const LONGEST: Duration = Duration::from_secs(10);

/// How long a case is waited for before the campaign is given up.
const PATIENCE: Duration = Duration::from_secs(60);

/// The seed of `cargo test`.
const SEED: u64 = 15;

/// How many kinds of failures are made smaller and listed.
const KINDS: usize = 12;

/// How many smaller cases are tried for each.
const ATTEMPTS: usize = 400;

/// One part of the campaign: the module of this name.
pub(crate) struct Part {
    pub(crate) name: &'static str,
    /// How many cases `cargo test` tries.
    pub(crate) inputs: u64,
    /// What the pieces of a case are.
    pub(crate) pieces: &'static str,
}

/// What became of one case.
struct Answer {
    failure: Option<String>,
    took: Duration,
    memory: u64,
}

/// The result of a check: what is wrong, if anything, and the peak memory of other processes in KiB.
pub(crate) type Checked = (Result<(), String>, u64);

impl Part {
    /// Makes cases and checks them.
    ///
    /// # Panics
    /// If a case fails.
    pub(crate) fn run(
        &self,
        make: impl Fn(&mut Random) -> Case,
        check: impl FnMut(&Case) -> Checked + Send + 'static,
    ) {
        let worker = Worker::start(check);
        if let Some(file) = std::env::var_os("FAIRSCOPE_FUZZ_CASE") {
            return self.repeat(Path::new(&file), &worker);
        }
        let (seed, seconds) = (seed(), seconds());
        if seconds.is_some() {
            println!("{}: seed {seed}", self.name);
        }
        let mut random = Random::new(seed);
        let mut tally = Tally::default();
        let start = Instant::now();
        let goes_on = |inputs: u64| match seconds {
            Some(seconds) => start.elapsed() < seconds,
            None => inputs < self.inputs,
        };
        while goes_on(tally.inputs) {
            let case = make(&mut random);
            let answer = self.ask(&worker, &case);
            tally.count(&case, &answer);
            if let Some(failure) = answer.failure {
                self.note(&mut tally, &worker, case, failure);
            }
        }
        println!(
            "{}: inputs {} of {} {}, failures {}, slowest {} ms, peak memory {} MiB",
            self.name,
            grouped(tally.inputs),
            grouped(tally.pieces),
            self.pieces,
            tally.failures,
            tally.slowest.as_millis(),
            tally.memory.max(peak_memory("self")) / 1024
        );
        if seconds.is_some() {
            let file = self.keep(&tally.slowest_case, "the slowest", 0);
            println!("  the slowest: {}", self.command(&file));
        }
        assert!(tally.failures == 0, "{}", tally.report());
    }

    /// Asks the worker about a case. A case without an answer ends the campaign.
    fn ask(&self, worker: &Worker, case: &Case) -> Answer {
        worker.ask(case).unwrap_or_else(|| {
            let failure = format!("no answer within {} s", PATIENCE.as_secs());
            let file = self.keep(case, &failure, 0);
            panic!("{failure}\n{}", self.command(&file));
        })
    }

    /// Repeats the case of a file, if it is one of this part.
    fn repeat(&self, file: &Path, worker: &Worker) {
        let text = fs::read_to_string(file).expect("the file of FAIRSCOPE_FUZZ_CASE can be read");
        if !text.starts_with(&format!("part {}\n", self.name)) {
            return;
        }
        let answer = self.ask(worker, &Case::from_text(&text));
        println!("{}: {} ms", file.display(), answer.took.as_millis());
        assert!(answer.failure.is_none(), "{}", answer.failure.unwrap());
    }

    /// Counts a failure; one of a new kind is made smaller and written to a file.
    fn note(&self, tally: &mut Tally, worker: &Worker, case: Case, failure: String) {
        tally.failures += 1;
        let kind = kind(&failure);
        if let Some((count, _)) = tally.kinds.get_mut(&kind) {
            *count += 1;
            return;
        }
        if tally.kinds.len() == KINDS {
            return;
        }
        let (case, failure) = smaller(worker, case, failure, &kind);
        let file = self.keep(&case, &failure, tally.kinds.len() + 1);
        let report = format!("{failure}\n  {}", self.command(&file));
        println!("{}: {report}", self.name);
        tally.kinds.insert(kind, (1, report));
    }

    fn keep(&self, case: &Case, failure: &str, number: usize) -> PathBuf {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz");
        fs::create_dir_all(&folder).expect("the folder of the target is ours");
        let file = folder.join(format!("{}-{}-{number}.txt", self.name, std::process::id()));
        let comment = failure.lines().map(|line| line.escape_debug().to_string());
        let comment = comment.collect::<Vec<_>>().join("\n# ");
        let text = format!("part {}\n# {comment}\n{}", self.name, case.to_text());
        fs::write(&file, text).expect("the folder is ours");
        file
    }

    fn command(&self, file: &Path) -> String {
        format!(
            "FAIRSCOPE_FUZZ_CASE={} cargo test --release fuzz::{} -- --nocapture",
            file.display(),
            self.name
        )
    }
}

/// What a campaign has seen so far.
#[derive(Default)]
struct Tally {
    inputs: u64,
    /// The pieces of all cases.
    pieces: usize,
    failures: u64,
    slowest: Duration,
    slowest_case: Case,
    /// The peak memory of other processes in KiB.
    memory: u64,
    /// By kind of failure: how many, and the first of them.
    kinds: BTreeMap<String, (u64, String)>,
}

impl Tally {
    fn count(&mut self, case: &Case, answer: &Answer) {
        self.inputs += 1;
        self.pieces += case.pieces.len();
        if answer.took > self.slowest {
            self.slowest = answer.took;
            self.slowest_case = case.clone();
        }
        self.memory = self.memory.max(answer.memory);
    }

    fn report(&self) -> String {
        let kinds = self.kinds.values();
        let lines = kinds.map(|(count, report)| format!("{count} times: {report}"));
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// Returns a smaller case that fails in the same way, and its failure.
fn smaller(worker: &Worker, mut case: Case, mut failure: String, of_kind: &str) -> (Case, String) {
    let mut attempts = 0;
    let mut still_fails = |candidate: &Case| {
        attempts += 1;
        if attempts > ATTEMPTS {
            return None;
        }
        let found = worker.ask(candidate)?.failure?;
        (kind(&found) == of_kind).then_some(found)
    };
    let mut length = case.pieces.len().div_ceil(2);
    while length > 0 {
        let mut start = 0;
        while start < case.pieces.len() {
            let mut candidate = case.clone();
            let end = (start + length).min(candidate.pieces.len());
            candidate.pieces.drain(start..end);
            match still_fails(&candidate) {
                Some(found) => (case, failure) = (candidate, found),
                None => start += length,
            }
        }
        length = if length == 1 { 0 } else { length.div_ceil(2) };
    }
    for place in 0..case.pieces.len() {
        let mut length = case.pieces[place].len().div_ceil(2);
        while length > 0 && case.pieces[place].len() > 1 {
            let mut candidate = case.clone();
            let piece = &mut candidate.pieces[place];
            piece.truncate(piece.len().saturating_sub(length));
            match still_fails(&candidate) {
                Some(found) => (case, failure) = (candidate, found),
                None => length /= 2,
            }
        }
    }
    (case, failure)
}

/// Returns the kind of a failure: the beginning of its first line, without numbers.
fn kind(failure: &str) -> String {
    let line = failure.lines().next().unwrap_or_default();
    let is_kept = |char: &char| !char.is_ascii_digit();
    line.chars().filter(is_kept).take(70).collect()
}

/// A thread that checks cases, so that one that hangs is noticed.
struct Worker {
    cases: SyncSender<Case>,
    answers: Receiver<Answer>,
}

impl Worker {
    fn start(mut check: impl FnMut(&Case) -> Checked + Send + 'static) -> Self {
        let (cases, inbox) = sync_channel::<Case>(0);
        let (outbox, answers) = sync_channel(1);
        std::thread::spawn(move || {
            while let Ok(case) = inbox.recv() {
                let start = Instant::now();
                let checked = catch_unwind(AssertUnwindSafe(|| check(&case)));
                let took = start.elapsed();
                let (result, memory) = checked.unwrap_or_else(|panic| {
                    let text = panic.downcast_ref::<String>().cloned();
                    let text =
                        text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.into()));
                    (Err(format!("panic: {}", text.unwrap_or_default())), 0)
                });
                let failure = result.err().or_else(|| {
                    (took > LONGEST).then(|| format!("took longer than {} s", LONGEST.as_secs()))
                });
                let answer = Answer {
                    failure,
                    took,
                    memory,
                };
                if outbox.send(answer).is_err() {
                    return;
                }
            }
        });
        Self { cases, answers }
    }

    /// Returns the answer about a case, or `None` if there is none in time.
    fn ask(&self, case: &Case) -> Option<Answer> {
        self.cases.send(case.clone()).expect("the worker lives");
        match self.answers.recv_timeout(PATIENCE) {
            Ok(answer) => Some(answer),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => panic!("the worker lives"),
        }
    }
}

/// Returns how long each part runs, if not for a number of inputs.
pub(crate) fn seconds() -> Option<Duration> {
    let seconds = std::env::var("FAIRSCOPE_FUZZ").ok()?;
    let seconds = seconds
        .parse()
        .expect("FAIRSCOPE_FUZZ is a number of seconds");
    Some(Duration::from_secs(seconds))
}

/// Returns the seed: the given one, or a fixed one in `cargo test`, or a new one.
pub(crate) fn seed() -> u64 {
    if let Ok(seed) = std::env::var("FAIRSCOPE_FUZZ_SEED") {
        return seed.parse().expect("FAIRSCOPE_FUZZ_SEED is a number");
    }
    if seconds().is_none() {
        return SEED;
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(SEED, |now| u64::from(now.subsec_nanos()) ^ now.as_secs())
}

/// Returns the peak memory of a process in KiB; 0 if it is gone.
pub(crate) fn peak_memory(process: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = peak.and_then(|peak| peak.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}
