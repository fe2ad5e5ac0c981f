//! The built-in trees: the one that the explorer opens without a source, and the examples with which fairshare is
//! usually taught.

use super::jobs::{RanJob, RanJobs};
use super::{LoadError, LoadResult, Loaded, OnProgress, Request, SourceKind, native};
use crate::base::number::DAY;
use crate::base::shown::{sentence, shown};
use crate::base::table::table;
use crate::model::Tree;
use crate::model::generate::Random;
use crate::rules::policy::Policy;
use std::ops::ControlFlow;
use std::path::Path;

/// What a path begins with that names a built-in tree.
pub(crate) const PREFIX: &str = "example:";

table! {
    /// A built-in tree.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Example {
        Site, "site", "A cluster of 40 users, one account of which used far too much (Fair Tree)";
        Two, "two", "Two accounts of two users each: shares, usage, target and rank in round numbers (Fair Tree)";
        Small, "small", "Bob, Cathy, Suzy and Scott: how a sibling's usage lowers a user's rank (PBS)";
        Flux, "flux", "Three banks and seven users: the weighted walk (Flux)";
        Buckets, "buckets", "A student with the 64-bit priority AAAA12347777CCCC: one bucket per level (LEVEL_BASED)";
        Equal150, "equal150", "150 equal accounts: where 2^-(U/S) runs out of numbers (classic)";
        Ties, "ties", "Two accounts with one LevelFS: merged as documented, one by one as implemented (Fair Tree)";
        Strangers, "strangers", "A user that no group lists, and one without shares: who may run at all (PBS)";
        Notes, "notes", "The job usage factor of the notes of 2021, and what is counted today (Flux)";
        Month, "month", "Thirty days of jobs on that cluster: how the usage came about (Fair Tree)";
        Objective, "objective", "An under-served account ranked below an over-served one (LEVEL_BASED)";
    }
}

impl Example {
    /// Returns the file that holds the tree.
    const fn text(self) -> &'static str {
        match self {
            Self::Site | Self::Month => include_str!("../../assets/examples/site.toml"),
            Self::Two => include_str!("../../assets/examples/two.toml"),
            Self::Small => include_str!("../../assets/examples/small.toml"),
            Self::Flux => include_str!("../../assets/examples/flux.toml"),
            Self::Buckets => include_str!("../../assets/examples/buckets.toml"),
            Self::Equal150 => include_str!("../../assets/examples/equal150.toml"),
            Self::Ties => include_str!("../../assets/examples/ties.toml"),
            Self::Strangers => include_str!("../../assets/examples/strangers.toml"),
            Self::Notes => include_str!("../../assets/examples/notes.toml"),
            Self::Objective => include_str!("../../assets/examples/objective.toml"),
        }
    }

    /// Returns what the tree shows, in a sentence that fits 80 columns.
    pub const fn caption(self) -> &'static str {
        match self {
            Self::Site => {
                "astro used 2.7x its target, so even alice, who ran almost nothing, ranks low"
            }
            Self::Two => "science used more than its share, so ann ranks behind dan, who used more",
            Self::Small => {
                "suzy used nothing but ranks 3rd of 4, because scott of the same group used 83%"
            }
            Self::Flux => {
                "the bank with the higher weight ranks first, together with all its users"
            }
            Self::Buckets => "each level of the tree owns four hex digits of a student's priority",
            Self::Equal150 => {
                "150 equal accounts: classic factors come so close to 0 that they become 0"
            }
            Self::Ties => {
                "A and B tie, so Slurm ranks all of A before B, though b1 used less than a2"
            }
            Self::Strangers => {
                "stranger is in no group and hal has no shares: PBS holds back the jobs of both"
            }
            Self::Notes => {
                "the notes divide the usage of 1002 by what its sibling used; no release does"
            }
            Self::Month => {
                "thirty days, computed from jobs: astro begins on the 16th, and falls behind"
            }
            Self::Objective => {
                "big is under-served and small is over-served, yet smallu ranks above bigu"
            }
        }
    }

    /// Returns the policy under which the tree shows what its caption says.
    pub fn policy(self) -> Policy {
        let request = Request::to_open(self.source());
        let loaded = open(&request, &mut |_| ControlFlow::Continue(()))
            .expect("the examples are part of the program, and a test reads them");
        match loaded.policy {
            Some(policy) => policy,
            None => Policy::usual(&loaded.snapshot.settings),
        }
    }

    /// Returns the path of the node on which the explorer's cursor starts; `None` starts on the first account.
    pub(crate) const fn focus(self) -> Option<&'static str> {
        match self {
            Self::Site | Self::Month => Some("physics/astro"),
            Self::Notes => Some("C/1002"),
            _ => None,
        }
    }

    /// Returns the built-in tree that a request opens; `None` if it opens something else.
    pub fn of(request: &Request) -> Option<Self> {
        match &request.source {
            SourceKind::Path { path, .. } => Self::at(path),
            SourceKind::Series(_) | SourceKind::Live { .. } => None,
        }
    }

    /// Returns the built-in tree that a path names.
    fn at(path: &Path) -> Option<Self> {
        let path = path.as_os_str().as_encoded_bytes();
        let name = path.strip_prefix(PREFIX.as_bytes())?;
        Self::named(std::str::from_utf8(name).ok()?)
    }

    /// Returns the source that opens it: `example:small`.
    pub fn source(self) -> String {
        format!("{PREFIX}{}", self.name())
    }
}

/// Returns whether a path names a built-in tree: it is empty, which means the first one, or `example:NAME`.
pub fn is_example(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes.is_empty() || bytes.starts_with(PREFIX.as_bytes())
}

/// Opens the built-in tree of a request.
pub(crate) fn open(request: &Request, report: OnProgress) -> LoadResult<Loaded> {
    let path = request.path();
    let bytes = path.as_os_str().as_encoded_bytes();
    let named = match bytes {
        b"" => Some(Example::Site),
        _ => Example::at(path),
    };
    let Some(example) = named else {
        let name = shown(bytes.strip_prefix(PREFIX.as_bytes()).unwrap_or_default());
        let names: Vec<&str> = Example::ALL.iter().map(|example| example.name()).collect();
        return Err(LoadError::Refused(sentence!(
            "unknown built-in tree '{name}' ({}); to open a file of that name write ./{PREFIX}{name}",
            names.join(", ")
        )));
    };
    let mut loaded = native::parse(example.text().as_bytes(), request, report, None)?;
    loaded.snapshot.source.title = match example {
        Example::Site => "the built-in example".into(),
        example => sentence!("the example {}", example.name()),
    };
    if example == Example::Month {
        loaded.snapshot.settings.slurm.calc_period = 60 * 60;
    }
    Ok(loaded)
}

/// The first day of the month of [`Example::Month`], 2026-03-01, in Unix seconds.
const FIRST_DAY: i64 = 1_772_323_200;

/// The days on which jobs of that month begin.
const DAYS: usize = 30;

/// The days before the first job of astro.
const LATE: usize = 15;

/// How many jobs a user runs.
const JOBS: usize = 12;

/// When jobs of that month run, and the moments of its series: every midnight.
pub(crate) fn month(tree: &Tree, request: &Request) -> (RanJobs, Request) {
    let mut random = Random(31);
    let mut ran = RanJobs::default();
    for node in tree.users() {
        let used = tree.usage(node).amount().unwrap_or(0.0);
        let first_day = match tree.parent(node) {
            Some(account) if tree.name(account) == b"astro" => LATE,
            _ => 0,
        };
        for _ in 0..JOBS {
            let hour = first_day * 24 + random.below((DAYS - first_day) * 24);
            let hours = 2 + random.below(12);
            if used > 0.0 {
                // As much as is left of it after a while, three times.
                let rate = 3.0 * used / (JOBS * hours * 60 * 60) as f64;
                let from = FIRST_DAY + seconds(hour);
                let until = from + seconds(hours);
                ran.jobs.push(RanJob::new(node, from, until, rate));
            }
        }
    }
    let day = i64::from(DAY);
    let mut series = request.clone();
    series.history.from = Some(FIRST_DAY + day);
    series.history.until = Some(FIRST_DAY + 30 * day);
    (ran, series)
}

/// Returns the seconds of so many hours.
fn seconds(hours: usize) -> i64 {
    i64::try_from(hours * 60 * 60).unwrap_or(0)
}
