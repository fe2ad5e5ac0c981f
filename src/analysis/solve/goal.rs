//! Goals for a node, and its standing.

use crate::base::nearest::nearest;
use crate::base::number::readable;
use crate::base::shown::{Shown, shown};
use crate::model::{NodeId, PathError, Tree, path_of, resolve};
use crate::rules::policy::{Evaluation, Policy, Target};
use crate::scenario::Scenario;

pub(crate) const ON_TARGET: &str = "on-target";

/// A goal for a node. The rank of an account is that of its best user.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// Usage within the node's own target, as the policy counts both ([`Policy::target`]). This is the default goal.
    OnTarget,
    /// At least this rank; 1 runs first.
    Rank(u32),
    /// At least this factor. For an account it is its own, if the policy gives accounts one.
    Factor(f64),
    /// At least this portion of the whole tree, by shares alone.
    Share(f64),
    /// A better rank than that of this node.
    AheadOf(NodeId),
}

/// Why a text is not a goal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each variant says what it is")]
pub enum GoalError {
    #[error(
        "the goal is empty; expected on-target, rank<=3, factor>=0.5, share>=5% or ahead-of PATH"
    )]
    Empty,
    #[error("unknown goal '{0}' (on-target, rank<=3, factor>=0.5, share>=5% or ahead-of PATH)")]
    Form(Shown),
    #[error(
        "unknown goal '{0}'; did you mean '{1}'? (on-target, rank<=3, factor>=0.5, share>=5% or ahead-of PATH)"
    )]
    Mistyped(Shown, &'static str),
    #[error("{0} is not a valid rank; expected a whole number from 1 up, as in rank<=3")]
    Rank(Shown),
    #[error("{0} is not a valid factor; expected a number from 0 up, as in factor>=0.5")]
    Factor(Shown),
    #[error(
        "{0} is not a valid share; expected a portion of the tree up to 1, as in share>=0.05 or share>=5%"
    )]
    Share(Shown),
    #[error("the root has no rank to be ahead of; choose a node below it")]
    Root,
    #[error(transparent)]
    Path(#[from] PathError),
}

impl Goal {
    /// Parses `on-target`, `rank<=3`, `rank < 3`, `factor>0.5`, `share>=0.05`, `share>=5%` and `ahead-of PATH`.
    pub fn parse(text: &[u8], tree: &Tree) -> Result<Self, GoalError> {
        let text = text.trim_ascii();
        if text.is_empty() {
            return Err(GoalError::Empty);
        }
        if text == ON_TARGET.as_bytes() {
            return Ok(Self::OnTarget);
        }
        if let Some(path) = text.strip_prefix(b"ahead-of")
            && path.first().is_some_and(u8::is_ascii_whitespace)
        {
            let other = resolve(tree, path.trim_ascii())?;
            if other == NodeId::ROOT {
                return Err(GoalError::Root);
            }
            return Ok(Self::AheadOf(other));
        }
        let form = || match mistyped(text) {
            Some(form) => GoalError::Mistyped(shown(text), form),
            None => GoalError::Form(shown(text)),
        };
        let words = std::str::from_utf8(text).map_err(|_| form())?;
        let at = words.find(['<', '>', '≤', '≥', '=']).ok_or_else(form)?;
        let (word, rest) = words.split_at(at);
        let (is_below, is_strict, number) = bound(rest).ok_or_else(form)?;
        let number = number.trim();
        match (word.trim().to_ascii_lowercase().as_str(), is_below) {
            ("rank", true) => worst_rank(number, is_strict)
                .map(Self::Rank)
                .ok_or_else(|| GoalError::Rank(shown(text))),
            ("share", false) => portion(number)
                .map(|share| above(share, is_strict))
                .filter(|share| *share <= 1.0)
                .map(Self::Share)
                .ok_or_else(|| GoalError::Share(shown(text))),
            ("factor", false) => match number.parse() {
                Ok(factor) if (0.0..f64::INFINITY).contains(&factor) => {
                    Ok(Self::Factor(above(factor, is_strict)))
                }
                _ => Err(GoalError::Factor(shown(text))),
            },
            _ => Err(form()),
        }
    }

    /// Returns whether a node with this standing under an evaluation has reached the goal.
    pub fn is_reached(self, evaluation: &Evaluation, standing: Standing) -> bool {
        match self {
            Self::OnTarget => standing.target.is_some_and(|target| target.is_met),
            Self::Rank(wanted) => standing.rank.is_some_and(|rank| rank <= wanted),
            Self::Factor(wanted) => standing.reaches(standing.factor, wanted),
            Self::Share(wanted) => standing.reaches(standing.share, wanted),
            // Users without a rank never run.
            Self::AheadOf(other) => {
                let other = evaluation.best_rank(other);
                let is_ahead = |rank| other.is_none_or(|other| rank < other);
                standing.rank.is_some_and(is_ahead)
            }
        }
    }

    /// Returns the goal as text that [`Goal::parse`] reads.
    pub fn write(self, tree: &Tree) -> String {
        match self {
            Self::OnTarget => ON_TARGET.to_owned(),
            Self::Rank(rank) => format!("rank<={rank}"),
            Self::Factor(factor) => format!("factor{}", at_least(factor)),
            Self::Share(share) => format!("share{}", at_least(share)),
            Self::AheadOf(node) => {
                format!("ahead-of {}", path_of(tree, node).unwrap_or_default())
            }
        }
    }
}

/// Returns an example of the form whose word a text nearly begins with; `None` if it begins with it or none is near.
fn mistyped(text: &[u8]) -> Option<&'static str> {
    const FORMS: [(&str, &str); 5] = [
        (ON_TARGET, ON_TARGET),
        ("rank", "rank<=3"),
        ("factor", "factor>=0.5"),
        ("share", "share>=5%"),
        ("ahead-of", "ahead-of PATH"),
    ];
    let text = std::str::from_utf8(text).ok()?;
    let is_end = |char: char| !char.is_ascii_alphabetic() && char != '-';
    let word = text.split(is_end).next()?.to_ascii_lowercase();
    let nearest = nearest(&word, &FORMS.map(|(known, _)| known))?;
    let form = FORMS.iter().find(|(known, _)| *known == nearest);
    form.filter(|(known, _)| *known != word)
        .map(|&(_, form)| form)
}

/// Parses `<=3`, `< 3`, `≤3`, `> 3` into whether the number is an upper bound, whether it is strict, and the number.
fn bound(text: &str) -> Option<(bool, bool, &str)> {
    let mut chars = text.chars();
    let sign = chars.next().filter(|sign| "<≤>≥".contains(*sign))?;
    let (is_below, number) = (matches!(sign, '<' | '≤'), chars.as_str());
    if matches!(sign, '≤' | '≥') {
        return Some((is_below, false, number));
    }
    Some(match number.strip_prefix('=') {
        Some(number) => (is_below, false, number),
        None => (is_below, true, number),
    })
}

/// Parses a rank and returns the worst one that meets the bound: 2 for less than 3.
fn worst_rank(number: &str, is_strict: bool) -> Option<u32> {
    let rank: u32 = number.parse().ok()?;
    rank.checked_sub(u32::from(is_strict))
        .filter(|&rank| rank > 0)
}

/// Returns the smallest number that meets a lower bound: the next double if the bound is strict.
fn above(number: f64, is_strict: bool) -> f64 {
    if is_strict { number.next_up() } else { number }
}

/// Writes a lower bound: `>=0.5`, or `>0.5` for the next double above it.
fn at_least(number: f64) -> String {
    let (whole, before) = (number.to_string(), number.next_down().to_string());
    if before.len() < whole.len() && number > 0.0 {
        format!(">{before}")
    } else {
        format!(">={whole}")
    }
}

fn portion(text: &str) -> Option<f64> {
    let portion = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().ok()? / 100.0,
        None => text.parse().ok()?,
    };
    (0.0..=1.0).contains(&portion).then_some(portion)
}

/// The standing of a node. The rank of an account is that of its best user.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Standing {
    /// The rank; 1 runs first. `None` if no user of the node has one.
    pub rank: Option<u32>,
    /// The number that enters job priority: the node's own, or the best below it.
    pub factor: Option<f64>,
    /// Its portion of the whole tree by shares alone. `None` if the policy has no numbers for it.
    pub share: Option<f64>,
    /// Its usage and its target. `None` if it has no target of its own ([`Policy::target`]).
    pub target: Option<Target>,
    /// How many digits of the factor and the share can be compared with a bound ([`Policy::digits`]).
    digits: usize,
}

impl Standing {
    pub(crate) fn in_scenario(scenario: &Scenario, node: NodeId) -> Self {
        let (tree, evaluation) = (scenario.tree(), scenario.evaluation());
        Self::of(scenario.policy(), tree, evaluation, node)
    }

    /// Returns the standing of a node under an evaluation.
    pub fn of(policy: Policy, tree: &Tree, evaluation: &Evaluation, node: NodeId) -> Self {
        let factor = |node| evaluation.number(policy.factor_column(), node);
        let below = || tree.within(node).iter().filter_map(|&node| factor(node));
        Self {
            rank: evaluation.best_rank(node),
            factor: factor(node).or_else(|| below().reduce(f64::max)),
            share: share(policy, tree, evaluation, node),
            target: policy.target(tree, evaluation, node),
            digits: policy.digits(),
        }
    }

    /// Returns whether one of its numbers is at least the wanted one, or more where that is the next double above a bound.
    fn reaches(self, number: Option<f64>, wanted: f64) -> bool {
        let bound = readable(wanted, self.digits);
        let is_above = wanted.total_cmp(&bound.next_up()).is_eq();
        let Some(number) = number else {
            return false;
        };
        let number = readable(number, self.digits);
        if is_above {
            number > bound
        } else {
            number >= bound
        }
    }
}

/// Returns a node's portion of the whole tree in a scenario, as [`Standing`] has it.
pub(crate) fn share_in(scenario: &Scenario, node: NodeId) -> Option<f64> {
    let (tree, evaluation) = (scenario.tree(), scenario.evaluation());
    share(scenario.policy(), tree, evaluation, node)
}

/// Returns a node's portion of the whole tree by shares alone. `None` if the policy has no numbers for it.
fn share(policy: Policy, tree: &Tree, evaluation: &Evaluation, node: NodeId) -> Option<f64> {
    let target = |node| evaluation.number(policy.target_column(), node);
    if !policy.counts_by_level() {
        return target(node);
    }
    let line = tree.line(node).into_iter();
    let portions = line.map(|node| {
        // Such a node competes with the account's own portion.
        if tree.shares(node).is_parent() {
            Some(1.0)
        } else {
            target(node)
        }
    });
    portions.product()
}

/// A node's usage and its target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetUse {
    pub(crate) node: NodeId,
    /// The account of whose usage these are portions; the root if they are portions of all usage.
    pub(crate) whole: NodeId,
    pub(crate) target: Target,
}

impl TargetUse {
    pub(crate) fn of(policy: Policy, tree: &Tree, node: NodeId, target: Target) -> Self {
        // Accounts with Slurm's `parent` shares are passed over.
        let mut above = tree.upwards(node).skip(1);
        let level = above.find(|&account| !tree.shares(account).is_parent());
        let whole = level.filter(|_| policy.counts_by_level());
        Self {
            node,
            whole: whole.unwrap_or(NodeId::ROOT),
            target,
        }
    }
}
