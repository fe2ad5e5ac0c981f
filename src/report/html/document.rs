//! The frame of a page: what stands before the report, and after it.

use super::{Raw, Writer};
use crate::report::Output;
use crate::report::front::{Fact, Front};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::io;

/// The style of every page.
const STYLE: &str = include_str!("../../../assets/page/page.css");

/// The script of every page, which sorts and folds. A page can be read without it.
const SCRIPT: &str = include_str!("../../../assets/page/page.js");

/// What a page may load and run: its own style and its own script, by their SHA-256.
const POLICY: &str = "default-src 'none'; \
    style-src 'sha256-5FN9tbED51kZvzIazltMQTF0eK1Ri8ahFLLCjEQCP9k='; \
    script-src 'sha256-VFyRefybQJKRER31hEz9SCJSWJ1aXY8XG8kpIJ6YFbM='; \
    base-uri 'none'; form-action 'none'";

impl<'a> Writer<'a> {
    /// Begins a page with its title and the facts below it.
    pub(in crate::report) fn begin_page(
        out: &'a mut dyn Output,
        front: &Front,
    ) -> io::Result<Self> {
        let mut page = Self { out, open: None };
        page.put(&head(front))?;
        page.put_raw(Raw("<body>\n"))?;
        page.put(&header(front))?;
        page.put_raw(Raw("<main>\n"))?;
        Ok(page)
    }

    /// Ends the page.
    pub(in crate::report) fn end_page(mut self) -> io::Result<()> {
        self.gap()?;
        self.put_raw(Raw("</main>\n"))?;
        self.put(&html! {
            footer { "fairscope " (env!("CARGO_PKG_VERSION")) }
            "\n"
            script { (PreEscaped(SCRIPT)) }
            "\n"
        })?;
        self.put_raw(Raw("</body>\n</html>\n"))
    }
}

/// Returns the head, after the start tag of the document.
fn head(front: &Front) -> Markup {
    html! {
        (DOCTYPE) "\n"
        (Raw("<html lang=\"en\">").markup()) "\n"
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

/// Returns the title and the facts.
fn header(front: &Front) -> Markup {
    let told = |fact: &&Fact| !fact.lines.is_empty();
    html! {
        header {
            "\n" h1 { (front.title.as_str()) }
            "\n" dl {
                @for fact in front.facts.iter().filter(told) {
                    "\n" div {
                        dt { (fact.name) }
                        dd { (fact_lines(fact)) }
                    }
                }
                "\n"
            }
            "\n"
        }
        "\n"
    }
}

fn fact_lines(fact: &Fact) -> Markup {
    html! {
        @for (place, line) in fact.lines.iter().enumerate() {
            @if place > 0 { br; }
            @if fact.is_code { code { (line.as_str()) } } @else { (line.as_str()) }
        }
    }
}
