//! Which rule made recorded numbers: each is held against every rule that could have.

use super::slurm::Ground;
use super::{ColumnCheck, Detected, Fact, stale, tally::Tally};
use crate::model::{Settings, TieOrder};
use crate::number::grouped;
use crate::policy::Policy;

/// A rule that was held against the numbers already.
#[derive(Clone, Copy)]
pub(super) struct Checked<'a> {
    pub(super) policy: Policy,
    pub(super) settings: &'a Settings,
    pub(super) tally: &'a Tally,
}

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
    fn of(ground: &Ground, policy: Policy, settings: Settings, checked: Checked<'_>) -> Self {
        let tally = if checked.policy == policy && *checked.settings == settings {
            checked.tally.clone()
        } else {
            ground.check(policy, &settings)
        };
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

    /// Fair Tree, with the order of tied accounts that the ranks ask for: one that contradicts fewer of them, or that
    /// explains all where another leaves some open. Without Level FS it is cut usage that leaves them open, which no
    /// order changes.
    fn fair_tree(ground: &Ground, settings: &Settings, checked: Checked<'_>) -> Self {
        let mut best = Self::of(ground, Policy::FairTree, settings.clone(), checked);
        let ranks = best
            .tally
            .columns
            .iter()
            .find(|column| column.fact == Fact::FairShare);
        let can_be_decided = |ranks: &ColumnCheck| {
            ranks.differing() > 0 || (ranks.undecided > 0 && has_level_fs(ground))
        };
        if !ranks.is_some_and(can_be_decided) {
            return best;
        }
        for &order in TieOrder::ALL {
            let mut settings = settings.clone();
            settings.slurm.tie_order = order;
            let other = Self::of(ground, Policy::FairTree, settings, checked);
            let decides =
                other.misfits == best.misfits && other.undecided() == 0 && best.undecided() > 0;
            if other.misfits < best.misfits || decides {
                let asked = ("TieOrder".to_owned(), order.name().to_owned());
                best = Self {
                    asked: vec![asked],
                    ..other
                };
            }
        }
        best
    }

    /// A rule that dampens, with the factor that the numbers ask for.
    fn dampened(
        ground: &Ground,
        policy: Policy,
        settings: &Settings,
        checked: Checked<'_>,
    ) -> Self {
        let mut settings = settings.clone();
        let mut asked = Vec::new();
        if let Some(dampening) = ground.dampening(policy, &settings) {
            settings.slurm.dampening = dampening;
            asked.push(("FairShareDampeningFactor".to_owned(), dampening.to_string()));
        }
        Self {
            asked,
            ..Self::of(ground, policy, settings, checked)
        }
    }

    /// How many recorded numbers hang on what the source does not show.
    fn undecided(&self) -> usize {
        self.tally
            .columns
            .iter()
            .map(|column| column.undecided)
            .sum()
    }

    fn fits(&self) -> usize {
        self.rows - self.misfits
    }

    /// The rule whose numbers all fit, beside the one that comes nearest to it.
    fn found_alone(&self, next: &str, fits_of_next: usize) -> Detected {
        let (this, fits, rows) = (self.label(), count(self.fits()), count(self.rows));
        let others = others(next, fits_of_next);
        Detected {
            policy: self.policy,
            settings: self.asked.clone(),
            evidence: format!("this is {this}: {fits} of {rows} rows; {others}"),
            certain: true,
        }
    }

    /// Whether these numbers can only be this rule's, so that no other one need be tried: all of them fit, and there
    /// are some that every rule has.
    fn is_alone(&self) -> bool {
        let is_common = |column: &ColumnCheck| column.fact == Fact::NormShares;
        self.misfits == 0 && self.tally.columns.iter().any(is_common)
    }

    /// The name with the settings that the numbers ask for.
    fn label(&self) -> String {
        let rule = name(self.policy);
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

fn name(policy: Policy) -> &'static str {
    match policy {
        Policy::FairTree => "Fair Tree as implemented",
        Policy::Classic => "classic fair-share",
        Policy::DepthOblivious => "DEPTH_OBLIVIOUS",
        other => other.title(),
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

fn others(rule: &str, fits: usize) -> String {
    format!("{rule} would match {}", count(fits))
}

fn count(number: usize) -> String {
    grouped(i64::try_from(number).unwrap_or(i64::MAX))
}

/// The rule that made the numbers of a dump of Slurm's; nothing where that cannot be told.
pub(super) fn detect(
    ground: &Ground,
    settings: &Settings,
    checked: Checked<'_>,
) -> Option<Detected> {
    let has_word = ground.snapshot.recorded.is_text(Fact::FairShareRaw);
    let fair_tree = Candidate::fair_tree(ground, settings, checked);
    if has_level_fs(ground) && fair_tree.is_alone() {
        let next = if has_word {
            Policy::LevelBased
        } else {
            Policy::Classic
        };
        return Some(fair_tree.found_alone(name(next), 0));
    }
    let mut candidates = Vec::new();
    if has_word {
        candidates.push(Candidate::of(
            ground,
            Policy::LevelBased,
            settings.clone(),
            checked,
        ));
    }
    candidates.push(fair_tree);
    for policy in [Policy::Classic, Policy::DepthOblivious] {
        candidates.push(Candidate::dampened(ground, policy, settings, checked));
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
    let others = others(name(second.policy), second.fits());
    if best.misfits == 0 && second.misfits > 0 {
        return Some(best.found_alone(name(second.policy), second.fits()));
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
