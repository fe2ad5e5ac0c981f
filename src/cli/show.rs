//! `fairscope show`: the tree with its numbers.

use super::args::ShowArgs;
use super::{FINE, Outcome, output, source};
use crate::report::show;

pub(super) fn run(args: &ShowArgs) -> Outcome {
    let opened = source::open(&args.source)?;
    let mut options = source::options(&opened, &args.rows)?;
    options.depth = args.depth;
    opened.mention_remarks(&args.source);
    output::print_rows(args.format_out, args.csv, |out| {
        show::write(out, &opened.view(), &options, args.format_out)
    })?;
    Ok(FINE)
}
