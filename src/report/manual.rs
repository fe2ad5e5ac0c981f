//! The manual: one topic a file of `assets/manual`, compiled in, and read into a document.

pub mod answer;
mod index;
pub mod search;
pub mod synonyms;
mod words;

use crate::base::shown::{Shown, sentence};
use crate::report::document::{Block, Document};
use crate::report::layout::{Frame, ProseTable, layout};
use crate::report::line::{Emphasis, Line, Span};
use crate::rules::policy::Policy;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// A topic of the manual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topic {
    /// The word by which it is asked for.
    pub name: &'static str,
    /// The text, in Markdown. The first line is the title.
    pub text: &'static str,
}

/// Lists the topics by their names, each with its text. The program holds a static once, and the texts of a constant once
/// for each part of it that names the constant.
macro_rules! topics {
    ($($name:literal)*) => {
        /// All topics, in the order of reading.
        pub static TOPICS: &[Topic] = &[$(Topic {
            name: $name,
            text: include_str!(concat!("../../assets/manual/", $name, ".md")),
        },)*];
    };
}

topics! {
    "fairshare" "explorer" "user" "lessons" "slurm" "pbs" "flux" "changes" "desired" "goals" "time" "contention" "jobs" "dumps" "fairness" "gates"
    "waiting" "web"
    "commands" "formats" "verify"
    "glossary" "edits" "formulas" "columns" "keys" "pictures" "configuration" "settings" "json" "problems" "questions"
    "promises"
}

impl Topic {
    /// Returns the topic of that name, or `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        TOPICS.iter().copied().find(|topic| topic.name == name)
    }

    /// Returns the reference card of a policy: its section of the topic `formulas`.
    pub fn card(policy: Policy) -> Option<Self> {
        let name = policy.name();
        let formulas = Self::named("formulas")?.text;
        for (start, _) in formulas.match_indices("\n## ") {
            // Its heading becomes a title.
            let rest = &formulas[start + 2..];
            let text = match rest.split_once("\n## ") {
                Some((own, _)) => own,
                None => rest,
            };
            let heading = text.lines().next().unwrap_or_default();
            let mut words = heading.split([' ', ',']);
            if words.any(|word| word == name) {
                return Some(Self { name, text });
            }
        }
        None
    }

    /// Returns the title.
    pub fn title(self) -> &'static str {
        let line = self.text.lines().next().unwrap_or_default();
        line.trim_start_matches(['#', ' '])
    }

    /// Returns the name as the title has it, with a capital letter.
    pub(crate) fn subject(self) -> &'static str {
        let title = self.title();
        title.get(..self.name.len()).unwrap_or(title)
    }

    /// Returns what the topic is about: the title without the name of the topic.
    pub(crate) fn about(self) -> &'static str {
        // The title begins with the name and a colon.
        let title = self.title();
        title.get(self.name.len() + 2..).unwrap_or(title)
    }
}

/// What the text is that is being read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Run {
    #[default]
    Plain,
    /// It is strong, as headings of tables are.
    Strong,
    /// A block of code.
    Code,
    /// The text that stands for a picture, which is left out.
    Picture,
}

/// A topic while it is read.
#[derive(Default)]
struct TopicReader {
    /// What was read of it so far.
    document: Document<'static>,
    /// The paragraph, heading or cell that is being read.
    inline: Line,
    /// The rows of the table that is being read.
    rows: Vec<Vec<Line>>,
    /// The number of the next item of each open list; `None` in a list without numbers.
    lists: Vec<Option<u64>>,
    /// The mark of an item that has no block yet.
    mark: Option<String>,
    /// Whether the last block was an item of a list, and no blank line is between it and the next one.
    is_in_list: bool,
    /// What the text is.
    run: Run,
    /// The link that the text is of, by its place among them.
    link: Option<usize>,
    /// Where the links lead.
    links: Vec<Topic>,
    /// Whether code is put between backticks, because plain text has no emphasis.
    quotes_code: bool,
}

/// Returns a topic as plain text of lines of at most `width` cells, the title first.
pub fn plain_text(topic: Topic, width: usize) -> String {
    let mut reader = TopicReader {
        quotes_code: true,
        ..TopicReader::default()
    };
    reader.read_all(topic);
    let frame = Frame {
        width: Some(width),
        is_page: true,
        is_ascii: false,
    };
    let mut text = format!("{}\n", topic.title());
    for laid in layout(&reader.document, frame) {
        text.push_str(&laid.line.text().trimmed());
        text.push('\n');
    }
    text
}

/// Returns a topic without its title.
pub(crate) fn document(topic: Topic) -> Document<'static> {
    let mut reader = TopicReader::default();
    reader.read_all(topic);
    reader.document
}

/// Returns the topics that the links of a topic lead to, in the order of the text.
pub fn links(topic: Topic) -> Vec<Topic> {
    let mut reader = TopicReader::default();
    reader.read_all(topic);
    reader.links
}

impl TopicReader {
    /// Reads a topic to its end.
    fn read_all(&mut self, topic: Topic) {
        for event in Parser::new_ext(topic.text, Options::ENABLE_TABLES) {
            self.read(event);
        }
    }

    /// Reads an event of Markdown.
    fn read(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => {
                if self.run == Run::Code {
                    self.put_code(&text);
                } else {
                    self.push(&text, Emphasis::Plain);
                }
            }
            Event::Code(text) => self.push(&text, Emphasis::Command),
            Event::SoftBreak | Event::HardBreak => self.push(" ", Emphasis::Plain),
            _ => {}
        }
    }

    /// Adds lines of code.
    fn put_code(&mut self, text: &str) {
        let mut lines = Vec::new();
        for line in text.lines() {
            let field = Shown::again(line.to_owned());
            lines.push(vec![field]);
        }
        self.put(Block::Verbatim {
            language: "",
            lines,
        });
    }

    /// Reads the start of a part of the text.
    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::CodeBlock(_) => self.run = Run::Code,
            Tag::List(first) => {
                self.finish_paragraph();
                self.lists.push(first);
            }
            Tag::Item => self.mark = Some(self.next_mark()),
            Tag::Strong | Tag::TableHead => self.run = Run::Strong,
            Tag::Image { .. } => self.run = Run::Picture,
            Tag::Link { dest_url, .. } => self.link = self.next_link(&dest_url),
            _ => {}
        }
    }

    /// Reads the end of a part of the text.
    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::CodeBlock | TagEnd::Strong | TagEnd::Image => self.run = Run::Plain,
            TagEnd::Link => self.link = None,
            TagEnd::Heading(HeadingLevel::H1) => self.inline.spans.clear(),
            TagEnd::Heading(_) => {
                let inline = std::mem::take(&mut self.inline);
                self.is_in_list = false;
                self.document.heading(inline.text());
            }
            TagEnd::Paragraph | TagEnd::Item => self.finish_paragraph(),
            TagEnd::List(_) => drop(self.lists.pop()),
            TagEnd::TableCell => {
                let cell = self.take_inline();
                match self.rows.last_mut() {
                    Some(row) => row.push(cell),
                    None => self.rows.push(vec![cell]),
                }
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                self.run = Run::Plain;
                self.rows.push(Vec::new());
            }
            TagEnd::Table => {
                self.rows.pop();
                let rows = std::mem::take(&mut self.rows);
                self.put(Block::ProseTable(ProseTable { rows }));
            }
            _ => {}
        }
    }

    /// Returns the place of a link to an address, such as `time.md#on-target`; `None` if that is no topic.
    fn next_link(&mut self, address: &str) -> Option<usize> {
        let (name, _) = address.split_once(".md")?;
        self.links.push(Topic::named(name)?);
        Some(self.links.len() - 1)
    }

    /// Returns the mark of the next item: its number, or a hyphen.
    fn next_mark(&mut self) -> String {
        match self.lists.last_mut() {
            Some(Some(number)) => {
                *number += 1;
                format!("{}. ", *number - 1)
            }
            _ => "- ".to_owned(),
        }
    }

    /// Ends a paragraph or an item, unless there is nothing in it.
    fn finish_paragraph(&mut self) {
        let inline = self.take_inline();
        if inline.text().trim().is_empty() {
            return;
        }
        match self.mark.take() {
            Some(mark) => self.put(Block::Item(Shown::again(mark), inline)),
            None => self.put(Block::Prose(inline)),
        }
    }

    /// Adds a block. Before it is a blank line, but not between the items of a list.
    fn put(&mut self, block: Block) {
        let is_item = matches!(block, Block::Item(..));
        if !(is_item && self.is_in_list) {
            self.document.gap();
        }
        self.is_in_list = is_item;
        self.document.push(block);
    }

    /// Returns what was read of a paragraph or cell, with its code between backticks where that is asked for. A text of code
    /// alone needs none.
    fn take_inline(&mut self) -> Line {
        let mut inline = std::mem::take(&mut self.inline);
        if !self.quotes_code || inline.spans.iter().all(is_code_or_gap) {
            return inline;
        }
        for span in &mut inline.spans {
            if span.emphasis == Emphasis::Command {
                let code = &span.text;
                span.text = sentence!("`{code}`");
            }
        }
        inline
    }

    /// Adds text to what is being read.
    fn push(&mut self, text: &str, emphasis: Emphasis) {
        if self.run == Run::Picture {
            return;
        }
        let emphasis = match emphasis {
            Emphasis::Plain if self.link.is_some() => Emphasis::Link,
            Emphasis::Plain if self.run == Run::Strong => Emphasis::Strong,
            emphasis => emphasis,
        };
        self.inline.spans.push(Span {
            text: Shown::again(text.to_owned()),
            emphasis,
            link: self.link,
        });
    }
}

/// Returns whether a text is code, or what stands between code.
fn is_code_or_gap(span: &Span) -> bool {
    span.emphasis == Emphasis::Command || span.text == " " || span.text == ", "
}
