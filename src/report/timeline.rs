//! `timeline`: the history of a tree, and of single nodes, through a series of dumps.

mod chart;
mod prose;

pub(crate) use chart::add_charts;
pub(crate) use prose::{headline, moment_table, title, track_table};

use super::render::document::{Document, Front};
use super::render::json::{self, Entries, Lines, List, object, shares};
use super::render::table::{Column, Table};
use super::{Report, View};
use crate::analysis::timeline::{Lead, Moment, Point, Timeline, Track, Transition};
use crate::base::number::{Unit, Value};
use crate::format::input;
use chart::Figure;
use serde::Serialize;
use std::io::{self, Write};

/// How many nodes and changes a person sees unless more are asked for.
pub(crate) const USUAL_LIMIT: usize = 20;

/// Of how many named nodes each is compared with the others.
const MOST_COMPARED: usize = 5;

/// For people the named nodes, or the moments and the users that moved furthest; for machines all nodes at all moments.
pub(crate) struct TimelineReport<'a> {
    pub(crate) timeline: &'a Timeline,
    /// The same nodes at the same moments under other rules, with which they are compared.
    pub(crate) other: Option<&'a Timeline>,
    pub(crate) are_named: bool,
    pub(crate) limit: Option<usize>,
}

impl<'a> TimelineReport<'a> {
    /// Returns each pair of named nodes with how often the first is ahead, and how often under the other rules.
    fn leads(&self) -> Vec<(&'a Track, &'a Track, Vec<Lead>)> {
        let tracks = &self.timeline.tracks[..];
        let mut leads = Vec::new();
        let most = if self.are_named { MOST_COMPARED } else { 0 };
        let compared = tracks.len().min(most);
        for own in 0..compared {
            for other in own + 1..compared {
                let lead = |of: &Timeline| of.tracks[own].lead(&of.tracks[other]);
                let all = std::iter::once(self.timeline).chain(self.other);
                let all: Vec<Lead> = all.map(lead).collect();
                if all[0].of > 0 {
                    leads.push((&tracks[own], &tracks[other], all));
                }
            }
        }
        leads
    }

    fn tracks(&self) -> &'a [Track] {
        let all = &self.timeline.tracks;
        &all[..self.limit.unwrap_or(usize::MAX).min(all.len())]
    }
}

impl Report for TimelineReport<'_> {
    fn front(&self) -> Front {
        let view = View::of(&self.timeline.newest, &self.timeline.problems);
        Front::of("Timeline", &view).with_sources(&[("Newest dump", view.source)])
    }

    fn document(&self) -> Document<'_> {
        prose::document(self)
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let timeline = self.timeline;
        // Each node has one list a number, `null` where it is not there.
        let body = object! {
            pace_seconds: timeline.pace,
            moments: Lines(List(timeline.moments.iter().map(moment))),
            nodes: Lines(List(self.tracks().iter().map(track))),
            under_other_rules: self.other.map(|other| Lines(List(other.tracks.iter().map(track)))),
            leads: List(self.leads().into_iter().map(|(own, other, leads)| object! {
                path: &own.path,
                other: &other.path,
                of: leads[0].of,
                ahead: leads[0].ahead,
                ahead_under_other_rules: leads.get(1).map(|lead| lead.ahead),
            })),
        };
        json::write(out, &View::of(&timeline.newest, &timeline.problems), body)
    }

    fn csv(&self) -> Option<Table<'_>> {
        Some(rows(self.timeline, self.tracks()))
    }
}

fn moment(moment: &Moment) -> impl Serialize {
    object! {
        when: moment.dump.when(),
        at: json::rfc3339(moment.dump.at),
        file: input::name(&moment.dump.path),
        nodes: moment.nodes,
        users: moment.users,
        usage: moment.usage,
        problems: moment.problems,
        missing_before: moment.missing,
        changes: moment.step.as_ref().map(step),
    }
}

fn step(step: &Transition) -> impl Serialize {
    let changed = step.shares.iter().map(|change| {
        object! {
            path: &change.path,
            before: shares(change.shares.before),
            after: shares(change.shares.after),
        }
    });
    let furthest = step.furthest.as_ref().map(|(path, ranks)| {
        object! { path: path, before: ranks.before, after: ranks.after }
    });
    object! {
        added: step.added,
        removed: step.removed,
        moved: step.moved,
        ranks: step.ranks,
        diluted: step.diluted,
        shares_changed: step.shares_count,
        dilution: step.dilution,
        shares: List(changed),
        settings: json::settings(&step.settings),
        furthest: furthest,
    }
}

fn track(track: &Track) -> impl Serialize {
    let numbers = Figure::NAMED.into_iter().map(|(name, figure)| {
        let number = move |point: &Option<Point>| point.as_ref().map(|it| figure.value(it));
        (name, List(track.points.iter().map(number)))
    });
    object! {
        path: &track.path,
        kind: track.kind.name(),
        #[serde(flatten)]
        numbers: Entries(numbers),
    }
}

/// A node at a moment.
type NodeAtMoment<'a> = (&'a Moment, &'a Track, Option<&'a Point>);

type PointColumn<'a> = Column<'a, NodeAtMoment<'a>>;

/// Returns a row for every node at every moment, without numbers where the node is not there.
fn rows<'a>(timeline: &'a Timeline, tracks: &'a [Track]) -> Table<'a> {
    let mut columns = vec![
        PointColumn::left("when", |(moment, ..)| moment.dump.when()),
        PointColumn::left("file", |(moment, ..)| input::name(&moment.dump.path)),
        PointColumn::exact("path", |(_, track, _)| track.path.as_str().into()),
        PointColumn::exact("is_there", |row| row.2.is_some().to_string().into()),
    ];
    columns.extend(Figure::NAMED.map(|(name, figure)| {
        let number = move |row: &NodeAtMoment<'_>| row.2.map_or(Value::Null, |it| figure.value(it));
        PointColumn::number(name, Unit::Usage, number)
    }));
    let moments = timeline.moments.iter().enumerate();
    let rows = moments.flat_map(|(place, moment)| {
        let tracks = tracks.iter();
        tracks.map(move |track| (moment, track, track.points[place].as_ref()))
    });
    Table::new(columns, rows)
}
