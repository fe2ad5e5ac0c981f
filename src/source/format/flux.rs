//! What flux-accounting keeps and prints: its database, its JSON, its tables.
//!
//! All of them hold the same: banks, and associations of a user with a bank. Usage is the associations'; a bank has
//! that of its users, which is what `flux account-update-fshare` sums, whatever else is written beside the bank.

mod database;
pub mod jobs;
pub mod json;
mod number;
pub mod view_bank;

use super::input::{self, PathKind};
use super::origin::source;
use super::{Format, LoadError, Loaded, OnProgress, Problem, Problems, Request, Severity};
use crate::base::number::counted;
use crate::model::{Recorded, Scheduler, Settings, Snapshot, TreeBuilder};
use std::io::{ErrorKind, Read as _};
use std::path::Path;
use std::sync::Arc;

/// What usage counts, unless the weights of nodes, cores and GPUs were changed.
const USAGE_UNIT: &str = "node-seconds";

/// The setting that says what becomes of inactive associations and banks.
const INACTIVE: &str = "inactive";

/// Returns whether a path leads to an SQLite database; a path that leads nowhere does not.
///
/// # Errors
/// If the file looks like one by its name and may not be read.
pub fn is_database(path: &Path) -> Result<bool, LoadError> {
    if path.as_os_str() == "-" || !matches!(input::look(path), Ok(PathKind::File)) {
        return Ok(false);
    }
    let file = match input::open(path) {
        Ok(file) => file,
        Err(_) if path.extension().is_some_and(|extension| extension == "db") => {
            return Err(database::not_readable(path));
        }
        // Whoever reads it next says why it cannot be.
        Err(_) => return Ok(false),
    };
    let mut start = Vec::new();
    match file
        .take(database::MAGIC.len() as u64)
        .read_to_end(&mut start)
    {
        Ok(_) => Ok(start == database::MAGIC),
        Err(error) if error.kind() == ErrorKind::Interrupted => is_database(path),
        Err(_) => Ok(false),
    }
}

/// Opens a flux-accounting database, without a trace beside it.
///
/// # Errors
/// If it cannot be opened, or is none of flux-accounting's, or the user cancelled.
pub fn open_database(request: &Request, report: OnProgress<'_>) -> Result<Loaded, LoadError> {
    database::open(request, report)
}

/// What was left out because Flux does not count it, or is there without numbers.
#[derive(Clone, Copy, Default)]
struct Inactive {
    /// Whether they are in the tree.
    is_shown: bool,
    banks: usize,
    users: usize,
}

impl Inactive {
    /// Nothing so far; the request says whether inactive ones are wanted.
    fn of(request: &Request) -> Result<Self, LoadError> {
        let mut settings = Settings::default();
        for (_, value) in request.settings.iter().filter(|(key, _)| key == INACTIVE) {
            settings.set(INACTIVE, value)?;
        }
        Ok(Self {
            is_shown: settings.flux.shows_inactive,
            ..Self::default()
        })
    }

    /// Says how many there are.
    fn tell(self, file: &str, problems: &mut Problems) {
        if self.banks + self.users == 0 {
            return;
        }
        let count = [
            (self.users, "inactive association", "inactive associations"),
            (self.banks, "inactive bank", "inactive banks"),
        ];
        let counts: Vec<String> = count
            .into_iter()
            .filter(|&(count, _, _)| count > 0)
            .map(|(count, one, many)| counted(count, one, many))
            .collect();
        let (what, advice) = if self.is_shown {
            (
                "shown without numbers",
                "leave out --set inactive=show to hide them",
            )
        } else {
            ("left out", "give --set inactive=show to see them")
        };
        problems.push(Problem::about(
            Severity::Note,
            "flux-inactive",
            file,
            format!(
                "{} {what}: Flux does not count them, nor what stands below an inactive bank",
                counts.join(" and ")
            ),
            advice,
        ));
    }
}

/// Returns a tree of Flux with where it came from.
fn snapshot(
    builder: TreeBuilder,
    mut settings: Settings,
    recorded: Recorded,
    request: &Request,
    format: Format,
) -> Snapshot {
    settings.scheduler = Some(Scheduler::Flux);
    let mut source = source(request, format);
    USAGE_UNIT.clone_into(&mut source.usage_unit);
    Snapshot {
        tree: builder.build(),
        settings,
        source,
        recorded: Arc::new(recorded),
    }
}
