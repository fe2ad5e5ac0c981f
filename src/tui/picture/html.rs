//! A screen as a page for a browser: one `pre` with a span for each run of cells, and nothing from elsewhere.

use super::run::{Look, runs};
use super::{Paper, escape};
use ratatui::buffer::Buffer;
use ratatui::style::Modifier;
use std::fmt::Write as _;

/// Returns the page.
pub(super) fn page(screen: &Buffer, paper: &Paper) -> String {
    let Paper { ink, ground } = paper;
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>fairscope</title>\n<style>\n\
         body {{ margin: 0; background: {ground}; color: {ink}; }}\n\
         pre {{ margin: 1em; font: 14px/1.2 'DejaVu Sans Mono', Menlo, Consolas, monospace; }}\n\
         </style>\n</head>\n<body>\n<pre>\n"
    );
    let columns = usize::from(screen.area.width.max(1));
    for row in screen.content.chunks(columns) {
        let mut line = String::new();
        for run in runs(row, paper) {
            let text = escape(&run.text);
            let style = style(&run.look, paper);
            // Writing to a String cannot fail.
            let _ = if style.is_empty() {
                write!(line, "{text}")
            } else {
                write!(line, "<span style=\"{style}\">{text}</span>")
            };
        }
        page.push_str(line.trim_end());
        page.push('\n');
    }
    page.push_str("</pre>\n</body>\n</html>\n");
    page
}

/// Returns the style of a run; empty if it is that of the page.
fn style(look: &Look, paper: &Paper) -> String {
    let mut style = Vec::new();
    if look.ink != paper.ink {
        style.push(format!("color:{}", look.ink));
    }
    if let Some(ground) = &look.ground {
        style.push(format!("background:{ground}"));
    }
    for (modifier, text) in [
        (Modifier::BOLD, "font-weight:bold"),
        (Modifier::UNDERLINED, "text-decoration:underline"),
        (Modifier::DIM, "opacity:0.65"),
    ] {
        if look.modifier.contains(modifier) {
            style.push(text.to_owned());
        }
    }
    style.join(";")
}
