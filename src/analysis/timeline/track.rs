//! Nodes followed through the dumps.

use super::{MOST_POINTS, TimelineError};
use crate::base::number::Value;
use crate::model::{Kind, NodeId, PathError, Paths, Shares, path_of, resolve};
use crate::rules::policy::ColumnId;
use crate::scenario::Scenario;
use std::collections::{HashMap, HashSet};

/// What tells how far a node moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Its rank; 1 runs first.
    Rank,
    /// Its target under the policy, a part of its level or of the tree: what is left where nobody has a rank.
    Target,
}

impl Measure {
    /// What there is in a tree.
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
    /// Its rank; nothing for an account.
    pub rank: Option<u32>,
    /// Its target under the policy.
    pub target: Option<f64>,
}

impl Point {
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

    /// What the measure says of it.
    #[must_use]
    pub fn measured(&self, measure: Measure) -> Option<f64> {
        match measure {
            Measure::Rank => self.rank.map(f64::from),
            Measure::Target => self.target,
        }
    }
}

/// How far a node moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueRange {
    /// Where it first was.
    pub first: f64,
    /// Where it last was.
    pub last: f64,
    /// The least it ever was.
    pub least: f64,
    /// The most it ever was.
    pub most: f64,
}

impl ValueRange {
    /// With another number, a later one.
    #[must_use]
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

    /// From the least to the most.
    #[must_use]
    pub fn width(&self) -> f64 {
        self.most - self.least
    }
}

/// One node through all moments.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Its path; the root's is empty.
    pub path: String,
    /// What it is, where it was last seen.
    pub kind: Kind,
    /// It at each moment; nothing where it is not there.
    pub points: Vec<Option<Point>>,
}

impl Track {
    /// How far it moved; nothing if it was never anywhere.
    #[must_use]
    pub fn span(&self, measure: Measure) -> Option<ValueRange> {
        let numbers = self.points.iter().flatten();
        let numbers = numbers.filter_map(|point| point.measured(measure));
        numbers.fold(None, |span, number| Some(ValueRange::with(span, number)))
    }
}

/// A node that was asked for.
pub(super) enum NodeLookup {
    /// As it was written, as long as no dump has it.
    Name(Vec<u8>),
    /// The track of its path.
    Found,
}

/// Tracks that are being made.
pub(super) struct Tracks {
    asked: Vec<NodeLookup>,
    is_all: bool,
    made: Vec<Track>,
    by_path: HashMap<String, usize>,
    /// Why names that were asked for are in none of the dumps so far.
    unknown: HashMap<Vec<u8>, PathError>,
    points: usize,
}

impl Tracks {
    /// Of nodes by path or by a name that occurs once.
    pub(super) fn of_names(names: &[Vec<u8>]) -> Self {
        let made = names.iter().map(|_| Track {
            path: String::new(),
            kind: Kind::Account,
            points: Vec::new(),
        });
        Self {
            asked: names.iter().cloned().map(NodeLookup::Name).collect(),
            is_all: false,
            made: made.collect(),
            by_path: HashMap::new(),
            unknown: HashMap::new(),
            points: 0,
        }
    }

    /// Of all nodes.
    pub(super) fn of_all() -> Self {
        Self {
            is_all: true,
            ..Self::of_names(&[])
        }
    }

    /// Of nodes by their paths.
    pub(super) fn of_paths(paths: Vec<String>) -> Self {
        let mut tracks = Self::of_names(&[]);
        for path in paths {
            tracks.asked.push(NodeLookup::Found);
            tracks.made.push(Track {
                path,
                kind: Kind::Account,
                points: Vec::new(),
            });
        }
        tracks
    }

    /// Finds what was asked for in a dump, as far as it is not found yet.
    ///
    /// # Errors
    /// If several nodes have the name.
    pub(super) fn resolve(&mut self, scenario: &Scenario) -> Result<(), PathError> {
        let tree = scenario.tree();
        for (asked, track) in self.asked.iter_mut().zip(&mut self.made) {
            let NodeLookup::Name(name) = asked else {
                continue;
            };
            match resolve(tree, name) {
                Ok(node) => {
                    if let Some(path) = path_of(tree, node) {
                        track.path = path;
                        *asked = NodeLookup::Found;
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
    /// If there is no room for them, or several nodes have a name that was asked for.
    pub(super) fn take(&mut self, place: usize, scenario: &Scenario) -> Result<(), TimelineError> {
        if self.is_all {
            return self.take_all(place, scenario);
        }
        self.resolve(scenario)?;
        let tree = scenario.tree();
        for (asked, track) in self.asked.iter().zip(&mut self.made) {
            let node = match asked {
                NodeLookup::Name(_) => None,
                // A bare name may mean a node elsewhere.
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

    fn take_all(&mut self, place: usize, scenario: &Scenario) -> Result<(), TimelineError> {
        let tree = scenario.tree();
        let mut paths = Paths::new(tree);
        for &node in tree.nodes() {
            let Some(path) = paths.next(node) else {
                continue;
            };
            let known = self.by_path.get(path).copied();
            let at = known.unwrap_or_else(|| {
                self.by_path.insert(path.to_owned(), self.made.len());
                self.made.push(Track {
                    path: path.to_owned(),
                    kind: tree.kind(node),
                    points: Vec::new(),
                });
                self.made.len() - 1
            });
            let track = &mut self.made[at];
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

    /// The tracks of so many moments, each node once.
    ///
    /// # Errors
    /// If something that was asked for is in no dump.
    pub(super) fn finish(self, moments: usize) -> Result<Vec<Track>, PathError> {
        let mut unknown = self.unknown;
        for asked in &self.asked {
            if let NodeLookup::Name(name) = asked
                && let Some(error) = unknown.remove(name)
            {
                return Err(error);
            }
        }
        let mut tracks = self.made;
        if !self.is_all {
            // A name and a path can be the same node.
            let mut paths = HashSet::with_capacity(tracks.len());
            tracks.retain(|track| paths.insert(track.path.clone()));
        }
        for track in &mut tracks {
            track.points.resize(moments, None);
        }
        Ok(tracks)
    }
}
