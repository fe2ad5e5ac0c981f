//! A formula's numbers in words.

use super::why::{Derivation, Step, print};
use crate::base::shown::{sentence, shown_text};
use crate::model::{Kind, NodeId};
use crate::report::View;
use crate::report::line::{Emphasis, Line};
use crate::rules::policy::formula::{Formula, Inputs};

/// Returns the formula with this node's numbers and its value.
pub(super) fn lines(view: &View<'_>, node: NodeId) -> Vec<Line> {
    let formula = shown_text(view.settings.formula.text().as_bytes());
    let mut lines = vec![Line::strong(sentence!("job_sort_formula: {formula}"))];
    lines.extend(value(view, node));
    lines.push(Line::default());
    lines
}

/// Returns the derivation of the value, or why there is none.
fn value(view: &View<'_>, node: NodeId) -> Vec<Line> {
    let formula = match Formula::of(view.settings) {
        Ok(formula) => formula,
        Err(error) => {
            return vec![Line::from(sentence!(
                "  This formula is not valid: {}.",
                error.sentence()
            ))];
        }
    };
    let job = &view.settings.formula.resources;
    let Some(inputs) = Inputs::of(view.evaluation, node, job) else {
        return Vec::new();
    };
    if view.tree.kind(node) == Kind::Account {
        let any = view.settings.noun().any;
        let text = sentence!("  PBS evaluates it for the jobs of users; {any} has none.");
        return vec![Line::of(Emphasis::Dim, text)];
    }
    let name = view.label(node);
    let result = match formula.value(&inputs) {
        Ok(value) => Step::from("= ").gives(sentence!("{value}")),
        Err(error) if error.makes_zero() => {
            Step::from(sentence!("has no value: {error}, and PBS then uses ")).gives("0")
        }
        Err(error) => Step::from(sentence!("cannot be computed for {name}: {error}")),
    };
    let numbers = formula.with_numbers(&inputs);
    print(vec![Derivation::new(
        sentence!("For a job of {name}"),
        "numbers with the six decimals that PBS writes; the larger value runs first",
        [Step::from(shown_text(numbers.as_bytes())), result],
    )])
}
