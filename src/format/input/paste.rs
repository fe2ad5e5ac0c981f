//! Outputs that were copied from a terminal, a mail, a wiki or a web page: what copying added is taken away, before any
//! reader looks at them.
//!
//! The whole text decides. A mark such as `>` counts only if each line has it from the one where the output begins. Every
//! line keeps its number, for problems. Nothing here knows what a row means: what is not clearly an addition stays.

mod characters;
mod line;
mod mark;
mod marks;
mod prompt;

use super::foreign;
use crate::base::cores;
use crate::base::shown::{Shown, shown_text};
use crate::format::problem::{Place, Problems, problems};
pub(crate) use line::is_rows_left_out;
use line::{Output, RowTest, belongs_above, is_apart, is_filled, is_message, is_statement};
use prompt::{Typed, is_fence, may_have_prompts, typed};
use std::borrow::Cow;

/// How many lines are searched for the beginning of an output.
const SAMPLE: usize = 400;

/// The most characters of a message that are shown.
const SHOWN: usize = 80;

/// What copying adds to an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Addition {
    /// What a terminal colours text with.
    Colours,
    /// Tags and entities of a web page.
    Html,
    /// Lines of a shell before and after the output.
    Prompts,
    /// Lines of three backticks.
    Fences,
    /// Lines above and below it.
    Text,
    /// The mark of a mail at each line.
    Quotes,
    /// The mark of a quotation at each line.
    Bars,
    /// The mark of a comment at each line.
    Hashes,
    /// The mark of a comment at each line.
    Slashes,
    /// The mark of a list at each line.
    Bullets,
    /// Numbers of lines, one after the other.
    Numbers,
    /// Blanks or TABs before each line.
    Indentation,
    /// The mark of `cat -A` behind each line.
    LineEnds,
    /// The outer bars of a table of Markdown or Jira.
    Table,
}

impl Addition {
    const fn name(self) -> &'static str {
        match self {
            Self::Colours => "colours",
            Self::Html => "HTML",
            Self::Prompts => "prompts",
            Self::Fences => "code fences",
            Self::Text => "text around the output",
            Self::Quotes => "quotes >",
            Self::Bars => "bars before lines",
            Self::Hashes => "marks # before lines",
            Self::Slashes => "marks // before lines",
            Self::Bullets => "bullets",
            Self::Numbers => "line numbers",
            Self::Indentation => "indentation of all lines",
            Self::LineEnds => "line ends $",
            Self::Table => "bars around rows",
        }
    }

    fn is_on_each_line(self) -> bool {
        match self {
            Self::Colours | Self::Prompts | Self::Fences | Self::Text => false,
            Self::Html
            | Self::Quotes
            | Self::Bars
            | Self::Hashes
            | Self::Slashes
            | Self::Bullets
            | Self::Numbers
            | Self::Indentation
            | Self::LineEnds
            | Self::Table => true,
        }
    }
}

problems! {
    /// What was taken away of a pasted text.
    enum PasteProblem {
        Additions { list: String }, Note "pasted-text",
            "pasted text: {list} removed", "nothing needs to be done if the rest is the output";
        Message { text: Shown }, Note "pasted-message",
            "a message of the command was left out: {text}", "run the command again if rows are missing";
        OtherOutput { what: &'static str }, Note "pasted-second-output",
            "{what}, begins here and was left out", "save each output in a file of its own";
    }
}

/// A text without what copying added to it.
pub(crate) struct Cleaned {
    /// The text, with as many lines as before.
    pub(crate) bytes: Vec<u8>,
    /// Whether each line had a mark, so that none of them can be read as it is.
    pub(crate) has_marked_lines: bool,
    /// What was taken away, of the whole text.
    additions: Vec<Addition>,
    /// What was left out, by the number of its line.
    left_out: Vec<(u64, PasteProblem)>,
}

impl Cleaned {
    /// Reports what was taken away, in one note and one for each line that tells something.
    pub(crate) fn report(self, problems: &mut Problems) {
        if !self.additions.is_empty() {
            let names: Vec<&str> = self.additions.iter().map(|added| added.name()).collect();
            let list = names.join(", ");
            problems.report(Place::WHOLE, PasteProblem::Additions { list });
        }
        for (line, problem) in self.left_out {
            problems.report(line, problem);
        }
    }
}

/// Returns a text without what copying added, or `None` if there is nothing to take away.
pub(crate) fn clean(text: &[u8]) -> Option<Cleaned> {
    let mut page = Page::default();
    let text = characters::plain(text, &mut page.additions);
    page.lines = lines(&text);
    page.end = page.lines.len();
    page.remove_marks();
    page.remove_prompts(&text);
    page.remove_surroundings();
    let is_as_given = matches!(text, Cow::Borrowed(_)) && page.additions.is_empty();
    if is_as_given && page.left_out.is_empty() {
        return None;
    }
    page.additions.sort_unstable();
    let has_marked_lines = page.additions.iter().any(|added| added.is_on_each_line());
    Some(Cleaned {
        bytes: page.lines.join(&b'\n'),
        has_marked_lines,
        additions: page.additions,
        left_out: page.left_out,
    })
}

/// Divides a text into its lines.
fn lines(text: &[u8]) -> Vec<Cow<'_, [u8]>> {
    let mut lines = Vec::new();
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', text) {
        lines.push(Cow::Borrowed(&text[start..end]));
        start = end + 1;
    }
    lines.push(Cow::Borrowed(&text[start..]));
    lines
}

/// A text that is being cleaned.
#[derive(Default)]
struct Page<'a> {
    /// The lines. What is taken away of one leaves the rest, or an empty line.
    lines: Vec<Cow<'a, [u8]>>,
    /// Where the output ends: the place of the first line behind it.
    end: usize,
    additions: Vec<Addition>,
    left_out: Vec<(u64, PasteProblem)>,
}

impl Page<'_> {
    /// Removes the lines of prompts and code fences. What a command of another kind printed behind the output is none of it.
    fn remove_prompts(&mut self, text: &[u8]) {
        if !may_have_prompts(text) {
            return;
        }
        let start = self.beginning().map(|(place, _)| place);
        for place in 0..self.lines.len() {
            let line = &self.lines[place];
            if is_fence(line) {
                self.remove_line(place, Addition::Fences);
            } else if let Some(typed) = typed(line) {
                self.remove_line(place, Addition::Prompts);
                if typed == Typed::Other && start.is_some_and(|start| place > start) {
                    self.end = self.end.min(place);
                }
            }
        }
    }

    /// Removes the text above and below an output.
    fn remove_surroundings(&mut self) {
        let Some((start, beginning)) = self.beginning() else {
            return;
        };
        if !beginning.is_bare(&self.lines[start]) {
            return;
        }
        self.find_end(start, beginning.output);
        for place in 0..self.lines.len() {
            let line = &self.lines[place];
            let is_around = (place < start && !belongs_above(line)) || place >= self.end;
            if !is_around || !is_filled(line) || is_rows_left_out(line) {
                continue;
            }
            if is_message(line) {
                let text = shown_text(line.trim_ascii()).cut(SHOWN);
                self.leave_out(place, PasteProblem::Message { text });
                self.lines[place] = Cow::Borrowed(b"");
            } else {
                self.remove_line(place, Addition::Text);
            }
        }
    }

    /// Finds where the rows of an output end: before an output of another command, or before text.
    fn find_end(&mut self, start: usize, output: Output) {
        let heading = self.lines[start].to_vec();
        let rows = RowTest::of_heading(&heading);
        let is_row = |line: &[u8]| match output {
            Output::Table => rows.is_row(line),
            Output::Dump => is_statement(line),
            Output::Other => true,
        };
        let mut filled = (start..self.end)
            .rev()
            .filter(|&place| is_filled(&self.lines[place]));
        if filled.next().is_none_or(|last| is_row(&self.lines[last])) {
            return;
        }
        for place in cores::in_turn(start + 1..self.end) {
            if let Some(what) = foreign::other_table(&self.lines[place]) {
                self.leave_out(place, PasteProblem::OtherOutput { what });
                self.end = place;
                break;
            }
        }
        let may_be_row = |line: &[u8]| match output {
            Output::Table => rows.may_be_row(line) || is_rows_left_out(line),
            Output::Dump | Output::Other => is_row(line),
        };
        let mut count = 0;
        let mut likely = 0;
        let mut end = start + 1;
        for place in cores::in_turn(start + 1..self.end) {
            let line = &self.lines[place];
            count += usize::from(is_filled(line));
            if may_be_row(line) {
                likely += 1;
                end = place + 1;
            }
        }
        // Rows of columns without numbers cannot be told from text, nor can one that was cut.
        let is_apart = self.lines[end..].first().is_some_and(|line| is_apart(line));
        if likely * 2 > count && is_apart {
            self.end = end;
        }
    }

    fn remove_line(&mut self, place: usize, addition: Addition) {
        self.lines[place] = Cow::Borrowed(b"");
        self.add(addition);
    }

    fn leave_out(&mut self, place: usize, problem: PasteProblem) {
        self.left_out.push((place as u64 + 1, problem));
    }
}
