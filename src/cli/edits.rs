//! The edits of a command line, applied to what was opened.

use super::args::EditArgs;
use super::source::apply;
use crate::format::Request;
use crate::model::{NodeId, Paths, Tree, resolve};
use crate::opened::apply_because;
use crate::scenario::{Amount, Edit, EditError, LanguageError, Scenario};
use crate::shown::shown;
use color_eyre::eyre::{self, WrapErr, bail, eyre};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

impl EditArgs {
    /// Applies the edits of the saved scenario, of the table and of the command line, in this order.
    pub(super) fn apply(&self, scenario: &mut Scenario) -> eyre::Result<()> {
        if let Some(path) = &self.scenario {
            apply_saved(scenario, path, self.name.as_deref())?;
        }
        if let Some(path) = &self.table {
            apply_table(scenario, path)?;
        }
        for edit in &self.edits {
            let text = edit.as_bytes();
            apply(scenario, text)
                .map_err(pointed)
                .wrap_err_with(|| format!("--edit '{}'", shown(text)))?;
        }
        Ok(())
    }
}

/// The error with a mark under the place, where a formula was refused.
fn pointed(error: LanguageError) -> eyre::Report {
    match error {
        LanguageError::Edit(EditError::Formula(error)) => error.into(),
        error => error.into(),
    }
}

/// Applies the edits of a saved scenario, the one of that name or the one in front, whatever source it was made for.
fn apply_saved(scenario: &mut Scenario, path: &Path, name: Option<&str>) -> eyre::Result<()> {
    let request = Request {
        path: path.to_owned(),
        ..Request::default()
    };
    let loaded = crate::live::load_or_end(&request, &mut |_| ControlFlow::Continue(()))?;
    let file = shown(path.as_os_str().as_bytes());
    if loaded.scenario.is_none() {
        bail!("{file} is a tree, not a scenario; give it as the source instead");
    }
    let mut saved = loaded.scenarios;
    let place = match name {
        None => Some(loaded.front),
        Some(name) => saved.iter().position(|saved| saved.name == name),
    };
    let Some(place) = place.filter(|&place| place < saved.len()) else {
        let names = saved.iter().map(|saved| shown(saved.name.as_bytes()));
        let names: Vec<_> = names.filter(|name| !name.is_empty()).collect();
        let name = shown(name.unwrap_or_default().as_bytes());
        if names.is_empty() {
            bail!("{file} holds one scenario, which has no name; leave --name out");
        }
        bail!(
            "{file} holds no scenario {name}; it holds {}",
            names.join(", ")
        );
    };
    for edit in saved.swap_remove(place).edits {
        apply_because(scenario, edit.text.as_bytes(), edit.reason)
            .wrap_err_with(|| format!("{file}:{}: `{}`", edit.line, shown(edit.text.as_bytes())))?;
    }
    Ok(())
}

/// Applies a table of `path,shares`.
fn apply_table(scenario: &mut Scenario, path: &Path) -> eyre::Result<()> {
    let file = shown(path.as_os_str().as_bytes());
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .trim(csv::Trim::All)
        .from_path(path)
        .wrap_err_with(|| format!("{file} could not be read"))?;
    let header = reader.byte_headers()?.clone();
    let column = |name: &str| {
        let found = header.iter().position(|field| field == name.as_bytes());
        found.ok_or_else(|| {
            eyre!("{file}:1: there is no column {name}; expected the header path,shares")
        })
    };
    let (path_column, shares_column) = (column("path")?, column("shares")?);
    let nodes = by_path(scenario.tree());
    let mut record = csv::ByteRecord::new();
    while reader.read_byte_record(&mut record)? {
        let line = record.position().map_or(0, csv::Position::line);
        let (Some(path), Some(shares)) = (record.get(path_column), record.get(shares_column))
        else {
            bail!("{file}:{line}: the row is too short; expected a path and its shares");
        };
        set_shares(scenario, &nodes, path, shares).wrap_err_with(|| format!("{file}:{line}"))?;
    }
    Ok(())
}

fn set_shares(
    scenario: &mut Scenario,
    nodes: &HashMap<String, NodeId>,
    path: &[u8],
    shares: &[u8],
) -> eyre::Result<()> {
    let known = std::str::from_utf8(path)
        .ok()
        .and_then(|path| nodes.get(path));
    let node = match known {
        Some(&node) => node,
        None => resolve(scenario.tree(), path)?,
    };
    let amount = std::str::from_utf8(shares).ok().and_then(Amount::parse);
    let Some(amount) = amount else {
        bail!(
            "{} is not an amount of shares; expected a number such as 20",
            shown(shares)
        );
    };
    let shares = amount.shares(scenario.tree(), node)?;
    Ok(scenario.apply(Edit::SetShares { node, shares })?)
}

/// Every node by its path: a table may name each of a hundred thousand siblings.
fn by_path(tree: &Tree) -> HashMap<String, NodeId> {
    let mut paths = Paths::new(tree);
    let mut nodes = HashMap::with_capacity(tree.node_count());
    for &node in tree.nodes() {
        if let Some(path) = paths.next(node) {
            nodes.insert(path.to_owned(), node);
        }
    }
    nodes
}
