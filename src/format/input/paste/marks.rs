//! Marks that each line of a pasted text begins or ends with: quotes, comments, bullets, numbers of lines, indentation.

use super::line::{Beginning, Output, is_apart, is_filled};
use super::mark::{LineNumber, MARKS, count_blanks};
use super::{Addition, Page, SAMPLE};
use crate::format::text::split;
use std::borrow::Cow;

/// How many marks may be around each other: a quote of a quote of a list.
const MOST_MARKS: usize = 8;

/// A line from which on each has the marks that are looked for.
struct First {
    place: usize,
    /// Whether an output begins there. Without it all lines must have a mark.
    is_beginning: bool,
    /// Whether nothing is before that.
    is_bare: bool,
}

impl Page<'_> {
    /// Returns the place where an output begins, one without marks before all others; `None` if none is recognized.
    pub(super) fn beginning(&self) -> Option<(usize, Beginning)> {
        let mut best: Option<(usize, Beginning)> = None;
        let mut best_worth = 0;
        for place in 0..self.end.min(SAMPLE) {
            let line = &self.lines[place];
            let Some(found) = Beginning::find(line) else {
                continue;
            };
            let worth = match found.output {
                Output::Table | Output::Dump if found.is_bare(line) => 3,
                Output::Table | Output::Dump => 2,
                Output::Other => 1,
            };
            if worth > best_worth {
                best_worth = worth;
                best = Some((place, found));
            }
            if worth == 3 {
                break;
            }
        }
        best
    }

    /// Removes the marks that each line of the output has.
    pub(super) fn remove_marks(&mut self) {
        let mut are_ends_removed = false;
        for _ in 0..MOST_MARKS {
            let Some(first) = self.first() else {
                return;
            };
            if !are_ends_removed {
                are_ends_removed = true;
                self.remove_line_ends(&first);
            }
            if first.is_bare {
                return;
            }
            let is_removed = self.remove_outer_bars()
                || self.remove_fixed(&first)
                || self.remove_numbers(&first)
                || self.remove_indentation(&first);
            if !is_removed {
                return;
            }
        }
    }

    fn first(&self) -> Option<First> {
        if let Some((place, beginning)) = self.beginning() {
            return Some(First {
                place,
                is_beginning: true,
                is_bare: beginning.offset == 0,
            });
        }
        let place = self.lines.iter().position(|line| is_filled(line))?;
        Some(First {
            place,
            is_beginning: false,
            is_bare: false,
        })
    }

    /// Returns the place behind the last line with a mark, or `None` if other lines are among them, one in ten at most
    /// if `may_lack`. One marked line alone tells nothing.
    fn marked_end(
        &self,
        first: &First,
        may_lack: bool,
        has_mark: impl Fn(&[u8]) -> bool,
    ) -> Option<usize> {
        let mut marked = 0;
        let mut other = 0;
        let mut other_at_end = 0;
        let mut end = first.place;
        for place in first.place..self.end {
            let line = &self.lines[place];
            if !is_filled(line) {
                continue;
            }
            if has_mark(line) {
                marked += 1;
                other = other_at_end;
                end = place + 1;
            } else if place == first.place {
                return None;
            } else {
                other_at_end += 1;
            }
        }
        // A row that was cut may have lost its blanks or its number; text below the output is apart from it.
        let may_end = match self.lines.get(end) {
            Some(next) => may_lack || is_apart(next),
            None => may_lack,
        };
        let is_all = other_at_end == 0 || (first.is_beginning && may_end);
        let is_enough = other == 0 || (may_lack && other * 9 <= marked);
        if marked < 2 || !is_all || !is_enough {
            return None;
        }
        Some(end)
    }

    fn remove_fixed(&mut self, first: &First) -> bool {
        let line = &self.lines[first.place];
        let Some(mark) = MARKS.iter().find(|mark| line.starts_with(mark.text)) else {
            return false;
        };
        let has_mark = |line: &[u8]| mark.strip(line).is_some();
        let Some(end) = self.marked_end(first, true, has_mark) else {
            return false;
        };
        // The blank is part of the mark only if it is everywhere: rows may be indented.
        let mut has_blank = !mark.text.ends_with(b" ");
        for line in &self.lines[first.place..end] {
            let rest = mark.strip(line).unwrap_or_default();
            has_blank &= !is_filled(rest) || rest.starts_with(b" ");
        }
        for line in &mut self.lines[..end] {
            if let Some(rest) = mark.strip(line) {
                let blank = usize::from(has_blank && rest.starts_with(b" "));
                cut_start(line, line.len() - rest.len() + blank);
            }
        }
        self.end_at(end);
        self.add(mark.addition);
        true
    }

    fn remove_numbers(&mut self, first: &First) -> bool {
        let Some(number) = LineNumber::of(&self.lines[first.place]) else {
            return false;
        };
        let has_number = |line: &[u8]| LineNumber::of(line).is_some();
        let Some(end) = self.marked_end(first, false, has_number) else {
            return false;
        };
        let mut next = number.number;
        let mut least = usize::MAX;
        for line in &self.lines[first.place..end] {
            let Some(number) = LineNumber::of(line) else {
                continue;
            };
            if number.number != next {
                return false;
            }
            next += 1;
            if number.length + number.blanks < line.len() {
                least = least.min(number.blanks);
            }
        }
        for line in &mut self.lines[..end] {
            if let Some(number) = LineNumber::of(line) {
                let length = number.length + number.blanks.min(least);
                cut_start(line, length);
            }
        }
        self.end_at(end);
        self.add(Addition::Numbers);
        true
    }

    /// Removes the blanks and TABs with which all lines begin. The heading of a column that is aligned right has some of its
    /// own.
    fn remove_indentation(&mut self, first: &First) -> bool {
        let has_blanks = |line: &[u8]| count_blanks(line) > 0;
        let Some(end) = self.marked_end(first, false, has_blanks) else {
            return false;
        };
        let line = &self.lines[first.place];
        let mut common = &line[..count_blanks(line)];
        for line in &self.lines[first.place..end] {
            if is_filled(line) {
                let alike = common.iter().zip(line.iter());
                let length = alike.take_while(|(one, other)| one == other).count();
                common = &common[..length];
            }
        }
        let length = common.len();
        if length == 0 {
            return false;
        }
        for line in &mut self.lines[..end] {
            let own = count_blanks(line).min(length);
            cut_start(line, own);
        }
        self.end_at(end);
        self.add(Addition::Indentation);
        true
    }

    /// Removes the `$` with which `cat -A` ends each line.
    fn remove_line_ends(&mut self, first: &First) {
        let has_end = |line: &[u8]| line.ends_with(b"$");
        let Some(end) = self.marked_end(first, false, has_end) else {
            return;
        };
        for line in &mut self.lines[..end] {
            if line.ends_with(b"$") {
                let length = line.len() - 1;
                cut_end(line, length);
            }
        }
        self.end_at(end);
        self.add(Addition::LineEnds);
    }

    /// Makes a table of Markdown or Jira one with bars between its cells. Returns whether it is one.
    fn remove_outer_bars(&mut self) -> bool {
        let Some((place, _)) = self.beginning() else {
            return false;
        };
        let heading = self.lines[place].trim_ascii();
        let is_jira = heading.starts_with(b"||") && heading.ends_with(b"||");
        let is_markdown = match self.lines.get(place + 1) {
            Some(below) => heading.starts_with(b"|") && is_rule(below),
            None => false,
        };
        if !is_jira && !is_markdown {
            return false;
        }
        if is_markdown {
            self.lines[place + 1] = Cow::Borrowed(b"");
        } else {
            let mut single = b"|".to_vec();
            for name in split(heading, b'|') {
                if !name.is_empty() {
                    single.extend_from_slice(name);
                    single.push(b'|');
                }
            }
            self.lines[place] = Cow::Owned(single);
        }
        let is_padded = self.lines[place].trim_ascii().get(1) == Some(&b' ');
        for line in &mut self.lines[place..self.end] {
            if line.trim_ascii().starts_with(b"|") {
                *line = Cow::Owned(between_bars(line, is_padded));
            }
        }
        self.add(Addition::Table);
        true
    }

    /// Ends the output before a line. What is behind it is other text.
    fn end_at(&mut self, end: usize) {
        self.end = self.end.min(end);
    }

    pub(super) fn add(&mut self, addition: Addition) {
        if !self.additions.contains(&addition) {
            self.additions.push(addition);
        }
    }
}

/// Returns whether a line is the one below the headings of a table of Markdown.
fn is_rule(line: &[u8]) -> bool {
    let mut bars = 0;
    for byte in line {
        match byte {
            b'|' => bars += 1,
            b'-' | b':' | b' ' => {}
            _ => return false,
        }
    }
    line.trim_ascii().starts_with(b"|") && bars > 1
}

/// Returns a row without its outer bars. If cells are padded one blank before each is no indentation, and those behind are
/// none of it either.
fn between_bars(line: &[u8], is_padded: bool) -> Vec<u8> {
    let mut row = line.trim_ascii();
    row = row.strip_prefix(b"|").unwrap_or(row);
    row = row.strip_suffix(b"|").unwrap_or(row);
    let mut cells = Vec::new();
    for cell in split(row, b'|') {
        if is_padded {
            let bare = cell.strip_prefix(b" ").unwrap_or(cell);
            cells.push(bare.trim_ascii_end());
        } else {
            cells.push(cell);
        }
    }
    cells.join(&b'|')
}

/// Removes so many bytes from the beginning of a line.
fn cut_start(line: &mut Cow<'_, [u8]>, length: usize) {
    match line {
        Cow::Borrowed(text) => *text = &text[length..],
        Cow::Owned(text) => drop(text.drain(..length)),
    }
}

/// Removes what a line has more than so many bytes.
fn cut_end(line: &mut Cow<'_, [u8]>, length: usize) {
    match line {
        Cow::Borrowed(text) => *text = &text[..length],
        Cow::Owned(text) => text.truncate(length),
    }
}
