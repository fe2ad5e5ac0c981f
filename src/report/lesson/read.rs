//! Reading a lesson. What is not understood is refused with its line, and then nothing of the lesson is played.
//!
//! The reader goes on after a mistake, so that an author sees all of them at once, in the order of the lines; what it returns
//! in their place is never shown.

use super::question::About;
use super::roles::{WORDS, fill};
use super::{Caption, Lesson, Pick, Question, Step, StepView, Task, Until, WhyView, caption};
use crate::base::nearest::unknown;
use crate::base::places::Places;
use crate::base::shown::{Shown, sentence, shown_text};
use crate::format::Example;
use crate::rules::policy::{ColumnId, Policy};
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The most edits and policies of a lesson. Every step that changes the tree keeps all edits up to it.
const MOST_CHANGES: usize = 500;

/// The keys of a lesson.
const LESSON: &[&str] = &[
    "title", "about", "minutes", "source", "roles", "step", "summary",
];

/// The keys of a step.
const STEP: &[&str] = &[
    "title", "text", "example", "edits", "policy", "select", "screen", "columns", "why", "do",
    "ask", "try", "trees",
];

/// The keys of a question.
const ASK: &[&str] = &[
    "text", "nodes", "smallest", "largest", "node", "goal", "change",
];

/// The keys of a task.
const TRY: &[&str] = &[
    "text", "node", "goal", "selected", "action", "done", "not_yet", "hint",
];

impl Lesson {
    /// Reads a lesson. `file` is its name in messages, and a source that is a file is seen from `folder`.
    ///
    /// # Errors
    /// A sentence, with its line, for whatever is not understood.
    pub(crate) fn parse(
        file: &Shown,
        text: &str,
        folder: &Path,
        [actions, screens]: [&[&'static str]; 2],
    ) -> Result<Self, Vec<Shown>> {
        let filled = fill(text, &[]);
        let places = Places::new(filled.as_bytes());
        let mut reader = LessonReader {
            places,
            actions,
            screens,
            refused: Vec::new(),
        };
        let parsed = match DeTable::parse(&filled) {
            Ok(parsed) => parsed,
            Err(error) => {
                let span = error.span().unwrap_or_default();
                let line = reader.line(&span);
                let message = shown_text(error.message().as_bytes());
                return Err(vec![sentence!(
                    "{file}:{line}: this is not TOML: {message}"
                )]);
            }
        };
        let table = parsed.get_ref();
        reader.check_keys("key of a lesson", table, LESSON);
        let title = reader.needed(table, "title");
        let about = reader.needed(table, "about");
        let source = reader.needed(table, "source");
        let mut source_line = 1;
        if let Some(value) = table.get("source") {
            source_line = reader.line(&value.span());
        }
        let minutes = reader.minutes(table);
        let summary = reader.caption(table, "summary");
        let pick = reader.pick(table);
        let mut other_title = None;
        if let Some(roles) = reader.table(table, "roles") {
            other_title = reader.owned(roles.table, "title");
        }
        let steps = reader.steps(table);
        reader.check_changes(&steps);
        if !reader.refused.is_empty() {
            return Err(reader.refusals(file));
        }
        let path = if source.starts_with("example:") {
            PathBuf::from(source)
        } else {
            folder.join(source)
        };
        Ok(Self {
            file: file.clone(),
            title: shown_text(title.as_bytes()),
            about: shown_text(about.as_bytes()),
            minutes,
            summary,
            source: path,
            source_line,
            pick,
            other_title: other_title.map(|title| shown_text(title.as_bytes())),
            other: None,
            steps,
        })
    }
}

/// A value of the file, with its place.
type Entry<'a> = Spanned<DeValue<'a>>;

/// A text of the file.
struct PlacedText<'a> {
    /// The text.
    text: &'a str,
    /// Where it is, in bytes.
    span: Range<usize>,
}

/// A table of the file.
struct PlacedTable<'t, 'v> {
    /// The table.
    table: &'t DeTable<'v>,
    /// Where it is, in bytes.
    span: Range<usize>,
}

/// What was not understood.
struct Refused {
    /// The line, from 1.
    line: u64,
    /// Why.
    reason: Shown,
}

/// Reads a lesson, and collects what is not understood.
struct LessonReader<'a> {
    /// The lines of the file.
    places: Places<'a>,
    /// The names of the actions.
    actions: &'a [&'static str],
    /// The names of the screens.
    screens: &'a [&'static str],
    /// What was not understood so far.
    refused: Vec<Refused>,
}

impl LessonReader<'_> {
    /// Returns the line of a place, from 1.
    fn line(&self, span: &Range<usize>) -> u64 {
        let (line, _) = self.places.of(span.start);
        line
    }

    /// Refuses what is at a place.
    fn refuse(&mut self, span: &Range<usize>, reason: impl Into<Shown>) {
        self.refused.push(Refused {
            line: self.line(span),
            reason: reason.into(),
        });
    }

    /// Returns a sentence for whatever was refused, in the order of the lines.
    fn refusals(mut self, file: &Shown) -> Vec<Shown> {
        self.refused.sort_by_key(|refused| refused.line);
        let mut sentences = Vec::new();
        for Refused { line, reason } in self.refused {
            sentences.push(sentence!("{file}:{line}: {reason}"));
        }
        sentences
    }

    /// Refuses keys that are not known.
    fn check_keys(&mut self, what: &str, table: &DeTable<'_>, known: &[&'static str]) {
        for key in table.keys() {
            let name = key.get_ref();
            if !known.contains(&&**name) {
                let words = known.iter().copied();
                let reason = unknown(what, name.as_bytes(), words);
                self.refuse(&key.span(), reason);
            }
        }
    }

    /// Refuses the first edit or policy beyond the most that a lesson can have.
    fn check_changes(&mut self, steps: &[Step]) {
        let mut lines = Vec::new();
        for step in steps {
            for (line, _) in &step.edits {
                lines.push(*line);
            }
            if step.policy.is_some() {
                lines.push(step.line);
            }
        }
        if let Some(&line) = lines.get(MOST_CHANGES) {
            let reason = sentence!(
                "too many edits and policies; expected at most {MOST_CHANGES} in a lesson"
            );
            self.refused.push(Refused { line, reason });
        }
    }

    /// Returns the text of a key; `None` if the key is missing or holds something else, which is refused.
    fn text_of<'t>(&mut self, table: &'t DeTable<'_>, key: &str) -> Option<PlacedText<'t>> {
        let value = table.get(key)?;
        let span = value.span();
        let Some(text) = value.get_ref().as_str() else {
            let reason = sentence!("{key} is not text; expected words in quotes");
            self.refuse(&span, reason);
            return None;
        };
        Some(PlacedText { text, span })
    }

    /// Returns the text of a key that must be there; a missing one is refused where the lesson begins.
    fn needed(&mut self, table: &DeTable<'_>, key: &str) -> String {
        if table.get(key).is_none() {
            let reason = sentence!("{key} is missing; expected words in quotes");
            self.refuse(&(0..0), reason);
        }
        self.owned(table, key).unwrap_or_default()
    }

    /// Returns the text of a key without its place.
    fn owned(&mut self, table: &DeTable<'_>, key: &str) -> Option<String> {
        let found = self.text_of(table, key)?;
        Some(found.text.to_owned())
    }

    /// Returns the sentence of a key; `None` if it is missing or refused.
    fn caption(&mut self, table: &DeTable<'_>, key: &str) -> Option<Caption> {
        let PlacedText { text, span } = self.text_of(table, key)?;
        let line = self.line(&span);
        let caption = Caption::parse(text, line, self.actions);
        self.known(&span, caption)
    }

    /// Returns what was understood at a place; an error is refused.
    fn known<T>(&mut self, span: &Range<usize>, found: Result<T, Shown>) -> Option<T> {
        match found {
            Ok(found) => Some(found),
            Err(reason) => {
                self.refuse(span, reason);
                None
            }
        }
    }

    /// Returns the texts of a list; `None` if the key is missing or holds anything else, which is refused.
    fn list<'t>(&mut self, table: &'t DeTable<'_>, key: &str) -> Option<Vec<PlacedText<'t>>> {
        let value = table.get(key)?;
        let texts = texts_of(value);
        if texts.is_none() {
            let reason = sentence!("{key} is not a list of words in quotes, as in [\"rank\"]");
            self.refuse(&value.span(), reason);
        }
        texts
    }

    /// Returns the known word that a text is; one that is not known is refused.
    fn word(
        &mut self,
        what: &str,
        word: &PlacedText<'_>,
        known: &[&'static str],
    ) -> Option<&'static str> {
        let found = caption::known(what, word.text, known);
        self.known(&word.span, found)
    }

    /// Returns the known words of a list; others are refused.
    fn words(
        &mut self,
        table: &DeTable<'_>,
        key: &str,
        what: &str,
        known: &[&'static str],
    ) -> Vec<&'static str> {
        let mut words = Vec::new();
        for word in self.list(table, key).unwrap_or_default() {
            words.extend(self.word(what, &word, known));
        }
        words
    }

    /// Returns the known word of a key; `None` if it is missing or refused.
    fn choice(
        &mut self,
        table: &DeTable<'_>,
        key: &str,
        what: &str,
        known: &[&'static str],
    ) -> Option<&'static str> {
        let word = self.text_of(table, key)?;
        self.word(what, &word, known)
    }

    /// Returns the steps. A lesson without any is refused.
    fn steps(&mut self, table: &DeTable<'_>) -> Vec<Step> {
        let mut steps = Vec::new();
        let Some(value) = table.get("step") else {
            let reason = "the lesson has no step; expected [[step]] and keys below it";
            self.refuse(&(0..0), reason);
            return steps;
        };
        let Some(entries) = value.get_ref().as_array() else {
            let reason = "step is not a list of tables; expected [[step]] and keys below it";
            self.refuse(&value.span(), reason);
            return steps;
        };
        for entry in entries {
            steps.extend(self.step(entry));
        }
        steps
    }

    /// Returns the minutes that the lesson takes; `None` if the key is missing or holds no such number, which is refused.
    fn minutes(&mut self, table: &DeTable<'_>) -> Option<u64> {
        let value = table.get("minutes")?;
        if let Some(number) = value.get_ref().as_integer()
            && let Ok(minutes) = number.as_str().parse()
        {
            return Some(minutes);
        }
        let reason = "minutes is not a number; expected how many the lesson takes, as in 10";
        self.refuse(&value.span(), reason);
        None
    }

    /// Returns what nodes of another tree fit; `None` for a lesson about its own tree alone.
    fn pick(&mut self, table: &DeTable<'_>) -> Option<Pick> {
        let roles = self.table(table, "roles")?.table;
        let mut picks = Vec::new();
        for pick in Pick::ALL {
            picks.push(pick.name());
        }
        let name = self.choice(roles, "pick", "pick", &picks)?;
        let pick = Pick::named(name)?;
        let mut known = WORDS.to_vec();
        known.extend(pick.roles());
        self.check_keys("role", roles, &known);
        Some(pick)
    }

    /// Returns a step; `None` if it is no table.
    fn step(&mut self, value: &Entry<'_>) -> Option<Step> {
        let span = value.span();
        let Some(table) = value.get_ref().as_table() else {
            let reason = "step is not a table; expected [[step]] and keys below it";
            self.refuse(&span, reason);
            return None;
        };
        self.check_keys("key of a step", table, STEP);
        if table.get("text").is_none() {
            self.refuse(&span, "the step says nothing; expected text = \"…\"");
        }
        let text = self.caption(table, "text").unwrap_or_default();
        let title = self.owned(table, "title");
        let mut examples = Vec::new();
        for example in Example::ALL {
            examples.push(example.name());
        }
        let example = self.choice(table, "example", "example", &examples);
        let edits = self.edits(table);
        let policies = policy_names();
        let policy = self.choice(table, "policy", "policy", &policies);
        let mut known = vec!["example", "other"];
        known.extend(&policies);
        let trees = self.words(table, "trees", "tree", &known);
        let view = self.view(table);
        let question = match self.table(table, "ask") {
            Some(ask) => self.question(&ask),
            None => None,
        };
        let task = match self.table(table, "try") {
            Some(task) => self.task(&task),
            None => None,
        };
        Some(Step {
            line: self.line(&span),
            trees,
            title: title.map(|title| shown_text(title.as_bytes())),
            example: example.and_then(Example::named),
            text,
            edits,
            policy: policy.and_then(Policy::named),
            view,
            question,
            task,
        })
    }

    /// Returns the edits of a step, each with its line.
    fn edits(&mut self, table: &DeTable<'_>) -> Vec<(u64, String)> {
        let mut edits = Vec::new();
        let texts = self.list(table, "edits").unwrap_or_default();
        for edit in texts {
            let line = self.line(&edit.span);
            edits.push((line, edit.text.to_owned()));
        }
        edits
    }

    /// Returns the table of a key; `None` if the key is missing or holds something else, which is refused.
    fn table<'t, 'v>(&mut self, table: &'t DeTable<'v>, key: &str) -> Option<PlacedTable<'t, 'v>> {
        let value = table.get(key)?;
        let span = value.span();
        let Some(table) = value.get_ref().as_table() else {
            let reason =
                sentence!("{key} is not a table; expected a heading in brackets and keys below it");
            self.refuse(&span, reason);
            return None;
        };
        Some(PlacedTable { table, span })
    }

    /// Returns what a step shows.
    fn view(&mut self, table: &DeTable<'_>) -> StepView {
        let screen = self.choice(table, "screen", "screen", self.screens);
        let columns = self.columns(table);
        let mut ways = Vec::new();
        for why in WhyView::ALL {
            ways.push(why.name());
        }
        let why = self.choice(table, "why", "view of why", &ways);
        let actions = self.words(table, "do", "action", self.actions);
        let mut select = None;
        if let Some(path) = self.text_of(table, "select") {
            let line = self.line(&path.span);
            select = Some((line, path.text.to_owned()));
        }
        StepView {
            select,
            screen,
            columns,
            why: why.and_then(WhyView::named),
            actions,
        }
    }

    /// Returns the columns of a step that are known; others are refused. `None` for those of the step before.
    fn columns(&mut self, table: &DeTable<'_>) -> Option<Vec<ColumnId>> {
        let names = self.list(table, "columns")?;
        let mut known = Vec::new();
        for name in names {
            known.extend(self.column(&name));
        }
        Some(known)
    }

    /// Returns the column of a name; one that is not known is refused.
    fn column(&mut self, name: &PlacedText<'_>) -> Option<ColumnId> {
        let column = caption::column(name.text);
        self.known(&name.span, column)
    }

    /// Returns the column that a key names; `None` if it is missing or refused.
    fn column_of(&mut self, table: &DeTable<'_>, key: &str) -> Option<ColumnId> {
        let name = self.text_of(table, key)?;
        self.column(&name)
    }

    /// Returns a question; `None` if it cannot be answered, which is refused.
    fn question(&mut self, ask: &PlacedTable<'_, '_>) -> Option<Question> {
        let refused = self.refused.len();
        self.check_keys("key of a question", ask.table, ASK);
        let text = self.caption(ask.table, "text");
        let about = self.about(ask.table);
        if let Some(text) = text
            && let Some(about) = about
        {
            let line = self.line(&ask.span);
            return Some(Question { line, text, about });
        }
        let reason = "the question cannot be answered; expected text, and nodes with smallest or largest, or node \
                      with goal or change";
        if self.refused.len() == refused {
            self.refuse(&ask.span, reason);
        }
        None
    }

    /// Returns what the answer of a question depends on; `None` if its keys do not tell one thing.
    fn about(&mut self, ask: &DeTable<'_>) -> Option<About> {
        let nodes = self.list(ask, "nodes");
        let node = self.owned(ask, "node");
        let goal = self.owned(ask, "goal");
        let smallest = self.column_of(ask, "smallest");
        let largest = self.column_of(ask, "largest");
        let change = self.column_of(ask, "change");
        if let Some(nodes) = nodes {
            if node.is_some() {
                return None;
            }
            return Some(About::Most {
                nodes: owned_texts(&nodes),
                column: smallest.or(largest)?,
                is_smallest: smallest.is_some(),
            });
        }
        let node = node?;
        match (goal, change) {
            (Some(goal), None) => Some(About::Reaches { node, goal }),
            (None, Some(column)) => Some(About::Change { node, column }),
            _ => None,
        }
    }

    /// Returns a task; `None` if it is not complete, which is refused.
    fn task(&mut self, task: &PlacedTable<'_, '_>) -> Option<Task> {
        let table = task.table;
        let refused = self.refused.len();
        self.check_keys("key of a task", table, TRY);
        let text = self.caption(table, "text");
        let done = self.caption(table, "done");
        let not_yet = self.caption(table, "not_yet");
        let hint = self.caption(table, "hint");
        let until = self.until(table);
        let (Some(text), Some(until), Some(done)) = (text, until, done) else {
            let reason = "the task is not complete; expected text, done, and selected, action, or node with goal";
            if self.refused.len() == refused {
                self.refuse(&task.span, reason);
            }
            return None;
        };
        let mut span = task.span.clone();
        for key in ["goal", "selected", "action"] {
            if let Some(value) = table.get(key) {
                span = value.span();
                break;
            }
        }
        Some(Task {
            line: self.line(&span),
            text,
            until,
            done,
            not_yet,
            hint,
        })
    }

    /// Returns when a task is done; `None` if its keys do not tell one thing.
    fn until(&mut self, task: &DeTable<'_>) -> Option<Until> {
        let action = self.choice(task, "action", "action", self.actions);
        let node = self.owned(task, "node");
        let goal = self.owned(task, "goal");
        let selected = self.owned(task, "selected");
        if let Some(node) = node {
            if action.is_some() || selected.is_some() {
                return None;
            }
            let goal = goal?;
            return Some(Until::Goal { node, goal });
        }
        if goal.is_some() {
            return None;
        }
        match (action, selected) {
            (Some(action), None) => Some(Until::Action(action)),
            (None, Some(path)) => Some(Until::Selected(path)),
            _ => None,
        }
    }
}

/// Returns the texts of a list; `None` if it is no list, or holds something else.
fn texts_of<'t>(value: &'t Entry<'_>) -> Option<Vec<PlacedText<'t>>> {
    let mut texts = Vec::new();
    for item in value.get_ref().as_array()? {
        let text = item.get_ref().as_str()?;
        let span = item.span();
        texts.push(PlacedText { text, span });
    }
    Some(texts)
}

/// Returns texts without their places.
fn owned_texts(texts: &[PlacedText<'_>]) -> Vec<String> {
    let mut owned = Vec::new();
    for placed in texts {
        owned.push(placed.text.to_owned());
    }
    owned
}

/// Returns the names of all policies.
fn policy_names() -> Vec<&'static str> {
    let mut names = Vec::new();
    for policy in Policy::ALL {
        names.push(policy.name());
    }
    names
}
