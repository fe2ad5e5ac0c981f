//! One association in JSON, in every shape of every data parser.

use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// An entry of `shares`.
#[derive(Default, serde::Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct Association<'a> {
    /// Slurm's number of the association.
    pub(super) id: Number,
    /// The cluster.
    pub(super) cluster: Text<'a>,
    /// The user, or the account.
    pub(super) name: Text<'a>,
    /// The user's account, or the parent of the account; empty for the root.
    pub(super) parent: Text<'a>,
    /// The partition of a user; empty for all.
    pub(super) partition: Text<'a>,
    /// The raw shares.
    pub(super) shares: Number,
    /// `NormShares`.
    pub(super) shares_normalized: Number,
    /// The usage, truncated to a whole number.
    pub(super) usage: Number,
    /// `NormUsage`.
    pub(super) usage_normalized: Number,
    /// `EffectvUsage`.
    pub(super) effective_usage: Number,
    /// The results of the policy.
    #[serde(deserialize_with = "null_as_default")]
    pub(super) fairshare: Fairshare,
    /// What is counted by resource.
    #[serde(deserialize_with = "null_as_default")]
    pub(super) tres: Tres<'a>,
    /// Whether it is the association of a user.
    #[serde(rename = "type", deserialize_with = "is_user")]
    pub(super) is_user: bool,
}

/// What Fair Tree or classic fair-share computed.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct Fairshare {
    /// `FairShare`.
    pub(super) factor: Number,
    /// `LevelFS`.
    pub(super) level: Number,
}

/// Numbers by resource.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct Tres<'a> {
    /// The raw usage, with six decimals.
    #[serde(borrow, deserialize_with = "resources")]
    pub(super) usage: Vec<Resource<'a>>,
    /// The limits of `GrpTRESMins`.
    #[serde(borrow, deserialize_with = "resources")]
    pub(super) group_minutes: Vec<Resource<'a>>,
    /// What running jobs still hold, in seconds of each.
    #[serde(borrow, deserialize_with = "resources")]
    pub(super) run_seconds: Vec<Resource<'a>>,
}

/// Reads a value, the default one for null.
pub(super) fn null_as_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

/// A text; empty for null. It is bytes, because a name may be in any encoding.
#[derive(Default)]
pub(super) struct Text<'a>(pub(super) Cow<'a, [u8]>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl<'de> Visitor<'de> for Bytes {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }

            fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
                Ok(Text::default())
            }

            fn visit_some<D: Deserializer<'de>>(self, text: D) -> Result<Self::Value, D::Error> {
                text.deserialize_bytes(self)
            }

            fn visit_borrowed_bytes<E: Error>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(bytes)))
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(bytes.to_vec())))
            }
        }
        // Null is visible only when asking for an option.
        deserializer.deserialize_option(Bytes)
    }
}

/// A number: bare, as `{"set":true,"infinite":false,"number":1}`, null or the word `Infinity`. NaN means none.
#[derive(Clone, Copy)]
pub(super) struct Number(pub(super) f64);

impl Default for Number {
    fn default() -> Self {
        Self(f64::NAN)
    }
}

/// The parts of a number that says whether it is set.
#[derive(serde::Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum NumberPart {
    /// Whether it is set.
    Set,
    /// Whether it is infinite.
    Infinite,
    /// The number itself.
    Number,
    /// A part that is not read.
    #[serde(other)]
    Other,
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Shapes;
        impl<'de> Visitor<'de> for Shapes {
            type Value = Number;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number")
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Number, E> {
                Ok(Number(number))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Number, E> {
                Ok(Number(number as f64))
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Number, E> {
                Ok(Number(number as f64))
            }

            fn visit_unit<E: Error>(self) -> Result<Number, E> {
                Ok(Number::default())
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<Number, E> {
                if word.is_empty() {
                    return Ok(Number::default());
                }
                // Rust accepts the same words in any case. Digits in a string are accepted as well.
                match word.parse() {
                    Ok(number) => Ok(Number(number)),
                    Err(_) => Err(E::custom("a word instead of a number")),
                }
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Number, A::Error> {
                let mut is_set = true;
                let mut is_infinite = false;
                let mut number = Number::default();
                while let Some(part) = map.next_key()? {
                    match part {
                        NumberPart::Set => is_set = map.next_value()?,
                        NumberPart::Infinite => is_infinite = map.next_value()?,
                        NumberPart::Number => number = map.next_value()?,
                        NumberPart::Other => _ = map.next_value::<IgnoredAny>()?,
                    }
                }
                if is_infinite {
                    return Ok(Number(f64::INFINITY));
                }
                Ok(if is_set { number } else { Number::default() })
            }
        }
        deserializer.deserialize_any(Shapes)
    }
}

/// Returns whether it is a user's association: `["USER"]`. An account's is `["ASSOCIATION"]`.
fn is_user<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    let list = ListVisitor::new("a list of texts");
    let words: Vec<Text<'de>> = deserializer.deserialize_any(list)?;
    for word in words {
        if *word.0 == *b"USER" {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A resource with its number.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct Resource<'a> {
    /// `cpu`, `mem`, `billing`.
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    /// Its amount.
    pub(super) value: Number,
}

/// Reads a list of resources.
fn resources<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Resource<'de>>, D::Error> {
    let list = ListVisitor::new("a list of resources");
    deserializer.deserialize_any(list)
}

/// Reads the elements of a list, none for null.
struct ListVisitor<T> {
    /// What it should be, for errors.
    expected: &'static str,
    /// What the elements are.
    elements: PhantomData<T>,
}

impl<T> ListVisitor<T> {
    /// Creates a reader of a list.
    fn new(expected: &'static str) -> Self {
        Self {
            expected,
            elements: PhantomData,
        }
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_unit<E: Error>(self) -> Result<Vec<T>, E> {
        Ok(Vec::new())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Vec<T>, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list))
    }
}
