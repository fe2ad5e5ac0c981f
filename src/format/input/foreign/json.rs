//! JSON without a tree: what it is instead, and what to run.

use super::{Refusal, without_mark};
use crate::base::shown::{Shown, shown, shown_text};
use crate::format::slurm::companion::Companion;
use memchr::{memchr, memmem};
use serde::Deserialize;
use serde::de::IgnoredAny;

const RUN: &str = "run sshare -a --json > FILE and open that";

/// What an object has of the keys that tell what it is.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Outline {
    /// Slurm's description of the answer.
    meta: Option<IgnoredAny>,
    shares: Option<IgnoredAny>,
    errors: Option<Vec<Fault>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Fault {
    description: Option<String>,
    error: Option<String>,
}

impl Outline {
    /// Returns the outline of an object; an empty one if it is cut off or no object.
    fn of(text: &[u8]) -> Self {
        // Values of a list would be taken for the fields.
        if !text.starts_with(b"{") {
            return Self::default();
        }
        // Web servers may write something behind it.
        let mut json = serde_json::Deserializer::from_slice(text);
        Self::deserialize(&mut json).unwrap_or_default()
    }

    /// Returns the first error that has words.
    fn error(self) -> Option<Shown> {
        for fault in self.errors.unwrap_or_default() {
            let words = fault.description.or(fault.error).unwrap_or_default();
            if !words.is_empty() {
                return Some(shown(words.as_bytes()));
            }
        }
        None
    }
}

/// Says which JSON object a file is, also one in the answer of a web server, or returns `None` if it is unknown.
pub(super) fn refusal(name: &str, bytes: &[u8]) -> Option<Refusal> {
    let text = without_mark(bytes).trim_ascii_start();
    let is_answer = text.starts_with(b"HTTP/");
    let start = match memchr(b'{', text) {
        Some(start) if is_answer => start,
        _ => 0,
    };
    let outline = Outline::of(&text[start..]);
    let is_slurm = outline.meta.is_some();
    let has_shares = outline.shares.is_some();
    if let Some(error) = outline.error() {
        let what = format!("an error from Slurm, not a tree: {error}");
        let advice = format!("fix the cause, and {RUN}");
        return Some(Refusal::is(name, &what, &advice));
    }
    if is_answer {
        let end = memchr(b'\n', text).unwrap_or(text.len());
        let line = shown_text(text[..end].trim_ascii_end());
        let what = format!("the answer of a web server, {line}, without associations");
        let advice =
            format!("ask slurmrestd for /slurm/VERSION/shares with a valid token, or {RUN}");
        return Some(Refusal::is(name, &what, &advice));
    }
    if has_shares && is_slurm {
        let what = "an answer of Slurm without any association";
        let advice = format!("{RUN}, as a user with permission to see other users' usage");
        return Some(Refusal::is(name, what, &advice));
    }
    if is_slurm {
        let what = "JSON of another command of Slurm, not of the shares";
        return Some(Refusal::is(name, what, RUN));
    }
    None
}

/// Returns which output beside a tree a JSON is, or `None` if it is none.
pub(super) fn companion(bytes: &[u8]) -> Option<Companion> {
    let text = without_mark(bytes).trim_ascii_start();
    let start = &text[..text.len().min(64)];
    if start.starts_with(b"{") && memmem::find(start, b"\"jobs\"").is_some() {
        return Some(Companion::Sacct);
    }
    None
}
