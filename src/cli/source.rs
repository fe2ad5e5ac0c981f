//! Opening a source: loading it, choosing its policy, applying the edits of a scenario.

use super::args::{Reading, RowArgs, SourceArgs};
use super::output;
use crate::format::Request;
use crate::model::{NodeId, Tree, resolve};
use crate::number::counted;
pub(super) use crate::opened::{Opened, apply_text as apply};
use crate::report::{Field, Options, Sort, View};
use crate::shown::shown;
use color_eyre::eyre::{self, bail};
use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

impl Opened {
    pub(super) fn view(&self) -> View<'_> {
        View::of(&self.scenario, &self.problems)
    }

    /// Says on standard error that there were problems, for commands that do not list them.
    pub(super) fn mention_problems(&self, path: &Path) {
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
            "several files".to_owned()
        };
        output::complain(&format!(
            "{} in {place}; see `fairscope check {}`",
            counted(self.problems.count(), "problem", "problems"),
            shown(path.as_os_str().as_bytes()),
        ));
    }
}

/// What to ask the formats for.
pub(super) fn request(path: &Path, reading: &Reading) -> Request {
    Request {
        path: path.to_owned(),
        more: reading.more.clone(),
        live: reading.live,
        config: reading.config.clone(),
        cluster: reading.cluster.clone(),
        format: reading.format,
        usage: reading.usage.clone(),
        sched_config: reading.sched_config.clone(),
        settings: reading.settings(),
    }
}

/// Opens a source.
pub(super) fn open(args: &SourceArgs) -> eyre::Result<Opened> {
    open_path(&args.source, &args.reading)
}

/// Opens a path; an empty one is the built-in example.
pub(super) fn open_path(path: &Path, reading: &Reading) -> eyre::Result<Opened> {
    let request = request(path, reading);
    let loaded = crate::live::load(&request, &mut |_| ControlFlow::Continue(()))?;
    Ok(Opened::new(loaded, reading.policy()))
}

/// Finds a node that was named on the command line.
pub(super) fn node(tree: &Tree, name: &OsStr) -> eyre::Result<NodeId> {
    Ok(resolve(tree, name.as_bytes())?)
}

/// Understands which rows and columns were asked for.
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
            Some(Sort {
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
        bail!(crate::nearest::unknown("column", name, names));
    };
    Ok(field)
}
