//! Why a node has its rank, in words: the policy's formulas with this node's numbers, and one sentence.

mod classic;
mod fair_tree;
mod flux;
pub(in crate::report) mod job_usage;
mod level_based;
mod neighbours;
mod pbs;
mod recorded;
mod tickets;
mod why;

pub(in crate::report) use neighbours::decided;
pub(in crate::report) use why::{number, places, without_numbers};

use crate::base::number::cell;
use crate::base::shown::{sentence, shown};
use crate::format::Severity;
use crate::report::render::line::{Emphasis, Line};
use crate::report::{View, order};
use crate::rules::policy::{ColumnId, Detail, Explanation, Policy};

/// Returns the explanation as prose: one sentence, the source of each number level by level, and the neighbours in the
/// order with the deciding comparison.
pub fn lines(view: &View<'_>, explanation: &Explanation) -> Vec<Line> {
    if view.shows_only_printed() {
        return as_printed(view, explanation);
    }
    let (sentence, derivations) = match (&explanation.detail, view.policy) {
        (Detail::Pbs(detail), _) => pbs::why(view, explanation, detail),
        (Detail::Levels(levels), Policy::LevelBased) => level_based::why(view, explanation, levels),
        (Detail::Levels(levels), Policy::Flux) => flux::why(view, explanation, levels),
        (Detail::Levels(levels), Policy::Tickets) => tickets::why(view, explanation, levels),
        (Detail::Levels(levels), Policy::Classic | Policy::DepthOblivious) => {
            classic::why(view, explanation, levels)
        }
        (Detail::Levels(levels), _) => fair_tree::why(view, explanation, levels),
    };
    let mut lines = match view.policy {
        Policy::Formula => pbs::formula(view, explanation.node),
        _ => Vec::new(),
    };
    lines.push(sentence);
    if !derivations.is_empty() {
        lines.push(Line::default());
        lines.extend(why::print(derivations));
    }
    // The remarks follow the sentence with the node's rank.
    let after = lines.len().min(1);
    // Assumptions about the whole source are in its title and among the findings.
    let remarks = order::quick(view).into_iter();
    let remarks = remarks.filter(|remark| remark.code != order::ASSUMED);
    lines.splice(
        after..after,
        remarks.map(|remark| {
            let emphasis = match remark.severity {
                Severity::Note => Emphasis::Dim,
                Severity::Warning | Severity::Error => Emphasis::Over,
            };
            Line::of(emphasis, sentence!("  {}.", remark.message))
        }),
    );
    lines.splice(after..after, recorded::caveat(view, explanation.node));
    lines.extend(neighbours::lines(view, explanation));
    lines.extend(why::print(job_usage::derivations(view, explanation.node)));
    lines.extend(recorded::lines(view, explanation.node));
    lines
}

/// Returns the explanation of a node in a source that lists only some of the associations. It has only printed numbers,
/// because others cannot be computed.
fn as_printed(view: &View<'_>, explanation: &Explanation) -> Vec<Line> {
    let name = shown(view.tree.name(explanation.node));
    let standing = why::rank_in_words(view, explanation);
    let factor = view.value(ColumnId::Factor, explanation.node);
    let with = match cell(factor, ColumnId::Factor.unit()) {
        none if none.is_empty() => "; no factor was printed for it.".into(),
        factor => sentence!(" by the factor that was printed, {factor}."),
    };
    let mut lines = vec![Line::strong(name).plain(standing + &with)];
    lines.extend(recorded::caveat(view, explanation.node));
    lines.extend(why::print(job_usage::derivations(view, explanation.node)));
    lines.extend(recorded::lines(view, explanation.node));
    lines
}
