//! Our own files: a tree to write by hand, and a scenario, both TOML.
//!
//! ```toml
//! fairscope = 1                  # version of this format
//! policy = "pbs"                 # optional: the rule to open it with
//! scheduler = "pbs"              # optional: whose tree it is
//! usage_unit = "cput"            # optional: what usage counts
//! taken = "2026-11-21T00:00:00Z" # optional: when the usage was right
//!
//! [settings]                     # optional: as for --set
//! unknown_shares = 0
//!
//! [tree]
//! root = "TREEROOT -1"           # optional: the root, as a row
//! rows = '''
//! physics 40                     # name, shares, usage, then KEY=VALUE
//!   alice 2 1200.5
//!   bob 1                        # no usage recorded
//! chemistry 60 kind=account
//! '''
//! ```
//!
//! A row is indented further than its account. Deep rows state their level instead: `@40 name shares`. A row without
//! shares has 1; usage `-` is none. The keys are `kind` (account or user, for a row without members), `cgrp` (PBS's
//! group number), `partition` and `active` (0 or 1). A name that contains blanks or any of `"'\#`, or begins with `@`,
//! is written in double quotes, with `\"`, `\\` and `\xNN` for a byte.
//!
//! Usage is summed in the order of the rows. If another order gives other sums, `recorded` lists row numbers (0 is the
//! root): `4`; `4=12.5` for an amount that a later record replaced; `4~` for a record whose amount is added to the
//! row's accounts although the row has members, or is not added although it has none.
//!
//! ```toml
//! fairscope = 1
//! [source]
//! path = "sched_priv"            # seen from the scenario's own folder
//! [[edit]]
//! do = "shares group1/bob=20"
//! reason = "bob leads the beam time"
//! ```
//!
//! Several scenarios on one source are written one after the other, each with a name of its own; `shown` marks the one
//! in front. A `policy` at the top applies to all that have none. `state` below `[source]` is a number for the tree on
//! which they were made, and detects another tree; without it `size` and `modified` detect another file.
//!
//! ```toml
//! [[scenario]]
//! name = "more for physics"
//! policy = "pbs"
//! shown = true
//! [[scenario.edit]]
//! do = "shares group1/bob=20"
//! reason = "bob leads the beam time"
//! ```

mod document;
mod read;
mod rows;
mod scenario;
mod write;

pub(crate) use document::not_read;
pub use scenario::{Reference, write_scenarios};
pub use write::write_tree;

use super::{LoadError, LoadResult, Loaded, OnProgress, OpenSource, Request};
use crate::base::places::Places;
use crate::base::shown::sentence;
use document::Document;

/// Reads one of our files: a tree, or a scenario with the source it refers to, which `open_source` opens.
/// Fails if it is not TOML, of a newer version, neither of the two, or a scenario without `open_source`.
pub fn parse(
    bytes: Vec<u8>,
    request: &Request,
    report: OnProgress<'_>,
    open_source: Option<OpenSource<'_>>,
) -> LoadResult<Loaded> {
    let file = request.file_name();
    let text = String::from_utf8(bytes).map_err(|error| {
        let (line, column) = Places::new(error.as_bytes()).of(error.utf8_error().valid_up_to());
        LoadError::Refused(sentence!(
            "{file}:{line}:{column}: a byte is not UTF-8, which TOML requires; write such a byte of a name as \\xNN in \
             quotes"
        ))
    })?;
    let (document, top) = Document::parse(&text, &file)?;
    if !top.contains_key("source") {
        return read::parse(document, &top, request, report);
    }
    // The source of a scenario is no scenario: opening it could lead from file to file without end.
    let open_source = open_source.ok_or(LoadError::Nested)?;
    scenario::parse(document, &top, request, report, open_source)
}
