//! Pages to publish: a report as one HTML file that needs nothing else.
//!
//! All markup is made by `maud`, which escapes what is put into it; only words of ours are not escaped.

mod figure;
mod table;

use super::document::{Block, Document, FIELD_GAP, Fact, Front, Medium};
use super::line::{Emphasis, Line};
use crate::base::shown::{Shown, sentence};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::collections::HashSet;
use std::io::{self, Write};

const STYLE: &str = include_str!("../../../assets/page/page.css");

/// The script of every page, which sorts, folds and copies. A page can be read without it.
const SCRIPT: &str = include_str!("../../../assets/page/page.js");

/// What a page may load and run: its own style and its own script, by their SHA-256.
const POLICY: &str = "default-src 'none'; \
    style-src 'sha256-D//DNO19VilRfGsv9E6oxITzkKkPqVk32q64gZBs8P4='; \
    script-src 'sha256-BfBCsQalyKPTijWI3k82WfGLmYuoYGAG7nzXyo5POFE='; \
    base-uri 'none'; form-action 'none'";

/// What holds blocks until something else begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    List,
    /// Indented lines whose columns are aligned by blanks.
    Facts,
    Drawing,
}

impl Group {
    const fn tags(self) -> [&'static str; 2] {
        match self {
            Self::List => ["<ul>\n", "</ul>\n"],
            Self::Facts => ["<div class=\"facts\">\n", "</div>\n"],
            Self::Drawing => ["<pre>", "</pre>\n"],
        }
    }
}

pub(in crate::report) fn write(
    out: &mut dyn Write,
    front: &Front,
    document: &Document<'_>,
) -> io::Result<()> {
    let titles = anchored(document);
    let contents = contents(&titles);
    let mut page = PageWriter {
        out,
        open: None,
        titles: titles.into_iter(),
    };
    page.put(&head(front))?;
    page.put_raw("<body>\n")?;
    page.put(&header(front))?;
    page.put(&contents)?;
    page.put_raw("<main>\n")?;
    for block in document.blocks_in(Medium::Html) {
        page.write_block(block)?;
    }
    page.begin(None)?;
    page.put_raw("</main>\n")?;
    page.put(&html! {
        footer { "fairscope " (env!("CARGO_PKG_VERSION")) }
        "\n"
        script { (PreEscaped(SCRIPT)) }
        "\n"
    })?;
    page.put_raw("</body>\n</html>\n")
}

struct PageWriter<'a> {
    out: &'a mut dyn Write,
    open: Option<Group>,
    /// The headings that follow, each with its anchor.
    titles: std::vec::IntoIter<(Shown, Shown)>,
}

impl PageWriter<'_> {
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
        if let Some(open) = std::mem::replace(&mut self.open, group) {
            self.put_raw(open.tags()[1])?;
        }
        group.map_or(Ok(()), |group| self.put_raw(group.tags()[0]))
    }

    fn write_block(&mut self, block: &Block<'_>) -> io::Result<()> {
        self.begin(match block {
            Block::Item(..) => Some(Group::List),
            Block::Line(line) if line.text().is_empty() => None,
            Block::Line(line) if line.is_drawing => Some(Group::Drawing),
            Block::Line(line) if line.text().starts_with("  ") => Some(Group::Facts),
            _ => None,
        })?;
        let id = title(block).and_then(|_| Some(self.titles.next()?.1));
        self.put(&match block {
            Block::Heading(text) | Block::Section(text) => html! { h2 id=[id] { (text) } "\n" },
            Block::Line(line) if line.text().is_empty() => return Ok(()),
            Block::Line(line) if line.is_drawing => html! { (spans(line)) "\n" },
            Block::Line(line) if line.is_heading() => html! { h2 id=[id] { (spans(line)) } "\n" },
            Block::Line(line) | Block::Prose(line) | Block::Choice(line, _) => html! { p { (spans(line)) } "\n" },
            Block::Sentence(text) | Block::Paragraph(text) => {
                let inner = text.trim_start_matches(' ');
                let class = (inner.len() < text.len()).then_some("inner");
                html! { p class=[class] { (inner) } "\n" }
            }
            Block::Item(_, line) => html! { li { (line.text().as_str()) } "\n" },
            Block::Note(text) => html! { p.note { (text.as_str()) } "\n" },
            Block::Verbatim { lines, .. } => html! {
                pre { @for line in lines { (line.join(FIELD_GAP)) "\n" } }
                "\n"
            },
            Block::Table(table) if table.is_tree => return self.write_tree(table),
            Block::Table(table) => return self.write_table(table),
            Block::ProseTable(table) => html! {
                table { @for row in &table.rows { tr { @for cell in row { td { (spans(cell)) } } } } }
                "\n"
            },
            Block::Figures(drawing) => figure::markup(&drawing()),
            Block::Gap => return Ok(()),
        })
    }
}

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

fn header(front: &Front) -> Markup {
    let told = |fact: &&Fact| !fact.lines.is_empty();
    html! {
        header {
            "\n" h1 { (front.title.as_str()) }
            "\n" dl {
                @for fact in front.facts.iter().filter(told) {
                    "\n" div {
                        dt { (fact.name) }
                        dd {
                            @for (place, line) in fact.lines.iter().enumerate() {
                                @if place > 0 { br; }
                                @if fact.is_code { code { (line.as_str()) } } @else { (line.as_str()) }
                            }
                        }
                    }
                }
                "\n"
            }
            "\n"
        }
        "\n"
    }
}

/// Returns the words of a heading, without how what it names is computed; `None` for other blocks.
fn title(block: &Block<'_>) -> Option<Shown> {
    match block {
        Block::Heading(text) | Block::Section(text) => Some(text.clone()),
        Block::Line(line) if line.is_heading() && !line.is_drawing => {
            line.spans.first().map(|span| span.text.clone())
        }
        _ => None,
    }
}

/// Returns each heading with its anchor: its words, and a number where a heading before it has the same.
fn anchored(document: &Document<'_>) -> Vec<(Shown, Shown)> {
    let mut taken = HashSet::new();
    let titles = document.blocks_in(Medium::Html).filter_map(title);
    let anchored = titles.filter_map(|title| {
        let words = title.split(|char: char| !char.is_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let words = Shown::again(words.join("-").to_lowercase());
        let numbered = (2_usize..).map(|number| sentence!("{words}-{number}"));
        let mut anchors = std::iter::once(words.clone()).chain(numbered);
        let anchor = anchors.find(|it| !it.is_empty() && taken.insert(it.clone()))?;
        Some((title, anchor))
    });
    anchored.collect()
}

/// Returns the table of contents; a page of one or two sections needs none.
fn contents(titles: &[(Shown, Shown)]) -> Markup {
    html! {
        @if titles.len() > 2 {
            nav aria-label="Contents" {
                ul {
                    @for (title, anchor) in titles { li { a href={ "#" (anchor) } { (title) } } }
                }
            }
            "\n"
        }
    }
}

/// Returns the pieces of a line without its indent.
fn spans(line: &Line) -> Markup {
    let pieces = line.spans.iter().scan(true, |is_indent, span| {
        let text = if *is_indent {
            span.text.trim_start_matches(' ')
        } else {
            &span.text
        };
        *is_indent &= text.is_empty();
        Some((text, class(span.emphasis)))
    });
    html! {
        @for (text, class) in pieces {
            @match class {
                None => (text),
                Some(class) => span class=(class) { (text) },
            }
        }
    }
}

const BUCKETS: [&str; 8] = ["b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7"];

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
