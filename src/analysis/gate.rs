//! Gates: conditions on the numbers of a tree under which a script stops, such as `gini > 0.6`.

use super::metrics::Fairness;
use crate::base::nearest::unknown;
use crate::base::number::readable;
use crate::base::shown::{Shown, shown_text};
use crate::base::table::table;
use crate::model::{Kind, NodeId, PathError, Tree, resolve};
use crate::scenario::Scenario;
use crate::trust::verify::{ColumnCheck, Verification};
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

/// An operator: its sign, its words, and which order of a value and a number it means.
type Relation = (&'static str, &'static str, fn(Ordering) -> bool);

const RELATIONS: [Relation; 6] = [
    ("<", "below", Ordering::is_lt),
    ("<=", "at most", Ordering::is_le),
    (">", "above", Ordering::is_gt),
    (">=", "at least", Ordering::is_ge),
    ("=", "equal to", Ordering::is_eq),
    ("!=", "not", Ordering::is_ne),
];

/// The units of a number, and how many of each 1 is.
const UNITS: [(&str, f64); 3] = [("%", 100.0), ("x", 1.0), ("", 1.0)];

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
        let is_sign = |byte: &u8| b"<>=!".contains(byte);
        let end = 1 + text.iter().rposition(is_sign)?;
        let name = text[..end].trim_ascii_end();
        let sign = name.iter().rev().take_while(|byte| is_sign(byte)).count();
        let (name, sign) = name.split_at(name.len() - sign);
        let name = name.trim_ascii_end();
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

/// Takes `served(physics)` apart; `None` if its bracket is not closed.
fn word_and_argument(name: &[u8]) -> Option<(&[u8], Option<&[u8]>)> {
    let Some(open) = name.iter().position(|&byte| byte == b'(') else {
        return Some((name, None));
    };
    let inside = name[open + 1..].strip_suffix(b")")?;
    Some((name[..open].trim_ascii_end(), Some(inside.trim_ascii())))
}

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
    pub(crate) unit: (&'static str, f64),
    /// The condition, its value and its number, as they were written.
    pub(crate) texts: [Shown; 3],
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
    extremes: OnceCell<[f64; 2]>,
    moved: OnceCell<usize>,
}

impl Measure {
    fn subject(self, argument: Option<&[u8]>, tree: &Tree) -> Result<Subject, GateError> {
        let refused = |what| Err(GateError::Argument(self.name(), what));
        match (self, argument) {
            (Self::Gini | Self::Jain, None | Some(b"users")) => Ok(Subject::Kind(Kind::User)),
            (Self::Gini | Self::Jain, Some(b"accounts")) => Ok(Subject::Kind(Kind::Account)),
            (Self::Gini | Self::Jain, Some(_)) => {
                refused("takes users or accounts in its brackets")
            }
            (Self::Served | Self::Rank, Some(node)) => Ok(Subject::Node(resolve(tree, node)?)),
            (Self::Served | Self::Rank, None) => {
                refused("needs a node in brackets, as in (physics)")
            }
            (_, None) => Ok(Subject::Tree),
            (_, Some(_)) => refused("is a value of the whole tree; leave out the brackets"),
        }
    }

    /// Returns whether a number with a unit fits, and what is expected.
    fn fits(self, number: f64, unit: &str) -> (bool, &'static str) {
        let (is_plain, is_percent) = (unit.is_empty(), unit == "%");
        match self {
            Self::Gini | Self::Jain => {
                let expected = "a number from 0 to 1, or a percentage";
                let is_percentage = is_percent && number <= 100.0;
                (is_percentage || is_plain && number <= 1.0, expected)
            }
            Self::Served => {
                let expected = "a multiple of the target, such as 0.5, 0.5x or 50%";
                (true, expected)
            }
            Self::Diluted | Self::Enriched => {
                // Without its unit, 1 was meant as 1%.
                let expected = "a percentage such as 1%, or a number below 1";
                (is_percent || is_plain && number < 1.0, expected)
            }
            _ => {
                let expected = "a whole number";
                (is_plain && number.fract() == 0.0, expected)
            }
        }
    }
}

impl Gate {
    /// Reads `gini > 0.6`, `gini(accounts) > 60%`, `served(physics) < 0.5`, `rank(alice) > 10`, `diluted > 1%`.
    pub fn parse(text: &[u8], tree: &Tree) -> Result<Self, GateError> {
        let text = text.trim_ascii();
        let form = || GateError::Form(shown_text(text));
        let Comparison {
            name,
            word,
            argument,
            sign,
            bound,
        } = Comparison::of(text).ok_or_else(form)?;
        let unknown = |what, word: &[u8], known: &[&str]| {
            GateError::Unknown(unknown(what, word, known.iter().copied()))
        };
        let measure = Measure::named(&String::from_utf8_lossy(word));
        let names: Vec<&str> = Measure::ALL.iter().map(|it| it.name()).collect();
        let measure = measure.ok_or_else(|| unknown("value", word, &names))?;
        let relation = RELATIONS.into_iter().find(|it| it.0.as_bytes() == sign);
        let signs = RELATIONS.map(|it| it.0);
        let relation = relation.ok_or_else(|| unknown("operator", sign, &signs))?;
        let words = String::from_utf8_lossy(bound);
        let mut units = UNITS.into_iter().filter(|unit| words.ends_with(unit.0));
        let unit = units.next().unwrap_or_default();
        let digits = &words[..words.len() - unit.0.len()];
        let number = digits.trim_end().parse().unwrap_or(f64::NAN);
        let (fits, expected) = measure.fits(number, unit.0);
        if !fits || !(0.0..f64::INFINITY).contains(&number) {
            let text = shown_text(bound);
            return Err(GateError::Number(text, measure.name(), expected));
        }
        Ok(Self {
            measure,
            subject: measure.subject(argument, tree)?,
            relation,
            number: number / unit.1,
            unit,
            texts: [text, name, bound].map(shown_text),
        })
    }

    /// Whether it compares a tree with what it was before the edits.
    pub fn needs_edits(&self) -> bool {
        let of_edits = [Measure::Diluted, Measure::Enriched, Measure::Movers];
        of_edits.contains(&self.measure)
    }

    /// Judges a scenario, for which so many lines of desired shares were left out. `extremes` gives the largest loss and
    /// gain of target of a node that was not edited. What several gates ask for is kept in `values`.
    pub fn judge(
        self,
        scenario: &Scenario,
        verification: &Verification,
        left_out: usize,
        values: &GateValues,
        extremes: impl Fn() -> [f64; 2],
    ) -> Judgement {
        let (policy, tree) = (scenario.policy(), scenario.tree());
        let evaluation = scenario.evaluation();
        let fairness = |kind| {
            let known = match kind {
                Kind::User | Kind::Others => &values.of_users,
                Kind::Account => &values.of_accounts,
            };
            known.get_or_init(|| Fairness::of(policy, tree, evaluation, kind))
        };
        let extremes = || *values.extremes.get_or_init(&extremes);
        let moved = || *values.moved.get_or_init(|| scenario.users_moved());
        let differing = verification.columns.iter().map(ColumnCheck::differing);
        let lists_all = tree.part().is_none();
        let value = match (self.measure, self.subject) {
            // These count users, of whom only some are listed.
            (Measure::Gini | Measure::Jain | Measure::Movers, _) if !lists_all => None,
            (Measure::Gini, Subject::Kind(kind)) => fairness(kind).gini,
            (Measure::Jain, Subject::Kind(kind)) => fairness(kind).jain,
            (Measure::Served, Subject::Node(node)) => policy.served(tree, evaluation, node),
            (Measure::Rank, Subject::Node(node)) => evaluation.best_rank(node).map(f64::from),
            (Measure::Diluted, _) => Some(extremes()[0]),
            (Measure::Enriched, _) => Some(extremes()[1]),
            (Measure::Movers, _) => Some(moved() as f64),
            _ if verification.is_conclusive() => Some(differing.sum::<usize>() as f64),
            _ => None,
        };
        // A loss of 1% leaves 99%: what is left has all digits, and 1 - 0.99 has fewer.
        let whole = match self.measure {
            Measure::Diluted => -1.0,
            Measure::Enriched => 1.0,
            _ => 0.0,
        };
        let read = |number: f64| readable(number + whole, policy.digits());
        let order = |value: f64| read(value).partial_cmp(&read(self.number));
        let is_true = |value| order(value).is_some_and(self.relation.2);
        Judgement {
            is_met: value.is_none_or(is_true),
            gate: self,
            value,
            left_out,
        }
    }
}
