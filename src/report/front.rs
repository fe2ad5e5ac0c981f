//! The top of a published page: its title, where the numbers come from, and the rule that computed them.

use super::View;
use super::moments::Moments;
use super::render::document::{Fact, Front};
use super::words::{self, dump};
use crate::base::number::{cell, counted};
use crate::base::shown::{Shown, sentence, shown, shown_text, visible};
use crate::model::{NodeId, Source};
use crate::rules::policy::{ColumnId, Policy};
use crate::scenario::Entry;

impl Fact {
    /// Returns a fact of one line.
    fn of(name: &'static str, text: impl Into<Shown>) -> Self {
        Self {
            name,
            lines: vec![text.into()],
            is_code: false,
        }
    }
}

impl Front {
    /// Returns the top of a page about a tree.
    pub(super) fn of(title: impl Into<Shown>, view: &View<'_>) -> Self {
        let mut front = Self {
            title: title.into(),
            source: view.source.title.clone(),
            facts: Vec::new(),
            links: Vec::new(),
        };
        front.add("Source", source(view.source));
        front.add_scheduler(view);
        front.add_times(view);
        if view.source.lacks_tree {
            front.add_edits(view);
            return front;
        }
        front.add("Policy", policy(view));
        if view.policy == Policy::Formula {
            let formula = view.settings.get("job_sort_formula").unwrap_or_default();
            front.add("Formula", visible(&formula));
        }
        front.add_verification(view);
        front.add_size(view);
        front.add_edits(view);
        front
    }

    /// Returns the top with other names for its sources, where there are several.
    pub(super) fn with_sources(mut self, sources: &[(&'static str, &Source)]) -> Self {
        // The source is the first fact.
        let others = self.facts.split_off(1);
        self.facts.clear();
        for (name, of) in sources {
            self.add(name, source(of));
        }
        self.facts.extend(others);
        self
    }

    /// Adds a fact of one line.
    fn add(&mut self, name: &'static str, text: impl Into<Shown>) {
        self.facts.push(Fact::of(name, text));
    }

    /// Adds the scheduler, its version and its cluster, if they are known.
    fn add_scheduler(&mut self, view: &View<'_>) {
        let Some(scheduler) = view.settings.scheduler else {
            return;
        };
        let mut text = Shown::from(scheduler.title());
        let version = shown(view.source.version.as_bytes());
        if !version.is_empty() {
            text += &sentence!(" {version}");
        }
        let cluster = shown(view.source.cluster.as_bytes());
        if !cluster.is_empty() {
            text += &sentence!(" on {cluster}");
        }
        self.add("Scheduler", text);
    }

    /// Adds when the source was taken, and the moment of the clock if it was moved.
    fn add_times(&mut self, view: &View<'_>) {
        let taken = view.source.taken;
        if taken.is_some() {
            self.add("Taken", moment(taken, 0));
        }
        let time = &view.settings.time;
        if time.passed > 0 {
            self.add("Moment", moment(time.taken, time.passed));
        }
    }

    /// Adds the edits, a line for each.
    fn add_edits(&mut self, view: &View<'_>) {
        let mut lines = Vec::new();
        for entry in view.edits.iter().filter_map(Entry::edit) {
            for line in entry.text.lines() {
                lines.push(shown_text(line.as_bytes()));
            }
        }
        self.facts.push(Fact {
            name: "Edits",
            lines,
            is_code: true,
        });
    }

    /// Adds whether the scheduler's own numbers equal the computed ones, if that is not beside the policy.
    fn add_verification(&mut self, view: &View<'_>) {
        if let Some(verification) = view.verification
            && let Some(standing) = dump::standing(verification, view.policy, view.settings)
        {
            let when = if view.is_untouched {
                ""
            } else {
                " before the edits"
            };
            let standing_text = standing.text();
            self.add("Recorded numbers", sentence!("{standing_text}{when}"));
        }
    }

    /// Adds how large the tree is, its usage, and how many problems its source has.
    fn add_size(&mut self, view: &View<'_>) {
        let ranked = view.evaluation.user_count();
        let size = words::source::size(view.tree, ranked);
        self.add("Size", size);
        let column = ColumnId::Usage;
        let value = view.value(column, NodeId::ROOT);
        let usage = cell(value, column.unit());
        if !usage.is_empty() {
            let unit = shown(view.source.usage_unit.as_bytes());
            let amount = sentence!("{usage} {unit}");
            self.add("Usage", amount.trimmed());
        }
        let problems = view.problems.count();
        if problems > 0 {
            let count = counted(problems, "problem", "problems");
            self.add("Problems", count);
        }
    }
}

/// Returns a moment so many seconds after the snapshot, with its zone if it is a date.
fn moment(taken: Option<i64>, passed: u64) -> Shown {
    let text = Moments { taken }.text(passed);
    if taken.is_some() {
        return sentence!("{text} UTC");
    }
    text
}

/// Returns the path and the format of a source; without a tree there is no format.
fn source(source: &Source) -> Shown {
    if source.lacks_tree {
        return source.path.clone();
    }
    sentence!("{} ({})", source.path, source.format.name())
}

/// Returns the policy, beside that of the dump if it is another.
fn policy(view: &View<'_>) -> Shown {
    if let Some(verification) = view.verification
        && let Some(both) = dump::beside(verification, view.policy, view.settings)
    {
        return both;
    }
    view.policy.title().into()
}
