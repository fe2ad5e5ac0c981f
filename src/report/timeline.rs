//! `timeline`: the history of a tree, and of single nodes, through a series of dumps.

mod chart;
mod csv;
mod json;
mod prose;

pub use chart::{Chart, charts};
pub use prose::{headline, moment_lines, title, track_lines};

use super::front::Front;
use super::page::Page;
use super::{Form, Output, Prose, Rows, emit};
use crate::analysis::timeline::{Timeline, Track};
use std::io::{self, Write};

/// How many nodes and changes a person sees unless more are asked for.
pub const USUAL_LIMIT: usize = 20;

/// Writes a timeline: for people the moments, then the named nodes, or the users that moved furthest; for machines
/// every node at every moment. `Tree` is written as `Table`.
///
/// # Errors
/// If writing fails.
pub fn write(
    out: &mut dyn Output,
    timeline: &Timeline,
    are_named: bool,
    limit: Option<usize>,
    form: Form,
) -> io::Result<()> {
    let report = Report {
        timeline,
        are_named,
        limit,
    };
    emit(out, &report, form)
}

/// The report of a timeline.
struct Report<'a> {
    timeline: &'a Timeline,
    /// Whether the nodes were requested by name.
    are_named: bool,
    limit: Option<usize>,
}

impl<'a> Report<'a> {
    /// As many nodes as were asked for.
    fn tracks(&self) -> &'a [Track] {
        let all = &self.timeline.tracks;
        &all[..self.limit.unwrap_or(usize::MAX).min(all.len())]
    }
}

impl Prose for Report<'_> {
    fn front(&self) -> Front {
        prose::front(self.timeline)
    }

    fn write_page(&self, page: &mut Page<'_>) -> io::Result<()> {
        prose::write(page, self)
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        json::write(out, self.timeline, self.tracks())
    }
}

impl Rows for Report<'_> {
    fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        csv::write(out, self.timeline, self.tracks())
    }
}
