//! Which rule made recorded numbers: each is held against every rule that could have.

use super::slurm::Ground;
use super::{Detected, Fact, stale, tally::Tally};
use crate::model::{Settings, TieOrder};
use crate::number::grouped;
use crate::policy::Policy;

/// One row in so many may differ under a rule that is still taken for the right one, if nobody else comes near.
const ODD_ROWS: usize = 10;

/// A rule, with the settings under which it comes nearest.
struct Candidate {
    policy: Policy,
    settings: Settings,
    /// The settings that the numbers ask for.
    asked: Vec<(String, String)>,
    tally: Tally,
    /// How many rows were recorded, and how many this rule cannot have made.
    rows: usize,
    misfits: usize,
}

impl Candidate {
    fn of(ground: &Ground, policy: Policy, settings: Settings) -> Self {
        let tally = ground.check(policy, &settings);
        let rows = tally.rows();
        let mut misfits = tally.misfits();
        if policy != Policy::FairTree && has_level_fs(ground) {
            // Nobody else has a Level FS.
            misfits = rows;
        }
        Self {
            policy,
            settings,
            asked: Vec::new(),
            rows,
            misfits,
            tally,
        }
    }

    /// Fair Tree, with the order of tied accounts that the ranks ask for.
    fn fair_tree(ground: &Ground, settings: &Settings) -> Self {
        let mut best = Self::of(ground, Policy::FairTree, settings.clone());
        let ranks = best
            .tally
            .columns
            .iter()
            .find(|column| column.fact == Fact::FairShare);
        if ranks.is_none_or(|ranks| ranks.equal == ranks.rows) {
            return best;
        }
        for &order in TieOrder::ALL {
            let mut settings = settings.clone();
            settings.slurm.tie_order = order;
            let other = Self::of(ground, Policy::FairTree, settings);
            if other.doubts() < best.doubts() {
                let asked = ("TieOrder".to_owned(), order.name().to_owned());
                best = Self {
                    asked: vec![asked],
                    ..other
                };
            }
        }
        best
    }

    /// How many rows differ, and how many numbers hang on what was cut off or is not to be seen.
    fn doubts(&self) -> (usize, usize) {
        let undecided = self.tally.columns.iter().map(|column| column.undecided);
        (self.misfits, undecided.sum())
    }

    /// A rule that dampens, with the factor that the numbers ask for.
    fn dampened(ground: &Ground, policy: Policy, settings: &Settings) -> Self {
        let mut settings = settings.clone();
        let mut asked = Vec::new();
        if let Some(dampening) = ground.dampening(policy, &settings) {
            settings.slurm.dampening = dampening;
            asked.push(("FairShareDampeningFactor".to_owned(), dampening.to_string()));
        }
        Self {
            asked,
            ..Self::of(ground, policy, settings)
        }
    }

    fn fits(&self) -> usize {
        self.rows - self.misfits
    }

    fn name(&self) -> &'static str {
        match self.policy {
            Policy::FairTree => "Fair Tree as implemented",
            Policy::Classic => "classic fair-share",
            Policy::DepthOblivious => "DEPTH_OBLIVIOUS",
            other => other.title(),
        }
    }

    /// The name with the settings that the numbers ask for.
    fn label(&self) -> String {
        let rule = self.name();
        let asked = self
            .asked
            .iter()
            // Not to dampen is what everybody expects.
            .filter(|(key, value)| {
                (key.as_str(), value.as_str()) != ("FairShareDampeningFactor", "1")
            })
            .map(|(key, value)| format!("{key}={value}"));
        let asked: Vec<_> = asked.collect();
        if asked.is_empty() {
            rule.to_owned()
        } else {
            format!("{rule} with {}", asked.join(" and "))
        }
    }
}

/// Whether a Level FS was recorded that is one.
fn has_level_fs(ground: &Ground) -> bool {
    let Some(figures) = ground.snapshot.recorded.figures(Fact::LevelFs) else {
        return false;
    };
    let mut nodes = ground.snapshot.tree.nodes().iter();
    nodes.any(|&node| figures.get(node).is_some_and(|figure| figure.value > 0.0))
}

fn count(number: usize) -> String {
    grouped(i64::try_from(number).unwrap_or(i64::MAX))
}

/// The rule that made the numbers of a dump of Slurm's; nothing where that cannot be told.
pub(super) fn detect(ground: &Ground, settings: &Settings) -> Option<Detected> {
    let mut candidates = Vec::new();
    if ground.snapshot.recorded.is_text(Fact::FairShareRaw) {
        candidates.push(Candidate::of(ground, Policy::LevelBased, settings.clone()));
    }
    candidates.push(Candidate::fair_tree(ground, settings));
    for policy in [Policy::Classic, Policy::DepthOblivious] {
        candidates.push(Candidate::dampened(ground, policy, settings));
    }
    // The first of several that fit as well.
    candidates.sort_by_key(|candidate| candidate.misfits);
    let [best, second, ..] = &candidates[..] else {
        return None;
    };
    if best.rows == 0 {
        return None;
    }
    let found = |evidence: String, certain: bool| {
        Some(Detected {
            policy: best.policy,
            settings: best.asked.clone(),
            evidence,
            certain,
        })
    };
    let (rows, fits) = (count(best.rows), count(best.fits()));
    let others = format!("{} would match {}", second.name(), count(second.fits()));
    if best.misfits == 0 && second.misfits > 0 {
        let this = best.label();
        return found(
            format!("this is {this}: {fits} of {rows} rows; {others}"),
            true,
        );
    }
    if best.misfits == 0 {
        let are_classic = [best.policy, second.policy] == [Policy::Classic, Policy::DepthOblivious];
        // Where no account lies below another the two are one rule.
        return are_classic
            .then(|| {
                found(
                    format!(
                        "this is {}: {fits} of {rows} rows; {} would give the same for this tree",
                        best.label(),
                        second.label()
                    ),
                    false,
                )
            })
            .flatten();
    }
    let mut between = candidates.iter();
    if let Some(stale) = between.find(|candidate| {
        stale::explain(
            ground,
            candidate.policy,
            &candidate.settings,
            &candidate.tally,
        )
        .is_some()
    }) {
        return Some(Detected {
            policy: stale.policy,
            settings: stale.asked.clone(),
            evidence: format!(
                "this is {} between two of its calculations: its columns agree with each other",
                stale.label()
            ),
            certain: false,
        });
    }
    if best.misfits * ODD_ROWS <= best.rows && best.misfits * 2 <= second.misfits {
        return found(
            format!(
                "this is most likely {}: {fits} of {rows} rows; {others}",
                best.label()
            ),
            false,
        );
    }
    by_shares(ground, &candidates)
}

/// Classic, where nothing but `NormShares` shows it: they are of now, however old the other columns are, and there is
/// but one rule under which they are parts of all shares.
fn by_shares(ground: &Ground, candidates: &[Candidate]) -> Option<Detected> {
    let column = |policy| {
        let candidate = candidates.iter().find(|found| found.policy == policy)?;
        let mut columns = candidate.tally.columns.iter();
        columns.find(|column| column.fact == Fact::NormShares)
    };
    let classic = column(Policy::Classic)?;
    let fair_tree = column(Policy::FairTree)?;
    let differing = fair_tree.differing();
    (classic.differing() == 0 && differing > 1 && !has_level_fs(ground)).then(|| Detected {
        policy: Policy::Classic,
        settings: Vec::new(),
        evidence: format!(
            "NormShares are those of classic fair-share; under Fair Tree {} of {} would differ",
            count(differing),
            count(fair_tree.rows)
        ),
        certain: false,
    })
}
