//! What is wanted of a node, and how it stands.

use crate::base::shown::shown;
use crate::model::{NodeId, PathError, Tree, path_of, resolve};
use crate::rules::policy::{Evaluation, Policy, Target};

/// The goal of being on target, as it is written.
pub const ON_TARGET: &str = "on-target";

/// What is wanted of a node. An account stands where its best user does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// Used no more than its own target, as the policy counts both ([`Policy::target`]); the goal where none is given.
    OnTarget,
    /// This rank or a better one.
    Rank(u32),
    /// A factor of at least this; an account's own where the policy gives accounts one.
    Factor(f64),
    /// At least this portion of the whole tree, by shares alone.
    Share(f64),
    /// A better rank than this node's.
    AheadOf(NodeId),
}

/// Why a text is no goal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GoalError {
    /// There is nothing.
    #[error(
        "the goal is empty; expected on-target, rank<=3, factor>=0.5, share>=5% or ahead-of PATH"
    )]
    Empty,
    /// It has none of the five forms.
    #[error("{0} is no goal; expected on-target, rank<=3, factor>=0.5, share>=5% or ahead-of PATH")]
    Form(String),
    /// No user has such a rank.
    #[error("{0} cannot be wanted; expected a whole number from 1 up, as in rank<=3")]
    Rank(String),
    /// No node has such a factor.
    #[error("{0} cannot be wanted; expected a number from 0 up, as in factor>=0.5")]
    Factor(String),
    /// No node has such a portion of the tree.
    #[error(
        "{0} cannot be wanted; expected a portion of the tree up to 1, as in share>=0.05 or share>=5%"
    )]
    Share(String),
    /// The other node is not there.
    #[error(transparent)]
    Path(#[from] PathError),
}

impl Goal {
    /// Understands `on-target`, `rank<=3`, `rank < 3`, `factor>=0.5`, `factor>0.5`, `share>=0.05`, `share>=5%` and
    /// `ahead-of PATH`.
    ///
    /// # Errors
    /// If the text is none of these, or names a node that is not there.
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
            return Ok(Self::AheadOf(resolve(tree, path.trim_ascii())?));
        }
        let form = || GoalError::Form(shown(text));
        let words = std::str::from_utf8(text).map_err(|_| form())?;
        let at = words.find(['<', '>', '≤', '≥', '=']).ok_or_else(form)?;
        let (word, rest) = words.split_at(at);
        let (is_below, is_strict, number) = compared(rest).ok_or_else(form)?;
        let number = number.trim();
        match (word.trim().to_ascii_lowercase().as_str(), is_below) {
            ("rank", true) => rank(number, is_strict)
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

    /// Whether a node that stands so under an evaluation of the tree has reached it.
    #[must_use]
    pub fn is_reached(self, tree: &Tree, evaluation: &Evaluation, standing: Standing) -> bool {
        match self {
            Self::OnTarget => standing.target.is_some_and(|target| target.is_met),
            Self::Rank(wanted) => standing.rank.is_some_and(|rank| rank <= wanted),
            Self::Factor(wanted) => standing.factor.is_some_and(|factor| factor >= wanted),
            Self::Share(wanted) => standing.share.is_some_and(|share| share >= wanted),
            // Who has no rank never runs.
            Self::AheadOf(other) => standing.rank.is_some_and(|rank| {
                best_rank(tree, evaluation, other).is_none_or(|other| rank < other)
            }),
        }
    }

    /// The goal as [`Goal::parse`] reads it.
    #[must_use]
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

/// Reads `<=3`, `< 3`, `≤3`, `>=3`, `> 3`, `≥3`: whether it is the smaller that is wanted, whether the number itself does
/// not do, and the number.
fn compared(text: &str) -> Option<(bool, bool, &str)> {
    const SIGNS: &[(&str, bool, bool)] = &[
        ("<=", true, false),
        ("≤", true, false),
        ("<", true, true),
        (">=", false, false),
        ("≥", false, false),
        (">", false, true),
    ];
    let read = |&(sign, is_below, is_strict): &(&str, bool, bool)| {
        let number = text.strip_prefix(sign)?;
        Some((is_below, is_strict, number))
    };
    SIGNS.iter().find_map(read)
}

/// The worst rank that will do: 2 where less than 3 is wanted.
fn rank(number: &str, is_strict: bool) -> Option<u32> {
    let rank: u32 = number.parse().ok()?;
    rank.checked_sub(u32::from(is_strict))
        .filter(|&rank| rank > 0)
}

/// The least number that will do: the next double where more than it is wanted.
fn above(number: f64, is_strict: bool) -> f64 {
    if is_strict { number.next_up() } else { number }
}

/// `>=0.5`, or `>0.5` for the next double above it.
fn at_least(number: f64) -> String {
    let (whole, before) = (number.to_string(), number.next_down().to_string());
    if before.len() < whole.len() && number > 0.0 {
        format!(">{before}")
    } else {
        format!(">={whole}")
    }
}

/// A portion: `0.05` or `5%`.
fn portion(text: &str) -> Option<f64> {
    let portion = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().ok()? / 100.0,
        None => text.parse().ok()?,
    };
    (0.0..=1.0).contains(&portion).then_some(portion)
}

/// Where a node stands; an account stands where its best user does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Standing {
    /// The rank: 1 runs first. Nothing where nobody there has one.
    pub rank: Option<u32>,
    /// The number that enters job priority: the node's own, or the best below it.
    pub factor: Option<f64>,
    /// Its portion of the whole tree, by shares alone: that of its level times that of each account above it. Nothing
    /// where the policy has no numbers for it.
    pub share: Option<f64>,
    /// What it used against its own target. Nothing where it has none of its own ([`Policy::target`]).
    pub target: Option<Target>,
}

impl Standing {
    /// Where a node stands under an evaluation.
    #[must_use]
    pub fn of(policy: Policy, tree: &Tree, evaluation: &Evaluation, node: NodeId) -> Self {
        let factor = |node| evaluation.number(policy.factor_column(), node);
        let below = || {
            let nodes = &tree.nodes()[tree.order().span(node)];
            nodes.iter().filter_map(|&node| factor(node))
        };
        Self {
            rank: best_rank(tree, evaluation, node),
            factor: factor(node).or_else(|| below().reduce(f64::max)),
            share: share(policy, tree, evaluation, node),
            target: policy.target(tree, evaluation, node),
        }
    }
}

/// The portion of the whole tree that a node's shares come to.
fn share(policy: Policy, tree: &Tree, evaluation: &Evaluation, node: NodeId) -> Option<f64> {
    let target = |node| evaluation.number(policy.target_column(), node);
    if !policy.counts_by_level() {
        return target(node);
    }
    let line = tree.line(node).into_iter();
    let portions = line.map(|node| {
        // The portion of its account passes through.
        if tree.shares(node).is_parent() {
            Some(1.0)
        } else {
            target(node)
        }
    });
    portions.product()
}

/// The best rank of a node and all below it.
pub(super) fn best_rank(tree: &Tree, evaluation: &Evaluation, node: NodeId) -> Option<u32> {
    let ranks = evaluation.ranks().get(tree.order().span(node))?;
    ranks.iter().copied().filter(|&rank| rank > 0).min()
}

/// The user that has the best rank of a node and all below it.
pub(super) fn best_user(tree: &Tree, evaluation: &Evaluation, node: NodeId) -> Option<NodeId> {
    let best = best_rank(tree, evaluation, node)?;
    let mut span = tree.order().span(node);
    let position = span.find(|&position| evaluation.ranks()[position] == best)?;
    Some(tree.nodes()[position])
}
