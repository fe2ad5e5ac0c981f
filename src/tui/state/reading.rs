//! Reading a source again: the job, what comes of it, and who moved.

use crate::analysis::diff::counterparts;
use crate::base::shown::Shown;
use crate::format::{Request, Series, is_example};
use crate::model::NodeId;
use crate::open::opened::{Opened, saved};
use crate::open::{FileStates, live};
use crate::rules::policy::Policy;
use crate::scenario::{OtherScenarios, Scenario};
use crate::tui::job::{Now, Running, Ticket};

/// The fewest seconds between two queries of a scheduler, which has other work to do.
pub const LEAST_LIVE_PACE: u32 = 10;

/// What is known of reading sources again.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// The job that reads, and the place of its tree among the open ones.
    pub(crate) asked: Running<usize>,
    /// Whether the user asked for it, so that its result is announced in any case.
    pub(crate) is_explicit: bool,
    pub(crate) is_waiting: bool,
    /// A reading that came while a dialog was open, and the place of its tree. The dialog must not lose its node.
    pub(crate) arrived: Option<(usize, Box<Reading>)>,
    /// The dump of the series that is being read, if it is not the one on the screen.
    pub(crate) target: Option<Series>,
    /// The first source, as long as it could not be opened.
    pub(crate) unopened: Option<Request>,
}

/// Checks that a source can be read a second time; the error says why not.
pub(crate) fn can_be_read_again(request: &Request) -> Result<(), &'static str> {
    if request.live().is_some() {
        Ok(())
    } else if is_example(request.path()) {
        Err("a built-in tree is always the same; open a file or a scheduler to read it again")
    } else if request.is_standard_input() {
        Err("standard input can be read only once; open a file to read it again")
    } else {
        Ok(())
    }
}

/// Reads a source again. Clones are cheap: they share every column.
#[derive(Clone, Debug)]
pub struct ReloadTask {
    pub request: Request,
    /// The series that it belongs to, with this dump as the current one.
    pub(crate) series: Option<Series>,
    /// What is on the screen, edits included.
    pub(crate) before: Box<Scenario>,
    pub(crate) other_scenarios: OtherScenarios,
    /// How often edits had changed when the job began.
    pub(crate) changes: u64,
    /// The states of the files that were read last, if nothing is to be read while these stay.
    pub(crate) file_states: Option<FileStates>,
}

impl ReloadTask {
    /// Returns what was read, unless the files still have the states that were read last.
    pub(crate) fn answer(self, ticket: &Ticket, now: &dyn Fn() -> Now) -> Result<Reload, Shown> {
        let mut states = None;
        if let Some(seconds) = now().unix_seconds {
            states = FileStates::at(&self.request, seconds);
        }
        if self.file_states.is_some() && self.file_states == states {
            return Ok(Reload::Unchanged(now().time_of_day));
        }
        let loaded = match live::load(&self.request, &mut |_| ticket.go_on()) {
            Ok(loaded) => loaded,
            Err(error) => return Err(error.line()),
        };
        let read_at = now().time_of_day;
        let before = &*self.before;
        let scenarios = self.other_scenarios.all(before).map(saved).collect();
        let front = self.other_scenarios.place();
        let mut policy = None;
        if !before.is_following() {
            policy = Some(before.policy());
        }
        let mut opened = Opened::with_scenarios(loaded, policy, scenarios, front);
        hold_against_again(&mut opened, before);
        opened.source.read_at = Some(read_at);
        opened.source.series = self.series;
        opened.source.file_states = states;
        let counterparts = counterparts(before.tree(), opened.scenario.tree());
        let moves = Moves::between(before, &opened.scenario, &counterparts);
        opened.compute_numbers();
        Ok(Reload::Read(Box::new(Reading {
            opened,
            counterparts,
            moves,
            changes: self.changes,
        })))
    }
}

/// What came of reading a source again.
#[derive(Debug)]
pub enum Reload {
    /// The files have not changed up to this time of day.
    Unchanged(String),
    /// The source was read.
    Read(Box<Reading>),
}

/// A source that was read again.
#[derive(Debug)]
pub struct Reading {
    pub(crate) opened: Opened,
    /// The counterpart of each node on the screen, by its number.
    pub(crate) counterparts: Vec<Option<NodeId>>,
    pub(crate) moves: Moves,
    /// How often edits had changed when the job began.
    pub(crate) changes: u64,
}

/// Who moved between two readings of a source.
#[derive(Clone, Debug)]
pub(crate) struct Moves {
    pub(crate) policy: Policy,
    /// The places that a node, or the best user below it, gained or lost, by its number.
    pub(crate) places: Vec<i64>,
    pub(crate) users: usize,
}

impl Moves {
    /// Returns who moved between two readings; nodes have these counterparts in the later one.
    fn between(before: &Scenario, after: &Scenario, counterparts: &[Option<NodeId>]) -> Self {
        let old = before.baseline();
        let new = after.baseline();
        let old_best = old.best_ranks();
        let new_best = new.best_ranks();
        let mut places = vec![0; after.base().tree.id_count()];
        let mut users = 0;
        for &node in before.base().tree.nodes() {
            let Some(counterpart) = counterparts[node.index()] else {
                continue;
            };
            let Some(old_place) = old.position(node) else {
                continue;
            };
            let Some(new_place) = new.position(counterpart) else {
                continue;
            };
            let was = old_best[old_place];
            let is = new_best[new_place];
            // A rank of 0 is none.
            if was == 0 || is == 0 || was == is {
                continue;
            }
            places[counterpart.index()] = i64::from(was) - i64::from(is);
            users += usize::from(new.rank(counterpart).is_some());
        }
        Self {
            policy: before.policy(),
            places,
            users,
        }
    }
}

/// Compares the scenario in front with the one of the same name as before.
pub(crate) fn hold_against_again(opened: &mut Opened, before: &Scenario) {
    let compared = match before.compared() {
        Some(name) => opened.other_scenarios.named(name),
        None => None,
    };
    opened.scenario.compare_with(compared);
}
