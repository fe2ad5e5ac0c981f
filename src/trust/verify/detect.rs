//! Detects which rule made recorded numbers: they are compared with every possible rule.

use super::given_tree::GivenTree;
use super::level_based::possible_levels;
use super::slurm::CheckedNumbers;
use super::tally::Tally;
use super::{Detected, Evidence, Fact, Fit, KnownSetting, NextBest, Stale, Verification, stale};
use crate::model::{Settings, TieOrder};
use crate::rules::policy::fair_tree::in_order;
use crate::rules::policy::level_based::levels;
use crate::rules::policy::{Evaluation, Policy};
use std::cmp::Ordering;

/// One row in this many may differ under the detected rule, if no other rule comes near.
const ODD_ROWS: usize = 10;

/// A rule with the settings under which it fits best.
pub(super) struct RuleCandidate {
    pub(super) policy: Policy,
    pub(super) settings: Settings,
    /// The setting that the numbers require.
    required: Option<KnownSetting>,
    /// The comparison of the recorded numbers with the rule's.
    pub(super) tally: Tally,
    /// How many rows were recorded.
    rows: usize,
    /// How many of them this rule cannot have made.
    misfits: usize,
}

/// The rule that made recorded numbers, beside the comparison with it.
pub(super) struct Detection {
    pub(super) detected: Detected,
    pub(super) rule: RuleCandidate,
}

impl RuleCandidate {
    /// Compares the numbers with a rule under the settings, with the one that the numbers require.
    pub(super) fn with(
        given_tree: &GivenTree,
        policy: Policy,
        required: Option<KnownSetting>,
        settings: &Settings,
    ) -> Self {
        let mut settings = settings.clone();
        if let Some(required) = required {
            required.put_in(&mut settings);
        }
        let tally = given_tree.check(policy, &settings);
        let mut candidate = Self::new(given_tree, policy, settings, tally);
        candidate.required = required;
        candidate
    }

    /// Counts the rows of a comparison.
    fn new(given_tree: &GivenTree, policy: Policy, settings: Settings, tally: Tally) -> Self {
        let rows = tally.rows();
        // No other rule has a Level FS or 64-bit priorities.
        let is_of_others = (policy != Policy::FairTree && given_tree.has_level_fs())
            || (policy != Policy::LevelBased && given_tree.has_words());
        Self {
            policy,
            settings,
            required: None,
            rows,
            misfits: if is_of_others { rows } else { tally.misfits() },
            tally,
        }
    }

    /// Fair Tree with the order of ties that the ranks require: the one that contradicts fewer of them, or explains all
    /// while the other leaves some undecided. Without Level FS they are undecided because of truncated usage, and no
    /// order changes that.
    fn fair_tree(given_tree: &GivenTree, settings: &Settings) -> Self {
        let tree = given_tree.tree;
        let evaluation = Policy::FairTree.evaluate(tree, settings);
        let numbers = given_tree.check_numbers(Policy::FairTree, settings, &evaluation);
        let mut best = Self::ranked(given_tree, &numbers, settings.clone(), &evaluation);
        if !best.depends_on_ties(given_tree, &numbers, &evaluation) {
            return best;
        }
        for &order in TieOrder::ALL {
            if order == settings.slurm.tie_order {
                continue;
            }
            let required = KnownSetting::TieOrder(order);
            let mut settings = settings.clone();
            required.put_in(&mut settings);
            let evaluation = in_order(&evaluation, tree, order, &given_tree.associations);
            let mut other = Self::ranked(given_tree, &numbers, settings, &evaluation);
            other.required = Some(required);
            let decides = other.misfits == best.misfits
                && other.tally.undecided() == 0
                && best.tally.undecided() > 0;
            if other.misfits < best.misfits || decides {
                best = other;
            }
        }
        best
    }

    /// Returns Fair Tree with the order of ties of the settings, which the evaluation is of.
    fn ranked(
        given_tree: &GivenTree,
        numbers: &CheckedNumbers,
        settings: Settings,
        evaluation: &Evaluation,
    ) -> Self {
        let tally = numbers.with_ranks(&settings, evaluation);
        Self::new(given_tree, Policy::FairTree, settings, tally)
    }

    /// Returns whether another order of ties can explain more of the ranks.
    fn depends_on_ties(
        &self,
        given_tree: &GivenTree,
        numbers: &CheckedNumbers,
        evaluation: &Evaluation,
    ) -> bool {
        let Some(ranks) = self.tally.column(Fact::FairShare) else {
            return false;
        };
        let can_be_decided = ranks.undecided > 0 && given_tree.has_level_fs();
        if ranks.differing() == 0 && !can_be_decided {
            return false;
        }
        // Where no accounts tie, another order gives the same ranks, and can only call more of them wrong.
        self.settings.slurm.tie_order != TieOrder::Name || numbers.has_tied_accounts(evaluation)
    }

    /// Returns `LEVEL_BASED`, which alone prints 64-bit priorities, with the `PriorityLevels` that these require.
    fn level_based(given_tree: &GivenTree, settings: &Settings) -> Detection {
        // Of several that fit equally well, the settings' own comes first, or the tree's, or else the fewest levels.
        let usual = levels(given_tree.tree, settings);
        let mut best = Self::with_levels(given_tree, usual, settings);
        let mut fewest = usual;
        let mut most = usual;
        for levels in possible_levels(given_tree) {
            if levels == usual {
                continue;
            }
            let other = Self::with_levels(given_tree, levels, settings);
            match other.compare_fit(&best) {
                Ordering::Less => {
                    best = other;
                    fewest = levels;
                    most = levels;
                }
                Ordering::Equal => {
                    fewest = fewest.min(levels);
                    most = most.max(levels);
                }
                Ordering::Greater => {}
            }
        }
        let evidence = if best.misfits > 0 && best.stale(given_tree).is_some() {
            Evidence::BetweenCalculations
        } else {
            Evidence::Words {
                fit: best.fit(),
                levels: (fewest < most).then_some((fewest, most)),
            }
        };
        best.detection(evidence)
    }

    /// Compares the numbers with `LEVEL_BASED` under so many levels.
    fn with_levels(given_tree: &GivenTree, levels: u8, settings: &Settings) -> Self {
        let required = Some(KnownSetting::PriorityLevels(levels));
        Self::with(given_tree, Policy::LevelBased, required, settings)
    }

    /// Compares how well two rules fit, the better one first: by rows that differ, then by numbers that are undecided.
    fn compare_fit(&self, other: &Self) -> Ordering {
        let by_misfits = self.misfits.cmp(&other.misfits);
        by_misfits.then(self.tally.undecided().cmp(&other.tally.undecided()))
    }

    /// Returns how many of the recorded rows it can have made.
    fn fit(&self) -> Fit {
        Fit {
            fits: self.rows - self.misfits,
            rows: self.rows,
        }
    }

    /// Returns it as the rule that fits next best.
    fn next_best(&self) -> NextBest {
        NextBest {
            policy: self.policy,
            fits: self.fit().fits,
        }
    }

    /// Returns why the numbers are of different moments under this rule, or `None` if that does not explain them.
    fn stale(&self, given_tree: &GivenTree) -> Option<Stale> {
        stale::explain(given_tree, self.policy, &self.settings, &self.tally)
    }

    /// Returns it as the detected rule, on this evidence.
    fn detected(&self, evidence: Evidence, certain: bool) -> Detected {
        Detected {
            policy: self.policy,
            settings: Vec::from_iter(self.required),
            evidence,
            certain,
        }
    }

    /// Returns it as the rule that certainly made the numbers, beside the comparison with it.
    fn detection(self, evidence: Evidence) -> Detection {
        Detection {
            detected: self.detected(evidence, true),
            rule: self,
        }
    }

    /// Returns what the comparison tells, and whether the columns are of different moments.
    pub(super) fn verification(self, given_tree: &GivenTree) -> Verification {
        let mut stale = None;
        if self.tally.misfits() > 0 {
            stale = self.stale(given_tree);
        }
        Verification {
            columns: self.tally.columns,
            impossible: self.tally.differing,
            is_reproduced: self.tally.is_reproduced,
            stale,
            policy: Some(self.policy),
            ..Verification::default()
        }
    }
}

/// Returns the rule that made the numbers of a dump of Slurm's, with the comparison, or `None` if they do not reveal
/// it.
pub(super) fn detect(given_tree: &GivenTree) -> Option<Detection> {
    let settings = &given_tree.snapshot.settings;
    if given_tree.has_words() && !given_tree.has_level_fs() {
        return Some(RuleCandidate::level_based(given_tree, settings));
    }
    let fair_tree = RuleCandidate::fair_tree(given_tree, settings);
    if fair_tree.rows == 0 {
        return None;
    }
    // No other rule need be tried if all numbers fit, and some are of columns that every rule has.
    let has_common = fair_tree.tally.column(Fact::NormShares).is_some();
    if given_tree.has_level_fs() && fair_tree.misfits == 0 && has_common {
        let next = NextBest {
            policy: Policy::Classic,
            fits: 0,
        };
        let evidence = Evidence::Alone(fair_tree.fit(), next);
        return Some(fair_tree.detection(evidence));
    }
    let mut candidates = vec![fair_tree];
    for policy in [Policy::Classic, Policy::DepthOblivious] {
        let dampening = given_tree.dampening(policy, settings);
        let required = dampening.map(KnownSetting::Dampening);
        candidates.push(RuleCandidate::with(given_tree, policy, required, settings));
    }
    // A stable sort keeps the first of several that fit equally well.
    candidates.sort_by_key(|candidate| candidate.misfits);
    let mut detected = choose(given_tree, &candidates)?;
    let policy = detected.policy;
    let rule = if let Evidence::NormShares { .. } = detected.evidence {
        // The other columns are older, and tell nothing of settings.
        detected.settings.clear();
        RuleCandidate::with(given_tree, policy, None, settings)
    } else {
        candidates.into_iter().find(|rule| rule.policy == policy)?
    };
    Some(Detection { detected, rule })
}

/// Returns which of the rules made the numbers, or `None` if nothing tells. They are sorted by how well they fit.
fn choose(given_tree: &GivenTree, rules: &[RuleCandidate]) -> Option<Detected> {
    let best = rules.first()?;
    let second = rules.get(1)?;
    if best.misfits == 0 && second.misfits > 0 {
        let evidence = Evidence::Alone(best.fit(), second.next_best());
        return Some(best.detected(evidence, true));
    }
    if best.misfits == 0 {
        // If no account is below another, classic and DEPTH_OBLIVIOUS are one rule.
        if best.policy != Policy::Classic || second.policy != Policy::DepthOblivious {
            return None;
        }
        let evidence = Evidence::SameAs {
            fit: best.fit(),
            policy: second.policy,
            settings: Vec::from_iter(second.required),
        };
        return Some(best.detected(evidence, false));
    }
    // Outdated columns of classic could be nearly anything; these could not.
    let oblivious = rule_of(rules, Policy::DepthOblivious)?;
    if oblivious.stale(given_tree) == Some(Stale::Unsettled) {
        return Some(oblivious.detected(Evidence::Unsettled, true));
    }
    for rule in rules {
        if rule.stale(given_tree).is_some() {
            return Some(rule.detected(Evidence::BetweenCalculations, false));
        }
    }
    if best.misfits * ODD_ROWS <= best.rows && best.misfits * 2 <= second.misfits {
        let evidence = Evidence::MostLikely(best.fit(), second.next_best());
        return Some(best.detected(evidence, false));
    }
    let fair_tree = rule_of(rules, Policy::FairTree)?;
    if given_tree.has_level_fs() {
        // Some numbers contradict each other, but Fair Tree alone prints a Level FS.
        let evidence = Evidence::LevelFs(fair_tree.fit());
        return Some(fair_tree.detected(evidence, true));
    }
    // NormShares are current, however old the other columns are, and only under one rule they are parts of all shares.
    let classic = rule_of(rules, Policy::Classic)?;
    let shares = fair_tree.tally.column(Fact::NormShares)?;
    if classic.tally.column(Fact::NormShares)?.differing() > 0 || shares.differing() < 2 {
        return None;
    }
    let evidence = Evidence::NormShares {
        differing: shares.differing(),
        rows: shares.rows,
    };
    Some(classic.detected(evidence, false))
}

/// Returns the rule of a policy.
fn rule_of(rules: &[RuleCandidate], policy: Policy) -> Option<&RuleCandidate> {
    rules.iter().find(|rule| rule.policy == policy)
}

/// Returns which of the classic rules made the numbers of a part of a tree whose levels are completed, with its dampening
/// factor. `None` if neither can have made all of them.
pub(super) fn detect_classic(given_tree: &GivenTree) -> Option<Detected> {
    let settings = &given_tree.snapshot.settings;
    let mut candidates = Vec::new();
    for policy in [Policy::Classic, Policy::DepthOblivious] {
        let dampening = given_tree.dampening(policy, settings);
        let required = dampening.map(KnownSetting::Dampening);
        candidates.push(RuleCandidate::with(given_tree, policy, required, settings));
    }
    candidates.sort_by(RuleCandidate::compare_fit);
    let best = &candidates[0];
    let other = &candidates[1];
    if best.rows == 0 || best.misfits > 0 {
        return None;
    }
    if other.misfits > 0 {
        let evidence = Evidence::Alone(best.fit(), other.next_best());
        return Some(best.detected(evidence, true));
    }
    let evidence = Evidence::SameAs {
        fit: best.fit(),
        policy: other.policy,
        settings: Vec::from_iter(other.required),
    };
    Some(best.detected(evidence, false))
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
    let levels = match possible.first() {
        Some(&fewest) if !possible.contains(&usual) => fewest,
        _ => usual,
    };
    let mut detected = Detected::certain(Policy::LevelBased, Evidence::HasWords);
    detected.settings = vec![KnownSetting::PriorityLevels(levels)];
    Some(detected)
}
