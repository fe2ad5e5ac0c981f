//! Detects which rule made recorded numbers: they are compared with every possible rule.

use super::slurm::given_tree::GivenTree;
use super::{
    ColumnCheck, Detected, Evidence, Fact, Fit, KnownSetting, NextBest, Stale, level_based, stale,
    tally::Tally,
};
use crate::model::{Settings, TieOrder};
use crate::rules::policy::Policy;
use crate::rules::policy::level_based::levels;

/// A rule that the numbers were already compared with.
#[derive(Clone, Copy)]
pub(super) struct CheckedRule<'a> {
    pub(super) policy: Policy,
    pub(super) settings: &'a Settings,
    pub(super) tally: &'a Tally,
}

impl CheckedRule<'_> {
    /// Compares the numbers with a rule, unless it is this one.
    pub(super) fn tally(
        self,
        given_tree: &GivenTree,
        policy: Policy,
        settings: &Settings,
    ) -> Tally {
        if self.policy == policy && self.settings == settings {
            self.tally.clone()
        } else {
            given_tree.check(policy, settings)
        }
    }
}

/// One row in this many may differ under the detected rule, if no other rule comes near.
const ODD_ROWS: usize = 10;

/// A rule with the settings under which it fits best.
struct RuleCandidate {
    policy: Policy,
    settings: Settings,
    /// The settings that the numbers require.
    asked: Vec<KnownSetting>,
    tally: Tally,
    /// How many rows were recorded, and how many this rule cannot have made.
    rows: usize,
    misfits: usize,
}

impl RuleCandidate {
    fn of(
        given_tree: &GivenTree,
        policy: Policy,
        settings: Settings,
        checked: CheckedRule<'_>,
    ) -> Self {
        let tally = checked.tally(given_tree, policy, &settings);
        let rows = tally.rows();
        let mut misfits = tally.misfits();
        let is_of_others = (policy != Policy::FairTree && has_level_fs(given_tree))
            || (policy != Policy::LevelBased && has_words(given_tree));
        if is_of_others {
            // No other rule has a Level FS or 64-bit priorities.
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

    /// Fair Tree with the order of ties that the ranks require: the one that contradicts fewer of them, or explains all
    /// while the other leaves some undecided. Without Level FS they are undecided because of truncated usage, and no
    /// order changes that.
    fn fair_tree(given_tree: &GivenTree, settings: &Settings, checked: CheckedRule<'_>) -> Self {
        let mut best = Self::of(given_tree, Policy::FairTree, settings.clone(), checked);
        let ranks = best
            .tally
            .columns
            .iter()
            .find(|column| column.fact == Fact::FairShare);
        let can_be_decided = |ranks: &ColumnCheck| {
            ranks.differing() > 0 || (ranks.undecided > 0 && has_level_fs(given_tree))
        };
        if !ranks.is_some_and(can_be_decided) {
            return best;
        }
        let others = TieOrder::ALL.iter().copied();
        for order in others.filter(|&order| order != settings.slurm.tie_order) {
            let mut settings = settings.clone();
            settings.slurm.tie_order = order;
            let other = Self::of(given_tree, Policy::FairTree, settings, checked);
            let decides =
                other.misfits == best.misfits && other.undecided() == 0 && best.undecided() > 0;
            if other.misfits < best.misfits || decides {
                let asked = KnownSetting::TieOrder(order);
                best = Self {
                    asked: vec![asked],
                    ..other
                };
            }
        }
        best
    }

    /// Returns `LEVEL_BASED` with the `PriorityLevels` that the 64-bit priorities require, and all numbers of levels
    /// that fit equally well.
    fn level_based(
        given_tree: &GivenTree,
        settings: &Settings,
        checked: CheckedRule<'_>,
    ) -> (Self, Vec<u8>) {
        let usual = levels(&given_tree.snapshot.tree, settings);
        let possible = level_based::possible_levels(given_tree);
        let others = possible.into_iter().filter(|&levels| levels != usual);
        let tried = std::iter::once(usual).chain(others).map(|levels| {
            let mut settings = settings.clone();
            settings.slurm.priority_levels = Some(levels);
            let candidate = Self::of(given_tree, Policy::LevelBased, settings, checked);
            (levels, candidate)
        });
        let mut found: Vec<(u8, Self)> = tried.collect();
        // Of several that fit equally well, the settings' own comes first, or the tree's, or else the fewest levels.
        found.sort_by_key(|(_, candidate)| (candidate.misfits, candidate.undecided()));
        let doubts = |candidate: &Self| (candidate.misfits, candidate.undecided());
        let least = doubts(&found[0].1);
        let same = found.iter().filter(|(_, other)| doubts(other) == least);
        let mut same: Vec<u8> = same.map(|&(levels, _)| levels).collect();
        same.sort_unstable();
        let (levels, best) = found.swap_remove(0);
        let asked = vec![KnownSetting::PriorityLevels(levels)];
        (Self { asked, ..best }, same)
    }

    /// Returns a rule that dampens, with the factor that the numbers require.
    fn dampened(
        given_tree: &GivenTree,
        policy: Policy,
        settings: &Settings,
        checked: CheckedRule<'_>,
    ) -> Self {
        let mut settings = settings.clone();
        let mut asked = Vec::new();
        if let Some(dampening) = given_tree.dampening(policy, &settings) {
            settings.slurm.dampening = dampening;
            asked.push(KnownSetting::Dampening(dampening));
        }
        Self {
            asked,
            ..Self::of(given_tree, policy, settings, checked)
        }
    }

    /// Returns how many recorded numbers depend on what the source does not show.
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

    /// Returns how many of the recorded rows it can have made.
    fn fit(&self) -> Fit {
        let (fits, rows) = (self.fits(), self.rows);
        Fit { fits, rows }
    }

    /// Returns it as the detected rule.
    fn found(&self, evidence: Evidence, certain: bool) -> Detected {
        Detected {
            policy: self.policy,
            settings: self.asked.clone(),
            evidence,
            certain,
        }
    }

    /// Returns it as the only rule whose numbers all fit, with the next best one.
    fn found_alone(&self, next: NextBest) -> Detected {
        self.found(Evidence::Alone(self.fit(), next), true)
    }

    /// Returns whether these numbers can only be this rule's, so that no other need be tried: all of them fit, and some
    /// are of columns that every rule has.
    fn is_alone(&self) -> bool {
        let is_common = |column: &ColumnCheck| column.fact == Fact::NormShares;
        self.misfits == 0 && self.tally.columns.iter().any(is_common)
    }

    /// Returns it as the next best rule.
    fn next_best(&self) -> NextBest {
        let (policy, fits) = (self.policy, self.fits());
        NextBest { policy, fits }
    }
}

/// Returns whether a Level FS other than infinity or "no value" was recorded.
fn has_level_fs(given_tree: &GivenTree) -> bool {
    let Some(figures) = given_tree.snapshot.recorded.figures(Fact::LevelFs) else {
        return false;
    };
    let mut nodes = given_tree.snapshot.tree.nodes().iter();
    nodes.any(|&node| figures.get(node).is_some_and(|figure| figure.value > 0.0))
}

/// Returns whether 64-bit priorities were recorded.
fn has_words(given_tree: &GivenTree) -> bool {
    given_tree.snapshot.recorded.is_text(Fact::FairShareRaw)
}

/// Returns the rule that made the numbers of a dump of Slurm's, or `None` if they do not reveal it.
pub(super) fn detect(
    given_tree: &GivenTree,
    settings: &Settings,
    checked: CheckedRule<'_>,
) -> Option<Detected> {
    if has_words(given_tree) && !has_level_fs(given_tree) {
        return Some(by_words(given_tree, settings, checked));
    }
    let fair_tree = RuleCandidate::fair_tree(given_tree, settings, checked);
    if has_level_fs(given_tree) && fair_tree.is_alone() {
        let (policy, fits) = (Policy::Classic, 0);
        return Some(fair_tree.found_alone(NextBest { policy, fits }));
    }
    let mut candidates = Vec::new();
    candidates.push(fair_tree);
    for policy in [Policy::Classic, Policy::DepthOblivious] {
        candidates.push(RuleCandidate::dampened(
            given_tree, policy, settings, checked,
        ));
    }
    // A stable sort keeps the first of several that fit equally well.
    candidates.sort_by_key(|candidate| candidate.misfits);
    let [best, second, ..] = &candidates[..] else {
        return None;
    };
    if best.rows == 0 {
        return None;
    }
    let next = second.next_best();
    if best.misfits == 0 && second.misfits > 0 {
        return Some(best.found_alone(next));
    }
    if best.misfits == 0 {
        let are_classic = [best.policy, second.policy] == [Policy::Classic, Policy::DepthOblivious];
        // If no account is below another the two are one rule.
        let same = || Evidence::SameAs {
            fit: best.fit(),
            policy: second.policy,
            settings: second.asked.clone(),
        };
        return are_classic.then(|| best.found(same(), false));
    }
    let stale = |candidate: &RuleCandidate| {
        let (policy, settings) = (candidate.policy, &candidate.settings);
        stale::explain(given_tree, policy, settings, &candidate.tally)
    };
    // Outdated columns of classic could be nearly anything; these could not.
    let unsettled = candidates.iter().find(|candidate| {
        let stale = stale(candidate);
        candidate.policy == Policy::DepthOblivious && stale == Some(Stale::Unsettled)
    });
    if let Some(unsettled) = unsettled {
        return Some(unsettled.found(Evidence::Unsettled, true));
    }
    let mut between = candidates.iter();
    if let Some(stale) = between.find(|candidate| stale(candidate).is_some()) {
        return Some(stale.found(Evidence::BetweenCalculations, false));
    }
    if best.misfits * ODD_ROWS <= best.rows && best.misfits * 2 <= second.misfits {
        return Some(best.found(Evidence::MostLikely(best.fit(), next), false));
    }
    by_level_fs(given_tree, &candidates).or_else(|| by_shares(given_tree, &candidates))
}

/// Returns `LEVEL_BASED`, which alone prints 64-bit priorities, however many of them are right.
fn by_words(given_tree: &GivenTree, settings: &Settings, checked: CheckedRule<'_>) -> Detected {
    let (found, levels) = RuleCandidate::level_based(given_tree, settings, checked);
    let is_older =
        || stale::explain(given_tree, found.policy, &found.settings, &found.tally).is_some();
    let evidence = if found.misfits > 0 && is_older() {
        Evidence::BetweenCalculations
    } else {
        Evidence::Words {
            fit: found.fit(),
            levels: match levels[..] {
                [] | [_] => None,
                [first, .., last] => Some((first, last)),
            },
        }
    };
    found.found(evidence, true)
}

/// Returns the rule of a dump with missing rows, if it has a column that no other rule has.
pub(super) fn detect_by_columns(given_tree: &GivenTree, settings: &Settings) -> Option<Detected> {
    if has_level_fs(given_tree) {
        return Some(Detected {
            policy: Policy::FairTree,
            settings: Vec::new(),
            evidence: Evidence::HasLevelFs,
            certain: true,
        });
    }
    has_words(given_tree).then(|| {
        let usual = levels(&given_tree.snapshot.tree, settings);
        let possible = level_based::possible_levels(given_tree);
        let found = possible.iter().find(|&&levels| levels == usual);
        let found = found.or_else(|| possible.first()).unwrap_or(&usual);
        Detected {
            policy: Policy::LevelBased,
            settings: vec![KnownSetting::PriorityLevels(*found)],
            evidence: Evidence::HasWords,
            certain: true,
        }
    })
}

/// Returns Fair Tree, which alone prints a Level FS, if some numbers contradict each other.
fn by_level_fs(given_tree: &GivenTree, candidates: &[RuleCandidate]) -> Option<Detected> {
    let is_fair_tree = |found: &&RuleCandidate| found.policy == Policy::FairTree;
    let found = candidates.iter().find(is_fair_tree)?;
    has_level_fs(given_tree).then(|| found.found(Evidence::LevelFs(found.fit()), true))
}

/// Returns classic if only `NormShares` reveals it. They are current, however old the other columns are, and only under
/// one rule they are parts of all shares.
fn by_shares(given_tree: &GivenTree, candidates: &[RuleCandidate]) -> Option<Detected> {
    let column = |policy| {
        let candidate = candidates.iter().find(|found| found.policy == policy)?;
        let mut columns = candidate.tally.columns.iter();
        columns.find(|column| column.fact == Fact::NormShares)
    };
    let classic = column(Policy::Classic)?;
    let fair_tree = column(Policy::FairTree)?;
    let differing = fair_tree.differing();
    (classic.differing() == 0 && differing > 1 && !has_level_fs(given_tree)).then(|| Detected {
        policy: Policy::Classic,
        settings: Vec::new(),
        evidence: Evidence::NormShares {
            differing,
            rows: fair_tree.rows,
        },
        certain: false,
    })
}
