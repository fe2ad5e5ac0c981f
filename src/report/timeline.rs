//! `timeline`: the history of a tree, and of single nodes, through a series of dumps.
//!
//! A dump that should be there by the pace of the series and is not leaves a gap in drawings and a row that says so; a
//! node that is not in a dump has no numbers there, which are empty in CSV and `null` in JSON.

mod drawing;
mod prose;

pub(crate) use prose::headline;

use super::render::document::{Document, Front};
use super::render::json::{self, Entries, Lines, List, object, shares};
use super::render::table::{Column, Table};
use super::{Report, View};
use crate::analysis::timeline::{Lead, Moment, Point, ShareChange, Timeline, Track, Transition};
use crate::base::number::{Unit, Value, counted};
use crate::base::shown::{Shown, sentence, shown_path};
use crate::format::input;
use drawing::Quantity;
use serde::Serialize;
use std::io::{self, Write};

/// How many nodes and changes a person sees unless more are asked for.
pub(crate) const USUAL_LIMIT: usize = 20;

/// Of how many named nodes each is compared with the others.
const MOST_COMPARED: usize = 5;

/// For people the named nodes, or the moments and the users that moved furthest; for machines all nodes at all moments.
pub(crate) struct TimelineReport<'a> {
    /// The nodes at the moments.
    pub(crate) timeline: &'a Timeline,
    /// The same nodes at the same moments under other rules, with which they are compared.
    pub(crate) other: Option<&'a Timeline>,
    /// Whether the nodes were asked for.
    pub(crate) are_named: bool,
    /// Whether the problems of the dumps are listed; the command lists them on standard error.
    pub(crate) lists_problems: bool,
    /// How many nodes and changes are shown; `None` for the usual number.
    pub(crate) limit: Option<usize>,
}

/// How often a named node is ahead of another one.
#[derive(Clone, Copy)]
struct LeadOfPair<'a> {
    /// The node that is ahead.
    own: &'a Track,
    /// The node that it is ahead of.
    other: &'a Track,
    /// At how many moments.
    lead: Lead,
    /// The same under other rules; `None` if nothing is compared.
    under_other_rules: Option<Lead>,
}

impl<'a> TimelineReport<'a> {
    /// Returns each pair of few named nodes that have ranks at the same moments.
    fn leads(&self) -> Vec<LeadOfPair<'a>> {
        let tracks = &self.timeline.tracks;
        let mut leads = Vec::new();
        if !self.are_named {
            return leads;
        }
        let compared = tracks.len().min(MOST_COMPARED);
        for own in 0..compared {
            for other in own + 1..compared {
                let lead = lead_of(self.timeline, own, other);
                if lead.of == 0 {
                    continue;
                }
                let then = self.other.map(|then| lead_of(then, own, other));
                leads.push(LeadOfPair {
                    own: &tracks[own],
                    other: &tracks[other],
                    lead,
                    under_other_rules: then,
                });
            }
        }
        leads
    }

    /// Returns whose history it is.
    fn title(&self) -> Shown {
        match &self.timeline.tracks[..] {
            [track] if self.are_named => sentence!("History of {}", title(track)),
            tracks if self.are_named => {
                sentence!("History of {}", counted(tracks.len(), "node", "nodes"))
            }
            _ => "Timeline".into(),
        }
    }

    /// Returns the nodes for machines.
    fn tracks(&self) -> &'a [Track] {
        let all = &self.timeline.tracks;
        let most = self.limit.unwrap_or(all.len());
        &all[..most.min(all.len())]
    }
}

/// Returns how often one of the nodes is ahead of another one, by their places.
fn lead_of(timeline: &Timeline, own: usize, other: usize) -> Lead {
    let tracks = &timeline.tracks;
    tracks[own].lead(&tracks[other])
}

/// Returns the path of a node.
fn title(track: &Track) -> Shown {
    path(&track.path)
}

/// Returns a path as people read it.
fn path(path: &str) -> Shown {
    match path {
        "" => "the root".into(),
        path => shown_path(path),
    }
}

impl Report for TimelineReport<'_> {
    fn front(&self) -> Front {
        let timeline = self.timeline;
        let view = View::of(&timeline.newest, &timeline.problems);
        let front = Front::of(self.title(), &view);
        front.with_sources(&[("Newest dump", view.source)])
    }

    fn document(&self) -> Document<'_> {
        prose::document(self)
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let timeline = self.timeline;
        let moments = timeline.moments.iter();
        let leads = self.leads().into_iter();
        let body = object! {
            pace_seconds: timeline.pace,
            moments: Lines(List(moments.map(moment))),
            nodes: tracks(self.tracks()),
            under_other_rules: self.other.map(|other| tracks(&other.tracks)),
            leads: List(leads.map(lead)),
        };
        let view = View::of(&timeline.newest, &timeline.problems);
        json::write(out, &view, body)
    }

    fn csv(&self) -> Option<Table<'_>> {
        Some(rows(self.timeline, self.tracks()))
    }
}

/// Returns how often a node is ahead of another one.
fn lead(pair: LeadOfPair<'_>) -> impl Serialize {
    object! {
        path: &pair.own.path,
        other: &pair.other.path,
        of: pair.lead.of,
        ahead: pair.lead.ahead,
        ahead_under_other_rules: pair.under_other_rules.map(|lead| lead.ahead),
    }
}

/// Returns what there is at a moment.
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

/// Returns what changed since the moment before.
fn step(step: &Transition) -> impl Serialize {
    let mut furthest = None;
    if let Some((path, ranks)) = &step.furthest {
        furthest = Some(object! {
            path: path,
            before: ranks.before,
            after: ranks.after,
        });
    }
    object! {
        added: step.added,
        removed: step.removed,
        moved: step.moved,
        ranks: step.ranks,
        diluted: step.diluted,
        shares_changed: step.shares_count,
        dilution: step.dilution,
        shares: List(step.shares.iter().map(changed_shares)),
        settings: json::settings(&step.settings),
        furthest: furthest,
    }
}

/// Returns a change of shares.
fn changed_shares(change: &ShareChange) -> impl Serialize {
    object! {
        path: &change.path,
        before: shares(change.shares.before),
        after: shares(change.shares.after),
    }
}

/// Returns nodes over time, one a line.
fn tracks(tracks: &[Track]) -> impl Serialize {
    Lines(List(tracks.iter().map(track)))
}

/// Returns a node with a list of each of its numbers, over time; `null` where the node is not there.
fn track(track: &Track) -> impl Serialize {
    let mut numbers = Vec::new();
    for quantity in Quantity::ALL {
        let mut values = Vec::with_capacity(track.points.len());
        for point in &track.points {
            let point = point.as_ref();
            values.push(point.map(|point| quantity.value(point)));
        }
        numbers.push((quantity.name(), values));
    }
    object! {
        path: &track.path,
        kind: track.kind.name(),
        #[serde(flatten)]
        numbers: Entries(numbers),
    }
}

/// A node at a moment.
struct PointRow<'a> {
    /// The moment.
    moment: &'a Moment,
    /// The node.
    track: &'a Track,
    /// The node there; `None` if it is not there.
    point: Option<&'a Point>,
}

/// A column of nodes at moments.
type PointColumn<'a> = Column<'a, PointRow<'a>>;

/// Returns a row for every node at every moment, without numbers where the node is not there.
fn rows<'a>(timeline: &'a Timeline, tracks: &'a [Track]) -> Table<'a> {
    let mut columns = vec![
        PointColumn::left("when", |row| row.moment.dump.when()),
        PointColumn::left("file", |row| {
            let path = &row.moment.dump.path;
            input::name(path)
        }),
        PointColumn::exact("path", |row| {
            let path = row.track.path.as_str();
            path.into()
        }),
        PointColumn::exact("is_there", |row| {
            let is_there = row.point.is_some();
            is_there.to_string().into()
        }),
    ];
    for quantity in Quantity::ALL {
        let name = quantity.name();
        columns.push(PointColumn::number(
            name,
            Unit::Usage,
            move |row| match row.point {
                Some(point) => quantity.value(point),
                None => Value::Null,
            },
        ));
    }
    let moments = timeline.moments.iter().enumerate();
    let rows = moments.flat_map(|(place, moment)| {
        tracks.iter().map(move |track| PointRow {
            moment,
            track,
            point: track.points[place].as_ref(),
        })
    });
    Table::new(columns, rows)
}
