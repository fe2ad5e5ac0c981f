//! A source ready to use: its policy chosen, the edits of a scenario applied. The road that the screen and the
//! command line share.

mod saved_edits;

pub use saved_edits::{RejectedLine, apply_fitting};

use crate::base::save::Fingerprint;
use crate::base::shown::shown;
use crate::model::{Origin, Settings, Snapshot};
use crate::rules::policy::Policy;
use crate::rules::policy::formula::{FORMULA, Formula};
use crate::scenario::{
    LanguageError, OtherScenarios, Scenario, is_worked_out, parse, uneven_split,
};
use crate::source::format::native::Reference;
use crate::source::format::{
    Loaded, Problem, Problems, SavedEdit, SavedScenario, Series, Severity,
};
use crate::source::reconstruct::{can_reconstruct, reconstruct, show_printed_only};
use crate::source::verify::{Verification, verify_dump};
use std::path::PathBuf;
use std::sync::Arc;

/// A source that was opened.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The snapshot with the edits of the file, if it was a scenario.
    pub scenario: Scenario,
    /// The other scenarios of the file.
    pub other_scenarios: OtherScenarios,
    /// What was odd or wrong, edits that no longer fit included.
    pub problems: Problems,
    /// The scenario file, if it was one: what saving goes back to.
    pub scenario_path: Option<PathBuf>,
    /// The scenario file as it was when it was read, where somebody looked.
    pub scenario_seen: Option<Fingerprint>,
    /// The source as a scenario file refers to it.
    pub reference: Reference,
    /// The numbers that the scheduler recorded, held against ours as the source was opened.
    pub verification: Verification,
    /// The time of day at which it was read, where somebody looked at a clock.
    pub read_at: Option<String>,
    /// The series of dumps it is one of, where it is.
    pub series: Option<Series>,
}

impl Opened {
    /// Chooses the policy (the one asked for, else the file's, else the one that made the recorded numbers, else its
    /// scheduler's) and applies the edits; an edit that
    /// no longer fits becomes a problem. Of several scenarios the policy asked for is that of the one in front.
    #[must_use]
    pub fn new(loaded: Loaded, policy: Option<Policy>) -> Self {
        let Loaded {
            mut snapshot,
            mut problems,
            policy: named,
            scenarios,
            front,
            scenario: scenario_path,
            reference,
            series,
        } = loaded;
        let request = &reference.request;
        // What only the columns of a dump suggest gives way to what its numbers show.
        let is_suggested = scenario_path.is_none() && request.config.is_none();
        let choice = match policy.or(named) {
            None => Choice::Free,
            Some(named) if policy.is_none() && is_suggested => Choice::Suggested(named),
            Some(policy) => Choice::Made(policy),
        };
        // A scenario's policy is the user's, not that of the source.
        let usual = named.filter(|_| scenario_path.is_none());
        let usual = usual.unwrap_or_else(|| Policy::usual(&snapshot.settings));
        let (policy, mut verification) =
            put_in_force(&mut snapshot, choice, usual, &request.settings);
        reconstruct_usage(&mut snapshot, &mut verification);
        if policy == Policy::Formula {
            note_deprecated(&snapshot.settings, &mut problems);
        }
        let file = scenario_path
            .as_ref()
            .map(|path| shown(path.as_os_str().as_encoded_bytes()))
            .unwrap_or_default();
        let snapshot = Arc::new(snapshot);
        let plain = match choice {
            Choice::Free if policy == Policy::usual(&snapshot.settings) => {
                Scenario::following(snapshot)
            }
            _ => Scenario::new(snapshot, policy),
        };
        let (scenario, other_scenarios) = applied(&plain, scenarios, front, &file, &mut problems);
        Self {
            scenario,
            other_scenarios,
            problems,
            scenario_path,
            scenario_seen: None,
            reference,
            verification,
            read_at: None,
            series,
        }
    }

    /// Puts other scenarios on the snapshot, the one at `front` in front under its own policy. What does not fit is
    /// left out.
    pub fn replace_scenarios(&mut self, scenarios: Vec<SavedScenario>, front: usize) {
        let policy = scenarios.get(front).and_then(|saved| saved.policy);
        let plain = self.scenario.beside(policy);
        let mut unheard = Problems::default();
        (self.scenario, self.other_scenarios) = applied(&plain, scenarios, front, "", &mut unheard);
    }

    /// Works out the numbers of all scenarios, which takes up to a second each for a million nodes.
    pub fn work_out(&mut self) {
        self.other_scenarios.work_out(&self.scenario);
    }
}

/// Returns a scenario as a file holds it, and as it can be made again on another snapshot.
#[must_use]
pub fn saved(scenario: &Scenario) -> SavedScenario {
    let done = scenario.history().done();
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

/// Returns the scenarios as they were saved, on the snapshot of one without edits; the one at `front` apart. An edit
/// that no longer fits is a problem. The policy of the plain one is that of the one in front and of those that name
/// none.
fn applied(
    plain: &Scenario,
    scenarios: Vec<SavedScenario>,
    front: usize,
    file: &str,
    problems: &mut Problems,
) -> (Scenario, OtherScenarios) {
    let mut made = Vec::with_capacity(scenarios.len());
    for (place, saved) in scenarios.into_iter().enumerate() {
        let own = saved.policy.filter(|_| place != front);
        let scenario = plain.beside(own);
        made.push(applied_one(scenario, saved, file, problems));
    }
    let after = made.split_off(made.len().min(front + 1));
    let in_front = made.pop().unwrap_or_else(|| plain.beside(None));
    (in_front, OtherScenarios::around(made, after))
}

/// Returns the scenario as it was saved; every line of an edit that no longer fits is a problem, and the scenario keeps
/// it.
fn applied_one(
    mut scenario: Scenario,
    saved: SavedScenario,
    file: &str,
    problems: &mut Problems,
) -> Scenario {
    let place = if saved.name.is_empty() {
        String::new()
    } else {
        format!(" of {}", shown(saved.name.as_bytes()))
    };
    scenario.set_name(saved.name);
    for edit in &saved.edits {
        for RejectedLine { line, text, error } in apply_fitting(&mut scenario, edit) {
            problems.push(Problem {
                severity: Severity::Error,
                code: "scenario-edit-refused",
                file: file.to_owned(),
                line: Some(line),
                column: None,
                message: format!(
                    "the edit `{}`{place} no longer fits: {error}",
                    shown(text.as_bytes())
                ),
                advice: "it is not applied, the other edits are, and saving keeps it; change or remove it in the scenario"
                    .to_owned(),
            });
        }
    }
    scenario
}

/// Who says which policy it is.
#[derive(Clone, Copy)]
enum Choice {
    /// The user, a scenario or the scheduler's configuration.
    Made(Policy),
    /// The source, by the columns it has.
    Suggested(Policy),
    /// Nobody.
    Free,
}

/// Returns the policy that was chosen, else the one that made the recorded numbers, else the scheduler's usual one;
/// with the settings that the numbers ask for, unless they were given. Says so where the numbers decided. The recorded
/// numbers are held against the policy that made them; `usual` is taken for it where they do not tell.
fn put_in_force(
    snapshot: &mut Snapshot,
    choice: Choice,
    usual: Policy,
    asked: &[(String, String)],
) -> (Policy, Verification) {
    let policy = match choice {
        Choice::Made(policy) | Choice::Suggested(policy) => policy,
        Choice::Free => Policy::usual(&snapshot.settings),
    };
    let verification = verify_dump(snapshot, policy, usual);
    let Some(detected) = &verification.detected else {
        return (policy, verification);
    };
    let is_open = match choice {
        Choice::Made(_) => false,
        Choice::Suggested(_) => detected.certain,
        Choice::Free => true,
    };
    if detected.policy != policy && !is_open {
        return (policy, verification);
    }
    let mut changed = Vec::new();
    for known in &detected.settings {
        let key = known.key();
        let is_given = asked
            .iter()
            .any(|(given, _)| given.eq_ignore_ascii_case(key));
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

/// Makes the usage that gives every recorded number the base of the tree, under the policy that made the dump. What no
/// usage gives is shown as it was printed, as is all of a dump that lists only some of the associations.
fn reconstruct_usage(snapshot: &mut Snapshot, verification: &mut Verification) {
    let Some(policy) = verification.policy else {
        return;
    };
    let asked = snapshot.settings.clone();
    for known in &verification.settings {
        known.put_in(&mut snapshot.settings);
    }
    if verification.can_be_reconstructed() {
        let left = reconstruct(snapshot, policy, &verification.impossible);
        verification.settle(&left);
    } else if snapshot.recorded.incomplete.is_some() && can_reconstruct(policy) {
        show_printed_only(snapshot, policy);
    }
    let parent_factors = snapshot.settings.slurm.parent_factors;
    snapshot.settings = asked;
    snapshot.settings.slurm.parent_factors = parent_factors;
}

/// Says so where the formula uses a name that PBS would rather not see any more.
fn note_deprecated(settings: &Settings, problems: &mut Problems) {
    if Formula::of(settings).is_ok_and(|formula| formula.is_deprecated()) {
        problems.push(Problem {
            severity: Severity::Note,
            code: "formula-deprecated-keyword",
            file: FORMULA.to_owned(),
            line: None,
            column: None,
            message: "fair_share_perc is the deprecated name of fairshare_perc; PBS takes both for the same"
                .to_owned(),
            advice: "write fairshare_perc".to_owned(),
        });
    }
}

/// Applies an edit given in the edit language, and keeps why.
///
/// # Errors
/// As [`apply_text`].
pub fn apply_because(
    scenario: &mut Scenario,
    text: &[u8],
    reason: String,
) -> Result<(), LanguageError> {
    let edit = parse(text, scenario.tree(), scenario.settings())?;
    let reason = if reason.is_empty() && is_worked_out(text) {
        // What follows from it is kept as numbers, so what was meant is kept beside them.
        let meant = String::from_utf8_lossy(text.trim_ascii()).into_owned();
        match uneven_split(text, scenario.tree()) {
            Some(uneven) => format!("{meant}: {uneven}"),
            None => meant,
        }
    } else {
        reason
    };
    scenario.apply_because(edit, reason)?;
    Ok(())
}

/// Applies an edit given in the edit language.
///
/// # Errors
/// If it is none, or does not fit the tree; nothing has changed then.
pub fn apply_text(scenario: &mut Scenario, text: &[u8]) -> Result<(), LanguageError> {
    apply_because(scenario, text, String::new())
}
