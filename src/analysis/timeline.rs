//! A series of dumps as a timeline: what became of nodes from one to the next, and what was changed between them.
//!
//! Dumps are opened one after another, and no more than three trees are in memory at a time: the one before, the one
//! that is looked at, and the newest, which says the policy. What is kept are the points of the nodes that were asked
//! for. A node is the same node where it has the same path.

mod pace;
mod ranges;
mod track;
mod transition;

pub use track::{Measure, Point, Track, ValueRange};
pub use transition::{ShareChange, Transition};

use crate::analysis::diff::Diff;
use crate::model::{NodeId, PathError, Snapshot};
use crate::rules::policy::{ColumnId, Policy};
use crate::scenario::Scenario;
use crate::source::format::series::{Dump, FoundSeries};
use crate::source::format::{LoadError, OnProgress, Problem, Problems, Request, Severity, load};
use crate::source::opened::Opened;
use ranges::RangesByPath;
use track::Tracks;

/// How many points are kept at most: one for every node and moment.
pub const MOST_POINTS: usize = 2_000_000;

/// Whose points are kept.
#[derive(Clone, Copy, Debug)]
pub enum NodeSelection<'a> {
    /// Those of these nodes, by path or by a name that occurs once.
    Nodes(&'a [Vec<u8>]),
    /// Those of all nodes.
    All,
    /// Those of so many nodes that moved most. The dumps are read twice for it.
    Movers(usize),
}

/// Why there is no timeline.
#[derive(Debug, thiserror::Error)]
pub enum TimelineError {
    /// A dump, or none of them, could be opened.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// No dump has a node that was asked for, or several.
    #[error(transparent)]
    Path(#[from] PathError),
    /// More than can be kept.
    #[error(
        "all nodes at all moments are more than {MOST_POINTS} points; name the nodes that matter, as in --node group/user"
    )]
    TooLarge,
}

impl TimelineError {
    /// Returns the error in one line, as [`LoadError::line`] does.
    #[must_use]
    pub fn line(&self) -> String {
        match self {
            Self::Load(error) => error.line(),
            error => error.to_string(),
        }
    }
}

/// One dump that was opened.
#[derive(Clone, Debug)]
pub struct Moment {
    /// The dump.
    pub dump: Dump,
    /// How many nodes its tree has.
    pub nodes: usize,
    /// How many of them are users.
    pub users: usize,
    /// All usage under the policy, in the source's unit.
    pub usage: Option<f64>,
    /// How many dumps are missing before it, where the others come at a steady pace.
    pub missing: usize,
    /// How many problems the dump has.
    pub problems: usize,
    /// What changed since the moment before; nothing for the first.
    pub step: Option<Transition>,
}

/// Dumps in order of time, and the nodes that were followed through them.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// The moments, the oldest first.
    pub moments: Vec<Moment>,
    /// The nodes that were followed: as they were asked for, or those that moved most first.
    pub tracks: Vec<Track>,
    /// The newest dump under the policy of all.
    pub newest: Scenario,
    /// The usual seconds between two moments, where they come at a steady pace.
    pub pace: Option<i64>,
    /// What was left out, taken otherwise than it was given, or hardly belongs together. The problems of the dumps
    /// themselves are only counted.
    pub problems: Problems,
}

impl Timeline {
    /// The rule at every moment.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.newest.policy()
    }

    /// What tells who moved: ranks, or targets where nobody has a rank.
    #[must_use]
    pub fn measure(&self) -> Measure {
        Measure::of(&self.newest)
    }
}

/// Reads the dumps of a series, each as the request says. The policy is the one asked for, else that of the newest dump.
///
/// # Errors
/// If no dump can be opened, a node that was asked for is in none of them, or the user cancelled.
pub fn read(
    found: FoundSeries,
    request: &Request,
    wanted: NodeSelection<'_>,
    policy: Option<Policy>,
    report: OnProgress<'_>,
) -> Result<Timeline, TimelineError> {
    let mut reader = TimelineReader::begin(found, request, policy, report)?;
    let (mut tracks, mut movers) = match wanted {
        NodeSelection::Nodes(names) => (Tracks::of_names(names), None),
        NodeSelection::All => (Tracks::of_all(), None),
        NodeSelection::Movers(count) => (
            Tracks::of_names(&[]),
            Some((RangesByPath::default(), count)),
        ),
    };
    tracks.resolve(&reader.newest)?;
    let measure = Measure::of(&reader.newest);
    reader.read_all(true, report, &mut |place, scenario| {
        if let Some((spread, _)) = &mut movers {
            spread.take(scenario, measure);
        }
        tracks.take(place, scenario)
    })?;
    if let Some((spread, count)) = movers {
        tracks = Tracks::of_paths(spread.most(count));
        reader.read_all(false, report, &mut |place, scenario| {
            tracks.take(place, scenario)
        })?;
    }
    let tracks = tracks.finish(reader.moments.len())?;
    let dumps: Vec<&Dump> = reader.moments.iter().map(|moment| &moment.dump).collect();
    let (pace, missing) = pace::missing(&dumps);
    for (moment, missing) in reader.moments.iter_mut().zip(missing) {
        moment.missing = missing;
    }
    Ok(Timeline {
        moments: reader.moments,
        tracks,
        newest: reader.newest,
        pace,
        problems: reader.problems,
    })
}

/// What is done with each moment.
type MomentVisitor<'a> = &'a mut dyn FnMut(usize, &Scenario) -> Result<(), TimelineError>;

/// The dumps that are being read.
struct TimelineReader<'a> {
    request: &'a Request,
    /// Those that can be opened, as far as is known.
    dumps: Vec<Dump>,
    /// The newest of them that could be opened, under the policy of all.
    newest: Scenario,
    /// How many problems it has.
    newest_problems: usize,
    policy: Policy,
    moments: Vec<Moment>,
    problems: Problems,
}

impl<'a> TimelineReader<'a> {
    /// Opens the newest dump, which says the policy.
    fn begin(
        found: FoundSeries,
        request: &'a Request,
        policy: Option<Policy>,
        report: OnProgress<'_>,
    ) -> Result<Self, TimelineError> {
        let FoundSeries {
            series,
            mut problems,
        } = found;
        let mut dumps = series.dumps().to_vec();
        let mut failure = None;
        while let Some(dump) = dumps.last() {
            match open(dump, request, policy, report) {
                Ok(opened) => {
                    return Ok(Self {
                        request,
                        policy: opened.scenario.policy(),
                        newest_problems: opened.problems.count(),
                        newest: opened.scenario,
                        dumps,
                        moments: Vec::new(),
                        problems,
                    });
                }
                Err(LoadError::Cancelled) => return Err(LoadError::Cancelled.into()),
                Err(error) => {
                    problems.push(unreadable(dump, &error));
                    failure = failure.or(Some(error));
                    dumps.pop();
                }
            }
        }
        let nothing = || LoadError::Refused("there are no dumps".to_owned());
        Err(failure.unwrap_or_else(nothing).into())
    }

    /// Opens one dump after another. The first time moments are made of them, and those that cannot be opened are left
    /// out from then on.
    fn read_all(
        &mut self,
        is_first: bool,
        report: OnProgress<'_>,
        take: MomentVisitor<'_>,
    ) -> Result<(), TimelineError> {
        let mut before: Option<Scenario> = None;
        let mut place = 0;
        while let Some(dump) = self.dumps.get(place).cloned() {
            let is_newest = place + 1 == self.dumps.len();
            let opened = if is_newest {
                Ok((self.newest.clone(), self.newest_problems))
            } else {
                let opened = open(&dump, self.request, Some(self.policy), report);
                opened.map(|opened| (opened.scenario, opened.problems.count()))
            };
            let (scenario, problems) = match opened {
                Ok(opened) => opened,
                Err(LoadError::Cancelled) => return Err(LoadError::Cancelled.into()),
                Err(error) => {
                    self.problems.push_with(|| unreadable(&dump, &error));
                    if is_first {
                        self.dumps.remove(place);
                    } else {
                        // Gone since it was read first: its moment stays, without points.
                        place += 1;
                    }
                    continue;
                }
            };
            take(place, &scenario)?;
            if is_first {
                self.add_moment(dump, problems, before.as_ref(), &scenario);
            }
            before = Some(scenario);
            place += 1;
        }
        Ok(())
    }

    fn add_moment(
        &mut self,
        dump: Dump,
        problems: usize,
        before: Option<&Scenario>,
        scenario: &Scenario,
    ) {
        let step = before.map(|before| {
            if let Some(problem) = stranger(&dump, before.base(), scenario.base()) {
                self.problems.push(problem);
            }
            Transition::of(&Diff::between(before, scenario))
        });
        let tree = scenario.tree();
        self.moments.push(Moment {
            dump,
            nodes: tree.node_count(),
            users: tree.user_count(),
            usage: scenario.evaluation().number(ColumnId::Usage, NodeId::ROOT),
            missing: 0,
            problems,
            step,
        });
    }
}

fn open(
    dump: &Dump,
    request: &Request,
    policy: Option<Policy>,
    report: OnProgress<'_>,
) -> Result<Opened, LoadError> {
    let request = Request {
        path: dump.path.clone(),
        series: Vec::new(),
        ..request.clone()
    };
    Ok(Opened::new(load(&request, report)?, policy))
}

fn unreadable(dump: &Dump, error: &LoadError) -> Problem {
    Problem::about(
        Severity::Error,
        "timeline-unreadable",
        &crate::source::format::input::name(&dump.path),
        format!("the dump of {} is left out: {error}", dump.when()),
        "mend or remove it; the others are shown without it",
    )
}

/// Two dumps in a row that can hardly be of one cluster.
fn stranger(dump: &Dump, before: &Snapshot, after: &Snapshot) -> Option<Problem> {
    let (was, is) = before.different_clusters(after)?;
    Some(Problem::about(
        Severity::Warning,
        "timeline-other-cluster",
        &crate::source::format::input::name(&dump.path),
        format!(
            "the dump of {} is of {is} and the one before of {was}; what has the same path is taken for the same",
            dump.when()
        ),
        "give the dumps of one cluster only",
    ))
}
