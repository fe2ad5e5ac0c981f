//! Pages to publish: a report as one HTML file that needs nothing else.
//!
//! All markup is made by `maud`, which escapes what is put into it. The only pieces that are not escaped are words of
//! ours in [`Raw`].

mod document;
mod figure;
mod table;

use super::Output;
use super::line::{Emphasis, Line};
use crate::base::shown::Shown;
use maud::{Markup, PreEscaped, html};
use std::io;

/// Markup of ours: a tag that one block opens and another closes.
#[derive(Clone, Copy)]
struct Raw(&'static str);

impl Raw {
    /// Returns it as markup.
    const fn markup(self) -> PreEscaped<&'static str> {
        PreEscaped(self.0)
    }
}

/// A block that holds what follows until something else begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    /// Items of a list.
    List,
    /// Indented lines whose columns are aligned by blanks.
    Facts,
    /// A drawing in characters.
    Drawing,
}

impl Block {
    const fn start(self) -> Raw {
        Raw(match self {
            Self::List => "<ul>\n",
            Self::Facts => "<div class=\"facts\">\n",
            Self::Drawing => "<pre>",
        })
    }

    const fn end(self) -> Raw {
        Raw(match self {
            Self::List => "</ul>\n",
            Self::Facts => "</div>\n",
            Self::Drawing => "</pre>\n",
        })
    }
}

/// Writes the blocks of a page.
pub(super) struct Writer<'a> {
    out: &'a mut dyn Output,
    /// The block that is not closed yet.
    open: Option<Block>,
}

impl Writer<'_> {
    fn put(&mut self, markup: &Markup) -> io::Result<()> {
        self.out.write_all(markup.0.as_bytes())
    }

    fn put_raw(&mut self, raw: Raw) -> io::Result<()> {
        self.out.write_all(raw.markup().0.as_bytes())
    }

    /// Closes the open block unless it is this one, which is opened.
    fn begin(&mut self, block: Option<Block>) -> io::Result<()> {
        if self.open == block {
            return Ok(());
        }
        if let Some(open) = std::mem::replace(&mut self.open, block) {
            self.put_raw(open.end())?;
        }
        block.map_or(Ok(()), |block| self.put_raw(block.start()))
    }

    /// Ends a list or a group of lines.
    pub(super) fn gap(&mut self) -> io::Result<()> {
        self.begin(None)
    }

    /// Writes a sentence as a paragraph.
    pub(super) fn paragraph(&mut self, text: &str) -> io::Result<()> {
        self.begin(None)?;
        let inner = text.trim_start_matches(' ');
        let class = (inner.len() < text.len()).then_some("inner");
        self.put(&html! { p class=[class] { (inner) } "\n" })
    }

    /// Writes a heading.
    pub(super) fn heading(&mut self, text: &str) -> io::Result<()> {
        self.begin(None)?;
        self.put(&html! { h2 { (text) } "\n" })
    }

    /// Writes an item of a list.
    pub(super) fn item(&mut self, text: &str) -> io::Result<()> {
        self.begin(Some(Block::List))?;
        self.put(&html! { li { (text) } "\n" })
    }

    /// Writes a sentence below a table.
    pub(super) fn note(&mut self, text: &str) -> io::Result<()> {
        self.begin(None)?;
        self.put(&html! { p.note { (text) } "\n" })
    }

    /// Writes lines as they are, the fields of each between tabs.
    pub(super) fn verbatim(&mut self, lines: &[Vec<Shown>]) -> io::Result<()> {
        self.begin(None)?;
        self.put(&html! {
            pre { @for line in lines { (line.join("\t")) "\n" } }
            "\n"
        })
    }

    /// Writes a line of prose with its emphasis. A line that is indented belongs to the heading above it.
    pub(super) fn prose(&mut self, line: &Line) -> io::Result<()> {
        let text = line.text();
        if text.is_empty() {
            return self.gap();
        }
        if line.is_drawing {
            self.begin(Some(Block::Drawing))?;
            return self.put(&html! { (spans(line)) "\n" });
        }
        if text.starts_with("  ") {
            self.begin(Some(Block::Facts))?;
            return self.put(&html! { p { (spans(line)) } "\n" });
        }
        self.begin(None)?;
        if line.is_heading() {
            self.put(&html! { h2 { (spans(line)) } "\n" })
        } else {
            self.put(&html! { p { (spans(line)) } "\n" })
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

/// Returns the class of text that is emphasized.
const fn class(emphasis: Emphasis) -> Option<&'static str> {
    Some(match emphasis {
        Emphasis::Plain => return None,
        Emphasis::Strong => "strong",
        Emphasis::Over => "warning",
        Emphasis::Under => "good",
        Emphasis::Dim => "dim",
        Emphasis::Bucket(level) => match level % 8 {
            0 => "b0",
            1 => "b1",
            2 => "b2",
            3 => "b3",
            4 => "b4",
            5 => "b5",
            6 => "b6",
            _ => "b7",
        },
    })
}
