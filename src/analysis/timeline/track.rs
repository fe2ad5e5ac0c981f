//! Nodes followed through the dumps.

use super::{MOST_POINTS, TimelineError};
use crate::base::number::Value;
use crate::model::{Kind, NodeId, PathError, Paths, Shares, path_of, resolve};
use crate::rules::policy::ColumnId;
use crate::scenario::Scenario;
use std::collections::{HashMap, HashSet};

/// What measures how far a node moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Its rank; 1 runs first.
    Rank,
    /// Its target under the policy, a portion of its level or of the tree. Used if no user has a rank.
    Target,
}

impl Measure {
    /// Returns the measure for a tree.
    pub(super) fn of(scenario: &Scenario) -> Self {
        if scenario.evaluation().user_count() > 0 {
            Self::Rank
        } else {
            Self::Target
        }
    }
}

/// A node at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Its shares.
    pub shares: Shares,
    /// Its usage under the policy, in the source's unit.
    pub usage: Option<f64>,
    /// Its factor.
    pub factor: Value,
    /// Its rank. `None` for an account.
    pub rank: Option<u32>,
    /// Its target under the policy.
    pub target: Option<f64>,
}

impl Point {
    /// Returns the numbers of a node in a scenario.
    pub(super) fn of(scenario: &Scenario, node: NodeId) -> Self {
        let (policy, evaluation) = (scenario.policy(), scenario.evaluation());
        Self {
            shares: scenario.tree().shares(node),
            usage: evaluation.number(ColumnId::Usage, node),
            factor: evaluation.value(policy.factor_column(), node),
            rank: evaluation.rank(node),
            target: evaluation.number(policy.target_column(), node),
        }
    }

    /// Returns the number by which moves are measured. `None` if the node has none.
    pub fn measured(&self, measure: Measure) -> Option<f64> {
        match measure {
            Measure::Rank => self.rank.map(f64::from),
            Measure::Target => self.target,
        }
    }
}

/// The range of a node's rank or target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueRange {
    /// The first number.
    pub first: f64,
    /// The last number.
    pub last: f64,
    /// The smallest number.
    pub least: f64,
    /// The largest number.
    pub most: f64,
}

impl ValueRange {
    /// Returns the range with a later number added.
    pub(super) fn with(span: Option<Self>, number: f64) -> Self {
        let span = span.unwrap_or(Self {
            first: number,
            last: number,
            least: number,
            most: number,
        });
        Self {
            first: span.first,
            last: number,
            least: span.least.min(number),
            most: span.most.max(number),
        }
    }

    /// Returns the distance from the smallest number to the largest.
    pub fn width(&self) -> f64 {
        self.most - self.least
    }
}

/// A node at all moments.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Its path; the root's is empty.
    pub path: String,
    /// Its kind when it was last seen.
    pub kind: Kind,
    /// Its numbers at each moment. `None` for moments without the node.
    pub points: Vec<Option<Point>>,
}

impl Track {
    /// Returns its range. `None` if it never has a number.
    pub fn span(&self, measure: Measure) -> Option<ValueRange> {
        let numbers = self.points.iter().flatten();
        let numbers = numbers.filter_map(|point| point.measured(measure));
        numbers.fold(None, |span, number| Some(ValueRange::with(span, number)))
    }
}

/// A requested node.
pub(super) enum NodeLookup {
    /// The name or path as requested; no dump has it so far.
    Pending(Vec<u8>),
    /// A dump has it, so its track has a path.
    Found,
}

/// Builds tracks from one moment after another.
pub(super) struct Tracks {
    /// The requested nodes, one for each track.
    requested: Vec<NodeLookup>,
    /// Whether all nodes are followed.
    is_all: bool,
    list: Vec<Track>,
    /// The places of tracks by path, if all nodes are followed.
    by_path: HashMap<String, usize>,
    /// Why requested names are in none of the dumps so far.
    unknown: HashMap<Vec<u8>, PathError>,
    /// The number of points so far, if all nodes are followed.
    points: usize,
}

impl Tracks {
    /// Follows nodes by path or by a name that occurs once.
    pub(super) fn of_names(names: &[Vec<u8>]) -> Self {
        let list = names.iter().map(|_| Track {
            path: String::new(),
            kind: Kind::Account,
            points: Vec::new(),
        });
        Self {
            requested: names.iter().cloned().map(NodeLookup::Pending).collect(),
            is_all: false,
            list: list.collect(),
            by_path: HashMap::new(),
            unknown: HashMap::new(),
            points: 0,
        }
    }

    /// Follows all nodes.
    pub(super) fn of_all() -> Self {
        Self {
            is_all: true,
            ..Self::of_names(&[])
        }
    }

    /// Follows nodes by path.
    pub(super) fn of_paths(paths: Vec<String>) -> Self {
        let mut tracks = Self::of_names(&[]);
        for path in paths {
            tracks.requested.push(NodeLookup::Found);
            tracks.list.push(Track {
                path,
                kind: Kind::Account,
                points: Vec::new(),
            });
        }
        tracks
    }

    /// Looks up the requested nodes that no earlier dump has.
    ///
    /// # Errors
    /// Returns an error if several nodes have the name.
    pub(super) fn resolve(&mut self, scenario: &Scenario) -> Result<(), PathError> {
        let tree = scenario.tree();
        for (requested, track) in self.requested.iter_mut().zip(&mut self.list) {
            let NodeLookup::Pending(name) = requested else {
                continue;
            };
            match resolve(tree, name) {
                Ok(node) => {
                    if let Some(path) = path_of(tree, node) {
                        track.path = path;
                        *requested = NodeLookup::Found;
                    }
                }
                Err(error @ PathError::Unknown { .. }) => {
                    self.unknown.insert(name.clone(), error);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Adds the points of a moment.
    ///
    /// # Errors
    /// Returns an error if there are too many points, or if several nodes have a requested name.
    pub(super) fn take(&mut self, place: usize, scenario: &Scenario) -> Result<(), TimelineError> {
        if self.is_all {
            return self.take_all(place, scenario);
        }
        self.resolve(scenario)?;
        let tree = scenario.tree();
        for (requested, track) in self.requested.iter().zip(&mut self.list) {
            let node = match requested {
                NodeLookup::Pending(_) => None,
                // A path of one name also resolves to a node elsewhere with that name.
                NodeLookup::Found => resolve(tree, track.path.as_bytes())
                    .ok()
                    .filter(|&node| path_of(tree, node).as_deref() == Some(&track.path)),
            };
            track.points.resize(place, None);
            if let Some(node) = node {
                track.kind = tree.kind(node);
                track.points.push(Some(Point::of(scenario, node)));
            }
        }
        Ok(())
    }

    /// Adds the points of all nodes at a moment.
    fn take_all(&mut self, place: usize, scenario: &Scenario) -> Result<(), TimelineError> {
        let tree = scenario.tree();
        let mut paths = Paths::new(tree);
        for &node in tree.nodes() {
            let Some(path) = paths.next(node) else {
                continue;
            };
            let known = self.by_path.get(path).copied();
            let at = known.unwrap_or_else(|| {
                self.by_path.insert(path.to_owned(), self.list.len());
                self.list.push(Track {
                    path: path.to_owned(),
                    kind: tree.kind(node),
                    points: Vec::new(),
                });
                self.list.len() - 1
            });
            let track = &mut self.list[at];
            track.kind = tree.kind(node);
            self.points += place + 1 - track.points.len().min(place);
            track.points.resize(place, None);
            track.points.push(Some(Point::of(scenario, node)));
        }
        if self.points > MOST_POINTS {
            return Err(TimelineError::TooLarge);
        }
        Ok(())
    }

    /// Returns the tracks, each node once and with one point for each of the moments.
    ///
    /// # Errors
    /// Returns an error if a requested node is in no dump.
    pub(super) fn finish(self, moments: usize) -> Result<Vec<Track>, PathError> {
        let mut unknown = self.unknown;
        for requested in &self.requested {
            if let NodeLookup::Pending(name) = requested
                && let Some(error) = unknown.remove(name)
            {
                return Err(error);
            }
        }
        let mut tracks = self.list;
        if !self.is_all {
            // A name and a path may have been requested for the same node.
            let mut paths = HashSet::with_capacity(tracks.len());
            tracks.retain(|track| paths.insert(track.path.clone()));
        }
        for track in &mut tracks {
            track.points.resize(moments, None);
        }
        Ok(tracks)
    }
}
