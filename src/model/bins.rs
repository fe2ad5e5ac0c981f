//! Usage as flux-accounting keeps it: in bins, one per half-life period; and the finished jobs that it counts.

use super::NodeId;

/// One row of the table of bins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BinRow {
    /// The association.
    pub node: NodeId,
    /// How many periods ago; 0 is the current one.
    pub period: u32,
    /// The usage, decayed once per shift.
    pub usage: f64,
}

/// The usage bins of all associations, as many for each as its database has rows, and what else Flux keeps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bins {
    /// Where the bins of each id begin, and where the last ones end.
    starts: Vec<usize>,
    /// The bins of all ids, one after the other.
    usage: Vec<f64>,
    /// By id: the usage of running jobs.
    waiting: Vec<f64>,
    /// By id: the moment up to which ended jobs are counted.
    counted: Vec<f64>,
}

impl Bins {
    /// Builds the bins of `id_count` ids from rows in any order. A row beyond the periods without gaps is left out.
    pub fn of(id_count: usize, rows: &[BinRow]) -> Self {
        let mut counts = vec![0_usize; id_count];
        for row in rows {
            if let Some(count) = counts.get_mut(row.node.index()) {
                *count += 1;
            }
        }
        let mut bins = Self::with_counts(counts.into_iter());
        for row in rows {
            if let Some(usage) = bins.get_mut(row.node).get_mut(row.period as usize) {
                *usage = row.usage;
            }
        }
        bins
    }

    /// Creates empty bins, with the given number for each id.
    pub(crate) fn with_counts(counts: impl Iterator<Item = usize>) -> Self {
        let mut starts = vec![0];
        let mut end = 0;
        for count in counts {
            end += count;
            starts.push(end);
        }
        let id_count = starts.len() - 1;
        Self {
            starts,
            usage: vec![0.0; end],
            waiting: vec![0.0; id_count],
            counted: Vec::new(),
        }
    }

    /// Returns where the bins of an association are; empty if none are known.
    fn range(&self, node: NodeId) -> std::ops::Range<usize> {
        let index = node.index();
        match (self.starts.get(index), self.starts.get(index + 1)) {
            (Some(&start), Some(&end)) => start..end,
            _ => 0..0,
        }
    }

    /// Returns the bins of an association, the current period first; empty if none are known.
    pub fn get(&self, node: NodeId) -> &[f64] {
        &self.usage[self.range(node)]
    }

    /// Returns the bins of an association, to be changed.
    pub(crate) fn get_mut(&mut self, node: NodeId) -> &mut [f64] {
        let range = self.range(node);
        &mut self.usage[range]
    }

    /// Returns an association's usage of jobs that are still running, which is in no bin yet.
    pub(crate) fn waiting(&self, node: NodeId) -> f64 {
        self.waiting.get(node.index()).copied().unwrap_or(0.0)
    }

    /// Sets an association's usage of running jobs.
    pub(crate) fn set_waiting(&mut self, node: NodeId, usage: f64) {
        if let Some(waiting) = self.waiting.get_mut(node.index()) {
            *waiting = usage;
        }
    }

    /// Returns the moment, in Unix seconds, before which ended jobs are counted already or too old; 0 if unknown.
    pub fn counted(&self, node: NodeId) -> f64 {
        self.counted.get(node.index()).copied().unwrap_or(0.0)
    }

    /// Sets the moment before which ended jobs are counted.
    pub(crate) fn set_counted(&mut self, node: NodeId, moment: f64) {
        if self.counted.len() <= node.index() {
            self.counted.resize(node.index() + 1, 0.0);
        }
        self.counted[node.index()] = moment;
    }

    /// Returns whether no association has bins.
    pub(crate) fn is_empty(&self) -> bool {
        self.usage.is_empty()
    }
}

/// A finished job: its resources, and when it began and ended, in Unix seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FinishedJob {
    /// Its nodes.
    pub nnodes: u64,
    /// Its cores.
    pub ncores: u64,
    /// Its GPUs.
    pub ngpus: u64,
    /// When it began.
    pub t_run: f64,
    /// When it ended.
    pub t_inactive: f64,
}

impl FinishedJob {
    /// Returns how long it ran, in seconds.
    pub(crate) fn elapsed(&self) -> f64 {
        self.t_inactive - self.t_run
    }
}
