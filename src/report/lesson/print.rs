//! A lesson on paper: every step with its question, the answer, and what its screen shows.

mod exhibit;
mod outlook;

use super::staged::HiddenAnswers;
use super::{Stage, Staged};
use crate::base::shown::{Shown, sentence, shown, wrap};
use crate::base::table::table;
use crate::format::Problems;
use crate::report::render::column_widths::COLUMN_WIDTHS;
use crate::report::render::document::{Block, Document, Front, Medium, PageLink};
use crate::report::render::json::{self, Entries, object};
use crate::report::render::line::{Emphasis, Line};
use crate::report::{Form, Output, Report, View, emit};
use crate::rules::policy::ColumnId;
use crate::scenario::Scenario;
use exhibit::{Exhibit, exhibits};
use serde::Serialize;
use std::io;

table! {
    /// Where the answers of a printed lesson are.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Answers {
        #[default] Inline, "inline", "Each below its question; folded on a page";
        End, "end", "All at the end";
        None, "none", "Left out: a quiz";
    }
}

/// How a lesson is printed.
#[derive(Clone, Debug)]
pub struct Printing {
    /// The form.
    pub form: Form,
    /// Where the answers are.
    pub answers: Answers,
    /// The links to other pages of its site; none for a lesson alone.
    pub(crate) links: Vec<PageLink>,
}

impl Printing {
    /// Returns how a lesson alone is printed.
    pub const fn new(form: Form, answers: Answers) -> Self {
        Self {
            form,
            answers,
            links: Vec::new(),
        }
    }
}

impl From<Form> for Printing {
    fn from(form: Form) -> Self {
        Self::new(form, Answers::default())
    }
}

/// A lesson for paper or for a program.
struct PrintedLesson<'a> {
    /// The lesson on its tree.
    staged: &'a Staged,
    /// The tree before the first step.
    before: View<'a>,
    /// By step: what it shows beside its sentences.
    exhibits: Vec<Vec<PrintedExhibit<'a>>>,
    /// How it is printed.
    printing: &'a Printing,
    /// Returns the key of an action, by its name.
    key: &'a dyn Fn(&str) -> Shown,
}

/// What a step shows, with the report about it.
struct PrintedExhibit<'a> {
    /// What is shown.
    exhibit: &'a Exhibit,
    /// The tree of the step.
    view: &'a View<'a>,
    /// The report that shows it; `None` if it needs none.
    report: Option<Box<dyn Report + 'a>>,
}

/// Writes a lesson with the numbers of its tree.
pub fn write(
    out: &mut Output<'_>,
    staged: &Staged,
    key: &dyn Fn(&str) -> Shown,
    printing: impl Into<Printing>,
) -> io::Result<()> {
    let printing = printing.into();
    let problems = Problems::default();
    let hidden = staged.hidden(offered_columns);
    let views = views(staged, &hidden, &problems);
    let steps = exhibits(staged, &views, &hidden);
    let mut printed = Vec::new();
    for (number, of_step) in steps.iter().enumerate() {
        let view = &views[number];
        let now = staged.stage(number).now;
        let mut exhibits = Vec::new();
        for exhibit in of_step {
            exhibits.push(PrintedExhibit {
                exhibit,
                view,
                report: exhibit.report(view, now),
            });
        }
        printed.push(exhibits);
    }
    let lesson = PrintedLesson {
        staged,
        before: View::of(staged.stage(0).before, &problems),
        exhibits: printed,
        printing: &printing,
        key,
    };
    emit(out, &lesson, printing.form)
}

/// Returns the tree of each step, without the numbers that would answer later questions.
fn views<'a>(
    staged: &'a Staged,
    hidden: &'a [HiddenAnswers],
    problems: &'a Problems,
) -> Vec<View<'a>> {
    let mut views = Vec::new();
    for (step, hidden) in hidden.iter().enumerate() {
        views.push(View {
            hidden: &hidden.columns,
            ..View::of(staged.stage(step).now, problems)
        });
    }
    views
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
        Front {
            links: self.printing.links.clone(),
            ..Front::of(&self.staged.lesson.title, &self.before)
        }
    }

    fn document(&self) -> Document<'_> {
        let lesson = &self.staged.lesson;
        let mut document = Document::default();
        let title = Block::Heading(lesson.title.clone());
        document.push_in(&[Medium::Text, Medium::Markdown], title);
        document.paragraph(lesson.about.clone());
        if let Some(minutes) = lesson.minutes {
            document.paragraph(sentence!("It takes {minutes} minutes."));
        }
        for number in 0..lesson.steps.len() {
            document.gap();
            document.heading(self.step_heading(number));
            self.add_step(&mut document, number);
        }
        if self.printing.answers == Answers::End {
            self.add_answers(&mut document);
        }
        self.add_summary(&mut document);
        document
    }

    fn write_json(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let lesson = &self.staged.lesson;
        let mut steps = Vec::new();
        for number in 0..lesson.steps.len() {
            steps.push(self.step_json(number));
        }
        let mut summary = None;
        if self.printing.answers != Answers::None {
            summary = self.staged.summary(self.key);
        }
        let body = object! {
            title: &lesson.title,
            about: &lesson.about,
            minutes: lesson.minutes,
            steps: steps,
            summary: summary,
        };
        json::write_bare(out, &self.before, body)
    }
}

impl PrintedLesson<'_> {
    /// Returns the heading of a step.
    fn step_heading(&self, number: usize) -> Shown {
        let place = number + 1;
        let steps = &self.staged.lesson.steps;
        let count = steps.len();
        match &steps[number].title {
            Some(title) => sentence!("Step {place} of {count}: {title}"),
            None => sentence!("Step {place} of {count}"),
        }
    }

    /// Returns whether a step asks something and must not answer it.
    fn keeps_answer(&self, stage: &Stage<'_>) -> bool {
        self.printing.answers == Answers::None && stage.step.question.is_some()
    }

    /// Returns a step for JSON. Its text tells the answer of its question.
    fn step_json(&self, number: usize) -> impl Serialize {
        let stage = self.staged.stage(number);
        let keeps_answer = self.keeps_answer(&stage);
        let mut question = None;
        if let Some(text) = stage.asked(self.key)
            && let Some(reply) = stage.reply()
        {
            let mut right = None;
            if !keeps_answer {
                right = Some(("right", reply.right()));
            }
            question = Some(object! {
                text: text,
                answers: reply.answers,
                #[serde(flatten)]
                right: Entries(right),
            });
        }
        let mut edits = Vec::new();
        for (_, edit) in &stage.step.edits {
            edits.push(edit);
        }
        let mut task = None;
        if let Some(asked) = &stage.step.task {
            task = stage.said(&asked.text, self.key).ok();
        }
        let mut text = None;
        if !keeps_answer {
            text = Some(("text", self.staged.text(number, self.key)));
        }
        object! {
            title: &stage.step.title,
            question: question,
            edits: edits,
            policy: stage.now.policy().name(),
            #[serde(flatten)]
            text: Entries(text),
            task: task,
        }
    }

    /// Adds a step: its question, and with the answer all that is behind it.
    fn add_step<'d>(&'d self, document: &mut Document<'d>, number: usize) {
        let stage = self.staged.stage(number);
        if stage.step.question.is_none() {
            return self.add_rest(document, number);
        }
        self.add_question(document, &stage);
        if self.printing.answers == Answers::Inline {
            document.push(Block::FoldStart("Answer"));
            self.add_answer(document, number);
            document.push(Block::FoldEnd);
        }
    }

    /// Adds the answers of all questions, each with what is behind it.
    fn add_answers<'d>(&'d self, document: &mut Document<'d>) {
        let steps = &self.staged.lesson.steps;
        if !steps.iter().any(|step| step.question.is_some()) {
            return;
        }
        document.gap();
        document.heading("Answers");
        for (number, step) in steps.iter().enumerate() {
            if step.question.is_some() {
                document.subsection(self.step_heading(number));
                self.add_answer(document, number);
            }
        }
    }

    /// Adds what the lesson comes to, unless it keeps its answers.
    fn add_summary(&self, document: &mut Document<'_>) {
        if self.printing.answers == Answers::None {
            return;
        }
        if let Some(summary) = self.staged.summary(self.key) {
            document.gap();
            document.heading("In short");
            add_paragraph(document, summary);
        }
    }

    /// Adds the question of a step with the answers to choose from.
    fn add_question(&self, document: &mut Document<'_>, stage: &Stage<'_>) {
        if let Some(asked) = stage.asked(self.key)
            && let Some(reply) = stage.reply()
        {
            let answers = reply.answers.join(", ");
            add_paragraph(document, sentence!("{asked} ({answers})"));
        }
    }

    /// Adds the right answer of a step, and all that is behind its question.
    fn add_answer<'d>(&'d self, document: &mut Document<'d>, number: usize) {
        let stage = self.staged.stage(number);
        if let Some(reply) = stage.reply() {
            let right = reply.right();
            let numbers = reply.numbers;
            add_paragraph(document, sentence!("Answer: {right}: {numbers}."));
        }
        self.add_rest(document, number);
    }

    /// Adds what a step says and shows beside its question: its edits, its text, its task and its screen.
    fn add_rest<'d>(&'d self, document: &mut Document<'d>, number: usize) {
        let stage = self.staged.stage(number);
        let step = stage.step;
        if step.example.is_some() {
            let source = &stage.before.base().source;
            document.item("  ", sentence!("another tree: {}", source.path));
        }
        for (_, edit) in &step.edits {
            let edit = shown(edit.as_bytes());
            document.item("  ", Line::of(Emphasis::Command, edit));
        }
        if let Some(policy) = step.policy {
            let title = policy.title();
            document.item("  ", sentence!("policy: {title}"));
        }
        if step.example.is_some() || !step.edits.is_empty() || step.policy.is_some() {
            document.gap();
        }
        let text = self.staged.text(number, self.key);
        add_paragraph(document, text);
        if let Some(task) = &step.task {
            let asked = stage.said(&task.text, self.key);
            add_paragraph(document, asked.unwrap_or_default());
        }
        for printed in &self.exhibits[number] {
            let report = printed.report.as_deref();
            printed.exhibit.add_to(document, printed.view, report);
        }
    }
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
