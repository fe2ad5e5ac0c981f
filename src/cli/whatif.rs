//! `fairscope whatif`: before and after edits.

use super::args::WhatifArgs;
use super::source::{Opened, apply, open};
use super::{FINE, Outcome, output};
use crate::format::Request;
use crate::model::{NodeId, Paths, Tree, resolve};
use crate::report::whatif;
use crate::scenario::{Amount, Edit, EditError, LanguageError, Scenario};
use crate::shown::shown;
use color_eyre::eyre::{self, WrapErr, bail, eyre};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

pub(super) fn run(args: &WhatifArgs) -> Outcome {
    let mut opened = open(&args.source)?;
    let scenario = &mut opened.scenario;
    if let Some(path) = &args.scenario {
        apply_saved(scenario, path)?;
    }
    if let Some(path) = &args.table {
        apply_table(scenario, path)?;
    }
    for edit in &args.edits {
        let text = edit.as_bytes();
        apply(scenario, text)
            .map_err(pointed)
            .wrap_err_with(|| format!("--edit '{}'", shown(text)))?;
    }
    if scenario.history().is_untouched() {
        bail!("there is nothing to try; give an edit, as in --edit 'shares group/user=20'");
    }
    opened.mention_problems(&args.source);
    let Opened {
        scenario, problems, ..
    } = &opened;
    output::print(|out| whatif::write(out, scenario, problems, args.format_out))?;
    Ok(FINE)
}

/// The error with a mark under the place, where a formula was refused.
fn pointed(error: LanguageError) -> eyre::Report {
    match error {
        LanguageError::Edit(EditError::Formula(error)) => error.into(),
        error => error.into(),
    }
}

/// Applies the edits of a saved scenario, whatever source it was made for.
fn apply_saved(scenario: &mut Scenario, path: &Path) -> eyre::Result<()> {
    let request = Request {
        path: path.to_owned(),
        ..Request::default()
    };
    let loaded = crate::live::load_or_end(&request, &mut |_| ControlFlow::Continue(()))?;
    let file = shown(path.as_os_str().as_bytes());
    if loaded.scenario.is_none() {
        bail!("{file} is a tree, not a scenario; give it as the source instead");
    }
    for edit in loaded.edits {
        apply(scenario, edit.text.as_bytes())
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
