//! Nodes followed through the dumps.

use super::{MOST_POINTS, TimelineError};
use crate::base::number::Value;
use crate::base::sort::ordered;
use crate::model::{Kind, NodeId, PathError, Paths, Shares, path_of, resolve};
use crate::rules::policy::ColumnId;
use crate::scenario::Scenario;
use hashbrown::{HashMap, HashSet};

/// What measures how far a node moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Its rank; 1 runs first.
    Rank,
    /// Its target under the policy, a portion of its level or of the tree. Used if no user has a rank.
    Target,
}

impl Measure {
    /// Returns what measures moves in a scenario.
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
    pub shares: Shares,
    /// Its usage under the policy, in the source's unit.
    pub usage: Option<f64>,
    pub factor: Value,
    /// Its rank. `None` for an account.
    pub rank: Option<u32>,
    pub(crate) target: Option<f64>,
    /// What it used of its target; 1 is on target.
    pub(crate) served: Option<f64>,
}

impl Point {
    /// Returns a node at the moment of a scenario.
    pub(super) fn of(scenario: &Scenario, node: NodeId) -> Self {
        let policy = scenario.policy();
        let evaluation = scenario.evaluation();
        Self {
            shares: scenario.tree().shares(node),
            usage: evaluation.number(ColumnId::Usage, node),
            factor: evaluation.value(policy.factor_column(), node),
            rank: evaluation.rank(node),
            target: evaluation.number(policy.target_column(), node),
            served: policy.served(scenario.tree(), evaluation, node),
        }
    }

    /// Returns the number by which moves are measured. `None` if the node has none.
    pub(crate) fn measured(&self, measure: Measure) -> Option<f64> {
        match measure {
            Measure::Rank => self.rank.map(f64::from),
            Measure::Target => self.target,
        }
    }
}

/// At how many moments a node is ahead of another one, and at how many this is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields are what their names say")]
pub struct Lead {
    pub ahead: usize,
    pub of: usize,
}

impl Track {
    /// Returns how often this node is ahead of another one: users by their ranks, accounts beside each other by what they
    /// used of their targets.
    pub fn lead(&self, other: &Self) -> Lead {
        let mut lead = Lead::default();
        let are_siblings = self.account() == other.account();
        for (own, other) in self.points.iter().zip(&other.points) {
            let (Some(own), Some(other)) = (own, other) else {
                continue;
            };
            if let (Some(own), Some(other)) = (own.rank, other.rank) {
                lead.of += 1;
                lead.ahead += usize::from(own < other);
            } else if are_siblings
                && own.rank.is_none()
                && other.rank.is_none()
                && let (Some(own), Some(other)) = (own.served, other.served)
            {
                lead.of += 1;
                lead.ahead += usize::from(own < other);
            }
        }
        lead
    }

    /// Returns the path of the account above it. `None` for children of the root.
    fn account(&self) -> Option<&str> {
        let (account, _) = self.path.rsplit_once('/')?;
        Some(account)
    }
}

/// The range of a node's rank or target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueRange {
    pub(crate) first: f64,
    pub(crate) last: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl ValueRange {
    /// Returns the range of one number.
    fn of(number: f64) -> Self {
        Self {
            first: number,
            last: number,
            least: number,
            most: number,
        }
    }

    /// Adds the number of a later moment.
    fn add(&mut self, number: f64) {
        self.last = number;
        self.least = self.least.min(number);
        self.most = self.most.max(number);
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
    pub(crate) kind: Kind,
    /// Its numbers at each moment. `None` for moments without the node.
    pub points: Vec<Option<Point>>,
}

impl Track {
    /// Returns the track of a node that no dump has so far.
    fn at(path: String) -> Self {
        Self {
            path,
            kind: Kind::Account,
            points: Vec::new(),
        }
    }

    /// Returns its range. `None` if it never has a number.
    pub fn span(&self, measure: Measure) -> Option<ValueRange> {
        let mut range: Option<ValueRange> = None;
        for point in self.points.iter().flatten() {
            let Some(number) = point.measured(measure) else {
                continue;
            };
            match &mut range {
                Some(range) => range.add(number),
                None => range = Some(ValueRange::of(number)),
            }
        }
        range
    }
}

/// A track that no dump has so far.
struct PendingTrack {
    /// The name or path as requested.
    name: Vec<u8>,
    /// Why the latest dump does not have it.
    reason: Option<PathError>,
}

/// The tracks of all nodes that are followed.
#[derive(Default)]
pub(super) struct Tracks {
    /// By track: what was requested. `None` for those that a dump has.
    pending: Vec<Option<PendingTrack>>,
    /// Whether all nodes are followed.
    is_all: bool,
    list: Vec<Track>,
    /// The places of tracks by path, if all nodes are followed.
    by_path: HashMap<String, usize>,
    /// The number of points so far, if all nodes are followed.
    points: usize,
}

impl Tracks {
    /// Follows nodes by path or by a name that occurs once.
    pub(super) fn of_names(names: &[Vec<u8>]) -> Self {
        let mut tracks = Self::default();
        for name in names {
            tracks.list.push(Track::at(String::new()));
            tracks.pending.push(Some(PendingTrack {
                name: name.clone(),
                reason: None,
            }));
        }
        tracks
    }

    /// Follows all nodes.
    pub(super) fn of_all() -> Self {
        Self {
            is_all: true,
            ..Self::default()
        }
    }

    /// Follows nodes with these paths.
    pub(super) fn of_paths(paths: Vec<String>) -> Self {
        let mut tracks = Self::default();
        for path in paths {
            tracks.pending.push(None);
            tracks.list.push(Track::at(path));
        }
        tracks
    }

    /// Looks up the requested nodes that no earlier dump has. Several nodes of a requested name are an error.
    pub(super) fn resolve(&mut self, scenario: &Scenario) -> Result<(), PathError> {
        let tree = scenario.tree();
        for (pending, track) in self.pending.iter_mut().zip(&mut self.list) {
            let Some(requested) = pending else {
                continue;
            };
            match resolve(tree, &requested.name) {
                Ok(node) => {
                    if let Some(path) = path_of(tree, node) {
                        track.path = path;
                        *pending = None;
                    }
                }
                Err(error @ PathError::Unknown { .. }) => requested.reason = Some(error),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Adds the moment of a scenario, at a place among all moments.
    pub(super) fn take(&mut self, place: usize, scenario: &Scenario) -> Result<(), TimelineError> {
        if self.is_all {
            return self.take_all(place, scenario);
        }
        self.resolve(scenario)?;
        let tree = scenario.tree();
        for (pending, track) in self.pending.iter().zip(&mut self.list) {
            track.points.resize(place, None);
            // A path of one name also resolves to a node elsewhere with that name.
            if pending.is_none()
                && let Ok(node) = resolve(tree, track.path.as_bytes())
                && path_of(tree, node).as_deref() == Some(&track.path)
            {
                track.kind = tree.kind(node);
                track.points.push(Some(Point::of(scenario, node)));
            }
        }
        Ok(())
    }

    /// Adds a moment of all nodes.
    fn take_all(&mut self, place: usize, scenario: &Scenario) -> Result<(), TimelineError> {
        let tree = scenario.tree();
        let mut paths = Paths::new(tree);
        for &node in tree.nodes() {
            let Some(path) = paths.next(node) else {
                continue;
            };
            let at = *self.by_path.entry_ref(path).or_insert_with(|| {
                self.list.push(Track::at(path.to_owned()));
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
    pub(super) fn finish(self, moments: usize) -> Result<Vec<Track>, PathError> {
        for pending in self.pending.into_iter().flatten() {
            if let Some(error) = pending.reason {
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

/// The range of a node, and the place at which the node was first seen among all nodes.
#[derive(Debug)]
struct SeenRange {
    place: usize,
    range: ValueRange,
}

/// The range of every node's rank or target so far, by path: a few numbers per node show which nodes moved most.
#[derive(Debug, Default)]
pub(super) struct RangesByPath {
    by_path: HashMap<String, SeenRange>,
}

impl RangesByPath {
    /// Adds the moment of a scenario.
    pub(super) fn take(&mut self, scenario: &Scenario, measure: Measure) {
        let mut paths = Paths::new(scenario.tree());
        for &node in scenario.tree().nodes() {
            let path = paths.next(node);
            let number = Point::of(scenario, node).measured(measure);
            if let (Some(path), Some(number)) = (path, number) {
                let place = self.by_path.len();
                let seen = self.by_path.entry_ref(path).or_insert(SeenRange {
                    place,
                    range: ValueRange::of(number),
                });
                seen.range.add(number);
            }
        }
    }

    /// Returns the paths of the `count` nodes that moved most, the furthest first; of equals the one first seen.
    pub(super) fn most(self, count: usize) -> Vec<String> {
        let mut nodes: Vec<(String, SeenRange)> = self.by_path.into_iter().collect();
        nodes.retain(|(_, seen)| seen.range.width() > 0.0);
        nodes.sort_by_key(|(_, seen)| {
            let ends = (seen.range.last - seen.range.first).abs();
            (!ordered(seen.range.width()), !ordered(ends), seen.place)
        });
        nodes.truncate(count);
        nodes.into_iter().map(|(path, _)| path).collect()
    }
}
