//! What outputs record beside shares and usage: each column comes from the output with the most digits of it.

use super::part::OutputPart;
use super::{decimals, highest};
use crate::model::{Fact, NodeId, Recorded};
use hashbrown::HashSet;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Records all columns, each from the output with the most decimals. Returns the one with the most precise factors.
pub(super) fn record_all(parts: &mut [OutputPart], recorded: &mut Recorded) -> Option<usize> {
    let most_precise = highest(parts, |part| {
        let has_figures = !part.rows.figures.is_empty();
        has_figures.then(|| decimals(part))
    });
    let mut facts = BTreeSet::new();
    for part in &*parts {
        for (fact, _) in &part.rows.figures {
            facts.insert(*fact);
        }
    }
    for fact in facts {
        record_figures(parts, fact, recorded);
    }
    let mut by_quality: Vec<&mut OutputPart> = parts.iter_mut().collect();
    // An output that truncates usage truncates texts, too. The text that is recorded last stays.
    by_quality.sort_by_key(|part| part.quality());
    for part in by_quality {
        for (fact, mut texts) in std::mem::take(&mut part.rows.texts) {
            texts.retain(|text| !is_without_limits(text));
            recorded.set_text_rows(fact, texts, &part.nodes);
        }
    }
    most_precise
}

/// Records a column of numbers. A less precise output gives those of associations that the others do not list. A cell
/// that is empty in a more precise one stays empty, because Slurm has nothing to print there.
fn record_figures(parts: &mut [OutputPart], fact: Fact, recorded: &mut Recorded) {
    let mut by_precision = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        if let Some(decimals) = part.decimals(fact) {
            by_precision.push((Reverse(decimals), index));
        }
    }
    by_precision.sort_unstable();
    let mut is_listed: HashSet<NodeId> = HashSet::new();
    let count = by_precision.len();
    for (place, (_, index)) in by_precision.into_iter().enumerate() {
        let part = &mut parts[index];
        let mut nodes = Cow::Borrowed(&part.nodes);
        if place > 0 {
            for node in nodes.to_mut() {
                if let Some(known) = node
                    && is_listed.contains(known)
                {
                    *node = None;
                }
            }
        }
        if place + 1 < count {
            is_listed.extend(nodes.iter().flatten());
        }
        let columns = &mut part.rows.figures;
        let column = columns.iter().position(|(own, _)| *own == fact);
        if let Some(column) = column {
            let (_, figures) = columns.swap_remove(column);
            recorded.set_rows(fact, figures, &nodes);
        }
    }
}

/// Returns whether a list of resources has nothing but zeros, as Slurm prints it without limits: `cpu=0,mem=0,b+`.
fn is_without_limits(text: &str) -> bool {
    for part in text.split(',') {
        let is_zero = part.is_empty() || part.ends_with("=0");
        // The last one may be cut.
        if !is_zero && !part.ends_with('+') {
            return false;
        }
    }
    true
}
