//! A lesson on its tree: what the tree is before and after each step.

use super::question::{Aim, Reply};
use super::{Caption, Lesson, Sides, Step, StepView, Until, caption};
use crate::base::shown::{Shown, sentence};
use crate::format::{Example, Problems};
use crate::model::Scheduler;
use crate::open::example;
use crate::open::opened::{Opened, apply_text};
use crate::report::View;
use crate::rules::policy::{ColumnId, Policy};
use crate::scenario::Scenario;
use std::sync::Arc;

/// A lesson on its tree. Every step was tried out, so that none fails while it is played.
#[derive(Clone, Debug)]
pub struct Staged {
    /// The lesson.
    pub lesson: Arc<Lesson>,
    /// The tree before the first step, those with which steps begin, and that after each step that changes it.
    states: Vec<Scenario>,
    /// By step: the places of its trees.
    trees: Vec<StepTrees>,
    /// By step: the steps that say what is on its screen.
    screens: Vec<ScreenSteps>,
}

/// The places of the trees of a step.
#[derive(Clone, Copy, Debug)]
struct StepTrees {
    /// The tree before it.
    before: usize,
    /// The tree after it.
    after: usize,
}

/// The steps that last said what is on the screen. `None` where none did.
#[derive(Clone, Copy, Debug, Default)]
struct ScreenSteps {
    /// The step that last selected a node.
    select: Option<usize>,
    /// The step that last chose a screen.
    screen: Option<usize>,
    /// The step that last chose columns.
    columns: Option<usize>,
    /// The step that last set the why pane.
    why: Option<usize>,
}

impl ScreenSteps {
    /// Takes in a further step.
    const fn take(&mut self, step: usize, view: &StepView) {
        if view.select.is_some() {
            self.select = Some(step);
        }
        if view.screen.is_some() {
            self.screen = Some(step);
        }
        if view.columns.is_some() {
            self.columns = Some(step);
        }
        if view.why.is_some() {
            self.why = Some(step);
        }
    }
}

/// What of a lesson does not fit its tree.
struct Misfit {
    /// The line, from 1.
    line: u64,
    /// Why.
    reason: Shown,
}

impl Misfit {
    /// Returns the sentence, with its place in the lesson's file.
    fn told(&self, file: &Shown) -> Shown {
        let Self { line, reason } = self;
        sentence!("{file}:{line}: {reason}")
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
    ///
    /// # Errors
    /// A sentence with the line of the first step that does not fit the tree.
    pub fn new(mut lesson: Arc<Lesson>, opened: &Scenario) -> Result<Self, Shown> {
        let is_other = lesson.other.is_some();
        let policy = opened.policy().name();
        let steps = &mut Arc::make_mut(&mut lesson).steps;
        steps.retain(|step| step.is_for(is_other, policy));
        let file = &lesson.file;
        if lesson.steps.is_empty() {
            return Err(sentence!("{file}: no step is for this tree"));
        }
        let mut staged = Self {
            lesson: Arc::clone(&lesson),
            states: vec![opened.clone()],
            trees: Vec::new(),
            screens: Vec::new(),
        };
        for step in &lesson.steps {
            if let Err(misfit) = staged.add(step) {
                return Err(misfit.told(file));
            }
        }
        if let Some(summary) = &lesson.summary
            && let Err(reason) = staged.stage(lesson.steps.len()).said(summary, &no_key)
        {
            let line = summary.line;
            return Err(Misfit { line, reason }.told(file));
        }
        Ok(staged)
    }

    /// Adds the next step, and tries it out.
    fn add(&mut self, step: &Step) -> Result<(), Misfit> {
        if let Some(built_in) = step.example {
            let opened = Opened::new(example(built_in), None);
            self.states.push(opened.scenario);
        }
        let before = self.states.len() - 1;
        if step.policy.is_some() || !step.edits.is_empty() {
            let state = step.applied(&self.states[before])?;
            self.states.push(state);
        }
        let after = self.states.len() - 1;
        let stage = Stage {
            step,
            before: &self.states[before],
            now: &self.states[after],
        };
        stage.try_out()?;
        let mut screen = match self.screens.last() {
            Some(screen) => *screen,
            None => ScreenSteps::default(),
        };
        let number = self.trees.len();
        screen.take(number, &step.view);
        self.screens.push(screen);
        self.trees.push(StepTrees { before, after });
        Ok(())
    }

    /// Returns what a step says of the screen, else the steps before it, with the columns of its policy by these names.
    pub fn view(&self, step: usize) -> StepView {
        let stage = self.stage(step);
        let policy = stage.now.policy();
        let said = self.screens[self.last(step)];
        let mut view = StepView {
            actions: stage.step.view.actions.clone(),
            ..StepView::default()
        };
        if let Some(step) = said.select {
            view.select.clone_from(&self.lesson.steps[step].view.select);
        }
        if let Some(step) = said.screen {
            view.screen = self.lesson.steps[step].view.screen;
        }
        if let Some(step) = said.columns {
            let columns = &self.lesson.steps[step].view.columns;
            view.columns.clone_from(columns);
        }
        if let Some(step) = said.why {
            view.why = self.lesson.steps[step].view.why;
        }
        for column in view.columns.iter_mut().flatten() {
            *column = caption::under(policy, *column);
        }
        view
    }

    /// Returns what a step says; the first one also what else decides a queue, which no tree shows.
    pub fn text(&self, step: usize, key: &dyn Fn(&str) -> Shown) -> Shown {
        let stage = self.stage(step);
        let text = stage.said(&stage.step.text, key).unwrap_or_default();
        if step > 0 {
            return text;
        }
        let beside = match stage.now.settings().scheduler {
            Some(Scheduler::Slurm) => "its age, QOS, size and partition",
            Some(Scheduler::Pbs) => "its queue and the job_sort_formula",
            Some(Scheduler::Flux) => "its queue, its bank and its urgency",
            None => return text,
        };
        sentence!("{text} A job's priority also depends on {beside}.")
    }

    /// Returns the built-in tree that a step or one before it began with instead of the lesson's; `None` if none did.
    pub(crate) fn example(&self, step: usize) -> Option<Example> {
        let steps = &self.lesson.steps[..=self.last(step)];
        steps.iter().rev().find_map(|step| step.example)
    }

    /// Returns what the lesson comes to, with the numbers of its last step; `None` if its author does not say.
    pub(crate) fn summary(&self, key: &dyn Fn(&str) -> Shown) -> Option<Shown> {
        let last = self.stage(self.lesson.steps.len());
        last.said(self.lesson.summary.as_ref()?, key).ok()
    }

    /// Returns the steps whose answers the tree of a step would show: the step itself, unless its question `is_answered`,
    /// and later ones that ask about the same tree.
    pub(crate) fn open(&self, step: usize, is_answered: bool) -> impl Iterator<Item = usize> {
        let first = step + usize::from(is_answered);
        let trees = self.trees[step];
        let shown = if is_answered {
            trees.after
        } else {
            trees.before
        };
        // The trees are in the order of the steps.
        let of_tree = self.trees.partition_point(|later| later.after <= shown);
        let end = if is_answered {
            of_tree
        } else {
            of_tree.max(step + 1)
        };
        (first..end).filter(|&later| self.lesson.steps[later].question.is_some())
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
            if self.trees[step].after != self.trees[step - 1].after {
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
        for step in self.open(step, is_answered) {
            if let Some(question) = &self.lesson.steps[step].question
                && question.is_told_by(column, policy)
            {
                return true;
            }
        }
        false
    }

    /// Returns a step, or the last one if there are fewer.
    fn last(&self, step: usize) -> usize {
        step.min(self.lesson.steps.len() - 1)
    }

    /// Returns a step with its trees; the last one if there are fewer.
    pub fn stage(&self, step: usize) -> Stage<'_> {
        let place = self.last(step);
        let trees = self.trees[place];
        Stage {
            step: &self.lesson.steps[place],
            before: &self.states[trees.before],
            now: &self.states[trees.after],
        }
    }
}

impl Step {
    /// Returns whether the step is for a tree: the lesson's own, or another one of a policy.
    fn is_for(&self, is_other: bool, policy: &str) -> bool {
        fits_tree(&self.trees, is_other, policy)
    }

    /// Returns a tree with the edits and the policy of the step.
    fn applied(&self, before: &Scenario) -> Result<Scenario, Misfit> {
        let mut state = before.clone();
        for (line, edit) in &self.edits {
            if let Err(error) = apply_text(&mut state, edit.as_bytes()) {
                return Err(Misfit {
                    line: *line,
                    reason: Shown::error(&error),
                });
            }
        }
        if let Some(policy) = self.policy {
            state.set_policy(policy);
        }
        Ok(state)
    }

    /// Returns the sentences of the step.
    fn captions(&self) -> Vec<&Caption> {
        let mut captions = vec![&self.text];
        if let Some(question) = &self.question {
            captions.push(&question.text);
        }
        if let Some(task) = &self.task {
            captions.push(&task.text);
            captions.push(&task.done);
            captions.extend(&task.not_yet);
            captions.extend(&task.hint);
        }
        captions
    }
}

/// Returns whether a step for these trees is for a tree: the lesson's own, or another one of a policy.
pub(super) fn fits_tree(trees: &[&str], is_other: bool, policy: &str) -> bool {
    if trees.is_empty() {
        return true;
    }
    if is_other {
        return trees.contains(&"other") || trees.contains(&policy);
    }
    trees.contains(&"example")
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
    ///
    /// # Errors
    /// Which node that it names the tree does not have.
    pub fn said(&self, caption: &Caption, key: &dyn Fn(&str) -> Shown) -> Result<Shown, Shown> {
        let problems = Problems::default();
        let said = caption.said(&self.sides(&problems, key));
        said.map_err(|error| Shown::error(&error))
    }

    /// Returns the question of the step with the numbers before it; `None` if it asks nothing.
    pub fn asked(&self, key: &dyn Fn(&str) -> Shown) -> Option<Shown> {
        let question = self.step.question.as_ref()?;
        self.with(self.before).said(&question.text, key).ok()
    }

    /// Returns the answers to the question of the step, and which of them are right; `None` if it asks nothing.
    pub fn reply(&self) -> Option<Reply> {
        let question = self.step.question.as_ref()?;
        let problems = Problems::default();
        question.reply(&self.sides(&problems, &no_key)).ok()
    }

    /// Returns whether the task of the step is done by its tree.
    pub(crate) fn is_done(&self) -> bool {
        let Some(task) = &self.step.task else {
            return false;
        };
        let Until::Goal { node, goal } = &task.until else {
            return false;
        };
        let problems = Problems::default();
        let view = View::of(self.now, &problems);
        match Aim::parse(&view, node, goal) {
            Ok(aim) => aim.is_reached(&view),
            Err(_) => false,
        }
    }

    /// Returns both trees, with the keys of actions.
    fn sides<'s>(&'s self, problems: &'s Problems, key: &'s dyn Fn(&str) -> Shown) -> Sides<'s> {
        Sides {
            now: View::of(self.now, problems),
            before: View::of(self.before, problems),
            key,
        }
    }

    /// Says and asks everything once, and returns what fails first.
    fn try_out(&self) -> Result<(), Misfit> {
        for caption in self.step.captions() {
            if let Err(reason) = self.said(caption, &no_key) {
                let line = caption.line;
                return Err(Misfit { line, reason });
            }
        }
        let problems = Problems::default();
        let sides = self.sides(&problems, &no_key);
        if let Some(question) = &self.step.question
            && let Err(reason) = question.reply(&sides)
        {
            let line = question.line;
            return Err(Misfit { line, reason });
        }
        if let Some(task) = &self.step.task {
            let line = task.line;
            match &task.until {
                Until::Goal { node, goal } => match Aim::parse(&sides.now, node, goal) {
                    Ok(aim) if aim.is_reached(&sides.now) => {
                        let reason =
                            sentence!("the task is done before it begins: {node} reaches {goal}");
                        return Err(Misfit { line, reason });
                    }
                    Ok(_) => {}
                    Err(reason) => return Err(Misfit { line, reason }),
                },
                Until::Selected(path) => find(&sides.now, line, path)?,
                Until::Action(_) => {}
            }
        }
        match &self.step.view.select {
            Some((line, path)) => find(&sides.now, *line, path),
            None => Ok(()),
        }
    }
}

/// Returns the key of an action for sentences that nobody reads.
fn no_key(_: &str) -> Shown {
    Shown::default()
}

/// Looks for a node that a line names.
fn find(view: &View<'_>, line: u64, path: &str) -> Result<(), Misfit> {
    match caption::node(view, path) {
        Ok(_) => Ok(()),
        Err(error) => Err(Misfit {
            line,
            reason: Shown::error(&error),
        }),
    }
}
