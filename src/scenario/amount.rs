//! An amount as typed: absolute, or relative to the present value.

use super::EditError;
use crate::base::shown::{Shown, sentence, shown, shown_text};
use crate::model::{NodeId, Shares, Tree, Usage};

/// Up to here, 2^53, a double holds every whole number.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// 2^63, the first number of shares that does not fit into 64 bits with a sign.
const BEYOND: f64 = 9_223_372_036_854_775_808.0;

/// An amount: absolute, or relative to the present value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// `20`
    Exactly(f64),
    /// A whole number beyond those that a double holds exactly.
    Whole(i64),
    /// `+10`, `-10`
    More(f64),
    /// `*2`, `*0.5`
    Times(f64),
    /// `+20%`, `-10%`: of the present value.
    MorePercent(f64),
    /// `50% of level`: the portion of its level that a node gets.
    PercentOfLevel(f64),
    /// Slurm's `parent`.
    Parent,
}

/// Why a text is no amount.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each variant says what it is")]
pub enum AmountError {
    #[error("{0} is not an amount; expected a number such as 20, +10, *1.2, +20% or 50% of level")]
    Form(Shown),
    #[error(
        "{0}% of what? write +{0}% or -{0}% for a change by that much, or {0}% of level for a portion of the level"
    )]
    OfWhat(Shown),
}

impl Amount {
    /// Reads the text typed into a cell.
    pub fn parse(text: &str) -> Result<Self, AmountError> {
        let amount = text.trim();
        if let Some(percent) = amount.strip_suffix('%')
            && !percent.starts_with(['+', '-'])
            && number(percent).is_some()
        {
            return Err(AmountError::OfWhat(shown_text(percent.as_bytes())));
        }
        match Self::of(amount) {
            Some(amount) => Ok(amount),
            None => Err(AmountError::Form(shown(text.as_bytes()))),
        }
    }

    /// Returns the amount of a text; `None` if it is none.
    fn of(amount: &str) -> Option<Self> {
        if amount == "parent" {
            return Some(Self::Parent);
        }
        if let Some(before) = amount.strip_suffix("level") {
            let portion = before.trim_end().strip_suffix("of")?;
            let percent = portion.trim_end().strip_suffix('%')?;
            return Some(Self::PercentOfLevel(number(percent)?));
        }
        if let Some(percent) = amount.strip_suffix('%') {
            return Some(Self::MorePercent(signed(percent)?));
        }
        if amount.starts_with(['+', '-']) {
            return Some(Self::More(signed(amount)?));
        }
        if let Some(times) = amount.strip_prefix('*') {
            return Some(Self::Times(number(times)?));
        }
        let exactly = number(amount)?;
        match amount.parse() {
            Ok(whole) if exactly.abs() > EXACT => Some(Self::Whole(whole)),
            _ => Some(Self::Exactly(exactly)),
        }
    }

    /// Returns a node's shares after the change, rounded. `50% of level` is half of it while its siblings keep theirs.
    pub fn shares(self, tree: &Tree, node: NodeId) -> Result<Shares, EditError> {
        let shares = tree.shares(node).count();
        let now = shares.unwrap_or(0) as f64;
        let count = match self {
            Self::Parent => return Ok(Shares::PARENT),
            Self::Whole(count) => return Ok(Shares::new(count)),
            Self::Exactly(count) if count.fract() != 0.0 => {
                let count = sentence!("{count}");
                return Err(EditError::SharesPart(count));
            }
            Self::Exactly(count) => count,
            Self::More(more) => now + more,
            Self::Times(times) => now * times,
            Self::MorePercent(percent) => return more_percent(tree.shares(node), percent),
            Self::PercentOfLevel(percent) => {
                let siblings = shares_of_siblings(tree, node);
                let portion = percent / 100.0;
                let leaves_nothing = portion >= 1.0 && siblings > 0;
                if portion < 0.0 || leaves_nothing {
                    let percent = sentence!("{percent}");
                    return Err(EditError::Portion(percent));
                }
                if siblings > 0 {
                    siblings as f64 * portion / (1.0 - portion)
                } else {
                    now
                }
            }
        };
        Ok(Shares::new(whole(count)?))
    }

    /// Returns a node's usage after the change. It is relative to the usage that is shown: where the source states none of
    /// an account, to the sum of what is below.
    pub(crate) fn usage_of(self, tree: &Tree, node: NodeId) -> Result<Usage, EditError> {
        let now = tree.shown_usage(node);
        self.usage(now.unwrap_or(0.0))
    }

    /// Returns usage after the change of what it is now.
    pub(crate) fn usage(self, now: f64) -> Result<Usage, EditError> {
        let amount = match self {
            Self::Parent => return Err(EditError::Usage("parent".into())),
            Self::PercentOfLevel(percent) => {
                return Err(EditError::Usage(sentence!("{percent}% of level")));
            }
            Self::Exactly(amount) => amount,
            Self::Whole(amount) => amount as f64,
            Self::More(more) => now + more,
            Self::Times(times) => now * times,
            Self::MorePercent(percent) => now + now * percent / 100.0,
        };
        if amount < 0.0 || !amount.is_finite() {
            let amount = sentence!("{amount}");
            return Err(EditError::Usage(amount));
        }
        Ok(Usage::new(amount))
    }
}

/// Returns shares that are more by a percentage of what they are. It says so where that changes nothing.
fn more_percent(shares: Shares, percent: f64) -> Result<Shares, EditError> {
    let percent_text = sentence!("{percent:+}%");
    let Some(now) = shares.count() else {
        return Err(EditError::PercentOfParent(percent_text));
    };
    let exact = now as f64;
    let count = whole(exact + exact * percent / 100.0)?;
    if count == now && percent != 0.0 {
        return Err(EditError::NoWholeShare {
            percent: percent_text,
            shares: now,
        });
    }
    Ok(Shares::new(count))
}

/// Reads a finite number behind its sign.
fn signed(text: &str) -> Option<f64> {
    match text.strip_prefix('-') {
        Some(less) => Some(-number(less)?),
        None => number(text.strip_prefix('+')?),
    }
}

/// Reads a finite number. One sign is enough: `++5` is a typing error.
fn number(text: &str) -> Option<f64> {
    let digits = text.trim();
    if digits.starts_with('+') {
        return None;
    }
    let number: f64 = digits.parse().ok()?;
    number.is_finite().then_some(number)
}

/// Returns the sum of the shares of a node's siblings; 0 of the root.
fn shares_of_siblings(tree: &Tree, node: NodeId) -> i64 {
    let Some(parent) = tree.parent(node) else {
        return 0;
    };
    let mut sum = 0;
    for sibling in tree.children(parent) {
        if sibling != node {
            let shares = tree.shares(sibling).count();
            sum += shares.unwrap_or(0);
        }
    }
    sum
}

/// Rounds shares to the nearest whole number. The edit checks whether the scheduler can hold that many.
#[expect(clippy::cast_possible_truncation, reason = "checked first")]
pub(super) fn whole(count: f64) -> Result<i64, EditError> {
    let rounded = count.round();
    if rounded.abs() < BEYOND {
        Ok(rounded as i64)
    } else {
        Err(EditError::SharesBeyond)
    }
}
