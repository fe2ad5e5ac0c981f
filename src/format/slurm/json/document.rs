//! The document around the associations, read as a stream, and what it says about itself.

use super::association::{Association, Number, Text};
use crate::base::shown::shown_text;
use crate::model::Incomplete;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use std::fmt;
use std::ops::ControlFlow;

/// How many different messages are kept.
const MOST_MESSAGES: usize = 20;

/// The parts of a document beside its associations.
#[derive(Default)]
pub(super) struct Document<'a> {
    /// What it says of its origin.
    pub(super) meta: Meta<'a>,
    /// The errors that Slurm met.
    pub(super) errors: Vec<SlurmMessage<'a>>,
    /// The warnings of Slurm.
    pub(super) warnings: Vec<SlurmMessage<'a>>,
}

/// What a document says of its origin.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct Meta<'a> {
    /// The Slurm that wrote it; `None` if that is not stated.
    #[serde(borrow, alias = "Slurm")]
    pub(super) slurm: Option<Producer<'a>>,
    /// The words of the command; `None` if it was slurmrestd.
    #[serde(borrow)]
    pub(super) command: Option<Vec<Text<'a>>>,
}

/// The Slurm that wrote a document.
#[derive(Default, serde::Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct Producer<'a> {
    /// The version: `24.11.5`.
    pub(super) release: Text<'a>,
    /// The name of the cluster.
    pub(super) cluster: Text<'a>,
}

impl Producer<'_> {
    /// Returns Slurm's version, if it is stated.
    pub(super) fn version(&self) -> Option<String> {
        let release = &self.release.0;
        if release.is_empty() {
            return None;
        }
        let version = String::from_utf8_lossy(release);
        Some(version.into_owned())
    }
}

/// An error or a warning of Slurm's own.
#[derive(Default, serde::Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct SlurmMessage<'a> {
    /// What happened.
    pub(super) description: Text<'a>,
    /// The text of the number.
    pub(super) error: Text<'a>,
    /// The number of the error.
    pub(super) error_number: Number,
}

/// Called with each association. Breaking off ends the reading.
pub(super) type Sink<'s> = &'s mut dyn FnMut(Association<'_>) -> ControlFlow<()>;

/// The keys of a document that are read.
#[derive(serde::Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum DocumentKey {
    /// The associations.
    Shares,
    /// What the document says of its origin.
    Meta,
    /// The errors that Slurm met.
    Errors,
    /// The warnings of Slurm.
    Warnings,
    /// A key that is not read.
    #[serde(other)]
    Other,
}

/// Reads a document and passes each of its associations to the sink as soon as it is complete.
pub(super) struct DocumentVisitor<'s>(pub(super) Sink<'s>);

impl<'de> Visitor<'de> for DocumentVisitor<'_> {
    type Value = Document<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with shares")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut document = Document::default();
        while let Some(part) = map.next_key()? {
            match part {
                DocumentKey::Shares => {
                    let shares = Shares(&mut *self.0);
                    map.next_value_seed(shares)?;
                }
                DocumentKey::Meta => document.meta = value_or_default(&mut map)?,
                DocumentKey::Errors => document.errors = value_or_default(&mut map)?,
                DocumentKey::Warnings => document.warnings = value_or_default(&mut map)?,
                DocumentKey::Other => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        Ok(document)
    }
}

/// Returns the value of a key; the default one for null.
fn value_or_default<'de, A, T>(map: &mut A) -> Result<T, A::Error>
where
    A: MapAccess<'de>,
    T: Deserialize<'de> + Default,
{
    let value: Option<T> = map.next_value()?;
    Ok(value.unwrap_or_default())
}

/// The list of associations, or the object of that name around it.
struct Shares<'s>(Sink<'s>);

impl<'de> DeserializeSeed<'de> for Shares<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Shares<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of associations")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(part) = map.next_key()? {
            if matches!(part, DocumentKey::Shares) {
                map.next_value_seed(Shares(&mut *self.0))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(association) = list.next_element::<Association<'de>>()? {
            if (self.0)(association).is_break() {
                return Err(A::Error::custom("the reading was cancelled"));
            }
        }
        Ok(())
    }
}

/// A message of Slurm's own, and how often it is there.
pub(super) struct Complaint {
    /// What it says.
    pub(super) words: String,
    /// How often, from 1.
    pub(super) count: usize,
}

/// Returns Slurm's own messages in their words, each once.
pub(super) fn complaints(messages: &[SlurmMessage<'_>]) -> Vec<Complaint> {
    let mut complaints: Vec<Complaint> = Vec::new();
    for message in messages {
        // The placeholder is handled, and there may be one for each association.
        let description = &message.description.0;
        if description.ends_with(b"place holder for Infinity") {
            continue;
        }
        let words = words(message);
        let mut known = complaints.iter_mut();
        if let Some(complaint) = known.find(|complaint| complaint.words == words) {
            complaint.count += 1;
        } else if complaints.len() < MOST_MESSAGES {
            complaints.push(Complaint { words, count: 1 });
        }
    }
    complaints
}

/// Returns a message in words, with its number if it has no others.
pub(super) fn words(message: &SlurmMessage<'_>) -> String {
    let description = shown_text(&message.description.0);
    let error = shown_text(&message.error.0);
    if description.is_empty() && error.is_empty() {
        let number = message.error_number.0;
        if number.is_nan() {
            return "no reason is given".to_owned();
        }
        return format!("error {number}");
    }
    if error.is_empty() {
        return description.into();
    }
    if description.is_empty() {
        return error.into();
    }
    format!("{description} ({error})")
}

/// Options of `sshare` that choose users or accounts, without their dashes.
const CHOOSING: &[&str] = &["accounts", "uid", "users", "Users"];

/// What the options of a command ask for.
#[derive(Default)]
struct Selection {
    /// Whether all users are asked for.
    is_all: bool,
    /// Whether only some users or accounts are.
    is_chosen: bool,
}

impl Selection {
    /// Adds an option with its dashes.
    fn add(&mut self, option: &[u8]) {
        if let Some(long) = option.strip_prefix(b"--") {
            self.is_all |= long == b"all";
            for choosing in CHOOSING {
                self.is_chosen |= long.starts_with(choosing.as_bytes());
            }
        } else if let Some(letters) = option.strip_prefix(b"-") {
            self.add_letters(letters);
        }
    }

    /// Adds options of one letter.
    fn add_letters(&mut self, letters: &[u8]) {
        for letter in letters {
            match letter {
                b'a' => self.is_all = true,
                b'A' | b'u' | b'U' => self.is_chosen = true,
                _ => {}
            }
            // What follows is the value of the option.
            if b"AuMo".contains(letter) {
                break;
            }
        }
    }
}

/// Returns why a document has only a part of the tree, if its command shows that.
pub(super) fn filtered(meta: &Meta<'_>) -> Option<Incomplete> {
    let command = meta.command.as_ref()?;
    let (program, options) = command.split_first()?;
    if !program.0.ends_with(b"sshare") {
        return None;
    }
    let mut selection = Selection::default();
    for option in options {
        selection.add(&option.0);
    }
    if selection.is_chosen {
        Some(Incomplete::SshareChosen)
    } else if selection.is_all {
        None
    } else {
        Some(Incomplete::SshareOwn)
    }
}
