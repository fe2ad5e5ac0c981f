//! A source that is read again: what is asked, what comes of it, and who moved.

use crate::analysis::diff::counterparts;
use crate::model::NodeId;
use crate::rules::policy::Policy;
use crate::scenario::{OtherScenarios, Scenario};
use crate::source::format::{Loaded, Request, Series};
use crate::source::opened::{Opened, saved};

/// The fewest seconds between two questions to a scheduler, which has other things to do.
pub const LEAST_LIVE_PACE: u32 = 10;

/// A source to be read again. Its clones are cheap: they share every column.
#[derive(Clone, Debug)]
pub struct ReloadTask {
    pub(crate) request: Request,
    /// The series of which it is one, with this one open.
    pub(crate) series: Option<Series>,
    /// What is on the screen, edits included.
    pub(crate) before: Box<Scenario>,
    /// The scenarios beside it.
    pub(crate) other_scenarios: OtherScenarios,
    /// How often edits had changed by then.
    pub(crate) changes: u64,
}

impl ReloadTask {
    /// Makes an answer of what was loaded at a time of day: edits applied, numbers worked out, nodes found again.
    pub(crate) fn answer(self, number: u64, loaded: Loaded, read_at: String) -> Reading {
        let Self {
            request: _,
            series,
            before,
            other_scenarios,
            changes,
        } = self;
        let mut opened = opened(loaded, &before, &other_scenarios);
        opened.read_at = Some(read_at);
        opened.series = series;
        let counterparts = counterparts(before.tree(), opened.scenario.tree());
        let moves = Moves::between(&before, &opened.scenario, &counterparts);
        opened.work_out();
        Reading {
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
pub struct Reading {
    pub(crate) number: u64,
    pub(crate) opened: Opened,
    /// By the number of a node on the screen: the same node now.
    pub(crate) counterparts: Vec<Option<NodeId>>,
    pub(crate) moves: Moves,
    pub(crate) changes: u64,
}

/// Who moved between two readings.
#[derive(Clone, Debug)]
pub(crate) struct Moves {
    pub(crate) policy: Policy,
    /// By the number of a node: the places that it, or the best user below it, gained or lost.
    pub(crate) places: Vec<i64>,
    /// How many users have another rank.
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

/// The scenarios on what was loaded since.
fn opened(mut loaded: Loaded, before: &Scenario, other_scenarios: &OtherScenarios) -> Opened {
    loaded.scenarios = other_scenarios.all(before).map(saved).collect();
    loaded.front = other_scenarios.place();
    let policy = (!before.is_following()).then(|| before.policy());
    let mut opened = Opened::new(loaded, policy);
    hold_against_again(&mut opened, before);
    opened
}

/// Holds the scenario in front against the one of the name that it was held against.
pub(crate) fn hold_against_again(opened: &mut Opened, before: &Scenario) {
    let compared = before
        .compared()
        .and_then(|name| opened.other_scenarios.named(name));
    opened.scenario.compare_with(compared);
}
