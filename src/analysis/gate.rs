//! Gates: conditions on the numbers of a tree under which a script stops, such as `gini > 0.6`.

use super::impact::Impact;
use super::metrics::Fairness;
use crate::base::nearest::unknown;
use crate::base::number::readable;
use crate::base::shown::{Shown, shown_text};
use crate::base::table::table;
use crate::model::{Kind, NodeId, PathError, Tree, resolve};
use crate::scenario::Scenario;
use crate::trust::verify::Verification;
use std::cell::OnceCell;
use std::cmp::Ordering;

table! {
    /// A value that a gate limits.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Measure {
        Gini, "gini", "Gini coefficient of the served ratios of the users; 0 if all are equal";
        Jain, "jain", "Jain's index of the served ratios of the users; 1 if all are equal";
        Served, "served", "Served ratio of a node";
        Rank, "rank", "Rank of a user, or the best rank in an account";
        Diluted, "diluted", "Largest loss of target share of a node that was not edited";
        Enriched, "enriched", "Largest gain of target share of a node that was not edited";
        Movers, "movers", "Number of users whose rank changed";
        Contradictions, "contradictions", "Number of printed values that differ from the computed ones";
    }
}

/// An operator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relation {
    sign: &'static str,
    pub(crate) words: &'static str,
    /// Returns whether a value of this order to the number makes the condition true.
    is_true: fn(Ordering) -> bool,
}

impl Relation {
    /// The operators.
    const ALL: [Self; 6] = [
        Self::new("<", "below", Ordering::is_lt),
        Self::new("<=", "at most", Ordering::is_le),
        Self::new(">", "above", Ordering::is_gt),
        Self::new(">=", "at least", Ordering::is_ge),
        Self::new("=", "equal to", Ordering::is_eq),
        Self::new("!=", "not", Ordering::is_ne),
    ];

    /// Returns an operator.
    const fn new(sign: &'static str, words: &'static str, is_true: fn(Ordering) -> bool) -> Self {
        Self {
            sign,
            words,
            is_true,
        }
    }

    /// Returns the operator with a sign. The error names all.
    fn with_sign(sign: &[u8]) -> Result<Self, GateError> {
        for relation in Self::ALL {
            if relation.sign.as_bytes() == sign {
                return Ok(relation);
            }
        }
        let signs = Self::ALL.map(|relation| relation.sign);
        let error = unknown("operator", sign, signs.into_iter());
        Err(GateError::Unknown(error))
    }
}

/// The unit of a number, and how many of it 1 is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GateUnit {
    pub(crate) sign: &'static str,
    pub(crate) scale: f64,
}

impl GateUnit {
    const PERCENT: Self = Self {
        sign: "%",
        scale: 100.0,
    };
    const TIMES: Self = Self {
        sign: "x",
        scale: 1.0,
    };
    const NONE: Self = Self {
        sign: "",
        scale: 1.0,
    };

    /// Returns the unit at the end of a text.
    fn of(text: &str) -> Self {
        for unit in [Self::PERCENT, Self::TIMES] {
            if text.ends_with(unit.sign) {
                return unit;
            }
        }
        Self::NONE
    }
}

/// The parts of a comparison such as `served(physics) < 0.5`.
pub(super) struct Comparison<'a> {
    /// What stands before the operator.
    name: &'a [u8],
    pub(super) word: &'a [u8],
    /// What is in brackets after the word; `None` without brackets.
    pub(super) argument: Option<&'a [u8]>,
    pub(super) sign: &'a [u8],
    pub(super) bound: &'a [u8],
}

impl<'a> Comparison<'a> {
    /// Takes a comparison apart; `None` if it is none.
    pub(super) fn of(text: &'a [u8]) -> Option<Self> {
        // Names may hold the signs of operators, numbers none.
        let end = 1 + text.iter().rposition(|&byte| is_sign(byte))?;
        let name_and_sign = text[..end].trim_ascii_end();
        let mut length = name_and_sign.len();
        while length > 0 && is_sign(name_and_sign[length - 1]) {
            length -= 1;
        }
        let (before, sign) = name_and_sign.split_at(length);
        let name = before.trim_ascii_end();
        let (word, argument) = word_and_argument(name)?;
        Some(Self {
            name,
            word,
            argument,
            sign,
            bound: text[end..].trim_ascii_start(),
        })
    }

    /// Takes a word and its argument apart that are compared with nothing; `None` if its bracket is not closed.
    pub(super) fn without_bound(name: &'a [u8]) -> Option<Self> {
        let (word, argument) = word_and_argument(name)?;
        Some(Self {
            name,
            word,
            argument,
            sign: b"",
            bound: b"",
        })
    }
}

/// Returns whether a byte is one of an operator.
fn is_sign(byte: u8) -> bool {
    b"<>=!".contains(&byte)
}

/// Takes `served(physics)` apart; `None` if its bracket is not closed.
fn word_and_argument(name: &[u8]) -> Option<(&[u8], Option<&[u8]>)> {
    let Some(open) = name.iter().position(|&byte| byte == b'(') else {
        return Some((name, None));
    };
    let inside = name[open + 1..].strip_suffix(b")")?;
    Some((name[..open].trim_ascii_end(), Some(inside.trim_ascii())))
}

/// What a value is of.
#[derive(Clone, Copy, Debug)]
enum Subject {
    Tree,
    Kind(Kind),
    Node(NodeId),
}

/// A condition under which a script stops.
#[derive(Clone, Debug)]
pub struct Gate {
    measure: Measure,
    subject: Subject,
    pub(crate) relation: Relation,
    pub(crate) number: f64,
    pub(crate) unit: GateUnit,
    /// The condition as it was written.
    pub(crate) text: Shown,
    /// Its value as it was written.
    pub(crate) name: Shown,
    /// Its number as it was written.
    pub(crate) bound: Shown,
}

/// Why a text is not a gate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each variant says what it is")]
pub enum GateError {
    #[error("'{0}' is not a condition; expected one such as gini > 0.6 or served(physics) < 0.5")]
    Form(Shown),
    #[error("{0}")]
    Unknown(Shown),
    #[error("{0} {1}")]
    Argument(&'static str, &'static str),
    #[error("'{0}' does not fit {1}; expected {2}")]
    Number(Shown, &'static str, &'static str),
    #[error(transparent)]
    Path(#[from] PathError),
}

/// A gate and its value. It is broken if its condition is true, or cannot be shown to be false: without a value, or if
/// lines of desired shares were left out.
#[derive(Clone, Debug)]
pub struct Judgement {
    pub(crate) gate: Gate,
    pub(crate) value: Option<f64>,
    /// Whether its condition is true, or its value unknown.
    pub(crate) is_met: bool,
    /// How many lines of desired shares were left out of the tree.
    pub(crate) left_out: usize,
}

impl Judgement {
    /// Whether the condition is true, or cannot be shown to be false.
    pub fn is_broken(&self) -> bool {
        self.is_met || self.left_out > 0
    }
}

/// The values of a scenario that several gates may ask for, each computed once.
#[derive(Debug, Default)]
pub struct GateValues {
    of_users: OnceCell<Fairness>,
    of_accounts: OnceCell<Fairness>,
    impact: OnceCell<Impact>,
}

impl Measure {
    /// Returns the measure with a name. The error names all.
    fn with_name(name: &[u8]) -> Result<Self, GateError> {
        if let Some(measure) = Self::named(&String::from_utf8_lossy(name)) {
            return Ok(measure);
        }
        let names = Self::ALL.iter().map(|measure| measure.name());
        Err(GateError::Unknown(unknown("value", name, names)))
    }

    /// Returns what it is of, given what is in brackets after it.
    fn subject(self, argument: Option<&[u8]>, tree: &Tree) -> Result<Subject, GateError> {
        match (self, argument) {
            (Self::Gini | Self::Jain, None | Some(b"users")) => Ok(Subject::Kind(Kind::User)),
            (Self::Gini | Self::Jain, Some(b"accounts")) => Ok(Subject::Kind(Kind::Account)),
            (Self::Gini | Self::Jain, Some(_)) => {
                self.refused("takes users or accounts in its brackets")
            }
            (Self::Served | Self::Rank, Some(node)) => Ok(Subject::Node(resolve(tree, node)?)),
            (Self::Served | Self::Rank, None) => {
                self.refused("needs a node in brackets, as in (physics)")
            }
            (_, None) => Ok(Subject::Tree),
            (_, Some(_)) => self.refused("is a value of the whole tree; leave out the brackets"),
        }
    }

    /// Refuses what is in brackets after it.
    fn refused(self, why: &'static str) -> Result<Subject, GateError> {
        Err(GateError::Argument(self.name(), why))
    }

    /// Returns whether a number with a unit fits.
    fn fits(self, number: f64, unit: GateUnit) -> bool {
        if number.is_nan() || number < 0.0 || number == f64::INFINITY {
            return false;
        }
        let is_plain = unit.sign.is_empty();
        let is_percent = unit.sign == "%";
        match self {
            Self::Gini | Self::Jain => is_percent && number <= 100.0 || is_plain && number <= 1.0,
            Self::Served => true,
            // Without its unit, 1 was meant as 1%.
            Self::Diluted | Self::Enriched => is_percent || is_plain && number < 1.0,
            Self::Rank | Self::Movers | Self::Contradictions => is_plain && number.fract() == 0.0,
        }
    }

    /// Returns the error for a number that does not fit.
    fn misfit(self, number: &[u8]) -> GateError {
        let name = self.name();
        let text = shown_text(number);
        match self {
            Self::Gini | Self::Jain => {
                GateError::Number(text, name, "a number from 0 to 1, or a percentage")
            }
            Self::Served => GateError::Number(
                text,
                name,
                "a multiple of the target, such as 0.5, 0.5x or 50%",
            ),
            Self::Diluted | Self::Enriched => {
                GateError::Number(text, name, "a percentage such as 1%, or a number below 1")
            }
            Self::Rank | Self::Movers | Self::Contradictions => {
                GateError::Number(text, name, "a whole number")
            }
        }
    }
}

impl Gate {
    /// Reads `gini > 0.6`, `gini(accounts) > 60%`, `served(physics) < 0.5`, `rank(alice) > 10`, `diluted > 1%`.
    pub fn parse(text: &[u8], tree: &Tree) -> Result<Self, GateError> {
        let condition = text.trim_ascii();
        let Some(parts) = Comparison::of(condition) else {
            return Err(GateError::Form(shown_text(condition)));
        };
        let measure = Measure::with_name(parts.word)?;
        let relation = Relation::with_sign(parts.sign)?;
        let bound = String::from_utf8_lossy(parts.bound);
        let unit = GateUnit::of(&bound);
        let digits = &bound[..bound.len() - unit.sign.len()];
        let number = digits.trim_end().parse().unwrap_or(f64::NAN);
        if !measure.fits(number, unit) {
            return Err(measure.misfit(parts.bound));
        }
        Ok(Self {
            measure,
            subject: measure.subject(parts.argument, tree)?,
            relation,
            number: number / unit.scale,
            unit,
            text: shown_text(condition),
            name: shown_text(parts.name),
            bound: shown_text(parts.bound),
        })
    }

    /// Whether it compares a tree with what it was before the edits.
    pub fn needs_edits(&self) -> bool {
        let of_edits = [Measure::Diluted, Measure::Enriched, Measure::Movers];
        of_edits.contains(&self.measure)
    }

    /// Judges a scenario, for which so many lines of desired shares were left out. What several gates ask for is kept in
    /// `values`.
    pub fn judge(
        self,
        scenario: &Scenario,
        verification: &Verification,
        left_out: usize,
        values: &GateValues,
    ) -> Judgement {
        let value = match self.measure {
            Measure::Contradictions => differing(verification),
            _ => self.value(scenario, values),
        };
        Judgement {
            is_met: match value {
                Some(value) => self.is_true_of(value, scenario.policy().digits()),
                None => true,
            },
            gate: self,
            value,
            left_out,
        }
    }

    /// Returns its value in a scenario. `None` if that is not known.
    fn value(&self, scenario: &Scenario, values: &GateValues) -> Option<f64> {
        let evaluation = scenario.evaluation();
        let lists_all = scenario.tree().part().is_none();
        match (self.measure, self.subject) {
            (Measure::Served, Subject::Node(node)) => {
                let policy = scenario.policy();
                policy.served(scenario.tree(), evaluation, node)
            }
            (Measure::Diluted, _) => Some(values.impact(scenario).dilution.largest_loss()),
            (Measure::Enriched, _) => Some(values.impact(scenario).dilution.largest_gain()),
            (Measure::Rank, Subject::Node(node)) => evaluation.best_rank(node).map(f64::from),
            // The others count users, of whom only some may be listed.
            (Measure::Gini, Subject::Kind(kind)) if lists_all => {
                values.fairness(scenario, kind).gini
            }
            (Measure::Jain, Subject::Kind(kind)) if lists_all => {
                values.fairness(scenario, kind).jain
            }
            (Measure::Movers, _) if lists_all => {
                Some(values.impact(scenario).moves.all.moved() as f64)
            }
            _ => None,
        }
    }

    /// Returns whether the condition is true of a value, as far as so many digits tell.
    fn is_true_of(&self, value: f64, digits: usize) -> bool {
        // A loss of 1% leaves 99%: what is left has all digits, and 1 - 0.99 has fewer.
        let whole = match self.measure {
            Measure::Diluted => -1.0,
            Measure::Enriched => 1.0,
            _ => 0.0,
        };
        let bound = readable(self.number + whole, digits);
        match readable(value + whole, digits).partial_cmp(&bound) {
            Some(order) => (self.relation.is_true)(order),
            None => false,
        }
    }
}

impl GateValues {
    /// Returns the impact of the edits.
    fn impact(&self, scenario: &Scenario) -> &Impact {
        self.impact.get_or_init(|| Impact::of(scenario))
    }

    /// Returns how fairly nodes of a kind are served.
    fn fairness(&self, scenario: &Scenario, kind: Kind) -> &Fairness {
        let known = match kind {
            Kind::User | Kind::Others => &self.of_users,
            Kind::Account => &self.of_accounts,
        };
        known.get_or_init(|| {
            let evaluation = scenario.evaluation();
            Fairness::of(scenario.policy(), scenario.tree(), evaluation, kind)
        })
    }
}

/// Returns how many printed values differ from the computed ones. `None` if that cannot be told.
fn differing(verification: &Verification) -> Option<f64> {
    if !verification.is_conclusive() {
        return None;
    }
    let mut differing = 0;
    for column in &verification.columns {
        differing += column.differing();
    }
    Some(differing as f64)
}
