//! The document around the associations, read as a stream, and what it says about itself.

use super::association::{Association, Number, Text};
use crate::base::shown::shown_text;
use crate::model::Incomplete;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
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
        if self.release.0.is_empty() {
            return None;
        }
        Some(String::from_utf8_lossy(&self.release.0).into_owned())
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
            // Null is the same as nothing.
            match part {
                DocumentKey::Shares => map.next_value_seed(Shares(&mut *self.0))?,
                DocumentKey::Meta => document.meta = Option::unwrap_or_default(map.next_value()?),
                DocumentKey::Errors => {
                    document.errors = Option::unwrap_or_default(map.next_value()?);
                }
                DocumentKey::Warnings => {
                    document.warnings = Option::unwrap_or_default(map.next_value()?);
                }
                DocumentKey::Other => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        Ok(document)
    }
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
            match part {
                DocumentKey::Shares => map.next_value_seed(Shares(&mut *self.0))?,
                _ => _ = map.next_value::<IgnoredAny>()?,
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
    match (description.is_empty(), error.is_empty()) {
        (false, true) => description.into(),
        (true, false) => error.into(),
        (false, false) => format!("{description} ({error})"),
        (true, true) if message.error_number.0.is_nan() => "no reason is given".to_owned(),
        (true, true) => format!("error {}", message.error_number.0),
    }
}

/// Options of `sshare` that choose users or accounts, without their dashes.
const CHOOSING: &[&str] = &["accounts", "uid", "users", "Users"];

/// Returns why a document has only a part of the tree, if its command shows that.
pub(super) fn filtered(meta: &Meta<'_>) -> Option<Incomplete> {
    let (program, options) = meta.command.as_ref()?.split_first()?;
    if !program.0.ends_with(b"sshare") {
        return None;
    }
    let mut is_all = false;
    let mut is_chosen = false;
    for option in options {
        match &*option.0 {
            b"--all" => is_all = true,
            [b'-', b'-', long @ ..] => {
                let mut choosing = CHOOSING.iter();
                is_chosen |= choosing.any(|option| long.starts_with(option.as_bytes()));
            }
            [b'-', short @ ..] => {
                for letter in short {
                    match letter {
                        b'a' => is_all = true,
                        b'A' | b'u' | b'U' => is_chosen = true,
                        _ => {}
                    }
                    // What follows is the value of the option.
                    if b"AuMo".contains(letter) {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    if is_chosen {
        Some(Incomplete::SshareChosen)
    } else if is_all {
        None
    } else {
        Some(Incomplete::SshareOwn)
    }
}
