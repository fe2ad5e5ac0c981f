//! The edit language: one line of text per edit, on the command line and in scenario files.
//!
//! ```text
//! shares group1/bob=20      shares group1/bob+=10    shares group1/bob*=2    shares group1/bob+=20%
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

use super::amount::{Amount, AmountError};
use super::job::job_form;
use super::{Edit, EditError, JobError, job_usage};
use crate::base::nearest::unknown;
use crate::base::shown::{Shown, read_back, shown};
use crate::model::{
    DurationError, Kind, MomentError, NodeId, PathError, Scheduler, Settings, Shares, Tree, Usage,
    resolve_briefly,
};

/// The first words of lines.
const VERBS: &[&str] = &[
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
    Form {
        /// The line.
        text: Shown,
        /// The form of such a line, and an alternative.
        expected: &'static str,
    },
    #[error("{text} is not complete; expected charge PATH JOB, such as {example}")]
    Charge {
        /// The line.
        text: Shown,
        /// A job that the tree's scheduler charges.
        example: Shown,
    },
    #[error(transparent)]
    Duration(#[from] DurationError),
    #[error(transparent)]
    Moment(#[from] MomentError),
    #[error(transparent)]
    Amount(#[from] AmountError),
    #[error("{value} is negative; expected a number from 0 up, or -={less} to subtract")]
    Negative {
        /// What stands behind the `=`.
        value: Shown,
        /// The same without its sign.
        less: Shown,
    },
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

/// Reads an edit of this tree. Several lines are one edit in several parts, which all name nodes of the tree as it is.
pub fn parse(text: &[u8], tree: &Tree, settings: &Settings) -> Parsed<Edit> {
    match parse_briefly(text, tree, settings) {
        Err(LanguageError::Path(error)) => {
            let suggesting = error.suggesting(tree);
            Err(suggesting.into())
        }
        parsed => parsed,
    }
}

/// Reads an edit as [`parse`] does, but an error suggests no nodes: for many edits of which many may not fit.
pub fn parse_briefly(text: &[u8], tree: &Tree, settings: &Settings) -> Parsed<Edit> {
    let lines = text.trim_ascii();
    if !lines.contains(&b'\n') {
        return EditLine::new(lines, tree, settings).read();
    }
    let mut parts = Vec::new();
    for line in lines.split(|&byte| byte == b'\n') {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let line = EditLine::new(line, tree, settings);
        let part = line.read()?;
        parts.push(part);
    }
    Ok(Edit::Batch(parts))
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

/// A line, and what it is about.
struct EditLine<'a> {
    /// All of it.
    text: &'a [u8],
    /// What follows the first word.
    rest: &'a [u8],
    tree: &'a Tree,
    settings: &'a Settings,
}

/// A node that a line names, with an amount behind it.
struct Assignment {
    node: NodeId,
    amount: Amount,
}

impl<'a> EditLine<'a> {
    /// Splits off the first word.
    fn new(line: &'a [u8], tree: &'a Tree, settings: &'a Settings) -> Self {
        let text = line.trim_ascii();
        let verb = verb(text);
        let behind = &text[verb.len()..];
        Self {
            text,
            rest: behind.trim_ascii(),
            tree,
            settings,
        }
    }

    /// Reads the edit.
    fn read(&self) -> Parsed<Edit> {
        match verb(self.text) {
            b"shares" => self.shares(),
            b"usage" => self.usage(),
            b"charge" => self.charge(),
            b"scale" => self.scale(),
            b"split" => self.split(),
            b"trade" => self.trade(),
            b"add" => self.add(),
            b"remove" => self.remove(),
            b"move" => self.relocate(),
            b"rename" => self.rename(),
            b"set" => self.set(),
            b"wait" => self.wait(),
            b"rate" => self.rate(),
            b"campaign" => self.campaign(),
            b"pace" => self.pace(),
            b"" => Err(LanguageError::Empty),
            verb => {
                let error = unknown("edit", verb, VERBS.iter().copied());
                Err(LanguageError::Verb(error))
            }
        }
    }

    /// Returns the error for a line that is not complete.
    fn form(&self, expected: &'static str) -> LanguageError {
        LanguageError::Form {
            text: shown(self.text),
            expected,
        }
    }

    /// Returns the node of a path, which may be in quotes.
    fn find(&self, path: &[u8]) -> Parsed<NodeId> {
        let mut found = resolve_briefly(self.tree, path);
        if found.is_err()
            && let Some(inner) = unquoted(path)
        {
            found = resolve_briefly(self.tree, inner);
        }
        Ok(found?)
    }

    /// Splits `path=20`, `path+=10`, `path*=2` at the last operator, because a name may contain a `=`.
    fn assignment(&self, text: &[u8], expected: &'static str) -> Parsed<Assignment> {
        let Some((left, value)) = split_at_equals(text) else {
            return Err(self.form(expected));
        };
        if value.is_empty() {
            return Err(self.form(expected));
        }
        let is_factor = left.ends_with(b"*");
        if let Some(less) = value.strip_prefix(b"-")
            && !is_factor
        {
            return Err(LanguageError::Negative {
                value: shown(value),
                less: shown(less),
            });
        }
        let mut path = left;
        let mut typed = String::new();
        if let Some((&sign, before)) = left.split_last()
            && matches!(sign, b'+' | b'-' | b'*')
        {
            path = before;
            typed.push(char::from(sign));
        }
        // No amount has a character that is not ASCII.
        typed += &String::from_utf8_lossy(value);
        let amount = Amount::parse(&typed)?;
        let node = self.find(path.trim_ascii())?;
        Ok(Assignment { node, amount })
    }

    /// Reads `shares PATH=20`.
    fn shares(&self) -> Parsed<Edit> {
        let expected =
            "shares PATH=20, PATH+=10, PATH*=2, PATH+=20%, PATH=50% of level or PATH=parent";
        let Assignment { node, amount } = self.assignment(self.rest, expected)?;
        let shares = amount.shares(self.tree, node)?;
        Ok(Edit::SetShares { node, shares })
    }

    /// Reads `usage PATH=3600`.
    fn usage(&self) -> Parsed<Edit> {
        let expected = "usage PATH=3600, PATH+=3600 or PATH*=0.5";
        let Assignment { node, amount } = self.assignment(self.rest, expected)?;
        let usage = amount.usage_of(self.tree, node)?;
        Ok(Edit::SetUsage { node, usage })
    }

    /// Reads `charge PATH JOB`.
    fn charge(&self) -> Parsed<Edit> {
        let Some(end) = end_of_path(self.rest) else {
            return Err(self.incomplete_charge());
        };
        let (path, job) = self.rest.split_at(end);
        let node = self.find(path)?;
        let Ok(job) = std::str::from_utf8(job) else {
            return Err(self.incomplete_charge());
        };
        let more = job_usage(job, self.settings)?;
        let usage = Amount::More(more).usage_of(self.tree, node)?;
        Ok(Edit::SetUsage { node, usage })
    }

    /// Returns the error for a charge without a job.
    fn incomplete_charge(&self) -> LanguageError {
        LanguageError::Charge {
            text: shown(self.text),
            example: job_form(self.settings),
        }
    }

    /// Reads `remove PATH`.
    fn remove(&self) -> Parsed<Edit> {
        let node = self.find(self.rest)?;
        Ok(Edit::Remove { node })
    }

    /// Reads `move PATH to ACCOUNT`.
    fn relocate(&self) -> Parsed<Edit> {
        let Some((path, account)) = target_and_place(self.rest) else {
            return Err(self.form("move PATH to ACCOUNT"));
        };
        let node = self.find(path)?;
        let to = self.find(root_or(account))?;
        Ok(Edit::Move { node, to })
    }

    /// Reads `rename PATH to NAME`.
    fn rename(&self) -> Parsed<Edit> {
        let Some((path, name)) = target_and_place(self.rest) else {
            return Err(self.form("rename PATH to NAME"));
        };
        let node = self.find(path)?;
        let name = unquoted(name).unwrap_or(name);
        Ok(Edit::Rename {
            node,
            name: read_back(name),
        })
    }

    /// Reads `set KEY=VALUE`.
    fn set(&self) -> Parsed<Edit> {
        let setting = std::str::from_utf8(self.rest).unwrap_or_default();
        let Some((key, value)) = setting.split_once('=') else {
            return Err(self.form("set KEY=VALUE"));
        };
        let key = Settings::spelled(key.trim());
        let value = value.trim();
        Ok(Edit::SetSetting {
            key: key.to_owned(),
            value: value.to_owned(),
        })
    }

    /// Reads `add PATH shares=5 [usage=0] [kind=account]`. A path may contain blanks.
    fn add(&self) -> Parsed<Edit> {
        let mut path = self.rest;
        let mut shares = Shares::new(1);
        let mut usage = Usage::NONE;
        let mut kind = Kind::User;
        while let Some(blank) = path.iter().rposition(u8::is_ascii_whitespace) {
            let Some((key, value)) = option(&path[blank + 1..]) else {
                break;
            };
            match key {
                "shares" if value == "parent" => shares = Shares::PARENT,
                "shares" => {
                    let count = value.parse().map_err(|_| self.incomplete_add())?;
                    shares = Shares::new(count);
                }
                "usage" => {
                    let amount = value.parse().map_err(|_| self.incomplete_add())?;
                    usage = Amount::Exactly(amount).usage(0.0)?;
                }
                "kind" => match Kind::named(value) {
                    Some(named) => kind = named,
                    None => return Err(self.incomplete_add()),
                },
                _ => return Err(self.incomplete_add()),
            }
            path = path[..blank].trim_ascii();
        }
        let path = unquoted(path).unwrap_or(path);
        let new = NewNode::at(path, self.settings, kind);
        let account = new.account.unwrap_or_default();
        Ok(Edit::Add {
            parent: resolve_briefly(self.tree, account)?,
            name: new.name,
            partition: new.partition,
            kind,
            shares,
            usage,
        })
    }

    /// Returns the error for a node that is added without its shares.
    fn incomplete_add(&self) -> LanguageError {
        self.form("add PATH shares=5, optionally usage=N or kind=account")
    }
}

/// What the path of a node to be added names.
pub(crate) struct NewNode<'a> {
    /// The path of its account, or `None` without a `/`.
    pub(crate) account: Option<&'a [u8]>,
    /// Its name without escapes.
    pub(crate) name: Vec<u8>,
    /// The partition of an association, or `None` if it is for all.
    pub(crate) partition: Option<Vec<u8>>,
}

impl<'a> NewNode<'a> {
    /// Splits a path.
    pub(crate) fn at(path: &'a [u8], settings: &Settings, kind: Kind) -> Self {
        let mut account = None;
        let mut name = path;
        if let Some(slash) = last_of(path, b'/') {
            account = Some(&path[..slash]);
            name = &path[slash + 1..];
        }
        let has_partitions = match settings.scheduler {
            // Only Slurm has a user once per partition. Elsewhere an @ is part of a name.
            Some(Scheduler::Pbs | Scheduler::Flux) => false,
            Some(Scheduler::Slurm) | None => kind == Kind::User,
        };
        let mut partition = None;
        if has_partitions && let Some(at) = last_of(name, b'@') {
            partition = Some(read_back(&name[at + 1..]));
            name = &name[..at];
        }
        Self {
            account,
            name: read_back(name),
            partition,
        }
    }
}

/// Reads `/` and `root` as the root, as in `move X to /`.
pub(crate) fn root_or(path: &[u8]) -> &[u8] {
    match path {
        b"/" | b"root" => b"",
        _ => path,
    }
}

/// A text before something in it, and behind it.
type Halves<'a> = (&'a [u8], &'a [u8]);

/// Splits a text at its last `=`, and trims what follows.
fn split_at_equals(text: &[u8]) -> Option<Halves<'_>> {
    let equals = memchr::memrchr(b'=', text)?;
    let before = &text[..equals];
    let behind = &text[equals + 1..];
    Some((before, behind.trim_ascii()))
}

/// Splits a text at the last such word with a blank or a tab on either side.
fn split_at_last<'a>(text: &'a [u8], word: &[u8]) -> Option<Halves<'a>> {
    let length = word.len() + 2;
    let mut parts = text.windows(length);
    let at = parts.rposition(|part| is_word(part, word))?;
    let before = &text[..at];
    let behind = &text[at + length..];
    Some((before.trim_ascii(), behind.trim_ascii()))
}

/// Returns whether a text is a word between two blanks.
fn is_word(text: &[u8], word: &[u8]) -> bool {
    match text {
        [before, inner @ .., behind] => {
            let is_apart = before.is_ascii_whitespace() && behind.is_ascii_whitespace();
            is_apart && inner == word
        }
        _ => false,
    }
}

/// Splits `PATH to REST` at the last ` to ` that is not between quotes.
fn target_and_place(text: &[u8]) -> Option<Halves<'_>> {
    const LENGTH: usize = " to ".len();
    if let Some((&quote, inside)) = text.split_last()
        && is_quote(quote)
    {
        let places = inside.len().saturating_sub(LENGTH);
        // The last word ` to ` before an opening quote.
        for at in (0..places).rev() {
            let (before, behind) = text.split_at(at + LENGTH);
            let (path, word) = before.split_at(at);
            if behind[0] == quote && is_word(word, b"to") {
                return Some((path.trim_ascii(), behind));
            }
        }
    }
    split_at_last(text, b"to")
}

/// Returns whether a path may stand between two such bytes.
fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'')
}

/// Splits `key=value`, even with a misspelled key. `None` for a word of a path, with a `/` or a quote before the `=`.
fn option(word: &[u8]) -> Option<(&str, &str)> {
    let text = std::str::from_utf8(word).ok()?;
    let (key, value) = text.split_once('=')?;
    if key.contains(['/', '\\', '"', '\'']) {
        return None;
    }
    Some((key, value))
}

/// Returns where a path ends that is followed by something: after its closing quote, or at the first blank.
fn end_of_path(text: &[u8]) -> Option<usize> {
    if let Some((&quote, inside)) = text.split_first()
        && is_quote(quote)
        && let Some(closing) = memchr::memchr(quote, inside)
    {
        return Some(closing + 2);
    }
    text.iter().position(u8::is_ascii_whitespace)
}

/// Returns a path between quotes, which may hold blanks and words of the language. `None` without quotes.
fn unquoted(path: &[u8]) -> Option<&[u8]> {
    let (&quote, behind) = path.split_first()?;
    let (&last, inner) = behind.split_last()?;
    if !is_quote(quote) || last != quote {
        return None;
    }
    if inner.is_empty() || inner.contains(&quote) {
        return None;
    }
    Some(inner)
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
