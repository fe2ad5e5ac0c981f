//! `fairscope whatif`: before and after edits.

use super::args::WhatifArgs;
use super::source::open;
use super::{FINE, Outcome, output};
use crate::report::whatif;
use color_eyre::eyre::bail;

/// The default number of nodes in a table for people.
const ROWS: usize = 40;

pub(super) fn run(args: &WhatifArgs) -> Outcome {
    let mut opened = open(&args.source)?;
    opened.edit(&args.edits)?;
    if opened.scenario.history().is_untouched() {
        bail!("no edits given; add one, as in --edit 'shares group/user=20'");
    }
    opened.mention_problems(&args.source);
    opened.mention_order();
    let limit = (!args.all).then(|| args.limit.unwrap_or(ROWS));
    output::print_rows(args.form.format_out, args.form.csv, |out| {
        whatif::write(
            out,
            &opened.scenario,
            &opened.view(),
            args.form.format_out,
            limit,
        )
    })?;
    Ok(FINE)
}
