//! Pages to publish: a report as one HTML file that needs nothing else.
//!
//! All markup is made by `maud`, which escapes what is put into it; only words of ours are not escaped.

mod figure;
mod table;

use super::document::{
    Block, Document, FIELD_GAP, Fact, Front, Medium, PageLink, Part, PlacedPart,
};
use super::layout::ProseTable;
use super::line::{Emphasis, Line};
use crate::base::shown::{Shown, sentence};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::collections::{HashSet, VecDeque};
use std::io::{self, Write};

/// The style of every page.
const STYLE: &str = include_str!("../../../assets/page/page.css");

/// The script of every page, which sorts, folds and copies. A page can be read without it.
const SCRIPT: &str = include_str!("../../../assets/page/page.js");

/// What a page may load and run: its own style and its own script, by their SHA-256.
const POLICY: &str = "default-src 'none'; \
    style-src 'sha256-9NOW2sqliGCzqvr7eDdMmUI1Ts5tUQf5b99GZbIEWLg='; \
    script-src 'sha256-FIX1rPZsscUkgVqtyY6ykH0FOX7PnHY46XACLnPTUf8='; \
    base-uri 'none'; form-action 'none'";

/// What holds blocks until something else begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    /// The items of a list.
    List,
    /// Indented lines whose columns are aligned by blanks.
    Facts,
    /// A drawing in characters, whose blanks are kept.
    Drawing,
}

impl Group {
    /// Returns the tag that opens it.
    const fn start(self) -> &'static str {
        match self {
            Self::List => "<ul>\n",
            Self::Facts => "<div class=\"facts\">\n",
            Self::Drawing => "<pre>",
        }
    }

    /// Returns the tag that closes it.
    const fn end(self) -> &'static str {
        match self {
            Self::List => "</ul>\n",
            Self::Facts => "</div>\n",
            Self::Drawing => "</pre>\n",
        }
    }

    /// Returns the group that holds a block; `None` if it stands by itself.
    fn of(block: &Block) -> Option<Self> {
        match block {
            Block::Item(..) | Block::Link { .. } => Some(Self::List),
            Block::Line(line) => Self::of_line(line),
            _ => None,
        }
    }

    /// Returns the group that holds a line; `None` if it stands by itself.
    fn of_line(line: &Line) -> Option<Self> {
        let text = line.text();
        if text.is_empty() {
            None
        } else if line.is_drawing {
            Some(Self::Drawing)
        } else if text.starts_with("  ") {
            Some(Self::Facts)
        } else {
            None
        }
    }
}

/// Where a heading is, if a block is one.
enum HeadingPlace {
    /// Over a section, which a link to its anchor finds.
    Section(Option<Shown>),
    /// In a section.
    Inner,
}

/// A heading of a page.
struct Title {
    /// Its words.
    text: Shown,
    /// What a link to it names.
    anchor: Shown,
}

/// Writes a document as a page.
pub(in crate::report) fn write(
    out: &mut dyn Write,
    front: &Front,
    document: &Document<'_>,
) -> io::Result<()> {
    let titles = titles(document);
    let mut anchors = VecDeque::new();
    for title in &titles {
        anchors.push_back(title.anchor.clone());
    }
    let mut page = PageWriter {
        out,
        open: None,
        anchors,
    };
    page.put(&head(front))?;
    page.put_raw("<body>\n")?;
    page.put(&links(&front.links, "Pages"))?;
    page.put(&header(front))?;
    page.put(&contents(&titles))?;
    page.put_raw("<main>\n")?;
    for placed in document.placed_in(Medium::Html) {
        page.write_part(placed)?;
    }
    page.begin(None)?;
    page.put_raw("</main>\n")?;
    page.put(&links(&front.links, "Pages, again"))?;
    page.put(&foot())?;
    page.put_raw("</body>\n</html>\n")
}

/// Returns links to other pages of the site; nothing for a page alone.
fn links(links: &[PageLink], label: &str) -> Markup {
    html! {
        @if !links.is_empty() {
            nav.pages aria-label=(label) {
                ul {
                    @for link in links {
                        li { a href=(link.file) { (link.text) } }
                    }
                }
            }
            "\n"
        }
    }
}

/// Returns the end of a page: the program's version, and the script.
fn foot() -> Markup {
    html! {
        footer { "fairscope " (env!("CARGO_PKG_VERSION")) }
        "\n"
        script { (PreEscaped(SCRIPT)) }
        "\n"
    }
}

/// Writes a page.
struct PageWriter<'a> {
    /// Where it goes.
    out: &'a mut dyn Write,
    /// The group that is open.
    open: Option<Group>,
    /// The anchors of the headings that follow.
    anchors: VecDeque<Shown>,
}

impl PageWriter<'_> {
    /// Writes markup.
    fn put(&mut self, markup: &Markup) -> io::Result<()> {
        self.out.write_all(markup.0.as_bytes())
    }

    /// Writes a tag that one block opens and another closes.
    fn put_raw(&mut self, tag: &'static str) -> io::Result<()> {
        self.out.write_all(tag.as_bytes())
    }

    /// Closes the open group unless it is this one, which is opened.
    fn begin(&mut self, group: Option<Group>) -> io::Result<()> {
        if self.open == group {
            return Ok(());
        }
        if let Some(open) = self.open {
            self.put_raw(open.end())?;
        }
        self.open = group;
        match group {
            Some(group) => self.put_raw(group.start()),
            None => Ok(()),
        }
    }

    /// Writes a part of a document.
    fn write_part(&mut self, placed: &PlacedPart<'_>) -> io::Result<()> {
        match &placed.part {
            Part::Block(block) => self.write_block(block, placed.is_inner),
            Part::Table(table) => {
                self.begin(None)?;
                if table.is_tree {
                    self.write_tree(table)
                } else {
                    self.write_table(table)
                }
            }
        }
    }

    /// Writes a block, in its group.
    fn write_block(&mut self, block: &Block, is_inner: bool) -> io::Result<()> {
        self.begin(Group::of(block))?;
        match block {
            Block::FoldStart(word) => {
                self.put_raw("<details class=\"answer\">")?;
                self.put(&html! { summary { span { (word) } } "\n" })
            }
            Block::FoldEnd => self.put_raw("</details>\n"),
            _ => {
                let mut place = HeadingPlace::Inner;
                if !is_inner {
                    let mut anchor = None;
                    if title(block).is_some() {
                        anchor = self.anchors.pop_front();
                    }
                    place = HeadingPlace::Section(anchor);
                }
                if let Some(markup) = markup(block, place) {
                    self.put(&markup)?;
                }
                Ok(())
            }
        }
    }
}

/// Returns a paragraph; one with an indent is of the class `inner`.
fn paragraph(text: &Shown) -> Markup {
    let inner = text.trim_start_matches(' ');
    let mut class = None;
    if inner.len() < text.len() {
        class = Some("inner");
    }
    html! { p class=[class] { (inner) } "\n" }
}

/// Returns a table of prose.
fn prose_table(table: &ProseTable) -> Markup {
    html! {
        table {
            @for row in &table.rows {
                tr { @for cell in row { td { (spans(cell)) } } }
            }
        }
        "\n"
    }
}

/// Returns the head of a page: its title, its style, and what it may load.
fn head(front: &Front) -> Markup {
    html! {
        (DOCTYPE) "\n"
        (PreEscaped("<html lang=\"en\">")) "\n"
        head {
            "\n" meta charset="utf-8";
            "\n" meta http-equiv="Content-Security-Policy" content=(POLICY);
            "\n" meta name="viewport" content="width=device-width, initial-scale=1";
            "\n" meta name="color-scheme" content="light dark";
            "\n" meta name="referrer" content="no-referrer";
            "\n" title {
                (front.title.as_str())
                @if !front.source.is_empty() { " · " (front.source.as_str()) }
            }
            "\n" style { (PreEscaped(STYLE)) }
            "\n"
        }
        "\n"
    }
}

/// Returns the top of a page: its title, and the facts about its source.
fn header(front: &Front) -> Markup {
    html! {
        header {
            "\n" h1 { (front.title.as_str()) }
            @if !front.facts.is_empty() {
                "\n" dl {
                    @for fact in &front.facts {
                        @if !fact.lines.is_empty() {
                            "\n" div {
                                dt { (fact.name) }
                                dd { (fact_lines(fact)) }
                            }
                        }
                    }
                    "\n"
                }
            }
            "\n"
        }
        "\n"
    }
}

/// Returns the lines of a fact.
fn fact_lines(fact: &Fact) -> Markup {
    html! {
        @for (place, line) in fact.lines.iter().enumerate() {
            @if place > 0 { br; }
            @if fact.is_code { code { (line.as_str()) } } @else { (line.as_str()) }
        }
    }
}

/// Returns the words of a heading, without how what it names is computed; `None` for other blocks.
fn title(block: &Block) -> Option<Shown> {
    match block {
        Block::Heading(text) | Block::Section(text) => Some(text.clone()),
        Block::Line(line) if line.is_heading() && !line.is_drawing => {
            let first = line.spans.first()?;
            Some(first.text.clone())
        }
        _ => None,
    }
}

/// Returns the markup of a block; `None` if it has none.
fn markup(block: &Block, place: HeadingPlace) -> Option<Markup> {
    Some(match block {
        Block::Heading(text) | Block::Section(text) => heading(&html! { (text) }, place),
        Block::Line(line) if line.text().is_empty() => return None,
        Block::Line(line) if line.is_drawing => html! {
            (spans(line))
            "\n"
        },
        Block::Line(line) if line.is_heading() => heading(&spans(line), place),
        Block::Line(line) | Block::Prose(line) | Block::Choice(line, _) => html! {
            p { (spans(line)) }
            "\n"
        },
        Block::Sentence(text) | Block::Paragraph(text) => paragraph(text),
        Block::Item(_, line) => html! {
            li { (line.text().as_str()) }
            "\n"
        },
        Block::Note(text) => html! {
            p.note { (text.as_str()) }
            "\n"
        },
        Block::Verbatim { lines, .. } => html! {
            pre {
                @for line in lines {
                    (line.join(FIELD_GAP))
                    "\n"
                }
            }
            "\n"
        },
        Block::ProseTable(table) => prose_table(table),
        Block::Figures(drawing) => figure::markup(drawing),
        Block::Link {
            link,
            about,
            other_form,
        } => html! {
            li {
                a href=(link.file) { (link.text) } ": " (about)
                @if let Some(other) = other_form { " " a href=(other.file) { (other.text) } }
            }
            "\n"
        },
        Block::FoldStart(_) | Block::FoldEnd | Block::Gap => return None,
    })
}

/// Returns a heading.
fn heading(words: &Markup, place: HeadingPlace) -> Markup {
    html! {
        @match place {
            HeadingPlace::Section(anchor) => h2 id=[anchor] { (words) },
            HeadingPlace::Inner => h3 { (words) },
        }
        "\n"
    }
}

/// Returns the headings, each with its anchor: its words, and a number where a heading before it has the same.
fn titles(document: &Document<'_>) -> Vec<Title> {
    let mut taken = HashSet::new();
    let mut titles = Vec::new();
    for placed in document.placed_in(Medium::Html) {
        let Part::Block(block) = &placed.part else {
            continue;
        };
        if placed.is_inner {
            continue;
        }
        let Some(text) = title(block) else {
            continue;
        };
        let words = anchor_words(&text);
        let mut anchor = words.clone();
        let mut number = 1;
        while anchor.is_empty() || taken.contains(&anchor) {
            number += 1;
            anchor = sentence!("{words}-{number}");
        }
        taken.insert(anchor.clone());
        titles.push(Title { text, anchor });
    }
    titles
}

/// Returns the letters and digits of a heading, with hyphens between its words.
fn anchor_words(title: &Shown) -> Shown {
    let mut words: Vec<&str> = title.split(|char: char| !char.is_alphanumeric()).collect();
    words.retain(|word| !word.is_empty());
    Shown::again(words.join("-").to_lowercase())
}

/// Returns the table of contents; a page of one or two sections needs none.
fn contents(titles: &[Title]) -> Markup {
    html! {
        @if titles.len() > 2 {
            nav aria-label="Contents" {
                ul {
                    @for title in titles {
                        li { a href={ "#" (title.anchor) } { (title.text) } }
                    }
                }
            }
            "\n"
        }
    }
}

/// Returns the pieces of a line without its indent.
fn spans(line: &Line) -> Markup {
    let mut is_indent = true;
    let mut pieces = Vec::new();
    for span in &line.spans {
        let mut text = span.text.as_str();
        if is_indent {
            text = text.trim_start_matches(' ');
            is_indent = text.is_empty();
        }
        pieces.push(piece(text, span.emphasis));
    }
    html! { @for piece in pieces { (piece) } }
}

/// Returns a text with its emphasis.
fn piece(text: &str, emphasis: Emphasis) -> Markup {
    match class(emphasis) {
        None => html! { (text) },
        Some(class) => html! { span class=(class) { (text) } },
    }
}

/// The classes of the buckets of a 64-bit priority, by their levels.
const BUCKETS: [&str; 8] = ["b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7"];

/// Returns the class of an emphasis; `None` if it has none.
const fn class(emphasis: Emphasis) -> Option<&'static str> {
    Some(match emphasis {
        Emphasis::Plain => return None,
        Emphasis::Strong => "strong",
        Emphasis::Over | Emphasis::Worse | Emphasis::Warning => "warning",
        Emphasis::Under | Emphasis::Better => "good",
        Emphasis::Command | Emphasis::Link => "command",
        Emphasis::Dim => "dim",
        Emphasis::Bucket(level) => BUCKETS[level as usize % BUCKETS.len()],
    })
}
