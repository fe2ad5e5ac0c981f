//! The edits of a command line, applied to what was opened.

mod nodes;
mod refused;

use super::args::EditArgs;
use super::output;
use super::source::apply;
use crate::format::{Request, Severity};
use crate::model::{NodeId, resolve};
use crate::opened::apply_because;
use crate::scenario::{Amount, Edit, EditError, LanguageError, Scenario, parse};
use crate::shown::shown;
use color_eyre::eyre::{self, WrapErr, bail, eyre};
use nodes::Nodes;
use refused::{Refused, place};
use std::collections::HashMap;
use std::ffi::OsStr;
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
        // What was set outright, by what it was set for.
        let mut set: HashMap<What, &OsStr> = HashMap::new();
        for edit in &self.edits {
            let text = edit.as_bytes();
            apply(scenario, text)
                .map_err(pointed)
                .wrap_err_with(|| format!("--edit '{}'", shown(text)))?;
            let Some((what, is_outright)) = assigned(scenario, text) else {
                continue;
            };
            if let Some(earlier) = set.insert(what, edit).filter(|_| is_outright) {
                output::say(&format!(
                    "fairscope: --edit '{}' replaces --edit '{}'; both are applied, in this order, and the later one \
                     counts",
                    shown(text),
                    shown(earlier.as_bytes())
                ));
            }
        }
        Ok(())
    }
}

/// What an edit gives a value to.
#[derive(PartialEq, Eq, Hash)]
enum What {
    Shares(NodeId),
    Usage(NodeId),
    Setting(Vec<u8>),
}

/// What an edit that was just applied gave a value to, and whether outright: `=20` and not `+=10`.
fn assigned(scenario: &Scenario, text: &[u8]) -> Option<(What, bool)> {
    let equals = text.iter().rposition(|&byte| byte == b'=')?;
    let value = std::str::from_utf8(&text[equals + 1..]).ok();
    let is_by_what_is_there = matches!(text[..equals].last(), Some(b'+' | b'-' | b'*'));
    let is_outright = !is_by_what_is_there
        && matches!(
            value.and_then(Amount::parse),
            Some(Amount::Exactly(_) | Amount::Parent)
        );
    match parse(text, scenario.tree(), scenario.settings()).ok()? {
        Edit::SetShares { node, .. } => Some((What::Shares(node), is_outright)),
        Edit::SetUsage { node, .. } => Some((What::Usage(node), is_outright)),
        Edit::SetSetting { key, .. } => Some((What::Setting(key.into_bytes()), true)),
        _ => None,
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
    let chosen = match name {
        None => Some(loaded.front),
        Some(name) => saved.iter().position(|saved| saved.name == name),
    };
    let Some(chosen) = chosen.filter(|&chosen| chosen < saved.len()) else {
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
    let edits = saved.swap_remove(chosen).edits;
    let mut refused = Refused::new(&file, "edits");
    for problem in loaded.problems.list() {
        // What is odd about the source it was made on is not about this tree.
        if problem.file != file {
            continue;
        }
        let sentence = format!("{}; {}", problem.message, problem.advice);
        if problem.severity == Severity::Error {
            refused.push(problem.line, || sentence);
        } else {
            output::complain(&format!("{}{sentence}", place(&file, problem.line)));
        }
    }
    let count = edits.len();
    for edit in edits {
        let text = edit.text.as_bytes();
        if let Err(error) = apply_because(scenario, text, edit.reason) {
            let line = u64::try_from(edit.line).ok();
            refused.push(line, || format!("`{}`: {error}", shown(text)));
        }
    }
    let made_on = &loaded.snapshot.source.path;
    let note = (*made_on != scenario.base().source.path)
        .then(|| format!("the scenario was made on {made_on}, which may be another tree"));
    refused.end(count, note.as_deref())
}

/// Applies a table of `path,shares`. All rows that do not fit are told, and none is applied then.
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
    let mut nodes = Nodes::new(scenario.tree());
    let mut edited = scenario.clone();
    let mut lines: HashMap<NodeId, u64> = HashMap::new();
    let mut refused = Refused::new(&file, "rows");
    let mut count = 0;
    let mut record = csv::ByteRecord::new();
    while reader.read_byte_record(&mut record)? {
        count += 1;
        let line = record.position().map_or(0, csv::Position::line);
        let (Some(path), Some(shares)) = (record.get(path_column), record.get(shares_column))
        else {
            refused.push(Some(line), || {
                "the row is too short; expected a path and its shares".to_owned()
            });
            continue;
        };
        let Some(node) = nodes.find(path) else {
            refused.push(Some(line), || {
                let error = resolve(scenario.tree(), path).err();
                error.map_or_else(String::new, |error| error.to_string())
            });
            continue;
        };
        if let Some(first) = lines.get(&node) {
            refused.push(Some(line), || {
                format!(
                    "{} stands on line {first} already; keep one of the two lines",
                    shown(path)
                )
            });
            continue;
        }
        lines.insert(node, line);
        if let Err(sentence) = set_shares(&mut edited, node, shares) {
            refused.push(Some(line), || sentence);
        }
    }
    refused.end(count, None)?;
    *scenario = edited;
    Ok(())
}

/// Gives a node the shares that a table has for it.
fn set_shares(scenario: &mut Scenario, node: NodeId, shares: &[u8]) -> Result<(), String> {
    let amount = std::str::from_utf8(shares).ok().and_then(Amount::parse);
    let Some(amount) = amount else {
        return Err(format!(
            "{} is not an amount of shares; expected a number such as 20",
            shown(shares)
        ));
    };
    let sentence = |error: EditError| error.to_string();
    let shares = amount.shares(scenario.tree(), node).map_err(sentence)?;
    let edit = Edit::SetShares { node, shares };
    scenario.apply(edit).map_err(sentence)
}
