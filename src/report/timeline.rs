//! `timeline`: the history of a tree, and of single nodes, through a series of dumps.

mod chart;
mod data;
mod prose;

pub(crate) use chart::add_charts;
pub(crate) use prose::{headline, moment_table, title, track_table};

use super::Report;
use super::document::Document;
use super::front::Front;
use super::table::Table;
use crate::analysis::timeline::{Timeline, Track};
use std::io::{self, Write};

/// How many nodes and changes a person sees unless more are asked for.
pub const USUAL_LIMIT: usize = 20;

/// The report of a timeline: for people the moments, then the named nodes, or the users that moved furthest; for
/// machines every node at every moment.
pub(crate) struct TimelineReport<'a> {
    pub(crate) timeline: &'a Timeline,
    /// Whether the nodes were requested by name.
    pub(crate) are_named: bool,
    pub(crate) limit: Option<usize>,
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

    fn csv(&self) -> Option<Table<'_>> {
        Some(data::rows(self.timeline, self.tracks()))
    }
}
