//! A job_sort_formula of PBS.
//!
//! Follows OpenPBS 23.06: `formula_evaluate` (`src/scheduler/job_info.cpp`), `validate_job_formula` of the server, and
//! Python 3 for the meaning of a formula. PBS prints every number into the text of a Python dictionary (fairshare with
//! six decimals, resources without trailing zeros). It lets Python evaluate the formula with all of `math` imported by
//! name, and stores the result in a 32-bit float. If Python raises an exception the value is 0.
//!
//! Of Python's language fairscope supports numbers, arithmetic, comparisons, `and`, `or`, `not`, `a if c else b` and
//! functions of numbers. Everything else is refused and never guessed at.

mod eval;
mod function;
mod number;
mod parse;
mod token;

pub use number::EvalError;
pub use token::{FormulaError, Span};
use token::{Token, TokenKind};

use super::column::column_ids;
use super::evaluation::{NumberColumn, Numbers, Presence};
use super::pbs::{self, rank};
use super::target::Portions;
use super::{ColumnId, Evaluation, Policy, PolicyTraits, Precedence};
use crate::base::number::Value;
use crate::base::shown::Shown;
use crate::model::{JOB_RESOURCES, Kind, NodeId, Settings, Tree};
use number::Number;
use parse::Instruction;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) const TRAITS: PolicyTraits = PolicyTraits {
    columns: column_ids![FairsharePerc FairshareTreeUsage FairshareFactor FormulaValue WalkRank],
    extra: column_ids![GroupPercentage UsageOverPerc GroupId],
    usual: column_ids![
        Shares FairsharePerc Usage FairshareTreeUsage FairshareFactor FormulaValue Rank
    ],
    settings: &["job_sort_formula", "unknown_shares", "fair_share"],
    factor: ColumnId::FormulaValue,
    factor_help: "What the formula gives; the higher runs first",
    portions: Portions::OfTree(ColumnId::FairsharePerc),
    precedence: Precedence::Factor(ColumnId::FormulaValue),
    evaluate,
};

/// The key of the formula in the settings.
pub const FORMULA: &str = "job_sort_formula";

/// The names by which PBS gives a formula what it knows of a job's entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keyword {
    Perc,
    TreeUsage,
    Factor,
}

/// The deprecated name of `fairshare_perc`, which PBS still accepts.
const DEPRECATED: &str = "fair_share_perc";

/// The formula with which PBS orders jobs as the policy `pbs` does.
const FACTOR: &str = "fairshare_factor";

const KEYWORDS: &[(&str, Keyword)] = &[
    ("fairshare_perc", Keyword::Perc),
    ("fairshare_tree_usage", Keyword::TreeUsage),
    (FACTOR, Keyword::Factor),
    (DEPRECATED, Keyword::Perc),
];

/// The properties of a job that PBS gives as whole numbers. Resources may have decimals.
const WHOLE: &str = "accrue_type eligible_time job_priority queue_priority";

impl Keyword {
    fn named(name: &str) -> Option<Self> {
        let found = KEYWORDS.iter().find(|(known, _)| *known == name);
        found.map(|&(_, keyword)| keyword)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Name {
    Keyword(Keyword),
    Resource(String),
}

fn is_resource(name: &str, job: &BTreeMap<String, f64>) -> bool {
    JOB_RESOURCES.contains(&name) || job.contains_key(name)
}

/// Returns every name that a formula should use, the common ones first.
fn names(job: &BTreeMap<String, f64>) -> impl Iterator<Item = &str> {
    let keywords = KEYWORDS.iter().map(|&(name, _)| name);
    let keywords = keywords.filter(|&name| name != DEPRECATED);
    let known = JOB_RESOURCES.iter().copied();
    keywords.chain(known).chain(job.keys().map(String::as_str))
}

/// A parsed formula.
#[derive(Clone, Debug, Default)]
pub struct Formula {
    text: String,
    steps: Vec<Instruction>,
    /// The names it uses, each once.
    names: Vec<Name>,
    /// Where names occur in the text, by their place among the names.
    uses: Vec<(usize, Span)>,
}

/// Why `fairshare_usage_res` has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each variant says what it is")]
pub enum UsageFormulaError {
    #[error("{0}")]
    Syntax(Shown),
    #[error("it depends on fairshare")]
    Fairshare,
}

/// The inputs of a formula: a node's fairshare, and a job.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// The node's target, as a part of the whole tree.
    pub fairshare_perc: f32,
    /// The node's effective usage.
    pub fairshare_tree_usage: f32,
    /// 2^-(effective usage / target).
    pub fairshare_factor: f64,
    /// The amounts that the job requests, by name; missing ones are 0.
    pub job: &'a BTreeMap<String, f64>,
}

impl<'a> Inputs<'a> {
    /// Returns the inputs of a formula that names no fairshare.
    pub const fn of_job(job: &'a BTreeMap<String, f64>) -> Self {
        Self {
            fairshare_perc: 0.0,
            fairshare_tree_usage: 0.0,
            fairshare_factor: 0.0,
            job,
        }
    }

    /// Returns the inputs of a node under an evaluation that has PBS's numbers, or `None` for nodes without them.
    pub fn of(numbers: &Evaluation, node: NodeId, job: &'a BTreeMap<String, f64>) -> Option<Self> {
        let single = |column| match numbers.value(column, node) {
            Value::Single(number) => Some(number),
            _ => None,
        };
        Some(Self {
            fairshare_perc: single(ColumnId::FairsharePerc)?,
            fairshare_tree_usage: single(ColumnId::FairshareTreeUsage)?,
            fairshare_factor: numbers.number(ColumnId::FairshareFactor, node)?,
            job,
        })
    }

    /// Returns the number of a name, as in the dictionary that PBS writes.
    fn number(&self, name: &Name) -> Number {
        match name {
            Name::Keyword(keyword) => Number::Float(rank::printed(match keyword {
                Keyword::Perc => f64::from(self.fairshare_perc),
                Keyword::TreeUsage => f64::from(self.fairshare_tree_usage),
                Keyword::Factor => self.fairshare_factor,
            })),
            Name::Resource(name) => {
                let amount = self.job.get(name).copied().unwrap_or(0.0);
                resource(amount, WHOLE.split(' ').any(|whole| whole == name))
            }
        }
    }
}

/// Returns the amount of a resource as PBS writes it: up to four decimals, without trailing zeros.
fn resource(amount: f64, is_whole: bool) -> Number {
    let amount = if is_whole { amount.trunc() } else { amount };
    let printed = format!("{amount:.4}");
    let printed = printed.trim_end_matches('0');
    match printed.strip_suffix('.') {
        Some(whole) => whole.parse().map_or(Number::Float(amount), Number::Int),
        None => Number::Float(printed.parse().unwrap_or(amount)),
    }
}

impl Formula {
    /// Parses the formula of the settings.
    pub fn of(settings: &Settings) -> Result<Self, FormulaError> {
        Self::parse(settings.formula.text(), &settings.formula.resources)
    }

    /// Parses `fairshare_usage_res`, in which any name may be a resource of the site.
    pub fn of_usage(text: &str) -> Result<Self, UsageFormulaError> {
        let words = text.split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
        let words = words.map(|word| (word.to_owned(), 0.0)).collect();
        let formula = Self::parse(text, &words)
            .map_err(|error| UsageFormulaError::Syntax(error.sentence()))?;
        if formula.names_fairshare() {
            return Err(UsageFormulaError::Fairshare);
        }
        Ok(formula)
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether it uses `fair_share_perc`, the deprecated name of `fairshare_perc`.
    pub fn is_deprecated(&self) -> bool {
        let mut uses = self.uses.iter();
        uses.any(|(_, span)| self.text[span.start..span.end] == *DEPRECATED)
    }

    /// Returns the resources of the job that the formula names.
    pub fn resources(&self) -> impl Iterator<Item = &str> {
        self.names.iter().filter_map(|name| match name {
            Name::Resource(name) => Some(name.as_str()),
            Name::Keyword(_) => None,
        })
    }

    /// Returns whether the formula names a fairshare number.
    pub fn names_fairshare(&self) -> bool {
        let is_keyword = |name: &Name| matches!(name, Name::Keyword(_));
        self.names.iter().any(is_keyword)
    }

    /// Returns the value as PBS stores it. Fails where Python raises an exception, or PBS's value cannot be told.
    pub fn value(&self, inputs: &Inputs<'_>) -> Result<f32, EvalError> {
        let numbers: Vec<Number> = self.names.iter().map(|name| inputs.number(name)).collect();
        self.stored(&numbers, &mut Vec::new())
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "PBS stores the value of a formula in a 32-bit float"
    )]
    fn stored(&self, numbers: &[Number], stack: &mut Vec<Number>) -> Result<f32, EvalError> {
        let value = eval::value(&self.steps, numbers, stack)?;
        Ok(value.as_f64() as f32)
    }

    /// Returns the text with numbers in place of names.
    pub fn with_numbers(&self, inputs: &Inputs<'_>) -> String {
        let mut text = String::new();
        let mut end = 0;
        for &(name, span) in &self.uses {
            text.push_str(&self.text[end..span.start]);
            let name = &self.names[name];
            let number = match (name, inputs.number(name)) {
                (Name::Keyword(_), number) => format!("{:.6}", number.as_f64()),
                (_, Number::Int(whole)) => whole.to_string(),
                (_, Number::Float(number)) => number.to_string(),
            };
            text.push_str(&number);
            end = span.end;
        }
        text.push_str(&self.text[end..]);
        text
    }
}

/// Returns a formula with other names in place of all that are not PBS's or Python's own. `None` for a text that is none.
pub(crate) fn renamed(text: &str, rename: impl Fn(&str) -> String) -> Option<String> {
    let is_own = |word: &str| {
        let mut functions = function::FUNCTIONS.iter();
        let mut constants = function::CONSTANTS.iter();
        Keyword::named(word).is_some()
            || JOB_RESOURCES.contains(&word)
            || parse::RESERVED.contains(&word)
            || functions.any(|(known, _)| *known == word)
            || constants.any(|(known, _)| *known == word)
    };
    let mut made = String::new();
    let mut end = 0;
    for Token { kind, span } in token::tokens(text).ok()? {
        // Between tokens there are only blanks.
        made.push_str(&text[end..span.start]);
        match kind {
            TokenKind::Word(word) if !is_own(word) => made.push_str(&rename(word)),
            _ => made.push_str(&text[span.start..span.end]),
        }
        end = span.end;
    }
    Some(made)
}

/// Returns the policy by which PBS orders jobs under the `job_sort_formula` of the settings.
pub(super) fn order(settings: &Settings) -> Policy {
    let Some(text) = &settings.formula.set else {
        return Policy::PbsWalk;
    };
    let is_word = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let mut words = text.split(|char| !is_word(char));
    let names_fairshare = words.any(|word| Keyword::named(word).is_some());
    match (text.trim() == FACTOR, names_fairshare) {
        (true, _) => Policy::Pbs,
        (false, true) => Policy::Formula,
        (false, false) => Policy::PbsWalk,
    }
}

/// Computes PBS's columns, and for every user the value of the formula and the resulting rank. If the formula cannot be
/// parsed there are no values and ranks. A user whose value fairscope cannot tell has neither.
fn evaluate(tree: &Tree, settings: &Settings) -> Evaluation {
    by_value(pbs::numbers(tree), tree, settings)
}

/// Ranks users by the value of the formula.
pub(super) fn by_value(evaluation: Evaluation, tree: &Tree, settings: &Settings) -> Evaluation {
    let formula = Formula::of(settings).ok();
    let values = formula.and_then(|formula| values(&formula, tree, settings, &evaluation));
    let values = values.unwrap_or_else(|| vec![None; tree.node_count()]);
    let known: Vec<bool> = values.iter().map(Option::is_some).collect();
    let values = values.into_iter().map(|value| value.unwrap_or(f32::NAN));
    let values: Vec<f32> = values.collect();
    let walk_ranks = evaluation.ranks_of(ColumnId::WalkRank);
    let (mut ranks, _) = rank::ranks(|position| values[position], walk_ranks);
    for (rank, is_known) in ranks.iter_mut().zip(&known) {
        if !is_known {
            *rank = 0;
        }
    }
    let value = NumberColumn::singles(ColumnId::FormulaValue, values);
    let columns = vec![
        value.at(Presence::Marked(Arc::new(known))),
        NumberColumn::ranks(ColumnId::Rank, ranks),
    ];
    evaluation.with(columns)
}

/// Returns the value of every user by position, or `None` for accounts, blank nodes and unknown values.
fn values(
    formula: &Formula,
    tree: &Tree,
    settings: &Settings,
    evaluation: &Evaluation,
) -> Option<Vec<Option<f32>>> {
    let Some(Numbers::Single(targets)) = evaluation.numbers(ColumnId::FairsharePerc) else {
        return None;
    };
    let Some(Numbers::Single(usages)) = evaluation.numbers(ColumnId::FairshareTreeUsage) else {
        return None;
    };
    let Some(Numbers::Double(factors)) = evaluation.numbers(ColumnId::FairshareFactor) else {
        return None;
    };
    let inputs = |position: usize| Inputs {
        fairshare_perc: targets[position],
        fairshare_tree_usage: usages[position],
        fairshare_factor: factors[position],
        job: &settings.formula.resources,
    };
    // The job is the same for all users; only the numbers of the entity change.
    let names = formula.names.iter();
    let mut numbers: Vec<Number> = names.map(|name| inputs(0).number(name)).collect();
    let is_own = |&name: &usize| matches!(formula.names[name], Name::Keyword(_));
    let own: Vec<usize> = (0..numbers.len()).filter(is_own).collect();
    let mut stack = Vec::new();
    let mut value = |(position, &node): (usize, &NodeId)| {
        if tree.kind(node) != Kind::User || evaluation.is_blank(node) {
            return None;
        }
        for &name in &own {
            numbers[name] = inputs(position).number(&formula.names[name]);
        }
        match formula.stored(&numbers, &mut stack) {
            Ok(value) => Some(value),
            Err(error) => error.makes_zero().then_some(0.0),
        }
    };
    Some(tree.nodes().iter().enumerate().map(&mut value).collect())
}
