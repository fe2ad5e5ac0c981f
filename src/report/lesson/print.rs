//! A lesson on paper: every step with its numbers, its question and the answer.

use super::staged::Stage;
use super::{Caption, Reply, Staged};
use crate::base::shown::{Shown, cells, sentence, shown};
use crate::model::NodeId;
use crate::report::front::Front;
use crate::report::json::{self, List, object};
use crate::report::page::Page;
use crate::report::{Field, Options, Output, Prose, ProseForm, View, emit_prose, explain, show};
use crate::rules::policy::ColumnId;
use crate::source::format::Problems;
use std::io;

/// The rows of the largest tree that is printed beside a step.
const LARGEST_TABLE: usize = 24;

/// A lesson to be printed.
struct Printed<'a> {
    staged: &'a Staged,
    /// Returns the key of an action.
    key: &'a dyn Fn(&str) -> Shown,
}

/// Writes a lesson with the numbers of its tree.
///
/// # Errors
/// If writing fails.
pub fn write(
    out: &mut dyn Output,
    staged: &Staged,
    key: &dyn Fn(&str) -> Shown,
    form: ProseForm,
) -> io::Result<()> {
    emit_prose(out, &Printed { staged, key }, form)
}

impl Prose for Printed<'_> {
    fn front(&self) -> Front {
        let problems = Problems::default();
        let view = View::of(self.staged.stage(0).before, &problems);
        Front::of(self.staged.lesson.title.clone(), &view)
    }

    fn write_page(&self, page: &mut Page<'_>) -> io::Result<()> {
        let lesson = &self.staged.lesson;
        if !page.is_drawn() {
            page.heading(lesson.title.clone())?;
        }
        page.paragraph(lesson.about.clone())?;
        for number in 0..lesson.steps.len() {
            page.gap()?;
            page.heading(sentence!("Step {} of {}", number + 1, lesson.steps.len()))?;
            self.write_step(page, number)?;
        }
        Ok(())
    }

    fn write_json(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let lesson = &self.staged.lesson;
        let problems = Problems::default();
        let view = View::of(self.staged.stage(0).before, &problems);
        let steps = (0..lesson.steps.len()).map(|number| {
            let stage = self.staged.stage(number);
            let question = self.asked(&stage).map(|(text, reply)| {
                object! { text: text, answers: reply.answers.clone(), right: reply.right() }
            });
            let edits: Vec<&String> = stage.step.edits.iter().map(|(_, edit)| edit).collect();
            object! {
                question: question,
                edits: edits,
                policy: stage.now.policy().name(),
                text: self.said(&stage, &stage.step.text),
                task: stage.step.task.as_ref().map(|task| self.said(&stage, &task.text)),
            }
        });
        let body = object! {
            title: lesson.title.clone(),
            about: lesson.about.clone(),
            steps: List(steps),
        };
        json::write(out, &view, body)
    }
}

impl Printed<'_> {
    /// Returns a sentence of a step with its numbers.
    fn said(&self, stage: &Stage<'_>, caption: &Caption) -> Shown {
        stage.said(caption, self.key).unwrap_or_default()
    }

    /// Returns the question of a step with the numbers before it, and the answers; `None` if it asks nothing.
    fn asked(&self, stage: &Stage<'_>) -> Option<(Shown, Reply)> {
        let text = stage.asked(self.key)?;
        Some((text, stage.reply()?))
    }

    fn write_step(&self, page: &mut Page<'_>, number: usize) -> io::Result<()> {
        let stage = self.staged.stage(number);
        let step = stage.step;
        if let Some((asked, reply)) = self.asked(&stage) {
            paragraph(page, sentence!("{asked} ({})", reply.answers.join(", ")))?;
            paragraph(page, sentence!("Answer: {}.", reply.right()))?;
        }
        for (_, edit) in &step.edits {
            page.item("  ", shown(edit.as_bytes()))?;
        }
        if let Some(policy) = step.policy {
            page.item("  ", sentence!("policy: {}", policy.title()))?;
        }
        if !step.edits.is_empty() || step.policy.is_some() {
            page.gap()?;
        }
        paragraph(page, self.said(&stage, &step.text))?;
        if let Some(task) = &step.task {
            paragraph(page, self.said(&stage, &task.text))?;
        }
        let problems = Problems::default();
        let view = View::of(stage.now, &problems);
        let has_other_numbers = !step.edits.is_empty() || step.policy.is_some();
        let has_changed = number == 0 || has_other_numbers || step.view.columns.is_some();
        let on_screen = self.staged.view(number);
        let selected = on_screen.select.as_ref().map(|(_, path)| path);
        let top = selected.and_then(|path| top(&view, path));
        if let Some(top) = top.filter(|_| has_changed) {
            page.gap_in_text()?;
            let columns = on_screen.columns.filter(|columns| !columns.is_empty());
            let options = Options {
                columns: columns.map(|columns| fields(&columns, page.is_markdown())),
                node: Some(top),
                ..Options::default()
            };
            show::write_rows(page, &view, &options)?;
        }
        if let Some((_, path)) = &step.view.select
            && let Ok(node) = super::caption::node(&view, path)
        {
            let lines = explain::lines(&view, &stage.now.explain(node));
            if let Some(line) = lines.first() {
                page.gap()?;
                page.lines(std::slice::from_ref(line))?;
            }
        }
        Ok(())
    }
}

/// Returns the node whose subtree is printed: the root if its tree is small enough, else the topmost one above a path
/// that is. `None` if even the node at the path has too many below it.
fn top(view: &View<'_>, path: &str) -> Option<NodeId> {
    let node = super::caption::node(view, path).ok()?;
    let line = std::iter::once(NodeId::ROOT).chain(view.tree.line(node));
    let mut line = line.into_iter();
    line.find(|&node| view.tree.order().span(node).len() <= LARGEST_TABLE)
}

/// Returns the columns as fields. A table without guide lines names the nodes in a column.
fn fields(columns: &[ColumnId], is_flat: bool) -> Vec<Field> {
    let path = is_flat.then_some(Field::Path).into_iter();
    path.chain(columns.iter().copied().map(Field::Column))
        .collect()
}

/// Writes a paragraph; text is broken into lines that can be read.
fn paragraph(page: &mut Page<'_>, text: Shown) -> io::Result<()> {
    /// The cells of a line.
    const WIDTH: usize = 80;
    if page.is_markdown() || page.is_drawn() {
        return page.paragraph(text);
    }
    let mut line = Shown::default();
    for word in text.split(' ') {
        let word = shown(word.as_bytes());
        if !line.is_empty() && cells(&line) + 1 + cells(&word) > WIDTH {
            page.line(std::mem::take(&mut line))?;
        }
        if !line.is_empty() {
            line += &" ".into();
        }
        line += &word;
    }
    page.line(line)
}
