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
    fn of(name: &'static str, text: impl Into<Shown>) -> Self {
        Self {
            name,
            lines: vec![text.into()],
            is_code: false,
        }
    }
}

impl Front {
    pub(super) fn of(title: impl Into<Shown>, view: &View<'_>) -> Self {
        let mut front = Self {
            title: title.into(),
            source: view.source.title.clone(),
            facts: Vec::new(),
        };
        front.add("Source", source(view.source));
        front.add_scheduler(view);
        front.add_times(view);
        front.add("Policy", policy(view));
        if view.policy == Policy::Formula {
            let formula = view.settings.get("job_sort_formula").unwrap_or_default();
            front.add("Formula", visible(&formula));
        }
        front.add_verification(view);
        front.add_size(view);
        let edits = view.edits.iter().filter_map(Entry::edit);
        let edits = edits.flat_map(|entry| entry.text.lines());
        front.facts.push(Fact {
            name: "Edits",
            lines: edits.map(|line| shown_text(line.as_bytes())).collect(),
            is_code: true,
        });
        front
    }

    /// Returns the top with other names for its sources, where there are several.
    pub(super) fn with_sources(mut self, sources: &[(&'static str, &Source)]) -> Self {
        let facts = sources.iter();
        let facts = facts.map(|&(name, of)| Fact::of(name, source(of)));
        // The source is the first fact.
        self.facts.splice(..1, facts);
        self
    }

    fn add(&mut self, name: &'static str, text: impl Into<Shown>) {
        self.facts.push(Fact::of(name, text));
    }

    fn add_scheduler(&mut self, view: &View<'_>) {
        let Some(scheduler) = view.settings.scheduler else {
            return;
        };
        let mut text = Shown::from(scheduler.title());
        let [version, cluster] =
            [&view.source.version, &view.source.cluster].map(|fact| shown(fact.as_bytes()));
        if !version.is_empty() {
            text += &sentence!(" {version}");
        }
        if !cluster.is_empty() {
            text += &sentence!(" on {cluster}");
        }
        self.add("Scheduler", text);
    }

    fn add_times(&mut self, view: &View<'_>) {
        let mut add = |name, taken: Option<i64>, passed| {
            let zone = if taken.is_some() { " UTC" } else { "" };
            self.add(name, sentence!("{}{zone}", Moments { taken }.text(passed)));
        };
        if view.source.taken.is_some() {
            add("Taken", view.source.taken, 0);
        }
        let time = &view.settings.time;
        if time.passed > 0 {
            add("Moment", time.taken, time.passed);
        }
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
            self.add("Recorded numbers", sentence!("{}{when}", standing.text()));
        }
    }

    fn add_size(&mut self, view: &View<'_>) {
        let ranked = view.evaluation.user_count();
        self.add("Size", words::source::size(view.tree, ranked));
        let usage = view.value(ColumnId::Usage, NodeId::ROOT);
        let usage = cell(usage, ColumnId::Usage.unit());
        if !usage.is_empty() {
            let unit = shown(view.source.usage_unit.as_bytes());
            self.add("Usage", sentence!("{usage} {unit}").trimmed());
        }
        let problems = view.problems.count();
        if problems > 0 {
            self.add("Problems", counted(problems, "problem", "problems"));
        }
    }
}

fn source(source: &Source) -> Shown {
    sentence!("{} ({})", source.path, source.format.name())
}

/// Returns the policy, beside that of the dump if it is another.
fn policy(view: &View<'_>) -> Shown {
    let beside = |verification| dump::beside(verification, view.policy, view.settings);
    let other = view.verification.and_then(beside);
    other.unwrap_or_else(|| view.policy.title().into())
}
