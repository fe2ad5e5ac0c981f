//! Opening a source: loading it, choosing its policy, applying the edits of a scenario.

use super::args::{ReadArgs, RowArgs, SourceArgs};
use super::output;
use crate::base::number::counted;
use crate::base::shell;
use crate::base::shown::shown;
use crate::format::{Request, Severity};
use crate::model::{NodeId, Tree, duration_for_people, resolve};
use crate::open::live;
pub(super) use crate::open::opened::{Opened, apply_text as apply};
use crate::report::simulate::Moments;
use crate::report::{Field, Options, RowOrder, View, order};
use color_eyre::eyre::{self, bail};
use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::Duration;

impl Opened {
    pub(super) fn view(&self) -> View<'_> {
        View::of(&self.scenario, &self.problems).verified(&self.verification)
    }

    /// Writes remarks about the printed numbers to standard error: problems, a later moment than the source's, and why
    /// ranks may differ from PBS's order.
    pub(super) fn mention_remarks(&self, source: &SourceArgs) {
        self.mention_problems(source);
        self.mention_time(source);
        self.mention_order();
    }

    /// Writes to standard error that there were problems, for commands that do not list them.
    pub(super) fn mention_problems(&self, source: &SourceArgs) {
        self.mention_problems_of(&source.sources, &source.reading);
    }

    /// As [`Self::mention_problems`], for sources that are not in [`SourceArgs`].
    pub(super) fn mention_problems_of(&self, sources: &[PathBuf], reading: &ReadArgs) {
        let Some(first) = self.problems.list().first() else {
            return;
        };
        let is_one_file = self
            .problems
            .list()
            .iter()
            .all(|problem| problem.file == first.file);
        let place = if is_one_file {
            first.file.clone()
        } else {
            "several files".into()
        };
        output::complain(&format!(
            "{} in {place}; see `fairscope check {}`",
            counted(self.problems.count(), "problem", "problems"),
            spelled(sources, reading),
        ));
    }
}

impl Opened {
    /// Writes to standard error why ranks may differ from PBS's order.
    pub(super) fn mention_order(&self) {
        for remark in order::remarks(&self.view()) {
            if remark.severity == Severity::Warning {
                output::complain(&format!("{}; {}", remark.message, remark.advice));
            }
        }
    }

    /// Writes to standard error that the numbers are of a later moment than the source's.
    fn mention_time(&self, source: &SourceArgs) {
        let time = &self.scenario.settings().time;
        if time.passed == 0 {
            return;
        }
        let moments = Moments { taken: time.taken };
        output::complain(&format!(
            "the scenario moves the clock forward by {} from {}; the numbers are those of {}",
            duration_for_people(time.passed),
            spelled(&source.sources, &source.reading),
            moments.text(time.passed)
        ));
    }
}

/// Writes a warning to standard error if two sources look like different clusters; nodes are still matched by path.
pub(super) fn mention_strangers(one: &Opened, other: &Opened) {
    let (one, other) = (one.scenario.base(), other.scenario.base());
    if let Some((of_one, of_other)) = one.different_clusters(other) {
        output::complain(&format!(
            "{} is from {of_one} and {} from {of_other}; nodes with the same path are treated as the same",
            one.source.path, other.source.path
        ));
    }
}

/// Returns the source as on the command line, with its file of jobs.
fn spelled(sources: &[PathBuf], reading: &ReadArgs) -> String {
    let live = reading.live.iter();
    let live = live.map(|scheduler| format!("--live {}", scheduler.name()));
    let paths = sources.iter();
    let paths = paths.map(|path| shell::word(path, "FILE").into());
    let jobs = reading.jobs.iter();
    let jobs = jobs.map(|path| format!("--jobs {}", shell::word(path, "FILE")));
    live.chain(paths).chain(jobs).collect::<Vec<_>>().join(" ")
}

/// Returns the request to open paths or a scheduler; without either the built-in example.
pub(super) fn request(sources: &[PathBuf], reading: &ReadArgs) -> eyre::Result<Request> {
    let (path, further) = match (sources, reading.live) {
        ([], None) => (PathBuf::new(), [].as_slice()),
        ([], Some(_)) => (PathBuf::from(live::PATH), [].as_slice()),
        ([path, further @ ..], None) => (path.clone(), further),
        ([path, ..], Some(scheduler)) => bail!(
            "--live {} replaces {}; leave out one of the two, or give the file with --with",
            scheduler.name(),
            shown(path.as_os_str().as_bytes())
        ),
    };
    let given = sources.iter().chain(&reading.more);
    let from_input = given
        .chain(&reading.config)
        .chain(&reading.usage)
        .chain(&reading.sched_config)
        .chain(&reading.jobs)
        .filter(|path| path.as_os_str() == "-");
    if from_input.count() > 1 {
        bail!("standard input can be read only once; give the other source as a file");
    }
    Ok(Request {
        path,
        more: further.iter().chain(&reading.more).cloned().collect(),
        series: Vec::new(),
        live: reading.live,
        timeout: reading.timeout.map(Duration::from_secs),
        config: reading.config.clone(),
        cluster: reading.cluster.clone(),
        names_cluster: reading.names_cluster,
        format: reading.format,
        usage: reading.usage.clone(),
        sched_config: reading.sched_config.clone(),
        jobs: reading.jobs.clone(),
        settings: reading.settings(),
    })
}

/// Opens a source.
pub(super) fn open(args: &SourceArgs) -> eyre::Result<Opened> {
    open_paths(&args.sources, &args.reading)
}

/// Opens paths as one tree, or asks the scheduler.
pub(super) fn open_paths(sources: &[PathBuf], reading: &ReadArgs) -> eyre::Result<Opened> {
    load(&request(sources, reading)?, reading)
}

fn load(request: &Request, reading: &ReadArgs) -> eyre::Result<Opened> {
    let loaded = live::load_or_end(request, &mut |_| ControlFlow::Continue(()))?;
    Ok(Opened::new(loaded, reading.policy()))
}

/// Returns the node that was named on the command line.
pub(super) fn node(tree: &Tree, name: &OsStr) -> eyre::Result<NodeId> {
    Ok(resolve(tree, name.as_bytes())?)
}

/// Returns the requested rows and columns.
pub(super) fn options(opened: &Opened, rows: &RowArgs) -> eyre::Result<Options> {
    let scenario = &opened.scenario;
    let recorded = &scenario.base().recorded;
    let offered = Field::offered(scenario.policy(), scenario.settings(), recorded);
    let columns = rows
        .columns
        .iter()
        .map(|name| field(&offered, name))
        .collect::<eyre::Result<Vec<Field>>>()?;
    let sort = match rows.sort.as_deref() {
        None => None,
        Some(name) => {
            let descending = name.strip_prefix('-');
            Some(RowOrder {
                field: field(&offered, descending.unwrap_or(name))?,
                is_descending: descending.is_some(),
            })
        }
    };
    let node = match &rows.node {
        None => None,
        Some(name) => Some(node(opened.scenario.tree(), name)?),
    };
    Ok(Options {
        columns: (!columns.is_empty()).then_some(columns),
        sort,
        depth: None,
        node,
    })
}

fn field(offered: &[Field], name: &str) -> eyre::Result<Field> {
    let found = offered.iter().find(|field| field.name() == name);
    let Some(&field) = found else {
        let names = offered.iter().map(|field| field.name());
        bail!(crate::base::nearest::unknown("column", name, names));
    };
    Ok(field)
}
