//! Goals of a site: what its shares should keep, such as `share(physics) >= 25%`.

use super::bounds::Bounds;
use super::time::half_life_edit;
use crate::analysis::gate::Comparison;
use crate::analysis::solve::{self, Goal, GoalError, SolveError, share_in};
use crate::base::nearest::unknown;
use crate::base::shown::{Shown, shown, shown_text};
use crate::model::{
    DurationError, DurationForm, NodeId, PathError, path_for_people, resolve, seconds_of,
};
use crate::rules::clock::half_life;
use crate::scenario::{Scenario, root_or};
use std::borrow::Cow;

/// How goals with a word are written.
struct Form {
    word: &'static str,
    example: &'static str,
}

impl Form {
    /// Returns the form of goals with a word.
    const fn new(word: &'static str, example: &'static str) -> Self {
        Self { word, example }
    }
}

/// The forms of all goals.
const FORMS: [Form; 8] = [
    Form::new("share", "share(PATH) >= 25%"),
    Form::new("on-target", "on-target(PATH)"),
    Form::new("rank", "rank(USER) <= 3"),
    Form::new("ahead", "ahead(A, B)"),
    Form::new("back", "back(PATH) <= 3d"),
    Form::new("keep", "keep(PATH) or keep(others)"),
    Form::new("lines", "lines <= 5"),
    Form::new("total", "total = 1000 or total(PATH) = 1000"),
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
        bounds: Bounds,
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
        let trimmed = text.trim_ascii();
        let goal = WrittenGoal::of(trimmed, scenario)?;
        Ok(Self {
            text: shown_text(trimmed),
            aim: goal.aim()?,
        })
    }

    /// Returns the same goal with each of its nodes replaced by `moved`; `None` if that has none for one of them.
    pub(crate) fn moved(&self, moved: impl Fn(NodeId) -> Option<NodeId>) -> Option<Self> {
        let mut goal = self.clone();
        match &mut goal.aim {
            Aim::Share { node, .. }
            | Aim::Back { node, .. }
            | Aim::Keep {
                node: Some(node), ..
            } => {
                *node = moved(*node)?;
            }
            Aim::Standing { node, goal } => {
                *node = moved(*node)?;
                *goal = goal.moved(moved)?;
            }
            Aim::Total { account, .. } => *account = moved(*account)?,
            Aim::Keep { node: None, .. } | Aim::Lines(_) => {}
        }
        Some(goal)
    }
}

/// A goal in words that are not yet understood.
struct WrittenGoal<'a> {
    scenario: &'a Scenario,
    text: &'a [u8],
    form: &'static Form,
    /// Its parts. A goal that compares nothing has neither sign nor bound.
    parts: Comparison<'a>,
}

impl<'a> WrittenGoal<'a> {
    /// Takes a goal apart. Fails if no goal has its first word.
    fn of(text: &'a [u8], scenario: &'a Scenario) -> Result<Self, SiteGoalError> {
        let parts = match Comparison::of(text) {
            Some(parts) if !parts.bound.ends_with(b")") => Some(parts),
            _ => Comparison::without_bound(text),
        };
        let Some(parts) = parts else {
            return Err(SiteGoalError::Form(shown_text(text)));
        };
        for form in &FORMS {
            if form.word.as_bytes() == parts.word {
                return Ok(Self {
                    scenario,
                    text,
                    form,
                    parts,
                });
            }
        }
        let words = FORMS.iter().map(|form| form.word);
        Err(SiteGoalError::Unknown(unknown("goal", parts.word, words)))
    }

    /// Returns what it asks for.
    fn aim(&self) -> Result<Aim, SiteGoalError> {
        match (self.form.word, self.parts.sign) {
            ("share", b">=" | b"<=" | b"=") => self.share(),
            ("on-target", b"") => self.standing(self.node()?, Goal::OnTarget),
            ("rank", b"<" | b"<=") => self.rank(),
            ("ahead", b"") => self.ahead(),
            ("back", b"<=") => self.back(),
            ("keep", b"") => self.keep(),
            ("lines", b"<=") if self.parts.argument.is_none() => {
                Ok(Aim::Lines(self.whole()? as usize))
            }
            ("total", b"=") => self.total(),
            _ => Err(self.incomplete()),
        }
    }

    /// Returns the aim of a goal about a node's portion of the tree.
    fn share(&self) -> Result<Aim, SiteGoalError> {
        let node = self.having_share(self.node()?)?;
        let Some(portion) = portion(&self.number()) else {
            return Err(SiteGoalError::Share(shown(self.parts.bound)));
        };
        let mut bounds = Bounds {
            least: portion.share,
            most: portion.share,
        };
        match self.parts.sign {
            b">=" => bounds.most = 1.0,
            b"<=" => bounds.least = 0.0,
            _ => {
                bounds.least -= portion.near;
                bounds.most += portion.near;
            }
        }
        Ok(Aim::Share {
            node,
            bounds,
            whole: portion.whole,
        })
    }

    /// Returns the aim of a goal about the rank of a user.
    fn rank(&self) -> Result<Aim, SiteGoalError> {
        let node = self.node()?;
        let rank = [b"rank", self.parts.sign, self.parts.bound].concat();
        let goal = Goal::parse(&rank, self.scenario.tree())?;
        self.standing(node, goal)
    }

    /// Returns the aim of a goal that one node is ahead of another.
    fn ahead(&self) -> Result<Aim, SiteGoalError> {
        let names = self.argument()?;
        let Some(comma) = names.iter().position(|&byte| byte == b',') else {
            return Err(self.incomplete());
        };
        let other = self.below_root(names[comma + 1..].trim_ascii())?;
        let one = self.below_root(names[..comma].trim_ascii())?;
        self.standing(one, Goal::AheadOf(other))
    }

    /// Returns the aim of a goal about the time until a node is back at its share.
    fn back(&self) -> Result<Aim, SiteGoalError> {
        let node = self.having_share(self.node()?)?;
        let seconds = seconds_of(&self.number(), DurationForm::Common)?;
        if seconds == 0 {
            return Err(SiteGoalError::NoTime);
        }
        let settings = self.scenario.settings();
        let Some(present) = half_life(settings) else {
            return Err(SiteGoalError::NoHalfLife);
        };
        match half_life_edit(settings, present) {
            Some(_) => Ok(Aim::Back { node, seconds }),
            None => Err(SiteGoalError::NoHalfLife),
        }
    }

    /// Returns the aim of a goal that a node, or everybody else, keeps its share.
    fn keep(&self) -> Result<Aim, SiteGoalError> {
        let node = match self.argument()? {
            b"others" => None,
            path => Some(self.having_share(self.below_root(path)?)?),
        };
        Ok(Aim::Keep { node, kept: KEPT })
    }

    /// Returns the aim of a goal about the sum of a level.
    fn total(&self) -> Result<Aim, SiteGoalError> {
        let account = match self.parts.argument {
            Some(path) => resolve(self.scenario.tree(), root_or(path))?,
            None => NodeId::ROOT,
        };
        let sum = i64::from(self.whole()?);
        Ok(Aim::Total { account, sum })
    }

    /// Returns the error for a goal that lacks a part.
    fn incomplete(&self) -> SiteGoalError {
        SiteGoalError::Incomplete(shown_text(self.text), self.form.example)
    }

    /// Returns what is in brackets after its word.
    fn argument(&self) -> Result<&'a [u8], SiteGoalError> {
        self.parts.argument.ok_or_else(|| self.incomplete())
    }

    /// Returns the node in brackets.
    fn node(&self) -> Result<NodeId, SiteGoalError> {
        self.below_root(self.argument()?)
    }

    /// Returns the node with a path. Fails for the root.
    fn below_root(&self, path: &[u8]) -> Result<NodeId, SiteGoalError> {
        match resolve(self.scenario.tree(), root_or(path))? {
            NodeId::ROOT => Err(SolveError::Root.into()),
            node => Ok(node),
        }
    }

    /// Returns a node, and fails if it has no share of its own.
    fn having_share(&self, node: NodeId) -> Result<NodeId, SiteGoalError> {
        let tree = self.scenario.tree();
        if tree.shares(node).count().is_none() || share_in(self.scenario, node).is_none() {
            return Err(SiteGoalError::NoShare(path_for_people(tree, node)));
        }
        Ok(node)
    }

    /// Returns the aim that a node reaches a goal, and fails if it cannot have one.
    fn standing(&self, node: NodeId, goal: Goal) -> Result<Aim, SiteGoalError> {
        let scenario = self.scenario;
        let evaluation = scenario.evaluation();
        solve::check(scenario.policy(), scenario.tree(), evaluation, node, goal)?;
        Ok(Aim::Standing { node, goal })
    }

    /// Returns the text of its bound.
    fn number(&self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.parts.bound)
    }

    /// Returns its bound as a whole number from 1 up.
    fn whole(&self) -> Result<u32, SiteGoalError> {
        match self.number().replace(['_', ','], "").parse() {
            Ok(count) if count > 0 => Ok(count),
            _ => {
                let bound = shown(self.parts.bound);
                Err(SiteGoalError::Whole(bound, self.form.word))
            }
        }
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
                bounds.least *= 1.0 - part;
                bounds.most += (1.0 - bounds.most) * part;
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

/// A share as it is written in a goal.
struct WrittenPortion {
    share: f64,
    /// How far a share that equals it may be off: a twentieth of its last digit.
    near: f64,
    /// How much the whole is. `None` if the text does not say it.
    whole: Option<f64>,
}

/// Parses `25%`, `0.25` or `64 of 512 nodes`. `None` for other texts, and for what is no portion.
fn portion(text: &str) -> Option<WrittenPortion> {
    let mut whole = None;
    let mut unit = 1.0;
    let words: Vec<&str> = text.split_whitespace().collect();
    let digits = match words[..] {
        // A word after the number says what is counted.
        [part, "of", all] | [part, "of", all, _] => {
            unit = all.parse().ok()?;
            whole = Some(unit);
            part
        }
        _ => match text.strip_suffix('%') {
            Some(percent) => {
                unit = 100.0;
                percent.trim()
            }
            None => text.trim(),
        },
    };
    let decimals = match digits.split_once('.') {
        Some((_, decimals)) => i32::try_from(decimals.len()).ok()?,
        None => 0,
    };
    let share = digits.parse::<f64>().ok()? / unit;
    let is_portion = share > 0.0 && share <= 1.0 && unit.is_finite();
    is_portion.then_some(WrittenPortion {
        share,
        near: 0.05 * 0.1_f64.powi(decimals) / unit,
        whole,
    })
}
