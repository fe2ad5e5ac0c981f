//! JSON without a tree: what it is instead, and what to run.

use super::{Refusal, without_mark};
use crate::base::shown::{shown, shown_text};
use crate::format::slurm::companion::Companion;
use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
use std::fmt;

const RUN: &str = "run sshare -a --json > FILE and open that";

/// The keys that identify a JSON output of Slurm, and the command that prints it.
const COMMANDS: &[(&str, &str)] = &[
    ("associations", "sacctmgr show assoc, which has no usage"),
    ("accounts", "sacctmgr show account"),
    ("users", "sacctmgr show user"),
    ("clusters", "sacctmgr show cluster"),
    ("qos", "sacctmgr show qos"),
    ("sinfo", "sinfo"),
    ("jobs", "squeue, sacct or scontrol show job"),
    ("nodes", "scontrol show node"),
    ("partitions", "scontrol show partition"),
    ("reservations", "scontrol show reservation"),
    ("statistics", "sdiag"),
    ("pings", "scontrol ping"),
];

#[derive(Default)]
struct Outline {
    is_slurm: bool,
    is_pbs: bool,
    has_shares: bool,
    command: Option<&'static str>,
    error: Option<String>,
}

#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct Fault {
    description: Option<String>,
    error: Option<String>,
}

/// Says which JSON object a file is, also one in the answer of a web server, or returns `None` if it is unknown.
pub(super) fn refusal(name: &str, bytes: &[u8]) -> Option<Refusal> {
    let text = without_mark(bytes).trim_ascii_start();
    if text.starts_with(b"HTTP/") {
        let line = text.split(|&byte| byte == b'\n').next().unwrap_or(text);
        let body = memchr::memchr(b'{', text).map_or(&b""[..], |start| &text[start..]);
        let reason = outline(body).error.map(|error| format!(" ({error})"));
        let (line, reason) = (
            shown_text(line.trim_ascii_end()),
            reason.unwrap_or_default(),
        );
        let what = format!("the answer of a web server, {line}{reason}, without associations");
        let advice =
            format!("ask slurmrestd for /slurm/VERSION/shares with a valid token, or {RUN}");
        return Some(Refusal::is(name, &what, &advice));
    }
    let outline = outline(text);
    if outline.is_pbs {
        let what = "JSON of a PBS command, which contains no fairshare tree";
        return Some(Refusal::is(name, what, "open the sched_priv directory"));
    }
    if let Some(error) = outline.error {
        let what = format!("an error from Slurm, not a tree: {error}");
        let advice = format!("fix the cause, and {RUN}");
        return Some(Refusal::is(name, &what, &advice));
    }
    if !outline.is_slurm {
        return None;
    }
    if outline.has_shares {
        let advice = format!("{RUN}, as a user with permission to see other users' usage");
        let what = "an answer of Slurm without any association";
        return Some(Refusal::is(name, what, &advice));
    }
    let command = outline.command?;
    let what = format!("JSON of {command}, not of the shares");
    Some(Refusal::is(name, &what, RUN))
}

/// Returns which output beside a tree a JSON is, or `None` if it is none.
pub(super) fn companion(bytes: &[u8]) -> Option<Companion> {
    let text = without_mark(bytes).trim_ascii_start();
    let is_jobs = || memchr::memmem::find(&text[..text.len().min(64)], b"\"jobs\"").is_some();
    (text.starts_with(b"{") && is_jobs()).then_some(Companion::Sacct)
}

fn outline(text: &[u8]) -> Outline {
    let mut outline = Outline::default();
    let mut json = serde_json::Deserializer::from_slice(text);
    // If an object is cut off, the keys before the cut are still known.
    let _ = json.deserialize_map(Keys(&mut outline));
    outline
}

struct Keys<'o>(&'o mut Outline);

impl<'de> Visitor<'de> for Keys<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let outline = self.0;
        while let Some(key) = map.next_key::<String>()? {
            if key == "errors" {
                let faults = map.next_value::<Option<Vec<Fault>>>()?.unwrap_or_default();
                let mut words = faults.into_iter().filter_map(|fault| {
                    let words = [fault.description, fault.error];
                    words.into_iter().flatten().find(|words| !words.is_empty())
                });
                outline.error = words.next().map(|words| shown(words.as_bytes()).into());
                continue;
            }
            outline.is_slurm |= key == "meta";
            outline.is_pbs |= key == "pbs_version";
            outline.has_shares |= key == "shares";
            let known = COMMANDS.iter().find(|(known, _)| *known == key);
            if let Some((_, command)) = known {
                outline.command.get_or_insert(command);
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}
