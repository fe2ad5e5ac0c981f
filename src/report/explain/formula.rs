//! A formula's numbers in words.

use super::{Emphasis, Line, heading};
use crate::base::shown::{sentence, shown_text};
use crate::model::Kind;
use crate::report::View;
use crate::rules::policy::formula::{Formula, Inputs};
use crate::rules::policy::{Explanation, pbs};

/// Returns the formula with this node's numbers and its value, then the explanation of PBS's fair-share.
pub(super) fn lines(
    view: &View<'_>,
    explanation: &Explanation,
    detail: &pbs::PbsExplanation,
) -> Vec<Line> {
    let mut lines = vec![Line::of(
        Emphasis::Strong,
        sentence!(
            "job_sort_formula: {}",
            shown_text(view.settings.formula.text().as_bytes())
        ),
    )];
    lines.extend(value(view, explanation));
    lines.push(Line::default());
    lines.extend(super::pbs::lines(view, explanation, detail));
    lines
}

/// Returns the derivation of the value, or why there is none.
fn value(view: &View<'_>, explanation: &Explanation) -> Vec<Line> {
    let formula = match Formula::of(view.settings) {
        Ok(formula) => formula,
        Err(error) => {
            return vec![Line::from(sentence!(
                "  This formula is not valid: {}.",
                error.sentence()
            ))];
        }
    };
    let node = explanation.node;
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
        Ok(value) => Line::from("  = ").and(Emphasis::Strong, sentence!("{value}")),
        Err(error) if error.makes_zero() => {
            Line::from(sentence!("  has no value: {error}, and PBS then uses "))
                .and(Emphasis::Strong, "0")
        }
        Err(error) => Line::from(sentence!("  cannot be computed for {name}: {error}")),
    };
    vec![
        heading(
            sentence!("For a job of {name}"),
            "numbers with the six decimals that PBS writes; the larger value runs first",
        ),
        Line::from(sentence!(
            "  {}",
            shown_text(formula.with_numbers(&inputs).as_bytes())
        )),
        result,
    ]
}
