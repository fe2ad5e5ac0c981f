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
use super::evaluation::{Numbers, Presence};
use super::pbs::rank::{self, RankedUsers};
use super::target::Portions;
use super::{ColumnId, Evaluation, Policy, PolicyTraits, Precedence, pbs};
use crate::base::number::Value;
use crate::base::shown::Shown;
use crate::model::{JOB_RESOURCES, NodeId, Settings, Tree};
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
    /// The target.
    Perc,
    /// The effective usage.
    TreeUsage,
    /// 2^-(effective usage / target).
    Factor,
}

/// The deprecated name of `fairshare_perc`, which PBS still accepts.
const DEPRECATED: &str = "fair_share_perc";

/// The formula with which PBS orders jobs as the policy `pbs` does.
const FACTOR: &str = "fairshare_factor";

/// The keywords by name, the deprecated one last.
const KEYWORDS: &[(&str, Keyword)] = &[
    ("fairshare_perc", Keyword::Perc),
    ("fairshare_tree_usage", Keyword::TreeUsage),
    (FACTOR, Keyword::Factor),
    (DEPRECATED, Keyword::Perc),
];

/// The properties of a job that PBS gives as whole numbers. Resources may have decimals.
const WHOLE: &[&str] = &[
    "accrue_type",
    "eligible_time",
    "job_priority",
    "queue_priority",
];

impl Keyword {
    /// Returns the keyword with a name, or `None` if it is another name.
    fn named(name: &str) -> Option<Self> {
        find(KEYWORDS, name).copied()
    }
}

/// Returns what a table has under a name.
fn find<'a, T>(table: &'a [(&str, T)], name: &str) -> Option<&'a T> {
    for (known, entry) in table {
        if *known == name {
            return Some(entry);
        }
    }
    None
}

/// A name in a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Name {
    /// A fairshare number of the entity.
    Keyword(Keyword),
    /// A property of the job, or an amount that it requests.
    Resource(String),
}

/// An occurrence of a name in the text.
#[derive(Clone, Copy, Debug)]
struct NameUse {
    /// The place of the name among those of the formula.
    name: usize,
    span: Span,
}

/// Returns whether a name is one of PBS's properties of a job, or of a resource that the job requests.
fn is_resource(name: &str, job: &BTreeMap<String, f64>) -> bool {
    JOB_RESOURCES.contains(&name) || job.contains_key(name)
}

/// Returns every name that a formula should use, the common ones first.
fn names(job: &BTreeMap<String, f64>) -> Vec<&str> {
    let mut names = Vec::new();
    for &(name, _) in KEYWORDS {
        if name != DEPRECATED {
            names.push(name);
        }
    }
    names.extend(JOB_RESOURCES);
    names.extend(job.keys().map(String::as_str));
    names
}

/// A parsed formula.
#[derive(Clone, Debug, Default)]
pub struct Formula {
    text: String,
    steps: Vec<Instruction>,
    /// The names it uses, each once.
    names: Vec<Name>,
    /// Where names occur, in the order of the text.
    uses: Vec<NameUse>,
}

/// Why `fairshare_usage_res` has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UsageFormulaError {
    /// It is no formula, for this reason.
    #[error("{0}")]
    Syntax(Shown),
    /// It names a fairshare number, which follows from usage.
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
    pub fn of_node(
        numbers: &Evaluation,
        node: NodeId,
        job: &'a BTreeMap<String, f64>,
    ) -> Option<Self> {
        Some(Self {
            fairshare_perc: single(numbers, ColumnId::FairsharePerc, node)?,
            fairshare_tree_usage: single(numbers, ColumnId::FairshareTreeUsage, node)?,
            fairshare_factor: numbers.number(ColumnId::FairshareFactor, node)?,
            job,
        })
    }

    /// Returns the number of a name, as in the dictionary that PBS writes.
    fn number(&self, name: &Name) -> Number {
        let keyword = match name {
            Name::Keyword(keyword) => keyword,
            Name::Resource(name) => {
                let amount = self.job.get(name).copied().unwrap_or(0.0);
                return resource(amount, WHOLE.contains(&name.as_str()));
            }
        };
        let number = match keyword {
            Keyword::Perc => self.fairshare_perc.into(),
            Keyword::TreeUsage => self.fairshare_tree_usage.into(),
            Keyword::Factor => self.fairshare_factor,
        };
        Number::Float(rank::printed(number))
    }
}

/// Returns the number of a node in a column of 32-bit floats.
fn single(numbers: &Evaluation, column: ColumnId, node: NodeId) -> Option<f32> {
    match numbers.value(column, node) {
        Value::Single(number) => Some(number),
        _ => None,
    }
}

/// Returns the amount of a resource as PBS writes it: up to four decimals, without trailing zeros.
fn resource(amount: f64, is_whole: bool) -> Number {
    let amount = if is_whole { amount.trunc() } else { amount };
    let decimals = format!("{amount:.4}");
    let printed = decimals.trim_end_matches('0');
    match printed.strip_suffix('.') {
        Some(whole) => whole.parse().map_or(Number::Float(amount), Number::Int),
        None => Number::Float(printed.parse().unwrap_or(amount)),
    }
}

/// Returns whether a character is part of a name.
fn is_of_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

impl Formula {
    /// Parses the formula of the settings.
    pub fn of_settings(settings: &Settings) -> Result<Self, FormulaError> {
        Self::parse(settings.formula.text(), &settings.formula.resources)
    }

    /// Parses `fairshare_usage_res`, in which any name may be a resource of the site.
    pub fn of_usage(text: &str) -> Result<Self, UsageFormulaError> {
        let mut resources = BTreeMap::new();
        for word in text.split(|char| !is_of_name(char)) {
            resources.insert(word.to_owned(), 0.0);
        }
        let formula = Self::parse(text, &resources)
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
        uses.any(|name_use| name_use.span.part(&self.text) == DEPRECATED)
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
        let mut names = self.names.iter();
        names.any(|name| matches!(name, Name::Keyword(_)))
    }

    /// Returns the value as PBS stores it. Fails where Python raises an exception, or PBS's value cannot be told.
    pub fn value(&self, inputs: &Inputs<'_>) -> Result<f32, EvalError> {
        let mut numbers = Vec::with_capacity(self.names.len());
        for name in &self.names {
            numbers.push(inputs.number(name));
        }
        self.stored(&numbers, &mut Vec::new())
    }

    /// Returns the value for numbers that are given by the place of their name.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "PBS stores the value of a formula in a 32-bit float"
    )]
    fn stored(&self, numbers: &[Number], stack: &mut Vec<Number>) -> Result<f32, EvalError> {
        let value = eval::value(&self.steps, numbers, stack)?;
        Ok(value.as_f64() as f32)
    }

    /// Returns the text with numbers instead of names.
    pub fn with_numbers(&self, inputs: &Inputs<'_>) -> String {
        let mut text = String::new();
        let mut end = 0;
        for &NameUse { name, span } in &self.uses {
            text.push_str(&self.text[end..span.start]);
            let name = &self.names[name];
            let number = inputs.number(name);
            let written = match (name, number) {
                (Name::Keyword(_), _) => format!("{:.6}", number.as_f64()),
                (Name::Resource(_), Number::Int(whole)) => whole.to_string(),
                (Name::Resource(_), Number::Float(number)) => number.to_string(),
            };
            text.push_str(&written);
            end = span.end;
        }
        text.push_str(&self.text[end..]);
        text
    }
}

/// Returns whether a word has a meaning of its own in every formula, to PBS or to Python.
fn is_known(word: &str) -> bool {
    Keyword::named(word).is_some()
        || JOB_RESOURCES.contains(&word)
        || parse::RESERVED.contains(&word)
        || find(function::FUNCTIONS, word).is_some()
        || find(function::CONSTANTS, word).is_some()
}

/// Returns a formula with other names instead of all that are not PBS's or Python's own. `None` for a text that is none.
pub(crate) fn renamed(text: &str, rename: impl Fn(&str) -> String) -> Option<String> {
    let mut made = String::new();
    let mut end = 0;
    for Token { kind, span } in token::tokens(text).ok()? {
        // Between tokens there are only blanks.
        made.push_str(&text[end..span.start]);
        match kind {
            TokenKind::Word(word) if !is_known(word) => made.push_str(&rename(word)),
            _ => made.push_str(span.part(text)),
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
    if text.trim() == FACTOR {
        return Policy::Pbs;
    }
    let mut words = text.split(|char| !is_of_name(char));
    if words.any(|word| Keyword::named(word).is_some()) {
        Policy::Formula
    } else {
        Policy::PbsWalk
    }
}

/// Computes PBS's columns, and for every user the value of the formula and the resulting rank. If the formula cannot be
/// parsed there are no values and ranks. A user whose value fairscope cannot tell has neither.
fn evaluate(tree: &Tree, settings: &Settings) -> Evaluation {
    by_value(pbs::numbers(tree), tree, settings)
}

/// Ranks users by the value of the formula.
pub(super) fn by_value(evaluation: Evaluation, tree: &Tree, settings: &Settings) -> Evaluation {
    let mut values = FormulaValues {
        values: vec![f32::NAN; tree.node_count()],
        are_known: vec![false; tree.node_count()],
    };
    if let Ok(formula) = Formula::of_settings(settings) {
        values.compute(&formula, tree, settings, &evaluation);
    }
    let FormulaValues { values, are_known } = values;
    let walk_ranks = evaluation.ranks_of(ColumnId::WalkRank);
    let mut ranks = RankedUsers::by_key(|position| values[position], walk_ranks).ranks;
    for (rank, &is_known) in ranks.iter_mut().zip(&are_known) {
        if !is_known {
            *rank = 0;
        }
    }
    let known = Presence::Marked(Arc::new(are_known));
    evaluation.with(vec![
        ColumnId::FormulaValue.singles(values).at(known),
        ColumnId::Rank.ranks(ranks),
    ])
}

/// The values of a formula, by position.
struct FormulaValues {
    /// NaN where it is unknown.
    values: Vec<f32>,
    /// Whether there is a value: for users, unless fairscope cannot tell it.
    are_known: Vec<bool>,
}

impl FormulaValues {
    /// Computes the value of every user that has PBS's numbers. Without their columns, none is known.
    fn compute(
        &mut self,
        formula: &Formula,
        tree: &Tree,
        settings: &Settings,
        evaluation: &Evaluation,
    ) {
        let targets = evaluation.numbers(ColumnId::FairsharePerc);
        let usages = evaluation.numbers(ColumnId::FairshareTreeUsage);
        let factors = evaluation.numbers(ColumnId::FairshareFactor);
        let (
            Some(Numbers::Single(targets)),
            Some(Numbers::Single(usages)),
            Some(Numbers::Double(factors)),
        ) = (targets, usages, factors)
        else {
            return;
        };
        // The job is the same for all users; only the numbers of the entity change.
        let job = Inputs::of_job(&settings.formula.resources);
        let mut numbers = Vec::new();
        let mut of_entity = Vec::new();
        for (place, name) in formula.names.iter().enumerate() {
            numbers.push(job.number(name));
            if matches!(name, Name::Keyword(_)) {
                of_entity.push(place);
            }
        }
        let mut stack = Vec::new();
        for (position, node) in tree.positions() {
            if !tree.is_user(node) || evaluation.is_blank(node) {
                continue;
            }
            let inputs = Inputs {
                fairshare_perc: targets[position],
                fairshare_tree_usage: usages[position],
                fairshare_factor: factors[position],
                ..job
            };
            for &place in &of_entity {
                numbers[place] = inputs.number(&formula.names[place]);
            }
            let value = match formula.stored(&numbers, &mut stack) {
                Ok(value) => value,
                Err(error) if error.makes_zero() => 0.0,
                Err(_) => continue,
            };
            self.values[position] = value;
            self.are_known[position] = true;
        }
    }
}
