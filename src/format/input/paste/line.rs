//! What a line of a pasted text is: the one where an output begins, a row of it, or something else.

use super::foreign;
use super::mark::mark_length;

/// How many marks may stand before the beginning of an output.
const MOST_MARKS: usize = 8;

/// How outputs without a heading begin, and those with lines above their headings.
const BEGINNINGS: &[(&[u8], Output)] = &[
    (
        b"# To edit this file start with a cluster line",
        Output::Dump,
    ),
    (b"Cluster - ", Output::Dump),
    (b"Current Association Manager state", Output::Other),
    (b"Configuration data as of", Output::Other),
    (b"Cluster/Account/User Utilization ", Output::Other),
    (b"Cluster/User/Account Utilization ", Output::Other),
];

/// How lines of a dump begin.
const STATEMENTS: [&[u8]; 6] = [
    b"Cluster - ",
    b"Parent - ",
    b"Account - ",
    b"User - ",
    b"QOS - ",
    b"#",
];

/// Headings of tables with a tree, in lower case.
const HEADINGS: [&str; 27] = [
    "active",
    "cluster",
    "def",
    "descr",
    "effectvusage",
    "fairshare",
    "id",
    "levelfs",
    "login",
    "name",
    "norm",
    "normshares",
    "normusage",
    "org",
    "parentid",
    "parentname",
    "partition",
    "priority",
    "proper",
    "qos",
    "raw",
    "rawshares",
    "rawusage",
    "share",
    "tresrunmins",
    "usage",
    "used",
];

/// An output by its first line, as far as its rows differ from other text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// A table with a tree, whose cells are between bars or below their headings.
    Table,
    /// A dump of `sacctmgr`.
    Dump,
    /// What has lines of many kinds, or is no tree.
    Other,
}

/// Where an output begins in a line.
pub(super) struct Beginning {
    /// How many bytes of marks and blanks are before it.
    pub(super) offset: usize,
    pub(super) output: Output,
}

impl Beginning {
    /// Looks for the beginning of an output in a line, behind marks. `None` if there is none.
    pub(super) fn find(line: &[u8]) -> Option<Self> {
        let mut offset = 0;
        for _ in 0..MOST_MARKS {
            let rest = &line[offset..];
            if let Some(output) = begun(rest) {
                return Some(Self { offset, output });
            }
            offset += mark_length(rest)?;
        }
        None
    }

    /// Returns whether only blanks are before it.
    pub(super) fn is_bare(&self, line: &[u8]) -> bool {
        line[..self.offset].iter().all(|&byte| byte == b' ')
    }
}

/// Returns the output that begins with a line without marks, or `None` if none does.
fn begun(line: &[u8]) -> Option<Output> {
    for (words, output) in BEGINNINGS {
        if line.starts_with(words) {
            return Some(*output);
        }
    }
    let first = *line.first()?;
    if first == b'{' {
        let next = line[1..].trim_ascii_start().first();
        return matches!(next, None | Some(b'"')).then_some(Output::Other);
    }
    if !first.is_ascii_alphabetic() {
        return None;
    }
    if is_tree_heading(line) {
        return Some(Output::Table);
    }
    foreign::other_table(line).map(|_| Output::Other)
}

/// Returns whether a line separates an output from what is below it: it is empty, as a prompt is that was removed, the
/// frame of a title, or a bare prompt.
pub(super) fn is_apart(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let begins: [&[u8]; 3] = [b"==", b"--", b"$ "];
    line.is_empty() || begins.iter().any(|begin| line.starts_with(begin))
}

/// Returns whether most words of a line are headings of a table with a tree, and one of them is that of the accounts.
fn is_tree_heading(line: &[u8]) -> bool {
    let mut words = 0;
    let mut known = 0;
    let mut has_accounts = false;
    for word in line.split(|byte| matches!(byte, b' ' | b'\t' | b'|' | b',' | b';' | b'$')) {
        if word.is_empty() {
            continue;
        }
        let word = word.to_ascii_lowercase();
        if word.starts_with(b"jobid") {
            return false;
        }
        words += 1;
        has_accounts |= word.ends_with(b"account") || word == b"bank";
        known += usize::from(is_heading(&word));
    }
    has_accounts && known > 1 && known * 2 >= words
}

fn is_heading(word: &[u8]) -> bool {
    let is_limit = word.starts_with(b"grp") || word.starts_with(b"max");
    let is_name = [&b"account"[..], b"bank", b"user", b"username"].contains(&word);
    let is_number = word.ends_with(b"shares") || word.ends_with(b"usage");
    is_limit || is_name || is_number || HEADINGS.iter().any(|known| known.as_bytes() == word)
}

/// Tells rows of a table from other lines by its heading.
pub(super) struct RowTest<'a> {
    heading: &'a [u8],
    /// How many bars the heading has.
    bars: usize,
}

impl<'a> RowTest<'a> {
    pub(super) fn of_heading(heading: &'a [u8]) -> Self {
        let bars = count_bars(heading);
        Self { heading, bars }
    }

    /// Returns whether a line is certainly a row: it has as many bars as the heading, or a number that ends below a heading.
    pub(super) fn is_row(&self, line: &[u8]) -> bool {
        if self.bars > 0 {
            return count_bars(line).abs_diff(self.bars) <= 1;
        }
        words(line).any(|word| is_number(word.text) && self.ends_heading(word.end))
    }

    fn ends_heading(&self, end: usize) -> bool {
        let is_blank = |at: usize| self.heading.get(at).is_none_or(|&byte| byte == b' ');
        end <= self.heading.len() && end > 0 && is_blank(end) && !is_blank(end - 1)
    }

    /// Returns whether a line may be a row: also one whose blanks were changed, or that was cut or wrapped.
    pub(super) fn may_be_row(&self, line: &[u8]) -> bool {
        if self.bars > 0 {
            return count_bars(line) * 2 >= self.bars;
        }
        let mut all = 0;
        let mut numbers = 0;
        for word in words(line) {
            all += 1;
            numbers += usize::from(is_number(word.text));
        }
        let is_wide = line.contains(&b'\t') || has_gap(line.trim_ascii());
        numbers > 0 && (is_wide || numbers * 2 >= all)
    }
}

fn count_bars(line: &[u8]) -> usize {
    memchr::memchr_iter(b'|', line).count()
}

/// Returns whether a text has two blanks beside each other.
fn has_gap(text: &[u8]) -> bool {
    text.windows(2).any(|pair| pair == b"  ")
}

/// A word of a line.
struct Word<'a> {
    text: &'a [u8],
    /// The place behind it.
    end: usize,
}

fn words(line: &[u8]) -> impl Iterator<Item = Word<'_>> {
    let mut end = 0;
    line.split(u8::is_ascii_whitespace).filter_map(move |text| {
        let start = end;
        end = start + text.len() + 1;
        let word = Word {
            text,
            end: start + text.len(),
        };
        (!text.is_empty()).then_some(word)
    })
}

/// Returns whether a word may be a cell of numbers: a number, shares in words, or amounts of resources.
fn is_number(word: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_digit() || b".,+eE".contains(byte);
    let is_amount = word.iter().any(u8::is_ascii_digit) && word.iter().all(is_part);
    is_amount || matches!(word, b"parent" | b"inf") || word.starts_with(b"cpu=")
}

/// Returns whether a line can be a statement or a comment of a dump.
pub(super) fn is_statement(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    STATEMENTS.iter().any(|begin| line.starts_with(begin))
}

pub(super) fn is_filled(line: &[u8]) -> bool {
    !line.trim_ascii().is_empty()
}

/// Returns whether a line says that rows were left out there, as people shorten a table: `...`, `[...]`, `<snip>`.
pub(crate) fn is_rows_left_out(line: &[u8]) -> bool {
    const LONGEST: usize = 40;
    let line = line.trim_ascii();
    if line.is_empty() || line.len() > LONGEST {
        return false;
    }
    let text = String::from_utf8_lossy(line);
    let word =
        text.trim_matches(|mark: char| mark.is_ascii_punctuation() || mark == '…' || mark == ' ');
    let has_dots = text.contains("...") || text.contains('…');
    match word.to_ascii_lowercase().as_str() {
        "" => has_dots,
        "snip" | "snipped" | "cut" | "truncated" | "omitted" | "etc" => word.len() < text.len(),
        _ => false,
    }
}

/// Returns whether a line above an output belongs to it: a comment, the name of a cluster, or a rule.
pub(super) fn belongs_above(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(b"#") || line.starts_with(b"CLUSTER:") || line.iter().all(|&byte| byte == b'-')
}

/// Returns whether a line is a message of one of the commands.
pub(super) fn is_message(line: &[u8]) -> bool {
    let begins = ["sshare:", "sacctmgr:", "scontrol:", "slurm_load_"];
    let line = String::from_utf8_lossy(line);
    begins
        .iter()
        .any(|begin| line.trim_start().starts_with(begin))
}
