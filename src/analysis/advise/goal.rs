//! Goals of a site: what its shares should keep, such as `share(physics) >= 25%`.

use super::time::half_life_edit;
use crate::analysis::contention::half_life;
use crate::analysis::gate::{Comparison, word_and_argument};
use crate::analysis::solve::{self, Goal, GoalError, SolveError, share_in};
use crate::base::nearest::unknown;
use crate::base::shown::{Shown, shown, shown_text};
use crate::model::{
    DurationError, DurationForm, NodeId, PathError, path_for_people, resolve, seconds_of,
};
use crate::scenario::{Scenario, root_or};

/// The words of goals, each with an example.
const FORMS: [(&str, &str); 8] = [
    ("share", "share(PATH) >= 25%"),
    ("on-target", "on-target(PATH)"),
    ("rank", "rank(USER) <= 3"),
    ("ahead", "ahead(A, B)"),
    ("back", "back(PATH) <= 3d"),
    ("keep", "keep(PATH) or keep(others)"),
    ("lines", "lines <= 5"),
    ("total", "total = 1000 or total(PATH) = 1000"),
];

/// The part of its share that a kept node keeps at least.
const KEPT: f64 = 0.99;

/// A goal of a site.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteGoal {
    /// The goal as it was written.
    pub text: Shown,
    pub(crate) aim: Aim,
}

/// What a goal asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Aim {
    /// A node's portion of the whole tree, by shares alone, is within these bounds.
    Share {
        node: NodeId,
        bounds: [f64; 2],
        /// How much the whole is, where the goal says it: `64 of 512`.
        whole: Option<f64>,
    },
    /// A node is on target, has a rank, or is ahead of another.
    Standing { node: NodeId, goal: Goal },
    /// After so many seconds of saturated demand a node's portion of the remembered usage is its share.
    Back { node: NodeId, seconds: u64 },
    /// A node, or every node that is not edited, keeps this part of its share in the snapshot.
    Keep { node: Option<NodeId>, kept: f64 },
    /// At most so many nodes have other shares.
    Lines(usize),
    /// The shares of an account's children add up to this.
    Total { account: NodeId, sum: i64 },
}

/// Why a text is not a goal of a site.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each variant says what it is")]
pub enum SiteGoalError {
    #[error(
        "'{0}' is not a goal; expected one such as share(physics) >= 25%, keep(others) or lines <= 5"
    )]
    Form(Shown),
    #[error("{0}")]
    Unknown(Shown),
    #[error("'{0}' is not complete; expected {1}")]
    Incomplete(Shown, &'static str),
    #[error(
        "{0} is not a share; expected more than 0% and at most 100%, such as 25%, 0.25 or 64 of 512 nodes"
    )]
    Share(Shown),
    #[error("{0} does not fit {1}; expected a whole number from 1 up")]
    Whole(Shown, &'static str),
    #[error(transparent)]
    Time(#[from] DurationError),
    #[error("nobody is back at once; expected a duration above 0, such as 3d or 12h")]
    NoTime,
    #[error(
        "back(PATH) needs a half-life, and usage does not decay here; set one, or leave out the goal"
    )]
    NoHalfLife,
    #[error("{0} has no share of its own under this policy; name an account or user with shares")]
    NoShare(Shown),
    #[error(transparent)]
    Goal(#[from] GoalError),
    #[error(transparent)]
    Standing(#[from] SolveError),
    #[error(transparent)]
    Path(#[from] PathError),
}

impl SiteGoal {
    /// Parses a goal for the tree of a scenario.
    pub fn parse(text: &[u8], scenario: &Scenario) -> Result<Self, SiteGoalError> {
        let text = text.trim_ascii();
        let form = || SiteGoalError::Form(shown_text(text));
        let compared = Comparison::of(text).filter(|it| !it.bound.ends_with(b")"));
        let (word, argument, sign, bound) = if let Some(it) = compared {
            (it.word, it.argument, it.sign, it.bound)
        } else {
            let (word, argument) = word_and_argument(text).ok_or_else(form)?;
            (word, argument, &b""[..], &b""[..])
        };
        let names = FORMS.iter().map(|(name, _)| *name);
        let known = FORMS.iter().find(|(name, _)| name.as_bytes() == word);
        let (word, example) =
            known.ok_or_else(|| SiteGoalError::Unknown(unknown("goal", word, names)))?;
        let incomplete = || SiteGoalError::Incomplete(shown_text(text), example);
        let tree = scenario.tree();
        let below_root = |argument: Option<&[u8]>| {
            let node = resolve(tree, root_or(argument.ok_or_else(incomplete)?))?;
            match node {
                NodeId::ROOT => Err(SolveError::Root.into()),
                node => Ok::<NodeId, SiteGoalError>(node),
            }
        };
        let number = String::from_utf8_lossy(bound);
        let whole = || {
            let count = number.replace(['_', ','], "").parse::<u32>().ok();
            let count = count.filter(|&count| count > 0);
            count.ok_or_else(|| SiteGoalError::Whole(shown(bound), word))
        };
        let aim = match (*word, sign) {
            ("share", b">=" | b"<=" | b"=") => {
                let node = having_share(scenario, below_root(argument)?)?;
                let portion = portion(&number);
                let (share, near, whole) =
                    portion.ok_or_else(|| SiteGoalError::Share(shown(bound)))?;
                Aim::Share {
                    node,
                    bounds: match sign {
                        b">=" => [share, 1.0],
                        b"<=" => [0.0, share],
                        _ => [share - near, share + near],
                    },
                    whole,
                }
            }
            ("on-target", b"") => standing(scenario, below_root(argument)?, Goal::OnTarget)?,
            ("rank", b"<" | b"<=") => {
                let goal = [b"rank", sign, bound].concat();
                standing(scenario, below_root(argument)?, Goal::parse(&goal, tree)?)?
            }
            ("ahead", b"") => {
                let names = argument.ok_or_else(incomplete)?;
                let comma = names.iter().position(|&byte| byte == b',');
                let (one, other) = names.split_at(comma.ok_or_else(incomplete)?);
                let other = below_root(Some(other[1..].trim_ascii()))?;
                let one = below_root(Some(one.trim_ascii()))?;
                standing(scenario, one, Goal::AheadOf(other))?
            }
            ("back", b"<=") => {
                let node = having_share(scenario, below_root(argument)?)?;
                let seconds = seconds_of(&number, DurationForm::Common)?;
                if seconds == 0 {
                    return Err(SiteGoalError::NoTime);
                }
                let settings = scenario.settings();
                let edit = half_life(settings).and_then(|it| half_life_edit(settings, it));
                edit.ok_or(SiteGoalError::NoHalfLife)?;
                Aim::Back { node, seconds }
            }
            ("keep", b"") => Aim::Keep {
                node: match argument.ok_or_else(incomplete)? {
                    b"others" => None,
                    path => Some(having_share(scenario, below_root(Some(path))?)?),
                },
                kept: KEPT,
            },
            ("lines", b"<=") if argument.is_none() => Aim::Lines(whole()? as usize),
            ("total", b"=") => Aim::Total {
                account: argument.map_or(Ok(NodeId::ROOT), |path| resolve(tree, root_or(path)))?,
                sum: i64::from(whole()?),
            },
            _ => return Err(incomplete()),
        };
        Ok(Self {
            text: shown_text(text),
            aim,
        })
    }
}

impl Aim {
    /// Returns the nodes that it names.
    pub(super) fn named(&self) -> Vec<NodeId> {
        match *self {
            Self::Standing {
                node,
                goal: Goal::AheadOf(other),
            } => vec![node, other],
            Self::Share { node, .. } | Self::Standing { node, .. } | Self::Back { node, .. } => {
                vec![node]
            }
            Self::Keep { node, .. } => node.into_iter().collect(),
            Self::Lines(_) | Self::Total { .. } => Vec::new(),
        }
    }

    /// Returns whether two aims hold together or not at all, however the whole is counted.
    pub(super) fn asks_the_same(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Share { node, bounds, .. },
                Self::Share {
                    node: other,
                    bounds: others,
                    ..
                },
            ) => (node, bounds) == (other, others),
            _ => self == other,
        }
    }

    /// Returns the aim made easier: 0 leaves it as it is, and 1 asks for nothing. `None` if it has no degrees.
    pub(super) fn eased(mut self, part: f64) -> Option<Self> {
        match &mut self {
            Self::Share { bounds, .. } => {
                bounds[0] *= 1.0 - part;
                bounds[1] += (1.0 - bounds[1]) * part;
            }
            Self::Standing {
                goal: Goal::Rank(rank),
                ..
            } => {
                *rank = rank.saturating_add((part * f64::from(u32::MAX).sqrt()) as u32);
            }
            Self::Keep { kept, .. } => *kept *= 1.0 - part,
            Self::Standing { .. } | Self::Back { .. } | Self::Lines(_) | Self::Total { .. } => {
                return None;
            }
        }
        Some(self)
    }
}

fn having_share(scenario: &Scenario, node: NodeId) -> Result<NodeId, SiteGoalError> {
    let none = || SiteGoalError::NoShare(path_for_people(scenario.tree(), node));
    let has_share = scenario.tree().shares(node).count().is_some();
    let share = share_in(scenario, node);
    share.filter(|_| has_share).map(|_| node).ok_or_else(none)
}

fn standing(scenario: &Scenario, node: NodeId, goal: Goal) -> Result<Aim, SiteGoalError> {
    let (policy, tree) = (scenario.policy(), scenario.tree());
    solve::check(policy, tree, scenario.evaluation(), node, goal)?;
    Ok(Aim::Standing { node, goal })
}

/// Parses `25%`, `0.25` or `64 of 512 nodes` into the portion, how far one that equals it may be off, a twentieth of its last
/// digit, and the whole, if there is one.
fn portion(text: &str) -> Option<(f64, f64, Option<f64>)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (digits, unit, whole) = match words[..] {
        // A word after the number says what is counted.
        [part, "of", whole] | [part, "of", whole, _] => {
            let whole = whole.parse().ok()?;
            (part, whole, Some(whole))
        }
        _ => match text.strip_suffix('%') {
            Some(percent) => (percent.trim(), 100.0, None),
            None => (text.trim(), 1.0, None),
        },
    };
    let decimals = digits.split_once('.').map_or(0, |(_, it)| it.len());
    let share = digits.parse::<f64>().ok()? / unit;
    let near = 0.05 * 0.1_f64.powi(i32::try_from(decimals).ok()?) / unit;
    let is_portion = share > 0.0 && share <= 1.0 && unit.is_finite();
    is_portion.then_some((share, near, whole))
}
