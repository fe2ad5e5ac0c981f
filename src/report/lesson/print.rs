//! A lesson on paper: every step with its numbers, its question and the answer.

use super::staged::HiddenAnswers;
use super::{Stage, Staged, caption};
use crate::base::shown::{Shown, sentence, shown, wrap};
use crate::format::Problems;
use crate::model::NodeId;
use crate::report::render::column_widths::COLUMN_WIDTHS;
use crate::report::render::document::{Block, Document, Front, Medium};
use crate::report::render::json::{self, object};
use crate::report::{Field, Form, Options, Output, Report, View, emit, explain, show};
use crate::rules::policy::ColumnId;
use crate::scenario::Scenario;
use serde::Serialize;
use std::io;

/// The rows of the largest tree that is printed beside a step.
const LARGEST_TABLE: usize = 24;

/// A lesson for paper or for a program.
struct PrintedLesson<'a> {
    /// The lesson on its tree.
    staged: &'a Staged,
    /// The tree before the first step.
    before: View<'a>,
    /// By step: the tree after it.
    views: Vec<View<'a>>,
    /// By step: what its tree must not tell.
    hidden: &'a [HiddenAnswers],
    /// Returns the key of an action, by its name.
    key: &'a dyn Fn(&str) -> Shown,
}

/// Writes a lesson with the numbers of its tree.
pub fn write(
    out: &mut Output<'_>,
    staged: &Staged,
    key: &dyn Fn(&str) -> Shown,
    form: Form,
) -> io::Result<()> {
    let problems = Problems::default();
    let hidden = staged.hidden(offered_columns);
    let mut views = Vec::new();
    for (step, hidden) in hidden.iter().enumerate() {
        views.push(View {
            hidden: &hidden.columns,
            ..View::of(staged.stage(step).now, &problems)
        });
    }
    let lesson = PrintedLesson {
        staged,
        before: View::of(staged.stage(0).before, &problems),
        views,
        hidden: &hidden,
        key,
    };
    emit(out, &lesson, form)
}

/// Returns the columns that a table of a step may have.
fn offered_columns(now: &Scenario) -> Vec<ColumnId> {
    let mut columns = Vec::new();
    for shape in COLUMN_WIDTHS {
        columns.push(shape.column);
    }
    for fact in now.base().recorded.facts() {
        columns.push(ColumnId::Recorded(fact));
    }
    columns
}

impl Report for PrintedLesson<'_> {
    fn front(&self) -> Front {
        Front::of(&self.staged.lesson.title, &self.before)
    }

    fn document(&self) -> Document<'_> {
        let lesson = &self.staged.lesson;
        let mut document = Document::default();
        let title = Block::Heading(lesson.title.clone());
        document.push_in(&[Medium::Text, Medium::Markdown], title);
        document.paragraph(lesson.about.clone());
        for number in 0..lesson.steps.len() {
            document.gap();
            let place = number + 1;
            let count = lesson.steps.len();
            document.heading(sentence!("Step {place} of {count}"));
            self.add_step(&mut document, number);
        }
        document
    }

    fn write_json(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let lesson = &self.staged.lesson;
        let mut steps = Vec::new();
        for number in 0..lesson.steps.len() {
            steps.push(self.step_json(number));
        }
        let body = object! {
            title: &lesson.title,
            about: &lesson.about,
            steps: steps,
        };
        json::write_bare(out, &self.before, body)
    }
}

impl PrintedLesson<'_> {
    /// Returns a step for JSON.
    fn step_json(&self, number: usize) -> impl Serialize {
        let stage = self.staged.stage(number);
        let mut question = None;
        if let Some(text) = stage.asked(self.key)
            && let Some(reply) = stage.reply()
        {
            let right = reply.right();
            question = Some(object! { text: text, answers: reply.answers, right: right });
        }
        let mut edits = Vec::new();
        for (_, edit) in &stage.step.edits {
            edits.push(edit);
        }
        let mut task = None;
        if let Some(asked) = &stage.step.task {
            task = stage.said(&asked.text, self.key).ok();
        }
        object! {
            question: question,
            edits: edits,
            policy: stage.now.policy().name(),
            text: self.staged.text(number, self.key),
            task: task,
        }
    }

    /// Adds a step: its question with the answer, its edits, its text and its numbers.
    fn add_step<'d>(&'d self, document: &mut Document<'d>, number: usize) {
        let stage = self.staged.stage(number);
        let step = stage.step;
        self.add_question(document, &stage);
        for (_, edit) in &step.edits {
            let edit = shown(edit.as_bytes());
            document.item("  ", edit);
        }
        if let Some(policy) = step.policy {
            let title = policy.title();
            document.item("  ", sentence!("policy: {title}"));
        }
        let has_other_numbers = !step.edits.is_empty() || step.policy.is_some();
        if has_other_numbers {
            document.gap();
        }
        let text = self.staged.text(number, self.key);
        add_paragraph(document, text);
        if let Some(task) = &step.task {
            let asked = stage.said(&task.text, self.key);
            add_paragraph(document, asked.unwrap_or_default());
        }
        let is_new = number == 0 || step.question.is_some() || step.view.columns.is_some();
        if is_new || has_other_numbers {
            self.add_table(document, number);
        }
        if let Some((_, path)) = &step.view.select
            && !self.hidden[number].is_any
        {
            self.add_explanation(document, number, path);
        }
    }

    /// Adds the question of a step with its answer, if it asks one.
    fn add_question(&self, document: &mut Document<'_>, stage: &Stage<'_>) {
        if let Some(asked) = stage.asked(self.key)
            && let Some(reply) = stage.reply()
        {
            let right = reply.right();
            let answers = reply.answers.join(", ");
            add_paragraph(document, sentence!("{asked} ({answers})"));
            add_paragraph(document, sentence!("Answer: {right}."));
        }
    }

    /// Adds the sentence that explains the rank of a selected node; nothing if a step before removed it.
    fn add_explanation(&self, document: &mut Document<'_>, number: usize, path: &str) {
        let view = &self.views[number];
        let Ok(node) = caption::node(view, path) else {
            return;
        };
        let stage = self.staged.stage(number);
        let explanation = stage.now.explain(node);
        let lines = explain::lines(view, &explanation);
        if let Some(line) = lines.into_iter().next() {
            document.gap();
            document.line(line);
        }
    }

    /// Adds the tree of a step around the selected node, unless it is too large. Markdown has it without guide lines.
    fn add_table<'d>(&'d self, document: &mut Document<'d>, number: usize) {
        let view = &self.views[number];
        let on_screen = self.staged.view(number);
        let Some((_, path)) = &on_screen.select else {
            return;
        };
        let Some(top) = top(view, path) else {
            return;
        };
        let mut in_tree = Options {
            node: Some(top),
            ..Options::default()
        };
        let mut in_list = in_tree.clone();
        let columns = on_screen.columns.unwrap_or_default();
        if !columns.is_empty() {
            let mut fields = Vec::new();
            for column in columns {
                fields.push(Field::current(column));
            }
            // A table without guide lines names the nodes in a column.
            let mut with_paths = vec![Field::Path];
            with_paths.extend(&fields);
            in_tree.columns = Some(fields);
            in_list.columns = Some(with_paths);
        }
        document.gap_in_text();
        let tree = show::tree(view, &in_tree);
        document.table_in(&[Medium::Text, Medium::Html], tree);
        let list = show::list(view, &in_list);
        document.table_in(&[Medium::Markdown], list);
    }
}

/// Returns the topmost node above a path whose subtree is small enough to be printed; `None` if not even its own is.
fn top(view: &View<'_>, path: &str) -> Option<NodeId> {
    let tree = view.tree;
    let node = caption::node(view, path).ok()?;
    let mut above = vec![NodeId::ROOT];
    above.extend(tree.line(node));
    let mut accounts = above.into_iter();
    accounts.find(|&account| tree.within(account).len() <= LARGEST_TABLE)
}

/// Adds a paragraph; text is broken into lines that can be read.
fn add_paragraph(document: &mut Document<'_>, text: Shown) {
    /// The cells of a line.
    const WIDTH: usize = 80;
    for line in wrap(&text, WIDTH) {
        let line = shown(line.as_bytes());
        document.push_in(&[Medium::Text], Block::Sentence(line));
    }
    let paragraph = Block::Paragraph(text);
    document.push_in(&[Medium::Markdown, Medium::Html], paragraph);
}
