//! A source that is read again: the task, its result, and who moved.

use crate::analysis::diff::counterparts;
use crate::format::{Loaded, Request, Series};
use crate::model::NodeId;
use crate::open::FileStates;
use crate::open::opened::{Opened, saved};
use crate::rules::policy::Policy;
use crate::scenario::{OtherScenarios, Scenario};

/// The fewest seconds between two queries of a scheduler, which has other work to do.
pub const LEAST_LIVE_PACE: u32 = 10;

/// Reads a source again. Clones are cheap: they share every column.
#[derive(Clone, Debug)]
pub struct ReloadTask {
    pub(crate) request: Request,
    /// The series that it belongs to, with this dump as the current one.
    pub(crate) series: Option<Series>,
    /// What is on the screen, edits included.
    pub(crate) before: Box<Scenario>,
    /// The other scenarios.
    pub(crate) other_scenarios: OtherScenarios,
    /// How often edits had changed when the job began.
    pub(crate) changes: u64,
    /// The states of the files that were read last, if nothing is to be read while these stay. Then the present ones.
    pub(crate) file_states: Option<FileStates>,
}

impl ReloadTask {
    /// Notes the present states of the files, and returns whether they are the ones that were read last.
    pub(crate) fn look(&mut self, now: Option<FileStates>) -> bool {
        let last = std::mem::replace(&mut self.file_states, now);
        last.is_some() && last == self.file_states
    }

    /// Returns the reading of what was loaded at a time of day: it applies the edits, computes the numbers and matches
    /// the nodes.
    pub(crate) fn answer(self, number: u64, loaded: Loaded, read_at: String) -> Reload {
        let Self {
            request: _,
            series,
            before,
            other_scenarios,
            changes,
            file_states,
        } = self;
        let mut opened = opened(loaded, &before, &other_scenarios);
        opened.read_at = Some(read_at);
        opened.series = series;
        opened.file_states = file_states;
        let counterparts = counterparts(before.tree(), opened.scenario.tree());
        let moves = Moves::between(&before, &opened.scenario, &counterparts);
        opened.compute_numbers();
        Reload {
            number,
            opened,
            counterparts,
            moves,
            changes,
        }
    }
}

/// A source that was read again.
#[derive(Debug)]
pub struct Reload {
    pub(crate) number: u64,
    pub(crate) opened: Opened,
    /// The counterpart of each node on the screen, by its number.
    pub(crate) counterparts: Vec<Option<NodeId>>,
    pub(crate) moves: Moves,
    pub(crate) changes: u64,
}

/// The users that moved between two readings.
#[derive(Clone, Debug)]
pub(crate) struct Moves {
    pub(crate) policy: Policy,
    /// The places that a node, or the best user below it, gained or lost, by its number.
    pub(crate) places: Vec<i64>,
    /// The number of users with another rank.
    pub(crate) users: usize,
}

impl Moves {
    fn between(before: &Scenario, after: &Scenario, counterparts: &[Option<NodeId>]) -> Self {
        let tree = &after.base().tree;
        let (old, new) = (before.baseline(), after.baseline());
        let (old_best, new_best) = (old.best_ranks(), new.best_ranks());
        let mut places = vec![0; tree.id_count()];
        let mut users = 0;
        for &node in before.base().tree.nodes() {
            let Some(counterpart) = counterparts[node.index()] else {
                continue;
            };
            let (Some(was), Some(is)) = (old.position(node), new.position(counterpart)) else {
                continue;
            };
            let (was, is) = (old_best[was], new_best[is]);
            if was == is || was == 0 || is == 0 {
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

/// Returns what was loaded, with the scenarios applied to it.
fn opened(mut loaded: Loaded, before: &Scenario, other_scenarios: &OtherScenarios) -> Opened {
    loaded.scenarios = other_scenarios.all(before).map(saved).collect();
    loaded.front = other_scenarios.place();
    let policy = (!before.is_following()).then(|| before.policy());
    let mut opened = Opened::new(loaded, policy);
    hold_against_again(&mut opened, before);
    opened
}

/// Compares the scenario in front with the one of the same name as before.
pub(crate) fn hold_against_again(opened: &mut Opened, before: &Scenario) {
    let compared = before
        .compared()
        .and_then(|name| opened.other_scenarios.named(name));
    opened.scenario.compare_with(compared);
}
