//! Sentences with places for numbers, which are computed where they are said.

use crate::base::nearest::unknown;
use crate::base::number::{Unit, Value, cell, grouped, ordinal};
use crate::base::shown::{Shown, sentence, shown, shown_text};
use crate::model::{NodeId, PathError, resolve};
use crate::report::View;
use crate::report::render::column_widths::COLUMN_WIDTHS;
use crate::report::words::explain::job_usage;
use crate::rules::policy::{ColumnId, Policy};

/// A sentence with places for numbers: `suzy ranks {place group2/suzy}`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Caption {
    pub(super) line: u64,
    pieces: Vec<CaptionPart>,
}

#[derive(Clone, Debug, PartialEq)]
enum CaptionPart {
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

#[derive(Clone, Debug, PartialEq)]
enum CaptionQuantity {
    Column(ColumnId, String),
    /// A column, summed over all users.
    Sum(ColumnId),
    /// The rank of a node in words: `3rd`.
    Place(String),
    Name(String),
    /// How many times as large a column of one node is as that of another.
    Ratio(ColumnId, String, String),
    /// The number of ranked users.
    Users,
    Policy,
    Setting(String),
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
    pub(crate) key: &'a dyn Fn(&str) -> Shown,
}

/// The words before what they take, as messages list them.
const WORDS: &str = "COLUMN PATH, was …, place PATH, ranks PATH, name PATH, sum COLUMN, ratio COLUMN PATH / PATH, users, policy, \
                     setting KEY, key ACTION";

impl Caption {
    pub(super) fn parse(text: &str, line: u64, actions: &[&'static str]) -> Result<Self, Shown> {
        let mut pieces = Vec::new();
        // The lines of a file are wrapped where they are shown.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut rest = text.as_str();
        while let Some(at) = rest.find(['{', '}']) {
            let (before, place) = rest.split_at(at);
            pieces.push(CaptionPart::Text(shown_text(before.as_bytes())));
            let end = place.find('}').filter(|_| place.starts_with('{'));
            let Some(end) = end else {
                let sign = &place[..1];
                return Err(sentence!(
                    "a {sign} without its counterpart; write {{factor PATH}} for a number"
                ));
            };
            pieces.push(piece(place[1..end].trim(), actions)?);
            rest = &place[end + 1..];
        }
        pieces.push(CaptionPart::Text(shown_text(rest.as_bytes())));
        pieces.retain(|piece| !matches!(piece, CaptionPart::Text(text) if text.is_empty()));
        Ok(Self { line, pieces })
    }

    /// Returns the sentence with its numbers; an error if it names a node that the tree does not have.
    pub(super) fn said(&self, sides: &Sides<'_>) -> Result<Shown, PathError> {
        let mut said = Shown::default();
        for piece in &self.pieces {
            said += &match piece {
                CaptionPart::Text(text) => text.clone(),
                CaptionPart::Key(action) => (sides.key)(action),
                CaptionPart::Now(quantity) => quantity.shown(&sides.now)?,
                CaptionPart::Before(quantity) => quantity.shown(&sides.before)?,
                CaptionPart::Ranks(path) => {
                    let place = CaptionQuantity::Place(path.clone());
                    let [before, now] = [&sides.before, &sides.now].map(|side| place.shown(side));
                    match (before?, now?) {
                        (before, now) if before == now => sentence!("still ranks {now}"),
                        (before, now) => sentence!("ranks {now} in place of {before}"),
                    }
                }
            };
        }
        Ok(said)
    }
}

fn piece(place: &str, actions: &[&'static str]) -> Result<CaptionPart, Shown> {
    let before = place.strip_prefix("was ").map(str::trim_start);
    let place = before.unwrap_or(place);
    let (word, rest) = place.split_once(' ').unwrap_or((place, ""));
    let rest = rest.trim();
    let quantity = match (word, rest) {
        ("key", action) => {
            let mut known = actions.iter().copied();
            let key = known.find(|known| *known == action).map(CaptionPart::Key);
            return key.ok_or_else(|| unknown("action", action, actions.iter().copied()));
        }
        ("ranks", path) if before.is_none() && !path.is_empty() => {
            return Ok(CaptionPart::Ranks(path.to_owned()));
        }
        ("users", "") => CaptionQuantity::Users,
        ("policy", "") => CaptionQuantity::Policy,
        ("setting", key) => CaptionQuantity::Setting(key.to_owned()),
        ("place", path) => CaptionQuantity::Place(path.to_owned()),
        ("name", path) => CaptionQuantity::Name(path.to_owned()),
        ("sum", name) => CaptionQuantity::Sum(column(name)?),
        ("jobs", rest) => {
            let (name, path) = rest.split_once(' ').unwrap_or((rest, ""));
            let names = job_usage::NAMES;
            let known = names.iter().find(|known| **known == name);
            let known = known.ok_or_else(|| unknown("number of jobs", name, names.into_iter()))?;
            CaptionQuantity::Jobs(known, path.to_owned())
        }
        ("ratio", rest) => {
            let (name, paths) = rest.split_once(' ').unwrap_or((rest, ""));
            let Some((one, other)) = paths.split_once(" / ") else {
                return Err("a ratio needs two nodes; expected {ratio COLUMN PATH / PATH}".into());
            };
            CaptionQuantity::Ratio(column(name)?, one.to_owned(), other.to_owned())
        }
        (_, "") => {
            let place = shown(place.as_bytes());
            return Err(sentence!(
                "nothing to put in the place of {{{place}}} ({WORDS})"
            ));
        }
        (name, path) => CaptionQuantity::Column(column(name)?, path.to_owned()),
    };
    Ok(match before {
        Some(_) => CaptionPart::Before(quantity),
        None => CaptionPart::Now(quantity),
    })
}

pub(super) fn column(name: &str) -> Result<ColumnId, Shown> {
    let known = || COLUMN_WIDTHS.iter().map(|shape| shape.column);
    known().find(|column| column.name() == name).ok_or_else(|| {
        let mut names: Vec<&str> = known().map(ColumnId::name).collect();
        names.dedup();
        unknown("column", name, names.into_iter())
    })
}

/// Returns the node at a path; the empty path is the root.
pub(super) fn node(view: &View<'_>, path: &str) -> Result<NodeId, PathError> {
    resolve(view.tree, path.as_bytes()).map_err(|error| error.suggesting(view.tree))
}

/// Returns the column of a policy that has the same name: two policies may call a number of their own alike.
pub(super) fn under(policy: Policy, column: ColumnId) -> ColumnId {
    let mut columns = policy.columns().iter().copied();
    let same = columns.find(|other| other.name() == column.name());
    same.unwrap_or(column)
}

impl CaptionQuantity {
    fn shown(&self, view: &View<'_>) -> Result<Shown, PathError> {
        let number = |column: ColumnId, path: &str| {
            let value = view.value(under(view.policy, column), node(view, path)?);
            Ok::<f64, PathError>(value.as_f64().unwrap_or(f64::NAN))
        };
        Ok(match self {
            Self::Column(column, path) => {
                let column = under(view.policy, *column);
                let value = view.value(column, node(view, path)?);
                match (value, value.as_f64()) {
                    (Value::Count(count), _) => grouped(count),
                    // With one decimal a small portion would seem the same before and after a step.
                    (_, Some(portion))
                        if column.unit() == Unit::Portion && (1e-5..0.01).contains(&portion) =>
                    {
                        sentence!("{:.3}%", portion * 100.0)
                    }
                    _ => cell(value, column.unit()),
                }
            }
            Self::Sum(column) => {
                let users = view.tree.users();
                let numbers = users.filter_map(|node| view.value(*column, node).as_f64());
                cell(Value::Double(numbers.sum()), column.unit())
            }
            Self::Place(path) => {
                let rank = view.evaluation.rank(node(view, path)?);
                rank.map_or_else(|| "none".into(), |rank| ordinal(rank as usize))
            }
            Self::Name(path) => view.label(node(view, path)?),
            Self::Ratio(column, one, other) => {
                let ratio = number(*column, one)? / number(*column, other)?;
                cell(Value::Double(ratio), Unit::Times)
            }
            Self::Users => grouped(view.evaluation.user_count()),
            Self::Policy => view.policy.title().into(),
            Self::Setting(key) => {
                let setting = view.policy.setting(view.tree, view.settings, key);
                shown(setting.as_bytes())
            }
            Self::Jobs(name, path) => {
                let number = job_usage::number(view, node(view, path)?, name);
                number.unwrap_or_else(|| "none".into())
            }
        })
    }
}
