//! The document around the associations, read as a stream, and what it says about itself.

use super::association::{Association, Number, Text};
use crate::base::shown::shown_text;
use crate::model::Incomplete;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use std::fmt;
use std::ops::ControlFlow;

const MOST_MESSAGES: usize = 20;

/// The parts of a document beside its associations.
#[derive(Default)]
pub(super) struct Document<'a> {
    pub(super) meta: Meta<'a>,
    pub(super) errors: Vec<SlurmMessage<'a>>,
    pub(super) warnings: Vec<SlurmMessage<'a>>,
}

#[derive(Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct Meta<'a> {
    #[serde(borrow, alias = "Slurm")]
    pub(super) slurm: Option<Producer<'a>>,
    /// The words of the command; `None` if it was slurmrestd.
    #[serde(borrow)]
    pub(super) command: Option<Vec<Text<'a>>>,
}

#[derive(Default, serde::Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct Producer<'a> {
    pub(super) release: Text<'a>,
    pub(super) cluster: Text<'a>,
}

impl Producer<'_> {
    /// Returns Slurm's version, if it is stated.
    pub(super) fn version(&self) -> Option<String> {
        let release = String::from_utf8_lossy(&self.release.0);
        (!release.is_empty()).then(|| release.into_owned())
    }
}

/// An error or a warning of Slurm's own.
#[derive(Default, serde::Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct SlurmMessage<'a> {
    pub(super) description: Text<'a>,
    pub(super) error: Text<'a>,
    pub(super) error_number: Number,
}

/// Called with each association. Breaking off ends the reading.
pub(super) type Sink<'s> = &'s mut dyn FnMut(Association<'_>) -> ControlFlow<()>;

#[derive(serde::Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum DocumentKey {
    Shares,
    Meta,
    Errors,
    Warnings,
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
                DocumentKey::Shares => map.next_value_seed(Shares(&mut *self.0))?,
                DocumentKey::Meta => document.meta = or_default(&mut map)?,
                DocumentKey::Errors => document.errors = or_default(&mut map)?,
                DocumentKey::Warnings => document.warnings = or_default(&mut map)?,
                DocumentKey::Other => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        Ok(document)
    }
}

/// Reads a value, the default one for null.
fn or_default<'de, A: MapAccess<'de>, T: Deserialize<'de> + Default>(
    map: &mut A,
) -> Result<T, A::Error> {
    Ok(map.next_value::<Option<T>>()?.unwrap_or_default())
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

/// Returns Slurm's own messages in their words, each once, with their counts.
pub(super) fn complaints(complaints: &[SlurmMessage<'_>]) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for complaint in complaints {
        // The placeholder is handled, and there may be one for each association.
        let description = &complaint.description.0;
        if description.ends_with(b"place holder for Infinity") {
            continue;
        }
        let words = words(complaint);
        if let Some((_, count)) = counts.iter_mut().find(|(known, _)| *known == words) {
            *count += 1;
        } else if counts.len() < MOST_MESSAGES {
            counts.push((words, 1));
        }
    }
    counts
}

pub(super) fn words(complaint: &SlurmMessage<'_>) -> String {
    let description = shown_text(&complaint.description.0);
    let error = shown_text(&complaint.error.0);
    match (description.is_empty(), error.is_empty()) {
        (false, true) => description.into(),
        (true, false) => error.into(),
        (false, false) => format!("{description} ({error})"),
        (true, true) if complaint.error_number.0.is_nan() => "no reason is given".to_owned(),
        (true, true) => format!("error {}", complaint.error_number.0),
    }
}

/// Returns why a document has only a part of the tree, if its command shows that.
pub(super) fn filtered(meta: &Meta<'_>) -> Option<Incomplete> {
    let mut words = meta.command.iter().flatten().map(|word| &*word.0);
    if !words.next()?.ends_with(b"sshare") {
        return None;
    }
    let (mut is_all, mut is_chosen) = (false, false);
    for word in words {
        match word {
            b"--all" => is_all = true,
            [b'-', b'-', long @ ..] => {
                let mut choosing = [&b"accounts"[..], b"uid", b"users", b"Users"].into_iter();
                is_chosen |= choosing.any(|option| long.starts_with(option));
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
    match (is_chosen, is_all) {
        (true, _) => Some(Incomplete::SshareChosen),
        (false, false) => Some(Incomplete::SshareOwn),
        (false, true) => None,
    }
}
