//! Every capture of a real Slurm: each file alone, and with the configuration beside it.

use super::{files_below, open};
use crate::support::golden;
use fairscope::format::Request;
use fairscope::model::{Fact, TieOrder};
use fairscope::opened::Opened;
use fairscope::policy::Policy;
use fairscope::verify::{ColumnCheck, Verification};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What holds neither a tree nor settings.
const OTHERS: &[&str] = &[
    "README.md",
    "SEEDED_USAGE.json",
    "slurmctld_fairtree_log.txt",
    "sshare_version.txt",
    "sshare_json_list.txt",
    "squeue.txt",
    "sacct.txt",
    "sacctmgr_modify_output.txt",
    "sacctmgr_account_P.txt",
];

/// Cases that are too large to be opened a hundred times where nothing is optimized.
const LARGE: &[&str] = &["13-wide-1000", "26-large-10000"];

/// Why a file may be refused: a part of the name, and a part of the sentence.
const REFUSALS: &[(&str, &str)] = &[
    ("sshare_U_", "lists users and none of their accounts"),
    ("_sshare_U_P", "lists users and none of their accounts"),
    (
        "sshare_a_allfields_wide.txt",
        "has its accounts at the right",
    ),
    ("root_sshare_M_all", "--cluster"),
    ("sacctmgr_assoc_tree_both", "--cluster"),
    ("scontrol_", "settings without a tree"),
];

/// Steps that were taken between two of Slurm's calculations.
const UNSETTLED: &[&str] = &[
    "1-jobs-just-ended",
    "2-running-and-pending",
    "3-cancelled-before-recalc",
    "1-just-changed",
    "3-rawusage-reset",
    "1-user-removed-live",
];

/// Where a file is from.
struct Capture<'a> {
    path: &'a Path,
    case: String,
    version: String,
    step: String,
    file: String,
}

impl<'a> Capture<'a> {
    fn of(root: &Path, path: &'a Path) -> Option<Self> {
        let below = path.strip_prefix(root).expect("below the root");
        let parts: Vec<String> = below
            .iter()
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        let (file, folders) = parts.split_last()?;
        let folder = |place: usize| folders.get(place).cloned().unwrap_or_default();
        Some(Self {
            path,
            case: folder(0),
            version: folder(1),
            step: folder(2),
            file: file.clone(),
        })
    }

    fn name(&self) -> String {
        let folder = format!("{}/{}/{}", self.case, self.version, self.step);
        format!("{}/{}", folder.trim_end_matches('/'), self.file)
    }

    /// Whether it is opened at all.
    fn is_chosen(&self) -> bool {
        let is_other = OTHERS.contains(&self.file.as_str()) || self.file.starts_with("sprio_");
        let is_large = LARGE.contains(&self.case.as_str());
        let is_sampled = [
            "sshare_a_l_m_P.txt",
            "sshare_a_json.json",
            "scontrol_show_assoc_mgr.txt",
        ]
        .contains(&self.file.as_str());
        !is_other && (!is_large || !cfg!(debug_assertions) || is_sampled)
    }

    fn is_unsettled(&self) -> bool {
        UNSETTLED.contains(&self.step.as_str())
    }

    fn policy(&self) -> Policy {
        match self.case.split('-').next() {
            Some("08" | "09" | "15b") => Policy::Classic,
            Some("10") => Policy::DepthOblivious,
            _ => Policy::FairTree,
        }
    }

    fn dampening(&self) -> &'static str {
        if self.case.starts_with("09-") {
            "5"
        } else {
            "1"
        }
    }

    fn tie_order(&self) -> &'static str {
        match self.version.as_str() {
            "20.11" | "22.05" => TieOrder::Newest.name(),
            _ => TieOrder::Lineage.name(),
        }
    }

    /// What the configuration says beside it.
    fn config(&self) -> PathBuf {
        self.path.with_file_name("scontrol_show_config.txt")
    }
}

/// What was found in the files of one kind.
#[derive(Default)]
struct Found {
    tried: usize,
    loaded: usize,
    refused: usize,
    equal: usize,
    undecided: usize,
    differing: usize,
    unsettled: usize,
    stale: usize,
    unverified: usize,
    right: usize,
    untold: usize,
    wrong: usize,
}

/// One line about a verification.
fn summary(opened: &Opened) -> String {
    let verification = &opened.verification;
    let mut text = String::new();
    for column in &verification.columns {
        let _ = write!(
            text,
            " {} {}/{}",
            column.fact.name(),
            column.equal,
            column.rows
        );
        if column.undecided > 0 {
            let _ = write!(text, " ({} undecided)", column.undecided);
        }
        if let Some(difference) = column.first_difference {
            let name = String::from_utf8_lossy(opened.scenario.tree().name(difference.node));
            let _ = write!(
                text,
                " ({} DIFFER: {name} {} != {})",
                column.differing(),
                difference.recorded,
                difference.computed
            );
        }
    }
    let _ = write!(
        text,
        "; stale {:?}; detected {:?}; unverified {:?}; in force {}",
        verification.stale,
        verification.detected,
        verification.unverified,
        opened.scenario.policy().name()
    );
    text
}

fn sum(verification: &Verification, count: fn(&ColumnCheck) -> usize) -> usize {
    verification.columns.iter().map(count).sum()
}

/// What a detection says that is not so.
fn mistake(capture: &Capture, opened: &Opened) -> Option<String> {
    let detected = opened.verification.detected.as_ref()?;
    if detected.policy != capture.policy()
        && (detected.certain || !detected.evidence.contains("the same"))
    {
        return Some(format!("the policy {}", detected.policy.name()));
    }
    detected.settings.iter().find_map(|(key, value)| {
        let right = match key.as_str() {
            "FairShareDampeningFactor" => capture.dampening(),
            "TieOrder" => capture.tie_order(),
            _ => return Some(format!("the setting {key}")),
        };
        (right != value).then(|| format!("{key}={value}"))
    })
}

/// Opens one file and counts what was found; returns what is wrong.
fn judge(capture: &Capture, with_config: bool, found: &mut Found) -> Option<String> {
    let request = Request {
        path: capture.path.to_owned(),
        config: with_config.then(|| capture.config()),
        ..Request::default()
    };
    found.tried += 1;
    let opened = match open(&request) {
        Ok(opened) => opened,
        Err(error) => {
            found.refused += 1;
            let error = error.to_string();
            let is_documented = REFUSALS
                .iter()
                .any(|(name, reason)| capture.file.contains(name) && error.contains(reason));
            return (!is_documented).then(|| format!("refused: {error}"));
        }
    };
    found.loaded += 1;
    let verification = &opened.verification;
    found.equal += sum(verification, |column| column.equal);
    found.undecided += sum(verification, |column| column.undecided);
    found.unverified += usize::from(verification.unverified.is_some());
    let mut wrong = Vec::new();
    if capture.is_unsettled() {
        found.unsettled += 1;
        found.stale += usize::from(verification.stale.is_some());
        if verification.differs() && verification.stale.is_none() {
            wrong.push("differs and not called stale".to_owned());
        }
    } else {
        found.differing += sum(verification, ColumnCheck::differing);
        if verification.differs() {
            wrong.push("differs".to_owned());
        }
        if verification.stale.is_some() {
            wrong.push("called stale".to_owned());
        }
    }
    match (mistake(capture, &opened), &verification.detected) {
        (Some(mistake), _) => {
            found.wrong += 1;
            wrong.push(format!("mistaken about {mistake}"));
        }
        (None, Some(_)) => found.right += 1,
        (None, None) => found.untold += 1,
    }
    let is_left_open = ["19-", "21-"]
        .iter()
        .any(|case| capture.case.starts_with(case));
    if sum(verification, |column| column.undecided) > 0 && !is_left_open {
        println!(
            "undecided: {} {}: {}",
            capture.name(),
            with_config,
            summary(&opened)
        );
    }
    if with_config && opened.scenario.policy() != capture.policy() {
        wrong.push("the policy of the configuration is not in force".to_owned());
    }
    (!wrong.is_empty()).then(|| format!("{}:{}", wrong.join(", "), summary(&opened)))
}

#[test]
fn golden_every_file_of_slurms_is_verified() {
    let Some(root) = golden("slurm") else {
        return;
    };
    let mut found: BTreeMap<String, Found> = BTreeMap::new();
    let mut wrong = Vec::new();
    for path in &files_below(&root) {
        let Some(capture) = Capture::of(&root, path).filter(Capture::is_chosen) else {
            continue;
        };
        for with_config in [false, true] {
            if with_config
                && (capture.file.starts_with("scontrol_") && capture.file.contains("config")
                    || !capture.config().exists())
            {
                continue;
            }
            let kind = format!(
                "{}{}",
                capture.file,
                if with_config { " + config" } else { "" }
            );
            let found = found.entry(kind.clone()).or_default();
            if let Some(mistake) = judge(&capture, with_config, found) {
                wrong.push(format!(
                    "{}{}: {mistake}",
                    capture.name(),
                    if with_config { " + config" } else { "" }
                ));
            }
        }
    }
    println!(
        "{:48} tried loaded refused    equal undecided differ unsettled stale unverified right untold wrong",
        "kind"
    );
    for (kind, found) in &found {
        println!(
            "{kind:48} {:5} {:6} {:7} {:8} {:9} {:6} {:9} {:5} {:10} {:5} {:6} {:5}",
            found.tried,
            found.loaded,
            found.refused,
            found.equal,
            found.undecided,
            found.differing,
            found.unsettled,
            found.stale,
            found.unverified,
            found.right,
            found.untold,
            found.wrong
        );
    }
    assert!(
        wrong.is_empty(),
        "{}\n{} wrong",
        wrong.join("\n"),
        wrong.len()
    );
}
