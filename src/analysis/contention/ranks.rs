//! Who is given cores next: users by rank, found one after the other or by the ranks of all.

use super::state::MachineState;
use crate::analysis::simulate::Simulation;
use crate::model::NodeId;
use crate::rules::policy::{NextUser, UsageCount, UserQueue};
use crate::scenario::Scenario;

#[derive(Default)]
pub(super) struct RankSource {
    /// The users in the order of their ranks, with their places among the contenders by position in the tree. `None`
    /// under policies without such a queue, and for scenarios to which it does not apply.
    queue: Option<(UserQueue, Vec<u32>)>,
    /// Whether the queue has the usage of this moment.
    is_queued: bool,
    /// The ranks by position in the tree, if they were computed since usage was counted.
    ranks: Option<Vec<u32>>,
}

impl RankSource {
    /// Returns the source for users with a demand, which is given by node id.
    pub(super) fn of(scenario: &Scenario, demand: &[u64]) -> Self {
        let tree = scenario.tree();
        let nodes = tree.nodes().iter();
        let is_wanted: Vec<bool> = nodes.map(|node| demand[node.index()] > 0).collect();
        let mut place = 0;
        let places = is_wanted.iter().map(|&is_wanted| {
            let here = place;
            place += u32::from(is_wanted);
            here
        });
        let places = places.collect();
        let queue = scenario
            .policy()
            .queue(tree, scenario.settings(), is_wanted);
        Self {
            queue: queue.map(|queue| (queue, places)),
            ..Self::default()
        }
    }

    /// Takes note that usage was counted after so many seconds, so that ranks have changed.
    pub(super) fn count(&mut self, simulation: &Simulation, seconds: u64) {
        self.ranks = None;
        if let Some((queue, _)) = &mut self.queue {
            let clock = simulation.clock();
            let charged = clock.settings().time.pace.rates();
            let charged: Vec<NodeId> = charged.map(|(node, _)| node).collect();
            queue.count(UsageCount {
                settings: clock.settings(),
                charged: &charged,
                left: clock.left_after(seconds),
                usage: &|node| clock.usage(node),
                held: &|node| clock.held(node),
            });
            self.is_queued = true;
        }
    }

    /// Starts jobs on the free cores, users of the best rank first.
    pub(super) fn start(
        &mut self,
        now: u64,
        state: &mut MachineState<'_>,
        simulation: &mut Simulation,
    ) {
        if let (None, true, Some((queue, places))) = (&self.ranks, self.is_queued, &mut self.queue)
        {
            queue.begin();
            while state.can_start() {
                match queue.next_user(&|node| simulation.clock().held(node)) {
                    NextUser::At(position) => state.start_for(now, places[position] as usize),
                    NextUser::None => return,
                    NextUser::Unknown => break,
                }
            }
            if !state.can_start() {
                return;
            }
        }
        // Users that were given cores before want no more, so the others follow in the order of their ranks.
        let ranks = self
            .ranks
            .get_or_insert_with(|| simulation.look().1.ranks().to_vec());
        state.start(now, ranks);
    }
}
