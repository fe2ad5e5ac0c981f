//! A source ready to use: its policy is chosen, and the edits of a scenario are applied. The screen and the command
//! line both open sources here. Saved edits are applied as far as they fit; the others are reported, and kept beside
//! those that are done.

use crate::base::fingerprint::Fingerprint;
use crate::base::shown::{Shown, shown};
use crate::format::native::Reference;
use crate::format::problem::problems;
use crate::format::slurm::companions::Companions;
use crate::format::{Loaded, Problems, Request, SavedEdit, SavedScenario, Series};
use crate::model::{Incomplete, Origin, Settings, Snapshot};
use crate::open::FileStates;
use crate::rules::policy::Policy;
use crate::rules::policy::formula::{FORMULA, Formula};
use crate::scenario::{
    Edit, LanguageError, OtherScenarios, Parsed, Scenario, is_worked_out, parse, parse_briefly,
    uneven_split,
};
use crate::trust::printed::{has_printed_numbers, printed_dump, printed_part};
use crate::trust::verify::{Verification, verify_dump};
use std::cmp::Ordering;
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

problems! {
    /// What is wrong with a scenario, or odd in its formula.
    enum ScenarioProblem {
        EditRefused { edit: Shown, of_name: String, error: LanguageError }, Error "scenario-edit-refused",
            "the edit `{edit}`{of_name} no longer fits: {error}",
            "it is not applied, but the other edits are, and saving keeps it; change or remove it in the scenario";
        DeprecatedKeyword, Note "formula-deprecated-keyword",
            "fair_share_perc is the deprecated name of fairshare_perc; PBS treats both as the same",
            "write fairshare_perc";
    }
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
    /// The files of a directory of outputs that make the tree; empty if the request names them.
    pub read: Vec<PathBuf>,
}

impl Opened {
    /// Chooses the policy (the requested one, or else the file's, or else the one that made the recorded numbers, or
    /// else its scheduler's) and applies the edits. An edit that no longer fits becomes a problem. Of several scenarios
    /// the one in front gets the requested policy.
    pub fn new(mut loaded: Loaded, policy: Option<Policy>) -> Self {
        let Some(file) = loaded.scenarios.take() else {
            return Self::with_scenarios(loaded, policy, Vec::new(), 0);
        };
        let of_scenario = policy_of(&file.list, file.front);
        let of_source = match of_scenario {
            Some(_) => None,
            None => loaded.policy,
        };
        let hints = PolicyHints {
            requested: policy,
            of_source,
            of_scenario,
        };
        let of_edits = Problems::of(shown(file.path.as_os_str().as_encoded_bytes()));
        let mut opened = Self::build(loaded, hints, file.list, file.front, of_edits);
        opened.scenario_path = Some(file.path);
        opened
    }

    /// Makes a tree ready that was read again, with the scenarios that were on it. They belong to no file that was read.
    pub(crate) fn with_scenarios(
        loaded: Loaded,
        policy: Option<Policy>,
        scenarios: Vec<SavedScenario>,
        front: usize,
    ) -> Self {
        let hints = PolicyHints {
            requested: policy,
            of_source: loaded.policy,
            of_scenario: None,
        };
        Self::build(loaded, hints, scenarios, front, Problems::default())
    }

    /// Makes a source ready. `of_edits` gets the edits that no longer fit.
    fn build(
        loaded: Loaded,
        hints: PolicyHints,
        scenarios: Vec<SavedScenario>,
        front: usize,
        mut of_edits: Problems,
    ) -> Self {
        let mut snapshot = loaded.snapshot;
        let mut problems = loaded.problems;
        let usual = Policy::usual(&snapshot.settings);
        let named = hints.named();
        let mut verification = verify_dump(
            &snapshot,
            named.unwrap_or(usual),
            hints.of_source.or(hints.of_scenario).unwrap_or(usual),
        );
        note_unknown(&mut snapshot, &verification);
        let policy = hints.put_in_force(&verification, &mut snapshot, &loaded.reference.request);
        let of_numbers = match &verification.detected {
            Some(detected) => Some(detected.policy),
            None => hints.of_source,
        };
        show_printed_numbers(&mut snapshot, &mut verification);
        if policy == Policy::Formula {
            note_deprecated(&snapshot.settings, &mut problems);
        }
        let snapshot = Arc::new(snapshot);
        let plain = if named.is_none() && policy == Policy::usual(&snapshot.settings) {
            Scenario::following(snapshot)
        } else {
            Scenario::new(snapshot, policy)
        };
        let (scenario, other_scenarios) = applied(&plain, scenarios, front, &mut of_edits);
        problems.append(of_edits);
        Self {
            scenario,
            other_scenarios,
            scenario_path: None,
            scenario_seen: None,
            source: TreeSource {
                policy: of_numbers,
                problems,
                reference: loaded.reference,
                verification,
                read_at: None,
                file_states: None,
                series: loaded.series,
                companions: loaded.companions,
                read: loaded.read,
            },
        }
    }

    /// Puts other scenarios on the snapshot, the one at `front` under its own policy, without edits that do not fit.
    pub(crate) fn replace_scenarios(&mut self, scenarios: Vec<SavedScenario>, front: usize) {
        let policy = policy_of(&scenarios, front);
        let plain = self.scenario.beside(policy);
        let mut left_out = Problems::default();
        (self.scenario, self.other_scenarios) = applied(&plain, scenarios, front, &mut left_out);
    }

    /// Computes the numbers of all scenarios, which takes up to a second each for a million nodes.
    pub(crate) fn compute_numbers(&mut self) {
        self.other_scenarios.compute_numbers(&self.scenario);
    }
}

/// What names the policy of a source, apart from its numbers.
#[derive(Clone, Copy)]
struct PolicyHints {
    /// The policy that the user asked for now.
    requested: Option<Policy>,
    /// The policy that the source names, or that its columns suggest.
    of_source: Option<Policy>,
    /// The policy of a scenario file, which the user chose earlier.
    of_scenario: Option<Policy>,
}

impl PolicyHints {
    /// Returns the policy that is named first.
    fn named(self) -> Option<Policy> {
        self.requested.or(self.of_scenario).or(self.of_source)
    }

    /// Returns the policy of a source: the named one, or else the one that made the recorded numbers, or else the
    /// scheduler's default. Where the numbers decide, the settings that they require apply unless the user gave them, and
    /// the source tells so.
    fn put_in_force(
        self,
        verification: &Verification,
        snapshot: &mut Snapshot,
        request: &Request,
    ) -> Policy {
        let policy = match self.named() {
            Some(policy) => policy,
            None => Policy::usual(&snapshot.settings),
        };
        let Some(detected) = &verification.detected else {
            return policy;
        };
        // A policy that only the columns of a dump suggest is overruled by its numbers.
        let is_asked = self.requested.is_some() || self.of_scenario.is_some();
        let is_suggested = !is_asked && request.beside.config.is_none();
        let is_open = self.named().is_none() || (is_suggested && detected.certain);
        if detected.policy != policy && !is_open {
            return policy;
        }
        let mut changed = Vec::new();
        for known in &detected.settings {
            let is_given = is_given(known.key(), request);
            if !is_given && !known.is_in(&snapshot.settings) {
                known.put_in(&mut snapshot.settings);
                changed.push(format!("{}={}", known.key(), known.value()));
            }
        }
        if !changed.is_empty() || detected.policy != policy {
            snapshot.source.origins.push(Origin::InForce {
                policy: detected.policy.name(),
                settings: changed,
            });
        }
        detected.policy
    }
}

/// Returns the policy of a saved scenario; `None` if it follows its source.
fn policy_of(scenarios: &[SavedScenario], place: usize) -> Option<Policy> {
    scenarios.get(place)?.policy
}

/// Returns whether the user gave a setting.
fn is_given(key: &str, request: &Request) -> bool {
    let mut settings = request.settings.iter();
    settings.any(|(given, _)| given.eq_ignore_ascii_case(key))
}

/// Returns a scenario as in a file, with which it can be rebuilt on another snapshot.
pub fn saved(scenario: &Scenario) -> SavedScenario {
    let done = scenario.history().edits();
    let mut rejected = scenario.rejected().iter().peekable();
    let count = done.len() + scenario.rejected().len();
    let mut edits = Vec::with_capacity(count);
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
    let mut before = Vec::new();
    let mut in_front = None;
    let mut after = Vec::new();
    for (place, saved) in scenarios.into_iter().enumerate() {
        let policy = if place == front { None } else { saved.policy };
        let mut scenario = plain.beside(policy);
        let of_name = if saved.name.is_empty() {
            String::new()
        } else {
            format!(" of {}", shown(saved.name.as_bytes()))
        };
        scenario.set_name(saved.name);
        for edit in &saved.edits {
            for RejectedLine { line, text, error } in apply_fitting(&mut scenario, edit) {
                let problem = ScenarioProblem::EditRefused {
                    edit: shown(text.as_bytes()),
                    of_name: of_name.clone(),
                    error,
                };
                problems.report(line, problem);
            }
        }
        match place.cmp(&front) {
            Ordering::Less => before.push(scenario),
            Ordering::Equal => in_front = Some(scenario),
            Ordering::Greater => after.push(scenario),
        }
    }
    let in_front = match in_front.or_else(|| before.pop()) {
        Some(scenario) => scenario,
        None => plain.beside(None),
    };
    (in_front, OtherScenarios::around(before, after))
}

/// Notes in the tree what its source does not tell, as far as its numbers say so.
fn note_unknown(snapshot: &mut Snapshot, verification: &Verification) {
    if verification.unverified == Some(Incomplete::OneBank) {
        snapshot.tree.lack_users();
        Arc::make_mut(&mut snapshot.recorded).incomplete = verification.unverified;
    }
    let incomplete = snapshot.recorded.incomplete;
    if incomplete.is_some_and(Incomplete::lacks_column) {
        snapshot.tree.lack_column();
    }
    let tells_dampening = match &verification.detected {
        Some(detected) => !detected.settings.is_empty(),
        None => false,
    };
    let is_dampened = matches!(
        verification.policy,
        Some(Policy::Classic | Policy::DepthOblivious)
    );
    if is_dampened && !tells_dampening && snapshot.source.lacks_settings {
        snapshot.tree.hide_factors();
    }
}

/// Shows every recorded number as it was printed, under the policy that made the dump. Of a dump that lists only some of
/// the associations nothing else is shown.
fn show_printed_numbers(snapshot: &mut Snapshot, verification: &mut Verification) {
    let policy = verification.policy;
    let Some(policy) = policy.filter(|&policy| has_printed_numbers(policy)) else {
        return;
    };
    let mut settings = snapshot.settings.clone();
    for known in &verification.settings {
        known.put_in(&mut settings);
    }
    // The columns are of one moment and of all associations.
    let is_of_all = verification.is_conclusive() && !verification.columns.is_empty();
    if is_of_all && verification.is_reproduced {
        return verification.settle(&[]);
    }
    let dump = if is_of_all {
        let dump = printed_dump(snapshot, &settings, policy, &verification.impossible);
        verification.settle(&dump.contradictions);
        dump
    } else if snapshot.recorded.incomplete.is_some() {
        printed_part(snapshot, &settings, policy)
    } else {
        return;
    };
    snapshot.printed = dump.numbers.map(Arc::new);
    snapshot.estimate = dump.estimate.map(Arc::new);
    snapshot.settings.slurm.parent_factors = dump.parent_factors;
}

/// Reports that the formula uses a deprecated name of PBS.
fn note_deprecated(settings: &Settings, problems: &mut Problems) {
    let Ok(formula) = Formula::of_settings(settings) else {
        return;
    };
    if formula.is_deprecated() {
        problems.report(Shown::from(FORMULA), ScenarioProblem::DeprecatedKeyword);
    }
}

/// Applies an edit in the edit language. If it is no edit, or does not fit the tree, this is unchanged.
pub fn apply_text(scenario: &mut Scenario, text: &[u8]) -> Parsed<()> {
    let edit = parse(text, scenario.tree(), scenario.settings())?;
    apply_parsed(scenario, edit, text, "")
}

/// Applies an edit that was read from a text. Without a reason it gets the text as its reason if that was worked out.
fn apply_parsed(scenario: &mut Scenario, edit: Edit, text: &[u8], reason: &str) -> Parsed<()> {
    let mut reason = reason.to_owned();
    if reason.is_empty() && is_worked_out(text) {
        // The result is kept as numbers, so the original text is kept beside them.
        reason = String::from_utf8_lossy(text.trim_ascii()).into_owned();
        if let Some(uneven) = uneven_split(text, scenario.tree(), scenario.settings()) {
            reason = format!("{reason}: {uneven}");
        }
    }
    scenario.apply_because(edit, reason)?;
    Ok(())
}

/// How many edits that do not fit get suggestions: each is a search through the tree, and there may be thousands.
const SUGGESTED: usize = 100;

/// A line of a saved edit that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedLine {
    /// Its number in the file.
    pub line: u64,
    /// The line.
    pub text: String,
    /// Why it does not fit.
    pub error: LanguageError,
}

impl RejectedLine {
    /// Creates the line so many lines below the beginning of an edit.
    fn below(edit: &SavedEdit, place: usize, text: &str, error: LanguageError) -> Self {
        Self {
            line: u64::try_from(edit.line + place).unwrap_or(u64::MAX),
            text: text.to_owned(),
            error,
        }
    }
}

/// Applies a saved edit. If it has several lines, those that fit are applied as one edit; the scenario keeps the
/// others, and they are returned in their order.
pub(crate) fn apply_fitting(scenario: &mut Scenario, edit: &SavedEdit) -> Vec<RejectedLine> {
    let Err(error) = apply_at_once(scenario, edit) else {
        return Vec::new();
    };
    let text = edit.text.trim();
    let rejected = if text.contains('\n') {
        apply_lines(scenario, edit)
    } else {
        vec![RejectedLine::below(edit, 0, text, error)]
    };
    if let Some(first) = rejected.first() {
        let why = first.error.to_string();
        let mut lines = Vec::with_capacity(rejected.len());
        for line in &rejected {
            lines.push(line.text.as_str());
        }
        scenario.keep_rejected(lines.join("\n"), edit.reason.clone(), why);
    }
    rejected
}

/// Applies a saved edit with all of its lines, or nothing of it.
fn apply_at_once(scenario: &mut Scenario, edit: &SavedEdit) -> Parsed<()> {
    let text = edit.text.as_bytes();
    let parsed = read(text, scenario, 0)?;
    apply_parsed(scenario, parsed, text, &edit.reason)
}

/// Reads an edit after those that did not fit and are kept, and so many more. Errors have suggestions as long as there
/// are few.
fn read(text: &[u8], scenario: &Scenario, more: usize) -> Parsed<Edit> {
    if scenario.rejected().len() + more < SUGGESTED {
        parse(text, scenario.tree(), scenario.settings())
    } else {
        parse_briefly(text, scenario.tree(), scenario.settings())
    }
}

/// Applies the lines that fit, as one edit; returns the others.
fn apply_lines(scenario: &mut Scenario, edit: &SavedEdit) -> Vec<RejectedLine> {
    let mut rejected = Vec::new();
    let mut parts = Vec::new();
    let mut tried = scenario.clone();
    for (place, line) in edit.text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        // Every part names nodes of the tree before the whole edit, and is applied after the parts above it.
        match read(line.as_bytes(), scenario, rejected.len()) {
            Ok(part) => match tried.apply(part.clone()) {
                Ok(()) => parts.push(part),
                Err(error) => {
                    rejected.push(RejectedLine::below(edit, place, line, error.into()));
                }
            },
            Err(error) => rejected.push(RejectedLine::below(edit, place, line, error)),
        }
    }
    if !parts.is_empty() {
        let done = scenario.apply_because(Edit::Batch(parts), edit.reason.clone());
        debug_assert!(done.is_ok(), "the same parts were done to a copy: {done:?}");
    }
    rejected
}
