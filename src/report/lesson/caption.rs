//! Sentences with places for numbers, which are computed where they are said.
//!
//! So no number of a lesson is typed: a sentence is true of whatever tree the lesson is played on. A node that the tree lacks
//! is an error of the lesson, found before it is played.

use crate::base::nearest::{unknown, unknown_of};
use crate::base::number::{Unit, Value, cell, grouped, ordinal};
use crate::base::shown::{Shown, sentence, shown, shown_text};
use crate::model::{NodeId, PathError, duration_for_people, resolve};
use crate::report::View;
use crate::report::render::column_widths::COLUMN_WIDTHS;
use crate::report::words::contention::whole;
use crate::report::words::explain::job_usage;
use crate::rules::clock::half_life;
use crate::rules::policy::{ColumnId, Policy};

/// A sentence with places for numbers: `suzy ranks {place group2/suzy}`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Caption {
    /// The line on which it begins, from 1.
    pub(super) line: u64,
    /// Words, and what is put between them.
    pieces: Vec<CaptionPart>,
}

/// A piece of a sentence.
#[derive(Clone, Debug, PartialEq)]
enum CaptionPart {
    /// Words as they are.
    Text(Shown),
    /// A number after the step.
    Now(CaptionQuantity),
    /// A number before the step.
    Before(CaptionQuantity),
    /// The key of an action, by its name.
    Key(&'static str),
    /// The rank of a node after the step, with the rank before it unless that is the same.
    Ranks(String),
}

/// What is put in the place of a word, with the paths of the nodes that it is about.
#[derive(Clone, Debug, PartialEq)]
enum CaptionQuantity {
    /// The number of a node in a column.
    Column(ColumnId, String),
    /// A column, summed over all users.
    Sum(ColumnId),
    /// The rank of a node in words: `3rd`.
    Place(String),
    /// The name of a node.
    Name(String),
    /// How many times as large a column of one node is as that of another.
    Ratio(ColumnId, String, String),
    /// The number of ranked users.
    Users,
    /// The title of the policy.
    Policy,
    /// A setting, by its key.
    Setting(String),
    /// The time in which half of the usage is forgotten, in words.
    HalfLife,
    /// A number of the job usage factor of a user.
    Jobs(&'static str, String),
}

/// What a sentence is said about, and to whom.
#[derive(Clone, Copy)]
pub struct Sides<'a> {
    /// The tree after the step.
    pub(crate) now: View<'a>,
    /// The tree before the step.
    pub(crate) before: View<'a>,
    /// Returns the key of an action, by its name.
    pub(crate) key: &'a dyn Fn(&str) -> Shown,
}

/// The words before what they take, as messages list them.
const FORMS: &str = "COLUMN PATH, was …, place PATH, ranks PATH, name PATH, sum COLUMN, ratio COLUMN PATH / PATH, users, policy, \
                     half_life, setting KEY, key ACTION; fairscope help lessons explains them under A lesson of your own";

/// The words of places for numbers that are no columns.
const WORDS: &[&str] = &[
    "was",
    "place",
    "ranks",
    "name",
    "sum",
    "ratio",
    "users",
    "policy",
    "half_life",
    "setting",
    "key",
    "jobs",
];

impl Caption {
    /// Reads a sentence.
    ///
    /// # Errors
    /// What is wrong with the first place for a number that is not understood.
    pub(super) fn parse(text: &str, line: u64, actions: &[&'static str]) -> Result<Self, Shown> {
        let mut pieces = Vec::new();
        // The lines of a file are wrapped where they are shown.
        let words: Vec<&str> = text.split_whitespace().collect();
        let sentence = words.join(" ");
        let mut rest = sentence.as_str();
        while let Some(at) = rest.find(['{', '}']) {
            let (before, place) = rest.split_at(at);
            push_text(&mut pieces, before);
            let Some(inner) = place.strip_prefix('{') else {
                return Err(without_counterpart("}"));
            };
            let Some((quantity, after)) = inner.split_once('}') else {
                return Err(without_counterpart("{"));
            };
            let piece = CaptionPart::parse(quantity.trim(), actions)?;
            pieces.push(piece);
            rest = after;
        }
        push_text(&mut pieces, rest);
        Ok(Self { line, pieces })
    }

    /// Returns the paths of the nodes that it is about.
    pub(super) fn paths(&self) -> Vec<&str> {
        let mut paths = Vec::new();
        for piece in &self.pieces {
            match piece {
                CaptionPart::Text(_) | CaptionPart::Key(_) => {}
                CaptionPart::Now(quantity) | CaptionPart::Before(quantity) => {
                    paths.extend(quantity.paths());
                }
                CaptionPart::Ranks(path) => paths.push(path),
            }
        }
        paths
    }

    /// Returns the sentence with its numbers.
    ///
    /// # Errors
    /// The path of a node that the tree does not have.
    pub(super) fn said(&self, sides: &Sides<'_>) -> Result<Shown, PathError> {
        let mut said = Shown::default();
        for piece in &self.pieces {
            said += &piece.said(sides)?;
        }
        Ok(said)
    }
}

/// Adds words as they are, if there are any.
fn push_text(pieces: &mut Vec<CaptionPart>, text: &str) {
    if !text.is_empty() {
        let words = shown_text(text.as_bytes());
        pieces.push(CaptionPart::Text(words));
    }
}

/// Returns the error for a brace alone.
fn without_counterpart(sign: &str) -> Shown {
    sentence!("a {sign} without its counterpart; write {{factor PATH}} for a number")
}

/// Returns the first word of a text, and what follows it.
fn first_word(text: &str) -> (&str, &str) {
    match text.split_once(' ') {
        Some((word, behind)) => (word, behind),
        None => (text, ""),
    }
}

impl CaptionPart {
    /// Reads what is between braces.
    ///
    /// # Errors
    /// What is not known, and what is.
    fn parse(place: &str, actions: &[&'static str]) -> Result<Self, Shown> {
        let earlier = place.strip_prefix("was ");
        let text = match earlier {
            Some(quantity) => quantity.trim_start(),
            None => place,
        };
        let (word, behind) = first_word(text);
        let path = behind.trim();
        if word == "key" {
            let action = known("action", path, actions)?;
            return Ok(Self::Key(action));
        }
        if word == "ranks" && earlier.is_none() && !path.is_empty() {
            return Ok(Self::Ranks(path.to_owned()));
        }
        let quantity = CaptionQuantity::parse(text)?;
        if earlier.is_some() {
            return Ok(Self::Before(quantity));
        }
        Ok(Self::Now(quantity))
    }

    /// Returns the piece with its numbers.
    ///
    /// # Errors
    /// The path of a node that the tree does not have.
    fn said(&self, sides: &Sides<'_>) -> Result<Shown, PathError> {
        let text = match self {
            Self::Text(text) => text.clone(),
            Self::Key(action) => (sides.key)(action),
            Self::Now(quantity) => quantity.shown(&sides.now)?,
            Self::Before(quantity) => quantity.shown(&sides.before)?,
            Self::Ranks(path) => {
                let before = place_of(&sides.before, path)?;
                let now = place_of(&sides.now, path)?;
                if before == now {
                    return Ok(sentence!("still ranks {now}"));
                }
                sentence!("ranks {now} instead of {before}")
            }
        };
        Ok(text)
    }
}

/// Returns the known word that a text is.
///
/// # Errors
/// The nearest known word.
pub(super) fn known(what: &str, text: &str, words: &[&'static str]) -> Result<&'static str, Shown> {
    for word in words {
        if *word == text {
            return Ok(word);
        }
    }
    let known = words.iter().copied();
    Err(unknown(what, text, known))
}

/// Returns the column of a name.
///
/// # Errors
/// The nearest known column.
pub(super) fn column(name: &str) -> Result<ColumnId, Shown> {
    for shape in COLUMN_WIDTHS {
        if shape.column.name() == name {
            return Ok(shape.column);
        }
    }
    Err(unknown("column", name, column_names().into_iter()))
}

/// Returns the names of all columns.
fn column_names() -> Vec<&'static str> {
    let mut names = Vec::new();
    for shape in COLUMN_WIDTHS {
        names.push(shape.column.name());
    }
    names.dedup();
    names
}

/// Returns the error for a word that no place for a number begins with, with the nearest one.
fn unknown_place(word: &str) -> Shown {
    let mut known = WORDS.to_vec();
    known.append(&mut column_names());
    unknown_of("place for a number", word, &known, FORMS)
}

/// Returns the node at a path; the empty path is the root.
///
/// # Errors
/// The path of a node that the tree does not have.
pub(super) fn node(view: &View<'_>, path: &str) -> Result<NodeId, PathError> {
    match resolve(view.tree, path.as_bytes()) {
        Ok(node) => Ok(node),
        Err(error) => Err(error.suggesting(view.tree)),
    }
}

/// Returns the column of a policy that has the same name: two policies may call a number of their own alike.
pub(super) fn under(policy: Policy, column: ColumnId) -> ColumnId {
    for &own in policy.columns() {
        if own.name() == column.name() {
            return own;
        }
    }
    column
}

impl CaptionQuantity {
    /// Returns the paths of the nodes that it is about.
    fn paths(&self) -> Vec<&str> {
        match self {
            Self::Column(_, path) | Self::Place(path) | Self::Name(path) | Self::Jobs(_, path) => {
                vec![path]
            }
            Self::Ratio(_, one, other) => vec![one, other],
            Self::Sum(_) | Self::Users | Self::Policy | Self::HalfLife | Self::Setting(_) => {
                Vec::new()
            }
        }
    }

    /// Reads what is named in a sentence.
    ///
    /// # Errors
    /// What is not known, and what is.
    fn parse(text: &str) -> Result<Self, Shown> {
        let (word, behind) = first_word(text);
        let rest = behind.trim();
        let path = rest.to_owned();
        let quantity = match word {
            "users" if rest.is_empty() => Self::Users,
            "policy" if rest.is_empty() => Self::Policy,
            "half_life" if rest.is_empty() => Self::HalfLife,
            "setting" => Self::Setting(path),
            "place" => Self::Place(path),
            "name" => Self::Name(path),
            "sum" => Self::Sum(column(rest)?),
            "jobs" => Self::jobs(rest)?,
            "ratio" => Self::ratio(rest)?,
            _ if rest.is_empty() => {
                let place = shown(text.as_bytes());
                return Err(sentence!(
                    "nothing to put in the place of {{{place}}} ({FORMS})"
                ));
            }
            name => match column(name) {
                Ok(column) => Self::Column(column, path),
                Err(_) => return Err(unknown_place(name)),
            },
        };
        Ok(quantity)
    }

    /// Reads a number of jobs and a node: `usage_user_current physics/ada`.
    ///
    /// # Errors
    /// What is not known, and what is.
    fn jobs(text: &str) -> Result<Self, Shown> {
        let (name, path) = first_word(text);
        let number = known("number of jobs", name, job_usage::NAMES)?;
        Ok(Self::Jobs(number, path.to_owned()))
    }

    /// Reads a column and two nodes: `usage physics / science`.
    ///
    /// # Errors
    /// What is not known, and what is.
    fn ratio(text: &str) -> Result<Self, Shown> {
        let (name, paths) = first_word(text);
        let Some((one, other)) = paths.split_once(" / ") else {
            return Err("a ratio needs two nodes; expected {ratio COLUMN PATH / PATH}".into());
        };
        let column = column(name)?;
        let one = one.to_owned();
        let other = other.to_owned();
        Ok(Self::Ratio(column, one, other))
    }

    /// Returns the number in words.
    ///
    /// # Errors
    /// The path of a node that the tree does not have.
    fn shown(&self, view: &View<'_>) -> Result<Shown, PathError> {
        let text = match self {
            Self::Column(column, path) => {
                let own = under(view.policy, *column);
                let node = node(view, path)?;
                let value = view.value(own, node);
                column_cell(value, own.unit())
            }
            Self::Sum(column) => sum(view, *column),
            Self::Place(path) => place_of(view, path)?,
            Self::Name(path) => {
                let node = node(view, path)?;
                view.label(node)
            }
            Self::Ratio(column, one, other) => {
                let one = number(view, *column, one)?;
                let other = number(view, *column, other)?;
                let ratio = Value::Double(one / other);
                cell(ratio, Unit::Times)
            }
            Self::Users => {
                let count = view.evaluation.user_count();
                grouped(count)
            }
            Self::Policy => view.policy.title().into(),
            Self::Setting(key) => {
                let setting = view.policy.setting(view.tree, view.settings, key);
                shown(setting.as_bytes())
            }
            Self::HalfLife => match half_life(view.settings) {
                Some(seconds) => duration_for_people(whole(seconds)),
                None => "none".into(),
            },
            Self::Jobs(name, path) => {
                let node = node(view, path)?;
                match job_usage::number(view, node, name) {
                    Some(number) => number,
                    None => "none".into(),
                }
            }
        };
        Ok(text)
    }
}

/// Returns a column, summed over all users.
fn sum(view: &View<'_>, column: ColumnId) -> Shown {
    let mut sum = 0.0;
    for user in view.tree.users() {
        let value = view.value(column, user);
        sum += value.as_f64().unwrap_or(0.0);
    }
    cell(Value::Double(sum), column.unit())
}

/// Returns the rank of the node at a path in words: `3rd`, or `none`.
///
/// # Errors
/// The path of a node that the tree does not have.
fn place_of(view: &View<'_>, path: &str) -> Result<Shown, PathError> {
    let node = node(view, path)?;
    match view.evaluation.rank(node) {
        Some(rank) => Ok(ordinal(rank as usize)),
        None => Ok("none".into()),
    }
}

/// Returns the number of the node at a path; NaN if it has none.
///
/// # Errors
/// The path of a node that the tree does not have.
fn number(view: &View<'_>, column: ColumnId, path: &str) -> Result<f64, PathError> {
    let own = under(view.policy, column);
    let node = node(view, path)?;
    let value = view.value(own, node);
    Ok(value.as_f64().unwrap_or(f64::NAN))
}

/// Returns a number in the form of its column, small portions with more digits.
pub(super) fn column_cell(value: Value, unit: Unit) -> Shown {
    if let Value::Count(count) = value {
        return grouped(count);
    }
    // With one decimal a small portion would seem the same before and after a step.
    if let Some(portion) = value.as_f64()
        && unit == Unit::Portion
        && (1e-5..0.01).contains(&portion)
    {
        return sentence!("{:.3}%", portion * 100.0);
    }
    cell(value, unit)
}
