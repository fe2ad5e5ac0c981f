//! The edit language: one line of text per edit, on the command line and in scenario files.
//!
//! ```text
//! shares group1/bob=20      shares group1/bob+=10    shares group1/bob*=2    shares group1/bob=50%
//! usage  group1/bob=3600    usage  group1/bob+=3600
//! charge group1/bob cput=7200                     what jobs cost by the scheduler's own formula
//! scale  group1 to 100 keeping group1/bob         the shares of a level, in the ratio they have
//! split  group1 to 100                            the same shares for everybody in it
//! trade  group1/bob=40 keeping group1/alice       the level keeps its sum, the others give
//! add    group1/zoe shares=5 usage=0
//! add    physics/zoe@gpu shares=5                 an association for one partition, in trees of Slurm
//! add    "physics/new lab" shares=5 kind=account  a path may stand between quotes
//! remove group1/bob         move group1/bob to group2    rename group1/bob to robert
//! set    unknown_shares=10
//! wait   7d               wait until 2026-12-02     time passes; usage decays, and is charged
//! rate   group1/bob=2.5   pace steady               who uses how much meanwhile, per second
//! rate   group1/bob=64 cores                        as a job of so many cores (or nodes, GPUs) would
//! campaign group1/bob=4 nodes from 3d until 10d     as a rate, for a while
//! ```

mod level_edits;
mod time_edits;
mod write;

pub use level_edits::uneven_split;
pub(crate) use write::spelled_path;
pub use write::{rate_line, shares_line, write};

use super::amount::Amount;
use super::job::job_form;
use super::{Edit, EditError, JobError, job_usage};
use crate::base::nearest::unknown;
use crate::base::shown::{Shown, read_back, shown};
use crate::model::{
    DurationError, Kind, MomentError, NodeId, PathError, Scheduler, Settings, Shares, Tree, Usage,
    resolve_briefly,
};

/// The first words of lines.
const VERBS: [&str; 15] = [
    "shares", "usage", "charge", "scale", "split", "trade", "add", "remove", "move", "rename",
    "set", "wait", "rate", "campaign", "pace",
];

/// What a line says, or why it is not an edit of this tree.
pub(crate) type Parsed<T> = Result<T, LanguageError>;

/// Why a line is not an edit of this tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each variant says what it is")]
pub enum LanguageError {
    #[error("{0}")]
    Verb(Shown),
    #[error("the line is empty; expected an edit such as shares group1/bob=20")]
    Empty,
    #[error("{text} is not complete; expected {expected}")]
    Form { text: Shown, expected: &'static str },
    #[error("{text} is not complete; expected charge PATH JOB, such as {example}")]
    Charge { text: Shown, example: Shown },
    #[error(transparent)]
    Duration(#[from] DurationError),
    #[error(transparent)]
    Moment(#[from] MomentError),
    #[error("{0} is not an amount; expected a number such as 20, +10, *2 or 50%")]
    Amount(Shown),
    #[error("{value} is negative; expected a number from 0 up, or -={less} to subtract")]
    Negative { value: Shown, less: Shown },
    #[error(
        "the source does not say when it was taken, so a date cannot be used; expected a duration such as 7d"
    )]
    NoDate,
    #[error("{0} is in the past; the clock only moves forward, and undo moves it back")]
    Past(Shown),
    #[error(transparent)]
    Job(#[from] JobError),
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Edit(#[from] EditError),
}

/// Splits a text at the last such word with a blank or a tab on either side.
fn split_at_last<'a>(text: &'a [u8], word: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let mut parts = text.windows(word.len() + 2);
    let at = parts.rposition(|part| is_word(part, word))?;
    let before = &text[..at];
    let behind = &text[at + word.len() + 2..];
    Some((before.trim_ascii(), behind.trim_ascii()))
}

/// Returns whether a text is a word between two blanks.
fn is_word(text: &[u8], word: &[u8]) -> bool {
    matches!(text, [before, inner @ .., behind]
        if inner == word && before.is_ascii_whitespace() && behind.is_ascii_whitespace())
}

/// Splits `PATH to REST` at the last ` to ` that is not between quotes.
fn target_and_place(text: &[u8]) -> Option<(&[u8], &[u8])> {
    const LENGTH: usize = " to ".len();
    if let [inside @ .., quote @ (b'"' | b'\'')] = text {
        // The last word ` to ` before an opening quote.
        let mut parts = inside.windows(LENGTH + 1);
        let opens =
            parts.rposition(|part| part[LENGTH] == *quote && is_word(&part[..LENGTH], b"to"));
        if let Some(at) = opens {
            return Some((text[..at].trim_ascii(), &text[at + LENGTH..]));
        }
    }
    split_at_last(text, b"to")
}

/// Reads an edit of this tree. Several lines are one edit in several parts, which all name nodes of the tree as it is.
pub fn parse(text: &[u8], tree: &Tree, settings: &Settings) -> Parsed<Edit> {
    parse_briefly(text, tree, settings).map_err(|error| match error {
        LanguageError::Path(error) => error.suggesting(tree).into(),
        error => error,
    })
}

/// Reads an edit as [`parse`] does, but an error suggests no nodes: for many edits of which many may not fit.
pub fn parse_briefly(text: &[u8], tree: &Tree, settings: &Settings) -> Parsed<Edit> {
    let text = text.trim_ascii();
    if !text.contains(&b'\n') {
        return parse_line(text, tree, settings);
    }
    let mut parts = Vec::new();
    for line in text.split(|&byte| byte == b'\n') {
        if !line.trim_ascii().is_empty() {
            parts.push(parse_line(line, tree, settings)?);
        }
    }
    Ok(Edit::Batch(parts))
}

/// A line, and what it is about.
struct EditLine<'a> {
    /// All of it.
    text: &'a [u8],
    /// What follows the first word.
    rest: &'a [u8],
    tree: &'a Tree,
    settings: &'a Settings,
}

impl<'a> EditLine<'a> {
    /// Returns the error for a line that is not complete.
    fn form(&self, expected: &'static str) -> LanguageError {
        LanguageError::Form {
            text: shown(self.text),
            expected,
        }
    }

    /// Splits `path=20`, `path+=10`, `path*=2` at the last operator, because a name may contain a `=`.
    fn assignment(&self, text: &'a [u8], expected: &'static str) -> Parsed<(&'a [u8], Amount)> {
        let Some((left, value)) = split_at_equals(text) else {
            return Err(self.form(expected));
        };
        if value.is_empty() {
            return Err(self.form(expected));
        }
        if let Some(less) = value.strip_prefix(b"-")
            && !left.ends_with(b"*")
        {
            return Err(LanguageError::Negative {
                value: shown(value),
                less: shown(less),
            });
        }
        let (target, sign) = match left.split_last() {
            Some((b'+', target)) => (target, "+"),
            Some((b'-', target)) => (target, "-"),
            Some((b'*', target)) => (target, "*"),
            _ => (left, ""),
        };
        let Ok(text) = std::str::from_utf8(value) else {
            return Err(LanguageError::Amount(shown(value)));
        };
        match Amount::parse(&format!("{sign}{text}")) {
            Some(amount) => Ok((target.trim_ascii(), amount)),
            None => Err(LanguageError::Amount(shown(value))),
        }
    }
}

/// Splits a text at its last `=`, and trims what follows.
fn split_at_equals(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let equals = text.iter().rposition(|&byte| byte == b'=')?;
    Some((&text[..equals], text[equals + 1..].trim_ascii()))
}

/// Reads one line.
fn parse_line(text: &[u8], tree: &Tree, settings: &Settings) -> Parsed<Edit> {
    let text = text.trim_ascii();
    let (verb, rest) = text.split_at(verb(text).len());
    let rest = rest.trim_ascii();
    let line = &EditLine {
        text,
        rest,
        tree,
        settings,
    };
    let form = |expected| move || line.form(expected);
    match verb {
        b"shares" => {
            let expected = "shares PATH=20, PATH+=10, PATH*=2, PATH=50% or PATH=parent";
            let (target, amount) = line.assignment(rest, expected)?;
            let node = find(tree, target)?;
            let shares = amount.shares(tree, node)?;
            Ok(Edit::SetShares { node, shares })
        }
        b"usage" => {
            let expected = "usage PATH=3600, PATH+=3600 or PATH*=0.5";
            let (target, amount) = line.assignment(rest, expected)?;
            let node = find(tree, target)?;
            let usage = amount.usage_of(tree, node)?;
            Ok(Edit::SetUsage { node, usage })
        }
        b"charge" => {
            let form = || LanguageError::Charge {
                text: shown(text),
                example: job_form(settings),
            };
            let (path, job) = rest.split_at(end_of_path(rest).ok_or_else(form)?);
            let node = find(tree, path)?;
            let job = std::str::from_utf8(job).map_err(|_| form())?;
            let usage = Amount::More(job_usage(job, settings)?).usage_of(tree, node)?;
            Ok(Edit::SetUsage { node, usage })
        }
        b"scale" => level_edits::scale(line),
        b"split" => level_edits::split(line),
        b"trade" => level_edits::trade(line),
        b"add" => add(line),
        b"remove" => Ok(Edit::Remove {
            node: find(tree, rest)?,
        }),
        b"move" => {
            let (node, to) = target_and_place(rest).ok_or_else(form("move PATH to ACCOUNT"))?;
            Ok(Edit::Move {
                node: find(tree, node)?,
                to: find(tree, root_or(to))?,
            })
        }
        b"rename" => {
            let (node, name) = target_and_place(rest).ok_or_else(form("rename PATH to NAME"))?;
            Ok(Edit::Rename {
                node: find(tree, node)?,
                name: read_back(unquoted(name).unwrap_or(name)),
            })
        }
        b"set" => {
            let setting = std::str::from_utf8(rest).unwrap_or_default();
            let (key, value) = setting.split_once('=').ok_or_else(form("set KEY=VALUE"))?;
            Ok(Edit::SetSetting {
                key: Settings::spelled(key.trim()).to_owned(),
                value: value.trim().to_owned(),
            })
        }
        b"wait" => time_edits::wait(line),
        b"rate" => time_edits::rate(line),
        b"campaign" => time_edits::campaign(line),
        b"pace" => time_edits::pace(line),
        b"" => Err(LanguageError::Empty),
        verb => {
            let error = unknown("edit", verb, VERBS.into_iter());
            Err(LanguageError::Verb(error))
        }
    }
}

/// Returns the first word of a line.
fn verb(line: &[u8]) -> &[u8] {
    let mut words = line.trim_ascii().split(u8::is_ascii_whitespace);
    words.next().unwrap_or_default()
}

/// Returns whether a line is about time.
pub(super) fn is_of_time(line: &[u8]) -> bool {
    matches!(verb(line), b"wait" | b"rate" | b"campaign" | b"pace")
}

/// Returns whether the numbers of an edit are computed from the tree: for jobs, or for a whole level.
pub fn is_worked_out(text: &[u8]) -> bool {
    matches!(verb(text), b"charge" | b"scale" | b"split" | b"trade")
}

/// Reads `/` and `root` as the root, as in `move X to /`.
pub(crate) fn root_or(path: &[u8]) -> &[u8] {
    let is_root = matches!(path, b"/" | b"root");
    if is_root { b"" } else { path }
}

/// Reads `PATH shares=5 [usage=0] [kind=account]`. A path may contain blanks.
fn add(line: &EditLine<'_>) -> Parsed<Edit> {
    let form = || line.form("add PATH shares=5, optionally usage=N or kind=account");
    let mut path = line.rest;
    let mut shares = Shares::new(1);
    let mut usage = Usage::NONE;
    let mut kind = Kind::User;
    while let Some(blank) = path.iter().rposition(u8::is_ascii_whitespace) {
        let Some((key, value)) = option(&path[blank + 1..]) else {
            break;
        };
        match key {
            "shares" if value == "parent" => shares = Shares::PARENT,
            "shares" => shares = Shares::new(value.parse().map_err(|_| form())?),
            "usage" => {
                let amount = Amount::Exactly(value.parse().map_err(|_| form())?);
                usage = amount.usage(0.0)?;
            }
            "kind" => kind = Kind::named(value).ok_or_else(form)?,
            _ => return Err(form()),
        }
        path = path[..blank].trim_ascii();
    }
    let path = unquoted(path).unwrap_or(path);
    let (account, name, partition) = split_new(path, line.settings, kind);
    Ok(Edit::Add {
        parent: resolve_briefly(line.tree, account.unwrap_or_default())?,
        name,
        partition,
        kind,
        shares,
        usage,
    })
}

/// Splits the path of a node to be added into the path of its account, if it has a `/`, its name and its partition.
pub(crate) fn split_new<'a>(
    path: &'a [u8],
    settings: &Settings,
    kind: Kind,
) -> (Option<&'a [u8]>, Vec<u8>, Option<Vec<u8>>) {
    let (account, name) = match last_of(path, b'/') {
        Some(slash) => (Some(&path[..slash]), &path[slash + 1..]),
        None => (None, path),
    };
    let has_partitions = match settings.scheduler {
        // Only Slurm has a user once per partition. Elsewhere an @ is part of a name.
        Some(Scheduler::Pbs | Scheduler::Flux) => false,
        Some(Scheduler::Slurm) | None => kind == Kind::User,
    };
    if has_partitions && let Some(at) = last_of(name, b'@') {
        let partition = read_back(&name[at + 1..]);
        return (account, read_back(&name[..at]), Some(partition));
    }
    (account, read_back(name), None)
}

/// Splits `key=value`, even with a misspelled key. `None` for a word of a path, with a `/` or a quote before the `=`.
fn option(word: &[u8]) -> Option<(&str, &str)> {
    let (key, value) = std::str::from_utf8(word).ok()?.split_once('=')?;
    (!key.contains(['/', '\\', '"', '\''])).then_some((key, value))
}

/// Returns where a path ends that is followed by something: after its closing quote, or at the first blank.
fn end_of_path(text: &[u8]) -> Option<usize> {
    if let [quote @ (b'"' | b'\''), inside @ ..] = text
        && let Some(closing) = inside.iter().position(|byte| byte == quote)
    {
        return Some(closing + 2);
    }
    text.iter().position(u8::is_ascii_whitespace)
}

/// Returns the node of a path, which may be in quotes.
fn find(tree: &Tree, path: &[u8]) -> Result<NodeId, PathError> {
    resolve_briefly(tree, path).or_else(|error| match unquoted(path) {
        Some(path) => resolve_briefly(tree, path),
        None => Err(error),
    })
}

/// Returns a path between quotes, which may hold blanks and words of the language. `None` without quotes.
fn unquoted(path: &[u8]) -> Option<&[u8]> {
    match path {
        [first @ (b'"' | b'\''), inner @ .., last] if first == last => {
            (!inner.is_empty() && !inner.contains(first)).then_some(inner)
        }
        _ => None,
    }
}

/// Returns where a byte occurs last in a path as a separator and not as part of a name.
fn last_of(path: &[u8], separator: u8) -> Option<usize> {
    let mut last = None;
    let mut is_escaped = false;
    for (place, &byte) in path.iter().enumerate() {
        if byte == separator && !is_escaped {
            last = Some(place);
        }
        is_escaped = byte == b'\\' && !is_escaped;
    }
    last
}
