//! A series of dumps as a timeline: how nodes, which are known by their paths, changed from one dump to the next.
//!
//! Dumps are opened one after another. At most three trees are in memory at a time: the previous one, the present one,
//! and the newest, which determines the policy. Only the points of the requested nodes are kept.

mod track;
mod transition;

pub use track::{Lead, Measure};
pub(crate) use track::{Point, Track, ValueRange};
pub(crate) use transition::ShareChange;
pub use transition::Transition;

use crate::analysis::diff::Diff;
use crate::analysis::metrics::FairnessByKind;
use crate::base::shown::{Shown, sentence, shown};
use crate::format::series::{Dump, Series};
use crate::format::{LoadError, OnProgress, Problem, Problems, Request, Severity};
use crate::model::{NodeId, PathError, Snapshot};
use crate::open::load;
use crate::open::opened::{Opened, apply_text};
use crate::rules::policy::{ColumnId, Policy};
use crate::scenario::{LanguageError, Scenario};
use track::{RangesByPath, Tracks};

/// The most points that are kept, one for every node and moment.
pub(crate) const MOST_POINTS: usize = 2_000_000;

/// The nodes to follow.
#[derive(Clone, Copy, Debug)]
pub enum NodeSelection<'a> {
    /// These nodes, by path or by a name that occurs once.
    Nodes(&'a [Vec<u8>]),
    /// All nodes.
    All,
    /// This many nodes that moved most. The dumps are read twice to find them.
    Movers(usize),
    /// None of them, but how evenly each tree was served.
    Fairness,
}

/// Why a timeline cannot be made.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each variant says what it is")]
pub enum TimelineError {
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Path(#[from] PathError),
    #[error("edit '{edit}' at {when}: {error}")]
    Edit {
        edit: Shown,
        when: Shown,
        error: Box<LanguageError>,
    },
    #[error(
        "all nodes at all moments make more than {MOST_POINTS} points; choose nodes, as in --node group/user"
    )]
    TooLarge,
}

impl TimelineError {
    /// Returns the error in one line, as [`LoadError::line`] does.
    pub(crate) fn line(&self) -> Shown {
        match self {
            Self::Load(error) => error.line(),
            error => Shown::error(error),
        }
    }
}

/// The rules under which dumps are opened.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules<'a> {
    /// The policy; `None` takes that of the newest dump.
    pub policy: Option<Policy>,
    /// Edits of the edit language, made at every moment.
    pub edits: &'a [String],
}

/// An opened dump.
#[derive(Clone, Debug)]
pub struct Moment {
    /// The dump.
    pub dump: Dump,
    /// The number of nodes in its tree.
    pub nodes: usize,
    pub(crate) users: usize,
    /// The total usage under the policy, in the source's unit. `None` if the policy has none for the root.
    pub(crate) usage: Option<f64>,
    /// The number of dumps missing before it; 0 if the dumps come at no steady pace.
    pub missing: usize,
    /// The number of problems in the dump.
    pub problems: usize,
    /// The changes since the previous moment. `None` for the first.
    pub step: Option<Transition>,
}

/// Dumps in order of time, and the nodes followed through them.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// The moments, the oldest first.
    pub moments: Vec<Moment>,
    /// The followed nodes, in the order of the request or those that moved most first.
    pub tracks: Vec<Track>,
    /// By moment, how its accounts and its users were served, without the nodes; empty unless it was asked for.
    pub(crate) fairness: Vec<FairnessByKind>,
    /// The newest dump, under the policy of the timeline.
    pub(crate) newest: Scenario,
    /// The usual seconds between two moments. `None` if they come at no steady pace.
    pub pace: Option<i64>,
    /// Problems with the series: dumps left out, read differently, or of other clusters. Those in a dump are counted.
    pub problems: Problems,
}

impl Timeline {
    /// Returns the policy of every moment.
    pub fn policy(&self) -> Policy {
        self.newest.policy()
    }

    /// Returns what measures moves: ranks, or targets if no user has a rank.
    pub fn measure(&self) -> Measure {
        Measure::of(&self.newest)
    }
}

/// Reads the dumps of a series as the request says, under the given rules.
pub fn read(
    found: (Series, Problems),
    request: &Request,
    wanted: NodeSelection<'_>,
    rules: Rules<'_>,
    report: OnProgress<'_>,
) -> Result<Timeline, TimelineError> {
    let mut reader = TimelineReader::begin(found, request, rules, report)?;
    let (mut tracks, mut movers) = match wanted {
        NodeSelection::Nodes(names) => (Tracks::of_names(names), None),
        NodeSelection::All => (Tracks::of_all(), None),
        NodeSelection::Movers(count) => (Tracks::default(), Some((RangesByPath::default(), count))),
        NodeSelection::Fairness => (Tracks::default(), None),
    };
    let mut fairness = Vec::new();
    tracks.resolve(&reader.newest)?;
    let measure = Measure::of(&reader.newest);
    reader.read_all(true, report, &mut |place, scenario| {
        if let Some((spread, _)) = &mut movers {
            spread.take(scenario, measure);
        }
        if matches!(wanted, NodeSelection::Fairness) {
            fairness.push(fairness_of(scenario));
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
    let (pace, missing) = missing(&dumps);
    for (moment, missing) in reader.moments.iter_mut().zip(missing) {
        moment.missing = missing;
    }
    Ok(Timeline {
        moments: reader.moments,
        tracks,
        fairness,
        newest: reader.newest,
        pace,
        problems: reader.problems,
    })
}

/// Called with the place of each moment and its scenario.
type MomentVisitor<'a> = &'a mut dyn FnMut(usize, &Scenario) -> Result<(), TimelineError>;

struct TimelineReader<'a> {
    request: &'a Request,
    rules: Rules<'a>,
    /// The dumps, without those that turned out to be unreadable.
    dumps: Vec<Dump>,
    /// The newest readable dump, under the policy of the timeline.
    newest: Scenario,
    newest_problems: usize,
    moments: Vec<Moment>,
    problems: Problems,
}

impl<'a> TimelineReader<'a> {
    /// Opens the newest readable dump, which determines the policy.
    fn begin(
        found: (Series, Problems),
        request: &'a Request,
        rules: Rules<'a>,
        report: OnProgress<'_>,
    ) -> Result<Self, TimelineError> {
        let (series, mut problems) = found;
        let mut dumps = series.dumps().to_vec();
        let mut failure = None;
        while let Some(dump) = dumps.last() {
            match open(dump, request, rules, report) {
                Ok((newest, newest_problems)) => {
                    return Ok(Self {
                        request,
                        rules,
                        newest_problems,
                        newest,
                        dumps,
                        moments: Vec::new(),
                        problems,
                    });
                }
                Err(TimelineError::Load(error)) if !matches!(error, LoadError::Cancelled) => {
                    problems.push(unreadable(dump, &error));
                    failure = failure.or(Some(error));
                    dumps.pop();
                }
                Err(error) => return Err(error),
            }
        }
        let nothing = || LoadError::Refused("there are no dumps".into());
        Err(failure.unwrap_or_else(nothing).into())
    }

    /// Opens one dump after another. The first pass makes the moments, and drops the dumps that cannot be opened.
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
                let rules = Rules {
                    policy: Some(self.newest.policy()),
                    ..self.rules
                };
                open(&dump, self.request, rules, report)
            };
            let (scenario, problems) = match opened {
                Ok(opened) => opened,
                Err(TimelineError::Load(error)) if !matches!(error, LoadError::Cancelled) => {
                    self.problems.push_with(|| unreadable(&dump, &error));
                    if is_first {
                        self.dumps.remove(place);
                    } else {
                        // The dump is gone since the first pass. Its moment stays, without points.
                        place += 1;
                    }
                    continue;
                }
                Err(error) => return Err(error),
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

    fn add_moment(&mut self, dump: Dump, problems: usize, last: Option<&Scenario>, now: &Scenario) {
        let step = last.map(|last| {
            if let Some(problem) = stranger(&dump, last.base(), now.base()) {
                self.problems.push(problem);
            }
            Transition::of(&Diff::between(last, now))
        });
        let tree = now.tree();
        self.moments.push(Moment {
            dump,
            nodes: tree.node_count(),
            users: tree.user_count(),
            usage: now.evaluation().number(ColumnId::Usage, NodeId::ROOT),
            missing: 0,
            problems,
            step,
        });
    }
}

/// Returns how the accounts and the users were served. Nodes of a tree that is not kept mean nothing.
fn fairness_of(scenario: &Scenario) -> FairnessByKind {
    let mut fairness =
        FairnessByKind::of(scenario.policy(), scenario.tree(), scenario.evaluation());
    fairness.accounts.nodes = Vec::new();
    fairness.users.nodes = Vec::new();
    fairness
}

/// Opens a dump, and counts its problems.
fn open(
    dump: &Dump,
    request: &Request,
    rules: Rules<'_>,
    report: OnProgress<'_>,
) -> Result<(Scenario, usize), TimelineError> {
    let mut opened = Opened::new(load(&dump.request(request), report)?, rules.policy);
    for edit in rules.edits {
        let made = apply_text(&mut opened.scenario, edit.as_bytes());
        made.map_err(|error| TimelineError::Edit {
            edit: shown(edit.as_bytes()),
            when: dump.when(),
            error: Box::new(error),
        })?;
    }
    Ok((opened.scenario, opened.source.problems.count()))
}

fn unreadable(dump: &Dump, error: &LoadError) -> Problem {
    Problem::about(
        Severity::Error,
        "timeline-unreadable",
        &crate::format::input::name(&dump.path),
        sentence!("the dump of {} was left out: {error}", dump.when()),
        "fix or remove it; the other dumps are shown",
    )
}

/// Returns the problem that two successive dumps seem to be of different clusters. `None` if they do not.
fn stranger(dump: &Dump, before: &Snapshot, after: &Snapshot) -> Option<Problem> {
    let (was, is) = before.different_clusters(after)?;
    Some(Problem::about(
        Severity::Warning,
        "timeline-other-cluster",
        &crate::format::input::name(&dump.path),
        sentence!(
            "the dump of {} is from {is} and the one before from {was}; nodes with the same path are treated as the \
             same",
            dump.when()
        ),
        "give the dumps of one cluster only",
    ))
}

/// The fewest intervals that show a pace.
const FEWEST: usize = 3;

/// How far an interval may be from the usual one, relative to it: months have 28 to 31 days.
const TOLERANCE: f64 = 0.25;

/// Returns the usual seconds between two dumps, and how many are missing before each: `None` and 0 if the intervals
/// vary too much or are too few.
fn missing(dumps: &[&Dump]) -> (Option<i64>, Vec<usize>) {
    let mut missing = vec![0; dumps.len()];
    let pairs = dumps.windows(2);
    let distances: Vec<i64> = pairs.map(|pair| pair[1].at - pair[0].at).collect();
    let mut sorted: Vec<i64> = distances.iter().copied().filter(|&far| far > 0).collect();
    sorted.sort_unstable();
    if sorted.len() < FEWEST {
        return (None, missing);
    }
    let usual = sorted[(sorted.len() - 1) / 2];
    let is_usual = |&&far: &&i64| (far as f64 / usual as f64 - 1.0).abs() <= TOLERANCE;
    // With fewer than two usual intervals in three, the expected dumps are unknown.
    if 3 * sorted.iter().filter(is_usual).count() < 2 * sorted.len() {
        return (None, missing);
    }
    for (missing, &far) in missing[1..].iter_mut().zip(&distances) {
        let rounded = (2 * far + usual) / (2 * usual);
        *missing = usize::try_from(rounded - 1).unwrap_or(0);
    }
    (Some(usual), missing)
}
