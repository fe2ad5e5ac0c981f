//! `timeline`: what became of a tree, and of single nodes, through a series of dumps.

mod chart;
mod csv;
mod json;
mod prose;

pub use chart::{Chart, charts};
pub use prose::{headline, moment_lines, title, track_lines};

use super::Form;
use crate::analysis::timeline::{Timeline, Track};
use std::io::{self, Write};

/// How many nodes and changes a person sees unless more are asked for.
pub const USUAL_LIMIT: usize = 20;

/// Writes a timeline: for people the moments, then the nodes that were named, or who moved furthest; for machines every
/// node at every moment. `Tree` is written as `Table`.
///
/// # Errors
/// If writing fails.
pub fn write(
    out: &mut dyn Write,
    timeline: &Timeline,
    are_named: bool,
    limit: Option<usize>,
    form: Form,
) -> io::Result<()> {
    match form {
        Form::Csv => csv::write(out, timeline, tracks(timeline, limit)),
        Form::Json => json::write(out, timeline, tracks(timeline, limit)),
        Form::Tree | Form::Table | Form::Markdown => {
            prose::write(out, timeline, are_named, limit, form == Form::Markdown)
        }
    }
}

/// As many nodes as were asked for.
fn tracks(timeline: &Timeline, limit: Option<usize>) -> &[Track] {
    let count = limit.unwrap_or(usize::MAX).min(timeline.tracks.len());
    &timeline.tracks[..count]
}
