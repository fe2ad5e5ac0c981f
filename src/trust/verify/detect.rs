//! Detects which rule made recorded numbers: they are compared with every possible rule.

use super::fair_tree::LevelFsBounds;
use super::given_tree::GivenTree;
use super::level_based::possible_levels;
use super::tally::Tally;
use super::{ColumnCheck, Detected, Evidence, Fact, Fit, KnownSetting, NextBest, Stale, stale};
use crate::model::{Settings, TieOrder};
use crate::rules::policy::fair_tree::in_order;
use crate::rules::policy::level_based::levels;
use crate::rules::policy::{Evaluation, Policy};

/// One row in this many may differ under the detected rule, if no other rule comes near.
const ODD_ROWS: usize = 10;

/// A rule with the settings under which it fits best.
pub(super) struct RuleCandidate {
    pub(super) policy: Policy,
    pub(super) settings: Settings,
    /// The setting that the numbers require.
    asked: Option<KnownSetting>,
    pub(super) tally: Tally,
    /// How many rows were recorded, and how many this rule cannot have made.
    rows: usize,
    misfits: usize,
}

impl RuleCandidate {
    fn new(given_tree: &GivenTree, policy: Policy, settings: Settings, tally: Tally) -> Self {
        let rows = tally.rows();
        // No other rule has a Level FS or 64-bit priorities.
        let is_of_others = (policy != Policy::FairTree && given_tree.has_level_fs())
            || (policy != Policy::LevelBased && given_tree.has_words());
        Self {
            policy,
            settings,
            asked: None,
            rows,
            misfits: if is_of_others { rows } else { tally.misfits() },
            tally,
        }
    }

    /// Fair Tree with the order of ties that the ranks require: the one that contradicts fewer of them, or explains all
    /// while the other leaves some undecided. Without Level FS they are undecided because of truncated usage, and no
    /// order changes that.
    fn fair_tree(given_tree: &GivenTree, settings: &Settings) -> Self {
        let tree = &given_tree.snapshot.tree;
        let evaluation = Policy::FairTree.evaluate(tree, settings);
        let (numbers, level_fs) = given_tree.check_numbers(Policy::FairTree, settings, &evaluation);
        let ranked = |settings: Settings, evaluation: &Evaluation| {
            let numbers = numbers.clone();
            let tally = given_tree.check_ranks(numbers, level_fs.as_ref(), &settings, evaluation);
            Self::new(given_tree, Policy::FairTree, settings, tally)
        };
        let mut best = ranked(settings.clone(), &evaluation);
        let can_be_decided = |ranks: &ColumnCheck| {
            ranks.differing() > 0 || (ranks.undecided > 0 && given_tree.has_level_fs())
        };
        let ranks = best.tally.column(Fact::FairShare);
        if !ranks.is_some_and(can_be_decided) {
            return best;
        }
        // Where no accounts tie, another order gives the same ranks, and can only call more of them wrong.
        let has_ties = |level_fs: &LevelFsBounds<'_>| level_fs.has_tied_accounts(&evaluation);
        if settings.slurm.tie_order == TieOrder::Name && !level_fs.as_ref().is_some_and(has_ties) {
            return best;
        }
        let others = TieOrder::ALL.iter().copied();
        for order in others.filter(|&order| order != settings.slurm.tie_order) {
            let asked = KnownSetting::TieOrder(order);
            let mut settings = settings.clone();
            asked.put_in(&mut settings);
            let evaluation = in_order(&evaluation, tree, order, &given_tree.associations);
            let other = Self {
                asked: Some(asked),
                ..ranked(settings, &evaluation)
            };
            let decides = other.misfits == best.misfits
                && other.tally.undecided() == 0
                && best.tally.undecided() > 0;
            if other.misfits < best.misfits || decides {
                best = other;
            }
        }
        best
    }

    /// Compares the numbers with a rule under the settings, with the one that the numbers require.
    fn with(
        given_tree: &GivenTree,
        policy: Policy,
        asked: Option<KnownSetting>,
        settings: &Settings,
    ) -> Self {
        let mut settings = settings.clone();
        if let Some(asked) = asked {
            asked.put_in(&mut settings);
        }
        let tally = given_tree.check(policy, &settings);
        Self {
            asked,
            ..Self::new(given_tree, policy, settings, tally)
        }
    }

    /// Returns `LEVEL_BASED`, which alone prints 64-bit priorities, with the `PriorityLevels` that these require.
    fn level_based(given_tree: &GivenTree, settings: &Settings) -> (Self, Evidence) {
        let usual = levels(&given_tree.snapshot.tree, settings);
        let others = possible_levels(given_tree);
        let others = others.into_iter().filter(|&levels| levels != usual);
        let tried = std::iter::once(usual).chain(others).map(|levels| {
            let asked = Some(KnownSetting::PriorityLevels(levels));
            let candidate = Self::with(given_tree, Policy::LevelBased, asked, settings);
            (levels, candidate)
        });
        let mut found: Vec<(u8, Self)> = tried.collect();
        let doubts = |candidate: &Self| (candidate.misfits, candidate.tally.undecided());
        // Of several that fit equally well, the settings' own comes first, or the tree's, or else the fewest levels.
        found.sort_by_key(|(_, candidate)| doubts(candidate));
        let least = doubts(&found[0].1);
        let same = found.iter().filter(|(_, other)| doubts(other) == least);
        let same = same.map(|&(levels, _)| levels);
        let range = same.clone().min().zip(same.max());
        let (_, best) = found.swap_remove(0);
        let evidence = if best.misfits > 0 && best.stale(given_tree).is_some() {
            Evidence::BetweenCalculations
        } else {
            Evidence::Words {
                fit: best.fit(),
                levels: range.filter(|(first, last)| first < last),
            }
        };
        (best, evidence)
    }

    fn fit(&self) -> Fit {
        let (fits, rows) = (self.rows - self.misfits, self.rows);
        Fit { fits, rows }
    }

    /// Returns why the numbers are of different moments under this rule, or `None` if that does not explain them.
    fn stale(&self, given_tree: &GivenTree) -> Option<Stale> {
        stale::explain(given_tree, self.policy, &self.settings, &self.tally)
    }

    /// Returns it as the detected rule, beside the comparison with it.
    fn found(self, evidence: Evidence, certain: bool) -> (Detected, Self) {
        let detected = Detected {
            policy: self.policy,
            settings: self.asked.into_iter().collect(),
            evidence,
            certain,
        };
        (detected, self)
    }
}

/// Returns the rule that made the numbers of a dump of Slurm's, with the comparison, or `None` if they do not reveal
/// it.
pub(super) fn detect(given_tree: &GivenTree) -> Option<(Detected, RuleCandidate)> {
    let settings = &given_tree.snapshot.settings;
    if given_tree.has_words() && !given_tree.has_level_fs() {
        let (found, evidence) = RuleCandidate::level_based(given_tree, settings);
        return Some(found.found(evidence, true));
    }
    let fair_tree = RuleCandidate::fair_tree(given_tree, settings);
    if fair_tree.rows == 0 {
        return None;
    }
    // No other rule need be tried if all numbers fit, and some are of columns that every rule has.
    let has_common = fair_tree.tally.column(Fact::NormShares).is_some();
    if given_tree.has_level_fs() && fair_tree.misfits == 0 && has_common {
        let (policy, fits) = (Policy::Classic, 0);
        let evidence = Evidence::Alone(fair_tree.fit(), NextBest { policy, fits });
        return Some(fair_tree.found(evidence, true));
    }
    let dampened = [Policy::Classic, Policy::DepthOblivious];
    let dampened = dampened.map(|policy| {
        let asked = given_tree.dampening(policy, settings);
        let asked = asked.map(KnownSetting::Dampening);
        RuleCandidate::with(given_tree, policy, asked, settings)
    });
    let mut candidates = vec![fair_tree];
    candidates.extend(dampened);
    // A stable sort keeps the first of several that fit equally well.
    candidates.sort_by_key(|candidate| candidate.misfits);
    let (policy, evidence, certain) = choose(given_tree, &candidates)?;
    if let Evidence::NormShares { .. } = evidence {
        // The other columns are older, and tell nothing of settings.
        let rule = RuleCandidate::with(given_tree, policy, None, settings);
        return Some(rule.found(evidence, certain));
    }
    let rule = candidates.into_iter().find(|rule| rule.policy == policy)?;
    Some(rule.found(evidence, certain))
}

/// Returns the policy of several candidates that made the numbers, the evidence, and whether it is certain. The
/// rules are sorted by how well they fit.
fn choose(given_tree: &GivenTree, rules: &[RuleCandidate]) -> Option<(Policy, Evidence, bool)> {
    let [best, second, ..] = rules else {
        return None;
    };
    let (policy, fits) = (second.policy, second.fit().fits);
    let next = NextBest { policy, fits };
    if best.misfits == 0 && second.misfits > 0 {
        return Some((best.policy, Evidence::Alone(best.fit(), next), true));
    }
    if best.misfits == 0 {
        let are_classic = [best.policy, second.policy] == [Policy::Classic, Policy::DepthOblivious];
        // If no account is below another the two are one rule.
        let same = || Evidence::SameAs {
            fit: best.fit(),
            policy: second.policy,
            settings: second.asked.into_iter().collect(),
        };
        return are_classic.then(|| (best.policy, same(), false));
    }
    // Outdated columns of classic could be nearly anything; these could not.
    let of = |policy| rules.iter().find(|rule| rule.policy == policy);
    let oblivious = of(Policy::DepthOblivious)?;
    if oblivious.stale(given_tree) == Some(Stale::Unsettled) {
        return Some((oblivious.policy, Evidence::Unsettled, true));
    }
    let mut between = rules.iter();
    if let Some(stale) = between.find(|candidate| candidate.stale(given_tree).is_some()) {
        return Some((stale.policy, Evidence::BetweenCalculations, false));
    }
    if best.misfits * ODD_ROWS <= best.rows && best.misfits * 2 <= second.misfits {
        return Some((best.policy, Evidence::MostLikely(best.fit(), next), false));
    }
    let fair_tree = of(Policy::FairTree)?;
    if given_tree.has_level_fs() {
        // Some numbers contradict each other, but Fair Tree alone prints a Level FS.
        return Some((Policy::FairTree, Evidence::LevelFs(fair_tree.fit()), true));
    }
    // NormShares are current, however old the other columns are, and only under one rule they are parts of all shares.
    let classic = of(Policy::Classic)?.tally.column(Fact::NormShares)?;
    let fair_tree = fair_tree.tally.column(Fact::NormShares)?;
    let (differing, rows) = (fair_tree.differing(), fair_tree.rows);
    let is_classic = classic.differing() == 0 && differing > 1;
    let evidence = Evidence::NormShares { differing, rows };
    is_classic.then_some((Policy::Classic, evidence, false))
}

/// Returns the rule of a dump with missing rows, if it has a column that no other rule has.
pub(super) fn detect_by_columns(given_tree: &GivenTree) -> Option<Detected> {
    if given_tree.has_level_fs() {
        return Some(Detected::certain(Policy::FairTree, Evidence::HasLevelFs));
    }
    if !given_tree.has_words() {
        return None;
    }
    let snapshot = given_tree.snapshot;
    let usual = levels(&snapshot.tree, &snapshot.settings);
    let possible = possible_levels(given_tree);
    let found = possible.iter().find(|&&levels| levels == usual);
    let found = found.or_else(|| possible.first()).unwrap_or(&usual);
    Some(Detected {
        settings: vec![KnownSetting::PriorityLevels(*found)],
        ..Detected::certain(Policy::LevelBased, Evidence::HasWords)
    })
}
