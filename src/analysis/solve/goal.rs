//! Goals for a node, and its standing.

use crate::base::nearest::nearest;
use crate::base::number::readable;
use crate::base::shown::{Shown, shown};
use crate::model::{NodeId, PathError, Tree, path_of, resolve};
use crate::rules::policy::{Evaluation, Policy, Target};
use crate::scenario::Scenario;

/// The default goal as a word.
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
    /// Returns the same goal with its node replaced by `moved`; `None` if that has none for it.
    pub(crate) fn moved(self, moved: impl Fn(NodeId) -> Option<NodeId>) -> Option<Self> {
        match self {
            Self::AheadOf(other) => Some(Self::AheadOf(moved(other)?)),
            Self::OnTarget | Self::Rank(_) | Self::Factor(_) | Self::Share(_) => Some(self),
        }
    }

    /// Parses `on-target`, `rank<=3`, `rank < 3`, `factor>0.5`, `share>=0.05`, `share>=5%` and `ahead-of PATH`; a bare
    /// number is a rank.
    pub fn parse(text: &[u8], tree: &Tree) -> Result<Self, GoalError> {
        let goal = text.trim_ascii();
        if goal.is_empty() {
            return Err(GoalError::Empty);
        }
        if goal == ON_TARGET.as_bytes() {
            return Ok(Self::OnTarget);
        }
        if let Some(path) = goal.strip_prefix(b"ahead-of")
            && path.first().is_some_and(u8::is_ascii_whitespace)
        {
            let other = resolve(tree, path.trim_ascii())?;
            if other == NodeId::ROOT {
                return Err(GoalError::Root);
            }
            return Ok(Self::AheadOf(other));
        }
        let Some(bound) = Bound::parse(goal) else {
            return Err(unknown(goal));
        };
        match (&*bound.word, bound.is_below) {
            ("rank", true) => match bound.worst_rank() {
                Some(rank) => Ok(Self::Rank(rank)),
                None => Err(GoalError::Rank(shown(goal))),
            },
            ("share", false) => match bound.least_portion() {
                Some(share) => Ok(Self::Share(share)),
                None => Err(GoalError::Share(shown(goal))),
            },
            ("factor", false) => match bound.least_factor() {
                Some(factor) => Ok(Self::Factor(factor)),
                None => Err(GoalError::Factor(shown(goal))),
            },
            _ => Err(unknown(goal)),
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
            Self::AheadOf(other) => match (standing.rank, evaluation.best_rank(other)) {
                (Some(rank), Some(other)) => rank < other,
                (own, _) => own.is_some(),
            },
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

/// Returns the error of a text that is no goal, with the form that it resembles.
fn unknown(text: &[u8]) -> GoalError {
    match mistyped(text) {
        Some(form) => GoalError::Mistyped(shown(text), form),
        None => GoalError::Form(shown(text)),
    }
}

/// The words that goals begin with.
const WORDS: [&str; 5] = [ON_TARGET, "rank", "factor", "share", "ahead-of"];

/// Returns an example of the form whose word a text nearly begins with; `None` if it begins with it or none is near.
fn mistyped(text: &[u8]) -> Option<&'static str> {
    let name = std::str::from_utf8(text).ok()?;
    let word = name.split(ends_word).next()?.to_ascii_lowercase();
    let nearest = nearest(&word, &WORDS)?;
    if nearest == word {
        return None;
    }
    let form = match nearest {
        "rank" => "rank<=3",
        "factor" => "factor>=0.5",
        "share" => "share>=5%",
        "ahead-of" => "ahead-of PATH",
        _ => ON_TARGET,
    };
    Some(form)
}

/// Returns whether a character cannot be in a word of a goal.
fn ends_word(char: char) -> bool {
    !char.is_ascii_alphabetic() && char != '-'
}

/// A bound of a number: `rank<=3`, `rank < 3`, `share≥5%`, `factor > 0.5`.
struct Bound<'a> {
    /// What is bounded, in lower case.
    word: String,
    /// Whether the number is an upper bound.
    is_below: bool,
    /// Whether the number itself is out of bounds.
    is_strict: bool,
    number: &'a str,
}

impl<'a> Bound<'a> {
    /// Parses a bound; a bare number is one of the rank. `None` if a text has another form.
    fn parse(text: &'a [u8]) -> Option<Self> {
        let words = std::str::from_utf8(text).ok()?;
        if words.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some(Self {
                word: "rank".to_owned(),
                is_below: true,
                is_strict: false,
                number: words,
            });
        }
        let at = words.find(['<', '>', '≤', '≥', '='])?;
        let (word, rest) = words.split_at(at);
        let mut signs = rest.chars();
        let sign = signs.next()?;
        let mut number = signs.as_str();
        let mut is_strict = false;
        match sign {
            '≤' | '≥' => {}
            '<' | '>' => match number.strip_prefix('=') {
                Some(behind) => number = behind,
                None => is_strict = true,
            },
            _ => return None,
        }
        Some(Self {
            word: word.trim().to_ascii_lowercase(),
            is_below: matches!(sign, '<' | '≤'),
            is_strict,
            number: number.trim(),
        })
    }

    /// Returns the worst rank that meets the bound: 2 for less than 3. `None` if no rank does.
    fn worst_rank(&self) -> Option<u32> {
        let rank: u32 = self.number.parse().ok()?;
        match rank.checked_sub(u32::from(self.is_strict)) {
            Some(0) | None => None,
            worst => worst,
        }
    }

    /// Returns the smallest portion of the whole tree that meets the bound. `None` if none does.
    fn least_portion(&self) -> Option<f64> {
        let portion = match self.number.strip_suffix('%') {
            Some(percent) => percent.trim().parse::<f64>().ok()? / 100.0,
            None => self.number.parse().ok()?,
        };
        if !(0.0..=1.0).contains(&portion) {
            return None;
        }
        let least = self.least(portion);
        if least <= 1.0 { Some(least) } else { None }
    }

    /// Returns the smallest factor that meets the bound. `None` if none does.
    fn least_factor(&self) -> Option<f64> {
        let factor: f64 = self.number.parse().ok()?;
        if factor >= 0.0 && factor.is_finite() {
            Some(self.least(factor))
        } else {
            None
        }
    }

    /// Returns the smallest number that meets a lower bound: the next double if the bound is strict.
    fn least(&self, number: f64) -> f64 {
        if self.is_strict {
            number.next_up()
        } else {
            number
        }
    }
}

/// Writes a lower bound: `>=0.5`, or `>0.5` for the next double above it.
fn at_least(number: f64) -> String {
    let whole = number.to_string();
    let before = number.next_down().to_string();
    if before.len() < whole.len() && number > 0.0 {
        format!(">{before}")
    } else {
        format!(">={whole}")
    }
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
    /// Returns the standing of a node in a scenario.
    pub(crate) fn in_scenario(scenario: &Scenario, node: NodeId) -> Self {
        let tree = scenario.tree();
        Self::of(scenario.policy(), tree, scenario.evaluation(), node)
    }

    /// Returns the standing of a node under an evaluation.
    pub fn of(policy: Policy, tree: &Tree, evaluation: &Evaluation, node: NodeId) -> Self {
        let column = policy.factor_column();
        let mut factor = evaluation.number(column, node);
        if factor.is_none() {
            let below = tree.within(node).iter();
            let factors = below.filter_map(|&inside| evaluation.number(column, inside));
            factor = factors.reduce(f64::max);
        }
        Self {
            rank: evaluation.best_rank(node),
            factor,
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
    let tree = scenario.tree();
    share(scenario.policy(), tree, scenario.evaluation(), node)
}

/// Returns a node's portion of the whole tree by shares alone. `None` if the policy has no numbers for it.
fn share(policy: Policy, tree: &Tree, evaluation: &Evaluation, node: NodeId) -> Option<f64> {
    let column = policy.target_column();
    if !policy.counts_by_level() {
        return evaluation.number(column, node);
    }
    let mut share = 1.0;
    for member in tree.line(node) {
        // A node with shares `parent` competes with the account's own portion.
        if !tree.shares(member).is_parent() {
            share *= evaluation.number(column, member)?;
        }
    }
    Some(share)
}

/// A node's usage and its target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetUse {
    /// The node.
    pub(crate) node: NodeId,
    /// The account of whose usage these are portions; the root if they are portions of all usage.
    pub(crate) whole: NodeId,
    /// Both as portions.
    pub(crate) target: Target,
}

impl TargetUse {
    /// Returns the target of a node with what it is a portion of.
    pub(crate) fn of(policy: Policy, tree: &Tree, node: NodeId, target: Target) -> Self {
        let mut whole = NodeId::ROOT;
        if policy.counts_by_level() {
            // Accounts with Slurm's `parent` shares are passed over.
            let mut above = tree.upwards(node).skip(1);
            let level = above.find(|&account| !tree.shares(account).is_parent());
            whole = level.unwrap_or(NodeId::ROOT);
        }
        Self {
            node,
            whole,
            target,
        }
    }
}
