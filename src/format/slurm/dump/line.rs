//! The grammar of a dump: continued lines, objects, fields between colons, quotes, escapes; and how names are written in
//! it, and stored by Slurm.

use crate::format::loss::{Fault, Losses};
use crate::format::slurm::assoc::MOST_SHARES;
use crate::model::{NodeId, Shares, Tree};
use std::borrow::Cow;
use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Object {
    Cluster,
    Qos,
    Parent,
    Account,
    User,
}

/// The words of the objects, including the older ones.
const OBJECTS: &[(&[u8], Object)] = &[
    (b"User", Object::User),
    (b"Account", Object::Account),
    (b"Project", Object::Account),
    (b"Parent", Object::Parent),
    (b"Cluster", Object::Cluster),
    (b"Machine", Object::Cluster),
    (b"QOS", Object::Qos),
];

pub(super) fn object(line: &[u8]) -> Option<(Object, &[u8])> {
    let at = memchr::memchr(b'-', line)?;
    let word = line[..at].trim_ascii();
    let mut objects = OBJECTS.iter();
    let (_, object) = objects.find(|(name, _)| name.eq_ignore_ascii_case(word))?;
    Some((*object, &line[at + 1..]))
}

/// Returns a line without surrounding blanks and without the prefix that sacctmgr puts before it on its standard error.
pub(super) fn without_prefix(line: &[u8]) -> &[u8] {
    let text = line.trim_ascii();
    match text.strip_prefix(super::PREFIX) {
        Some(behind) => behind.trim_ascii_start(),
        None => text,
    }
}

pub(super) struct DumpLine<'a> {
    pub(super) text: Cow<'a, [u8]>,
    /// The number of its first line, from 1.
    pub(super) number: u32,
    pub(super) end: usize,
}

/// Returns the lines of a dump. A backslash at the end of a line continues it.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = DumpLine<'_>> {
    let (mut end, mut number) = (0, 0_u32);
    let mut raw = text
        .split_inclusive(|&byte| byte == b'\n')
        .map(move |line| {
            end += line.len();
            number = number.saturating_add(1);
            (without_prefix(line), number, end)
        });
    std::iter::from_fn(move || {
        let (mut part, number, mut end) = raw.next()?;
        let mut joined = Vec::new();
        while let Some(start) = continued(part) {
            joined.extend_from_slice(start);
            (part, _, end) = raw.next().unwrap_or((b"", number, end));
        }
        let text = if joined.is_empty() {
            Cow::Borrowed(part)
        } else {
            joined.extend_from_slice(part);
            Cow::Owned(joined)
        };
        Some(DumpLine { text, number, end })
    })
}

/// Returns the text before the backslash that continues a line. An even number of them are backslashes of the text.
fn continued(line: &[u8]) -> Option<&[u8]> {
    let count = line.iter().rev().take_while(|byte| **byte == b'\\').count();
    (count % 2 == 1 && line[0] != b'#').then(|| &line[..line.len() - 1])
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attribute {
    Shares,
    Partition,
    GrpTresMins,
    DefaultAccount,
    WcKeys,
}

/// The attributes that are read. Slurm knows each by a beginning of its name, of at least so many letters.
const ATTRIBUTES: &[(&[u8], usize, Attribute)] = &[
    (b"FairShare", 1, Attribute::Shares),
    (b"Shares", 1, Attribute::Shares),
    (b"Partition", 1, Attribute::Partition),
    (b"GrpTRESMins", 8, Attribute::GrpTresMins),
    (b"DefaultAccount", 8, Attribute::DefaultAccount),
    (b"WCKeys", 2, Attribute::WcKeys),
];

impl Attribute {
    fn of(key: &[u8]) -> Option<Self> {
        let is_key = |&&(name, least, _): &&(&[u8], usize, Self)| {
            let start = name.get(..key.len());
            key.len() >= least && start.is_some_and(|start| start.eq_ignore_ascii_case(key))
        };
        let known = ATTRIBUTES.iter().find(is_key);
        known.map(|&(_, _, attribute)| attribute)
    }
}

/// The parts of a line, as ranges of its text without surrounding blanks.
pub(super) struct Statement {
    pub(super) object: Object,
    pub(super) name: Range<usize>,
    pub(super) attributes: Vec<(Attribute, Range<usize>)>,
    /// Whether a quote was opened and not closed.
    pub(super) is_open: bool,
}

impl Statement {
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        let (object, rest) = object(text)?;
        let mut start = text.len() - rest.len();
        let (field, mut behind, is_open) = first_field(rest);
        let name = trimmed(field, start);
        let mut statement = Self {
            object,
            attributes: Vec::new(),
            name,
            is_open,
        };
        start += field.len() + 1;
        while let Some(rest) = behind {
            let field;
            (field, behind, statement.is_open) = first_field(rest);
            if let Some(at) = memchr::memchr(b'=', field) {
                let value = trimmed(&field[at + 1..], start + at + 1);
                let known = Attribute::of(field[..at].trim_ascii());
                let known = known.map(|attribute| (attribute, value));
                statement.attributes.extend(known);
            }
            start += field.len() + 1;
        }
        Some(statement)
    }

    /// Returns the value of an attribute, the last one if the line of this text has several.
    pub(super) fn value<'a>(&self, text: &'a [u8], wanted: Attribute) -> Option<Cow<'a, [u8]>> {
        let mut attributes = self.attributes.iter().rev();
        let (_, place) = attributes.find(|(attribute, _)| *attribute == wanted)?;
        Some(value(&text[place.clone()]))
    }
}

/// Returns the range of the trimmed text of a field that begins at `start`.
fn trimmed(field: &[u8], start: usize) -> Range<usize> {
    let start = start + field.len() - field.trim_ascii_start().len();
    start..start + field.trim_ascii().len()
}

/// Returns the first field of a line, the text after the colon that ends it, and whether a quote stays open. A comment
/// ends the line.
fn first_field(text: &[u8]) -> (&[u8], Option<&[u8]>, bool) {
    let (mut quote, mut is_escaped) = (None, false);
    for (at, &byte) in text.iter().enumerate() {
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b':') => return (&text[..at], Some(&text[at + 1..]), false),
            (None, b'#') if !is_escaped => return (&text[..at], None, false),
            _ => {}
        }
        is_escaped = byte == b'\\' && !is_escaped;
    }
    (text, None, quote.is_some())
}

/// Returns a text without its quotes and escapes. A backslash before anything but `\` and `#` is a literal one.
pub(super) fn value(field: &[u8]) -> Cow<'_, [u8]> {
    let field = field.trim_ascii();
    let inner = match field {
        [open @ (b'\'' | b'"'), inner @ .., close] if open == close => inner,
        [b'\'' | b'"', inner @ ..] => inner,
        _ => field,
    };
    if memchr::memchr(b'\\', inner).is_none() {
        return Cow::Borrowed(inner);
    }
    let mut text = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let [byte, after @ ..] = rest {
        rest = if let (b'\\', [escaped @ (b'\\' | b'#'), behind @ ..]) = (byte, after) {
            text.push(*escaped);
            behind
        } else {
            text.push(*byte);
            after
        };
    }
    Cow::Owned(text)
}

pub(super) fn has_bare_hash(field: &[u8]) -> bool {
    let mut is_escaped = false;
    field.iter().any(|&byte| {
        let is_bare = byte == b'#' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_bare
    })
}

/// The length of a name in Slurm's database, in bytes.
const LONGEST_NAME: usize = 255;

/// Returns the name of an account. The root is called root in every Slurm.
pub(super) fn account_name(tree: &Tree, node: NodeId) -> &[u8] {
    match node {
        NodeId::ROOT => b"root",
        node => tree.name(node),
    }
}

pub(super) fn is_writable(name: &[u8]) -> bool {
    let is_broken = |byte: &u8| matches!(byte, b'=' | b'\n' | 0);
    !name.is_empty() && name.len() <= LONGEST_NAME && !name.iter().any(is_broken)
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'\'' | b'"')
}

/// Returns the replacement that Slurm uses for a quote.
fn without_quote(byte: u8) -> u8 {
    if is_quote(byte) { b'`' } else { byte }
}

/// Counts a written name that Slurm will change.
pub(super) fn count_name(losses: &mut Losses, tree: &Tree, node: NodeId) {
    let name = tree.name(node);
    let has_quotes = name.iter().copied().any(is_quote);
    losses.add_if(has_quotes, Fault::SlurmQuotes, node);
    let has_capitals = name.iter().any(u8::is_ascii_uppercase);
    losses.add_if(has_capitals, Fault::SlurmCapitals, node);
    let has_blanks = name.trim_ascii().len() < name.len();
    losses.add_if(has_blanks, Fault::SlurmBlanks, node);
}

/// Returns the nearest shares that Slurm can hold.
pub(super) fn nearest(shares: Shares) -> Shares {
    let count = shares.count();
    count.map_or(shares, |count| Shares::new(count.clamp(0, MOST_SHARES)))
}

/// Writes the beginning of the line of an account or a user, up to its partition.
pub(super) fn begin_line(object: &str, name: &[u8], partition: Option<&[u8]>, file: &mut Vec<u8>) {
    file.extend([object.as_bytes(), b" - ", &quote(name)].concat());
    if let Some(partition) = partition {
        file.extend([b":Partition=", &quote(partition)[..]].concat());
    }
}

pub(super) fn quote(text: &[u8]) -> Vec<u8> {
    let mut quoted = vec![b'\''];
    for &byte in text {
        if matches!(byte, b'\\' | b'#') {
            quoted.push(b'\\');
        }
        quoted.push(without_quote(byte));
    }
    quoted.push(b'\'');
    quoted
}

/// Returns a name as `sacctmgr load` reads it: with one backslash for two, which `sacctmgr dump` does not write.
pub fn unescaped(name: &[u8]) -> Vec<u8> {
    let mut rest = name.iter();
    let mut read = Vec::with_capacity(name.len());
    while let Some(&byte) = rest.next() {
        read.push(byte);
        if byte == b'\\' && rest.as_slice().first() == Some(&byte) {
            rest.next();
        }
    }
    read
}

/// Returns the name as Slurm stores it: in lower case, without quotes.
pub(super) fn stored_name(name: &[u8]) -> Cow<'_, [u8]> {
    let is_held = |byte: &u8| !byte.is_ascii_uppercase() && !is_quote(*byte);
    if name.iter().all(is_held) {
        return Cow::Borrowed(name);
    }
    let lower = name.to_ascii_lowercase();
    Cow::Owned(lower.into_iter().map(without_quote).collect())
}
