//! The grammar of a dump: continued lines, objects, fields between colons, quotes, escapes; and how names are written in
//! it, and stored by Slurm.

use crate::format::loss::{Fault, Losses};
use crate::format::slurm::assoc::MOST_SHARES;
use crate::model::{NodeId, Shares, Tree};
use memchr::{memchr, memchr3};
use std::borrow::Cow;
use std::ops::Range;

/// What a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Object {
    /// The cluster, with its account root.
    Cluster,
    /// A QOS, which is not read.
    Qos,
    /// The account whose block begins.
    Parent,
    /// An account in the current block.
    Account,
    /// A user in the current block.
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

/// Returns the object of a line and the text after its dash; `None` of other lines.
pub(super) fn object(line: &[u8]) -> Option<(Object, &[u8])> {
    let dash = memchr(b'-', line)?;
    let word = line[..dash].trim_ascii();
    let rest = &line[dash + 1..];
    for (known, object) in OBJECTS {
        if known.eq_ignore_ascii_case(word) {
            return Some((*object, rest));
        }
    }
    None
}

/// Returns a line without surrounding blanks and without the prefix that sacctmgr puts before it on its standard error.
pub(super) fn without_prefix(line: &[u8]) -> &[u8] {
    let text = line.trim_ascii();
    match text.strip_prefix(super::PREFIX) {
        Some(behind) => behind.trim_ascii_start(),
        None => text,
    }
}

/// A line with those that continue it.
pub(super) struct DumpLine<'a> {
    /// The text without surrounding blanks.
    pub(super) text: Cow<'a, [u8]>,
    /// The number of its first line, from 1.
    pub(super) number: u32,
    /// The place behind it in the text.
    pub(super) end: usize,
}

/// The lines of a dump. A backslash at the end of a line continues it.
pub(super) struct DumpLines<'a> {
    /// The dump.
    text: &'a [u8],
    /// How many bytes were read.
    place: usize,
    /// How many lines were read.
    count: u32,
}

impl<'a> DumpLines<'a> {
    /// Begins at the start of a text.
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            place: 0,
            count: 0,
        }
    }

    /// Reads a line as it is in the text, without blanks around it.
    fn next_part(&mut self) -> Option<&'a [u8]> {
        let rest = &self.text[self.place..];
        if rest.is_empty() {
            return None;
        }
        let end = memchr(b'\n', rest).unwrap_or(rest.len());
        let next = self.place + end + 1;
        self.place = next.min(self.text.len());
        self.count = self.count.saturating_add(1);
        Some(without_prefix(&rest[..end]))
    }
}

impl<'a> Iterator for DumpLines<'a> {
    type Item = DumpLine<'a>;

    fn next(&mut self) -> Option<DumpLine<'a>> {
        let mut part = self.next_part()?;
        let number = self.count;
        let mut joined = Vec::new();
        while let Some(start) = continued(part) {
            joined.extend_from_slice(start);
            part = self.next_part().unwrap_or_default();
        }
        let text = if joined.is_empty() {
            Cow::Borrowed(part)
        } else {
            joined.extend_from_slice(part);
            Cow::Owned(joined)
        };
        Some(DumpLine {
            text,
            number,
            end: self.place,
        })
    }
}

/// Returns the text before the backslash that continues a line. An even number of them are backslashes of the text.
fn continued(line: &[u8]) -> Option<&[u8]> {
    let mut count = 0;
    while line[..line.len() - count].ends_with(b"\\") {
        count += 1;
    }
    if count % 2 == 0 || line[0] == b'#' {
        return None;
    }
    Some(&line[..line.len() - 1])
}

/// The attributes that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attribute {
    /// The raw shares.
    Shares,
    /// The partition of a user.
    Partition,
    /// Limits of usage.
    GrpTresMins,
    /// The default account of a user.
    DefaultAccount,
    /// The workload characterization keys of a user.
    WcKeys,
}

/// A name of an attribute, which Slurm knows by any beginning of at least so many letters.
struct AttributeName {
    /// The full name.
    name: &'static [u8],
    /// The fewest letters of it that Slurm takes.
    least: usize,
    /// What it names.
    attribute: Attribute,
}

/// A name of an attribute, which may be shortened to its first letters.
const fn named(name: &'static [u8], least: usize, attribute: Attribute) -> AttributeName {
    AttributeName {
        name,
        least,
        attribute,
    }
}

/// The names that are read.
const ATTRIBUTES: &[AttributeName] = &[
    named(b"FairShare", 1, Attribute::Shares),
    named(b"Shares", 1, Attribute::Shares),
    named(b"Partition", 1, Attribute::Partition),
    named(b"GrpTRESMins", 8, Attribute::GrpTresMins),
    named(b"DefaultAccount", 8, Attribute::DefaultAccount),
    named(b"WCKeys", 2, Attribute::WcKeys),
];

impl Attribute {
    /// Reads a key, in any case.
    fn parse(key: &[u8]) -> Option<Self> {
        for known in ATTRIBUTES {
            if let Some(start) = known.name.get(..key.len())
                && key.len() >= known.least
                && start.eq_ignore_ascii_case(key)
            {
                return Some(known.attribute);
            }
        }
        None
    }
}

/// An attribute, with the range of its value in the line.
pub(super) struct AttributeField {
    /// What it is.
    pub(super) attribute: Attribute,
    /// The value, with its quotes.
    pub(super) value: Range<usize>,
}

/// The parts of a line, as ranges of its text without surrounding blanks.
pub(super) struct Statement {
    /// What the line is about.
    pub(super) object: Object,
    /// The name behind the dash, with its quotes.
    pub(super) name: Range<usize>,
    /// The attributes that are read, in the order of the line.
    pub(super) fields: Vec<AttributeField>,
    /// Whether a quote was opened and not closed.
    pub(super) is_open: bool,
    /// The end of the line, if it is no attribute with a value.
    pub(super) cut: Option<Range<usize>>,
}

impl Statement {
    /// Reads a line; `None` if it does not begin with an object.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let (object, rest) = object(text)?;
        let mut start = text.len() - rest.len();
        let mut field = Field::first(rest);
        let mut statement = Self {
            object,
            name: trimmed(field.text, start),
            fields: Vec::new(),
            is_open: field.is_open,
            cut: None,
        };
        while let Some(rest) = field.rest {
            start += field.text.len() + 1;
            field = Field::first(rest);
            statement.is_open = field.is_open;
            let Some(equals) = memchr(b'=', field.text) else {
                let end = trimmed(field.text, start);
                if field.rest.is_none() && !end.is_empty() {
                    statement.cut = Some(end);
                }
                continue;
            };
            let key = field.text[..equals].trim_ascii();
            if let Some(attribute) = Attribute::parse(key) {
                let place = equals + 1;
                let value = trimmed(&field.text[place..], start + place);
                statement.fields.push(AttributeField { attribute, value });
            }
        }
        Some(statement)
    }

    /// Returns the value of an attribute, the last one if the line of this text has several.
    pub(super) fn value<'a>(&self, text: &'a [u8], wanted: Attribute) -> Option<Cow<'a, [u8]>> {
        for field in self.fields.iter().rev() {
            if field.attribute == wanted {
                let range = field.value.clone();
                return Some(value(&text[range]));
            }
        }
        None
    }
}

/// Returns the range of the trimmed text of a field that begins at `start`.
fn trimmed(field: &[u8], start: usize) -> Range<usize> {
    let blanks = field.len() - field.trim_ascii_start().len();
    let first = start + blanks;
    first..first + field.trim_ascii().len()
}

/// The text of a line up to a colon or its end.
struct Field<'a> {
    /// The text, with its quotes.
    text: &'a [u8],
    /// The text after the colon; `None` at the end of the line, which a comment is, too.
    rest: Option<&'a [u8]>,
    /// Whether a quote was opened and not closed.
    is_open: bool,
}

impl<'a> Field<'a> {
    /// Reads the first field of a text.
    fn first(text: &'a [u8]) -> Self {
        let mut quote = None;
        let mut is_escaped = false;
        let mut end = text.len();
        for (at, &byte) in text.iter().enumerate() {
            match (quote, byte) {
                (Some(open), _) if byte == open => quote = None,
                (None, b'\'' | b'"') => quote = Some(byte),
                (None, b':') => {
                    end = at;
                    break;
                }
                (None, b'#') if !is_escaped => {
                    end = at;
                    break;
                }
                _ => {}
            }
            is_escaped = byte == b'\\' && !is_escaped;
        }
        Self {
            text: &text[..end],
            rest: text[end..].strip_prefix(b":"),
            is_open: quote.is_some(),
        }
    }
}

/// Returns a text without its quotes and escapes. A backslash before anything but `\` and `#` is a literal one.
pub(super) fn value(field: &[u8]) -> Cow<'_, [u8]> {
    let mut inner = field.trim_ascii();
    if let [quote, rest @ ..] = inner
        && is_quote(*quote)
    {
        inner = rest.strip_suffix(&[*quote]).unwrap_or(rest);
    }
    if !inner.contains(&b'\\') {
        return Cow::Borrowed(inner);
    }
    let mut text = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter();
    while let Some(&byte) = bytes.next() {
        match bytes.as_slice().first() {
            Some(&next) if byte == b'\\' && needs_backslash(next) => {
                text.push(next);
                bytes.next();
            }
            _ => text.push(byte),
        }
    }
    Cow::Owned(text)
}

/// Returns whether a byte of a text has a backslash before it.
fn needs_backslash(byte: u8) -> bool {
    matches!(byte, b'\\' | b'#')
}

/// Returns whether a field has a `#` without a backslash before it.
pub(super) fn has_bare_hash(field: &[u8]) -> bool {
    let mut is_escaped = false;
    for &byte in field {
        if byte == b'#' && !is_escaped {
            return true;
        }
        is_escaped = byte == b'\\' && !is_escaped;
    }
    false
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

/// Returns whether `sacctmgr load` can read a name.
pub(super) fn is_writable(name: &[u8]) -> bool {
    if name.is_empty() || name.len() > LONGEST_NAME {
        return false;
    }
    memchr3(b'=', b'\n', 0, name).is_none()
}

/// Returns whether `sacctmgr load` can read the name and the partition of a node.
pub(super) fn has_writable_names(tree: &Tree, node: NodeId) -> bool {
    if let Some(partition) = tree.partition(node)
        && !is_writable(partition)
    {
        return false;
    }
    is_writable(tree.name(node))
}

/// Returns whether a byte is a quote of a dump.
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
    if name.iter().copied().any(is_quote) {
        losses.add(Fault::SlurmQuotes, node);
    }
    if name.iter().any(u8::is_ascii_uppercase) {
        losses.add(Fault::SlurmCapitals, node);
    }
    if name.trim_ascii() != name {
        losses.add(Fault::SlurmBlanks, node);
    }
}

/// Returns the nearest shares that Slurm can hold.
pub(super) fn nearest(shares: Shares) -> Shares {
    match shares.count() {
        Some(count) => Shares::new(count.clamp(0, MOST_SHARES)),
        None => shares,
    }
}

/// Writes the beginning of the line of an account or a user, up to its partition.
pub(super) fn begin_line(object: &str, name: &[u8], partition: Option<&[u8]>, file: &mut Vec<u8>) {
    file.extend_from_slice(object.as_bytes());
    file.extend_from_slice(b" - ");
    file.extend(quote(name));
    if let Some(partition) = partition {
        file.extend_from_slice(b":Partition=");
        file.extend(quote(partition));
    }
}

/// Returns a text between quotes, as it is written.
pub(super) fn quote(text: &[u8]) -> Vec<u8> {
    let mut quoted = vec![b'\''];
    for &byte in text {
        if needs_backslash(byte) {
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
    let mut bytes = name.iter();
    if !bytes.any(|&byte| byte.is_ascii_uppercase() || is_quote(byte)) {
        return Cow::Borrowed(name);
    }
    let mut stored = name.to_ascii_lowercase();
    for byte in &mut stored {
        *byte = without_quote(*byte);
    }
    Cow::Owned(stored)
}
