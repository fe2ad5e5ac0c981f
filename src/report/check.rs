//! `check`: the problems of a source and the findings about its tree.

use super::json::{Json, Layout};
use super::{View, json, visible};
use crate::format::Problems;
use crate::number::{counted, grouped};
use crate::policy::Policy;
use std::io::{self, Write};

/// Writes problems and findings for people, one a line, then their count.
///
/// # Errors
/// If writing fails.
pub fn write_text(out: &mut dyn Write, view: &View<'_>, findings: &Problems) -> io::Result<()> {
    for problems in [view.problems, findings] {
        for problem in problems.list() {
            writeln!(out, "{} [{}]", visible(&problem.to_string()), problem.code)?;
        }
        let left_off = problems.count() - problems.list().len();
        if left_off > 0 {
            writeln!(out, "… and {left_off} more")?;
        }
    }
    let nodes = grouped(i64::try_from(view.tree.node_count()).unwrap_or(i64::MAX));
    if view.problems.is_empty() && findings.is_empty() {
        return writeln!(out, "nothing to report about {nodes} nodes");
    }
    writeln!(
        out,
        "{} and {} in {nodes} nodes",
        counted(view.problems.count(), "problem", "problems"),
        counted(findings.count(), "finding", "findings"),
    )
}

/// Writes problems and findings as JSON.
///
/// # Errors
/// If writing fails.
pub fn write_json(out: &mut dyn Write, view: &View<'_>, findings: &Problems) -> io::Result<()> {
    let mut json = Json::new(out);
    json::open(&mut json, view)?;
    json::problems(&mut json, "problems", view.problems.list())?;
    json::problems(&mut json, "findings", findings.list())?;
    json.key("verified")?;
    json.object(Layout::Inline)?;
    // PBS's files record usage and no numbers of the scheduler's: there is nothing to hold ours against.
    json.key("columns")?;
    json.object(Layout::Inline)?;
    json.close()?;
    json.key("stale")?;
    json.raw("false")?;
    json.close()?;
    json.key("detected")?;
    if view.source.format == crate::format::Format::Pbs.name() {
        json.object(Layout::Inline)?;
        json.key("policy")?;
        json.string(Policy::Pbs.name())?;
        json.key("settings")?;
        json.object(Layout::Inline)?;
        json.close()?;
        json.key("evidence")?;
        json.string("resource_group is a file of PBS's, and PBS has one rule")?;
        json.key("certain")?;
        json.raw("true")?;
        json.close()?;
    } else {
        json.raw("null")?;
    }
    json.close()
}
