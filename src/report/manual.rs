//! The manual: one topic a file of `assets/manual`, compiled in, and laid out for a width.

mod layout;

pub(crate) use layout::lines;
pub use layout::plain_text;

use crate::report::line::Emphasis;
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

macro_rules! topics {
    ($($name:literal)*) => {
        /// All topics, in the order of reading.
        pub const TOPICS: &[Topic] = &[$(Topic {
            name: $name,
            text: include_str!(concat!("../../assets/manual/", $name, ".md")),
        },)*];
    };
}

topics! {
    "explorer" "user" "lessons" "slurm" "pbs" "flux" "changes" "desired" "goals" "time" "contention" "jobs" "dumps" "fairness" "gates"
    "waiting"
    "commands" "formats" "verify"
    "edits" "formulas" "columns" "keys" "recordings" "configuration" "settings" "json" "problems" "questions"
    "promises"
}

impl Topic {
    /// Returns the topic of that name, or `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        TOPICS.iter().copied().find(|topic| topic.name == name)
    }

    /// Returns the reference card of a policy: its section of the topic `formulas`.
    pub fn card(policy: Policy) -> Option<Self> {
        let (name, formulas) = (policy.name(), Self::named("formulas")?.text);
        // Its heading becomes a title.
        let starts = formulas
            .match_indices("\n## ")
            .map(|(start, _)| &formulas[start + 2..]);
        let mut sections = starts.map(|rest| rest.split_once("\n## ").map_or(rest, |(own, _)| own));
        let text = sections.find(|text| {
            let heading = text.lines().next().unwrap_or_default();
            heading.split([' ', ',']).any(|word| word == name)
        })?;
        Some(Self { name, text })
    }

    /// Returns the title.
    pub fn title(self) -> &'static str {
        let line = self.text.lines().next().unwrap_or_default();
        line.trim_start_matches(['#', ' '])
    }

    /// Returns what the topic is about: the title without the name of the topic.
    pub(crate) fn about(self) -> &'static str {
        // The title begins with the name and a colon.
        let title = self.title();
        title.get(self.name.len() + 2..).unwrap_or(title)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) text: String,
    pub(crate) emphasis: Emphasis,
    /// The place of its link among those of the topic, from 0.
    pub(crate) link: Option<usize>,
}

/// A run of text, before it is broken into lines.
type Inline = Vec<Piece>;

#[derive(Debug)]
enum TopicBlock {
    /// A heading; the title of the topic is left out.
    Heading(Inline),
    Paragraph(Inline),
    /// An item of a list behind its mark, such as `- ` or `2. `.
    Item(String, Inline),
    Code(Vec<String>),
    /// A table, the row of headings first.
    Table(Vec<Vec<Inline>>),
}

#[derive(Default)]
struct TopicReader {
    blocks: Vec<TopicBlock>,
    inline: Inline,
    rows: Vec<Vec<Inline>>,
    /// The number of the next item of each open list; `None` in a list without numbers.
    lists: Vec<Option<u64>>,
    /// The mark of an item that has no block yet.
    mark: Option<String>,
    is_strong: bool,
    link: Option<usize>,
    links: Vec<Topic>,
    is_code: bool,
    is_picture: bool,
}

/// Returns the topics that the links of a topic lead to, in the order of the text.
pub fn links(topic: Topic) -> Vec<Topic> {
    read(topic).links
}

fn read(topic: Topic) -> TopicReader {
    let mut reader = TopicReader::default();
    for event in Parser::new_ext(topic.text, Options::ENABLE_TABLES) {
        reader.read(event);
    }
    reader
}

impl TopicReader {
    fn read(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.is_code => {
                let lines = text.lines().map(str::to_owned).collect();
                self.blocks.push(TopicBlock::Code(lines));
            }
            Event::Text(text) => self.push(&text, Emphasis::Plain),
            Event::Code(text) => self.push(&text, Emphasis::Command),
            Event::SoftBreak | Event::HardBreak => self.push(" ", Emphasis::Plain),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::CodeBlock(_) => self.is_code = true,
            Tag::List(first) => {
                self.finish_paragraph();
                self.lists.push(first);
            }
            Tag::Item => self.mark = Some(self.next_mark()),
            Tag::Strong | Tag::TableHead => self.is_strong = true,
            Tag::Image { .. } => self.is_picture = true,
            Tag::Link { dest_url, .. } => self.link = self.next_link(&dest_url),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::CodeBlock => self.is_code = false,
            TagEnd::Strong => self.is_strong = false,
            TagEnd::Image => self.is_picture = false,
            TagEnd::Link => self.link = None,
            TagEnd::Heading(HeadingLevel::H1) => self.inline.clear(),
            TagEnd::Heading(_) => {
                let inline = std::mem::take(&mut self.inline);
                self.blocks.push(TopicBlock::Heading(inline));
            }
            TagEnd::Paragraph | TagEnd::Item => self.finish_paragraph(),
            TagEnd::List(_) => drop(self.lists.pop()),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.inline);
                match self.rows.last_mut() {
                    Some(row) => row.push(cell),
                    None => self.rows.push(vec![cell]),
                }
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                self.is_strong = false;
                self.rows.push(Vec::new());
            }
            TagEnd::Table => {
                self.rows.pop();
                let rows = std::mem::take(&mut self.rows);
                self.blocks.push(TopicBlock::Table(rows));
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

    fn next_mark(&mut self) -> String {
        match self.lists.last_mut() {
            Some(Some(number)) => {
                *number += 1;
                format!("{}. ", *number - 1)
            }
            _ => "- ".to_owned(),
        }
    }

    fn finish_paragraph(&mut self) {
        let inline = std::mem::take(&mut self.inline);
        if inline.iter().all(|piece| piece.text.trim().is_empty()) {
            return;
        }
        self.blocks.push(match self.mark.take() {
            Some(mark) => TopicBlock::Item(mark, inline),
            None => TopicBlock::Paragraph(inline),
        });
    }

    fn push(&mut self, text: &str, emphasis: Emphasis) {
        if self.is_picture {
            return;
        }
        let emphasis = match emphasis {
            Emphasis::Plain if self.link.is_some() => Emphasis::Link,
            Emphasis::Plain if self.is_strong => Emphasis::Strong,
            emphasis => emphasis,
        };
        self.inline.push(Piece {
            text: text.to_owned(),
            emphasis,
            link: self.link,
        });
    }
}
