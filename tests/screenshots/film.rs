//! Screens one after the other as one SVG picture that moves. A row that does not change is drawn once.

use fairscope::tui::picture::Paper;
use fairscope::tui::picture::svg::{caption, head, rows};
use ratatui::buffer::Buffer;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A screen that is shown for a while.
pub(crate) struct Frame {
    /// The screen.
    pub(crate) buffer: Buffer,
    /// What was pressed, and what it does.
    pub(crate) caption: String,
    /// For how many seconds.
    pub(crate) seconds: u32,
}

/// The rows below the screen: an empty one and the caption.
const BELOW: u16 = 2;

/// Draws the frames. All screens have one size.
#[must_use]
pub(crate) fn film(frames: &[Frame], paper: &Paper) -> String {
    let drawn: Vec<Vec<String>> = frames
        .iter()
        .map(|frame| {
            let mut rows = rows(&frame.buffer, paper);
            rows.push(caption(rows.len() + 1, &frame.caption, paper));
            rows
        })
        .collect();
    let mut spans = BTreeSet::new();
    let mut body = String::new();
    for row in 0..drawn[0].len() {
        let mut start = 0;
        while start < frames.len() {
            let text = &drawn[start][row];
            let same = drawn[start..].iter().take_while(|rows| rows[row] == *text);
            let end = start + same.count();
            if start == 0 && end == frames.len() {
                body.push_str(text);
            } else if !text.is_empty() {
                spans.insert((start, end));
                // Writing to a String cannot fail.
                let _ = writeln!(body, "<g class=\"s{start}-{end}\">\n{text}</g>");
            }
            start = end;
        }
    }
    let mut svg = head(&frames[0].buffer, BELOW, paper);
    svg.push_str(&style(frames, &spans));
    svg.push_str(&body);
    svg.push_str("</svg>\n");
    svg
}

/// Returns the style sheet that shows each span of frames in its time. Where nothing moves, the first frame is shown.
fn style(frames: &[Frame], spans: &BTreeSet<(usize, usize)>) -> String {
    let total: u32 = frames.iter().map(|frame| frame.seconds).sum();
    let percent = |frame: usize| {
        let before: u32 = frames[..frame].iter().map(|frame| frame.seconds).sum();
        f64::from(before) * 100.0 / f64::from(total)
    };
    let mut style = "<style>\n".to_owned();
    for &(start, end) in spans {
        let name = format!("s{start}-{end}");
        let (first, last) = (percent(start), percent(end));
        let at_first = if start == 0 { "visible" } else { "hidden" };
        // Writing to a String cannot fail.
        let _ = write!(
            style,
            ".{name}{{visibility:{at_first};animation:{name} {total}s step-end infinite}}\n\
             @keyframes {name}{{0%{{visibility:{at_first}}}{first:.2}%{{visibility:visible}}\
             {last:.2}%,100%{{visibility:hidden}}}}\n"
        );
    }
    style.push_str("</style>\n");
    style
}
