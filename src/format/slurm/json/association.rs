//! One association in JSON, in every shape of every data parser.

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt::{self, Write as _};

/// An entry of `shares`.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct Association<'a> {
    pub(super) id: Number,
    #[serde(borrow)]
    pub(super) cluster: Text<'a>,
    /// The user, or the account.
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    /// The user's account, or the parent of the account; empty for the root.
    #[serde(borrow)]
    pub(super) parent: Text<'a>,
    #[serde(borrow)]
    pub(super) partition: Text<'a>,
    pub(super) shares: Number,
    pub(super) shares_normalized: Number,
    /// Truncated to a whole number.
    pub(super) usage: Number,
    pub(super) usage_normalized: Number,
    pub(super) effective_usage: Number,
    pub(super) fairshare: Fairshare,
    pub(super) tres: Tres,
    #[serde(rename = "type")]
    pub(super) kind: UserFlag,
}

/// The numbers of Slurm's rule.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct Fairshare {
    pub(super) factor: Number,
    pub(super) level: Number,
}

/// The amounts of each resource.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct Tres {
    pub(super) usage: Billing,
    pub(super) group_minutes: Limits,
    pub(super) run_seconds: Running,
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
    Set,
    Infinite,
    Number,
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
                match word {
                    "" => Ok(Number::default()),
                    // Rust accepts the same words in any case. Digits in a string are accepted as well.
                    word => match word.parse() {
                        Ok(number) => Ok(Number(number)),
                        Err(_) => Err(E::custom("a word instead of a number")),
                    },
                }
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Number, A::Error> {
                let (mut is_set, mut is_infinite, mut number) = (true, false, Number::default());
                while let Some(part) = map.next_key()? {
                    match part {
                        NumberPart::Set => is_set = map.next_value()?,
                        NumberPart::Infinite => is_infinite = map.next_value()?,
                        NumberPart::Number => number = map.next_value()?,
                        NumberPart::Other => _ = map.next_value::<IgnoredAny>()?,
                    }
                }
                Ok(match (is_infinite, is_set) {
                    (true, _) => Number(f64::INFINITY),
                    (false, true) => number,
                    (false, false) => Number::default(),
                })
            }
        }
        deserializer.deserialize_any(Shapes)
    }
}

/// Whether it is a user's association: `["USER"]`. An account's is `["ASSOCIATION"]`.
#[derive(Default)]
pub(super) struct UserFlag {
    pub(super) is_user: bool,
}

impl<'de> Deserialize<'de> for UserFlag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Words;
        impl<'de> Visitor<'de> for Words {
            type Value = UserFlag;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of texts")
            }

            fn visit_unit<E: Error>(self) -> Result<UserFlag, E> {
                Ok(UserFlag::default())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut words: A) -> Result<UserFlag, A::Error> {
                let mut kind = UserFlag::default();
                while let Some(word) = words.next_element::<Text<'de>>()? {
                    kind.is_user |= &*word.0 == b"USER";
                }
                Ok(kind)
            }
        }
        deserializer.deserialize_any(Words)
    }
}

/// One resource and its number.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct Resource<'a> {
    #[serde(borrow)]
    name: Text<'a>,
    value: Number,
}

/// Calls a closure with each resource of a list that may be null.
struct Resources<F>(F);

impl<'de, F: FnMut(&[u8], f64)> Visitor<'de> for Resources<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of resources")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut resources: A) -> Result<(), A::Error> {
        while let Some(resource) = resources.next_element::<Resource<'de>>()? {
            (self.0)(&resource.name.0, resource.value.0);
        }
        Ok(())
    }
}

/// Usage of the resource `billing`: Slurm's raw usage, with six decimals. NaN if it is not listed.
pub(super) struct Billing(pub(super) f64);

impl Default for Billing {
    fn default() -> Self {
        Self(f64::NAN)
    }
}

impl<'de> Deserialize<'de> for Billing {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut billing = Self::default();
        deserializer.deserialize_any(Resources(|name: &[u8], value| {
            if name == b"billing" {
                billing.0 = value;
            }
        }))?;
        Ok(billing)
    }
}

/// Limits in minutes, as `sshare` prints them: `cpu=1000,mem=4000`; only resources with a limit.
#[derive(Default)]
pub(super) struct Limits(pub(super) String);

impl<'de> Deserialize<'de> for Limits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut text = String::new();
        deserializer.deserialize_any(Resources(|name: &[u8], value: f64| {
            if value.is_finite() {
                list(&mut text, name, value);
            }
        }))?;
        Ok(Self(text))
    }
}

/// The minutes that running jobs may still use; only resources with any.
#[derive(Default)]
pub(super) struct Running(pub(super) String);

impl<'de> Deserialize<'de> for Running {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const SECONDS: f64 = 60.0;
        let mut text = String::new();
        deserializer.deserialize_any(Resources(|name: &[u8], value: f64| {
            if value.is_finite() && value != 0.0 {
                list(&mut text, name, (value / SECONDS).trunc());
            }
        }))?;
        Ok(Self(text))
    }
}

fn list(text: &mut String, name: &[u8], value: f64) {
    let comma = if text.is_empty() { "" } else { "," };
    // Writing to a String cannot fail.
    let _ = write!(text, "{comma}{}={value}", String::from_utf8_lossy(name));
}
