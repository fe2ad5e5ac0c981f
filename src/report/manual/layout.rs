//! The layout of a topic for a width: paragraphs are wrapped, and tables are made narrower by wrapping their cells.

use super::{Inline, Piece, Topic, TopicBlock, read};
use crate::base::shown::{cells, split_at_width};
use crate::report::line::Emphasis;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) pieces: Vec<Piece>,
}

const INDENT: usize = 2;
const CODE: usize = 4;
const GAP: usize = 2;

const NARROWEST: usize = 8;

/// The length up to which words of a table are kept whole, if there is room.
const LONGEST_KEPT: usize = 28;

impl Line {
    pub(crate) fn text(&self) -> String {
        let texts = self.pieces.iter().map(|piece| piece.text.as_str());
        texts.collect()
    }

    fn width(&self) -> usize {
        width_of(&self.pieces)
    }

    /// Adds text; neighbours of the same look become one piece.
    fn push(&mut self, text: &str, like: &Piece) {
        match self.pieces.last_mut() {
            Some(last) if last.emphasis == like.emphasis && last.link == like.link => {
                last.text.push_str(text);
            }
            _ => self.pieces.push(Piece {
                text: text.to_owned(),
                ..like.clone()
            }),
        }
    }

    fn push_blanks(&mut self, count: usize) {
        if count > 0 {
            self.push(&" ".repeat(count), &PLAIN);
        }
    }
}

fn width_of(pieces: &[Piece]) -> usize {
    pieces.iter().map(|piece| cells(&piece.text)).sum()
}

/// Returns the topic as plain text of lines of at most `width` cells, the title first.
pub fn plain_text(topic: Topic, width: usize) -> String {
    let mut text = format!("{}\n", topic.title());
    let mut blocks = read(topic).blocks;
    for block in &mut blocks {
        match block {
            TopicBlock::Paragraph(inline) | TopicBlock::Item(_, inline) => quote_code(inline),
            TopicBlock::Table(rows) => rows.iter_mut().flatten().for_each(quote_code),
            TopicBlock::Heading(_) | TopicBlock::Code(_) => {}
        }
    }
    for line in lines_of(blocks, width) {
        text.push_str(line.text().trim_end());
        text.push('\n');
    }
    text
}

/// Returns the lines of a topic below its title, none wider than `width` cells.
pub(crate) fn lines(topic: Topic, width: usize) -> Vec<Line> {
    lines_of(read(topic).blocks, width)
}

/// Puts code between backticks, because plain text has no emphasis. A text of code alone needs none.
fn quote_code(inline: &mut Inline) {
    let is_code = |piece: &Piece| piece.emphasis == Emphasis::Command;
    let is_between = |piece: &Piece| [" ", ", "].contains(&&*piece.text);
    let mut pieces = inline.iter();
    if !pieces.all(|piece| is_code(piece) || is_between(piece)) {
        for piece in inline.iter_mut().filter(|piece| is_code(piece)) {
            piece.text = format!("`{}`", piece.text);
        }
    }
}

fn lines_of(blocks: Vec<TopicBlock>, width: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut was_item = false;
    for block in blocks {
        let is_item = matches!(block, TopicBlock::Item(..));
        if !(is_item && was_item) {
            lines.push(Line::default());
        }
        was_item = is_item;
        let room = |indent: usize| width.saturating_sub(indent).max(1);
        match block {
            TopicBlock::Heading(mut inline) => {
                for piece in &mut inline {
                    piece.emphasis = Emphasis::Strong;
                }
                lines.extend(wrapped(&inline, room(0)));
            }
            TopicBlock::Paragraph(inline) => {
                lines.extend(item("", wrapped(&inline, room(INDENT))));
            }
            TopicBlock::Item(mark, inline) => {
                lines.extend(item(&mark, wrapped(&inline, room(INDENT + mark.len()))));
            }
            TopicBlock::Code(texts) => {
                lines.extend(texts.iter().flat_map(|text| broken(text, room(CODE))));
            }
            TopicBlock::Table(rows) => lines.extend(table(&rows, room(INDENT))),
        }
    }
    lines
}

static PLAIN: Piece = Piece {
    text: String::new(),
    emphasis: Emphasis::Plain,
    link: None,
};

fn extend(line: &mut Line, rest: Line) {
    for piece in rest.pieces {
        line.push(&piece.text, &piece);
    }
}

fn item(mark: &str, lines: Vec<Line>) -> impl Iterator<Item = Line> {
    lines.into_iter().enumerate().map(move |(place, line)| {
        let before = if place == 0 { mark } else { "" };
        let mut whole = Line::default();
        whole.push_blanks(INDENT);
        whole.push(&format!("{before:<width$}", width = mark.len()), &PLAIN);
        extend(&mut whole, line);
        whole
    })
}

/// Breaks a line of code that is too wide; the rest is indented by two more cells.
fn broken(text: &str, width: usize) -> Vec<Line> {
    let code = Piece {
        emphasis: Emphasis::Command,
        ..PLAIN.clone()
    };
    let mut lines = Vec::new();
    let mut rest = text;
    loop {
        let more = if lines.is_empty() { 0 } else { 2 };
        let room = width.saturating_sub(more).max(1);
        let (first, after) = split_at_width(rest, room);
        // A break between words is read more easily than one within a word.
        let blank = first.rfind(' ').filter(|&at| at > first.len() / 2);
        let (first, after) = match blank {
            Some(at) if !after.is_empty() => (&rest[..at], &rest[at + 1..]),
            _ => (first, after),
        };
        let mut line = Line::default();
        line.push_blanks(CODE + more);
        line.push(first, &code);
        lines.push(line);
        if after.is_empty() {
            return lines;
        }
        rest = after;
    }
}

/// Wraps text at blanks. A word longer than a line is split.
fn wrapped(inline: &[Piece], width: usize) -> Vec<Line> {
    let mut lines = vec![Line::default()];
    for (word, has_gap) in words(inline) {
        let wide = width_of(&word);
        let line = lines.last_mut().expect("there is always a last line");
        let used = line.width();
        let gap = usize::from(has_gap && used > 0);
        if used + gap + wide <= width {
            if gap > 0 {
                let is_within = line.pieces.last().map(|last| (last.emphasis, last.link))
                    == word.first().map(|first| (first.emphasis, first.link));
                line.push(" ", if is_within { &word[0] } else { &PLAIN });
            }
            for piece in &word {
                line.push(&piece.text, piece);
            }
            continue;
        }
        if used > 0 {
            lines.push(Line::default());
        }
        for piece in &word {
            let mut rest = piece.text.as_str();
            while !rest.is_empty() {
                let line = lines.last_mut().expect("there is always a last line");
                let room = width.saturating_sub(line.width());
                if room == 0 {
                    lines.push(Line::default());
                    continue;
                }
                let (first, after) = split_at_width(rest, room);
                line.push(first, piece);
                rest = after;
            }
        }
    }
    lines
}

/// Splits text into words, each of one or more pieces, with whether a blank is before it.
fn words(inline: &[Piece]) -> Vec<(Vec<Piece>, bool)> {
    let mut words: Vec<(Vec<Piece>, bool)> = Vec::new();
    let mut is_after_blank = true;
    for piece in inline {
        for (place, text) in piece.text.split(' ').enumerate() {
            is_after_blank |= place > 0;
            if text.is_empty() {
                continue;
            }
            let text = text.to_owned();
            let part = Piece {
                text,
                ..piece.clone()
            };
            match words.last_mut() {
                Some((word, _)) if !is_after_blank => word.push(part),
                _ => words.push((vec![part], true)),
            }
            is_after_blank = false;
        }
    }
    words
}

/// Makes the widest columns narrower until all fit, but none narrower than its least width.
fn narrow(widths: &mut [usize], least: &[usize], room: usize) {
    while widths.iter().sum::<usize>() > room {
        let columns = widths.iter_mut().zip(least);
        let wider = columns.filter(|(width, least)| **width > **least);
        let Some((widest, _)) = wider.max() else {
            return;
        };
        *widest -= 1;
    }
}

fn longest_word(rows: &[Vec<Inline>], column: usize) -> usize {
    let inlines = rows.iter().filter_map(|row| row.get(column));
    let words = inlines.flat_map(|inline| words(inline));
    let widths = words.map(|(word, _)| width_of(&word));
    let kept = widths.filter(|&width| width <= LONGEST_KEPT);
    kept.max().unwrap_or(0).max(NARROWEST)
}

fn table(rows: &[Vec<Inline>], width: usize) -> Vec<Line> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widest = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| width_of(cell)).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = (0..count).map(widest).collect();
    let room = width.saturating_sub(GAP * count.saturating_sub(1));
    let whole: Vec<usize> = (0..count).map(|it| longest_word(rows, it)).collect();
    for least in [whole, vec![NARROWEST; count]] {
        narrow(&mut widths, &least, room);
    }
    let mut lines = Vec::new();
    for row in rows {
        let cells = row.iter().zip(&widths);
        let cells = cells.map(|(cell, &width)| wrapped(cell, width.max(1)));
        let row: Vec<Vec<Line>> = cells.collect();
        let height = row.iter().map(Vec::len).max().unwrap_or(0);
        for place in 0..height {
            let mut line = Line::default();
            let mut start = INDENT;
            for (cell, width) in row.iter().zip(&widths) {
                if let Some(part) = cell.get(place) {
                    line.push_blanks(start.saturating_sub(line.width()));
                    extend(&mut line, part.clone());
                }
                start += width + GAP;
            }
            lines.push(line);
        }
    }
    lines
}
