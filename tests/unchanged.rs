//! Every report in every format and every screen that a key opens stays the same byte for byte.
//!
//! What is printed as text for the published sources is kept as text, in one file for each report, so that a change can
//! be read. All other outputs are kept as numbers: one for each form of a report on a source, and one for each key. All
//! outputs of a run are in the folder that the test names, so that two runs can be compared.
//! `UPDATE=1 cargo test unchanged` accepts the current outputs.

use crate::support::command::{Run, commands};
use crate::support::files::files_below;
use crate::support::journey::Journey;
use crate::support::kept;
use crate::support::loading::load_quietly;
use crate::support::{data, trees};
use fairscope::format::Request;
use fairscope::rules::policy::Policy;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once};
use std::time::{Duration, SystemTime};

/// The sources, below the test data, and two nodes of each.
const SOURCES: &[(&str, [&str; 2])] = &[
    ("seed", ["bob", "suzy"]),
    ("slurm/gold", ["bob", "alice"]),
    ("slurm/gold.cfg", ["bob", "alice"]),
    ("slurm/partitions", ["", ""]),
    ("slurm/three_levels", ["", ""]),
    ("slurm/undecided", ["", ""]),
    ("slurm/live", ["", ""]),
    ("slurm/captures/05-fairshare-parent/22.05", ["", ""]),
    ("slurm/captures/09-classic-damp5/26.05", ["", ""]),
    ("slurm/captures/17-stale-after-change/26.05", ["", ""]),
    ("slurm_plans/22-moveuser/before", ["", ""]),
    ("flux/21_inactive/input.db", ["", ""]),
    ("flux/44_real_shares/input.db", ["", ""]),
    ("flux/45_wal_after_update_fshare/input.db", ["", ""]),
    ("pbs/01-seed-example", ["", ""]),
    ("pbs/17-odd-names", ["", ""]),
    ("pbs/18-malformed-group", ["", ""]),
    ("pbs/22-odd-records", ["", ""]),
    ("pbs/24-ties", ["", ""]),
    ("slurm/own.txt", ["alice", "alice"]),
    ("careless", ["", ""]),
    ("dumps/gold-2025-04-01.csv", ["", ""]),
    ("example:small", ["", ""]),
    ("example:equal150", ["", ""]),
    ("example:objective", ["", ""]),
    ("example:flux", ["", ""]),
    ("example:buckets", ["", ""]),
];

const FORMS: [&str; 5] = ["tree", "table", "csv", "json", "markdown"];

/// The form of pages to publish, and the sources that are published. Their texts are kept.
const HTML: &str = "html";
const PUBLISHED: &[&str] = &["seed", "slurm/gold", "flux/44_real_shares/input.db"];

/// The sources on which every key is pressed, each on a fresh explorer.
const EXPLORED: &[&str] = &[
    "seed",
    "slurm/gold",
    "flux/44_real_shares/input.db",
    "example:objective",
];

const KEYS: &str =
    "abcdefghijklmnoprstuvwxyzABCDEFGHIJKLMNOPRSTUVWXYZ0123456789+-*/|?>[]{}!@#$%^&=~;:,._'\"\\`";

fn path(source: &str) -> String {
    if source.starts_with("example:") {
        return source.to_owned();
    }
    // The path is relative to the folder of the tests, so that names of folders above make no difference.
    format!("tests/data/{source}")
}

/// Gives all test data one modification time. A checkout sets its own times, and a tree has the time of its files.
fn set_modification_times() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_750_000_000);
        for path in files_below(&data("")) {
            let file = File::options().append(true).open(path).unwrap();
            file.set_modified(time).unwrap();
        }
    });
}

/// Returns two nodes of a source: the given ones, or else a user near the top and the last user.
fn nodes(source: &str, told: [&str; 2]) -> [String; 2] {
    if told != [""; 2] {
        return told.map(str::to_owned);
    }
    let columns = ["--columns", "path", "--format-out", "csv"];
    let listed = Run::fairscope(["rank", &path(source)]).args(columns).run();
    let text = listed.text();
    let users: Vec<&str> = text.lines().skip(1).collect();
    let pick = |place: usize| {
        users
            .get(place)
            .copied()
            .unwrap_or_default()
            .trim_matches('"')
    };
    [pick(users.len() / 3), pick(users.len().saturating_sub(1))].map(str::to_owned)
}

/// A question as the arguments of a command line.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Question {
    /// The source as it is listed. Empty if the question is asked only once.
    source: &'static str,
    words: Vec<String>,
}

impl Question {
    fn command(&self) -> &str {
        self.words[0].trim_start_matches('-')
    }

    /// Returns the form that is asked for. `None` if there is no choice, or none is made.
    fn form(&self) -> Option<&str> {
        let mut words = self.words.iter();
        words.find(|word| *word == "--format-out")?;
        words.next().map(String::as_str)
    }

    /// Whether the answer is kept as text.
    fn is_kept_as_text(&self) -> bool {
        let is_text = matches!(self.form(), None | Some("text" | "table"));
        is_text && (self.source.is_empty() || PUBLISHED.contains(&self.source))
    }

    /// Returns the file of the report, below the folder of those kept as text.
    fn file(&self) -> PathBuf {
        let command = match &self.words[..] {
            [_, help] if help == "--help" => "help",
            _ => self.command(),
        };
        let source = self.source.trim_end_matches("/input.db");
        Path::new(source).join(format!("{command}.txt"))
    }

    /// Returns what has one number: all answers of a report on a source in a form.
    fn group(&self) -> String {
        let group = [self.command(), self.source, self.form().unwrap_or_default()];
        group.join(" ").trim_end().to_owned()
    }
}

/// Questions about one source.
struct Questions {
    source: &'static str,
    all: Vec<Question>,
}

impl Questions {
    fn about(source: &'static str) -> Self {
        let all = Vec::new();
        Self { source, all }
    }

    fn ask(&mut self, line: &[&str]) {
        let words = line.iter().map(|&word| word.to_owned()).collect();
        let source = self.source;
        self.all.push(Question { source, words });
    }
}

/// Returns the questions about one source.
fn questions(source: &'static str, told: [&str; 2]) -> Vec<Question> {
    let [one, two] = nodes(source, told);
    let html = PUBLISHED.contains(&source).then_some(HTML);
    let mut questions = Questions::about(source);
    let source = path(source);
    let edits = [
        format!("shares {one}=7"),
        format!("usage {two}=500"),
        format!("move {one} to /"),
        format!("remove {two}"),
        "wait 7d".to_owned(),
    ];
    for form in FORMS.into_iter().chain(html) {
        ask_for_tables(&mut questions, &source, [&one, &two], &edits, form);
    }
    for form in ["text", "markdown", "json"].into_iter().chain(html) {
        ask_for_sentences(&mut questions, &source, [&one, &two], &edits, form);
    }
    for policy in Policy::ALL {
        let of_policy = ["--policy", policy.name()];
        for line in [
            &["show", &source][..],
            &["explain", &source, &one],
            &["explain", &source, &one, &two],
            &["solve", &source, "--node", &two, "--goal", "on-target"],
        ] {
            questions.ask(&[line, &of_policy].concat());
        }
    }
    for format in ["sacctmgr-dump", "flux-json", "csv", "toml"] {
        questions.ask(&["convert", &source, "--to", format]);
    }
    for form in ["text", "csv", "json", "markdown", "openmetrics"]
        .into_iter()
        .chain(html)
    {
        questions.ask(&["metrics", &source, "--users", "--format-out", form]);
    }
    for form in ["table", "json", "markdown"] {
        let gate = format!("served({one}) < 1");
        let line = [
            "whatif",
            &source,
            "--edit",
            &edits[0],
            "--fail-if",
            "diluted > 1%",
        ];
        questions.ask(&[&line[..], &["--fail-if", &gate, "--format-out", form]].concat());
    }
    questions.ask(&["pbsfs", &source]);
    questions.all
}

/// Adds the questions that are answered by tables.
fn ask_for_tables(
    questions: &mut Questions,
    source: &str,
    [one, two]: [&str; 2],
    edits: &[String],
    form: &str,
) {
    let form = ["--format-out", form];
    let mut ask = |line: &[&str]| questions.ask(&[line, &form].concat());
    for command in ["show", "rank", "policies"] {
        ask(&[command, source]);
    }
    for edit in edits {
        ask(&["whatif", source, "--edit", edit]);
    }
    ask(&[
        "whatif", source, "--edit", &edits[0], "--edit", &edits[1], "--all",
    ]);
    ask(&["simulate", source, "--until", "2d", "--cores", "64"]);
    ask(&["diff", source, &path("seed")]);
    ask(&[
        "simulate", source, "--until", "14d", "--node", one, "--goal",
    ]);
    ask(&[
        "simulate", source, "--until", "30d", "--step", "7d", "--node", two,
    ]);
}

/// Adds the questions that are answered in sentences.
fn ask_for_sentences(
    questions: &mut Questions,
    source: &str,
    [one, two]: [&str; 2],
    edits: &[String],
    form: &str,
) {
    let form = ["--format-out", form];
    let mut ask = |line: &[&str]| questions.ask(&[line, &form].concat());
    ask(&["explain", source, one]);
    ask(&["explain", source, one, two]);
    ask(&["check", source]);
    ask(&["me", source, one]);
    for goal in ["on-target", "rank<=1", "factor>=0.9", "share>=10%"] {
        ask(&["solve", source, "--node", two, "--goal", goal, "--any"]);
    }
    ask(&[
        "solve",
        source,
        "--node",
        two,
        "--goal",
        &format!("ahead-of {one}"),
    ]);
    ask(&["solve", source, "--node", one]);
    // A search that finds nothing takes all of its tries, so goals are asked for that are soon met.
    let goals = [format!("share({one}) >= 30%"), format!("back({two}) <= 1d")];
    let goals: Vec<&str> = goals.iter().flat_map(|goal| ["--goal", goal]).collect();
    ask(&[&["advise", source], &goals[..]].concat());
    ask(&["advise", source, "--half-life", "1d..14d"]);
    for edit in edits {
        ask(&["plan", source, "--edit", edit]);
    }
    for scheduler in ["pbs", "slurm", "flux"] {
        ask(&["plan", source, "--for", scheduler, "--edit", &edits[0]]);
    }
    ask(&["plan", source, "--edit", &edits[0], "--verify", source]);
}

/// Returns the questions that are asked only once.
fn other_questions() -> Vec<Question> {
    let dumps = path("dumps");
    let [tree, config, jobs] =
        ["sshare.psv", "config.txt", "sprio_l.txt"].map(|file| path(&format!("slurm_jobs/{file}")));
    let mut questions = Questions::about("");
    questions.ask(&["--help"]);
    for command in commands() {
        questions.ask(&[&command, "--help"]);
    }
    for form in FORMS.into_iter().chain([HTML]) {
        let of_form = ["--format-out", form];
        let of_node = ["timeline", &dumps, "--node", "physics"];
        questions.ask(&[&["timeline", &dumps][..], &of_form].concat());
        questions.ask(&[&of_node[..], &of_form].concat());
        if form != "tree" {
            let line = ["queue", &tree, "--config", &config, "--sprio", &jobs];
            let edit = ["--edit", "shares physics=1"];
            questions.ask(&[&line[..], &of_form].concat());
            questions.ask(&[&line[..], &of_form, &edit].concat());
        }
    }
    for form in ["text", "csv", "json", "markdown", HTML] {
        questions.ask(&["metrics", "--timeline", &dumps, "--format-out", form]);
    }
    questions.all
}

/// Returns everything fairscope prints for a question: standard output, standard error, exit code.
fn answer(question: &Question) -> String {
    let ran = Run::fairscope(&question.words).run();
    let (errors, code) = (ran.stderr.clone(), ran.code);
    let mut text = ran.text() + &errors;
    if code != Some(0) {
        let _ = writeln!(text, "exit code {code:?}");
    }
    text
}

fn explorer(source: &str) -> Journey {
    let request = Request::to_open(path(source));
    let loaded = load_quietly(&request).expect("it can be loaded");
    let mut journey = Journey::empty(fairscope::tui::Options::default());
    journey.send(fairscope::tui::Message::Loaded(trees::opened(loaded)));
    journey
}

/// Returns the screens that a key opens at two sizes, and those after a few more keys.
fn screens(source: &str, key: char) -> String {
    let mut journey = explorer(source).keys("<down><down>");
    let mut text = String::new();
    let mut look = |journey: &mut Journey| {
        journey.answer();
        let screen = journey.screen();
        let colours = format!("{:?}", journey.buffer());
        let _ = writeln!(text, "{screen}\ncolours {:016x}", number(&colours));
    };
    for keys in [&key.to_string()[..], "<down>", "<enter>", "<esc>"] {
        journey.press(keys);
        look(&mut journey);
    }
    journey.resize(80, 24);
    look(&mut journey);
    text
}

/// Hashes a text (FNV-1a, 64 bits).
fn number(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |number, byte| {
        (number ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Runs all jobs on all cores.
fn on_all_cores<T: Send, K: Ord + Send>(
    jobs: Vec<T>,
    work: impl Fn(T) -> (K, String) + Sync,
) -> BTreeMap<K, String> {
    let jobs = Mutex::new(jobs.into_iter());
    let done = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let job = jobs.lock().unwrap().next();
                    let Some(job) = job else { return };
                    let (name, text) = work(job);
                    done.lock().unwrap().insert(name, text);
                }
            });
        }
    });
    done.into_inner().unwrap()
}

/// Writes all outputs to a folder, each to its own file, so that those of two runs can be compared.
fn write_all<'a>(kind: &str, outputs: impl Iterator<Item = (String, &'a String)>) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(kind);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    for (name, text) in outputs {
        let file: String = name
            .chars()
            .map(|char| if char.is_alphanumeric() { char } else { '_' })
            .collect();
        let file = format!("{file:.150}-{:04x}", number(&name) & 0xffff);
        fs::write(folder.join(file), text).unwrap();
    }
    folder
}

/// Returns a line for each text: its number, and its name.
fn numbered(texts: &BTreeMap<String, String>) -> String {
    let mut lines = String::new();
    for (name, text) in texts {
        let _ = writeln!(lines, "{:016x} {name}", number(text));
    }
    lines
}

/// Returns the lines of today that are not kept, and those that are kept and gone, with the name of the file.
fn differences(file: &Path, today: &str) -> Vec<String> {
    let before = kept::kept(&data("unchanged").join(file), today);
    if before == today {
        return Vec::new();
    }
    let known: HashSet<&str> = before.lines().collect();
    let current: HashSet<&str> = today.lines().collect();
    let gone = before.lines().filter(|line| !current.contains(line));
    let new = today.lines().filter(|line| !known.contains(line));
    let mut lines = vec![format!("{}:", file.display())];
    lines.extend(gone.map(|line| format!("- {line}")));
    lines.extend(new.map(|line| format!("+ {line}")));
    lines
}

#[test]
fn every_report_is_unchanged() {
    set_modification_times();
    let mut all = other_questions();
    for &(source, told) in SOURCES {
        all.extend(questions(source, told));
    }
    let outputs = on_all_cores(all, |question| {
        let text = answer(&question);
        (question, text)
    });
    let named = outputs.iter();
    let folder = write_all(
        "reports",
        named.map(|(asked, text)| (asked.words.join(" "), text)),
    );
    let mut texts: BTreeMap<PathBuf, String> = BTreeMap::new();
    let mut groups: BTreeMap<String, String> = BTreeMap::new();
    for (question, answer) in &outputs {
        let (file, line) = (question.file(), question.words.join(" "));
        let text = if question.is_kept_as_text() {
            texts.entry(Path::new("reports").join(file)).or_default()
        } else {
            groups.entry(question.group()).or_default()
        };
        let _ = writeln!(text, "$ fairscope {line}\n{answer}");
    }
    let mut differing = differences(Path::new("reports.txt"), &numbered(&groups));
    for (file, text) in &texts {
        differing.extend(differences(file, text));
    }
    let kept: HashSet<PathBuf> = files_below(&data("unchanged/reports"))
        .into_iter()
        .collect();
    let known = texts.keys().map(|file| data("unchanged").join(file));
    assert_eq!(kept, known.collect(), "one file for each report");
    assert!(
        differing.is_empty(),
        "all reports are in {}; kept and today's:\n{}",
        folder.display(),
        differing.join("\n")
    );
}

#[test]
fn every_screen_is_unchanged() {
    set_modification_times();
    let jobs = EXPLORED
        .iter()
        .flat_map(|&source| KEYS.chars().map(move |key| (source, key)));
    let outputs = on_all_cores(jobs.collect(), |(source, key)| {
        (format!("{source} {key}"), screens(source, key))
    });
    let named = outputs.iter();
    let folder = write_all("screens", named.map(|(name, text)| (name.clone(), text)));
    let differing = differences(Path::new("screens.txt"), &numbered(&outputs));
    assert!(
        differing.is_empty(),
        "all screens are in {}; kept and today's:\n{}",
        folder.display(),
        differing.join("\n")
    );
}
