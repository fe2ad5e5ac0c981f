//! A source ready to use: its policy is chosen, and the edits of a scenario are applied. The screen and the command
//! line both open sources here. Saved edits are applied as far as they fit; the others are reported, and kept beside
//! those that are done.

use crate::base::save::Fingerprint;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::native::Reference;
use crate::format::slurm::companions::Companions;
use crate::format::{Loaded, Problems, SavedEdit, SavedScenario, Series};
use crate::model::{Origin, Settings, Snapshot};
use crate::open::FileStates;
use crate::rules::policy::Policy;
use crate::rules::policy::formula::{FORMULA, Formula};
use crate::scenario::{
    Edit, LanguageError, OtherScenarios, Parsed, Scenario, is_worked_out, parse, parse_briefly,
    uneven_split,
};
use crate::trust::printed::{has_printed_numbers, show_all_printed, show_printed_only};
use crate::trust::verify::{Verification, verify_dump};
use std::path::PathBuf;
use std::sync::Arc;

/// A source that was opened.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The snapshot with the edits of the file, if it was a scenario.
    pub scenario: Scenario,
    /// The other scenarios of the file.
    pub other_scenarios: OtherScenarios,
    /// The scenario file, if it was one, to which it is saved.
    pub scenario_path: Option<PathBuf>,
    /// The state of the scenario file when it was read, if known.
    pub scenario_seen: Option<Fingerprint>,
    /// Where the snapshot comes from.
    pub source: TreeSource,
}

/// Where a tree comes from, and what is known of that.
#[derive(Clone, Debug)]
pub struct TreeSource {
    /// The policy that made its numbers, or else that it names; `None` if its settings decide.
    pub policy: Option<Policy>,
    /// What was odd or wrong, including edits that no longer fit.
    pub problems: Problems,
    /// The reference to the source in a scenario file.
    pub reference: Reference,
    /// The scheduler's recorded numbers, verified when the source was opened.
    pub verification: Verification,
    /// The time of day at which it was read, if known.
    pub read_at: Option<String>,
    /// The states of its files when they were read, if these will show a change.
    pub file_states: Option<FileStates>,
    /// The series of dumps it belongs to, if any.
    pub series: Option<Series>,
    /// The outputs about its jobs that were found with it.
    pub companions: Companions,
}

impl Opened {
    /// Chooses the policy (the requested one, or else the file's, or else the one that made the recorded numbers, or
    /// else its scheduler's) and applies the edits. An edit that no longer fits becomes a problem. Of several scenarios
    /// the one in front gets the requested policy.
    pub fn new(mut loaded: Loaded, policy: Option<Policy>) -> Self {
        let is_chosen = policy.or(loaded.policy).is_some();
        // A scenario's policy is the user's, not that of the source.
        let named = loaded.policy.filter(|_| loaded.scenario.is_none());
        let (policy, mut verification) = put_in_force(&mut loaded, policy);
        let detected = verification
            .detected
            .as_ref()
            .map(|detected| detected.policy);
        show_printed_numbers(&mut loaded.snapshot, &mut verification);
        let Loaded {
            snapshot,
            mut problems,
            policy: _,
            scenarios,
            front,
            scenario: scenario_path,
            reference,
            series,
            companions,
        } = loaded;
        if policy == Policy::Formula {
            note_deprecated(&snapshot.settings, &mut problems);
        }
        let file = scenario_path.as_ref().map(|path| path.as_os_str());
        let file = file.map(|path| shown(path.as_encoded_bytes()));
        let snapshot = Arc::new(snapshot);
        let plain = if !is_chosen && policy == Policy::usual(&snapshot.settings) {
            Scenario::following(snapshot)
        } else {
            Scenario::new(snapshot, policy)
        };
        let mut of_file = Problems::of(file.unwrap_or_default());
        let (scenario, other_scenarios) = applied(&plain, scenarios, front, &mut of_file);
        problems.append(of_file);
        Self {
            scenario,
            other_scenarios,
            scenario_path,
            scenario_seen: None,
            source: TreeSource {
                policy: detected.or(named),
                problems,
                reference,
                verification,
                read_at: None,
                file_states: None,
                series,
                companions,
            },
        }
    }

    /// Puts other scenarios on the snapshot, the one at `front` under its own policy, without edits that do not fit.
    pub(crate) fn replace_scenarios(&mut self, scenarios: Vec<SavedScenario>, front: usize) {
        let policy = scenarios.get(front).and_then(|saved| saved.policy);
        let plain = self.scenario.beside(policy);
        let mut left_out = Problems::default();
        (self.scenario, self.other_scenarios) = applied(&plain, scenarios, front, &mut left_out);
    }

    /// Computes the numbers of all scenarios, which takes up to a second each for a million nodes.
    pub(crate) fn compute_numbers(&mut self) {
        self.other_scenarios.compute_numbers(&self.scenario);
    }
}

/// Returns a scenario as in a file, with which it can be rebuilt on another snapshot.
pub fn saved(scenario: &Scenario) -> SavedScenario {
    let done = scenario.history().edits();
    let mut rejected = scenario.rejected().iter().peekable();
    let mut edits = Vec::with_capacity(done.len() + scenario.rejected().len());
    let mut keep = |text: &str, reason: &str| {
        edits.push(SavedEdit {
            text: text.to_owned(),
            reason: reason.to_owned(),
            line: edits.len() + 1,
        });
    };
    for (place, entry) in done.iter().enumerate() {
        while let Some(rejected) = rejected.next_if(|rejected| rejected.after <= place) {
            keep(&rejected.text, &rejected.reason);
        }
        keep(&entry.text, &entry.reason);
    }
    for rejected in rejected {
        keep(&rejected.text, &rejected.reason);
    }
    SavedScenario {
        name: scenario.name().to_owned(),
        policy: (!scenario.is_following()).then(|| scenario.policy()),
        edits,
    }
}

/// Returns the saved scenarios on the snapshot of one without edits, the one at `front` apart. Every line of an edit that
/// no longer fits is a problem, and its scenario keeps it. The plain one's policy applies to the one in front and to
/// those without a policy.
fn applied(
    plain: &Scenario,
    scenarios: Vec<SavedScenario>,
    front: usize,
    problems: &mut Problems,
) -> (Scenario, OtherScenarios) {
    let mut made = Vec::with_capacity(scenarios.len());
    for (place, saved) in scenarios.into_iter().enumerate() {
        let mut scenario = plain.beside(saved.policy.filter(|_| place != front));
        let of = match &saved.name[..] {
            "" => String::new(),
            name => format!(" of {}", shown(name.as_bytes())),
        };
        scenario.set_name(saved.name);
        for edit in &saved.edits {
            for RejectedLine { line, text, error } in apply_fitting(&mut scenario, edit) {
                let message = sentence!(
                    "the edit `{}`{of} no longer fits: {error}",
                    shown(text.as_bytes())
                );
                let advice = "it is not applied, but the other edits are, and saving keeps it; change or remove it in \
                              the scenario";
                problems.refuse(line, "scenario-edit-refused", message, advice);
            }
        }
        made.push(scenario);
    }
    let after = made.split_off(made.len().min(front + 1));
    let in_front = made.pop().unwrap_or_else(|| plain.beside(None));
    (in_front, OtherScenarios::around(made, after))
}

/// Returns the policy of a source: the requested or named one, or else the one that made the recorded numbers, or else
/// the scheduler's default. Applies the settings that the numbers require unless they were given, and reports it if the
/// numbers decided. They are verified against the policy that made them; if they do not reveal it, that is the one that
/// the source names, or else its scheduler's.
fn put_in_force(loaded: &mut Loaded, requested: Option<Policy>) -> (Policy, Verification) {
    let (snapshot, request) = (&mut loaded.snapshot, &loaded.reference.request);
    let is_scenario = loaded.scenario.is_some();
    let named = requested.or(loaded.policy);
    // A policy that only the columns of a dump suggest is overruled by its numbers.
    let is_suggested = requested.is_none() && !is_scenario && request.config.is_none();
    let of_scheduler = Policy::usual(&snapshot.settings);
    let policy = named.unwrap_or(of_scheduler);
    // A scenario's policy is the user's, not that of the source.
    let usual = loaded.policy.filter(|_| !is_scenario);
    let verification = verify_dump(snapshot, policy, usual.unwrap_or(of_scheduler));
    let Some(detected) = &verification.detected else {
        return (policy, verification);
    };
    let is_open = named.is_none() || (is_suggested && detected.certain);
    if detected.policy != policy && !is_open {
        return (policy, verification);
    }
    let mut changed = Vec::new();
    for known in &detected.settings {
        let key = known.key();
        let mut given = request.settings.iter().map(|(given, _)| given);
        let is_given = given.any(|given| given.eq_ignore_ascii_case(key));
        if !is_given && !known.is_in(&snapshot.settings) {
            known.put_in(&mut snapshot.settings);
            changed.push(format!("{key}={}", known.value()));
        }
    }
    if changed.is_empty() && detected.policy == policy {
        return (policy, verification);
    }
    snapshot.source.origins.push(Origin::InForce {
        policy: detected.policy.name(),
        settings: changed,
    });
    (detected.policy, verification)
}

/// Shows every recorded number as it was printed, under the policy that made the dump. Of a dump that lists only some of
/// the associations nothing else is shown.
fn show_printed_numbers(snapshot: &mut Snapshot, verification: &mut Verification) {
    let Some(policy) = verification.policy else {
        return;
    };
    let asked = snapshot.settings.clone();
    for known in &verification.settings {
        known.put_in(&mut snapshot.settings);
    }
    // The columns are of one moment and of all associations.
    let is_whole = verification.is_conclusive() && !verification.columns.is_empty();
    if is_whole && has_printed_numbers(policy) {
        let left = (!verification.is_reproduced)
            .then(|| show_all_printed(snapshot, policy, &verification.impossible));
        verification.settle(&left.unwrap_or_default());
    } else if snapshot.recorded.incomplete.is_some() && has_printed_numbers(policy) {
        show_printed_only(snapshot, policy);
    }
    let parent_factors = snapshot.settings.slurm.parent_factors;
    snapshot.settings = asked;
    snapshot.settings.slurm.parent_factors = parent_factors;
}

/// Reports that the formula uses a deprecated name of PBS.
fn note_deprecated(settings: &Settings, problems: &mut Problems) {
    if Formula::of(settings).is_ok_and(|formula| formula.is_deprecated()) {
        let message =
            "fair_share_perc is the deprecated name of fairshare_perc; PBS treats both as the same";
        let (file, code) = (Shown::from(FORMULA), "formula-deprecated-keyword");
        problems.note(file, code, message, "write fairshare_perc");
    }
}

/// Applies an edit in the edit language. If it is no edit, or does not fit the tree, this is unchanged.
pub fn apply_text(scenario: &mut Scenario, text: &[u8]) -> Parsed<()> {
    let edit = parse(text, scenario.tree(), scenario.settings())?;
    apply_parsed(scenario, edit, text, String::new())
}

fn apply_parsed(scenario: &mut Scenario, edit: Edit, text: &[u8], reason: String) -> Parsed<()> {
    let reason = if reason.is_empty() && is_worked_out(text) {
        // The result is kept as numbers, so the original text is kept beside them.
        let original = String::from_utf8_lossy(text.trim_ascii()).into_owned();
        match uneven_split(text, scenario.tree(), scenario.settings()) {
            Some(uneven) => format!("{original}: {uneven}"),
            None => original,
        }
    } else {
        reason
    };
    scenario.apply_because(edit, reason)?;
    Ok(())
}

/// How many edits that do not fit get suggestions: each is a search through the tree, and there may be thousands.
const SUGGESTED: usize = 100;

/// A line of a saved edit that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub struct RejectedLine {
    pub line: u64,
    pub text: String,
    pub error: LanguageError,
}

/// Applies a saved edit. If it has several lines, those that fit are applied as one edit; the scenario keeps the
/// others, and they are returned in their order.
pub(crate) fn apply_fitting(scenario: &mut Scenario, edit: &SavedEdit) -> Vec<RejectedLine> {
    let (text, bytes) = (edit.text.trim(), edit.text.as_bytes());
    let parsed = read(bytes, scenario, 0);
    let apply = |parsed| apply_parsed(scenario, parsed, bytes, edit.reason.clone());
    let Err(error) = parsed.and_then(apply) else {
        return Vec::new();
    };
    let rejected_lines = if text.contains('\n') {
        apply_lines(scenario, edit)
    } else {
        vec![rejected_line(edit, 0, text, error)]
    };
    if let [first, ..] = &rejected_lines[..] {
        let why = first.error.to_string();
        let lines: Vec<&str> = rejected_lines.iter().map(|it| &it.text[..]).collect();
        scenario.keep_rejected(lines.join("\n"), edit.reason.clone(), why);
    }
    rejected_lines
}

/// Reads an edit after those that did not fit and are kept, and so many more.
fn read(text: &[u8], scenario: &Scenario, more: usize) -> Parsed<Edit> {
    let has_suggestions = scenario.rejected().len() + more < SUGGESTED;
    let read = if has_suggestions {
        parse
    } else {
        parse_briefly
    };
    read(text, scenario.tree(), scenario.settings())
}

/// Applies the lines that fit, as one edit; returns the others.
fn apply_lines(scenario: &mut Scenario, edit: &SavedEdit) -> Vec<RejectedLine> {
    let mut rejected_lines = Vec::new();
    let mut parts = Vec::new();
    let mut tried = scenario.clone();
    for (place, line) in edit.text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        // Every part names nodes of the tree before the whole edit, and is applied after the parts above it.
        let part = read(line.as_bytes(), scenario, rejected_lines.len());
        let done = part.and_then(|part| {
            tried.apply(part.clone())?;
            Ok(part)
        });
        match done {
            Ok(part) => parts.push(part),
            Err(error) => rejected_lines.push(rejected_line(edit, place, line, error)),
        }
    }
    if !parts.is_empty() {
        let done = scenario.apply_because(Edit::Batch(parts), edit.reason.clone());
        debug_assert!(done.is_ok(), "the same parts were done to a copy: {done:?}");
    }
    rejected_lines
}

fn rejected_line(edit: &SavedEdit, place: usize, text: &str, error: LanguageError) -> RejectedLine {
    RejectedLine {
        line: u64::try_from(edit.line + place).unwrap_or(u64::MAX),
        text: text.to_owned(),
        error,
    }
}
