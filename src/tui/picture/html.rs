//! A screen as a page for a browser: one `pre` with a span for each run of cells, and nothing from elsewhere.

use super::{Look, Paper, Run, rows, runs};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use ratatui::buffer::Buffer;
use ratatui::style::Modifier;

/// Returns the page.
pub(super) fn page(screen: &Buffer, paper: &Paper) -> String {
    let Paper { ink, ground } = paper;
    let style = format!(
        "body {{ margin: 0; background: {ground}; color: {ink}; }}\n\
         pre {{ margin: 1em; font: 14px/1.2 'DejaVu Sans Mono', Menlo, Consolas, monospace; }}\n"
    );
    let page = html! {
        (DOCTYPE) "\n"
        html lang="en" {
            head {
                meta charset="utf-8";
                title { "fairscope" }
                // Colours of ours.
                style { (PreEscaped(style)) }
            }
            body { pre { "\n"
                @for row in rows(screen) { @for run in runs(row, paper) { (span(&run, paper)) } "\n" }
            } }
        }
    };
    page.into_string()
}

fn span(run: &Run, paper: &Paper) -> Markup {
    let style = style(&run.look, paper);
    html! {
        @if style.is_empty() { (run.text) } @else { span style=(style) { (run.text) } }
    }
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
