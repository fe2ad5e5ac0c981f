//! `fairscope rank`: the users by rank.

use super::args::RankArgs;
use super::{FINE, Outcome, output, source};
use crate::report::rank;

pub(super) fn run(args: &RankArgs) -> Outcome {
    let opened = source::open(&args.source)?;
    let options = source::options(&opened, &args.rows)?;
    opened.mention_remarks(&args.source);
    output::print_rows(args.form.format_out, args.form.csv, |out| {
        rank::write(out, &opened.view(), &options, args.form.format_out)
    })?;
    Ok(FINE)
}
