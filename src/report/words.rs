//! Answers in words, one file a topic: every sentence about what was computed is made here, and nowhere below.
//!
//! Below, an answer is an enum or a struct. Here it becomes a clause without a capital and a full stop, which can stand
//! in a list, behind a colon or on a line of its own. Errors and reasons speak for themselves.

pub mod advise;
pub(crate) mod changes;
pub mod contention;
pub mod diff;
pub mod dump;
pub mod explain;
pub mod impact;
pub(crate) mod outlook;
pub(crate) mod part;
pub mod plan;
pub mod queue;
pub mod simulate;
pub mod solve;
pub mod source;
pub mod verify;

use crate::base::number::grouped;
use crate::base::shown::{Shown, sentence};
use crate::rules::policy::ColumnId;
use crate::scenario::Scenario;

/// Returns what the number of a column is called that orders users.
pub(crate) const fn number_word(column: ColumnId) -> &'static str {
    match column {
        ColumnId::FormulaValue => "formula value",
        _ => "factor",
    }
}

/// Returns what changed settings give users: another number, or one of a kind that they did not have before.
pub(crate) fn another_number(scenario: &Scenario) -> Shown {
    let before = scenario.policy_before().factor_column();
    let after = scenario.policy().factor_column();
    let word = number_word(after);
    if before == after {
        return sentence!("another {word}");
    }
    sentence!("a new {word}")
}

/// Returns a number before and after with an arrow, or once if both are the same; an empty text of one side is `none`.
pub(crate) fn before_and_after(before: Shown, after: Shown) -> Shown {
    if before == after {
        return after;
    }
    let old = or_none(before);
    let new = or_none(after);
    sentence!("{old} → {new}")
}

/// Returns the text of a number, or that there is none.
fn or_none(text: Shown) -> Shown {
    if text.is_empty() {
        return "none".into();
    }
    text
}

/// Returns texts as a list: `a, b and c`.
pub(crate) fn listed(texts: &[Shown]) -> Shown {
    match texts {
        [first @ .., last] if !first.is_empty() => sentence!("{} and {last}", first.join(", ")),
        texts => Shown::joined(texts, ""),
    }
}

/// Returns the first texts of so many, and how many more there are: `a, b and 5 more`.
pub(crate) fn and_more(first: &[Shown], all: usize) -> Shown {
    let listed = Shown::joined(first, ", ");
    let left = all.saturating_sub(first.len());
    if left == 0 {
        return listed;
    }
    let more = grouped(left);
    sentence!("{listed} and {more} more")
}

/// Returns a clause as a sentence of its own.
pub(crate) fn on_its_own(clause: &str) -> Shown {
    let sentence = capital(clause);
    sentence!("{sentence}.")
}

/// Returns a clause with a capital.
pub(crate) fn capital(clause: &str) -> Shown {
    let mut sentence = clause.to_owned();
    if let Some(first) = sentence.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    Shown::again(sentence)
}
