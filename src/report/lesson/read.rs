//! Reading a lesson. What is not understood is refused with its line, and then nothing of the lesson is played.

use super::caption::column;
use super::question::About;
use super::roles::fill;
use super::{Caption, Lesson, Pick, Question, Step, StepView, Task, Until, WhyView};
use crate::base::nearest::unknown;
use crate::base::places::Places;
use crate::base::shown::{Shown, sentence, shown_text};
use crate::rules::policy::{ColumnId, Policy};
use std::ops::Range;
use std::path::PathBuf;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The most edits and policies of a lesson. Every step that changes the tree keeps all edits up to it.
const MOST_CHANGES: usize = 500;

const LESSON: [&str; 5] = ["title", "about", "source", "roles", "step"];
const STEP: [&str; 11] = [
    "text", "edits", "policy", "select", "screen", "columns", "why", "do", "ask", "try", "trees",
];

const ASK: [&str; 7] = [
    "text", "nodes", "smallest", "largest", "node", "goal", "change",
];

const TRY: [&str; 7] = [
    "text", "node", "goal", "selected", "action", "done", "not_yet",
];

impl Lesson {
    /// Reads a lesson. `file` is its name in messages, and a source that is a file is seen from `folder`.
    /// The error has a sentence, with its line, for whatever is not understood.
    pub(crate) fn parse(
        file: &Shown,
        text: &str,
        folder: &std::path::Path,
        [actions, screens]: [&[&'static str]; 2],
    ) -> Result<Self, Vec<Shown>> {
        let text = &*fill(text, &[]);
        let mut reader = LessonReader {
            places: Places::new(text.as_bytes()),
            actions,
            screens,
            refused: Vec::new(),
        };
        let table = match DeTable::parse(text) {
            Ok(table) => table,
            Err(error) => {
                let line = reader.line(&error.span().unwrap_or_default());
                let message = shown_text(error.message().as_bytes());
                return Err(vec![sentence!(
                    "{file}:{line}: this is not TOML: {message}"
                )]);
            }
        };
        let table = table.get_ref();
        reader.check_keys("key of a lesson", table, &LESSON);
        let title = reader.needed(table, "title");
        let about = reader.needed(table, "about");
        let source = reader.needed(table, "source");
        let source_line = table.get("source");
        let source_line = source_line.map_or(1, |value| reader.line(&value.span()));
        let pick = reader.pick(table);
        let steps = reader.steps(table);
        let mut changes = steps.iter().flat_map(|step| {
            let edits = step.edits.iter().map(|&(line, _)| line);
            edits.chain(step.policy.map(|_| step.line))
        });
        if let Some(line) = changes.nth(MOST_CHANGES) {
            let reason = "too many edits and policies; expected at most";
            let reason = sentence!("{reason} {MOST_CHANGES} in a lesson");
            reader.refused.push((line, reason));
        }
        let LessonReader { mut refused, .. } = reader;
        if !refused.is_empty() {
            refused.sort_by_key(|&(line, _)| line);
            let refused = refused.into_iter();
            let refused = refused.map(|(line, reason)| sentence!("{file}:{line}: {reason}"));
            return Err(refused.collect());
        }
        let source = if source.starts_with("example:") {
            PathBuf::from(source)
        } else {
            folder.join(source)
        };
        Ok(Self {
            file: file.clone(),
            title: shown_text(title.as_bytes()),
            about: shown_text(about.as_bytes()),
            source,
            source_line,
            pick,
            other: None,
            steps,
        })
    }
}

type Entry<'a> = Spanned<DeValue<'a>>;

struct LessonReader<'a> {
    places: Places<'a>,
    actions: &'a [&'static str],
    screens: &'a [&'static str],
    refused: Vec<(u64, Shown)>,
}

impl LessonReader<'_> {
    fn line(&self, span: &Range<usize>) -> u64 {
        self.places.of(span.start).0
    }

    fn refuse(&mut self, span: &Range<usize>, reason: impl Into<Shown>) {
        self.refused.push((self.line(span), reason.into()));
    }

    fn check_keys(&mut self, what: &str, table: &DeTable<'_>, known: &[&'static str]) {
        for key in table.keys() {
            let name = key.get_ref();
            if !known.contains(&&**name) {
                let reason = unknown(what, name.as_bytes(), known.iter().copied());
                self.refuse(&key.span(), reason);
            }
        }
    }

    /// Returns the text of a key; `None` if the key is missing or holds something else, which is refused.
    fn text_of<'t>(
        &mut self,
        table: &'t DeTable<'_>,
        key: &str,
    ) -> Option<(&'t str, Range<usize>)> {
        let value = table.get(key)?;
        let text = value.get_ref().as_str();
        if text.is_none() {
            let reason = sentence!("{key} is not text; expected words in quotes");
            self.refuse(&value.span(), reason);
        }
        text.map(|text| (text, value.span()))
    }

    /// Returns the text of a key that must be there; a missing one is refused where the lesson begins.
    fn needed(&mut self, table: &DeTable<'_>, key: &str) -> String {
        if table.get(key).is_none() {
            let reason = sentence!("{key} is missing; expected words in quotes");
            self.refuse(&(0..0), reason);
        }
        self.owned(table, key).unwrap_or_default()
    }

    fn owned(&mut self, table: &DeTable<'_>, key: &str) -> Option<String> {
        self.text_of(table, key).map(|(text, _)| text.to_owned())
    }

    fn caption(&mut self, table: &DeTable<'_>, key: &str) -> Option<Caption> {
        let (text, span) = self.text_of(table, key)?;
        let caption = Caption::parse(text, self.line(&span), self.actions);
        caption.map_err(|reason| self.refuse(&span, reason)).ok()
    }

    fn list(&mut self, table: &DeTable<'_>, key: &str) -> Option<Vec<(String, Range<usize>)>> {
        let value = table.get(key)?;
        let texts = value.get_ref().as_array().map(|items| {
            let text = |item: &Entry<'_>| Some((item.get_ref().as_str()?.to_owned(), item.span()));
            items.iter().map(text).collect::<Option<Vec<_>>>()
        });
        if texts.as_ref().is_none_or(Option::is_none) {
            let reason = sentence!("{key} is not a list of words in quotes, as in [\"rank\"]");
            self.refuse(&value.span(), reason);
        }
        texts.flatten()
    }

    fn word(
        &mut self,
        what: &str,
        (word, span): (&str, Range<usize>),
        known: &[&'static str],
    ) -> Option<&'static str> {
        let found = known.iter().copied().find(|known| *known == word);
        if found.is_none() {
            self.refuse(&span, unknown(what, word, known.iter().copied()));
        }
        found
    }

    fn choice(
        &mut self,
        table: &DeTable<'_>,
        key: &str,
        what: &str,
        known: &[&'static str],
    ) -> Option<&'static str> {
        let word = self.text_of(table, key)?;
        self.word(what, word, known)
    }

    fn steps(&mut self, table: &DeTable<'_>) -> Vec<Step> {
        let (span, reason) = match table.get("step") {
            None => (0..0, "the lesson has no step"),
            Some(value) => match value.get_ref().as_array() {
                Some(steps) => return steps.iter().filter_map(|step| self.step(step)).collect(),
                None => (value.span(), "step is not a list of tables"),
            },
        };
        self.refuse(
            &span,
            sentence!("{reason}; expected [[step]] and keys below it"),
        );
        Vec::new()
    }

    fn pick(&mut self, table: &DeTable<'_>) -> Option<Pick> {
        let (roles, _) = self.table(table, "roles")?;
        let picks: Vec<&str> = Pick::ALL.iter().map(|pick| pick.name()).collect();
        let pick = Pick::named(self.choice(roles, "pick", "pick", &picks)?)?;
        self.check_keys("role", roles, &[&["pick"], pick.roles()].concat());
        Some(pick)
    }

    fn step(&mut self, value: &Entry<'_>) -> Option<Step> {
        let span = value.span();
        let Some(table) = value.get_ref().as_table() else {
            let reason = "step is not a table; expected [[step]] and keys below it";
            self.refuse(&span, reason);
            return None;
        };
        self.check_keys("key of a step", table, &STEP);
        if table.get("text").is_none() {
            self.refuse(&span, "the step says nothing; expected text = \"…\"");
        }
        let text = self.caption(table, "text").unwrap_or_default();
        let edits = self.list(table, "edits").unwrap_or_default().into_iter();
        let edits = edits.map(|(edit, span)| (self.line(&span), edit)).collect();
        let policies: Vec<&str> = Policy::ALL.iter().map(|policy| policy.name()).collect();
        let policy = self.choice(table, "policy", "policy", &policies);
        let policy = policy.and_then(Policy::named);
        let known = [&["example", "other"], &policies[..]].concat();
        let trees = self.list(table, "trees").unwrap_or_default().into_iter();
        let trees = trees.filter_map(|(word, span)| self.word("tree", (&word, span), &known));
        let trees = trees.collect();
        let view = self.view(table);
        let question = self.table(table, "ask");
        let question = question.and_then(|(ask, span)| self.question(ask, &span));
        let task = self.table(table, "try");
        let task = task.and_then(|(task, span)| self.task(task, &span));
        Some(Step {
            line: self.line(&span),
            trees,
            text,
            edits,
            policy,
            view,
            question,
            task,
        })
    }

    fn table<'t, 'v>(
        &mut self,
        table: &'t DeTable<'v>,
        key: &str,
    ) -> Option<(&'t DeTable<'v>, Range<usize>)> {
        let value = table.get(key)?;
        let inner = value.get_ref().as_table();
        if inner.is_none() {
            let reason = "is not a table; expected a heading in brackets and keys below it";
            let reason = sentence!("{key} {reason}");
            self.refuse(&value.span(), reason);
        }
        inner.map(|inner| (inner, value.span()))
    }

    fn view(&mut self, table: &DeTable<'_>) -> StepView {
        let screen = self.choice(table, "screen", "screen", self.screens);
        let columns = self.list(table, "columns").map(|names| {
            let names = names.into_iter();
            let columns = names.filter_map(|(name, span)| self.column(&name, &span));
            columns.collect()
        });
        let ways: Vec<&str> = WhyView::ALL.iter().map(|why| why.name()).collect();
        let why = self.choice(table, "why", "view of why", &ways);
        let why = why.and_then(WhyView::named);
        let actions = self.list(table, "do").unwrap_or_default().into_iter();
        let known = self.actions;
        let actions = actions.filter_map(|(name, span)| self.word("action", (&name, span), known));
        let actions = actions.collect();
        let select = self.text_of(table, "select");
        let select = select.map(|(path, span)| (self.line(&span), path.to_owned()));
        StepView {
            select,
            screen,
            columns,
            why,
            actions,
        }
    }

    fn column(&mut self, name: &str, span: &Range<usize>) -> Option<ColumnId> {
        let found = column(name);
        found.map_err(|reason| self.refuse(span, reason)).ok()
    }

    fn question(&mut self, ask: &DeTable<'_>, span: &Range<usize>) -> Option<Question> {
        let refused = self.refused.len();
        self.check_keys("key of a question", ask, &ASK);
        let text = self.caption(ask, "text");
        let column = |reader: &mut Self, key: &str| {
            let (name, span) = reader.text_of(ask, key)?;
            reader.column(name, &span)
        };
        let nodes = self.list(ask, "nodes");
        let node = self.owned(ask, "node");
        let goal = self.owned(ask, "goal");
        let (smallest, largest) = (column(self, "smallest"), column(self, "largest"));
        let change = column(self, "change");
        let about = match (nodes, node) {
            (Some(nodes), None) => smallest.or(largest).map(|column| About::Most {
                nodes: nodes.into_iter().map(|(node, _)| node).collect(),
                column,
                is_smallest: smallest.is_some(),
            }),
            (None, Some(node)) => match (goal, change) {
                (Some(goal), None) => Some(About::Reaches { node, goal }),
                (None, Some(column)) => Some(About::Change { node, column }),
                _ => None,
            },
            _ => None,
        };
        let (Some(text), Some(about)) = (text, about) else {
            let reason = "the question cannot be answered; expected text, and nodes with smallest or largest, or node \
                          with goal or change";
            if self.refused.len() == refused {
                self.refuse(span, reason);
            }
            return None;
        };
        let line = self.line(span);
        Some(Question { line, text, about })
    }

    fn task(&mut self, task: &DeTable<'_>, span: &Range<usize>) -> Option<Task> {
        let refused = self.refused.len();
        self.check_keys("key of a task", task, &TRY);
        let text = self.caption(task, "text");
        let done = self.caption(task, "done");
        let not_yet = self.caption(task, "not_yet");
        let action = self.choice(task, "action", "action", self.actions);
        let node = self.owned(task, "node");
        let goal = self.owned(task, "goal");
        let selected = self.owned(task, "selected");
        let until = match (action, selected, node, goal) {
            (Some(action), None, None, None) => Some(Until::Action(action)),
            (None, Some(path), None, None) => Some(Until::Selected(path)),
            (None, None, Some(node), Some(goal)) => Some(Until::Goal { node, goal }),
            _ => None,
        };
        let (Some(text), Some(until), Some(done)) = (text, until, done) else {
            let reason = "the task is not complete; expected text, done, and selected, action, or node with goal";
            if self.refused.len() == refused {
                self.refuse(span, reason);
            }
            return None;
        };
        let place = ["goal", "selected", "action"];
        let place = place.into_iter().find_map(|key| task.get(key));
        Some(Task {
            line: self.line(&place.map_or_else(|| span.clone(), Spanned::span)),
            text,
            until,
            done,
            not_yet,
        })
    }
}
