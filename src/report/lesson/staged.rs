//! A lesson on its tree: what the tree is before and after each step.

use super::question::{Reply, reaches};
use super::{Caption, Lesson, Sides, Step, StepView, Until, caption};
use crate::base::shown::{Shown, sentence};
use crate::format::Problems;
use crate::model::Scheduler;
use crate::open::opened::apply_text;
use crate::report::View;
use crate::rules::policy::{ColumnId, Policy};
use crate::scenario::Scenario;
use std::sync::Arc;

/// A lesson on its tree. Every step was tried out, so that none fails while it is played.
#[derive(Clone, Debug)]
pub struct Staged {
    /// The lesson.
    pub lesson: Arc<Lesson>,
    /// The tree before the first step, and after each step that changes it.
    states: Vec<Scenario>,
    /// By step: the place of the tree after it.
    after: Vec<usize>,
    /// By step: the steps that say what is on its screen.
    screens: Vec<ScreenSteps>,
}

/// The steps that last said what is on the screen. `None` where none did.
#[derive(Clone, Copy, Debug, Default)]
struct ScreenSteps {
    select: Option<usize>,
    screen: Option<usize>,
    columns: Option<usize>,
    why: Option<usize>,
}

impl ScreenSteps {
    /// Returns the same after a further step.
    fn then(self, step: usize, view: &StepView) -> Self {
        let said = |is_said: bool, before: Option<usize>| if is_said { Some(step) } else { before };
        Self {
            select: said(view.select.is_some(), self.select),
            screen: said(view.screen.is_some(), self.screen),
            columns: said(view.columns.is_some(), self.columns),
            why: said(view.why.is_some(), self.why),
        }
    }
}

/// What the tree of a step must not tell, because later steps ask about the same tree.
#[derive(Clone, Debug, Default)]
pub(super) struct HiddenAnswers {
    /// Whether any step asks.
    pub(super) is_any: bool,
    /// The columns that would tell an answer.
    pub(super) columns: Vec<ColumnId>,
}

impl Staged {
    /// Returns a lesson on its tree, as it was opened, with the steps that are for such a tree.
    /// The error is a sentence with the line of the first step that does not fit the tree.
    pub fn new(mut lesson: Arc<Lesson>, opened: &Scenario) -> Result<Self, Shown> {
        let policy = opened.policy().name();
        let own = ["example", "example"];
        let trees = lesson.other.as_ref().map_or(own, |_| ["other", policy]);
        let is_for = |step: &Step| trees.iter().any(|tree| step.trees.contains(tree));
        let steps = &mut Arc::make_mut(&mut lesson).steps;
        steps.retain(|step| step.trees.is_empty() || is_for(step));
        if lesson.steps.is_empty() {
            return Err(sentence!("{}: no step is for this tree", lesson.file));
        }
        let mut states = vec![opened.clone()];
        let mut after = Vec::new();
        let mut screens = Vec::new();
        let mut screen = ScreenSteps::default();
        for (place, step) in lesson.steps.iter().enumerate() {
            let refuse = |line: u64, reason: &Shown| sentence!("{}:{line}: {reason}", lesson.file);
            let before = states.len() - 1;
            if !step.edits.is_empty() || step.policy.is_some() {
                let mut state = states[before].clone();
                for (line, edit) in &step.edits {
                    apply_text(&mut state, edit.as_bytes())
                        .map_err(|error| refuse(*line, &Shown::error(&error)))?;
                }
                if let Some(policy) = step.policy {
                    state.set_policy(policy);
                }
                states.push(state);
            }
            let tried = Stage {
                step,
                before: &states[before],
                now: &states[states.len() - 1],
            };
            let tried = tried.try_out();
            tried.map_err(|(line, reason)| refuse(line, &reason))?;
            after.push(states.len() - 1);
            screen = screen.then(place, &step.view);
            screens.push(screen);
        }
        Ok(Self {
            lesson,
            states,
            after,
            screens,
        })
    }

    /// Returns what a step says of the screen, else the steps before it, with the columns of its policy by these names.
    pub fn view(&self, step: usize) -> StepView {
        let policy = self.stage(step).now.policy();
        let said = self.screens[self.last(step)];
        let view = |step: Option<usize>| step.map(|step| &self.lesson.steps[step].view);
        let mut view = StepView {
            select: view(said.select).and_then(|view| view.select.clone()),
            screen: view(said.screen).and_then(|view| view.screen),
            columns: view(said.columns).and_then(|view| view.columns.clone()),
            why: view(said.why).and_then(|view| view.why),
            actions: self.stage(step).step.view.actions.clone(),
        };
        for column in view.columns.iter_mut().flatten() {
            *column = caption::under(policy, *column);
        }
        view
    }

    /// Returns what a step says; the first one also what else decides a queue, which no tree shows.
    pub fn text(&self, step: usize, key: &dyn Fn(&str) -> Shown) -> Shown {
        let stage = self.stage(step);
        let text = stage.said(&stage.step.text, key).unwrap_or_default();
        let beside = match stage.now.settings().scheduler.filter(|_| step == 0) {
            Some(Scheduler::Slurm) => "its age, QOS, size and partition",
            Some(Scheduler::Pbs) => "its queue and the job_sort_formula",
            Some(Scheduler::Flux) => "its queue, its bank and its urgency",
            None => return text,
        };
        sentence!("{text} A job's priority also depends on {beside}.")
    }

    /// Returns the steps whose answers the tree of a step would show: the step itself, unless its question `is_answered`,
    /// and later ones that ask about the same tree.
    pub(crate) fn open(&self, step: usize, is_answered: bool) -> impl Iterator<Item = usize> {
        let first = step + usize::from(is_answered);
        let shown = first.checked_sub(1).map_or(0, |step| self.after[step]);
        // The trees are in the order of the steps.
        let of_tree = self.after.partition_point(|&after| after <= shown);
        let end = if is_answered {
            of_tree
        } else {
            of_tree.max(step + 1)
        };
        (first..end).filter(move |&later| self.lesson.steps[later].question.is_some())
    }

    /// Returns, by step, what its tree must not tell once its own question is answered: the columns of `candidates` that
    /// would. One pass from the last step, because each step hides what the next one hides.
    pub(super) fn hidden(
        &self,
        candidates: impl Fn(&Scenario) -> Vec<ColumnId>,
    ) -> Vec<HiddenAnswers> {
        let steps = &self.lesson.steps;
        let mut hidden = vec![HiddenAnswers::default(); steps.len()];
        for step in (1..steps.len()).rev() {
            if self.after[step] != self.after[step - 1] {
                continue;
            }
            let mut earlier = hidden[step].clone();
            if let Some(question) = &steps[step].question {
                let now = self.stage(step).now;
                let mut told = candidates(now);
                told.retain(|&column| {
                    !earlier.columns.contains(&column) && question.is_told_by(column, now.policy())
                });
                earlier.columns.extend(told);
                earlier.is_any = true;
            }
            hidden[step - 1] = earlier;
        }
        hidden
    }

    /// Returns whether a column would tell the answer to one of these questions.
    pub fn hides(&self, step: usize, is_answered: bool, column: ColumnId, policy: Policy) -> bool {
        let open = self.open(step, is_answered);
        let mut questions = open.filter_map(|step| self.lesson.steps[step].question.as_ref());
        questions.any(|question| question.is_told_by(column, policy))
    }

    /// Returns a step, or the last one if there are fewer.
    fn last(&self, step: usize) -> usize {
        step.min(self.lesson.steps.len() - 1)
    }

    /// Returns a step with its trees; the last one if there are fewer.
    pub fn stage(&self, step: usize) -> Stage<'_> {
        let step = self.last(step);
        Stage {
            step: &self.lesson.steps[step],
            before: &self.states[step.checked_sub(1).map_or(0, |step| self.after[step])],
            now: &self.states[self.after[step]],
        }
    }
}

/// A step, and the trees before and after it.
#[derive(Clone, Copy, Debug)]
pub struct Stage<'a> {
    /// The step.
    pub step: &'a Step,
    /// The tree before it.
    pub before: &'a Scenario,
    /// The tree after it.
    pub now: &'a Scenario,
}

impl Stage<'_> {
    /// Returns the same step with another tree after it, which the reader has changed.
    pub(crate) fn with<'a>(&'a self, now: &'a Scenario) -> Stage<'a> {
        Stage { now, ..*self }
    }

    /// Returns a sentence with its numbers.
    /// The error says which node that it names the tree does not have.
    pub fn said(&self, caption: &Caption, key: &dyn Fn(&str) -> Shown) -> Result<Shown, Shown> {
        self.look(key, |sides| {
            caption.said(sides).map_err(|error| Shown::error(&error))
        })
    }

    /// Returns the question of the step with the numbers before it; `None` if it asks nothing.
    pub fn asked(&self, key: &dyn Fn(&str) -> Shown) -> Option<Shown> {
        let question = self.step.question.as_ref()?;
        self.with(self.before).said(&question.text, key).ok()
    }

    /// Returns the answers to the question of the step, and which of them are right; `None` if it asks nothing.
    pub fn reply(&self) -> Option<Reply> {
        let question = self.step.question.as_ref()?;
        self.look(&|_| Shown::default(), |sides| question.reply(sides))
            .ok()
    }

    /// Returns whether the task of the step is done by its tree.
    pub(crate) fn is_done(&self) -> bool {
        let until = self.step.task.as_ref().map(|task| &task.until);
        let Some(Until::Goal { node, goal }) = until else {
            return false;
        };
        let is_reached = |sides: &Sides<'_>| reaches(&sides.now, node, goal) == Ok(true);
        self.look(&|_| Shown::default(), is_reached)
    }

    fn look<T>(&self, key: &dyn Fn(&str) -> Shown, look: impl FnOnce(&Sides<'_>) -> T) -> T {
        let problems = Problems::default();
        look(&Sides {
            now: View::of(self.now, &problems),
            before: View::of(self.before, &problems),
            key,
        })
    }

    /// Says and asks everything once; what fails is returned with its line.
    fn try_out(&self) -> Result<(), (u64, Shown)> {
        let key = |_: &str| Shown::default();
        let task = self.step.task.as_ref();
        let question = self.step.question.as_ref();
        let captions = [
            Some(&self.step.text),
            question.map(|question| &question.text),
            task.map(|task| &task.text),
            task.map(|task| &task.done),
            task.and_then(|task| task.not_yet.as_ref()),
        ];
        for caption in captions.into_iter().flatten() {
            let said = self.said(caption, &key);
            said.map_err(|reason| (caption.line, reason))?;
        }
        if let Some(question) = question {
            let reply = self.look(&key, |sides| question.reply(sides));
            reply.map_err(|reason| (question.line, reason))?;
        }
        let finds = |line: u64, path: &str| {
            let found = self.look(&key, |sides| caption::node(&sides.now, path).map(drop));
            found.map_err(|error| (line, Shown::error(&error)))
        };
        if let Some(task) = task {
            match &task.until {
                Until::Goal { node, goal } => {
                    let reached = self.look(&key, |sides| reaches(&sides.now, node, goal));
                    reached.map_err(|reason| (task.line, reason))?;
                }
                Until::Selected(path) => finds(task.line, path)?,
                Until::Action(_) => {}
            }
        }
        match &self.step.view.select {
            Some((line, path)) => finds(*line, path),
            None => Ok(()),
        }
    }
}
