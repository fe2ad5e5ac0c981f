//! `timeline`: the history of a tree, and of single nodes, through a series of dumps.

mod chart;
mod data;
mod prose;

pub(crate) use chart::add_charts;
pub(crate) use prose::{headline, moment_table, title, track_table};

use super::document::Document;
use super::front::Front;
use super::{Form, Output, Report, emit};
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
    let report = TimelineReport {
        timeline,
        are_named,
        limit,
    };
    emit(out, &report, form)
}

/// The report of a timeline.
struct TimelineReport<'a> {
    timeline: &'a Timeline,
    /// Whether the nodes were requested by name.
    are_named: bool,
    limit: Option<usize>,
}

impl<'a> TimelineReport<'a> {
    /// As many nodes as were asked for.
    fn tracks(&self) -> &'a [Track] {
        let all = &self.timeline.tracks;
        &all[..self.limit.unwrap_or(usize::MAX).min(all.len())]
    }
}

impl Report for TimelineReport<'_> {
    fn front(&self) -> Front {
        prose::front(self.timeline)
    }

    fn document(&self) -> Document<'_> {
        prose::document(self)
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        data::write_json(out, self.timeline, self.tracks())
    }

    fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        data::write_csv(out, self.timeline, self.tracks())
    }
}
