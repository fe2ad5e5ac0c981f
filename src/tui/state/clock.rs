//! What the Time screen asks of a tree: the lines to draw, and how long its clock takes.

use super::Session;
use crate::analysis::solve::Goal;
use crate::model::NodeId;
use crate::tui::time::axis::DAY;
use crate::tui::time::forecast::{ForecastKey, Lines};

/// The most lines of the chart.
const MOST_LINES: usize = 8;

/// How many users ranked directly before the selected one, and behind it, are drawn if nothing is marked.
const RIVALS: u32 = 2;

/// The seconds that the shortest cycle of a scheduler takes, roughly.
const CYCLE: u64 = 300;

/// The product of nodes and cycles up to which the clock is moved at once.
const AT_ONCE: u64 = 4_000_000;

impl Session {
    /// Returns the nodes whose lines are drawn: the marked ones, else the selected one with its nearest rivals.
    fn choose_lines(&mut self) -> Vec<NodeId> {
        let scenario = &self.scenario;
        let selected = self.selected();
        let mut marked = self.marks.nodes(scenario.tree());
        if !marked.is_empty() {
            self.time.chosen = None;
            marked.truncate(MOST_LINES);
            return marked;
        }
        let ids = scenario.tree().ids().clone();
        let mark = scenario.mark_before_waiting();
        let reason = (ids, selected, mark, scenario.policy());
        if let Some((known, nodes)) = &self.time.chosen
            && *known == reason
        {
            return nodes.clone();
        }
        let nodes = self.rivals(selected);
        self.time.chosen = Some((reason, nodes.clone()));
        nodes
    }

    /// Returns a node with those that it competes with: users next to it in rank, or siblings of an account.
    fn rivals(&self, node: NodeId) -> Vec<NodeId> {
        let tree = self.scenario.tree();
        let numbers = self.scenario.evaluation();
        let Some(rank) = numbers.rank(node) else {
            return self.with_siblings(node);
        };
        let mut near = Vec::new();
        for (&place, &other) in numbers.ranks().iter().zip(tree.nodes()) {
            if place > 0 && other != node && place.abs_diff(rank) <= RIVALS {
                near.push((place, other));
            }
        }
        near.sort_unstable();
        let mut nodes = vec![node];
        for (_, other) in near {
            nodes.push(other);
        }
        nodes.truncate(MOST_LINES);
        nodes
    }

    /// Returns a node with the first of its siblings.
    fn with_siblings(&self, node: NodeId) -> Vec<NodeId> {
        let tree = self.scenario.tree();
        let mut nodes = vec![node];
        let Some(account) = tree.parent(node) else {
            return nodes;
        };
        for other in tree.children(account) {
            if nodes.len() > 2 * RIVALS as usize {
                break;
            }
            if other != node && Some(other) != tree.unknown() {
                nodes.push(other);
            }
        }
        nodes
    }

    /// Returns which lines are drawn: the chosen ones, else the marked nodes, else what becomes of the selected one.
    pub(crate) fn drawn_lines(&self) -> Lines {
        match self.time.lines {
            Some(lines) => lines,
            None if self.marked_count() > 0 => Lines::Nodes,
            None => Lines::Assumptions,
        }
    }

    /// Returns which lines are to be drawn now, and under which settings.
    pub(crate) fn forecast_key(&mut self) -> ForecastKey {
        let lines = self.drawn_lines();
        let nodes = match lines {
            Lines::Nodes => self.choose_lines(),
            Lines::Assumptions => vec![self.selected()],
        };
        // The clock stays within the first three quarters of what is drawn.
        let waited = self.scenario.waited();
        let mut until = self.time.horizon(self.settings());
        while waited > until / 4 * 3 {
            until = until.saturating_mul(2);
        }
        let tree = self.scenario.tree();
        let goal = match self.time.goal {
            Some(Goal::AheadOf(other)) if !tree.contains(other) => None,
            goal => goal,
        };
        ForecastKey {
            ids: tree.ids().clone(),
            goal,
            mark: self.scenario.mark_before_waiting(),
            policy: self.scenario.policy(),
            lines,
            nodes,
            selected: self.selected(),
            until,
            other_half_life: self.time.other_half_life,
        }
    }

    /// Returns whether moving the clock from one moment to another, in seconds, takes so long that a thread does it.
    pub(crate) fn waits_long(&self, from: u64, until: u64) -> bool {
        let cycles = until.saturating_sub(from) / CYCLE + 1;
        let nodes = self.latest().tree().id_count() as u64;
        nodes.saturating_mul(cycles) > AT_ONCE
    }

    /// Returns how far a thread has moved the clock, in words. `None` if none moves it, or has told nothing yet.
    pub(crate) fn way_of_clock(&self) -> Option<String> {
        let under_way = self.time.clock_run.about()?;
        let at = under_way.at? / DAY;
        let until = under_way.until.div_ceil(DAY);
        Some(format!("moving the clock: day {at} of {until}"))
    }
}
