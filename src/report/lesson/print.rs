//! A lesson on paper: every step with its numbers, its question and the answer.

use super::Staged;
use super::staged::HiddenAnswers;
use crate::base::shown::{Shown, sentence, shown, wrap};
use crate::format::Problems;
use crate::model::NodeId;
use crate::report::render::column_widths::COLUMN_WIDTHS;
use crate::report::render::document::{Block, Document, Front, Medium};
use crate::report::render::json::{self, List, object};
use crate::report::{Field, Form, Options, Output, Report, View, emit, explain, show};
use crate::rules::policy::ColumnId;
use std::io;

/// The rows of the largest tree that is printed beside a step.
const LARGEST_TABLE: usize = 24;

struct PrintedLesson<'a> {
    staged: &'a Staged,
    /// The tree before the first step.
    before: View<'a>,
    views: Vec<View<'a>>,
    hidden: &'a [HiddenAnswers],
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
    let hidden = staged.hidden(|now| {
        let recorded = now.base().recorded.facts().map(ColumnId::Recorded);
        let columns = COLUMN_WIDTHS.iter().map(|it| it.column);
        columns.chain(recorded).collect()
    });
    let views = hidden.iter().enumerate().map(|(step, hidden)| View {
        hidden: &hidden.columns,
        ..View::of(staged.stage(step).now, &problems)
    });
    let lesson = PrintedLesson {
        staged,
        before: View::of(staged.stage(0).before, &problems),
        views: views.collect(),
        hidden: &hidden,
        key,
    };
    emit(out, &lesson, form)
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
            document.heading(sentence!("Step {} of {}", number + 1, lesson.steps.len()));
            self.add_step(&mut document, number);
        }
        document
    }

    fn write_json(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let lesson = &self.staged.lesson;
        let steps = (0..lesson.steps.len()).map(|number| {
            let stage = self.staged.stage(number);
            let question = stage.asked(self.key).zip(stage.reply());
            let question = question.map(|(text, reply)| {
                object! { text: text, answers: reply.answers.clone(), right: reply.right() }
            });
            let edits: Vec<&String> = stage.step.edits.iter().map(|(_, edit)| edit).collect();
            object! {
                question: question,
                edits: edits,
                policy: stage.now.policy().name(),
                text: self.staged.text(number, self.key),
                task: stage.step.task.as_ref().and_then(|it| stage.said(&it.text, self.key).ok()),
            }
        });
        let body = object! {
            title: &lesson.title,
            about: &lesson.about,
            steps: List(steps),
        };
        json::write_bare(out, &self.before, body)
    }
}

impl PrintedLesson<'_> {
    fn add_step<'d>(&'d self, document: &mut Document<'d>, number: usize) {
        let stage = self.staged.stage(number);
        let step = stage.step;
        if let Some((asked, reply)) = stage.asked(self.key).zip(stage.reply()) {
            let answers = reply.answers.join(", ");
            add_paragraph(document, sentence!("{asked} ({answers})"));
            add_paragraph(document, sentence!("Answer: {}.", reply.right()));
        }
        for (_, edit) in &step.edits {
            document.item("  ", shown(edit.as_bytes()));
        }
        if let Some(policy) = step.policy {
            document.item("  ", sentence!("policy: {}", policy.title()));
        }
        let has_other_numbers = !step.edits.is_empty() || step.policy.is_some();
        if has_other_numbers {
            document.gap();
        }
        add_paragraph(document, self.staged.text(number, self.key));
        if let Some(task) = &step.task {
            let asked = stage.said(&task.text, self.key);
            add_paragraph(document, asked.unwrap_or_default());
        }
        let is_new = number == 0 || step.question.is_some() || step.view.columns.is_some();
        if is_new || has_other_numbers {
            self.add_table(document, number);
        }
        let view = &self.views[number];
        if let Some((_, path)) = &step.view.select
            && !self.hidden[number].is_any
            && let Ok(node) = super::caption::node(view, path)
        {
            let lines = explain::lines(view, &stage.now.explain(node));
            if let Some(line) = lines.into_iter().next() {
                document.gap();
                document.line(line);
            }
        }
    }

    /// Adds the tree of a step around the selected node, unless it is too large. Markdown has it without guide lines.
    fn add_table<'d>(&'d self, document: &mut Document<'d>, number: usize) {
        let view = &self.views[number];
        let on_screen = self.staged.view(number);
        let selected = on_screen.select.as_ref().map(|(_, path)| path);
        let Some(top) = selected.and_then(|path| top(view, path)) else {
            return;
        };
        let columns = on_screen.columns.filter(|columns| !columns.is_empty());
        let options = |is_flat: bool| Options {
            columns: columns.as_ref().map(|columns| {
                // A table without guide lines names the nodes in a column.
                let path = is_flat.then_some(Field::Path).into_iter();
                path.chain(columns.iter().copied().map(Field::current))
                    .collect()
            }),
            node: Some(top),
            ..Options::default()
        };
        document.gap_in_text();
        let tree = show::tree(view, &options(false));
        document.push_in(&[Medium::Text, Medium::Html], Block::Table(tree));
        let list = show::list(view, &options(true));
        document.push_in(&[Medium::Markdown], Block::Table(list));
    }
}

/// Returns the topmost node above a path whose subtree is small enough to be printed; `None` if not even its own is.
fn top(view: &View<'_>, path: &str) -> Option<NodeId> {
    let node = super::caption::node(view, path).ok()?;
    let mut line = std::iter::once(NodeId::ROOT).chain(view.tree.line(node));
    line.find(|&node| view.tree.order().span(node).len() <= LARGEST_TABLE)
}

/// Adds a paragraph; text is broken into lines that can be read.
fn add_paragraph(document: &mut Document<'_>, text: Shown) {
    const WIDTH: usize = 80;
    for line in wrap(&text, WIDTH) {
        document.push_in(&[Medium::Text], Block::Sentence(shown(line.as_bytes())));
    }
    document.push_in(&[Medium::Markdown, Medium::Html], Block::Paragraph(text));
}
